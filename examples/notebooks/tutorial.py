import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="Deniable: a tutorial")


@app.cell
def _():
    import tempfile

    import deniable as dn
    import marimo as mo
    import polars as pl

    clinic = mo.notebook_dir().parent / "clinic"
    # The ledger of real people must be kept for as long as anything about them is published. These people are made up: their ledger is temporary.
    folder = tempfile.TemporaryDirectory()
    ledger = folder.name + "/clinic.ledger"
    return clinic, dn, ledger, mo, pl


@app.cell
def _(mo):
    mo.md(
        r"""
        # A tutorial: the clinic

        A fictitious outpatient clinic has 2,000 patients and 4,828 visits. We want to publish the average duration of visits in each department, without
        revealing much about whether a given person was a patient.

        The **policy** declares the protected people, the adversary, the promise and the columns. It is written without looking at the data.
        """
    )
    return


@app.cell
def _(clinic, dn):
    policy = dn.Policy(clinic / "policy.toml")
    policy
    return (policy,)


@app.cell
def _(mo, policy):
    odds = policy.guarantee.odds
    assert odds == 3
    mo.md(
        f"""
        The promise in words: an observer who gave it at most an even chance that a person is in the data becomes at most 75% sure. From 1:1 to 3:1 is a factor of
        R = {odds}, so all releases together may multiply the odds of any observer by at most {odds}. That is pure differential privacy with
        ε = ln 3, at most {policy.guarantee.epsilon}.

        ## The plan

        The costs and the expected errors of the policy's queries depend on the policy alone. If a line says "mostly noise", change the policy now: that is still
        free.
        """
    )
    return


@app.cell
def _(policy):
    policy.plan()
    return


@app.cell
def _(mo):
    mo.md(
        r"""
        ## Asking

        A session combines the policy, the rows and the **ledger**, the file that records what was spent. The rows can be any data frame; `version` is your name
        for their contents. `spend="1/4"` is a quarter of the promise.
        """
    )
    return


@app.cell
def _(clinic, ledger, pl, policy):
    visits = pl.read_csv(clinic / "visits.csv")
    sql = "SELECT department, AVG(minutes) AS minutes FROM visits GROUP BY department"

    with policy.session(visits, version="2024-06", ledger=ledger) as _s:
        answer = _s.ask(sql, spend="1/4")
        left = _s.left
    answer
    return answer, left, sql, visits


@app.cell
def _(answer, left, mo):
    assert str(left) == "3/4"
    mo.md(
        f"""
        {left} of the promise is left. The numbers are exact fractions (`answer.rows`), and each has its interval (`answer.intervals`), which covers the true average of the rows
        that count in {answer.confidence} of all draws of the noise. The interval does not cover what caps and clamping leave out: at most four visits of one patient in a department
        count, and at most two departments.

        As a data frame:
        """
    )
    return


@app.cell
def _(answer):
    frame = answer.to_polars()
    for _row, (_low, _high) in zip(answer, answer.intervals["minutes"]):
        print(_row[0], _row[1], "in", _low, "..", _high)
    frame
    return (frame,)


@app.cell
def _(mo):
    mo.md(
        r"""
        ## The guarantee

        The guarantee covers everything released about these people. It lists its assumptions and the observers outside it.
        """
    )
    return


@app.cell
def _(answer):
    answer.guarantee
    return


@app.cell
def _(mo):
    mo.md(
        r"""
        ## Repeated queries are free, and queries beyond the budget are refused

        The order of the rows does not matter. Other rows under the same version would be refused; under a new version every query is charged again.
        """
    )
    return


@app.cell
def _(answer, dn, ledger, policy, sql, visits):
    with policy.session(visits.reverse(), version="2024-06", ledger=ledger) as _s:
        again = _s.ask(sql, spend="1/4")
        assert again.rows == answer.rows
        assert str(_s.left) == "3/4"
        refused = None
        try:
            _s.ask("SELECT COUNT(*) AS visits FROM visits", spend="9/10")
        except dn.BudgetError as error:
            refused = error.message
        assert str(_s.left) == "3/4"
    print(refused)
    return


@app.cell
def _(mo):
    mo.md(
        r"""
        ## The policy's queries, and the page for readers

        `release` answers the queries that the policy declares, `report` writes a page with all releases, the limits on what an observer can learn, and the remaining budget.
        """
    )
    return


@app.cell
def _(ledger, policy, visits):
    with policy.session(visits, version="2024-06", ledger=ledger) as _s:
        release = _s.release("visits by sex", "patients")
        page = _s.report()
        print("left:", _s.left_in_words)
    release
    return page, release


@app.cell
def _(mo, page):
    mo.iframe(page)
    return


if __name__ == "__main__":
    app.run()
