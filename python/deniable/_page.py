"""Answers, promises and verdicts as HTML for notebooks."""

from __future__ import annotations

import html
import re
from typing import Iterable, Tuple

from . import _deniable

REHEARSAL = "REHEARSAL: made-up rows, drawn from the policy alone: nothing here is about a person"
"""The first line of answers and plans of a rehearsal."""

# All that it uses: notebooks differ in their styles for headings, lists and tables, and some have none.
STYLE = """
.deniable h2,.deniable h3,.deniable h4{font-weight:600;font-size:1.05em;line-height:1.4;margin:1em 0 .3em}
.deniable p{margin:.5em 0}
.deniable ul{list-style:disc;margin:.3em 0;padding-left:1.6em}
.deniable li{margin:.1em 0}
.deniable table{border-collapse:collapse;margin:.6em 0}
.deniable caption{text-align:left;color:#6B7280;padding:.2em 0}
.deniable th,.deniable td{padding:.25em .8em;text-align:left;vertical-align:top;border-bottom:1px solid rgba(127,127,127,.3)}
.deniable th{font-weight:600}
.deniable .number{text-align:right;font-variant-numeric:tabular-nums}
.deniable figure{max-width:44em;margin:1em 0}
.deniable figcaption{color:#6B7280;font-size:.9em}
.deniable pre{overflow-x:auto;margin:.5em 0}
"""


def page(*parts: str) -> str:
    return f"<div class='deniable'><style>{_deniable.picture_style()}{STYLE}</style>{''.join(parts)}</div>"


def text(said: object) -> str:
    return f"<pre>{html.escape(str(said))}</pre>"


def prose(sentence: str) -> str:
    """A sentence with names of columns in backquotes as code."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", html.escape(sentence))


def items(sentences: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{prose(sentence)}</li>' for sentence in sentences)}</ul>"


def listed(title: str, sentences: Iterable[str]) -> str:
    return f"<h4>{title}</h4>{items(sentences)}"


def pictures(drawn: Iterable[Tuple[str, str]]) -> str:
    """SVG, each with its caption."""
    return "".join(f"<figure>{svg}<figcaption>{html.escape(caption)}</figcaption></figure>" for svg, caption in drawn)
