"""The time of calls of the package within one process: `python call.py FOLDER RUNS`, where FOLDER has the policy and the rows.

Prints one line of JSON: seconds of the first release of a fresh ledger, and of a further question of the same session, with rows from
the file and with rows in memory.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import warnings
from pathlib import Path

import deniable as dn
import pyarrow.parquet

FURTHER = "SELECT key, COUNT(*) AS count FROM visits GROUP BY key"


def main() -> None:
    warnings.simplefilter("ignore", dn.LedgerWarning)
    folder, runs = Path(sys.argv[1]), int(sys.argv[2])
    table = pyarrow.parquet.read_table(folder / "rows.parquet")
    found: dict[str, list[float]] = {"file": [], "file further": [], "memory": [], "memory further": []}
    for index in range(runs + 1):
        for kind in ("file", "memory"):
            with tempfile.TemporaryDirectory(dir=folder) as place:
                ledger = Path(place) / "compare.ledger"
                rows, version = (table, "1") if kind == "memory" else (None, None)
                start = time.perf_counter()
                with dn.Policy(folder / "policy.toml").session(rows, version=version, ledger=ledger, progress=False) as session:
                    session.release("by key")
                    first = time.perf_counter()
                    session.ask(FURTHER, spend="1/10")
                    second = time.perf_counter()
                if index > 0:  # the first is not timed
                    found[kind].append(first - start)
                    found[f"{kind} further"].append(second - first)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
