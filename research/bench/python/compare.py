"""Compares Deniable with the common Python libraries at equal noise. docs/explanation/compared.md describes the comparison."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import facts
import package
import probes
from libraries import HERE, LIBRARIES, Library, Skipped, python, run, say, with_wheel
from tables import number, seconds, span, table
from workload import GROUPS, ROWS_PER_GROUP, Case

BEGIN, END = "<!-- measured: scripts/compare-python --write -->", "<!-- end of what was measured -->"
LIMIT = 1800.0
"""Seconds for one process; a library that takes longer is skipped."""

Result = dict[str, Any]
Measured = dict[str, Any]
"""What --json writes: `rows` and `people` hold the runs of each library, `bounds` and `facts` its answers."""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/compare-python", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the timed table (1000000)")
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each library, after one that is not (5)")
    parser.add_argument("--format", choices=["parquet", "csv"], default="parquet", help="what the libraries read")
    parser.add_argument("--only", help="libraries, separated by commas: " + ",".join(x.name for x in LIBRARIES))
    parser.add_argument("--deniable", type=Path, help="the command to compare (a release build of this tree)")
    parser.add_argument("--wheel", type=Path, help="the wheel of the library deniable_package")
    parser.add_argument(
        "--package", type=Path, metavar="WHEEL", help="measure calls of this wheel beside the command, and imports, instead"
    )
    parser.add_argument(
        "--sizes", default=",".join(map(str, package.SIZES)), help="rows of the tables of --package (%(default)s)"
    )
    parser.add_argument("--json", type=Path, help="write everything that was measured to this file")
    parser.add_argument(
        "--tables", type=Path, nargs="+", help="show earlier --json FILEs together instead of measuring"
    )
    parser.add_argument("--write", type=Path, help="put the tables between the markers of this Markdown file")
    return parser.parse_args()


def deniable(given: Path | None) -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    target = Path(os.environ.get("CARGO_TARGET_DIR") or cache / "deniable" / "target")
    command = given or target / "release" / "deniable"
    if not command.exists():
        raise SystemExit(f"there is no {command}: run `cargo build --release -p deniable`, or say --deniable PATH")
    return command.resolve()


def time_library(library: Library, case: Case, settings: dict[str, str], runs: int) -> list[Result]:
    results = []
    for index in range(runs + 1):
        say(f"{library.title}: {'people' if case.people else 'rows'}, {'warm-up' if index == 0 else f'run {index}'}")
        result = run(library, [case], settings, LIMIT)[0]
        if "error" in result:
            raise Skipped(str(result["error"]).replace(settings["COMPARE_TMP"], "..."))
        results.append(result)
    return results[1:]


def column(results: list[Result], name: str) -> list[float]:
    return [float(result[name]) for result in results]


def timings(found: dict[str, list[Result]], rows: int) -> str:
    ours = statistics.median(column(found["deniable"], "whole")) if "deniable" in found else None
    lines = []
    for library in LIBRARIES:
        if library.name not in found:
            continue
        results = found[library.name]
        whole, inner = column(results, "whole"), column(results, "seconds")
        median = statistics.median(whole)
        lines.append(
            [
                f"{library.title} {results[0]['version']}",
                seconds(median),
                span(whole),
                str(len(whole)),
                number(rows / median),
                f"{median / ours:.2f}" if ours else "",
                "the same" if library.name == "deniable" else f"{seconds(statistics.median(inner))} ({span(inner)})",
                seconds(statistics.median(column(results, "cpu_seconds"))),
                number(max(column(results, "peak_mb"))),
            ]
        )
    head = [
        "library",
        "seconds",
        "min..max",
        "runs",
        "rows/s",
        "ratio to Deniable",
        "without start and import",
        "processor s",
        "peak MB",
    ]
    return table(head, lines)


def drawn(results: list[Result], exact: dict[str, list[float]], index: int) -> str:
    """The mean distance from the exact answer, which for Laplace noise is its scale, give or take its standard error."""
    distances = []
    for result in results:
        for key, row in result["cells"].items():
            if row[index] is not None and key in exact:
                distances.append(abs(row[index] - exact[key][index]))
    if not distances:
        return "no answers"
    mean = statistics.fmean(distances)
    return f"{mean:.4g} ± {mean / len(distances) ** 0.5:.2g}"


def noises(found: dict[str, list[Result]], exact: dict[str, list[float]] | None) -> str:
    lines = []
    for library in LIBRARIES:
        if library.name not in found or found[library.name][0]["mechanism"] == "none":
            continue
        results = found[library.name]
        first = results[0]
        line = [library.title, str(first["count"]), str(first["sum"])]
        if exact is not None:
            line = [line[0], line[1], drawn(results, exact, 0), line[2], drawn(results, exact, 1)]
        spent = f"{float(first['spent']):.3g}"
        lines.append([*line, str(first["average"]), str(first["mechanism"]), spent])
    measured = ["COUNT", "drawn", "SUM", "drawn"] if exact is not None else ["COUNT", "SUM"]
    return table(["library", *measured, "noise of AVG", "mechanism", "epsilon, its own account"], lines)


TITLES = {library.name: library.title for library in LIBRARIES}


def listed(said: dict[str, dict[str, str]]) -> str:
    """One list for each question: for answers that are too long for a table."""
    questions = list(dict.fromkeys(question for answers in said.values() for question in answers))
    return "\n\n".join(
        f"**{question}**\n\n" + "\n".join(f"- {TITLES[name]}: {answers[question]}" for name, answers in said.items())
        for question in questions
    )


def across(said: dict[str, dict[str, str]]) -> str:
    """One row for each question, one column for each library."""
    questions = list(dict.fromkeys(question for answers in said.values() for question in answers))
    rows = [[question, *(answers.get(question, "") for answers in said.values())] for question in questions]
    return table(["", *(TITLES[name] for name in said)], rows)


def about(options: argparse.Namespace, command: Path) -> str:
    build = " (a build for development)" if "debug" in command.parts else ""
    return (
        f"{options.rows:,} rows ({options.format}), {platform.system()} {platform.machine()}, {os.cpu_count()} processors, "
        f"Python {platform.python_version()}; medians of the runs after one warm-up, with the fastest and slowest "
        f"of them; Deniable{build} as a command; load average {os.getloadavg()[0]:.1f} before the first run (0 is idle)."
    )


def report(measured: Measured) -> str:
    rows, people, size = measured["rows"], measured["people"], measured["size"]
    exact = rows["duckdb"][0]["cells"] if "duckdb" in rows else None
    case, several = Case(""), Case("", people=True)
    parts = [
        measured["about"],
        "\n".join(f"- Skipped: {line}" for line in measured["skipped"]),
        "### Every row its own person\n\n" + timings(rows, size),
        f'Noise: COUNT {case.count_scale:g} and SUM {case.sum_scale:g} are what was asked for. "Drawn" is the mean distance '
        "from the exact answers over all groups and runs.\n\n" + noises(rows, exact),
        f"### A fifth as many people as rows, at most {ROWS_PER_GROUP} rows of one in a group and {GROUPS} groups\n\n"
        + timings(people, size),
        f"Noise: COUNT {several.count_scale:g} and SUM {several.sum_scale:g} are what was asked for.\n\n"
        + noises(people, None),
        "### Bounds of each library: measured\n\n" + across(measured["bounds"]),
        "### Bounds of each library: read in its source\n\n" + listed(measured["facts"]),
    ]
    return "\n\n".join(part for part in parts if part)


def save(measured: Measured, file: Path | None) -> None:
    if file:
        file.write_text(json.dumps(measured, indent=1) + "\n")


def measure(options: argparse.Namespace) -> Measured:
    command = deniable(options.deniable)
    names = options.only.split(",") if options.only else [library.name for library in LIBRARIES]
    unknown = set(names) - {library.name for library in LIBRARIES}
    if unknown:
        raise SystemExit(f"unknown: {', '.join(sorted(unknown))}")
    measured: Measured = {
        "about": about(options, command),
        "size": options.rows,
        "rows": {},
        "people": {},
        "bounds": {},
        "facts": {},
        "skipped": [],
    }
    with tempfile.TemporaryDirectory(prefix="compare-python-") as name:
        folder = Path(name)
        settings = {"COMPARE_DENIABLE": str(command), "COMPARE_TMP": name}
        say(f"making {options.rows:,} rows")
        try:
            maker = python("plain")
        except Skipped as reason:
            raise SystemExit(f"the tables cannot be made: {reason}") from None
        subprocess.run([maker, HERE / "make_data.py", folder, str(options.rows)], check=True)
        for library in (library for library in LIBRARIES if library.name in names):
            path = str(folder / f"large.{options.format}")
            try:
                for kind, people in (("rows", False), ("people", True)):
                    results = time_library(library, Case(path, people=people), settings, options.runs)
                    measured[kind][library.name] = results
                say(f"{library.title}: what it bounds")
                measured["bounds"][library.name] = probes.observe(library, folder, settings)
                if library.name in facts.FACTS:
                    measured["facts"][library.name] = facts.checked(library)
            except Skipped as reason:
                measured["skipped"].append(f"{library.title}: {reason}")
                say(f"SKIPPED {library.title}: {reason}")
            save(measured, options.json)  # after each library, for a run takes long
    return measured


def together(files: list[Path]) -> Measured:
    """Merges measurements of several runs; later ones take precedence. The sizes must agree."""
    first, *others = (json.loads(file.read_text()) for file in files)
    for other in others:
        if other["size"] != first["size"]:
            raise SystemExit("these files are about tables of different sizes")
        for kind in ("rows", "people", "bounds", "facts"):
            first[kind] |= other[kind]
        first["skipped"] += other["skipped"]
    for kind in ("bounds", "facts"):
        first[kind] = {library.name: first[kind][library.name] for library in LIBRARIES if library.name in first[kind]}
    return first


def put(file: Path | None, text: str, begin: str, end: str) -> None:
    """Replaces the text between the markers of a file."""
    if file:
        before, rest = file.read_text().split(begin)
        _, after = rest.split(end)
        file.write_text(f"{before}{begin}\n\n{wrapped(text)}\n\n{end}{after}")


def wrapped(text: str) -> str:
    """Wraps paragraphs and items of lists at 100 characters, which `cargo xtask docs` checks."""
    lines = []
    for line in text.splitlines():
        indent = "  " if line.startswith("- ") else ""
        fill = not line.startswith("|") and len(line) > 100
        options = {"break_long_words": False, "break_on_hyphens": False}
        lines.append(textwrap.fill(line, 100, subsequent_indent=indent, **options) if fill else line)
    return "\n".join(lines)


def main() -> None:
    options = arguments()
    if options.package:
        names = options.only.split(",") if options.only else [library.name for library in LIBRARIES]
        sizes = [int(size) for size in options.sizes.split(",")]
        text = package.report(options.package, deniable(options.deniable), names, sizes, options.runs)
        print(text)
        put(options.write, text, package.BEGIN, package.END)
        return
    if options.wheel:
        with_wheel(options.wheel)
    measured = together(options.tables) if options.tables else measure(options)
    save(measured, options.json)
    text = report(measured)
    print(text)
    put(options.write, text, BEGIN, END)


if __name__ == "__main__":
    main()
