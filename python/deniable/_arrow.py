"""Tables: objects that export Arrow by PyCapsules."""

from __future__ import annotations

from typing import Mapping, Optional, Protocol, Union, runtime_checkable

from ._errors import usage


@runtime_checkable
class ArrowStream(Protocol):
    """Several batches: a data frame of polars or pandas, a table of pyarrow, a relation of DuckDB."""

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object: ...


@runtime_checkable
class ArrowArray(Protocol):
    """One batch: a record batch of pyarrow."""

    def __arrow_c_array__(self, requested_schema: Optional[object] = None) -> object: ...


ArrowTable = Union[ArrowStream, ArrowArray]
"""A table in memory, of any library."""

Tables = Union[ArrowTable, Mapping[str, ArrowTable]]
"""The rows of the main table, or those of several tables by name."""


def table(rows: object, what: str) -> ArrowTable:
    """Checks that the rows are a table, and returns them."""
    if isinstance(rows, (ArrowStream, ArrowArray)):
        return rows
    kind = f"{type(rows).__module__}.{type(rows).__qualname__}"
    if hasattr(rows, "collect"):
        raise usage(f"{what} is a {kind}, which has no rows yet", "collect it first: df.collect()")
    if kind.startswith("pandas."):
        raise usage(f"{what} is a {kind} that does not export Arrow", "use a DataFrame of pandas 2.2 or later, and install pyarrow")
    raise usage(
        f"{what} is a {kind}, which is not a table",
        "give a data frame of polars or pandas, a table of pyarrow, a relation of DuckDB, or anything else that exports Arrow",
    )
