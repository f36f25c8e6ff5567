"""A version of rows in memory: the values, whatever their order and chunks, under a name that the user declares."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any, Dict, List

import deniable as dn
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

SQL = "SELECT g, COUNT(*) AS n, SUM(v) AS s FROM t GROUP BY g"


def policy(**more: Any) -> dn.Policy:
    return dn.Policy(
        name="versions",
        population="versions",
        table="t",
        promise=dn.epsilon(512),
        adversary={"knows_size": False},
        columns={"g": {"type": "integer", "keys": [0, 1, 2]}, "v": {"type": "integer", "bounds": (0, 8)}},
        **more,
    )


def rows() -> pa.Table:
    dice = random.Random(7)
    return pa.table({"g": [at % 3 for at in range(300)], "v": [dice.choice([None, 0, 3, 8]) for _ in range(300)]})


def ask(table: Any, version: str, ledger: Path, sql: str = SQL) -> Any:
    with policy().session(table, version=version, ledger=ledger) as session:
        answer = session.ask(sql, spend="1/4")
        return answer.rows, session.left


def look(table: Any, version: str, ledger: Path) -> None:
    """Compares all rows with those of the version: stored answers are returned without that."""
    with policy().session(table, version=version, ledger=ledger) as session:
        session.register()


def test_later_changes_of_the_source_have_no_effect(tmp_path: Path) -> None:
    """Neither the answer nor the version changes: the session has copies. The buffers are shared with Arrow without a copy."""
    group, value = np.arange(300, dtype="int64") % 3, np.full(300, 1, "int64")
    table = pa.Table.from_arrays([pa.array(group), pa.array(value)], ["g", "v"])
    assert table.column("v").chunk(0).buffers()[1].address == value.ctypes.data, "this test needs a shared buffer"
    with policy().session(table, version="1", ledger=tmp_path / "a.ledger") as session:
        value[:] = 8
        group[:] = 0
        assert table.column("v")[0].as_py() == 8
        assert session.ask(SQL, spend="1/4").rows == ((0, 100, 100), (1, 100, 100), (2, 100, 100))
        value[:] = 0
        # With the changed values, they would be other rows under a known version.
        assert session.ask("SELECT COUNT(*) AS n FROM t WHERE v = 1", spend="1/4").rows == ((300,),)


def orders(table: pa.Table, dice: random.Random) -> Dict[str, Any]:
    shuffled = list(range(len(table)))
    dice.shuffle(shuffled)
    cuts = sorted(dice.sample(range(len(table)), 20))
    parts = [table.slice(start, end - start) for start, end in zip([0, *cuts], [*cuts, len(table)])]
    return {
        "backwards": table.take(list(reversed(range(len(table))))),
        "shuffled": table.take(shuffled),
        "in chunks": pa.concat_tables(parts),
        "in chunks of another order": pa.concat_tables(reversed(parts)),
        "polars": pl.from_arrow(table.take(shuffled)),
        "pandas": table.to_pandas().astype({"v": "Int64"}),
        "other columns beside": table.append_column("name", pa.array(["x"] * len(table))),
        "columns in another order": table.select(["v", "g"]),
        "other types": table.set_column(1, "v", table.column("v").cast(pa.int8())),
        "dictionaries": table.set_column(1, "v", table.column("v").dictionary_encode()),
    }


def test_order_chunks_and_types_do_not_matter(tmp_path: Path, dice: random.Random) -> None:
    first, left = ask(rows(), "1", tmp_path / "a.ledger")
    assert left == Fraction(3, 4)
    for name, same in orders(rows(), dice).items():
        look(same, "1", tmp_path / "a.ledger")
        assert ask(same, "1", tmp_path / "a.ledger") == (first, left), name


def changes(table: pa.Table) -> List[pa.Table]:
    values = table.column("v").to_pylist()
    at = values.index(3)
    other = table.set_column(1, "v", pa.array([8 if place == at else value for place, value in enumerate(values)]))
    nothing = table.set_column(1, "v", pa.array([None if place == at else value for place, value in enumerate(values)]))
    # The same values in each column, but other rows.
    turned = table.set_column(1, "v", pa.array(values[1:] + values[:1]))
    return [other, nothing, turned, table.slice(1), pa.concat_tables([table, table.slice(0, 1)]), table.slice(0, 0)]


def test_other_rows_under_a_known_version_are_refused(tmp_path: Path) -> None:
    ask(rows(), "1", tmp_path / "a.ledger")
    for other in changes(rows()):
        for use in (look, lambda *about: ask(*about, sql="SELECT COUNT(*) AS n FROM t")):
            with pytest.raises(dn.DataError) as refused:
                use(other, "1", tmp_path / "a.ledger")
            assert refused.value.help
    # The refused query was not charged.
    first = ask(rows(), "1", tmp_path / "a.ledger")
    assert first[1] == Fraction(3, 4)
    # Stored answers are about the registered rows, whatever is given now: the rows are not read.
    assert ask(changes(rows())[0], "1", tmp_path / "a.ledger") == first


def test_equal_rows_under_a_new_name_are_paid_anew(tmp_path: Path) -> None:
    assert ask(rows(), "1", tmp_path / "a.ledger")[1] == Fraction(3, 4)
    # Most often it is a mistake: the curator accepts it by name.
    with pytest.raises(dn.DataError, match=r'accept=\["t.version:same-rows"\]'):
        ask(rows(), "2", tmp_path / "a.ledger")
    with policy().session(rows(), version="2", ledger=tmp_path / "a.ledger") as session:
        session.register(accept=["version:same-rows"])
    assert ask(rows(), "2", tmp_path / "a.ledger")[1] == Fraction(1, 2)
    assert ask(rows(), "1", tmp_path / "a.ledger")[1] == Fraction(1, 2)


def test_versions_reveal_no_fingerprint(tmp_path: Path) -> None:
    """Fingerprints are keyed, and never shown."""
    with policy().session(rows(), version="1", ledger=tmp_path / "a.ledger") as session:
        answer = session.ask(SQL, spend="1/4")
        shown = "\n".join([str(answer), repr(answer), answer.to_json(), session.report(), str(session.log), repr(session), str(session.plan())])
    assert "rows-" not in shown


@pytest.mark.parametrize(
    "given, versions, word",
    [
        (rows, None, "version"),
        (rows, "", "version"),
        (rows, "two\nlines", "version"),
        (None, "1", "rows"),
        (lambda: {"t": rows()}, {"t": "1", "u": "1"}, "'u'"),
        (lambda: {"t": rows()}, {"u": "1"}, "'t'"),
        (lambda: {"u": rows()}, "1", "'u'"),
    ],
)
def test_versions_are_declared(given: Any, versions: Any, word: str, tmp_path: Path) -> None:
    with pytest.raises(dn.UsageError) as refused:
        policy().session(given and given(), version=versions, ledger=tmp_path / "a.ledger")
    assert word in refused.value.message and refused.value.help


def test_each_version_has_its_part_of_the_promise(tmp_path: Path) -> None:
    limited = policy(budget={"per_version": "1/4"})
    other = "SELECT COUNT(*) AS n FROM t WHERE v = 3"
    for rest, version in enumerate(["1", "2"]):
        with limited.session(rows().slice(rest), version=version, ledger=tmp_path / "a.ledger", register=True) as session:
            first = session.ask(SQL, spend="1/4")
            (on,) = session.plan(other, spend="1/100").to_dict()["spending"]["versions"]
            assert (on["table"], on["version"], on["per_version"], on["left"]) == ("t", version, "1/4", "-1/100")
            with pytest.raises(dn.BudgetError) as refused:
                session.ask(other, spend="1/100")
            assert f'version "{version}" of `t`' in str(refused.value) and "register the next version" in str(refused.value)
            assert session.ask(SQL, spend="1/4").rows == first.rows
    assert session.policy is limited
