"""Tables of pyarrow in every type and layout give the answers of a Parquet file with the same rows, or are refused as it is."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

import deniable as dn
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from arrays import DECLARED, ROWS, Typed, all_types, layouts, typed
from asking import answered, batches, expected, policy

TYPED = {f"v{at}": one for at, one in enumerate(typed())}
COLUMNS = {name: (one.declared, one.readings) for name, one in TYPED.items()}
LAYOUTS: Dict[str, Dict[str, List[pa.Array]]] = {}
for _name, _one in TYPED.items():
    for _layout, _parts in layouts(_one.array):
        LAYOUTS.setdefault(_layout, {})[_name] = _parts


def declared(names: Iterator[str]) -> Dict[str, str]:
    return {name: TYPED[name].declared for name in names}


def stream(columns: Dict[str, List[pa.Array]]) -> object:
    """The columns, which have chunks of the same lengths, as batches with these very chunks: one batch by itself where there is one."""
    lengths = [len(chunk) for chunk in next(iter(columns.values()))]
    ends = [sum(lengths[: at + 1]) for at in range(len(lengths))]
    made = []
    for at, (end, length) in enumerate(zip(ends, lengths)):
        numbers = pa.array(range(end - length, end), pa.int32())
        made.append(pa.RecordBatch.from_arrays([numbers, *(parts[at] for parts in columns.values())], ["k", *columns]))
    return made[0] if len(made) == 1 else pa.RecordBatchReader.from_batches(made[0].schema, made)


def plain(array: pa.Array) -> pa.Array:
    """The array in types that Parquet supports: views of texts become texts, small decimals larger ones."""
    kind = str(array.type)
    if kind.startswith(("decimal32", "decimal64")):
        return pa.array(array.to_pylist(), pa.decimal128(array.type.precision, array.type.scale))
    return pa.array(array.to_pylist(), pa.string()) if kind == "string_view" else array


@pytest.fixture(scope="module")
def from_parquet(tmp_path_factory: pytest.TempPathFactory) -> Dict[Tuple[str, ...], object]:
    """The answers of a Parquet file, by the queried columns."""
    path = tmp_path_factory.mktemp("types") / "rows.parquet"
    pq.write_table(pa.table({"k": pa.array(range(ROWS), pa.int32()), **{name: plain(one.array) for name, one in TYPED.items()}}), path)
    answers: Dict[Tuple[str, ...], object] = {}
    for batch in batches(COLUMNS):
        data = {"path": str(path), "format": "parquet", "version": "1"}
        with policy(declared(iter(batch)), ROWS, data).session(ledger=":memory:") as session:
            answers[tuple(batch)] = answered(session, batch)
    return answers


def test_parquet_reads_as_the_definitions_say(from_parquet: Dict[Tuple[str, ...], object]) -> None:
    for batch in batches(COLUMNS):
        assert from_parquet[tuple(batch)] == expected(batch, ROWS), [TYPED[name].name for name in batch]


def questions() -> List[Tuple[str, Tuple[str, ...]]]:
    return [
        (layout, tuple(batch))
        for layout, columns in LAYOUTS.items()
        for batch in batches({name: COLUMNS[name] for name in columns})
    ]


def test_every_layout_answers_as_parquet_does(from_parquet: Dict[Tuple[str, ...], object], scale: str, dice: random.Random) -> None:
    every = questions()
    chosen = dice.sample(every, 10) if scale == "small" else every
    for layout, names in chosen:
        batch = {name: COLUMNS[name] for name in names}
        rows = stream({name: LAYOUTS[layout][name] for name in names})
        with policy(declared(iter(names)), ROWS).session(rows, version="1", ledger=":memory:") as session:
            found = answered(session, batch)
        about = (layout, [TYPED[name].name for name in names])
        assert found == expected(batch, ROWS), about
        if names in from_parquet:
            assert found == from_parquet[names], about


def test_every_layout_is_the_same_version(tmp_path: Path) -> None:
    """Fingerprints are of values: under one version all layouts are the same rows, and any other value is another table."""
    for layout, columns in LAYOUTS.items():
        about, ledger = policy(declared(iter(columns)), ROWS, epsilon=1), tmp_path / f"{layout}.ledger"
        for rows in (stream({name: [TYPED[name].array] for name in columns}), stream(columns)):
            with about.session(rows, version="1", ledger=ledger) as session:
                session.register(accept=["k", *columns])


@pytest.mark.parametrize("name", [name for name, one in TYPED.items() if any(one.readings)], ids=lambda name: TYPED[name].name)
def test_another_value_is_another_version(name: str, tmp_path: Path) -> None:
    one = TYPED[name]
    about = policy({name: one.declared}, ROWS, epsilon=1)
    first = next(at for at, reading in enumerate(one.readings) if reading is not None)
    other = next(at for at, reading in enumerate(one.readings) if reading != one.readings[first])
    changed = pa.array([one.array[other if at == first else at].as_py() for at in range(ROWS)], one.array.type)
    with about.session(stream({name: [one.array]}), version="1", ledger=tmp_path / "a.ledger") as session:
        session.register(accept=["k", name])
    with about.session(stream({name: [changed]}), version="1", ledger=tmp_path / "a.ledger") as session:
        with pytest.raises(dn.DataError) as refused:
            session.register(accept=["k", name])
    assert refused.value.help


class Judged(NamedTuple):
    """The outcome for a type: accepted, or the exception."""

    refused: Optional[type]
    help: Optional[str]


def judged(about: dn.Policy, rows: Optional[object], kind: str) -> Judged:
    try:
        with about.session(rows, version="1" if rows is not None else None, ledger=":memory:") as session:
            session.register(accept=["v"])
            return Judged(None, None)
    except dn.Error as error:
        assert "v" in error.message or kind in error.message, error
        return Judged(type(error), error.help)


def test_every_type_is_taken_or_refused_as_from_parquet(tmp_path: Path, scale: str, dice: random.Random) -> None:
    arrays = all_types()
    names = sorted(arrays) if scale != "small" else sorted(dice.sample(sorted(arrays), 12))
    unstorable = []
    for name in names:
        path = tmp_path / "v.parquet"
        stored = arrays[name]
        try:
            pq.write_table(pa.table({"v": plain(stored)}), path)
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):
            unstorable.append(name)
            path = None
        for kind in DECLARED:
            data = {"path": str(path), "format": "parquet", "version": "1"}
            columns = {"v": kind}
            built = lambda data: dn.Policy(  # noqa: E731
                name="types", population="types", table="t", promise=dn.epsilon(1), adversary={"knows_size": False}, columns=columns, data=data
            )
            memory = judged(built(None), pa.table({"v": stored}), name)
            about = (name, kind, memory)
            assert memory.refused in (None, dn.DataError), about
            assert memory.refused is None or memory.help, about
            if path is not None:
                assert memory.refused == judged(built(data), None, name).refused, about
            else:
                assert memory.refused is dn.DataError, about
    print("not storable in Parquet, refused from memory:", ", ".join(unstorable) or "none")


def test_types_are_what_was_meant() -> None:
    """The generator makes the types and layouts of its names."""
    assert len({(str(one.array.type), one.declared) for one in TYPED.values()}) == len(TYPED)
    assert {"as it is", "slice", "chunks", "dictionary by uint8", "runs by int16", "NULL in a dictionary"} <= set(LAYOUTS)
    for layout, columns in LAYOUTS.items():
        for name, parts in columns.items():
            kinds = {part.type for part in parts}
            assert len(kinds) == 1, (layout, TYPED[name].name)
            values = [value for part in parts for value in part.to_pylist()]
            assert repr(values) == repr(TYPED[name].array.to_pylist()), (layout, TYPED[name].name)
