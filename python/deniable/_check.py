"""Exact decisions about finite mechanisms."""

from __future__ import annotations

import json
import math
import os
from fractions import Fraction
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _deniable
from ._arrow import ArrowArray, ArrowStream, ArrowTable
from ._errors import usage
from ._exact import Exact, given, names, path, prior_range, read, short, whole
from ._exact import text as text_of
from ._page import page, pictures, text
from ._progress import wait

Bound = Union[Fraction, float]
"""A fraction, or ``math.inf``."""
Dataset = Union[str, Tuple[str, ...]]
"""The people in the data: a name, several names, or ``()`` for an empty data set."""
Mechanism = Union[str, "os.PathLike[str]", ArrowTable, Mapping[Dataset, Mapping[str, Exact]]]
"""The name of a built-in mechanism or of a file, a table with the columns dataset, output and probability, or probabilities by dataset and output."""


class Verdict:
    """A decision about a notion of privacy of a mechanism.

    >>> import deniable as dn
    >>> verdict = dn.check("randomized-response", odds=3, n=1, notion="dp")
    >>> verdict.value, verdict.reached
    (Fraction(3, 1), 'attained')
    """

    __slots__ = ("_text", "mechanism", "notion", "family", "parameter", "low", "high", "reached", "witness", "nothing", "theorems", "claim", "holds", "smallest", "refused")

    mechanism: str
    """The mechanism."""
    notion: str
    """The notion of privacy."""
    family: Optional[str]
    """The family of priors, if the notion has one."""
    parameter: str
    """The bounded quantity: ``odds``, ``gain``, ..."""
    low: Optional[Bound]
    """The exact parameter, or the lower end of a bracket around it; ``None`` if undecided."""
    high: Optional[Bound]
    """The exact parameter, or the upper end."""
    reached: str
    """``attained``, ``approached``, ``between`` (a bracket), ``vacuous`` (about no observer), or ``refused``."""
    witness: Optional[str]
    """The witness: where the parameter is reached."""
    nothing: Optional[str]
    """The reason for a missing witness."""
    theorems: Tuple[str, ...]
    """The entries of docs/theorems that prove that no case is worse."""
    claim: Optional[str]
    """The claim."""
    holds: Optional[bool]
    """Whether the claim holds; ``None`` without a claim, and if a bracket does not decide it."""
    smallest: Optional[str]
    """The smallest case that violates the claim."""
    refused: Optional[str]
    """The reason why the notion is undecided, in a list of all notions."""

    def __init__(self, written: Mapping[str, Any], text: str, mechanism: str = "") -> None:
        self._text = text
        self.mechanism = written.get("mechanism", mechanism)
        self.notion, self.family, self.parameter = written["notion"], written.get("family"), written["parameter"]
        self.low, self.high = (_bound(written.get(end)) for end in ("low", "high"))
        self.reached = written.get("reached", "refused")
        self.witness, self.nothing = written.get("witness"), written.get("nothing")
        self.theorems = tuple(written.get("theorems", ()))
        claim = written.get("claim") or {}
        self.claim, self.holds, self.smallest = claim.get("claim"), claim.get("holds"), claim.get("smallest")
        self.refused = written.get("refused")

    @property
    def value(self) -> Bound:
        """The exact parameter.

        :raises ValueError: if it is only known to be between ``low`` and ``high``, or is undecided.
        """
        if self.low is None or self.high is None or self.low != self.high:
            raise ValueError(f"the parameter is between {self.low} and {self.high}")
        return self.high

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        at = f"{self.parameter}={self.high!r}" if self.low == self.high else f"low={self.low!r}, high={self.high!r}"
        return f"Verdict(notion={self.notion!r}, {at}, {self.reached})"

    def _repr_html_(self) -> str:
        drawn = []
        if self.parameter == "odds" and isinstance(self.high, Fraction):
            drawn.append((_deniable.belief_curve(str(self.high)), "what any belief can become"))
        return page(text(self), pictures(drawn))


def check(
    mechanism: Mechanism,
    notion: Optional[str] = None,
    *,
    family: Optional[str] = None,
    prior: Union[None, Exact, Tuple[Exact, Exact]] = None,
    priors: Union[None, str, "os.PathLike[str]"] = None,
    claim: Optional[str] = None,
    certificate: Union[None, str, "os.PathLike[str]"] = None,
    party: Optional[int] = None,
    **parameters: Exact,
) -> Verdict:
    """Decides exactly how much a finite mechanism lets anyone learn, and shows a witness (docs/how-to/check.md).

    >>> import deniable as dn
    >>> table = {(): {"no": "3/4", "yes": "1/4"}, "ann": {"no": "1/4", "yes": "3/4"}}
    >>> dn.check(table, notion="pmp", family="bounded", prior=("1/5", "4/5")).reached
    'vacuous'
    >>> dn.check(table, notion="dp", claim="odds=2").holds
    False
    >>> dn.check("kmax", notion="pmp", family="uniform", k=2, n=3).value
    Fraction(3, 2)

    :param mechanism: a built-in one (``deniable check --list``), a file, a table with the columns dataset, output and probability, or
        probabilities by dataset and output.
    :param notion: ``dp``, ``pmp``, ``rho:100``, ...; membership privacy if only a family is given.
    :param family: the priors of observers: ``independent``, ``bounded``, ``uniform``, ``sampled:1/10``, ...
    :param prior: the range of uncertain priors, ``("1/5", "4/5")``.
    :param priors: the file of priors of ``family="explicit"``.
    :param claim: the claim to test: ``gain=3/2``, ``odds=3``, ``epsilon=ln(3)``.
    :param certificate: a file for a certificate that ``deniable recheck`` verifies.
    :param party: the party of a protocol whose view is decided: 1 or 2.
    :param parameters: those of a built-in mechanism: ``k=2, n=5``.
    :raises Error: when the mechanism is invalid, or the notion cannot be decided for it.
    """
    if notion is None and family is None:
        notion = "pmp"
    name, text, rows = _mechanism(mechanism)
    found, written = wait(
        _deniable.check(
            name,
            text,
            rows,
            {key.replace("_", "-"): given(value) for key, value in parameters.items() if value is not None},
            None if notion is None else short(notion, "notion="),
            None if family is None else short(family, "family="),
            prior_range(prior),
            None if priors is None else path(priors, "priors="),
            None if claim is None else short(claim, "claim="),
            None if certificate is None else path(certificate, "certificate="),
            whole(party, "party="),
        )
    )
    return Verdict(json.loads(written), found)


def _mechanism(mechanism: Mechanism) -> Tuple[str, Optional[str], Optional[Sequence[Sequence[str]]]]:
    if isinstance(mechanism, (str, os.PathLike)):
        return path(mechanism, "the mechanism"), None, None
    if isinstance(mechanism, Mapping):
        rows = [
            {"dataset": names(dataset, "a data set "), "output": _output(output), "probability": given(probability)}
            for dataset, outputs in mechanism.items()
            for output, probability in _outputs(outputs).items()
        ]
        return "mechanism", json.dumps(rows), None
    if isinstance(mechanism, (ArrowStream, ArrowArray)):
        return "mechanism", None, _deniable.rows_as_text(mechanism, ["dataset", "output", "probability"])
    raise usage(f"{type(mechanism).__name__} is not a mechanism", "give a name, a file, a table, or probabilities by dataset and output")


def _outputs(outputs: object) -> Mapping[object, Exact]:
    if not isinstance(outputs, Mapping):
        raise usage(f"the outputs of a data set are not a dictionary, but a {type(outputs).__name__}", 'write {"no": "3/4", "yes": "1/4"}')
    return outputs


def _output(output: object) -> str:
    return text_of(output if isinstance(output, str) else str(output), "an output")


def _bound(text: Optional[str]) -> Optional[Bound]:
    if text is None:
        return None
    return math.inf if text == "∞" else read(text)
