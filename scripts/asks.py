"""Asks a thousand different queries in one session, and prints time, memory and the ledger's size after each hundred.

    scripts/python --interpreter     # the interpreter of the tests
    PYTHON scripts/asks.py [QUERIES]

Needs the package and polars. Times depend on the build of the package: `cargo xtask wheel` makes an unoptimised one.
"""

import os
import statistics
import sys
import tempfile
import time
import warnings

import deniable as dn
import polars as pl

PEOPLE, ROWS = 2_000, 10_000


def resident() -> float:
    """The memory of this process, in MB."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) / 1000


def main(queries: int) -> None:
    warnings.simplefilter("ignore", dn.LedgerWarning)
    policy = dn.Policy(
        "visits",
        person=dn.Person("patient", rows=3, groups=2, type="integer"),
        promise=dn.epsilon(1000),
        columns={"minutes": dn.Integer(0, 60), "ward": dn.Text(keys=["a", "b", "c"])},
    )
    rows = pl.DataFrame(
        {"patient": [at % PEOPLE for at in range(ROWS)], "minutes": [at % 61 for at in range(ROWS)], "ward": ["abc"[at % 3] for at in range(ROWS)]}
    )
    with tempfile.TemporaryDirectory() as folder:
        ledger = os.path.join(folder, "asks.ledger")
        with policy.session(rows, version="1", ledger=ledger, progress=False) as session:
            print("| asks | ms each, median | longest | memory, MB | ledger, kB for each |\n|---|---|---|---|---|")
            taken = []
            for at in range(1, queries + 1):
                begun = time.perf_counter()
                session.ask(f"SELECT ward, AVG(minutes) AS minutes FROM visits WHERE minutes <> {at} GROUP BY ward", spend=f"1/{2 * queries}")
                taken.append((time.perf_counter() - begun) * 1000)
                if at % 100 == 0:
                    size = os.path.getsize(ledger) / 1000 / at
                    print(f"| {at} | {statistics.median(taken):.1f} | {max(taken):.1f} | {resident():.0f} | {size:.1f} |", flush=True)
                    taken.clear()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
