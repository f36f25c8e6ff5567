"""The package compared with the command, and the time of its import compared with the peers'."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from libraries import HERE, LIBRARIES, Skipped, python, ready, say, with_wheel
from run_deniable import policy
from tables import seconds, table
from workload import Case

BEGIN, END = "<!-- measured: scripts/compare-python --package -->", "<!-- end of what was measured of the package -->"
SIZES = [10**power for power in range(3, 8)]
GOAL = 0.150
"""Seconds that `import deniable` may take."""

IMPORTS = {
    "deniable_package": "deniable",
    "opendp": "opendp.prelude",
    "tumult": "tmlt.analytics",
    "smartnoise": "snsql",
    "diffprivlib": "diffprivlib",
    "pandas": "pandas",
    "duckdb": "duckdb",
}
FURTHER = "SELECT key, COUNT(*) AS count FROM visits GROUP BY key"


def clock(command: list[str | Path], folder: Path) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} failed: {done.stderr.strip()}")
    return time.perf_counter() - start


def commands(command: Path, folder: Path, runs: int) -> tuple[list[float], list[float]]:
    """Whole processes of the command: the first release of a fresh ledger, and a further query."""
    first, further = [], []
    for index in range(runs + 1):
        with tempfile.TemporaryDirectory(dir=folder) as place:
            ledger = f"--ledger={place}/compare.ledger"
            one = clock([command, "release", "policy.toml", ledger, "--register", "--yes", "--format=json"], folder)
            two = clock([command, "ask", "policy.toml", FURTHER, "--spend=1/10", ledger, "--format=json"], folder)
        if index > 0:  # the first is not timed
            first.append(one)
            further.append(two)
    return first, further


def shown(values: list[float]) -> str:
    return f"{fine(statistics.median(values))} ({fine(min(values))}..{fine(max(values))})"


def fine(value: float) -> str:
    return f"{value:.3f}" if value < 1 else seconds(value)


def calls(command: Path, interpreter: Path, sizes: list[int], runs: int) -> str:
    lines = []
    maker = python("plain")
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="compare-package-") as name:
            folder = Path(name)
            say(f"{size:,} rows")
            subprocess.run([maker, HERE / "make_data.py", folder, str(size)], check=True)
            (folder / "large.parquet").rename(folder / "rows.parquet")
            # Half of the promise for the first release leaves room for the next query.
            text = policy(Case(str(folder / "rows.parquet"))) + '\n[budget]\nspend = "1/2"\n'
            (folder / "policy.toml").write_text(text)
            ours, ours_further = commands(command, folder, runs)
            done = subprocess.run([interpreter, HERE / "call.py", folder, str(runs)], capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(done.stderr)
            found = json.loads(done.stdout)
        overhead = statistics.median(found["file"]) - statistics.median(ours)
        lines.append(
            [
                f"{size:,}",
                shown(ours),
                shown(found["file"]),
                f"{1000 * overhead:+.0f} ms",
                shown(found["memory"]),
                shown(ours_further),
                shown(found["file further"]),
                shown(found["memory further"]),
            ]
        )
    head = [
        "rows",
        "command",
        "package, file",
        "difference",
        "package, memory",
        "further: command",
        "further: package, file",
        "further: package, memory",
    ]
    return table(head, lines)


def import_times(names: list[str], processes: int) -> tuple[str, list[str]]:
    """Seconds of the import statement in new processes, after one that is not timed, and what was skipped."""
    lines, skipped = [], []
    for library in LIBRARIES:
        if library.name not in IMPORTS or library.name not in names:
            continue
        module = IMPORTS[library.name]
        code = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
        say(f"import {module}")
        try:
            interpreter = ready(library)
        except Skipped as reason:
            skipped.append(f"`import {module}`: {reason}")
            continue
        times = []
        for index in range(processes + 1):
            done = subprocess.run([interpreter, "-c", code], capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"import {module} failed: {done.stderr.strip()}")
            # A library may print, too: the last line is this script's.
            if index > 0:
                times.append(float(done.stdout.splitlines()[-1]))
        median = statistics.median(times)
        goal = "" if library.name != "deniable_package" else "met" if median <= GOAL else "missed"
        lines.append(
            [f"`import {module}`", f"{1000 * median:.0f}", f"{1000 * min(times):.0f}..{1000 * max(times):.0f}", goal]
        )
    return table(["", "ms", "min..max", f"goal of {1000 * GOAL:.0f} ms"], lines), skipped


def report(wheel: Path, command: Path, names: list[str], sizes: list[int], runs: int, processes: int = 11) -> str:
    load = os.getloadavg()[0]
    interpreter = with_wheel(wheel)
    times = calls(command, interpreter, sizes, runs)
    imports, skipped = import_times(names, processes)
    about = (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}; medians of {runs} runs after one "
        f"warm-up, with the fastest and slowest; a wheel of {wheel.stat().st_size / 1e6:.1f} MB; load average {load:.1f} before the first run."
    )
    return "\n\n".join(
        part
        for part in [
            about,
            "Seconds of a release of three measures of fifty groups with a fresh ledger: of the command's whole process; of the calls in a process that has "
            "imported the package, with rows from the same file, and with a table of pyarrow in memory; and the same of a further question.\n\n" + times,
            f"Import, medians of {processes} new processes:\n\n" + imports,
            "\n".join(f"- Skipped: {line}" for line in skipped),
        ]
        if part
    )
