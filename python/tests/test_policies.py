"""Policies built in code: dictionaries become the same policy as TOML, whatever their texts contain, or are refused with a correction."""

from __future__ import annotations

import datetime
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any, Dict, List

import deniable as dn
import pytest
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


def nested(levels: int) -> Any:
    value: Any = "a"
    for _ in range(levels):
        value = [value]
    return value


@often
@given(st.lists(hostile, min_size=1, max_size=4, unique=True), st.integers(-(2**63), 2**63 - 1), st.booleans())
def test_source_is_equivalent(texts: List[str], number: int, truth: bool) -> None:
    """Read by another reader of TOML."""
    keys = {one: f"label {at}" for at, one in enumerate(texts)}
    columns: Dict[str, Any] = {"v": {"type": "text", "keys": texts}, "w": {"type": "text", "keys": keys}}
    columns["x"] = {"type": "integer", "keys": [number], "null_key": truth}
    columns["y"] = {"type": "boolean", "keys": [truth]}
    read = toml(policy(columns=columns).source)
    assert read["columns"] == columns and read["promise"] == {"epsilon": "1"}


@often
@given(hostile)
def test_texts_are_read_back_unchanged(text: str) -> None:
    """Through the policy reader: keys that are values of the data may be any text."""
    try:
        built = policy(columns={"v": {"type": "text", "keys": [text, text + "x"]}})
    except dn.PolicyError as error:
        # Too long, for example; never because it was read as another value.
        assert error.help and error.place, error
        return
    rows = {"v": [text, None, text + "x", text]}
    import pyarrow as pa

    with built.session(pa.table(rows), version="1", ledger=":memory:") as session:
        answer = session.ask("SELECT v, COUNT(*) AS n FROM t GROUP BY v", spend=1)
    assert [key for key, _ in answer.rows] == [text, text + "x"]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("place", ["name", "population", "table", "column", "type", "query name", "query", "section", "key of a section", "preset"])
def test_texts_are_never_read_as_other_values(text: str, place: str) -> None:
    """At every place it is the same text or refused: the promise does not change."""
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
def test_lone_surrogates_are_refused(lone: str, place: str) -> None:
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
def test_sessions_refuse_lone_surrogates(lone: str) -> None:
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
def test_floats_are_refused_everywhere(value: float) -> None:
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
    assert "keys = [0, 1], bounds = [0, 9]" in built.source


def test_keys_may_come_from_any_collection() -> None:
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    def keys(given: Any, kind: str) -> str:
        return policy(columns={"v": {"type": kind, "keys": given}}).source.split("keys = ")[1].split(" }")[0]

    texts = ["a", "b"]
    for given in (
        texts, tuple(texts), {"b", "a"}, frozenset(texts), dict.fromkeys(texts).keys(), np.array(texts), np.array(texts, object), pd.Series(texts),
        pd.Index(texts), pd.Categorical(texts), pd.Series(texts).unique(), pl.Series(texts), pa.array(texts), pa.chunked_array([texts]),
    ):  # fmt: skip
        assert keys(given, "text") == '["a", "b"]', type(given)
    for given in ([0, 1], range(2), {1, 0}, np.arange(2), pd.Series([0, 1]), pl.Series([0, 1]), pa.array([0, 1]), [np.int64(0), np.uint8(1)]):
        assert keys(given, "integer") == "[0, 1]", type(given)
    assert keys(np.array([True, False]), "boolean") == keys([np.bool_(True), np.False_], "boolean") == "[true, false]"
    # Sets have no order, so their values are sorted.
    assert keys({"c", "a", "b"}, "text") == '["a", "b", "c"]'
    assert '["2024-01-01", "2024-12-31"]' in policy(
        columns={"d": {"type": "date", "bounds": np.array(["2024-01-01", "2024-12-31"], "datetime64[D]")}}
    ).source


def test_a_boolean_needs_no_keys_beside_null_key() -> None:
    import polars as pl

    for label, shown in ((True, None), ("unknown", "unknown")):
        built = policy(promise=dn.epsilon(1000), columns={"b": {"type": "boolean", "null_key": label}})
        with built.session(pl.DataFrame({"b": [True, None, False, None]}), version="1", ledger=":memory:") as session:
            rows = session.ask("SELECT b, COUNT(*) AS n FROM t GROUP BY b", spend=1).rows
        assert rows == ((False, 1), (True, 1), (shown, 2))
    assert policy(columns={"b": {"type": "boolean", "null_key": False}}).guarantee.odds
    with pytest.raises(dn.PolicyError, match="must be true or false, or the label"):
        policy(columns={"b": {"type": "boolean", "null_key": [True]}})


def test_the_source_of_any_policy_is_read_back(tmp_path: Path) -> None:
    import polars as pl

    rows = pl.DataFrame({"v": ["a", "b"]})
    built = policy(columns={"v": {"type": "text", "keys": ["a", "b"]}})
    (tmp_path / "policy.toml").write_text(built.source, encoding="utf-8")
    for read in (dn.Policy.from_source(built.source), dn.Policy(tmp_path / "policy.toml")):
        assert read.source == built.source and read.queries == []
        with read.session(rows, version="1", ledger=":memory:") as session:
            assert len(session.ask("SELECT v, COUNT(*) AS n FROM t GROUP BY v", spend=1)) == 2
        with pytest.raises(dn.UsageError, match="the rows are missing"):
            read.session(ledger=":memory:")
    # Paths begin at the folder.
    (tmp_path / "rows.csv").write_text("v\na\nb\n", encoding="utf-8")
    of_file = policy(columns={"v": {"type": "text", "keys": ["a", "b"]}}, data={"path": "rows.csv", "version": "1"})
    with dn.Policy.from_source(of_file.source, tmp_path).session(ledger=":memory:") as session:
        assert len(session.ask("SELECT v, COUNT(*) AS n FROM t GROUP BY v", spend=1)) == 2
    with pytest.raises(dn.PolicyError):
        dn.Policy.from_source("name = 1")
    with pytest.raises(dn.UsageError, match="not a text"):
        dn.Policy.from_source(None)  # type: ignore[arg-type]


def test_further_tables_are_in_memory_too() -> None:
    import polars as pl

    built = policy(
        table="visits",
        promise=dn.epsilon(1000),
        entity={"key": "id", "rows_per_group": 2, "groups": 1},
        columns={"id": "integer"},
        tables={"people": {"entity": "id", "columns": {"id": "integer", "sex": {"type": "text", "keys": ["f", "m"]}}}},
    )
    assert 'path = "rows in memory"' in built.source.split("[tables]")[1]
    visits, people = pl.DataFrame({"id": [1, 1, 2]}), pl.DataFrame({"id": [1, 2], "sex": ["f", "m"]})
    both, versions = {"visits": visits, "people": people}, {"visits": "1", "people": "1"}
    with built.session(both, version=versions, ledger=":memory:") as session:
        answer = session.ask("SELECT sex, COUNT(*) AS n FROM visits JOIN people ON visits.id = people.id GROUP BY sex", spend=1)
    assert answer.rows == (("f", 2), ("m", 1))
    with pytest.raises(dn.UsageError, match="the rows of 'people' are missing") as refused:
        built.session(visits, version="1", ledger=":memory:")
    assert "'people': df" in (refused.value.help or "")


def test_fractions_are_formatted_as_numbers() -> None:
    """Also before CPython 3.12, whose own fractions have no formatting."""
    from deniable._exact import _Formatted, number

    for value in (Fraction(1, 3), Fraction(-2, 3), Fraction(5), Fraction(1, 8), Fraction(3, 8), Fraction(10**30, 7), Fraction(1, 10**12), Fraction(0)):
        for spec in (".2f", ".0f", "f", "+.3f", ">12.2f", "012.1f", ",.2f", ".1%", "%", "+,.4F", ".3e", ".3g"):
            if sys.version_info >= (3, 12):
                assert format(_Formatted(value), spec) == format(value, spec), (value, spec)
            sign = -1 if value < 0 else 1
            if spec == ".2f":
                # Rounded half to even, exactly.
                assert Fraction(format(_Formatted(value), spec)) == Fraction(sign * round(abs(value) * 100), 100), value
        assert format(_Formatted(value), ">9") == f"{str(value):>9}" and repr(_Formatted(value)) == repr(value)
    assert f"{_Formatted(1, 8):.2f} {_Formatted(3, 8):.2f} {_Formatted(1, 3):.1%} {_Formatted(2, 3):.3e} {_Formatted(0):.2f}" == "0.12 0.38 33.3% 6.667e-01 0.00"
    odds = policy(promise=dn.gain("3/2"), adversary="acquaintance").guarantee.odds
    assert odds is not None and f"{odds:.2f}"
    assert f"{dn.posterior_at_most('3/4')['posterior_at_most']:.2f} {number(Fraction(1, 3)):.3f}" == "0.75 0.333"


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
    assert '[budget]\nspend = "1/2"\n' in built.source
    assert policy(columns={"v": {"type": "text", "keys": {"a": "A", "b": "B"}, "other": None}}).source.count("other") == 0


@pytest.mark.parametrize(
    "call, word",
    [
        (lambda: policy(promise=None), "promise"),
        (lambda: policy(name=None), "name"),
        (lambda: policy(population=None), "population"),
        (lambda: policy(table=None), "table"),
        (lambda: policy(adversary=None, promise=dn.gain(2)), "adversary"),
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
        (lambda: policy(columns={1: "text"}), "not a text: 1"),
        (lambda: policy(columns={"{0}": {"type": b"text"}}), 'columns["{0}"]["type"] is a bytes'),
        (lambda: policy(columns={"v": {"type": "text", "keys": nested(40)}}), "nested too deeply"),
        (lambda: policy(columns={"v": {"type": "text", "keys": nested(10**4)}}), "nested too deeply"),
        (lambda: policy(columns={"v": {"type": "integer", "bounds": (0, 2**63)}}), "a whole number of at most 64 bits"),
        (lambda: policy(query=[{"sql": "SELECT 1"}], queries={"q": "SELECT 1"}), "queries= and query="),
        (lambda: policy(columns={"v": {"type": "text", "keys": {1j, 2j}}}), 'columns["v"]["keys"] is a set of values without an order'),
        (lambda: policy(columns={"v": {"type": "text", "keys": b"ab"}}), 'columns["v"]["keys"] is a bytes'),
    ],
)
def test_mistakes_are_reported_with_help(call: Any, word: Any) -> None:
    if word is None:
        assert call().queries == []
        return
    with pytest.raises(dn.Error) as refused:
        call()
    assert isinstance(refused.value, (dn.PolicyError, dn.QueryError, dn.UsageError)), refused.value
    assert word in str(refused.value), refused.value
    assert refused.value.help or "must be" in refused.value.message, refused.value


def test_all_problems_are_reported_at_once() -> None:
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
