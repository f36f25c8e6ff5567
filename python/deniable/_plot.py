"""Charts of answers: each number with its interval, by altair or matplotlib."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional

from ._errors import shown, usage
from ._export import installed

if TYPE_CHECKING:
    from ._answer import Answer

LIBRARIES = ("altair", "matplotlib")
_BEYOND = 0.1
"""The part of the drawn range by which an open end of an interval goes beyond it."""


class _Mark(NamedTuple):
    """A number with its interval, and the key of its row."""

    key: str
    value: Optional[float]
    low: float
    high: float


def plotted(answer: Answer, column: Optional[str], library: Optional[str]) -> Any:
    """The chart of a column with the library, or with the first that is installed."""
    if library is None:
        library = next((one for one in LIBRARIES if importlib.util.find_spec(one) is not None), None)
        if library is None:
            raise usage("plot() needs altair or matplotlib, and neither is installed", "pip install altair; pictures() draws SVG without them")
    if not isinstance(library, str) or library not in LIBRARIES:
        raise usage(f"library={shown(library)} is not a library for charts", 'write library="altair" or library="matplotlib"')
    column = _column(answer, column)
    marks = _marks(answer, column)
    title = "; ".join(mark.split(":")[0] for mark in answer._marks())
    title = f"{title + ': ' if title else ''}{column}, with {answer.confidence} intervals of the noise"
    installed(library, "plot()")
    return _altair(marks, column, title) if library == "altair" else _matplotlib(marks, column, title)


def _column(answer: Answer, column: Optional[str]) -> str:
    if column is None:
        column = next((one for one in answer.columns if one in answer.intervals), None)
        if column is None:
            raise usage("the answer has no column of numbers", "plot an answer with a count, a sum or an average")
    if column not in answer.intervals:
        known = ", ".join(repr(one) for one in answer.intervals)
        raise usage(f"the answer has no intervals of a column {shown(column)}", f"it has those of {known or 'none'}")
    return column


def _marks(answer: Answer, column: str) -> List[_Mark]:
    keys = [at for at, name in enumerate(answer.columns) if name not in answer.intervals]
    names = [", ".join("(none)" if row[at] is None else str(row[at]) for at in keys) or "all" for row in answer.rows]
    values, ends = [_float(one) for one in answer[column]], [(_float(low), _float(high)) for low, high in answer.intervals[column]]
    known = [one for one in [*values, *(end for both in ends for end in both)] if one is not None]
    least, most = min(known, default=0.0), max(known, default=1.0)
    beyond = (most - least or 1.0) * _BEYOND
    return [
        # An open end is drawn beyond all numbers.
        _Mark(name, value, least - beyond if low is None else low, most + beyond if high is None else high)
        for name, value, (low, high) in zip(names, values, ends)
    ]


def _float(value: object) -> Optional[float]:
    if value is None or (isinstance(value, (int, Fraction)) and not isinstance(value, bool)):
        return None if value is None else float(value)
    raise usage("the column has dates, which plot() does not draw", "draw to_pandas() or to_polars() yourself")


def _altair(marks: List[_Mark], column: str, title: str) -> Any:
    altair = installed("altair", "plot()")
    values: List[Dict[str, Any]] = [mark._asdict() for mark in marks]
    base = altair.Chart(altair.Data(values=values), title=title)
    across = altair.X("key:N", sort=None, title=None)
    bars = base.mark_rule().encode(x=across, y=altair.Y("low:Q", title=column), y2="high:Q")
    return bars + base.mark_point(filled=True).encode(x=across, y="value:Q")


def _matplotlib(marks: List[_Mark], column: str, title: str) -> Any:
    pyplot = installed("matplotlib.pyplot", "plot()")
    _, axes = pyplot.subplots()
    places = list(range(len(marks)))
    axes.vlines(places, [mark.low for mark in marks], [mark.high for mark in marks])
    drawn = [(at, mark.value) for at, mark in zip(places, marks) if mark.value is not None]
    axes.plot([at for at, _ in drawn], [value for _, value in drawn], "o")
    axes.set_xticks(places, [mark.key for mark in marks])
    axes.set_ylabel(column)
    axes.set_title(title)
    return axes
