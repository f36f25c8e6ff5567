"""The libraries, their virtual environments, and runners in separate processes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from workload import Case

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "deniable" / "python"

WHEEL = "COMPARE_WHEEL"
"""Set once the wheel to measure is installed, so that no wheel of an earlier run is measured."""

Command = list[str | Path]


@dataclass(frozen=True)
class Library:
    name: str
    title: str
    environment: str
    needs: str | None = None
    """The path of a required command."""


LIBRARIES = [
    Library("deniable", "Deniable", "plain"),
    Library("deniable_package", "Deniable (package)", "package"),
    Library("opendp", "OpenDP", "opendp"),
    Library("tumult", "Tumult Analytics", "tumult", needs="java"),
    Library("smartnoise", "SmartNoise SQL", "smartnoise"),
    Library("diffprivlib", "diffprivlib", "diffprivlib"),
    Library("pandas", "pandas, exact", "plain"),
    Library("duckdb", "DuckDB, exact", "plain"),
]


class Skipped(Exception):
    """A library that cannot run on this machine, and the reason."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def python(environment: str) -> Path:
    """The interpreter of an environment, which is created if missing or if its requirements have changed."""
    requirements = HERE / "requirements" / f"{environment}.txt"
    folder = CACHE / environment
    stamp, log = folder / "requirements.sha256", CACHE / f"{environment}.log"
    wanted = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()
    interpreter = folder / "bin" / "python"
    if stamp.exists() and stamp.read_text() == wanted:
        return interpreter
    say(f"installing {environment} ...")
    shutil.rmtree(folder, ignore_errors=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    create: Command = [sys.executable, "-m", "venv", folder]
    install: Command = [
        interpreter,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
        requirements,
    ]
    with log.open("w") as output:
        for command in (create, install):
            if subprocess.run(command, stdout=output, stderr=output).returncode != 0:
                say(f"see {log}")
                raise Skipped(f"its pinned packages cannot be installed for Python {sys.version.split()[0]}")
    stamp.write_text(wanted)
    return interpreter


def with_wheel(wheel: Path) -> Path:
    """The interpreter of the environment that has this wheel of Deniable."""
    interpreter = python("package")
    os.environ[WHEEL] = str(wheel.resolve())
    install: Command = [interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*install, "--force-reinstall", "--no-deps", wheel], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{wheel} cannot be installed: {done.stderr.strip()}")
    return interpreter


def ready(library: Library) -> Path:
    if library.environment == "package" and WHEEL not in os.environ:
        raise Skipped("no wheel was given: --wheel FILE")
    if library.needs and shutil.which(library.needs) is None:
        raise Skipped(f"there is no `{library.needs}` here")
    return python(library.environment)


def run(library: Library, cases: list[Case], settings: dict[str, str], limit: float) -> list[dict[str, object]]:
    """One process that answers all cases, and its time from start to end (`whole`, meant for a single case)."""
    command: Command = [ready(library), HERE / f"run_{library.name}.py", *(case.to_json() for case in cases)]
    start = time.perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env={**os.environ, **settings})
    except subprocess.TimeoutExpired:
        raise Skipped(f"it had not finished after {limit:.0f} s") from None
    whole = time.perf_counter() - start
    results: list[dict[str, object]] = [json.loads(line) for line in done.stdout.splitlines()]
    if len(results) != len(cases):
        say(done.stderr[-2000:])
        raise Skipped(f"it ended with status {done.returncode}")
    # Deniable is a command, not a library: its runner's own start and imports are not part of it.
    for result in results:
        result["whole"] = result.get("seconds", whole) if library.name == "deniable" else whole
    return results
