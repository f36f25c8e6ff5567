"""``python -m deniable`` is the command ``deniable``."""

from ._command import main

main()
