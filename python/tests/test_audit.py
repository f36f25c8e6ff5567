"""Functions are audited on the calling thread, and their exceptions are raised to the caller."""

from __future__ import annotations

import subprocess
import sys
import threading
from fractions import Fraction
from typing import Any, List, Set

import deniable as dn
import numpy as np
import pytest


@pytest.mark.parametrize("given", [0, 1.5, None, True, "heads", b"heads", {"heads": 1}, np.array(5), np.float64(1), object()])
def test_a_single_output_is_refused_with_the_requested_count(given: Any) -> None:
    with pytest.raises(dn.UsageError, match="outputs were requested") as refused:
        dn.audit(lambda input, times: given, claim="odds=3", samples=1_000)
    assert "range(times)" in (refused.value.help or "")


def test_the_function_is_called_on_the_thread_that_asks() -> None:
    seen: Set[int] = set()

    def function(input: List[int], times: int) -> List[int]:
        seen.add(threading.get_ident())
        return [0] * times

    def ask() -> None:
        seen.clear()
        assert not dn.audit(function, claim="odds=3", samples=2_000).broken
        assert seen == {threading.get_ident()}

    ask()
    failed: List[BaseException] = []

    def elsewhere() -> None:
        try:
            ask()
        except BaseException as error:
            failed.append(error)

    other = threading.Thread(target=elsewhere)
    other.start()
    other.join()
    assert not failed


def test_exceptions_of_the_function_are_raised_by_audit() -> None:
    def function(input: List[int], times: int) -> List[int]:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        dn.audit(function, claim="odds=3", samples=2_000)


def laplace(input: List[int], times: int) -> List[float]:
    """Textbook noise of scale 1: the inverse of the distribution at a random float."""
    uniform = np.random.default_rng().random(times) - 0.5
    noisy: List[float] = (input[0] - np.sign(uniform) * np.log1p(-2 * np.abs(uniform))).tolist()
    return noisy


def test_faults_of_floating_point_are_named_and_can_be_looked_past() -> None:
    found = dn.audit(laplace, claim="epsilon=1", samples=400_000)
    assert found.broken and found.floating_point and found.rounded_to is None
    assert "floating point: " in str(found) and 'round_to="0.001"' in str(found)
    past = dn.audit(laplace, claim="epsilon=1", samples=400_000, round_to="0.001")
    assert not past.broken and not past.floating_point and past.rounded_to == Fraction(1, 1000)
    # Another fault is still found.
    wrong = dn.audit(laplace, claim="epsilon=1/2", samples=400_000, round_to="0.001")
    assert wrong.broken and not wrong.floating_point and wrong.epsilon_at_least < "1"
    with pytest.raises(dn.UsageError, match="round_to="):
        dn.audit(laplace, samples=1_000, round_to=0)


# A function that spends no time in Python, and one that waits.
FUNCTIONS = {"quick": "lambda input, times: out[:times]", "waiting": "lambda input, times: (time.sleep(600), out[:times])[1]"}
INTERRUPTED = """
import _thread, signal, threading, time
import deniable as dn
import numpy as np
signal.signal(signal.SIGINT, signal.default_int_handler)
out = [0] * 10_000_000
threading.Timer(0.5, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)).start()
try:
    dn.audit(FUNCTION, claim="odds=3", samples=10**9)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("function", FUNCTIONS)
def test_ctrl_c_interrupts_audits(function: str) -> None:
    code = INTERRUPTED.replace("FUNCTION", FUNCTIONS[function])
    done = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


def test_the_claim_is_shown_as_it_was_given() -> None:
    found = dn.audit(lambda input, times: [input[0]] * times, claim="epsilon=1", samples=2_000)
    assert found.claim == "epsilon=1" and "claim='epsilon=1'" in repr(found)
