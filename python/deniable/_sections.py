"""The sections of a policy from the arguments of Python."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence

from ._declare import Person
from ._errors import usage
from ._frozen import NUMBERS, same_number
from ._plain import TOO_DEEP, at, plain_keys
from ._promise import is_plain_epsilon

IN_MEMORY = "rows in memory"
"""The path of tables whose rows are given to a session."""
_MEMORY = {"path": IN_MEMORY, "format": "parquet", "version": "1"}
_ADD_REMOVE = {"knows_size": False}
"""The observers of a plain ε: any prior belief, and neighbours that differ by one person more or less."""


def policy_keys(
    *,
    name: Optional[str],
    population: Optional[str],
    table: Optional[str],
    promise: object,
    adversary: object,
    entity: object,
    columns: object,
    data: object,
    sections: Mapping[str, object],
) -> Dict[str, object]:
    """The keys of a policy file, in plain values."""
    keys: Dict[str, Any] = {"name": name, "population": population}
    _dictionary(data, "data", '{"path": "visits.parquet", "version": "2024-06"}')
    section: Dict[str, object] = dict(_MEMORY if data is None else data)  # type: ignore[call-overload]
    if table is not None:
        section["table"] = table
    keys["data"] = section
    keys["columns"] = _with_key(_columns(columns, "columns"), entity)
    keys["entity"] = entity
    if adversary is None and is_plain_epsilon(promise):
        adversary = _ADD_REMOVE
    keys["adversary"] = {"preset": adversary} if isinstance(adversary, str) else adversary
    keys["promise"] = promise
    keys.update(sections)
    keys["tables"] = _tables(sections.get("tables"))
    try:
        return plain_keys(keys, str)
    except RecursionError:
        raise usage(*TOO_DEEP) from None


def query_keys(queries: object) -> List[Dict[str, object]]:
    """The keys of each ``[[query]]``, in plain values."""
    if isinstance(queries, Mapping):
        stated: Optional[Sequence[Any]] = [{"name": name, "sql": sql} for name, sql in queries.items()]
    else:
        stated = [] if queries is None else list(queries) if isinstance(queries, (list, tuple)) else None
    if stated is None or not all(isinstance(query, Mapping) for query in stated):
        example = 'queries={"by sex": "SELECT sex, COUNT(*) FROM visits GROUP BY sex"}'
        raise usage("queries= are neither SQL by name nor a list of dictionaries", f"write {example}")
    try:
        return [plain_keys(query, lambda key: f"`{key}` of a query") for query in stated]
    except RecursionError:
        raise usage(*TOO_DEEP) from None


def identity(value: object, ordered: bool = False) -> object:
    """The keys in a form that can be compared: their order counts only for labels, as it is that of the groups, and of equal numbers
    one may be written ``"1/2"`` and the other ``"0.5"``."""
    if isinstance(value, Mapping):
        items = [(key, _identity_of(key, one, ordered)) for key, one in value.items()]
        return ("table", *(items if ordered else sorted(items, key=lambda item: item[0])))
    if isinstance(value, (list, tuple)):
        return ("list", *(identity(one, ordered) for one in value))
    # True is not 1, and a text is no number.
    return (type(value).__name__, value if isinstance(value, (str, bool, int)) else str(value))


def _identity_of(key: str, value: object, ordered: bool) -> object:
    if key in NUMBERS and not ordered and not isinstance(value, Mapping):
        return ("number", str(same_number(value)))
    return identity(value, ordered or key in ("keys", "within"))


def _dictionary(given: object, what: str, example: str) -> None:
    if given is not None and not isinstance(given, Mapping):
        raise usage(f"{what}= is not a dictionary, but a {type(given).__name__}", f"write {what}={example}")


def _columns(columns: object, what: str) -> Dict[str, object]:
    """The keys of each column; a text is its type."""
    _dictionary(columns, what, '{"minutes": dn.Integer(0, 60)}')
    given: Mapping[str, object] = columns or {}  # type: ignore[assignment]
    return {name: {"type": one} if isinstance(one, str) else one for name, one in given.items()}


def _with_key(columns: Dict[str, object], entity: object) -> Optional[Dict[str, object]]:
    """The columns, and that of the people if only ``dn.Person`` names it."""
    if not isinstance(entity, Person):
        return columns or None
    key = entity["key"]
    if key not in columns:
        return {key: {"type": entity.type or "text"}, **columns}
    if entity.type is not None:
        raise usage(f"{at('columns', key)} declares the column of the people, and so does type=", "leave out one of them")
    return columns


def _tables(tables: object) -> Optional[Dict[str, object]]:
    """The keys of each further table, with columns as those of the main one."""
    _dictionary(tables, "tables", '{"stays": {"entity": "patient", "columns": {"patient": "integer"}}}')
    made: Dict[str, object] = {}
    for name, section in (tables or {}).items():  # type: ignore[attr-defined]
        if isinstance(section, Mapping):
            in_memory = "path" not in section and section.get("unprotected") is not True
            section = {**(_MEMORY if in_memory else {}), **section}
            section["columns"] = _columns(section.get("columns"), f"columns of the table {name!r}: columns") or None
        made[name] = section
    return made or None
