//! All attacks on a simulated population with known truth: the figures of docs/how-to/attack.md.
//!
//! `cargo run --release -p deniable-attack --example simulated`
#![allow(clippy::print_stdout, reason = "figures are printed")]

#[path = "../tests/it/cohort/mod.rs"]
mod cohort;

use cohort::{CASES, CONFIDENCE, OUTSIDE, Population, REFERENCE, SNPS};
use deniable_attack::linkage::{self, JoinColumns, Linkage, TextTable};
use deniable_attack::ratings::{self, Rating, Records, Settings};
use deniable_attack::{Bounds, Findings, Proportion, Row, Test};
use deniable_core::exact::{Rounding, decimal, whole};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::error::Error;
use std::path::Path;

const SEED: u64 = 1;
const RELEASES: u64 = 25;

fn main() -> Result<(), Box<dyn Error>> {
    membership()?;
    by_columns()?;
    by_ratings();
    Ok(())
}

fn membership() -> Result<(), Box<dyn Error>> {
    let population = Population::new(SEED)?;
    println!(
        "{CASES} members, {OUTSIDE} people outside, a reference of {REFERENCE} others; {SNPS} SNPs without linkage\n"
    );
    let raw = population.raw()?;
    let releases = (0..RELEASES).map(|seed| population.private(2, seed)).collect::<Result<Vec<_>, _>>()?;
    let bounds = Bounds::of_odds(whole(2)).ok_or("odds of 2 are odds")?;
    for test in [Test::Homer, Test::LikelihoodRatio] {
        println!("{}: frequencies as they are (PLINK's --assoc), 95% intervals", test.name());
        for Row { measure, value, interval: (low, high), .. } in population.attack(test, &raw)?.rows(None) {
            println!("  {:<34} {value:6.3}  [{low:6.3}, {high:6.3}]", measure.to_string());
        }
        println!(
            "{}: with gain = 2 (odds of at most 2), mean of {RELEASES} releases ± its standard error",
            test.name()
        );
        let mut all: Vec<Vec<Row>> = Vec::new();
        for release in &releases {
            let measured: Findings = population.attack(test, release)?;
            all.push(measured.rows(Some(&bounds)));
        }
        for (at, row) in all.first().into_iter().flatten().enumerate() {
            let values: Vec<f64> = all.iter().filter_map(|rows| Some(rows.get(at)?.value)).collect();
            let many = RELEASES as f64;
            let mean = values.iter().sum::<f64>() / many;
            let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
            let error = (squares / (many * (many - 1.0))).sqrt();
            let bound = row
                .bound
                .as_ref()
                .map_or_else(String::new, |(bound, _)| format!("at most {}", decimal(bound, 3, Rounding::Up)));
            println!("  {:<34} {mean:6.3} ± {error:.3}   {bound}", row.measure.to_string());
        }
        println!();
    }
    Ok(())
}

/// 20,000 people: 20 districts, birthdays over 70 years, two sexes. Half of them are in the data. The register has
/// three quarters of them: half of those in the data, so people outside the register can be mistaken for them, and all
/// who are not in the data.
fn by_columns() -> Result<(), Box<dyn Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let (mut released, mut register) =
        (String::from("id,zip,birth,year,sex\n"), String::from("id,zip,birth,year,sex\n"));
    for person in 0..20_000 {
        let mut below = |bound: u64| rng.next_u64() % bound;
        let (zip, year, day) = (100 + below(20), 1930 + below(70), below(365));
        let line = format!("{person},{zip},{year}/{day},{year},{}\n", if below(2) == 0 { "f" } else { "m" });
        if person % 4 != 0 {
            register.push_str(&line);
        }
        if person % 2 == 0 {
            released.push_str(&line);
        }
    }
    let table = |text: &str| TextTable::of(Path::new("made up"), text.as_bytes(), b',');
    let (released, register) = (table(&released)?, table(&register)?);
    println!("linkage: 10,000 rows; a register of 5,000 of these people and 10,000 others; 95% intervals");
    for columns in [["zip", "birth", "sex"].as_slice(), &["zip", "year", "sex"], &["birth"]] {
        let on = JoinColumns {
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            truth: Some("id".to_owned()),
        };
        let found = linkage::link(&released, &register, None, &on)?;
        show(&columns.join(","), &found);
    }
    println!();
    Ok(())
}

/// 2,000 people with 30 of 1,000 films each, of whom half are in the data. The attacker knows some films of each, the
/// rating, and the day within ten.
fn by_ratings() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut below = |bound: u32| u32::try_from(rng.next_u64() % u64::from(bound)).unwrap_or_default();
    let mut released = Records::default();
    let mut people = Vec::new();
    for person in 0..2_000 {
        let mut films = Vec::new();
        for _ in 0..30 {
            let rating = Rating { rating: Some(f64::from(1 + below(5))), day: Some(below(2_000).into()) };
            films.push((format!("film{}", below(1_000)), rating));
        }
        let known: Vec<(String, Rating)> = films
            .iter()
            .map(|(film, rating)| {
                let day = rating.day.map(|day| day + i64::from(below(21)) - 10);
                (film.clone(), Rating { rating: rating.rating, day })
            })
            .collect();
        people.push((format!("p{person}"), known));
        if person % 2 == 0 {
            released.each.insert(format!("p{person}"), films);
        }
    }
    println!("sparse ratings: 1,000 records, 2,000 people, half of whom are not in the data; 95% intervals");
    for (films, items) in [(2, 2), (4, 1), (4, 2), (8, 2)] {
        let known =
            |(name, all): &(String, Vec<(String, Rating)>)| (name.clone(), all.iter().take(films).cloned().collect());
        let known = Records { each: people.iter().map(known).collect() };
        let found = ratings::link(&released, &known, None, true, &Settings { items, ..Settings::default() });
        show(&format!("{films} films known, {items} must agree"), &found);
    }
}

fn show(what: &str, found: &Linkage) {
    let line = |name: &str, share: Option<Proportion>| {
        let Some((share, value)) = share.and_then(|share| Some((share, share.value()?))) else { return };
        let (low, high) = share.interval(CONFIDENCE);
        let [value, low, high] = [value, low, high].map(|share| 100.0 * share);
        println!("    {name:<47} {:<15} {value:5.1}%  [{low:5.1}%, {high:5.1}%]", share.to_string());
    };
    println!("  {what}");
    line("in the data, matched uniquely", Some(found.targets.matched()));
    line("of these matches, correct", found.targets.precision());
    line("not in the data, matched uniquely all the same", found.outside.map(|outside| outside.matched()));
    line("of all these matches, correct", found.trust());
}
