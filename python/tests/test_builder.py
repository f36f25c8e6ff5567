"""Queries by methods: the same SQL as by hand, and names and values that are never read as SQL."""

from __future__ import annotations

import datetime
import random
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable, List

import deniable as dn
import deniable.testing
import duckdb
import numpy as np
import polars as pl
import pytest
from deniable import _sql
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from conftest import SCALE, SEED

HOSTILE = [
    "a'b", "''", "'", '"', '""', "\\", "\\'", "' OR 1=1 --", "'; DROP TABLE t; --", "--", "/*", "*/", "a\nb", "\r\n", "\t", "\u2028", "\ufeff", "\u202e", "%", "_",
    "$$", "E'\\x41'", "N'a'", "`", "[x]", "{}", "?", ":a", "@a", "é", "\U0001f600", "NULL", "true", "1", " a", "a ", "", "ß", "ı", "K",
]  # fmt: skip
FUNCTIONS = "count sum avg min max now rank bin ln exp t rowid nan inf infinity yes no off".split()
"""Other words that mean something to some engine."""
WORDS = "order group select from null true false date timestamp interval current_date user end case when not default natural table left in is at zone year".split()
POLICY = dn.Policy(
    "visits",
    person=dn.Person("patient", rows=3, groups=2),
    promise=dn.epsilon(1),
    columns={
        "department": dn.Text(keys=["cardiology", "neurology"]),
        "minutes": dn.Integer(0, 60),
        "cost": dn.Decimal(0, 400, step="0.05"),
        "smoker": dn.Boolean(),
        "seen": dn.Timestamp("2024-01-01", "2024-12-31"),
        "born": dn.Date("1900-01-01", "2024-12-31"),
        "hours per week": dn.Integer(0, 80),
        "order": dn.Integer(0, 9),
    },
)
VISITS = POLICY.table("visits")
c = dn.col

SAME: List[Any] = [
    (VISITS.group_by("department").agg(minutes=dn.mean("minutes")), "SELECT department, AVG(minutes) AS minutes FROM visits GROUP BY department"),
    (VISITS.agg(n=dn.count()), "SELECT COUNT(*) AS n FROM visits"),
    (VISITS.agg(n=dn.count("cost"), p=dn.count_distinct("patient")), "SELECT COUNT(cost) AS n, COUNT(DISTINCT patient) AS p FROM visits"),
    (VISITS.agg(s=dn.sum("cost"), m=dn.median("cost"), q=dn.quantile("cost", "0.9")),
     "SELECT SUM(cost) AS s, MEDIAN(cost) AS m, PERCENTILE_CONT(cost, 0.9) AS q FROM visits"),
    (VISITS.agg(a=dn.min("cost"), z=dn.max("cost"), s=dn.std("cost"), v=dn.var("cost")),
     "SELECT MIN(cost) AS a, MAX(cost) AS z, STDDEV_SAMP(cost) AS s, VAR_SAMP(cost) AS v FROM visits"),
    (VISITS.where(c("minutes") >= 18).where(department="neurology").agg(n=dn.count()),
     "SELECT COUNT(*) AS n FROM visits WHERE minutes >= 18 AND department = 'neurology'"),
    (VISITS.where((c("minutes") > 5) | (c("minutes") < 2), c("smoker")).agg(n=dn.count()),
     "SELECT COUNT(*) AS n FROM visits WHERE (minutes > 5 OR minutes < 2) AND smoker"),
    (VISITS.where(~(c("smoker") == True)).agg(n=dn.count()), "SELECT COUNT(*) AS n FROM visits WHERE NOT (smoker = TRUE)"),  # noqa: E712
    (VISITS.where(c("department").isin(["neurology", "cardiology"])).agg(n=dn.count()),
     "SELECT COUNT(*) AS n FROM visits WHERE department IN ('neurology', 'cardiology')"),
    (VISITS.where(c("minutes").between(-5, 18), c("cost").is_not_null()).agg(n=dn.count()),
     "SELECT COUNT(*) AS n FROM visits WHERE minutes BETWEEN -5 AND 18 AND cost IS NOT NULL"),
    (VISITS.where(c("born") < datetime.date(1960, 1, 31)).agg(n=dn.count()), "SELECT COUNT(*) AS n FROM visits WHERE born < DATE '1960-01-31'"),
    (VISITS.where(c("seen") < datetime.datetime(2024, 1, 31, 12)).agg(n=dn.count()), "SELECT COUNT(*) AS n FROM visits WHERE seen < TIMESTAMP '2024-01-31 12:00:00'"),
    (VISITS.group_by(months=c("seen").truncate("month")).agg(n=dn.count()),
     "SELECT DATE_TRUNC('month', seen) AS months, COUNT(*) AS n FROM visits GROUP BY DATE_TRUNC('month', seen)"),
    (VISITS.group_by(quarters=c("seen").part("quarter"), tens=c("minutes").bin(10)).agg(n=dn.count()),
     "SELECT EXTRACT(quarter FROM seen) AS quarters, BIN(minutes, 10) AS tens, COUNT(*) AS n FROM visits GROUP BY EXTRACT(quarter FROM seen), BIN(minutes, 10)"),
    (VISITS.agg(n=dn.count().filter(c("smoker")), x=dn.sum(c("minutes") * 60 - 1)),
     "SELECT COUNT(*) FILTER (WHERE smoker) AS n, SUM(minutes * 60 - 1) AS x FROM visits"),
    (VISITS.agg(x=dn.sum("cost") / dn.count()), "SELECT SUM(cost) / COUNT(*) AS x FROM visits"),
    (VISITS.where(c("hours per week") > 40, c("order") == 3).agg(n=dn.count()),
     'SELECT COUNT(*) AS n FROM visits WHERE "hours per week" > 40 AND "order" = 3'),
    (VISITS.where(dn.Expression("minutes > 5 OR minutes < 2"), smoker=True).agg(x=dn.Expression("SUM(cost) + 1", is_aggregate=True) * 2),
     "SELECT (SUM(cost) + 1) * 2 AS x FROM visits WHERE (minutes > 5 OR minutes < 2) AND smoker = TRUE"),
]  # fmt: skip


@pytest.mark.parametrize("query, sql", SAME, ids=lambda one: one if isinstance(one, str) else "")
def test_the_sql_is_that_by_hand(query: dn.Query, sql: str) -> None:
    assert query.sql == str(query) == sql
    # It can be answered under the policy.
    assert POLICY.check(query.sql)["query"].sql == sql


def test_a_query_by_methods_and_by_hand_have_one_answer_and_one_price() -> None:
    rows = pl.DataFrame({"v": [1, 2], "g": ["a", "b"]})
    policy = dn.Policy("t", promise=dn.epsilon(1), columns={"v": dn.Integer(0, 9), "g": dn.Text(keys=["a", "b"])})
    with deniable.testing.session(policy, rows) as session:
        query = session.table("t").where(c("v") > 0).group_by("g").agg(n=dn.count())
        assert query.plan(epsilon="1/4")["query"].paid is False and session.left == 1
        answer = query.ask(epsilon="1/4")
        for sql in (query.sql, 'SELECT "g", COUNT(*) AS "n" FROM "t" WHERE "v" > 0 GROUP BY "g"'):
            assert session.ask(sql, spend="1/4") == answer or session.ask(sql, spend="1/4").rows == answer.rows
        assert session.left == Fraction(3, 4) and answer.sql == query.sql
        with pytest.raises(dn.UsageError, match="price"):
            query.ask()


def test_hostile_keys_are_counted_as_themselves() -> None:
    """A value that were read as SQL would count other rows, or be refused."""
    keys = [one for one in HOSTILE if accepted(columns={"v": dn.Text(keys=[one, "plain"])})]
    assert len(keys) > 25
    policy = dn.Policy("t", promise=dn.epsilon(4000), columns={"v": dn.Text(keys=keys)})
    rows = [key for at, key in enumerate(keys) for _ in range(at + 1)]
    with deniable.testing.session(policy, pl.DataFrame({"v": rows})) as session:
        table = session.table("t")
        for batch in batches(list(enumerate(keys))):
            counts = tuple(at + 1 for at, _ in batch)
            equal = {f"n{at}": dn.count().filter(c("v") == key) for at, key in batch}
            assert table.agg(**equal).ask(spend="1/20").rows == (counts,), batch
            same = {f"n{at}": dn.count().filter(c("v").isin([key]) & c("v").between(key, key) & ~(c("v") != key)) for at, key in batch}
            assert table.agg(**same).ask(spend="1/20").rows == (counts,), batch
        assert table.where(v=keys[0]).agg(n=dn.count()).sql == table.where(c("v") == keys[0]).agg(n=dn.count()).sql


def test_hostile_names_are_names() -> None:
    """A name that were read as SQL would be another column, or a value."""
    names = [one for one in dict.fromkeys([*HOSTILE, *WORDS, "Upper", "MINUTES", "1a", "a-b", "a.b", "t", "count", "sum", "visits"]) if accepted(columns={one: "text"})]
    assert len(names) > 50
    policy = dn.Policy("t", promise=dn.epsilon(4000), columns={name: dn.Integer(0, 99) for name in names})
    # Each column has a value of its own, so that another column gives no rows.
    with deniable.testing.session(policy, pl.DataFrame({name: [at] * 3 for at, name in enumerate(names)})) as session:
        for batch in batches(list(enumerate(names))):
            answer = session.table("t").agg(**{name: dn.count(name).filter(c(name) == at) for at, name in batch}).ask(spend="1/10")
            assert answer.columns == tuple(name for _, name in batch) and answer.rows == ((3,) * len(batch),), answer.sql
        grouped = session.table("t").group_by(names[0], *names[-2:]).agg(n=dn.count())
        assert session.plan(grouped.sql, spend="1/10")["query"].sql == grouped.sql


SPECIAL = st.text(st.sampled_from("'\"\\`-/*;()$%_ \n\r\té\u2028\u202eaZ0=,.[]{}?:@#&|~!<>"), max_size=12)


@settings(max_examples={"small": 150, "full": 1000, "slow": 5000}[SCALE], deadline=None, database=None)
@seed(SEED)
@given(st.one_of(SPECIAL, st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)))
def test_quoted_texts_are_read_back_by_another_parser(text: str) -> None:
    """DuckDB reads each value and each name as what it was."""
    assert duckdb.sql(f"SELECT {_sql.literal(text)}, 7").fetchall() == [(text, 7)]
    if text:
        rows = duckdb.sql(f"SELECT {_sql.name(text, 'a name')} FROM (SELECT 7 AS {_sql.name(text, 'a name')})")
        assert rows.columns == [text] and rows.fetchall() == [(7,)]


@pytest.mark.parametrize("word", sorted(_sql._RESERVED))
def test_reserved_words_are_quoted(word: str) -> None:
    assert _sql.name(word, "a name") == f'"{word}"'


def test_keywords_that_are_not_quoted_are_names(dice: random.Random, scale: str) -> None:
    """Each keyword of DuckDB that the package writes without quotes is a column for the engine, as a value and as an alias."""
    words = [word for (word,) in duckdb.sql("SELECT keyword_name FROM duckdb_keywords()").fetchall()]
    plain = sorted({word for word in [*words, *FUNCTIONS] if _sql.name(word, "a name") == word})
    assert len(words) > 400 and len(plain) > 200
    plain = dice.sample(plain, 64) if scale == "small" else plain
    for start in range(0, len(plain), 64):
        some = list(enumerate(plain[start : start + 64], 1))
        policy = dn.Policy("t", promise=dn.epsilon(4000), columns={name: dn.Integer(0, 99) for _, name in some})
        with deniable.testing.session(policy, pl.DataFrame({name: [at] * 3 for at, name in some})) as session:
            for batch in batches(some):
                answer = session.table("t").agg(**{name: dn.count(name).filter(c(name) == at) for at, name in batch}).ask(spend="1/8")
                assert answer.columns == tuple(name for _, name in batch) and answer.rows == ((3,) * len(batch),), answer.sql


def batches(values: List[Any]) -> List[List[Any]]:
    """As many as one query has room for, without noise."""
    return [values[at : at + 8] for at in range(0, len(values), 8)]


def accepted(**changed: Any) -> bool:
    try:
        dn.Policy("t", promise=dn.epsilon(1), **changed)
    except dn.PolicyError:
        return False
    return True


def test_signs_never_begin_a_comment() -> None:
    for made in (-(-c("minutes")), c("minutes") - (-5), -5 - c("minutes"), -c("minutes") - (-c("minutes")), -(-(c("minutes") * -1))):
        assert "--" not in made.sql, made
        assert "/*" not in (c("minutes") / c("minutes")).sql
    policy = dn.Policy("t", promise=dn.epsilon(4000), columns={"v": dn.Integer(-9, 9)})
    with deniable.testing.session(policy, pl.DataFrame({"v": [1, -2, 3]})) as session:
        for made, total in ((-(-c("v")), 2), (c("v") - (-5), 17), (-5 - c("v"), -17), (-c("v") - (-c("v")), 0), (2 * (c("v") + 1), 10)):
            assert session.table("t").agg(n=dn.sum(made)).ask(spend="1/5")["n"] == (total,), made


def test_random_conditions_keep_their_structure(dice: random.Random) -> None:
    """The counts of the engine are those of Python for the same tree of operators: no parenthesis is missing."""
    rows = [{"v": a, "w": b} for a in range(-3, 4) for b in range(-3, 4)]
    policy = dn.Policy("t", promise=dn.epsilon(4000), columns={"v": dn.Integer(-3, 3), "w": dn.Integer(-3, 3)})

    def number(depth: int) -> Any:
        kind = dice.randrange(6 if depth else 2)
        if kind == 0:
            name = dice.choice("vw")
            return c(name), lambda row: row[name]
        if kind == 1:
            value = dice.randrange(-3, 4)
            return value, lambda row: value
        (a, left), (b, right) = number(depth - 1), number(depth - 1)
        if kind == 2:
            return a + b, lambda row: left(row) + right(row)
        if kind == 3:
            return a - b, lambda row: left(row) - right(row)
        if kind == 4:
            return a * b, lambda row: left(row) * right(row)
        return -a, lambda row: -left(row)

    def truth(depth: int) -> Any:
        kind = dice.randrange(9 if depth else 6)
        if kind < 6:
            (a, left), (b, right) = number(2), number(2)
            a = a if isinstance(a, dn.Expression) else c("v") * 0 + a
            if kind == 0:
                return a < b, lambda row: left(row) < right(row)
            if kind == 1:
                return a >= b, lambda row: left(row) >= right(row)
            if kind == 2:
                return a == b, lambda row: left(row) == right(row)
            if kind == 3:
                return a != b, lambda row: left(row) != right(row)
            if kind == 4:
                return a.isin([-1, 2]), lambda row: left(row) in (-1, 2)
            return a.between(b, 2), lambda row: right(row) <= left(row) <= 2
        (a, left), (b, right) = truth(depth - 1), truth(depth - 1)
        if kind == 6:
            return a & b, lambda row: left(row) and right(row)
        if kind == 7:
            return a | b, lambda row: left(row) or right(row)
        return ~a, lambda row: not left(row)

    with deniable.testing.session(policy, pl.DataFrame(rows)) as session:
        for _ in range(8):
            trees = {f"n{at}": truth(3) for at in range(8)}
            answer = session.table("t").agg(**{name: dn.count().filter(made) for name, (made, _) in trees.items()}).ask(spend="1/8")
            for name, (made, expected) in trees.items():
                assert answer[name] == (sum(1 for row in rows if expected(row)),), made


def test_numbers_keep_all_their_digits() -> None:
    for value, sql in (
        (0, "0"), (-5, "-5"), (10**30, "1" + "0" * 30), (0.1, "0.1"), (1e-7, "0.0000001"), (-2.5, "-2.5"), (1e22, "1" + "0" * 22), (Decimal("1.50"), "1.5"),
        (Fraction(-1, 8), "-0.125"), (np.int64(3), "3"), (np.float64(0.5), "0.5"), (np.bool_(True), "TRUE"), (True, "TRUE"), (np.str_("a'b"), "'a''b'"),
    ):  # fmt: skip
        assert _sql.literal(value) == sql


WRONG: List[Callable[[], object]] = [
    lambda: c(3), lambda: c(""), lambda: c("a\0b"), lambda: c("\ud800"), lambda: c("v") == None, lambda: c("v") != None,  # noqa: E711
    lambda: c("v") == float("nan"), lambda: c("v") == Fraction(1, 3), lambda: c("v") == object(), lambda: c("v") == b"x", lambda: c("v") == "\ud800",
    lambda: c("v") == "a\0b", lambda: c("v") == [1], lambda: c("v") == datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc),
    lambda: bool(c("v") == 1), lambda: (c("v") == 1) and (c("v") == 2), lambda: not c("v"), lambda: 0 < c("v") < 9, lambda: c("v") == 1 & c("w") == 2,
    lambda: (c("v") == 1) & True, lambda: (c("v") == 1) | "x", lambda: True & (c("v") == 1), lambda: c("v").isin("ab"), lambda: c("v").isin([]),
    lambda: c("v").isin([None]), lambda: c("v").isin(3), lambda: c("v").truncate("fortnight"), lambda: c("v").truncate("month', x) --"), lambda: c("v").part(3),
    lambda: c("v").bin(0), lambda: c("v").bin(0.5), lambda: c("v").bin("x"), lambda: c("v").between(None, 1), lambda: c("v").filter(c("w") == 1),
    lambda: dn.count().filter("x"), lambda: dn.count().filter(dn.count() > 1), lambda: dn.sum(dn.sum("v")), lambda: dn.sum(3), lambda: dn.mean(None),
    lambda: dn.quantile("v", 0.9), lambda: dn.quantile("v", "1.5"), lambda: dn.quantile("v", "1/3"), lambda: dn.quantile("v", "0.0001"),
    lambda: dn.Expression(3), lambda: POLICY.table("nothing"), lambda: POLICY.table(3), lambda: VISITS.where("minutes > 3"), lambda: VISITS.where(True),
    lambda: VISITS.where(dn.count() > 3), lambda: VISITS.where(minutes=None), lambda: VISITS.group_by(3), lambda: VISITS.group_by(one=1), lambda: VISITS.group_by(minutes="1"), lambda: VISITS.group_by(dn.count()),
    lambda: VISITS.agg(), lambda: VISITS.agg(n=3), lambda: VISITS.agg(n="COUNT(*)"), lambda: VISITS.agg(n=c("minutes")),
    lambda: VISITS.group_by("department").agg(department=dn.count()), lambda: VISITS.agg(n=dn.count()).ask(epsilon=1), lambda: VISITS.agg(n=dn.count()).plan(spend=1),
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(WRONG)))
def test_wrong_parts_of_a_query_are_refused_with_help(at: int) -> None:
    with pytest.raises(dn.UsageError) as refused:
        WRONG[at]()
    assert refused.value.message and refused.value.help


def test_sets_have_one_text() -> None:
    keys = {f"k{at}" for at in range(20)}
    assert c("v").isin(keys).sql == c("v").isin(frozenset(reversed(sorted(keys)))).sql == c("v").isin(sorted(keys)).sql


def test_queries_do_not_change() -> None:
    base = VISITS.where(c("minutes") > 3)
    first, second = base.where(smoker=True), base.group_by("department")
    assert base.agg(n=dn.count()).sql == "SELECT COUNT(*) AS n FROM visits WHERE minutes > 3"
    assert "smoker" in first.agg(n=dn.count()).sql and "smoker" not in second.agg(n=dn.count()).sql
    assert repr(second) == "Table('visits').where(minutes > 3).group_by(department)"
