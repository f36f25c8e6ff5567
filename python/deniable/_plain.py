"""Values of Python in the form that a policy can hold."""

from __future__ import annotations

import datetime
import json
import os
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import Callable, Dict, KeysView, Mapping, ValuesView

from ._errors import usage
from ._exact import exact, text


TOO_DEEP = ("a value contains itself, or is nested too deeply", "write texts, numbers, lists and dictionaries")
"""The error of a value without an end, and its help."""


def at(what: str, key: object) -> str:
    """The place of a key in the words of Python: ``columns["minutes"]``."""
    return f"{what}[{json.dumps(key, ensure_ascii=False)}]"


def plain_keys(keys: Mapping[str, object], called: Callable[[str], str]) -> Dict[str, object]:
    """The keys that have a value; messages name each value by its key."""
    return {text(key, "the name of a key"): plain(one, called(key)) for key, one in keys.items() if one is not None}


def plain(value: object, what: str) -> object:
    """The value in a form for policies: a text, a whole number, true or false, a list or a dictionary."""
    if isinstance(value, str):
        return text(value, what)
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        # Also those of NumPy. Numbers beyond the range of TOML become texts.
        whole_number = int(exact(int(value)))
        return whole_number if -(2**63) <= whole_number < 2**63 else str(whole_number)
    if isinstance(value, (Fraction, Decimal)):
        return str(exact(value))
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return text(os.fspath(value), what)
    if isinstance(value, Mapping):
        return plain_keys(value, lambda key: at(what, key))
    if isinstance(value, (list, tuple, range, KeysView, ValuesView)):
        return [plain(one, what) for one in value]
    if isinstance(value, (set, frozenset)):
        # Sorted, as sets have no order, and the order of groups depends on it.
        try:
            return plain(sorted(value, key=lambda one: (type(one).__name__, one)), what)
        except TypeError:
            raise usage(f"{what} is a set of values without an order", "write a list") from None
    if isinstance(value, (float, Rational)):
        # Floats are refused, with a correction.
        return plain(exact(value), what)  # type: ignore[arg-type]
    # Arrays, series and scalars of NumPy, pandas, polars and pyarrow.
    for way in ("to_pylist", "to_list", "tolist"):
        if hasattr(type(value), way):
            made = getattr(value, way)()
            if type(made) is not type(value):
                return plain(made, what)
    raise usage(
        f"{what} is a {type(value).__name__}, which a policy cannot hold",
        "write a text, a number, a date, a list or tuple, or a dictionary",
    )
