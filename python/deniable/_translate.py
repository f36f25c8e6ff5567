"""Translations of promises to other notions."""

from __future__ import annotations

import json
from typing import List, NamedTuple, Sequence, Tuple, Union

from . import _deniable
from ._exact import Exact, names, prior_range
from ._progress import wait


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


def translate(
    statement: Union[str, Sequence[str]],
    *,
    to: Union[None, str, Sequence[str]] = None,
    prior: Union[None, Exact, Tuple[Exact, Exact]] = None,
) -> List[Translation]:
    """Translates a privacy promise to other notions, with a proof or a counterexample (docs/notions).

    >>> import deniable as dn
    >>> [row.notion for row in dn.translate("gain=3/2", prior=("1/5", "4/5"), to="odds")][0]
    'odds'
    >>> [row] = dn.translate(["odds=3/2", "odds=2"], to="odds")
    >>> row.value
    '3'

    :param statement: the statement that holds, ``gain=3/2``, ``epsilon=1``, ``rho=1/2:100``; several releases about the same people are composed.
    :param to: the notions to translate to, ``epsilon``, ``rho:100``; by default all.
    :param prior: the range of uncertain priors.
    """
    several = not isinstance(statement, str)
    targets = [] if to is None else names(to, "to=")
    _, written = wait(_deniable.translate(names(statement, "the statement"), targets, prior_range(prior), several))
    return [
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
    ]
