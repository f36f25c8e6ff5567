"""Expressions of queries: columns, conditions and aggregates, written with the operators of Python."""

from __future__ import annotations

from typing import Any, Collection, NoReturn, Union

from . import _sql
from ._errors import shown, usage
from ._exact import Exact, exact

_OR, _AND, _NOT, _COMPARE, _ADD, _MULTIPLY, _SIGN, _ATOM = range(8)
"""How strongly operators bind: an operand that binds less is put in parentheses."""
UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")

Operand = Union["Expression", Any]
"""An expression, or a value: a text, a number, a truth value, a date."""


class Expression:
    """A column, a condition or an aggregate, as SQL. Conditions are joined by ``&``, ``|`` and ``~``.

    >>> import deniable as dn
    >>> (dn.col("age") >= 18) & ~dn.col("sex").isin(["F", "M"])
    Expression("age >= 18 AND NOT (sex IN ('F', 'M'))")
    >>> dn.sum("cost") / dn.count()
    Expression('SUM(cost) / COUNT(*)')

    :param sql: SQL that is used as it is, for what ``dn.col`` and the aggregates do not make. It is put in parentheses beside operators.
    :param is_aggregate: whether it is computed from groups of rows.
    """

    __slots__ = ("sql", "is_aggregate", "_binds", "_is_call")
    sql: str
    """The SQL."""
    is_aggregate: bool
    """Whether it is computed from groups of rows."""

    def __init__(self, sql: str, *, is_aggregate: bool = False, _binds: int = _OR, _is_call: bool = False) -> None:
        if not isinstance(sql, str):
            raise usage(f"{shown(sql)} is not SQL", 'write dn.col("age")')
        self.sql, self.is_aggregate, self._binds, self._is_call = sql, is_aggregate, _binds, _is_call

    def __eq__(self, other: Operand) -> Expression:  # type: ignore[override]
        return self._joined("=", other, _COMPARE)

    def __ne__(self, other: Operand) -> Expression:  # type: ignore[override]
        return self._joined("<>", other, _COMPARE)

    def __lt__(self, other: Operand) -> Expression:
        return self._joined("<", other, _COMPARE)

    def __le__(self, other: Operand) -> Expression:
        return self._joined("<=", other, _COMPARE)

    def __gt__(self, other: Operand) -> Expression:
        return self._joined(">", other, _COMPARE)

    def __ge__(self, other: Operand) -> Expression:
        return self._joined(">=", other, _COMPARE)

    def __add__(self, other: Operand) -> Expression:
        return self._joined("+", other, _ADD)

    def __radd__(self, other: Operand) -> Expression:
        return expression(other)._joined("+", self, _ADD)

    def __sub__(self, other: Operand) -> Expression:
        return self._joined("-", other, _ADD)

    def __rsub__(self, other: Operand) -> Expression:
        return expression(other)._joined("-", self, _ADD)

    def __mul__(self, other: Operand) -> Expression:
        return self._joined("*", other, _MULTIPLY)

    def __rmul__(self, other: Operand) -> Expression:
        return expression(other)._joined("*", self, _MULTIPLY)

    def __truediv__(self, other: Operand) -> Expression:
        return self._joined("/", other, _MULTIPLY)

    def __rtruediv__(self, other: Operand) -> Expression:
        return expression(other)._joined("/", self, _MULTIPLY)

    def __neg__(self) -> Expression:
        # Two signs in a row would begin a comment.
        return Expression(f"-{self._within(_ATOM)}", is_aggregate=self.is_aggregate, _binds=_SIGN)

    def __and__(self, other: Expression) -> Expression:
        return self._joined("AND", condition(other), _AND)

    def __rand__(self, other: object) -> NoReturn:
        condition(other)
        raise AssertionError("a condition has its own operator")

    def __or__(self, other: Expression) -> Expression:
        return self._joined("OR", condition(other), _OR)

    def __ror__(self, other: object) -> NoReturn:
        condition(other)
        raise AssertionError("a condition has its own operator")

    def __invert__(self) -> Expression:
        return Expression(f"NOT {self._within(_ATOM)}", is_aggregate=self.is_aggregate, _binds=_NOT)

    def __bool__(self) -> NoReturn:
        # `a and b`, `not a` and `0 < a < 9` would silently lose a condition.
        raise usage(
            "a condition has no truth value in Python: it is a part of a query",
            "write & | ~ in place of and, or, not, each condition in parentheses, and .between(low, high) for 0 < x < 9",
        )

    __hash__ = None  # type: ignore[assignment]

    def isin(self, values: Collection[Any]) -> Expression:
        """Whether it is one of the values."""
        if isinstance(values, (str, bytes)) or not isinstance(values, Collection):
            raise usage(f"isin() is about a list of values, not {shown(values)}", 'write .isin(["F", "M"])')
        try:
            listed = [_sql.literal(value) for value in values]
        except TypeError:
            # Arrays without dimensions.
            raise usage(f"isin() is about a list of values, not {shown(values)}", 'write .isin(["F", "M"])') from None
        if isinstance(values, (set, frozenset)):
            # Sets have no order, and the same query must have the same text.
            listed.sort()
        if not listed:
            raise usage("isin() of no values is never true", "name at least one value")
        return self._compared(f"IN ({', '.join(listed)})")

    def between(self, low: Operand, high: Operand) -> Expression:
        """Whether it is at least ``low`` and at most ``high``."""
        ends = [expression(end)._within(_ADD) for end in (low, high)]
        return self._compared(f"BETWEEN {ends[0]} AND {ends[1]}")

    def is_null(self) -> Expression:
        """Whether the value is missing."""
        return self._compared("IS NULL")

    def is_not_null(self) -> Expression:
        """Whether there is a value."""
        return self._compared("IS NOT NULL")

    def truncate(self, unit: str) -> Expression:
        """The beginning of the year, quarter, month, week, day, hour, minute or second of a date or time."""
        return Expression(f"DATE_TRUNC({_sql.literal(_unit(unit))}, {self.sql})", is_aggregate=self.is_aggregate, _binds=_ATOM)

    def part(self, unit: str) -> Expression:
        """The number of the year, quarter, month, week, day, hour, minute or second of a date or time."""
        return Expression(f"EXTRACT({_unit(unit)} FROM {self.sql})", is_aggregate=self.is_aggregate, _binds=_ATOM)

    def bin(self, width: Exact) -> Expression:
        """The lower end of the bin of this width that a number is in."""
        if exact(width) <= 0:
            raise usage(f"width={width} is not above 0", "write .bin(10), for example")
        return Expression(f"BIN({self.sql}, {_sql.number(exact(width))})", is_aggregate=self.is_aggregate, _binds=_ATOM)

    def filter(self, wanted: Expression) -> Expression:
        """The same aggregate of the rows that meet a condition.

        >>> import deniable as dn
        >>> dn.count().filter(dn.col("sex") == "F")
        Expression("COUNT(*) FILTER (WHERE sex = 'F')")
        """
        if not self._is_call:
            raise usage("filter() is about one aggregate", 'write dn.count().filter(dn.col("sex") == "F")')
        return Expression(f"{self.sql} FILTER (WHERE {row_condition(wanted, 'filter()').sql})", is_aggregate=True, _binds=_ATOM)

    def _within(self, binds: int) -> str:
        return self.sql if self._binds >= binds else f"({self.sql})"

    def _compared(self, comparison: str) -> Expression:
        return Expression(f"{self._within(_ADD)} {comparison}", is_aggregate=self.is_aggregate, _binds=_COMPARE)

    def _joined(self, operator: str, other: Operand, binds: int) -> Expression:
        right = expression(other)
        # The left operand may be of the same strength, which binds from the left; comparisons have no order.
        left = self._within(binds + 1 if binds == _COMPARE else binds)
        joined = f"{left} {operator} {right._within(binds + 1)}"
        return Expression(joined, is_aggregate=self.is_aggregate or right.is_aggregate, _binds=binds)

    def __repr__(self) -> str:
        return f"Expression({self.sql!r})"


def expression(value: Operand) -> Expression:
    """An expression, or a value as one."""
    if isinstance(value, Expression):
        return value
    sql = _sql.literal(value)
    return Expression(sql, _binds=_SIGN if sql.startswith("-") else _ATOM)


def condition(value: object) -> Expression:
    """An operand of ``&`` and ``|``: values are refused, as ``a == 1 & b == 2`` is ``a == (1 & b) == 2``."""
    if not isinstance(value, Expression):
        raise usage(f"{shown(value)} is not a condition", 'put each condition in parentheses: (dn.col("a") == 1) & (dn.col("b") == 2)')
    return value


def row_condition(value: object, where: str) -> Expression:
    """A condition about single rows."""
    if not isinstance(value, Expression):
        raise usage(f"{where} has {shown(value)}, which is not a condition", 'write dn.col("age") >= 18')
    if value.is_aggregate:
        raise usage(f"{where} is about rows, and {value.sql} is about groups", "aggregate in agg()")
    return value


def _unit(unit: object) -> str:
    if not isinstance(unit, str) or unit not in UNITS:
        raise usage(f"{shown(unit)} is not a unit of time", "write one of " + ", ".join(UNITS))
    return unit


def col(name: str) -> Expression:
    """A column, by its name in the policy.

    >>> import deniable as dn
    >>> dn.col("hours per week") > 40
    Expression('"hours per week" > 40')
    """
    return Expression(_sql.name(name, "the name of a column"), _binds=_ATOM)


def call(function: str, inside: str) -> Expression:
    """An aggregate."""
    return Expression(f"{function}({inside})", is_aggregate=True, _binds=_ATOM, _is_call=True)
