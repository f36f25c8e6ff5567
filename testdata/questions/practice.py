#!/usr/bin/env python3
"""Writes practice.toml: 69 questions of practitioners, and their exact answers, without any SQL engine.

    python3 testdata/questions/practice.py

The SQL of the first seven parts was written from docs/reference/policy.md alone, before any engine read it. The answers
are computed as in questions.py, under the same policy of visits. A question may count in several categories.
"""

from collections import Counter
from datetime import date, datetime, time, timedelta
from fractions import Fraction

from questions import AGE, COST, DEPARTMENT, HERE, MINUTES, SEX, asker, bins, decimal_root, each, minus, only, plain, rounded, running
from answers import Number, average, count, grouped, people, quantile, ratio, total
from expected import DEPARTMENTS, Cases, lookup, of, stays, visits

ABOUT = [
    "Questions of practitioners, and their answers before noise: engine-independent. Written by practice.py, in the format of",
    "questions.toml. The SQL was written from the documentation alone, and so was `because`.",
]
DAY0, END, FEE = date(2023, 1, 1), date(2025, 1, 31), (-10, 1000, Fraction(1, 100))
WARD, SMOKER, BUILDING = (of("ward"), ["north", "south"]), (of("smoker"), [True, False, None]), (of("building"), ["A", "B", None])
QUARTERS = [date(2023 + at // 4, at % 4 * 3 + 1, 1) for at in range(9)]
MONTHS = [date(2023 + at // 12, at % 12 + 1, 1) for at in range(25)]
LENGTH = "DATE_DIFF('day', admitted, CAST(discharged AS DATE))"
SINCE = "DATE_DIFF('day', DATE '2023-01-01', admitted)"
STAYED = "(SELECT patient, COUNT(admitted) AS n, MIN(admitted) AS first, MAX(admitted) AS last FROM stays GROUP BY patient) AS p"
ORDERED = f"""(SELECT patient, COUNT(admitted) AS n, MIN({SINCE}) AS first, MAX({SINCE}) AS last, SUM({SINCE}) AS total
      FROM stays GROUP BY patient) AS p"""
AGES = "CASE WHEN age < 18 THEN 'child' WHEN age < 65 THEN 'adult' ELSE 'old' END"
BANDS = (lambda row: "child" if row["age"] < 18 else "adult" if row["age"] < 65 else "old", ["child", "adult", "old"])

quarter = lambda day: date(day.year, (day.month + 2) // 3 * 3 - 2, 1)
days = lambda a, b: (b - a).days
percent = lambda where, base=lambda row: True: ratio(count(lambda row: base(row) and where(row)), count(base), 100)
share = lambda part, whole, times=100: Fraction(times * part, whole) if whole else None


def to(places, answer):
    """An answer with ROUND of a result."""
    return lambda rows: Number(None if (value := answer(rows).value) is None else rounded(value, places))


def by(rows, value, key, largest=False):
    """MIN_BY and MAX_BY: the value of the row with the smallest or largest key; of equal ones the smallest value."""
    rows = [row for row in rows if row[key] is not None]
    best = (max if largest else min)((row[key] for row in rows), default=None)
    return min((row[value] for row in rows if row[key] == best), key=lambda value: (value is None, value or ""), default=None)


def stayer(rows):
    """One patient's stays."""
    known = sorted(row["admitted"] for row in rows if row["admitted"])
    lengths = [days(row["admitted"], row["discharged"].date()) for row in rows if row["admitted"] and row["discharged"]]
    return {
        "rows": rows, "dates": known, "n": len(known), "first": known[0] if known else None, "last": known[-1] if known else None,
        "gaps": [days(a, b) for a, b in zip(known, known[1:])], "longest": max(lengths, default=None), "lengths": lengths,
        "ward": by(rows, "ward", "admitted"), "to": by(rows, "ward", "admitted", True), "fees": [row["fee"] for row in rows if row["fee"] is not None],
    }


def own_rows(ask, v, s, persons, patients):
    """1. A person's own rows in order."""
    came, again = [p for p in persons if p["n"]], [p for p in persons if p["n"] >= 2]
    span = lambda p: days(p["first"], p["last"])
    ask("1", "How many days are between a patient's first and last admission, on average?", f"""
SELECT COUNT(*) AS patients, AVG(DATE_DIFF('day', first, last)) AS days FROM {STAYED} WHERE n >= 2""", "patients days",
        grouped(again, [], count(), average(span, 0, 761)))
    soon = lambda limit: count(lambda p: min(p["gaps"]) <= limit)
    gap = "CASE n WHEN 2 THEN last - first ELSE LEAST(total - 2 * first - last, 2 * last + first - total) END"
    # Nobody has more than three stays: the one in the middle follows from the sum of the days.
    ask("1", "How many patients were admitted again within 30 days, and within 90?", f"""
SELECT COUNT(*) AS patients, COUNT(*) FILTER (WHERE {gap} <= 30) AS within_30, COUNT(*) FILTER (WHERE {gap} <= 90) AS within_90
FROM {ORDERED} WHERE n >= 2""", "patients within_30 within_90", grouped(again, [], count(), soon(30), soon(90)))
    ask("1 4", "How many admissions does a patient have within a year of the first one, this one included?", f"""
WITH q AS (SELECT n, last - first AS late, CASE n WHEN 2 THEN last - first WHEN 3 THEN total - 2 * first - last END AS again
           FROM {ORDERED} WHERE n >= 1)
SELECT AVG(1 + CASE WHEN again < 365 THEN 1 ELSE 0 END + CASE WHEN n = 3 AND late < 365 THEN 1 ELSE 0 END) AS stays FROM q""", "stays",
        grouped(came, [], average(lambda p: sum(days(p["first"], day) < 365 for day in p["dates"]), 1, 3)))
    twice = [sorted(p["rows"], key=lambda row: row["admitted"]) for p in persons
             if len(p["rows"]) == 2 and all(row["admitted"] and row["discharged"] for row in p["rows"])]
    ask("1", "How many days are between discharge and the next admission, of patients with two complete stays?", """
SELECT COUNT(*) AS patients, AVG(GREATEST(DATE_DIFF('day', CAST(home AS DATE), back), 0)) AS days
FROM (SELECT patient, MIN(discharged) AS home, MAX(admitted) AS back FROM stays GROUP BY patient
      HAVING COUNT(*) = 2 AND COUNT(admitted) = 2 AND COUNT(discharged) = 2) AS p""", "patients days",
        [[len(twice), Fraction(sum(max(days(min(row["discharged"] for row in rows).date(), rows[1]["admitted"]), 0) for rows in twice), len(twice))]])
    ask("1 2", "From which ward to which ward do patients move, from the first to the last stay?", """
SELECT first_ward, last_ward, COUNT(*) AS patients
FROM (SELECT patient, COUNT(admitted) AS n, MIN_BY(ward, admitted) AS first_ward, MAX_BY(ward, admitted) AS last_ward
      FROM stays GROUP BY patient) AS p
WHERE n >= 2 GROUP BY first_ward, last_ward""", "first_ward:text last_ward:text patients", grouped(again, [WARD, (of("to"), WARD[1])], count()))
    # Equal ages are decided by the smaller name.
    firsts = [{"department": by(rows, "department", "age"), "other": len({row["department"] for row in rows} & set(DEPARTMENTS)) > 1} for rows in patients]
    ask("1 2", "Which department did patients see at their youngest age?", """
SELECT department, COUNT(*) AS patients FROM (SELECT patient, MIN_BY(department, age) AS department FROM visits GROUP BY patient) AS p
GROUP BY department""", "department:text patients", grouped(firsts, [DEPARTMENT], count()))
    older = [{"years": min(max(row["age"] for row in rows) - min(row["age"] for row in rows), 3)} for rows in patients if len(rows) > 1]
    ask("1", "By how many years are patients older at their last visit than at their first?", """
SELECT LEAST(GREATEST(oldest - youngest, 0), 3) AS years, COUNT(*) AS patients
FROM (SELECT patient, MIN(age) AS youngest, MAX(age) AS oldest FROM visits GROUP BY patient HAVING COUNT(*) > 1) AS p
GROUP BY LEAST(GREATEST(oldest - youngest, 0), 3) ORDER BY years""", "years patients", grouped(older, [(of("years"), [0, 1, 2, 3])], count()))
    ask("1", "How many days is each patient's longest stay, in ranges of four days?", f"""
SELECT BIN(LEAST(GREATEST(longest, 0), 15), 4) AS from_day, COUNT(*) AS patients
FROM (SELECT patient, MAX({LENGTH}) AS longest FROM stays GROUP BY patient) AS p WHERE longest IS NOT NULL
GROUP BY BIN(LEAST(GREATEST(longest, 0), 15), 4) ORDER BY from_day""", "from_day patients",
        grouped([p for p in persons if p["longest"] is not None], [bins(lambda p: min(max(p["longest"], 0), 15), 0, 15, 4)], count()))
    change = lambda p: None if None in (ends := [by(p["rows"], "fee", "admitted", last) for last in (False, True)]) else ends[1] - ends[0]
    ask("1", "How much higher is the fee of a patient's last stay than that of the first?", """
SELECT COUNT(last_fee - first_fee) AS patients, AVG(last_fee - first_fee) AS difference
FROM (SELECT patient, COUNT(admitted) AS n, MIN_BY(fee, admitted) AS first_fee, MAX_BY(fee, admitted) AS last_fee FROM stays GROUP BY patient) AS p
WHERE n >= 2""", "patients difference", grouped(again, [], count(lambda p: change(p) is not None), average(change, -1010, 1010, Fraction(1, 100))))
    ask("1", "What is the mean gap between a patient's consecutive admissions, and for how many patients is it over a year?", f"""
SELECT AVG(gap) AS mean, COUNT(*) FILTER (WHERE gap > 365) AS above_a_year
FROM (SELECT ROUND(LEAST(GREATEST(DATE_DIFF('day', first, last) / (n - 1.0), 0), 761), 1) AS gap FROM {STAYED} WHERE n >= 2) AS g""",
        "mean above_a_year", grouped(again, [], average(lambda p: Fraction(span(p), p["n"] - 1), 0, 761, Fraction(1, 10)), count(lambda p: span(p) > 365 * (p["n"] - 1))))


def cohorts(ask, v, s, persons, patients):
    """2. Cohorts."""
    came = [p for p in persons if p["n"]]
    year, years = (lambda p: p["first"].year), [2023, 2024, 2025]
    returns = lambda p: p["n"] > 1
    ask("2", "By year of the first admission, in which year was the last one?", f"""
SELECT YEAR(first) AS cohort, YEAR(last) AS until, COUNT(*) AS patients FROM {STAYED}
WHERE first IS NOT NULL GROUP BY YEAR(first), YEAR(last)""", "cohort until patients",
        grouped(came, [(year, years), (lambda p: p["last"].year, years)], count()))
    ask("2 3", "What percentage of patients comes again, by quarter of the first admission?", f"""
SELECT DATE_TRUNC('quarter', first) AS cohort, COUNT(*) AS patients, ROUND(100.0 * COUNT(*) FILTER (WHERE n > 1) / COUNT(*), 1) AS percent
FROM {STAYED} WHERE first IS NOT NULL GROUP BY DATE_TRUNC('quarter', first) ORDER BY cohort""", "cohort:date patients percent",
        grouped(came, [(lambda p: quarter(p["first"]), QUARTERS)], count(), to(1, percent(returns))))
    ask("2 3", "What percentage of patients comes again, by the ward of the first stay?", """
SELECT ward, COUNT(*) AS patients, 100.0 * COUNT(*) FILTER (WHERE n > 1) / COUNT(*) AS percent
FROM (SELECT patient, COUNT(admitted) AS n, MIN_BY(ward, admitted) AS ward FROM stays GROUP BY patient) AS p
GROUP BY ward""", "ward:text patients percent", grouped(persons, [WARD], count(), percent(returns)))
    halves = [DAY0, date(2023, 7, 1), date(2024, 1, 1), date(2024, 7, 1), date(2025, 1, 1)]
    within = lambda p, at: any(halves[at] <= day < halves[at + 1] for day in p["dates"])
    flags = ",\n             ".join(f"COUNT(*) FILTER (WHERE admitted >= DATE '{a}' AND admitted < DATE '{b}') AS h{at}"
                                    for at, (a, b) in enumerate(zip(halves, halves[1:]), 1))
    start = (lambda p: f"h{1 + next(at for at in range(4) if within(p, at))}", ["h1", "h2", "h3", "h4"])
    ask("2", "The retention matrix: of the patients whose first admission is in each half-year, how many come in each?", f"""
SELECT CASE WHEN h1 > 0 THEN 'h1' WHEN h2 > 0 THEN 'h2' WHEN h3 > 0 THEN 'h3' WHEN h4 > 0 THEN 'h4' END AS cohort, COUNT(*) AS patients,
       COUNT(*) FILTER (WHERE h2 > 0) AS in_h2, COUNT(*) FILTER (WHERE h3 > 0) AS in_h3, COUNT(*) FILTER (WHERE h4 > 0) AS in_h4
FROM (SELECT patient, {flags}
      FROM stays GROUP BY patient) AS p
GROUP BY 1""", "cohort:text patients in_h2 in_h3 in_h4",
        grouped([p for p in came if p["first"] < halves[4]], [start], count(), *(count(lambda p, at=at: within(p, at)) for at in (1, 2, 3)))
        # Without ELSE, NULL is a group: patients who came in none of these half-years.
        + [[None, len({row["patient"] for row in s}) - len([p for p in came if p["first"] < halves[4]]), 0, 0, 0]])
    first = [{"department": by(rows, "department", "age"), "n": len(rows), "moved": len({row["department"] for row in rows} & set(DEPARTMENTS)) > 1} for rows in patients]
    ask("2 3", "What percentage of each department's new patients also sees another department, of those who come again?", """
SELECT department, 100.0 * COUNT(*) FILTER (WHERE departments > 1) / COUNT(*) AS percent
FROM (SELECT patient, COUNT(*) AS n, MIN_BY(department, age) AS department, COUNT(DISTINCT department) AS departments FROM visits GROUP BY patient) AS p
WHERE n > 1 AND department IN ('cardiology', 'dermatology', 'neurology') GROUP BY department""", "department:text percent",
        grouped([p for p in first if p["n"] > 1], [(of("department"), ["cardiology", "dermatology", "neurology"])], percent(of("moved"))))
    months = plain(grouped([p for p in came if year(p) == 2023], [(lambda p: p["first"].replace(day=1), MONTHS[:12])], count(), count(returns)))
    ask("2", "How many new patients has each month of 2023, and how many of them come again?", f"""
SELECT DATE_TRUNC('month', first) AS month, COUNT(*) AS patients, COUNT(*) FILTER (WHERE n > 1) AS again FROM {STAYED}
WHERE first >= DATE '2023-01-01' AND first < DATE '2024-01-01' GROUP BY DATE_TRUNC('month', first) ORDER BY month""", "month:date patients again", months,
        refused=("SELECT DATE_TRUNC('month', a.admitted), COUNT(DISTINCT a.patient) FROM stays AS a JOIN stays AS b ON a.patient = b.patient WHERE b.admitted > a.admitted GROUP BY 1", "once"))
    quarters = plain(grouped(came, [(lambda p: quarter(p["first"]), QUARTERS)], count()))
    ask("2 6", "How many patients are known by the end of each quarter?", f"""
SELECT DATE_TRUNC('quarter', first) AS quarter, COUNT(*) AS new, SUM(COUNT(*)) OVER (ORDER BY DATE_TRUNC('quarter', first)) AS known
FROM {STAYED} WHERE first IS NOT NULL GROUP BY DATE_TRUNC('quarter', first) ORDER BY quarter""", "quarter:date new known",
        [[*row, upto] for row, upto in zip(quarters, running(row[1] for row in quarters))])
    paid = [{"first": p["first"], "paid": sum(p["fees"])} for p in came if p["fees"]]
    ask("2", "What does a patient pay in all, by year of the first admission?", """
SELECT YEAR(first) AS cohort, COUNT(*) AS patients, ROUND(AVG(LEAST(GREATEST(paid, 0), 3000)), 2) AS mean
FROM (SELECT patient, MIN(admitted) AS first, SUM(fee) AS paid FROM stays GROUP BY patient) AS p
WHERE first < DATE '2025-01-01' AND paid IS NOT NULL GROUP BY YEAR(first)""", "cohort patients mean",
        grouped([p for p in paid if year(p) < 2025], [(year, years[:2])], count(), to(2, average(lambda p: max(p["paid"], 0), 0, 3000, Fraction(1, 100)))))
    grown = [{"age": min(row["age"] for row in rows), "n": len(rows)} for rows in patients]
    ask("2 4", "How many visits do patients make, by age group at the first one?", f"""
SELECT {AGES} AS ages, COUNT(*) AS patients, AVG(LEAST(n, 20)) AS visits
FROM (SELECT patient, MIN(age) AS age, COUNT(*) AS n FROM visits GROUP BY patient) AS p GROUP BY 1""", "ages:text patients visits",
        grouped(grown, [BANDS], count(), average(of("n"), 1, 20)), refused=(f"SELECT {AGES} AS ages, AVG(n) FROM (SELECT patient, MIN(age) AS age, COUNT(*) AS n FROM visits GROUP BY patient) AS p GROUP BY 1", "no upper bound"))


def percents(ask, v, s, persons, patients):
    """3. Percents."""
    cells = plain(grouped(v, [SEX, SMOKER], count()))
    ask("3", "What percentage of each sex's visits is by smokers, by others, and not known?", """
SELECT sex, smoker, ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY sex), 1) AS percent FROM visits GROUP BY sex, smoker""", "sex:text smoker:boolean percent",
        [[a, b, rounded(share(n, sum(row[2] for row in cells if row[0] == a)), 1)] for a, b, n in cells])
    costs = plain(grouped(v, [DEPARTMENT], total(*COST)))
    ask("3", "What percentage of all costs does each department have?", """
SELECT department, 100.0 * SUM(cost) / SUM(SUM(cost)) OVER () AS percent FROM visits GROUP BY department""", "department:text percent",
        [[name, share(cost, sum(row[1] for row in costs))] for name, cost in costs])
    # The total counts the stays of other wards as well.
    ask("3", "What percentage of all stays has each of the two wards?", """
SELECT ward, 100.0 * COUNT(*) / (SELECT COUNT(*) FROM stays) AS percent FROM stays GROUP BY ward""", "ward:text percent",
        [[name, share(n, len(s))] for name, n in plain(grouped(s, [WARD], count()))])
    two = [row for row in v if row["department"] in ("cardiology", "neurology")]
    ask("3", "What percentage of visits in cardiology and neurology is longer than half an hour, by sex?", """
SELECT department, sex, 100.0 * COUNT(*) FILTER (WHERE minutes > 30) / COUNT(*) AS percent FROM visits
WHERE department IN ('cardiology', 'neurology') AND sex IS NOT NULL GROUP BY department, sex""", "department:text sex:text percent",
        grouped(two, [(of("department"), ["cardiology", "neurology"]), (SEX[0], SEX[1][:2])], percent(lambda row: row["minutes"] > 30)))
    sexed = lambda sex: only(percent(lambda row: row["minutes"] > 30), lambda row: row["sex"] == sex)
    ask("3 4", "By how many percentage points do women's visits exceed half an hour more often than men's?", """
SELECT 100.0 * COUNT(*) FILTER (WHERE sex = 'F' AND minutes > 30) / COUNT(*) FILTER (WHERE sex = 'F')
     - 100.0 * COUNT(*) FILTER (WHERE sex = 'M' AND minutes > 30) / COUNT(*) FILTER (WHERE sex = 'M') AS points FROM visits""", "points",
        grouped(v, [], minus(sexed("F"), sexed("M"))))
    known = [row for row in s if row["admitted"]]
    halves = [[q, *(sum(row["admitted"].year == y and (row["admitted"].month + 2) // 3 == q for row in known) for y in (2023, 2024))] for q in (1, 2, 3, 4)]
    ask("3", "By what percentage did admissions change from 2023 to 2024, by quarter?", """
SELECT QUARTER(admitted) AS quarter, COUNT(*) FILTER (WHERE YEAR(admitted) = 2023) AS before, COUNT(*) FILTER (WHERE YEAR(admitted) = 2024) AS after,
       100.0 * (COUNT(*) FILTER (WHERE YEAR(admitted) = 2024) - COUNT(*) FILTER (WHERE YEAR(admitted) = 2023)) / COUNT(*) FILTER (WHERE YEAR(admitted) = 2023) AS percent
FROM stays GROUP BY QUARTER(admitted) ORDER BY quarter""", "quarter before after percent", [[q, a, b, share(b - a, a)] for q, a, b in halves])
    dearest = [max(row["cost"] for row in rows) for rows in each(row for row in v if row["building"] == "A")]
    ask("3 7", "What percentage of the patients of building A had a visit of more than 500 there?", """
SELECT COUNT(*) AS patients, 100.0 * COUNT(*) FILTER (WHERE dearest > 500) / COUNT(*) AS percent
FROM (SELECT patient, MAX(cost) AS dearest FROM visits JOIN departments USING (department) WHERE building = 'A' GROUP BY patient) AS p""", "patients percent",
        [[len(dearest), share(sum(cost > 500 for cost in dearest), len(dearest))]])
    ask("3", "For what percentage of stays is the date of admission, the discharge or the fee missing?", """
SELECT ROUND(100.0 * COUNT(*) FILTER (WHERE admitted IS NULL) / COUNT(*), 1) AS admitted, ROUND(100.0 * COUNT(*) FILTER (WHERE discharged IS NULL) / COUNT(*), 1) AS discharged,
       ROUND(100.0 * COUNT(*) FILTER (WHERE fee IS NULL) / COUNT(*), 1) AS fee FROM stays""", "admitted discharged fee",
        [[rounded(share(sum(row[name] is None for row in s), len(s)), 1) for name in ("admitted", "discharged", "fee")]])


def rates(ask, v, s, persons, patients):
    """4. Rates."""
    came = [p for p in persons if p["n"]]
    ask("4", "How many readmissions are there per person-year, from the first admission to the end of January 2025?", f"""
SELECT 365.25 * SUM(LEAST(n - 1, 10)) / SUM(DATE_DIFF('day', first, DATE '2025-01-31')) AS per_year FROM {STAYED} WHERE n >= 1""", "per_year",
        [[Fraction("365.25") * sum(p["n"] - 1 for p in came) / sum(days(p["first"], END) for p in came)]])
    complete = [{**row, "days": days(row["admitted"], row["discharged"].date())} for row in s if row["admitted"] and row["discharged"]]
    nights = total(lambda row: min(max(row["days"], 0), 30), 0, 30)
    ask("4", "How many stays of more than a week are there per 1,000 days in each ward?", f"""
SELECT ward, SUM(LEAST(GREATEST({LENGTH}, 0), 30)) AS days,
       1000.0 * COUNT(*) FILTER (WHERE {LENGTH} > 7) / SUM(LEAST(GREATEST({LENGTH}, 0), 30)) AS rate
FROM stays WHERE admitted IS NOT NULL AND discharged IS NOT NULL GROUP BY ward""", "ward:text days rate",
        grouped(complete, [WARD], nights, ratio(count(lambda row: row["days"] > 7), nights, 1000)))
    known = [row for row in s if row["admitted"] and row["admitted"].year == 2023]
    ask("4", "How many admissions were there per 30 days, in each quarter of 2023?", """
SELECT QUARTER(admitted) AS quarter, ROUND(30.0 * COUNT(*) / CASE QUARTER(admitted) WHEN 1 THEN 90 WHEN 2 THEN 91 ELSE 92 END, 2) AS rate
FROM stays WHERE YEAR(admitted) = 2023 GROUP BY QUARTER(admitted) ORDER BY quarter""", "quarter rate",
        [[q, rounded(share(sum(quarter(row["admitted"]).month == 3 * q - 2 for row in known), (90, 91, 92, 92)[q - 1], 30))] for q in (1, 2, 3, 4)])
    hour = ratio(count(), total(*MINUTES), 60)
    ask("4", "How many visits fit into an hour, by department?", "SELECT department, COUNT(*) AS n, 60.0 * COUNT(*) / SUM(minutes) AS per_hour FROM visits GROUP BY department",
        "department:text n per_hour", grouped(v, [DEPARTMENT], count(), hour))
    table = {(d, a): (n, m) for d, a, n, m in plain(grouped(v, [(of("department"), DEPARTMENTS), BANDS], count(), count(lambda row: row["minutes"] > 30)))}
    cells = f"""(SELECT department, {AGES} AS ages, COUNT(*) AS n, COUNT(*) FILTER (WHERE minutes > 30) AS long
            FROM visits WHERE department IN ('cardiology', 'dermatology', 'orthopaedics', 'paediatrics', 'neurology') GROUP BY 1, 2) AS cells"""
    weights = {"child": 2, "adult": 5, "old": 3}
    rated = lambda name: [(weights[a], Fraction(m, n)) for (d, a), (n, m) in table.items() if d == name and n]
    ask("4", "What is the rate of long visits per 1,000, standardised to 2 children, 5 adults and 3 old people in 10, by department?", f"""
SELECT department, 1000 * SUM(rate * weight) / SUM(weight) FILTER (WHERE rate IS NOT NULL) AS standardised
FROM (SELECT department, long / NULLIF(n, 0) AS rate, CASE ages WHEN 'child' THEN 2 WHEN 'adult' THEN 5 ELSE 3 END AS weight FROM {cells}) AS rates
GROUP BY department""", "department:text standardised", [[d, 1000 * sum(w * r for w, r in rated(d)) / sum(w for w, _ in rated(d))] for d in DEPARTMENTS])
    pooled = {a: Fraction(sum(table[d, a][1] for d in DEPARTMENTS), sum(table[d, a][0] for d in DEPARTMENTS)) for a in weights}
    ask("4", "How many long visits has each department, in percent of what its patients' ages let expect?", f"""
SELECT department, SUM(long) AS observed, ROUND(100 * SUM(long) / SUM(expected), 1) AS ratio
FROM (SELECT department, long, n * SUM(long) OVER (PARTITION BY ages) / SUM(n) OVER (PARTITION BY ages) AS expected FROM {cells}) AS e
GROUP BY department""", "department:text observed ratio",
        [[d, m := sum(table[d, a][1] for a in weights), rounded(100 * m / sum(table[d, a][0] * pooled[a] for a in weights), 1)] for d in DEPARTMENTS])
    n = lambda smoker, dear=None: sum(row["smoker"] is smoker and dear in (None, row["cost"] > 300) for row in v)
    dear = lambda smoker: Fraction(n(smoker, True), n(smoker))
    ask("4", "What are the risk ratio and the excess per 1,000 of visits dearer than 300, smokers to others?", """
SELECT COUNT(*) FILTER (WHERE smoker AND cost > 300) / COUNT(*) FILTER (WHERE smoker) / (COUNT(*) FILTER (WHERE NOT smoker AND cost > 300) / COUNT(*) FILTER (WHERE NOT smoker)) AS ratio,
       1000 * (COUNT(*) FILTER (WHERE smoker AND cost > 300) / COUNT(*) FILTER (WHERE smoker) - COUNT(*) FILTER (WHERE NOT smoker AND cost > 300) / COUNT(*) FILTER (WHERE NOT smoker)) AS excess
FROM visits""", "ratio excess", [[dear(True) / dear(False), 1000 * (dear(True) - dear(False))]])
    rows = []
    for sex, m in plain(grouped([row for row in v if row["sex"]], [(SEX[0], SEX[1][:2])], percent(lambda row: row["cost"] > 300))):
        p, size = m / 100, sum(SEX[0](row) == sex for row in v)
        half = Fraction("1.96") * Fraction(decimal_root(p * (1 - p) / size))
        rows.append([sex, *(rounded(1000 * x, 1) for x in (p, p - half, p + half))])
    ask("4", "The rate per 1,000 of visits dearer than 300, with the usual 95% interval of a sample, by sex", """
SELECT sex, ROUND(1000 * p, 1) AS rate, ROUND(1000 * (p - 1.96 * SQRT(p * (1 - p) / n)), 1) AS low, ROUND(1000 * (p + 1.96 * SQRT(p * (1 - p) / n)), 1) AS high
FROM (SELECT sex, COUNT(*) AS n, COUNT(*) FILTER (WHERE cost > 300) / COUNT(*) AS p FROM visits WHERE sex IS NOT NULL GROUP BY sex) AS rates""", "sex:text rate low high", rows)


def quantiles(ask, v, s, persons, patients):
    """5. Medians and quantiles by group."""
    # Departments in which exactly one cost has the rank.
    but = lambda left: (f"department IN ({', '.join(repr(name) for name in DEPARTMENTS if name != left)})", [name for name in DEPARTMENTS if name != left])
    (listed, some), (others, rest) = but("neurology"), but("dermatology")
    tenth, adult = quantile("9/10", *COST), lambda row: row["age"] >= 18
    ask("5", "What is the median cost of a visit, by department?", f"SELECT department, MEDIAN(cost) AS median FROM visits WHERE {listed} GROUP BY department",
        "department:text median", grouped(v, [(of("department"), some)], quantile("1/2", *COST)), refused=(f"SELECT department, PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY cost) FROM visits WHERE {listed} GROUP BY department", "PERCENTILE_DISC"))
    ask("5", "What are the quartiles of the length of visits, by smoking?", """
SELECT smoker, PERCENTILE_CONT(minutes, 0.25) AS q1, MEDIAN(minutes) AS q2, PERCENTILE_CONT(minutes, 0.75) AS q3 FROM visits GROUP BY smoker""", "smoker:boolean q1 q2 q3",
        grouped(v, [SMOKER], *(quantile(part, *MINUTES) for part in ("1/4", "1/2", "3/4"))))
    ask("5", "What is the ninth decile of costs, by age group?", f"SELECT {AGES} AS ages, PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY cost) AS p90 FROM visits GROUP BY 1",
        "ages:text p90", grouped(v, [BANDS], tenth))
    ask("5", "What is the interquartile range of adult patients' ages at visits, by sex?", """
SELECT sex, PERCENTILE_CONT(age, 0.75) - PERCENTILE_CONT(age, 0.25) AS iqr FROM visits WHERE age >= 18 AND sex IS NOT NULL GROUP BY sex""", "sex:text iqr",
        grouped([row for row in v if adult(row) and row["sex"]], [(SEX[0], SEX[1][:2])], minus(quantile("3/4", *AGE), quantile("1/4", *AGE))))
    spent = [{"sex": min((row["sex"] for row in rows if row["sex"]), default=None), "total": sum(row["cost"] for row in rows), "n": len(rows)} for rows in patients]
    ask("5", "What do the dearest quarter of women and of men cost at least in all?", """
SELECT sex, PERCENTILE_CONT(LEAST(total, 5000), 0.75) AS q3 FROM (SELECT patient, MIN(sex) AS sex, SUM(cost) AS total FROM visits GROUP BY patient) AS p
WHERE sex IS NOT NULL GROUP BY sex""", "sex:text q3", grouped([p for p in spent if p["sex"]], [(SEX[0], SEX[1][:2])], quantile("3/4", of("total"), 0, 5000, Fraction(1, 100))))
    ask("5", "What is the ninth decile of the number of visits of a patient, by sex?", """
SELECT sex, PERCENTILE_CONT(LEAST(n, 20), 0.9) AS p90 FROM (SELECT patient, MIN(sex) AS sex, COUNT(*) AS n FROM visits GROUP BY patient) AS p
GROUP BY sex""", "sex:text p90", grouped(spent, [SEX], quantile("9/10", of("n"), 1, 20)),
        refused=("SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient ORDER BY n DESC LIMIT 10", "GROUP BY the entity key"))
    known = {ward: sorted(row["admitted"] for row in s if row["admitted"] and row["ward"] == ward) for ward in WARD[1]}
    tenths = lambda found, part: found[len(found) * part // 10]
    assert all(len(found) * 7 % 10 and len(found) * 3 % 10 for found in known.values()), {ward: len(found) for ward, found in known.items()}
    ask("5", "By which dates were three and seven tenths of the admissions made, by ward?", """
SELECT ward, PERCENTILE_CONT(admitted, 0.3) AS d3, PERCENTILE_CONT(admitted, 0.7) AS d7 FROM stays GROUP BY ward""", "ward:text d3:date d7:date",
        [[ward, tenths(found, 3), tenths(found, 7)] for ward, found in known.items()])
    ends = plain(grouped(v, [(of("department"), rest)], tenth, quantile("1/10", *COST)))
    ask("5 6", "How many times the first decile of costs is the ninth, by department, highest first?", f"""
SELECT department, ROUND(PERCENTILE_CONT(cost, 0.9) / PERCENTILE_CONT(cost, 0.1), 2) AS times FROM visits WHERE {others}
GROUP BY department ORDER BY times DESC""", "department:text times", sorted(([d, rounded(high / low)] for d, high, low in ends), key=lambda row: -row[1]))
    # The decile is asked first, and written as a number then.
    limit = tenth(v).value
    ask("5 3", "What percentage of each department's visits is among the dearest tenth of all?", f"""
SELECT department, 100.0 * COUNT(*) FILTER (WHERE cost > {float(limit)}) / COUNT(*) AS percent FROM visits GROUP BY department""", "department:text percent",
        grouped(v, [DEPARTMENT], percent(lambda row: row["cost"] > limit)),
        refused=("SELECT department, COUNT(*) FROM visits WHERE cost > (SELECT PERCENTILE_CONT(cost, 0.9) FROM visits) GROUP BY department", "may not depend on other rows"))
    placed = [row for row in v if row["building"]]
    ask("5 7", "What is the median age at visits, by building?", """
SELECT building, MEDIAN(age) AS median FROM visits JOIN departments USING (department) WHERE building IS NOT NULL GROUP BY building""", "building:text median",
        grouped(placed, [(of("building"), ["A", "B"])], quantile("1/2", *AGE)))


def rankings(ask, v, s, persons, patients):
    """6. Ranking, running totals, moving averages."""
    known = [row for row in s if row["admitted"]]
    year = [row[1] for row in plain(grouped([row for row in known if row["admitted"].year == 2024], [(lambda row: row["admitted"].month, list(range(1, 13)))], count()))]
    ask("6", "What is the moving average of admissions over three months of 2024?", """
SELECT MONTH(admitted) AS month, COUNT(*) AS n, AVG(COUNT(*)) OVER (ORDER BY MONTH(admitted) ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS moving
FROM stays WHERE YEAR(admitted) = 2024 GROUP BY MONTH(admitted) ORDER BY month""", "month n moving",
        [[at + 1, n, share(sum(last := year[max(at - 2, 0):at + 1]), len(last), 1)] for at, n in enumerate(year)])
    decades = [n for _, n in plain(grouped([row for row in v if row["age"] < 90], [bins(of("age"), 0, 89, 10)], count()))]
    ask("6", "The visits by decade of age below 90, smoothed over the neighbouring decades", """
SELECT BIN(age, 10) AS decade, AVG(COUNT(*)) OVER (ORDER BY BIN(age, 10) ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS smoothed
FROM visits WHERE age < 90 GROUP BY BIN(age, 10) ORDER BY decade""", "decade smoothed",
        [[10 * at, share(sum(near := decades[max(at - 1, 0):at + 2]), len(near), 1)] for at in range(9)])
    costs = sorted(plain(grouped(v, [DEPARTMENT], average(*COST))), key=lambda row: row[1])
    ask("6", "Which departments are cheap, middling and dear by the mean cost of a visit?", """
SELECT department, NTILE(3) OVER (ORDER BY AVG(cost)) AS third FROM visits GROUP BY department""", "department:text third",
        sorted(([name, at // 2 + 1] for at, (name, _) in enumerate(costs)), key=lambda row: DEPARTMENT[1].index(row[0])))
    paid = plain(grouped(known, [(lambda row: quarter(row["admitted"]), QUARTERS)], total(of("fee"), *FEE)))
    ask("6", "What are the fees of each quarter, and of each with the three before it?", """
SELECT DATE_TRUNC('quarter', admitted) AS quarter, SUM(fee) AS fees,
       SUM(SUM(fee)) OVER (ORDER BY DATE_TRUNC('quarter', admitted) ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS of_a_year
FROM stays GROUP BY DATE_TRUNC('quarter', admitted) ORDER BY quarter""", "quarter:date fees of_a_year",
        [[*row, sum(fee for _, fee in paid[max(at - 3, 0):at + 1])] for at, row in enumerate(paid)])
    pairs = plain(grouped(v, [SEX, DEPARTMENT], count()))
    ask("6", "Which two departments do women and men visit most?", """
SELECT sex, department, COUNT(*) AS n FROM visits WHERE sex IS NOT NULL GROUP BY sex, department
QUALIFY ROW_NUMBER() OVER (PARTITION BY sex ORDER BY COUNT(*) DESC) <= 2""", "sex:text department:text n",
        [row for sex in SEX[1][:2] for row in sorted(sorted((row for row in pairs if row[0] == sex), key=lambda row: -row[2])[:2], key=lambda row: DEPARTMENT[1].index(row[1]))])
    sizes = plain(grouped(v, [DEPARTMENT], count()))
    largest = sorted((n for _, n in sizes), reverse=True)
    ask("6 3", "What percentage of the visits do the two largest departments have together?", """
SELECT 100.0 * SUM(n) FILTER (WHERE place <= 2) / SUM(n) AS percent
FROM (SELECT department, COUNT(*) AS n, ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC) AS place FROM visits GROUP BY department) AS d""", "percent",
        [[share(sum(largest[:2]), sum(largest))]])
    cells = plain(grouped(v, [BUILDING, DEPARTMENT], count()))
    ask("6 7", "Which is the largest department of each building, and how far ahead is it of the next one?", """
SELECT building, department, COUNT(*) AS n, COUNT(*) - LEAD(COUNT(*)) OVER (PARTITION BY building ORDER BY COUNT(*) DESC) AS ahead
FROM visits LEFT JOIN departments USING (department) GROUP BY building, department
QUALIFY RANK() OVER (PARTITION BY building ORDER BY COUNT(*) DESC) = 1""", "building:text department:text n ahead",
        [[*best, best[2] - after[2]] for name in BUILDING[1] for best, after, *_ in [sorted((row for row in cells if row[0] == name), key=lambda row: -row[2])]])
    quarters = [len([row for row in known if quarter(row["admitted"]) == day]) for day in QUARTERS[:8]]
    ask("6", "Admissions by quarter before 2025, as an index of the first quarter", """
SELECT quarter, 100.0 * n / MAX(CASE WHEN quarter = '2023-1' THEN n END) OVER () AS indexed
FROM (SELECT TO_CHAR(admitted, 'YYYY-Q') AS quarter, COUNT(*) AS n FROM stays WHERE admitted < DATE '2025-01-01' GROUP BY 1) AS q ORDER BY quarter""", "quarter:text indexed",
        [[f"{day.year}-{(day.month + 2) // 3}", share(n, quarters[0])] for day, n in zip(QUARTERS, quarters)])


def joins(ask, v, s, persons, patients):
    """7. Joined tables."""
    own = {p["rows"][0]["patient"]: p["rows"] for p in persons}
    both = [{**row, **stay} for row in v for stay in own.get(row["patient"], [])]
    ask("7", "How many of each department's patients also stayed?", """
SELECT department, COUNT(DISTINCT visits.patient) AS patients FROM visits JOIN stays ON visits.patient = stays.patient GROUP BY department""", "department:text patients",
        grouped(both, [DEPARTMENT], people()))
    ask("7", "How many patients who never stayed are among the visiting ones? (to subtract: those who stayed, by sex)", """
SELECT sex, COUNT(DISTINCT visits.patient) AS stayed FROM visits JOIN stays USING (patient) GROUP BY sex""", "sex:text stayed", grouped(both, [SEX], people()),
        refused=("SELECT sex, COUNT(DISTINCT visits.patient) FROM visits LEFT JOIN stays ON visits.patient = stays.patient WHERE stays.patient IS NULL GROUP BY sex", "LEFT JOIN"))
    ask("7", "How many smokers stayed in each ward in 2024?", """
SELECT ward, COUNT(DISTINCT visits.patient) AS patients FROM visits JOIN stays USING (patient) WHERE smoker AND YEAR(admitted) = 2024 GROUP BY ward""", "ward:text patients",
        grouped([row for row in both if row["smoker"] and row["admitted"] and row["admitted"].year == 2024], [WARD], people()))
    ask("7", "How many patients by ward of a stay and building of a visit?", """
SELECT ward, building, COUNT(DISTINCT visits.patient) AS patients
FROM visits JOIN stays ON visits.patient = stays.patient LEFT JOIN departments ON visits.department = departments.department
GROUP BY ward, building""", "ward:text building:text patients", grouped(both, [WARD, BUILDING], people()))
    ask("7 3", "What percentage of the visits with a known floor is above the ground floor, by sex?", """
SELECT sex, 100.0 * COUNT(*) FILTER (WHERE floor > 0) / COUNT(floor) AS percent FROM visits LEFT JOIN departments USING (department) GROUP BY sex""", "sex:text percent",
        grouped(v, [SEX], percent(lambda row: row["floor"] > 0, lambda row: row["floor"] is not None)))
    ask("7", "How many visits and minutes has each floor?", """
SELECT floor, COUNT(*) AS visits, SUM(minutes) AS minutes FROM visits JOIN departments USING (department) GROUP BY floor ORDER BY floor""", "floor visits minutes",
        grouped(v, [(of("floor"), list(range(6)))], count(), total(*MINUTES)))
    named, sizes = lookup("departments.csv", "department"), plain(grouped(v, [DEPARTMENT], count()))
    ask("7", "List the departments with their building, floor and visits", """
SELECT d.department, departments.building, departments.floor, d.n
FROM (SELECT department, COUNT(*) AS n FROM visits GROUP BY department) AS d JOIN departments ON d.department = departments.department""",
        "department:text building:text floor n", [[name, named[name]["building"], int(named[name]["floor"]), n] for name, n in sizes if name in named])


def later(day, months):
    """A date some months later, with the day cut to the end of the month."""
    all_months = day.year * 12 + day.month - 1 + months
    first = date(all_months // 12, all_months % 12 + 1, 1)
    last = (date((all_months + 1) // 12, (all_months + 1) % 12 + 1, 1) - first).days
    return first.replace(day=min(day.day, last))


def functions(ask, v, s, persons, patients):
    """8. Functions that practitioners looked for: INTERVAL, lists of a public table, ranks and first values, inequality."""
    known = [row for row in s if row["admitted"] and row["discharged"]]
    within = lambda months: count(lambda row: row["discharged"].date() < later(row["admitted"], months))
    ask("8", "How many stays ended within a week, and within a month, of their admission?", """
SELECT COUNT(*) FILTER (WHERE discharged <= CAST(admitted AS TIMESTAMP) + INTERVAL '7 days') AS week,
       COUNT(*) FILTER (WHERE discharged < admitted + INTERVAL '1 month') AS month
FROM stays WHERE admitted IS NOT NULL AND discharged IS NOT NULL""", "week month",
        grouped(known, [], count(lambda row: (row["discharged"] - datetime.combine(row["admitted"], time())) <= timedelta(days=7)), within(1)))
    ask("8", "How many admissions has each year of accounts, which begins in October?", """
SELECT EXTRACT(year FROM admitted + INTERVAL '3 months') AS year, COUNT(*) AS n FROM stays GROUP BY 1 ORDER BY year""", "year n",
        grouped([row for row in s if row["admitted"]], [(lambda row: later(row["admitted"], 3).year, [2023, 2024, 2025])], count()))
    months = [row["admitted"].replace(day=1) for row in s if row["admitted"]]
    ask("8 6", "How many admissions were there in the half year before July 2024, and how many from then on?", """
SELECT period, SUM(n) AS n FROM (
  SELECT CASE WHEN month < DATE '2024-07-01' THEN 'before' ELSE 'after' END AS period, n
  FROM (SELECT DATE_TRUNC('month', admitted) AS month, COUNT(*) AS n FROM stays GROUP BY 1) AS by_month
  WHERE month >= DATE '2024-07-01' - INTERVAL '6 months') AS q
GROUP BY period ORDER BY period""", "period:text n",
        [["after", sum(month >= date(2024, 7, 1) for month in months)], ["before", sum(date(2024, 1, 1) <= month < date(2024, 7, 1) for month in months)]])
    listed, a = lookup("departments.csv", "department"), lambda row: row["building"] == "A"
    ask("8 7", "How many visits were to departments that the list of departments does not have?", """
SELECT COUNT(*) AS n FROM visits WHERE department NOT IN (SELECT department FROM departments)""", "n",
        grouped(v, [], count(lambda row: row["department"] is not None and row["department"] not in listed)))
    ask("8 7", "And how many by sex, written as a join?", """
SELECT sex, COUNT(*) AS n FROM visits LEFT JOIN departments ON visits.department = departments.department
WHERE departments.department IS NULL GROUP BY sex""", "sex:text n", grouped([row for row in v if row["department"] not in listed], [SEX], count()))
    ask("8 7", "How many visits were not to a department above the ground floor?", """
SELECT COUNT(*) AS n FROM visits
WHERE NOT EXISTS (SELECT 1 FROM departments AS d WHERE d.department = visits.department AND d.floor > 0)""", "n",
        grouped(v, [], count(lambda row: not (row["floor"] is not None and row["floor"] > 0))))
    ask("8 7", "How many visits of women and men were to building A?", """
SELECT sex, COUNT(*) AS n FROM visits WHERE department IN (SELECT department FROM departments WHERE building = 'A') GROUP BY sex""", "sex:text n",
        grouped([row for row in v if a(row)], [SEX], count()))
    sizes = plain(grouped(v, [DEPARTMENT], count()))
    below = lambda n: sum(other < n for _, other in sizes)
    ask("8 6", "At which rank among the departments is each, from 0 to 1, and which is the largest?", """
SELECT department, COUNT(*) AS n, PERCENT_RANK() OVER (ORDER BY COUNT(*)) AS rank,
       CUME_DIST() OVER (ORDER BY COUNT(*)) AS upto, FIRST_VALUE(department) OVER (ORDER BY COUNT(*) DESC) AS largest FROM visits GROUP BY department""", "department:text n rank upto largest:text",
        [[name, n, Fraction(below(n), len(sizes) - 1), Fraction(sum(other <= n for _, other in sizes), len(sizes)), max(sizes, key=lambda size: size[1])[0]] for name, n in sizes])
    lengths = [row["minutes"] for row in v if row["minutes"] is not None]
    parts = [[n for n in lengths if low <= n < low + 30] for low in range(0, 270, 30)]
    upto, gini = 0, Fraction(1)
    for part in parts:
        gini -= Fraction(len(part), len(lengths)) * Fraction(2 * upto + sum(part), sum(lengths))
        upto += sum(part)
    ask("8 5", "How unequal are the lengths of visits (a Gini coefficient, at least)?", """
WITH bins AS (SELECT BIN(minutes, 30) AS bin, COUNT(*) AS n, SUM(minutes) AS total FROM visits GROUP BY 1),
     shares AS (SELECT n / SUM(n) OVER () AS people, total / SUM(total) OVER () AS own,
                       SUM(total) OVER (ORDER BY bin) / SUM(total) OVER () AS upto FROM bins)
SELECT 1 - SUM(people * (2 * upto - own)) AS gini FROM shares""", "gini", [[gini]],
        refused=("SELECT GINI(minutes) AS gini FROM visits", "under Inequality"))


def main():
    cases, tags, buildings = Cases(ABOUT), Counter(), lookup("departments.csv", "department")
    add = asker(cases, "visits")

    def ask(categories, *what, **more):
        tags.update(categories.split())
        add(*what, **more)

    v, s = list(visits()), [row for row in stays() if row["patient"]]
    for row in v:
        place = buildings.get(row["department"], {"building": None, "floor": None})
        row.update(building=place["building"], floor=place["floor"] and int(place["floor"]))
    for part in (own_rows, cohorts, percents, rates, quantiles, rankings, joins, functions):
        part(ask, v, s, [stayer(rows) for rows in each(s)], each(v))
    cases.write("practice.toml", HERE)
    print(dict(sorted(tags.items())))


if __name__ == "__main__":
    main()
