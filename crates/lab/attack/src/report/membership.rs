//! The report of an attack on membership, beside what a promise allows any test.

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

/// What bounds every test, or why nothing does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Promised {
    /// Odds about membership.
    Bounded(Bounds, PromiseSource),
    /// No ledger was named.
    NoLedger,
    /// Nothing was released under the ledger.
    NothingReleased {
        /// Whom the ledger is about.
        population: String,
    },
    /// The promise is about labels; where one entry was chosen, that of this entry.
    Labels(Option<u64>),
}

/// The releases that odds are of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromiseSource {
    /// Everything that was released about a population.
    All {
        /// The population.
        population: String,
        /// The number of releases.
        releases: usize,
    },
    /// One entry of the ledger.
    Entry {
        /// Its number.
        entry: u64,
        /// The name of the release.
        name: String,
    },
}

impl Display for PromiseSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::All { population, releases: 1 } => {
                write!(f, "everything that was released about {population} (1 release)")
            }
            Self::All { population, releases } => {
                write!(f, "everything that was released about {population} ({releases} releases)")
            }
            Self::Entry { entry, name } => write!(f, "entry {entry}, \"{name}\""),
        }
    }
}

impl Promised {
    /// The bounds, where there are any.
    #[must_use]
    pub fn bounds(&self) -> Option<&Bounds> {
        match self {
            Self::Bounded(bounds, _) => Some(bounds),
            Self::NoLedger | Self::NothingReleased { .. } | Self::Labels(_) => None,
        }
    }
}

/// In one line: the odds and where they come from, or why there are none.
impl Display for Promised {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bounded(bounds, source) => {
                let odds = short_odds(bounds.odds());
                write!(f, "allowed by odds of at most {odds} from {source}, if this table is of it")
            }
            Self::NoLedger => f.write_str("no bound: no ledger is named, so nothing is known to be promised"),
            Self::NothingReleased { population } => {
                write!(f, "no bound: nothing has been released about {population} under this ledger")
            }
            Self::Labels(None) => f.write_str(
                "no bound: the ledger's promise is about who is a case, and bounds no test of who took part",
            ),
            Self::Labels(Some(entry)) => {
                write!(f, "no bound: entry {entry} was charged to labels, which bounds no test of who took part")
            }
        }
    }
}

/// Odds, as short as four decimals allow, rounded up.
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
    /// The statistic; `None` where there are too few calls.
    pub value: Option<f64>,
    /// At how many SNPs the target has a call.
    pub snps: u32,
    /// Whether the target is a member, where that is known.
    pub is_member: Option<bool>,
}

/// An attack on membership, with intervals and bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct MembershipReport {
    /// The statistic.
    pub test: Test,
    /// The name of the released table.
    pub released: String,
    /// Which SNPs were used, and why others were not.
    pub snps: PanelCounts,
    /// The correlation of released and reference frequencies, where it is defined.
    pub agreement: Option<f64>,
    /// SNPs whose frequency was moved away from 0 or 1.
    pub clamped: u64,
    /// Every target, in the order of the file.
    pub scores: Vec<Score>,
    /// The coverage of intervals, in `(0, 1)`.
    pub confidence: f64,
    /// What the test reaches; `None` where it is not known of any target whether they are in.
    pub findings: Option<Findings>,
    /// What bounds every test.
    pub promised: Promised,
    /// What was read: what it is, and its name.
    pub files: Vec<(&'static str, String)>,
    /// What may be a mistake in the lists.
    pub warnings: Vec<Warning>,
}

impl MembershipReport {
    /// Puts together what was measured. `labels` are of the targets in their order; where there are none nothing is measured. The first
    /// file is the released table.
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

    /// The statistic in words.
    #[must_use]
    pub fn title(&self) -> &'static str {
        match self.test {
            Test::Homer => "Homer's statistic",
            Test::LikelihoodRatio => "Likelihood ratio",
        }
    }

    /// The numbers of members and of others with a statistic; 0 where nothing is measured.
    #[must_use]
    pub fn people(&self) -> (usize, usize) {
        self.findings.as_ref().map_or((0, 0), |findings| (findings.members, findings.others))
    }

    /// How many targets have no statistic.
    #[must_use]
    pub fn without_value(&self) -> usize {
        self.scores.iter().filter(|score| score.value.is_none()).count()
    }

    /// Everything that could be measured, beside its bound.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        self.findings.as_ref().map_or_else(Vec::new, |findings| findings.rows(self.promised.bounds()))
    }

    /// What could not be measured, and why, in sentences.
    #[must_use]
    pub fn not_measured(&self) -> Vec<String> {
        let Some(findings) = &self.findings else {
            let why = "nothing is measured: of no target it is stated whether they are among the members or the others";
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

    /// What makes the numbers doubtful, in sentences: mistakes that no file shows.
    #[must_use]
    pub fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        // Under much noise, which all targets share, either group may happen to score higher.
        let is_nearly_exact = self.agreement.is_some_and(|agreement| agreement > 0.5);
        let area = self.findings.as_ref().and_then(|findings| findings.area);
        if is_nearly_exact && area.is_some_and(|area| area.high < 0.5) {
            doubts.push(
                "members score below others, which no test of membership should give: are the lists of members and of others exchanged, or \
                 are members part of the reference?"
                    .to_owned(),
            );
        }
        if let Some(agreement) = self.agreement.filter(|agreement| *agreement < -0.2) {
            doubts.push(format!(
                "released and reference frequencies run against each other (correlation {agreement:.2}): does one of them count the \
                 other allele?"
            ));
        }
        doubts
    }

    /// Every target with the statistic, tab-separated, with a header.
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

/// The report, which ends with a line end.
impl Display for MembershipReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut text = format!("{} on {}: who took part?\n", self.title(), self.released);
        let mut add = |line: &str| push_paragraph(&mut text, "  ", line);
        add(&self.snps.to_string());
        if self.clamped > 0 {
            add(&format!("{} SNPs with a frequency of 0 or 1, or close to it, were moved", self.clamped));
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

/// Bounds are exact fractions; what is measured is a float.
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
