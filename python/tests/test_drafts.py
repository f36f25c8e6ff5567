"""Drafts of policies, sweeps and least promises: the same as the command's."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import deniable as dn
import pytest
from conftest import REPOSITORY

CLINIC = REPOSITORY / "examples/clinic"


def command(*words: str) -> str:
    return subprocess.run([sys.executable, "-m", "deniable", *words], capture_output=True, text=True, check=True, cwd=CLINIC).stdout


def test_drafts_are_those_of_the_command(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.chdir(CLINIC)
    with caplog.at_level(logging.INFO, "deniable"):
        draft = dn.draft("visits.csv", columns=["patient", "minutes"])
    assert draft == command("init", "visits.csv", "--columns", "patient,minutes")
    assert not caplog.records
    # Decisions are left to a person: the draft is no policy yet, and each error has its line.
    with pytest.raises(dn.PolicyError) as raised:
        dn.Policy.from_source(draft)
    assert len(raised.value.problems) > 3 and all(problem.place for problem in raised.value.problems)


def test_a_draft_overwrites_nothing(tmp_path: Path) -> None:
    out = tmp_path / "policy.toml"
    assert dn.draft(CLINIC / "visits.csv", out=out) == out.read_text(encoding="utf-8")
    with pytest.raises(dn.Error, match="exists"):
        dn.draft(CLINIC / "visits.csv", out=out)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: dn.draft(), "data"),
        (lambda: dn.draft("nowhere.csv"), "nowhere"),
        (lambda: dn.draft(CLINIC / "visits.csv", delimiter=";;"), "delimiter="),
        (lambda: dn.draft(CLINIC / "visits.csv", columns="nothing"), "nothing"),
    ],
)
def test_errors_are_of_the_call(given: Any, message: str) -> None:
    with pytest.raises(dn.Error, match=message):
        given()


def test_sweeps_are_those_of_the_command() -> None:
    policy = dn.Policy(CLINIC / "policy.toml")
    report = policy.sweep("gain=1.1..4:3", "visits by sex")
    written = command("plan", "policy.toml", "--sweep", "gain=1.1..4:3", "--query", "visits by sex", "--format", "json")
    assert report.to_dict() == json.loads(written)
    assert "largest odds ratio" in str(report) and "<pre>" in report._repr_html_()
    with pytest.raises(dn.UsageError, match="not a promise or a cap"):
        policy.sweep("sigma=1..2")
    with pytest.raises(dn.Error, match="nothing"):
        policy.sweep("gain=1.1..4", "nothing")


def test_the_least_promise_is_that_of_the_command(tmp_path: Path) -> None:
    queries = [
        {"name": "visits", "sql": "SELECT COUNT(*) AS visits FROM visits", "target_error": 50},
        {"name": "minutes", "sql": "SELECT SUM(minutes) AS minutes FROM visits", "target_error": 5000},
    ]
    columns = {"minutes": dn.Integer(0, 60)}
    policy = dn.Policy("visits", promise=dn.epsilon(1), adversary=dn.Adversary(preset="acquaintance"), columns=columns, queries=queries)
    path = tmp_path / "policy.toml"
    policy.save(path)
    least = policy.least_promise()
    assert least.to_dict() == json.loads(command("plan", str(path), "--least-promise", "--format", "json"))
    assert least.to_dict()["forced_by"] in ("visits", "minutes")
    with pytest.raises(dn.Error, match="target"):
        dn.Policy(CLINIC / "policy.toml").least_promise()
