"""Declarations of a policy: the privacy unit, the adversary, and the columns.

Each is an immutable mapping of the keys that a policy file has, so that it is accepted wherever a dictionary is.
"""

from __future__ import annotations

import datetime
from typing import Any, Dict, Iterable, Mapping, NoReturn, Optional, Tuple, Union

from ._errors import shown, usage
from ._exact import Exact, exact, short, whole
from ._frozen import Frozen
from ._plain import TOO_DEEP, plain_keys

Keys = Union[Iterable[Any], Mapping[Any, str]]
"""The keys of a column: a list, a set, an array, or a dictionary with a label for each."""
Day = Union[str, datetime.date]
"""A day, ``"2024-12-31"`` or ``datetime.date(2024, 12, 31)``."""
Moment = Union[str, datetime.date, datetime.datetime]
"""A day, or a time of a day, ``"2024-12-31T18:30:00"``."""
Within = Mapping[str, Union[str, Mapping[str, str]]]
"""Coarser columns that follow from the keys: for each the column of a public table, or its value for each key."""


class _Declaration(Frozen):
    """The keys of one section, in the form that a policy file has them."""

    __slots__ = ()

    def __init__(self, **keys: Any) -> None:
        name = type(self).__name__
        try:
            stated = plain_keys(keys, lambda key: f"{key} of dn.{name}")
        except RecursionError:
            raise usage(*TOO_DEEP) from None
        super().__init__(stated)

    def __repr__(self) -> str:
        inside = ", ".join(f"{key}={value!r}" for key, value in self._keys.items() if key != "type")
        return f"{type(self).__name__}({inside})"


class Person(_Declaration):
    """The privacy unit: the column that identifies the protected people, and the caps of their contributions.

    >>> import deniable as dn
    >>> dn.Person("patient", rows=3, groups=2)["rows_per_group"]
    3

    :param column: the column that identifies a person, or a family, an account, ...
    :param rows: at most this many rows of one person count in each group of an answer.
    :param groups: at most this many groups of an answer count for one person.
    :param type: ``"text"`` or ``"integer"``, if ``columns`` does not declare the column. As texts, ``7`` and ``07`` are two people.
    :param rows_in_joins: at most this many rows of one person in each table are joined.
    :param levels: ``"apart"`` or ``"together"``: how the caps apply to a query with several groupings.
    :param typical: a public guess at the number of people with rows.
    """

    __slots__ = ("_type",)
    _type: Optional[str]

    def __init__(
        self,
        column: str,
        *,
        rows: int,
        groups: int,
        type: Optional[str] = None,
        rows_in_joins: Optional[int] = None,
        levels: Optional[str] = None,
        typical: Optional[int] = None,
    ) -> None:
        if type is not None and (not isinstance(type, str) or type not in ("text", "integer")):
            raise usage(f"type={shown(type)} is not a type of people", 'write type="text" or type="integer"')
        object.__setattr__(self, "_type", type)
        super().__init__(
            key=short(column, "the column of dn.Person"),
            rows_per_group=_count(rows, "rows=", "how many rows of one person may count in each group"),
            groups=_count(groups, "groups=", "in how many groups of an answer one person may count"),
            rows_in_joins=whole(rows_in_joins, "rows_in_joins="),
            levels=None if levels is None else short(levels, "levels="),
            typical_entities=whole(typical, "typical="),
        )

    @property
    def type(self) -> Optional[str]:
        """The stated type of the column."""
        return self._type

    def _identity(self) -> Tuple[Tuple[str, Any], ...]:
        return (*super()._identity(), ("type", self._type))

    def __repr__(self) -> str:
        names = {"rows_per_group": "rows", "typical_entities": "typical"}
        options = [f"{names.get(key, key)}={value!r}" for key, value in self.items() if key != "key"]
        if self._type is not None:
            options.append(f"type={self._type!r}")
        return f"Person({self['key']!r}, {', '.join(options)})"

    def __reduce__(self) -> Tuple[Any, Tuple[Any, ...]]:
        return (_person, (self._keys, self._type))


def _person(keys: Dict[str, Any], type: Optional[str]) -> Person:
    made = Person.__new__(Person)
    object.__setattr__(made, "_type", type)
    Frozen.__init__(made, keys)
    return made


class Adversary(_Declaration):
    """The observers that a promise is about: what they know, and what they believed before the first release.

    >>> import deniable as dn
    >>> dn.Adversary("acquaintance")
    Adversary('acquaintance')
    >>> dn.Adversary(knows_size=False, prior=(None, "1/2"))["prior"]
    {'at_most': '1/2'}

    :param preset: ``"stranger"``, ``"acquaintance"``, ``"anyone"`` or ``"insider"``; what follows overrides parts of it.
    :param knows_size: whether the number of people is public: ``False`` for add/remove neighbours, ``True`` for replace-one.
    :param prior: the belief of observers in the presence of a person of whom they are not certain: a number, or the lowest and the highest one.
    :param moves_together: how many people may be known to be in the data together: a number, ``{"one_group": 3}`` or ``{"all_of_size": 3}``.
    """

    __slots__ = ()

    def __init__(
        self,
        preset: Optional[str] = None,
        *,
        knows_size: Optional[bool] = None,
        prior: Union[None, Exact, Tuple[Optional[Exact], Optional[Exact]]] = None,
        moves_together: Union[None, int, Mapping[str, int]] = None,
    ) -> None:
        if preset is None and knows_size is None:
            raise usage("the adversary is missing", 'name a preset, dn.Adversary("acquaintance"), or state knows_size=False or True')
        if knows_size is not None and not isinstance(knows_size, bool):
            raise usage(f"knows_size= is neither True nor False: {shown(knows_size)}", "write knows_size=False")
        if moves_together is not None and not isinstance(moves_together, Mapping):
            moves_together = whole(moves_together, "moves_together=")
        super().__init__(
            preset=None if preset is None else short(preset, "the preset"),
            knows_size=knows_size,
            prior=_prior(prior),
            moves_together=moves_together,
        )

    def __repr__(self) -> str:
        stated = [repr(value) if key == "preset" else f"{key}={value!r}" for key, value in self.items()]
        return f"Adversary({', '.join(stated)})"


class _Column(_Declaration):
    """The declaration of a column."""

    __slots__ = ()

    def __init__(self, kind: str, **keys: Any) -> None:
        super().__init__(type=kind, **keys)

    def __repr__(self) -> str:
        ends = [repr(end) for end in self.get("bounds", ())]
        options = [f"{key}={value!r}" for key, value in self.items() if key not in ("type", "bounds")]
        return f"{type(self).__name__}({', '.join(ends + options)})"


class Text(_Column):
    """A column of texts.

    >>> import deniable as dn
    >>> dn.Text(keys=["cardiology", "neurology"])
    Text(keys=('cardiology', 'neurology'))

    :param keys: the groups of GROUP BY, public: a list, or a dictionary with a label for each. Never taken from the data.
    :param null_key: whether rows without a value are a group, or its label.
    :param other: the label of a group of all values that are not among the keys.
    :param keys_from: the public table that lists the keys: ``{"table": "regions", "column": "code"}``.
    :param within: coarser columns that follow from the keys.
    :param label: a name for readers.
    """

    __slots__ = ()

    def __init__(
        self,
        *,
        keys: Optional[Keys] = None,
        null_key: Union[None, bool, str] = None,
        other: Optional[str] = None,
        keys_from: Optional[Mapping[str, str]] = None,
        within: Optional[Within] = None,
        label: Optional[str] = None,
    ) -> None:
        super().__init__("text", keys=keys, null_key=null_key, other=other, keys_from=keys_from, within=within, label=label)


class Integer(_Column):
    """A column of whole numbers.

    >>> import deniable as dn
    >>> dn.Integer(0, 60)
    Integer(0, 60)
    >>> dict(dn.Integer(0, 60, step=5))
    {'type': 'integer', 'bounds': (0, 60), 'step': 5}

    :param low: the lower bound, public: values below it count as it. Needed for SUM and AVG.
    :param high: the upper bound.
    :param step: the grid that values are rounded to; it divides the range.
    :param keys: the groups of GROUP BY, as of ``Text``; not needed for a short range.
    :param null_key: whether rows without a value are a group, or its label.
    :param other: the label of a group of all values that are not among the keys.
    :param keys_from: the public table that lists the keys.
    :param within: coarser columns that follow from the keys.
    :param typical: a public guess at the mean of the values.
    :param typical_spread: a public guess at their standard deviation.
    :param label: a name for readers.
    :param unit: the unit, for readers.
    """

    __slots__ = ()

    def __init__(
        self,
        low: Optional[Exact] = None,
        high: Optional[Exact] = None,
        *,
        step: Optional[Exact] = None,
        keys: Optional[Keys] = None,
        null_key: Union[None, bool, str] = None,
        other: Optional[str] = None,
        keys_from: Optional[Mapping[str, str]] = None,
        within: Optional[Within] = None,
        typical: Optional[Exact] = None,
        typical_spread: Optional[Exact] = None,
        label: Optional[str] = None,
        unit: Optional[str] = None,
    ) -> None:
        super().__init__(
            "integer",
            bounds=_numbers(low, high),
            step=_number(step),
            keys=keys,
            null_key=null_key,
            other=other,
            keys_from=keys_from,
            within=within,
            typical=_number(typical),
            typical_spread=_number(typical_spread),
            label=label,
            unit=unit,
        )


class Decimal(_Column):
    """A column of numbers with a fraction.

    >>> import deniable as dn
    >>> dn.Decimal(0, 400, step="0.05") == dn.Decimal(0, 400, step="1/20")
    True

    :param low: the lower bound, public: values below it count as it. Needed for SUM and AVG.
    :param high: the upper bound.
    :param step: the grid that values are rounded to; it divides the range.
    :param typical: a public guess at the mean of the values.
    :param typical_spread: a public guess at their standard deviation.
    :param label: a name for readers.
    :param unit: the unit, for readers.
    """

    __slots__ = ()

    def __init__(
        self,
        low: Optional[Exact] = None,
        high: Optional[Exact] = None,
        *,
        step: Optional[Exact] = None,
        typical: Optional[Exact] = None,
        typical_spread: Optional[Exact] = None,
        label: Optional[str] = None,
        unit: Optional[str] = None,
    ) -> None:
        bounds = _numbers(low, high)
        if bounds is not None and step is None:
            raise usage("step= is missing: how finely the values of this column count", 'add step="0.01", for example')
        super().__init__(
            "decimal",
            bounds=bounds,
            step=_number(step),
            typical=_number(typical),
            typical_spread=_number(typical_spread),
            label=label,
            unit=unit,
        )


class Boolean(_Column):
    """A column of true and false, which are its groups.

    >>> import deniable as dn
    >>> dn.Boolean(null_key="unknown")
    Boolean(null_key='unknown')

    :param null_key: whether rows without a value are a group, or its label.
    :param label: a name for readers.
    """

    __slots__ = ()

    def __init__(self, *, null_key: Union[None, bool, str] = None, label: Optional[str] = None) -> None:
        super().__init__("boolean", null_key=null_key, label=label)


class Date(_Column):
    """A column of days.

    >>> import deniable as dn
    >>> dn.Date("1900-01-01", "2024-12-31")
    Date('1900-01-01', '2024-12-31')

    :param low: the first day, public: earlier days count as it.
    :param high: the last day.
    :param format: the strptime pattern in CSV files.
    :param pivot: beside a pattern with years of two digits, the last year that they may mean.
    :param typical: a public guess at the mean.
    :param label: a name for readers.
    """

    __slots__ = ()

    def __init__(
        self,
        low: Optional[Day] = None,
        high: Optional[Day] = None,
        *,
        format: Optional[str] = None,
        pivot: Optional[int] = None,
        typical: Optional[Day] = None,
        label: Optional[str] = None,
    ) -> None:
        bounds = _times(low, high)
        super().__init__("date", bounds=bounds, format=format, pivot=whole(pivot, "pivot="), typical=_time(typical), label=label)


class Timestamp(_Column):
    """A column of times of days.

    >>> import deniable as dn
    >>> dn.Timestamp("2024-01-01", "2024-12-31", zone="Europe/Oslo")
    Timestamp('2024-01-01', '2024-12-31', zone='Europe/Oslo')

    :param low: the first moment, public: earlier ones count as it. A day is its beginning.
    :param high: the last moment. A day is its end.
    :param zone: the zone in whose local time the column counts; needed if the data have moments, with a zone of their own.
    :param format: the strptime pattern in CSV files.
    :param pivot: beside a pattern with years of two digits, the last year that they may mean.
    :param typical: a public guess at the mean.
    :param label: a name for readers.
    """

    __slots__ = ()

    def __init__(
        self,
        low: Optional[Moment] = None,
        high: Optional[Moment] = None,
        *,
        zone: Optional[str] = None,
        format: Optional[str] = None,
        pivot: Optional[int] = None,
        typical: Optional[Moment] = None,
        label: Optional[str] = None,
    ) -> None:
        for end in (low, high, typical):
            if isinstance(end, datetime.datetime) and end.tzinfo is not None:
                raise usage(
                    "a bound with a zone of its own is ambiguous: bounds are in the local time of the column",
                    'write it without a zone, and state zone="Europe/Oslo"',
                )
        bounds = _times(low, high)
        super().__init__(
            "timestamp",
            bounds=bounds,
            zone=None if zone is None else short(zone, "zone="),
            format=format,
            pivot=whole(pivot, "pivot="),
            typical=_time(typical),
            label=label,
        )


def _count(value: Any, what: str, decides: str) -> int:
    known = whole(value, what)
    if known is None:
        _missing(what, decides)
    return known


def _missing(what: str, decides: str) -> NoReturn:
    raise usage(f"{what} is missing: {decides}", f"write {what}3, for example: from knowledge, and not from the data")


def _number(value: Optional[Exact]) -> Optional[Exact]:
    """A number as it was written, after a check that it is exact."""
    if value is not None:
        exact(value)
    return value


def _both(low: object, high: object) -> bool:
    if (low is None) != (high is None):
        raise usage("one of the two bounds is missing", "state the lowest and the highest value, or neither")
    return low is not None


def _numbers(low: Optional[Exact], high: Optional[Exact]) -> Optional[Tuple[Optional[Exact], Optional[Exact]]]:
    return (_number(low), _number(high)) if _both(low, high) else None


def _time(value: Optional[Moment]) -> Optional[Moment]:
    if value is not None and not isinstance(value, (str, datetime.date)):
        raise usage(f"{shown(value)} is not a date", 'write "2024-12-31", or a datetime.date')
    return value


def _times(low: Optional[Moment], high: Optional[Moment]) -> Optional[Tuple[Optional[Moment], Optional[Moment]]]:
    return (_time(low), _time(high)) if _both(low, high) else None


def _prior(prior: object) -> object:
    """A belief, or the ends of a range of which either may be ``None``."""
    if prior is None or isinstance(prior, str) or isinstance(prior, Mapping):
        return prior
    if isinstance(prior, (list, tuple)):
        if len(prior) != 2:
            raise usage(f"prior= has {len(prior)} ends, and a range has 2", 'write prior=("1/5", "1/2"), or prior=(None, "1/2")')
        ends = {"at_least": prior[0], "at_most": prior[1]}
        return {name: str(exact(end)) for name, end in ends.items() if end is not None}
    return str(exact(prior))  # type: ignore[arg-type]
