"""Output in notebooks, which apply their own styles to headings, lists and tables, or none."""

from __future__ import annotations

import random
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Dict, List, Set

import deniable as dn
import polars as pl

# The elements whose default styles notebooks remove.
LOOKS = {"h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "table", "caption", "th", "td", "figure", "figcaption", "pre"}
ALONE = {"br", "img", "hr", "input", "meta", "link"}


class Page(HTMLParser):
    """The elements of a page; each must end within an element of ours."""

    def __init__(self, said: str) -> None:
        super().__init__()
        self.within: List[str] = []
        self.used: Set[str] = set()
        self.text = ""
        self.style = ""
        self.feed(said)
        self.close()
        assert not self.within, self.within

    def handle_starttag(self, tag: str, attrs: object) -> None:
        outermost = ("div", [("class", "deniable")])
        assert self.within or (tag, attrs) == outermost, tag
        self.used.add(tag)
        if tag not in ALONE:
            self.within.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.used.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.within.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.within[-1:] == ["style"]:
            self.style += data
        else:
            self.text += data
            assert "`" not in data or "pre" in self.within, data


def shown(folder: Path) -> Dict[str, str]:
    policy = dn.Policy(
        name="<i>study</i>",
        population="people",
        table="t",
        promise=dn.posterior_at_most("3/4"),
        adversary="acquaintance",
        entity={"key": "p", "rows_per_group": 1, "groups": 1},
        columns={"p": "text", "g": {"type": "text", "keys": ["<b>a</b>", "b&c"]}},
        queries={"<u>q</u>": "SELECT g, COUNT(*) AS n FROM t GROUP BY g"},
    )
    table = {(): {"no": "3/4", "yes": "1/4"}, "ann": {"no": "1/4", "yes": "3/4"}}
    dice = random.Random(1)
    with policy.session(pl.DataFrame({"p": ["1", "2"], "g": ["<b>a</b>", "b&c"]}), version="<s>1</s>", ledger=folder / "pages.ledger") as session:
        answer = session.ask("SELECT g, COUNT(*) AS n FROM t GROUP BY g", spend="1/4")
        return {
            "policy": policy._repr_html_(),
            "guarantee": answer.guarantee._repr_html_(),
            "plan": policy.plan()._repr_html_(),
            "answer": answer._repr_html_(),
            "verdict": dn.check(table, notion="dp")._repr_html_(),
            "audit": dn.audit(
                lambda input, times: [input[0] % 2 ^ (dice.random() < 1 / 4) for _ in range(times)], claim="odds=4", samples=2_000
            )._repr_html_(),
        }


def test_pages_contain_their_styles(tmp_path: Path) -> None:
    used: Set[str] = set()
    for name, said in shown(tmp_path).items():
        page = Page(said)
        styled = set(re.findall(r"\.deniable ([a-z0-9]+)", page.style))
        bare = (page.used & LOOKS) - styled
        assert not bare, f"{name}: {bare}"
        # Names from outside are escaped.
        assert not page.used & {"b", "i", "u", "s"}, name
        used |= page.used
    assert {"h4", "ul", "table", "th", "figure", "svg", "pre", "code"} <= used


def test_names_are_text(tmp_path: Path) -> None:
    said = {name: Page(page).text for name, page in shown(tmp_path).items()}
    assert "<u>q</u>" in said["plan"]
    assert "<b>a</b>" in said["answer"] and "b&c" in said["answer"]
