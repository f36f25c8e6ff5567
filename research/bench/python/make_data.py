"""Writes the tables: the large one that is timed, and small ones with one oddity each. Runs with numpy and pyarrow."""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from workload import HIGH, LOW

SEED = 20_240_630

# The small tables: nine declared groups of 200 people with one row each of value 50, and a tenth declared group, k09,
# that is empty. Added people have numbers from 1,000,000 on.
GROUPS, PEOPLE = 9, 200
ODD = 1_000_000


def write(path: Path, person: list[int] | np.ndarray, key: list[str | None] | np.ndarray, value: pa.Array) -> None:
    table = pa.table({"person": pa.array(person, pa.int64()), "key": pa.array(key, pa.string()), "value": value})
    if path.suffix == ".csv":
        pyarrow.csv.write_csv(table, path)
    else:
        pyarrow.parquet.write_table(table, path)


def large(folder: Path, rows: int) -> None:
    """Every person is equally likely for each row: a fifth as many people as rows, so five rows each on average."""
    draw = np.random.default_rng(SEED)
    names = np.array([f"k{number:02}" for number in range(50)])
    person = draw.integers(0, rows // 5, rows)
    key = names[draw.integers(0, 50, rows)]
    value = pa.array(draw.integers(LOW, HIGH + 1, rows), pa.int64())
    for name in ("large.parquet", "large.csv"):
        write(folder / name, person, key, value)


def small(folder: Path) -> None:
    base = [(number * PEOPLE + one, f"k{number:02}", 50) for number in range(GROUPS) for one in range(PEOPLE)]
    whole: dict[str, list[tuple[int, str | None, int | None]]] = {
        "base": [],
        # One person, a thousand rows in one group.
        "burst": [(ODD, "k00", HIGH)] * 1000,
        # One person, a hundred rows in each of nine groups.
        "spread": [(ODD, f"k{number:02}", HIGH) for number in range(GROUPS) for _ in range(100)],
        "outlier": [(ODD, "k00", 1_000_000)],
        "null-value": [(ODD, "k00", None)],
        "null-key": [(ODD, None, 50)],
        # Undeclared keys: one of a single person, one of 300 people.
        "undeclared": [(ODD, "rare", 50)] + [(ODD + 1 + one, "common", 50) for one in range(300)],
    }
    for name, extra in whole.items():
        person, key, value = zip(*(base + extra))
        write(folder / f"{name}.parquet", list(person), list(key), pa.array(value, pa.int64()))
    floats = {"float-base": [], "nan": [(ODD, "k00", float("nan"))], "infinity": [(ODD, "k00", float("inf"))]}
    for name, extra in floats.items():
        person, key, value = zip(*(base + extra))
        write(folder / f"{name}.parquet", list(person), list(key), pa.array([float(x) for x in value], pa.float64()))


if __name__ == "__main__":
    large(Path(sys.argv[1]), int(sys.argv[2]))
    small(Path(sys.argv[1]))
