"""Every class of exception is raised for its reason, with its place and help; errors go through pickles, and sessions do not."""

from __future__ import annotations

import copy
import logging
import pickle
import re
import stat
import subprocess
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from decimal import Decimal
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Callable, Dict, Type

import deniable as dn
import polars as pl
import pytest

ROWS = pl.DataFrame({"g": [0, 1, 2] * 20, "v": list(range(60))})


def policy(**changed: Any) -> dn.Policy:
    keys: Dict[str, Any] = dict(
        name="errors",
        population="errors",
        table="t",
        promise=dn.epsilon(1),
        adversary={"knows_size": False},
        columns={"g": {"type": "integer", "keys": [0, 1, 2]}, "v": {"type": "integer", "bounds": (0, 60)}},
    )
    keys.update(changed)
    return dn.Policy(**keys)


def session(folder: Path, rows: Any = ROWS, version: str = "1", **more: Any) -> dn.Session:
    return policy(**more).session(rows, version=version, ledger=folder / "errors.ledger")


def no_policy(folder: Path) -> None:
    policy(promise=dn.epsilon(-1))


def no_query(folder: Path) -> None:
    session(folder).ask("SELECT g, COUNT(*) FROM t GROUP BY nothing", spend="1/4")


def no_table(folder: Path) -> None:
    session(folder).ask("SELECT COUNT(*) FROM others", spend="1/4")


def missing_column(folder: Path) -> None:
    session(folder, ROWS.drop("v")).ask("SELECT COUNT(*) FROM t", spend="1/4")


def wrong_type(folder: Path) -> None:
    session(folder, ROWS.cast({"v": pl.String})).register()


def reads_badly(folder: Path) -> None:
    session(folder, ROWS.with_columns(g=pl.lit(7))).ask("SELECT COUNT(*) FROM t", spend="1/4")


def other_rows(folder: Path) -> None:
    session(folder).register()
    session(folder, ROWS.head(7)).register()


def spent(folder: Path) -> None:
    with session(folder) as opened:
        opened.ask("SELECT COUNT(*) FROM t", spend=1)
        opened.ask("SELECT SUM(v) FROM t", spend="1/100")


def broken_ledger(folder: Path) -> None:
    (folder / "errors.ledger").write_text("this is no ledger\n")
    session(folder).ask("SELECT COUNT(*) FROM t", spend="1/4")


def no_folder(folder: Path) -> None:
    policy().session(ROWS, version="1", ledger=folder / "nowhere" / "errors.ledger").ask("SELECT COUNT(*) FROM t", spend="1/4")


def no_ledger(folder: Path) -> None:
    policy().session(ROWS, version="1")


def closed(folder: Path) -> None:
    opened = session(folder)
    opened.close()
    opened.ask("SELECT COUNT(*) FROM t", spend="1/4")


def no_memory(folder: Path) -> None:
    policy().session(ROWS, version="1", ledger=":memory:", memory="much")


def no_claim(folder: Path) -> None:
    dn.check("kmax", k=2, n=3, notion="dp", claim="nonsense=1")


def no_share(folder: Path) -> None:
    session(folder).ask("SELECT COUNT(*) FROM t", spend="2")


def no_mechanism(folder: Path) -> None:
    dn.check("no such mechanism", notion="dp")


def no_promise(folder: Path) -> None:
    dn.translate("nonsense=3")


def no_such_file(folder: Path) -> None:
    dn.assess(folder / "nothing.csv", quasi=["zip"])


def no_cohort(folder: Path) -> None:
    dn.gwas(folder / "nothing", adjacency="label-swap", promise=dn.gain(2), prior="1/2", top=2, p_value="0.05")


def no_neighbours(folder: Path) -> None:
    dn.audit(lambda input, times: [0] * times, claim="odds=3", neighbours="far away")


CASES: Dict[Callable[[Path], None], Type[dn.Error]] = {
    no_policy: dn.PolicyError,
    no_query: dn.QueryError,
    no_table: dn.QueryError,
    missing_column: dn.DataError,
    wrong_type: dn.DataError,
    reads_badly: dn.DataError,
    other_rows: dn.DataError,
    spent: dn.BudgetError,
    broken_ledger: dn.LedgerError,
    no_folder: dn.LedgerError,
    no_ledger: dn.UsageError,
    closed: dn.UsageError,
    no_memory: dn.UsageError,
    no_share: dn.UsageError,
    no_claim: dn.Error,
    no_mechanism: dn.Error,
    no_promise: dn.Error,
    no_such_file: dn.Error,
    no_cohort: dn.Error,
    no_neighbours: dn.UsageError,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_each_class_has_its_reason(case: Callable[[Path], None], tmp_path: Path) -> None:
    with pytest.raises(dn.Error) as caught:
        case(tmp_path)
    error = caught.value
    assert type(error) is CASES[case] or (CASES[case] is dn.Error and isinstance(error, dn.Error)), error
    assert error.problems and error.message and str(error)
    for problem in error.problems:
        assert isinstance(problem, dn.Problem) and problem.message and problem.shown
    # Messages of ledgers contain the remedy behind a semicolon.
    assert error.help or "must be" in error.message or ("; " in error.message and isinstance(error, dn.LedgerError)), error
    # Remedies use names of the package, except for whole lines of the command.
    assert "--" not in re.sub("`deniable [^`]*`", "", str(error)), error
    assert "Traceback" not in str(error) and "panicked" not in str(error)
    if case in (no_policy, no_query, no_table):
        file, line, column = error.place or ("", 0, 0)
        assert file and line >= 1 and column >= 1
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and again.problems == error.problems and str(again) == str(error)
    assert copy.copy(error).problems == copy.deepcopy(error).problems == error.problems


def test_help_is_in_the_words_of_the_package(tmp_path: Path) -> None:
    def help_of(case: Callable[[Path], None]) -> str:
        with pytest.raises(dn.Error) as caught:
            case(tmp_path)
        return " ".join(problem.help or "" for problem in caught.value.problems)

    assert help_of(no_share) == 'write spend="1/40", for example'
    assert help_of(reads_badly).endswith('session.register(accept=["t.g"])')
    # The remedy works literally, and comments of a query are not taken for flags.
    with session(tmp_path, ROWS.with_columns(g=pl.lit(7)), "2") as opened:
        opened.register(accept=["t.g"])
        with pytest.raises(dn.QueryError) as caught:
            opened.ask("SELECT COUNT(*) --spend 1/40\nFROM t WHERE w = 1 --again", spend="1/4")
    assert "w = 1 --again" in str(caught.value)


def test_assess_names_its_arguments(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(dn.DataError) as caught:
        dn.assess(pl.DataFrame({"age": ["30-39", ""], "ill": ["flu", "flu"]}), quasi=["age"], sensitive=["ill"])
    assert 'empty="suppressed"' in str(caught.value.help)
    dn.assess(pl.DataFrame({"age": ["30-39", "30-39"], "ill": ["flu", "NA"]}), quasi=["age"], sensitive=["ill"])
    assert 'nulls="NA"' in caplog.text and "--" not in caplog.text


def test_places_are_in_the_query() -> None:
    with policy().session(ROWS, version="1", ledger=":memory:") as opened:
        with pytest.raises(dn.QueryError) as caught:
            opened.ask("SELECT COUNT(*)\nFROM t\nWHERE w = 1", spend="1/4")
    assert caught.value.place == ("the query", 3, 7)


def _fail(which: int) -> None:
    list(CASES)[which](Path("/nowhere"))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_errors_cross_processes(method: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with ProcessPoolExecutor(1, mp_context=get_context(method)) as pool:
            with pytest.raises(dn.PolicyError) as caught:
                pool.submit(_fail, 0).result()
    assert caught.value.problems and caught.value.place


def test_usage_errors_are_value_errors() -> None:
    assert issubclass(dn.UsageError, ValueError)
    for kind in (dn.PolicyError, dn.QueryError, dn.DataError, dn.BudgetError, dn.LedgerError):
        assert issubclass(kind, dn.Error) and not issubclass(kind, ValueError)


def test_nothing_that_holds_data_or_accounts_is_pickled_or_copied(tmp_path: Path) -> None:
    with session(tmp_path) as opened:
        answer = opened.ask("SELECT COUNT(*) AS n FROM t", spend="1/4")
        for way in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError) as refused:
                way(opened)
            assert "not pickled" in str(refused.value)
        # Policies and answers hold neither: what may be published is pickled, and no row or ledger with it.
        for one in (opened.policy, answer):
            written = pickle.dumps(one)
            assert pickle.loads(written) == copy.copy(one) == copy.deepcopy(one) == one
            assert str(tmp_path).encode() not in written
        assert pickle.loads(pickle.dumps(answer.rows)) == answer.rows
        assert pickle.loads(pickle.dumps(answer.to_polars())).equals(answer.to_polars())


def test_the_extension_is_not_pickled_or_made_by_hand(tmp_path: Path) -> None:
    from deniable import _deniable

    with session(tmp_path) as opened:
        for one in (opened._session, opened.policy._policy):
            for way in (pickle.dumps, copy.deepcopy):
                with pytest.raises(TypeError):
                    way(one)
    for kind in (_deniable.Policy, _deniable.Call):
        with pytest.raises(TypeError):
            kind()  # type: ignore[call-arg]


@pytest.mark.loud
def test_new_ledgers_warn(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.warns(dn.LedgerWarning, match="deleted when the session ends"):
        policy().session(ROWS, version="1", ledger=":memory:")
    with pytest.warns(dn.LedgerWarning, match="new ledger") as warned, caplog.at_level(logging.INFO, "deniable"):
        with session(tmp_path) as opened:
            opened.ask("SELECT COUNT(*) AS n FROM t", spend="1/4")
    assert warned[0].filename == __file__, "the warning is about the caller's line"
    assert any("charged" in record.message for record in caplog.records)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with session(tmp_path) as opened:
            opened.ask("SELECT COUNT(*) AS n FROM t", spend="1/4")


def test_an_unwritable_ledger_is_reported(tmp_path: Path) -> None:
    session(tmp_path).register()
    ledger = tmp_path / "errors.ledger"
    key = next(tmp_path.glob("*.key"))
    key.write_bytes(b"no key")
    with pytest.raises(dn.LedgerError):
        session(tmp_path).ask("SELECT COUNT(*) FROM t", spend="1/4")
    assert ledger.stat().st_mode & stat.S_IFREG


def test_an_older_ledger_is_refused_until_it_is_accepted(tmp_path: Path) -> None:
    ledger, ask = tmp_path / "errors.ledger", "SELECT COUNT(*) AS n FROM t"
    with session(tmp_path) as opened:
        opened.ask(ask, spend="1/8")
        older = ledger.read_bytes()
        opened.ask("SELECT COUNT(*) AS n FROM t WHERE v > 1", spend="1/8")
        ledger.write_bytes(older)
        with pytest.raises(dn.LedgerError, match="is older than its head"):
            opened.ask("SELECT COUNT(*) AS n FROM t WHERE v > 2", spend="1/8")
    with session(tmp_path) as opened, pytest.raises(dn.LedgerError, match="accept-head"):
        opened.ask(ask, spend="1/8")
    with session(tmp_path) as opened, pytest.raises(dn.LedgerError, match="accept-head"):
        opened.left  # noqa: B018
    assert ledger.read_bytes() == older


def test_another_population_over_a_known_policy_is_refused_unless_it_is_stated(tmp_path: Path) -> None:
    ask = "SELECT COUNT(*) AS n FROM t"
    session(tmp_path).ask(ask, spend="1/8")
    july = tmp_path / "july.ledger"
    with policy(population="july").session(ROWS, version="1", ledger=july) as opened:
        with pytest.raises(dn.LedgerError, match="other_people=True"):
            opened.ask(ask, spend="1/8")
    assert not july.exists()
    with policy(population="july").session(ROWS, version="1", ledger=july, other_people=True) as opened:
        opened.ask(ask, spend="1/8")


@pytest.mark.loud
def test_warnings_that_are_errors_cost_nothing(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(dn.LedgerWarning, match="new ledger"):
            session(tmp_path)
    assert not (tmp_path / "errors.ledger").exists()


def test_numbers_of_many_digits_are_refused_at_once(tmp_path: Path) -> None:
    with session(tmp_path) as opened:
        for spend in ("1e-500000", "1e-5_000", "1e-\u0665\u0660\u0660\u0660\u0660\u0660", "1e3000000", "0." + "1" * 2000, Fraction(1, 10**5000), Decimal("1e-5000"), 10**5000):
            started = time.monotonic()
            with pytest.raises(dn.UsageError, match="at most 1000 digits"):
                opened.ask("SELECT COUNT(*) AS n FROM t", spend=spend)
            assert time.monotonic() - started < 1
        for no_number in ("1e_", "1e-", "1e5__0"):
            with pytest.raises(dn.UsageError, match="not a number"):
                opened.ask("SELECT COUNT(*) AS n FROM t", spend=no_number)
        # Within the limit of digits, but finer than shares may be.
        with pytest.raises(dn.UsageError, match="binary digits"):
            opened.ask("SELECT COUNT(*) AS n FROM t", spend=Fraction(1, 3**800))
        with pytest.raises(dn.UsageError, match="200 characters"):
            opened.ask("SELECT COUNT(*) AS n FROM t", spend="1/4", name="n" * 201)
        assert opened.left == 1


def test_floats_of_numpy_are_floats() -> None:
    import numpy as np

    with pytest.raises(dn.UsageError) as caught:
        dn.epsilon(np.float64(0.25))
    assert caught.value.help == 'write "0.25" or "1/4"'
    with pytest.raises(dn.UsageError, match="nan is a float"):
        dn.epsilon(float("nan"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        lambda: policy().session(ROWS, version="1", ledger=":memory:", threads=0),
        lambda: policy().session(ROWS, version="1", ledger=":memory:", threads=-1),
        lambda: policy().session(ROWS, version=7, ledger=":memory:"),
        lambda: policy().session(ROWS, version="1", ledger=b"x"),
        lambda: policy().session(ROWS, version="1", ledger=":memory:", memory=2**70),
        lambda: policy().session(ROWS, version="1", ledger=":memory:").register(accept=None),
        lambda: dn.translate(None),
        lambda: dn.audit(lambda input, times: [0] * times, samples=-5),
    ],
)
def test_wrong_arguments_are_usage_errors(call: Callable[[], object]) -> None:
    with pytest.raises(dn.UsageError) as caught:
        call()
    assert caught.value.help


def test_one_name_is_not_split_into_letters(tmp_path: Path) -> None:
    found = dn.assess("examples/ward/published.csv", quasi="zip", sensitive="condition")
    assert found.met
    with session(tmp_path) as opened:
        opened.register(accept="v")


def test_a_missing_column_is_reported_with_existing_ones(tmp_path: Path) -> None:
    with pytest.raises(dn.DataError, match=r"no column `v`, which the policy declares; there are .*`V`"):
        policy().session(ROWS.rename({"v": "V"}), version="1", ledger=tmp_path / "missing.ledger")


def test_unprotected_tables_take_no_rows(tmp_path: Path) -> None:
    """Their files define the groups; rows beside them would be another table of the same name."""
    (tmp_path / "areas.csv").write_text("g,area\n0,north\n1,south\n")
    areas = {
        "unprotected": True,
        "key": "g",
        "path": str(tmp_path / "areas.csv"),
        "version": "1",
        "columns": {"g": {"type": "integer"}, "area": {"type": "text", "keys": ["north", "south"]}},
    }
    built = dn.Policy(
        name="areas",
        population="people",
        table="t",
        promise=dn.epsilon(1),
        adversary="acquaintance",
        entity={"key": "p", "rows_per_group": 1, "groups": 1},
        columns={"p": "text", "g": {"type": "integer", "keys": [0, 1]}},
        tables={"areas": areas},
    )
    rows = pl.DataFrame({"p": ["1", "2"], "g": [0, 1]})
    both = {"t": rows, "areas": pl.DataFrame({"g": [0, 1], "area": ["east", "west"]})}
    with pytest.raises(dn.QueryError, match="`areas` is a public table"):
        built.session(both, version={"t": "1", "areas": "1"}, ledger=tmp_path / "areas.ledger")
    with built.session(rows, version="1", ledger=tmp_path / "areas.ledger") as opened:
        answer = opened.ask("SELECT areas.area, COUNT(*) AS n FROM t JOIN areas ON t.g = areas.g GROUP BY areas.area", spend="1/4")
    assert [row[0] for row in answer] == ["north", "south"]


def test_duplicate_column_names_are_refused(tmp_path: Path) -> None:
    with session(tmp_path) as opened:
        answer = opened.ask("SELECT COUNT(*) AS n, COUNT(v) AS n_low FROM t", spend="1/4")
    with pytest.raises(dn.UsageError, match="two columns `n_low`"):
        answer.to_polars()
    assert len(answer.rows[0]) == 2


def test_association_results_print_nothing_by_default(tmp_path: Path) -> None:
    """Findings about a cohort are for the curator, and must not be printed by default."""
    script = f"""
import deniable as dn, logging, subprocess, sys, warnings
cohort = {str(tmp_path / "cohort")!r}
subprocess.run([sys.executable, "-m", "deniable", "gwas", "simulate", "--cases", "60", "--controls", "60", "--snps", "200", "--out", cohort],
    capture_output=True, check=True)
warnings.simplefilter("ignore", dn.LedgerWarning)
heard = []
class Ear(logging.Handler):
    def emit(self, record):
        heard.append(record.getMessage())
log = logging.getLogger("deniable")
log.propagate = False
log.setLevel(logging.INFO)
log.addHandler(Ear())
dn.gwas(cohort, adjacency="label-swap", promise=dn.gain(2), prior="1/2", top=2, p_value="0.05")
assert any("200 SNPs" in said for said in heard), heard
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_undeclared_key_is_warned_of_before_the_charge(tmp_path: Path) -> None:
    """Also in queries of the policy. A warning that becomes an error then costs nothing."""
    sql = "SELECT COUNT(*) AS n FROM t WHERE x = 'yess'"
    columns = {"x": {"type": "text", "keys": ["yes", "no"]}}
    with session(tmp_path, pl.DataFrame({"x": ["yes", "no"]}), columns=columns, queries={"typo": sql}) as opened:
        for call in (lambda: opened.ask(sql, spend="1/4"), lambda: opened.release(), lambda: opened.release("typo")):
            with warnings.catch_warnings():
                warnings.simplefilter("error", dn.QueryWarning)
                with pytest.raises(dn.QueryWarning, match="'?yess'?"):
                    call()
            assert opened.left == 1
        with pytest.warns(dn.QueryWarning, match="yess") as warned:
            opened.ask(sql, spend="1/4")
        assert warned[0].filename == __file__, "the warning is about the caller's line"
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            opened.ask("SELECT COUNT(*) AS n FROM t WHERE x = 'yes'", spend="1/4")
        assert opened.left == Fraction(1, 2)


def test_over_budget_names_the_share_that_fits(tmp_path: Path) -> None:
    with session(tmp_path, queries={"all": "SELECT COUNT(*) AS n FROM t"}) as opened:
        opened.ask("SELECT SUM(v) AS n FROM t", spend="9/10")
        with pytest.raises(dn.BudgetError) as refused:
            opened.release()
        # `release` takes no price: the help names the method that does, and the policy.
        help = 'a share of 1/10 still fits: session.ask(..., spend="1/10"), or share = "1/10" for a query of the policy'
        assert str(refused.value.help).startswith(help)
        with pytest.raises(dn.BudgetError) as asked:
            opened.ask("SELECT COUNT(*) AS n FROM t", spend="9/10")
        assert str(asked.value.help).startswith(help)


def test_overspending_on_association_results_is_a_budget_error(tmp_path: Path) -> None:
    cohort = str(tmp_path / "cohort")
    words = ["gwas", "simulate", "--cases", "60", "--controls", "60", "--snps", "200", "--out", cohort]
    subprocess.run([sys.executable, "-m", "deniable", *words], capture_output=True, check=True)
    promised = dict(adjacency="label-swap", promise=dn.gain(2), prior="1/2", p_value="0.05")
    dn.gwas(cohort, top=2, spend="9/10", **promised)  # type: ignore[arg-type]
    with pytest.raises(dn.BudgetError) as refused:
        dn.gwas(cohort, top=3, spend="1/2", **promised)  # type: ignore[arg-type]
    assert 'spend="1/10"' in str(refused.value.help)


@pytest.mark.parametrize("wrong", [{"k": 2}, {"party": 1}, {"party": 3}, {"notion": "dpp"}, {"family": "uniform"}, {"claim": "gain=2"}, {"prior": "1/5..6/5"}])
def test_checks_name_the_argument_that_is_wrong(wrong: Dict[str, Any]) -> None:
    table = {(): {"no": "3/4", "yes": "1/4"}, "ann": {"no": "1/4", "yes": "3/4"}}
    with pytest.raises(dn.UsageError) as refused:
        dn.check(table, **{"notion": "dp", **wrong})
    [name] = wrong
    assert f"{name}=" in refused.value.message and refused.value.help


def test_long_words_are_refused_at_once() -> None:
    started = time.monotonic()
    for call in (
        lambda: dn.check("kmax", "x" * 10**6, k=1, n=2),
        lambda: dn.check("x" * 10**6),
        lambda: dn.check("kmax", "dp", claim="x" * 10**6, k=1, n=2),
        lambda: dn.check("kmax", "dp", k="1" * 10**6, n=2),
        lambda: dn.translate("x" * 10**6),
        lambda: dn.assess("examples/ward/published.csv", quasi="x" * 10**6),
        lambda: dn.audit(lambda input, times: [0] * times, claim="x" * 10**6),
    ):
        with pytest.raises(dn.UsageError, match="at most"):
            call()
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("rows", [{}, {"t": {}}, {"u": ROWS}, {1: ROWS}])
def test_rows_that_name_no_table_are_refused(rows: Any) -> None:
    with pytest.raises(dn.UsageError) as refused:
        policy().session(rows, version="1", ledger=":memory:")
    assert refused.value.help


READ_ONLY = """
import deniable as dn, polars as pl, sys, warnings
warnings.simplefilter("error", dn.LedgerWarning)
columns = {"g": {"type": "integer", "keys": [0, 1, 2]}, "v": {"type": "integer", "bounds": (0, 60)}}
about = dn.Policy(name="errors", population="errors", table="t", promise=dn.epsilon(1), adversary={"knows_size": False}, columns=columns)
rows = pl.DataFrame({"g": [0, 1, 2] * 20, "v": list(range(60))})
with about.session(rows, version="1", ledger=sys.argv[1]) as session:
    print(session.ask("SELECT COUNT(*) AS n FROM t", spend="1/4").rows, session.left)
    for sql in ("SELECT SUM(v) AS n FROM t", "SELECT COUNT(v) AS n FROM t"):
        try:
            session.ask(sql, spend="1/4")
        except dn.LedgerError as error:
            print("cannot be written" in str(error))
"""


def test_stored_answers_are_read_on_a_read_only_disk(tmp_path: Path) -> None:
    ledgers = tmp_path / "ledgers"
    ledgers.mkdir()
    ledger = ledgers / "errors.ledger"
    with policy().session(ROWS, version="1", ledger=ledger) as opened:
        rows = opened.ask("SELECT COUNT(*) AS n FROM t", spend="1/4").rows
    # A mount of its own, as root may write to files that are not writable.
    mounted = 'mount --bind -o ro "$1" "$1" 2> /dev/null || exit 77; exec "$2" -c "$3" "$4"'
    words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mounted, "sh", str(ledgers), sys.executable, READ_ONLY, str(ledger)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    except FileNotFoundError:
        pytest.skip("SKIPPED: there is no unshare")
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("SKIPPED: nothing may be mounted here")
    assert (done.stdout, done.returncode) == (f"{rows} 3/4\nTrue\nTrue\n", 0), done.stderr


def test_help_names_what_can_be_done_here(tmp_path: Path) -> None:
    with pytest.raises(dn.DataError) as stopped:
        policy().session(ROWS, version="1", ledger=tmp_path / "errors.ledger", register=False).ask("SELECT COUNT(*) AS n FROM t", spend="1/4")
    assert stopped.value.help is not None and "session.log" in stopped.value.help and "above" not in stopped.value.help
    session(tmp_path).register()
    with pytest.raises(dn.DataError) as changed:
        session(tmp_path, ROWS.head(10)).ask("SELECT COUNT(*) AS n FROM t", spend="1/4")
    assert changed.value.help is not None and "session.register()" in changed.value.help and "<policy>" not in changed.value.help
