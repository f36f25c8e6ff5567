"""Answers with their intervals, noise, guarantee and pictures."""

from __future__ import annotations

import datetime
import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import _deniable
from ._errors import Error, usage
from ._exact import number, read
from ._page import listed, page, pictures, prose

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Value = Union[None, bool, int, str, Fraction, datetime.date, datetime.datetime]
"""A key or a number: numbers are whole, or fractions that keep every digit."""
Interval = Tuple[Value, Value]
"""The ends of an interval; ``None`` if unbounded."""


class Belief(NamedTuple):
    """The range of a posterior for a prior.

    >>> import deniable as dn
    >>> dn.Policy("examples/clinic/policy.toml").guarantee.beliefs[0].before
    Fraction(1, 5)
    """

    before: Fraction
    """The belief beforehand that a given person is in the data."""
    at_least: Fraction
    """The lowest belief afterwards, rounded down to whole percents."""
    at_most: Fraction
    """The highest belief afterwards, rounded up to whole percents."""


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


class Guarantee:
    """The promises, the protected people, the assumptions, and the observers outside the guarantee.

    >>> import deniable as dn
    >>> guarantee = dn.Policy("examples/clinic/policy.toml").guarantee
    >>> guarantee.odds, guarantee.epsilon
    (Fraction(3, 1), '1.0987')
    """

    __slots__ = ("_pictures", "odds", "exact", "epsilon", "promises", "adversary", "beliefs", "assumptions", "outside", "theorem", "family")

    odds: Optional[Fraction]
    """R, the largest factor by which the odds about any person change through everything ever released about these people."""
    exact: bool
    """Whether ``odds`` is R itself; if R is e^ε it is rounded up."""
    epsilon: str
    """ln R as a decimal, rounded up."""
    promises: Tuple[str, ...]
    """The promises in words."""
    adversary: Tuple[str, ...]
    """Against whom."""
    beliefs: Tuple[Belief, ...]
    """The posteriors for some priors."""
    assumptions: Tuple[str, ...]
    """The assumptions of the guarantee."""
    outside: Tuple[str, ...]
    """Observers who can learn more."""
    theorem: str
    """The entry of docs/theorems that proves it."""
    family: str
    """The family of priors that it covers."""

    def __init__(self, statement: Mapping[str, Any]) -> None:
        self._pictures: List[Tuple[str, str]] = []
        try:
            self.odds = read(statement["odds"])
        except Error:
            # e^ε is not a fraction; a policy has it rounded up.
            self.odds = None
        self.exact = self.odds is not None
        self.epsilon = statement["epsilon"]
        self.promises = tuple(statement["promises"])
        self.adversary = tuple(statement["adversary"])
        self.beliefs = tuple(
            Belief(read(one["before"]), read(one["at_least"]), read(one["at_most"])) for one in statement["beliefs"]
        )
        self.assumptions = tuple(statement["assumptions"])
        self.outside = tuple(statement["outside"])
        self.theorem = statement["theorem"]
        self.family = statement["family"]

    @classmethod
    def _of_policy(cls, written: str, odds: Fraction, exact: bool, pictures: List[Tuple[str, str]]) -> Guarantee:
        made = cls(json.loads(written))
        made.odds, made.exact, made._pictures = number(odds), exact, pictures
        return made

    def __str__(self) -> str:
        lines = ["What is promised:", *self._list(self.promises), "Against:", *self._list(self.adversary)]
        lines += ["Provided that:", *self._list(self.assumptions), "Outside this are:", *self._list(self.outside)]
        return "\n".join(lines)

    @staticmethod
    def _list(sentences: Tuple[str, ...]) -> List[str]:
        return [f"  - {sentence}" for sentence in sentences]

    def __repr__(self) -> str:
        return f"Guarantee(odds={self.odds!r}, promises={self.promises!r})"

    def _repr_html_(self) -> str:
        return page(
            listed("What is promised, about everything released here, now and later, together", self.promises),
            pictures(self._pictures),
            listed("Against", self.adversary),
            listed("Provided that", self.assumptions),
            listed("Outside this are", self.outside),
        )


REHEARSAL = "REHEARSAL: made-up rows, drawn from the policy alone: nothing here is about a person"
"""The first line of answers of a rehearsal."""


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
    >>> low, high = answer.intervals["visits"][0]
    >>> low < high
    True
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
        "guarantee",
        "consistent",
        "taken_from",
        "rehearsal",
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
    """For each column of numbers the class of each row: ``A``, ``B``, ``C``, ``noise only`` or ``not usable``."""
    noise: Tuple[Noise, ...]
    """The noise of each measure."""
    confidence: str
    """The confidence of the intervals: ``95%``."""
    warnings: Tuple[str, ...]
    """Rules by which declarations can bias the answer."""
    guarantee: Guarantee
    """The guarantee about everything released about these people."""
    consistent: Optional[bool]
    """Whether levels were made to add up; ``None`` if there is only one level."""
    taken_from: Optional[str]
    """The stored answer that contains these numbers."""
    rehearsal: bool
    """Whether it is about made-up rows, and about no person."""
    withdrawn: Optional[Withdrawal]
    """The curator's withdrawal of the answer, with the day and the reason; ``None`` unless it was withdrawn."""

    def __init__(self, answer: Mapping[str, Any], confidence: str, guarantee: Guarantee, written: str, rehearsal: bool = False) -> None:
        self._json, self.rehearsal = written, rehearsal
        self.name, self.sql = answer["name"], answer["sql"]
        self.share, self.odds = read(answer["share"]), answer["odds"]
        self.columns = tuple(answer["columns"])
        self.confidence, self.guarantee = confidence, guarantee
        self.warnings = tuple(answer["warnings"])
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
        import pyarrow

        return pyarrow.table(self)

    def to_polars(self) -> polars.DataFrame:
        """The same table as a data frame of polars, which must be installed."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The same table as a data frame of pandas, which must be installed, and pyarrow."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas()
        return frame

    def to_dict(self) -> Dict[str, Any]:
        """The answer as ``deniable ask --format json`` writes it. Numbers are ints and floats: ``rows`` has every digit."""
        copy: Dict[str, Any] = json.loads(self._json)
        return copy

    def to_json(self) -> str:
        """The answer as ``deniable ask --format json`` writes it, with every digit."""
        return self._json

    def pictures(self) -> List[Tuple[str, str]]:
        """The pictures as SVG, each with its caption; empty if there are too many rows."""
        return _deniable.answer_pictures(self._json)

    def __iter__(self) -> Iterator[Tuple[Value, ...]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        mark = f"{REHEARSAL}\n\n" if self.rehearsal else ""
        return mark + _deniable.answer_text(self._json, self.confidence).rstrip("\n")

    def __repr__(self) -> str:
        withdrawn = "" if self.withdrawn is None else ", withdrawn"
        return f"Answer({self.name!r}, columns={self.columns!r}, rows={len(self.rows)}{withdrawn})"

    def _repr_html_(self) -> str:
        inside = _deniable.answer_html(self._json, self.confidence)
        promises = prose("; ".join(self.guarantee.promises))
        if self.rehearsal:
            inside = f"<p><strong>{REHEARSAL}</strong></p>{inside}"
        return page(inside, f"<p>Promised about everything released about these people: {promises}.</p>")

    def __reduce__(self) -> str:
        raise TypeError("an Answer is not pickled: keep to_json(), to_arrow() or to_polars()")


class Release(Mapping[str, Answer]):
    """The answers to a policy's queries, by name, in their order: they may be published.

    >>> import deniable as dn, warnings
    >>> warnings.simplefilter("ignore", dn.LedgerWarning)
    >>> with dn.Policy("examples/clinic/policy.toml").session(ledger=":memory:") as session:
    ...     release = session.release("visits by sex", "total cost")
    >>> list(release)
    ['visits by sex', 'total cost']
    """

    __slots__ = ("_answers", "_json", "policy", "population", "table", "version", "rehearsal", "guarantee", "unanswered")

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
    guarantee: Guarantee
    """The guarantee about everything released about these people."""
    unanswered: Dict[str, str]
    """Queries that are paid for and have no answer yet, with the reason: the same query asked again resumes at no cost. For the curator."""

    def __init__(self, written: str, unanswered: Mapping[str, str] = {}) -> None:
        publication = _loads(written)
        plain = json.loads(written, parse_float=_Digits, parse_int=_Digits)
        self._json = written
        self.policy, self.population = publication["policy"], publication["population"]
        self.rehearsal = publication.get("rehearsal", False)
        self.table, self.version = publication["data"]["table"], publication["data"]["version"]
        self.guarantee = Guarantee(publication["guarantee"])
        self.unanswered = dict(unanswered)
        self._answers: Dict[str, Answer] = {}
        for answer, digits in zip(publication["answers"], plain["answers"]):
            if self.rehearsal:
                digits = {"rehearsal": True, **digits}
            made = Answer(answer, publication["confidence"], self.guarantee, _dumps(digits), self.rehearsal)
            self._answers[answer["name"]] = made

    def __getitem__(self, name: str) -> Answer:
        if name in self._answers:
            return self._answers[name]
        if name in self.unanswered:
            raise usage(f"{name!r} has no answer: {self.unanswered[name]}", "ask the same query again: it resumes at no cost")
        raise KeyError(name)

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

    def __reduce__(self) -> str:
        raise TypeError("a Release is not pickled: keep to_json()")


class _Digits(str):
    """A number of JSON with all its digits."""


def _loads(written: str) -> Any:
    return json.loads(written, parse_float=_exactly)


def _exactly(digits: str) -> Fraction:
    return number(Fraction(digits))


def _dumps(value: Any) -> str:
    """JSON with the digits unchanged."""
    if isinstance(value, _Digits):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {_dumps(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_dumps(one) for one in value) + "]"
    return json.dumps(value)


def _scalar(value: Any, released: bool = False) -> Value:
    """A key or a number; days and times among released numbers are texts of ISO 8601."""
    if released and isinstance(value, str):
        text = value.replace("Z", "+00:00")
        return datetime.date.fromisoformat(text) if len(text) == 10 else datetime.datetime.fromisoformat(text)
    if isinstance(value, Fraction) and value.denominator == 1:
        return int(value)
    known: Value = value
    return known
