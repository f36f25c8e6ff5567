"""The view of an analyst depends on no person, except for noisy numbers; all other outputs are documented as the curator's.

Two tables that differ in one person with extreme rows. Answers are compared except for the parts that noise changes: their values, the
ends of intervals and the classes of quality, which follow from published values.
"""

from __future__ import annotations

import json
import logging
import re
import warnings
from pathlib import Path
from typing import Any, Dict, List, Tuple

import deniable as dn
import polars as pl
import pytest

NAME = "Rumpelstiltskin"
"""A value of the extreme person only."""
CALM = pl.DataFrame({"person": [at // 3 for at in range(300)], "g": [at % 3 for at in range(300)], "v": [at % 60 for at in range(300)], "s": ["a", "b", None] * 100})
ODD = pl.DataFrame({"person": [900] * 40, "g": [2] * 20 + [None] * 20, "v": [2**62, -(2**62)] * 20, "s": [NAME] * 40})
QUERIES = [
    "SELECT g, COUNT(*) AS n, SUM(v) AS total, AVG(v) AS mean FROM t GROUP BY g",
    "SELECT s, COUNT(DISTINCT person) AS people FROM t GROUP BY s",
    "SELECT g, s, MEDIAN(v) AS middle FROM t GROUP BY g, s",
    f"SELECT COUNT(*) AS n FROM t WHERE s = '{NAME}'",
    "SELECT SUM(ROUND(LEAST(GREATEST(CASE WHEN v > 1000000 THEN 1 / (v - v) ELSE 0 END, 0), 5), 0)) AS n FROM t",
]
REFUSED = ["SELECT * FROM t", "SELECT MAX(v FROM t", f"SELECT s FROM t WHERE s = '{NAME}'", "SELECT nobody FROM t", "SELECT COUNT(*) FROM t GROUP BY person"]
MOVED = {"value", "low", "high", "quality", "hidden", "population", "standard_error", "advice"}
"""The parts that noise changes, and their consequences: the errors of averages are computed from released totals."""


USABLE = re.compile(r"^(\d+) of (\d+) numbers? (?:is|are) not usable:")


def still(value: Any) -> Any:
    """An answer without the parts that noise changes."""
    if isinstance(value, dict):
        return {key: still(one) for key, one in value.items() if key not in MOVED}
    if isinstance(value, (list, tuple)):
        return [still(one) for one in value if not (isinstance(one, str) and USABLE.search(one))]
    return value


def follows(answer: dn.Answer) -> None:
    """The stated count of unusable numbers follows from the classes published beside them."""
    classes = [one for column in answer.quality.values() for one in column if one is not None]
    said = [found for found in map(USABLE.search, answer.warnings) if found]
    count = classes.count("not usable")
    assert [(int(one[1]), int(one[2])) for one in said] == ([(count, len(classes))] if count else []), (classes, answer.warnings)
    advised = [one for one in answer.advice if one.startswith("a larger share")]
    unknown = any("bias unknown" in one for one in answer.warnings)
    assert (len(advised), len(answer.advice)) == (bool(count), bool(count) + unknown), (classes, answer.advice)


def watched(rows: pl.DataFrame, folder: Path) -> Dict[str, Any]:
    """The whole view of an analyst: in code, in a notebook, in errors."""
    policy = dn.Policy(
        name="n",
        population="n",
        table="t",
        promise=dn.epsilon(2),
        adversary={"knows_size": False},
        entity={"key": "person", "rows_per_group": 3, "groups": 3},
        columns={
            "person": "integer",
            "g": {"type": "integer", "keys": [0, 1, 2], "null_key": True},
            "v": {"type": "integer", "bounds": (0, 60)},
            "s": {"type": "text", "keys": ["a", "b"], "null_key": True, "other": "elsewhere"},
        },
        queries={"first": QUERIES[0]},
        budget={"spend": "1/10"},
    )
    seen: Dict[str, Any] = {"policy": [repr(policy), policy.source, str(policy.guarantee), policy._repr_html_()]}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        session = policy.session(rows, version="1", ledger=folder / "n.ledger")
        session.register(accept=["person", "g", "v", "s"], accept_loss="first")
        seen["plan"] = [str(session.plan()), session.plan()._repr_html_()]
        for at, sql in enumerate(QUERIES):
            plan = session.plan(sql, spend="1/20")
            try:
                answer = session.ask(sql, spend="1/20")
            except dn.QueryError as error:
                seen[f"answer {at}"] = [str(error), error.place]
                continue
            follows(answer)
            seen[f"answer {at}"] = [
                still(answer.to_dict()),
                [str(plan), repr(answer), answer.columns, len(answer), answer.noise, still(answer.warnings), answer.share, answer.odds],
                [row[: len(row) - len(answer.intervals)] for row in answer.rows],
                {name: len(errors) for name, errors in answer.standard_errors.items()},
                str(answer.guarantee),
            ]
            seen[f"left {at}"] = [session.left, session.left_in_words]
        for sql in REFUSED:
            with pytest.raises(dn.QueryError) as refused:
                session.ask(sql, spend="1/20")
            seen[sql] = [str(refused.value), refused.value.help, refused.value.place]
        with pytest.raises(dn.BudgetError) as over:
            session.ask("SELECT COUNT(*) AS n FROM t", spend=1)
        seen["over"] = [str(over.value), over.value.help]
        release = session.release()
        seen["release"] = [list(release), repr(release), still(json.loads(release.to_json())), release.unanswered]
        seen["session"] = [repr(session).replace(str(folder), ""), session.left]
        seen["warnings"] = [(one.category.__name__, str(one.message).replace(str(folder), "")) for one in warned]
    return seen


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    folders = [tmp_path_factory.mktemp("calm"), tmp_path_factory.mktemp("odd")]
    return watched(CALM, folders[0]), watched(pl.concat([CALM, ODD]), folders[1])


def test_the_view_of_an_analyst_depends_on_no_person(both: Tuple[Dict[str, Any], Dict[str, Any]]) -> None:
    calm, odd = both
    assert calm.keys() == odd.keys()
    for what in calm:
        assert calm[what] == odd[what], what
    answered = [what for what in calm if what.startswith("left")]
    assert len(answered) >= 4, "the queries are answered"


def test_the_comparison_can_fail(tmp_path: Path) -> None:
    """The comparison can fail: the curator's log distinguishes the tables, and so would any part of it in the analyst's view."""
    logs: List[str] = []
    for name, rows in (("calm", CALM), ("odd", pl.concat([CALM, ODD]))):
        policy = dn.Policy(
            name="n", population="n", table="t", promise=dn.epsilon(1), adversary={"knows_size": False},
            columns={"g": {"type": "integer", "keys": [0, 1, 2]}},
        )
        with policy.session(rows, version="1", ledger=tmp_path / f"{name}.ledger") as session:
            session.register(accept=["g"])
            logs.append(re.sub(r"\d+:[0-9a-f]{64}", "", str(session.log)).replace(name, ""))
    assert logs[0] != logs[1]


def test_the_log_is_not_shown_by_default(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The curator's messages are in ``session.log`` and in the logger ``deniable``, at levels that are not shown by default."""
    assert logging.getLogger("deniable").level == logging.NOTSET and not logging.getLogger("deniable").handlers
    watched(pl.concat([CALM, ODD]), tmp_path)
    out, err = capfd.readouterr()
    assert out == "" and err == ""


def test_docs_mark_errors_for_the_curator() -> None:
    for kind in (dn.Error, dn.DataError):
        assert "curator" in str(kind.__doc__) or "curator" in str(dn.Error.__doc__)
    assert "curator" in str(dn.__doc__) and "the analyst may read it" in str(dn.QueryError.__doc__)
