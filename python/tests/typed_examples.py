"""Every public name in typed code: ``mypy --strict`` and pyright read this, and the tests run it.

It is written as user code, with annotations where types are of interest.
"""

# pyarrow has no types of its own.
# pyright: strict, reportMissingTypeStubs=false, reportUnknownMemberType=false

from __future__ import annotations

import datetime
import pickle
import random
import tempfile
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Sequence, Set, Tuple, Union

import deniable as dn
import pandas
import polars

Number = Union[int, Fraction]


def promises() -> List[Mapping[str, object]]:
    return [
        dn.posterior_at_most("3/4"),
        dn.posterior_at_least("1/10"),
        dn.gain(2),
        dn.negative_gain("3/2"),
        dn.rho("1/2", among=100),
        dn.alpha_beta("1/2", "1/2"),
        dn.alpha_beta("1/2", "1/2", p_min="1/5", p_max="4/5"),
        dn.epsilon("ln(3)"),
    ]


def policy() -> dn.Policy:
    built = dn.Policy(
        name="clinic",
        population="clinic-patients",
        table="visits",
        promise=dn.posterior_at_most("3/4"),
        adversary="acquaintance",
        entity={"key": "patient", "rows_per_group": 3, "groups": 2},
        columns={
            "patient": "integer",
            "department": {"type": "text", "keys": ["cardiology", "neurology"]},
            "minutes": {"type": "integer", "bounds": (0, 60)},
        },
        queries={"by department": "SELECT department, COUNT(*) AS visits FROM visits GROUP BY department"},
        budget={"spend": "1/2"},
    )
    name: str = built.name
    population: str = built.population
    queries: List[str] = built.queries
    source: str = built.source
    assert (name, population, queries) == ("clinic", "clinic-patients", ["by department"]) and source
    return built


def declared() -> dn.Policy:
    """The same kind of policy by declarations, with the types of an editor."""
    person: dn.Person = dn.Person("patient", rows=3, groups=2, type="integer")
    promise: dn.Promise = dn.gain(2) & dn.posterior_at_most("3/4")
    adversary: dn.Adversary = dn.Adversary("acquaintance", knows_size=False, prior=(None, "1/2"))
    department: dn.Text = dn.Text(keys={"c": "cardiology", "n": "neurology"}, other="elsewhere")
    minutes: dn.Integer = dn.Integer(0, 60, step=1, typical=25)
    cost: dn.Decimal = dn.Decimal(0, 400, step="0.05")
    smoker: dn.Boolean = dn.Boolean(null_key="unknown")
    born: dn.Date = dn.Date("1900-01-01", datetime.date(2024, 12, 31))
    seen: dn.Timestamp = dn.Timestamp("2024-01-01", "2024-12-31", zone="Europe/Oslo")
    made = dn.Policy(
        "visits",
        population="clinic-patients",
        person=person,
        promise=promise,
        adversary=adversary,
        columns={"department": department, "minutes": minutes, "cost": cost, "smoker": smoker, "born": born, "seen": seen, "sex": "text"},
    )
    kinds: Set[Mapping[str, object]] = {person, adversary, department, minutes, cost, smoker, born, seen, promise}
    assert len(kinds) == 9 and made == made and promise["gain"] == 2 and dict(minutes)["type"] == "integer"
    return made


def rows() -> polars.DataFrame:
    dice = random.Random(1)
    departments = ["cardiology", "neurology"]
    return polars.DataFrame(
        {
            "patient": [at // 3 for at in range(300)],
            "department": [dice.choice(departments) for _ in range(300)],
            "minutes": [dice.randrange(60) for _ in range(300)],
        }
    )


def guarantee(shown: dn.Guarantee) -> None:
    odds: Optional[Fraction] = shown.odds
    exact: bool = shown.exact
    epsilon: str = shown.epsilon
    sentences: Tuple[str, ...] = shown.promises + shown.adversary + shown.assumptions + shown.outside
    theorem: str = shown.theorem
    family: str = shown.family
    belief: dn.Belief = shown.beliefs[0]
    change: Tuple[Fraction, Fraction, Fraction] = (belief.before, belief.at_least, belief.at_most)
    assert odds == 3 and exact and epsilon and sentences and theorem and family and change[0] == Fraction(1, 5)


def plan(shown: dn.Plan) -> None:
    queries: Tuple[dn.PlannedQuery, ...] = shown.queries
    for query in shown:
        share: Fraction = query.share
        paid: bool = query.paid
        within: Optional[str] = query.within
        assert shown[query.name] == query and query.sql and query.epsilon and share > 0 and not paid and within is None
        assert query.answers[0]["noise"]
    assert len(shown) == len(queries) and shown.to_dict()["queries"]


def answer(given: dn.Answer) -> None:
    columns: Tuple[str, ...] = given.columns
    first: Tuple[object, ...] = given.rows[0]
    low, high = given.intervals[columns[-1]][0]
    assert isinstance(low, int) and isinstance(high, int) and low <= high
    error: Optional[Fraction] = given.standard_errors[columns[-1]][0]
    quality: Optional[str] = given.quality[columns[-1]][0]
    population = given.population_intervals
    noise: dn.Noise = given.noise[0]
    texts: List[Optional[str]] = [noise.measure, noise.kind, noise.sensitivity, noise.scale, noise.margin, noise.decay]
    assert first and error is not None and (quality or True) and not population and all(texts)
    assert given.name and given.sql and given.odds and given.confidence == "95%"
    share: Fraction = given.share
    warned: Tuple[str, ...] = given.warnings
    consistent: Optional[bool] = given.consistent
    taken_from: Optional[str] = given.taken_from
    withdrawn: Optional[dn.Withdrawal] = given.withdrawn
    assert share > 0 and len(warned) <= 6 and not consistent and taken_from is None and withdrawn is None
    guarantee(given.guarantee)
    frame: polars.DataFrame = given.to_polars()
    other: pandas.DataFrame = given.to_pandas()
    assert len(frame) == given.to_arrow().num_rows == len(other) == len(given) == len(list(given))
    pictures: List[Tuple[str, str]] = given.pictures()
    written: Dict[str, object] = given.to_dict()
    assert pictures and written and given.to_json()


def sessions(folder: Path) -> None:
    told: List[Tuple[str, int]] = []
    with policy().session(
        rows(),
        version="2024-06",
        ledger=folder / "clinic.ledger",
        register=True,
        again=False,
        threads=1,
        memory="1GB",
        progress=lambda what, count: told.append((what, count)),
    ) as session:
        registered: List[Tuple[str, str]] = session.register()
        check: dn.DataCheck = session.check_data("minutes", accept_loss=["by department"])
        found: Tuple[dn.ColumnCheck, ...] = check.columns
        columns: List[Tuple[str, int, Optional[int]]] = [(one.column, one.missing, one.undeclared_keys) for one in found]
        refused: Optional[dn.DataError] = check.refused
        assert columns and refused is None and check.to_dict()
        released: dn.Release = session.release()
        again: dn.Release = session.release("by department", spend="1/2")
        answers: Tuple[dn.Answer, ...] = session.answers
        assert again and answers
        answer(released["by department"])
        names: Sequence[str] = list(released)
        unanswered: Dict[str, str] = released.unanswered
        assert names == ["by department"] and not unanswered and registered == [("visits", "2024-06")]
        assert released.policy == "clinic" and released.population == "clinic-patients" and released.to_json()
        assert (released.table, released.version) == ("visits", "2024-06")
        guarantee(released.guarantee)
        answer(session.ask("SELECT COUNT(*) AS visits FROM visits", spend=Fraction(1, 40), name="all visits"))
        plan(session.plan("SELECT SUM(minutes) AS minutes FROM visits", spend="1/40"))
        left: Fraction = session.left
        words: str = session.left_in_words
        page: str = session.report(folder / "report.html")
        log: List[Tuple[str, str]] = session.log
        assert left == Fraction(19, 40) and words and page and log
        opened: dn.Session = session
        assert opened.policy.name == "clinic" and opened.ledger
    session.close()


def five_lines(visits: polars.DataFrame, folder: Path) -> None:
    """Ordinary use, as on the first page."""
    departments: List[str] = ["cardiology", "neurology"]
    policy = dn.Policy(
        "visits",
        person=dn.Person("patient", rows=3, groups=2, type="integer"),
        promise=dn.epsilon(1),
        columns={"department": dn.Text(keys=departments), "minutes": dn.Integer(0, 60)},
    )
    with policy.session(visits, version="2024-06", ledger=folder / "five.ledger") as s:
        a: dn.Answer = s.ask("SELECT department, AVG(minutes) AS minutes FROM visits GROUP BY department", epsilon="1/4")
        left: Fraction = s.left_epsilon
        planned: dn.Plan = s.plan("SELECT COUNT(*) AS n FROM visits", epsilon=Fraction(1, 10))
        assert left == Fraction(3, 4) and not planned["query"].paid
    frame: pandas.DataFrame = a.to_pandas(intervals=False)
    names: Tuple[object, ...] = a["department"]
    csv: str = a.to_csv(folder / "answer.csv")
    again: dn.Answer = dn.Answer.from_json(a.to_json())
    same: bool = again == a == pickle.loads(pickle.dumps(a))
    assert len(frame) == 2 and names == ("cardiology", "neurology") and csv and same and not a.test
    saved: str = policy.save(folder / "five.toml", overwrite=True)
    assert dn.Policy.from_toml(saved) == dn.Policy.from_toml(policy.source) == policy and {policy: 1}
    try:
        a.plot(column="minutes", library="altair")
    except dn.UsageError as error:
        assert error.help


def methods(visits: polars.DataFrame) -> None:
    """Queries without SQL, in a session for tests."""
    with dn.testing.session(declared(), read_only_copy(visits)) as session:
        table: dn.Table = session.table("visits")
        adult: dn.Expression = (dn.col("minutes") >= 18) & ~dn.col("department").isin(["c"]) | dn.col("smoker").is_null()
        some: dn.Table = table.where(adult, sex="F").where(dn.col("born").between("1950-01-01", datetime.date(1999, 12, 31)))
        query: dn.Query = some.group_by("department", month=dn.col("seen").truncate("quarter")).agg(
            visits=dn.count(),
            people=dn.count_distinct("patient"),
            total=dn.sum(dn.col("minutes") * 60),
            average=dn.mean("cost"),
            spread=dn.std("minutes") / dn.var("minutes"),
            smokers=dn.count("patient").filter(dn.col("smoker") == True),  # noqa: E712
        )
        ranks: dn.Query = table.agg(low=dn.min("minutes"), high=dn.max("minutes"), middle=dn.median("minutes"), most=dn.quantile("minutes", "0.9"))
        sql: str = query.sql
        plan_: dn.Plan = query.plan(epsilon="1/10", name="by month")
        answer_: dn.Answer = ranks.ask(spend="1/10", rows_per_group=1)
        assert sql.startswith("SELECT ") and plan_["by month"].sql == sql and answer_.test and "TEST" in repr(session)
    checked: dn.Plan = declared().check(declared().table("visits").agg(visits=dn.count()).sql, epsilon="1/10")
    assert len(checked) == 1


def read_only_copy(visits: polars.DataFrame) -> polars.DataFrame:
    """The rows with the further columns that ``declared`` names."""
    texts = {"born": "1970-01-01", "sex": "F"}
    made = visits.with_columns(
        polars.lit(1.5).alias("cost"), polars.lit(True).alias("smoker"), polars.lit(datetime.datetime(2024, 3, 1)).dt.replace_time_zone("UTC").alias("seen")
    )
    return made.with_columns(**{name: polars.lit(text) for name, text in texts.items()}).with_columns(polars.col("born").str.to_date())


def errors() -> None:
    kinds = (dn.PolicyError, dn.QueryError, dn.DataError, dn.BudgetError, dn.LedgerError, dn.UsageError)
    assert all(issubclass(kind, dn.Error) for kind in kinds) and issubclass(dn.LedgerWarning, UserWarning)
    assert issubclass(dn.QueryWarning, UserWarning)
    try:
        dn.Policy(name="clinic")
    except dn.PolicyError as error:
        problem: dn.Problem = error.problems[0]
        place: Optional[Tuple[str, int, int]] = problem.place
        help: Optional[str] = error.help
        assert problem.message and problem.shown and (problem.help or True)
        assert error.message and place == error.place and help


def decisions(folder: Path) -> None:
    mechanism: Dict[Union[str, Tuple[str, ...]], Dict[str, Union[int, str, Fraction]]] = {
        (): {"no": "3/4", "yes": "1/4"},
        "ann": {"no": "1/4", "yes": "3/4"},
    }
    verdict: dn.Verdict = dn.check(mechanism, "dp", claim="odds=2", certificate=folder / "certificate.json")
    value: Union[Fraction, float] = verdict.value
    holds: Optional[bool] = verdict.holds
    assert value == 3 and holds is False and verdict.low == verdict.high and verdict.reached == "attained"
    assert verdict.mechanism and verdict.notion and verdict.parameter == "odds" and verdict.witness and verdict.claim
    assert (verdict.family, verdict.nothing, verdict.refused) == (None, None, None) and verdict.theorems
    smallest: Optional[str] = verdict.smallest
    assert smallest is None or smallest
    translated: dn.Translations = dn.translate(["odds=3", "odds=2"], to="odds", prior=("1/5", "4/5"))
    assert str(translated).startswith("odds=6") and pickle.loads(pickle.dumps(translated)) == translated
    bounds: List[dn.Translation] = dn.translate("100xepsilon=1/20", chance="1/1000000", to=["odds", "advantage"])
    assert [bound.notion for bound in bounds] == ["odds", "odds,chance=1/1000000", "advantage"]
    row = translated[0]
    assert row.value == "6" and row.decimal and row.direction and row.tight in (True, False) and row.partial in (True, False)
    assert row.source and row.notion == "odds" and row.theorems and isinstance(row.note, str)


def audits() -> None:
    def response(input: List[int], times: int) -> List[int]:
        return [input[0] % 2 ^ (random.random() < 1 / 4) for _ in range(times)]

    found: dn.Audit = dn.audit(response, "odds=4", prior="1/2", confidence="99%", samples=20_000, pairs=[([0], [1])])
    assert not found.broken and found.claim and 1 <= found.odds_at_least < 4 and found.epsilon_at_least
    bounds: List[Fraction] = [found.gain_at_least, found.posterior_at_least, found.prior, found.confidence]
    assert all(bounds) and found.pairs == 1 and found.samples > 0
    ends: Tuple[Optional[Fraction], Optional[Fraction]] = (found.probability_at_least, found.other_probability_at_most)
    inputs: Tuple[Optional[List[int]], Optional[List[int]]] = (found.likelier_input, found.other_input)
    assert found.event and all(ends) and inputs[0] != inputs[1]


def tables(folder: Path) -> None:
    published = polars.DataFrame({"zip": ["1", "1", "2", "2"], "ill": ["a", "b", "a", "a"]})
    assessed: dn.Assessment = dn.assess(published, quasi=["zip"], sensitive=["ill"], require="k=2", threshold="1/2")
    met: bool = assessed.met
    page: str = assessed.page
    assert met and page and len(assessed) == len(list(assessed)) and assessed[next(iter(assessed))] is not None
    warnings.simplefilter("ignore", dn.LedgerWarning)
    try:
        released: dn.Release = dn.gwas(folder / "no such cohort", adjacency="label-swap", promise=dn.gain(2), prior="1/2", top=2, p_value="0.05")
        assert released is None
    except dn.Error as error:
        assert error.message


def rehearsals(folder: Path) -> None:
    made: dn.Policy = dn.Policy.from_source(policy().source, folder=folder)
    files: Dict[str, str] = made.simulate(folder / "made-up", rows=20, people=10, format="csv", overwrite=True)
    assert list(files)
    with made.rehearsal(rows=20, people=10) as session:
        released: dn.Release = session.release()
        marked: bool = released.rehearsal
        assert marked and all(answer.rehearsal for answer in released.values())


def main() -> None:
    warnings.simplefilter("ignore", dn.LedgerWarning)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        assert len(promises()) == 8 and dn.__version__
        guarantee(policy().guarantee)
        assert declared().name == "visits"
        plan(policy().plan("by department"))
        swept: dn.Report = policy().sweep("epsilon=1..2:2", "by department")
        (folder / "visits.csv").write_text("patient,minutes\na,1\nb,2\n", encoding="utf-8")
        drafted: str = dn.draft(folder / "visits.csv", columns="patient", delimiter=",")
        assert "points" in swept.to_dict() and "[columns]" in drafted
        sessions(folder)
        # A folder of its own: a ledger of another population beside one that knows the table is refused.
        (folder / "five").mkdir()
        five_lines(rows(), folder / "five")
        methods(rows())
        errors()
        decisions(folder)
        audits()
        tables(folder)
        rehearsals(folder)


if __name__ == "__main__":
    main()
