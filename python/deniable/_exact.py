"""Exact numbers: no float decides about privacy."""

from __future__ import annotations

import decimal
import operator
import os
import re
import sys
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Iterable, List, Mapping, Optional, Sequence, Union

from ._errors import shown, usage

Exact = Union[int, str, Fraction, Decimal]
"""An exact number: ``1``, ``"3/4"``, ``"0.75"``, ``"75%"``, ``Fraction(3, 4)``, ``Decimal("0.75")``."""


class _Formatted(Fraction):
    """A fraction with number formatting, ``f"{x:.2f}"``: before CPython 3.12 those of the standard library have none."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        found = _SPEC.fullmatch(spec)
        if found is None:
            # For an exponent, or significant digits, the nearest double is exact enough for readers.
            return format(float(self) if spec[-1:] in tuple("eEgG") else str(self), spec)
        digits = int((found["precision"] or ".6")[1:])
        # As many digits as rounding can depend on, and one more that is not zero if any digit follows, so that no digit
        # is rounded twice.
        places = digits + len(str(self.denominator)) + 3
        quotient, rest = divmod(abs(self.numerator) * 10**places, self.denominator)
        shown = Decimal((int(self < 0), tuple(map(int, str(10 * quotient + (rest > 0)))), -places - 1))
        with decimal.localcontext(decimal.Context(prec=decimal.MAX_PREC, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)):
            return format(shown, f"{found['layout']}.{digits}{found['kind']}")

    def __repr__(self) -> str:
        return f"Fraction({self.numerator}, {self.denominator})"


_SPEC = re.compile(r"(?P<layout>.*?)(?P<precision>\.\d+)?(?P<kind>[fF%])")


def number(value: Fraction) -> Fraction:
    """The same number with formatting of decimals."""
    return value if sys.version_info >= (3, 12) else _Formatted(value)


_MOST_CHARACTERS = 10_000
"""The limit for names, paths and statements: finding similar names takes quadratic time."""
_MOST_DIGITS = 1_000
"""The limit for a number, before and after its point: computing with more digits takes too long."""


def _is_long(value: Union[int, str, Fraction, Decimal, Rational]) -> bool:
    if isinstance(value, str):
        # Digits of any script, and underscores between them, as in Fraction.
        power = re.search(r"[eE][+-]?([\d_]+)", value)
        return len(value) > _MOST_DIGITS or (power is not None and int(power.group(1).replace("_", "") or 0) > _MOST_DIGITS)
    if isinstance(value, Decimal):
        return value.is_finite() and (len(value.as_tuple().digits) > _MOST_DIGITS or abs(value.adjusted()) > _MOST_DIGITS)
    return max(int(value.numerator).bit_length(), int(value.denominator).bit_length()) > 3 * _MOST_DIGITS


def exact(value: Exact) -> Fraction:
    """The exact number. Floats are refused: 0.1 is not a tenth."""
    if isinstance(value, bool) or not isinstance(value, (int, str, Fraction, Decimal, Rational)):
        if isinstance(value, float):
            # Those of NumPy are floats, too, with another representation.
            plain = float(value)
            is_number = plain == plain and abs(plain) != float("inf")
            instead = f'write "{plain!r}" or "{Fraction(repr(plain))}"' if is_number else 'write "3/4", "0.75" or "75%"'
            raise usage(f"{plain!r} is a float, and floats are not exact", instead)
        raise usage(f"{shown(value)} is not a number", 'write an int, a Fraction, or a text such as "3/4", "0.75" or "75%"')
    if _is_long(value):
        raise usage(f"a number has at most {_MOST_DIGITS} digits", 'write "3/4", "0.75" or "75%"')
    try:
        if isinstance(value, str):
            text = value.strip()
            return number(Fraction(text[:-1]) / 100 if text.endswith("%") else Fraction(text))
        return number(Fraction(value))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise usage(f"{shown(value)} is not a number", 'write "3/4", "0.75" or "75%"') from None


def text(value: object, what: str) -> str:
    """A text that can be encoded: Python's may contain lone surrogates."""
    if not isinstance(value, str):
        raise usage(f"{what} is not a text: {shown(value)}", "write it in quotes")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise usage(
            f"{what} is not Unicode: {shown(value)} has a lone surrogate at {error.start}",
            'leave it out; text that was read with errors="surrogateescape" has lone surrogates for bytes that were not in its encoding',
        ) from None
    return value


def short(value: object, what: str) -> str:
    """A short text: a name or a statement, not a table."""
    checked = text(value, what)
    if len(checked) > _MOST_CHARACTERS:
        raise usage(f"{what} has {len(checked)} characters, and at most {_MOST_CHARACTERS} are read", "name a file if it is long")
    return checked


def path(value: object, what: str) -> str:
    """The path of a file."""
    try:
        place = os.fspath(value)  # type: ignore[call-overload]
    except TypeError:
        place = value
    if not isinstance(place, str):
        raise usage(f"{what} is not a text: {shown(value)}", "write it in quotes, or give a pathlib.Path")
    if "\0" in place:
        raise usage(f"{what} has a NUL character: {shown(place)}", "leave it out")
    return short(place, what)


def dictionary(value: object, what: str, example: str) -> Mapping[str, object]:
    """A dictionary whose keys are texts."""
    if not isinstance(value, Mapping):
        raise usage(f"{what} is not a dictionary, but a {type(value).__name__}", f"write {what}{example}")
    for key in value:
        short(key, f"a key of {what}")
    return value


def truth(value: object, what: str) -> bool:
    """A value that is True or False; other truthy values are refused."""
    if not isinstance(value, bool):
        raise usage(f"{what} is neither True nor False: {shown(value)}", f"write {what}True")
    return value


def names(value: Union[str, Sequence[str]], what: str) -> List[str]:
    """One name, or several: a text is one, and not a list of letters."""
    if isinstance(value, str):
        return [short(value, what)]
    if isinstance(value, (bytes, bytearray, Mapping)):
        raise usage(f"{what} is not a list of names, but a {type(value).__name__}", f'write {what}["zip", "age"]')
    try:
        return [short(one, what) for one in value]
    except TypeError:
        raise usage(f"{what} is not a list of names: {shown(value)}", f'write {what}["zip", "age"]') from None


def whole(value: Optional[int], what: str) -> Optional[int]:
    """A positive whole number, or ``None``."""
    if value is None:
        return None
    try:
        known = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        known = None
    if known is None or not 0 < known < 1 << 63:
        raise usage(f"{what} is not a whole number from 1 on: {shown(value)}", f"write {what}4, for example")
    return known


def wholes(values: object, what: str) -> List[int]:
    """Several positive whole numbers."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise usage(f"{what} is not a list of whole numbers: {shown(values)}", f"write {what}[2, 3]")
    try:
        return [known for known in (whole(one, what) for one in values) if known is not None]
    except TypeError:
        raise usage(f"{what} is not a list of whole numbers: {shown(values)}", f"write {what}[2, 3]") from None


def given(value: Exact) -> str:
    """The number as a word of the command line: a text is unchanged, so that its errors are reported there."""
    return short(value.strip(), "a number") if isinstance(value, str) else str(exact(value))


def read(text: str) -> Fraction:
    """Reads a number or percentage of the library's output."""
    return exact(text)


def prior_range(prior: object) -> Optional[str]:
    """A prior, or a pair of the lowest and the highest one, in the library's notation: ``1/5..4/5``."""
    if prior is None or isinstance(prior, str):
        return None if prior is None else short(prior, "prior=")
    if isinstance(prior, (list, tuple)):
        if len(prior) != 2:
            raise usage(f"prior={shown(prior)} is not a range", 'write prior=("1/5", "4/5")')
        low, high = prior
        return f"{given(low)}..{given(high)}"
    return given(prior)  # type: ignore[arg-type]
