"""Prices of answers: a part of ln R, or an ε that is rounded down to such a part."""

from __future__ import annotations

import decimal
import json
import re
from fractions import Fraction
from typing import NamedTuple, Optional, Tuple

from . import _deniable
from ._errors import usage
from ._exact import Exact, exact, number
from ._promise import stated_epsilon

_DIGITS = 6
"""Significant digits of a part that is rounded down."""
_EXAMPLE = 'add epsilon="1/10", or spend="1/40": the part of the whole promise that it may use'


class Limit(NamedTuple):
    """ln R of a promise: exactly one of an odds ratio and an ε is not ``None``."""

    odds: Optional[Fraction]
    epsilon: Optional[Fraction]

    @classmethod
    def of(cls, policy: _deniable.Policy) -> Limit:
        """The limit that the guarantee of a policy states exactly: ``3``, ``e``, ``e^(1/2)``."""
        stated = str(json.loads(policy.guarantee()[0])["odds"])
        power = re.fullmatch(r"e(?:\^(?:\((?P<inside>.+)\)|(?P<bare>.+)))?", stated)
        if power is None:
            return cls(exact(stated), None)
        return cls(None, exact(power["inside"] or power["bare"] or "1"))

    def in_words(self) -> str:
        """``ln(3)``, or the ε."""
        return f"ln({self.odds})" if self.epsilon is None else str(self.epsilon)

    def at_most(self, part: Fraction) -> Fraction:
        """The ε of a part of the promise: exact for a promise of an ε, otherwise rounded down."""
        low, _ = _ends(self.odds, self.epsilon)
        return number(part * low if self.epsilon is not None else _down(part * low))

    def part(self, epsilon: Exact) -> Fraction:
        """The part of ln R that an ε is, or the next smaller one with six significant digits: its cost is at most the ε.

        :raises UsageError: when the ε exceeds the whole promise.
        """
        odds, value = stated_epsilon(epsilon)
        share = self._exact_part(odds, value)
        if share is None:
            share = _down(_ends(odds, value)[0] / _ends(self.odds, self.epsilon)[1])
        if share > 1:
            raise usage(
                f"epsilon={str(epsilon)[:80]} exceeds the whole promise, which is {self.in_words()}",
                "ask for less; session.left_epsilon is what is left of the promise",
            )
        return number(share)

    def _exact_part(self, odds: Optional[Fraction], value: Optional[Fraction]) -> Optional[Fraction]:
        """The exact part; ``None`` if it is irrational, or not found to be a fraction of small numbers."""
        if value is not None:
            return None if self.epsilon is None else value / self.epsilon
        if odds is None or self.odds is None:
            return None
        # ln(9) is a half of ln(81): found by its decimals, and proved by powers.
        near = (_ends(odds, None)[0] / _ends(self.odds, None)[0]).limit_denominator(1000)
        bits = max(max(one.numerator, one.denominator).bit_length() for one in (odds, self.odds))
        if near <= 0 or bits * max(near.numerator, near.denominator) > 1_000_000:
            return None
        return near if odds**near.denominator == self.odds**near.numerator else None


def part_of(limit: Limit, spend: Optional[Exact], epsilon: Optional[Exact]) -> Fraction:
    """The price of an answer, of which exactly one spelling is stated, as a part of ln R."""
    if spend is None and epsilon is None:
        raise usage("the price of the answer is missing", _EXAMPLE)
    if epsilon is None:
        return exact(spend)  # type: ignore[arg-type]
    if spend is not None:
        raise usage("spend= and epsilon= both state the price of the answer", "leave out one of them")
    return limit.part(epsilon)


def _down(value: Fraction) -> Fraction:
    """The next smaller number with some significant digits; 0 for numbers that are not positive."""
    if value <= 0:
        return Fraction(0)
    places = _DIGITS + len(str(value.denominator)) - len(str(value.numerator))
    scale = Fraction(10) ** places
    return Fraction(int(value * scale)) / scale


def _ends(odds: Optional[Fraction], epsilon: Optional[Fraction]) -> Tuple[Fraction, Fraction]:
    """A lower and an upper bound of a positive ε, close to each other; both are it if it is a fraction."""
    if epsilon is not None:
        return epsilon, epsilon
    assert odds is not None and odds > 1
    precision = 50
    while True:
        # An odds ratio near 1 takes more digits, as those of the two logarithms cancel out.
        with decimal.localcontext(decimal.Context(prec=precision)):
            above, below = (_around_ln(whole) for whole in (odds.numerator, odds.denominator))
        low, high = above[0] - below[1], above[1] - below[0]
        if low > 0 and (high - low) * 10**30 < high:
            return low, high
        precision *= 2


def _around_ln(whole: int) -> Tuple[Fraction, Fraction]:
    """Bounds of the logarithm of a whole number: ``decimal`` rounds it correctly, so it is between the neighbours of the result."""
    if whole == 1:
        return Fraction(0), Fraction(0)
    nearest = decimal.Decimal(whole).ln()
    return Fraction(nearest.next_minus()), Fraction(nearest.next_plus())
