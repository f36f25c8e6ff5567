//! Linkage of sparse ratings, which match although no values agree exactly.
//!
//! The pattern of the film ratings of 2006 (Narayanan and Shmatikov 2008): a record is a set of items with a rating and
//! a day. An observer who knows a few of a person's items, with the approximate rating and day, compares them with
//! every record. An item that few records have carries more information.
//!
//! **Score.** `Σ 1/ln(1 + n_i)` over the known items i that the record contains too, with rating and day within their
//! tolerances, where `n_i` records of the release contain i.
//!
//! **Accepting.** The best record is accepted if it exceeds the second by at least φ standard deviations of the scores
//! of all records (the *eccentricity*), and agrees in a minimum number of items. The second condition matters if most
//! scores are 0: then a single agreement by chance is many standard deviations above zero. People who are not in the
//! data have a best record too; the rate at which it is accepted is the baseline.

use crate::intervals::float;
use crate::linkage::{Linkage, LinkageCounts, TextTable};
use crate::table_error::{TableError, TableErrorKind};
use deniable_core::text::shown;
use std::collections::{BTreeMap, HashMap};

/// The columns of a table of ratings, with a line for each item of each person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// The name of the record or person.
    pub person: String,
    /// The item.
    pub item: String,
    /// A number; `None` if only items are known.
    pub rating: Option<String>,
    /// An integer number of days, or a date as `2006-10-02`; `None` if days are unknown.
    pub day: Option<String>,
}

/// One rating; an unknown value agrees with every value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// The rating.
    pub rating: Option<f64>,
    /// The day, counted from an origin that both tables share.
    pub day: Option<i64>,
}

/// Records: the items of each name, with their ratings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Records {
    /// By name; duplicate items are all kept.
    pub each: BTreeMap<String, Vec<(String, Rating)>>,
}

impl Records {
    /// Reads a table of ratings. Lines without a person or an item are rejected; empty ratings and days are unknown.
    ///
    /// # Errors
    /// If a column is missing or a value is not a number or day.
    pub fn of(table: &TextTable, columns: &Columns) -> Result<Self, TableError> {
        let place = |name: &Option<String>| name.as_ref().map(|name| table.column(name)).transpose();
        let (person, item) = (table.column(&columns.person)?, table.column(&columns.item)?);
        let (rating, day) = (place(&columns.rating)?, place(&columns.day)?);
        let mut records = Self::default();
        for (line, row) in (2..).zip(&table.rows) {
            let value = |column: usize| row.get(column).map(String::as_str).filter(|value| !value.is_empty());
            let fault = |what, found: &str, expected| {
                TableError::at(&table.file, line, TableErrorKind::Number { what, found: shown(found), expected })
            };
            let name = value(person).ok_or_else(|| fault("person", "", "a name"))?;
            let thing = value(item).ok_or_else(|| fault("item", "", "a name"))?;
            let number = |text: &str| {
                let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
                number.ok_or_else(|| fault("rating", text, "a number"))
            };
            let days = |text: &str| {
                days(text).ok_or_else(|| fault("day", text, "a whole number of days or a date as 2006-10-02"))
            };
            let rating = rating.and_then(value).map(number).transpose()?;
            let day = day.and_then(value).map(days).transpose()?;
            let known = records.each.entry(name.to_owned()).or_default();
            known.push((thing.to_owned(), Rating { rating, day }));
        }
        Ok(records)
    }
}

/// Days since a fixed date.
fn days(text: &str) -> Option<i64> {
    if let Ok(days) = text.parse::<i32>() {
        return Some(days.into());
    }
    let date: jiff::civil::Date = text.parse().ok()?;
    let first = jiff::civil::date(1970, 1, 1);
    first.until(date).ok().map(|span| i64::from(span.get_days()))
}

/// Tolerances of a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Ratings agree that differ by at most this; at least 0.
    pub rating: f64,
    /// Days agree that differ by at most this; at least 0.
    pub days: u32,
    /// Smallest number of items in which the best record must agree; at least 1.
    pub items: u32,
    /// φ: standard deviations by which the best score must exceed the second; above 0.
    pub eccentricity: f64,
}

/// Ratings within 1, days within two weeks, agreement in two items, 1.5 standard deviations ahead.
impl Default for Settings {
    fn default() -> Self {
        Self { rating: 1.0, days: 14, items: 2, eccentricity: 1.5 }
    }
}

/// The best record for a person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestRecord<'a> {
    /// Its name.
    pub record: &'a str,
    /// Its score.
    pub score: f64,
    /// Number of items in which it agrees.
    pub items: u32,
    /// Standard deviations of all scores by which it exceeds the second; infinite if there is no other record.
    pub eccentricity: f64,
}

/// The records of a release, indexed by item.
#[derive(Debug)]
pub struct Index<'a> {
    names: Vec<&'a str>,
    /// For each item, the records that have it.
    items: HashMap<&'a str, Vec<(usize, Rating)>>,
    /// The weight of each item in a score.
    weights: HashMap<&'a str, f64>,
}

impl<'a> Index<'a> {
    /// Builds the index of a release.
    #[must_use]
    pub fn of(released: &'a Records) -> Self {
        let names = released.each.keys().map(String::as_str).collect();
        let mut items: HashMap<&str, Vec<(usize, Rating)>> = HashMap::new();
        for (record, all) in released.each.values().enumerate() {
            for (item, rating) in all {
                items.entry(item.as_str()).or_default().push((record, *rating));
            }
        }
        let weight = |all: &Vec<(usize, Rating)>| {
            // Records are in order, so duplicates of an item in a record are adjacent.
            let records = all.chunk_by(|one, other| one.0 == other.0).count();
            1.0 / libm::log1p(float(records as u64))
        };
        let weights = items.iter().map(|(item, all)| (*item, weight(all))).collect();
        Self { names, items, weights }
    }

    /// The best record for the known ratings of a person; `None` if no record agrees in any item, or several are
    /// equally good.
    #[must_use]
    pub fn best(&self, known: &[(String, Rating)], settings: &Settings) -> Option<BestRecord<'a>> {
        let near = |one: &Rating, other: &Rating| {
            let ratings = one.rating.zip(other.rating).is_none_or(|(a, b)| (a - b).abs() <= settings.rating);
            let days = one.day.zip(other.day).is_none_or(|(a, b)| a.abs_diff(b) <= u64::from(settings.days));
            ratings && days
        };
        // By record, so that sums are always in the same order.
        let mut scores: BTreeMap<usize, (f64, u32)> = BTreeMap::new();
        let mut done = std::collections::HashSet::new();
        for (item, rating) in known.iter().filter(|(item, _)| done.insert(item.as_str())) {
            let (Some(all), Some(weight)) = (self.items.get(item.as_str()), self.weights.get(item.as_str())) else {
                continue;
            };
            let agrees = |(_, other): &&(usize, Rating)| near(rating, other);
            let mut last = None;
            for (record, _) in all.iter().filter(agrees) {
                // An item counts once, even if a record has it several times.
                if last.replace(*record) != Some(*record) {
                    let (score, items) = scores.entry(*record).or_default();
                    *score += weight;
                    *items += 1;
                }
            }
        }
        let (mut first, mut second) = ((None, 0.0, 0), 0.0);
        let (mut sum, mut squares) = (0.0, 0.0);
        for (record, (score, items)) in scores {
            sum += score;
            squares += score * score;
            if score > first.1 {
                second = first.1;
                first = (Some(record), score, items);
            } else if score > second {
                second = score;
            }
        }
        let all = float(self.names.len() as u64);
        let deviation = (squares / all - (sum / all) * (sum / all)).max(0.0).sqrt();
        let (record, score, items) = (*self.names.get(first.0?)?, first.1, first.2);
        if self.names.len() == 1 {
            return Some(BestRecord { record, score, items, eccentricity: f64::INFINITY });
        }
        let ahead = score - second;
        (ahead > 0.0 && deviation > 0.0).then(|| BestRecord { record, score, items, eccentricity: ahead / deviation })
    }
}

/// Matches all people of `auxiliary` with a record of the release. If `same_names`, a person's name is that of their
/// record: then correct matches are known, and people without a record are the baseline. `outsiders` are more of them.
///
/// In the result, a match is unique if it is accepted, and agreeing if some record is the best.
#[must_use]
pub fn link(
    released: &Records,
    auxiliary: &Records,
    outsiders: Option<&Records>,
    same_names: bool,
    settings: &Settings,
) -> Linkage {
    let index = Index::of(released);
    let mut targets = LinkageCounts { correct: same_names.then_some(0), ..LinkageCounts::default() };
    let mut outside = LinkageCounts::default();
    for (name, known) in &auxiliary.each {
        let is_inside = !same_names || released.each.contains_key(name);
        let group = if is_inside { &mut targets } else { &mut outside };
        let matched = accepted(group, index.best(known, settings), settings);
        if let (Some(correct), true) = (&mut group.correct, matched == Some(name.as_str())) {
            *correct += 1;
        }
    }
    for known in outsiders.into_iter().flat_map(|outsiders| outsiders.each.values()) {
        accepted(&mut outside, index.best(known, settings), settings);
    }
    Linkage { targets, outside: (same_names || outsiders.is_some()).then_some(outside) }
}

/// Counts a person; returns the accepted record.
fn accepted<'a>(group: &mut LinkageCounts, best: Option<BestRecord<'a>>, settings: &Settings) -> Option<&'a str> {
    group.people += 1;
    let best = best?;
    group.agreeing += 1;
    if best.eccentricity >= settings.eccentricity && best.items >= settings.items {
        group.unique += 1;
        Some(best.record)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_core::{Rng as _, SeedableRng as _};
    use std::path::Path;

    fn columns() -> Columns {
        let name = |name: &str| name.to_owned();
        Columns { person: name("who"), item: name("film"), rating: Some(name("stars")), day: Some(name("day")) }
    }

    fn records(lines: &str) -> Result<Records, TableError> {
        let text = format!("who,film,stars,day\n{lines}");
        Records::of(&TextTable::of(Path::new("r.csv"), text.as_bytes(), b',').unwrap(), &columns())
    }

    #[test]
    fn rare_items_and_tolerances() {
        let released = records("a,common,3,10\na,rare,5,12\nb,common,3,10\nc,common,3,10\nd,other,1,1\n").unwrap();
        let index = Index::of(&released);
        let best = |lines: &str| {
            let known = records(lines).unwrap();
            index.best(&known.each["x"], &Settings::default()).map(|best| (best.record, best.score))
        };
        let (rare, common) = (1.0 / 2.0_f64.ln(), 1.0 / 4.0_f64.ln());
        assert_eq!(best("x,rare,4,26\nx,common,3,9\n"), Some(("a", rare + common)));
        // A day too late, and a rating too good by more than one: no record agrees.
        assert_eq!((best("x,rare,5,27\n"), best("x,rare,3.9,12\n"), best("x,none,1,1\n")), (None, None, None));
        // Three records are equally good.
        assert_eq!(best("x,common,3,10\n"), None);
        // Unknown values agree with every value.
        assert_eq!(best("x,rare,,\n"), Some(("a", rare)));
        assert_eq!(best("x,rare,,\nx,rare,,\n"), Some(("a", rare)));
    }

    #[test]
    fn days_are_numbers_or_dates() {
        assert_eq!(
            (days("1970-01-02"), days("2006-10-02"), days("-5"), days("x")),
            (Some(1), Some(13423), Some(-5), None)
        );
        let refused = records("a,f,3,5\na,g,three,5\n").unwrap_err();
        assert_eq!(refused.line, Some(3));
        assert!(refused.to_string().starts_with("r.csv:3: the rating `three` is not a number"), "{refused}");
    }

    /// 300 people with 30 of 500 films each: six of them, approximately known, identify all people in the data and none
    /// outside.
    #[test]
    fn sparse_people_are_found() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut below = |bound: u64| rng.next_u64() % bound;
        let (mut released, mut known) = (Records::default(), Records::default());
        for person in 0..400 {
            let films: Vec<(String, Rating)> = (0..30)
                .map(|_| {
                    let rating = Rating { rating: Some(1.0 + below(5) as f64), day: Some(below(2000) as i64) };
                    (format!("film{}", below(500)), rating)
                })
                .collect();
            let roughly = |(film, rating): &(String, Rating)| {
                let day = rating.day.map(|day| day + below(21) as i64 - 10);
                (film.clone(), Rating { rating: rating.rating, day })
            };
            known.each.insert(format!("p{person}"), films.iter().take(6).map(roughly).collect());
            if person < 300 {
                released.each.insert(format!("p{person}"), films);
            }
        }
        let with = |items| {
            let found = link(&released, &known, None, true, &Settings { items, ..Settings::default() });
            (found.targets, found.outside.unwrap())
        };
        let (targets, outside) = with(3);
        assert_eq!((targets.people, outside.people), (300, 100));
        assert_eq!((targets.unique, targets.correct, outside.unique), (300, Some(300), 0));
        // One chance agreement is accepted if no other record agrees: the baseline shows it.
        let (_, outside) = with(1);
        assert!(outside.unique > 10, "{outside:?}");
    }
}
