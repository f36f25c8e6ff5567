"""Answers as columns, data frames, CSV, charts, JSON and pickles; policies as files."""

from __future__ import annotations

import copy
import csv
import io
import json
import pickle
import sys
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any, Dict, List

import deniable as dn
import deniable.testing
import pandas as pd
import polars as pl
import pytest

DEPARTMENTS = ["cardiology", 'neu"ro, logy']
POLICY = dn.Policy(
    "visits",
    person=dn.Person("patient", rows=3, groups=2),
    promise=dn.epsilon(1000),
    columns={"department": dn.Text(keys=DEPARTMENTS, null_key=True), "minutes": dn.Decimal(0, 60, step="0.1"), "day": dn.Date("2024-01-01", "2024-12-31")},
)
ROWS = pl.DataFrame({
    "patient": [str(at) for at in range(300)], "department": [*DEPARTMENTS, None] * 100, "minutes": [at % 60 + 0.5 for at in range(300)],
    "day": ["2024-03-01"] * 300,
}).with_columns(pl.col("day").str.to_date())  # fmt: skip
SQL = "SELECT department, COUNT(*) AS visits, AVG(minutes) AS minutes FROM visits GROUP BY department"


@pytest.fixture(scope="module")
def release() -> dn.Release:
    queries = {"both": SQL, "all": "SELECT COUNT(*) AS n FROM visits"}
    policy = dn.Policy.from_source(POLICY.source + "".join(f'\n[[query]]\nname = "{name}"\nsql = "{sql}"\n' for name, sql in queries.items()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dn.LedgerWarning)
        with policy.session(ROWS, version="1", ledger=":memory:") as session:
            return session.release()


@pytest.fixture
def answer(release: dn.Release) -> dn.Answer:
    return release["both"]


def test_a_column_is_read_by_its_name(answer: dn.Answer) -> None:
    assert answer["department"] == (*DEPARTMENTS, None)
    assert answer["visits"] == tuple(row[1] for row in answer) and all(isinstance(one, int) for one in answer["visits"])
    assert all(isinstance(one, (int, Fraction)) for one in answer["minutes"])
    for wrong in ("nothing", 0, None, ["visits"], slice(1)):
        with pytest.raises(dn.UsageError, match="it has 'department', 'visits', 'minutes'"):
            answer[wrong]  # type: ignore[index]


def test_data_frames_have_names_numbers_and_intervals(answer: dn.Answer) -> None:
    frame = answer.to_pandas()
    assert list(frame.columns)[:5] == ["department", "visits", "visits_low", "visits_high", "visits_quality"]
    assert (frame["visits_low"] <= frame["visits"]).all() and str(frame["visits"].dtype) == "int64" and str(frame["minutes"].dtype) == "float64"
    short = answer.to_pandas(intervals=False)
    assert list(short.columns) == list(answer.columns) and short["visits"].sum() == sum(answer["visits"])  # type: ignore[misc, arg-type]
    plain = pd.DataFrame(answer)
    assert list(plain.columns) == list(answer.columns) and list(plain["visits"]) == list(answer["visits"])
    assert plain["minutes"].astype(float).sum() == pytest.approx(float(sum(answer["minutes"])))  # type: ignore[arg-type, misc]
    with pytest.raises(dn.UsageError):
        answer.to_pandas(intervals="no")  # type: ignore[arg-type]
    # Rows are still tuples, and those of `rows` plain ones, which R converts.
    assert list(answer) == list(answer.rows) and all(type(row) is tuple for row in answer.rows)
    assert pickle.loads(pickle.dumps(list(answer))) == list(answer) and repr(next(iter(answer))).startswith("('cardiology', ")


def test_csv_has_every_digit(answer: dn.Answer, tmp_path: Path) -> None:
    text = answer.to_csv(tmp_path / "answer.csv")
    assert (tmp_path / "answer.csv").read_bytes() == text.encode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["department"] for row in rows] == [*DEPARTMENTS, ""]
    for row, value, (low, high), quality in zip(rows, answer["minutes"], answer.intervals["minutes"], answer.quality["minutes"]):
        assert (Fraction(row["minutes"]), Fraction(row["minutes_low"]), Fraction(row["minutes_high"]), row["minutes_quality"]) == (value, low, high, quality)
        assert "/" not in row["minutes"]
    frame = answer.to_polars()
    read = pl.read_csv(io.StringIO(text))
    assert read.columns == frame.columns and read["visits"].to_list() == frame["visits"].to_list()
    with pytest.raises(dn.Error, match="cannot be written"):
        answer.to_csv(tmp_path / "nowhere" / "answer.csv")
    with pytest.raises(dn.UsageError):
        answer.to_csv(3)  # type: ignore[arg-type]


def test_json_and_pickles_are_read_back(release: dn.Release, answer: dn.Answer) -> None:
    copies = [dn.Answer.from_json(answer.to_json()), dn.Answer.from_json(release.to_json(), name="both"), dn.Release.from_json(release.to_json())["both"]]
    copies += [pickle.loads(pickle.dumps(answer)), copy.copy(answer), copy.deepcopy(answer), pickle.loads(pickle.dumps(release))["both"]]
    for one in copies:
        assert one == answer and hash(one) == hash(answer) and one.rows == answer.rows and one.intervals == answer.intervals
        assert str(one) == str(answer) and one.to_csv() == answer.to_csv() and one.to_json() == answer.to_json()
        assert one.guarantee == answer.guarantee and one.guarantee.odds == answer.guarantee.odds and str(one.guarantee) == str(answer.guarantee)
        assert one.pictures() == answer.pictures() and one.to_polars().equals(answer.to_polars()) and one._repr_html_() == answer._repr_html_()
    assert answer != release["all"] and answer != "x" and pickle.loads(pickle.dumps(release)).unanswered == {}
    changed = json.loads(answer.to_json())
    changed["rows"][0][1]["value"] += 1
    assert dn.Answer.from_json(json.dumps(changed)) != answer
    with pytest.raises(dn.UsageError, match="has 2 answers"):
        dn.Answer.from_json(release.to_json())
    with pytest.raises(dn.UsageError, match="it has 'both', 'all'"):
        dn.Answer.from_json(release.to_json(), name="nothing")


def test_marks_survive_json_and_pickles() -> None:
    with POLICY.rehearsal(rows=20, people=10) as session:
        rehearsed = session.ask(SQL, spend="1/4")
    with deniable.testing.session(POLICY, ROWS) as session:
        tested = session.ask(SQL, spend="1/4")
    for made, mark in ((rehearsed, "REHEARSAL: "), (tested, "TEST: ")):
        for one in (made, dn.Answer.from_json(made.to_json()), pickle.loads(pickle.dumps(made))):
            assert str(one).startswith(mark) and mark in one._repr_html_() and (one.rehearsal, one.test) == (made.rehearsal, made.test)
    assert (rehearsed.rehearsal, rehearsed.test, tested.rehearsal, tested.test) == (True, False, False, True)


@pytest.mark.parametrize("written", [
    "", "{", "[]", "3", "null", '"x"', "{}", '{"answers": []}', '{"answers": 3}', '{"guarantee": {}, "confidence": "95%"}', "[" * 100_000, "\ud800", 3, None, b"{}",
    '{"guarantee": 3, "confidence": 3, "name": "secret 4711", "rows": [["secret 4711"]], "columns": ["a"]}',
])  # fmt: skip
def test_other_json_is_refused_without_being_quoted(written: Any) -> None:
    for read in (dn.Answer.from_json, dn.Release.from_json):
        with pytest.raises(dn.UsageError) as refused:
            read(written)
        assert refused.value.help and "4711" not in str(refused.value)


def test_a_changed_answer_is_refused_without_being_quoted(answer: dn.Answer) -> None:
    whole = json.loads(answer.to_json())
    for key in whole:
        if key in ("consistent", "taken_from", "classes", "cells", "beliefs", "rehearsal", "test"):
            continue
        # Only advice may be absent.
        for value in ({key: {"secret 4711": "secret 4711"}}, *([{}] if key != "advice" else [])):
            changed = {**{one: whole[one] for one in whole if one != key}, **value}
            with pytest.raises(dn.UsageError) as refused:
                dn.Answer.from_json(json.dumps(changed))
            assert "4711" not in str(refused.value), key


class Charts:
    """Stands for a library of charts, and keeps what it is given."""

    def __init__(self) -> None:
        self.calls: List[Any] = []

    def __getattr__(self, name: str) -> Any:
        def call(*given: Any, **named: Any) -> Any:
            self.calls.append((name, given, named))
            return (None, self) if name == "subplots" else self

        return call

    def __add__(self, other: Any) -> Any:
        return self


def charts(monkeypatch: pytest.MonkeyPatch, *libraries: str) -> Charts:
    """Makes these libraries for charts the installed ones."""
    drawn = Charts()
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *more: object() if name in libraries else None)
    for name in ("altair", "matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, drawn if name.split(".")[0] in libraries else None)  # type: ignore[arg-type]
    return drawn


def test_a_chart_has_each_number_with_its_interval(answer: dn.Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = charts(monkeypatch, "altair", "matplotlib")
    answer.plot()
    [(_, _, data)] = [call for call in drawn.calls if call[0] == "Data"]
    low, high = answer.intervals["visits"][0]
    assert data["values"][0] == {"key": "cardiology", "value": float(answer["visits"][0]), "low": float(low), "high": float(high)}  # type: ignore[arg-type]
    assert [one["key"] for one in data["values"]] == [*DEPARTMENTS, "(none)"]
    drawn.calls.clear()
    answer.plot(column="minutes", library="matplotlib")
    [(_, (places, lows, highs), _)] = [call for call in drawn.calls if call[0] == "vlines"]
    assert places == [0, 1, 2] and [(low, high) for low, high in zip(lows, highs)] == [(float(low), float(high)) for low, high in answer.intervals["minutes"]]  # type: ignore[arg-type]
    [(_, (title,), _)] = [call for call in drawn.calls if call[0] == "set_title"]
    assert title == "minutes, with 95% intervals of the noise"
    with deniable.testing.session(POLICY, ROWS) as session:
        session.ask("SELECT COUNT(*) AS n FROM visits", spend="1/4").plot(library="matplotlib")
    assert drawn.calls[-1][1] == ("TEST: n, with 95% intervals of the noise",)


def test_a_chart_that_cannot_be_drawn_is_an_error(answer: dn.Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    charts(monkeypatch)
    for wrong, said in (({}, "neither is installed"), ({"library": "altair"}, "needs altair"), ({"library": "excel"}, "not a library"), ({"library": 3}, "not a library")):
        with pytest.raises(dn.UsageError, match=said) as refused:
            answer.plot(**wrong)  # type: ignore[arg-type]
        assert refused.value.help
    charts(monkeypatch, "matplotlib")
    for wrong in ({"column": "department"}, {"column": "nothing"}, {"column": 3}):
        with pytest.raises(dn.UsageError):
            answer.plot(**wrong)  # type: ignore[arg-type]
    with deniable.testing.session(POLICY, ROWS) as session:
        dates = session.ask("SELECT MAX(day) AS last FROM visits", spend="1/4")
    with pytest.raises(dn.UsageError, match="has dates"):
        dates.plot()


@pytest.mark.parametrize("library", ["altair", "matplotlib"])
def test_charts_of_the_libraries_themselves(answer: dn.Answer, library: str) -> None:
    module = pytest.importorskip(library)
    if library == "matplotlib":
        module.use("agg")
    chart = answer.plot(library=library)
    assert ("cardiology" in chart.to_json()) if library == "altair" else chart.get_ylabel() == "visits"


def test_a_missing_library_is_named(answer: dn.Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    for library, way in (("pyarrow", answer.to_arrow), ("polars", answer.to_polars), ("pandas", answer.to_pandas)):
        with monkeypatch.context() as without:
            without.setitem(sys.modules, library, None)  # type: ignore[arg-type]
            with pytest.raises(dn.UsageError, match=f"needs {library}, which is not installed"):
                way()


def test_policies_are_saved_and_read_back(tmp_path: Path, repository: Path) -> None:
    place = tmp_path / "policy.toml"
    assert POLICY.save(place) == str(place) and place.read_text(encoding="utf-8") == POLICY.source
    for read in (dn.Policy(place), dn.Policy.from_toml(place), dn.Policy.from_toml(str(place)), dn.Policy.from_toml(POLICY.source)):
        assert read == POLICY and str(read.guarantee) == str(POLICY.guarantee)
    POLICY.save(place)
    other = dn.Policy("visits", promise=dn.epsilon(1), columns={"v": "text"})
    with pytest.raises(dn.UsageError, match="exists already"):
        other.save(place)
    assert dn.Policy(place) == POLICY
    other.save(place, overwrite=True)
    assert dn.Policy(place) == other
    # Paths are relative to the folder of a policy: elsewhere they would name other files.
    with pytest.raises(dn.UsageError, match="begin at"):
        dn.Policy(repository / "examples/clinic/policy.toml").save(tmp_path / "clinic.toml")
    for wrong in (lambda: other.save(3), lambda: other.save(place, overwrite=1), lambda: dn.Policy.from_toml(3), lambda: dn.Policy.from_toml("a = \x00")):  # type: ignore[arg-type]
        with pytest.raises(dn.Error) as refused:
            wrong()
        assert refused.value.message


def test_a_saved_policy_begins_no_new_ledger_by_itself(tmp_path: Path) -> None:
    """The copy of a policy would have a fresh budget."""
    place = tmp_path / "policy.toml"
    POLICY.save(place)
    with pytest.raises(dn.UsageError, match="the ledger is missing"):
        dn.Policy(place).session(ROWS, version="1")
    with dn.Policy(place).session(ROWS, version="1", ledger=tmp_path / "visits.ledger") as session:
        session.ask(SQL, spend="1/4")
    with dn.Policy(place).session(ROWS, version="1") as session:
        assert session.left == Fraction(3, 4)


def test_a_policy_checks_queries_without_data(tmp_path: Path) -> None:
    plan = POLICY.check(SQL, epsilon=100)
    assert plan["query"].share == Fraction(1, 10) and "REHEARSAL" not in str(plan) and plan.to_dict()["queries"][0]["sql"] == SQL
    with pytest.raises(dn.QueryError) as refused:
        POLICY.check("SELECT COUNT(*) FROM visits WHERE minuts > 3")
    assert refused.value.place == ("the query", 1, 35) and "minutes" in (refused.value.help or "")
    assert [query.name for query in dn.Policy("t", promise=dn.epsilon(1), columns={"v": "text"}, queries={"a": "SELECT COUNT(*) FROM t"}).check()] == ["a"]
    for wrong in (lambda: POLICY.check(epsilon=1), lambda: POLICY.check(3), lambda: POLICY.check(SQL, epsilon=1, spend=1), lambda: POLICY.check(SQL, epsilon=0.5)):  # type: ignore[arg-type]
        with pytest.raises(dn.UsageError):
            wrong()


def test_a_column_of_people_of_another_type_has_a_remedy() -> None:
    rows = ROWS.with_columns(pl.col("patient").cast(pl.Int64))
    with pytest.raises(dn.DataError) as refused:
        deniable.testing.session(POLICY, rows)
    assert 'dn.Person(..., type="integer")' in (refused.value.help or "") and 'cast(pl.String)' in str(refused.value)
    keys: Dict[str, Any] = dict(promise=dn.epsilon(1), columns={"minutes": dn.Decimal(0, 60, step="0.1")})
    deniable.testing.session(dn.Policy("visits", person=dn.Person("patient", rows=3, groups=2, type="integer"), **keys), rows).close()
    # Other columns have the remedy of their library alone.
    with pytest.raises(dn.DataError) as refused:
        deniable.testing.session(dn.Policy("visits", promise=dn.epsilon(1), columns={"patient": "text"}), rows)
    assert "dn.Person" not in str(refused.value)


def test_a_missing_key_is_an_error_of_the_package(release: dn.Release) -> None:
    found = dn.assess(pl.DataFrame({"age": ["30", "30"], "ill": ["flu", "flu"]}), quasi=["age"], sensitive=["ill"])
    for mapping in (release, found, dn.Integer(0, 60), dn.gain(2)):
        for wrong in ("nothing", 3, None, ["both"]):
            with pytest.raises(dn.UsageError) as refused:
                mapping[wrong]  # type: ignore[index]
            assert isinstance(refused.value, KeyError) and refused.value.help and str(refused.value).startswith("the ")
            again = pickle.loads(pickle.dumps(refused.value))
            assert type(again) is type(refused.value) and str(again) == str(refused.value)
        assert "nothing" not in mapping and mapping.get("nothing") is None
        first = next(iter(mapping))
        assert first in mapping and mapping[first] == mapping.get(first)
