"""Policies: read from a file, or built from the same keys."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _deniable
from ._declare import Adversary, Person
from ._errors import DataError, PolicyError, QueryError, shown, usage
from ._exact import Exact, read, text, truth, whole
from ._exact import path as _path
from ._export import Path, written_to
from ._guarantee import Guarantee
from ._places import in_arguments, in_queries
from ._plan import Plan, Report
from ._promise import Promises
from ._query import Table
from ._sections import IN_MEMORY, identity, policy_keys, query_keys

if TYPE_CHECKING:
    from ._arrow import Tables
    from ._progress import Told
    from ._session import Session

Column = Union[str, Mapping[str, Any]]
"""A column's type, its declaration such as ``dn.Integer(0, 60)``, or the keys of ``[columns.NAME]``."""

_TABLE = re.compile(r"[a-z_][a-z0-9_]*")
"""The name of a table; files of policies have other names."""


class Policy:
    """The protected people, the adversary, the promise, and the data.

    A file's path, or a table's name with the same keys as in a file (docs/reference/policy.md) as arguments. Declarations such as
    ``dn.Integer(0, 60)`` and dictionaries of their keys are the same.

    >>> import deniable as dn
    >>> policy = dn.Policy(
    ...     "visits",
    ...     person=dn.Person("patient", rows=3, groups=2),
    ...     promise=dn.epsilon(1),
    ...     columns={"department": dn.Text(keys=["cardiology", "neurology"]), "minutes": dn.Integer(0, 60)},
    ...     queries={"by department": "SELECT department, COUNT(*) AS visits FROM visits GROUP BY department"},
    ... )
    >>> policy.guarantee.promises
    ('no answer is more than e^1 times as likely with a given person as without them, nor the reverse',)
    >>> policy.queries
    ['by department']

    Policies are equal if they have the same content, whatever its order. They are immutable, and can be pickled.

    :param file: the path of a policy, ``policy.toml``; or, beside the arguments that follow, the name of the rows in SQL, which then is the
        policy's ``name`` and ``population``, too, unless these are stated.
    :param name: its name in the ledger.
    :param population: the people that the promise is about; one ledger belongs to one population. State it if several tables are about the same people.
    :param table: the name of the rows in SQL.
    :param promise: the promise, ``dn.epsilon(1)``; several together with ``dn.gain(2) & dn.posterior_at_most("3/4")``.
    :param adversary: the name of a preset, ``dn.Adversary(...)``, or the keys of ``[adversary]``. Only ``dn.epsilon`` alone needs none: it is then
        about add/remove neighbours, and observers with any prior belief (``knows_size=False``).
    :param person: the privacy unit, ``dn.Person("patient", rows=3, groups=2)``. Without it one row is one person.
    :param entity: the same as the keys of ``[entity]``: ``key``, ``rows_per_group`` and ``groups``.
    :param columns: each column's declaration, its type alone, or the keys of ``[columns.NAME]``.
    :param queries: SQL by name, or the keys of each ``[[query]]``.
    :param data: the keys of ``[data]`` if rows are in files or a database; rows in memory are given to ``session``.
    :param sections: any other section: ``budget={"spend": "1/2"}``, ``quality=...``, ``tables=...``. Tables about people that name no ``path``
        have their rows in memory, too.
    :raises PolicyError: all errors of the policy, with places in its arguments.
    """

    __slots__ = ("_policy", "_from_file", "_folder", "_keys", "_person")
    _policy: _deniable.Policy
    _from_file: bool
    _folder: str
    """The folder where relative paths begin."""
    _keys: Optional[Tuple[Dict[str, object], List[Dict[str, object]]]]
    """The plain keys of a policy that was built, and those of its queries."""
    _person: object
    """The privacy unit as it was given."""

    def __init__(
        self,
        file: Optional[Path] = None,
        *,
        name: Optional[str] = None,
        population: Optional[str] = None,
        table: Optional[str] = None,
        promise: Optional[Promises] = None,
        adversary: Union[None, str, Adversary, Mapping[str, object]] = None,
        person: Union[None, Person, Mapping[str, object]] = None,
        entity: Union[None, Person, Mapping[str, object]] = None,
        columns: Optional[Mapping[str, Column]] = None,
        queries: Union[None, Mapping[str, str], Sequence[Mapping[str, object]]] = None,
        data: Optional[Mapping[str, object]] = None,
        **sections: Mapping[str, object],
    ) -> None:
        own = (name, population, table, promise, adversary, person, entity, columns, queries, data)
        if file is not None and not sections and all(one is None for one in own):
            path = _path(file, "the policy's file")
            self._set(_deniable.Policy.load(path), os.path.dirname(os.path.abspath(path)), None, True)
            return
        if file is not None:
            table = _name_of_table(file, table)
            name, population = (table if one is None else one for one in (name, population))
        if person is not None and entity is not None:
            raise usage("person= and entity= are the same", "leave out entity=")
        keys = policy_keys(
            name=name,
            population=population,
            table=table,
            promise=promise,
            adversary=adversary,
            entity=entity if person is None else person,
            columns=columns,
            data=data,
            sections=sections,
        )
        asked = query_keys(queries)
        if asked and keys.get("query") is not None:
            raise usage("queries= and query= are the same", "leave out query=")
        try:
            self._build(keys, asked, os.getcwd())
            self._person = entity if person is None else person
        except PolicyError as error:
            raise in_arguments(error, keys, asked, {} if person is None else {"entity": "person"}) from None

    def _build(self, keys: Dict[str, object], queries: List[Dict[str, object]], folder: str) -> None:
        self._set(_deniable.Policy.build(keys, queries, folder), folder, (keys, queries), False)

    def _set(self, policy: _deniable.Policy, folder: str, keys: Optional[Tuple[Any, Any]], from_file: bool) -> None:
        self._policy, self._folder, self._keys, self._from_file, self._person = policy, folder, keys, from_file, None

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
        place = os.path.abspath(place)
        policy._set(_deniable.Policy.parse(text(source, "the policy"), place), place, None, False)
        return policy

    @classmethod
    def from_toml(cls, path_or_text: Path) -> Policy:
        """Reads a policy from a file, as ``dn.Policy(path)`` does, or from its text: a text with a line break or ``=`` is not a path.

        >>> import deniable as dn
        >>> policy = dn.Policy("examples/clinic/policy.toml")
        >>> dn.Policy.from_toml("examples/clinic/policy.toml") == policy
        True
        >>> dn.Policy("t", promise=dn.epsilon(1), columns={"v": "text"}).source == dn.Policy.from_toml(
        ...     dn.Policy("t", promise=dn.epsilon(1), columns={"v": "text"}).source).source
        True
        """
        if isinstance(path_or_text, str) and ("\n" in path_or_text or "=" in path_or_text):
            return cls.from_source(path_or_text)
        return cls(_path(path_or_text, "the policy's file"))

    def save(self, path: Path, *, overwrite: bool = False) -> str:
        """Writes the policy to a file, which ``Policy.from_toml`` and the command read back.

        >>> import deniable as dn, tempfile, os
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     policy = dn.Policy("visits", promise=dn.epsilon(1), columns={"minutes": dn.Integer(0, 60)})
        ...     dn.Policy.from_toml(policy.save(os.path.join(folder, "policy.toml"))) == policy
        True

        :param path: the file. Paths of a policy are relative to its folder: a policy with rows in files is saved in its own folder alone.
        :param overwrite: whether a file that is another policy is replaced.
        :returns: the path.
        """
        place = _path(path, "path=")
        folder = os.path.dirname(os.path.abspath(place))
        if self._read_from() not in (None, folder):
            raise usage(f"the paths of this policy begin at {self._folder}", f"save it there, as {os.path.join(self._folder, os.path.basename(place))!r}")
        if not truth(overwrite, "overwrite=") and os.path.exists(place) and not _has_content(place, self.source):
            raise usage(f"{place!r} exists already", "name another file, or add overwrite=True")
        written_to(place, self.source)
        return place

    def check(self, sql: Optional[str] = None, *, spend: Optional[Exact] = None, epsilon: Optional[Exact] = None) -> Plan:
        """Validates the queries of the policy, or one that is not in it, without any data: the plan has their costs and expected errors.

        >>> import deniable as dn
        >>> policy = dn.Policy("examples/clinic/policy.toml")
        >>> [query.name for query in policy.check("SELECT COUNT(*) AS visits FROM visits", epsilon="1/10")]
        ['query']

        :param sql: a query; by default those of the policy.
        :param spend: its price as a part of ln R; by default all of it.
        :param epsilon: the same as an ε.
        :raises QueryError: when a query cannot be answered under the policy.
        """
        if sql is None:
            if spend is not None or epsilon is not None:
                raise usage("a price is that of a query", "give the query, too")
            return self.plan()
        # A session needs rows: two that are made up, of which no plan depends.
        with self.rehearsal(rows=2, progress=False) as session:
            return session.plan(sql, spend=1 if spend is None and epsilon is None else spend, epsilon=epsilon)._of_policy()

    def table(self, name: str) -> Table:
        """Begins a query of a table by methods, without a session: its ``sql`` is a text for ``ask``, ``check`` or ``queries=``.

        >>> import deniable as dn
        >>> dn.Policy("examples/clinic/policy.toml").table("visits").group_by("sex").agg(visits=dn.count()).sql
        'SELECT sex, COUNT(*) AS visits FROM visits GROUP BY sex'
        """
        return Table.of(self, name, None)

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
        return Guarantee._of_policy(json, read(odds), exact_odds, pictures)

    def plan(self, *queries: str) -> Plan:
        """The costs and expected errors of its queries, or of those with these names. No data are read and nothing is charged.

        >>> import deniable as dn
        >>> plan = dn.Policy("examples/clinic/policy.toml").plan()
        >>> plan["total cost"].share
        Fraction(3, 32)
        """
        names = [text(name, "the name of a query") for name in queries]
        with self._queries_named():
            return Plan(*self._policy.plan(names))

    def sweep(self, range: str, *queries: str) -> Report:
        """The errors of its answers under other promises or caps: of all queries, or of those with these names. No data are read.

        >>> import deniable as dn
        >>> policy = dn.Policy("examples/clinic/policy.toml")
        >>> report = policy.sweep("rows_per_group=1..4:4", "visits by sex")
        >>> [point["answers"][0]["error"] for point in report.to_dict()["points"]] # doctest: +ELLIPSIS
        [...]

        :param range: ``"gain=1.1..4"``, ``"epsilon=0.1..2:20"`` for twenty points, or a cap, as in ``"rows_per_group=1..50"``.
        """
        names = [text(name, "the name of a query") for name in queries]
        with self._queries_named():
            return Report(*self._policy.sweep(text(range, "the range"), names))

    def least_promise(self) -> Report:
        """The strictest promise under which every query meets its ``target_error`` (G-LEAST), and the query that prevents a stricter one.
        No data are read.

        >>> import deniable as dn
        >>> policy = dn.Policy("visits", promise=dn.epsilon(1), adversary=dn.Adversary(preset="acquaintance"),
        ...     queries=[{"name": "visits", "sql": "SELECT COUNT(*) AS visits FROM visits", "target_error": 50}])
        >>> least = policy.least_promise().to_dict()
        >>> least["forced_by"], least["epsilon"]
        ('visits', '0.0600')
        """
        with self._queries_named():
            return Report(*self._policy.least_promise())

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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Policy):
            return NotImplemented
        if self._read_from() != other._read_from():
            return False
        return self.source == other.source or self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.name, self.population, self._read_from()))

    @contextlib.contextmanager
    def _queries_named(self) -> Iterator[None]:
        """Errors of queries name those of a policy that was built by their names in ``queries=``."""
        try:
            yield
        except QueryError as error:
            if self._keys is None:
                raise
            raise in_queries(error, *self._keys) from None

    def _has_ledger(self) -> bool:
        """Whether it has a ledger beside it. A file about rows in memory may be a copy, which would begin a ledger with a fresh budget."""
        return self._from_file and (self._policy.tables[0][1] != IN_MEMORY or os.path.exists(self._policy.ledger))

    def _key_type_stated(self, error: DataError) -> DataError:
        """The error of rows, with the remedy for a column of people whose type was not stated."""
        about = f"column `{self._person['key']}` is stored as " if isinstance(self._person, Person) and self._person.type is None else None
        help = 'declare it, dn.Person(..., type="integer"), or '
        if about is None or not any(re.search(f"{re.escape(about)}U?Int", problem.message) for problem in error.problems):
            return error
        return DataError(
            [
                problem._replace(help=help + problem.help, shown=problem.shown.replace(problem.help, help + problem.help))
                if problem.help and about in problem.message
                else problem
                for problem in error.problems
            ]
        )

    def _read_from(self) -> Optional[str]:
        """The folder of its files; ``None`` if all rows are given to sessions."""
        return None if all(path == IN_MEMORY for _, path, _ in self._policy.tables) else self._folder

    def _identity(self) -> object:
        if self._keys is not None:
            keys, queries = self._keys
            return identity({**keys, "query": queries} if queries else keys)
        if sys.version_info >= (3, 11):
            import tomllib

            # Numbers as they are written: none of them becomes a float.
            return identity(tomllib.loads(self.source, parse_float=str))
        return self.source

    def __reduce__(self) -> Tuple[Any, Tuple[Any, ...]]:
        # Not the file: it may change, and the promise with it.
        return (_restored, (self.source, self._folder, self._keys, self._from_file))


def _restored(source: str, folder: str, keys: Optional[Tuple[Any, Any]], from_file: bool) -> Policy:
    """A policy from a pickle, with the ledger that it had."""
    policy = Policy.__new__(Policy)
    if keys is None:
        policy._set(_deniable.Policy.parse(source, folder), folder, None, from_file)
    else:
        policy._build(*keys, folder)
    return policy


def _has_content(path: str, content: str) -> bool:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read() == content
    except (OSError, UnicodeDecodeError):
        return False


def _name_of_table(given: object, table: object) -> str:
    """The first argument of a policy that is built."""
    if not isinstance(given, str) or _TABLE.fullmatch(given) is None:
        raise usage(
            f"a policy is read from a file or built from arguments, and {shown(given)} is not the name of a table",
            "leave out one of them; a table's name has lower-case letters, digits and _",
        )
    if table is not None:
        raise usage("the name of the table is stated twice", "leave out table=")
    return given
