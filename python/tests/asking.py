"""A query that reveals every value of a table, row by row."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import deniable as dn
from arrays import Readings, candidates

EPSILON = 4096
"""The largest possible promise. One row is one person, so noise is negligible: see ``ERROR``."""
COLUMNS = 10
"""Columns of one query: each is a measure, and they share ε."""
MOST = 7
"""Readings of one column without NULL: codes are from 0 to this, and 8 for any other value. A code can change by at most 8."""
ERROR = "2 * exp(-4096 / 10 / 8) < 1e-21"
"""The probability that the noise of one cell is not zero."""

Columns = Mapping[str, Tuple[str, Readings]]
"""Columns with their declared types and readings."""
Rows = Tuple[Tuple[Any, ...], ...]


MOMENT = {"type": "timestamp", "zone": "UTC"}
"""The declaration of a column of times with a zone: ``moment``, for short."""


def policy(columns: Mapping[str, str], rows: int, data: Optional[Mapping[str, object]] = None, epsilon: int = EPSILON) -> dn.Policy:
    """A policy in which ``k`` numbers the rows."""
    return dn.Policy(
        name="types",
        population="types",
        table="t",
        promise=dn.epsilon(epsilon),
        adversary={"knows_size": False},
        columns={
            "k": {"type": "integer", "keys": list(range(rows))},
            **{name: MOMENT if kind == "moment" else kind for name, kind in columns.items()},
        },
        data=data,
    )


def code(column: str, readings: Readings) -> str:
    """A measure that is 0 for NULL, the place of the reading among the candidates, and 8 for any other value."""
    known = candidates(readings)
    assert len(known) <= MOST, known
    cases = "".join(f" WHEN {column} = {literal} THEN {at}" for at, literal in enumerate(known, 1))
    return f"SUM(CASE WHEN {column} IS NULL THEN 0{cases} ELSE {MOST + 1} END) AS {column}"


def question(columns: Columns) -> str:
    measures = ", ".join(code(column, readings) for column, (_, readings) in columns.items())
    return f"SELECT k, {measures} FROM t GROUP BY k"


def expected(columns: Columns, rows: int) -> Rows:
    """The answer that follows from the readings alone."""
    codes = []
    for _, readings in columns.values():
        known = candidates(readings)
        codes.append([0 if reading is None else known.index(reading) + 1 for reading in readings])
    return tuple((row, *(column[row] for column in codes)) for row in range(rows))


def answered(session: dn.Session, columns: Columns) -> Rows:
    """The answer. Columns that cannot be read as declared are accepted."""
    session.register(accept=["k", *columns])
    return session.ask(question(columns), spend=1).rows


def batches(columns: Columns) -> List[Dict[str, Tuple[str, Readings]]]:
    """The columns in groups that fit into one query."""
    names = list(columns)
    return [{name: columns[name] for name in names[at : at + COLUMNS]} for at in range(0, len(names), COLUMNS)]


def whole(rows: Sequence[Sequence[Any]]) -> bool:
    return all(isinstance(value, (int, Fraction)) for row in rows for value in row)
