"""Aggregates of queries. The names of Python's own functions are those of the package on purpose: ``dn.sum("cost")``."""

from __future__ import annotations

from typing import Optional, Union

from . import _sql
from ._errors import usage
from ._exact import Exact, exact
from ._expression import Expression, call, col

Of = Union[str, Expression]
"""A column by its name, or an expression of one row."""


def _of(value: Of, name: str) -> str:
    if isinstance(value, Expression):
        if value.is_aggregate:
            raise usage(f"{name} is about rows, and {value.sql} is about groups", "aggregate once")
        return value.sql
    return col(value).sql


def count(column: Optional[Of] = None) -> Expression:
    """The number of rows, or of the values of a column.

    >>> import deniable as dn
    >>> dn.count(), dn.count("minutes")
    (Expression('COUNT(*)'), Expression('COUNT(minutes)'))
    """
    return call("COUNT", "*" if column is None else _of(column, "count()"))


def count_distinct(column: Of) -> Expression:
    """The number of different values: of people by their column, or of declared keys.

    >>> import deniable as dn
    >>> dn.count_distinct("patient")
    Expression('COUNT(DISTINCT patient)')
    """
    return call("COUNT", f"DISTINCT {_of(column, 'count_distinct()')}")


def sum(column: Of) -> Expression:
    """The sum of a column that has bounds.

    >>> import deniable as dn
    >>> dn.sum(dn.col("minutes") * 60)
    Expression('SUM(minutes * 60)')
    """
    return call("SUM", _of(column, "sum()"))


def mean(column: Of) -> Expression:
    """The average of a column that has bounds.

    >>> import deniable as dn
    >>> dn.mean("minutes")
    Expression('AVG(minutes)')
    """
    return call("AVG", _of(column, "mean()"))


def median(column: Of) -> Expression:
    """The median of a column that has bounds.

    >>> import deniable as dn
    >>> dn.median("minutes")
    Expression('MEDIAN(minutes)')
    """
    return call("MEDIAN", _of(column, "median()"))


def quantile(column: Of, share: Exact) -> Expression:
    """The value below which a share of the values is, with at most three decimals.

    >>> import deniable as dn
    >>> dn.quantile("minutes", "0.9")
    Expression('PERCENTILE_CONT(minutes, 0.9)')
    """
    part = exact(share)
    if not 0 <= part <= 1 or 1000 % part.denominator:
        raise usage(f"share={share} is not between 0 and 1 with at most three decimals", 'write share="0.9"')
    return call("PERCENTILE_CONT", f"{_of(column, 'quantile()')}, {_sql.number(part)}")


def min(column: Of) -> Expression:
    """A value near the smallest one.

    >>> import deniable as dn
    >>> dn.min("minutes")
    Expression('MIN(minutes)')
    """
    return call("MIN", _of(column, "min()"))


def max(column: Of) -> Expression:
    """A value near the largest one.

    >>> import deniable as dn
    >>> dn.max("minutes")
    Expression('MAX(minutes)')
    """
    return call("MAX", _of(column, "max()"))


def std(column: Of) -> Expression:
    """The standard deviation of a sample.

    >>> import deniable as dn
    >>> dn.std("minutes")
    Expression('STDDEV_SAMP(minutes)')
    """
    return call("STDDEV_SAMP", _of(column, "std()"))


def var(column: Of) -> Expression:
    """The variance of a sample.

    >>> import deniable as dn
    >>> dn.var("minutes")
    Expression('VAR_SAMP(minutes)')
    """
    return call("VAR_SAMP", _of(column, "var()"))
