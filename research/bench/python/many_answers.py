"""The noise of many counts at the same (ε,δ): Deniable's pure answers, OpenDP's zero-concentrated and pure ones, and
the exact curve of a Gaussian.

Each count changes by at most 1 for one person. Standard deviations follow from the parameters; no answer is drawn.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
from pathlib import Path
from statistics import NormalDist

import opendp.prelude as dp
from compare import deniable, put
from tables import table

BEGIN, END = "<!-- measured: scripts/compare-noise -->", "<!-- end of what was measured of many answers -->"
NUMBERS = [1, 5, 9, 10, 15, 20, 100, 1000]
HALVINGS = 18


def least(keeps, low: float, high: float) -> float:
    """The least number that keeps what is promised, up to rounding; `high` keeps it."""
    for _ in range(HALVINGS):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if keeps(middle) else (middle, high)
    return high


def geometric(epsilon: float) -> float:
    """The standard deviation of two-sided geometric noise."""
    decay = math.exp(-epsilon)
    return math.sqrt(2 * decay) / (1 - decay)


class Translated:
    """`deniable translate` of a number of releases with the same ε."""

    def __init__(self, command: Path, delta: str) -> None:
        self.command, self.delta = command, delta

    def row(self, number: int, epsilon: float, to: str) -> float:
        words = [self.command, "translate", "--from", f"{number}xepsilon={epsilon:.9f}", "--to", to]
        done = subprocess.run([*words, "--chance", self.delta, "--format=json"], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        rows = [row for row in json.loads(done.stdout) if row["notion"] != "odds"]
        return float(rows[0]["decimal"])

    def largest(self, number: int, epsilon: float, to: str) -> float:
        """The largest ε of one answer with which all keep (ε,δ), or odds of e^ε but for δ."""
        limit = epsilon if to == "epsilon" else math.exp(epsilon)
        keeps = lambda noise: self.row(number, 1 / noise, to) <= limit
        return 1 / least(keeps, 0.1 / epsilon, number / epsilon * (1 + 1e-6) + 1e-3)


def zero_concentrated(number: int, epsilon: float, delta: float) -> float:
    """The standard deviation with which OpenDP's discrete Gaussian answers together keep (ε,δ)."""
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)

    def keeps(scale: float) -> bool:
        # As many answers have the ρ of one with a scale smaller by the square root of their number.
        one = dp.m.make_gaussian(*space, scale=scale / math.sqrt(number))
        return dp.c.make_zCDP_to_approxDP(one).map(1).epsilon(delta) <= epsilon

    return least(keeps, 0.05, 1000.0 * math.sqrt(number))


def gaussian(number: int, epsilon: float, delta: float) -> float:
    """The least standard deviation of any Gaussian noise: its exact hockey stick, in floats."""
    normal = NormalDist()

    def keeps(scale: float) -> bool:
        mu = math.sqrt(number) / scale
        tail = normal.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * normal.cdf(-mu / 2 - epsilon / mu)
        return tail <= delta

    return least(keeps, 0.05, 1000.0 * math.sqrt(number))


def report(command: Path, epsilon: float, delta: str) -> str:
    translated, rows = Translated(command, delta), []
    for number in NUMBERS:
        own, odds = (translated.largest(number, epsilon, to) for to in ("epsilon", "odds"))
        exact = gaussian(number, epsilon, float(delta))
        scales = [geometric(own), geometric(odds), zero_concentrated(number, epsilon, float(delta)), exact]
        pure = geometric(epsilon / number)
        ratio = f"{scales[0] / exact:.2f}"
        rows.append([f"{number:,}", *(f"{scale:.2f}" for scale in [*scales, pure]), ratio, f"{number * own:.2f}"])
    head = ["counts", "Deniable", "under β*", "OpenDP, zCDP", "Gaussian, exact", "pure ε", "ratio", "surely, as ε"]
    return f"(ε,δ) = ({epsilon:g}, {float(delta):g}):\n\n" + table(head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deniable", type=Path, help="the command; target/release/deniable by default")
    parser.add_argument("--write", type=Path, help="the document whose table is replaced")
    options = parser.parse_args()
    dp.enable_features("contrib")
    command = deniable(options.deniable)
    settings = [(1.0, "0.000001"), (1.0, "0.000000001")]
    text = "\n\n".join(report(command, epsilon, delta) for epsilon, delta in settings)
    print(text)
    put(options.write, text, BEGIN, END)


if __name__ == "__main__":
    main()
