"""How much is tried, and what all tests share.

``DENIABLE_SCALE`` is ``small`` (a minute or two on two cores), ``full`` (CI: some minutes) or ``slow`` (10,000
faults). ``full`` means ``small`` where ``DENIABLE_FULL_PACKAGES`` does not name ``deniable-python``, and from the second
``DENIABLE_FULL_UNTIL`` of Unix time on, as for the tests in Rust (``tools/testing/src/scale.rs``). Random choices follow
from a seed: at ``small`` always the same one, at other scales ``DENIABLE_SEED`` or a fresh one. The header of the run
shows both.
"""

from __future__ import annotations

import os
import random
import time
import warnings
from pathlib import Path
from typing import Iterator, List, Mapping

import deniable as dn
import pytest

SCALES = ("small", "full", "slow")
PACKAGE = "deniable-python"


def scale_of(variables: Mapping[str, str], now: float) -> str:
    """The scale that the variables request at a second of Unix time."""
    asked = variables.get("DENIABLE_SCALE", "small")
    if asked not in SCALES:
        raise pytest.UsageError(f"DENIABLE_SCALE={asked!r} is not one of {', '.join(SCALES)}")
    packages, until = variables.get("DENIABLE_FULL_PACKAGES"), variables.get("DENIABLE_FULL_UNTIL")
    if until is not None and not (until.isascii() and until.isdigit()):
        raise pytest.UsageError(f"DENIABLE_FULL_UNTIL={until!r} is not a whole number")
    is_full = (packages is None or PACKAGE in packages.split()) and (until is None or now < int(until))
    return "small" if asked == "full" and not is_full else asked


SCALE = scale_of(os.environ, time.time())
SEED = 1 if SCALE == "small" else int(os.environ.get("DENIABLE_SEED") or random.SystemRandom().randrange(1 << 32))
REPOSITORY = Path(__file__).resolve().parents[2]


def pytest_report_header() -> List[str]:
    return [f"deniable {dn.__version__}: DENIABLE_SCALE={SCALE} DENIABLE_SEED={SEED}"]


@pytest.fixture
def scale() -> str:
    return SCALE


@pytest.fixture
def seed() -> int:
    return SEED


@pytest.fixture
def dice(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers of this test alone, independent of the tests that ran before."""
    return random.Random(f"{SEED} {request.node.nodeid}")


@pytest.fixture
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(autouse=True)
def quiet_ledgers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every new ledger gives a warning; here all ledgers are new."""
    with warnings.catch_warnings():
        if "loud" not in request.keywords:
            warnings.simplefilter("ignore", dn.LedgerWarning)
        yield


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "loud: warnings about ledgers are not hidden")
