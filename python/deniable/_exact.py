"""Exact numbers: what decides about privacy is never a float."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Union

from ._errors import usage

Exact = Union[int, str, Fraction, Decimal]
"""A number that says exactly what it is: ``1``, ``"3/4"``, ``"0.75"``, ``"75%"``, ``Fraction(3, 4)``, ``Decimal("0.75")``."""


def exact(value: Exact) -> Fraction:
    """The number. Floats are refused: 0.1 is not a tenth."""
    if isinstance(value, bool) or not isinstance(value, (int, str, Fraction, Decimal, Rational)):
        if isinstance(value, float):
            near = Fraction(repr(value)) if value == value and abs(value) < float("inf") else None
            instead = f'write "{value!r}"' + (f' or "{near}"' if near is not None else "")
            raise usage(f"{value!r} is a float, and floats are not exact", instead)
        raise usage(f"{value!r} is no number", 'write an int, a Fraction, or a text such as "3/4", "0.75" or "75%"')
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


def given(value: Exact) -> str:
    """The number as a word of the command line: a text stays what it is, so that what is wrong with it is said there."""
    return value.strip() if isinstance(value, str) else str(exact(value))


def read(text: str) -> Fraction:
    """A number or percentage that was written exactly."""
    return exact(text)
