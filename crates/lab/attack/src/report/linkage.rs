//! The report of a linkage attack.

use super::{Share, coverage};
use crate::linkage::{Linkage, LinkageCounts};
use crate::ratings::Settings;
use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::push_paragraph;
use serde::{Serialize, Serializer};
use std::fmt::{self, Display, Formatter};

/// The method that matches people with rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Method {
    /// Equal values in these columns.
    Columns(Vec<String>),
    /// Similar ratings of some items.
    Ratings {
        /// The column of items.
        item: String,
        /// The tolerances.
        settings: Settings,
    },
}

impl Display for Method {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Columns(columns) => write!(f, "joined on {}", columns.join(", ")),
            Self::Ratings { item, settings } => write!(
                f,
                "matched where at least {} of the items of {item} agree, ratings within {}, days within {}, and the best record is {} \
                 standard deviations ahead",
                settings.items, settings.rating, settings.days, settings.eccentricity
            ),
        }
    }
}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A group of people, by the outcome of the attack.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LinkedGroup {
    /// Number of people searched for.
    pub people: u64,
    /// People without a value to match on; they match no row.
    pub incomplete: u64,
    /// People who agree with at least one row.
    pub agreeing: u64,
    /// The share of people who are matched uniquely.
    pub unique: Share,
    /// The correct ones of these matches; `None` if the truth is unknown.
    pub correct: Option<Share>,
    /// The share of people who are matched uniquely and correctly.
    #[serde(skip)]
    pub found: Option<Share>,
}

impl LinkedGroup {
    fn of(counts: &LinkageCounts, confidence: f64) -> Self {
        let share = |share| Share::of(share, confidence);
        Self {
            people: counts.people,
            incomplete: counts.incomplete,
            agreeing: counts.agreeing,
            unique: share(counts.matched()),
            correct: counts.precision().map(share),
            found: counts.found().map(share),
        }
    }
}

/// A linkage attack, with intervals.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkageReport {
    /// The name of the released table.
    pub released: String,
    /// The method that matches people with rows.
    #[serde(rename = "how")]
    pub method: Method,
    /// The coverage of intervals, in `(0, 1)`.
    pub confidence: f64,
    /// The people in the data who were searched for; if the truth is unknown, all who were.
    pub targets: LinkedGroup,
    /// People who are known not to be in the data, if any.
    pub outside: Option<LinkedGroup>,
    /// The correct ones of all unique matches, including those of people outside.
    #[serde(rename = "correct_of_all_matches")]
    pub trust: Option<Share>,
    /// Number of rows or records of the released table.
    #[serde(skip)]
    pub rows: usize,
    /// The files read: the role and the name of each.
    #[serde(skip)]
    pub files: Vec<(&'static str, String)>,
}

impl LinkageReport {
    /// Adds intervals, at a confidence in `(0, 1)`, to the counts among this many released rows. The first file is the
    /// released table.
    #[must_use]
    pub fn new(
        found: &Linkage,
        rows: usize,
        method: Method,
        confidence: f64,
        files: Vec<(&'static str, String)>,
    ) -> Self {
        Self {
            released: files.first().map_or_else(String::new, |(_, name)| name.clone()),
            method,
            confidence,
            targets: LinkedGroup::of(&found.targets, confidence),
            outside: found.outside.as_ref().map(|outside| LinkedGroup::of(outside, confidence)),
            trust: found.trust().map(|share| Share::of(share, confidence)),
            rows,
            files,
        }
    }

    /// Whether the true identities are known.
    #[must_use]
    pub fn is_truth_known(&self) -> bool {
        self.targets.correct.is_some()
    }

    /// The measured shares in order, with labels.
    #[must_use]
    pub fn shares(&self) -> Vec<(&'static str, Share)> {
        let matched =
            if self.is_truth_known() { "in the data, matched uniquely" } else { "looked for, matched uniquely" };
        let outside = self.outside.map(|outside| outside.unique);
        let all = [
            (matched, Some(self.targets.unique)),
            ("of these matches, correct", self.targets.correct),
            ("in the data, matched uniquely and correctly", self.targets.found),
            ("not in the data, matched uniquely all the same", outside),
            ("of all these matches, correct", self.trust),
        ];
        all.into_iter().filter_map(|(label, share)| Some((label, share?))).collect()
    }

    fn notes(&self) -> Vec<String> {
        let Self { targets, outside, .. } = self;
        let mut notes = Vec::new();
        let incomplete = targets.incomplete + outside.map_or(0, |outside| outside.incomplete);
        if incomplete > 0 {
            notes.push(format!("{incomplete} people lack a value of a joined column, so they match no row"));
        }
        if targets.agreeing == 0 && targets.people > 0 {
            notes.push(
                "no person agrees with any row: check whether the table is generalised, or spells values differently; \
                 `deniable assess --auxiliary` reads ranges and stars"
                    .to_owned(),
            );
        }
        if targets.correct.is_none() {
            notes.push("no column identifies people in both tables, so no match can be verified".to_owned());
        }
        if outside.is_none() {
            notes.push(
                "there is no baseline: no person is known to be outside the data, so the rate of false matches is unknown"
                    .to_owned(),
            );
        }
        notes
    }
}

/// The report as text; it ends with a newline.
impl Display for LinkageReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        push_paragraph(&mut text, "  ", &format!("{} rows, {}", self.rows, self.method));
        let interval = format!("{} interval", coverage(self.confidence));
        let mut grid = Grid::new(["", "people", "share", &interval]);
        for (label, Share { hits, of, value, low, high }) in self.shares() {
            grid.add_row([
                cell(label),
                right(format!("{hits} of {of}")),
                right(value.map_or_else(|| "-".to_owned(), |value| format!("{:.1}%", 100.0 * value))),
                right(format!("{:.1}% to {:.1}%", 100.0 * low, 100.0 * high)),
            ]);
        }
        writeln!(f, "Linkage with {}\n{text}{grid}", self.released)?;
        let mut notes = String::new();
        self.notes().iter().for_each(|note| push_paragraph(&mut notes, "  ", note));
        f.write_str(&notes)
    }
}
