"""Policies: read from a file, or built from the same keys."""

from __future__ import annotations

import datetime
import json
import os
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import TYPE_CHECKING, Callable, Dict, KeysView, List, Mapping, Optional, Sequence, Tuple, Union, ValuesView

from . import _deniable
from ._answer import Guarantee
from ._errors import usage
from ._exact import Exact, exact, text, truth, whole
from ._exact import path as _path
from ._plan import Plan

if TYPE_CHECKING:
    from ._arrow import Tables
    from ._progress import Told
    from ._session import Session

IN_MEMORY = "rows in memory"
"""The path of tables whose rows are given to a session."""

Path = Union[str, "os.PathLike[str]"]
Promise = Mapping[str, Exact]
"""Keys of ``[promise]`` with their numbers: the result of ``posterior_at_most("3/4")``."""
Column = Union[str, Mapping[str, object]]
"""A column's type, or the keys of ``[columns.NAME]``: type, bounds, step, keys, null_key, ..."""


def posterior_at_most(belief: Exact) -> Promise:
    """No observer becomes surer than this that a given person is in the data. Needs an adversary whose priors are bounded above (B-4).

    >>> import deniable as dn
    >>> dn.posterior_at_most("3/4")
    {'posterior_at_most': Fraction(3, 4)}
    """
    return {"posterior_at_most": exact(belief)}


def posterior_at_least(belief: Exact) -> Promise:
    """No observer becomes less sure than this that a given person is in the data (B-4).

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
    """No observer identifies one of ``among`` equally likely people with more than this belief (B-5, differential identifiability).

    >>> import deniable as dn
    >>> dn.rho("1/2", among=100)
    {'rho': Fraction(1, 2), 'among': 100}
    """
    return {"rho": exact(belief), "among": whole(among, "among=") or 0}


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
    """The protected people, the adversary, the promise, and the data.

    A file's path, or the same keys as in a file (docs/reference/policy.md) as arguments: sections are dictionaries.

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
    ('no observer becomes more than 75% sure that a given person is in the data',)
    >>> policy.queries
    ['by department']

    :param file: the path of a policy, ``policy.toml``. Without one, the policy is built from what follows.
    :param name: its name in the ledger.
    :param population: the people that the promise is about; one ledger belongs to one population.
    :param table: the name of the rows in SQL.
    :param promise: the promise; several together with ``promise={**dn.gain(2), **dn.posterior_at_most("3/4")}``.
    :param adversary: the name of a preset, or the keys of ``[adversary]``.
    :param entity: the privacy unit: ``key``, ``rows_per_group`` and ``groups``. Without it one row is one person.
    :param columns: each column's type, or the keys of ``[columns.NAME]``.
    :param queries: SQL by name, or the keys of each ``[[query]]``.
    :param data: the keys of ``[data]`` if rows are in files or a database; rows in memory are given to ``session``.
    :param sections: any other section: ``budget={"spend": "1/2"}``, ``quality=...``, ``tables=...``. Tables about people that name no ``path``
        have their rows in memory, too.
    :raises PolicyError: all errors of the policy, with places in its text.
    """

    __slots__ = ("_policy", "_from_file")

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
            self._policy = _deniable.Policy.load(_path(file, "the policy's file"))
            self._from_file = True
            return
        keys: Dict[str, object] = {"name": name, "population": population}
        _dictionary(data, "data", '{"path": "visits.parquet", "version": "2024-06"}')
        section: Dict[str, object] = dict(_MEMORY if data is None else data)
        if table is not None:
            section["table"] = table
        keys["data"] = section
        keys["columns"] = _columns(columns, "columns")
        keys["entity"] = entity
        keys["adversary"] = {"preset": adversary} if isinstance(adversary, str) else adversary
        keys["promise"] = promise
        keys.update(sections)
        keys["tables"] = _tables(sections.get("tables"))
        asked = _asks(queries)
        if asked and keys.get("query") is not None:
            raise usage("queries= and query= are the same", "leave out query=")
        try:
            plain = _plain_keys(keys, str)
            plain_queries = [_plain_keys(query, lambda key: f"`{key}` of a query") for query in asked]
        except RecursionError:
            raise usage("a value contains itself, or is nested too deeply", "write texts, numbers, lists and dictionaries") from None
        self._policy = _deniable.Policy.build(plain, plain_queries, os.getcwd())
        self._from_file = False

    @classmethod
    def from_source(cls, source: str, folder: Optional[Path] = None) -> Policy:
        """Reads the text of a policy, such as ``Policy.source``; relative paths begin at the folder, by default the current one.

        >>> import deniable as dn
        >>> policy = dn.Policy("examples/clinic/policy.toml")
        >>> dn.Policy.from_source(policy.source, "examples/clinic").guarantee.odds == policy.guarantee.odds
        True
        """
        policy = cls.__new__(cls)
        place = os.getcwd() if folder is None else _path(folder, "folder=")
        policy._policy = _deniable.Policy.parse(text(source, "the policy"), os.path.abspath(place))
        policy._from_file = False
        return policy

    @property
    def name(self) -> str:
        """Its name in the ledger."""
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
        """The policy as TOML, which ``Policy.from_source`` reads back."""
        return self._policy.source

    @property
    def guarantee(self) -> Guarantee:
        """The promises, the protected people, and the assumptions.

        >>> import deniable as dn
        >>> dn.Policy("examples/clinic/policy.toml").guarantee.beliefs[0]
        Belief(before=Fraction(1, 5), at_least=Fraction(7, 100), at_most=Fraction(43, 100))
        """
        json, odds, exact_odds, pictures = self._policy.guarantee()
        return Guarantee._of_policy(json, odds, exact_odds, pictures)

    def plan(self, *queries: str) -> Plan:
        """The costs and expected errors of its queries, or of those with these names. No data are read and nothing is charged.

        >>> import deniable as dn
        >>> plan = dn.Policy("examples/clinic/policy.toml").plan()
        >>> plan["total cost"].share
        Fraction(3, 32)
        """
        return Plan(*self._policy.plan([text(name, "the name of a query") for name in queries]))

    def session(
        self,
        rows: Optional[Tables] = None,
        *,
        version: Union[None, str, Mapping[str, str]] = None,
        ledger: Optional[Path] = None,
        register: bool = True,
        again: bool = False,
        other_people: bool = False,
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
            their tables' names. The columns that the policy declares are copied. Without rows, the files that the policy names are read.
        :param version: the name of the rows' contents, ``"2024-06"``, needed with rows (V-1). The ledger identifies them by it: under a new name
            every query is paid again, also for equal rows; other rows under a known name are refused at the next new query (stored answers are shown without reading them). Order and chunks do not matter.
        :param ledger: the file that records the budget spent, kept for as long as anything about these people is published. A policy of a file has
            its own; ``":memory:"`` is deleted with the session, with a warning.
        :param register: whether unregistered data are scanned and registered at the first query. ``False`` stops there instead, so that
            you can read the findings (``session.log``).
        :param again: whether queries whose numbers an earlier answer contains are charged, with new noise (``--again``). By default they are free.
        :param other_people: states that no person of this population is in the other ledgers of the folder that know the policy or its tables, if a
            new ledger begins beside them (``--other-people``). Kept in the ledger.
        :param threads: the number of threads for computing; by default all.
        :param memory: limit in bytes for rows, totals and intermediate results, such as ``2 << 30`` or ``"2GB"``; by default 4 GiB.
        :param progress: whether to show progress, or a function that is called with the step and the number of rows done. By default it is shown in notebooks and
            on terminals.
        """
        from ._session import Session

        return Session(
            self,
            rows,
            version=version,
            ledger=ledger,
            register=register,
            again=again,
            other_people=other_people,
            threads=threads,
            memory=memory,
            progress=progress,
        )

    def simulate(
        self,
        folder: Path = "simulated",
        *,
        rows: Optional[int] = None,
        people: Optional[int] = None,
        format: Optional[str] = None,
        overwrite: bool = False,
    ) -> Dict[str, str]:
        """Writes made-up rows of its tables into a folder, to try queries on. They are drawn from the policy alone: no private data is read,
        and nothing in them is about a person. A public table whose file exists keeps its rows.

        >>> import deniable as dn, tempfile, os
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = dn.Policy("examples/clinic/policy.toml").simulate(folder, rows=5000)
        ...     sorted(files) == ["visits"] and os.path.basename(files["visits"])
        'visits.csv'

        :param folder: the folder, which is made if missing.
        :param rows: the rows of each protected table; by default ``typical_rows`` of the policy, or 1,000.
        :param people: the people with rows; by default ``typical_entities`` of the policy, or a number with a few rows each.
        :param format: ``"csv"`` or ``"parquet"``; by default each table's declared format.
        :param overwrite: whether files of an earlier simulation are replaced. The policy's own data never are.
        :returns: the file of each table.
        """
        place = _path(folder, "folder=")
        written = self._policy.simulate(
            place,
            whole(rows, "rows="),
            whole(people, "people="),
            None if format is None else text(format, "format="),
            truth(overwrite, "overwrite="),
        )
        return {table["table"]: os.path.join(place, table["file"]) for table in json.loads(written)["tables"]}

    def rehearsal(
        self,
        *,
        rows: Optional[int] = None,
        people: Optional[int] = None,
        ledger: Optional[Path] = None,
        threads: Optional[int] = None,
        memory: Union[None, int, str] = None,
        progress: Union[None, bool, Told] = None,
    ) -> Session:
        """Opens a session on made-up rows, with a ledger of its own: everything works as in ``session``, no private data is read, and nothing of
        the promise is spent. Releases and pages are marked ``REHEARSAL``.

        >>> import deniable as dn
        >>> with dn.Policy("examples/clinic/policy.toml").rehearsal(rows=5000, people=2000) as session:
        ...     release = session.release()
        ...     release.rehearsal, release.version
        (True, 'made-up rows')

        :param rows: the rows of each protected table, as in ``simulate``.
        :param people: the people with rows, as in ``simulate``.
        :param ledger: a file for the ledger, to keep it. It is no budget: a release refuses it. By default it is deleted with the session.
        :param threads: as in ``session``.
        :param memory: as in ``session``.
        :param progress: as in ``session``.
        """
        from ._session import Session

        return Session._of_rehearsal(self, rows=rows, people=people, ledger=ledger, threads=threads, memory=memory, progress=progress)

    def __repr__(self) -> str:
        return f"Policy({self.name!r}, population={self.population!r}, queries={len(self.queries)})"

    def _repr_html_(self) -> str:
        return self.guarantee._repr_html_()

    def __reduce__(self) -> str:
        raise TypeError("a Policy is not pickled: it may name files and a ledger; keep policy.source, or open the file again")


def _dictionary(given: object, what: str, example: str) -> None:
    if given is not None and not isinstance(given, Mapping):
        raise usage(f"{what}= is not a dictionary, but a {type(given).__name__}", f"write {what}={example}")


_MEMORY = {"path": IN_MEMORY, "format": "parquet", "version": "1"}


def _columns(columns: object, what: str) -> Optional[Dict[str, object]]:
    """The keys of each column; a text is its type."""
    _dictionary(columns, what, '{"minutes": {"type": "integer", "bounds": (0, 60)}}')
    given: Mapping[str, object] = columns or {}  # type: ignore[assignment]
    return {name: {"type": one} if isinstance(one, str) else one for name, one in given.items()} or None


def _tables(tables: object) -> Optional[Dict[str, object]]:
    """The keys of each further table, with columns as those of the main one."""
    _dictionary(tables, "tables", '{"stays": {"entity": "patient", "columns": {"patient": "integer"}}}')
    made: Dict[str, object] = {}
    for name, section in (tables or {}).items():  # type: ignore[attr-defined]
        if isinstance(section, Mapping):
            in_memory = "path" not in section and section.get("unprotected") is not True
            section = {**(_MEMORY if in_memory else {}), **section}
            section["columns"] = _columns(section.get("columns"), f"columns of the table {name!r}: columns")
        made[name] = section
    return made or None


def _asks(queries: object) -> Sequence[Mapping[str, object]]:
    """The keys of each ``[[query]]``."""
    if isinstance(queries, Mapping):
        return [{"name": name, "sql": sql} for name, sql in queries.items()]
    stated = [] if queries is None else list(queries) if isinstance(queries, (list, tuple)) else None
    if stated is None or not all(isinstance(query, Mapping) for query in stated):
        example = 'queries={"by sex": "SELECT sex, COUNT(*) FROM visits GROUP BY sex"}'
        raise usage("queries= are neither SQL by name nor a list of dictionaries", f"write {example}")
    return stated


def _plain_keys(keys: Mapping[str, object], called: Callable[[str], str]) -> Dict[str, object]:
    """The keys that have a value; messages name each value by its key."""
    return {text(key, "the name of a key"): _plain(one, called(key)) for key, one in keys.items() if one is not None}


def _plain(value: object, what: str) -> object:
    """The value in a form for policies: a text, a whole number, true or false, a list or a dictionary."""
    if isinstance(value, str):
        return text(value, what)
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        # Also those of NumPy. Numbers beyond the range of TOML become texts.
        whole_number = int(exact(int(value)))
        return whole_number if -(2**63) <= whole_number < 2**63 else str(whole_number)
    if isinstance(value, (Fraction, Decimal)):
        return str(exact(value))
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return text(os.fspath(value), what)
    if isinstance(value, Mapping):
        return _plain_keys(value, lambda key: f"{what}.{key}")
    if isinstance(value, (list, tuple, range, KeysView, ValuesView)):
        return [_plain(one, what) for one in value]
    if isinstance(value, (set, frozenset)):
        # Sorted, as sets have no order, and the order of groups depends on it.
        try:
            return _plain(sorted(value, key=lambda one: (type(one).__name__, one)), what)
        except TypeError:
            raise usage(f"{what} is a set of values without an order", "write a list") from None
    if isinstance(value, (float, Rational)):
        # Floats are refused, with a correction.
        return _plain(exact(value), what)  # type: ignore[arg-type]
    # Arrays, series and scalars of NumPy, pandas, polars and pyarrow.
    for way in ("to_pylist", "to_list", "tolist"):
        if hasattr(type(value), way):
            made = getattr(value, way)()
            if type(made) is not type(value):
                return _plain(made, what)
    raise usage(
        f"{what} is a {type(value).__name__}, which a policy cannot hold",
        "write a text, a number, a date, a list or tuple, or a dictionary",
    )
