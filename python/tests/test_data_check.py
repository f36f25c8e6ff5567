"""Findings of a check of the data, and the answers of a ledger."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import deniable as dn
import deniable.testing
import polars as pl
import pytest

FIRST, SECOND = "SELECT COUNT(*) AS visits FROM visits", "SELECT COUNT(*) AS visits FROM visits WHERE age > 40"


def policy() -> dn.Policy:
    return dn.Policy(
        "visits",
        person=dn.Person("patient", rows=1, groups=1, type="integer"),
        promise=dn.epsilon(1),
        columns={"minutes": dn.Integer(0, 60), "ward": dn.Text(keys=["a", "b"])},
        queries={"minutes": "SELECT ward, SUM(minutes) AS minutes FROM visits GROUP BY ward"},
    )


def rows(clamped: int, elsewhere: int = 0, many: int = 61) -> pl.DataFrame:
    """100 rows of 100 people: the first have many minutes, ten have none, and the last are in a ward that is not declared."""
    minutes = [many if at < clamped else None if at < clamped + 10 else 30 for at in range(100)]
    wards = ["c" if at >= 100 - elsewhere else "a" for at in range(100)]
    return pl.DataFrame({"patient": range(100), "minutes": minutes, "ward": wards})


def test_the_findings_of_rows_that_are_registered() -> None:
    with policy().session(rows(2, elsewhere=5), version="1", ledger=":memory:") as session:
        refused = session.check_data()
        assert refused.refused is not None and "not declared keys" in refused.refused.message
        check = session.check_data("ward")
        assert check.refused is None and session.left == 1
        minutes = {column.column: column for column in check.columns}["minutes"]
        assert minutes == dn.ColumnCheck("visits", "minutes", 90, 10, 0, 2, None, None)
        ward = {column.column: column for column in check.columns}["ward"]
        assert (ward.values, ward.missing, ward.undeclared_keys) == (100, 0, 5)
        (query,) = check.to_dict()["queries"]
        assert (query["query"], query["rows"], query["rows_in_no_group"]) == ("minutes", 100, 5)
        assert "minutes" in str(check) and repr(check) == "DataCheck(['visits'], registered)"
        assert "<pre>" in check._repr_html_()
        # The versions are registered: a session that stops at new rows answers.
        assert session.release("minutes")["minutes"]["ward"] == ("a", "b")


def test_the_findings_of_rows_that_are_refused() -> None:
    with policy().session(rows(60, many=600), version="1", ledger=":memory:", register=False) as session:
        check = session.check_data()
        assert isinstance(check.refused, dn.DataError) and "minutes" in check.refused.message
        assert {column.column: column.outside_bounds for column in check.columns}["minutes"] == 60
        assert "not registered: " in str(check) and repr(check) == "DataCheck(['visits'], not registered)"
        assert "not registered: " in check._repr_html_()
        with pytest.raises(dn.DataError):
            session.release()
        accepted = session.check_data("minutes", accept_loss="minutes")
        assert accepted.refused is None and accepted.columns == check.columns
        assert len(session.release()) == 1


def test_findings_are_those_of_the_command(repository: Path, tmp_path: Path) -> None:
    place = repository / "examples/clinic/policy.toml"
    text = place.read_text(encoding="utf-8")
    copy = dn.Policy.from_source(text, repository / "examples/clinic")
    with copy.session(ledger=tmp_path / "one.ledger") as session:
        check = session.check_data()
    (tmp_path / "policy.toml").write_text(text.replace('"visits.csv"', f'"{repository / "examples/clinic/visits.csv"}"'), encoding="utf-8")
    run = [sys.executable, "-m", "deniable", "data", "check", str(tmp_path / "policy.toml"), "--format", "json"]
    printed = json.loads(subprocess.run(run, capture_output=True, check=True, text=True).stdout)
    ours = check.to_dict()
    assert ours["tables"] == printed["tables"] and set(ours) == {"tables", "queries", "true_errors"}
    # Each ledger keeps other rows of people with many: the sums differ, and what is counted does not.
    for own, other in zip(ours["queries"], printed["queries"]):
        assert set(own) == set(other) and (own["query"], own["rows"]) == (other["query"], other["rows"])
    assert [query["query"] for query in ours["true_errors"]] == [query["query"] for query in printed["true_errors"]]
    again = pickle.loads(pickle.dumps(check))
    assert again.to_dict() == ours and again.refused is None and again.columns == check.columns


def test_data_that_cannot_be_scanned(repository: Path, tmp_path: Path) -> None:
    text = (repository / "examples/clinic/policy.toml").read_text(encoding="utf-8")
    missing = dn.Policy.from_source(text, tmp_path)
    with missing.session(ledger=tmp_path / "visits.ledger") as session, pytest.raises(dn.DataError):
        session.check_data()


def test_the_answers_of_a_ledger(repository: Path, tmp_path: Path) -> None:
    text = (repository / "examples/clinic/policy.toml").read_text(encoding="utf-8")
    clinic, ledger = dn.Policy.from_source(text, repository / "examples/clinic"), tmp_path / "clinic.ledger"
    with clinic.session(ledger=ledger) as session:
        assert session.answers == ()
        first = session.ask(FIRST, spend="1/40", name="first")
        own = session.release("visits by sex")["visits by sex"]
    with clinic.session(ledger=ledger) as session:
        session.ask(SECOND, spend="1/40", name="second")
        found = session.answers
        assert [answer.name for answer in found] == ["visits by sex", "first", "second"]
        assert found[0] == own and found[1].rows == first.rows and found[1].intervals == first.intervals
        assert (found[1].share, found[1].odds, found[1].sql) == (first.share, first.odds, first.sql)
        assert session.left == 1 - sum(answer.share for answer in found)
    with deniable.testing.session(policy(), rows(0)) as session:
        session.release()
        assert [answer.test for answer in session.answers] == [True]
