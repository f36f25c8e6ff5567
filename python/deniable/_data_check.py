"""Findings of a check of the data."""

from __future__ import annotations

import json
from typing import Any, Dict, NamedTuple, Optional, Tuple

from ._errors import DataError
from ._page import page, prose, text


class ColumnCheck(NamedTuple):
    """What a scan found in a column: numbers of rows, exact and private.

    ``pandas.DataFrame(check.columns)`` is the table of all columns.

    >>> import deniable as dn
    >>> dn.ColumnCheck("visits", "minutes", 4000, 12, 0, 3, None, None).missing
    12
    """

    table: str
    """The table."""
    column: str
    """The column."""
    values: int
    """Rows with a value."""
    missing: int
    """Rows without a value."""
    unreadable: int
    """Values that are not of the declared type: they count as missing."""
    outside_bounds: int
    """Values outside the declared bounds: they are clamped."""
    undeclared_keys: Optional[int]
    """Rows whose value is not a declared key: they are in no group of the column. ``None`` if there are no such rows, or no declared keys."""
    bad: Optional[str]
    """Why the column reads badly; ``None`` if it reads well."""


class DataCheck:
    """What a check of the data found: how the rows read, and what caps and bounds leave out of each query. It depends on private rows: it is
    for the curator, and must not be published.

    ``print(check)`` shows tables.

    >>> import deniable as dn, warnings
    >>> warnings.simplefilter("ignore", dn.LedgerWarning)
    >>> with dn.Policy("examples/clinic/policy.toml").session(ledger=":memory:") as session:
    ...     check = session.check_data()
    >>> check.refused is None, check.columns[0].table
    (True, 'visits')
    """

    __slots__ = ("_text", "_json", "columns", "refused")

    columns: Tuple[ColumnCheck, ...]
    """The columns of all tables."""
    refused: Optional[DataError]
    """Why the data are not registered; ``None`` if they are. Its help names what to accept, or to repair."""

    def __init__(self, text: str, written: str, refused: Optional[DataError]) -> None:
        self._text, self.refused = text, refused
        self._json: Dict[str, Any] = json.loads(written)
        self.columns = tuple(_column(table["table"], column) for table in self._json["tables"] for column in table["columns"])

    def to_dict(self) -> Dict[str, Any]:
        """Its numbers, in the form that ``deniable data check --format json`` prints: ``tables``, ``queries`` and ``true_errors``."""
        copy: Dict[str, Any] = json.loads(json.dumps(self._json))
        return copy

    def __str__(self) -> str:
        refused = "" if self.refused is None else f"\n\nnot registered: {self.refused}"
        return self._text.rstrip("\n") + refused

    def __repr__(self) -> str:
        state = "registered" if self.refused is None else "not registered"
        return f"DataCheck({[table['table'] for table in self._json['tables']]!r}, {state})"

    def _repr_html_(self) -> str:
        refused = "" if self.refused is None else prose(f"not registered: {self.refused}")
        return page(text(self._text.rstrip("\n")), refused)


def _column(table: str, found: Dict[str, Any]) -> ColumnCheck:
    counts = {name: None if found[name] is None else found[name]["count"] for name in ("missing", "unreadable", "outside_bounds", "undeclared_keys")}
    return ColumnCheck(
        table,
        found["column"],
        found["values"],
        counts["missing"] or 0,
        counts["unreadable"] or 0,
        counts["outside_bounds"] or 0,
        counts["undeclared_keys"],
        found["bad"],
    )
