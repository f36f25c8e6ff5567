import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="Deniable: coming from OpenDP")


@app.cell
def _():
    import deniable as dn
    import marimo as mo
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    file = mo.notebook_dir().parent / "clinic" / "visits.csv"
    departments = ["cardiology", "dermatology", "orthopaedics", "paediatrics", "neurology"]
    return departments, dn, dp, file, mo, pl


@app.cell
def _(mo):
    mo.md(
        r"""
        # Coming from OpenDP

        The task, in both: the made-up clinic's visits by department, and the average minutes of a visit by department. A patient is protected, not a visit: of one patient, at most 3
        visits count in a department, and at most 2 departments. Both questions get ε = 1/2, of ε = 1 in total.

        ## OpenDP
        """
    )
    return


@app.cell
def _(departments, dp, file, pl):
    context = dp.Context.compositor(
        data=pl.scan_csv(file),
        privacy_unit=dp.unit_of(contributions=1, identifier="patient"),
        privacy_loss=dp.loss_of(epsilon=1.0),
        split_evenly_over=2,
        # Sums need a public bound on the rows of a group.
        margins=[dp.polars.Margin(by=["department"], max_length=5_000)],
    )
    _keys = pl.DataFrame({"department": departments})

    def capped():
        # keep="first", because the default failed with these columns when this was written.
        return context.query().truncate_per_group(3, by=["department"]).truncate_num_groups(2, by=["department"], keep="first")

    _counts = capped().group_by("department").agg(dp.len(signed=True).alias("visits")).with_keys(_keys)
    _parts = (
        capped()
        .group_by("department")
        .agg(dp.len(signed=True).alias("rows"), pl.col("minutes").dp.sum((0, 60)).alias("sum"))
        .with_keys(_keys)
    )
    opendp_scales = [float(_counts.summarize()["scale"][0]), *(float(scale) for scale in _parts.summarize()["scale"])]
    opendp_counts = _counts.release().collect().sort("department")
    # Post-processing of noisy results costs nothing.
    opendp_averages = _parts.release().collect().with_columns((pl.col("sum") / pl.col("rows")).alias("minutes")).sort("department")
    return opendp_averages, opendp_counts, opendp_scales


@app.cell
def _(mo):
    mo.md(
        r"""
        ## Deniable

        The privacy unit, the caps, the keys and the bounds are declared once, in the policy; queries are SQL.
        """
    )
    return


@app.cell
def _(departments, dn, file, pl):
    policy = dn.Policy(
        name="clinic",
        population="clinic-patients",
        table="visits",
        promise=dn.epsilon(1),
        adversary={"knows_size": False},  # neighbours by adding or removing a person, as in OpenDP
        entity={"key": "patient", "rows_per_group": 3, "groups": 2},
        columns={
            "patient": "text",
            "department": {"type": "text", "keys": departments},
            "minutes": {"type": "integer", "bounds": (0, 60)},
        },
    )
    # These people are made up; for real people, the ledger is a file that must be kept.
    with policy.session(pl.read_csv(file), version="2024-06", ledger=":memory:") as _s:
        counts = _s.ask("SELECT department, COUNT(*) AS visits FROM visits GROUP BY department ORDER BY department", spend="1/2", name="visits")
        averages = _s.ask("SELECT department, AVG(minutes) AS minutes FROM visits GROUP BY department ORDER BY department", spend="1/2", name="minutes")
        left = _s.left
    assert left == 0
    return averages, counts, policy


@app.cell
def _(mo):
    mo.md("## Side by side")
    return


@app.cell
def _(averages, counts, departments, file, opendp_averages, opendp_counts, pl):
    # These people are made up, so exact counts may be shown: the rows of each department that both caps allow.
    _rows = pl.read_csv(file).group_by("patient", "department").agg(pl.len().clip(upper_bound=3).alias("rows"))
    _first_two = _rows.filter(pl.col("department").rank("dense").over("patient") <= 2)
    within_caps = _first_two.filter(pl.col("department").is_in(departments)).group_by("department").agg(pl.col("rows").sum()).sort("department")["rows"]
    assert opendp_counts["visits"].sum() < within_caps.sum() - 300
    assert abs(sum(row[1] for row in counts) - within_caps.sum()) < 300
    frame = pl.DataFrame(
        {
            "department": [row[0] for row in counts],
            "within the caps": within_caps,
            "visits, OpenDP": opendp_counts["visits"],
            "visits, Deniable": [row[1] for row in counts],
            "its interval": [f"{low} .. {high}" for low, high in counts.intervals["visits"]],
            "minutes, OpenDP": opendp_averages["minutes"].round(1),
            "minutes, Deniable": [None if row[1] is None else float(row[1]) for row in averages],
            "and its": [f"{float(low):g} .. {float(high):g}" for low, high in averages.intervals["minutes"]],
        }
    )
    frame
    return frame, within_caps


@app.cell
def _(averages, counts, opendp_scales, pl, policy):
    _ours = [counts.noise[0], *averages.noise]
    scales = pl.DataFrame(
        {
            "noise": ["COUNT of visits", "COUNT below the average", "SUM below the average"],
            "epsilon of it": ["1/2", "1/4", "1/4"],
            "scale, OpenDP": opendp_scales,
            "measure, Deniable": [one.measure for one in _ours],
            "scale, Deniable": [float(one.scale) for one in _ours],
        }
    )
    # The same sensitivity over the same epsilon; Deniable rounds the scale up to one that it draws exactly.
    assert abs(opendp_scales[0] - 12) < 0.01 and 12 <= float(_ours[0].scale) < 12.1
    assert abs(opendp_scales[2] - 1440) < 1 and 720 <= float(_ours[2].scale) < 721
    assert policy.guarantee.epsilon.startswith("1")
    scales
    return (scales,)


@app.cell
def _(mo, opendp_counts, within_caps):
    mo.md(
        f"""
        ## What differs

        - **The noise of counts is the same**: six rows of one patient can count, so the scale is 6 / (1/2) = 12 in both, discrete Laplace noise in both.
        - **The rows that count differ**: {within_caps.sum():,} visits are within the caps, and OpenDP's answers add up to {within_caps.sum() - opendp_counts["visits"].sum()} fewer, because
          in this version `truncate_num_groups(2, keep="first")` keeps one department and charges for two. `truncate_per_group(6)` alone has the same scale and
          does not leave them out; then a patient counts in any number of departments.
        - **An average** is a noisy sum over a noisy count in both. Here OpenDP sums values between 0 and 60, where one patient moves the sum by 360; Deniable sums their distance from the
          middle of the bounds, where one patient moves it by 180. Its scale is half as large. In OpenDP you can do the same by hand: subtract 30 first.
        - **Intervals**: Deniable gives one for every number, of averages, too. OpenDP gives the accuracy of a count or a sum (`summarize(alpha=0.05)`).
        - **The account** is an object in memory in OpenDP: a new context starts a new account. Deniable's is a ledger on disk, and a repeated query is free.
        - **Features of OpenDP that Deniable lacks**: approximate, zero-concentrated and Rényi differential privacy, Gaussian noise, discovered keys (with δ), the most frequent values (noisy top-k), contingency tables fitted to many marginals (AIM), and measurements of your own. Deniable accounts for pure ε only.
        - **Features of Deniable that OpenDP lacks**: promises in words (`dn.posterior_at_most("3/4")`), SQL with subqueries and joins on the person, exact checks of mechanisms, audits.
        """
    )
    return


if __name__ == "__main__":
    app.run()
