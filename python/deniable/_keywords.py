"""What the command says about its flags, said about keyword arguments: help for people, and nothing that decides."""

from __future__ import annotations

import re

_VALUE = r"\"[^\"]*\"|'[^']*'|[\w./%+@()-]*[\w%)]"
_ACCEPT = re.compile(rf"--accept ({_VALUE})")
_CHECK = re.compile(rf"deniable data check <policy>((?:\s+--accept (?:{_VALUE}))+)")
_FLAG = re.compile(rf"(?<![\w-])--([a-z][a-z-]*)(?:[ =]((?=\.*\d|[\"'])(?:{_VALUE})|[a-z]+=(?:{_VALUE})|any\b|tab\b))?")

_OTHERS = {"data-version": "version"}
"""Flags that are not called as the argument is."""

_PHRASES = {
    "`deniable data check <policy>`": "`session.register()`",
    "Read what was found, above;": "Read what was found (`session.log`);",
    "state that with --other-people": "state that with other_people=True",
    "the same command now releases": "the same asked again is answered",
}
"""What only a command line can do, or show above."""


def _accepted(match: re.Match[str]) -> str:
    # Of ``table.column`` the column is enough where there is one table; with its table it is right anywhere.
    names = ", ".join(f'"{name.strip(chr(39))}"' for name in _ACCEPT.findall(match.group(1)))
    return f"session.register(accept=[{names}])"


def _keyword(match: re.Match[str]) -> str:
    name, value = _OTHERS.get(match.group(1), match.group(1)).replace("-", "_"), match.group(2)
    if value is None:
        return f"{name}="
    return f"{name}={value}" if value[0] in "\"'" else f'{name}="{value}"'


def _said(match: re.Match[str]) -> str:
    return _keyword(match) if match.group(2) else f"`{_keyword(match)}`"


def _part(part: str) -> str:
    if not part.startswith("`"):
        # A line of a query or a policy, which is shown with its number, is quoted and not ours.
        return part if re.match(r"\s*\d+ │", part) else _FLAG.sub(_said, part)
    return part if part.startswith("`deniable") else _FLAG.sub(_keyword, part)


def keywords(text: str) -> str:
    """The text, with ``--spend 1/40`` as ``spend="1/40"``. A command line between backticks stays one.

    >>> from deniable._keywords import keywords
    >>> print(keywords("allow at least --memory 40MB, or name a folder with --spill; `deniable explain --json` has more"))
    allow at least memory="40MB", or name a folder with `spill=`; `deniable explain --json` has more
    >>> print(keywords("by name: deniable data check <policy> --accept t.g --accept t.v"))
    by name: session.register(accept=["t.g", "t.v"])
    """
    for phrase, instead in _PHRASES.items():
        text = text.replace(phrase, instead)
    parts = re.split(r"(`[^`]*`|^\s*\d+ │.*$)", _CHECK.sub(_accepted, text), flags=re.MULTILINE)
    return "".join(map(_part, parts))
