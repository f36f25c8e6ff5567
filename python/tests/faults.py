"""Processes that are interrupted, killed, forked and ended at any moment, and the required state of the ledger afterwards.

    python faults.py --tries 300 --seed 7 --jobs 2

Each try runs one scenario in a process of its own (``faults.py child SCENARIO``), which prints its answers on standard output. After it:

- the process ended as the scenario requires: never by a signal that was not sent to it, never by waiting for ever;
- ``deniable ledger verify`` finds the ledger whole;
- the same queries, asked again by another process, have the printed answers (an answer never changes);
- the share that is left is exactly what the queries cost, each once, and once more for each charge that ended while its noise was
  drawn, which is never drawn again; and never negative.

The schedule follows from the seed, except for what the system's scheduler does; a failure prints the command that tries it again.

A fault of the ledger, a panic, a crash and an exception fail the run at once. A process that hangs, is killed or runs
out of memory may have been stopped by the machine or by CPython's own shutdown. Such an incident is repeated with fresh
seeds: it fails the run if it happens again in the ``--repeats`` further tries of its scenario, and a third time
in as many tries after that. A correct program that has an incident in one of 10^4 tries fails 300 tries with
probability 300 * 10^-4 * (20 * 10^-4)^2 = 1.2 * 10^-7. ``--repeats 0`` fails the run at the first incident.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import deniable as dn

ROWS = 4_000
QUERIES = [f"SELECT g, COUNT(*) AS n, SUM(v) AS s FROM t WHERE v >= {at} GROUP BY g" for at in range(6)]
SHARE = Fraction(1, 8)
PATIENCE = 120
"""Seconds after which a process counts as waiting for ever."""
REPEATS = 20
"""Further tries after an incident."""
MACHINE = re.compile(
    "KeyboardInterrupt|MemoryError|Cannot allocate memory|Resource temporarily unavailable|No space left on device"
    "|at interpreter shutdown, possibly due to daemon threads"
)
"""What a process complains of that was stopped by the machine, by a signal in a line of this file that does not expect
it, or by CPython, which aborts if a daemon thread holds a buffer's lock while the interpreter ends (bpo-42717)."""


# The scenarios, which run in the process with an accident.


def policy(folder: Path) -> dn.Policy:
    return dn.Policy(
        name="faults",
        population="faults",
        table="t",
        promise=dn.epsilon(2),
        adversary={"knows_size": False},
        columns={"g": {"type": "integer", "keys": [0, 1, 2]}, "v": {"type": "integer", "bounds": (0, 9)}},
        data={"path": str(folder / "rows.csv"), "version": "1"},
    )


def opened(folder: Path) -> dn.Session:
    return policy(folder).session(ledger=folder / "faults.ledger")


def tell(**what: Any) -> None:
    """A whole line at once, so that lines of several threads and processes do not mix."""
    os.write(1, (json.dumps(what, default=str) + "\n").encode())


def ask(session: dn.Session, query: int) -> None:
    answer = session.ask(QUERIES[query], spend=SHARE)
    tell(query=query, rows=answer.rows)


def in_order(dice: random.Random) -> List[int]:
    order = list(range(len(QUERIES)))
    dice.shuffle(order)
    return order


def many_threads(folder: Path, dice: random.Random) -> None:
    """Several threads ask through one session. The parent process kills this one, or lets it end."""
    import threading

    session = opened(folder)
    tell(ready=True)
    orders = [in_order(dice) for _ in range(3)]
    threads = [threading.Thread(target=lambda order=order: [ask(session, query) for query in order]) for order in orders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def one_by_one(folder: Path, dice: random.Random) -> None:
    session = opened(folder)
    tell(ready=True)
    for query in in_order(dice):
        ask(session, query)


def interrupted(folder: Path, dice: random.Random) -> None:
    """Ctrl-C at any moment; each time it interrupts the call, and the session remains usable."""
    import threading

    session = opened(folder)
    main, done, heard, sent = os.getpid(), threading.Event(), 0, 0

    def interrupt() -> None:
        nonlocal sent
        while not done.wait(dice.expovariate(20)):
            sent += 1
            os.kill(main, signal.SIGINT)

    table = {(): {"no": "3/4", "yes": "1/4"}, "ann": {"no": "1/4", "yes": "3/4"}}
    draws = random.Random(dice.random())
    published = folder / "published.csv"
    published.write_text("zip,ill\n" + "".join(f"{at % 7},{at % 3}\n" for at in range(500)))
    jobs: List[Callable[[], object]] = [
        *(lambda query=query: ask(session, query) for query in in_order(dice)),
        lambda: dn.check(table, notion="pmp", family="bounded", prior=("1/5", "4/5")),
        lambda: dn.check("kmax", notion="pmp", family="uniform", k=3, n=6),
        lambda: dn.translate("odds=3", prior="1/2"),
        lambda: dn.audit(lambda input, times: [input[0] % 2 ^ (draws.random() < 1 / 4) for _ in range(times)], claim="odds=4", samples=20_000),
        lambda: dn.assess(published, quasi=["zip"], sensitive=["ill"]),
        lambda: session.left,
        # Before anything is charged there is no ledger to report on.
        lambda: (ask(session, 0), session.report()),
        lambda: session.plan(QUERIES[0], spend=SHARE),
        lambda: session.register(),
    ]
    dice.shuffle(jobs)
    thread = threading.Thread(target=interrupt, daemon=True)
    ended = False
    while not ended:
        # At any moment, also between two lines of this loop.
        try:
            if not thread.is_alive():
                thread.start()
            while jobs:
                jobs[-1]()
                jobs.pop()
            ended = True
        except KeyboardInterrupt:
            heard += 1
            if heard > 40:
                jobs.clear()
    while True:
        try:
            done.set()
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            break
        except KeyboardInterrupt:
            continue
    tell(heard=heard, sent=sent)


def ends(folder: Path, dice: random.Random) -> None:
    """The interpreter ends while daemon threads ask, for which it does not wait."""
    import threading

    session = opened(folder)
    for order in (in_order(dice), in_order(dice)):
        threading.Thread(target=lambda order=order: [ask(session, query) for query in order], daemon=True).start()
    time.sleep(dice.random() * 0.4)
    how = dice.choice(["return", "exit", "_exit", "raise", "alarm"])
    if how == "exit":
        sys.exit(3)
    if how == "_exit":
        os._exit(3)
    if how == "raise":
        raise RuntimeError("on purpose")
    if how == "alarm":
        signal.signal(signal.SIGALRM, lambda *_: sys.exit(3))
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        ask(session, 0)


def forks(folder: Path, dice: random.Random) -> None:
    """A fork while another thread asks: its session is refused, and it ends without waiting for threads that do not exist in it."""
    import threading

    warnings.simplefilter("ignore", DeprecationWarning)
    session = opened(folder)
    busy = dice.random() < 0.7
    thread = threading.Thread(target=lambda: [ask(session, query) for query in in_order(dice)])
    if busy:
        thread.start()
    time.sleep(dice.random() * 0.3)
    for _ in range(3):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                for use in (lambda: ask(session, 0), lambda: session.left, session.report, session.plan, session.release, session.register):
                    try:
                        use()
                    except dn.UsageError as error:
                        assert error.help
                    else:
                        raise AssertionError("a fork used its parent's session")
                if not busy:
                    # If no call ran at the fork, a new session in it works as usual.
                    with opened(folder) as own:
                        ask(own, dice.randrange(len(QUERIES)))
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                # Half of them end as forks of Python do: with all finalizers.
                if code == 0 and dice.random() < 0.5:
                    sys.exit(0)
                os._exit(code)
        _, status = os.waitpid(child, 0)
        assert status == 0, f"a fork ended with {status}"
    if busy:
        thread.join()
    ask(session, 0)


def _pool_asks(about: Tuple[str, int]) -> Tuple[int, Any]:
    folder, query = about
    warnings.simplefilter("ignore")
    with opened(Path(folder)) as session:
        answer = session.ask(QUERIES[query], spend=SHARE)
        return query, answer.rows


def pools(folder: Path, dice: random.Random) -> None:
    """multiprocessing, by fork and by spawn: a session in each process, all on one ledger."""
    import multiprocessing

    method = dice.choice(["fork", "spawn", "forkserver"])
    warnings.simplefilter("ignore", DeprecationWarning)
    with multiprocessing.get_context(method).Pool(2) as pool:
        for query, rows in pool.imap_unordered(_pool_asks, [(str(folder), query) for query in in_order(dice)]):
            tell(query=query, rows=rows)


def asynchronous(folder: Path, dice: random.Random) -> None:
    """Tasks that are cancelled while their threads continue."""
    import asyncio

    async def main() -> None:
        session = opened(folder)

        async def one(query: int) -> None:
            try:
                await asyncio.wait_for(asyncio.to_thread(ask, session, query), dice.random() * 0.5)
            except asyncio.TimeoutError:
                pass

        await asyncio.gather(*(one(query) for query in in_order(dice)))

    asyncio.run(main())


def closes(folder: Path, dice: random.Random) -> None:
    """A session that is closed, and deleted, while others use it."""
    import gc
    import threading

    session = opened(folder)

    def use() -> None:
        try:
            for query in in_order(dice):
                ask(session, query)
        except dn.UsageError as error:
            assert "closed" in error.message

    threads = [threading.Thread(target=use) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(dice.random() * 0.3)
    session.close()
    del session
    gc.collect()
    for thread in threads:
        thread.join()


def subinterpreters(folder: Path, dice: random.Random) -> None:
    """Another interpreter in the process: refused with a message, or working; the first one continues."""
    code = "import deniable; deniable.translate('odds=3', to='posterior', prior='1/2')"
    with opened(folder) as session:
        ask(session, dice.randrange(len(QUERIES)))
        try:
            import _interpreters as interpreters  # CPython from 3.13 on.

            other = interpreters.create()
            error = interpreters.exec(other, code)
            said = error and error.formatted
            interpreters.destroy(other)
        except ImportError:
            import _xxsubinterpreters as interpreters  # type: ignore[import-not-found, no-redef]

            other = interpreters.create()
            try:
                said = interpreters.run_string(other, code)
            except interpreters.RunFailedError as failed:
                said = str(failed)
            interpreters.destroy(other)
        assert said is None or "interpreter" in said, said
        tell(subinterpreter=said)
        ask(session, dice.randrange(len(QUERIES)))


def overdrawn(folder: Path, dice: random.Random) -> None:
    """More queries than the promise pays for, by several processes."""
    session = opened(folder)
    tell(ready=True)
    for at in range(8):
        sql = f"SELECT COUNT(*) AS n FROM t WHERE v <> {dice.randrange(10)} AND g <= {at}"
        try:
            answer = session.ask(sql, spend=SHARE)
            tell(sql=sql, rows=answer.rows)
        except dn.BudgetError as error:
            assert error.help or error.message
            tell(refused=sql)


# The parent process, which judges.


class Scenario(NamedTuple):
    child: Callable[[Path, random.Random], None]
    processes: int = 1
    killed: bool = False
    """Whether one of them is killed meanwhile."""
    codes: Tuple[int, ...] = (0,)
    """The exit codes with which it may end by itself."""
    weight: int = 2


SCENARIOS: Dict[str, Scenario] = {
    "threads": Scenario(many_threads),
    "threads, killed": Scenario(many_threads, killed=True, weight=4),
    "two processes": Scenario(one_by_one, processes=2),
    "two processes, one killed": Scenario(one_by_one, processes=2, killed=True, weight=4),
    "three processes overdraw": Scenario(overdrawn, processes=3),
    "interrupted": Scenario(interrupted, weight=4),
    # An alarm after the interpreter has restored the system's signal handlers ends the process: so CPython ends.
    "ends": Scenario(ends, codes=(0, 1, 3, -signal.SIGALRM), weight=4),
    "forks": Scenario(forks, weight=3),
    "pools": Scenario(pools),
    "asynchronous": Scenario(asynchronous),
    "closes": Scenario(closes),
    "subinterpreters": Scenario(subinterpreters, weight=1),
}


class Fault(Exception):
    """A violation of a requirement."""


class Incident(Fault):
    """A process that hung or ended in a way that the machine or CPython may have caused."""


def run(name: str, seed: int, folder: Path) -> List[Dict[str, Any]]:
    """Runs the processes of a scenario; returns their output."""
    scenario, dice = SCENARIOS[name], random.Random(f"{seed} parent")
    (folder / "rows.csv").write_text("g,v\n" + "".join(f"{at % 3},{at * 7 % 10}\n" for at in range(ROWS)))
    files = [(folder / f"{at}.out", folder / f"{at}.err") for at in range(scenario.processes)]
    children = []
    for at, (out, err) in enumerate(files):
        with open(out, "wb") as told, open(err, "wb") as complained:
            words = [sys.executable, __file__, "child", name, str(folder), f"{seed} {at}"]
            # A process group of its own: its children can be ended with it.
            children.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=told, stderr=complained, start_new_session=True))
    try:
        if scenario.killed:
            # From before the session is opened until after the last answer.
            while not files[0][0].stat().st_size and children[0].poll() is None and dice.random() < 0.98:
                time.sleep(0.005)
            time.sleep(dice.random() ** 2 * 1.0)
            children[0].kill()
        for at, child in enumerate(children):
            try:
                code = child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                os.kill(child.pid, signal.SIGUSR1)
                time.sleep(1)
                complaint = files[at][1].read_text(errors="replace")
                kind = Fault if "panicked" in complaint else Incident
                raise kind(f"process {at} waits for ever\n{complaint}") from None
            complaint = files[at][1].read_text(errors="replace")
            by_us = scenario.killed and at == 0 and code == -signal.SIGKILL
            is_expected = code in scenario.codes or by_us
            if is_expected and "panicked" not in complaint and "Fatal Python error" not in complaint:
                continue
            by_machine = code in (-signal.SIGKILL, -signal.SIGINT) or MACHINE.search(complaint)
            kind = Incident if by_machine and "panicked" not in complaint else Fault
            raise kind(f"process {at} ended with {code}\n{complaint}")
    finally:
        for child in children:
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            child.wait()
    lines = [line for out, _ in files for line in out.read_text().splitlines()]
    told: List[Dict[str, Any]] = []
    for line in lines:
        try:
            told.append(json.loads(line))
        except json.JSONDecodeError:
            # The last, incomplete line of a killed process.
            if not scenario.killed and name != "ends":
                raise
    return told


def closed(ledger: Path) -> int:
    """The number of charges that ended while their noise was drawn: each is paid for and never answered."""
    shown = subprocess.run(
        [sys.executable, "-m", "deniable", "ledger", "show", str(ledger), "--format", "json"], capture_output=True, text=True, check=True
    )
    releases = [release for account in json.loads(shown.stdout)["accounts"] for release in account["releases"]]
    return sum(release.get("closed", False) for release in releases)


def judge(folder: Path, told: Sequence[Dict[str, Any]]) -> None:
    """The requirements after every scenario."""
    ledger = folder / "faults.ledger"
    if ledger.exists():
        verified = subprocess.run([sys.executable, "-m", "deniable", "ledger", "verify", str(ledger)], capture_output=True, text=True)
        if verified.returncode != 0:
            raise Fault(f"the ledger is broken: {verified.stdout}{verified.stderr}")
    known: Dict[str, Any] = {}
    for line in told:
        if "rows" in line:
            sql = line["sql"] if "sql" in line else QUERIES[line["query"]]
            if known.setdefault(sql, line["rows"]) != line["rows"]:
                raise Fault(f"two answers to {sql}: {known[sql]} and {line['rows']}")
    is_overdrawn = any("sql" in line or "refused" in line for line in told)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with opened(folder) as session:
            before = session.left
            if not 0 <= before <= 1 - SHARE * len(known):
                raise Fault(f"{len(known)} answers were told, and {before} is left")
            if (before / SHARE).denominator != 1:
                raise Fault(f"{before} is left, and every query costs {SHARE}")
            asked = list(known) if is_overdrawn else QUERIES
            for time_ in ("first", "second"):
                for sql in asked:
                    rows = json.loads(json.dumps(session.ask(sql, spend=SHARE).rows, default=str))
                    if known.setdefault(sql, rows) != rows:
                        raise Fault(f"{sql} has another answer the {time_} time: {known[sql]} and {rows}")
                left = session.left
                wanted = before if is_overdrawn else 1 - SHARE * (len(QUERIES) + closed(ledger))
                if left != wanted:
                    raise Fault(f"{left} is left in place of {wanted}, with {before} before the {time_} time")
            if any("refused" in line for line in told) and before != 0:
                raise Fault(f"queries were refused although {before} is left")


class Problem(NamedTuple):
    text: str
    is_incident: bool


def attempt(name: str, seed: int) -> Optional[Problem]:
    """One try. Returns its problem, if any."""
    folder = Path(tempfile.mkdtemp(prefix="deniable-faults-"))
    try:
        judge(folder, run(name, seed, folder))
    except Exception as error:
        again = f"{sys.executable} {__file__} --only {json.dumps(name)} --seed {seed} --tries 1"
        text = f"{name}: {type(error).__name__}: {error}\n  {again}\n  its files are in {folder}"
        return Problem(text, isinstance(error, Incident))
    shutil.rmtree(folder, ignore_errors=True)
    return None


def schedule(tries: int, seed: int, only: Optional[str]) -> List[Tuple[str, int]]:
    """The scenarios to try: each at least once if there are enough tries."""
    if only is not None:
        return [(only, seed + at) for at in range(tries)]
    dice = random.Random(seed)
    names, weights = list(SCENARIOS), [one.weight for one in SCENARIOS.values()]
    chosen = names[:tries] + dice.choices(names, weights, k=max(0, tries - len(names)))
    return [(name, dice.randrange(1 << 32)) for name in chosen]


def happens_again(workers: concurrent.futures.Executor, name: str, repeats: int) -> bool:
    """Whether further tries with fresh seeds have a fault, or an incident in each of two rounds."""
    for number in (1, 2) if repeats else ():
        print(f"faults: {repeats} further tries of {json.dumps(name)}, round {number}", flush=True)
        seeds = [random.SystemRandom().randrange(1 << 32) for _ in range(repeats)]
        problems = [problem for problem in workers.map(attempt, [name] * repeats, seeds) if problem is not None]
        print("\n".join(problem.text for problem in problems), flush=True)
        if not all(problem.is_incident for problem in problems):
            return True
        if not problems:
            return False
    return True


def main(words: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(description="Processes that have accidents, and what must be true of the ledger afterwards.")
    parser.add_argument("--tries", type=int, default=30)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", choices=list(SCENARIOS))
    parser.add_argument("--repeats", type=int, default=REPEATS)
    given = parser.parse_args(words)
    seed = random.SystemRandom().randrange(1 << 32) if given.seed is None else given.seed
    print(f"faults: {given.tries} tries, seed {seed}", flush=True)
    failed: List[str] = []
    counted: Dict[str, int] = {}
    with concurrent.futures.ProcessPoolExecutor(given.jobs) as workers:
        pending = {workers.submit(attempt, *one): one for one in schedule(given.tries, seed, given.only)}
        for done in concurrent.futures.as_completed(pending):
            name = pending[done][0]
            counted[name] = counted.get(name, 0) + 1
            problem = done.result()
            if problem is not None:
                print(problem.text, flush=True)
                if not problem.is_incident or happens_again(workers, name, given.repeats):
                    failed.append(problem)
            if sum(counted.values()) % 100 == 0:
                print(f"faults: {sum(counted.values())} of {given.tries}", file=sys.stderr, flush=True)
    print("faults: " + ", ".join(f"{count} {name}" for name, count in sorted(counted.items())))
    print(f"{given.tries - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def child(name: str, folder: str, seed: str) -> None:
    import faulthandler

    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    # The default handler, as in a terminal, whatever the parent's setting.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    warnings.simplefilter("ignore", dn.LedgerWarning)
    SCENARIOS[name].child(Path(folder), random.Random(seed))


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(*sys.argv[2:])
    else:
        sys.exit(main())
