"""Plans: costs and expected errors of answers."""

from __future__ import annotations

import html
import json
from fractions import Fraction
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from ._errors import shown, usage
from ._exact import read
from ._page import REHEARSAL, items, page, text


class PlannedQuery(NamedTuple):
    """A query of a plan.

    >>> import deniable as dn
    >>> dn.Policy("examples/clinic/policy.toml").plan()["visits by sex"].paid
    False
    """

    name: str
    """The name of the query."""
    sql: str
    """The query."""
    share: Fraction
    """The part of ln R."""
    epsilon: str
    """Its ε, rounded up, as a decimal."""
    paid: bool
    """Whether the ledger has its answer, which is then free."""
    within: Optional[str]
    """The stored answer that contains it, free."""
    answers: Tuple[Dict[str, Any], ...]
    """For each number its cells, noise and expected error, as in ``deniable plan --format json``."""


class Report:
    """What follows from a policy alone: a table when printed, and numbers in ``to_dict()``. It may be published.

    >>> import deniable as dn
    >>> report = dn.Policy("examples/clinic/policy.toml").sweep("posterior_at_most=0.6..0.9:4", "visits by sex")
    >>> [point["value"] for point in report.to_dict()["points"]]
    ['3/5', '7/10', '4/5', '9/10']
    """

    __slots__ = ("_text", "_json")

    def __init__(self, text: str, written: str) -> None:
        self._text = text
        self._json: Dict[str, Any] = json.loads(written)

    def to_dict(self) -> Dict[str, Any]:
        """Its numbers, in the form that the command prints with ``--format json``."""
        copy: Dict[str, Any] = json.loads(json.dumps(self._json))
        return copy

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def __repr__(self) -> str:
        return f"Report({', '.join(self._json)})"

    def _repr_html_(self) -> str:
        return page(text(self))


class Plan(Report):
    """Costs and expected errors of answers. A plan follows from the policy and the costs in the ledger, and may be published.

    >>> import deniable as dn
    >>> plan = dn.Policy("examples/clinic/policy.toml").plan("total cost")
    >>> [query.name for query in plan]
    ['total cost']
    """

    __slots__ = ("queries",)

    queries: Tuple[PlannedQuery, ...]
    """The queries, in their order."""

    def __init__(self, text: str, written: str) -> None:
        super().__init__(text, written)
        self.queries = tuple(
            PlannedQuery(
                query["name"],
                query["sql"],
                read(query["share"]),
                query["epsilon"],
                query["paid"],
                query.get("within"),
                tuple(query["answers"]),
            )
            for query in self._json["queries"]
        )

    def _of_policy(self) -> Plan:
        """The plan without the mark of a rehearsal, as it does not depend on rows."""
        self._json.pop("rehearsal", None)
        self._text = self._text.removeprefix(f"{REHEARSAL}\n\n")
        return self

    def __getitem__(self, name: str) -> PlannedQuery:
        for query in self.queries:
            if isinstance(name, str) and query.name == name:
                return query
        raise usage(f"the plan has no query {shown(name)}", "it has " + ", ".join(repr(query.name) for query in self.queries))

    def __iter__(self) -> Iterator[PlannedQuery]:
        return iter(self.queries)

    def __len__(self) -> int:
        return len(self.queries)

    def __repr__(self) -> str:
        return f"Plan({[query.name for query in self.queries]!r})"

    def _repr_html_(self) -> str:
        rows: List[str] = []
        for query in self.queries:
            for at, answer in enumerate(query.answers):
                noise = "<br>".join(
                    html.escape(f"{one['measure']}: {one['scale'] or 'by rank'}") for one in answer["noise"]
                )
                typical = f"{answer['relative']} of {answer['typical'] or 'the rows'}" if answer["relative"] else "-"
                first = (
                    f"<th scope='row' rowspan='{len(query.answers)}'>{html.escape(query.name)}</th>"
                    f"<td rowspan='{len(query.answers)}'>{query.share}{' (paid)' if query.paid else ''}</td>"
                    if at == 0
                    else ""
                )
                rows.append(
                    f"<tr>{first}<td>{html.escape(answer['answer'])}</td><td>{noise}</td>"
                    f"<td>{html.escape(answer['error'] or '-')}</td><td>{html.escape(typical)}</td></tr>"
                )
        head = "".join(
            f"<th scope='col'>{name}</th>"
            for name in ("query", "share of ln R", "answer", "scale of the noise", f"error ({self._json['confidence']})", "typically")
        )
        notes = [*self._json["notes"], *self._json["hints"]]
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        return page(table, items(notes) if notes else "")
