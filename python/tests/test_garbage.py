"""Every argument of every public function with invalid values: only the package's own exceptions are raised, with help."""

from __future__ import annotations

import datetime
import random
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Tuple

import deniable as dn
import deniable.testing
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import REPOSITORY

ROWS = pl.DataFrame({"g": [0, 1, 2], "v": [1, 2, 3]})
TABLE = {(): {"no": "3/4", "yes": "1/4"}, "ann": {"no": "1/4", "yes": "3/4"}}


COLUMNS: Dict[Any, Tuple[str, ...]] = {
    dn.Text: ("keys", "null_key", "other", "keys_from", "within", "label"),
    dn.Integer: ("low", "high", "step", "keys", "null_key", "other", "keys_from", "within", "typical", "typical_spread", "label", "unit"),
    dn.Decimal: ("low", "high", "step", "typical", "typical_spread", "label", "unit"),
    dn.Boolean: ("null_key", "label"),
    dn.Date: ("low", "high", "format", "pivot", "typical", "label"),
    dn.Timestamp: ("low", "high", "zone", "format", "pivot", "typical", "label"),
}
"""The arguments of each declaration of a column."""


class Nothing:
    """An object without any protocol."""


def garbage() -> List[Any]:
    itself: List[Any] = []
    itself.append(itself)
    return [
        None, True, False, 0, -1, 7, 2**70, 10**5000, 1.5, float("nan"), float("inf"), 1j,
        "", " ", "x", "1/2", "a\0b", "\ud800", "\u202e\U0001f600", "'; --", "[[", "x" * 300_000, "--help", "-", "1e999999",
        b"x", bytearray(b"x"), memoryview(b"x"), [], [[]], [None], [1.5], ["x"], ["\ud800"], (), ("a", "b", "c"), itself,
        {}, {"x": 1}, {"x": None}, {1: 2}, {None: None}, {"\ud800": "x"}, set(), {1, "a"}, frozenset("a"), range(3), slice(1),
        object(), Nothing(), Nothing, int, len, lambda: 0, lambda *given: given, ..., NotImplemented, ValueError("x"),
        Decimal("NaN"), Decimal("1e-9"), Fraction(1, 3), Fraction(-1), datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1), datetime.timedelta(1),
        np.float64(0.5), np.int64(3), np.bool_(True), np.str_("x"), np.array([1, 2]), np.array(5), np.array([["a"]]), np.datetime64("2024-01-01"),
        pd.DataFrame({"v": [1]}), pd.Series(["a"]), pd.NA, pd.Timestamp("2024-01-01"), pl.DataFrame({"v": [1]}), pl.Series([1]), pl.LazyFrame({"v": [1]}),
        pl.col("v"), pa.table({"v": [1]}), pa.array([1]), pa.scalar(1), iter([]), (one for one in "ab"), Path("x"), Path("."), Path("\ud800"), warnings,
    ]  # fmt: skip


def policy(**changed: Any) -> dn.Policy:
    keys: Dict[str, Any] = dict(
        name="garbage",
        population="garbage",
        table="t",
        promise=dn.epsilon(1),
        adversary={"knows_size": False},
        columns={"g": {"type": "integer", "keys": [0, 1, 2]}, "v": {"type": "integer", "bounds": (0, 60)}},
        queries={"all": "SELECT COUNT(*) AS n FROM t"},
    )
    keys.update(changed)
    return dn.Policy(**keys)


def sessions(**changed: Any) -> dn.Session:
    keys: Dict[str, Any] = dict(rows=ROWS, version="1", ledger=":memory:")
    keys.update(changed)
    return policy().session(**keys)


def calls(session: dn.Session, folder: Path) -> Iterator[Tuple[str, Callable[[Any], object]]]:
    """Each argument of each function, as a function of its value."""
    for promise in (dn.posterior_at_most, dn.posterior_at_least, dn.gain, dn.negative_gain, dn.epsilon):
        yield promise.__name__, promise
    yield "rho", lambda one: dn.rho(one, among=3)
    yield "rho among", lambda one: dn.rho("1/2", among=one)
    for name in ("alpha", "beta", "p_min", "p_max"):
        yield f"alpha_beta {name}", lambda one, name=name: dn.alpha_beta(**{"alpha": "1/2", "beta": "1/2", name: one})
    yield "Promise", dn.Promise
    yield "Promise hash", lambda one: hash(dn.Promise({"gain": one}))
    yield "Promise &", lambda one: dn.gain(2) & one
    for name in ("column", "rows", "groups", "type", "rows_in_joins", "levels", "typical"):
        yield f"Person {name}", lambda one, name=name: dn.Person(**{"column": "p", "rows": 1, "groups": 1, name: one})
    for name in ("preset", "knows_size", "prior", "moves_together"):
        yield f"Adversary {name}", lambda one, name=name: policy(adversary=dn.Adversary(**{"preset": "anyone", name: one}), promise=dn.gain(2))
    for kind, names in COLUMNS.items():
        for name in names:
            yield f"{kind.__name__} {name}", lambda one, kind=kind, name=name: policy(columns={"v": kind(**{name: one})})
            yield f"{kind.__name__} {name} hash", lambda one, kind=kind, name=name: hash(kind(**{name: one}))
    yield "Policy", dn.Policy
    yield "Policy.from_source", dn.Policy.from_source
    yield "Policy.from_source folder", lambda one: dn.Policy.from_source(policy().source, one)
    for name in ("name", "population", "table", "promise", "adversary", "person", "entity", "columns", "queries", "data", "tables", "budget", "quality"):
        yield f"Policy {name}", lambda one, name=name: policy(**{name: one})
    for name in ("type", "bounds", "step", "keys", "null_key", "other", "format"):
        yield f"Policy column {name}", lambda one, name=name: policy(columns={"v": {"type": "integer", name: one}})
    yield "Policy.from_toml", dn.Policy.from_toml
    yield "Policy.save", lambda one: policy().save(one)
    yield "Policy.save overwrite", lambda one: policy().save("garbage.toml", overwrite=one)
    yield "Policy.check", lambda one: policy().check(one)
    yield "Policy.check epsilon", lambda one: policy().check("SELECT COUNT(*) FROM t", epsilon=one)
    yield "Policy.plan", lambda one: policy().plan(one)
    yield "Policy.sweep", lambda one: policy().sweep(one)
    yield "Policy.sweep query", lambda one: policy().sweep("epsilon=1..2:2", one)
    yield "draft", dn.draft
    for name in ("out", "table", "delimiter", "encoding", "columns", "dictionary", "connect"):
        yield f"draft {name}", lambda one, name=name: dn.draft(REPOSITORY / "examples/clinic/visits.csv", **{name: one})
    for name in ("rows", "version", "ledger", "register", "again", "threads", "memory", "progress"):
        yield f"Policy.session {name}", lambda one, name=name: sessions(**{name: one}).close()
    yield "Policy table", lambda one: dn.Policy(one, promise=dn.epsilon(1))
    yield "Policy.session rows by name", lambda one: sessions(rows={"t": one})
    yield "Policy.session version by name", lambda one: sessions(version={"t": one})
    yield "Session.ask", lambda one: session.ask(one, spend="1/4")
    yield "Session.ask spend", lambda one: session.ask("SELECT nothing", spend=one)
    yield "Session.ask epsilon", lambda one: session.ask("SELECT nothing", epsilon=one)
    yield "Session.ask name", lambda one: session.ask("SELECT nothing", spend="1/4", name=one)
    yield "Session.release", lambda one: session.release(one)
    yield "Session.release spend", lambda one: session.release("nothing", spend=one)
    yield "Session.release epsilon", lambda one: session.release("nothing", epsilon=one)
    yield "Session.register", lambda one: session.register(one)
    yield "Session.check_data", session.check_data
    yield "Session.check_data accept_loss", lambda one: session.check_data(accept_loss=one)
    yield "Session.plan", lambda one: session.plan(one, spend="1/4")
    yield "Session.plan spend", lambda one: session.plan("SELECT COUNT(*) FROM t", spend=one)
    yield "Session.plan epsilon", lambda one: session.plan("SELECT COUNT(*) FROM t", epsilon=one)
    yield "Session.table", session.table
    yield from builders()
    yield "testing.session", lambda one: deniable.testing.session(one, ROWS)
    for name in ("rows", "version", "register", "threads", "memory"):
        yield f"testing.session {name}", lambda one, name=name: deniable.testing.session(policy(), **{"rows": ROWS, name: one}).close()
    answer = session.ask("SELECT g, COUNT(*) AS n FROM t GROUP BY g", spend="1/100")
    yield "Answer[]", lambda one: answer[one]
    yield "Answer.to_csv", answer.to_csv
    yield "Answer.to_pandas", lambda one: answer.to_pandas(intervals=one)
    yield "Answer.plot column", lambda one: answer.plot(column=one, library="matplotlib") if one is not None else None
    yield "Answer.plot library", lambda one: answer.plot(library=one)
    yield "Answer.from_json", dn.Answer.from_json
    yield "Answer.from_json name", lambda one: dn.Answer.from_json(answer.to_json(), one)
    yield "Release.from_json", dn.Release.from_json
    yield "Session.report", lambda one: session.report(one)
    yield "Plan[]", lambda one: policy().plan()[one]
    yield "check", lambda one: dn.check(one)
    yield "check outputs", lambda one: dn.check({(): one, "ann": {"no": 1}}, notion="dp")
    yield "check data set", lambda one: dn.check({(one if hashable(one) else "x",): {"no": 1}, (): {"no": 1}}, notion="dp")
    yield "check probability", lambda one: dn.check({(): {"no": one}, "ann": {"no": 1}}, notion="dp")
    for name in ("notion", "family", "prior", "priors", "claim", "certificate", "party", "k", "nothing", "command"):
        yield f"check {name}", lambda one, name=name: dn.check(TABLE, **{"notion": "dp", name: one})
    yield "translate", dn.translate
    yield "translate to", lambda one: dn.translate("odds=3", to=one)
    yield "translate prior", lambda one: dn.translate("odds=3", prior=one)
    yield "translate chance", lambda one: dn.translate("odds=3", chance=one)
    published = folder / "published.csv"
    published.write_text("zip,age,condition\n1,2,a\n1,2,b\n")
    yield "assess", lambda one: dn.assess(one, quasi="zip")
    for name in ("quasi", "sensitive", "background", "original", "auxiliary", "hierarchy", "distance", "literal", "empty", "prior", "threshold", "recursive", "require"):
        yield f"assess {name}", lambda one, name=name: dn.assess(published, **{"quasi": "zip", name: one})
    fair = lambda input, times: [0] * times  # noqa: E731
    # Exceptions of a function are passed on: callables with other parameters are left out.
    yield "audit", lambda one: dn.audit(None if callable(one) else one, samples=1_000)
    yield "audit outputs", lambda one: dn.audit(lambda input, times: one, samples=1_000)
    yield "audit output", lambda one: dn.audit(lambda input, times: [one] * times, samples=1_000)
    for name in ("claim", "prior", "confidence", "samples", "neighbours", "entries", "negative", "pairs", "round_to"):
        if name == "samples":
            yield "audit samples", lambda one: dn.audit(lambda input, times: [], samples=one)
        else:
            yield f"audit {name}", lambda one, name=name: dn.audit(fair, **{"samples": 1_000, name: one})
    gwas = dict(adjacency="label-swap", promise=dn.gain(2), prior="1/2", top=2, p_value="0.05")
    yield "gwas", lambda one: dn.gwas(one, **gwas)  # type: ignore[arg-type]
    for name in (*gwas, "vcf", "pheno", "pheno_name", "policy", "population", "ledger", "version", "spend", "epsilon", "register", "score", "threshold", "snps", "statistics", "counts", "test", "fill", "threads"):
        yield f"gwas {name}", lambda one, name=name: dn.gwas("nowhere", **{**gwas, name: one})


def builders() -> Iterator[Tuple[str, Callable[[Any], object]]]:
    """Each argument of queries by methods."""
    table, column = policy().table("t"), dn.col("g")
    yield "col", dn.col
    yield "Expression", dn.Expression
    for operator in ("eq", "ne", "lt", "le", "gt", "ge", "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "and", "rand", "or", "ror"):
        yield f"col {operator}", getattr(column, f"__{operator}__")
    for method in ("isin", "truncate", "part", "bin"):
        yield f"col.{method}", getattr(column, method)
    yield "col.between", lambda one: column.between(one, 3)
    yield "filter", dn.count().filter
    for aggregate in (dn.count, dn.count_distinct, dn.sum, dn.mean, dn.median, dn.min, dn.max, dn.std, dn.var):
        yield aggregate.__name__, aggregate
    yield "quantile", lambda one: dn.quantile("g", one)
    yield "where", table.where
    yield "where equal", lambda one: table.where(g=one)
    yield "group_by", table.group_by
    yield "group_by named", lambda one: table.group_by(g=one)
    yield "agg", lambda one: table.agg(n=one)
    yield "agg name", lambda one: table.agg(**{one: dn.count()}) if type(one) is str else None


def hashable(value: Any) -> bool:
    try:
        return hash(value) is not None
    except TypeError:
        return False


def shown(value: Any) -> str:
    try:
        return f"{type(value).__name__} {ascii(value)[:60]}"
    except (ValueError, RecursionError):
        return type(value).__name__


def test_garbage_is_refused_in_the_words_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scale: str, dice: random.Random
) -> None:
    """Some 10,000 calls, or a sample of them; some are valid, such as a name that is `x`."""
    monkeypatch.chdir(tmp_path)
    raw: List[str] = []
    tried = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with sessions() as session:
            for name, call in calls(session, tmp_path):
                values = garbage()
                for value in values if scale != "small" else dice.sample(values, 24):
                    tried += 1
                    try:
                        call(value)
                    except dn.Error as error:
                        if not str(error).strip() or not error.problems:
                            raw.append(f"{name}({shown(value)}): an empty message")
                    except Exception as error:
                        raw.append(f"{name}({shown(value)}): {type(error).__name__}: {ascii(error)[:120]}")
    assert not raw, f"{len(raw)} of {tried}:\n" + "\n".join(raw)
    assert tried > 2_500
