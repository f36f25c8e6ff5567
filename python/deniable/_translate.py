"""Translations of promises to other notions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _deniable
from ._exact import Exact, given, names, prior_range
from ._page import page, text
from ._progress import wait

if TYPE_CHECKING:
    import pandas


class Translation(NamedTuple):
    """The consequence of a statement in the terms of another notion.

    >>> import deniable as dn
    >>> [row] = dn.translate("odds=3", to="posterior", prior="1/2")
    >>> row.value, row.direction
    ('3/4', 'implies')
    """

    source: str
    """The statement."""
    notion: str
    """The notion that was translated to."""
    value: str
    """The parameter, exact or between two decimals; ``-`` if there is no parameter."""
    decimal: str
    """The same as a decimal, rounded so that it does not claim more."""
    direction: str
    """``equivalent``, ``implies``, ``implied by``, ``no implication``, ``not known`` or ``vacuous``."""
    tight: bool
    """Whether the value is attained, or approached."""
    partial: bool
    """Whether it holds for some adjacent pairs only."""
    theorems: Tuple[str, ...]
    """The entries of docs/theorems that prove it."""
    note: str
    """Conditions, tightness, or the counterexample."""


class Translations(List[Translation]):
    """The translations of a statement, in the order of the targets: a list that prints as a table.

    >>> import deniable as dn
    >>> print(dn.translate("odds=3", to="posterior", prior="1/2"))
    odds=3
    <BLANKLINE>
    notion                      value  decimal  direction  theorem
    posterior-at-most@1/2..1/2  3/4    0.75     implies    F-DI, B-4
        for priors up to 1/2; tight
    """

    def __init__(self, rows: Iterable[Translation], text: str) -> None:
        super().__init__(rows)
        self._text = text

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def _repr_html_(self) -> str:
        return page(text(self))

    def to_pandas(self) -> "pandas.DataFrame":
        """The table as a frame, with a row for each translation."""
        import pandas as pd

        frame: "pandas.DataFrame" = pd.DataFrame(list(self), columns=Translation._fields)
        return frame

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Translations, (list(self), self._text))


def translate(
    statement: Union[str, Sequence[str]],
    *,
    to: Union[None, str, Sequence[str]] = None,
    prior: Union[None, Exact, Tuple[Exact, Exact]] = None,
    chance: Optional[Exact] = None,
) -> Translations:
    """Translates a privacy promise to other notions, with a proof or a counterexample (docs/notions).

    >>> import deniable as dn
    >>> [row.notion for row in dn.translate("gain=3/2", prior=("1/5", "4/5"), to="odds")][0]
    'odds'
    >>> [row] = dn.translate(["odds=3/2", "odds=2"], to="odds")
    >>> row.value
    '3'

    Statements that hold but for a chance, as ``epsilon=1,delta=1/1000000``, ``zcdp=1/2``, ``gaussian=1`` or ``100xodds=101/100`` for a
    hundred releases, have bounds of odds and beliefs but for a chance:

    >>> dn.translate("zcdp=1/2", to="posterior-at-most", prior="1/10")[0].decimal
    '0.972329'

    :param statement: the statement that holds, ``gain=3/2``, ``epsilon=1``, ``rho=1/2:100``; several releases about the same people are composed.
    :param to: the notions to translate to, ``epsilon``, ``rho:100``; by default all.
    :param prior: the range of uncertain priors.
    :param chance: the chance but for which odds and beliefs are bounded, one in a million by default for such statements.
    """
    several = not isinstance(statement, str)
    targets = [] if to is None else names(to, "to=")
    shown, written = wait(_deniable.translate(names(statement, "the statement"), targets, prior_range(prior), several, None if chance is None else given(chance)))
    rows = (
        Translation(
            row["from"],
            row["notion"],
            row["value"],
            row["decimal"],
            row["direction"],
            row["tight"],
            row["partial"],
            tuple(row["theorems"]),
            row["note"],
        )
        for row in json.loads(written)
    )
    return Translations(rows, shown)
