"""The query that every library answers, and the scale of its noise. Standard library only: all runners import it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

LOW, HIGH = 0, 100
"""The declared bounds of `value`."""

EPSILON = 0.1
"""The epsilon of each COUNT and each SUM: its noise has the scale sensitivity / EPSILON in every library."""

ROWS_PER_GROUP, GROUPS = 2, 5
"""Caps for people with several rows: rows of one person per group, and groups of one person."""


@dataclass(frozen=True)
class Case:
    """COUNT(*), SUM(value) and AVG(value) by key, of one file."""

    path: str
    keys: list[str] = field(default_factory=lambda: [f"k{number:02}" for number in range(50)])
    people: bool = False
    """Whether `person` identifies the person of a row; otherwise every row is its own person."""
    epsilon: float = EPSILON
    rows_per_group: int = ROWS_PER_GROUP
    groups: int = GROUPS
    decimal: bool = False
    """Whether `value` is a column of floating-point numbers."""
    twice: bool = False
    """Whether to repeat the query with a budget for a single one."""

    @property
    def rows_of_one(self) -> int:
        """The sensitivity of all counts together to one person."""
        return self.rows_per_group * self.groups if self.people else 1

    @property
    def count_scale(self) -> float:
        return self.rows_of_one / self.epsilon

    @property
    def sum_scale(self) -> float:
        return self.rows_of_one * max(abs(LOW), abs(HIGH)) / self.epsilon

    def to_json(self) -> str:
        return json.dumps(asdict(self))


@dataclass
class Noise:
    """What a library itself reports about the noise of its answers."""

    count: str = "none"
    sum: str = "none"
    average: str = "none"
    mechanism: str = "none"
    spent: float | None = None
    """Epsilon after one query, by the library's own accounting."""


@dataclass
class Answers:
    """A library's answer: key -> [count, sum, average]."""

    cells: dict[str, list[float | None]]
    noise: Callable[[], Noise] = Noise
    """Called after the clock is stopped."""


def scale(value: float) -> str:
    """A scale for display: six digits are enough to distinguish 10 from 10.001."""
    return f"{float(value):.6g}"
