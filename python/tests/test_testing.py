"""Sessions for tests of other code: no files are left, nothing warns, everything is marked, and the noise is real."""

from __future__ import annotations

import os
import warnings
from fractions import Fraction
from pathlib import Path

import deniable as dn
import deniable.testing
import polars as pl
import pytest

POLICY = dn.Policy("t", promise=dn.epsilon(1), columns={"v": dn.Integer(0, 60)}, queries=[{"name": "all", "sql": "SELECT COUNT(*) AS n FROM t", "share": "1/2"}])
ROWS = pl.DataFrame({"v": list(range(60))})
COUNT = "SELECT COUNT(*) AS n FROM t"


@pytest.mark.loud
def test_nothing_warns_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with deniable.testing.session(POLICY, ROWS) as session:
            session.ask(COUNT, epsilon="1/4")
            folder = os.path.dirname(session.ledger)
            assert os.path.exists(session.ledger) and session.left == Fraction(3, 4)
    assert not os.path.exists(folder) and not list(tmp_path.iterdir())
    # Other sessions still warn: the check above can fail.
    with pytest.warns(dn.LedgerWarning):
        POLICY.session(ROWS, version="1", ledger=":memory:").close()


def test_everything_is_marked() -> None:
    with deniable.testing.session(POLICY, ROWS) as session:
        answer, release = session.ask(COUNT, epsilon="1/4"), session.release()
        assert repr(session).startswith("Session('t', TEST, ") and release.test
        for one in (answer, *release.values()):
            assert one.test and repr(one).startswith("Answer(TEST, ") and str(one).startswith("TEST: ") and "TEST: " in one._repr_html_()
    assert repr(session) == "Session('t', TEST, closed)"
    with POLICY.session(ROWS, version="1", ledger=":memory:") as session:
        answer = session.ask(COUNT, epsilon="1/4")
        assert not answer.test and "TEST" not in f"{session!r} {answer!r} {answer}" + answer.to_json()


def test_the_noise_is_real() -> None:
    """30 counts with scale 10: all equal with a chance below 1e-30."""
    counts = set()
    for _ in range(30):
        with deniable.testing.session(POLICY, ROWS) as session:
            counts.add(session.ask(COUNT, epsilon="1/10")["n"])
    assert len(counts) > 5


def test_a_budget_is_kept_within_a_session() -> None:
    with deniable.testing.session(POLICY, ROWS) as session:
        session.ask(COUNT, spend=1)
        with pytest.raises(dn.BudgetError):
            session.ask("SELECT SUM(v) AS n FROM t", spend="1/100")
        assert session.left_epsilon == 0


def test_several_tables_and_no_files(tmp_path: Path) -> None:
    person = dn.Person("p", rows=1, groups=1)
    stays = {"entity": "p", "columns": {"p": dn.Text(), "days": dn.Integer(0, 9)}}
    both = dn.Policy("t", promise=dn.epsilon(1000), person=person, columns={"v": dn.Integer(0, 9)}, tables={"stays": stays})
    rows = {"t": pl.DataFrame({"p": ["a"], "v": [1]}), "stays": pl.DataFrame({"p": ["a"], "days": [3]})}
    with deniable.testing.session(both, rows) as session:
        assert session.ask("SELECT COUNT(*) AS n FROM t JOIN stays ON t.p = stays.p", spend=1)["n"] == (1,)
    (tmp_path / "rows.csv").write_text("v\n1\n2\n", encoding="utf-8")
    of_file = dn.Policy("t", promise=dn.epsilon(1000), columns={"v": dn.Integer(0, 9)}, data={"path": str(tmp_path / "rows.csv"), "version": "1"})
    for nothing in (None, {}):
        with pytest.raises(dn.UsageError, match="the rows of 't' are missing"):
            deniable.testing.session(of_file, nothing)  # type: ignore[arg-type]
    with deniable.testing.session(of_file, pl.DataFrame({"v": [1, 2, 3]})) as session:
        assert session.ask(COUNT, spend=1)["n"] == (3,)
    assert [one.name for one in tmp_path.iterdir()] == ["rows.csv"]


def test_wrong_arguments_are_refused() -> None:
    for wrong in (lambda: deniable.testing.session("policy.toml", ROWS), lambda: deniable.testing.session(POLICY, 3), lambda: deniable.testing.session(POLICY, {"u": ROWS})):  # type: ignore[arg-type]
        with pytest.raises(dn.UsageError) as refused:
            wrong()
        assert refused.value.help
    with pytest.raises(TypeError, match="seed"):
        deniable.testing.session(POLICY, ROWS, seed=1)  # type: ignore[call-arg]
