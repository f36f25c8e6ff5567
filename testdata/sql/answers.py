"""What questions answer before noise, in exact fractions: the part of expected.py that knows no data."""

import json
from bisect import bisect_left, bisect_right
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from itertools import product

ALL = "(all)"


class Number:
    """A number as it is published: exact, or to four decimals."""

    def __init__(self, value):
        self.value = None if value is None else Fraction(value)

    def text(self, places=4):
        if self.value is None:
            return "null"
        if places == 4 and 10**12 % self.value.denominator == 0 and 10**4 % self.value.denominator != 0:
            raise ValueError(f"{self.value} lies too near to a tie")
        scaled = abs(self.value) * 10**places
        units = int(scaled + Fraction(1, 2))
        whole, rest = divmod(units, 10**places)
        sign = "-" if self.value < 0 and units else ""
        digits = str(rest).zfill(places).rstrip("0")
        return f"{sign}{whole}" + (f".{digits}" if digits else "")


def written(value):
    if isinstance(value, Number):
        return value.text()
    if isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, (int, Fraction)):
        return Number(value).text()
    if isinstance(value, datetime):
        return json.dumps(value.isoformat())
    if isinstance(value, date):
        return json.dumps(value.isoformat())
    return json.dumps(value)


def on_grid(value, low, high, step=1):
    """A value at its nearest bound and grid point; ties are not asked for."""
    value = min(max(Fraction(value), Fraction(low)), Fraction(high))
    steps = (value - low) / Fraction(step)
    assert steps.denominator != 2, f"{value} lies between two grid points"
    return low + Fraction(step) * int(steps + Fraction(1, 2))


def values(rows, of, grid):
    found = [of(row) for row in rows]
    return [on_grid(value, *grid) for value in found if value is not None]


def count(where=lambda row: True):
    return lambda rows: Number(sum(1 for row in rows if where(row)))


def people(where=lambda row: True):
    return lambda rows: Number(len({row["patient"] for row in rows if where(row)}))


def total(of, *grid):
    return lambda rows: Number(sum(values(rows, of, grid)))


def average(of, *grid):
    def answer(rows):
        found = values(rows, of, grid)
        return Number(Fraction(sum(found)) / len(found) if found else None)
    return answer


def weighted(value, weight):
    """The mean in which a row counts as often as its weight says."""
    def answer(rows):
        (of, *grid), (weigh, *weights) = value, weight
        both = [(of(row), weigh(row)) for row in rows]
        both = [(on_grid(x, *grid), on_grid(w, *weights)) for x, w in both if x is not None and w is not None]
        total = sum(w for _, w in both)
        return Number(Fraction(sum(x * w for x, w in both)) / total if total else None)
    return answer


def variance(of, *grid, sample=False, root=False):
    def answer(rows):
        found = values(rows, of, grid)
        if len(found) < (2 if sample else 1):
            return Number(None)
        mean = Fraction(sum(found)) / len(found)
        spread = sum((value - mean) ** 2 for value in found) / (len(found) - (1 if sample else 0))
        if not root:
            return Number(spread)
        with localcontext() as context:
            context.prec = 60
            exact = (Decimal(spread.numerator) / Decimal(spread.denominator)).sqrt()
            return Number(exact.quantize(Decimal("0.0001"), ROUND_HALF_UP))
    return answer


def together(rows, columns):
    """The values of rows that have all of them."""
    found = [[of(row) for of, *_ in columns] for row in rows]
    return [[on_grid(value, *grid) for value, (_, *grid) in zip(row, columns)] for row in found if None not in row]


def common(found, a, b):
    """The sum of products of two columns' differences from their means."""
    left, right = (sum(row[at] for row in found) for at in (a, b))
    return sum(row[a] * row[b] for row in found) - Fraction(left) * right / len(found)


def covariance(y, x, sample=False):
    def answer(rows):
        found = together(rows, [y, x])
        return Number(common(found, 0, 1) / (len(found) - sample) if len(found) > sample else None)
    return answer


def correlation(y, x):
    def answer(rows):
        found = together(rows, [y, x])
        both = common(found, 0, 1)
        square = both**2 / (common(found, 0, 0) * common(found, 1, 1))
        with localcontext() as context:
            context.prec = 60
            exact = (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()
            return Number((exact if both >= 0 else -exact).quantize(Decimal("0.0001"), ROUND_HALF_UP))
    return answer


def least_squares(of, y, *xs):
    """`of`: "intercept", "explained" or the position of an x; by the normal equations."""
    def answer(rows):
        found = together(rows, [y, *xs])
        table = [[1, *row[1:], row[0]] for row in found]
        size = len(xs) + 1
        sums = [[Fraction(sum(row[i] * row[j] for row in table)) for j in range(size + 1)] for i in range(size)]
        for at in range(size):
            pivot = sums[at][at]
            sums[at] = [value / pivot for value in sums[at]]
            for other in range(size):
                if other != at:
                    factor = sums[other][at]
                    sums[other] = [value - factor * own for value, own in zip(sums[other], sums[at])]
        fit = [row[size] for row in sums]
        if of == "explained":
            # What is left is y less its fit, times y: the fit is orthogonal to what is left.
            left = sum(row[size] * row[size] for row in table)
            left -= sum(weight * sum(row[at] * row[size] for row in table) for at, weight in enumerate(fit))
            return Number(1 - left / common(found, 0, 0))
        return Number(fit[0] if of == "intercept" else fit[1 + of])
    return answer


def quantile(share, of, *grid):
    """The one grid value with at most share·n values below it and at least as many not above it."""
    share = Fraction(share)

    def answer(rows):
        found = sorted(values(rows, of, grid))
        wanted = share * len(found)
        fit = [v for v in sorted(set(found)) if bisect_left(found, v) <= wanted <= bisect_right(found, v)]
        assert len(fit) == 1 and bisect_left(found, fit[0]) < wanted < bisect_right(found, fit[0]), fit
        return Number(fit[0])
    return answer


def least(of, *grid):
    return lambda rows: Number(min(values(rows, of, grid)))


def greatest(of, *grid):
    return lambda rows: Number(max(values(rows, of, grid)))


def ratio(top, bottom, times=1):
    def answer(rows):
        below = bottom(rows).value
        return Number(times * top(rows).value / below if below else None)
    return answer


def grouped(rows, keys, *answers, exists=lambda *place: True):
    """Every combination of declared keys that exists. `keys`: pairs of a function of a row and the declared keys, or ALL alone."""
    cells = {}
    for row in rows:
        place = tuple(ALL if key == ALL else key[0](row) for key in keys)
        cells.setdefault(place, []).append(row)
    # A row whose key is undeclared at any grouping column counts nowhere: such places are never looked up.
    places = product(*[[ALL] if key == ALL else key[1] for key in keys])
    return [[*place, *(answer(cells.get(place, [])) for answer in answers)] for place in places if exists(*place)]


def levels(rows, keys, sets, *answers, exists=lambda *place: True):
    """GROUPING SETS: a row with an undeclared key counts at no level."""
    known = [row for row in rows if all(key(row) in declared for key, declared in keys)]
    found = []
    for members in sets:
        found += grouped(known, [key if at in members else ALL for at, key in enumerate(keys)], *answers, exists=exists)
    return found
