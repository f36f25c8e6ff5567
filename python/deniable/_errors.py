"""Errors with their message, place and help."""

from __future__ import annotations

from datetime import date, timedelta
from numbers import Number
from pathlib import PurePath
from typing import Iterable, NamedTuple, Optional, Sequence, Tuple


class Problem(NamedTuple):
    """A single problem of an error.

    >>> import deniable as dn
    >>> try:
    ...     dn.check("kmax", k=9, n=5)
    ... except dn.Error as error:
    ...     print(error.problems[0].message)
    `k` must be a whole number from 1 to 5, not `9`
    """

    message: str
    """The problem."""
    help: Optional[str]
    """The remedy."""
    place: Optional[Tuple[str, int, int]]
    """The place: the file (or ``the query``), the line and the column, counted from 1."""
    shown: str
    """The message with the text around the place."""


class Error(Exception):
    """A call was refused or failed. For the curator: the error can depend on private rows.

    >>> import deniable as dn
    >>> issubclass(dn.BudgetError, dn.Error)
    True
    """

    def __init__(self, problems: Sequence[Tuple[str, Optional[str], Optional[Tuple[str, int, int]], str]]) -> None:
        self.problems: Tuple[Problem, ...] = tuple(Problem(*problem) for problem in problems)
        super().__init__("\n".join(problem.shown for problem in self.problems))

    @property
    def message(self) -> str:
        """The messages, without places."""
        return "; ".join(problem.message for problem in self.problems)

    @property
    def help(self) -> Optional[str]:
        """The remedy of the first problem that has one."""
        return next((problem.help for problem in self.problems if problem.help), None)

    @property
    def place(self) -> Optional[Tuple[str, int, int]]:
        """The first place: file, line, column."""
        return next((problem.place for problem in self.problems if problem.place), None)

    def __reduce__(self) -> Tuple[type, Tuple[Tuple[Problem, ...]]]:
        return (type(self), (self.problems,))


class PolicyError(Error):
    """A policy is invalid.

    >>> import deniable as dn
    >>> try:
    ...     dn.Policy(name="clinic", population="p", table="t", promise=dn.gain(2))
    ... except dn.PolicyError as error:
    ...     print(error.problems[0].message)
    the policy needs `adversary`
    """


class QueryError(Error):
    """A query is invalid, or cannot be answered under the policy. It follows from both alone: the analyst may read it.

    >>> import deniable as dn
    >>> issubclass(dn.QueryError, dn.Error)
    True
    """


class DataError(Error):
    """Data are missing, cannot be read as declared, or are not those that were registered as this version.

    >>> import deniable as dn
    >>> issubclass(dn.DataError, dn.Error)
    True
    """


class BudgetError(Error):
    """The promise does not pay for the query. Nothing was charged.

    >>> import deniable as dn
    >>> issubclass(dn.BudgetError, dn.Error)
    True
    """


class LedgerError(Error):
    """The ledger cannot be opened, read or written.

    >>> import deniable as dn
    >>> issubclass(dn.LedgerError, dn.Error)
    True
    """


class UsageError(Error, ValueError):
    """The arguments of a call are invalid.

    >>> import deniable as dn
    >>> try:
    ...     dn.posterior_at_most(0.75)
    ... except ValueError as error:
    ...     print(error.message)
    0.75 is a float, and floats are not exact
    """


class MissingKeyError(UsageError, KeyError):
    """A mapping has no such key. A ``KeyError``, too: ``in`` and ``get()`` of mappings depend on it."""

    __str__ = BaseException.__str__


class LedgerWarning(UserWarning):
    """A ledger begins, or will not outlive the session.

    >>> import deniable as dn
    >>> issubclass(dn.LedgerWarning, UserWarning)
    True
    """


class QueryWarning(UserWarning):
    """A query is valid and possibly unintended, such as a comparison with an undeclared key. The warning comes before any charge.

    >>> import deniable as dn
    >>> issubclass(dn.QueryWarning, UserWarning)
    True
    """


_KINDS = {
    "policy": PolicyError,
    "query": QueryError,
    "data": DataError,
    "budget": BudgetError,
    "ledger": LedgerError,
    "usage": UsageError,
    "other": Error,
}


def failed(kind: str, problems: Sequence[Tuple[str, Optional[str], Optional[Tuple[str, int, int]], str]]) -> Error:
    """The exception of this kind; for the extension module."""
    return _KINDS[kind](problems)


def shown(value: object) -> str:
    """A value for a message: its first characters, or its type alone if it could contain rows."""
    if value is not None and not isinstance(value, (str, bytes, bool, int, float, complex, Number, date, timedelta, PurePath)):
        name = type(value).__name__
        return f"an {name}" if name[0] in "aeiouAEIOU" else f"a {name}"
    try:
        written = repr(value)
    except ValueError:
        # CPython formats integers of at most some thousand digits.
        return "a number of too many digits"
    return written if len(written) <= 80 else f"{written[:80]}..."


def usage(message: str, help: str) -> UsageError:
    """The error of a wrong call, with help."""
    return UsageError([(message, help, None, f"{message}\n  help: {help}")])


def no_key(what: str, key: object, known: Iterable[str]) -> MissingKeyError:
    """The error of a key that a mapping does not have."""
    message, help = f"{what} has no {shown(key)}", "it has " + (", ".join(repr(one) for one in known) or "nothing")
    return MissingKeyError([(message, help, None, f"{message}\n  help: {help}")])
