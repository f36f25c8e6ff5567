//! The example on UCI Adult, if the file exists: `DENIABLE_ADULT`, or `../shared/data/adult/adult.data`.

use crate::support::{Place, rows, workspace};
use deniable_testing::adult;
use std::collections::BTreeMap;

/// True values of the first three queries, by key: count and sum of the averaged or summed values.
fn truth(text: &str) -> [BTreeMap<String, (f64, f64)>; 3] {
    let mut all: [BTreeMap<String, (f64, f64)>; 3] = Default::default();
    for line in text.lines() {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [age, _, _, education, _, _, _, _, _, sex, _, _, hours, _, income] = fields[..] else { continue };
        let number = |text: &str| text.parse::<f64>().unwrap();
        let mut add = |ask: usize, key: &str, value: f64| {
            let (count, sum) = all[ask].entry(key.to_owned()).or_default();
            *count += 1.0;
            *sum += value;
        };
        add(0, sex, number(hours));
        add(1, education, f64::from(u8::from(income == ">50K")));
        add(2, income, number(age));
    }
    all
}

/// Computes a column's true value from a group's totals; `None` for a key.
type Truth = Option<fn(f64, f64) -> f64>;

#[test]
fn the_example_answers_with_an_odds_ratio_of_3() {
    let Some(data) = adult() else { return };
    let place = Place::empty();
    let policy = workspace().join("examples/adult/policy.toml");
    std::fs::copy(policy, place.path("policy.toml")).unwrap();
    let run = place.release(&["--data", data.to_str().unwrap(), "--format", "json"]).done();
    let publication = run.json();
    assert_eq!(publication["guarantee"]["odds"], "3");
    let queries = publication["answers"].as_array().unwrap();
    let position = |name: &str| queries.iter().position(|ask| ask["name"] == name).unwrap();
    let [by_sex, by_education, by_income] = truth(&std::fs::read_to_string(&data).unwrap());
    let keys = |ask| {
        rows(&publication, ask).iter().map(|row| row[0].as_str().unwrap_or("NULL").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(keys(0), ["Female", "Male"]);
    assert_eq!(keys(position("income by education")).len(), 16);
    assert_eq!(keys(position("commonest occupations of full-time workers")).len(), 5);
    assert_eq!(keys(position("age by income")), ["<=50K", ">50K"]);
    let mut cells: Vec<(String, f64, bool)> = Vec::new();
    let mut look = |ask: usize, truths: &BTreeMap<String, (f64, f64)>, columns: [Truth; 2]| {
        for row in queries[ask]["rows"].as_array().unwrap() {
            let (count, sum) = truths[row[0].as_str().unwrap()];
            for (at, of) in columns.iter().enumerate() {
                let Some(of) = of else { continue };
                let (cell, truth) = (&row[at + 1], of(count, sum));
                let end = |name: &str| cell[name].as_f64().unwrap();
                cells.push((format!("{row}"), truth, end("low") <= truth + 1e-4 && truth - 1e-4 <= end("high")));
            }
        }
    };
    look(0, &by_sex, [Some(|count, _| count), Some(|count, sum| sum / count)]);
    look(position("income by education"), &by_education, [Some(|count, _| count), Some(|_, sum| sum)]);
    look(position("age by income"), &by_income, [None, Some(|count, sum| sum / count)]);
    let missed: Vec<_> = cells.iter().filter(|(_, _, inside)| !inside).collect();
    // 38 intervals at 95%: more than 9 misses have a probability below 1/100,000.
    assert_eq!(cells.len(), 38);
    assert!(missed.len() <= 9, "{missed:?}");
}
