"""Policies: read from a file, or built here, key by key as a file has them."""

from __future__ import annotations

import datetime
import os
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import TYPE_CHECKING, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _deniable
from ._answer import Guarantee
from ._errors import usage
from ._exact import Exact, exact, text
from ._plan import Plan

if TYPE_CHECKING:
    from ._arrow import Tables
    from ._progress import Told
    from ._session import Session

Path = Union[str, "os.PathLike[str]"]
Promise = Mapping[str, Exact]
"""Keys of ``[promise]`` with their numbers: what ``posterior_at_most("3/4")`` gives."""
Column = Union[str, Mapping[str, object]]
"""A column's type, or the keys of ``[columns.NAME]``: type, bounds, step, keys, null_key, ..."""


def posterior_at_most(belief: Exact) -> Promise:
    """Nobody becomes surer than this that a given person is in the data. Needs an adversary whose beliefs beforehand are bounded above (B-4).

    >>> import deniable as dn
    >>> dn.posterior_at_most("3/4")
    {'posterior_at_most': Fraction(3, 4)}
    """
    return {"posterior_at_most": exact(belief)}


def posterior_at_least(belief: Exact) -> Promise:
    """Nobody becomes less sure than this that a given person is in the data (B-4).

    >>> import deniable as dn
    >>> dn.posterior_at_least("1/10")
    {'posterior_at_least': Fraction(1, 10)}
    """
    return {"posterior_at_least": exact(belief)}


def gain(factor: Exact) -> Promise:
    """Belief that a given person is in the data grows by at most this factor (B-3, positive membership privacy).

    >>> import deniable as dn
    >>> dn.gain(2)
    {'gain': Fraction(2, 1)}
    """
    return {"gain": exact(factor)}


def negative_gain(factor: Exact) -> Promise:
    """Belief that a given person is not in the data grows by at most this factor (B-3n).

    >>> import deniable as dn
    >>> dn.negative_gain("3/2")
    {'negative_gain': Fraction(3, 2)}
    """
    return {"negative_gain": exact(factor)}


def rho(belief: Exact, among: int) -> Promise:
    """Of so many equally likely people nobody is pinned with more than this belief (B-5, differential identifiability).

    >>> import deniable as dn
    >>> dn.rho("1/2", among=100)
    {'rho': Fraction(1, 2), 'among': 100}
    """
    return {"rho": exact(belief), "among": among}


def alpha_beta(alpha: Exact, beta: Exact, *, p_min: Optional[Exact] = None, p_max: Optional[Exact] = None) -> Promise:
    """Belief in the true world falls at most by alpha and grows at most by beta of itself (B-6, (α,β)-differential identifiability).

    >>> import deniable as dn
    >>> sorted(dn.alpha_beta("1/2", "1/2"))
    ['alpha', 'beta']
    """
    all_keys = {"alpha": alpha, "beta": beta, "p_min": p_min, "p_max": p_max}
    return {key: exact(value) for key, value in all_keys.items() if value is not None}


def epsilon(value: Exact) -> Promise:
    """Plain ε-differential privacy; ``"ln(3)"`` is the ε of odds of exactly 3 (C-1).

    >>> import deniable as dn
    >>> dn.epsilon("ln(3)")
    {'epsilon': 'ln(3)'}
    """
    if isinstance(value, str) and value.strip().startswith("ln("):
        return {"epsilon": value.strip()}
    return {"epsilon": exact(value)}


class Policy:
    """Who is protected from whom, what is promised, and what the data are.

    A file's path, or the same keys as in a file (docs/policy.md) as arguments: sections are dictionaries.

    >>> import deniable as dn
    >>> policy = dn.Policy(
    ...     name="clinic", population="clinic-patients", table="visits",
    ...     promise=dn.posterior_at_most("3/4"), adversary="acquaintance",
    ...     entity={"key": "patient", "rows_per_group": 3, "groups": 2},
    ...     columns={
    ...         "patient": "integer",
    ...         "department": {"type": "text", "keys": ["cardiology", "neurology"]},
    ...         "minutes": {"type": "integer", "bounds": (0, 60)},
    ...     },
    ...     queries={"by department": "SELECT department, COUNT(*) AS visits FROM visits GROUP BY department"},
    ... )
    >>> policy.guarantee.promises
    ('nobody becomes more than 75% sure that a given person is in the data',)
    >>> policy.queries
    ['by department']

    :param file: the path of a policy, ``policy.toml``. Without one, the policy is built from what follows.
    :param name: what it is called in the ledger.
    :param population: the people that the promise is about; one ledger belongs to one population.
    :param table: what its rows are called in SQL.
    :param promise: what is promised; several together with ``promise={**dn.gain(2), **dn.posterior_at_most("3/4")}``.
    :param adversary: the name of a preset, or the keys of ``[adversary]``.
    :param entity: the privacy unit: ``key``, ``rows_per_group`` and ``groups``. Without it one row is one person.
    :param columns: each column's type, or the keys of ``[columns.NAME]``.
    :param queries: SQL by name, or the keys of each ``[[ask]]``.
    :param data: the keys of ``[data]`` where rows are in files or a database; rows in memory are given to ``session``.
    :param sections: any other section: ``budget={"spend": "1/2"}``, ``quality=...``, ``tables=...``.
    :raises PolicyError: everything that is wrong with it, with places in the text that it is.
    """

    __slots__ = ("_policy", "_from_file", "_in_memory")

    def __init__(
        self,
        file: Optional[Path] = None,
        *,
        name: Optional[str] = None,
        population: Optional[str] = None,
        table: Optional[str] = None,
        promise: Optional[Promise] = None,
        adversary: Union[None, str, Mapping[str, object]] = None,
        entity: Optional[Mapping[str, object]] = None,
        columns: Optional[Mapping[str, Column]] = None,
        queries: Union[None, Mapping[str, str], Sequence[Mapping[str, object]]] = None,
        data: Optional[Mapping[str, object]] = None,
        **sections: Mapping[str, object],
    ) -> None:
        own = (name, population, table, promise, adversary, entity, columns, queries, data)
        if file is not None:
            if any(one is not None for one in own) or sections:
                raise usage("a policy is read from a file or built from arguments", "leave out one of them")
            self._policy = _deniable.Policy.load(os.fspath(file))
            self._from_file, self._in_memory = True, False
            return
        keys: Dict[str, object] = {"name": name, "population": population}
        keys["data"] = dict(data) if data is not None else {"path": "rows in memory", "format": "parquet", "version": "1"}
        section: Dict[str, object] = keys["data"]  # type: ignore[assignment]
        if table is not None:
            section["table"] = table
        _dictionary(columns, "columns", '{"minutes": {"type": "integer", "bounds": (0, 60)}}')
        keys["columns"] = {
            column: {"type": declared} if isinstance(declared, str) else declared
            for column, declared in (columns or {}).items()
        } or None
        keys["entity"] = entity
        keys["adversary"] = {"preset": adversary} if isinstance(adversary, str) else adversary
        keys["promise"] = promise
        keys.update(sections)
        written = "".join(f"{_key(key)} = {_value(value, key)}\n" for key, value in keys.items() if value is not None)
        for ask in _asks(queries):
            written += "\n[[ask]]\n" + "".join(
                f"{_key(key)} = {_value(value, f'`{key}` of a query')}\n" for key, value in ask.items() if value is not None
            )
        self._policy = _deniable.Policy.parse(written, os.getcwd())
        self._from_file, self._in_memory = False, data is None

    @property
    def name(self) -> str:
        """What it is called."""
        return self._policy.name

    @property
    def population(self) -> str:
        """The people that the promise is about."""
        return self._policy.population

    @property
    def queries(self) -> List[str]:
        """The names of its queries."""
        return self._policy.queries

    @property
    def source(self) -> str:
        """The policy as TOML."""
        return self._policy.source

    @property
    def guarantee(self) -> Guarantee:
        """What is promised to whom, and what that rests on.

        >>> import deniable as dn
        >>> dn.Policy("examples/clinic/policy.toml").guarantee.beliefs[0]
        Belief(before=Fraction(1, 5), at_least=Fraction(7, 100), at_most=Fraction(43, 100))
        """
        json, odds, exact_odds, pictures = self._policy.guarantee()
        return Guarantee._of_policy(json, odds, exact_odds, pictures)

    def plan(self, *queries: str) -> Plan:
        """What its queries cost and how far their answers will be off, or those of these names. No data are read and nothing is charged.

        >>> import deniable as dn
        >>> plan = dn.Policy("examples/clinic/policy.toml").plan()
        >>> plan["total cost"].share
        Fraction(3, 32)
        """
        return Plan(*self._policy.plan(queries))

    def session(
        self,
        rows: Optional[Tables] = None,
        *,
        version: Union[None, str, Mapping[str, str]] = None,
        ledger: Optional[Path] = None,
        register: bool = True,
        again: bool = False,
        threads: Optional[int] = None,
        memory: Union[None, int, str] = None,
        progress: Union[None, bool, Told] = None,
    ) -> Session:
        """Opens a session: this policy, its data and its ledger.

        >>> import deniable as dn, tempfile, os
        >>> folder = tempfile.TemporaryDirectory()
        >>> policy = dn.Policy("examples/clinic/policy.toml")
        >>> import warnings; warnings.simplefilter("ignore", dn.LedgerWarning)
        >>> with policy.session(ledger=os.path.join(folder.name, "clinic.ledger")) as session:
        ...     answer = session.ask("SELECT COUNT(*) AS visits FROM visits", spend="1/40")
        ...     session.left
        Fraction(39, 40)
        >>> folder.cleanup()

        :param rows: a data frame of polars or pandas, a table of pyarrow, a relation of DuckDB or anything else that exports Arrow, or several by
            their tables' names. The columns that the policy declares are copied. Without rows they are read where the policy says.
        :param version: the name of what the rows hold, ``"2024-06"``, needed with rows (V-1). It is what the ledger knows them by: under a new name
            everything is paid anew, also for equal rows; other rows under a known name are refused as soon as something new is asked of them (stored answers are shown without a look). Order and chunks do not matter.
        :param ledger: the file that remembers what was spent, kept for as long as anything about these people is published. A policy of a file has
            its own; ``":memory:"`` forgets everything and warns.
        :param register: whether data that nobody has looked at are looked at and registered when first asked. ``False`` stops there instead, so that
            you can read what was found (``session.log``).
        :param again: whether stored answers are paid for again, with new noise, where that is possible (``--again``).
        :param threads: how many to compute on; all of them where nothing is said.
        :param memory: bytes that rows, totals and what is made of them may take, such as ``2 << 30`` or ``"2GB"``; 4 GiB where nothing is said.
        :param progress: whether to show how far it has come, or a function that is told what is done and how many rows it has come. In notebooks and
            on terminals it is shown where nothing is said.
        """
        from ._session import Session

        return Session(
            self,
            rows,
            version=version,
            ledger=ledger,
            register=register,
            again=again,
            threads=threads,
            memory=memory,
            progress=progress,
        )

    def __repr__(self) -> str:
        return f"Policy({self.name!r}, population={self.population!r}, queries={len(self.queries)})"

    def _repr_html_(self) -> str:
        return self.guarantee._repr_html_()

    def __reduce__(self) -> str:
        raise TypeError("a Policy is not pickled: it may name files and a ledger; keep policy.source, or open the file again")


def _dictionary(given: object, what: str, example: str) -> None:
    if given is not None and not isinstance(given, Mapping):
        raise usage(f"{what}= is no dictionary, but a {type(given).__name__}", f"write {what}={example}")


def _asks(queries: object) -> Sequence[Mapping[str, object]]:
    """The keys of each ``[[ask]]``."""
    if isinstance(queries, Mapping):
        return [{"name": name, "sql": sql} for name, sql in queries.items()]
    asks = [] if queries is None else list(queries) if isinstance(queries, (list, tuple)) else None
    if asks is None or not all(isinstance(ask, Mapping) for ask in asks):
        example = 'queries={"by sex": "SELECT sex, COUNT(*) FROM visits GROUP BY sex"}'
        raise usage("queries= are neither SQL by name nor a list of dictionaries", f"write {example}")
    return asks


def _key(name: object) -> str:
    return _text(name, "the name of a key")


def _text(value: object, what: str) -> str:
    """A basic string of TOML: whatever could be read as something else is escaped."""
    escaped = "".join(
        "\\" + one if one in '"\\' else one if one.isprintable() else f"\\U{ord(one):08x}" for one in text(value, what)
    )
    return f'"{escaped}"'


def _value(value: object, what: str = "a value") -> str:
    if isinstance(value, str):
        return _text(value, what)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Integral):
        # Also those of NumPy.
        return str(int(value))
    if isinstance(value, (Fraction, Decimal)):
        return _text(str(exact(value)), what)
    if isinstance(value, datetime.datetime):
        return _text(value.isoformat(sep=" "), what)
    if isinstance(value, datetime.date):
        return _text(value.isoformat(), what)
    if isinstance(value, os.PathLike):
        return _text(os.fspath(value), what)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {_value(one, f'{what}.{key}')}" for key, one in value.items() if one is not None)
        return "{ " + inside + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(one, what) for one in value) + "]"
    if isinstance(value, (float, Rational)):
        # Floats are refused, with what to write instead.
        return _value(exact(value), what)  # type: ignore[arg-type]
    raise usage(
        f"{what} is a {type(value).__name__}, which a policy cannot hold",
        "write a text, a number, a date, a list or tuple, or a dictionary",
    )
