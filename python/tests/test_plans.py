"""The SQL of a query is planned once for each call, however many answers the ledger has."""

from __future__ import annotations

from pathlib import Path

import deniable as dn
from deniable import _deniable

CLINIC = Path(__file__).resolve().parents[2] / "examples" / "clinic" / "policy.toml"
STORED = 20


def test_a_query_is_planned_once(tmp_path: Path) -> None:
    policy = dn.Policy(CLINIC)

    def planned(before: int) -> int:
        return _deniable.plan_count() - before

    with policy.session(ledger=tmp_path / "clinic.ledger", register=True) as session:
        for stored in (0, STORED):
            for age in range(stored):
                session.ask(f"SELECT COUNT(*) AS n FROM visits WHERE age > {age}", spend="1/1000")
            sql = f"SELECT sex, AVG(minutes) AS m FROM visits WHERE age < {50 + stored} GROUP BY sex"
            left, before = session.left, _deniable.plan_count()
            session.ask(sql, spend="1/1000")
            assert (planned(before), session.left < left) == (1, True), f"{stored} stored answers"
            before = _deniable.plan_count()
            session.ask(sql, spend="1/1000")
            assert planned(before) == 1, "a stored answer"
            before = _deniable.plan_count()
            session.plan(sql, spend="1/1000")
            assert planned(before) == 1, "a plan"
        before = _deniable.plan_count()
        session.release()
        assert planned(before) == 0, "the session planned the policy's queries when it began"
