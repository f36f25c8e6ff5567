"""The JSON Schemas: that of policies accepts every policy that is read and refuses unknown keys, that of answers has every field."""

from __future__ import annotations

import copy
import datetime
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest
from conftest import REPOSITORY

jsonschema = pytest.importorskip("jsonschema")
if sys.version_info < (3, 11):
    pytest.skip("tomllib needs CPython 3.11", allow_module_level=True)
import tomllib  # noqa: E402

POLICIES = REPOSITORY / "crates/engine/policy"
SCHEMA: Dict[str, Any] = json.loads((POLICIES / "policy.schema.json").read_text(encoding="utf-8"))
FILES = sorted((POLICIES / "testdata/good").glob("*.toml")) + sorted(REPOSITORY.glob("examples/*/policy.toml"))


def written() -> Iterator[Any]:
    """Whole policies: files, and those of the documentation, which its own tests run."""
    for path in FILES:
        yield pytest.param(path.read_text(encoding="utf-8"), id=str(path.relative_to(REPOSITORY)))
    for page in sorted((REPOSITORY / "docs").rglob("*.md")):
        blocks = re.findall(r"^```toml\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        whole = [block for block in blocks if "\npopulation = " in block and "[[query]]" in block]
        for at, block in enumerate(whole):
            yield pytest.param(block, id=f"{page.relative_to(REPOSITORY)}-{at}")


GOOD = list(written())


def as_json(value: Any) -> Any:
    """A value of TOML as an editor gives it to a schema: dates are texts."""
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_json(item) for item in value]
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else value


def faults(document: Any, schema: Any = SCHEMA) -> List[str]:
    validator = jsonschema.Draft7Validator(schema)
    return [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(document)]


def tables(document: Any) -> Iterator[Dict[str, Any]]:
    """The sections that hold keys of policies, as opposed to names that a curator chooses."""
    yield document
    names = ("data", "entity", "adversary", "promise", "budget", "quality", "display", "publication")
    yield from (document[name] for name in names if isinstance(document.get(name), dict))
    yield from document.get("columns", {}).values()
    yield from document.get("tables", {}).values()
    yield from document["query"]


def test_the_schema_is_one() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert len(GOOD) > len(FILES) > 3


@pytest.mark.parametrize("text", GOOD)
def test_policies_that_are_read_are_valid(text: str) -> None:
    document = as_json(tomllib.loads(text))
    assert faults(document) == []
    # A misspelt key is marked in each section.
    for at in range(len(list(tables(document)))):
        other = copy.deepcopy(document)
        list(tables(other))[at]["misspelt"] = 1
        assert faults(other), at


@pytest.mark.parametrize(
    "name", ["table-key-unknown", "entity-caps-missing", "engine-unknown", "promise-empty", "groups-zero"]
)
def test_some_mistakes_are_found(name: str) -> None:
    path = POLICIES / "testdata/bad" / f"{name}.toml"
    assert faults(as_json(tomllib.loads(path.read_text(encoding="utf-8"))))


POLICY = """
name = "clinic"
population = "clinic"
data = { table = "visits", path = "visits.csv", version = "2024-06", typical_rows = 4_800 }
entity = { key = "patient", rows_per_group = 4, groups = 2 }
adversary = { preset = "acquaintance" }
promise = { posterior_at_most = 0.99, but_for = { chance = "1/1000", posterior_at_most = 0.98 } }
publication = { title = "Visits", licence = "CC BY 4.0" }
display = { hide_below = 40 }

[columns]
patient = { type = "text" }
sex = { type = "text", keys = { F = "women", M = "men" }, other = "else", null_key = "unknown", label = "Sex" }
department = { type = "text", keys = ["cardiology", "dermatology"] }
minutes = { type = "integer", bounds = [0, 60], unit = "min" }
age = { type = "integer", bounds = [0, 110] }

[[query]]
name = "a"
title = "Visits by sex"
sql = "SELECT sex, COUNT(*) AS n, AVG(minutes) AS minutes FROM visits GROUP BY ROLLUP (sex)"

[[query]]
name = "b"
sql = "SELECT sex, department, COUNT(DISTINCT patient) AS n FROM visits GROUP BY sex, department"
groups = 1
test = "independence"

[[query]]
name = "c"
sql = "SELECT MEDIAN(age) AS age FROM visits"

[[query]]
name = "d"
sql = "SELECT AVG(age) AS age FROM visits"
rows_per_group = 1
sampling = "simple"
"""


def fields(value: Any) -> Iterator[str]:
    """The names of all fields of a document."""
    if isinstance(value, dict):
        yield from value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from fields(item)


def closed(node: Any) -> Any:
    """A schema that allows no further fields: one that is added or removed must be stated."""
    if isinstance(node, dict):
        node = {key: closed(item) for key, item in node.items()}
        return {**node, "additionalProperties": False} if "properties" in node else node
    return [closed(item) for item in node] if isinstance(node, list) else node


def test_answers_have_the_fields_of_their_schema(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        done = subprocess.run([sys.executable, "-m", "deniable", *words], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    schema = json.loads(run("schema", "answers"))
    jsonschema.Draft7Validator.check_schema(schema)
    shutil.copy(REPOSITORY / "examples/clinic/visits.csv", tmp_path)
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    losses = [word for name in "abcd" for word in ("--accept-loss", name)]
    run("data", "check", "policy.toml", "--accept", "visits.department", *losses)
    written = [run("release", "policy.toml", "--format", "json")]
    written.append(run("ask", "policy.toml", "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex", "--spend", "1/1000", "--yes", "--format", "json"))
    charges = json.loads(run("ledger", "show", "policy.toml", "--format", "json"))["accounts"][0]["releases"]
    run("ledger", "withdraw", "policy.toml", str(charges[-1]["entry"]), "--reason", "a wrong cap")
    written.append(run("release", "policy.toml", "--format", "json"))
    written.append(run("release", "policy.toml", "--rehearse", "--format", "json"))
    documents = [json.loads(one) for one in written]
    for document in documents:
        assert faults(document, closed(schema)) == []
        assert faults({**document, "more": 1}, schema) == []
        assert faults({**document, "confidence": None}, schema)
    # Most fields occur; the test would say little otherwise.
    known, found = set(fields(schema)), {name for document in documents for name in fields(document)}
    for name in ("rehearsal", "imprint", "population", "rows", "quality", "hidden", "other", "unit", "consistent", "independence",
                 "taken_from", "withdrawn", "but_for", "advice", "headings"):
        assert name in known & found, name
