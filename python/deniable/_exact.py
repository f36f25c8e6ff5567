"""Exact numbers: what decides about privacy is never a float."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import List, Optional, Sequence, Union

from ._errors import usage

Exact = Union[int, str, Fraction, Decimal]
"""A number that says exactly what it is: ``1``, ``"3/4"``, ``"0.75"``, ``"75%"``, ``Fraction(3, 4)``, ``Decimal("0.75")``."""


_MOST_DIGITS = 1_000
"""Of a number, before and after its point: computing with more takes longer than any answer is worth."""


def _is_long(value: Union[int, str, Fraction, Decimal, Rational]) -> bool:
    if isinstance(value, str):
        # Digits of any script, and between underscores, as Fraction takes them.
        power = re.search(r"[eE][+-]?([\d_]+)", value)
        return len(value) > _MOST_DIGITS or (power is not None and int(power.group(1).replace("_", "") or 0) > _MOST_DIGITS)
    if isinstance(value, Decimal):
        return value.is_finite() and (len(value.as_tuple().digits) > _MOST_DIGITS or abs(value.adjusted()) > _MOST_DIGITS)
    return max(int(value.numerator).bit_length(), int(value.denominator).bit_length()) > 3 * _MOST_DIGITS


def exact(value: Exact) -> Fraction:
    """The number. Floats are refused: 0.1 is not a tenth."""
    if isinstance(value, bool) or not isinstance(value, (int, str, Fraction, Decimal, Rational)):
        if isinstance(value, float):
            # Those of NumPy are floats, too, and show themselves in other words.
            plain = float(value)
            is_number = plain == plain and abs(plain) != float("inf")
            instead = f'write "{plain!r}" or "{Fraction(repr(plain))}"' if is_number else 'write "3/4", "0.75" or "75%"'
            raise usage(f"{plain!r} is a float, and floats are not exact", instead)
        raise usage(f"{value!r} is no number", 'write an int, a Fraction, or a text such as "3/4", "0.75" or "75%"')
    if _is_long(value):
        raise usage(f"a number has at most {_MOST_DIGITS} digits", 'write "3/4", "0.75" or "75%"')
    try:
        if isinstance(value, str):
            text = value.strip()
            return Fraction(text[:-1]) / 100 if text.endswith("%") else Fraction(text)
        return Fraction(value)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise usage(f"{value!r} is no number", 'write "3/4", "0.75" or "75%"') from None


def text(value: object, what: str) -> str:
    """A text, where it is one that can be written down: Python's may hold halves of characters."""
    if not isinstance(value, str):
        raise usage(f"{what} is no text: {value!r}", "write it in quotes")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise usage(
            f"{what} is no Unicode: {value!r} has half a character at {error.start}",
            'leave it out; text that was read with errors="surrogateescape" has such halves for bytes that were not in its encoding',
        ) from None
    return value


def names(value: Union[str, Sequence[str]], what: str) -> List[str]:
    """One name, or several: a text is one, and not a list of letters."""
    if isinstance(value, str):
        return [text(value, what)]
    try:
        return [text(one, what) for one in value]
    except TypeError:
        raise usage(f"{what} is no list of names: {value!r}", f'write {what}["zip", "age"]') from None


def whole(value: Optional[int], what: str) -> Optional[int]:
    """A number of things, where one is given."""
    if value is not None and (isinstance(value, bool) or not hasattr(value, "__index__") or not 0 < int(value) < 1 << 63):
        raise usage(f"{what} is no number from 1 on: {value!r}", f"write {what}4, for example")
    return None if value is None else int(value)


def given(value: Exact) -> str:
    """The number as a word of the command line: a text stays what it is, so that what is wrong with it is said there."""
    return value.strip() if isinstance(value, str) else str(exact(value))


def read(text: str) -> Fraction:
    """A number or percentage that was written exactly."""
    return exact(text)
