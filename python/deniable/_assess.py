"""Assessments of anonymised tables."""

from __future__ import annotations

import html
import json
import logging
import os
from fractions import Fraction
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

from . import _deniable
from ._arrow import ArrowTable, table
from ._errors import no_key
from ._exact import Exact, dictionary, exact, names, number, path, prior_range, short, wholes
from ._progress import wait

Table = Union[str, "os.PathLike[str]", ArrowTable]
"""A file of CSV or Parquet, or a table in memory."""

_LOG = logging.getLogger("deniable")


class Assessment(Mapping[str, Any]):
    """The findings: the keys of ``deniable assess --format json``, numbers exact.

    >>> import deniable as dn
    >>> found = dn.assess("examples/ward/published.csv", quasi=["zip", "age", "sex"], sensitive=["condition"])
    >>> "sizes" in found or len(found) > 0
    True
    """

    __slots__ = ("_text", "_found", "_page", "met")

    met: bool
    """Whether all requirements are met; true if there are none."""

    def __init__(self, text: str, found: Mapping[str, Any], page: str, met: bool) -> None:
        self._text, self._found, self._page, self.met = text, found, page, met

    def __getitem__(self, key: str) -> Any:
        if not isinstance(key, str) or key not in self._found:
            raise no_key("the assessment", key, self._found)
        return self._found[key]

    def __iter__(self) -> Any:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    @property
    def page(self) -> str:
        """The page with pictures, as HTML. It contains measurements of the tables: it is for the curator."""
        return self._page

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"Assessment({list(self._found)!r}, met={self.met})"

    def _repr_html_(self) -> str:
        return f"<iframe srcdoc='{html.escape(self._page, quote=True)}' style='width:100%;height:40em;border:0' title='assessment'></iframe>"


def assess(
    table_: Table,
    *,
    quasi: Union[str, Sequence[str]],
    sensitive: Union[str, Sequence[str]] = (),
    background: Optional[Table] = None,
    original: Optional[Table] = None,
    auxiliary: Optional[Table] = None,
    hierarchy: Mapping[str, Union[str, "os.PathLike[str]"]] = {},
    distance: Mapping[str, str] = {},
    literal: Union[str, Sequence[str]] = (),
    empty: str = "refuse",
    nulls: Union[str, Sequence[str]] = (),
    quote: str = "double",
    accept: Union[str, Sequence[str]] = (),
    prior: Union[None, Exact, Tuple[Exact, Exact]] = None,
    threshold: Optional[Exact] = None,
    recursive: Sequence[int] = (),
    require: Optional[str] = None,
) -> Assessment:
    """Measures what an anonymised table reveals: k, l, t, beliefs, presence and linkage, exactly (docs/how-to/assess.md). Nothing is charged.

    >>> import deniable as dn
    >>> found = dn.assess("examples/ward/published.csv", quasi=["zip", "age", "sex"], sensitive=["condition"], require="k=2")
    >>> found.met in (True, False)
    True

    :param table_: the table that is or will be published.
    :param quasi: the columns by which a person could be recognised.
    :param sensitive: the columns that are secret.
    :param background: people who could be in the table, with raw values.
    :param original: the table before anonymisation.
    :param auxiliary: people whom an attacker looks for.
    :param hierarchy: for columns, files that define the generalised cells.
    :param distance: for sensitive columns, ``equal``, ``ordered``, ``ordered:low|mid|high`` or ``hierarchy``.
    :param literal: columns whose cells are taken as written.
    :param empty: the meaning of an empty cell: ``refuse``, ``suppressed`` or ``value``.
    :param nulls: texts that mean an empty cell, such as ``NA``.
    :param quote: ``none`` for CSV that is written without quoting.
    :param accept: quirks of CSV that are accepted, such as ``csv:line-ends``.
    :param prior: the priors of observers about presence; needs a background.
    :param threshold: the probability of re-identification above which a person is at risk.
    :param recursive: the l for which recursive (c,l)-diversity is reported.
    :param require: the requirements for the table: ``k=5,l=2,epsilon-bop=1``.
    """

    def one(rows: Optional[Table], name: str) -> Union[None, str, ArrowTable]:
        if rows is None:
            return None
        return path(rows, f"the {name}") if isinstance(rows, (str, os.PathLike)) else table(rows, f"the {name}")

    def columns(given: Union[str, Sequence[str]], what: str) -> List[str]:
        return [name for part in names(given, what) for name in part.split(",")]

    hierarchies = dictionary(hierarchy, "hierarchy=", '{"zip": "zip.csv"}').items()
    distances = dictionary(distance, "distance=", '{"condition": "equal"}').items()
    published = one(table_, "published table")
    arguments = dict(
        table=path(table_, "the published table") if published is None else published,
        background=one(background, "background"),
        original=one(original, "original"),
        auxiliary=one(auxiliary, "auxiliary"),
        quasi=columns(quasi, "quasi="),
        sensitive=columns(sensitive, "sensitive="),
        hierarchy=[(column, path(file, "hierarchy=")) for column, file in hierarchies],
        distance=[(column, short(text, "distance=")) for column, text in distances],
        literal=columns(literal, "literal="),
        empty=short(empty, "empty="),
        nulls=columns(nulls, "nulls="),
        quote="double" if quote is None else short(quote, "quote="),
        accept=names(accept, "accept="),
        prior=prior_range(prior),
        threshold=None if threshold is None else str(exact(threshold)),
        recursive=wholes(recursive, "recursive="),
        require=None if require is None else short(require, "require="),
    )
    call = _deniable.assess(arguments)
    text, written, page, met = wait(call)
    for _, warning in call.news():
        _LOG.warning("%s", warning)
    return Assessment(text, json.loads(written, parse_float=lambda digits: number(Fraction(digits))), page, bool(met))
