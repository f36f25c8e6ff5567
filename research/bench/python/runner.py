"""Shared code of all runners: `python run_NAME.py CASE...` prints one line of JSON for each case.

Each runner defines `prepare()`, which imports the library and starts what it needs (a Spark session), and
`begin(case)`, which returns a function that answers the question. Reading the file is part of answering.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from workload import Answers, Case

Ask = Callable[[], Answers]


def cell(value: object) -> float | None:
    """A number for JSON; NULL is None, and NaN stays NaN, because users would see it."""
    return None if value is None else float(value)  # type: ignore[arg-type]


def family() -> list[int]:
    """This process and its descendants, such as Spark's Java process and its Python workers."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rsplit(")", 1)[1].split()[1])
    found = [os.getpid()]
    for process in found:
        found.extend(child for child, parent in parents.items() if parent == process)
    return found


def usage() -> tuple[float, float]:
    """Peak memory in MB and processor seconds, of this process and its living and ended descendants."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    memory, seconds = 0.0, ended.ru_utime + ended.ru_stime
    ticks = os.sysconf("SC_CLK_TCK")
    for process in family():
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{process}/status").read_text()
            peak = [line for line in status.splitlines() if line.startswith("VmHWM")]
            memory += int(peak[0].split()[1]) / 1024 if peak else 0
            fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
            seconds += (int(fields[11]) + int(fields[12])) / ticks
    # The largest of the ended processes: a command that this runner started and waited for.
    return max(memory, ended.ru_maxrss / 1024), seconds


def same(left: Answers, right: Answers) -> bool:
    return json.dumps(left.cells, sort_keys=True) == json.dumps(right.cells, sort_keys=True)


def answer(begin: Callable[[Case], Ask], case: Case) -> dict[str, object]:
    start = time.perf_counter()
    try:
        ask = begin(case)
        answers = ask()
    except BaseException as error:  # also what a Rust library raises as a panic: it is part of the findings
        if isinstance(error, KeyboardInterrupt):
            raise
        text = (str(error).strip() or "no message").splitlines()[0]
        return {"error": f"{type(error).__name__}: {text[:200]}"}
    seconds = time.perf_counter() - start
    result: dict[str, object] = {"seconds": seconds, "cells": answers.cells, **asdict(answers.noise())}
    if case.twice:
        try:
            result["again"] = "the same answer" if same(ask(), answers) else "answered with new noise"
        except Exception as error:
            result["again"] = f"refused ({type(error).__name__})"
    return result


def main(prepare: Callable[[], str], begin: Callable[[Case], Ask]) -> None:
    """`prepare` returns the library's version."""
    # Libraries print warnings and progress; only this runner's lines may reach standard output.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    version = prepare()
    for text in sys.argv[1:]:
        result = answer(begin, Case(**json.loads(text)))
        memory, seconds = usage()
        result |= {"version": version, "peak_mb": memory, "cpu_seconds": seconds}
        print(json.dumps(result), file=out, flush=True)
