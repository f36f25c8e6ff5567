"""Deniable, as its Python package: the same policy as the command's, a fresh ledger, and one release."""

import json
import os
import tempfile
from pathlib import Path

from run_deniable import policy, report
from runner import Ask, cell, main
from workload import Answers, Case


def prepare() -> str:
    import deniable

    return str(deniable.__version__)


def begin(case: Case) -> Ask:
    import warnings

    import deniable as dn

    warnings.simplefilter("ignore", dn.LedgerWarning)
    folder = Path(tempfile.mkdtemp(prefix="deniable-", dir=os.environ.get("COMPARE_TMP")))
    (folder / "policy.toml").write_text(policy(case))

    def ask() -> Answers:
        # As with the command, the file is read once to check and fingerprint it and once more to answer.
        with dn.Policy(folder / "policy.toml").session(ledger=folder / "compare.ledger", progress=False) as session:
            answer = session.release()["by key"]
        cells = {str(key): [cell(x) for x in row] for key, *row in answer.rows}
        parts = json.loads(answer.to_json())["noise"]
        return Answers(cells, lambda: report(case, parts))

    return ask


if __name__ == "__main__":
    main(prepare, begin)
