"""Public names: each is documented with an example that runs, ``help()`` shows nothing private, and importing is fast."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pkgutil
import pydoc
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator, List, Tuple

import deniable as dn
import pytest

MODULES = [f"deniable.{one.name}" for one in pkgutil.iter_modules(dn.__path__) if one.name not in ("__main__", "_deniable")]


def public() -> Iterator[Tuple[str, Any]]:
    """Every public name, and the public methods and properties of every public class."""
    for name in dn.__all__:
        given = getattr(dn, name)
        yield name, given
        if inspect.isclass(given):
            for member, value in vars(given).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, (property, classmethod, staticmethod))):
                    yield f"{name}.{member}", value


PUBLIC = dict(public())


def test_all_is_sorted_and_complete() -> None:
    assert dn.__all__ == sorted(dn.__all__)
    shown = {name for name, value in vars(dn).items() if not name.startswith("_") and not inspect.ismodule(value)}
    assert shown == set(dn.__all__) - {"__version__"}


@pytest.mark.parametrize("name", [name for name in PUBLIC if name != "__version__"])
def test_every_name_is_documented(name: str) -> None:
    text = inspect.getdoc(PUBLIC[name])
    assert text and text[0].isupper() and len(text) > 10, f"{name}: {text!r}"
    if inspect.isclass(PUBLIC[name]):
        assert "namedtuple" not in text and not text.startswith(f"{name}("), f"{name} has no text of its own"


@pytest.mark.parametrize("name", [name for name in PUBLIC if name != "__version__" and "." not in name])
def test_every_name_has_an_example(name: str) -> None:
    assert doctest.DocTestParser().get_examples(inspect.getdoc(PUBLIC[name]) or ""), f"{name} has no example"


@pytest.mark.parametrize("module", ["deniable", *MODULES])
def test_examples_give_their_results(module: str, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    found = doctest.testmod(importlib.import_module(module))
    assert found.failed == 0


def test_examples_are_run() -> None:
    count = sum(len(one.examples) for module in ["deniable", *MODULES] for one in doctest.DocTestFinder().find(importlib.import_module(module)))
    assert count > 60


def test_help_shows_nothing_private() -> None:
    shown = pydoc.plain(pydoc.render_doc(dn))
    private = re.findall(r"(?<![\w.`\"'])_[a-z]\w*\(|deniable\._deniable|_abc_impl|_asdict|_replace", shown)
    allowed = {"_asdict", "_replace", "_make(", "_asdict(", "_replace(", "_abc_impl", "_repr_html_(", "_repr_html_"}
    assert not {one for one in private if one not in allowed}
    for name in dn.__all__:
        assert name in shown or name == "__version__"


def test_names_come_from_the_package() -> None:
    """Tracebacks and types show ``deniable.Session``, not the private module."""
    for name in dn.__all__:
        given = getattr(dn, name)
        if inspect.isclass(given) or inspect.isfunction(given):
            assert given.__module__ == "deniable", f"{name} says that it is of {given.__module__}"


def test_importing_is_light() -> None:
    heavy = ["numpy", "pandas", "polars", "pyarrow", "duckdb", "asyncio", "tqdm", "IPython", "multiprocessing", "concurrent.futures"]
    code = f"import sys, deniable; print([one for one in {heavy!r} if one in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def signatures() -> Iterator[Tuple[str, List[str]]]:
    for name, value in PUBLIC.items():
        if inspect.isclass(value):
            value = value.__init__
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if inspect.isfunction(value):
            yield name, list(inspect.signature(value).parameters)


def test_there_is_no_seed() -> None:
    seen = dict(signatures())
    assert {"check", "audit", "Policy.session", "Session.ask"} <= set(seen)
    for name, parameters in seen.items():
        assert not [one for one in parameters if re.search("seed|random|rng|generator|(^|_)state($|_)", one)], name
    for name in ("random_state", "seed"):
        with pytest.raises((TypeError, dn.Error)):
            dn.audit(lambda input, times: [0] * times, **{name: 1})  # type: ignore[arg-type]
        with pytest.raises((TypeError, dn.Error)):
            dn.Policy(name="a", **{name: 1})  # type: ignore[arg-type]


def test_the_command_is_the_same_as_the_module() -> None:
    version = subprocess.run([sys.executable, "-m", "deniable", "--version"], capture_output=True, text=True, check=True).stdout
    assert dn.__version__ in version
    script = Path(sys.executable).with_name("deniable")
    if script.exists():
        assert subprocess.run([str(script), "--version"], capture_output=True, text=True, check=True).stdout == version
    wrong = subprocess.run([sys.executable, "-m", "deniable", "relaese"], capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
    assert wrong.returncode == 2 and "release" in wrong.stderr and "Traceback" not in wrong.stderr
