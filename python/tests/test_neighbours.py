"""What an analyst is shown beside the noisy numbers is the same whoever is in the data; what is not is said to be the curator's.

Two tables that differ in one person, whose rows are as odd as rows can be. Answers are compared but for what the noise moves: their values, the
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
"""A value that only the odd person has."""
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
MOVED = {"value", "low", "high", "quality", "hidden", "population", "standard_error"}
"""What noise moves, and what follows from it: the errors of averages are worked out from released totals."""


USABLE = re.compile(r"^(\d+) of (\d+) numbers? (?:is|are) not usable:")


def still(value: Any) -> Any:
    """An answer without what noise moves."""
    if isinstance(value, dict):
        return {key: still(one) for key, one in value.items() if key not in MOVED}
    if isinstance(value, (list, tuple)):
        return [still(one) for one in value if not (isinstance(one, str) and USABLE.search(one))]
    return value


def follows(answer: dn.Answer) -> None:
    """How many numbers are said to be unusable follows from the classes that are published beside them."""
    classes = [one for column in answer.quality.values() for one in column if one is not None]
    said = [found for found in map(USABLE.search, answer.warnings) if found]
    count = classes.count("not usable")
    assert [(int(one[1]), int(one[2])) for one in said] == ([(count, len(classes))] if count else []), (classes, answer.warnings)


def watched(rows: pl.DataFrame, folder: Path) -> Dict[str, Any]:
    """All that an analyst is shown: in code, in a notebook, in errors."""
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
        session.register(accept=["person", "g", "v", "s"])
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


def test_what_an_analyst_is_shown_does_not_depend_on_anybody(both: Tuple[Dict[str, Any], Dict[str, Any]]) -> None:
    calm, odd = both
    assert calm.keys() == odd.keys()
    for what in calm:
        assert calm[what] == odd[what], what
    answered = [what for what in calm if what.startswith("left")]
    assert len(answered) >= 4, "the queries are answered"


def test_what_is_seen_is_enough_to_see_something(tmp_path: Path) -> None:
    """The comparison can fail: the curator's log tells the tables apart, and so would anything of it that an analyst were shown."""
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


def test_the_log_goes_nowhere_by_itself(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What is the curator's is in ``session.log`` and in the logger ``deniable``, at levels that are not shown unless asked for."""
    assert logging.getLogger("deniable").level == logging.NOTSET and not logging.getLogger("deniable").handlers
    watched(pl.concat([CALM, ODD]), tmp_path)
    out, err = capfd.readouterr()
    assert out == "" and err == ""


def test_errors_about_data_say_that_they_are_the_curators() -> None:
    for kind in (dn.Error, dn.DataError):
        assert "curator" in str(kind.__doc__) or "curator" in str(dn.Error.__doc__)
    assert "curator" in str(dn.__doc__) and "whoever asked may read it" in str(dn.QueryError.__doc__)
