"""Plain DuckDB: the exact answer from a fast engine."""

from runner import Ask, cell, main
from workload import Answers, Case


def prepare() -> str:
    import duckdb

    return duckdb.__version__


def begin(case: Case) -> Ask:
    import duckdb

    def ask() -> Answers:
        rows = duckdb.sql(f"SELECT key, COUNT(*), SUM(value), AVG(value) FROM '{case.path}' GROUP BY key").fetchall()
        return Answers({str(key): [cell(x) for x in row] for key, *row in rows})

    return ask


if __name__ == "__main__":
    main(prepare, begin)
