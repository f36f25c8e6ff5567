"""Names and values of Python as SQL. No text of a caller is SQL by itself: names are quoted where necessary, and values always."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Integral

from ._errors import shown, usage
from ._exact import exact, short, text

_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
_RESERVED = frozenset(
    """
    all analyse analyze and any any_value array as asc asymmetric at authorization begin between bigint binary boolean both by call
    case cast catalog_name check cluster collate collation column commit concurrently connect constraint count create cross cube current
    current_catalog current_date current_path current_role current_schema current_time current_timestamp current_user date day dec decimal
    declare default deferrable delete desc describe distinct distribute div do double drop else end escape except exclude execute exists
    explain extract false fetch filter first float following for foreign freeze from full function grant group grouping groups having
    hour ilike in initially inner insert int integer intersect interval into is isnull join last lateral leading left like limit
    listagg local localtime localtimestamp match merge minus minute mod month natural next no not notnull null nulls numeric of offset
    on only operator or order outer over overlaps overlay partition placing position preceding primary qualify quarter range real
    recursive references replace returning right rlike rollup row row_number rows sample second select semi session_user set sets show
    similar smallint some sort struct substring symmetric system_user table tablesample then time timestamp to top trailing treat trim
    true truncate try_cast unbounded union unique unknown unnest unpivot update user using value values varchar variadic varying view
    week when where window with within without year zone
    """.split()
)
"""Words that are, or may be, keywords or functions without parentheses: as names they are quoted."""


def name(value: object, what: str) -> str:
    """A name as SQL: ``age``, or ``"hours per week"``."""
    checked = short(value, what)
    if not checked or "\0" in checked:
        raise usage(f"{what} is {'empty' if not checked else 'a text with a NUL character'}", "write the name as in the policy")
    if _PLAIN.fullmatch(checked) and checked not in _RESERVED:
        return checked
    return '"' + checked.replace('"', '""') + '"'


def literal(value: object) -> str:
    """A value as SQL."""
    if value is None:
        raise usage("None is not compared: a comparison with NULL is never true", "write .is_null() or .is_not_null()")
    if isinstance(value, str):
        return "'" + _no_nul(text(value, "a value")).replace("'", "''") + "'"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            raise usage("a time with a zone is not compared: columns have local times", "write it without a zone, in the local time of the column")
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, (Integral, Fraction, Decimal, float)):
        return number(value)
    # Scalars of NumPy are values of Python after item().
    item = getattr(value, "item", None) if type(value).__module__.split(".")[0] == "numpy" and getattr(value, "ndim", 1) == 0 else None
    if callable(item):
        made = item()
        if type(made) is not type(value):
            return literal(made)
    raise usage(f"{shown(value)} is not a value of SQL", "write a text, a number, True, False, a datetime.date, or dn.col(...)")


def _no_nul(value: str) -> str:
    if "\0" in value:
        raise usage("a value has a NUL character, which no text of SQL has", "leave it out")
    return value


def number(value: object) -> str:
    """A number with all its digits. A float is the decimal that Python prints: values are compared with it, and no privacy depends on it."""
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise usage(f"{value!r} is not a number of SQL", "write a finite number")
        value = Decimal(repr(float(value)))
    known = exact(value)  # type: ignore[arg-type]
    places = 0
    while known.denominator and 10**places % known.denominator:
        places += 1
        if places > 60:
            raise usage(f"{known} has no end as a decimal", "compare a product: dn.col(...) * 3 == 1")
    digits = str(abs(known.numerator) * 10**places // known.denominator).zfill(places + 1)
    whole, part = (digits[:-places], "." + digits[-places:]) if places else (digits, "")
    return f"{'-' if known < 0 else ''}{whole}{part}"
