#!/usr/bin/env python3
"""Writes stays.csv: made-up stays of some of the clinic's made-up patients, with dates to be wrong about."""

import csv
from datetime import date, timedelta
from pathlib import Path

HERE = Path(__file__).parent


def main():
    state = 2024

    def below(n):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) * n >> 31

    with open(HERE / "../../examples/clinic/visits.csv", encoding="utf-8", newline="") as file:
        patients = sorted({row["patient"] for row in csv.DictReader(file)})
    lines = ["patient;ward;admitted;discharged;fee"]
    for patient in patients[::20]:
        for _ in range(1 + below(3)):
            admitted = date(2023, 1, 1) + timedelta(days=below(740))
            discharged = admitted + timedelta(days=below(12))
            ward = ["north", "south", "south", "east", "-", ""][below(6)]
            day = [admitted.strftime("%d.%m.%Y"), "31.02.2024", "soon", ""][max(0, below(30) - 26)]
            time = f"{discharged}T{6 + below(14):02}:{below(60):02}:00" if below(12) else "-"
            fee = ["", "-", "free", "-10,00", "750,20"][below(5)] if not below(8) else f"{below(480)},{below(10)}1"
            lines.append(f"{patient};{ward};{day};{time};{fee}")
    # Two patients who never visited, and a row of nobody.
    lines += ["P-0;north;05.05.2023;2023-05-09T10:00:00;12,1", "P-1;south;06.05.2023;2023-05-09T11:30:00;12,1"]
    lines += [";north;07.05.2023;2023-05-09T12:00:00;1,1"]
    (HERE / "stays.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
