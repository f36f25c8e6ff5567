"""Guarantees: the promises, and the beliefs that they allow."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, List, Mapping, NamedTuple, Optional, Tuple

from ._errors import Error
from ._exact import number, read
from ._page import listed, page, pictures


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


class Guarantee:
    """The promises, the protected people, the assumptions, and the observers outside the guarantee.

    >>> import deniable as dn
    >>> guarantee = dn.Policy("examples/clinic/policy.toml").guarantee
    >>> guarantee.odds, guarantee.epsilon
    (Fraction(3, 1), '1.0987')
    """

    __slots__ = ("_pictures", "_written", "odds", "exact", "epsilon", "promises", "adversary", "beliefs", "assumptions", "outside", "theorem", "family")

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

    def __init__(self, statement: Mapping[str, Any], written: str) -> None:
        self._pictures: List[Tuple[str, str]] = []
        self._written = written
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
        made = cls(json.loads(written), written)
        made.odds, made.exact, made._pictures = number(odds), exact, pictures
        return made

    def __str__(self) -> str:
        lines = ["What is promised:", *self._list(self.promises), "Against:", *self._list(self.adversary)]
        lines += ["Provided that:", *self._list(self.assumptions), "Outside this are:", *self._list(self.outside)]
        return "\n".join(lines)

    @staticmethod
    def _list(sentences: Tuple[str, ...]) -> List[str]:
        return [f"  - {sentence}" for sentence in sentences]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Guarantee) and json.loads(self._written) == json.loads(other._written)

    def __hash__(self) -> int:
        return hash((self.epsilon, self.promises, self.adversary))

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
