"""30 accidents, or 300 in CI, or 10,000: see faults.py."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import List, Optional

import faults
import pytest

TRIES = {"small": 30, "full": 300, "slow": 10_000}
# Before a release, a person examines every incident.
REPEATS = {"small": 20, "full": 20, "slow": 0}


def test_accidents_leave_a_correct_ledger(scale: str, seed: int) -> None:
    driver = Path(__file__).with_name("faults.py")
    numbers = {"--tries": TRIES[scale], "--repeats": REPEATS[scale], "--seed": seed, "--jobs": os.cpu_count() or 1}
    words = [sys.executable, str(driver), *(str(word) for pair in numbers.items() for word in pair)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{TRIES[scale]} passed, 0 failed" in done.stdout
    if "Incident: " in done.stdout:
        warnings.warn(done.stdout)


NOTHING, INCIDENT, FAULT = None, faults.Problem("it hangs", True), faults.Problem("the ledger is broken", False)


@pytest.mark.parametrize(
    ("tries", "fails"),
    [
        ([NOTHING, NOTHING], False),
        ([INCIDENT, NOTHING, NOTHING, NOTHING], False),
        ([NOTHING, INCIDENT, INCIDENT, NOTHING], True),
        ([NOTHING, FAULT], True),
        ([INCIDENT, NOTHING, NOTHING, FAULT], True),
    ],
)
def test_an_incident_fails_the_run_if_it_happens_in_two_further_rounds(
    monkeypatch: pytest.MonkeyPatch, tries: List[Optional[faults.Problem]], fails: bool
) -> None:
    left = iter(tries)
    monkeypatch.setattr(faults, "attempt", lambda name, seed: next(left))
    with ThreadPoolExecutor(1) as workers:
        assert faults.happens_again(workers, "forks", 2) is fails
        assert next(left, "none") == "none"
        assert faults.happens_again(workers, "forks", 0)
