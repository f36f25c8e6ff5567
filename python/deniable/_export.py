"""Answers as CSV, files, and the libraries that other forms need."""

from __future__ import annotations

import csv
import datetime
import importlib
import io
import os
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, List, Optional, Union

from ._errors import Error, usage
from ._exact import path as path_of

if TYPE_CHECKING:
    from ._answer import Answer

Path = Union[str, "os.PathLike[str]"]


def installed(library: str, by: str) -> Any:
    """A library that this package does not install."""
    try:
        return importlib.import_module(library)
    except ImportError:
        raise usage(f"{by} needs {library}, which is not installed", f"pip install {library}; rows, to_csv() and to_json() need no library") from None


def written_to(path: Optional[Path], content: str, what: str = "path=") -> str:
    """The content, after it was written to the file if one is named."""
    if path is not None:
        to = path_of(path, what)
        try:
            with open(to, "w", encoding="utf-8", newline="") as file:
                file.write(content)
        except OSError as error:
            message = f"{to!r} cannot be written: {error.strerror}"
            raise Error([(message, "name another file", None, f"{message}\n  help: name another file")]) from None
    return content


def csv_text(answer: Answer) -> str:
    """A table of text with every digit: beside each number its interval and its quality."""
    header: List[str] = []
    for column in answer.columns:
        header += [column, *(f"{column}_{part}" for part in ("low", "high", "quality") if column in answer.intervals)]
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise usage(f"the table would have two columns `{twice[0]}`", "give the numbers other names in the query, SELECT ... AS name")
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(header)
    for at, row in enumerate(answer.rows):
        line: List[str] = []
        for column, value in zip(answer.columns, row):
            line.append(_text(value))
            if column in answer.intervals:
                low, high = answer.intervals[column][at]
                line += [_text(low), _text(high), answer.quality[column][at] or ""]
        lines.writerow(line)
    return out.getvalue()


def _text(value: object) -> str:
    """A value with every digit; released numbers are decimals."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Fraction):
        exact = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
        places = next((places for places in range(len(str(value.denominator)) * 4) if 10**places % value.denominator == 0), None)
        if places is None:
            return str(value)
        return format(Decimal(int(value * 10**places)).scaleb(-places, exact), "f")
    return value.isoformat() if isinstance(value, (datetime.date, datetime.datetime)) else str(value)
