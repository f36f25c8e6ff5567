//! Consistent totals, from SQL to shown results: closer to the exact answers than the noisy ones, with the same
//! intervals.
#![allow(clippy::cast_precision_loss, reason = "statistics")]

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use deniable_answers::Consistency;
use deniable_answers::{Noisy, ShownRow, ShownValue};
use deniable_core::exact::{Rational, ratio, whole};
use deniable_core::noise::Decay;
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Bounds, Column, ColumnType, Entity, Key};
use deniable_core::sensitivity::Caps;
use deniable_data::{Resources, Source};
use deniable_execute::{Salt, exact};
use deniable_query::MeasureKind;
use deniable_query::Query;
use deniable_testing::sized;
use num_traits::ToPrimitive;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use std::sync::Arc;

const TOWNS: [&str; 4] = ["a", "b", "c", "d"];
const WARDS: [&str; 5] = ["k", "l", "m", "n", "o"];
const SEXES: [&str; 2] = ["F", "M"];

/// Towns, wards, sexes, and a number from 0 to 90.
fn table(entity: Option<Entity>) -> TableSchema {
    let column = |name: &str, kind, bounds, keys| Column { bounds, keys, ..Column::new(name, kind) };
    let text = |name: &str, keys: &[&str]| {
        let keys = keys.iter().map(|key| Key::Text((*key).to_owned())).collect();
        column(name, ColumnType::Text, None, Some(keys))
    };
    let ages = Bounds::new(whole(0), whole(90), whole(1)).unwrap();
    let columns = vec![
        text("town", &TOWNS),
        text("ward", &WARDS),
        text("sex", &SEXES),
        column("age", ColumnType::Integer, Some(ages), None),
    ];
    TableSchema::protected("t", columns, entity)
}

/// Cells of 0 to 30 rows, many of them small.
fn rows() -> Vec<RecordBatch> {
    let (mut town, mut ward, mut sex, mut age) = (vec![], vec![], vec![], vec![]);
    for cell in 0..40_usize {
        let size = [0, 2, 1, 0, 30, 5, 0, 12, 0, 3, 1][cell * 7 % 11];
        for row in 0..size {
            town.push(TOWNS[cell / 10]);
            ward.push(WARDS[cell / 2 % 5]);
            sex.push(SEXES[cell % 2]);
            age.push(Some(i64::try_from((cell * 13 + row * 29) % 91).unwrap()));
        }
    }
    let columns: [(&str, ArrayRef); 4] = [
        ("town", Arc::new(StringArray::from(town))),
        ("ward", Arc::new(StringArray::from(ward))),
        ("sex", Arc::new(StringArray::from(sex))),
        ("age", Arc::new(Int64Array::from(age))),
    ];
    vec![RecordBatch::try_from_iter(columns).unwrap()]
}

fn query(sql: &str) -> Query {
    deniable_sql::plan(sql, &[table(None)]).unwrap()
}

fn source() -> Source {
    Source::memory(table(None), rows())
}

/// Decays with a scale of about 6 rows.
fn decays(query: &Query) -> Vec<Decay> {
    vec![Decay::exactly(ratio(6, 7)).unwrap(); query.measures().len()]
}

fn computed(query: &Query) -> deniable_execute::Exact {
    exact(&[source()], query, &Salt([1; 32]), &Resources::default(), &|_| {}).unwrap()
}

/// The exact answers.
fn truth(query: &Query) -> Noisy {
    let cells = computed(query).reveal().into_iter();
    let values = cells.map(|cells| cells.into_iter().map(|cell| cell[0]).collect()).collect();
    Noisy { values, consistent: None, decays: decays(query) }
}

/// The noisy answers of a seed.
fn answers(query: &Query, seed: u64) -> Noisy {
    let decays = decays(query);
    let values = computed(query).with_noise(query, &decays, &ratio(95, 100), &mut ChaCha20Rng::seed_from_u64(seed));
    let consistent = deniable_answers::made_consistent(query, &values, &decays);
    assert!(consistent.is_some());
    Noisy { values, consistent, decays }
}

type Ends = (Option<Rational>, Option<Rational>);

/// Estimate and interval of a shown number.
fn number(shown: &ShownValue) -> Option<(Option<Rational>, Ends)> {
    match shown {
        ShownValue::Number { estimate, low, high, .. } => Some((estimate.clone(), (low.clone(), high.clone()))),
        ShownValue::Key(_) | ShownValue::All | ShownValue::Text(_) => None,
    }
}

fn covers((low, high): &Ends, value: &Rational) -> bool {
    low.as_ref().is_none_or(|low| low <= value) && high.as_ref().is_none_or(|high| value <= high)
}

/// Squared errors of shown numbers by column, and the share of intervals that hold the truth.
#[derive(Default)]
struct Tally {
    squares: Vec<f64>,
    covered: u32,
    all: u32,
}

impl Tally {
    fn add(&mut self, shown: &[ShownRow], truth: &[ShownRow]) {
        for (row, truth) in shown.iter().zip(truth) {
            for (column, (shown, truth)) in row.0.iter().zip(&truth.0).enumerate() {
                let (Some((estimate, ends)), Some((Some(truth), _))) = (number(shown), number(truth)) else { continue };
                self.squares.resize(self.squares.len().max(column + 1), 0.0);
                if let Some(estimate) = estimate {
                    self.squares[column] += (estimate - &truth).to_f64().unwrap().powi(2);
                }
                self.covered += u32::from(covers(&ends, &truth));
                self.all += 1;
            }
        }
    }

    fn coverage(&self) -> f64 {
        f64::from(self.covered) / f64::from(self.all)
    }
}

/// 80 draws from fixed seeds, 200 at full scale, as noisy and as consistent answers.
fn draws(sql: &str) -> (Tally, Tally) {
    let query = query(sql);
    let confidence = ratio(95, 100);
    let (mut before, mut after) = (Tally::default(), Tally::default());
    let truth = deniable_answers::show(&query, &truth(&query), &confidence);
    for seed in 0..sized(80, 200) {
        let noisy = answers(&query, seed);
        let plain = Noisy { consistent: None, ..noisy.clone() };
        before.add(&deniable_answers::show(&query, &plain, &confidence), &truth);
        after.add(&deniable_answers::show(&query, &noisy, &confidence), &truth);
    }
    (before, after)
}

#[test]
fn rollups_are_more_accurate() {
    let sql = "SELECT town, ward, sex, COUNT(*), AVG(age), 100 * COUNT(*) / 7 FROM t GROUP BY ROLLUP (town, ward, sex)";
    let (before, after) = draws(sql);
    let gain = after.squares[3] / before.squares[3];
    println!("ROLLUP: squared error of counts {gain:.3} of that without; {:.4} covered", after.coverage());
    assert!(gain < 0.6, "{gain}");
    assert!(after.coverage() >= before.coverage() && before.coverage() > 0.95);
}

#[test]
fn cubes_are_more_accurate() {
    let (before, after) = draws("SELECT town, ward, sex, COUNT(*), SUM(age) FROM t GROUP BY CUBE (town, ward, sex)");
    let gain = [3, 4].map(|column| after.squares[column] / before.squares[column]);
    println!("CUBE: squared errors of counts and sums {gain:.3?} of those without; {:.4} covered", after.coverage());
    assert!(gain.iter().all(|gain| *gain < 0.6), "{gain:?}");
    assert!(after.coverage() >= before.coverage() && before.coverage() > 0.95);
}

#[test]
fn shown_numbers_add_up_and_are_in_their_intervals() {
    let query = query(
        "SELECT town, sex, COUNT(*) AS n, COUNT(*) FILTER (WHERE age > 40) AS old, AVG(age), MEDIAN(age) FROM t \
         GROUP BY CUBE (town, sex)",
    );
    for seed in 0..20 {
        let noisy = answers(&query, seed);
        let rows = deniable_answers::show(&query, &noisy, &ratio(95, 100));
        for row in &rows {
            for (estimate, ends) in row.0.iter().filter_map(number) {
                assert!(estimate.is_none_or(|estimate| covers(&ends, &estimate)), "{row:?}");
            }
        }
        // (town, sex), (town), (sex), (): cells in the order of keys.
        for column in [2, 3] {
            let n: Vec<Rational> = rows.iter().map(|row| number(&row.0[column]).unwrap().0.unwrap()).collect();
            assert!(n.iter().all(|n| *n >= whole(0)));
            let sum = |cells: &[usize]| -> Rational { cells.iter().map(|cell| n[*cell].clone()).sum() };
            assert_eq!(n.len(), 15);
            assert_eq!(n[8..12], [sum(&[0, 1]), sum(&[2, 3]), sum(&[4, 5]), sum(&[6, 7])]);
            assert_eq!(n[12..14], [sum(&[0, 2, 4, 6]), sum(&[1, 3, 5, 7])]);
            assert_eq!(n[14], sum(&[12, 13]));
        }
        // A rank is not a sum of parts, and stays as it was selected.
        let ranked = |at: &usize| matches!(query.measures()[*at].kind, MeasureKind::Ranked { .. });
        let ranked: Vec<usize> = (0..query.measures().len()).filter(ranked).collect();
        assert_eq!(ranked.len(), 4);
        assert!(ranked.iter().all(|at| noisy.shown()[*at] == noisy.values[*at]));
    }
}

#[test]
fn conditions_are_decided_by_shown_values() {
    let sql = |rest: &str| format!("SELECT town, COUNT(*) AS n FROM t GROUP BY ROLLUP (town) {rest}");
    let plain = query(&sql(""));
    let noisy = answers(&plain, 3);
    let noisy =
        Noisy { values: vec![vec![9, 9, 9, 9], vec![9]], consistent: Some(vec![vec![4, 1, 0, 3], vec![8]]), ..noisy };
    let estimates = |rest: &str| -> Vec<Rational> {
        let rows = deniable_answers::show(&query(&sql(rest)), &noisy, &ratio(95, 100));
        rows.iter().map(|row| number(&row.0[1]).unwrap().0.unwrap()).collect()
    };
    let numbers = |all: &[i32]| -> Vec<Rational> { all.iter().map(|n| whole(*n)).collect() };
    assert_eq!(estimates(""), numbers(&[4, 1, 0, 3, 8]));
    assert_eq!(estimates("HAVING COUNT(*) >= 3"), numbers(&[4, 3, 8]));
    assert_eq!(estimates("ORDER BY n DESC LIMIT 2"), numbers(&[8, 4]));
}

#[test]
fn intervals_of_the_noise_are_extended_to_shown_numbers() {
    let query = query("SELECT town, COUNT(*), COUNT(*) * 2 FROM t GROUP BY ROLLUP (town)");
    let noisy = answers(&query, 3);
    let values = vec![vec![100, 100, 100, 100], vec![400]];
    let ends = |consistent: Option<Vec<Vec<i128>>>| -> Vec<(Rational, Rational)> {
        let rows = deniable_answers::show(
            &query,
            &Noisy { values: values.clone(), consistent, ..noisy.clone() },
            &ratio(95, 100),
        );
        let both = |(_, (low, high)): (_, Ends)| (low.unwrap(), high.unwrap());
        [1, 2].map(|column| both(number(&rows[0].0[column]).unwrap())).to_vec()
    };
    let before = ends(None);
    assert!(before[0].0 > whole(70) && before[0].1 < whole(130), "{before:?}");
    let with = |first: i128| ends(Some(vec![vec![first, 100, 100, 100], vec![300 + first]]));
    assert_eq!(with(99), before);
    assert_eq!(with(5), [(whole(5), before[0].1.clone()), (whole(10), before[1].1.clone())]);
    assert_eq!(with(500), [(before[0].0.clone(), whole(500)), (before[1].0.clone(), whole(1000))]);
}

#[test]
fn consistency_applies_where_exact_answers_add_up() {
    let of = |sql: &str| deniable_answers::consistency(&query(sql));
    assert_eq!(of("SELECT COUNT(*) FROM t GROUP BY ROLLUP (town)"), Consistency::Applies);
    assert_eq!(of("SELECT VAR_POP(age), MIN(age) FROM t GROUP BY GROUPING SETS ((town), ())"), Consistency::Applies);
    assert_eq!(of("SELECT town, COUNT(*) FROM t GROUP BY town"), Consistency::NothingToAddUp);
    assert_eq!(of("SELECT COUNT(*) FROM t GROUP BY GROUPING SETS ((town), (ward))"), Consistency::NothingToAddUp);
    assert_eq!(of("SELECT MIN(age) FROM t GROUP BY ROLLUP (town)"), Consistency::NothingToAddUp);
    // Three levels of 91 × 91 cells overlap; as many cells in a ROLLUP are nested.
    assert_eq!(of("SELECT COUNT(*) FROM t GROUP BY CUBE (age, age + 1, age + 2)"), Consistency::TooManyCells);
    assert_eq!(of("SELECT COUNT(*) FROM t GROUP BY ROLLUP (age, age + 1, age + 2)"), Consistency::Applies);
}

#[test]
fn entities_are_capped_at_each_level() {
    let caps = Caps { rows_per_group: 2, groups: 2 };
    let mut table = table(Some(Entity::new("person", caps)));
    let person = Column::new("person", ColumnType::Text);
    table.columns.push(person);
    let query = |sql: &str| deniable_sql::plan(sql, &[table.clone()]).unwrap();
    let rollup = query("SELECT COUNT(*), COUNT(DISTINCT person) FROM t GROUP BY ROLLUP (town)");
    assert_eq!(deniable_answers::consistency(&rollup), Consistency::Entities);
    let values = vec![vec![1; 4], vec![1; 4], vec![1], vec![1]];
    let decays = vec![Decay::exactly(ratio(1, 2)).unwrap(); 4];
    assert_eq!(deniable_answers::made_consistent(&rollup, &values, &decays), None);
    assert_eq!(
        deniable_answers::consistency(&query("SELECT COUNT(*) FROM t GROUP BY town")),
        Consistency::NothingToAddUp
    );
}
