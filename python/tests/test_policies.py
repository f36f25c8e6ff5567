"""Policies built in code: dictionaries become the TOML that says the same, whatever stands in them, or are refused with what to write."""

from __future__ import annotations

import datetime
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any, Dict

import deniable as dn
import pytest
from deniable._policy import _key, _value
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from conftest import SCALE, SEED

TRIES = {"small": 150, "full": 1000, "slow": 5000}[SCALE]
hostile = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
HOSTILE = ['"', "'", '"""', "\\", '"\n[promise]\nepsilon = 4096\n#', "\u2028", "\x00", "\x7f", "\x85", "\ufeff", "{}", "]]", "= 1", "\U0010ffff", "\r\n", "\\u0041"]


def often(test: Any) -> Any:
    """As many examples as the scale allows, from the seed that the header of the run shows."""
    drawn = settings(max_examples=TRIES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    return seed(SEED)(drawn(test))


def policy(**changed: Any) -> dn.Policy:
    keys: Dict[str, Any] = dict(
        name="n", population="p", table="t", promise=dn.epsilon(1), adversary={"knows_size": False}, columns={"v": "text"}
    )
    keys.update(changed)
    return dn.Policy(**keys)


def toml(text: str) -> Any:
    if sys.version_info >= (3, 11):
        import tomllib

        return tomllib.loads(text)
    pytest.skip("CPython reads TOML from 3.11 on")


values = st.recursive(
    hostile | st.booleans() | st.integers(-(2**63), 2**63 - 1),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(hostile, inner, max_size=4),
    max_leaves=12,
)


@often
@given(st.dictionaries(hostile, values, max_size=4))
def test_toml_says_the_same(written: Dict[str, Any]) -> None:
    """Read by another reader of TOML."""
    assert toml(f"x = {_value(written)}\n") == {"x": written}


@often
@given(hostile)
def test_texts_come_back_as_they_were(text: str) -> None:
    """Through the reader that policies have: keys that are values of the data are where any text may stand."""
    try:
        built = policy(columns={"v": {"type": "text", "keys": [text, text + "x"]}})
    except dn.PolicyError as error:
        # Longer than a value can be, or such; never because it was read as something else.
        assert error.help and error.place, error
        return
    rows = {"v": [text, None, text + "x", text]}
    import pyarrow as pa

    with built.session(pa.table(rows), version="1", ledger=":memory:") as session:
        answer = session.ask("SELECT v, COUNT(*) AS n FROM t GROUP BY v", spend=1)
    assert [key for key, _ in answer.rows] == [text, text + "x"]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("place", ["name", "population", "table", "column", "type", "query name", "query", "section", "key of a section", "preset"])
def test_no_text_becomes_anything_else(text: str, place: str) -> None:
    """Wherever it stands, it is that text or refused: the promise stays what it is."""
    changed: Dict[str, Any] = {
        "name": {"name": text},
        "population": {"population": text},
        "table": {"table": text},
        "column": {"columns": {text: "text"}},
        "type": {"columns": {"v": text}},
        "query name": {"queries": {text: "SELECT COUNT(*) FROM t"}},
        "query": {"queries": {"q": text}},
        "section": {text: {"a": 1}},
        "key of a section": {"budget": {text: 1}},
        "preset": {"adversary": text},
    }[place]
    try:
        built = policy(**changed)
    except dn.PolicyError as error:
        assert error.problems and all(problem.message for problem in error.problems)
        return
    assert (built.guarantee.epsilon, built.guarantee.exact) in {("1", True), ("1", False)}, built.source
    if place == "name":
        assert built.name == text
    if place == "query name":
        assert built.queries == [text]


@pytest.mark.parametrize("place", ["name", "keys", "column", "query"])
@pytest.mark.parametrize("lone", ["\ud800", "a\udfffb"])
def test_what_is_no_unicode_is_refused(lone: str, place: str) -> None:
    changed: Dict[str, Any] = {
        "name": {"name": lone},
        "keys": {"columns": {"v": {"type": "text", "keys": [lone]}}},
        "column": {"columns": {lone: "text"}},
        "query": {"queries": {"q": lone}},
    }[place]
    with pytest.raises(dn.Error) as refused:
        policy(**changed)
    assert isinstance(refused.value, (dn.UsageError, dn.PolicyError)) and refused.value.help


@pytest.mark.parametrize("lone", ["\ud800"])
def test_sessions_take_no_such_text_either(lone: str) -> None:
    import pyarrow as pa

    table = pa.table({"v": ["a"]})
    with pytest.raises(dn.UsageError):
        policy().session(table, version=lone, ledger=":memory:")
    with policy().session(table, version="1", ledger=":memory:") as session:
        for call in (
            lambda: session.ask(lone, spend=1),
            lambda: session.ask("SELECT COUNT(*) FROM t", spend=1, name=lone),
            lambda: session.release(lone),
            lambda: session.plan(lone, spend=1),
            lambda: session.register(accept=[lone]),
        ):
            with pytest.raises(dn.Error) as refused:
                call()
            assert refused.value.help


FLOATS = [0.1, 0.5, 1.0, float("nan"), float("inf"), -0.0]


@pytest.mark.parametrize("value", FLOATS)
def test_floats_are_refused_wherever_they_stand(value: float) -> None:
    table = {(): {"no": "3/4", "yes": "1/4"}, "ann": {"no": "1/4", "yes": "3/4"}}
    import pyarrow as pa

    session = policy().session(pa.table({"v": ["a"]}), version="1", ledger=":memory:")
    for call in (
        lambda: dn.posterior_at_most(value),  # type: ignore[arg-type]
        lambda: dn.posterior_at_least(value),  # type: ignore[arg-type]
        lambda: dn.gain(value),  # type: ignore[arg-type]
        lambda: dn.negative_gain(value),  # type: ignore[arg-type]
        lambda: dn.rho(value, among=3),  # type: ignore[arg-type]
        lambda: dn.alpha_beta(value, "1/2"),  # type: ignore[arg-type]
        lambda: dn.alpha_beta("1/2", value),  # type: ignore[arg-type]
        lambda: dn.epsilon(value),  # type: ignore[arg-type]
        lambda: policy(promise={"epsilon": value}),
        lambda: policy(columns={"v": {"type": "decimal", "bounds": [0, value], "step": 1}}),
        lambda: policy(columns={"v": {"type": "decimal", "bounds": [0, 1], "step": value}}),
        lambda: policy(budget={"spend": value}),
        lambda: policy(queries=[{"name": "q", "sql": "SELECT COUNT(*) FROM t", "share": value}]),
        lambda: dn.check(table, notion="pmp", family="bounded", prior=(value, "4/5")),  # type: ignore[arg-type]
        lambda: dn.check("kmax", notion="dp", k=value, n=3),  # type: ignore[arg-type]
        lambda: dn.check({(): {"a": value}, "x": {"a": 1}}, notion="dp"),  # type: ignore[dict-item]
        lambda: dn.translate("odds=3", to="posterior", prior=value),  # type: ignore[arg-type]
        lambda: dn.audit(lambda input, times: [0] * times, claim="odds=3", confidence=value),  # type: ignore[arg-type]
        lambda: session.ask("SELECT COUNT(*) FROM t", spend=value),  # type: ignore[arg-type]
        lambda: session.plan("SELECT COUNT(*) FROM t", spend=value),  # type: ignore[arg-type]
    ):
        with pytest.raises(dn.UsageError) as refused:
            call()
        assert "float" in refused.value.message and refused.value.help and "write" in refused.value.help


def test_numbers_are_exact() -> None:
    for same in (Fraction(3, 4), Decimal("0.75"), "3/4", "0.75", "75%", " 3/4 "):
        assert policy(promise=dn.posterior_at_most(same), adversary="acquaintance").guarantee.odds == 3
    # More digits than a double has.
    tiny = Decimal("0.7500000000000000000000000000000001")
    promise = {"posterior_at_most": tiny}
    odds = policy(promise=promise, adversary="acquaintance").guarantee.odds
    assert odds is not None and odds > 3 and odds - 3 < Fraction(1, 10**30)
    for bad in ("", "x", "1/0", "nan", Decimal("NaN"), Decimal("Infinity"), None, True, 1j, [1], object()):
        with pytest.raises(dn.UsageError) as refused:
            dn.posterior_at_most(bad)  # type: ignore[arg-type]
        assert refused.value.help


def test_days_and_paths_are_written_as_a_file_has_them() -> None:
    built = policy(
        columns={
            "d": {"type": "date", "bounds": (datetime.date(1900, 1, 1), datetime.date(2024, 12, 31))},
            "m": {"type": "timestamp", "bounds": [datetime.datetime(2020, 1, 1), datetime.datetime(2024, 12, 31, 18, 30)]},
            "v": {"type": "decimal", "bounds": (Decimal("-0.5"), Fraction(1, 2)), "step": "1/8"},
        },
        data={"path": PurePosixPath("rows.parquet"), "version": "1"},
    )
    assert '"1900-01-01"' in built.source and '"2024-12-31 18:30:00"' in built.source
    assert '"rows.parquet"' in built.source and '["-1/2", "1/2"]' in built.source


def test_numbers_of_numpy_are_numbers() -> None:
    import numpy as np

    built = policy(columns={"v": {"type": "integer", "keys": list(np.arange(2)), "bounds": (np.int8(0), np.uint64(9))}})
    assert '"keys" = [0, 1], "bounds" = [0, 9]' in built.source


def test_sections_nest() -> None:
    built = policy(
        entity={"key": "person", "rows_per_group": 1, "groups": 1},
        columns={"person": "integer", "town": "text"},
        tables={
            "towns": {"path": "towns.csv", "version": "1", "unprotected": True, "key": "name", "columns": {"name": {"type": "text"}}},
            "visits": {"path": "visits.csv", "version": "1", "entity": "person", "columns": {"person": {"type": "integer"}}},
        },
        budget={"spend": "1/2"},
    )
    assert '"budget" = { "spend" = "1/2" }' in built.source
    assert policy(columns={"v": {"type": "text", "keys": {"a": "A", "b": "B"}, "other": None}}).source.count("other") == 0


@pytest.mark.parametrize(
    "call, word",
    [
        (lambda: policy(promise=None), "promise"),
        (lambda: policy(name=None), "name"),
        (lambda: policy(population=None), "population"),
        (lambda: policy(table=None), "table"),
        (lambda: policy(adversary=None), "adversary"),
        (lambda: policy(adversary="aquaintance"), "acquaintance"),
        (lambda: policy(colums={"v": "text"}), "columns"),
        (lambda: policy(columns={"v": "txt"}), "text"),
        (lambda: policy(columns={"v": {"typ": "text"}}), "type"),
        (lambda: policy(entity={"key": "nobody", "rows_per_group": 1, "groups": 1}), "nobody"),
        (lambda: policy(promise={"epsilon": "1", "gian": 2}), "gain"),
        (lambda: policy(promise=dn.epsilon(0)), "epsilon"),
        (lambda: policy(promise=dn.epsilon("ln(x)")), "epsilon"),
        (lambda: policy(promise=dn.posterior_at_most(2), adversary="acquaintance"), "posterior_at_most"),
        (lambda: policy(queries={"q": "SELEC"}).plan(), "SELEC"),
        (lambda: policy(queries={"q": "SELECT v FROM t"}).plan(), "v"),
        (lambda: policy(queries=[]), None),
        (lambda: policy(queries={}), None),
        (lambda: policy(file="examples/clinic/policy.toml"), "file"),
        (lambda: dn.Policy("no such file.toml"), "no such file"),
        (lambda: dn.Policy("."), "folder"),
        (lambda: policy(columns=[("v", "text")]), "columns"),
        (lambda: policy(entity="v"), "entity"),
        (lambda: policy(promise=("epsilon", 1)), "promise"),
        (lambda: policy(queries="SELECT COUNT(*) FROM t"), "queries"),
        (lambda: policy(queries=["SELECT COUNT(*) FROM t"]), "queries"),
        (lambda: policy(columns={1: "text"}), "no text: 1"),
        (lambda: policy(columns={"v": {"type": "text", "keys": {"a", "b"}}}), "columns.v.keys is a set"),
        (lambda: policy(columns={"v": {"type": "text", "keys": b"ab"}}), "columns.v.keys is a bytes"),
    ],
)
def test_mistakes_are_told_with_help(call: Any, word: Any) -> None:
    if word is None:
        assert call().queries == []
        return
    with pytest.raises(dn.Error) as refused:
        call()
    assert isinstance(refused.value, (dn.PolicyError, dn.QueryError, dn.UsageError)), refused.value
    assert word in str(refused.value), refused.value
    assert refused.value.help or "must be" in refused.value.message, refused.value


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(dn.PolicyError) as refused:
        dn.Policy(name="a", columns={"v": "txt", "w": {"type": "integer", "bounds": (3, 1)}})
    messages = [problem.message for problem in refused.value.problems]
    assert len(messages) >= 4 and any("population" in one for one in messages), messages


def test_a_policy_of_a_file_is_the_same_as_the_one_built(repository: Path, tmp_path: Path) -> None:
    built = policy(queries={"all": "SELECT COUNT(*) FROM t"})
    (tmp_path / "policy.toml").write_text(built.source, encoding="utf-8")
    read = dn.Policy(tmp_path / "policy.toml")
    assert (read.name, read.population, read.queries, str(read.guarantee)) == (built.name, built.population, built.queries, str(built.guarantee))
    assert str(read.plan()) == str(built.plan())
    assert dn.Policy(str(repository / "examples/clinic/policy.toml")).queries
    assert _key("a") == '"a"'
