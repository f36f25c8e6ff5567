#!/usr/bin/env python3
"""Writes questions.toml: questions as statisticians ask them, and their exact answers, without any SQL engine.

    python3 testdata/questions/questions.py [adult.data]

The answers are worked out as in ../sql/expected.py, whose tables these are. Bounds and steps leave all values as they
are (but the `LEAST` and `ROUND` that a question writes itself). Keys are shown as their labels.
"""

import math
import sys
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "../sql"))

from answers import ALL, Number, average, correlation, count, covariance, grouped, least_squares, levels, people, quantile, ratio, total, variance
from expected import DEPARTMENTS, Cases, lookup, of, people_of, stays, visits

ABOUT = [
    "Questions as statisticians ask them, and their answers before noise: engine-independent. Written by questions.py, which",
    "says how they are worked out. `policy` names the policy beside this file that has the tables. What is `tried` first is",
    "refused with what stands under `because`; `sql` is then the rewrite that is answered.",
]
AGE, MINUTES, COST = (of("age"), 0, 110), (of("minutes"), 0, 240), (of("cost"), 0, 3000, Fraction(1, 100))
NAMES = {"F": "women", "M": "men", None: "unknown"}
SEX = (lambda row: NAMES[row["sex"]], list(NAMES.values()))
DEPARTMENT = (lambda row: row["department"] if row["department"] in DEPARTMENTS else "elsewhere", [*DEPARTMENTS, "elsewhere"])


def bins(value, low, high, width):
    return (lambda row: value(row) // width * width, list(range(low, high + 1, width)))


def only(answer, where):
    """An answer with FILTER (WHERE ...)."""
    return lambda rows: answer([row for row in rows if where(row)])


def minus(a, b):
    return lambda rows: Number(a(rows).value - b(rows).value)


def decimal(value):
    return Decimal(value.numerator) / Decimal(value.denominator)


def ln(value, places=None):
    with localcontext() as context:
        context.prec = 50
        exact = decimal(Fraction(value)).ln()
        return Fraction(exact if places is None else exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def exp(value):
    with localcontext() as context:
        context.prec = 50
        return Number(Fraction(decimal(Fraction(value)).exp()))


def plain(rows):
    """Rows whose numbers are plain fractions, to go on with."""
    return [[cell.value if isinstance(cell, Number) else cell for cell in row] for row in rows]


def each(rows, key="patient"):
    """The rows of each person."""
    found = {}
    for row in rows:
        found.setdefault(row[key], []).append(row)
    return list(found.values())


def rounded(value, places=2):
    """What ROUND makes of a value."""
    return Fraction(Number(value).text(places))


def running(cells):
    upto = 0
    for cell in cells:
        upto += cell
        yield upto


def asker(cases, policy):
    def ask(question, sql, columns, rows, refused=None):
        named = " ".join(column if ":" in column else f"{column}:number" for column in columns.split())
        cases.add(question, sql.strip(), named, rows, policy, refused)
    return ask


def about_visits(cases):
    ask, v, s = asker(cases, "visits"), list(visits()), list(stays())
    smoker, other = (lambda row: row["smoker"] is True), (lambda row: row["smoker"] is False)

    # Counts, shares, rates.
    ask("How many visits were there, and of how many patients?", "SELECT COUNT(*) AS visits, COUNT(DISTINCT patient) AS patients FROM visits",
        "visits patients", grouped(v, [], count(), people()))
    ask("What percentage of all visits does each department have?", """
SELECT department, ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 2) AS percent
FROM visits GROUP BY department ORDER BY percent DESC""", "department:text percent",
        sorted(([name, rounded(100 * n / len(v))] for name, n in plain(grouped(v, [DEPARTMENT], count()))), key=lambda row: -row[1]))
    ask("Of the visits where it is known, what share is by smokers, for women and men?", """
SELECT sex, 100.0 * COUNT(*) FILTER (WHERE smoker) / COUNT(smoker) AS percent
FROM visits GROUP BY sex""", "sex:text percent", grouped(v, [SEX], ratio(count(smoker), count(lambda row: row["smoker"] is not None), 100)))
    ask("How many visits of more than an hour are there per 1,000 visits?", """
SELECT ROUND(1000.0 * COUNT(*) FILTER (WHERE minutes > 60) / COUNT(*), 1) AS per_1000 FROM visits""", "per_1000",
        [[rounded(Fraction(1000 * sum(row["minutes"] > 60 for row in v), len(v)), 1)]])
    ask("What is the rate of visits per 1,000 patients by department?", """
SELECT department, 1000.0 * COUNT(*) / COUNT(DISTINCT patient) AS rate FROM visits GROUP BY department""", "department:text rate",
        grouped(v, [DEPARTMENT], ratio(count(), people(), 1000)))
    ask("What is the prevalence of smoking among each department's patients?", """
SELECT department, COUNT(DISTINCT patient) AS patients,
       100.0 * COUNT(DISTINCT patient) FILTER (WHERE smoker) / COUNT(DISTINCT patient) AS prevalence
FROM visits GROUP BY department""", "department:text patients prevalence", grouped(v, [DEPARTMENT], people(), ratio(people(smoker), people(), 100)))
    ask("What share of the visits does each sex make up, by the total?", """
SELECT sex, COUNT(*) AS n, 100.0 * COUNT(*) / (SELECT COUNT(*) FROM visits) AS percent FROM visits GROUP BY sex""", "sex:text n percent",
        grouped(v, [SEX], count(), lambda rows: Number(Fraction(100 * len(rows), len(v)))))

    # Averages, sums, spreads, quantiles.
    ask("What does a visit cost on average, and with what spread, by sex?", "SELECT sex, AVG(cost) AS mean, STDDEV(cost) AS sd FROM visits GROUP BY sex",
        "sex:text mean sd", grouped(v, [SEX], average(*COST), variance(*COST, sample=True, root=True)))
    ask("Which three departments cost the most in all?", """
SELECT department, SUM(cost) AS total FROM visits GROUP BY department ORDER BY SUM(cost) DESC LIMIT 3""", "department:text total",
        sorted(plain(grouped(v, [DEPARTMENT], total(*COST))), key=lambda row: -row[1])[:3])
    ask("What does a minute cost?", "SELECT SUM(cost) / SUM(minutes) AS per_minute FROM visits", "per_minute", grouped(v, [], ratio(total(*COST), total(*MINUTES))))
    ask("What is the mean age, weighted by the length of the visit?", "SELECT SUM(minutes * age) / SUM(minutes) AS weighted FROM visits", "weighted",
        grouped(v, [], ratio(total(lambda row: row["minutes"] * row["age"], 0, 26400), total(*MINUTES))))
    ask("What is the geometric mean of the costs?", "SELECT EXP(AVG(ROUND(LN(GREATEST(cost, 1)), 3))) AS geometric FROM visits", "geometric",
        [[exp(sum(ln(max(row["cost"], 1), 3) for row in v) / len(v))]])
    ask("How much more do smokers' visits cost than those of others?", """
SELECT AVG(cost) FILTER (WHERE smoker) - AVG(cost) FILTER (WHERE NOT smoker) AS difference FROM visits""", "difference",
        grouped(v, [], minus(only(average(*COST), smoker), only(average(*COST), other))))
    ask("What is the median length of a woman's visit, and of a man's?", """
SELECT MEDIAN(minutes) FILTER (WHERE sex = 'F') AS women, MEDIAN(minutes) FILTER (WHERE sex = 'M') AS men FROM visits""", "women men",
        grouped(v, [], *(only(quantile("1/2", *MINUTES), lambda row, sex=sex: row["sex"] == sex) for sex in "FM")))
    ask("Between which ages lie the middle four fifths?", "SELECT PERCENTILE_CONT(age, 0.1) AS p10, PERCENTILE_CONT(age, 0.9) AS p90 FROM visits", "p10 p90",
        grouped(v, [], quantile("1/10", *AGE), quantile("9/10", *AGE)))
    ask("What is the coefficient of variation of the length of visits?", "SELECT 100 * STDDEV(minutes) / AVG(minutes) AS cv FROM visits", "cv",
        [[Number(Fraction(100 * decimal_root(variance(*MINUTES, sample=True)(v).value)) / average(*MINUTES)(v).value)]])

    # Histograms and tables.
    ask("How are the costs distributed, in steps of 500?", "SELECT BIN(cost, 500) AS from_cost, COUNT(*) AS n FROM visits GROUP BY BIN(cost, 500) ORDER BY from_cost",
        "from_cost n", grouped(v, [bins(of("cost"), 0, 3000, 500)], count()))
    ask("How many visits are in each of four quarters of the first hour, and longer?", """
SELECT WIDTH_BUCKET(minutes, 0, 60, 4) AS quarter, COUNT(*) AS n FROM visits GROUP BY WIDTH_BUCKET(minutes, 0, 60, 4) ORDER BY quarter""", "quarter n",
        grouped(v, [(lambda row: min(row["minutes"] // 15 + 1, 5), list(range(6)))], count()))
    ask("How far are visits from the planned half hour, in steps of 15 minutes?", """
SELECT FLOOR((minutes - 30) / 15) * 15 AS beyond, COUNT(*) AS n FROM visits WHERE minutes <= 120
GROUP BY FLOOR((minutes - 30) / 15) * 15 ORDER BY beyond""", "beyond n",
        grouped([row for row in v if row["minutes"] <= 120], [bins(lambda row: row["minutes"] - 30, -30, 90, 15)], count()))
    ask("How many visits are there by department and sex?", "SELECT department, sex, COUNT(*) AS n FROM visits GROUP BY department, sex", "department:text sex:text n",
        grouped(v, [DEPARTMENT, SEX], count()))
    ask("The same table with totals, and which rows are totals", """
SELECT department, sex, GROUPING(department) + GROUPING(sex) AS level, COUNT(*) AS n, SUM(cost) AS total
FROM visits GROUP BY ROLLUP (department, sex)""", "department:text sex:text level n total",
        [[*row[:2], (row[0] == ALL) + (row[1] == ALL), *row[2:]] for row in levels(v, [DEPARTMENT, SEX], [{0, 1}, {0}, set()], count(), total(*COST))])
    ask("Which departments have a mean visit of more than 25 minutes?", """
SELECT department, AVG(minutes) AS mean FROM visits GROUP BY department HAVING AVG(minutes) > 25 ORDER BY mean DESC""", "department:text mean",
        sorted((row for row in plain(grouped(v, [DEPARTMENT], average(*MINUTES))) if row[1] > 25), key=lambda row: -row[1]))
    ask("How many children, adults and old people came to each department?", """
SELECT department, COUNT(*) FILTER (WHERE age < 18) AS children, COUNT(*) FILTER (WHERE age >= 18 AND age < 65) AS adults,
       COUNT(*) FILTER (WHERE age >= 65) AS old
FROM visits GROUP BY department""", "department:text children adults old",
        grouped(v, [DEPARTMENT], count(lambda row: row["age"] < 18), count(lambda row: 18 <= row["age"] < 65), count(lambda row: row["age"] >= 65)))

    # What acts on results.
    by_cost = sorted(plain(grouped(v, [DEPARTMENT], average(*COST))), key=lambda row: -row[1])
    ask("How do departments rank by their mean cost?", """
SELECT department, ROUND(AVG(cost), 2) AS mean, RANK() OVER (ORDER BY AVG(cost) DESC) AS place FROM visits GROUP BY department ORDER BY place""", "department:text mean place",
        [[row[0], rounded(row[1]), at + 1] for at, row in enumerate(by_cost)])
    decades = plain(grouped(v, [bins(of("age"), 0, 110, 10)], count()))
    ask("How many visits are by patients of up to each decade of age, and what share is that?", """
SELECT BIN(age, 10) AS decade, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY BIN(age, 10)) AS upto,
       100.0 * SUM(COUNT(*)) OVER (ORDER BY BIN(age, 10)) / SUM(COUNT(*)) OVER () AS cumulative
FROM visits GROUP BY BIN(age, 10) ORDER BY decade""", "decade n upto cumulative",
        [[*row, upto, 100 * upto / len(v)] for row, upto in zip(decades, running(row[1] for row in decades))])
    counts = [row[1] for row in plain(grouped(v, [DEPARTMENT], count()))]
    ask("How large is the largest department, how many have more than 1,000 visits, and what is their mean?", """
SELECT MAX(n) AS largest, COUNT(*) FILTER (WHERE n > 1000) AS large, AVG(n) AS mean
FROM (SELECT department, COUNT(*) AS n FROM visits GROUP BY department) AS d""", "largest large mean",
        [[max(counts), sum(n > 1000 for n in counts), sum(counts) / len(counts)]])
    ask("The table by department and smoking, with cells under 100 suppressed", """
SELECT department, smoker, CASE WHEN COUNT(*) >= 100 THEN COUNT(*) END AS n FROM visits GROUP BY department, smoker""", "department:text smoker:boolean n",
        [[*row[:2], Number(row[2]) if row[2] >= 100 else Number(None)] for row in plain(grouped(v, [DEPARTMENT, (of("smoker"), [True, False, None])], count()))])
    weights = {"women": Fraction(1, 2), "men": Fraction(1, 2)}
    means = plain(grouped([row for row in v if row["sex"]], [DEPARTMENT, SEX], average(*COST)))
    ask("What is each department's mean cost, standardised to as many women as men?", """
SELECT department, SUM(mean * CASE sex WHEN 'F' THEN 0.5 WHEN 'M' THEN 0.5 ELSE 0 END) AS standardised
FROM (SELECT department, sex, AVG(cost) AS mean FROM visits WHERE department <> 'pilot' GROUP BY department, sex) AS rates
WHERE sex IS NOT NULL AND department IN ('cardiology', 'neurology') GROUP BY department""", "department:text standardised",
        [[name, sum(weights[sex] * mean for d, sex, mean in means if d == name and sex in weights)] for name in ("cardiology", "neurology")])

    # What is missing.
    ask("For what percentage of visits is the smoking status missing, by department?", """
SELECT department, 100.0 * COUNT(*) FILTER (WHERE smoker IS NULL) / COUNT(*) AS missing FROM visits GROUP BY department""", "department:text missing",
        grouped(v, [DEPARTMENT], ratio(count(lambda row: row["smoker"] is None), count(), 100)))
    fee = (of("fee"), -10, 1000, Fraction(1, 100))
    ask("How many stays have a fee, and what is the mean with and without the missing ones as zero?",
        "SELECT COUNT(*) AS stays, COUNT(fee) AS with_fee, AVG(fee) AS mean, AVG(COALESCE(fee, 0)) AS mean_of_all FROM stays", "stays with_fee mean mean_of_all",
        grouped([row for row in s if row["patient"]], [], count(), count(lambda row: row["fee"] is not None), average(*fee), average(lambda row: row["fee"] or 0, *fee[1:])))

    # One row of each patient.
    patients = each(v)
    sizes = [len(rows) for rows in patients]
    inner = "FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) AS p"
    ask("How many patients came once, twice, ... five times or more?", f"SELECT LEAST(n, 5) AS visits, COUNT(*) AS patients {inner} GROUP BY LEAST(n, 5) ORDER BY visits",
        "visits patients", grouped([{"n": n} for n in sizes], [(lambda row: min(row["n"], 5), list(range(1, 6)))], count()))
    ask("How often does a patient come on average, and what is the median?", f"SELECT AVG(LEAST(n, 20)) AS mean, MEDIAN(LEAST(n, 20)) AS median {inner}", "mean median",
        [[Fraction(sum(sizes), len(sizes)), sorted(sizes)[len(sizes) // 2]]])
    ask("How often do the busiest tenth of the patients come at least?", f"SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY LEAST(n, 20)) AS p90 {inner}", "p90",
        grouped([{"n": n} for n in sizes], [], quantile("9/10", of("n"), 1, 20)))
    ask("What percentage of the patients came more than three times?", f"SELECT 100.0 * COUNT(*) FILTER (WHERE n > 3) / COUNT(*) AS percent {inner}", "percent",
        [[Fraction(100 * sum(n > 3 for n in sizes), len(sizes))]])
    costs = [sum(row["cost"] for row in rows) for rows in patients]
    ask("What does a patient cost in all, on average?", """
SELECT ROUND(AVG(LEAST(total, 3000)), 2) AS mean, 100.0 * COUNT(*) FILTER (WHERE total > 500) / COUNT(*) AS above_500
FROM (SELECT patient, SUM(cost) AS total FROM visits GROUP BY patient) AS p""", "mean above_500",
        [[rounded(sum(min(cost, 3000) for cost in costs) / len(costs)), Fraction(100 * sum(cost > 500 for cost in costs), len(costs))]])
    ask("How many different departments do patients see?", """
SELECT departments, COUNT(*) AS patients
FROM (SELECT patient, COUNT(DISTINCT department) AS departments FROM visits GROUP BY patient) AS p
GROUP BY departments ORDER BY departments""", "departments patients",
        # Declared keys are counted: two patients were in none of these.
        grouped([{"n": len({row["department"] for row in rows} & set(DEPARTMENTS))} for rows in patients], [(of("n"), list(range(0, 6)))], count()))
    firsts = [{"first": min(days).year} for days in ([row["admitted"] for row in rows if row["admitted"]] for rows in each([row for row in s if row["patient"]])) if days]
    ask("In which year was each patient admitted first?", """
SELECT YEAR(first) AS year, COUNT(*) AS patients
FROM (SELECT patient, MIN(admitted) AS first FROM stays GROUP BY patient) AS p WHERE first IS NOT NULL GROUP BY YEAR(first) ORDER BY year""", "year patients",
        grouped(firsts, [(of("first"), [2023, 2024, 2025])], count()))

    # Joins.
    buildings = lookup("departments.csv", "department")
    placed = [{**row, "building": buildings.get(row["department"], {}).get("building")} for row in v]
    ask("How many visits, and what mean cost, has each building?", """
SELECT building, COUNT(*) AS visits, AVG(cost) AS mean FROM visits LEFT JOIN departments USING (department) GROUP BY building""", "building:text visits mean",
        grouped(placed, [(of("building"), ["A", "B", None])], count(), average(*COST)))
    visitors = {row["patient"]: row for row in v}
    both = [row for row in s if row["patient"] in visitors]
    ask("How many of the visiting patients also stayed, by ward?", """
SELECT ward, COUNT(DISTINCT visits.patient) AS patients FROM visits JOIN stays ON visits.patient = stays.patient GROUP BY ward""", "ward:text patients",
        grouped(both, [(of("ward"), ["north", "south"])], people()))

    # Dates.
    owned = [row for row in s if row["patient"]]
    known = [row for row in owned if row["admitted"]]
    months = plain(grouped([row for row in known if row["admitted"].year == 2023], [(lambda row: row["admitted"].month, list(range(1, 13)))], count()))
    ask("How many admissions were there in each month of 2023, and how did they change?", """
SELECT MONTH(admitted) AS month, COUNT(*) AS n, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY MONTH(admitted)) AS change
FROM stays WHERE YEAR(admitted) = 2023 GROUP BY MONTH(admitted) ORDER BY month""", "month n change",
        [[month, n, Number(n - months[at - 1][1] if at else None)] for at, (month, n) in enumerate(months)])
    starts = [date(2023 + at // 12, at % 12 + 1, 1) for at in range(25)]
    ask("How many admissions were there in each month of the period?", """
SELECT DATE_TRUNC('month', admitted) AS month, COUNT(*) AS n FROM stays GROUP BY DATE_TRUNC('month', admitted) ORDER BY month""", "month:date n",
        grouped(known, [(lambda row: row["admitted"].replace(day=1), starts)], count()))
    ask("Which share of the admissions is on a weekend?", "SELECT 100.0 * COUNT(*) FILTER (WHERE ISODOW(admitted) >= 6) / COUNT(admitted) AS percent FROM stays", "percent",
        grouped(known, [], ratio(count(lambda row: row["admitted"].isoweekday() >= 6), count(), 100)))
    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    ask("On which weekdays are patients admitted?", "SELECT DAYNAME(admitted) AS day, COUNT(*) AS n FROM stays GROUP BY DAYNAME(admitted)", "day:text n",
        grouped(known, [(lambda row: days[row["admitted"].weekday()], days)], count()))
    ask("How many admissions were there per quarter?", """
SELECT YEAR(admitted) AS year, QUARTER(admitted) AS quarter, COUNT(*) AS n FROM stays WHERE admitted < DATE '2025-01-01'
GROUP BY YEAR(admitted), QUARTER(admitted) HAVING YEAR(admitted) < 2025 ORDER BY year, quarter""", "year quarter n",
        grouped([row for row in known if row["admitted"].year < 2025], [(lambda row: row["admitted"].year, [2023, 2024]), (lambda row: (row["admitted"].month + 2) // 3, [1, 2, 3, 4])], count()))
    # GREATEST leaves NULL out, so that what is missing has to be left out by WHERE.
    lasting = [{**row, "day": (row["discharged"].date() - row["admitted"]).days} for row in known if row["discharged"]]
    ask("How long is a stay on average, in days, by ward?", """
SELECT ward, AVG(ROUND(LEAST(GREATEST(DATE_DIFF('day', admitted, CAST(discharged AS DATE)), 0), 30))) AS days
FROM stays WHERE admitted IS NOT NULL AND discharged IS NOT NULL GROUP BY ward""", "ward:text days",
        grouped(lasting, [(of("ward"), ["north", "south"])], average(of("day"), 0, 30)))

    # Curves: leaving with a fee is the event, and a stay without one is not followed any longer.
    curve, survival = [], Fraction(1)
    for day in range(0, 13):
        at_risk = sum(min(row["day"], 12) >= day for row in lasting)
        left = sum(min(row["day"], 12) == day and row["fee"] is not None for row in lasting)
        if at_risk:
            survival *= 1 - Fraction(left, at_risk)
        curve.append((day, at_risk, left, survival if at_risk else None))
    day = "BIN(LEAST(GREATEST(DATE_DIFF('day', admitted, CAST(discharged AS DATE)), 0), 12), 1)"
    table = f"""(SELECT day, ended, SUM(n) OVER (ORDER BY day DESC) AS at_risk
      FROM (SELECT {day} AS day,
                   COUNT(*) FILTER (WHERE fee IS NOT NULL) AS ended,
                   COUNT(*) FILTER (WHERE fee IS NOT NULL) + COUNT(*) FILTER (WHERE fee IS NULL) AS n
            FROM stays WHERE admitted IS NOT NULL AND discharged IS NOT NULL GROUP BY 1) AS steps) AS life"""
    ask("The survival curve (Kaplan-Meier) of stays until they end with a fee", f"""
SELECT day, EXP(SUM(LN(1 - ended / at_risk)) OVER (ORDER BY day)) AS survival
FROM {table} WHERE day <= 10 ORDER BY day""", "day survival", [[day, s] for day, _, _, s in curve if day <= 10])
    ask("The life table of the same stays", f"""
SELECT day, at_risk, ended, ROUND(ended / at_risk, 3) AS hazard FROM {table} WHERE day <= 11 ORDER BY day""", "day at_risk ended hazard",
        [[day, risk, left, rounded(Fraction(left, risk), 3)] for day, risk, left, _ in curve if day <= 11])

    # Values that go together.
    ask("How do the length and the cost of visits correlate?", "SELECT CORR(minutes, cost) AS r, COVAR_SAMP(minutes, cost) AS cov FROM visits", "r cov",
        grouped(v, [], correlation(MINUTES, COST), covariance(MINUTES, COST, sample=True)))
    ask("What does a further minute cost, by least squares?", """
SELECT REGR_SLOPE(cost, minutes) AS slope, REGR_INTERCEPT(cost, minutes) AS intercept, REGR_R2(cost, minutes) AS r2 FROM visits""", "slope intercept r2",
        grouped(v, [], least_squares(0, COST, MINUTES), least_squares("intercept", COST, MINUTES), least_squares("explained", COST, MINUTES)))
    ask("And beside age?", "SELECT REGR_SLOPE(cost, minutes, age) AS minute, REGR_SLOPE(cost, age, minutes) AS year FROM visits", "minute year",
        grouped(v, [], least_squares(0, COST, MINUTES, AGE), least_squares(0, COST, AGE, MINUTES)))

    # First tries that are refused, and what is asked instead.
    ask("Let me see some of the data", "SELECT COUNT(*) AS n, AVG(age) AS age, AVG(cost) AS cost FROM visits", "n age cost", grouped(v, [], count(), average(*AGE), average(*COST)),
        refused=("SELECT * FROM visits LIMIT 10", "rows are never published"))
    # The average is asked first, and written as a number then.
    mean = rounded(average(*COST)(v).value)
    ask("How many visits cost more than the average?", f"SELECT COUNT(*) AS n FROM visits WHERE cost > {float(mean)}", "n", [[sum(row["cost"] > mean for row in v)]],
        refused=("SELECT COUNT(*) AS n FROM visits WHERE cost > (SELECT AVG(cost) FROM visits)", "may not depend on other rows"))
    ask("Which departments are there?", "SELECT department, COUNT(*) AS n FROM visits GROUP BY department", "department:text n", grouped(v, [DEPARTMENT], count()),
        refused=("SELECT DISTINCT department FROM visits", "use GROUP BY over declared keys"))
    ask("Which department is the most frequent?", "SELECT department FROM visits GROUP BY department ORDER BY COUNT(*) DESC LIMIT 1", "department:text",
        [max(grouped(v, [DEPARTMENT], count()), key=lambda row: row[1].value)[:1]], refused=("SELECT MODE(department) FROM visits", "the group with the largest noisy count is the mode"))
    ask("How many of the visiting patients stayed in the north ward?", """
SELECT ward, COUNT(DISTINCT visits.patient) AS patients FROM visits JOIN stays USING (patient) WHERE ward = 'north' GROUP BY ward""", "ward:text patients",
        grouped([row for row in both if row["ward"] == "north"], [(of("ward"), ["north"])], people()),
        refused=("SELECT ward, COUNT(*) FROM visits JOIN stays ON visits.department = stays.ward GROUP BY ward", "join on the entity key"))
    # The division and ROUND are in binary floating point, as the language of rows has it: that decides ties such as 2.675.
    speed = lambda row: Fraction(math.floor(min(float(row["cost"]) / row["minutes"], 50) * 100 + 0.5), 100)
    ask("What is the mean cost per minute of a visit?", "SELECT AVG(ROUND(LEAST(GREATEST(cost / minutes, 0), 50), 2)) AS mean FROM visits", "mean",
        [[sum(map(speed, v)) / len(v)]], refused=("SELECT AVG(cost / minutes) AS mean FROM visits", "bound it in the query: LEAST(GREATEST(expression, 0), 100)"))
    ask("List the departments with their patients", "SELECT department, COUNT(DISTINCT patient) AS patients FROM visits GROUP BY department", "department:text patients",
        grouped(v, [DEPARTMENT], people()), refused=("SELECT department, STRING_AGG(patient, ',') FROM visits GROUP BY department", "the function STRING_AGG"))
    ask("What is the dearest visit of each patient, on average?", """
SELECT ROUND(AVG(dearest), 2) AS mean FROM (SELECT patient, MAX(cost) AS dearest FROM visits GROUP BY patient) AS p""", "mean",
        [[rounded(sum(max(row["cost"] for row in rows) for rows in patients) / len(patients))]])
    ask("The mean age in a sample of a tenth", "SELECT AVG(age) AS age FROM visits", "age", grouped(v, [], average(*AGE)),
        refused=("SELECT AVG(age) FROM visits WHERE random() < 0.1", "may depend on the data and the noise alone"))
    stayed = {row["patient"] for row in s if row["patient"]}
    ask("How many of the patients have a stay as well?", "SELECT COUNT(DISTINCT visits.patient) AS patients FROM visits JOIN stays USING (patient)", "patients",
        [[len(stayed & set(visitors))]], refused=("SELECT COUNT(DISTINCT patient) FROM visits WHERE patient IN (SELECT patient FROM stays)", "joined on the entity key, with JOIN"))
    ask("Visits by sex, with a row for all", "SELECT sex, COUNT(*) AS n FROM visits GROUP BY ROLLUP (sex)", "sex:text n", levels(v, [SEX], [{0}, set()], count()),
        refused=("SELECT sex, COUNT(*) FROM visits GROUP BY sex UNION ALL SELECT 'all', COUNT(*) FROM visits", "UNION, INTERSECT or EXCEPT"))
    ask("What part of the visits of each sex is by people over 50?", "SELECT sex, 100.0 * COUNT(*) FILTER (WHERE age > 50) / COUNT(*) AS percent FROM visits GROUP BY sex", "sex:text percent",
        grouped(v, [SEX], ratio(count(lambda row: row["age"] > 50), count(), 100)),
        refused=("SELECT sex, COUNT(*) / (SELECT COUNT(*) FROM visits WHERE age > 50) FROM visits GROUP BY sex", "FILTER (WHERE ...)"))


def decimal_root(value):
    with localcontext() as context:
        context.prec = 50
        return decimal(value).sqrt()


def about_adults(cases, path):
    ask, a = asker(cases, "adult"), list(people_of(path))
    for row in a:
        row["fnlwgt"] = int(row["fnlwgt"])
    years, hours, weight = (of("age"), 17, 90), (of("hours_per_week"), 1, 99), (of("fnlwgt"), 0, 1500000)
    sex, income = (of("sex"), ["Female", "Male"]), (of("income"), ["<=50K", ">50K"])
    rich = lambda row: row["income"] == ">50K"
    man, woman = (lambda row: row["sex"] == "Male"), (lambda row: row["sex"] == "Female")
    ask("How many women and men earn more, and how many less?", "SELECT sex, income, COUNT(*) AS n FROM adult GROUP BY sex, income", "sex:text income:text n", grouped(a, [sex, income], count()))
    ask("What percentage earns more than 50K, by race, highest first?", """
SELECT race, 100.0 * COUNT(*) FILTER (WHERE income = '>50K') / COUNT(*) AS percent FROM adult GROUP BY race ORDER BY percent DESC""", "race:text percent",
        sorted(plain(grouped(a, [(of("race"), ["White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"])], ratio(count(rich), count(), 100))), key=lambda row: -row[1]))
    ask("Mean hours by sex and income, with all totals", "SELECT sex, income, GROUPING(sex) AS all_sexes, COUNT(*) AS n, AVG(hours_per_week) AS hours FROM adult GROUP BY CUBE (sex, income)",
        "sex:text income:text all_sexes n hours", [[*row[:2], int(row[0] == ALL), *row[2:]] for row in levels(a, [sex, income], [{0, 1}, {0}, {1}, set()], count(), average(*hours))])
    ask("What are the median and the ninth decile of age, by income?", "SELECT income, MEDIAN(age) AS median, PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age) AS p90 FROM adult GROUP BY income",
        "income:text median p90", grouped(a, [income], quantile("1/2", *years), quantile("9/10", *years)))
    ask("What are the mean weekly hours in the population, by the survey weight?", "SELECT SUM(fnlwgt * hours_per_week) / SUM(fnlwgt) AS hours FROM adult", "hours",
        grouped(a, [], ratio(total(lambda row: row["fnlwgt"] * row["hours_per_week"], 0, 148500000), total(*weight))))
    ask("How many hours longer do men work than women?", "SELECT AVG(hours_per_week) FILTER (WHERE sex = 'Male') - AVG(hours_per_week) FILTER (WHERE sex = 'Female') AS gap FROM adult", "gap",
        grouped(a, [], minus(only(average(*hours), man), only(average(*hours), woman))))
    ask("What is the geometric mean of weekly hours, by sex?", "SELECT sex, EXP(AVG(ROUND(LN(hours_per_week), 4))) AS geometric FROM adult GROUP BY sex", "sex:text geometric",
        grouped(a, [sex], lambda rows: exp(sum(ln(row["hours_per_week"], 4) for row in rows) / len(rows))))
    n = lambda which, has: sum(which(row) and rich(row) == has for row in a)
    ask("What is the odds ratio of earning more than 50K, men to women?", """
SELECT COUNT(*) FILTER (WHERE sex = 'Male' AND income = '>50K') * COUNT(*) FILTER (WHERE sex = 'Female' AND income = '<=50K')
     / (COUNT(*) FILTER (WHERE sex = 'Male' AND income = '<=50K') * COUNT(*) FILTER (WHERE sex = 'Female' AND income = '>50K')) AS odds
FROM adult""", "odds", [[Fraction(n(man, True) * n(woman, False), n(man, False) * n(woman, True))]])
    ask("How do hours depend on age and sex?", """
SELECT REGR_SLOPE(hours_per_week, age - 40, sex = 'Female') AS age, REGR_SLOPE(hours_per_week, sex = 'Female', age - 40) AS woman,
       REGR_INTERCEPT(hours_per_week, age - 40, sex = 'Female') AS at_40, REGR_R2(hours_per_week, age - 40, sex = 'Female') AS explained
FROM adult""", "age woman at_40 explained",
        grouped(a, [], *(least_squares(of, hours, *xs) for age, female in [((lambda row: row["age"] - 40, -23, 50), (lambda row: int(woman(row)), 0, 1))]
                         for of, xs in [(0, (age, female)), (0, (female, age)), ("intercept", (age, female)), ("explained", (age, female))])))
    levels_of = plain(grouped(a, [(of("education_num"), list(range(1, 17)))], count()))
    ask("How many people have at most so many years of education, as a share?", """
SELECT education_num, COUNT(*) AS n, 100.0 * SUM(COUNT(*)) OVER (ORDER BY education_num) / SUM(COUNT(*)) OVER () AS cumulative
FROM adult GROUP BY education_num ORDER BY education_num""", "education_num n cumulative",
        [[*row, 100 * upto / len(a)] for row, upto in zip(levels_of, running(row[1] for row in levels_of))])
    ask("Which are the five most frequent levels of education?", """
SELECT education_num, n FROM (SELECT education_num, COUNT(*) AS n FROM adult GROUP BY education_num) AS e ORDER BY n DESC LIMIT 5""", "education_num n",
        sorted(levels_of, key=lambda row: -row[1])[:5])
    schools = lookup("educations.csv", "education")
    staged = [{**row, "stage": schools.get(row["education"], {}).get("stage")} for row in a]
    ask("What is the share of high incomes by stage of education?", """
SELECT stage, COUNT(*) AS n, 100.0 * COUNT(*) FILTER (WHERE income = '>50K') / COUNT(*) AS percent
FROM adult LEFT JOIN educations ON adult.education = educations.education GROUP BY stage""", "stage:text n percent",
        grouped(staged, [(of("stage"), ["school", "college", None])], count(), ratio(count(rich), count(), 100)))
    work = {"Private": "private", "Federal-gov": "federal", "State-gov": "state", "Local-gov": "local", None: "not stated"}
    ask("How many work for whom, with all other employers in one and what is not stated?", "SELECT workclass, COUNT(*) AS n, ROUND(AVG(age), 2) AS age FROM adult GROUP BY workclass", "workclass:text n age",
        grouped(a, [(lambda row: work.get(row["workclass"], "other work"), ["private", "federal", "state", "local", "other work", "not stated"])], count(), lambda rows: Number(rounded(average(*years)(rows).value))))
    ask("How many people work more than 60 hours, per 1,000, by age group?", """
SELECT CASE WHEN age < 30 THEN 'young' WHEN age < 60 THEN 'middle' ELSE 'old' END AS ages,
       1000.0 * COUNT(*) FILTER (WHERE hours_per_week > 60) / COUNT(*) AS per_1000
FROM adult GROUP BY 1""", "ages:text per_1000",
        grouped(a, [(lambda row: "young" if row["age"] < 30 else "middle" if row["age"] < 60 else "old", ["young", "middle", "old"])], ratio(count(lambda row: row["hours_per_week"] > 60), count(), 1000)))
    overall = Fraction(sum(map(rich, a)), len(a))
    ask("How does each sex compare with the overall rate of high incomes?", """
SELECT sex, AVG(CASE WHEN income = '>50K' THEN 1 ELSE 0 END) / (SELECT AVG(CASE WHEN income = '>50K' THEN 1 ELSE 0 END) FROM adult) AS relative
FROM adult GROUP BY sex""", "sex:text relative", grouped(a, [sex], lambda rows: Number(Fraction(sum(map(rich, rows)), len(rows)) / overall)))
    rates = {key: Fraction(sum(map(rich, rows)), len(rows)) for key in ((s, old) for s in sex[1] for old in (False, True))
             for rows in [[row for row in a if (row["sex"], row["age"] >= 40) == key]]}
    ask("The same rates, standardised for age to 3 young in 5", """
WITH rates AS (SELECT sex, CASE WHEN age >= 40 THEN 'old' ELSE 'young' END AS ages, AVG(CASE WHEN income = '>50K' THEN 1 ELSE 0 END) AS rate FROM adult GROUP BY 1, 2)
SELECT sex, SUM(rate * CASE ages WHEN 'old' THEN 2 ELSE 3 END) / SUM(CASE ages WHEN 'old' THEN 2 ELSE 3 END) AS standardised FROM rates GROUP BY sex""", "sex:text standardised",
        [[s, (2 * rates[s, True] + 3 * rates[s, False]) / 5] for s in sex[1]])
    ask("How many people come from the United States, and how many do not?", "SELECT native_country = 'United-States' AS us, COUNT(*) AS n FROM adult WHERE native_country IS NOT NULL GROUP BY native_country = 'United-States'", "us:boolean n",
        grouped([row for row in a if row["native_country"]], [(lambda row: row["native_country"] == "United-States", [True, False])], count()),
        refused=("SELECT native_country, COUNT(*) FROM adult GROUP BY native_country", "which has no declared keys"))
    ask("How many people are single?", "SELECT SUM(CASE WHEN marital_status = 'Never-married' THEN 1 ELSE 0 END) AS single FROM adult", "single",
        [[sum(row["marital_status"] == "Never-married" for row in a)]],
        refused=("SELECT SUM(marital_status = 'Never-married') FROM adult", "CASE WHEN"))


if __name__ == "__main__":
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "../../../shared/data/adult/adult.data"
    if not data.is_file():
        sys.exit("questions.toml is left as it is: no adult.data")
    asked = Cases(ABOUT)
    about_visits(asked)
    about_adults(asked, data)
    asked.write("questions.toml", HERE)
