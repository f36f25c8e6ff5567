"""The command ``deniable``."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Runs the command of the program's arguments, and ends the program."""
    from . import _deniable

    # Python would delay Ctrl-C until the command returns: the command is not Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_deniable.command(["deniable", *sys.argv[1:]]))
