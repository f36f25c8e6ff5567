"""Deniable, as its command line: a policy, a fresh ledger, and one `ask`."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from runner import Ask, cell, main
from workload import HIGH, LOW, Answers, Case, Noise

COMMAND = os.environ.get("COMPARE_DENIABLE", "deniable")


SQL = "SELECT key, COUNT(*) AS count, SUM(value) AS sum, AVG(value) AS average FROM visits GROUP BY key"


def prepare() -> str:
    said = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True).stdout
    return said.split()[-1]


def policy(case: Case) -> str:
    """COUNT, SUM and AVG in one ask get a third of epsilon each, so COUNT and SUM have the scale of the others."""
    entity = f'[entity]\nkey = "person"\nrows_per_group = {case.rows_per_group}\ngroups = {case.groups}\n'
    kind = 'type = "decimal"\nstep = 1' if case.decimal else 'type = "integer"'
    return f"""
name = "compare"
population = "compare"

[data]
table = "visits"
path = {json.dumps(case.path)}
version = "1"

{entity if case.people else ""}
[columns.person]
type = "integer"

[columns.key]
type = "text"
keys = {json.dumps(case.keys)}

[columns.value]
{kind}
bounds = [{LOW}, {HIGH}]

[adversary]
preset = "anyone"

[promise]
epsilon = "{3 * case.epsilon:.12g}"

[[query]]
name = "by key"
sql = "{SQL}"
"""


def report(case: Case, parts: list[dict[str, str]]) -> Noise:
    scales = {part["measure"]: part["scale"] for part in parts}
    return Noise(
        count=scales["COUNT(*)"],
        sum=scales["SUM(value)"],
        average=f"centred sum {scales[f'SUM(value - {(LOW + HIGH) // 2})']}, count {scales['COUNT(value)']}",
        mechanism=", ".join(sorted({part["kind"] for part in parts})),
        spent=3 * case.epsilon,
    )


def begin(case: Case) -> Ask:
    folder = Path(tempfile.mkdtemp(prefix="deniable-", dir=os.environ.get("COMPARE_TMP")))
    (folder / "policy.toml").write_text(policy(case))

    def ask() -> Answers:
        # The first answer of a ledger takes more work than a later one: it creates the ledger, and reads the file once to
        # check and fingerprint it and once more to answer. `release` would also stop where caps leave out a tenth.
        command = [COMMAND, "ask", "policy.toml", SQL, "--spend", "1", "--ledger", "compare.ledger", "--format", "json", "--register", "--yes"]
        said = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if said.returncode != 0:
            raise RuntimeError(said.stderr.strip().splitlines()[-1] if said.stderr.strip() else "no message")
        answer = json.loads(said.stdout)["answers"][0]
        cells = {}
        for key, *row in answer["rows"]:
            cells[key] = [cell(x["value"] if isinstance(x, dict) else x) for x in row]
        return Answers(cells, lambda: report(case, answer["noise"]))

    return ask


if __name__ == "__main__":
    main(prepare, begin)
