"""An attacker with the package: data that differ in one person, processes that are killed, interrupted, run beside each other and asked again, and
the package's own audit as the judge of all observations (P-1). ``scripts/slow redteam`` runs it."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import List, Union

import deniable as dn
import pytest

SQL = "SELECT COUNT(*) AS n FROM t"
SAMPLES = 1_200
PEOPLE = 10
ENDED, REFUSED = "ended", "refused"


def opened(folder: Path) -> dn.Session:
    policy = dn.Policy(
        name="redteam",
        population="redteam",
        table="t",
        promise=dn.epsilon(1),
        adversary={"knows_size": False},
        columns={"g": {"type": "integer", "keys": [0, 1]}},
        data={"path": str(folder / "rows.csv"), "version": "1"},
    )
    return policy.session(ledger=folder / "redteam.ledger")


def ask(folder: Path) -> Union[int, str]:
    """The whole promise pays for one answer."""
    with opened(folder) as session:
        try:
            return int(session.ask(SQL, spend=1).rows[0][0])
        except dn.BudgetError:
            return REFUSED


class Started:
    """A query in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.out, into = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                os.write(into, str(ask(folder)).encode())
            except BaseException:
                pass
            finally:
                os._exit(0)
        os.close(into)

    def ends(self, by: Union[int, None] = None) -> Union[int, str]:
        """Its answer, after a signal if one is given."""
        if by is not None:
            os.kill(self.pid, by)
        with os.fdopen(self.out) as out:
            text = out.read()
        os.waitpid(self.pid, 0)
        return int(text) if text.lstrip("-").isdigit() else text or ENDED


class Attacker:
    def __init__(self, folder: Path, seed: int) -> None:
        self.dice = random.Random(seed)
        self.counted = {"killed": 0, "dead": 0}
        self.at, self.made = folder / "now", {}
        for people in (PEOPLE, PEOPLE + 1):
            made = folder / str(people)
            made.mkdir()
            (made / "rows.csv").write_text("g\n" + "1\n" * people)
            # Files are identified by their paths.
            shutil.move(str(made), str(self.at))
            with opened(self.at) as session:
                session.register()
            shutil.move(str(self.at), str(made))
            self.made[people] = made

    def attack(self, people: int) -> List[Union[int, str]]:
        shutil.rmtree(self.at, ignore_errors=True)
        shutil.copytree(self.made[people], self.at)
        attack = self.dice.choice(["kill", "kill twice", "interrupt", "two processes", "again"])
        seen: List[Union[int, str]] = []
        if attack == "two processes":
            both = [Started(self.at), Started(self.at)]
            time.sleep(self.dice.random() * 0.1)
            seen += [both[0].ends(signal.SIGKILL if self.dice.random() < 0.5 else None), both[1].ends()]
        elif attack != "again":
            for _ in range(2 if attack == "kill twice" else 1):
                started = Started(self.at)
                time.sleep(self.dice.random() * 0.1)
                seen.append(started.ends(signal.SIGINT if attack == "interrupt" else signal.SIGKILL))
                self.counted["killed"] += seen[-1] == ENDED
        else:
            seen.append(ask(self.at))
        seen += [ask(self.at), ask(self.at)]
        # There is one answer: all displays show the same number.
        numbers = {one for one in seen if isinstance(one, int)}
        assert len(numbers) <= 1, seen
        self.counted["dead"] += REFUSED in seen
        return [attack, *seen]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_an_attacker_learns_no_more_than_was_paid(tmp_path: Path, scale: str, seed: int) -> None:
    if scale != "slow":
        pytest.skip("some minutes: scripts/slow redteam")
    warnings.simplefilter("ignore")
    attacker = Attacker(tmp_path, seed)

    def function(input: List[int], times: int) -> List[List[Union[int, str]]]:
        return [attacker.attack(input[0]) for _ in range(times)]

    found = dn.audit(function, claim="epsilon=1", samples=SAMPLES, pairs=[([PEOPLE], [PEOPLE + 1])])
    print(f"redteam, Python: {SAMPLES} runs, {attacker.counted}, the whole promise (epsilon = 1) paid: {found}")
    assert not found.broken, found
    assert attacker.counted["killed"] > SAMPLES / 10, "the kills missed the intended moments"
