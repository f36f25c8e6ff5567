"""Contribution bounds of a single query."""

from __future__ import annotations

from pathlib import Path

import deniable as dn
import pytest

SQL = "SELECT COUNT(*) AS visits FROM visits"


@pytest.mark.filterwarnings("ignore::deniable.LedgerWarning")
def test_a_query_has_caps_of_its_own(repository: Path) -> None:
    with dn.Policy(repository / "examples/clinic/policy.toml").session(ledger=":memory:") as session:
        usual = session.plan(SQL, spend="1/40")
        # The policy's cap is four rows.
        assert str(session.plan(SQL, spend="1/40", rows_per_group=4)) == str(usual)
        assert str(session.plan(SQL, spend="1/40", rows_per_group=1)) != str(usual)
        assert session.ask(SQL, spend="1/40", rows_per_group=1, groups=1).to_arrow().num_rows == 1
        with pytest.raises(dn.UsageError, match="rows_per_group="):
            session.plan(SQL, spend="1/40", rows_per_group=0)


@pytest.mark.filterwarnings("ignore::deniable.LedgerWarning")
def test_large_losses_are_accepted_by_query(repository: Path, tmp_path: Path) -> None:
    text = (repository / "examples/clinic/policy.toml").read_text(encoding="utf-8").replace("rows_per_group = 4", "rows_per_group = 1")
    lossy = dn.Policy.from_source(text, repository / "examples/clinic")
    with lossy.session(ledger=tmp_path / "lossy.ledger") as session:
        with pytest.raises(dn.DataError, match="leave out more than 10% of") as caught:
            session.register()
        assert "session.register(accept_loss=[" in str(caught.value)
        with pytest.raises(dn.DataError):
            session.release("visits by sex")
        with pytest.raises(dn.DataError, match="no query"):
            session.register(accept_loss="visits by sx")
        names = ["visits by sex", "minutes by department", "where long visits of adults go"]
        assert session.register(accept_loss=names) == [("visits", "2024-06")]
        assert session.release("visits by sex")["visits by sex"].to_arrow().num_rows == 3
    # A query that is not in the policy is not judged.
    with lossy.session(ledger=tmp_path / "other.ledger") as session:
        assert session.ask(SQL, spend="1/40").to_arrow().num_rows == 1
