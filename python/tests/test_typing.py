"""The package and its typed examples satisfy type checkers in their strict modes; the examples run."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import deniable as dn
import pytest

EXAMPLES = Path(__file__).with_name("typed_examples.py")
PACKAGE = Path(dn.__file__).parent


def checked(*words: str, **environment: str) -> None:
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, cwd=EXAMPLES.parent, env={**os.environ, **environment})
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package beside the examples, as mypy takes no files of installed packages."""
    folder = tmp_path_factory.mktemp("typed")
    (folder / "deniable").symlink_to(PACKAGE)
    (folder / EXAMPLES.name).symlink_to(EXAMPLES)
    return folder


CONFIGURED = """
[mypy]
strict = True
python_version = 3.10
[mypy-pandas.*,pyarrow.*,tqdm.*]
ignore_missing_imports = True
# Other libraries are not checked; only their types are used.
[mypy-numpy.*,polars.*]
follow_imports = silent
"""


def test_mypy_strict(installed: Path) -> None:
    configuration = installed / "mypy.ini"
    configuration.write_text(CONFIGURED)
    cache = str(installed / "cache")
    checked("mypy", "--config-file", str(configuration), "--cache-dir", cache, str(installed / "deniable"), str(installed / EXAMPLES.name))


def test_mypy_refuses_a_float(installed: Path) -> None:
    """The check can fail: a float is not an exact number."""
    wrong = installed / "wrong.py"
    wrong.write_text('import deniable as dn\ndn.gain(1.5)\ndn.Policy("policy.toml").session(seed=1)\n')
    configuration = installed / "mypy.ini"
    configuration.write_text(CONFIGURED)
    words = [sys.executable, "-m", "mypy", "--config-file", str(configuration), "--cache-dir", str(installed / "cache"), str(wrong)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 1 and "wrong.py:2" in done.stdout and "wrong.py:3" in done.stdout, done.stdout


def has_pyright() -> bool:
    """Whether pyright is installed with its JavaScript engine; its package would otherwise download one."""
    found = importlib.util.find_spec("pyright")
    return found is not None and found.origin is not None and Path(found.origin).with_name("dist").is_dir() and shutil.which("node") is not None


@pytest.mark.skipif(not has_pyright(), reason="pyright needs Node.js")
def test_pyright_strict() -> None:
    checked("pyright", "--pythonpath", sys.executable, str(EXAMPLES), PYRIGHT_PYTHON_IGNORE_WARNINGS="1")


def test_the_examples_run(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(EXAMPLES)], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_examples_use_every_public_name() -> None:
    used = {
        node.attr
        for node in ast.walk(ast.parse(EXAMPLES.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "dn"
    }
    assert not set(dn.__all__) - used


def test_types_are_shipped() -> None:
    assert (PACKAGE / "py.typed").is_file() and (PACKAGE / "_deniable.pyi").is_file()
