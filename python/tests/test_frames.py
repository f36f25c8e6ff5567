"""Data frames of pandas and polars, and relations of DuckDB, give the answers of a Parquet file that they wrote."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import deniable as dn
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from arrays import Readings, double, text, typed, whole
from asking import answered, batches, expected, policy

ROWS = 8
DAY = datetime.date(2024, 2, 29)
NOON = datetime.datetime(2024, 2, 29, 12, 0, 0, 123456)


def eight(values: List[Any]) -> List[Any]:
    return [values[at % len(values)] for at in range(ROWS)]


class Given(NamedTuple):
    """A column of a frame: its constructor, its declared type and its readings."""

    make: Callable[[], Any]
    declared: str
    readings: Readings


def given(make: Callable[[List[Any]], Any], declared: str, values: List[Any], reading: Callable[[Any], Optional[str]]) -> Given:
    values = eight(values)
    return Given(lambda: make(values), declared, tuple(None if value is None else reading(value) for value in values))


def moment(value: datetime.datetime) -> str:
    return f"TIMESTAMP '{value.replace(tzinfo=None).isoformat(sep=' ', timespec='microseconds')}'"


def day(value: datetime.date) -> str:
    return f"DATE '{value}'"


def truth(value: bool) -> str:
    return "TRUE" if value else "FALSE"


def pandas_columns() -> Dict[str, Given]:
    made: Dict[str, Given] = {}
    for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        values = [1, 0, 100]
        for declared, reading in (("integer", whole), ("decimal", double)):
            made[f"numpy {kind} {declared}"] = given(lambda v, kind=kind: pd.Series(np.array(v, kind)), declared, values, reading)
        nullable = kind.replace("int", "Int").replace("uI", "UI")
        made[f"nullable {nullable}"] = given(lambda v, kind=nullable: pd.Series(v, dtype=kind), "integer", [1, None, 100], whole)
    for kind in ("float32", "float64"):
        make = lambda v, kind=kind: pd.Series(np.array(v, kind))  # noqa: E731
        made[f"numpy {kind}"] = given(make, "decimal", [1.5, float("nan"), -0.0, float("inf")], double)
        made[f"nullable {kind.title()}"] = given(lambda v, kind=kind: pd.Series(v, dtype=kind.title()), "decimal", [1.5, None, 0.25], double)
    strings = ["a", None, "", "\u00e9\u2028"]
    made["object with None"] = given(lambda v: pd.Series(v, dtype=object), "text", strings, text)
    made["object with NaN"] = given(
        lambda v: pd.Series([float("nan") if one is None else one for one in v], dtype=object), "text", strings, text
    )
    made["category"] = given(lambda v: pd.Series(pd.Categorical(v, categories=["unused", "", "a", "\u00e9\u2028"])), "text", strings, text)
    made["category of numbers"] = given(lambda v: pd.Series(pd.Categorical(v)), "integer", [3, 1, None], whole)
    for kind in ("string[python]", "string[pyarrow]"):
        made[kind] = given(lambda v, kind=kind: pd.Series(v, dtype=kind), "text", strings, text)
    made["bool"] = given(lambda v: pd.Series(v, dtype="bool"), "boolean", [True, False], truth)
    made["boolean"] = given(lambda v: pd.Series(v, dtype="boolean"), "boolean", [True, None, False], truth)
    made["object of truths"] = given(lambda v: pd.Series(v, dtype=object), "boolean", [True, None, False], truth)
    made["object of days"] = given(lambda v: pd.Series(v, dtype=object), "date", [DAY, None], day)
    made["object of Decimals"] = given(lambda v: pd.Series(v, dtype=object), "decimal", [Decimal("1.25"), None, Decimal("-3.00")], double)
    for unit, digits in (("s", 0), ("ms", 3), ("us", 6), ("ns", 6)):
        cut = NOON.replace(microsecond=NOON.microsecond // 10 ** (6 - digits) * 10 ** (6 - digits))
        for zone in (None, "UTC", "America/New_York"):
            make = lambda v, unit=unit, zone=zone: pd.Series(pd.DatetimeIndex(v).as_unit(unit).tz_localize("UTC").tz_convert(zone))  # noqa: E731
            made[f"datetime64[{unit}, {zone}]"] = given(
                make, "timestamp" if zone is None else "moment", [cut, None, datetime.datetime(1969, 12, 31)], moment
            )
    # All types of Arrow, as pandas stores them.
    for one in typed():
        if pa.types.is_null(one.array.type) or "view" in str(one.array.type) or str(one.array.type).startswith(("decimal32", "decimal64", "halffloat")):
            continue
        arrow = Given(lambda one=one: pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([one.array.slice(0, 3), one.array.slice(3)]))), one.declared, one.readings)
        made[f"Arrow {one.name}"] = arrow
    return made


def polars_columns() -> Dict[str, Given]:
    made: Dict[str, Given] = {}
    for kind in (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64):
        for declared, reading in (("integer", whole), ("decimal", double)):
            made[f"{kind} {declared}"] = given(lambda v, kind=kind: pl.Series(v, dtype=kind), declared, [1, None, 100, 0], reading)
    made["Int64 ends"] = given(lambda v: pl.Series(v, dtype=pl.Int64), "integer", [2**63 - 1, -(2**63) + 1], whole)
    made["UInt64 beyond"] = given(lambda v: pl.Series(v, dtype=pl.UInt64), "integer", [2**64 - 1, 1], whole)
    for kind in (pl.Float32, pl.Float64):
        made[f"{kind}"] = given(lambda v, kind=kind: pl.Series(v, dtype=kind), "decimal", [1.5, None, float("nan"), float("-inf"), -0.0], double)
    made["Decimal"] = given(lambda v: pl.Series(v, dtype=pl.Decimal(20, 4)), "decimal", [Decimal("1.2500"), None, Decimal("-3")], double)
    strings = ["a", None, "", "\u00e9\u2028", "long " * 20]
    made["String"] = given(lambda v: pl.Series(v, dtype=pl.String), "text", strings, text)
    made["Categorical"] = given(lambda v: pl.Series(v, dtype=pl.Categorical), "text", strings, text)
    made["Enum"] = given(lambda v: pl.Series(v, dtype=pl.Enum(["unused", *filter(lambda s: s is not None, strings)])), "text", strings, text)
    made["Boolean"] = given(lambda v: pl.Series(v, dtype=pl.Boolean), "boolean", [True, None, False], truth)
    made["Date"] = given(lambda v: pl.Series(v, dtype=pl.Date), "date", [DAY, None, datetime.date(1900, 3, 1)], day)
    made["Date as timestamp"] = given(
        lambda v: pl.Series(v, dtype=pl.Date), "timestamp", [DAY, None], lambda one: moment(datetime.datetime.combine(one, datetime.time()))
    )
    for unit, digits in (("ms", 3), ("us", 6), ("ns", 6)):
        cut = NOON.replace(microsecond=NOON.microsecond // 10 ** (6 - digits) * 10 ** (6 - digits))
        for zone in (None, "UTC", "Asia/Kolkata"):

            def make(v: List[Any], unit: Any = unit, zone: Optional[str] = zone) -> pl.Series:
                series = pl.Series(v, dtype=pl.Datetime(unit))
                return series if zone is None else series.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)

            made[f"Datetime({unit}, {zone})"] = given(
                make, "timestamp" if zone is None else "moment", [cut, None, datetime.datetime(1969, 12, 31)], moment
            )
    return made


def duckdb_columns() -> Dict[str, Given]:
    made: Dict[str, Given] = {}

    def add(kind: str, declared: str, values: List[Any], reading: Callable[[Any], Optional[str]]) -> None:
        def make(given: List[Any]) -> str:
            shown = ["NULL" if one is None else str(one) if isinstance(one, (int, Decimal)) and not isinstance(one, bool) else text(str(one)) for one in given]
            return "[" + ", ".join(f"CAST({one} AS {kind})" for one in shown) + "]"

        made[f"{kind} as {declared}"] = given(make, declared, values, reading)

    for kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"):
        add(kind, "integer", [1, None, 100, 0], whole)
        add(kind, "decimal", [1, None, 100, 0], double)
    add("BIGINT", "integer", [2**63 - 1, -(2**63) + 1, None], whole)
    add("UBIGINT", "integer", [2**64 - 1, 7], whole)
    add("HUGEINT", "decimal", [1, None, -3], double)
    for kind in ("DECIMAL(4, 2)", "DECIMAL(9, 2)", "DECIMAL(18, 3)", "DECIMAL(38, 2)"):
        add(kind, "decimal", [Decimal("1.25"), None, Decimal(-3)], double)
    for kind in ("FLOAT", "DOUBLE"):
        add(kind, "decimal", [Decimal("1.5"), None, Decimal("0.25")], double)
    add("VARCHAR", "text", ["a", None, "", "\u00e9'"], text)
    add("ENUM('unused', 'b', 'a')", "text", ["a", None, "b"], text)
    add("BOOLEAN", "boolean", [True, None, False], truth)
    add("DATE", "date", [DAY, None], day)
    add("DATE", "timestamp", [DAY, None], lambda one: moment(datetime.datetime.combine(one, datetime.time())))
    whole_second = NOON.replace(microsecond=0)
    for kind, value in (
        ("TIMESTAMP", NOON),
        ("TIMESTAMP_S", whole_second),
        ("TIMESTAMP_MS", NOON.replace(microsecond=123000)),
        ("TIMESTAMP_NS", NOON),
    ):
        add(kind, "timestamp", [value, None], moment)
    add("TIMESTAMPTZ", "moment", [NOON.replace(tzinfo=datetime.timezone.utc), None], moment)
    return made


class Frame(NamedTuple):
    """A table of a library in memory, its export to Parquet, and its columns."""

    rows: Callable[[List[str]], Any]
    write: Callable[[Any, Path], None]
    columns: Dict[str, Given]


def frames() -> Dict[str, Frame]:
    pandas_given, polars_given, duckdb_given = pandas_columns(), polars_columns(), duckdb_columns()

    def names(given: Dict[str, Given]) -> Dict[str, Given]:
        return {f"v{at}": one for at, one in enumerate(given.values())}

    def of_pandas(chosen: List[str]) -> Any:
        columns = names(pandas_given)
        return pd.DataFrame({"k": np.arange(ROWS), **{name: columns[name].make() for name in chosen}})

    def of_polars(chosen: List[str]) -> Any:
        columns = names(polars_given)
        return pl.DataFrame({"k": range(ROWS), **{name: columns[name].make() for name in chosen}})

    def of_duckdb(chosen: List[str]) -> Any:
        columns = names(duckdb_given)
        lists = "".join(f", unnest({columns[name].make()}) AS {name}" for name in chosen)
        return duckdb.sql("SET TimeZone = 'America/New_York'") or duckdb.sql(f"SELECT unnest(range({ROWS})) AS k{lists}")

    return {
        "pandas": Frame(of_pandas, lambda frame, path: frame.to_parquet(path), names(pandas_given)),
        "polars": Frame(of_polars, lambda frame, path: frame.write_parquet(path), names(polars_given)),
        "duckdb": Frame(of_duckdb, lambda relation, path: relation.write_parquet(str(path)), names(duckdb_given)),
    }


FRAMES = frames()
SHOWN = {
    "pandas": list(pandas_columns()),
    "polars": list(polars_columns()),
    "duckdb": list(duckdb_columns()),
}
QUESTIONS = [
    (library, tuple(batch))
    for library, frame in FRAMES.items()
    for batch in batches({name: (one.declared, one.readings) for name, one in frame.columns.items()})
]


@pytest.mark.parametrize("library, names", QUESTIONS, ids=lambda one: one if isinstance(one, str) else f"{one[0]}-{one[-1]}")
def test_a_frame_answers_as_its_parquet_file(library: str, names: Tuple[str, ...], tmp_path: Path) -> None:
    frame = FRAMES[library]
    columns = {name: (frame.columns[name].declared, frame.columns[name].readings) for name in names}
    about = [SHOWN[library][int(name[1:])] for name in names]
    declared = {name: kind for name, (kind, _) in columns.items()}
    rows = frame.rows(list(names))
    with policy(declared, ROWS).session(rows, version="1", ledger=":memory:") as session:
        from_memory = answered(session, columns)
    assert from_memory == expected(columns, ROWS), about
    path = tmp_path / "rows.parquet"
    frame.write(frame.rows(list(names)), path)
    data = {"path": str(path), "format": "parquet", "version": "1"}
    with policy(declared, ROWS, data).session(ledger=":memory:") as session:
        assert answered(session, columns) == from_memory, about


JANE = "Jane Doe, HIV+"


def two(**columns: str) -> dn.Policy:
    return dn.Policy(name="frames", population="frames", table="t", promise=dn.epsilon(1000), adversary={"knows_size": False}, columns=columns)


UNDECLARED: Dict[str, Callable[[], Any]] = {
    "pandas mixed objects": lambda: pd.DataFrame({"v": [1, 2], "w": [1, JANE]}),
    "pandas complex": lambda: pd.DataFrame({"v": [1, 2], "w": np.array([1j, 2j])}),
    "pandas sparse": lambda: pd.DataFrame({"v": [1, 2], "w": pd.arrays.SparseArray([0, 1])}),
    "pandas names twice": lambda: pd.DataFrame([[1, "a", "b"], [2, "c", "d"]], columns=["v", "w", "w"]),
    "pandas index": lambda: pd.DataFrame({"v": [1, 2]}, index=pd.Index([1, JANE], name="w")),
    "polars Object": lambda: pl.DataFrame({"v": [1, 2], "w": pl.Series([object(), object()], dtype=pl.Object)}),
    "polars Null": lambda: pl.DataFrame({"v": [1, 2], "w": [None, None]}),
    "polars Int128": lambda: pl.DataFrame({"v": [1, 2], "w": pl.Series([1, 2], dtype=pl.Int128)}),
    "pyarrow names twice": lambda: pa.table([[1, 2], ["a", "b"], ["c", "d"]], names=["v", "w", "w"]),
    "pyarrow batch": lambda: pa.record_batch({"v": [1, 2], "w": [b"a", b"b"]}),
    "duckdb cast": lambda: duckdb.sql(f"SELECT v, s::INTEGER AS w FROM (VALUES (1, '{JANE}'), (2, 'b')) AS t(v, s)"),
}


@pytest.mark.parametrize("name", UNDECLARED)
def test_undeclared_columns_are_not_exported(name: str) -> None:
    with two(v="integer").session(UNDECLARED[name](), version="1", ledger=":memory:") as session:
        assert session.ask("SELECT COUNT(v) AS n FROM t", spend=1).rows == ((2,),)


def test_a_declared_index_of_pandas_is_a_column() -> None:
    rows = pd.DataFrame({"w": [1, "x"]}, index=pd.Index([5, 6], name="v"))
    with two(v="integer").session(rows, version="1", ledger=":memory:") as session:
        assert session.ask("SELECT COUNT(v) AS n FROM t WHERE v = 6", spend=1).rows == ((1,),)


MISFITS: Dict[str, Tuple[Callable[[], Any], Dict[str, str]]] = {
    "pandas": (
        lambda: pd.DataFrame(
            {
                "mixed": [1, JANE],
                "complex": np.array([1j, 2j]),
                "sparse": pd.arrays.SparseArray([0, 1]),
                "texts": [JANE, "b"],
                "truths": [True, False],
                "fine": [1, 2],
            }
        ),
        {"mixed": "text", "complex": "decimal", "sparse": "integer", "texts": "integer", "truths": "integer"},
    ),
    "polars": (
        lambda: pl.DataFrame(
            {
                "object": pl.Series([object(), JANE], dtype=pl.Object),
                "null": [None, None],
                "large": pl.Series([1, 2], dtype=pl.Int128),
                "texts": [JANE, "b"],
                "fine": [1, 2],
            }
        ),
        {"object": "text", "null": "text", "large": "integer", "texts": "integer"},
    ),
    "pyarrow": (
        lambda: pa.table({"texts": [JANE, "b"], "bytes": [JANE.encode(), b"b"], "fine": [1, 2]}),
        {"texts": "integer", "bytes": "text"},
    ),
    "duckdb": (
        lambda: duckdb.sql(f"SELECT * FROM (VALUES ('{JANE}', 'x'::BLOB, 1), ('b', 'y'::BLOB, 2)) AS t(texts, bytes, fine)"),
        {"texts": "integer", "bytes": "text"},
    ),
}


@pytest.mark.parametrize("library", MISFITS)
def test_all_misfits_are_reported_at_once_with_the_cast_to_write(library: str) -> None:
    make, declared = MISFITS[library]
    with pytest.raises(dn.DataError) as refused:
        two(**declared, fine="integer", missing="text").session(make(), version="1", ledger=":memory:")
    problems = refused.value.problems
    about = [next(name for name in (*declared, "missing", "fine") if f"column `{name}`" in one.message) for one in problems]
    assert sorted(about) == sorted([*declared, "missing"]), refused.value
    for name, problem in zip(about, problems):
        assert problem.help, problem
        if name != "missing":
            assert f'"{name}"' in problem.help and ("cast" in problem.help.lower() or "astype" in problem.help or "dtype=" in problem.help), problem
    _quotes_nothing(refused.value)
    # The advice works: applied column by column, it leaves no error.
    if library in ("pandas", "polars"):
        scope = {"df": make(), "pd": pd, "pl": pl}
        for name, problem in zip(about, problems):
            if name not in ("missing", "texts"):
                exec(problem.help or "", scope)
        kept = {name: kind for name, kind in declared.items() if name != "texts"}
        two(**kept).session(scope["df"], version="1", ledger=":memory:").close()


def _quotes_nothing(error: Optional[BaseException]) -> None:
    """No exception of the chain contains a cell."""
    while error is not None:
        assert "Jane" not in str(error) and "HIV" not in repr(error), error
        error = error.__cause__ or error.__context__


def test_no_exception_quotes_a_cell() -> None:
    for rows in (
        pd.DataFrame({"v": [1, JANE]}),
        pd.DataFrame({"v": [JANE, 1.5]}),
        duckdb.sql(f"SELECT s::INTEGER AS v FROM (VALUES ('{JANE}'), ('1')) AS t(s)"),
        pl.DataFrame({"v": pl.Series([JANE, object()], dtype=pl.Object)}),
        pd.Series([JANE]),
        [JANE],
        {"t": [JANE]},
        {"t": JANE},
    ):
        with pytest.raises(dn.Error) as refused:
            two(v="integer").session(rows, version="1", ledger=":memory:")
        _quotes_nothing(refused.value)
    frame = pd.DataFrame({"v": [JANE]})
    for call in (
        lambda: two(v="integer").session(pl.DataFrame({"v": [1]}), version=frame, ledger=":memory:"),
        lambda: two(v="integer").session(pl.DataFrame({"v": [1]}), version="1", ledger=frame),
        lambda: dn.epsilon(frame),
        lambda: dn.translate(frame, prior=frame),
    ):
        with pytest.raises(dn.Error) as refused:
            call()
        _quotes_nothing(refused.value)


REFUSED: Dict[str, Callable[[], Any]] = {
    "pandas timedelta": lambda: pd.DataFrame({"v": pd.to_timedelta([1, 2], unit="s")}),
    "pandas complex": lambda: pd.DataFrame({"v": np.array([1j, 2j])}),
    "pandas mixed objects": lambda: pd.DataFrame({"v": [1, "a"]}),
    "pandas objects of a class": lambda: pd.DataFrame({"v": [object(), object()]}),
    "pandas lists": lambda: pd.DataFrame({"v": [[1], [2]]}),
    "pandas intervals": lambda: pd.DataFrame({"v": pd.interval_range(0, 2)}),
    "pandas periods": lambda: pd.DataFrame({"v": pd.period_range("2024-01", periods=2, freq="M")}),
    "pandas sparse": lambda: pd.DataFrame({"v": pd.arrays.SparseArray([b"a", b"b"])}),
    # Its library exports it with a buffer that Arrow does not define.
    "polars Null": lambda: pl.DataFrame({"v": [None, None]}),
    "polars Duration": lambda: pl.DataFrame({"v": [datetime.timedelta(1)]}),
    "polars Time": lambda: pl.DataFrame({"v": [datetime.time(1)]}),
    "polars List": lambda: pl.DataFrame({"v": [[1]]}),
    "polars Struct": lambda: pl.DataFrame({"v": [{"a": 1}]}),
    "polars Array": lambda: pl.DataFrame({"v": pl.Series([[1, 2]], dtype=pl.Array(pl.Int64, 2))}),
    "polars Binary": lambda: pl.DataFrame({"v": [b"a"]}),
    "polars Object": lambda: pl.DataFrame({"v": pl.Series([object()], dtype=pl.Object)}),
    "duckdb INTERVAL": lambda: duckdb.sql("SELECT INTERVAL 1 DAY AS v"),
    "duckdb TIME": lambda: duckdb.sql("SELECT TIME '12:00' AS v"),
    "duckdb BLOB": lambda: duckdb.sql("SELECT 'a'::BLOB AS v"),
    "duckdb LIST": lambda: duckdb.sql("SELECT [1] AS v"),
    "duckdb STRUCT": lambda: duckdb.sql("SELECT {'a': 1} AS v"),
    "duckdb MAP": lambda: duckdb.sql("SELECT MAP {'a': 1} AS v"),
    "a query of DuckDB that fails": lambda: duckdb.sql("SELECT error('no such luck')::INTEGER AS v"),
    "a stream that fails": lambda: pa.RecordBatchReader.from_batches(pa.schema([("v", pa.int64())]), _failing()),
}


def _failing() -> Any:
    yield pa.record_batch({"v": [1]})
    raise OSError("the network is gone")


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("declared", ["integer", "decimal", "text", "boolean", "date", "timestamp"])
def test_unreadable_columns_are_refused_by_name(name: str, declared: str) -> None:
    about = dn.Policy(
        name="types", population="types", table="t", promise=dn.epsilon(1), adversary={"knows_size": False}, columns={"v": declared}
    )
    if name == "pandas periods" and declared in ("integer", "decimal"):
        pytest.skip("they are stored as whole numbers, and read as such")
    with pytest.raises(dn.DataError) as refused:
        with about.session(REFUSED[name](), version="1", ledger=":memory:") as session:
            session.register()
    assert refused.value.help, refused.value


@pytest.mark.parametrize(
    "rows, word",
    [
        (lambda: pl.DataFrame({"v": [1]}).lazy(), "collect"),
        (lambda: {"v": [1, 2]}, "table"),
        (lambda: [1, 2], "not a table"),
        (lambda: pd.Series([1]), "frame"),
        (lambda: np.arange(3), "not a table"),
        (lambda: "rows.parquet", "not a table"),
        (lambda: pa.array([1, 2]), "table"),
        (lambda: pl.Series("v", [1]), "to_frame"),
    ],
)
def test_values_that_are_not_tables_are_refused(rows: Callable[[], Any], word: str) -> None:
    about = dn.Policy(
        name="types", population="types", table="t", promise=dn.epsilon(1), adversary={"knows_size": False}, columns={"v": "integer"}
    )
    with pytest.raises(dn.Error) as refused:
        with about.session(rows(), version="1", ledger=":memory:") as session:
            session.register()
    assert isinstance(refused.value, (dn.UsageError, dn.DataError))
    assert word in str(refused.value).lower(), refused.value
    assert refused.value.help
