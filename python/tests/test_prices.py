"""Prices as an ε: exactly the ε, or less; the rest as an ε; exactly one of both spellings."""

from __future__ import annotations

import random
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable, Dict

import deniable as dn
import polars as pl
import pytest
from deniable._price import Limit

ROWS = pl.DataFrame({"v": list(range(60))})
COUNT = "SELECT COUNT(*) AS n FROM t"
E = dn.epsilon(1)
THREE = dn.epsilon("ln(3)")


def session(folder: Path, promise: Any = E) -> dn.Session:
    built = dn.Policy("t", promise=promise, adversary={"knows_size": False}, columns={"v": dn.Integer(0, 60)})
    return built.session(ROWS, version="1", ledger=folder / "prices.ledger")


def ln(value: Fraction) -> Decimal:
    """The natural logarithm with some 60 digits, by another way than the package's bounds."""
    with localcontext() as context:
        context.prec = 80
        return (Decimal(value.numerator) / Decimal(value.denominator)).ln()


@pytest.mark.parametrize("promise, epsilon, share", [
    (E, "1/4", "1/4"), (E, "0.1", "1/10"), (E, Fraction(1, 3), "1/3"), (E, 1, 1), (dn.epsilon("1/2"), "1/8", "1/4"), (dn.epsilon(2), Decimal("0.5"), "1/4"),
    (THREE, "ln(3)", 1), (dn.epsilon("ln(9)"), "ln(3)", "1/2"), (dn.epsilon("ln(9)"), "ln 27", None), (dn.gain(8), "ln(4)", "2/3"), (dn.epsilon("ln(9/4)"), "ln(1.5)", "1/2"),
])  # fmt: skip
def test_an_exact_part_is_not_rounded(promise: Any, epsilon: Any, share: Any, tmp_path: Path) -> None:
    with session(tmp_path, promise) as opened:
        if share is None:
            with pytest.raises(dn.UsageError, match="exceeds the whole promise"):
                opened.ask(COUNT, epsilon=epsilon)
            assert opened.left == 1
            return
        answer = opened.ask(COUNT, epsilon=epsilon)
        assert answer.share == Fraction(share) and opened.left == 1 - Fraction(share)
        # The same price in the other spelling: the answer is stored, and free.
        assert opened.ask(COUNT, spend=share).rows == answer.rows and opened.left == 1 - Fraction(share)
        assert opened.plan(COUNT, epsilon=epsilon)["query"].paid


def test_an_inexact_part_costs_at_most_what_was_asked(tmp_path: Path) -> None:
    with session(tmp_path, THREE) as opened:
        answer = opened.ask(COUNT, epsilon="1/10")
        cost = Fraction(ln(Fraction(3))) * answer.share
        assert Fraction(99999, 1000000) < cost <= Fraction(1, 10)
        left = opened.left_epsilon
        assert left <= Fraction(ln(Fraction(3))) * opened.left and float(left) == pytest.approx(1.0986 - 0.1, abs=1e-4)
        # What is left can be asked for.
        opened.ask("SELECT SUM(v) AS n FROM t", epsilon=left)
        assert 0 <= opened.left < Fraction(1, 10000)


def test_rounding_is_down_for_any_promise(dice: random.Random) -> None:
    """The logarithms of the cost and of the ε are compared with more digits than the package uses."""
    margin = Fraction(1, 10**40)
    exact = 0
    for _ in range(300):
        bound = Fraction(dice.randrange(2, 10**dice.randrange(1, 12)), dice.randrange(1, 10**dice.randrange(1, 9))) + 1
        limit = Limit(bound, None) if dice.random() < 0.6 else Limit(None, bound)
        whole = Fraction(ln(bound)) if limit.epsilon is None else bound
        if dice.random() < 0.5:
            odds = 1 + (bound - 1) * Fraction(dice.randrange(1, 1000), 1001)
            text, wanted = f"ln({odds})", Fraction(ln(odds))
        else:
            value = Fraction(whole).limit_denominator(10**6) * Fraction(dice.randrange(1, 999), 1000)
            text, wanted = str(value), value
        if wanted <= 0 or wanted >= whole:
            continue
        part = limit.part(text)
        assert 0 < part <= 1 and part * whole <= wanted + margin, (limit, text)
        assert part * whole > wanted * (1 - Fraction(1, 10**5)) - margin, (limit, text)
        exact += part * whole == wanted
        assert limit.at_most(part) <= part * whole + margin
        assert limit.at_most(part) > part * whole * (1 - Fraction(1, 10**5))
    assert exact > 10


def test_odds_near_one_and_huge_odds_have_bounds() -> None:
    tiny = 1 + Fraction(1, 10**300)
    assert Limit(tiny, None).part(f"ln({tiny})") == 1
    # The ε of odds of 1 + x is just below x.
    assert Limit(tiny, None).part(Fraction(1, 10**301)) == pytest.approx(Fraction(1, 10), rel=1e-5)
    assert Limit(None, Fraction(4096)).part("ln(3)") <= Fraction(ln(Fraction(3))) / 4096
    assert 0 < Limit(Fraction(10**900), None).part("1e-900") < Fraction(1, 10**900)


def test_the_limit_is_read_from_the_guarantee() -> None:
    for promise, limit in (
        (dn.epsilon(1), (None, 1)), (dn.epsilon("1/2"), (None, Fraction(1, 2))), (dn.epsilon(30), (None, 30)), (dn.epsilon("ln(3)"), (3, None)),
        (dn.epsilon("ln(9)"), (9, None)), (dn.epsilon("ln(3/2)"), (Fraction(3, 2), None)), (dn.epsilon(1) & dn.epsilon(1) & dn.gain(2), (2, None)),
        (dn.gain(1000) & dn.epsilon("0.1"), (None, Fraction(1, 10))),
    ):  # fmt: skip
        assert Limit.of(dn.Policy("t", promise=promise, adversary="anyone", columns={"v": "text"})._policy) == limit
    groups = dn.Policy("t", promise=dn.epsilon(1), adversary=dn.Adversary(knows_size=False, moves_together=2), columns={"v": "text"})
    assert Limit.of(groups._policy) == (None, 1), "the promise is about whole groups, and so are parts of it"


def test_what_is_left_is_exact_for_an_epsilon(tmp_path: Path) -> None:
    with session(tmp_path, dn.epsilon("1/3")) as opened:
        assert opened.left_epsilon == Fraction(1, 3)
        opened.ask(COUNT, epsilon="1/7")
        assert opened.left_epsilon == Fraction(1, 3) - Fraction(1, 7)
        opened.ask("SELECT SUM(v) AS n FROM t", epsilon=opened.left_epsilon)
        assert opened.left_epsilon == opened.left == 0
        with pytest.raises(dn.BudgetError):
            opened.ask("SELECT SUM(v + 1) AS n FROM t", epsilon="1/1000")


WRONG: Dict[str, Callable[[dn.Session], object]] = {
    "neither": lambda opened: opened.ask(COUNT),
    "both": lambda opened: opened.ask(COUNT, spend="1/4", epsilon="1/4"),
    "both equal": lambda opened: opened.ask(COUNT, spend=1, epsilon=1),
    "float": lambda opened: opened.ask(COUNT, epsilon=0.25),  # type: ignore[arg-type]
    "zero": lambda opened: opened.ask(COUNT, epsilon=0),
    "negative": lambda opened: opened.ask(COUNT, epsilon="-1/4"),
    "ln of one": lambda opened: opened.ask(COUNT, epsilon="ln(1)"),
    "ln of nothing": lambda opened: opened.ask(COUNT, epsilon="ln()"),
    "no number": lambda opened: opened.ask(COUNT, epsilon="lnx"),
    "too much": lambda opened: opened.ask(COUNT, epsilon="1.0001"),
    "truth": lambda opened: opened.ask(COUNT, epsilon=True),
    "long": lambda opened: opened.ask(COUNT, epsilon="1e-500000"),
    "long ln": lambda opened: opened.ask(COUNT, epsilon="ln(1e500000)"),
    "plan neither": lambda opened: opened.plan(COUNT),
    "plan both": lambda opened: opened.plan(COUNT, spend="1/4", epsilon="1/4"),
    "plan without a query": lambda opened: opened.plan(epsilon="1/4"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_price_is_refused_before_any_charge(wrong: str, tmp_path: Path) -> None:
    with session(tmp_path) as opened:
        with pytest.raises(dn.UsageError) as refused:
            WRONG[wrong](opened)
        assert refused.value.message and refused.value.help
        assert (opened.left, opened.left_epsilon) == (1, 1)
    assert not (tmp_path / "prices.ledger").exists() or "SELECT" not in (tmp_path / "prices.ledger").read_text()


def test_association_results_have_a_price_in_epsilon() -> None:
    for promise in (dn.gain(2), None):
        with pytest.raises(dn.UsageError, match="whose promise is an ε"):
            dn.gwas("nowhere", adjacency="label-swap", promise=promise, prior="1/2", top=2, p_value="0.05", epsilon="1/10")
    with pytest.raises(dn.UsageError, match="exceeds the whole promise"):
        dn.gwas("nowhere", adjacency="label-swap", promise=dn.epsilon("1/2"), top=2, p_value="0.05", epsilon=1)
    with pytest.raises(dn.UsageError, match="both state the price"):
        dn.gwas("nowhere", adjacency="label-swap", promise=dn.epsilon(1), top=2, p_value="0.05", epsilon="1/2", spend="1/2")


def test_queries_of_a_policy_spend_a_part_together(tmp_path: Path) -> None:
    queries = [
        {"name": "n", "sql": COUNT, "weight": 3},
        {"name": "sum", "sql": "SELECT SUM(v) AS s FROM t", "weight": 1},
        {"name": "fixed", "sql": "SELECT COUNT(*) AS n FROM t WHERE v > 30", "share": "1/8"},
    ]
    built = dn.Policy("t", promise=E, adversary={"knows_size": False}, columns={"v": dn.Integer(0, 60)}, queries=queries, budget={"spend": "1/4"})
    with built.session(ROWS, version="1", ledger=tmp_path / "spend.ledger") as opened:
        both = opened.release("n", "sum", spend="1/2")
        assert [answer.share for answer in both.values()] == [Fraction(3, 8), Fraction(1, 8)] and opened.left == Fraction(1, 2)
        # At a smaller part the stored answers are as exact as wanted, and free.
        assert opened.release("n", epsilon="1/10")["n"].rows == both["n"].rows and opened.left == Fraction(1, 2)
        rest = opened.release("fixed", "sum", spend="3/8")
        assert {name: answer.share for name, answer in rest.items()} == {"sum": Fraction(1, 4), "fixed": Fraction(1, 8)}
        for wrong, said in [({"spend": "1/16"}, "explicit shares of these queries"), ({"spend": 0}, "not a part"), ({"spend": 1, "epsilon": 1}, "both")]:
            with pytest.raises(dn.Error, match=said):
                opened.release("fixed", **wrong)
        with pytest.raises(dn.UsageError, match="nothing is left for"):
            opened.release("fixed", "n", spend="1/8")
        before = opened.left
        with pytest.raises(dn.BudgetError):
            opened.release("sum", spend=1)
        assert opened.left == before
