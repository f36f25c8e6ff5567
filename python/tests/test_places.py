"""Errors of a policy that is built in code name its arguments, not lines of TOML."""

from __future__ import annotations

import pickle
import re
from typing import Any, Dict, List

import deniable as dn
import pytest

HOSTILE = ['q"x', "it's", "a.b", "w w", "é", "a]b", "\\", "#", "= 1"]
CASES: List[Any] = [
    ({"columns": {"v": {"type": "text", "bounds": [1, 2]}}}, 'columns["v"]["bounds"]'),
    ({"columns": {"v": {"type": "text", "zonee": 3}}}, 'columns["v"]["zonee"]'),
    ({"columns": {"v": "text", "w": dn.Integer(5, 1)}}, 'columns["w"]["bounds"]'),
    ({"columns": {"d": dn.Date("2024-01-01", "x")}}, 'columns["d"]["bounds"][1]'),
    ({"columns": {"v": {"type": "text", "keys": ["a", 1]}}}, 'columns["v"]["keys"][1]'),
    ({"columns": {"v": {"type": "text", "keys": ["a\nb", 'c"d', "e'f"]}, "w": dn.Integer(5, 1)}}, 'columns["w"]["bounds"]'),
    ({"promise": {"epsilon": 0}}, 'promise["epsilon"]'),
    ({"promise": dn.epsilon(1) & dn.posterior_at_most(2), "adversary": "acquaintance"}, 'promise["posterior_at_most"]'),
    ({"adversary": dn.Adversary("aquaintance")}, 'adversary["preset"]'),
    ({"adversary": dn.Adversary("anyone", prior="1/2..1/5")}, 'adversary["prior"]'),
    ({"person": dn.Person("v", rows=1, groups=1, levels="x")}, 'person["levels"]'),
    ({"person": {"key": "v", "rows_per_group": 1}}, "person="),
    ({"entity": {"key": "x", "rows_per_group": 1, "groups": 1}}, 'entity["key"]'),
    ({"budget": {"spend": 2}}, 'budget["spend"]'),
    ({"budgett": {"spend": 1}}, "budgett="),
    ({"name": "a\tb"}, "name="),
    ({"population": "a/b"}, "population="),
    ({"table": "A b"}, "table="),
    ({"tables": {"stays": {"entity": "v", "columns": {"v": {"type": "txt"}}}}, "person": dn.Person("v", rows=1, groups=1)}, 'tables["stays"]["columns"]["v"]["type"]'),
    ({"queries": [{"name": "a", "sql": "SELECT COUNT(*) FROM t", "weight": -1}]}, 'queries["a"]["weight"]'),
    ({"queries": [{"sql": "SELECT COUNT(*) FROM t", "weight": -1}]}, 'queries[0]["weight"]'),
]  # fmt: skip


def refused(**changed: Any) -> dn.PolicyError:
    keys: Dict[str, Any] = dict(name="n", population="p", table="t", promise=dn.epsilon(1), columns={"v": "text"})
    keys.update(changed)
    with pytest.raises(dn.PolicyError) as caught:
        dn.Policy(**keys)
    return caught.value


@pytest.mark.parametrize("changed, place", CASES, ids=lambda one: one if isinstance(one, str) else "")
def test_an_error_names_the_argument(changed: Any, place: str) -> None:
    error = refused(**changed)
    assert f"\n  at {place}\n" in f"{error}\n", error
    assert "│" not in str(error) and "built in code" not in str(error), error
    assert error.place is not None and all(problem.shown.startswith(problem.message) for problem in error.problems)
    again = pickle.loads(pickle.dumps(error))
    assert again.problems == error.problems and str(again) == str(error)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_never_moves_the_place_of_another(name: str) -> None:
    """Names that TOML quotes: the place is right, or it is the line itself."""
    error = refused(columns={name: dn.Text(keys=["a"]), "w": dn.Integer(5, 1)})
    assert 'columns["w"]["bounds"]' in str(error) or re.search(r"at .*:\d+:\d+", str(error)), error
    error = refused(columns={name: dn.Integer(5, 1)})
    places = re.findall(r'at (columns\[.*|/.*:\d+:\d+)$', str(error), re.MULTILINE)
    assert len(places) == 1, error


def test_several_errors_have_their_own_places() -> None:
    error = refused(columns={"v": "txt", "w": dn.Integer(5, 1)}, promise=dn.epsilon(0), budget={"spend": 3})
    places = re.findall(r"^  at (.*)$", str(error), re.MULTILINE)
    assert places == ['columns["v"]["type"]', 'columns["w"]["bounds"]', 'promise["epsilon"]', 'budget["spend"]']


def test_missing_arguments_are_named_with_a_remedy_in_python() -> None:
    error = refused(name=None, population=None, table=None, promise=None)
    helps = {problem.message: problem.help or "" for problem in error.problems}
    assert len(helps) == 5 and all("`[" not in help for help in helps.values()), helps
    assert "population=" in helps["the policy needs `population`"] and "dn.Policy(" in helps["the policy needs `name`"]
    assert "dn.epsilon(1)" in helps["the policy needs `promise`"] and "adversary=" in helps["the policy needs `adversary`"]


def test_a_file_keeps_its_lines(tmp_path: Any) -> None:
    (tmp_path / "policy.toml").write_text('name = "n"\npopulation = "a/b"\n', encoding="utf-8")
    with pytest.raises(dn.PolicyError, match=r"policy\.toml:2:14"):
        dn.Policy(tmp_path / "policy.toml")


@pytest.mark.parametrize("sql", ["SELECT COUNT(*) FROM t WHERE w = 1", "SELECT COUNT(*)\nFROM t\nWHERE w = 1", 'SELECT COUNT(*) AS "a b"\nFROM t WHERE w = \'x\''])
def test_an_error_of_a_query_names_the_query(sql: str) -> None:
    policy = dn.Policy("t", promise=dn.epsilon(1), columns={"v": "text"}, queries={"good": "SELECT COUNT(*) FROM t", "bad one": sql})
    import polars as pl

    rows = pl.DataFrame({"v": ["a"]})
    for call in (policy.plan, policy.check, policy.rehearsal, lambda: policy.session(rows, version="1", ledger=":memory:")):
        with pytest.raises(dn.QueryError) as caught:
            call()
        assert '  at queries["bad one"]\n' in str(caught.value) and "built in code" not in str(caught.value), caught.value
        assert "w = " in str(caught.value) and "`v`" in (caught.value.help or "")
    # Other queries of the policy, and those that are not in it, keep their places.
    with pytest.raises(dn.QueryError) as caught:
        dn.Policy("t", promise=dn.epsilon(1), columns={"v": "text"}).check("SELECT COUNT(*) FROM t WHERE w = 1")
    assert caught.value.place == ("the query", 1, 30)
