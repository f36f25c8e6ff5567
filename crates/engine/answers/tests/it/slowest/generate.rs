//! Random short queries; each kind is slow for a different reason.

use super::Dice;

/// A query of at most `longest` bytes, 4 KiB or more, and the numbers of keys of x and y.
pub(super) fn query(dice: &mut Dice, longest: usize) -> (String, (i64, i64)) {
    let kinds = [filters, shared_conditions, windows, product, fractions, cases, subqueries, texts, columns];
    let sql = dice.pick(&kinds)(dice, longest);
    let cells = *dice.pick(&[(2, 1), (2, 1), (5, 5), (10, 10), (51, 61), (300, 300), (1_000, 1_000)]);
    (sql, cells)
}

fn number(dice: &mut Dice, most: usize) -> usize {
    usize::try_from(dice.below(most.max(1) as u64)).unwrap() + 1
}

fn size(dice: &mut Dice, most: usize) -> usize {
    let least = number(dice, most);
    number(dice, least)
}

/// Many FILTERs with long IN lists.
fn filters(dice: &mut Dice, longest: usize) -> String {
    let filters = 1 + size(dice, 34);
    let constants = size(dice, (longest / filters / 9).min(990));
    let mut all = Vec::new();
    for at in 0..filters {
        let subject = *dice.pick(&["w", "w", "w", "x", "w + 1", "t"]);
        let from = if dice.chance(70) { at * constants } else { number(dice, 1_000) };
        let quote = if subject == "t" { "'" } else { "" };
        let list: Vec<String> = (from..from + constants).map(|constant| format!("{quote}{constant}{quote}")).collect();
        all.push(format!("COUNT(*) FILTER (WHERE {subject} IN ({}))", list.join(",")));
    }
    format!("SELECT {} FROM t", all.join(", "))
}

/// Many FILTERs over conditions that reuse each other.
fn shared_conditions(dice: &mut Dice, _: usize) -> String {
    let mut sql = "WITH s0 AS (SELECT w, x, w > 3 AS c FROM t)".to_owned();
    let depth = size(dice, 14);
    for at in 1..=depth {
        let (one, other) = (number(dice, 99), number(dice, 99));
        let join = *dice.pick(&["AND", "OR"]);
        sql +=
            &format!(", s{at} AS (SELECT w, x, (c {join} w < {one}) OR NOT (c AND w > {other}) AS c FROM s{})", at - 1);
    }
    let filters: Vec<String> =
        (0..size(dice, 18)).map(|at| format!("COUNT(*) FILTER (WHERE c AND w <> {at})")).collect();
    format!("{sql} SELECT {} FROM s{depth}", filters.join(", "))
}

/// Expressions that each step of a query applies to the result of the step before.
const STEPS: [&str; 11] = [
    "SUM(n * n) OVER ()",
    "SUM(n + n) OVER (ORDER BY x)",
    "AVG(1.0 / n) OVER (PARTITION BY x)",
    "n * n",
    "n / (1 + n)",
    "1.0 * n / SUM(n) OVER ()",
    "LAG(n) OVER (ORDER BY n) - LAG(n, 2) OVER (ORDER BY n)",
    "MAX(n) OVER (PARTITION BY y) * MIN(n) OVER ()",
    "CASE WHEN n > 3 THEN n * n ELSE SUM(n) OVER () END",
    "SQRT(ABS(n)) + EXP(LN(n * n))",
    "ROUND(n / 7, 3) * n",
];

fn step(dice: &mut Dice) -> &'static str {
    dice.pick::<&'static str>(&STEPS)
}

fn windows(dice: &mut Dice, longest: usize) -> String {
    let mut sql = "WITH s0 AS (SELECT x, y, COUNT(*) AS n FROM t GROUP BY x, y)".to_owned();
    let depth = size(dice, (longest / 80).min(24));
    let only = step(dice);
    let mixed = dice.chance(50);
    for at in 1..=depth {
        let value = if mixed { step(dice) } else { only };
        sql += &format!(", s{at} AS (SELECT x, y, {value} AS n FROM s{})", at - 1);
    }
    format!("{sql} SELECT n FROM s{depth} ORDER BY n")
}

fn product(dice: &mut Dice, longest: usize) -> String {
    let factors = size(dice, (longest / 4).min(350));
    let factor = *dice.pick(&["n", "s", "(n + 1)", "1.0000001", "x", "s / n"]);
    let mut value = "n".to_owned();
    for _ in 0..factors {
        value += *dice.pick(&["*", "*", "*", "/", "+", "-"]);
        value += if dice.chance(80) { factor } else { "n" };
    }
    let order = if dice.chance(30) { " ORDER BY z" } else { "" };
    format!("SELECT x, {value} AS z FROM (SELECT x, y, COUNT(*) AS n, SUM(w) AS s FROM t GROUP BY x, y){order}")
}

fn fractions(dice: &mut Dice, _: usize) -> String {
    let value = *dice.pick(&["1.0 / n", "n / x", "s / n", "1.0 / (n * n)", "n * 0.123456789 / s"]);
    let window = *dice.pick(&["", " OVER ()", " OVER (ORDER BY x, y)", " OVER (PARTITION BY x ORDER BY y)"]);
    let of = *dice.pick(&["SUM", "AVG", "MAX"]);
    format!(
        "SELECT {of}({value}){window} AS h FROM (SELECT x, y, COUNT(*) AS n, SUM(w) AS s FROM t GROUP BY x, y) AS q"
    )
}

fn cases(dice: &mut Dice, _: usize) -> String {
    let mut sql = "WITH s0 AS (SELECT x, y, COUNT(*) AS n FROM t GROUP BY x, y)".to_owned();
    let depth = size(dice, 16);
    for at in 1..=depth {
        let most = number(dice, 500);
        sql +=
            &format!(", s{at} AS (SELECT x, y, CASE WHEN n > {most} THEN n + 1 ELSE {at} END AS n FROM s{})", at - 1);
    }
    format!("{sql} SELECT x, n, SUM(n) OVER (PARTITION BY n) FROM s{depth} ORDER BY n")
}

fn subqueries(dice: &mut Dice, _: usize) -> String {
    let mut value = "(SELECT SUM(w) FROM t)".to_owned();
    for _ in 1..size(dice, 8) {
        value = format!("({value} + (SELECT COUNT(*) FROM t) * {})", number(dice, 9));
    }
    format!("SELECT x, y, COUNT(*) / {value} AS z FROM t GROUP BY x, y ORDER BY z")
}

fn texts(dice: &mut Dice, longest: usize) -> String {
    let text = dice.pick(&["a", "\u{1}", "é"]).repeat(size(dice, longest / 4));
    let order = if dice.chance(50) { " ORDER BY z" } else { "" };
    format!("SELECT x, y, CASE WHEN COUNT(*) > 500 THEN '{text}' ELSE 'no' END AS z FROM t GROUP BY x, y{order}")
}

/// Many columns with the same value.
fn columns(dice: &mut Dice, longest: usize) -> String {
    let value = step(dice);
    let columns: Vec<String> = (0..size(dice, longest / 12)).map(|at| format!("n AS c{at}")).collect();
    format!(
        "WITH s AS (SELECT x, y, COUNT(*) AS n FROM t GROUP BY x, y),
           r AS (SELECT x, y, {value} AS n FROM s)
         SELECT {} FROM r",
        columns.join(",")
    )
}
