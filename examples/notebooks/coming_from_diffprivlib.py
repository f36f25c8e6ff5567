import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="Deniable: coming from diffprivlib")


@app.cell
def _():
    import deniable as dn
    import marimo as mo
    import numpy as np
    import pandas as pd
    from diffprivlib import BudgetAccountant, tools

    visits = pd.read_csv(mo.notebook_dir().parent / "clinic" / "visits.csv")
    departments = ["cardiology", "dermatology", "neurology", "orthopaedics", "paediatrics"]
    return BudgetAccountant, departments, dn, mo, np, pd, tools, visits


@app.cell
def _(mo):
    mo.md(
        r"""
        # Coming from diffprivlib

        The task, in both: the made-up clinic's visits by department, and the average minutes of a visit by department. A patient is protected, not a visit: of one patient, at most 3
        visits count in a department, and at most 2 departments. Both questions get ε = 1/2, of ε = 1 in total.

        ## diffprivlib

        Its tools work on arrays. They do not know that one patient has several rows: the caps are ours, and so is the division of ε by the rows of one patient that can count.
        """
    )
    return


@app.cell
def _(BudgetAccountant, departments, np, pd, tools, visits):
    _shuffled = visits[visits["department"].isin(departments)].sample(frac=1)
    _kept = _shuffled[_shuffled.groupby(["patient", "department"]).cumcount() < 3]
    _pairs = _kept[["patient", "department"]].drop_duplicates()
    _pairs = _pairs[_pairs.groupby("patient").cumcount() < 2]
    capped = _kept.merge(_pairs, on=["patient", "department"])

    rows_of_one = 3 * 2
    # The tools assume that a row is a person, so each gets a sixth of the epsilon to be spent.
    per_row = 0.5 / rows_of_one
    # Disjoint groups are charged one after another: the account needs a limit that leaves room for all of them.
    accountant = BudgetAccountant(epsilon=(1 + len(departments)) * per_row * (1 + 1e-9), delta=0)

    _codes = pd.Categorical(capped["department"], categories=departments).codes
    their_counts, _ = tools.histogram(_codes, epsilon=per_row, bins=len(departments), range=(0, len(departments)), accountant=accountant)
    _groups = [capped.loc[capped["department"] == name, "minutes"].to_numpy() for name in departments]
    their_averages = [float(tools.mean(group, epsilon=per_row, bounds=(0, 60), accountant=accountant)) for group in _groups]
    # The noise of a mean over n rows, n taken as public: (60 - 0) / n / epsilon. It is a fact about the data, shown here because they are made up.
    their_mean_scales = [60 / len(group) / per_row for group in _groups]
    their_count_scale = 1 / per_row
    assert np.isclose(their_count_scale, 12)
    return accountant, their_averages, their_count_scale, their_counts, their_mean_scales


@app.cell
def _(mo):
    mo.md(
        r"""
        ## Deniable

        The privacy unit, the caps, the keys and the bounds are declared once, in the policy; queries are SQL, and a data frame of pandas goes in as it is.
        """
    )
    return


@app.cell
def _(departments, dn, visits):
    policy = dn.Policy(
        name="clinic",
        population="clinic-patients",
        table="visits",
        promise=dn.epsilon(1),
        adversary={"knows_size": False},  # neighbours by adding or removing a person
        entity={"key": "patient", "rows_per_group": 3, "groups": 2},
        columns={
            "patient": "text",
            "department": {"type": "text", "keys": departments},
            "minutes": {"type": "integer", "bounds": (0, 60)},
        },
    )
    # These people are made up; for real people, the ledger is a file that must be kept.
    with policy.session(visits, version="2024-06", ledger=":memory:") as _s:
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
def _(averages, counts, pd, their_averages, their_counts, their_mean_scales):
    frame = pd.DataFrame(
        {
            "department": [row[0] for row in counts],
            "visits, diffprivlib": their_counts,
            "visits, Deniable": [row[1] for row in counts],
            "its interval": [f"{low} .. {high}" for low, high in counts.intervals["visits"]],
            "minutes, diffprivlib": [round(value, 1) for value in their_averages],
            "scale of its noise": [round(value, 2) for value in their_mean_scales],
            "minutes, Deniable": [None if row[1] is None else float(row[1]) for row in averages],
            "and its interval": [f"{float(low):g} .. {float(high):g}" for low, high in averages.intervals["minutes"]],
        }
    )
    frame
    return (frame,)


@app.cell
def _(accountant, averages, counts, departments, mo, np, their_count_scale):
    spent, _ = accountant.total()
    _scale = float(counts.noise[0].scale)
    assert 12 <= _scale < 12.1
    # One histogram and five means, each a sixth of 1/2; its own account is a half, as it would be for people with a single row.
    assert np.isclose(spent, (1 + len(departments)) * 0.5 / 6)
    mo.md(
        f"""
        | | diffprivlib | Deniable |
        |---|---|---|
        | scale of the noise of a count | {their_count_scale:g} | {_scale:g} |
        | noise of an average | on the mean, its scale as in the table above | {averages.noise[0].measure}: {averages.noise[0].scale}, {averages.noise[1].measure}: {averages.noise[1].scale} |
        | ε that one patient loses | 1 by our own reasoning, where the numbers of rows are public | 1, by the ledger |
        | ε, its own account | {spent:g}: groups are charged one after another, and a row counts as a person | 1 |
        """
    )
    return


@app.cell
def _(mo):
    mo.md(
        r"""
        ## What differs

        - **The privacy unit** is a row in diffprivlib. The caps and the division of ε above are what a careful user writes; without them there is no warning. Its account then shows neither
          the privacy loss of a patient nor, for disjoint groups, that of a row.
        - **Averages look better in diffprivlib**, and the reason is the promise: it takes the number of rows of each group as public, so noise is added to the mean alone. That protects a changed
          row, but not a person's presence, neither in the whole table nor in a department. This policy of Deniable hides presence, so the count has noise, too.
        - **Noise**: diffprivlib draws that of means from floating-point numbers, with known precautions; Deniable draws all noise from whole numbers, exactly.
        - **Intervals**: Deniable gives one for every number.
        - **The account** is an object in memory in diffprivlib. Deniable's is a ledger on disk, and a repeated query is free.
        - **Features of diffprivlib that Deniable lacks**: machine learning (logistic regression, naive Bayes, trees and forests, k-means, PCA; linear regression is `REGR_SLOPE` here), and (ε,δ).
        """
    )
    return


if __name__ == "__main__":
    app.run()
