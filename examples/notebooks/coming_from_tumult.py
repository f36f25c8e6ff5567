import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="Deniable: coming from Tumult Analytics")


@app.cell
def _():
    import os
    import sys
    import tempfile

    # Spark's Python workers must be those of this environment; its tables go with the notebook.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark_folder = tempfile.TemporaryDirectory()

    import deniable as dn
    import marimo as mo
    import pandas as pd
    import pyarrow.csv
    from pyspark.sql import SparkSession
    from tmlt.analytics import (
        AddRowsWithID,
        KeySet,
        MaxGroupsPerID,
        MaxRowsPerGroupPerID,
        PureDPBudget,
        QueryBuilder,
        Session,
    )

    file = str(mo.notebook_dir().parent / "clinic" / "visits.csv")
    departments = ["cardiology", "dermatology", "neurology", "orthopaedics", "paediatrics"]
    spark = (
        SparkSession.builder.master("local[*]")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", spark_folder.name)
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    return (
        AddRowsWithID,
        KeySet,
        MaxGroupsPerID,
        MaxRowsPerGroupPerID,
        PureDPBudget,
        QueryBuilder,
        Session,
        departments,
        dn,
        file,
        mo,
        pd,
        pyarrow,
        spark,
    )


@app.cell
def _(mo):
    mo.md(
        r"""
        # Coming from Tumult Analytics

        The task, in both: the made-up clinic's visits by department, and the average minutes of a visit by department. A patient is protected, not a visit: of one patient, at most 3
        visits count in a department, and at most 2 departments. Both questions get ε = 1/2, of ε = 1 in total.

        ## Tumult Analytics
        """
    )
    return


@app.cell
def _(
    AddRowsWithID,
    KeySet,
    MaxGroupsPerID,
    MaxRowsPerGroupPerID,
    PureDPBudget,
    QueryBuilder,
    Session,
    departments,
    file,
    spark,
):
    _table = spark.read.option("header", True).option("inferSchema", True).csv(file).select("patient", "department", "minutes")
    _session = Session.from_dataframe(PureDPBudget(1), "visits", _table, protected_change=AddRowsWithID("patient"))
    _groups = (
        QueryBuilder("visits")
        .enforce(MaxGroupsPerID("department", 2))
        .enforce(MaxRowsPerGroupPerID("department", 3))
        .groupby(KeySet.from_dict({"department": departments}))
    )
    _half = PureDPBudget(0.5)
    _queries = [_groups.count(name="visits"), _groups.average("minutes", 0, 60, name="minutes")]
    # The only place that shows the scale in use; it is not part of the public interface.
    tumult_scales = [float(part["noise_parameter"]) for query in _queries for part in _session._noise_info(query, _half)]
    tumult_counts, tumult_averages = (
        _session.evaluate(query, _half).toPandas().sort_values("department", ignore_index=True) for query in _queries
    )
    print("left:", _session.remaining_privacy_budget)
    return tumult_averages, tumult_counts, tumult_scales


@app.cell
def _(mo):
    mo.md(
        r"""
        ## Deniable

        The privacy unit, the caps, the keys and the bounds are declared once, in the policy; queries are SQL. Neither Java nor Spark is needed; rows on a Spark cluster can be queried there, too
        (docs/how-to/spark.md).
        """
    )
    return


@app.cell
def _(departments, dn, file, pyarrow):
    policy = dn.Policy(
        name="clinic",
        population="clinic-patients",
        table="visits",
        promise=dn.epsilon(1),
        adversary={"knows_size": False},  # neighbours by adding or removing a person, as AddRowsWithID
        entity={"key": "patient", "rows_per_group": 3, "groups": 2},
        columns={
            "patient": "text",
            "department": {"type": "text", "keys": departments},
            "minutes": {"type": "integer", "bounds": (0, 60)},
        },
    )
    # These people are made up; for real people, the ledger is a file that must be kept. The version of pandas that Tumult needs exports no Arrow, so the rows are a pyarrow table.
    with policy.session(pyarrow.csv.read_csv(file), version="2024-06", ledger=":memory:") as _s:
        counts = _s.ask("SELECT department, COUNT(*) AS visits FROM visits GROUP BY department ORDER BY department", spend="1/2", name="visits")
        averages = _s.ask("SELECT department, AVG(minutes) AS minutes FROM visits GROUP BY department ORDER BY department", spend="1/2", name="minutes")
        left = _s.left
    assert left == 0
    return averages, counts


@app.cell
def _(mo):
    mo.md("## Side by side")
    return


@app.cell
def _(averages, counts, pd, tumult_averages, tumult_counts):
    frame = pd.DataFrame(
        {
            "department": [row[0] for row in counts],
            "visits, Tumult": tumult_counts["visits"],
            "visits, Deniable": [row[1] for row in counts],
            "its interval": [f"{low} .. {high}" for low, high in counts.intervals["visits"]],
            "minutes, Tumult": tumult_averages["minutes"].round(1),
            "minutes, Deniable": [None if row[1] is None else float(row[1]) for row in averages],
            "and its interval": [f"{float(low):g} .. {float(high):g}" for low, high in averages.intervals["minutes"]],
        }
    )
    frame
    return (frame,)


@app.cell
def _(averages, counts, pd, tumult_scales):
    _ours = [counts.noise[0], *sorted(averages.noise, key=lambda one: one.measure, reverse=True)]
    scales = pd.DataFrame(
        {
            "noise": ["COUNT of visits", "SUM below the average", "COUNT below the average"],
            "epsilon of it": ["1/2", "1/4", "1/4"],
            "scale, Tumult": tumult_scales,
            "scale, Deniable": [float(one.scale) for one in _ours],
        }
    )
    # The same sensitivity over the same epsilon, 6 / (1/2), 180 / (1/4) and 6 / (1/4); Deniable rounds the scale up to one that it draws exactly.
    for _theirs, _scale, _expected in zip(tumult_scales, scales["scale, Deniable"], (12, 720, 24)):
        assert abs(_theirs - _expected) < 0.01 * _expected and _expected <= _scale < 1.01 * _expected
    scales
    return (scales,)


@app.cell
def _(mo):
    mo.md(
        r"""
        ## What differs

        - **The noise is the same**, of counts and of averages: both add noise to the sum of the distances from the middle of the bounds, and to a count.
        - **Intervals**: Deniable gives one for every number.
        - **The account** is a `Session` in memory in Tumult: a new session starts a new account. Deniable's is a ledger on disk, and a repeated query is free.
        - **One aggregate is one query** in Tumult; in SQL several share one.
        - **Time**: on 4,828 rows nearly all of Tumult's time is Spark's start and its plans; docs/explanation/compared.md has the seconds at a million rows.
        - **Features of Tumult that Deniable lacks**: zero-concentrated and approximate differential privacy, Gaussian noise, discovered keys (with δ), functions of your own on rows (`map`, `flat_map`), bounds found at a price (`get_bounds`), views and group partitions of a budget within a session.
        - **Features of Deniable that Tumult lacks**: promises in words (`dn.posterior_at_most("3/4")`), exact checks of mechanisms, audits, plans without data.
        """
    )
    return


if __name__ == "__main__":
    app.run()
