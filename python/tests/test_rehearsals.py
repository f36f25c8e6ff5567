"""Made-up rows and rehearsals: they depend on the policy alone, and have a ledger of their own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import deniable as dn
import polars as pl
import pytest


@pytest.fixture
def clinic(tmp_path: Path, repository: Path) -> Path:
    """The policy of the example, without its data."""
    shutil.copy(repository / "examples/clinic/policy.toml", tmp_path)
    return tmp_path


def test_simulated_files_have_the_declared_columns(clinic: Path) -> None:
    policy = dn.Policy(clinic / "policy.toml")
    files = policy.simulate(clinic / "made-up", rows=300, people=100)
    visits = pl.read_csv(files["visits"])
    assert visits.columns == ["patient", "age", "minutes", "cost", "sex", "department", "smoker"]
    assert (visits.height, visits["patient"].n_unique()) == (300, 100)
    with pytest.raises(dn.UsageError, match="exists already"):
        policy.simulate(clinic / "made-up", rows=300)
    policy.simulate(clinic / "made-up", rows=10, overwrite=True)
    assert pl.read_csv(files["visits"]).height == 10
    parquet = policy.simulate(clinic / "parquet", rows=300, people=100, format="parquet")
    assert pl.read_parquet(parquet["visits"]).columns == visits.columns
    with pytest.raises(dn.UsageError):
        policy.simulate(clinic / "made-up", format="xlsx")
    with pytest.raises(dn.UsageError, match="people cannot have only"):
        policy.simulate(clinic / "other", rows=10, people=11)


def test_rehearsals_are_marked_and_never_mixed_with_releases(clinic: Path, repository: Path) -> None:
    policy = dn.Policy(clinic / "policy.toml")
    with policy.rehearsal(rows=300, people=100) as session:
        release = session.release()
        asked = session.ask("SELECT COUNT(*) AS visits FROM visits", spend="1/40")
        page = session.report()
    assert release.rehearsal and json.loads(release.to_json())["rehearsal"] and release.version == "made-up rows"
    for answer in [*release.values(), asked]:
        assert answer.rehearsal and str(answer).startswith("REHEARSAL: ") and "REHEARSAL: " in answer._repr_html_()
        assert answer.to_dict()["rehearsal"] is True
    assert "<title>REHEARSAL: " in page
    trial = clinic / "trial.ledger"
    with policy.rehearsal(ledger=trial) as session:
        session.release()
    shutil.copy(repository / "examples/clinic/visits.csv", clinic)
    with policy.session(ledger=trial) as real, pytest.raises(dn.LedgerError, match="the ledger of a rehearsal"):
        real.release()
    with policy.session() as real:
        released = real.release()
        assert not released.rehearsal and "REHEARSAL" not in str(released) + real.report() + released.to_json()
    with pytest.raises(dn.UsageError, match="never charged"):
        policy.rehearsal(ledger=clinic / "clinic-patients.ledger")
