"""Places of a policy's errors in its arguments: ``columns["minutes"]["bounds"]``.

The extension names places by line and column of the policy as TOML, which users who write Python do not see. Here the same lines are
written again with the path of each value. A line that differs from the one in the message, as texts with quotes may, names no path.
"""

from __future__ import annotations

import json
import re
from typing import Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ._errors import PolicyError, Problem, QueryError
from ._plain import at

_Path = Tuple[Union[str, int], ...]


class _Span(NamedTuple):
    start: int
    end: int
    path: _Path


class _Line(NamedTuple):
    text: str
    spans: List[_Span]


_BARE = re.compile(r"[A-Za-z0-9_-]+")
_NEEDS = {
    "the policy needs `adversary`": 'add adversary="acquaintance", or dn.Adversary(...); dn.epsilon alone needs none',
    "the policy needs `promise`": 'add promise=dn.epsilon(1), for example',
    "the policy needs `name`": 'name the table first, dn.Policy("visits", ...), or add name="clinic"',
    "the policy needs `population`": 'add population="clinic-patients": the people that the promise is about',
    "[data] needs `table`": 'name the table first, dn.Policy("visits", ...), or add table="visits"',
}
"""The remedies for missing arguments, in the words of Python."""


def in_arguments(error: PolicyError, keys: Mapping[str, object], queries: Sequence[Mapping[str, object]], words: Mapping[str, str]) -> PolicyError:
    """The error with the arguments of a policy that was built as its places.

    :param words: the argument of a section where it is not the section's name.
    """
    lines = list(_document({**keys, "query": list(queries)} if queries else keys))
    return PolicyError([_problem(problem, lines, queries, words) for problem in error.problems])


def in_queries(error: QueryError, keys: Mapping[str, object], queries: Sequence[Mapping[str, object]]) -> QueryError:
    """The error of a query of a policy that was built, with the query as its place; the SQL is shown below it."""
    lines = list(_document({**keys, "query": list(queries)}))
    problems = []
    for problem in error.problems:
        where = _where(problem, lines)
        if where is not None and problem.place is not None:
            file, line, column = problem.place
            problem = problem._replace(shown=problem.shown.replace(f"at {file}:{line}:{column}", f"at {_in_words(where, queries, {})}"))
        problems.append(problem)
    return QueryError(problems)


def _problem(problem: Problem, lines: List[_Line], queries: Sequence[Mapping[str, object]], words: Mapping[str, str]) -> Problem:
    message = re.sub(r"^\[(\w+)\.([^\]]+)\]", lambda found: at(words.get(found[1], found[1]), found[2].strip('"')), problem.message)
    message = re.sub(r"^\[(\w+)\]", lambda found: words.get(found[1], found[1]) + "=", message)
    help = _NEEDS.get(problem.message, problem.help)
    where = None if problem.message.startswith("the policy needs") else _where(problem, lines)
    if where is None and problem.message not in _NEEDS:
        return problem
    shown = message
    if where is not None:
        shown += f"\n  at {_in_words(where, queries, words)}"
    if help:
        shown += f"\n  help: {help}"
    return problem._replace(message=message, help=help, shown=shown)


def _where(problem: Problem, lines: List[_Line]) -> Optional[_Path]:
    if problem.place is None:
        return None
    _, line, column = problem.place
    written = re.search(rf"^ *{line} │ (.*)$", problem.shown, re.MULTILINE)
    if written is None or not 0 < line <= len(lines) or lines[line - 1].text != written[1]:
        return None
    around = [span for span in lines[line - 1].spans if span.start <= column - 1 < span.end]
    return min(around, key=lambda span: span.end - span.start).path if around else None


def _in_words(path: _Path, queries: Sequence[Mapping[str, object]], words: Mapping[str, str]) -> str:
    first, *rest = path
    if first == "query" and rest:
        number, *rest = rest
        name = queries[int(number)].get("name")
        first, rest = (at("queries", name), [one for one in rest if one != "sql"]) if name else (f"queries[{number}]", rest)
        return _indexed(str(first), rest)
    if first == "data" and rest == ["table"]:
        return "table="
    return _indexed(words.get(str(first), str(first)), rest) + ("" if rest else "=")


def _indexed(word: str, path: Sequence[Union[str, int]]) -> str:
    for one in path:
        word = at(word, one)
    return word


def _document(keys: Mapping[str, object]) -> Iterator[_Line]:
    """The lines of a policy: keys first, then each table under its header, then lists of tables."""
    tables = {key: value for key, value in keys.items() if isinstance(value, Mapping)}
    lists = {key: value for key, value in keys.items() if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value)}
    first = True
    for key, value in keys.items():
        if key not in tables and key not in lists:
            yield from _member(key, value, (key,))
            first = False
    sections: List[Tuple[str, str, Mapping[str, object], _Path]] = [(f"[{_key(key)}]", key, table, (key,)) for key, table in tables.items()]
    for key, listed in lists.items():
        sections += [(f"[[{_key(key)}]]", key, table, (key, number)) for number, table in enumerate(listed)]
    for header, _, table, path in sections:
        if not first:
            yield _Line("", [])
        first = False
        yield _Line(header, [_Span(0, len(header), path)])
        for key, value in table.items():
            yield from _member(key, value, (*path, key))


def _member(key: str, value: object, path: _Path) -> Iterator[_Line]:
    spans: List[_Span] = []
    text = _pair("", key, value, path, spans)
    for number, line in enumerate(text.split("\n")):
        # A place within a text of several lines is that of the member.
        yield _Line(line, [_Span(0, len(line) + 1, path)] if number else spans)


def _pair(before: str, key: str, value: object, path: _Path, spans: List[_Span]) -> str:
    start = len(before)
    before = _inline(f"{before}{_key(key)} = ", value, path, spans)
    spans.append(_Span(start, len(before), path))
    return before


def _inline(before: str, value: object, path: _Path, spans: List[_Span]) -> str:
    start = len(before)
    if isinstance(value, Mapping):
        before += "{"
        for number, (key, one) in enumerate(value.items()):
            before = _pair(before + (", " if number else " "), key, one, (*path, key), spans)
        before += " }" if value else "}"
    elif isinstance(value, list):
        before += "["
        for number, one in enumerate(value):
            before = _inline(before + (", " if number else ""), one, (*path, number), spans)
        before += "]"
    elif isinstance(value, bool):
        before += str(value).lower()
    else:
        before += _text(value) if isinstance(value, str) else str(value)
    spans.append(_Span(start, len(before), path))
    return before


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    if "\n" in value:
        return f'"""\n{value}"""'
    return f"'{value}'" if '"' in value and "'" not in value else json.dumps(value, ensure_ascii=False)
