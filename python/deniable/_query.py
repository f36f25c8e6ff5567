"""Queries by methods: they give the SQL that one would write by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Tuple, Union

from . import _sql
from ._errors import shown, usage
from ._exact import Exact
from ._expression import Expression, col, row_condition

if TYPE_CHECKING:
    from ._answer import Answer
    from ._plan import Plan
    from ._policy import Policy
    from ._session import Session

ASKED = "query"
"""The default name of a query that is not in the policy."""
_Key = Tuple[str, str]
"""A group as SQL, and its column of the answer; an empty text if that is the same."""


class Table:
    """The rows of a table, some of them, and the groups of an answer: begun by ``Session.table`` or ``Policy.table``. It never changes.

    >>> import deniable as dn
    >>> visits = dn.Policy("examples/clinic/policy.toml").table("visits")
    >>> adults = visits.where(dn.col("age") >= 18, sex="F")
    >>> adults.group_by("department").agg(visits=dn.count(), minutes=dn.mean("minutes")).sql
    "SELECT department, COUNT(*) AS visits, AVG(minutes) AS minutes FROM visits WHERE age >= 18 AND sex = 'F' GROUP BY department"
    """

    __slots__ = ("name", "_session", "_conditions", "_keys")
    name: str
    """The name of the table."""

    def __init__(self, name: str, session: Optional[Session], conditions: Tuple[Expression, ...] = (), keys: Tuple[_Key, ...] = ()) -> None:
        self.name, self._session, self._conditions, self._keys = name, session, conditions, keys

    @classmethod
    def of(cls, policy: Policy, name: str, session: Optional[Session]) -> Table:
        """All rows of a table that a policy declares."""
        known = [table for table, _, _ in policy._policy.tables]
        if not isinstance(name, str) or name not in known:
            raise usage(f"the policy declares no table {shown(name)}", "it declares " + ", ".join(repr(one) for one in known))
        return cls(name, session)

    def where(self, *conditions: Expression, **equal: object) -> Table:
        """The rows that meet all these conditions, beside earlier ones.

        :param conditions: ``dn.col("age") >= 18``.
        :param equal: columns with the value that they have: ``sex="F"``.
        """
        more = [row_condition(one, "where()") for one in conditions] + [col(name) == value for name, value in equal.items()]
        return Table(self.name, self._session, (*self._conditions, *(row_condition(one, "where()") for one in more)), self._keys)

    def group_by(self, *columns: Union[str, Expression], **named: Expression) -> Table:
        """The groups of the answer.

        :param columns: columns by their names.
        :param named: expressions with the names of their columns in the answer: ``month=dn.col("seen").truncate("month")``.
        """
        keys = list(self._keys)
        for one in columns:
            key = col(one) if not isinstance(one, Expression) else row_condition(one, "group_by()")
            keys.append((key.sql, ""))
        for name, one in named.items():
            keys.append((row_condition(one, "group_by()").sql, _sql.name(name, "the name of a group")))
        return Table(self.name, self._session, self._conditions, tuple(keys))

    def agg(self, **aggregates: Expression) -> Query:
        """The numbers of the answer, each with the name of its column: ``visits=dn.count()``."""
        if not aggregates:
            raise usage("agg() has no aggregates", "write agg(visits=dn.count()), for example")
        columns = [f"{sql} AS {alias}" if alias else sql for sql, alias in self._keys]
        names = [alias or sql for sql, alias in self._keys]
        for name, one in aggregates.items():
            if not isinstance(one, Expression) or not one.is_aggregate:
                what = one.sql if isinstance(one, Expression) else shown(one)
                raise usage(f"{name}={what} is not an aggregate", "write dn.count(), dn.sum(...), dn.mean(...) and so on")
            alias = _sql.name(name, "the name of a number")
            columns.append(f"{one.sql} AS {alias}")
            names.append(alias)
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise usage(f"two columns of the answer have the name {twice[0]}", "give one of them another name")
        sql = f"SELECT {', '.join(columns)} FROM {_sql.name(self.name, 'the name of a table')}"
        if self._conditions:
            # A single condition is written as it is; several are joined as by `&`.
            joined = self._conditions[0]
            for one in self._conditions[1:]:
                joined = joined & one
            sql += f" WHERE {joined.sql}"
        if self._keys:
            sql += f" GROUP BY {', '.join(key for key, _ in self._keys)}"
        return Query(sql, self._session)

    def __repr__(self) -> str:
        conditions = "".join(f".where({one.sql})" for one in self._conditions)
        keys = f".group_by({', '.join(key for key, _ in self._keys)})" if self._keys else ""
        return f"Table({self.name!r}){conditions}{keys}"


class Query:
    """A query that was made by methods: its SQL is the same as by hand, and so are its price and its stored answer.

    >>> import deniable as dn
    >>> query = dn.Policy("examples/clinic/policy.toml").table("visits").agg(visits=dn.count())
    >>> print(query)
    SELECT COUNT(*) AS visits FROM visits
    """

    __slots__ = ("sql", "_session")
    sql: str
    """The SQL."""

    def __init__(self, sql: str, session: Optional[Session]) -> None:
        self.sql, self._session = sql, session

    def ask(
        self,
        *,
        spend: Optional[Exact] = None,
        epsilon: Optional[Exact] = None,
        name: str = ASKED,
        rows_per_group: Optional[int] = None,
        groups: Optional[int] = None,
    ) -> Answer:
        """Answers the query, as ``Session.ask``."""
        opened = self._opened("answered")
        return opened.ask(self.sql, spend=spend, epsilon=epsilon, name=name, rows_per_group=rows_per_group, groups=groups)

    def plan(
        self,
        *,
        spend: Optional[Exact] = None,
        epsilon: Optional[Exact] = None,
        name: str = ASKED,
        rows_per_group: Optional[int] = None,
        groups: Optional[int] = None,
    ) -> Plan:
        """The cost and the expected errors of the query, as ``Session.plan``. Nothing is charged."""
        opened = self._opened("planned")
        return opened.plan(self.sql, spend=spend, epsilon=epsilon, name=name, rows_per_group=rows_per_group, groups=groups)

    def _opened(self, done: str) -> Session:
        if self._session is None:
            raise usage(f"the query was made without a session, and is not {done} by itself", "begin it by session.table(...), or give its sql to ask()")
        return self._session

    def __str__(self) -> str:
        return self.sql

    def __repr__(self) -> str:
        return f"Query({self.sql!r})"
