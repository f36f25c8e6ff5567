#!/usr/bin/env python3
"""Reads 200 CSV files with hostile quoting by Python's csv in strict mode, DuckDB and Deniable, and prints what each reads.

    cargo build
    "$(scripts/environment duckdb)/bin/python" scripts/quoting.py [target/debug/deniable]

Each file has columns a, b and c in eight rows, with one hostile field: in a row in the middle, in two rows, at the end of the file, or in
the header. Deniable reads a file whose declared keys are the values that Python (or else DuckDB) read, so that `data check` reports every
other value. The exit status is 1 if Deniable reads a file without a warning that another reader refuses or reads differently.
"""

import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import duckdb

FIELDS = {
    "plain": "plain",
    "quoted": '"quoted"',
    "quoted delimiter": '"a,b"',
    "doubled quote": '"say ""hi"""',
    "only quotes": '""""',
    "empty quoted": '""',
    "three quotes": '"""',
    "never closed": '"oops',
    "never closed, doubled": '"oops""',
    "text after": '"fine"x',
    "space after": '"fine" ',
    "quote after": '"a"b"c"',
    "two quoted parts": '"a""b" "c"',
    "space before": ' "fine"',
    "inch": '5" pipe',
    "pair within": 'The "Kid"',
    "quote at the end": 'pipe 5"',
    "apostrophes": "'it''s'",
    "backslash": '"back\\"slash"',
    "backslash, bare": 'back\\"slash',
    "line feed": '"two\nlines"',
    "both line ends": '"two\r\nlines"',
    "carriage return": '"two\rlines"',
    "bare carriage return": "two\rlines",
    "line feed and quote": '"two\n""lines"""',
}
PLACES = ["middle", "twice", "end", "header"]
ENDS = ["\n", "\r\n"]


def content(field, place, end):
    rows = [[f"k{row}", str(row), "fine"] for row in range(8)]
    header = ["a", "b", "c"]
    if place == "header":
        header[2] = field
    for row in {"middle": [3], "twice": [2, 5], "end": [7], "header": []}[place]:
        rows[row][2] = field
    text = end.join(",".join(line) for line in [header, *rows])
    return text if place == "end" else text + end


def python(text):
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        return str(error)
    rows = [row for row in rows if row]
    if any(len(row) != 3 for row in rows):
        return "rows of different lengths"
    return rows[1:]


def of_duckdb(path):
    options = "header = true, delim = ',', quote = '\"', escape = '\"', auto_detect = false, strict_mode = true"
    columns = "{'a': 'VARCHAR', 'b': 'VARCHAR', 'c': 'VARCHAR'}"
    try:
        rows = duckdb.sql(f"SELECT * FROM read_csv('{path}', columns = {columns}, {options})").fetchall()
    except duckdb.Error as error:
        return str(error).splitlines()[0]
    return [["" if value is None else value for value in row] for row in rows]


def deniable(program, folder, known, names):
    keys = lambda at: json.dumps(sorted({row[at] for row in known if row[at]} | {"none"}))
    columns = "".join(f"{name} = {{ type = \"text\", keys = {keys(at)} }}\n" for at, name in enumerate(names))
    policy = f"""name = "quoting"
population = "people"
data = {{ table = "t", path = "t.csv", version = "1" }}
adversary = {{ preset = "acquaintance" }}
promise = {{ posterior_at_most = 0.75 }}
[columns]
{columns}[[query]]
name = "rows"
sql = "SELECT COUNT(*) FROM t"
"""
    (folder / "policy.toml").write_text(policy)
    (folder / "study.ledger").unlink(missing_ok=True)
    for ledger in folder.glob("*.ledger*"):
        ledger.unlink()
    command = [program, "data", "check", "policy.toml", "--format", "json"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(run.stderr)
    if not run.stdout:
        return "refuses", None
    # A file whose header is refused is not scanned.
    tables = json.loads(run.stdout)["tables"]
    if not tables or tables[0]["broken"]:
        return "refuses", None
    table = tables[0]
    undeclared = sum((column["undeclared_keys"] or {"count": 0})["count"] for column in table["columns"])
    missing = [(column["missing"] or {"count": 0})["count"] for column in table["columns"]]
    found = (table["rows"], undeclared, missing)
    return ("asks" if table["quirks"] else "reads"), found


def main():
    program = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/debug/deniable").resolve())
    lines, wrong, files = [], [], 0
    totals = dict.fromkeys(["python", "duckdb", "refuses", "asks", "reads", "same", "compared"], 0)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for what, field in FIELDS.items():
            counts = dict.fromkeys(totals, 0)
            for place in PLACES:
                for end in ENDS:
                    text = content(field, place, end)
                    (folder / "t.csv").write_bytes(text.encode())
                    strict, other = python(text), of_duckdb(folder / "t.csv")
                    refused = [isinstance(rows, str) for rows in (strict, other)]
                    known = [] if all(refused) else other if refused[0] else strict
                    names = ["a", "b"] if place == "header" else ["a", "b", "c"]
                    how, found = deniable(program, folder, known, names)
                    counts["python"] += refused[0]
                    counts["duckdb"] += refused[1]
                    counts[how] += 1
                    expected = (len(known), 0, [sum(not row[at] for row in known) for at in range(len(names))])
                    if found and not all(refused):
                        counts["compared"] += 1
                        counts["same"] += found == expected
                    disagree = any(refused) or strict != other or found != expected
                    if how == "reads" and disagree:
                        wrong.append(f"{what}, {place}, {end!r}: Python {strict!r}, DuckDB {other!r}, Deniable {found}")
                    files += 1
            for key, value in counts.items():
                totals[key] += value
            lines.append((what, counts))
    print(f"{files} files; for each kind of field, of {len(PLACES) * len(ENDS)} files:\n")
    print("| field | Python refuses | DuckDB refuses | Deniable refuses | asks (--accept) | reads | same rows and values |")
    print("|---|---|---|---|---|---|---|")
    for what, counts in [*lines, ("all", totals)]:
        same = f"{counts['same']} of {counts['compared']}"
        cells = [counts[key] or "" for key in ["python", "duckdb", "refuses", "asks", "reads"]]
        print(f"| {what} | {' | '.join(map(str, cells))} | {same} |")
    print(f"\nread without a remark though another reader refuses or reads otherwise: {len(wrong)}")
    for line in wrong:
        print(" ", line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
