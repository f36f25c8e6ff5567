//! One attack on membership with everything that is said of it: the table, the form for programs, the scores.

use crate::commands::attack::bounds::PromisedBounds;
use crate::commands::attack::share::coverage;
use crate::render::table::{cell, grid, right, wrapped};
use deniable_attack::{Findings, Row, Statistics, Targets, Test};
use deniable_core::exact::{Rounding, decimal};
use deniable_core::text::spreadsheet_cell;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;

/// Everything, for programs. Bounds are exact fractions; what is measured is a float.
#[derive(Serialize)]
pub struct MembershipReport {
    test: &'static str,
    released: String,
    snps: Snps,
    clamped: u64,
    targets: usize,
    without_value: usize,
    members: usize,
    others: usize,
    confidence: f64,
    measured: Vec<WrittenRow>,
    not_measured: Vec<String>,
    doubts: Vec<String>,
    odds: Option<String>,
    bound: String,
    roc: Vec<[f64; 2]>,
}

/// Which SNPs were used, and why others were not.
#[derive(Serialize)]
struct Snps {
    released: u64,
    used: u64,
    turned: u64,
    not_in_reference: u64,
    not_in_targets: u64,
    several_in_targets: u64,
    ambiguous_strand: u64,
    other_strand: u64,
    other_alleles: u64,
}

#[derive(Serialize)]
struct WrittenRow {
    name: String,
    value: f64,
    low: f64,
    high: f64,
    at_most: Option<String>,
    against: Option<&'static str>,
}

/// One attack with everything that is said of it.
pub struct MembershipFindings<'a> {
    pub test: Test,
    pub released: &'a Path,
    pub targets: &'a Targets,
    pub statistics: &'a Statistics,
    pub measured: Option<Findings>,
    pub promised: PromisedBounds,
    pub confidence: f64,
    /// What went in, and the names of its files.
    pub files: Vec<(String, String)>,
}

impl MembershipFindings<'_> {
    fn rows(&self) -> Vec<Row> {
        self.measured.as_ref().map_or_else(Vec::new, |measured| measured.rows(self.promised.bounds.as_ref()))
    }

    pub fn missing(&self) -> Vec<String> {
        let Some(measured) = &self.measured else {
            return vec![
                "nothing is measured: --members and --others name targets of whom it is known whether they are in"
                    .to_owned(),
            ];
        };
        let mut missing: Vec<String> =
            measured.powers.iter().filter_map(|power| power.as_ref().err()).map(ToString::to_string).collect();
        if measured.area.is_none() {
            missing.push(format!(
                "{} members and {} others have a value; an area under the curve takes two of each",
                measured.members, measured.others
            ));
        }
        missing
    }

    /// What makes the numbers doubtful: mistakes that no file shows.
    pub fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        let agreement = self.targets.agreement();
        // Under much noise, which all targets share, either group may happen to score higher.
        let is_nearly_exact = agreement.is_some_and(|agreement| agreement > 0.5);
        let area = self.measured.as_ref().and_then(|measured| measured.area);
        if is_nearly_exact && area.is_some_and(|area| area.high < 0.5) {
            doubts.push(
                "members score below others, which no test of membership should give: are --members and --others exchanged, or are \
                 members part of the reference?"
                    .to_owned(),
            );
        }
        if let Some(agreement) = agreement.filter(|agreement| *agreement < -0.2) {
            doubts.push(format!(
                "released and reference frequencies run against each other (correlation {agreement:.2}): does one of them count the \
                 other allele?"
            ));
        }
        doubts
    }

    pub fn without_value(&self) -> usize {
        self.statistics.each.iter().filter(|statistic| statistic.value.is_none()).count()
    }

    pub fn title(&self) -> &'static str {
        match self.test {
            Test::Homer => "Homer's statistic",
            Test::LikelihoodRatio => "Likelihood ratio",
        }
    }

    pub fn table(&self) -> String {
        let mut text = format!("{} on {}: who took part?\n", self.title(), self.released.display());
        wrapped(&mut text, "  ", &self.targets.matched().to_string());
        if self.statistics.clamped > 0 {
            let line =
                format!("{} SNPs with a frequency of 0 or 1, or close to it, were moved", self.statistics.clamped);
            wrapped(&mut text, "  ", &line);
        }
        if let Some(measured) = &self.measured {
            let line = format!(
                "{} targets: {} known to be in, {} known not to be",
                self.targets.names().len(),
                measured.members,
                measured.others
            );
            wrapped(&mut text, "  ", &line);
        }
        if self.without_value() > 0 {
            wrapped(&mut text, "  ", &format!("{} targets have no value: too few calls", self.without_value()));
        }
        let rows = self.rows();
        if !rows.is_empty() {
            let mut grid = grid();
            grid.set_header(vec![
                "".to_owned(),
                "measured".into(),
                coverage(self.confidence) + " interval",
                "allowed".into(),
            ]);
            for row in &rows {
                let (low, high) = row.interval;
                let bound = row.bound.as_ref().map_or_else(String::new, |(bound, against)| {
                    format!("at most {}: {}", decimal(bound, 3, Rounding::Up), against.words())
                });
                grid.add_row(vec![
                    cell(&row.name),
                    right(format!("{:.3}", row.value)),
                    right(format!("{low:.3} to {high:.3}")),
                    cell(bound),
                ]);
            }
            let _ = writeln!(text, "{grid}");
        }
        for line in self.missing().into_iter().chain(self.doubts()) {
            wrapped(&mut text, "  ", &line);
        }
        wrapped(&mut text, "  ", &self.promised.line());
        text
    }

    pub fn written(&self) -> MembershipReport {
        let matched = self.targets.matched();
        let measured = self.measured.as_ref();
        let row = |row: Row| WrittenRow {
            name: row.name,
            value: row.value,
            low: row.interval.0,
            high: row.interval.1,
            at_most: row.bound.as_ref().map(|(bound, _)| bound.to_string()),
            against: row.bound.map(|(_, against)| against.words()),
        };
        MembershipReport {
            test: self.test.name(),
            released: self.released.display().to_string(),
            snps: Snps {
                released: matched.released,
                used: matched.used,
                turned: matched.swapped,
                not_in_reference: matched.not_in_reference,
                not_in_targets: matched.not_in_targets,
                several_in_targets: matched.twice,
                ambiguous_strand: matched.ambiguous,
                other_strand: matched.strand,
                other_alleles: matched.alleles,
            },
            clamped: self.statistics.clamped,
            targets: self.targets.names().len(),
            without_value: self.without_value(),
            members: measured.map_or(0, |measured| measured.members),
            others: measured.map_or(0, |measured| measured.others),
            confidence: self.confidence,
            measured: self.rows().into_iter().map(row).collect(),
            not_measured: self.missing(),
            doubts: self.doubts(),
            odds: self.promised.bounds.as_ref().map(|bounds| bounds.odds().to_string()),
            bound: self.promised.line(),
            roc: measured.map_or_else(Vec::new, |measured| {
                measured.roc.iter().map(|point| [point.false_positives, point.true_positives]).collect()
            }),
        }
    }

    /// Every target with their statistic, tab-separated.
    pub fn scores(&self, labels: &[Option<bool>]) -> String {
        let mut text = "TARGET\tSTATISTIC\tSNPS\tMEMBER\n".to_owned();
        for ((name, statistic), label) in self.targets.names().iter().zip(&self.statistics.each).zip(labels) {
            let value = statistic.value.map_or_else(|| "NA".to_owned(), |value| value.to_string());
            let member = match label {
                Some(true) => "1",
                Some(false) => "0",
                None => "NA",
            };
            let _ = writeln!(text, "{}\t{value}\t{}\t{member}", spreadsheet_cell(&name.to_string()), statistic.snps);
        }
        text
    }
}
