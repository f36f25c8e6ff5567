"""The fields of the command's JSON, as they are frozen in ``docs/reference/json-output.txt``: those that the runs below have."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Set

import pytest
from conftest import REPOSITORY

PAGE = REPOSITORY / "docs/reference/json-output.txt"
HEAD = """\
# The fields of what commands print with --format json, in version 1: written by python/tests/test_json_output.py, from the runs named
# there. A field that is null in all of these runs has no other type here. `deniable schema` prints the JSON Schemas of policies and of
# answers, which state more. Later versions may add fields; they remove none, and change the meaning of none.
"""

CLINIC = ["policy.toml", "--ledger", "clinic.ledger"]
RUNS: Dict[str, List[List[str]]] = {
    "plan": [["plan", *CLINIC]],
    "plan --sweep": [["plan", *CLINIC, "--sweep", "gain=1.1..4:3"]],
    "data check": [["data", "check", *CLINIC]],
    "release": [["release", *CLINIC]],
    "ask": [["ask", *CLINIC, "SELECT COUNT(*) AS visits, AVG(minutes) AS minutes FROM visits", "--spend", "1/40"]],
    "ledger show": [["ledger", "show", "clinic.ledger"]],
    "ledger verify": [["ledger", "verify", "clinic.ledger"]],
    "check": [["check", "mechanism.toml"], ["check", "mechanism.toml", "--notion", "dp"]],
    "recheck": [["recheck", "certificate.json"]],
    "translate": [["translate", "--from", "odds=3"], ["translate", "--from", "zcdp=1/2", "--to", "posterior-at-most", "--prior", "1/10"]],
    "audit": [
        ["audit", "--builtin", "laplace-floating-point", "--samples", "20000"],
        ["audit", "--builtin", "geometric", "--samples", "20000", "--round-to", "1"],
    ],
    "assess": [
        ["assess", "published.csv", "--quasi", "age,zip,sex", "--sensitive", "condition", "--require", "k=2"],
        ["assess", "published.csv", "--quasi", "age,zip", "--sensitive", "condition", "--background", "town.csv", "--original", "original.csv"],
    ],
    "gwas simulate": [["gwas", "simulate", "--out", "cohort", "--cases", "100", "--controls", "100", "--snps", "50", "--block", "5"]],
    "gwas check": [["gwas", "check", "--bfile", "cohort", "--ledger", "cohort.ledger", "--population", "cohort"]],
    "gwas": [["gwas", "--bfile", "cohort", "--ledger", "cohort.ledger", "--population", "cohort", "--adjacency", "genotype", "--gain", "2", "--prior", "1/2", "--top", "2", "--p-value", "0.05"]],
    "gwas power": [["gwas", "power", "--participants", "200", "--seeds", "2", "--simulated-snps", "50"]],
    "explain": [["explain", "gain"], ["explain"]],
}


def fields(value: Any, place: str, found: Dict[str, Set[str]]) -> None:
    """Adds each field with its types; the elements of a list are one field."""
    if isinstance(value, dict):
        for key, one in value.items():
            fields(one, f"{place}.{key}" if place else key, found)
    elif isinstance(value, list):
        for one in value:
            fields(one, f"{place}[]", found)
    else:
        kind = {str: "string", bool: "boolean", int: "number", float: "number", type(None): "null"}[type(value)]
        found.setdefault(place, set()).add(kind)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for file in ("clinic/policy.toml", "clinic/visits.csv", "coin/mechanism.toml", "coin/certificate.json"):
        shutil.copy(REPOSITORY / "examples" / file, tmp_path)
    for file in ("published.csv", "original.csv", "town.csv"):
        shutil.copy(REPOSITORY / "examples/ward" / file, tmp_path)
    return tmp_path


def test_the_fields_of_json_are_the_frozen_ones(folder: Path) -> None:
    """``DENIABLE_WRITE=1`` writes the page, after a decision that the change is one."""
    lines: List[str] = []
    for name, runs in RUNS.items():
        found: Dict[str, Set[str]] = {}
        for run in runs:
            done = subprocess.run([sys.executable, "-m", "deniable", *run, "--format", "json"], cwd=folder, capture_output=True, text=True)
            assert done.returncode in (0, 1) and done.stdout, f"{run}: {done.stderr}"
            fields(json.loads(done.stdout), "", found)
        lines.extend(f"{name}: {place} {' or '.join(sorted(kinds))}" for place, kinds in sorted(found.items()))
    now = HEAD + "\n".join(lines) + "\n"
    if os.environ.get("DENIABLE_WRITE"):
        PAGE.write_text(now, encoding="utf-8")
    assert now == PAGE.read_text(encoding="utf-8")
