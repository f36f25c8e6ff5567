"""What the library must know about the process: that the interpreter ends, and that it runs in a new fork."""

from __future__ import annotations

import atexit
import os
import sys

from . import _deniable

if sys.version_info < (3, 14):
    atexit.register(_deniable.interpreter_ends)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_deniable.forked)
