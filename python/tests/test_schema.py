"""The JSON Schema of policies (``deniable schema``) accepts every policy that is read, and refuses unknown keys."""

from __future__ import annotations

import copy
import datetime
import json
import re
import sys
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


def faults(document: Any) -> List[str]:
    validator = jsonschema.Draft7Validator(SCHEMA)
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
