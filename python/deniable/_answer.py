"""Answers with their intervals, noise and pictures."""

from __future__ import annotations

import datetime
import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple, TypeVar, Union

from . import _deniable
from ._errors import Error, no_key, shown, usage
from ._exact import number, read, short, text, truth
from ._export import Path, csv_text, installed, written_to
from ._guarantee import Guarantee
from ._json import digits_of, dumps, loads
from ._page import REHEARSAL, page, prose

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Value = Union[None, bool, int, str, Fraction, datetime.date, datetime.datetime]
"""A key or a number: numbers are whole, or fractions that keep every digit."""
Interval = Tuple[Value, Value]
"""The ends of an interval; ``None`` if unbounded."""


class Row(Tuple[Value, ...]):
    """A row of an answer: a tuple that knows the names of its columns, so that ``pandas.DataFrame(answer)`` has them."""

    _fields: Tuple[str, ...]

    def __new__(cls, values: Iterable[Value], fields: Tuple[str, ...]) -> Row:
        made = super().__new__(cls, values)
        made._fields = fields
        return made

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Row, (tuple(self), self._fields))


class Noise(NamedTuple):
    """The noise of one measure of an answer.

    >>> import deniable as dn
    >>> dn.Noise("COUNT(*)", "geometric", "1", "9.5", "29", "9/10").kind
    'geometric'
    """

    measure: str
    """The measure."""
    kind: str
    """The mechanism: ``geometric`` (added to each cell), ``permute-and-flip`` (a value chosen by its rank), ``tree``, ``selection``."""
    sensitivity: str
    """The largest change by one person."""
    scale: Optional[str]
    """The scale of the added noise, rounded up."""
    margin: str
    """The noise stays within this with the answer's confidence."""
    decay: str
    """The ratio of the probabilities of neighbouring noise values, exact."""


class Withdrawal(NamedTuple):
    """The curator's statement that an answer is wrong. Its numbers stay as they were released.

    >>> import datetime, deniable as dn
    >>> dn.Withdrawal(datetime.date(2026, 11, 27), "the cap of rows was wrong").reason
    'the cap of rows was wrong'
    """

    on: datetime.date
    """The day (UTC)."""
    reason: str
    """The reason, in the curator's words."""


TEST = "TEST: the ledger that counted this answer was temporary: an answer about people is not for publication"
"""The first line of answers of ``deniable.testing``."""


class Answer:
    """The answer to a query: it may be published.

    It is a table, and exports Arrow: ``polars.DataFrame(answer)``, ``pyarrow.table(answer)``, ``duckdb.from_arrow(answer)``.

    >>> import deniable as dn, warnings
    >>> warnings.simplefilter("ignore", dn.LedgerWarning)
    >>> with dn.Policy("examples/clinic/policy.toml").session(ledger=":memory:") as session:
    ...     answer = session.ask("SELECT sex, COUNT(*) AS visits FROM visits GROUP BY sex", spend="1/40")
    >>> answer.columns
    ('sex', 'visits')
    >>> [sex for sex, visits in answer]
    ['F', 'M', None]
    >>> answer["sex"]
    ('F', 'M', None)
    >>> low, high = answer.intervals["visits"][0]
    >>> low < high
    True

    Answers are equal if they have the same content, and can be pickled.
    """

    __slots__ = (
        "_json",
        "name",
        "sql",
        "share",
        "odds",
        "columns",
        "rows",
        "intervals",
        "population_intervals",
        "standard_errors",
        "quality",
        "noise",
        "confidence",
        "warnings",
        "advice",
        "guarantee",
        "consistent",
        "taken_from",
        "rehearsal",
        "test",
        "withdrawn",
    )

    name: str
    """The name of the query."""
    sql: str
    """The query."""
    share: Fraction
    """The part of ln R that it used."""
    odds: str
    """The factor by which it may have changed odds, in words: ``3^(1/40) (at most 1.0279)``."""
    columns: Tuple[str, ...]
    """The names of the columns."""
    rows: Tuple[Tuple[Value, ...], ...]
    """The rows: keys, and released numbers with every digit; ``None`` where a number is undefined or hidden."""
    intervals: Dict[str, List[Interval]]
    """For each column of numbers the interval of each row, which accounts for the noise with the stated confidence."""
    population_intervals: Dict[str, List[Optional[Interval]]]
    """For columns of averages of a sampled policy, intervals for the population's number (M-POP)."""
    standard_errors: Dict[str, List[Optional[Fraction]]]
    """For each column of numbers the standard error of each row's noise, rounded up."""
    quality: Dict[str, List[Optional[str]]]
    """For each column of numbers the class of each row: ``A``, ``B``, ``C``, ``bias unknown`` or ``not usable``."""
    noise: Tuple[Noise, ...]
    """The noise of each measure."""
    confidence: str
    """The confidence of the intervals: ``95%``."""
    warnings: Tuple[str, ...]
    """Rules by which declarations can bias the answer."""
    advice: Tuple[str, ...]
    """What the curator could change for better classes."""
    guarantee: Guarantee
    """The guarantee about everything released about these people."""
    consistent: Optional[bool]
    """Whether levels were made to add up; ``None`` if there is only one level."""
    taken_from: Optional[str]
    """The stored answer that contains these numbers."""
    rehearsal: bool
    """Whether it is about made-up rows, and about no person."""
    test: bool
    """Whether it is of ``deniable.testing``, with a ledger that no longer exists."""
    withdrawn: Optional[Withdrawal]
    """The curator's withdrawal of the answer, with the day and the reason; ``None`` unless it was withdrawn."""

    def __init__(self, answer: Mapping[str, Any], confidence: str, guarantee: Guarantee, written: str) -> None:
        self._json = written
        self.rehearsal, self.test = answer.get("rehearsal") is True, answer.get("test") is True
        self.name, self.sql = answer["name"], answer["sql"]
        self.share, self.odds = read(answer["share"]), answer["odds"]
        self.columns = tuple(answer["columns"])
        self.confidence, self.guarantee = confidence, guarantee
        self.warnings, self.advice = tuple(answer["warnings"]), tuple(answer.get("advice", ()))
        self.consistent, self.taken_from = answer.get("consistent"), answer.get("taken_from")
        withdrawn = answer.get("withdrawn")
        self.withdrawn = None if withdrawn is None else Withdrawal(datetime.date.fromisoformat(withdrawn["on"]), withdrawn["reason"])
        self.noise = tuple(
            Noise(one["measure"], one["kind"], one["sensitivity"], one.get("scale"), one["margin"], one["decay"])
            for one in answer["noise"]
        )
        rows: List[Tuple[Value, ...]] = []
        self.intervals, self.population_intervals, self.standard_errors, self.quality = {}, {}, {}, {}
        for row in answer["rows"]:
            rows.append(tuple(self._cell(name, cell) for name, cell in zip(self.columns, row)))
        self.rows = tuple(rows)

    def _cell(self, name: str, cell: Any) -> Value:
        if not isinstance(cell, dict):
            return _scalar(cell)
        if "label" in cell:
            label: str = cell["label"]
            return label
        self.intervals.setdefault(name, []).append((_scalar(cell["low"], True), _scalar(cell["high"], True)))
        error = cell.get("standard_error")
        self.standard_errors.setdefault(name, []).append(None if error is None else number(Fraction(error)))
        self.quality.setdefault(name, []).append(cell.get("quality"))
        if cell.get("population") is not None:
            low, high = cell["population"]
            self.population_intervals.setdefault(name, []).append((_scalar(low, True), _scalar(high, True)))
        return None if cell.get("hidden") is not None else _scalar(cell["value"], True)

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        stream = _deniable.answer_table(self._json)
        return stream.__arrow_c_stream__(requested_schema)  # type: ignore[union-attr]

    def to_arrow(self) -> pyarrow.Table:
        """The answer as a table of pyarrow, which must be installed: keys, numbers, and beside each number ``_low``, ``_high`` and ``_quality``.

        Whole numbers are 64-bit integers, others the nearest double; ``rows`` has every digit.

        >>> import deniable as dn, warnings
        >>> warnings.simplefilter("ignore", dn.LedgerWarning)
        >>> with dn.Policy("examples/clinic/policy.toml").session(ledger=":memory:") as session:
        ...     session.ask("SELECT COUNT(*) AS visits FROM visits", spend="1/40").to_arrow().column_names
        ['visits', 'visits_low', 'visits_high', 'visits_quality']
        """
        return installed("pyarrow", "to_arrow()").table(self)

    def to_polars(self) -> polars.DataFrame:
        """The same table as a data frame of polars, which must be installed."""
        frame: polars.DataFrame = installed("polars", "to_polars()").DataFrame(self)
        return frame

    def to_pandas(self, *, intervals: bool = True) -> pandas.DataFrame:
        """The same table as a data frame of pandas, which must be installed, and pyarrow.

        :param intervals: whether the columns ``_low``, ``_high`` and ``_quality`` are included.
        """
        installed("pandas", "to_pandas()")
        installed("pyarrow", "to_pandas()")
        frame: pandas.DataFrame = self.to_arrow().to_pandas()
        return frame if truth(intervals, "intervals=") else frame[list(self.columns)]

    def to_csv(self, path: Optional[Path] = None) -> str:
        """The same table as CSV with every digit; written to a file if a path is given. Missing values are empty.

        >>> import deniable as dn, warnings
        >>> warnings.simplefilter("ignore", dn.LedgerWarning)
        >>> with dn.Policy("examples/clinic/policy.toml").session(ledger=":memory:") as session:
        ...     session.ask("SELECT COUNT(*) AS visits FROM visits", spend="1/40").to_csv().splitlines()[0]
        'visits,visits_low,visits_high,visits_quality'
        """
        return written_to(path, csv_text(self))

    def plot(self, *, column: Optional[str] = None, library: Optional[str] = None) -> Any:
        """A chart of one column of numbers, each with its interval: of altair or matplotlib, of which one must be installed.

        :param column: the column; by default the first one that has intervals.
        :param library: ``"altair"`` or ``"matplotlib"``; by default the first that is installed.
        :returns: an ``altair.Chart``, or the ``Axes`` of matplotlib.
        :raises UsageError: when neither library is installed, or the answer has no such column.
        """
        from ._plot import plotted

        return plotted(self, None if column is None else short(column, "column="), library)

    def to_dict(self) -> Dict[str, Any]:
        """The content of ``to_json``. Numbers are ints and floats: ``rows`` has every digit."""
        copy: Dict[str, Any] = json.loads(self.to_json())
        return copy

    def to_json(self) -> str:
        """The answer as an element of ``answers`` in the JSON of ``deniable ask --format json``, with every digit; and the ``confidence`` of its
        intervals and its ``guarantee``, which are beside ``answers`` there."""
        return f'{self._json[:-1]}, "confidence": {json.dumps(self.confidence)}, "guarantee": {self.guarantee._written}}}'

    @classmethod
    def from_json(cls, written: str, name: Optional[str] = None) -> Answer:
        """Reads an answer of ``to_json``, or one of those of ``deniable ask --format json`` and ``Release.to_json``. Nothing certifies that it
        was released: the ledger does.

        >>> import deniable as dn, warnings
        >>> warnings.simplefilter("ignore", dn.LedgerWarning)
        >>> with dn.Policy("examples/clinic/policy.toml").session(ledger=":memory:") as session:
        ...     answer = session.ask("SELECT COUNT(*) AS visits FROM visits", spend="1/40")
        >>> dn.Answer.from_json(answer.to_json()) == answer
        True

        :param written: the JSON.
        :param name: the name of the query, if the JSON has several answers.
        """
        known = _parsed(written)
        if "answers" in known:
            release = Release.from_json(written)
            if name is None and len(release) != 1:
                raise usage(f"the JSON has {len(release)} answers", "add name= of one of them, or read all by dn.Release.from_json")
            name = next(iter(release)) if name is None else short(name, "name=")
            if name not in release:
                raise usage(f"the JSON has no answer {shown(name)}", "it has " + ", ".join(repr(one) for one in release))
            return release[name]
        if "guarantee" not in known or "confidence" not in known:
            raise usage("the JSON has no guarantee", "keep answer.to_json(), or the whole output of `deniable ask --format json`")
        return _readable(lambda: _answer_of(known, digits_of(written)))

    def pictures(self) -> List[Tuple[str, str]]:
        """The pictures as SVG, each with its caption; empty if there are too many rows."""
        return _deniable.answer_pictures(self._json)

    def __getitem__(self, column: str) -> Tuple[Value, ...]:
        """The values of a column."""
        if not isinstance(column, str) or column not in self.columns:
            raise usage(f"the answer has no column {shown(column)}", "it has " + ", ".join(repr(one) for one in self.columns))
        at = self.columns.index(column)
        return tuple(row[at] for row in self.rows)

    def __iter__(self) -> Iterator[Tuple[Value, ...]]:
        # Only here: R converts plain tuples, and no others.
        return (Row(row, self.columns) for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        return "".join(f"{mark}\n\n" for mark in self._marks()) + _deniable.answer_text(self._json, self.confidence).rstrip("\n")

    def __repr__(self) -> str:
        withdrawn = "" if self.withdrawn is None else ", withdrawn"
        test = "TEST, " if self.test else ""
        return f"Answer({test}{self.name!r}, columns={self.columns!r}, rows={len(self.rows)}{withdrawn})"

    def _marks(self) -> List[str]:
        return [REHEARSAL] * self.rehearsal + [TEST] * self.test

    def _repr_html_(self) -> str:
        inside = _deniable.answer_html(self._json, self.confidence)
        promises = prose("; ".join(self.guarantee.promises))
        inside = "".join(f"<p><strong>{mark}</strong></p>" for mark in self._marks()) + inside
        return page(inside, f"<p>Promised about everything released about these people: {promises}.</p>")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Answer):
            return NotImplemented
        return digits_of(self._json) == digits_of(other._json) and (self.confidence, self.guarantee) == (other.confidence, other.guarantee)

    def __hash__(self) -> int:
        return hash((self.name, self.sql, self.rows))

    def __reduce__(self) -> Tuple[Any, Tuple[str]]:
        return (Answer.from_json, (self.to_json(),))


def _answer_of(answer: Mapping[str, Any], digits: Dict[str, Any]) -> Answer:
    """An answer of JSON that has its guarantee."""
    guarantee = Guarantee(answer["guarantee"], dumps(digits.pop("guarantee")))
    digits.pop("confidence")
    made = Answer(answer, text(answer["confidence"], "the confidence"), guarantee, dumps(digits))
    # All that is drawn and printed is read by the library.
    _deniable.answer_text(made._json, made.confidence)
    return made


class Release(Mapping[str, Answer]):
    """The answers to a policy's queries, by name, in their order: they may be published.

    >>> import deniable as dn, warnings
    >>> warnings.simplefilter("ignore", dn.LedgerWarning)
    >>> with dn.Policy("examples/clinic/policy.toml").session(ledger=":memory:") as session:
    ...     release = session.release("visits by sex", "total cost")
    >>> list(release)
    ['visits by sex', 'total cost']
    """

    __slots__ = ("_answers", "_json", "policy", "population", "table", "version", "rehearsal", "test", "guarantee", "unanswered")

    policy: str
    """The policy's name."""
    population: str
    """The population of the policy."""
    table: str
    """The main table."""
    version: str
    """The declared version of its data."""
    rehearsal: bool
    """Whether the answers are about made-up rows, and about no person."""
    test: bool
    """Whether they are of ``deniable.testing``, with a ledger that no longer exists."""
    guarantee: Guarantee
    """The guarantee about everything released about these people."""
    unanswered: Dict[str, str]
    """Queries that are paid for and have no answer yet, with the reason: the same query asked again resumes at no cost. For the curator."""

    def __init__(self, written: str, unanswered: Mapping[str, str] = {}, test: bool = False) -> None:
        publication, digits = loads(written), digits_of(written)
        if test:
            digits = {"test": True, **digits}
        self._json = dumps(digits) if test else written
        self.policy, self.population = publication["policy"], publication["population"]
        self.rehearsal, self.test = publication.get("rehearsal", False), test or publication.get("test") is True
        self.table, self.version = publication["data"]["table"], publication["data"]["version"]
        self.guarantee = Guarantee(publication["guarantee"], dumps(digits["guarantee"]))
        self.unanswered = dict(unanswered)
        self._answers: Dict[str, Answer] = {}
        marks = {mark: True for mark, marked in (("rehearsal", self.rehearsal), ("test", self.test)) if marked}
        for answer, own in zip(publication["answers"], digits["answers"]):
            made = Answer({**marks, **answer}, publication["confidence"], self.guarantee, dumps({**marks, **own}))
            self._answers[answer["name"]] = made

    @classmethod
    def from_json(cls, written: str) -> Release:
        """Reads the JSON of ``to_json``, ``deniable release --format json`` or ``deniable ask --format json``. Nothing certifies that it was
        released: the ledger does."""
        known = _parsed(written)
        if "answers" not in known:
            raise usage("this is not a release: it has no `answers`", "give the text of release.to_json()")

        def made() -> Release:
            release = cls(written)
            for answer in release.values():
                _deniable.answer_text(answer._json, answer.confidence)
            return release

        return _readable(made)

    def __getitem__(self, name: str) -> Answer:
        if isinstance(name, str) and name in self._answers:
            return self._answers[name]
        if isinstance(name, str) and name in self.unanswered:
            raise usage(f"{name!r} has no answer: {self.unanswered[name]}", "ask the same query again: it resumes at no cost")
        raise no_key("the release", name, self._answers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def to_json(self) -> str:
        """The JSON of ``deniable release --format json``, with every digit."""
        return self._json

    def __str__(self) -> str:
        return "\n\n".join(str(answer) for answer in self._answers.values())

    def __repr__(self) -> str:
        return f"Release({list(self._answers)!r})"

    def _repr_html_(self) -> str:
        return "".join(answer._repr_html_() for answer in self._answers.values())

    def __reduce__(self) -> Tuple[Any, Tuple[Any, ...]]:
        return (Release, (self._json, self.unanswered))


_Made = TypeVar("_Made", Answer, Release)


def _readable(make: Callable[[], _Made]) -> _Made:
    """Makes an answer of JSON; an error does not quote its content."""
    try:
        return make()
    except (Error, KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise usage("this is JSON, but not of an answer", "give the text of answer.to_json() or release.to_json(), unchanged") from None


def _parsed(written: object) -> Mapping[str, Any]:
    try:
        known = loads(text(written, "the JSON of an answer"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, Error):
            raise
        raise usage("this is not JSON", "give the text of answer.to_json()") from None
    if not isinstance(known, dict):
        raise usage("this is JSON, but not of an answer", "give the text of answer.to_json()")
    return known


def _scalar(value: Any, released: bool = False) -> Value:
    """A key or a number; days and times among released numbers are texts of ISO 8601."""
    if released and isinstance(value, str):
        text = value.replace("Z", "+00:00")
        return datetime.date.fromisoformat(text) if len(text) == 10 else datetime.datetime.fromisoformat(text)
    if isinstance(value, Fraction) and value.denominator == 1:
        return int(value)
    known: Value = value
    return known
