#!/usr/bin/env python3
"""Writes the expected answers of clinic.toml and adult.toml, without any SQL engine.

    python3 testdata/sql/expected.py [adult.data]

Python's standard library and exact fractions only. What is computed is what docs/reference/policy.md says an answer is before
noise: rows with undeclared keys are left out, declared groups that WHERE leaves always appear, and what is summed, averaged or ranked is
moved to its bounds and to its grid. Caps never bite, but in the cases of the policy `capped`, which are decided whatever
rows are kept. A quantile is asked only where exactly one grid value has its rank.
"""

import csv
import math
import sys
from answers import ALL, average, correlation, count, covariance, greatest, grouped, least, least_squares, levels, Number, on_grid, people, quantile, ratio, total, values, variance, weighted, written
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).parent


class Cases:
    def __init__(self, about):
        self.text = [f"# {line}".rstrip() for line in about]
        self.names = set()

    def add(self, name, sql, columns, rows, policy=None, refused=None):
        """`columns`: "name:type ...". `refused`: what is tried first, and a part of what the refusal says."""
        assert name not in self.names, name
        self.names.add(name)
        columns = [column.split(":") for column in columns.split()]
        assert all(len(row) == len(columns) for row in rows), name
        lines = ["", "[[case]]", f'name = "{name}"']
        if policy:
            lines.append(f'policy = "{policy}"')
        if refused:
            tried, because = refused
            lines += [f"tried = '''{tried}'''", f"because = '''{because}'''"]
        lines.append(f"sql = '''{sql}'''")
        lines.append("columns = [" + ", ".join(f'["{column}", "{kind}"]' for column, kind in columns) + "]")
        body = ",\n".join("[" + ", ".join(written(value) for value in row) + "]" for row in rows)
        lines.append(f"rows = '''[\n{body}\n]'''" if rows else "rows = '[]'")
        self.text += lines

    def write(self, file, folder=HERE):
        (folder / file).write_text("\n".join(self.text) + "\n", encoding="utf-8")
        print(f"{file}: {len(self.names)} cases")


ABOUT = [
    "Questions and their answers before noise: engine-independent. Written by expected.py, which says how they are worked",
    "out. Rows have no order unless the question has ORDER BY. Counts and sums are exact, averages, spreads and arithmetic",
    "are to four decimals. The tables and what is declared of them are in the policy of the same name.",
]


def visits():
    with open(HERE / "../../examples/clinic/visits.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            text = {name: value if value != "" else None for name, value in row.items()}
            yield {
                **text,
                "age": int(row["age"]),
                "minutes": int(row["minutes"]),
                "cost": Fraction(row["cost"]),
                "smoker": {"true": True, "false": False}.get(row["smoker"]),
            }


def stays():
    def day(text):
        try:
            return datetime.strptime(text, "%d.%m.%Y").date()
        except ValueError:
            return None

    def number(text):
        try:
            return Fraction(text.replace(",", "."))
        except ValueError:
            return None

    with open(HERE / "stays.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter=";"):
            row = {name: None if value in ("", "-") else value for name, value in row.items()}
            yield {
                **row,
                "admitted": day(row["admitted"] or ""),
                "discharged": datetime.fromisoformat(row["discharged"]) if row["discharged"] else None,
                "fee": number(row["fee"] or ""),
            }


def lookup(file, key):
    with open(HERE / file, encoding="utf-8", newline="") as opened:
        return {row[key]: row for row in csv.DictReader(opened)}


def of(name):
    return lambda row: row[name]


DEPARTMENTS = ["cardiology", "dermatology", "orthopaedics", "paediatrics", "neurology"]
SEX = (of("sex"), ["F", "M", None])
DEPARTMENT = (of("department"), DEPARTMENTS)
SMOKER = (of("smoker"), [True, False, None])
AGE, MINUTES = (of("age"), 0, 110), (of("minutes"), 0, 60)
COST, FEE = (of("cost"), 0, 400, Fraction(1, 20)), (of("fee"), 0, 500, Fraction(1, 2))

FEE_PAID = (lambda row: row["cost"] if row["smoker"] else None, *COST[1:])


def clinic():
    cases, v = Cases(ABOUT), list(visits())
    plain = lambda name, sql, columns, *answers, where=lambda row: True, keys=(): cases.add(
        name, sql, columns, grouped([row for row in v if where(row)], list(keys), *answers))
    once = lambda name, answer, text: plain(name, f"SELECT {text} AS a FROM visits", "a:number", answer)

    # Aggregates.
    once("COUNT(*)", count(), "COUNT(*)")
    once("COUNT of a column", count(lambda row: row["smoker"] is not None), "COUNT(smoker)")
    once("COUNT(DISTINCT entity)", people(), "COUNT(DISTINCT patient)")
    once("SUM of an integer", total(*MINUTES), "SUM(minutes)")
    once("SUM of a decimal", total(*COST), "SUM(cost)")
    once("SUM of arithmetics", total(lambda row: row["minutes"] * 2 - row["age"], -110, 120), "SUM(minutes * 2 - age)")
    once("SUM over CASE", total(lambda row: 1 if row["sex"] == "F" and row["age"] >= 18 else 0, 0, 1), "SUM(CASE WHEN sex = 'F' AND age >= 18 THEN 1 ELSE 0 END)")
    once("SUM of a whole division", total(lambda row: min(row["minutes"], 60) // 7, 0, 8), "SUM(ROUND(LEAST(minutes, 60) / 7))")
    once("SUM of a remainder", total(lambda row: row["minutes"] % 7, 0, 6), "SUM(LEAST(minutes % 7, 6))")
    once("AVG of an integer", average(*AGE), "AVG(age)")
    once("AVG of a decimal", average(*COST), "AVG(cost)")
    once("AVG of an expression with its own bounds", average(lambda row: min(max(row["cost"] - 100, Fraction(0)), Fraction(50)), 0, 50, Fraction(1, 20)), "AVG(LEAST(GREATEST(cost - 100, 0), 50))")
    once("AVG_WEIGHTED", weighted(AGE, MINUTES), "AVG_WEIGHTED(age, minutes)")
    once("AVG_WEIGHTED of decimals under a condition", weighted((of("cost"), *COST[1:]), (lambda row: row["age"] if row["sex"] == "F" else None, 0, 110)),
         "AVG_WEIGHTED(cost, age) FILTER (WHERE sex = 'F')")
    once("VAR_POP", variance(*AGE), "VAR_POP(age)")
    once("VAR_SAMP", variance(*AGE, sample=True), "VAR_SAMP(age)")
    once("STDDEV_POP", variance(*MINUTES, root=True), "STDDEV_POP(minutes)")
    once("STDDEV_SAMP", variance(*MINUTES, sample=True, root=True), "STDDEV_SAMP(minutes)")
    once("COVAR_POP", covariance(COST, AGE), "COVAR_POP(cost, age)")
    once("COVAR_SAMP of what is missing here and there", covariance(FEE_PAID, AGE, sample=True), "COVAR_SAMP(CASE WHEN smoker THEN cost END, age)")
    once("CORR", correlation(MINUTES, AGE), "CORR(minutes, age)")
    once("REGR_SLOPE", least_squares(0, COST, MINUTES), "REGR_SLOPE(cost, minutes)")
    once("REGR_INTERCEPT", least_squares("intercept", COST, MINUTES), "REGR_INTERCEPT(cost, minutes)")
    once("REGR_R2 of several", least_squares("explained", COST, MINUTES, AGE), "REGR_R2(cost, minutes, age)")
    once("REGR_SLOPE beside a condition", least_squares(0, COST, AGE, (lambda row: None if row["sex"] is None else int(row["sex"] == "F"), 0, 1)), "REGR_SLOPE(cost, age, sex = 'F')")
    once("MIN", least(*MINUTES), "MIN(minutes)")
    once("MAX beyond the bounds", greatest(*MINUTES), "MAX(minutes)")
    once("MAX of a decimal", greatest(lambda row: row["cost"] if row["cost"] < 50 else None, *COST[1:]), "MAX(CASE WHEN cost < 50 THEN cost END)")
    once("MEDIAN", quantile("1/2", *AGE), "MEDIAN(age)")
    once("a quantile of a decimal", quantile("333/1000", *COST), "PERCENTILE_CONT(cost, 0.333)")
    once("approx_percentile_cont", quantile("9/10", *AGE), "approx_percentile_cont(age, 0.9)")
    once("percentile_cont WITHIN GROUP", quantile("1/10", *MINUTES), "percentile_cont(0.1) WITHIN GROUP (ORDER BY minutes)")
    plain("several quantiles of one column",
          "SELECT MEDIAN(age) AS b, PERCENTILE_CONT(age, 0.05) AS a, PERCENTILE_CONT(age, 0.95) AS c FROM visits",
          "b:number a:number c:number", quantile("1/2", *AGE), quantile("1/20", *AGE), quantile("19/20", *AGE))
    plain("several quantiles by group",
          "SELECT sex, PERCENTILE_CONT(minutes, 0.27) AS a, PERCENTILE_CONT(minutes, 0.77) AS b FROM visits GROUP BY sex",
          "sex:text a:number b:number", quantile("27/100", *MINUTES), quantile("77/100", *MINUTES), keys=[SEX])
    plain("several aggregates in one question",
          "SELECT COUNT(*) AS n, COUNT(DISTINCT patient) AS p, SUM(cost) AS c, AVG(age) AS a FROM visits",
          "n:number p:number c:number a:number", count(), people(), total(*COST), average(*AGE))
    plain("an average over no rows", "SELECT AVG(age) AS a, COUNT(*) AS n, SUM(age) AS s, VAR_POP(age) AS v FROM visits WHERE age > 200",
          "a:number n:number s:number v:number", average(*AGE), count(), total(*AGE), variance(*AGE), where=lambda row: row["age"] > 200)

    # FILTER, and what is done with results.
    adult = lambda row: row["age"] >= 18
    plain("FILTER",
          "SELECT COUNT(*) FILTER (WHERE age >= 18) AS n, SUM(cost) FILTER (WHERE smoker) AS c, AVG(age) FILTER (WHERE sex = 'F') AS a, "
          "COUNT(DISTINCT patient) FILTER (WHERE minutes > 60) AS p, MEDIAN(age) FILTER (WHERE sex = 'M') AS m FROM visits",
          "n:number c:number a:number p:number m:number", count(adult),
          total(lambda row: row["cost"] if row["smoker"] else None, *COST[1:]),
          average(lambda row: row["age"] if row["sex"] == "F" else None, *AGE[1:]),
          people(lambda row: row["minutes"] > 60),
          quantile("1/2", lambda row: row["age"] if row["sex"] == "M" else None, *AGE[1:]))
    by_department = grouped(v, [DEPARTMENT], count())
    cases.add("HAVING", "SELECT department, COUNT(*) AS n FROM visits GROUP BY department HAVING COUNT(*) > 1000", "department:text n:number",
              [row for row in by_department if row[1].value > 1000])
    cases.add("HAVING over an average",
              "SELECT department, COUNT(*) AS n FROM visits GROUP BY department HAVING AVG(minutes) >= 30 AND NOT (department = 'neurology')",
              "department:text n:number",
              [row[:2] for row in grouped(v, [DEPARTMENT], count(), average(*MINUTES)) if row[2].value >= 30 and row[0] != "neurology"])
    by_size = sorted(by_department, key=lambda row: -row[1].value)
    cases.add("ORDER BY an aggregate", "SELECT department, COUNT(*) AS n FROM visits GROUP BY department ORDER BY COUNT(*) DESC", "department:text n:number", by_size)
    cases.add("LIMIT and OFFSET", "SELECT department FROM visits GROUP BY department ORDER BY COUNT(*) DESC LIMIT 2 OFFSET 1", "department:text", [row[:1] for row in by_size[1:3]])
    cases.add("ORDER BY a key", "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex ORDER BY sex DESC NULLS LAST", "sex:text n:number",
              sorted(grouped(v, [SEX], count()), key=lambda row: ["M", "F", None].index(row[0])))
    cost = sum(values(v, *COST[:1], COST[1:]))
    cases.add("ROUND, FLOOR, CEIL and ABS of results",
              "SELECT ROUND(AVG(age), 1) AS r, FLOOR(SUM(cost) / 7) AS f, CEIL(SUM(cost) / 7) AS c, ABS(COUNT(*) - 10000) AS a FROM visits",
              "r:number f:number c:number a:number",
              [[Fraction(Number(average(*AGE)(v).value).text(1)), cost // 7, -(-cost // 7), 10000 - len(v)]])
    plain("arithmetics on results", "SELECT sex, 100.0 * COUNT(*) FILTER (WHERE smoker) / COUNT(smoker) AS percent FROM visits GROUP BY sex", "sex:text percent:number",
          ratio(count(lambda row: row["smoker"] is True), count(lambda row: row["smoker"] is not None), 100), keys=[SEX])
    plain("a result over another query's", "SELECT n * 2 AS m FROM (SELECT COUNT(*) AS n FROM visits) AS counted", "m:number", lambda rows: Number(2 * len(rows)))

    # Groups.
    plain("GROUP BY with NULL as a key", "SELECT sex, COUNT(*) AS n, AVG(minutes) AS m FROM visits GROUP BY sex", "sex:text n:number m:number", count(), average(*MINUTES), keys=[SEX])
    plain("GROUP BY leaves undeclared keys out", "SELECT department, COUNT(*) AS n FROM visits GROUP BY department", "department:text n:number", count(), keys=[DEPARTMENT])
    plain("GROUP BY a boolean", "SELECT smoker, COUNT(DISTINCT patient) AS p FROM visits GROUP BY smoker", "smoker:boolean p:number", people(), keys=[SMOKER])
    plain("GROUP BY three columns", "SELECT department, sex, smoker, COUNT(*) AS n, SUM(minutes) AS m FROM visits GROUP BY department, sex, smoker",
          "department:text sex:text smoker:boolean n:number m:number", count(), total(*MINUTES), keys=[DEPARTMENT, SEX, SMOKER])
    band = lambda row: "child" if row["age"] < 18 else "adult" if row["age"] < 65 else "senior"
    text = "CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'senior' END"
    plain("CASE bands", f"SELECT {text} AS band, COUNT(*) AS n FROM visits GROUP BY {text}", "band:text n:number", count(), keys=[(band, ["child", "adult", "senior"])])
    plain("CASE bands without ELSE", "SELECT CASE WHEN age < 18 THEN 'child' END AS band, COUNT(*) AS n FROM visits GROUP BY 1", "band:text n:number",
          count(), keys=[(lambda row: "child" if row["age"] < 18 else None, ["child", None])])
    plain("a condition as group", "SELECT age >= 65 AS old, COUNT(*) AS n FROM visits GROUP BY age >= 65", "old:boolean n:number", count(), keys=[(lambda row: row["age"] >= 65, [True, False])])
    plain("bins by whole division", "SELECT age / 10 AS decade, COUNT(*) AS n FROM visits GROUP BY age / 10", "decade:number n:number", count(), keys=[(lambda row: row["age"] // 10, list(range(12)))])
    # Visits of more than an hour lie in no declared bin.
    plain("bins by FLOOR", "SELECT FLOOR(minutes / 15) * 15 AS quarter, COUNT(*) AS n FROM visits GROUP BY FLOOR(minutes / 15) * 15", "quarter:number n:number",
          count(), keys=[(lambda row: row["minutes"] // 15 * 15, [0, 15, 30, 45, 60])])
    # A division of whole numbers inside FLOOR keeps its fraction: the bin at zero is no wider than the others.
    below = [(lambda row: (row["age"] - 50) // 15 * 15, list(range(-60, 61, 15)))]
    for name, bin in [("FLOOR", "FLOOR((age - 50) / 15) * 15"), ("BIN", "BIN(age - 50, 15)"), ("FLOOR of decimals", "FLOOR((age - 50) / 15.0) * 15")]:
        plain(f"bins below zero by {name}", f"SELECT {bin} AS bin, COUNT(*) AS n FROM visits GROUP BY {bin}", "bin:number n:number", count(), keys=below)
    plain("CEIL of a division of whole numbers", "SELECT CEIL(age / 20) AS up, COUNT(*) AS n FROM visits GROUP BY CEIL(age / 20)", "up:number n:number",
          count(), keys=[(lambda row: -(-row["age"] // 20), list(range(7)))])
    plain("BIN of decimals", "SELECT BIN(cost, 12.5) AS bin, COUNT(*) AS n FROM visits WHERE cost < 100 GROUP BY BIN(cost, 12.5)", "bin:number n:number",
          count(), keys=[(lambda row: row["cost"] // Fraction(25, 2) * Fraction(25, 2), [Fraction(25, 2) * at for at in range(8)])], where=lambda row: row["cost"] < 100)
    bucket = lambda row: 0 if row["cost"] < 50 else 5 if row["cost"] >= 250 else int((row["cost"] - 50) // 50) + 1
    plain("WIDTH_BUCKET", "SELECT WIDTH_BUCKET(cost, 50, 250, 4) AS b, COUNT(*) AS n FROM visits GROUP BY WIDTH_BUCKET(cost, 50, 250, 4)", "b:number n:number",
          count(), keys=[(bucket, list(range(6)))])
    plain("WIDTH_BUCKET of whole numbers, from below zero", "SELECT WIDTH_BUCKET(age - 50, -50, 60, 11) AS b, COUNT(*) AS n FROM visits GROUP BY WIDTH_BUCKET(age - 50, -50, 60, 11)",
          "b:number n:number", count(), keys=[(lambda row: 12 if row["age"] >= 110 else row["age"] // 10 + 1, list(range(13)))])

    # Windows over results.
    by_department = dict((row[0], row[1].value) for row in grouped(v, [DEPARTMENT], count()))
    everything = sum(by_department.values())
    window = lambda name, shown, columns, rows, tail="": cases.add(name, f"SELECT {shown} FROM visits {tail}", columns, rows)
    window("percent of a total", "department, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS percent", "department:text percent:number",
           [[name, Number(Fraction(100 * n, everything))] for name, n in by_department.items()], "GROUP BY department")
    cells = {(row[0], row[1]): row[2].value for row in grouped(v, [DEPARTMENT, SEX], count())}
    window("percent within a group", "department, sex, ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY department), 2) AS percent", "department:text sex:text percent:number",
           [[d, s, Number(Fraction(int(Fraction(10000 * n, sum(cells[d, other] for other in SEX[1])) + Fraction(1, 2)), 100))] for (d, s), n in cells.items()], "GROUP BY department, sex")
    order = sorted(by_department, key=lambda name: -by_department[name])
    window("ranks", "department, COUNT(*) AS n, RANK() OVER (ORDER BY COUNT(*) DESC) AS place", "department:text n:number place:number",
           [[name, by_department[name], at + 1] for at, name in enumerate(order)], "GROUP BY department ORDER BY place")
    window("the two largest", "department, COUNT(*) AS n", "department:text n:number", [[name, by_department[name]] for name in order[:2]],
           "GROUP BY department QUALIFY ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC) <= 2 ORDER BY n DESC")
    decades = [row[1].value for row in grouped(v, [(lambda row: row["age"] // 10, list(range(12)))], count())]
    window("running totals", "BIN(age, 10) AS from_age, SUM(COUNT(*)) OVER (ORDER BY BIN(age, 10)) AS upto", "from_age:number upto:number",
           [[10 * at, sum(decades[:at + 1])] for at in range(12)], "GROUP BY BIN(age, 10)")
    window("changes from one group to the next", "BIN(age, 10) AS from_age, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY BIN(age, 10)) AS change", "from_age:number change:number",
           [[10 * at, decades[at] - decades[at - 1] if at else Number(None)] for at in range(12)], "GROUP BY BIN(age, 10)")
    mean = Fraction(sum(decades), 12)
    window("against the average of the groups", "BIN(age, 10) AS from_age, COUNT(*) / AVG(COUNT(*)) OVER () AS times", "from_age:number times:number",
           [[10 * at, Number(n / mean)] for at, n in enumerate(decades)], "GROUP BY BIN(age, 10)")

    # One row of each patient, worked out of the patient's own visits.
    def patients(where=lambda row: True, **folds):
        rows = {}
        for row in v:
            if where(row):
                rows.setdefault(row["patient"], []).append(row)
        return [{"patient": patient, **{name: fold(own) for name, fold in folds.items()}} for patient, own in rows.items()]

    def each(name, inner, outer, columns, rows, *answers, keys=(), tail=""):
        cases.add(name, f"SELECT {outer} FROM ({inner}) AS each_patient{tail}", columns, grouped(rows, list(keys), *answers))

    visits_of = "SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient"
    own = patients(n=len)
    few = lambda row: min(row["n"], 5)
    each("visits of a patient", visits_of, "AVG(LEAST(n, 10)) AS a, COUNT(*) AS people", "a:number people:number", own, average(lambda row: min(row["n"], 10), 1, 10), count())
    each("how many patients have how many visits", visits_of, "LEAST(n, 5) AS visits, COUNT(*) AS people", "visits:number people:number", own, count(),
         keys=[(few, list(range(1, 6)))], tail=" GROUP BY LEAST(n, 5)")
    each("a quantile of the visits of a patient", visits_of, "PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY LEAST(n, 20)) AS q", "q:number", own,
         quantile("0.9", lambda row: min(row["n"], 20), 1, 20))
    spent = patients(total=lambda rows: sum(on_grid(row["cost"], *COST[1:]) for row in rows))
    each("what a patient costs", "SELECT patient, SUM(cost) AS total FROM visits GROUP BY patient", "SUM(LEAST(total, 1000)) AS a, STDDEV(LEAST(total, 1000)) AS s", "a:number s:number",
         spent, total(lambda row: min(row["total"], 1000), 0, 1000, Fraction(1, 20)), variance(lambda row: min(row["total"], 1000), 0, 1000, Fraction(1, 20), sample=True, root=True))
    mean = patients(mean=lambda rows: Fraction(sum(on_grid(row["minutes"], 0, 60) for row in rows), len(rows)))
    each("the average of averages", "SELECT patient, AVG(minutes) AS mean FROM visits GROUP BY patient", "SUM(ROUND(mean, 1)) AS a", "a:number", mean,
         total(lambda row: Fraction(int(row["mean"] * 10 + Fraction(1, 2)), 10), 0, 60, Fraction(1, 10)))
    first = patients(sex=lambda rows: min((row["sex"] for row in rows if row["sex"]), default=None), age=lambda rows: max(row["age"] for row in rows))
    each("keys of a patient", "SELECT patient, MIN(sex) AS sex, MAX(age) AS age FROM visits GROUP BY patient", "sex, COUNT(*) AS people, AVG(age) AS a", "sex:text people:number a:number",
         first, count(), average(*AGE), keys=[SEX], tail=" GROUP BY sex")
    def of_row(rows, value, by, largest=False):
        """The value of the row with the smallest or largest of another; of equal ones the smallest value, NULL last."""
        rows = [row for row in rows if row[by] is not None]
        best = (max if largest else min)((row[by] for row in rows), default=None)
        return min((row[value] for row in rows if row[by] == best), key=lambda value: (value is None, value or ""), default=None)

    first = patients(first=lambda rows: of_row(rows, "department", "minutes"), last=lambda rows: of_row(rows, "department", "minutes", True))
    each("the departments of the shortest and the longest visit", "SELECT patient, MIN_BY(department, minutes) AS first, MAX_BY(department, minutes) AS last FROM visits GROUP BY patient",
         "first, COUNT(*) AS people, COUNT(*) FILTER (WHERE first <> last) AS moved", "first:text people:number moved:number", first, count(),
         count(lambda row: None not in (row["first"], row["last"]) and row["first"] != row["last"]), keys=[(of("first"), DEPARTMENTS)], tail=" GROUP BY first")
    longest = patients(last=lambda rows: of_row([row for row in rows if row["smoker"]], "age", "minutes", True))
    each("the age at the longest visit as a smoker", "SELECT patient, ARG_MAX(age, minutes) FILTER (WHERE smoker) AS age FROM visits GROUP BY patient",
         "AVG(age) AS a, COUNT(age) AS n", "a:number n:number", longest, average(of("last"), *AGE[1:]), count(lambda row: row["last"] is not None))
    known = patients(d=lambda rows: len({row["department"] for row in rows} & set(DEPARTMENTS)))
    each("departments of a patient", "SELECT patient, COUNT(DISTINCT department) AS d FROM visits GROUP BY patient", "d, COUNT(*) AS people", "d:number people:number", known, count(),
         keys=[(of("d"), list(range(6)))], tail=" GROUP BY d")
    short = patients(lambda row: row["minutes"] < 30, n=len, longest=lambda rows: max(row["minutes"] for row in rows))
    each("conditions inside and outside", "SELECT patient, COUNT(*) AS n, MAX(minutes) AS longest FROM visits WHERE minutes < 30 GROUP BY patient HAVING COUNT(*) >= 2",
         "COUNT(*) AS people, SUM(longest) AS s", "people:number s:number", [row for row in short if row["n"] >= 2 and row["longest"] > 20], count(), total(lambda row: row["longest"], 0, 60),
         tail=" WHERE longest > 20")
    smoked = patients(k=lambda rows: sum(1 for row in rows if row["smoker"]), n=len)
    each("a FILTER inside", "SELECT patient, COUNT(*) FILTER (WHERE smoker) AS k, COUNT(*) AS n FROM visits GROUP BY patient", "COUNT(*) FILTER (WHERE 2 * k > n) AS mostly", "mostly:number",
         smoked, count(lambda row: 2 * row["k"] > row["n"]))

    # Functions of numbers, on the grid that ROUND gives them.
    of_cost = lambda compute, digits: lambda row: Fraction(round(compute(float(row["cost"])) * 10**digits), 10**digits)
    once("SQRT", total(of_cost(math.sqrt, 2), 0, 20, Fraction(1, 100)), "SUM(ROUND(SQRT(cost), 2))")
    once("LN", average(of_cost(lambda cost: math.log(cost + 1), 3), 0, Fraction(5994, 1000), Fraction(1, 1000)), "AVG(ROUND(LN(cost + 1), 3))")
    once("EXP", total(of_cost(lambda cost: math.exp(-cost / 100), 3), Fraction(18, 1000), 1, Fraction(1, 1000)), "SUM(ROUND(EXP(-cost / 100), 3))")
    once("POWER", total(lambda row: min(row["minutes"], 60) ** 2, 0, 3600), "SUM(ROUND(POWER(LEAST(minutes, 60), 2)))")
    mean = average(of_cost(lambda cost: math.log(cost + 1), 3), 0, Fraction(5994, 1000), Fraction(1, 1000))
    once("a geometric mean", lambda rows: Number(Fraction(math.exp(mean(rows).value)).limit_denominator(10**9) - 1), "EXP(AVG(ROUND(LN(cost + 1), 3))) - 1")
    once("a root of a result", lambda rows: Number(Fraction(math.sqrt(average(lambda row: row["age"] ** 2, 0, 12100)(rows).value)).limit_denominator(10**9)),
         "SQRT(AVG(age * age))")

    plain("every value of a short range", "SELECT minutes % 5 AS last, COUNT(*) AS n FROM visits WHERE minutes <= 60 GROUP BY minutes % 5", "last:number n:number",
          count(), keys=[(lambda row: row["minutes"] % 5, list(range(5)))], where=lambda row: row["minutes"] <= 60)

    # Several groupings at once.
    keys, both = [DEPARTMENT, SEX], "SELECT department, sex, COUNT(*) AS n, AVG(age) AS a FROM visits GROUP BY "
    shown = "department:text sex:text n:number a:number"
    sets = lambda name, sql, members: cases.add(name, both + sql, shown, levels(v, keys, members, count(), average(*AGE)))
    sets("ROLLUP", "ROLLUP (department, sex)", [{0, 1}, {0}, set()])
    sets("CUBE", "CUBE (department, sex)", [{0, 1}, {0}, {1}, set()])
    sets("GROUPING SETS", "GROUPING SETS ((department), (sex), ())", [{0}, {1}, set()])
    # GROUPING(x) is 1 where a row is about all keys of x.
    told = [[*row[:2], int(row[0] == ALL), int(row[1] == ALL), row[2]] for row in levels(v, keys, [{0, 1}, {0}, {1}, set()], count())]
    cases.add("GROUPING", "SELECT department, sex, GROUPING(department) AS d, GROUPING(sex) AS s, COUNT(*) AS n FROM visits GROUP BY CUBE (department, sex)",
              "department:text sex:text d:number s:number n:number", told)
    cases.add("GROUPING decides what is shown",
              "SELECT sex, department, GROUPING(sex) * 10 + GROUPING(department) AS g, COUNT(*) AS n FROM visits GROUP BY ROLLUP (department, sex) "
              "HAVING GROUPING(sex) = 1 ORDER BY GROUPING(department) DESC, n DESC LIMIT 3",
              "sex:text department:text g:number n:number",
              [[row[1], row[0], 10 * row[3] + row[2], row[4]] for row in sorted(told, key=lambda row: (-row[2], -row[4].value)) if row[3]][:3])
    cases.add("GROUPING without several groupings", "SELECT sex, GROUPING(sex) AS g, COUNT(*) AS n FROM visits GROUP BY sex",
              "sex:text g:number n:number", [[row[0], 0, row[1]] for row in grouped(v, [SEX], count())])

    # Coarser columns that follow from keys: only the combinations that exist.
    fields = dict(zip(DEPARTMENTS, ["medicine", "medicine", "surgery", "children", "medicine"]))
    houses = {"medicine": "main", "surgery": "main", "children": "park"}
    house, field = (lambda row: houses.get(fields.get(row["department"])), ["main", "park"]), (lambda row: fields.get(row["department"]), ["medicine", "surgery", "children"])
    exists = lambda house, field, department, *others: (department == ALL or fields[department] == field) and (field == ALL or houses[field] == house)
    nested = [house, field, DEPARTMENT]
    cases.add("ROLLUP over coarser columns", "SELECT house, field, department, COUNT(*) AS n, AVG(age) AS a FROM visits GROUP BY ROLLUP (house, field, department)",
              "house:text field:text department:text n:number a:number",
              levels(v, nested, [{0, 1, 2}, {0, 1}, {0}, set()], count(), average(*AGE), exists=exists))
    cases.add("a coarser column beside another group", "SELECT house, field, department, sex, COUNT(DISTINCT patient) AS p FROM visits GROUP BY house, field, department, sex",
              "house:text field:text department:text sex:text p:number", grouped(v, [*nested, SEX], people(), exists=exists))
    plain("a coarser column alone", "SELECT field, COUNT(*) AS n FROM visits WHERE house = 'main' GROUP BY field", "field:text n:number",
          count(), keys=[field], where=lambda row: house[0](row) == "main")

    # WHERE.
    for name, condition, where in [
        ("LIKE", "department LIKE '%ology'", lambda row: (row["department"] or "").endswith("ology")),
        ("NOT LIKE and _", "patient NOT LIKE 'P-_____'", lambda row: not (row["patient"].startswith("P-") and len(row["patient"]) == 7)),
        ("ILIKE", "department ILIKE 'CARD%'", lambda row: row["department"].lower().startswith("card")),
        ("IN", "department IN ('pilot', 'neurology', 'nowhere')", lambda row: row["department"] in ("pilot", "neurology")),
        ("NOT IN and NULL", "sex NOT IN ('F')", lambda row: row["sex"] == "M"),
        ("BETWEEN", "age BETWEEN 18 AND 64", lambda row: 18 <= row["age"] <= 64),
        ("WHERE sees values beyond their bounds", "minutes > 60 AND cost > 400", lambda row: row["minutes"] > 60 and row["cost"] > 400),
        ("CASE in WHERE", "minutes > CASE WHEN department = 'cardiology' THEN 40 ELSE 20 END", lambda row: row["minutes"] > (40 if row["department"] == "cardiology" else 20)),
        ("arithmetics in WHERE", "minutes * 3 - age / 2 > 40 + minutes % 3", lambda row: row["minutes"] * 3 - row["age"] // 2 > 40 + row["minutes"] % 3),
        ("division by zero in WHERE", "100 / (minutes - 20) > 10", lambda row: row["minutes"] != 20 and int(Fraction(100, row["minutes"] - 20)) > 10),
        ("IS NULL", "smoker IS NULL OR sex IS NULL", lambda row: row["smoker"] is None or row["sex"] is None),
        ("NOT of what is unknown", "NOT smoker", lambda row: row["smoker"] is False),
        ("IS NOT TRUE", "smoker IS NOT TRUE", lambda row: row["smoker"] is not True),
        ("functions of a row", "UPPER(sex) = 'F' AND ABS(age - 40) <= 10 AND COALESCE(smoker, TRUE)", lambda row: row["sex"] == "F" and abs(row["age"] - 40) <= 10 and row["smoker"] is not False),
        ("rounding in WHERE", "ROUND(cost / 10) * 10 = 150", lambda row: 145 <= row["cost"] < 155),
        ("CAST", "CAST(cost AS BIGINT) % 2 = 0 AND CAST(sex AS BIGINT) IS NULL", lambda row: int(row["cost"]) % 2 == 0),
    ]:
        plain(f"WHERE: {name}", f"SELECT COUNT(*) AS n FROM visits WHERE {condition}", "n:number", count(), where=where)

    # Caps: decided whatever rows are kept.
    visits_of = {}
    for row in v:
        visits_of.setdefault(row["patient"], []).append(row)
    cases.add("caps: rows", "SELECT COUNT(*) AS n FROM visits", "n:number", [[sum(min(len(rows), 2) for rows in visits_of.values())]], policy="capped")
    cases.add("caps: people", "SELECT COUNT(DISTINCT patient) AS n FROM visits WHERE minutes > 30", "n:number", [[len({row["patient"] for row in v if row["minutes"] > 30})]], policy="capped")
    cases.add("caps: equal values", "SELECT SUM(CASE WHEN minutes > 30 THEN 7 END) AS s FROM visits WHERE minutes > 30", "s:number",
              [[sum(7 * min(sum(row["minutes"] > 30 for row in rows), 2) for rows in visits_of.values())]], policy="capped")
    joins(cases, v)
    dates(cases)
    cases.write("clinic.toml")


def joins(cases, v):
    s = list(stays())
    meet = [{**stay, **visit} for visit in v for stay in s if visit["patient"] == stay["patient"]]
    on = "visits JOIN stays ON visits.patient = stays.patient"
    cases.add("JOIN of protected tables", f"SELECT COUNT(*) AS n, COUNT(DISTINCT visits.patient) AS p, SUM(fee) AS f FROM {on}", "n:number p:number f:number",
              grouped(meet, [], count(), people(), total(*FEE)))
    cases.add("JOIN USING", "SELECT ward, sex, COUNT(*) AS n, AVG(minutes) AS m FROM visits JOIN stays USING (patient) GROUP BY ward, sex", "ward:text sex:text n:number m:number",
              grouped(meet, [(of("ward"), ["north", "south"]), SEX], count(), average(*MINUTES)))
    cases.add("JOIN with conditions on both sides", f"SELECT COUNT(DISTINCT stays.patient) AS p FROM {on} WHERE fee > 100 AND age >= 65", "p:number",
              grouped([row for row in meet if row["fee"] is not None and row["fee"] > 100 and row["age"] >= 65], [], people()))
    places = lookup("departments.csv", "department")
    none = {"building": None, "floor": None}
    all_rows = [{**row, **places.get(row["department"], none)} for row in v]
    for row in all_rows:
        row["floor"] = int(row["floor"]) if row["floor"] else None
    building = (of("building"), ["A", "B", None])
    inner = [row for row in all_rows if row["building"]]
    with_places = "JOIN departments ON visits.department = departments.department"
    columns = "building:text n:number f:number"
    sql = "SELECT building, COUNT(*) AS n, SUM(floor) AS f FROM visits {} GROUP BY building"
    cases.add("JOIN of a public table", sql.format(with_places), columns, grouped(inner, [building], count(), total(of("floor"), 0, 5)))
    cases.add("LEFT JOIN of a public table", sql.format("LEFT " + with_places), columns, grouped(all_rows, [building], count(), total(of("floor"), 0, 5)))
    cases.add("JOIN of three tables", f"SELECT building, COUNT(*) AS n FROM visits {with_places} JOIN stays ON stays.patient = visits.patient WHERE floor < 3 GROUP BY building",
              "building:text n:number", grouped([{**row, **stay} for row in inner if row["floor"] < 3 for stay in s if stay["patient"] == row["patient"]], [building], count()))
    cases.add("a subquery that is joined", "SELECT COUNT(*) AS n FROM (SELECT patient FROM visits WHERE age < 18) AS young JOIN stays ON young.patient = stays.patient WHERE ward = 'north'",
              "n:number", grouped([row for row in meet if row["age"] < 18 and row["ward"] == "north"], [], count()))


def dates(cases):
    # A row without a patient belongs to nobody and does not count.
    s = [row for row in stays() if row["patient"]]
    first, last = date(2023, 1, 1), date(2024, 12, 31)
    plain = lambda name, what, columns, *answers, where=lambda row: True, condition="", keys=(), group="": cases.add(
        name, f"SELECT {what} FROM stays {condition}{group}", columns, grouped([row for row in s if where(row)], list(keys), *answers))
    months = [date(year, month, 1) for year in (2023, 2024) for month in range(1, 13)]
    # A day beyond the bounds lies in no declared month.
    plain("date_trunc to months", "DATE_TRUNC('month', admitted) AS month, COUNT(*) AS n", "month:date n:number", count(),
          keys=[(lambda row: row["admitted"] and row["admitted"].replace(day=1), months)], group=" GROUP BY DATE_TRUNC('month', admitted)")
    plain("date_trunc of a time", "DATE_TRUNC('year', discharged) AS year, COUNT(*) AS n", "year:date n:number", count(),
          keys=[(lambda row: row["discharged"] and date(row["discharged"].year, 1, 1), [date(2023, 1, 1), date(2024, 1, 1), date(2025, 1, 1)])],
          group=" GROUP BY DATE_TRUNC('year', discharged)")
    plain("extract", "EXTRACT(year FROM admitted) AS y, EXTRACT(quarter FROM admitted) AS q, COUNT(*) AS n", "y:number q:number n:number", count(),
          keys=[(lambda row: row["admitted"] and row["admitted"].year, [2023, 2024]), (lambda row: row["admitted"] and (row["admitted"].month + 2) // 3, [1, 2, 3, 4])],
          group=" GROUP BY EXTRACT(year FROM admitted), EXTRACT(quarter FROM admitted)")
    plain("YEAR() and QUARTER()", "YEAR(admitted) AS y, QUARTER(admitted) AS q, COUNT(*) AS n", "y:number q:number n:number", count(),
          keys=[(lambda row: row["admitted"] and row["admitted"].year, [2023, 2024]), (lambda row: row["admitted"] and (row["admitted"].month + 2) // 3, [1, 2, 3, 4])],
          group=" GROUP BY YEAR(admitted), QUARTER(admitted)")
    plain("MONTH() of a time", "MONTH(discharged) AS m, COUNT(*) AS n", "m:number n:number", count(),
          keys=[(lambda row: row["discharged"] and row["discharged"].month, list(range(1, 13)))], group=" GROUP BY MONTH(discharged)")
    plain("extract the weekday, from Sunday, 0", "EXTRACT(dow FROM admitted) AS d, COUNT(*) AS n", "d:number n:number", count(),
          keys=[(lambda row: row["admitted"] and row["admitted"].isoweekday() % 7, list(range(7)))], group=" GROUP BY EXTRACT(dow FROM admitted)")
    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    names = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
    weekday = lambda row: row["admitted"] and row["admitted"].isoweekday()
    plain("extract the weekday, from Monday, 1", "EXTRACT(isodow FROM admitted) AS d, COUNT(*) AS n", "d:number n:number", count(),
          keys=[(weekday, list(range(1, 8)))], group=" GROUP BY EXTRACT(isodow FROM admitted)")
    plain("names of weekdays", "DAYNAME(admitted) AS d, COUNT(*) AS n", "d:text n:number", count(),
          keys=[(lambda row: weekday(row) and days[weekday(row) - 1], days)], group=" GROUP BY DAYNAME(admitted)")
    plain("names of months, of a time", "MONTHNAME(discharged) AS m, COUNT(*) AS n", "m:text n:number", count(),
          keys=[(lambda row: row["discharged"] and names[row["discharged"].month - 1], names)], group=" GROUP BY MONTHNAME(discharged)")
    plain("TO_CHAR to months", "TO_CHAR(admitted, 'YYYY-MM') AS month, COUNT(*) AS n", "month:text n:number", count(),
          keys=[(lambda row: row["admitted"] and row["admitted"].strftime("%Y-%m"), [month.strftime("%Y-%m") for month in months])], group=" GROUP BY TO_CHAR(admitted, 'YYYY-MM')")
    plain("TO_CHAR with filled names", "TO_CHAR(admitted, 'Day') AS d, COUNT(*) AS n", "d:text n:number", count(),
          keys=[(lambda row: weekday(row) and days[weekday(row) - 1].ljust(9), [day.ljust(9) for day in days])], group=" GROUP BY TO_CHAR(admitted, 'Day')")
    plain("TO_CHAR in conditions", "COUNT(*) AS n", "n:number", count(), condition=" WHERE TO_CHAR(discharged, 'FMMon FMDD \"at\" HH24') < 'Feb 2 at 12'",
          where=lambda row: row["discharged"] and f'{names[row["discharged"].month - 1][:3]} {row["discharged"].day} at {row["discharged"].hour:02}' < "Feb 2 at 12")
    plain("weekdays in conditions", "COUNT(*) AS n, COUNT(*) FILTER (WHERE DAYNAME(admitted) = 'Sunday') AS sundays, COUNT(*) FILTER (WHERE DATE_PART('isodow', admitted) = 6) AS saturdays",
          "n:number sundays:number saturdays:number", count(), count(lambda row: weekday(row) == 7), count(lambda row: weekday(row) == 6),
          where=lambda row: weekday(row) is not None and weekday(row) >= 3, condition=" WHERE ISODOW(admitted) >= 3")
    plain("extract the hour", "EXTRACT(hour FROM discharged) >= 12 AS afternoon, COUNT(*) AS n", "afternoon:boolean n:number", count(),
          where=lambda row: row["discharged"] is not None, condition=" WHERE discharged IS NOT NULL",
          keys=[(lambda row: row["discharged"].hour >= 12, [True, False])], group=" GROUP BY EXTRACT(hour FROM discharged) >= 12")
    known = [min(max(row["admitted"], first), last) for row in s if row["admitted"]]
    times = [row["discharged"] for row in s if row["discharged"]]
    highest = datetime(2025, 1, 31, 23, 59, 59, 999999)
    cases.add("MIN and MAX of dates and times", f"SELECT MIN(admitted) AS a, MAX(admitted) AS b, MIN(discharged) AS c, MAX(discharged) AS d FROM stays",
              "a:date b:date c:timestamp d:timestamp", [[min(known), max(known), min(times), min(max(times), highest)]])
    half = sorted(min(max(row["admitted"], first), last) for row in s if row["admitted"] and row["ward"])
    assert len(half) % 2 and len(half) * 9 % 10
    cases.add("MEDIAN and quantiles of dates", "SELECT MEDIAN(admitted) AS m, PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY admitted) AS q FROM stays WHERE ward IS NOT NULL",
              "m:date q:date", [[half[len(half) // 2], half[len(half) * 9 // 10]]])
    plain("dates compared", "COUNT(*) AS n", "n:number", count(), condition=" WHERE admitted >= DATE '2023-06-01' AND discharged < TIMESTAMP '2024-03-01 12:00:00'",
          where=lambda row: row["admitted"] and row["discharged"] and row["admitted"] >= date(2023, 6, 1) and row["discharged"] < datetime(2024, 3, 1, 12))
    plain("what is no date is NULL", "COUNT(*) AS n, COUNT(admitted) AS a, COUNT(discharged) AS d, COUNT(fee) AS f", "n:number a:number d:number f:number",
          count(), count(lambda row: row["admitted"] is not None), count(lambda row: row["discharged"] is not None), count(lambda row: row["fee"] is not None))
    length = lambda row: (row["discharged"].date() - row["admitted"]).days if row["admitted"] and row["discharged"] else None
    plain("DATE_DIFF", "SUM(ROUND(LEAST(GREATEST(DATE_DIFF('day', admitted, CAST(discharged AS DATE)), 0), 10))) AS days, "
          "SUM(DATE_DIFF('day', DATE '2023-01-01', admitted)) AS since", "days:number since:number", total(length, 0, 10),
          total(lambda row: row["admitted"] and (row["admitted"] - first).days, 0, 730))
    plain("a decimal comma, and values on a coarser grid", "SUM(fee) AS f, MIN(fee) AS a, MAX(fee) AS b", "f:number a:number b:number", total(*FEE), least(*FEE), greatest(*FEE))


def people_of(path):
    names = ["age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship", "race", "sex",
             "capital_gain", "capital_loss", "hours_per_week", "native_country", "income"]
    with open(path, encoding="utf-8") as file:
        for line in file:
            fields = [field.strip() for field in line.split(",")]
            if len(fields) == len(names):
                row = {name: None if field == "?" else field for name, field in zip(names, fields)}
                yield {**row, **{name: int(row[name]) for name in ("age", "education_num", "hours_per_week", "capital_gain")}}


def adult(path):
    cases, a = Cases(ABOUT), list(people_of(path))
    plain = lambda name, what, columns, *answers, where=lambda row: True, keys=(), tail="": cases.add(
        name, f"SELECT {what} FROM adult{tail}", columns, grouped([row for row in a if where(row)], list(keys), *answers))
    years, hours, gain = (of("age"), 17, 90), (of("hours_per_week"), 1, 60), (of("capital_gain"), 0, 20000, 200)
    sex, income = (of("sex"), ["Female", "Male"]), (of("income"), ["<=50K", ">50K"])
    work = (of("workclass"), ["Private", "Federal-gov", "State-gov", "Local-gov", None])
    plain("counts", "COUNT(*) AS n, COUNT(workclass) AS w, COUNT(occupation) AS o", "n:number w:number o:number",
          count(), count(lambda row: row["workclass"]), count(lambda row: row["occupation"]))
    plain("SUM and AVG", "SUM(age) AS s, AVG(age) AS m, SUM(hours_per_week) AS h, AVG(hours_per_week) AS w", "s:number m:number h:number w:number",
          total(*years), average(*years), total(*hours), average(*hours))
    plain("a decimal on a coarse grid", "SUM(capital_gain) AS s, AVG(capital_gain) AS m, MAX(capital_gain) AS x", "s:number m:number x:number", total(*gain), average(*gain), greatest(*gain))
    plain("spreads", "VAR_POP(age) AS a, VAR_SAMP(age) AS b, STDDEV_POP(age) AS c, STDDEV_SAMP(hours_per_week) AS d", "a:number b:number c:number d:number",
          variance(*years), variance(*years, sample=True), variance(*years, root=True), variance(*hours, sample=True, root=True))
    plain("how hours go with age, by sex", "sex, REGR_SLOPE(hours_per_week, age) AS a, REGR_INTERCEPT(hours_per_week, age) AS b, REGR_R2(hours_per_week, age) AS c, CORR(age, hours_per_week) AS d, COVAR_POP(age, hours_per_week) AS e", "sex:text a:number b:number c:number d:number e:number",
          least_squares(0, hours, years), least_squares("intercept", hours, years), least_squares("explained", hours, years), correlation(years, hours), covariance(years, hours), keys=[sex], tail=" GROUP BY sex")
    rich, woman = (lambda row: int(row["income"] == ">50K"), 0, 1), (lambda row: int(row["sex"] == "Female"), 0, 1)
    plain("a fit on several", "REGR_SLOPE(income = '>50K', age, hours_per_week, sex = 'Female') AS a, REGR_SLOPE(income = '>50K', sex = 'Female', age, hours_per_week) AS b, REGR_INTERCEPT(income = '>50K', age, hours_per_week, sex = 'Female') AS c, REGR_R2(income = '>50K', age, hours_per_week, sex = 'Female') AS d", "a:number b:number c:number d:number",
          least_squares(0, rich, years, hours, woman), least_squares(2, rich, years, hours, woman), least_squares("intercept", rich, years, hours, woman), least_squares("explained", rich, years, hours, woman), where=lambda row: row["income"] in income[1] and row["sex"] in sex[1])
    plain("extremes and median by sex", "sex, MIN(age) AS a, MAX(hours_per_week) AS b, MEDIAN(age) AS c", "sex:text a:number b:number c:number",
          least(*years), greatest(*hours), quantile("1/2", *years), keys=[sex], tail=" GROUP BY sex")
    plain("quantiles", "approx_percentile_cont(age, 0.9) AS a, percentile_cont(0.25) WITHIN GROUP (ORDER BY hours_per_week) AS b", "a:number b:number",
          quantile("9/10", *years), quantile("1/4", *hours))
    plain("several quantiles of one column", "income, PERCENTILE_CONT(age, 0.1) AS a, PERCENTILE_CONT(age, 0.5) AS b, PERCENTILE_CONT(age, 0.9) AS c", "income:text a:number b:number c:number",
          quantile("1/10", *years), quantile("1/2", *years), quantile("9/10", *years), keys=[income], tail=" GROUP BY income")
    rich = lambda row: row["income"] == ">50K"
    plain("FILTER", "sex, COUNT(*) FILTER (WHERE income = '>50K') AS n, AVG(age) FILTER (WHERE income = '>50K') AS m", "sex:text n:number m:number",
          count(rich), average(lambda row: row["age"] if rich(row) else None, 17, 90), keys=[sex], tail=" GROUP BY sex")
    plain("a share as arithmetics", "sex, ROUND(100.0 * COUNT(*) FILTER (WHERE income = '>50K') / COUNT(*), 4) AS percent", "sex:text percent:number", ratio(count(rich), count(), 100), keys=[sex], tail=" GROUP BY sex")
    plain("NULL as a key, others left out", "workclass, income, COUNT(*) AS n", "workclass:text income:text n:number", count(), keys=[work, income], tail=" GROUP BY workclass, income")
    plain("CASE bands", "CASE WHEN hours_per_week < 35 THEN 'part' ELSE 'full' END AS time, COUNT(*) AS n", "time:text n:number",
          count(), keys=[(lambda row: "part" if row["hours_per_week"] < 35 else "full", ["part", "full"])], tail=" GROUP BY 1")
    plain("bins", "FLOOR(age / 10) * 10 AS decade, AVG(hours_per_week) AS h", "decade:number h:number", average(*hours),
          keys=[(lambda row: row["age"] // 10 * 10, list(range(10, 100, 10)))], tail=" GROUP BY FLOOR(age / 10) * 10")
    # 99 hours lie in no bin of what is declared up to 60.
    plain("bins up to the bounds", "hours_per_week / 20 AS b, COUNT(*) AS n", "b:number n:number", count(), keys=[(lambda row: row["hours_per_week"] // 20, [0, 1, 2, 3])], tail=" GROUP BY hours_per_week / 20")
    by_work = sorted(grouped(a, [work], count()), key=lambda row: -row[1].value)
    cases.add("ORDER BY and LIMIT", "SELECT workclass, COUNT(*) AS n FROM adult GROUP BY workclass ORDER BY n DESC LIMIT 3", "workclass:text n:number", by_work[:3])
    cases.add("HAVING", "SELECT workclass, COUNT(*) AS n FROM adult GROUP BY workclass HAVING COUNT(*) < 2000", "workclass:text n:number", [row for row in by_work if row[1].value < 2000])
    shown = "sex:text income:text n:number h:number"
    for name, members in [("ROLLUP", [{0, 1}, {0}, set()]), ("CUBE", [{0, 1}, {0}, {1}, set()])]:
        cases.add(name, f"SELECT sex, income, COUNT(*) AS n, AVG(hours_per_week) AS h FROM adult GROUP BY {name} (sex, income)", shown, levels(a, [sex, income], members, count(), average(*hours)))
    cases.add("GROUPING SETS", "SELECT workclass, sex, COUNT(*) AS n FROM adult GROUP BY GROUPING SETS ((workclass), (workclass, sex))", "workclass:text sex:text n:number",
              levels(a, [work, sex], [{0}, {0, 1}], count()))
    sectors = {"Private": "private", "Federal-gov": "public", "State-gov": "public", "Local-gov": "public"}
    sector = (lambda row: sectors.get(row["workclass"]), ["private", "public", None])
    cases.add("ROLLUP over coarser columns", "SELECT sector, workclass, COUNT(*) AS n, SUM(hours_per_week) AS h FROM adult GROUP BY ROLLUP (sector, workclass)",
              "sector:text workclass:text n:number h:number",
              levels(a, [sector, work], [{0, 1}, {0}, set()], count(), total(*hours),
                     exists=lambda sector, work, *others: work == ALL or sectors.get(work) == sector))
    schools = lookup("educations.csv", "education")
    none = {"stage": None, "years": None}
    every = [{**row, **schools.get(row["education"], none)} for row in a]
    for row in every:
        row["years"] = int(row["years"]) if row["years"] else None
    stage = (of("stage"), ["school", "college", None])
    for name, kind, rows in [("JOIN of a public table", "JOIN", [row for row in every if row["stage"]]), ("LEFT JOIN of a public table", "LEFT JOIN", every)]:
        cases.add(name, f"SELECT stage, COUNT(*) AS n, AVG(years) AS y FROM adult {kind} educations USING (education) GROUP BY stage", "stage:text n:number y:number",
                  grouped(rows, [stage], count(), average(of("years"), 0, 20)))
    for name, condition, where in [
        ("LIKE", "education LIKE '%th' AND workclass NOT LIKE 'Priv%'", lambda row: row["education"].endswith("th") and row["workclass"] and not row["workclass"].startswith("Priv")),
        ("IN and BETWEEN", "age BETWEEN 30 AND 39 AND workclass IN ('State-gov', 'Local-gov')", lambda row: 30 <= row["age"] <= 39 and row["workclass"] in ("State-gov", "Local-gov")),
        ("arithmetics", "age * 2 - hours_per_week / 3 > 100", lambda row: row["age"] * 2 - row["hours_per_week"] // 3 > 100),
        ("IS NULL", "occupation IS NULL AND workclass IS NOT NULL", lambda row: row["occupation"] is None and row["workclass"] is not None),
    ]:
        plain(f"WHERE: {name}", "COUNT(*) AS n", "n:number", count(), where=where, tail=f" WHERE {condition}")
    cases.write("adult.toml")


if __name__ == "__main__":
    clinic()
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "../../../shared/data/adult/adult.data"
    if data.is_file():
        adult(data)
    else:
        print("adult.toml is left as it is: no adult.data")
