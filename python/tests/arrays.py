"""Every type of Arrow, with values of known readings; and the possible layouts of an array.

A value's *reading* is the literal of SQL that it equals as a value of the declared type, or ``None`` where it reads as NULL. It is computed
here, from the definitions in docs/reference/policy.md, and not by the code under test.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy
import pyarrow as pa
import pyarrow.compute as pc

DECLARED = ("integer", "decimal", "text", "boolean", "date", "timestamp")
Readings = Tuple[Optional[str], ...]


class Typed(NamedTuple):
    """An array of a type, with its readings as a declared type."""

    name: str
    declared: str
    array: pa.Array
    readings: Readings


def text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def whole(value: Optional[int]) -> Optional[str]:
    """The reading of a whole number: one of 64 bits."""
    return str(value) if value is not None and -(2**63) <= value < 2**63 else None


def double(value: Any) -> Optional[str]:
    """The reading of a number as a decimal: the nearest double, where it is finite."""
    if value is None or not numpy.isfinite(float(value)):
        return None
    return format(Decimal(repr(float(value))), "f") if float(value) else "0"


def integers() -> Iterator[Typed]:
    for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()):
        about = numpy.iinfo(kind.to_pandas_dtype())
        # The ends; SQL has no literal for the least number of 64 bits, which is told apart from the next.
        values = [1, None, max(about.min, -(2**63) + 1), about.max, 0, None]
        yield Typed(str(kind), "integer", pa.array(values, kind), tuple(map(whole, values)))
        small = [1, None, max(about.min, -100), 100, 0, None]
        yield Typed(f"{kind} as decimal", "decimal", pa.array(small, kind), tuple(map(double, small)))


def floats() -> Iterator[Typed]:
    values = [1.5, None, -0.0, 0.25, float("nan"), float("-inf"), 7.0]
    for kind, numpys in ((pa.float16(), numpy.float16), (pa.float32(), numpy.float32), (pa.float64(), numpy.float64)):
        given = [None if value is None else numpys(value) for value in values]
        yield Typed(str(kind), "decimal", pa.array(given, kind), tuple(map(double, values)))


def decimals() -> Iterator[Typed]:
    made = [("decimal128", pa.decimal128, 38), ("decimal256", pa.decimal256, 76)]
    if hasattr(pa, "decimal32"):
        made += [("decimal32", pa.decimal32, 9), ("decimal64", pa.decimal64, 18)]
    for name, kind, digits in made:
        for scale in (0, 2, digits):
            unit = Decimal(1).scaleb(-scale)
            values = [None if one is None else unit * one for one in (1, None, 25, 0, -3, None)]
            yield Typed(f"{name}({digits}, {scale})", "decimal", pa.array(values, kind(digits, scale)), tuple(map(double, values)))


def texts() -> Iterator[Typed]:
    values = ["a", None, "", "it's \u2028 \u00e9\U0001f600", "x" * 200, "a"]
    readings = tuple(None if value is None else text(value) for value in values)
    kinds = [pa.string(), pa.large_string()]
    if hasattr(pa, "string_view"):
        kinds.append(pa.string_view())
    for kind in kinds:
        yield Typed(str(kind), "text", pa.array(values, kind), readings)


def booleans() -> Iterator[Typed]:
    yield Typed("bool", "boolean", pa.array([True, None, False, True, None, False]), ("TRUE", None, "FALSE", "TRUE", None, "FALSE"))


def days() -> Iterator[Typed]:
    values = [datetime.date(1970, 1, 1), None, datetime.date(2024, 2, 29), datetime.date(1900, 3, 1), datetime.date(2099, 12, 31), None]
    for kind in (pa.date32(), pa.date64()):
        array = pa.array(values, kind)
        yield Typed(str(kind), "date", array, tuple(None if day is None else f"DATE '{day}'" for day in values))
        yield Typed(f"{kind} as timestamp", "timestamp", array, tuple(None if day is None else f"TIMESTAMP '{day} 00:00:00'" for day in values))


def moments() -> Iterator[Typed]:
    """Counts of each unit; those with a zone are asked about in UTC. What is finer than a microsecond is cut off."""
    epoch = datetime.datetime(1970, 1, 1)
    for unit, finer in (("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)):
        counts = [0, None, 1_700_000_000 * finer + finer // 7, -finer * 86_400 - finer // 3 - 1, 1, None]

        def reading(count: Optional[int], finer: int = finer) -> Optional[str]:
            if count is None:
                return None
            moment = epoch + datetime.timedelta(microseconds=count * 10**6 // finer)
            return f"TIMESTAMP '{moment.isoformat(sep=' ', timespec='microseconds')}'"

        for zone in (None, "UTC", "Europe/Vienna", "+05:30"):
            kind = pa.timestamp(unit, zone)
            declared = "timestamp" if zone is None else "moment"
            yield Typed(str(kind), declared, pa.array(counts, pa.int64()).cast(kind), tuple(map(reading, counts)))


ROWS = 8
"""Rows of each array: all can be columns of one table."""


def typed() -> List[Typed]:
    """Every type that reads as a declared one."""
    made = [*integers(), *floats(), *decimals(), *texts(), *booleans(), *days(), *moments()]
    made += [Typed(f"null as {declared}", declared, pa.nulls(ROWS), (None,) * ROWS) for declared in DECLARED]
    places = [[at % len(one.array) for at in range(ROWS)] for one in made]
    return [
        one._replace(array=_take(one.array, rows), readings=tuple(one.readings[at] for at in rows))
        for one, rows in zip(made, places)
    ]


def _take(array: pa.Array, places: Sequence[int]) -> pa.Array:
    """Rows of an array, also where its library cannot take them: of views."""
    return pa.concat_arrays([array.slice(at, 1) for at in places]) if places else array.slice(0, 0)


def all_types() -> Dict[str, pa.Array]:
    """An array of each type, whether it reads as a declared one or not."""
    arrays = {one.name: one.array for one in typed() if " as " not in one.name}
    arrays["null"] = pa.nulls(4)
    for kind, value in (
        *((pa.time32(unit), 1) for unit in ("s", "ms")),
        *((pa.time64(unit), 1) for unit in ("us", "ns")),
        *((pa.duration(unit), 1) for unit in ("s", "ms", "us", "ns")),
        (pa.month_day_nano_interval(), (1, 2, 3)),
        (pa.binary(), b"a"),
        (pa.large_binary(), b"a"),
        (pa.binary(3), b"abc"),
        (pa.list_(pa.int64()), [1]),
        (pa.large_list(pa.string()), ["a"]),
        (pa.list_(pa.int64(), 2), [1, 2]),
        (pa.struct([("a", pa.int64())]), {"a": 1}),
        (pa.map_(pa.string(), pa.int64()), [("a", 1)]),
    ):
        arrays[str(kind)] = pa.array([value, None], kind)
    for name, kind in (("binary_view", b"a"), ("list_view", [1]), ("large_list_view", [1])):
        if hasattr(pa, name):
            made = getattr(pa, name)
            arrays[name] = pa.array([kind, None], made() if name == "binary_view" else made(pa.int64()))
    for kind in ("sparse", "dense"):
        union = getattr(pa.UnionArray, f"from_{kind}")
        children = [pa.array([1, 2]), pa.array(["a", "b"])] if kind == "sparse" else [pa.array([1]), pa.array(["a"])]
        types = pa.array([0, 1], pa.int8())
        arrays[f"{kind} union"] = union(types, children) if kind == "sparse" else union(types, pa.array([0, 0], pa.int32()), children)
    if hasattr(pa, "uuid"):
        arrays["uuid"] = pa.array([b"0123456789abcdef", None], pa.uuid())
    for name in ("int64", "string", "double", "timestamp[ns, tz=UTC]"):
        array = arrays[name]
        arrays[f"dictionary of {name}"] = array.dictionary_encode()
    return arrays


def _junk(array: pa.Array) -> pa.Array:
    """The same array as a slice of a longer one: reading must begin at the slice's offset."""
    around = _take(array, [0, 2 % len(array), 0])
    return pa.concat_arrays([around, array, around]).slice(len(around), len(array))


def _chunks(array: pa.Array) -> List[pa.Array]:
    """Many small chunks, with empty ones and slices with offsets among them."""
    empty = array.slice(0, 0)
    parts = [empty]
    for at in range(len(array)):
        parts += [array.slice(at, 1) if at % 2 else _junk(array).slice(at, 1), empty]
    return parts


def layouts(array: pa.Array) -> Iterator[Tuple[str, List[pa.Array]]]:
    """The same values in other layouts, as chunks of one type."""
    yield "as it is", [array]
    yield "slice", [_junk(array)]
    yield "chunks", _chunks(array)
    yield "without a bitmap for empty chunks", [array.slice(0, 0), array, array.slice(0, 0)]
    if pa.types.is_null(array.type):
        return
    for keys in (pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()):
        coded = _dictionary(array, keys)
        if coded is None:
            break
        yield f"dictionary by {keys}", [coded]
    if coded is not None:
        yield "slices of a dictionary", [coded.slice(0, 2), coded.slice(2, 0), coded.slice(2)]
        yield "dictionaries apart", [_dictionary(array.slice(at, 1), pa.int32()) for at in range(len(array))]
        yield "NULL in a dictionary", [_null_inside(array)]
    if hasattr(pc, "run_end_encode"):
        for ends in (pa.int16(), pa.int32(), pa.int64()):
            try:
                runs = pc.run_end_encode(array, run_end_type=ends)
            except pa.ArrowNotImplementedError:
                break
            yield f"runs by {ends}", [runs]
            yield f"slices of runs by {ends}", [runs.slice(0, 2), runs.slice(2, 1), runs.slice(3)]


def _distinct(array: pa.Array) -> Optional[Tuple[pa.Array, List[Optional[int]]]]:
    """The rows without NULL as values (not made distinct), and which of them each row has."""
    places = [at for at in range(len(array)) if array[at].is_valid]
    values = _take(array, places)
    keys = {at: key for key, at in enumerate(places)}
    return values, [keys.get(at) for at in range(len(array))]


def _dictionary(array: pa.Array, keys: pa.DataType) -> Optional[pa.Array]:
    try:
        values, places = _distinct(array)
        # A value that no row has must not count: it comes last, twice.
        values = pa.concat_arrays([values, values.slice(0, 1), values.slice(0, 1)])
        return pa.DictionaryArray.from_arrays(pa.array(places, keys), values)
    except (pa.ArrowNotImplementedError, NotImplementedError):
        return None


def _null_inside(array: pa.Array) -> pa.Array:
    """NULL as a value of the dictionary, with all keys valid."""
    return pa.DictionaryArray.from_arrays(pa.array(range(len(array)), pa.int32()), array)


def candidates(readings: Sequence[Optional[str]]) -> List[str]:
    """The literals among readings, each once."""
    return list(dict.fromkeys(reading for reading in readings if reading is not None))
