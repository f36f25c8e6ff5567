"""The command ``deniable``."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Runs the command that the program's arguments say, and ends the program."""
    from . import _deniable

    # Python would keep a Ctrl-C for later: the command is not Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_deniable.command(["deniable", *sys.argv[1:]]))
