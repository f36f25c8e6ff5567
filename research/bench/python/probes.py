"""The bounds of each library, measured on small tables with one irregularity each, with hardly any noise."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from libraries import Library, run
from tables import number
from workload import Case

KEYS = [f"k{index:02}" for index in range(10)]
EPSILON = 1000.0
# Caps well above one, so that answers rounded to whole numbers still distinguish them.
CAPS = {"rows_per_group": 20, "groups": 3}

Result = dict[str, Any]
Cells = dict[str, list[float | None]]

NAMES = ["base", "burst", "spread", "outlier", "null-value", "null-key", "undeclared", "float-base", "nan", "infinity"]


def cases(folder: Path) -> list[Case]:
    def case(name: str, people: bool) -> Case:
        path, decimal = str(folder / f"{name}.parquet"), name in ("float-base", "nan", "infinity")
        return Case(path, KEYS, people, EPSILON, decimal=decimal, twice=name == "base", **CAPS)

    # Caps matter for people with several rows; the other cases are about rows.
    return [case(name, name in ("burst", "spread", "base")) for name in NAMES] + [case("base", False)]


def cells(result: Result) -> Cells:
    return result["cells"]


def moved(before: Result, after: Result, key: str, column: int) -> str:
    """The change of an answer, or the value in place of a number."""
    for result in (before, after):
        if "error" in result:
            return f"fails: {str(result['error']).split(':')[0]}"
    new, old = cells(after).get(key, [None] * 3)[column], cells(before).get(key, [None] * 3)[column]
    if new is None or old is None:
        return "no answer" if new is None else "an answer appears"
    if not math.isfinite(new):
        return "the answer is NaN" if math.isnan(new) else "the answer is infinite"
    # A change below the noise of these answers counts as none.
    return number(new - old) if abs(new - old) >= 0.5 else "0"


def total(result: Result) -> float:
    return sum(row[0] or 0 for key, row in cells(result).items() if key in KEYS)


def shown(result: Result, key: str) -> str:
    if "error" in result:
        return f"fails: {str(result['error']).split(':')[0]}"
    return "shown" if key in cells(result) else "not shown"


def observe(library: Library, folder: Path, settings: dict[str, str]) -> dict[str, str]:
    names = [*NAMES, "rows-base"]
    found = dict(zip(names, run(library, cases(folder), settings, limit=1800)))
    base, people, floats = found["rows-base"], found["base"], found["float-base"]
    rows, groups = CAPS["rows_per_group"], CAPS["groups"]
    spread = "fails" if "error" in found["spread"] else number(total(found["spread"]) - total(people))
    again = people.get("again", "fails")
    null_key = found["null-key"]
    extra = [] if "error" in null_key else sorted(set(cells(null_key)) - set(cells(base)))
    return {
        f"one person with 1000 rows in a group (cap {rows}): COUNT moves by": moved(people, found["burst"], "k00", 0),
        f"the same, values of 100 (cap {rows * 100}): SUM moves by": moved(people, found["burst"], "k00", 1),
        f"one person with 100 rows in each of 9 groups (cap {rows * groups}): all COUNTs move by": spread,
        "one row with the value 1,000,000 (bound 100): SUM moves by": moved(base, found["outlier"], "k00", 1),
        "one row whose value is NULL: COUNT(*) moves by": moved(base, found["null-value"], "k00", 0),
        "the same: SUM moves by": moved(base, found["null-value"], "k00", 1),
        "one row whose value is NaN: SUM moves by": moved(floats, found["nan"], "k00", 1),
        "one row whose value is infinite: SUM moves by": moved(floats, found["infinity"], "k00", 1),
        "a key nobody declared, of one person": shown(found["undeclared"], "rare"),
        "a key nobody declared, of 300 people": shown(found["undeclared"], "common"),
        "one row whose key is NULL": (
            moved(base, null_key, "k00", 0)
            if "error" in null_key
            else (f"a group {', '.join(extra)} appears" if extra else "not shown")
        ),
        "a declared key without rows": shown(base, "k09"),
        "the same question again, with a budget for once": str(again),
    }
