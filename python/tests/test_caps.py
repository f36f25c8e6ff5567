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
        # The policy's cap is three rows.
        assert str(session.plan(SQL, spend="1/40", rows_per_group=3)) == str(usual)
        assert str(session.plan(SQL, spend="1/40", rows_per_group=1)) != str(usual)
        assert session.ask(SQL, spend="1/40", rows_per_group=1, groups=1).to_arrow().num_rows == 1
        with pytest.raises(dn.UsageError, match="rows_per_group="):
            session.plan(SQL, spend="1/40", rows_per_group=0)
