"""30 accidents, or 300 in CI, or 10,000: see faults.py."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TRIES = {"small": 30, "full": 300, "slow": 10_000}


def test_accidents_leave_the_ledger_as_it_must_be(scale: str, seed: int) -> None:
    driver = Path(__file__).with_name("faults.py")
    words = [sys.executable, str(driver), "--tries", str(TRIES[scale]), "--seed", str(seed), "--jobs", str(os.cpu_count() or 1)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{TRIES[scale]} passed, 0 failed" in done.stdout
