//! Refused queries: each message names the fault and the alternative.

use crate::support::Place;
use std::fmt::Write;

const POLICY: &str = r#"
name = "refused"
population = "patients"

[data]
table = "visits"
path = "data.csv"
version = "1"

[entity]
key = "patient"
rows_per_group = 2
groups = 2

[columns]
patient = { type = "text" }
age = { type = "integer", bounds = [0, 110] }
cost = { type = "decimal", bounds = [0, 100], step = 0.01 }
weight = { type = "decimal" }
sex = { type = "text", keys = ["F", "M"] }
ward = { type = "text" }
smoker = { type = "boolean" }
born = { type = "date", bounds = [1900-01-01, 2024-12-31] }
seen = { type = "timestamp", bounds = ["2024-01-01", "2024-12-31"] }
died = { type = "date" }
Ticket = { type = "integer" }

[tables.drugs]
path = "drugs.csv"
version = "1"
entity = "person"

[tables.drugs.columns]
person = { type = "text" }
dose = { type = "integer", bounds = [0, 9] }
ward = { type = "text" }

[tables.wards]
path = "wards.csv"
version = "1"
unprotected = true
key = "ward"

[tables.wards.columns]
ward = { type = "text" }
floor = { type = "integer", bounds = [0, 9] }

[adversary]
preset = "acquaintance"

[promise]
posterior_at_most = 0.75
"#;

const QUESTIONS: &[&str] = &[
    // Several tables, or unknown tables.
    "SELECT COUNT(*) FROM visits JOIN people ON visits.patient = people.id",
    "SELECT COUNT(*) FROM visits, visits AS again",
    "SELECT COUNT(*) FROM people",
    "SELECT COUNT(*) FROM hospital.visits",
    "SELECT COUNT(*) FROM read_csv('visits.csv')",
    "SELECT 1",
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex UNION ALL SELECT 'all', COUNT(*) FROM visits",
    // Groups.
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex HAVING MAX(weight) > 10",
    "SELECT DISTINCT sex FROM visits",
    "SELECT ward, COUNT(*) FROM visits GROUP BY ward",
    "SELECT cost, COUNT(*) FROM visits GROUP BY cost",
    "SELECT patient, COUNT(*) FROM visits GROUP BY patient",
    "SELECT age / cost, COUNT(*) FROM visits GROUP BY age / cost",
    "SELECT sex, COUNT(*) FROM visits GROUP BY ROLLUP (ward)",
    "SELECT sex, COUNT(*) FROM visits GROUP BY ALL",
    "SELECT sex FROM visits GROUP BY sex",
    "SELECT age, COUNT(*) FROM visits GROUP BY sex",
    "SELECT age, COUNT(*) FROM visits",
    // Order before the aggregate.
    "SELECT COUNT(*) FROM (SELECT * FROM visits LIMIT 10) AS some",
    "SELECT AVG(age) FROM (SELECT * FROM visits ORDER BY age LIMIT 10) AS youngest",
    "SELECT COUNT(*) FROM visits LIMIT 1 + 1",
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex LIMIT -1",
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex ORDER BY age",
    "SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex ORDER BY SIN(n)",
    // Aggregates.
    "SELECT patient, age FROM visits",
    "SELECT * FROM visits",
    "SELECT MAX(weight) FROM visits",
    "SELECT MEDIAN(ward) FROM visits",
    "SELECT STDDEV(weight) FROM visits",
    "SELECT SUM(COUNT(*)) FROM visits",
    "SELECT AVG(n) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) AS per_patient",
    "SELECT SUM(weight) FROM visits",
    "SELECT SUM(cost / 3) FROM visits",
    "SELECT AVG(LEAST(GREATEST(cost / age, 0), 10)) FROM visits",
    "SELECT SUM(sex) FROM visits",
    "SELECT SUM(0) FROM visits",
    "SELECT COUNT(DISTINCT sex) FROM visits",
    "SELECT SUM(DISTINCT age) FROM visits",
    "SELECT COUNT(NULL) FROM visits",
    "SELECT COUNT(age, cost) FROM visits",
    "SELECT COUNT(*) FILTER (WHERE aeg > 60) FROM visits",
    "SELECT COUNT(*) OVER (PARTITION BY sex) FROM visits",
    "SELECT ROUND(AVG(weight)) FROM visits",
    "SELECT VAR_SAMP(n) FROM (SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex) AS x",
    "SELECT COUNT(DISTINCT n) FROM (SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex) AS x",
    "SELECT MIN(sex) FROM (SELECT sex, COUNT(*) AS n FROM visits GROUP BY sex) AS x",
    "SELECT sex, COUNT(*) / (SELECT COUNT(*) FROM visits WHERE age > 50) FROM visits GROUP BY sex",
    "SELECT sex, COUNT(*) / (SELECT COUNT(*) FROM visits GROUP BY sex) FROM visits GROUP BY sex",
    "SELECT sex, COUNT(*) - (SELECT COUNT(*) FROM visits v WHERE v.sex = visits.sex) FROM visits GROUP BY sex",
    "SELECT SUM(n) FROM (SELECT sex, age > 50 AS old, COUNT(*) AS n FROM visits GROUP BY sex, age > 50) AS x GROUP BY ROLLUP (old)",
    // Expressions.
    "SELECT COUNT(*) FROM visits WHERE age > (SELECT AVG(age) FROM visits)",
    "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT patient FROM visits WHERE smoker)",
    "SELECT COUNT(*) FROM visits WHERE aeg > 60",
    "SELECT COUNT(*) FROM visits WHERE weekday = 'Monday'",
    "SELECT COUNT(*) FROM visits WHERE LENGTH(ward) > 3",
    "SELECT COUNT(*) FROM visits WHERE SIN(cost) > 3",
    "SELECT COUNT(*) FROM visits WHERE random() < 0.1",
    "SELECT COUNT(*) FROM visits WHERE ward ~ '^c'",
    "SELECT COUNT(*) FROM visits WHERE ward SIMILAR TO 'c%'",
    "SELECT COUNT(*) FROM visits WHERE ward LIKE sex",
    "SELECT COUNT(*) FROM visits WHERE ward || sex = 'aF'",
    "SELECT SUM(ward + 1) FROM visits",
    "SELECT COUNT(*) FROM visits WHERE ward + 1 > 2",
    "SELECT COUNT(*) FROM visits WHERE CAST(ward AS TIME) > '12:00'",
    "SELECT COUNT(*) FROM visits WHERE CAST(cost AS DECIMAL(10, 2)) > 3",
    "SELECT COUNT(*) FROM visits WHERE age > ?",
    "SELECT COUNT(*) FROM visits WHERE age > $1",
    "SELECT COUNT(*) FROM visits WHERE age",
    "SELECT COUNT(*) FROM visits WHERE sex = \"F\"",
    // Statements.
    "EXPLAIN SELECT COUNT(*) FROM visits",
    "INSERT INTO visits VALUES ('p', 1)",
    "DROP TABLE visits",
    "SELECT COUNT(*) FROM visits; SELECT COUNT(*) FROM visits",
    "SELECT COUNT(*) FORM visits WHERE age > 3",
    "SELECT COUNT(* FROM visits",
    "SELECT sex COUNT(*) FROM visits GROUP BY sex",
    "SELECT COUNT(*) FROM visits WHERE sex = 'F",
    // Joins.
    "SELECT COUNT(*) FROM visits JOIN visits AS again ON visits.patient = again.patient",
    "SELECT COUNT(*) FROM visits JOIN drugs ON visits.ward = drugs.ward",
    "SELECT COUNT(*) FROM visits JOIN drugs ON LOWER(visits.patient) = drugs.person",
    "SELECT COUNT(*) FROM visits JOIN drugs ON visits.patient <> drugs.person",
    "SELECT COUNT(*) FROM visits JOIN drugs USING (ward)",
    "SELECT COUNT(*) FROM visits JOIN drugs USING (nothing)",
    "SELECT COUNT(*) FROM visits NATURAL JOIN drugs",
    "SELECT COUNT(*) FROM visits CROSS JOIN drugs",
    "SELECT COUNT(*) FROM visits, drugs",
    "SELECT COUNT(*) FROM visits LEFT JOIN drugs ON visits.patient = drugs.person",
    "SELECT COUNT(*) FROM visits RIGHT JOIN drugs ON visits.patient = drugs.person",
    "SELECT COUNT(*) FROM visits FULL OUTER JOIN drugs ON visits.patient = drugs.person",
    "SELECT COUNT(*) FROM visits LEFT SEMI JOIN drugs ON visits.patient = drugs.person",
    "SELECT COUNT(*) FROM visits JOIN wards ON visits.age = wards.floor",
    "SELECT COUNT(*) FROM visits CROSS JOIN wards",
    "SELECT COUNT(*) FROM wards",
    "SELECT COUNT(*) FROM wards LEFT JOIN visits ON visits.ward = wards.ward",
    "SELECT COUNT(ward) FROM visits JOIN wards ON visits.ward = wards.ward",
    "SELECT COUNT(*) FROM visits, LATERAL (SELECT * FROM drugs WHERE drugs.person = visits.patient) AS d",
    "SELECT COUNT(*) FROM visits TABLESAMPLE (10)",
    "SELECT COUNT(*) FROM UNNEST([1, 2])",
    "SELECT COUNT(*) FROM visits PIVOT (SUM(age) FOR sex IN ('F', 'M'))",
    // Subqueries and CTEs.
    "WITH RECURSIVE r AS (SELECT age FROM visits UNION ALL SELECT age + 1 FROM r) SELECT COUNT(*) FROM r",
    "WITH v (a) AS (SELECT age FROM visits) SELECT SUM(a) FROM v",
    "WITH v AS (SELECT age FROM visits) SELECT SUM(cost) FROM v",
    "SELECT COUNT(*) FROM visits WHERE EXISTS (SELECT 1 FROM drugs)",
    "SELECT COUNT(*) - (SELECT COUNT(*) FROM drugs) FROM visits",
    "SELECT COUNT(*) FROM visits EXCEPT SELECT COUNT(*) FROM drugs",
    "SELECT COUNT(*) FROM (SELECT DISTINCT patient FROM visits) AS p",
    "SELECT COUNT(*) FROM (SELECT sex, patient FROM visits GROUP BY sex, patient HAVING COUNT(*) > 2) AS often",
    // More groups.
    "SELECT born, COUNT(*) FROM visits GROUP BY born",
    "SELECT DATE_TRUNC('month', died), COUNT(*) FROM visits GROUP BY DATE_TRUNC('month', died)",
    "SELECT EXTRACT(year FROM died), COUNT(*) FROM visits GROUP BY EXTRACT(year FROM died)",
    "SELECT DATE_TRUNC('second', seen), COUNT(*) FROM visits GROUP BY DATE_TRUNC('second', seen)",
    "SELECT LOWER(ward), COUNT(*) FROM visits GROUP BY LOWER(ward)",
    "SELECT weight, COUNT(*) FROM visits GROUP BY weight",
    "SELECT ticket, COUNT(*) FROM visits GROUP BY ticket",
    "SELECT COUNT(*) FROM visits GROUP BY 1",
    "SELECT sex, COUNT(*) FROM visits GROUP BY 7",
    "SELECT sex, age, COUNT(*) FROM visits GROUP BY sex, age, DATE_TRUNC('day', born)",
    "SELECT age, COUNT(*) FROM visits GROUP BY age, DATE_TRUNC('month', born), EXTRACT(hour FROM seen)",
    "SELECT sex, GROUPING(ward), COUNT(*) FROM visits GROUP BY ROLLUP (sex)",
    "SELECT sex, GROUPING(sex, smoker), COUNT(*) FROM visits GROUP BY ROLLUP (sex, smoker)",
    "SELECT sex, GROUPING(sex) FILTER (WHERE smoker), COUNT(*) FROM visits GROUP BY ROLLUP (sex)",
    "SELECT sex, GROUPING(sex) FROM visits GROUP BY ROLLUP (sex)",
    "SELECT COUNT(*) FROM visits WHERE GROUPING(sex) = 1 GROUP BY sex",
    "SELECT SUM(GROUPING(sex)) FROM visits GROUP BY sex",
    "SELECT sex, COUNT(*) FROM visits GROUP BY GROUPING SETS ((sex), (sex))",
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex WITH ROLLUP",
    "SELECT sex, COUNT(*) FROM visits HAVING COUNT(*) > 3",
    "SELECT COUNT(*) FROM visits HAVING age > 3",
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex HAVING age > 3",
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex HAVING sex LIKE 'F%'",
    "SELECT sex FROM visits GROUP BY sex HAVING sex = 'F'",
    "SELECT COUNT(*) FROM visits WHERE COUNT(*) > 3",
    "SELECT DISTINCT ON (sex) sex, COUNT(*) FROM visits GROUP BY sex",
    // More orders.
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex ORDER BY 7",
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex ORDER BY ALL",
    "SELECT COUNT(*) FROM visits ORDER BY nothing",
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex LIMIT (SELECT 1)",
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex LIMIT 1, 2",
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex FETCH FIRST 2 ROWS ONLY",
    "SELECT TOP 2 sex, COUNT(*) FROM visits GROUP BY sex",
    // More aggregates.
    "SELECT ARRAY_AGG(age) FROM visits",
    "SELECT STRING_AGG(ward, ',') FROM visits",
    "SELECT FIRST_VALUE(age) FROM visits",
    "SELECT APPROX_DISTINCT(patient) FROM visits",
    "SELECT CORR(age) FROM visits",
    "SELECT CORR(age, age) FROM visits",
    "SELECT CORR(DISTINCT age, cost) FROM visits",
    "SELECT REGR_SLOPE(cost, ward) FROM visits",
    "SELECT REGR_SLOPE(cost, 5) FROM visits",
    "SELECT OLS(cost, age) FROM visits",
    "SELECT MODE(ward) FROM visits",
    "SELECT my_own(age) FROM visits",
    "SELECT AVG(DISTINCT age) FROM visits",
    "SELECT COUNT(DISTINCT patient, sex) FROM visits",
    "SELECT COUNT(age ORDER BY age) FROM visits",
    "SELECT SUM(born) FROM visits",
    "SELECT AVG(seen) FROM visits",
    "SELECT MIN(died) FROM visits",
    "SELECT MAX(ward) FROM visits",
    "SELECT AVG(smoker) FROM visits",
    "SELECT AVG(3) FROM visits",
    "SELECT SUM(cost * cost * cost * cost * cost) FROM visits",
    "SELECT VAR_POP(cost * cost * cost) FROM visits",
    "SELECT PERCENTILE_CONT(age, 2) FROM visits",
    "SELECT PERCENTILE_CONT(age, 0.12345) FROM visits",
    "SELECT PERCENTILE_CONT(age, cost) FROM visits",
    "SELECT PERCENTILE_CONT(age) FROM visits",
    "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY age DESC) FROM visits",
    "SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY age) FROM visits",
    "SELECT APPROX_PERCENTILE_CONT(age, 0.5, 100) FROM visits",
    "SELECT COUNT(*) FILTER (WHERE COUNT(*) > 1) FROM visits",
    "SELECT ABS(age) FILTER (WHERE smoker) FROM visits",
    "SELECT ROW_NUMBER() OVER (ORDER BY age) FROM visits",
    "SELECT LAG(age) OVER w, COUNT(*) FROM visits WINDOW w AS (ORDER BY age)",
    "SELECT COUNT(*), COUNT(*) FROM visits",
    // More expressions.
    "SELECT COUNT(*) % 2 FROM visits",
    "SELECT SIN(COUNT(*)) FROM visits",
    "SELECT CAST(COUNT(*) AS VARCHAR) FROM visits",
    "SELECT COUNT(*) FROM visits WHERE seen > now()",
    "SELECT COUNT(*) FROM visits WHERE born = CURRENT_DATE",
    "SELECT COUNT(*) FROM visits WHERE born > DATE '2000-01-01' + INTERVAL '1.5 years'",
    "SELECT COUNT(*) FROM visits WHERE born + INTERVAL '3 hours' > seen",
    "SELECT COUNT(*) FROM visits WHERE age + INTERVAL '3 days' > 3",
    "SELECT COUNT(*) FROM visits WHERE born + 30 > died",
    "SELECT COUNT(*) FROM visits WHERE NOT EXISTS (SELECT 1 FROM wards WHERE floor = 2)",
    "SELECT COUNT(*) FROM visits WHERE age NOT IN (SELECT floor FROM wards)",
    "SELECT COUNT(*) FROM visits WHERE NOT EXISTS (SELECT 1 FROM drugs WHERE drugs.person = visits.patient)",
    "SELECT SUM(CASE WHEN ward IN (SELECT ward FROM wards) THEN age END) FROM visits",
    "SELECT GINI(age) FROM visits",
    "SELECT STRING_AGG(ward, ',') FROM visits",
    "SELECT sex, POWER(COUNT(*), 2) FROM visits GROUP BY sex",
    "SELECT COUNT(*) FROM visits WHERE born > DATE '2000-13-01'",
    "SELECT COUNT(*) FROM visits WHERE born > 'yesterday'",
    "SELECT COUNT(*) FROM visits WHERE EXTRACT(century FROM born) = 20",
    "SELECT COUNT(*) FROM visits WHERE DATE_TRUNC('decade', born) = DATE '2000-01-01'",
    "SELECT COUNT(*) FROM visits WHERE DATE_TRUNC(ward, born) = DATE '2000-01-01'",
    "SELECT COUNT(*) FROM visits WHERE seen AT TIME ZONE 'UTC' > TIMESTAMP '2024-06-01'",
    "SELECT COUNT(*) FROM visits WHERE seen - born > 3",
    "SELECT COUNT(*) FROM visits WHERE DATE_DIFF('decade', born, died) > 3",
    "SELECT COUNT(*) FROM visits WHERE SUBSTRING(ward FROM 1 FOR 2) = 'car'",
    "SELECT COUNT(*) FROM visits WHERE ward LIKE 'c!%' ESCAPE 'no'",
    "SELECT COUNT(*) FROM visits WHERE ROUND(cost, age) > 3",
    "SELECT COUNT(*) FROM visits WHERE CAST(ward AS BLOB) IS NULL",
    "SELECT COUNT(*) FROM visits WHERE NOT age",
    "SELECT COUNT(*) FROM visits WHERE (age, sex) = (3, 'F')",
    "SELECT COUNT(*) FROM visits WHERE age IN [1, 2]",
    "SELECT COUNT(*) FROM visits WHERE age = @limit",
    "SELECT COUNT(*) FROM visits WHERE ticket = 3",
    // Typos.
    "SELECT AVG(visits.aeg) FROM visits",
    "SELECT COUNT(*) FROM visits WHERE tickets = 3",
    "SELECT COUNT(*) FROM visit",
    "SELECT MEDAIN(age) FROM visits",
    "WITH v AS (SELECT age AS years FROM visits) SELECT AVG(yaers) FROM v",
    // Comparisons that no row could pass.
    "SELECT COUNT(*) FROM visits WHERE age = 'abc'",
    "SELECT COUNT(*) FROM visits WHERE age = '3.5'",
    "SELECT COUNT(*) FROM visits WHERE cost > 'cheap'",
    "SELECT COUNT(*) FROM visits WHERE cost < 'inf'",
    "SELECT COUNT(*) FROM visits WHERE age IN (3, 'four')",
    "SELECT COUNT(*) FROM visits WHERE cost BETWEEN 'low' AND 7",
    "SELECT COUNT(*) FROM visits WHERE smoker = 'perhaps'",
    "SELECT COUNT(*) FROM visits WHERE CAST('abc' AS BIGINT) = age",
    "SELECT sex, COUNT(*) FROM visits GROUP BY sex HAVING COUNT(*) > 'many'",
    "SELECT sex, AVG(age) FROM visits GROUP BY sex HAVING AVG(age) > '1/2'",
    // More statements.
    "COPY visits TO 'out.csv'",
    "CREATE TABLE copied AS SELECT COUNT(*) FROM visits",
    "UPDATE visits SET age = 3",
    "DELETE FROM visits",
    "SET x = 3",
    "DESCRIBE visits",
    "VALUES (1)",
    "TABLE visits",
    "SELECT COUNT(*) INTO t FROM visits",
    "SELECT COUNT(*) FROM visits FOR UPDATE",
    "FROM visits SELECT COUNT(*)",
    "-- SELECT COUNT(*) FROM visits",
    ";",
    "how many visits were there?",
    "SELECT COUNT(*) FROM visits WHERE TO_CHAR(born, 'YYYY-WW') = '2024-01'",
    "SELECT COUNT(*) FROM visits WHERE TO_CHAR(born, 'DD of MM') = '1 of 1'",
    "SELECT TO_CHAR(died, 'YYYY'), COUNT(*) FROM visits GROUP BY TO_CHAR(died, 'YYYY')",
    "SELECT COUNT(*) FROM visits WHERE STRFTIME(born, '%Y') = '2024'",
    "SELECT AVG_WEIGHTED(age, Ticket) FROM visits",
    "SELECT AVG_WEIGHTED(age, cost - 50) FROM visits",
    "SELECT AVG_WEIGHTED(age, 2) FROM visits",
    "SELECT WEIGHTED_AVG(age, cost) FROM visits",
    // Values of one row of each person.
    "SELECT MIN_BY(sex, age) FROM visits",
    "SELECT FIRST_VALUE(sex) FROM visits",
    "SELECT COUNT(*) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient) AS p JOIN drugs ON p.patient = drugs.person",
    "SELECT COUNT(*) FROM (SELECT patient, SUM(dose) AS n FROM visits JOIN drugs ON patient = person GROUP BY patient) AS p",
    "SELECT COUNT(*) FROM (SELECT patient, MIN_BY(sex) AS s FROM visits GROUP BY patient) AS p",
];

/// All queries in one policy: every one of them is refused, and nothing begins.
#[test]
fn every_refusal_names_its_place_and_its_mend() {
    let mut policy = POLICY.to_owned();
    for sql in QUESTIONS {
        write!(policy, "\n[[query]]\nsql = '''\n{sql}'''\n").unwrap();
    }
    let place = Place::new(&policy, "patient,age,cost,weight,sex,ward,smoker\np,1,1,1,F,a,true\n");
    let run = place.release(&[]).refused();
    assert_eq!(place.files(), ["data.csv", "policy.toml"]);
    // Each query is one line, and each message shows the line that it is about.
    let answered: Vec<_> = QUESTIONS.iter().filter(|sql| !run.stderr.contains(&format!(" │ {sql}"))).collect();
    assert!(answered.is_empty(), "not refused: {answered:#?}\n{}", run.stderr);
    assert_eq!(run.stderr.matches("  × ").count(), QUESTIONS.len());
    insta::assert_snapshot!("refusals", place.plain(&run.stderr));
}

/// Spellings of other databases, and names that need quotes: each refusal names the accepted spelling, which is
/// answered.
#[test]
fn other_spellings_get_the_accepted_one() {
    let policy = POLICY
        .replace("\n[tables.drugs]", "\"hours per week\" = { type = \"integer\", bounds = [0, 80] }\n\n[tables.drugs]")
        .replace("ward = { type = \"text\" }\nsmoker", "ward = { type = \"text\", keys = [\"a\"] }\nsmoker");
    let place = Place::new(&format!("{policy}\n[[query]]\nsql = \"SELECT COUNT(*) FROM visits\"\n"), "");
    let ask = |sql: &str| place.run(&["ask", "policy.toml", sql, "--spend", "1/40", "--dry-run"]);
    let mut told = String::new();
    for (refused, instead) in [
        (
            "SELECT sex, ward, COUNT(*) FROM visits GROUP BY sex, ward WITH ROLLUP",
            "SELECT sex, ward, COUNT(*) FROM visits GROUP BY ROLLUP (sex, ward)",
        ),
        (
            "SELECT sex, ward, COUNT(*) FROM visits GROUP BY sex, ward WITH CUBE",
            "SELECT sex, ward, COUNT(*) FROM visits GROUP BY CUBE (sex, ward)",
        ),
        (
            "SELECT sex, COUNT(*) FROM visits GROUP BY sex WITH TOTALS",
            "SELECT sex, COUNT(*) FROM visits GROUP BY GROUPING SETS ((sex), ())",
        ),
        ("SELECT ROLLUP(sex), COUNT(*) FROM visits", "SELECT sex, COUNT(*) FROM visits GROUP BY ROLLUP (sex)"),
        (
            "SELECT sex, COUNT(*) FROM visits GROUP BY GROUPING SETS (CUBE (sex, ward), (sex))",
            "SELECT sex, COUNT(*) FROM visits GROUP BY GROUPING SETS ((sex, ward), (sex), ())",
        ),
        ("SELECT AVG(sex = 'F') FROM visits", "SELECT AVG(CASE WHEN sex = 'F' THEN 1 ELSE 0 END) FROM visits"),
        ("SELECT SUM(smoker) FROM visits", "SELECT SUM(CASE WHEN smoker THEN 1 ELSE 0 END) FROM visits"),
        ("SELECT AVG(hours per week) FROM visits", "SELECT AVG(\"hours per week\") FROM visits"),
        (
            "SELECT hours per week, COUNT(*) FROM visits GROUP BY 1",
            "SELECT \"hours per week\", COUNT(*) FROM visits GROUP BY 1",
        ),
        ("SELECT AVG(hours_per_week) FROM visits", "SELECT AVG(\"hours per week\") FROM visits"),
        ("SELECT AVG('hours per week') FROM visits", "SELECT AVG(\"hours per week\") FROM visits"),
    ] {
        writeln!(told, "{}", place.plain(&ask(refused).refused().stderr)).unwrap();
        ask(instead).done();
    }
    insta::assert_snapshot!("other_spellings", told);
}

/// Queries that are too large, whose quoted source would fill pages.
#[test]
fn too_much_of_something() {
    let deep = format!("SELECT COUNT(*) FROM visits WHERE {}age > 3{}", "(".repeat(60), ")".repeat(60));
    let cases =
        format!("SELECT COUNT(*) FROM visits WHERE {}TRUE{}", "CASE WHEN ".repeat(15), " THEN TRUE END".repeat(15));
    // With an error inside, so that each level is parsed several times: more than a minute before there was a limit.
    let positions = format!("SELECT {}1 1{} FROM visits", "POSITION(".repeat(14), " IN 1)".repeat(14));
    let arrays = format!("SELECT {}1 1{} FROM visits", "ARRAY[".repeat(38), "]".repeat(38));
    let long = format!("SELECT SUM({}1) FROM visits", "age + ".repeat(401));
    let longer = format!("SELECT COUNT(*) FROM visits WHERE ward = '{}'", "a".repeat(65_536));
    for (sql, complaint, help) in [
        (deep, "SQL nested more than 40 deep", "compute in steps"),
        (cases, "CASE, CAST and the like nested more than 14 deep", "compute in steps"),
        (positions, "CASE, CAST and the like nested more than 14 deep", "compute in steps"),
        (arrays, "CASE, CAST and the like nested more than 14 deep", "compute in steps"),
        (long, "more than 400 operators and keywords", "use IN (...) for many values"),
        (longer, "SQL of more than 65536 characters", "ask several shorter queries"),
    ] {
        let place = Place::new(&format!("{POLICY}\n[[query]]\nsql = \"{sql}\"\n"), "");
        let run = place.release(&[]).refused();
        let words = run.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(complaint) && words.contains(help), "{complaint}: {words:.1000}");
    }
}

/// A location inside a query of several lines.
#[test]
fn places_are_found_in_long_questions() {
    let sql = "WITH adults AS (\n    SELECT * FROM visits\n    WHERE age >= 18 AND LENGTH(patient) > 3\n)\nSELECT COUNT(*) FROM adults";
    let place = Place::new(&format!("{POLICY}\n[[query]]\nname = \"adults\"\nsql = '''\n{sql}\n'''\n"), "");
    let run = place.release(&[]).refused();
    insta::assert_snapshot!(place.plain(&run.stderr));
}

/// One bad query stops all queries before anything is charged.
#[test]
fn one_refusal_stops_the_others() {
    let queries = "[[query]]\nsql = 'SELECT COUNT(*) FROM visits'\n[[query]]\nsql = 'SELECT MIN(weight) FROM visits'\n";
    let place = Place::new(&format!("{POLICY}\n{queries}"), "patient,age,cost,weight,sex,ward,smoker\n");
    place.release(&[]).refused();
    place.release(&["--query", "query 1"]).refused();
    assert_eq!(place.ledger(), None);
}
