"""Sessions: a policy with its data and its ledger."""

from __future__ import annotations

import json
import logging
import os
import re
import tempfile
import warnings
from fractions import Fraction
from types import TracebackType
from typing import TYPE_CHECKING, List, Mapping, Optional, Sequence, Tuple, Type, Union

from . import _deniable
from ._answer import Answer, Release
from ._data_check import DataCheck
from ._errors import DataError, LedgerWarning, QueryWarning, shown, usage
from ._exact import Exact, names, read, short, text, truth, whole
from ._exact import path as _path
from ._export import written_to
from ._frames import declared_columns
from ._plan import Plan
from ._price import Limit, part_of
from ._progress import Progress, wait
from ._query import ASKED, Table
from ._sections import IN_MEMORY

if TYPE_CHECKING:
    from ._arrow import Tables
    from ._export import Path
    from ._policy import Policy
    from ._progress import Told

_LOG = logging.getLogger("deniable")


def _cap(value: Optional[int], what: str) -> Optional[int]:
    """A contribution bound; beyond 32 bits it bounds nothing."""
    known = whole(value, what)
    return None if known is None else min(known, (1 << 32) - 1)


class Session:
    """A policy with open data and ledger: created by ``Policy.session``, used with ``with``.

    Calls may come from any thread, one after another: the interpreter's lock is released while they wait. In async code use
    ``await asyncio.to_thread(session.ask, sql, spend="1/40")``. Ctrl-C stops the waiting; the call goes on to its end in the background, so that
    charged queries are computed and stored, and the same query asked again is free. A fork has no threads of its parent: open a session in each process.

    >>> import deniable as dn, warnings
    >>> warnings.simplefilter("ignore", dn.LedgerWarning)
    >>> with dn.Policy("examples/clinic/policy.toml").session(ledger=":memory:") as session:
    ...     first = session.ask("SELECT COUNT(*) AS visits FROM visits", spend="1/40")
    ...     again = session.ask("SELECT COUNT(*) AS visits FROM visits", spend="1/40")
    ...     first.rows == again.rows, session.left
    (True, Fraction(39, 40))
    """

    def __init__(
        self,
        policy: Policy,
        rows: Optional[Tables],
        *,
        version: Union[None, str, Mapping[str, str]],
        ledger: Optional[Path],
        register: bool,
        again: bool,
        other_people: bool,
        threads: Optional[int],
        memory: Union[None, int, str],
        progress: Union[None, bool, Told],
        test: bool = False,
    ) -> None:
        self.policy = policy
        """The policy."""
        self._folder: Optional[tempfile.TemporaryDirectory[str]] = None
        self._session: Optional[_deniable.Session] = None
        self._progress, self._test = progress, test
        self.log: List[Tuple[str, str]] = []
        """The steps taken and the findings in the data: for the curator. The logger ``deniable`` has them, too."""
        declared = policy._policy
        truth(register, "register=")
        truth(again, "again=")
        truth(other_people, "other_people=")
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            raise usage(f"progress= is not a function: {shown(progress)}", "write progress=False, or give a function of the step and the number of rows")
        threads, memory = whole(threads, "threads="), _bytes(memory)
        given, versions = _given(policy, rows, version)
        self.ledger = self._temporary() if test else self._place(policy, ledger)
        """The ledger's file; empty for that of a rehearsal, which is temporary."""
        about = declared.with_(versions, os.path.abspath(self.ledger))
        with policy._queries_named():
            self._session = _deniable.Session(about, given, register, again, other_people, threads, memory)

    @classmethod
    def _of_rehearsal(
        cls,
        policy: Policy,
        *,
        rows: Optional[int],
        people: Optional[int],
        ledger: Optional[Path],
        threads: Optional[int],
        memory: Union[None, int, str],
        progress: Union[None, bool, Told],
    ) -> Session:
        session = cls.__new__(cls)
        session.policy, session.log, session._folder, session._progress, session._test = policy, [], None, progress, False
        session.ledger = "" if ledger is None else os.path.abspath(_path(ledger, "ledger="))
        size = whole(rows, "rows="), whole(people, "people=")
        resources = whole(threads, "threads="), _bytes(memory)
        with policy._queries_named():
            session._session = _deniable.Session.rehearse(policy._policy, *size, session.ledger or None, *resources)
        return session

    def _place(self, policy: Policy, ledger: Optional[Path]) -> str:
        if ledger is None and not policy._has_ledger():
            raise usage(
                "the ledger is missing: the file that records the budget spent on these people",
                f'add ledger="{policy.population}.ledger", and keep it; ledger=":memory:" forgets everything when the session ends',
            )
        place = _path(policy._policy.ledger if ledger is None else ledger, "ledger=")
        if place == ":memory:":
            warnings.warn(
                'ledger=":memory:": the ledger is deleted when the session ends, and later sessions do not count its charges',
                LedgerWarning,
                stacklevel=4,
            )
            return self._temporary()
        if not os.path.exists(place):
            # Before any charge: a warning that becomes an error then costs nothing.
            warnings.warn(f"a new ledger begins: {place}. Keep it, and its key beside it", LedgerWarning, stacklevel=4)
        return place

    def _temporary(self) -> str:
        self._folder = tempfile.TemporaryDirectory(prefix="deniable-", ignore_cleanup_errors=True)
        return os.path.join(self._folder.name, f"{self.policy.population}.ledger")

    def ask(
        self,
        sql: str,
        *,
        spend: Optional[Exact] = None,
        epsilon: Optional[Exact] = None,
        name: str = ASKED,
        rows_per_group: Optional[int] = None,
        groups: Optional[int] = None,
    ) -> Answer:
        """Answers a query that is not in the policy, paid from the remaining budget. The same query asked again at the same price is free.

        :param sql: the query (docs/reference/policy.md#sql).
        :param spend: the part of the whole promise that it may use, as a part of ln R: ``"1/40"``.
        :param epsilon: the same as an ε, ``"1/10"`` or ``"ln(2)"``, in place of ``spend``. If it is no exact part of ln R, it is rounded down
            to six significant digits of the part: the answer never costs more than the ε. ``Answer.share`` is the part.
        :param name: its name in the ledger.
        :param rows_per_group: at most this many rows of one entity count in each group, in place of the policy's cap.
        :param groups: at most this many groups count for one entity, in place of the policy's cap.
        :raises QueryError: when it cannot be answered under the policy; it follows from both alone.
        :raises BudgetError: when the promise does not pay for it. Nothing is charged.
        :raises DataError: when the data must not be used. For the curator.
        """
        session = self._open()
        caps = (_cap(rows_per_group, "rows_per_group="), _cap(groups, "groups="))
        query = session.query(short(name, "name="), text(sql, "the query"), str(self._part(spend, epsilon)), caps)
        self._note(session.notes([], query))
        return self._released(session.ask(query))[name]

    def table(self, name: str) -> Table:
        """Begins a query of a table by methods, which give the same SQL as by hand.

        >>> import deniable as dn, warnings
        >>> warnings.simplefilter("ignore", dn.LedgerWarning)
        >>> with dn.Policy("examples/clinic/policy.toml").session(ledger=":memory:") as session:
        ...     query = session.table("visits").where(dn.col("age") >= 18).group_by("department").agg(minutes=dn.mean("minutes"))
        ...     query.sql
        'SELECT department, AVG(minutes) AS minutes FROM visits WHERE age >= 18 GROUP BY department'
        """
        return Table.of(self.policy, name, self)

    def release(self, *queries: str, spend: Optional[Exact] = None, epsilon: Optional[Exact] = None) -> Release:
        """Answers the policy's queries, or those with these names; stored answers are free.

        >>> import deniable as dn, warnings
        >>> warnings.simplefilter("ignore", dn.LedgerWarning)
        >>> with dn.Policy("examples/clinic/policy.toml").session(ledger=":memory:") as session:
        ...     release = session.release("visits by sex", spend="1/10")
        ...     session.left
        Fraction(9, 10)

        :param spend: the part of the whole promise that these queries use together: weights divide what explicit shares leave of it. The policy's own
            ``spend`` does not limit it; later releases count it as the policy's spending.
        :param epsilon: the same as an ε, in place of ``spend``.
        """
        session = self._open()
        chosen = [short(name, "the name of a query") for name in queries]
        part = None if spend is None and epsilon is None else str(self._part(spend, epsilon))
        self._note(session.notes(chosen, None))
        return self._released(session.release(chosen, part))

    def register(self, accept: Union[str, Sequence[str]] = (), *, accept_loss: Union[str, Sequence[str]] = ()) -> List[Tuple[str, str]]:
        """Scans all rows of all tables and registers their versions, or none; the findings are in ``log``. Nothing is charged.

        :param accept: columns that are accepted although they cannot be read as declared, as ``column`` or ``table.column``.
        :param accept_loss: queries of the policy of which caps or bounds may leave out more than 10%.
        :returns: each table with its version.
        :raises DataError: when columns that are not accepted cannot be read, or caps or bounds leave out more than 10% of a
            query that is not accepted. For the curator.
        """
        (written,) = self._wait(self._open().register(names(accept, "accept="), names(accept_loss, "accept_loss=")))
        return [(table, version) for table, version in json.loads(written)]

    def check_data(self, accept: Union[str, Sequence[str]] = (), *, accept_loss: Union[str, Sequence[str]] = ()) -> DataCheck:
        """Scans all rows of all tables, as ``register`` does, and returns what it finds: missing, unreadable and clamped values, and what caps and bounds
        leave out of each query. The versions are registered, unless a finding prevents it: then ``DataCheck.refused`` is the error. Nothing is charged.

        >>> import deniable as dn, warnings
        >>> warnings.simplefilter("ignore", dn.LedgerWarning)
        >>> with dn.Policy("examples/clinic/policy.toml").session(ledger=":memory:") as session:
        ...     check = session.check_data()
        ...     {column.column: column.outside_bounds for column in check.columns}["minutes"]
        0

        :param accept: as in ``register``.
        :param accept_loss: as in ``register``.
        :raises DataError: when the data cannot be scanned at all. For the curator.
        """
        call, findings = self._open().check_data(names(accept, "accept="), names(accept_loss, "accept_loss="))
        refused: Optional[DataError] = None
        try:
            self._wait(call)
        except DataError as error:
            refused = error
        check = DataCheck(*findings.read(), refused)
        if refused is not None and not check.columns:
            raise refused
        return check

    def plan(
        self,
        sql: Optional[str] = None,
        *,
        spend: Optional[Exact] = None,
        epsilon: Optional[Exact] = None,
        name: str = ASKED,
        rows_per_group: Optional[int] = None,
        groups: Optional[int] = None,
    ) -> Plan:
        """The costs and expected errors of the policy's queries, or of one that is not in it. Nothing is charged.

        >>> import deniable as dn, warnings
        >>> warnings.simplefilter("ignore", dn.LedgerWarning)
        >>> with dn.Policy("examples/clinic/policy.toml").session(ledger=":memory:") as session:
        ...     session.plan("SELECT COUNT(*) AS visits FROM visits", spend="1/40")["query"].paid
        False
        """
        session = self._open()
        if sql is None:
            if spend is not None or epsilon is not None:
                given = "spend=" if epsilon is None else "epsilon="
                raise usage(f"{given} is the price of a query", f"give the query, too, or leave {given} out")
            return Plan(*session.plan(None))
        caps = (_cap(rows_per_group, "rows_per_group="), _cap(groups, "groups="))
        return Plan(*session.plan(session.query(short(name, "name="), text(sql, "the query"), str(self._part(spend, epsilon)), caps)))

    @property
    def answers(self) -> Tuple[Answer, ...]:
        """The stored answers about these people, free and without reading rows: those of the policy's queries first, then all others in the order
        of their charges. An answer of more than 20,000 cells that is not the policy's is left out: the same query asked again returns it.

        >>> import deniable as dn, warnings
        >>> warnings.simplefilter("ignore", dn.LedgerWarning)
        >>> with dn.Policy("examples/clinic/policy.toml").session(ledger=":memory:") as session:
        ...     asked = session.ask("SELECT COUNT(*) AS visits FROM visits", spend="1/40")
        ...     [answer.rows == asked.rows for answer in session.answers]
        [True]
        """
        releases = [Release(written, {}, self._test) for written in self._open().answers()]
        return tuple(answer for release in releases for answer in release.values())

    @property
    def left(self) -> Fraction:
        """The part of ln R that is left for all queries about these people.

        Exact if it is a fraction; otherwise (the promise was changed before) rounded down to a ten-thousandth.
        """
        share, _, _ = self._open().left()
        return read(share)

    @property
    def left_epsilon(self) -> Fraction:
        """The ε that is left for all queries about these people: exact for a promise of an ε, otherwise rounded down.

        >>> import deniable as dn, warnings
        >>> warnings.simplefilter("ignore", dn.LedgerWarning)
        >>> with dn.Policy("examples/clinic/policy.toml").session(ledger=":memory:") as session:
        ...     answer = session.ask("SELECT COUNT(*) AS visits FROM visits", epsilon="1/10")
        ...     answer.share, session.left_epsilon
        (Fraction(910239, 10000000), Fraction(249653, 250000))
        """
        share, _, _ = self._open().left()
        return Limit.of(self.policy._policy).at_most(read(share))

    @property
    def left_in_words(self) -> str:
        """The remaining part in words: ``39/40 of ln 3 (about 97.5%)``."""
        _, _, words = self._open().left()
        return words

    def report(self, path: Optional[Path] = None) -> str:
        """The page on everything released about these people, as HTML; written to a file if a path is given.

        >>> import deniable as dn, warnings
        >>> warnings.simplefilter("ignore", dn.LedgerWarning)
        >>> with dn.Policy("examples/clinic/policy.toml").session(ledger=":memory:") as session:
        ...     answer = session.ask("SELECT COUNT(*) AS visits FROM visits", spend="1/40")
        ...     session.report().startswith("<!DOCTYPE html>")
        True
        """
        if path is not None:
            _path(path, "path=")
        return written_to(path, self._open().page())

    def close(self) -> None:
        """Closes the session. A running call is not stopped, but the ledger of ``":memory:"`` is deleted, with its results."""
        self._session = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _part(self, spend: Optional[Exact], epsilon: Optional[Exact]) -> Fraction:
        return part_of(Limit.of(self.policy._policy), spend, epsilon)

    def _note(self, notes: Sequence[str]) -> None:
        # Before any charge: a warning that becomes an error then costs nothing.
        for note in notes:
            warnings.warn(note, QueryWarning, stacklevel=3)

    def _open(self) -> _deniable.Session:
        if self._session is None:
            raise usage("the session is closed", "open another with policy.session(...)")
        return self._session

    def _released(self, call: _deniable.Call) -> Release:
        (written,) = self._wait(call)
        publication, unanswered = _parts(written)
        release = Release(publication, unanswered, self._test)
        for name, reason in unanswered.items():
            _LOG.error("%s is paid for and not answered: %s", name, reason)
        return release

    def _wait(self, call: _deniable.Call) -> List[str]:
        progress = Progress(call, self._progress)
        try:
            return wait(call, progress.look)
        finally:
            progress.done()
            self._hear(call)

    def _hear(self, call: _deniable.Call) -> None:
        for kind, text in call.news():
            self.log.append((kind, text))
            _LOG.log(logging.WARNING if kind == "written since" else logging.INFO, "%s: %s", kind, text)

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._session is None else f"ledger={self.ledger!r}"
        return f"Session({self.policy.name!r}, {'TEST, ' if self._test else ''}{state})"

    def __reduce__(self) -> str:
        raise TypeError("a Session is not pickled: it holds data and a thread; open one in each process, they may share a ledger")


def _parts(written: str) -> Tuple[str, Mapping[str, str]]:
    """The publication, digit by digit, and the queries without an answer."""
    head, tail = '{"publication":', ',"unanswered":'
    at = written.rindex(tail)
    return written[len(head) : at], dict(json.loads(written[at + len(tail) : -1]))


def _given(
    about: Policy, rows: Optional[Tables], version: Union[None, str, Mapping[str, str]]
) -> Tuple[List[Tuple[str, _deniable.Rows]], List[Tuple[str, str]]]:
    """The rows in memory and their declared versions, by table."""
    policy = about._policy
    main = policy.tables[0][0]
    in_memory = [name for name, path, _ in policy.tables if path == IN_MEMORY]
    if rows is None:
        if in_memory:
            raise usage(
                "the rows are missing" if in_memory == [main] else f"the rows of {_list(in_memory)} are missing",
                'give them, session(df, version="2024-06", ...), or build the policy with data={"path": ..., "version": ...}',
            )
        if version is not None:
            raise usage("version= is for rows in memory", "give the rows, too, or set `version` in the policy")
        return [], []
    if isinstance(rows, Mapping) and not rows:
        raise usage("rows= is an empty dictionary", f"give the rows of {main!r}, or of several tables by name; without rows= files are read")
    named: Mapping[str, object] = rows if isinstance(rows, Mapping) else {main: rows}
    known = {name for name, _, _ in policy.tables}
    for name in named:
        if name not in known:
            raise usage(f"the policy declares no table {name!r}", f"it declares {_list(sorted(known))}")
    for name in in_memory:
        if name not in named:
            raise usage(f"the rows of {name!r} are missing", "give them, too, session({" + f"{name!r}: df, ..." + "}, ...)")
    if version is None:
        raise usage(
            "the version of these rows is missing",
            'add version="2024-06": the name of the rows in the ledger; other rows are another version, whose queries are paid again',
        )
    if not isinstance(version, (str, Mapping)):
        raise usage(f"version= is not a text: {shown(version)}", 'write version="2024-06"')
    if isinstance(version, str) and len(named) > 1:
        raise usage("version= is one version for several tables", "write version={...} with the version of each table")
    versions: Mapping[str, str] = {next(iter(named)): version} if isinstance(version, str) else version
    for name in named:
        if name not in versions:
            raise usage(f"the version of the rows of {name!r} is missing", "add it to version={...}")
    for name in versions:
        if name not in named:
            raise usage(f"version= names {name!r}, of which there are no rows", "leave it out")
    declared = [(name, text(versions[name], "version=")) for name in named]
    columns = {name: columns for name, _, columns in policy.tables}
    try:
        return [(name, declared_columns(one, policy, name, columns[name])) for name, one in named.items()], declared
    except DataError as error:
        raise about._key_type_stated(error) from None


def _list(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)


_UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def _bytes(memory: Union[None, int, str]) -> Optional[int]:
    if memory is None or (isinstance(memory, int) and not isinstance(memory, bool) and 0 < memory < 1 << 63):
        return memory
    found = re.fullmatch(r"\s*([1-9][0-9]*)\s*([A-Za-z]*)\s*", memory) if isinstance(memory, str) else None
    unit = _UNITS.get(found.group(2).upper()) if found else None
    if found is None or unit is None or len(found.group(1)) > 18:
        raise usage(f"memory={shown(memory)} is not an amount of memory", 'write memory="2GB", or a number of bytes')
    return int(found.group(1)) * unit
