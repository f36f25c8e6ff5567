"""Answers that the curator withdraws: free, unchanged, and marked."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
from pathlib import Path

import deniable as dn
import polars as pl

SQL = "SELECT g, COUNT(*) AS n FROM t GROUP BY g"


def command(*words: object) -> str:
    done = subprocess.run([sys.executable, "-m", "deniable", *map(str, words)], capture_output=True, text=True, check=True)
    return done.stdout


def test_a_withdrawn_answer_is_free_and_marked(tmp_path: Path) -> None:
    policy = dn.Policy(
        name="study",
        population="people",
        table="t",
        promise=dn.epsilon(1),
        adversary={"knows_size": False},
        columns={"g": {"type": "integer", "keys": [0, 1, 2]}},
    )
    ledger = tmp_path / "people.ledger"
    rows = pl.DataFrame({"g": [at % 3 for at in range(300)]})
    with policy.session(rows, version="1", ledger=ledger, register=True) as session:
        first = session.ask(SQL, spend="1/4")
        left = session.left
        assert first.withdrawn is None and "withdrawn" not in repr(first) and "withdrawn" not in first.to_dict()
        shown = json.loads(command("ledger", "show", ledger, "--format", "json"))
        (release,) = shown["accounts"][0]["releases"]
        command("ledger", "withdraw", ledger, release["entry"], "--reason", "the keys of <g> were wrong")
        again = session.ask(SQL, spend="1/4")
        # A query that the withdrawn answer contains.
        part = session.ask("SELECT COUNT(*) AS n, g FROM t GROUP BY g ORDER BY g", spend="1/8")
        for answer in (again, part):
            assert answer.withdrawn is not None
            assert isinstance(answer.withdrawn, dn.Withdrawal) and isinstance(answer.withdrawn.on, datetime.date)
            assert answer.withdrawn.reason == "the keys of <g> were wrong"
            assert "withdrawn" in repr(answer) and "WITHDRAWN" in str(answer)
            assert "<s>" in answer._repr_html_() and "the keys of &lt;g&gt; were wrong" in answer._repr_html_()
        assert again.rows == first.rows and session.left == left
        assert "<s>query</s>" in session.report()
