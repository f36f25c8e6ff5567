"""The declared columns of tables of each library, and the errors of columns that cannot be read.

Columns that are not declared are never exported, and no message contains a cell.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import _deniable
from ._arrow import table
from ._errors import DataError, Problem

_NO_ARROW = ("Object", "Null", "Int128", "UInt128", "Unknown")
"""Types of polars that it exports in a format that is not Arrow, or at which it aborts."""
_MISSING_INTEGER = -(2**31)
"""R's marker for a missing integer."""
_CASTS: Dict[str, Dict[str, str]] = {
    "pandas": {
        "integer": '{frame}["{name}"] = pd.to_numeric({column}).astype("Int64")',
        "decimal": '{frame}["{name}"] = pd.to_numeric({column}).astype("Float64")',
        "text": '{frame}["{name}"] = {column}.astype("string")',
        "boolean": '{frame}["{name}"] = {column}.astype("boolean")',
        "date": '{frame}["{name}"] = pd.to_datetime({column}).dt.date',
        "timestamp": '{frame}["{name}"] = pd.to_datetime({column})',
    },
    "polars": {
        "integer": 'df = df.with_columns(pl.col("{name}").cast(pl.Int64))',
        "decimal": 'df = df.with_columns(pl.col("{name}").cast(pl.Float64))',
        "text": 'df = df.with_columns(pl.col("{name}").cast(pl.String))',
        "boolean": 'df = df.with_columns(pl.col("{name}").cast(pl.Boolean))',
        "date": 'df = df.with_columns(pl.col("{name}").cast(pl.Date))',
        "timestamp": 'df = df.with_columns(pl.col("{name}").cast(pl.Datetime("us")))',
    },
    "pyarrow": {
        kind: 'table = table.set_column(table.schema.get_field_index("{name}"), "{name}", table["{name}"].cast("' + arrow + '"))'
        for kind, arrow in (
            ("integer", "int64"),
            ("decimal", "float64"),
            ("text", "string"),
            ("boolean", "bool"),
            ("date", "date32"),
            ("timestamp", "timestamp[us]"),
        )
    },
    "duckdb": {
        kind: 'SELECT * REPLACE (CAST("{name}" AS ' + sql + ') AS "{name}")'
        for kind, sql in (
            ("integer", "BIGINT"),
            ("decimal", "DOUBLE"),
            ("text", "VARCHAR"),
            ("boolean", "BOOLEAN"),
            ("date", "DATE"),
            ("timestamp", "TIMESTAMP"),
        )
    },
}


def declared_columns(rows: object, policy: _deniable.Policy, name: str, columns: Sequence[Tuple[str, str]]) -> _deniable.Rows:
    """Copies the columns that the policy declares for a table, each given with its declared type.

    :raises DataError: with every column that cannot be read as declared, and a correction.
    """
    rows = table(rows, f"the table {name!r}")
    library = _library(rows)
    known = _names(rows, library)
    if known is None:
        # A stream of unknown origin cannot be read twice, or column by column.
        taken = _deniable.Rows(policy, name, rows, [])
        _refuse(_stored(name, taken, library, rows))
        return taken
    problems: List[Problem] = []
    good: List[str] = []
    for column, kind in columns:
        found = known.count(column)
        if found == 0 and column not in _levels(rows, library):
            problems.append(_missing(name, column, known))
        elif found > 1:
            problems.append(_problem(name, f"there are several columns `{column}`", "rename one of them"))
        else:
            reason = _unfit(rows, library, column)
            if reason is None:
                good.append(column)
            else:
                problems.append(_problem(name, f"column `{column}` {reason}", _cast(library, rows, column, kind)))
    kinds = dict(columns)
    without = [column for column, _ in columns if column not in good]
    try:
        taken = _deniable.Rows(policy, name, _select(rows, library, good), without)
    except DataError:
        # The library refused all columns because of some of them.
        bad = [column for column in good if not _exports(_select(rows, library, [column]))] if library == "pandas" else []
        if not bad and not problems:
            raise
        for column in bad:
            reason = f"column `{column}`{_type_of(rows, library, column)} has no type of Arrow, or values of several types"
            problems.append(_problem(name, reason, _cast(library, rows, column, kinds[column])))
        without += bad
        good = [column for column in good if column not in bad]
        if good and bad:
            problems += _stored(name, _deniable.Rows(policy, name, _select(rows, library, good), without), library, rows)
        _refuse(problems)
        raise
    _refuse(problems + _stored(name, taken, library, rows))
    return taken


def _refuse(problems: List[Problem]) -> None:
    if problems:
        raise DataError(problems)


def _problem(table: str, reason: str, help: str) -> Problem:
    message = f"the rows for `{table}`: {reason}"
    return Problem(message, help, None, f"{message}\n  help: {help}")


def _missing(table: str, column: str, known: List[str]) -> Problem:
    names = ", ".join(f"`{one}`" for one in known[:20]) + (", ..." if len(known) > 20 else "")
    there = f"there are {names}" if known else "there are no columns"
    return _problem(
        table,
        f"there is no column `{column}`, which the policy declares; {there}",
        "names are compared letter by letter: rename the column, or declare it under its name",
    )


def _stored(table: str, taken: _deniable.Rows, library: str, rows: Any) -> List[Problem]:
    """The columns that are Arrow, of a type that cannot be read as the declared one."""
    problems = []
    for column, kind, reason in taken.misfits:
        is_type = reason.startswith("is stored as ")
        help = _cast(library, rows, column, kind) if is_type else "docs/reference/policy.md describes how such columns are declared"
        problems.append(_problem(table, f"column `{column}` {reason}" if is_type else reason, help))
    return problems


def _library(rows: Any) -> str:
    """The library if its columns can be taken one by one, or an empty text."""
    root = type(rows).__module__.split(".")[0].lstrip("_")
    if root == "pyarrow":
        return root if hasattr(rows, "select") and hasattr(rows, "schema") else ""
    return root if root in _CASTS and hasattr(rows, "columns") else ""


def _names(rows: Any, library: str) -> Optional[List[str]]:
    if not library:
        return None
    return [str(one) for one in (rows.schema.names if library == "pyarrow" else rows.columns)]


def _levels(rows: Any, library: str) -> List[str]:
    """The names of an index of pandas, which is exported as columns."""
    return [str(one) for one in rows.index.names if one is not None] if library == "pandas" else []


def _select(rows: Any, library: str, names: List[str]) -> Any:
    if library == "pandas":
        columns = [str(one) for one in rows.columns]
        chosen = rows.iloc[:, [columns.index(name) for name in names if name in columns]]
        wanted = [level for level in _levels(rows, library) if level in names]
        return chosen if wanted else chosen.reset_index(drop=True)
    if library == "duckdb":
        quoted = ['"' + name.replace('"', '""') + '"' for name in names]
        return rows.project(", ".join(quoted) or "1 AS nothing")
    if library == "polars" and not names:
        import polars

        # A selection without columns would have no rows.
        return rows.select(polars.int_range(polars.len()).alias("nothing"))
    return rows.select(names)


def _column(rows: Any, name: str) -> Any:
    columns = [str(one) for one in rows.columns]
    return rows.iloc[:, columns.index(name)] if name in columns else None


def _unfit(rows: Any, library: str, name: str) -> Optional[str]:
    """The reason why a column must not be exported."""
    if library == "polars":
        kind = str(rows.schema[name])
        return f"has polars' type {kind}, which it cannot export" if kind.split("(")[0] in _NO_ARROW else None
    if library == "pandas" and "rpytools" in sys.modules:
        return _lost_in_r(_column(rows, name))
    return None


def _lost_in_r(column: Any) -> Optional[str]:
    """The reason why a column of a data frame of R may contain missing values that arrive as ordinary ones.

    reticulate gives NA as -2147483648 among integers, as true among logicals, and as "NA" among texts, unless it uses pandas' nullable types.
    """
    kind = "" if column is None else str(column.dtype)
    if kind.startswith("int") and bool((column == _MISSING_INTEGER).any()):
        return "has NA of R among its integers, which arrive as -2147483648"
    if kind == "bool":
        return "has logicals of R, among which NA arrives as true"
    if kind in ("object", "str") and bool((column == "NA").any()):
        return 'has the text "NA", as which NA of R arrives'
    return None


def _type_of(rows: Any, library: str, name: str) -> str:
    column = _column(rows, name) if library == "pandas" else None
    return "" if column is None else f" of pandas' type {column.dtype}"


def _exports(rows: Any) -> bool:
    try:
        rows.__arrow_c_stream__()
    except Exception:
        return False
    return True


def _cast(library: str, rows: Any, name: str, kind: str) -> str:
    casts = _CASTS.get(library)
    if casts is None:
        return f"cast it to a type that reads as {kind}, or leave the column out of the policy"
    if library == "pandas" and "rpytools" in sys.modules:
        return (
            "write the data frame to a file and read it with pyarrow.csv (docs/how-to/r.md); from reticulate 1.32 on, "
            "options(reticulate.pandas_use_nullable_dtypes = TRUE) keeps missing values"
        )
    if library == "polars" and str(rows.schema[name]) == "Object":
        if kind == "text":
            return f'df = df.with_columns(pl.Series("{name}", [None if one is None else str(one) for one in df["{name}"]], dtype=pl.String))'
        kinds = casts[kind].split(".cast(")[1][:-2]
        return f'df = df.with_columns(pl.Series("{name}", df["{name}"].to_list(), dtype={kinds}, strict=False))'
    column = f'df["{name}"]'
    if library == "pandas" and (found := _column(rows, name)) is not None:
        if str(found.dtype).startswith("Sparse"):
            column += ".sparse.to_dense()"
        elif str(found.dtype).startswith("complex"):
            column = f"pd.Series({column}.to_numpy().real)"
    return casts[kind].format(frame="df", name=name, column=column)
