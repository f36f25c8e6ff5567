"""Waiting for what is computed elsewhere, so that Ctrl-C is heard; and the words of commands."""

from __future__ import annotations

import os
from typing import Callable, List, Optional, Sequence, Union

from . import _deniable
from ._errors import shown, usage
from ._exact import Exact, given, path, short, text

STEP = 0.1
"""Seconds between two looks at whether somebody wants to stop waiting."""

Word = Union[None, bool, str, int, Exact, "os.PathLike[str]", Sequence[object]]


def wait(call: _deniable.Call, look: Optional[Callable[[], None]] = None) -> List[str]:
    """The result of a call. A KeyboardInterrupt stops the waiting; the call goes on to its end."""
    first = STEP / 10
    while True:
        result = call.wait(first)
        if result is not None:
            return result
        first = STEP
        if look is not None:
            look()


def words(command: str, /, *positional: str, **flags: Word) -> List[str]:
    """The words of a command. ``None`` and ``False`` leave a flag out, ``True`` is a flag without a value, and a pair of numbers named
    ``prior`` is a range."""
    all_words = [command]
    for name, value in flags.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            all_words.append(flag)
        elif isinstance(value, (list, tuple)):
            for part in value:
                # Lists of names are checked one name at a time.
                all_words.append(f"{flag}={text(part, name + '=') if isinstance(part, str) else _word(part, name)}")
        else:
            all_words.append(f"{flag}={_word(value, name)}")
    if positional:
        all_words += ["--", *(short(one, "the name") for one in positional)]
    return all_words


def _word(value: object, name: str) -> str:
    if isinstance(value, os.PathLike):
        return path(value, f"{name}=")
    return short(value, f"{name}=").strip() if isinstance(value, str) else given(value)  # type: ignore[arg-type]


def prior_range(prior: object) -> Optional[str]:
    """A belief, or a pair of its least and its greatest, as the command takes them: ``1/5..4/5``."""
    if prior is None or isinstance(prior, str):
        return None if prior is None else short(prior, "prior=")
    if isinstance(prior, (list, tuple)):
        if len(prior) != 2:
            raise usage(f"prior={shown(prior)} is no range", 'write prior=("1/5", "4/5")')
        low, high = prior
        return f"{given(low)}..{given(high)}"
    return given(prior)  # type: ignore[arg-type]
