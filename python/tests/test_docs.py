"""The Python of the documents runs: each page from its first block to its last, in one namespace, in a folder of its own."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import List, Tuple

import deniable as dn
import pytest

PAGES = ["docs/how-to/python.md", "docs/how-to/statistical-files.md", "python/README.md", "README.md"]
"""The block of README.md is tested, too: newcomers try it first."""

PRINTS = re.compile(r"# prints (.+)$", re.MULTILINE)
"""The output of a line; ``...`` matches any text."""

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: Path) -> List[Tuple[int, str]]:
    """Each block with the line on which its code begins."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, found.start(1)) + 1, found.group(1)) for found in BLOCK.finditer(text)]


@pytest.mark.parametrize("name", PAGES)
def test_the_blocks_of_a_page_run(
    name: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = repository / name
    for folder in ("clinic", "ward"):
        # A copy without ledgers: examples may have been tried in the clone.
        shutil.copytree(
            repository / "examples" / folder, tmp_path / "examples" / folder, ignore=shutil.ignore_patterns("*.ledger*")
        )
    monkeypatch.chdir(tmp_path)
    found = blocks(page)
    assert found, f"{name} has no block of Python"
    space = {"__name__": "page"}
    for line, code in found:
        # Empty lines before it, so that a traceback has the page's line.
        exec(compile("\n" * (line - 1) + code, str(page), "exec"), space)
        printed, at = capsys.readouterr().out, 0
        for promised in PRINTS.findall(code):
            for part in promised.split(" ... "):
                at = printed.find(part.strip(), at)
                assert at >= 0, f"{name}:{line}: the block prints no {part!r} there:\n{printed}"
                at += len(part.strip())


def test_a_policy_built_in_code_asks_for_rows() -> None:
    policy = dn.Policy(
        name="study", population="people", table="visits", promise=dn.gain(2), adversary="anyone", columns={"age": "integer"}
    )
    with pytest.raises(dn.UsageError, match="the rows are missing"):
        policy.session(ledger=":memory:")


@pytest.mark.parametrize("statement, said", [
    ("dn.posterior_at_most(0.75)", 'write "0.75" or "3/4"'),
    ("policy.session(5, version='1', ledger=':memory:')", "which is not a table"),
    ("policy.session(ledger=':memory:', version='1')", "version= is for rows in memory"),
])
def test_common_mistakes_have_a_message(statement: str, said: str, repository: Path) -> None:
    policy = dn.Policy(repository / "examples/clinic/policy.toml")
    with pytest.raises(dn.UsageError) as raised:
        eval(statement, {"dn": dn, "policy": policy})
    assert said in str(raised.value)
