"""JSON of answers, digit by digit: no number becomes a float."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, Dict

from ._exact import number


class _Digits(str):
    """A number of JSON with all its digits."""


def digits_of(written: str) -> Dict[str, Any]:
    """JSON whose numbers keep all their digits."""
    known: Dict[str, Any] = json.loads(written, parse_float=_Digits, parse_int=_Digits)
    return known


def loads(written: str) -> Any:
    return json.loads(written, parse_float=_exactly)


def _exactly(digits: str) -> Fraction:
    return number(Fraction(digits))


def dumps(value: Any) -> str:
    """JSON with the digits unchanged."""
    if isinstance(value, _Digits):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {dumps(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(dumps(one) for one in value) + "]"
    return json.dumps(value)
