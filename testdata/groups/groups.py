#!/usr/bin/env python3
"""Writes rows.csv, and the groups of questions about them in groups.tsv, as pandas counts them.

    python3 testdata/groups/groups.py

Needs pandas. Columns hold NULL, keys that are not declared and numbers beyond their bounds. A question is asked in SQL and, beside it,
in pandas. Of each line the first field is what SQL groups by, the second what it says of one person's rows where it is about these,
the others are three for each group: `group` or `left out`, its key and its size. Those that are left out are none of the declared
values, which a note says: that is written down here by hand, and no other group may be missing.
"""

import datetime
import random
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent


def made():
    """Rows whose values go beyond what the test declares of them, fixed by a seed."""
    dice = random.Random(42)
    pick = lambda *values: dice.choice(values)
    rows = []
    for _ in range(240):
        day = datetime.date(2023, 11, 1) + datetime.timedelta(days=dice.randrange(500))
        rows.append({
            "who": dice.randrange(150),
            "x": pick(0, 1, 2, 3, 4, 5, 5, None, 9, -2),
            "k": pick("a", "a", "b", "b", "z", "B", None),
            "s": pick("n", "s", "w", None),
            "b": pick(True, False, None),
            "y": pick(0.0, 0.5, 2.5, 7.0, 10.0, 0.3, 11.5, -1.0, None),
            "d": pick(day, day, day, None),
        })
    return rows


def write_rows(rows):
    text = lambda value: "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    names = list(rows[0])
    lines = [",".join(names)] + [",".join(text(row[name]) for name in names) for row in rows]
    (HERE / "rows.csv").write_text("\n".join(lines) + "\n")


def read_rows():
    kinds = {"who": "Int64", "x": "Int64", "k": "string", "s": "string", "b": "boolean", "y": "Float64"}
    return pd.read_csv(HERE / "rows.csv", dtype=kinds, parse_dates=["d"])


def shown(value):
    """A key as answers write it."""
    if value is None or pd.isna(value):
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else str(value)
    return str(value)


def case(*pairs, otherwise=None):
    """CASE: the value behind the first condition that is true; a condition that is NA is not."""
    def of(t):
        result = pd.Series([None] * len(t), index=t.index, dtype="object")
        is_open = pd.Series(True, index=t.index)
        for condition, value in (*pairs, (lambda t: pd.Series(True, index=t.index), otherwise)):
            chosen = condition(t).astype("boolean").fillna(False).astype(bool) & is_open
            values = value(t) if callable(value) else pd.Series([value] * len(t), index=t.index, dtype="object")
            result[chosen] = values.astype("object")[chosen]
            is_open &= ~chosen
        return result
    return of


def first(*values):
    """COALESCE."""
    def of(t):
        result = pd.Series([None] * len(t), index=t.index, dtype="object")
        for value in values:
            more = value(t) if callable(value) else pd.Series([value] * len(t), index=t.index, dtype="object")
            result = result.where(result.notna(), more.astype("object"))
        return result
    return of


def extreme(column, constant, largest):
    """GREATEST or LEAST of a column and a constant, which pass over NULL."""
    return lambda t: t[column].map(lambda value: constant if pd.isna(value) else (max if largest else min)(value, constant))


def month(t):
    return t.d.dt.strftime("%Y-%m")


MONTHS = [f"2023-{month:02}" for month in (11, 12)] + [f"2025-{month:02}" for month in (1, 2, 3)]
NULL = "NULL"
X, K = [NULL, "9", "-2"], [NULL, "z", "B"]
YES = lambda condition: case((condition, "yes"), otherwise="no")

# What SQL groups by, the same in pandas, and which groups are none of the declared values.
QUESTIONS = [
    ("x", lambda t: t.x, X),
    ("k", lambda t: t.k, K),
    ("s", lambda t: t.s.map(lambda s: s if pd.isna(s) or s in "ns" else "(other)"), []),
    ("b", lambda t: t.b, [NULL]),
    ("x IS NULL", lambda t: t.x.isna(), []),
    ("x IS NOT NULL", lambda t: t.x.notna(), []),
    ("y IS NULL", lambda t: t.y.isna(), []),
    ("k IS NULL", lambda t: t.k.isna(), []),
    ("b IS NULL", lambda t: t.b.isna(), []),
    ("d IS NULL", lambda t: t.d.isna(), []),
    ("b IS TRUE", lambda t: t.b.fillna(False), []),
    ("b IS NOT FALSE", lambda t: t.b.fillna(True), []),
    ("x > 5", lambda t: t.x > 5, [NULL]),
    ("x < 0", lambda t: t.x < 0, [NULL]),
    ("y > 10", lambda t: t.y > 10, [NULL]),
    ("x BETWEEN 0 AND 5", lambda t: (t.x >= 0) & (t.x <= 5), [NULL]),
    ("x IN (9, 10)", lambda t: t.x.map(lambda x: None if pd.isna(x) else x in (9, 10)), [NULL]),
    ("k = 'z'", lambda t: t.k == "z", [NULL]),
    ("k IN ('a', 'b')", lambda t: t.k.map(lambda k: None if pd.isna(k) else k in "ab"), [NULL]),
    ("k LIKE 'z%'", lambda t: t.k.map(lambda k: None if pd.isna(k) else k[0] == "z"), [NULL]),
    ("k IS DISTINCT FROM 'a'", lambda t: (t.k != "a").fillna(True), []),
    ("d < DATE '2024-01-01'", lambda t: t.d.map(lambda d: None if pd.isna(d) else d < pd.Timestamp(2024, 1, 1)), [NULL]),
    ("x > 5 OR b", lambda t: (t.x > 5) | t.b, [NULL]),
    ("x IS NULL AND k = 'z'", lambda t: t.x.isna().astype("boolean") & (t.k == "z"), [NULL]),
    ("NOT COALESCE(b, FALSE)", lambda t: ~t.b.fillna(False), []),
    ("CASE WHEN x IS NULL THEN 'missing' ELSE 'present' END", case((lambda t: t.x.isna(), "missing"), otherwise="present"), []),
    ("CASE WHEN b THEN 'y' WHEN NOT b THEN 'n' ELSE 'unknown' END", case((lambda t: t.b, "y"), (lambda t: ~t.b, "n"), otherwise="unknown"), []),
    ("CASE WHEN x > 5 THEN 'high' ELSE 'other' END", case((lambda t: t.x > 5, "high"), otherwise="other"), []),
    ("CASE WHEN x < 0 THEN 'below' WHEN x <= 5 THEN 'within' WHEN x > 5 THEN 'above' END",
     case((lambda t: t.x < 0, "below"), (lambda t: t.x <= 5, "within"), (lambda t: t.x > 5, "above")), []),
    ("CASE k WHEN 'a' THEN 1 WHEN 'z' THEN 26 ELSE 0 END", case((lambda t: t.k == "a", 1), (lambda t: t.k == "z", 26), otherwise=0), []),
    ("CASE WHEN k = 'z' THEN x ELSE -1 END", case((lambda t: t.k == "z", lambda t: t.x), otherwise=-1), X),
    ("CASE WHEN x IS NULL THEN NULL WHEN x < 3 THEN 'few' ELSE 'many' END", case((lambda t: t.x < 3, "few"), (lambda t: t.x >= 3, "many")), []),
    ("CASE WHEN d IS NULL THEN 'no date' ELSE TO_CHAR(d, 'YYYY-MM') END", case((lambda t: t.d.isna(), "no date"), otherwise=month), MONTHS),
    ("CASE WHEN CASE WHEN k = 'z' THEN 1 ELSE 2 END = 1 THEN 'last' WHEN x IS NULL THEN 'no x' ELSE 'first' END",
     case((lambda t: t.k == "z", "last"), (lambda t: t.x.isna(), "no x"), otherwise="first"), []),
    ("COALESCE(x, -1)", first(lambda t: t.x, -1), ["9", "-2"]),
    ("COALESCE(k, 'none')", first(lambda t: t.k, "none"), ["z", "B"]),
    ("COALESCE(CAST(x AS VARCHAR), 'none')", first(lambda t: t.x.astype("string"), "none"), ["9", "-2"]),
    ("COALESCE(k, s)", first(lambda t: t.k, lambda t: t.s), ["z", "B", "w"]),
    ("COALESCE(k, s, 'none')", first(lambda t: t.k, lambda t: t.s, "none"), ["z", "B", "w"]),
    ("UPPER(COALESCE(k, 'none'))", first(lambda t: t.k.str.upper(), "NONE"), ["Z"]),
    ("NULLIF(k, 'z')", lambda t: t.k.map(lambda k: None if k == "z" else k, na_action="ignore"), ["B"]),
    ("NULLIF(x, 5)", lambda t: t.x.map(lambda x: None if x == 5 else x, na_action="ignore"), ["9", "-2"]),
    ("LEAST(x, 7)", extreme("x", 7, False), ["-2"]),
    ("GREATEST(x, -1)", extreme("x", -1, True), ["9"]),
    ("GREATEST(x, 3)", extreme("x", 3, True), ["9"]),
    ("CAST(x > 5 AS INTEGER)", lambda t: (t.x > 5).astype("Int64"), [NULL]),
    ("CAST(x IS NULL AS INTEGER) + CAST(k IS NULL AS INTEGER)", lambda t: t.x.isna().astype(int) + t.k.isna().astype(int), []),
    ("TO_CHAR(d, 'YYYY-MM')", month, [NULL, *MONTHS]),
]
# Several groups at once.
TOGETHER = [
    ("x IS NULL, k IS NULL", [lambda t: t.x.isna(), lambda t: t.k.isna()], []),
    ("COALESCE(k, 'none'), x > 5", [first(lambda t: t.k, "none"), lambda t: t.x > 5], ["z", "B", NULL]),
]
# One value of each person, and what is grouped by.
PEOPLE = [
    ("MAX(x)", "v IS NULL", lambda p: p.x.max(), lambda v: v.isna(), []),
    ("MAX(x)", "COALESCE(v, -1)", lambda p: p.x.max(), lambda v: v.fillna(-1), ["9", "-2"]),
    ("MAX(x)", "CASE WHEN v > 5 THEN 'beyond' WHEN v IS NULL THEN 'none' ELSE 'within' END", lambda p: p.x.max(),
     lambda v: v.map(lambda x: "none" if pd.isna(x) else "beyond" if x > 5 else "within"), []),
    ("MAX(COALESCE(k, 'none'))", "v", lambda p: p.k.fillna("none").max(), lambda v: v, ["z", "B"]),
    ("MIN(CASE WHEN x IS NULL THEN 'a gap' ELSE 'whole' END)", "v", lambda p: "a gap" if p.x.isna().any() else "whole", lambda v: v, []),
    ("COUNT(DISTINCT COALESCE(k, 'none'))", "v", lambda p: p.k.fillna("none").map(lambda k: k if k in ("a", "b", "none") else None).nunique(), lambda v: v, []),
    ("SUM(CASE WHEN x > 5 THEN 1 ELSE 0 END)", "v > 0", lambda p: (p.x > 5).sum(), lambda v: v > 0, []),
]


def line(group, inside, keys, left_out):
    sizes = keys.value_counts(dropna=False, sort=False)
    kind = lambda key: "left out" if any(part in left_out for part in key.split("|")) else "group"
    groups = sorted(f"{kind(key)}\t{key}\t{size}" for key, size in sizes.items())
    return "\t".join([group, inside, *groups]) + "\n"


def main():
    write_rows(made())
    t = read_rows()
    lines = []
    for group, keys, left_out in QUESTIONS:
        lines.append(line(group, "", keys(t).map(shown, na_action=None), left_out))
    for group, all_keys, left_out in TOGETHER:
        parts = [keys(t).map(shown, na_action=None) for keys in all_keys]
        lines.append(line(group, "", parts[0].str.cat(parts[1:], sep="|"), left_out))
    for inside, group, value, keys, left_out in PEOPLE:
        values = pd.Series({who: value(rows) for who, rows in t.groupby("who")}, dtype="object")
        lines.append(line(group, inside, keys(values).map(shown, na_action=None), left_out))
    (HERE / "groups.tsv").write_text("".join(lines))


if __name__ == "__main__":
    main()
