"""The question that every library answers, and how its noise is fixed. Standard library only: all runners import it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

LOW, HIGH = 0, 100
"""The declared bounds of `value`."""

EPSILON = 0.1
"""What each COUNT and each SUM takes: its noise then has the scale sensitivity / EPSILON in every library."""

ROWS_PER_GROUP, GROUPS = 2, 5
"""Caps where people have several rows: of one person, so many rows count in a group, in so many groups."""


@dataclass(frozen=True)
class Case:
    """COUNT(*), SUM(value) and AVG(value) by key, of one file."""

    path: str
    keys: list[str] = field(default_factory=lambda: [f"k{number:02}" for number in range(50)])
    people: bool = False
    """Whether `person` says whose a row is; otherwise every row is its own person."""
    epsilon: float = EPSILON
    rows_per_group: int = ROWS_PER_GROUP
    groups: int = GROUPS
    decimal: bool = False
    """Whether `value` is a column of floating-point numbers."""
    twice: bool = False
    """Whether to ask the same again with a budget for once."""

    @property
    def rows_of_one(self) -> int:
        """By how much one person can move all counts together."""
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
    """Epsilon after one question, by the library's own bookkeeping."""


@dataclass
class Answers:
    """What a library answered: key -> [count, sum, average]."""

    cells: dict[str, list[float | None]]
    noise: Callable[[], Noise] = Noise
    """Called after the clock is stopped."""


def scale(value: float) -> str:
    """A scale for reading: six digits are enough to tell 10 from 10.001."""
    return f"{float(value):.6g}"
