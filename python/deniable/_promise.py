"""Promises: what no observer may learn."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Mapping, Optional, Tuple

from ._errors import usage
from ._exact import Exact, exact, text, whole
from ._frozen import Frozen
from ._plain import TOO_DEEP, at, plain_keys

Promises = Mapping[str, Any]
"""Keys of ``[promise]`` with their numbers: a ``Promise``, or a dictionary."""


class Promise(Frozen):
    """One promise, or several that hold together: ``dn.gain(2) & dn.posterior_at_most("3/4")``.

    It is a mapping of the keys of ``[promise]`` (docs/reference/policy.md#promise), and never changes.

    >>> import deniable as dn
    >>> both = dn.gain(2) & dn.posterior_at_most("3/4")
    >>> sorted(both)
    ['gain', 'posterior_at_most']
    >>> both == dn.posterior_at_most("3/4") & dn.gain(2)
    True
    """

    __slots__ = ()

    def __init__(self, keys: Mapping[str, Any]) -> None:
        if not isinstance(keys, Mapping):
            raise usage(f"a promise is not a {type(keys).__name__}", "write dn.epsilon(1), or dn.posterior_at_most(\"3/4\")")
        try:
            stated = plain_keys(keys, lambda key: at("the promise", key))
        except RecursionError:
            raise usage(*TOO_DEEP) from None
        # Numbers stay numbers, for callers that read them.
        super().__init__({key: keys[key] if isinstance(keys[key], (int, Fraction)) else value for key, value in stated.items()})

    def __and__(self, other: Mapping[str, Any]) -> Promise:
        """Both promises together.

        :raises UsageError: when both state the same key with different numbers.
        """
        if not isinstance(other, Mapping):
            raise usage(f"a promise and a {type(other).__name__} cannot hold together", 'write dn.gain(2) & dn.posterior_at_most("3/4")')
        for key, value in other.items():
            if key in self and self[key] != value:
                raise usage(f"`{key}` is promised twice, with different numbers", "leave one of them out")
        return Promise({**self, **other})

    def _identity(self) -> Tuple[Tuple[str, Any], ...]:
        # Promises that hold together have no order.
        return tuple(sorted(super()._identity()))


def posterior_at_most(belief: Exact) -> Promise:
    """No observer becomes surer than this that a given person is in the data. Needs an adversary whose priors are bounded above (B-4).

    >>> import deniable as dn
    >>> dn.posterior_at_most("3/4")
    {'posterior_at_most': Fraction(3, 4)}
    """
    return Promise({"posterior_at_most": exact(belief)})


def posterior_at_least(belief: Exact) -> Promise:
    """No observer becomes less sure than this that a given person is in the data (B-4).

    >>> import deniable as dn
    >>> dn.posterior_at_least("1/10")
    {'posterior_at_least': Fraction(1, 10)}
    """
    return Promise({"posterior_at_least": exact(belief)})


def gain(factor: Exact) -> Promise:
    """Belief that a given person is in the data grows by at most this factor (B-3, positive membership privacy).

    >>> import deniable as dn
    >>> dn.gain(2)
    {'gain': Fraction(2, 1)}
    """
    return Promise({"gain": exact(factor)})


def negative_gain(factor: Exact) -> Promise:
    """Belief that a given person is not in the data grows by at most this factor (B-3n).

    >>> import deniable as dn
    >>> dn.negative_gain("3/2")
    {'negative_gain': Fraction(3, 2)}
    """
    return Promise({"negative_gain": exact(factor)})


def rho(belief: Exact, among: int) -> Promise:
    """No observer identifies one of ``among`` equally likely people with more than this belief (B-5, differential identifiability).

    >>> import deniable as dn
    >>> dn.rho("1/2", among=100)
    {'rho': Fraction(1, 2), 'among': 100}
    """
    return Promise({"rho": exact(belief), "among": whole(among, "among=") or 0})


def alpha_beta(alpha: Exact, beta: Exact, *, p_min: Optional[Exact] = None, p_max: Optional[Exact] = None) -> Promise:
    """Belief in the true world falls at most by alpha and grows at most by beta of itself (B-6, (α,β)-differential identifiability).

    >>> import deniable as dn
    >>> sorted(dn.alpha_beta("1/2", "1/2"))
    ['alpha', 'beta']
    """
    all_keys = {"alpha": alpha, "beta": beta, "p_min": p_min, "p_max": p_max}
    return Promise({key: exact(value) for key, value in all_keys.items() if value is not None})


def epsilon(value: Exact) -> Promise:
    """Plain ε-differential privacy; ``"ln(3)"`` is the ε of odds of exactly 3 (C-1).

    Without an ``adversary`` it is about add/remove neighbours: no answer is much more likely with any person than without them.

    >>> import deniable as dn
    >>> dn.epsilon("ln(3)")
    {'epsilon': 'ln(3)'}
    """
    if isinstance(value, str) and value.strip().startswith("ln"):
        return Promise({"epsilon": text(value.strip(), "an ε")})
    return Promise({"epsilon": exact(value)})


def is_plain_epsilon(promise: object) -> bool:
    """Whether a promise is an ε alone, for certain and but for a chance: it then depends on neighbours and on no belief."""
    if not isinstance(promise, Mapping) or set(promise) - {"but_for"} != {"epsilon"}:
        return False
    but_for = promise.get("but_for")
    return but_for is None or (isinstance(but_for, Mapping) and "epsilon" in but_for and set(but_for) <= {"epsilon", "chance", "people"})


def inside_ln(value: str) -> Optional[str]:
    """The number of ``ln(3)`` or ``ln 3``, the logarithm of an odds ratio; ``None`` for other texts."""
    bare = value.strip()
    if not bare.startswith("ln"):
        return None
    inside = bare[2:].strip()
    if inside.startswith("(") and inside.endswith(")"):
        return inside[1:-1]
    return inside if bare[2:3].isspace() else None


def stated_epsilon(value: Exact) -> Tuple[Optional[Fraction], Optional[Fraction]]:
    """An ε above 0: the odds ratio of which it is the logarithm, or the number itself. Exactly one of them is not ``None``."""
    inside = inside_ln(value) if isinstance(value, str) else None
    help = 'write epsilon="1/10", or epsilon="ln(3)" for odds of exactly 3'
    if inside is not None:
        odds = exact(inside)
        if odds <= 1:
            raise usage(f"epsilon=ln({odds}) is not above 0", help)
        return odds, None
    number = exact(value)
    if number <= 0:
        raise usage(f"epsilon={number} is not above 0", help)
    return None, number
