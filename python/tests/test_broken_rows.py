"""Rows that violate the format of Arrow: refused by name, and never read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict, List

import deniable as dn
import pyarrow as pa
import pytest


def buffer(*numbers: int) -> pa.Buffer:
    return pa.py_buffer(b"".join(number.to_bytes(4, "little", signed=True) for number in numbers))


def views(at: int, number: int) -> pa.Array:
    """Two long texts; the first one's view has another number at a byte."""
    good = pa.array(["a" * 20, "b" * 20], pa.string_view())
    first, *texts = good.buffers()[1:]
    changed = bytearray(first.to_pybytes())
    changed[at : at + 4] = number.to_bytes(4, "little", signed=True)
    return pa.Array.from_buffers(pa.string_view(), 2, [None, pa.py_buffer(bytes(changed)), *texts])


def runs_of_texts() -> pa.Array:
    """Runs that were valid when they were created."""
    offsets = bytearray(buffer(0, 1, 2).to_pybytes())
    values = pa.StringArray.from_buffers(2, pa.py_buffer(offsets), pa.py_buffer(b"ab"))
    made = pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), values)
    offsets[4:8] = (10**6).to_bytes(4, "little")
    return made


def dictionary(keys: List[int], values: pa.Array) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(keys, pa.int8()), values, safe=False)


def texts(*offsets: int, said: bytes = b"ab") -> pa.Array:
    return pa.StringArray.from_buffers(2, buffer(*offsets), pa.py_buffer(said))


BROKEN: Dict[str, Callable[[], pa.Array]] = {
    "a view into no buffer": lambda: views(8, 99),
    "a view behind the end": lambda: views(12, 1_000_000),
    "a view of a negative length": lambda: views(0, -1),
    "a view of half a character": lambda: pa.array([b"\xff" * 20, b"b"], pa.binary_view()).view(pa.string_view()),
    "offsets behind the end": lambda: texts(0, 10**6, 2),
    "offsets that fall": lambda: texts(0, 2, 1),
    "bytes that are not UTF-8": lambda: texts(0, 1, 2, said=b"\xff\xfe"),
    "a key without a value": lambda: dictionary([0, 77], pa.array(["a", "b"])),
    "a dictionary of broken views": lambda: dictionary([0, 1], views(12, 1_000_000)),
    "a dictionary of broken texts": lambda: dictionary([0, 1], texts(0, 10**6, 2)),
    "runs of broken texts": runs_of_texts,
}


@pytest.mark.parametrize("name", list(BROKEN))
def test_broken_columns_are_refused(name: str, tmp_path: Path) -> None:
    rows = pa.table({"p": ["1", "2"], "s": BROKEN[name]()})
    policy = dn.Policy(
        name="broken",
        population="people",
        table="t",
        promise=dn.epsilon(1),
        adversary="acquaintance",
        entity={"key": "p", "rows_per_group": 1, "groups": 1},
        columns={"p": "text", "s": "text"},
    )
    with pytest.raises(dn.DataError, match="`s` violates the format of Arrow"):
        policy.session(rows, version="1", ledger=tmp_path / "broken.ledger")
    with pytest.raises(dn.DataError, match="`s` violates the format of Arrow"):
        dn.assess(rows, quasi=["p"], sensitive=["s"])
    mechanism = pa.table({"dataset": BROKEN[name](), "output": ["x", "x"], "probability": ["1", "1"]})
    with pytest.raises(dn.DataError, match="`dataset` violates the format of Arrow"):
        dn.check(mechanism, notion="dp")


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())])
def test_mechanisms_are_tables_of_any_texts(kind: Any) -> None:
    mechanism = pa.table(
        {
            "dataset": pa.array(["", "", "a", "a"]).cast(kind),
            "output": pa.array(["x", "a text that is no short view", "x", "a text that is no short view"]).cast(kind),
            "probability": pa.array(["1/4", "3/4", "0.5", "0.5"]).cast(kind),
        }
    )
    assert dn.check(mechanism, notion="dp").high == 2


def test_float_probabilities_are_refused() -> None:
    mechanism = pa.table({"dataset": ["", "a"], "output": ["x", "x"], "probability": [1.0, 1.0]})
    with pytest.raises(dn.UsageError, match="`probability` contains floats"):
        dn.check(mechanism, notion="dp")


def test_null_views_may_point_anywhere(tmp_path: Path) -> None:
    """A text that is NULL has a view, too, with undefined contents."""
    column = views(8, 99)
    column = pa.Array.from_buffers(pa.string_view(), 2, [pa.py_buffer(b"\x02"), *column.buffers()[1:]])
    policy = dn.Policy(
        name="null",
        population="people",
        table="t",
        promise=dn.epsilon(200),
        adversary="acquaintance",
        entity={"key": "p", "rows_per_group": 1, "groups": 1},
        columns={"p": "text", "s": "text"},
    )
    with policy.session(pa.table({"p": ["1", "2"], "s": column}), version="1", ledger=tmp_path / "null.ledger") as session:
        session.register(accept="s")
        assert session.ask("SELECT COUNT(s) AS n FROM t", spend="1/2").rows == ((1,),)
