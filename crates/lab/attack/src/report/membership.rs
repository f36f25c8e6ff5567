//! The report of an attack on membership, with the bounds of a promise on any test.

use super::{Warning, coverage};
use crate::bounds::Bounds;
use crate::findings::{Findings, Row};
use crate::genotypes::Targets;
use crate::membership::{Statistics, Test};
use crate::panel::PanelCounts;
use deniable_core::exact::{Rational, Rounding, decimal};
use deniable_core::text::grid::{Grid, cell, right};
use deniable_core::text::{push_paragraph, spreadsheet_cell};
use serde::{Serialize, Serializer};
use std::fmt::{self, Display, Formatter, Write};

/// The bound on every test, or the reason why it is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Promised {
    /// Odds about membership.
    Bounded(Bounds, PromiseSource),
    /// No ledger was named.
    NoLedger,
    /// The ledger has no releases.
    NothingReleased {
        /// The population of the ledger.
        population: String,
    },
    /// The promise is about labels; the number is that of the chosen entry, if one was chosen.
    Labels(Option<u64>),
}

/// The releases that the odds cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromiseSource {
    /// All releases about a population.
    All {
        /// The population.
        population: String,
        /// The number of releases.
        releases: usize,
    },
    /// One entry of the ledger.
    Entry {
        /// The entry number.
        entry: u64,
        /// The name of the release.
        name: String,
    },
}

impl Display for PromiseSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::All { population, releases: 1 } => {
                write!(f, "the one release about {population}")
            }
            Self::All { population, releases } => {
                write!(f, "all {releases} releases about {population}")
            }
            Self::Entry { entry, name } => write!(f, "entry {entry}, \"{name}\""),
        }
    }
}

impl Promised {
    /// The bounds, if any.
    #[must_use]
    pub fn bounds(&self) -> Option<&Bounds> {
        match self {
            Self::Bounded(bounds, _) => Some(bounds),
            Self::NoLedger | Self::NothingReleased { .. } | Self::Labels(_) => None,
        }
    }
}

/// One line: the odds and their source, or the reason why there is no bound.
impl Display for Promised {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bounded(bounds, source) => {
                let odds = short_odds(bounds.odds());
                write!(f, "allowed by odds of at most {odds} from {source}, if this table is covered")
            }
            Self::NoLedger => f.write_str("no bound: no ledger is named, so no promise is known"),
            Self::NothingReleased { population } => {
                write!(f, "no bound: this ledger has no release about {population}")
            }
            Self::Labels(None) => {
                f.write_str("no bound: the ledger's promise is about labels, and bounds no test of membership")
            }
            Self::Labels(Some(entry)) => {
                write!(f, "no bound: entry {entry} was charged to labels, which bounds no test of membership")
            }
        }
    }
}

/// Odds with at most four decimals, rounded up.
#[must_use]
pub fn short_odds(odds: &Rational) -> String {
    let text = decimal(odds, 4, Rounding::Up);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The statistic of one target.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The target's name in the file of genotypes.
    pub target: String,
    /// The statistic; `None` if there are too few calls.
    pub value: Option<f64>,
    /// Number of SNPs at which the target has a call.
    pub snps: u32,
    /// Whether the target is a member; `None` if unknown.
    pub is_member: Option<bool>,
}

/// An attack on membership, with intervals and bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct MembershipReport {
    /// The statistic.
    pub test: Test,
    /// The name of the released table.
    pub released: String,
    /// The number of SNPs used, and of those left out by reason.
    pub snps: PanelCounts,
    /// The correlation of released and reference frequencies; `None` if undefined.
    pub agreement: Option<f64>,
    /// Number of SNPs whose frequency was clamped away from 0 or 1.
    pub clamped: u64,
    /// Every target, in the order of the file.
    pub scores: Vec<Score>,
    /// The coverage of intervals, in `(0, 1)`.
    pub confidence: f64,
    /// The measures of the test; `None` if no target has a known label.
    pub findings: Option<Findings>,
    /// The bound on every test.
    pub promised: Promised,
    /// The files read: the role and the name of each.
    pub files: Vec<(&'static str, String)>,
    /// Likely mistakes in the lists.
    pub warnings: Vec<Warning>,
}

impl MembershipReport {
    /// Combines the measures. `labels` are those of the targets in their order; without labels there are no measures.
    /// The first file is the released table.
    #[must_use]
    pub fn new(
        test: Test,
        targets: &Targets,
        statistics: &Statistics,
        labels: Option<&[Option<bool>]>,
        confidence: f64,
        promised: Promised,
        files: Vec<(&'static str, String)>,
    ) -> Self {
        let unknown = vec![None; statistics.each.len()];
        let scores = targets.names().iter().zip(&statistics.each).zip(labels.unwrap_or(&unknown));
        let scores = scores.map(|((name, statistic), is_member)| Score {
            target: name.to_string(),
            value: statistic.value,
            snps: statistic.snps,
            is_member: *is_member,
        });
        let findings = labels.map(|labels| {
            let (members, others) = crate::membership::parted(&statistics.each, labels);
            Findings::of(&members, &others, confidence)
        });
        Self {
            test,
            released: files.first().map_or_else(String::new, |(_, name)| name.clone()),
            snps: *targets.matched(),
            agreement: targets.agreement(),
            clamped: statistics.clamped,
            scores: scores.collect(),
            confidence,
            findings,
            promised,
            files,
            warnings: Vec::new(),
        }
    }

    /// The name of the statistic.
    #[must_use]
    pub fn title(&self) -> &'static str {
        match self.test {
            Test::Homer => "Homer's statistic",
            Test::LikelihoodRatio => "Likelihood ratio",
        }
    }

    /// The numbers of members and of others with a statistic; 0 without measures.
    #[must_use]
    pub fn people(&self) -> (usize, usize) {
        self.findings.as_ref().map_or((0, 0), |findings| (findings.members, findings.others))
    }

    /// The number of targets without a statistic.
    #[must_use]
    pub fn without_value(&self) -> usize {
        self.scores.iter().filter(|score| score.value.is_none()).count()
    }

    /// All available measures, with their bounds.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        self.findings.as_ref().map_or_else(Vec::new, |findings| findings.rows(self.promised.bounds()))
    }

    /// The missing measures, with reasons, in sentences.
    #[must_use]
    pub fn not_measured(&self) -> Vec<String> {
        let Some(findings) = &self.findings else {
            let why = "nothing is measured: no target is listed among the members or the others";
            return vec![why.to_owned()];
        };
        let mut missing: Vec<String> =
            findings.powers.iter().filter_map(|power| power.as_ref().err()).map(ToString::to_string).collect();
        if findings.area.is_none() {
            missing.push(format!(
                "{} members and {} others have a value; an area under the curve takes two of each",
                findings.members, findings.others
            ));
        }
        missing
    }

    /// Signs of mistakes in the input that no file shows, in sentences.
    #[must_use]
    pub fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        // Under much noise, which all targets share, either group may score higher by chance.
        let is_nearly_exact = self.agreement.is_some_and(|agreement| agreement > 0.5);
        let area = self.findings.as_ref().and_then(|findings| findings.area);
        if is_nearly_exact && area.is_some_and(|area| area.high < 0.5) {
            doubts.push(
                "members score below others, unlike in any test of membership: check that the lists of members and of others are not \
                 exchanged, and that no members are part of the reference"
                    .to_owned(),
            );
        }
        if let Some(agreement) = self.agreement.filter(|agreement| *agreement < -0.2) {
            doubts.push(format!(
                "released and reference frequencies are negatively correlated ({agreement:.2}): check that both count the same \
                 allele"
            ));
        }
        doubts
    }

    /// A tab-separated table of all targets with the statistic, with a header.
    #[must_use]
    pub fn score_table(&self) -> String {
        let mut text = "TARGET\tSTATISTIC\tSNPS\tMEMBER\n".to_owned();
        for Score { target, value, snps, is_member } in &self.scores {
            let value = value.map_or_else(|| "NA".to_owned(), |value| value.to_string());
            let member = match is_member {
                Some(true) => "1",
                Some(false) => "0",
                None => "NA",
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}\t{value}\t{snps}\t{member}", spreadsheet_cell(target));
        }
        text
    }
}

/// The report as text; it ends with a newline.
impl Display for MembershipReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut text = format!("{} on {}: test of membership\n", self.title(), self.released);
        let mut add = |line: &str| push_paragraph(&mut text, "  ", line);
        add(&self.snps.to_string());
        if self.clamped > 0 {
            add(&format!("{} SNPs with a frequency at or near 0 or 1 were clamped", self.clamped));
        }
        if let Some(Findings { members, others, .. }) = &self.findings {
            let targets = self.scores.len();
            add(&format!("{targets} targets: {members} known to be in, {others} known not to be"));
        }
        if self.without_value() > 0 {
            add(&format!("{} targets have no value: too few calls", self.without_value()));
        }
        let rows = self.rows();
        if !rows.is_empty() {
            let interval = format!("{} interval", coverage(self.confidence));
            let mut grid = Grid::new(["", "measured", &interval, "allowed"]);
            for row in &rows {
                let (low, high) = row.interval;
                let bound = row.bound.as_ref().map_or_else(String::new, |(bound, against)| {
                    format!("at most {}: {}", decimal(bound, 3, Rounding::Up), against.words())
                });
                grid.add_row([
                    cell(&row.measure),
                    right(format!("{:.3}", row.value)),
                    right(format!("{low:.3} to {high:.3}")),
                    cell(bound),
                ]);
            }
            writeln!(text, "{grid}")?;
        }
        for line in self.not_measured().into_iter().chain(self.doubts()) {
            push_paragraph(&mut text, "  ", &line);
        }
        push_paragraph(&mut text, "  ", &self.promised.to_string());
        f.write_str(&text)
    }
}

/// Bounds are exact fractions; measures are floats.
impl Serialize for MembershipReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Measured {
            name: String,
            value: f64,
            low: f64,
            high: f64,
            at_most: Option<String>,
            against: Option<&'static str>,
        }
        #[derive(Serialize)]
        struct Written<'a> {
            test: &'static str,
            released: &'a str,
            snps: PanelCounts,
            clamped: u64,
            targets: usize,
            without_value: usize,
            members: usize,
            others: usize,
            confidence: f64,
            measured: Vec<Measured>,
            not_measured: Vec<String>,
            doubts: Vec<String>,
            odds: Option<String>,
            bound: String,
            roc: Vec<[f64; 2]>,
        }
        let measured = |row: Row| Measured {
            name: row.measure.to_string(),
            value: row.value,
            low: row.interval.0,
            high: row.interval.1,
            at_most: row.bound.as_ref().map(|(bound, _)| bound.to_string()),
            against: row.bound.map(|(_, against)| against.words()),
        };
        let (members, others) = self.people();
        let roc = self.findings.iter().flat_map(|findings| &findings.roc);
        Written {
            test: self.test.name(),
            released: &self.released,
            snps: self.snps,
            clamped: self.clamped,
            targets: self.scores.len(),
            without_value: self.without_value(),
            members,
            others,
            confidence: self.confidence,
            measured: self.rows().into_iter().map(measured).collect(),
            not_measured: self.not_measured(),
            doubts: self.doubts(),
            odds: self.promised.bounds().map(|bounds| bounds.odds().to_string()),
            bound: self.promised.to_string(),
            roc: roc.map(|point| [point.false_positives, point.true_positives]).collect(),
        }
        .serialize(serializer)
    }
}
