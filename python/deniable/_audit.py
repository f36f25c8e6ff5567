"""Audits of functions through their outputs."""

from __future__ import annotations

import json
import operator
from fractions import Fraction
from typing import Any, Callable, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _deniable
from ._errors import shown, usage
from ._exact import Exact, exact, number, prior_range, read, short, truth, whole
from ._page import page, pictures, text

Outputs = Callable[[List[int], int], object]
"""A function of an input and a number, which returns that many outputs: numbers, texts, or tuples of them, in a list or an array of NumPy."""


class Audit:
    """The result of an audit: a certified lower bound. It never shows that a mechanism is private.

    >>> import deniable as dn, random
    >>> honest = lambda input, times: [input[0]] * times
    >>> found = dn.audit(honest, claim="odds=3", samples=10_000)
    >>> found.broken, found.odds_at_least > 3
    (True, True)
    """

    __slots__ = ("_text", "broken", "claim", "odds_at_least", "epsilon_at_least", "gain_at_least", "posterior_at_least", "prior", "confidence", "event", "likelier_input", "other_input", "probability_at_least", "other_probability_at_most", "floating_point", "rounded_to", "pairs", "samples")

    broken: bool
    """Whether the claim is certainly violated, except with probability ``1 - confidence``."""
    claim: Optional[str]
    """The claim, as given."""
    odds_at_least: Fraction
    """A lower bound on the odds ratio; 1 if nothing was found."""
    epsilon_at_least: str
    """A lower bound on ε, rounded down."""
    gain_at_least: Fraction
    """Some belief grows by at least this factor."""
    posterior_at_least: Fraction
    """A lower bound on the posterior of the likelier input, for the prior ``prior``."""
    prior: Fraction
    """The prior of the example."""
    confidence: Fraction
    """All bounds hold together with at least this probability, up to the precision of a double."""
    event: Optional[str]
    """The event that distinguishes the inputs."""
    likelier_input: Optional[List[int]]
    """The input on which it is likelier."""
    other_input: Optional[List[int]]
    """The neighbouring input."""
    probability_at_least: Optional[Fraction]
    """A lower bound on its probability on the likelier input."""
    other_probability_at_most: Optional[Fraction]
    """An upper bound on its probability on the neighbouring input."""
    floating_point: bool
    """Whether the event is about the last bits of floating-point numbers: noise of floats gives some numbers on one input only. To look for other
    faults, audit with ``round_to=``."""
    rounded_to: Optional[Fraction]
    """The step to which floating-point outputs were rounded; ``None`` if they were not."""
    pairs: int
    """The number of pairs of inputs tried."""
    samples: int
    """The number of outputs drawn."""

    def __init__(self, found: Mapping[str, Any], text: str, claim: Optional[str]) -> None:
        self._text, self.claim = text, claim
        self.broken = found["broken"]
        self.odds_at_least, self.epsilon_at_least = read(found["odds_at_least"]), found["epsilon_at_least"]
        self.gain_at_least, self.posterior_at_least = read(found["gain_at_least"]), read(found["posterior_at_least"])
        self.prior = read(found["prior"])
        self.confidence = number(1 - Fraction(found["error"]).limit_denominator(10**12))
        self.event = found["event"]
        self.likelier_input, self.other_input = found["likelier_input"], found["other_input"]
        ends = (found["probability_at_least"], found["other_probability_at_most"])
        self.probability_at_least, self.other_probability_at_most = (None if end is None else read(end) for end in ends)
        self.floating_point = found["floating_point"]
        self.rounded_to = None if found["rounded_to"] is None else read(found["rounded_to"])
        self.pairs, self.samples = found["pairs"], found["samples"]

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"Audit(broken={self.broken}, odds_at_least={float(self.odds_at_least):.4g}, claim={self.claim!r})"

    def _repr_html_(self) -> str:
        return page(text(self), pictures([(_deniable.belief_curve(str(self.odds_at_least)), "what a belief can become, at least")]))


def audit(
    function: Outputs,
    claim: Optional[str] = None,
    *,
    prior: Union[None, Exact, Tuple[Exact, Exact]] = None,
    confidence: Exact = "99.9%",
    samples: int = 200_000,
    neighbours: str = "one-entry",
    entries: int = 1,
    negative: bool = False,
    pairs: Sequence[Tuple[Sequence[int], Sequence[int]]] = (),
    round_to: Optional[Exact] = None,
) -> Audit:
    """Tests from outputs alone whether a function keeps its claim (docs/how-to/audit.md).

    >>> import deniable as dn, random
    >>> def response(input, times):
    ...     "Answers truthfully three times out of four: odds of 3."
    ...     return [input[0] % 2 ^ (random.random() < 1 / 4) for _ in range(times)]
    >>> dn.audit(response, claim="odds=4", samples=20_000).broken
    False

    :param function: called on this thread with an input, a list of whole numbers, and the number of outputs to return, which must be independent of
        each other. Its exceptions are raised here, Ctrl-C included.
    :param claim: ``epsilon=1/2``, ``epsilon=ln(3)``, ``odds=3``, or ``gain=2`` with a prior.
    :param prior: the priors that the claim is about, and of the examples.
    :param confidence: the confidence of the bounds, at least 90%.
    :param samples: the number of outputs to draw for each input.
    :param neighbours: the definition of neighbours: ``one-entry``, ``same-direction`` or ``each-by-one``.
    :param entries: the number of numbers in an input.
    :param negative: whether entries may be negative: answers to queries, not counts.
    :param pairs: the pairs of inputs to try; replaces ``neighbours``, ``entries`` and ``negative``.
    :param round_to: the step, ``"0.001"``, to whose multiples floating-point outputs are rounded before the audit. A claim that rounded outputs break is broken.
    """
    if not callable(function):
        raise usage(f"the function is a {type(function).__name__}, which cannot be called", "give a function of an input and the number of outputs")
    text, written = _deniable.audit(
        _listing(function),
        None if claim is None else short(claim, "claim="),
        prior_range(prior),
        str(exact(confidence)),
        whole(samples, "samples=") or 0,
        short(neighbours, "neighbours="),
        whole(entries, "entries=") or 0,
        truth(negative, "negative="),
        _pairs(pairs),
        None if round_to is None else str(exact(round_to)),
    )
    return Audit(json.loads(written), text, claim)


def _listing(function: Outputs) -> Outputs:
    """The same function with its outputs as a list."""

    def listed(input: List[int], times: int) -> object:
        given = function(input, times)
        made = given.tolist() if hasattr(given, "tolist") else given
        if isinstance(made, (str, bytes, Mapping)) or not isinstance(made, Iterable):
            raise usage(
                f"the function returned one {type(given).__name__}, but {times} outputs were requested",
                "return as many outputs as the second argument requests, in a list or an array of NumPy: [output() for _ in range(times)]",
            )
        return made

    return listed


def _pairs(pairs: object) -> List[Tuple[List[int], List[int]]]:
    """Pairs of inputs, each a list of whole numbers of 64 bits."""
    wrong = usage(f"pairs= is not a list of pairs of inputs: {shown(pairs)}", "write pairs=[([0], [1])]")
    try:
        made = [([operator.index(one) for one in left], [operator.index(one) for one in right]) for left, right in pairs]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise wrong from None
    if not all(-(1 << 63) <= one < 1 << 63 for pair in made for side in pair for one in side):
        raise wrong
    return made
