"""Waiting for calls, interruptible by Ctrl-C, with progress after a second: tqdm if it is installed, otherwise a line on standard error."""

from __future__ import annotations

import sys
import time
from typing import Callable, List, Optional, Protocol, Union

from . import _deniable

STEP = 0.1
"""Seconds between two checks for an interruption."""


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


class _Bar(Protocol):
    n: float
    total: Optional[float]

    def set_description_str(self, desc: Optional[str] = ..., refresh: Optional[bool] = ...) -> None: ...
    def refresh(self) -> None: ...
    def close(self) -> None: ...


Told = Callable[[str, int], None]
"""The step and the number of rows done."""


class Progress:
    """Reads the progress of a call and shows it."""

    def __init__(self, call: _deniable.Call, wanted: Union[None, bool, Told]) -> None:
        self._call = call
        self._begun = time.monotonic()
        self._tell = wanted if callable(wanted) else None
        # By default: on a terminal, and in notebooks.
        shows = wanted if isinstance(wanted, bool) else (wanted is None and (sys.stderr.isatty() or _in_notebook()))
        self._shows = shows and self._tell is None
        self._bar: Optional[_Bar] = None
        self._line = False

    def look(self) -> None:
        """Shows the progress, once the call has taken a second."""
        if time.monotonic() - self._begun < 1:
            return
        what, rows, done, size = self._call.progress()
        if self._tell is not None:
            self._tell(what, rows)
        if not self._shows or not what:
            return
        if self._bar is None and not self._line:
            self._bar = _bar()
        if self._bar is not None:
            self._bar.set_description_str(what, refresh=False)
            self._bar.n, self._bar.total = (done, size) if done is not None and size else (rows, None)
            self._bar.refresh()
        else:
            self._line = True
            sys.stderr.write(f"\r{what}: {rows:,} rows\x1b[K")
            sys.stderr.flush()

    def done(self) -> None:
        """Removes the line."""
        if self._bar is not None:
            self._bar.close()
        elif self._line:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules or "marimo" in sys.modules


def _bar() -> Optional[_Bar]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    bar: _Bar = tqdm(unit=" rows", leave=False, unit_scale=True)
    return bar
