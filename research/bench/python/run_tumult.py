"""Tumult Analytics, on Spark within this machine."""

import os
import sys
import tempfile

from runner import Ask, cell, main
from workload import HIGH, LOW, Answers, Case, Noise, scale


def prepare() -> str:
    # Spark's Python workers must be those of this virtual environment.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from importlib.metadata import version

    import tmlt.analytics  # noqa: F401
    from pyspark.sql import SparkSession

    # Two partitions for fifty groups: with Spark's default of 200, the partitions would dominate the time.
    SparkSession.builder.master("local[*]").config("spark.sql.shuffle.partitions", "2").config(
        "spark.ui.enabled", "false"
    ).config("spark.driver.memory", "6g").config(
        "spark.sql.warehouse.dir", tempfile.mkdtemp(prefix="spark-", dir=os.environ.get("COMPARE_TMP"))
    ).getOrCreate().sparkContext.setLogLevel(
        "OFF"
    )
    return version("tmlt.analytics")


def begin(case: Case) -> Ask:
    from pyspark.sql import SparkSession
    from tmlt.analytics import (
        AddOneRow,
        AddRowsWithID,
        KeySet,
        MaxGroupsPerID,
        MaxRowsPerGroupPerID,
        PureDPBudget,
        Query,
        QueryBuilder,
        Session,
    )

    spark = SparkSession.builder.getOrCreate()
    reader = spark.read.option("header", True).option("inferSchema", True)
    table = reader.csv(case.path) if case.path.endswith(".csv") else reader.parquet(case.path)
    if not case.people:
        table = table.drop("person")
    session = Session.from_dataframe(
        PureDPBudget(3 * case.epsilon),
        "rows",
        table,
        protected_change=AddRowsWithID("person") if case.people else AddOneRow(),
    )

    budget = PureDPBudget(case.epsilon)

    def ask() -> Answers:
        rows = QueryBuilder("rows")
        if case.people:
            rows = rows.enforce(MaxGroupsPerID("key", case.groups)).enforce(
                MaxRowsPerGroupPerID("key", case.rows_per_group)
            )
        groups = rows.groupby(KeySet.from_dict({"key": case.keys}))
        # One aggregate is one query; a session has no query with several.
        queries = [groups.count(), groups.sum("value", LOW, HIGH), groups.average("value", LOW, HIGH)]
        cells: dict[str, list[float | None]] = {}
        for query in queries:
            for key, answer in session.evaluate(query, budget).toPandas().itertuples(index=False):
                cells.setdefault(str(key), []).append(cell(answer))
        return Answers(cells, lambda: report(queries))

    def report(queries: list[Query]) -> Noise:
        # The only place that shows the scale in use.
        count, total, average = (session._noise_info(query, budget) for query in queries)
        parts = [scale(part["noise_parameter"]) for part in average]
        return Noise(
            count=scale(count[0]["noise_parameter"]),
            sum=scale(total[0]["noise_parameter"]),
            average=f"centred sum {parts[0]}, count {parts[1]}",
            mechanism=total[0]["noise_mechanism"].name.lower(),
            spent=3 * case.epsilon - float(session.remaining_privacy_budget.epsilon),
        )

    return ask


if __name__ == "__main__":
    main(prepare, begin)
