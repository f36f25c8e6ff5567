"""Drafts of policies, from the names of a file's columns."""

from __future__ import annotations

import logging
from typing import Optional, Sequence, Union

from . import _deniable
from ._errors import shown, usage
from ._exact import names, text
from ._exact import path as _path
from ._export import Path

_LOG = logging.getLogger("deniable")


def draft(
    *data: Path,
    out: Optional[Path] = None,
    table: Optional[str] = None,
    delimiter: Optional[str] = None,
    encoding: Optional[str] = None,
    columns: Union[str, Sequence[str]] = (),
    dictionary: Optional[Path] = None,
    connect: Optional[str] = None,
) -> str:
    """A draft of a policy as TOML, from the names of the columns of files: no value is read. ``"?"`` stands for each decision that a person
    must make; a policy with one is refused.

    >>> import deniable as dn
    >>> draft = dn.draft("examples/clinic/visits.csv", columns=["patient", "department"])
    >>> [line for line in draft.splitlines() if line.startswith("[columns")]
    ['[columns]']

    :param data: CSV or Parquet files, or URLs of objects; with ``connect=``, tables or views of PostgreSQL. Further ones are joined
        with the first.
    :param out: a new file that is written, to whose folder the path of the data is then relative.
    :param table: the first table's name in SQL; by default by the file's name.
    :param delimiter: the character between two fields of CSV; by default a comma, or a tab for ``.tsv``.
    :param encoding: the encoding of CSV, such as ``"latin1"``.
    :param columns: only these columns, of any table that has them.
    :param dictionary: a public codebook with types, keys and bounds.
    :param connect: the environment variable with the address of the database, as ``"env:CLINIC_PG"``.
    :raises UsageError: when the data cannot be found or do not name their columns. Columns that were left out are in the log.
    """
    if delimiter is not None and len(text(delimiter, "delimiter=")) != 1:
        raise usage(f"delimiter= is not one character: {shown(delimiter)}", 'write delimiter=";", for example')
    written, notes = _deniable.draft(
        [_path(one, "the data") for one in data],
        None if out is None else _path(out, "out="),
        None if table is None else text(table, "table="),
        delimiter,
        None if encoding is None else text(encoding, "encoding="),
        names(columns, "columns="),
        None if dictionary is None else _path(dictionary, "dictionary="),
        None if connect is None else text(connect, "connect="),
    )
    for note in notes:
        _LOG.info("%s", note)
    return written
