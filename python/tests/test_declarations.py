"""Declarations and promises in Python: immutable, comparable, picklable, and the same policy as dictionaries of the same keys."""

from __future__ import annotations

import copy
import datetime
import pickle
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable, Dict, List

import deniable as dn
import pytest

DEPARTMENTS = ["cardiology", "neurology"]
PAIRS: List[Any] = [
    (dn.Person("patient", rows=3, groups=2), {"key": "patient", "rows_per_group": 3, "groups": 2}),
    (
        dn.Person("p", rows=1, groups=1, rows_in_joins=9, levels="together", typical=100),
        {"key": "p", "rows_per_group": 1, "groups": 1, "rows_in_joins": 9, "levels": "together", "typical_entities": 100},
    ),
    (dn.Adversary("acquaintance"), {"preset": "acquaintance"}),
    (dn.Adversary(knows_size=True, moves_together={"one_group": 3}), {"knows_size": True, "moves_together": {"one_group": 3}}),
    (dn.Adversary("anyone", prior=(None, "1/2")), {"preset": "anyone", "prior": {"at_most": "1/2"}}),
    (dn.Adversary("anyone", prior="1/5..1/2"), {"preset": "anyone", "prior": "1/5..1/2"}),
    (dn.Text(keys=DEPARTMENTS, null_key=True, other="elsewhere"), {"type": "text", "keys": DEPARTMENTS, "null_key": True, "other": "elsewhere"}),
    (dn.Text(keys={"N": "north", "S": "south"}), {"type": "text", "keys": {"N": "north", "S": "south"}}),
    (dn.Integer(0, 60, step=5, typical=25, typical_spread=9, label="time", unit="min"),
     {"type": "integer", "bounds": (0, 60), "step": 5, "typical": 25, "typical_spread": 9, "label": "time", "unit": "min"}),
    (dn.Integer(keys={2, 1}), {"type": "integer", "keys": [1, 2]}),
    (dn.Decimal(0, Fraction(801, 2), step=Decimal("0.05")), {"type": "decimal", "bounds": (0, "801/2"), "step": "1/20"}),
    (dn.Boolean(null_key="unknown"), {"type": "boolean", "null_key": "unknown"}),
    (dn.Date(datetime.date(1900, 1, 1), "2024-12-31", typical="1970-01-01"),
     {"type": "date", "bounds": ("1900-01-01", "2024-12-31"), "typical": "1970-01-01"}),
    (dn.Timestamp("2024-01-01", datetime.datetime(2024, 12, 31, 18, 30), zone="Europe/Oslo"),
     {"type": "timestamp", "bounds": ("2024-01-01", "2024-12-31 18:30:00"), "zone": "Europe/Oslo"}),
    (dn.gain(2) & dn.epsilon("ln(3)"), {"epsilon": "ln(3)", "gain": 2}),
    (dn.rho("1/2", among=100), {"rho": Fraction(1, 2), "among": 100}),
]  # fmt: skip


def built(**changed: Any) -> dn.Policy:
    keys: Dict[str, Any] = dict(name="n", population="p", table="t", promise=dn.epsilon(1), columns={"v": "text"})
    keys.update(changed)
    return dn.Policy(**keys)


def with_section(section: Any) -> dn.Policy:
    """A policy that has the section at its place."""
    if isinstance(section, dn.Promise) or not {"key", "preset", "knows_size", "type"} & set(section):
        return built(promise=section, adversary={"knows_size": True})
    if "key" in section:
        return built(entity=section, columns={section["key"]: "text"})
    if "type" in section:
        return built(columns={"v": section})
    return built(adversary=section, promise=dn.gain(2))


@pytest.mark.parametrize("declared, keys", PAIRS, ids=lambda one: repr(one)[:40])
def test_a_declaration_and_its_keys_give_the_same_policy(declared: Any, keys: Any) -> None:
    one, other = with_section(declared), with_section(keys)
    assert one == other and hash(one) == hash(other)
    assert str(one.guarantee) == str(other.guarantee) and one.guarantee.odds == other.guarantee.odds
    assert str(one.plan()) == str(other.plan())
    # The comparison can fail: a policy without the section, or with another promise, is another policy.
    assert one != built() and one != built(promise=dn.epsilon(2))


@pytest.mark.parametrize("declared, keys", PAIRS, ids=lambda one: repr(one)[:40])
def test_a_declaration_is_immutable_comparable_and_picklable(declared: Any, keys: Any) -> None:
    before = repr(declared)
    for copied in (pickle.loads(pickle.dumps(declared)), copy.deepcopy(declared), copy.copy(declared)):
        assert copied == declared and hash(copied) == hash(declared) and type(copied) is type(declared)
    for change in (lambda: setattr(declared, "_keys", {}), lambda: setattr(declared, "x", 1), lambda: delattr(declared, "_keys")):
        with pytest.raises(AttributeError, match="does not change"):
            change()
    with pytest.raises(TypeError):
        declared["type"] = "text"
    assert repr(declared) == before and not hasattr(declared, "__dict__")
    assert all(declared != other for other, _ in PAIRS if other is not declared)


def test_numbers_are_equal_in_all_their_spellings() -> None:
    assert dn.Decimal(0, 1, step="0.5") == dn.Decimal(0, "1", step=Fraction(1, 2)) != dn.Decimal(0, 1, step="0.25")
    assert hash(dn.Decimal(0, 1, step="0.5")) == hash(dn.Decimal(0, 1, step="1/2"))
    assert dn.gain("1.5") == dn.gain(Fraction(3, 2)) == {"gain": Fraction(3, 2)}
    assert built(promise={"gain": "1.5"}, adversary="anyone") == built(promise=dn.gain("3/2"), adversary="anyone")
    # Texts that look like numbers are texts.
    assert built(columns={"v": {"type": "text", "keys": ["1", "2"]}}) != built(columns={"v": {"type": "text", "keys": ["1.0", "2"]}})
    assert built(name="1") != built(name="1.0")
    # The order of labels is that of the groups.
    assert dn.Text(keys={"a": "x", "b": "y"}) != dn.Text(keys={"b": "y", "a": "x"})
    assert built(columns={"v": {"type": "text", "keys": {"a": "x", "b": "y"}}}) != built(columns={"v": {"type": "text", "keys": {"b": "y", "a": "x"}}})


def test_an_epsilon_alone_is_about_add_remove_neighbours() -> None:
    for promise in (dn.epsilon(1), {"epsilon": 1}, {"epsilon": "1", "but_for": {"chance": "1/1000000", "epsilon": "1/2"}}):
        plain, stated = built(promise=promise), built(promise=promise, adversary={"knows_size": False})
        assert plain == stated and str(plain.guarantee) == str(stated.guarantee)
        assert any("add-remove" in line for line in plain.guarantee.adversary)
        assert any("any chance at all" in line for line in plain.guarantee.adversary)
        assert plain.guarantee.family == "F-DI"
        assert "knows_size = false" in plain.source
    # A stated adversary is never replaced.
    assert built(adversary={"knows_size": True}).guarantee.family == "F-DB"


@pytest.mark.parametrize("promise", [
    dn.gain(2), dn.posterior_at_most("3/4"), dn.epsilon(1) & dn.gain(2), dn.negative_gain(2), dn.rho("1/2", among=10),
    dn.alpha_beta("1/2", "1/2"), {"epsilon": 1, "but_for": {"chance": "1/1000", "gain": "1.1"}}, {}, None,
])  # fmt: skip
def test_other_promises_need_an_adversary(promise: Any) -> None:
    with pytest.raises(dn.PolicyError) as refused:
        built(promise=promise)
    [problem] = [one for one in refused.value.problems if "adversary" in one.message]
    assert problem.help and "acquaintance" in problem.help


def test_promises_hold_together() -> None:
    both = dn.gain(2) & dn.posterior_at_most("3/4")
    assert both == dn.posterior_at_most("3/4") & dn.gain(2) and hash(both) == hash(dn.posterior_at_most("3/4") & dn.gain(2))
    assert {**dn.gain(2), **dn.posterior_at_most("3/4")} == dict(both)
    assert dn.gain(2) & dn.gain("4/2") == dn.gain(2)
    for wrong in (lambda: dn.gain(2) & dn.gain(3), lambda: dn.gain(2) & 3, lambda: dn.Promise(3), lambda: dn.Promise({1: 2})):  # type: ignore[operator, arg-type, dict-item]
        with pytest.raises(dn.UsageError) as refused:
            wrong()
        assert refused.value.help


def test_the_first_argument_may_name_the_table() -> None:
    short = dn.Policy("visits", promise=dn.epsilon(1), columns={"v": "text"})
    assert short == dn.Policy(name="visits", population="visits", table="visits", promise=dn.epsilon(1), columns={"v": "text"})
    stated = dn.Policy("visits", name="study", population="patients", promise=dn.epsilon(1), columns={"v": "text"})
    assert (stated.name, stated.population) == ("study", "patients")
    for wrong in (
        lambda: dn.Policy("visits.toml", promise=dn.epsilon(1)),
        lambda: dn.Policy("Visits", promise=dn.epsilon(1)),
        lambda: dn.Policy(Path("visits"), promise=dn.epsilon(1)),
        lambda: dn.Policy("visits", table="visits", promise=dn.epsilon(1)),
        lambda: dn.Policy("visits", person=dn.Person("p", rows=1, groups=1), entity={"key": "p"}, promise=dn.epsilon(1)),
    ):
        with pytest.raises(dn.UsageError) as refused:
            wrong()
        assert refused.value.help
    # A name alone is a file.
    with pytest.raises(dn.PolicyError, match="visits"):
        dn.Policy("visits")


def test_the_column_of_the_people_need_not_be_declared_again() -> None:
    person = dn.Person("patient", rows=3, groups=2)
    as_text = built(person=person)
    assert as_text == built(entity=dict(person), columns={"v": "text", "patient": "text"})
    assert built(person=dn.Person("patient", rows=3, groups=2, type="integer")) == built(entity=dict(person), columns={"v": "text", "patient": "integer"})
    # A declaration comes first, and a second one is refused.
    assert built(person=person, columns={"patient": dn.Integer()}) == built(entity=dict(person), columns={"patient": "integer"})
    with pytest.raises(dn.UsageError, match="and so does type="):
        built(person=dn.Person("patient", rows=3, groups=2, type="integer"), columns={"patient": dn.Integer()})
    # Keys of a dictionary name a declared column, as in a file.
    with pytest.raises(dn.PolicyError, match="patient"):
        built(person=dict(person))


@pytest.mark.parametrize("wrong", [
    lambda: dn.Person(1, rows=1, groups=1), lambda: dn.Person("p", rows=0, groups=1), lambda: dn.Person("p", rows=None, groups=1),
    lambda: dn.Person("p", rows="3", groups=1), lambda: dn.Person("p", rows=1, groups=True), lambda: dn.Person("p", rows=1, groups=1, type="date"),
    lambda: dn.Person("p", rows=1, groups=1, levels=3), lambda: dn.Adversary(), lambda: dn.Adversary(3), lambda: dn.Adversary(knows_size=1),
    lambda: dn.Adversary("anyone", prior=0.5), lambda: dn.Adversary("anyone", prior=("1/2",)), lambda: dn.Adversary("anyone", prior=object()),
    lambda: dn.Adversary("anyone", moves_together="2"), lambda: dn.Text(keys=object()), lambda: dn.Text(keys={1j, 2j}), lambda: dn.Text(label=b"x"),
    lambda: dn.Integer(0.5, 1), lambda: dn.Integer(0), lambda: dn.Integer(high=3), lambda: dn.Integer("x", "y"), lambda: dn.Integer(0, 1, step=0.5),
    lambda: dn.Decimal(0, 1), lambda: dn.Decimal(0, float("nan"), step=1), lambda: dn.Boolean(null_key=object()), lambda: dn.Date(1900, 2000),
    lambda: dn.Date("2024-01-01"), lambda: dn.Date("2024-01-01", "2024-12-31", pivot="x"), lambda: dn.Timestamp(0, 1),
    lambda: dn.Timestamp(datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc), "2024-12-31"), lambda: dn.Timestamp(zone=3),
])  # fmt: skip
def test_wrong_declarations_are_refused_with_help(wrong: Callable[[], object]) -> None:
    with pytest.raises(dn.UsageError) as refused:
        wrong()
    assert refused.value.message and refused.value.help


def test_values_that_contain_themselves_are_refused() -> None:
    endless: List[Any] = []
    endless.append(endless)
    for wrong in (lambda: dn.Text(keys=endless), lambda: dn.Promise({"gain": endless}), lambda: dn.Adversary("anyone", moves_together={"x": endless})):  # type: ignore[dict-item]
        with pytest.raises(dn.UsageError, match="contains itself"):
            wrong()


def test_policies_are_pickled_with_their_content(tmp_path: Path, repository: Path) -> None:
    made = built(columns={"v": dn.Text(keys=["a'b", "\u2028", '"'])}, queries={"all": "SELECT COUNT(*) AS n FROM t"})
    of_file = dn.Policy(repository / "examples/clinic/policy.toml")
    for one in (made, of_file, dn.Policy.from_source(made.source)):
        for copied in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
            assert copied == one and hash(copied) == hash(one) and copied.source == one.source
            assert str(copied.guarantee) == str(one.guarantee) and copied._policy.ledger == one._policy.ledger
    assert made != of_file and made != "made"
    # Relative paths of files are those of the folder where the policy was made.
    (tmp_path / "policy.toml").write_text(of_file.source, encoding="utf-8")
    assert dn.Policy(tmp_path / "policy.toml") != of_file
    # The file may change afterwards: the promise of the pickle does not.
    kept = pickle.dumps(dn.Policy(tmp_path / "policy.toml"))
    (tmp_path / "policy.toml").write_text(of_file.source.replace("0.75", "0.9"), encoding="utf-8")
    assert pickle.loads(kept).guarantee.odds == 3 and dn.Policy(tmp_path / "policy.toml").guarantee.odds == 9


def test_the_five_lines_answer(tmp_path: Path) -> None:
    import polars as pl

    seen = [datetime.datetime(2024, 1 + at % 12, 1, 12, tzinfo=datetime.timezone.utc) for at in range(600)]
    visits = pl.DataFrame({"patient": [f"P-{at // 3}" for at in range(600)], "department": DEPARTMENTS * 300, "minutes": [30] * 600, "seen": seen})
    policy = dn.Policy("visits", person=dn.Person("patient", rows=3, groups=2), promise=dn.epsilon(1),
        columns={"department": dn.Text(keys=DEPARTMENTS), "minutes": dn.Integer(0, 60),
                 "seen": dn.Timestamp("2024-01-01", "2024-12-31", zone="Europe/Oslo")})  # fmt: skip
    with policy.session(visits, version="2024-06", ledger=tmp_path / "clinic.ledger") as s:
        a = s.ask("SELECT department, AVG(minutes) AS minutes FROM visits GROUP BY department", epsilon="1/4")
        assert (s.left, s.left_epsilon, a.share) == (Fraction(3, 4), Fraction(3, 4), Fraction(1, 4))
    assert a["department"] == tuple(DEPARTMENTS) and a.columns == ("department", "minutes") and not a.test
    assert any("add-remove" in line for line in a.guarantee.adversary) and a.guarantee.epsilon == "1"
