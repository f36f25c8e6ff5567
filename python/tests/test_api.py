"""The public names with their parameters, as they are frozen in ``docs/reference/python-api.txt``."""

from __future__ import annotations

import inspect
import os
from typing import Any, Iterator

import deniable as dn
import deniable.testing as testing
from conftest import REPOSITORY

PAGE = REPOSITORY / "docs/reference/python-api.txt"


def parameters(given: Any) -> str:
    """Names and defaults: annotations read differently in each version of Python."""
    signature = inspect.signature(given)
    public = [one for name, one in signature.parameters.items() if not name.startswith("_")]
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in public]
    return str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def lines(module: Any) -> Iterator[str]:
    for name in sorted(module.__all__):
        given = getattr(module, name)
        whole = f"{module.__name__}.{name}"
        if not inspect.isclass(given):
            yield whole + (parameters(given) if callable(given) else "")
            continue
        if issubclass(given, BaseException):
            parents = [base.__name__ for base in given.__mro__[1:] if base is not object]
            yield f"{whole} of {', '.join(parents)}"
        else:
            yield f"{whole}{parameters(given)}"
        # What a mapping or a tuple has anyway is left out.
        own = {member for parent in given.__mro__ if parent.__module__.startswith("deniable") for member in vars(parent)}
        for member in sorted(member for member in own if not member.startswith("_")):
            value = inspect.getattr_static(given, member)
            is_method = isinstance(value, (staticmethod, classmethod)) or inspect.isfunction(value)
            yield f"{whole}.{member}" + (parameters(getattr(given, member)) if is_method else "")


def test_the_api_is_the_frozen_one() -> None:
    """``DENIABLE_WRITE=1`` writes the page, after a decision that the change is one."""
    now = "\n".join([*lines(dn), *lines(testing)]) + "\n"
    if os.environ.get("DENIABLE_WRITE"):
        PAGE.write_text(now, encoding="utf-8")
    assert now == PAGE.read_text(encoding="utf-8")
