"""Immutable mappings: the base of promises and declarations, which are accepted wherever a dictionary is."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Dict, Iterator, Mapping, NoReturn, Tuple, Type

from ._errors import Error, no_key, usage
from ._exact import exact
from ._plain import TOO_DEEP

NUMBERS = frozenset(
    "bounds step typical typical_spread prior at_least at_most posterior_at_most posterior_at_least gain negative_gain rho among alpha beta"
    " p_min p_max epsilon chance people spend per_version confidence share weight target_error typical_share".split()
)
"""Keys of numbers: different spellings of one number are equal."""


class Frozen(Mapping[str, Any]):
    """Keys with values that never change: texts, numbers, truth values, tuples and mappings of this kind."""

    __slots__ = ("_keys",)
    _keys: Dict[str, Any]

    def __init__(self, keys: Mapping[str, Any]) -> None:
        try:
            kept = {key: _frozen(value) for key, value in keys.items() if value is not None}
        except RecursionError:
            raise usage(*TOO_DEEP) from None
        object.__setattr__(self, "_keys", kept)

    def __getitem__(self, key: str) -> Any:
        if not isinstance(key, str) or key not in self._keys:
            raise no_key(f"the {type(self).__name__}", key, self._keys)
        return self._keys[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Frozen):
            return type(self) is type(other) and self._identity() == other._identity()
        return isinstance(other, Mapping) and self._keys == dict(other)

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._identity()))

    def _identity(self) -> Tuple[Tuple[str, Any], ...]:
        # In order: that of keys with labels is the order of groups.
        return tuple((key, same_number(value) if key in NUMBERS else value) for key, value in self._keys.items())

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} does not change: make another one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} does not change: make another one")

    def __repr__(self) -> str:
        return repr(self._keys)

    def __reduce__(self) -> Tuple[Any, Tuple[Any, ...]]:
        return (_restored, (type(self), self._keys))


def _restored(kind: Type[Frozen], keys: Dict[str, Any]) -> Frozen:
    """A mapping from a pickle; the arguments of its class were checked when it was made."""
    made = kind.__new__(kind)
    Frozen.__init__(made, keys)
    return made


def _frozen(value: Any) -> Any:
    if isinstance(value, Frozen):
        return value
    if isinstance(value, Mapping):
        return Frozen(value)
    return tuple(_frozen(one) for one in value) if isinstance(value, (list, tuple)) else value


def same_number(value: Any) -> Any:
    """The same for all spellings of a number, also within lists; other values are unchanged."""
    if isinstance(value, (list, tuple)):
        return tuple(same_number(one) for one in value)
    if isinstance(value, (int, str, Fraction)) and not isinstance(value, bool):
        try:
            return Fraction(exact(value))
        except Error:
            # Dates, logarithms, and ranges of priors.
            return value
    return value
