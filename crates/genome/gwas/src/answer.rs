//! Answers, in the forms of the ledger and of publications.

use crate::payment::Payment;
use crate::promise::Protects;
use crate::request::{Part, Query, Score, Snps, plain, test_name};
use deniable_core::exact::{Rational, Rounding, decimal, whole};
use deniable_core::text::spreadsheet_cell;
use deniable_genome::chi2::survival;
use deniable_genome::noisy::{NoisyAlleles, NoisyCount, NoisyStatistic, largest_statistic};
use deniable_genome::{Test, Threshold, Variant, distance};
use deniable_publication::Answer as PublishedAnswer;
use deniable_publication::{AnswerOdds, Cell, KeyValue, Noise, NumberCell, Scalar};
use num_traits::{Signed, ToPrimitive};
use serde::{Deserialize, Serialize};

/// Decimal places of χ² and of frequencies.
const PLACES: u32 = 4;

/// The numbers of people and SNPs; public.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sizes {
    /// Cases.
    pub cases: u64,
    /// Controls.
    pub controls: u64,
    /// Number of used SNPs.
    pub snps: u64,
}

/// The data that the ledger stores of an answer in addition to its numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The sizes of the cohort.
    pub sizes: Sizes,
    /// The SNPs: picks in their order, or the requested ones.
    pub snps: Vec<SnpName>,
    /// The decay of the noise, exact. The numbers do not determine the law of the noise, and an answer is shown only
    /// under its own law.
    pub decay: String,
    /// The exact threshold on χ², if any: that of a p-value is computed in floats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<String>,
    /// A `PublishedForm`, which is not read together with the numbers.
    #[serde(default)]
    pub published: serde_json::Value,
}

/// An answer; together with the request it determines everything that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The sizes of the cohort.
    pub sizes: Sizes,
    /// The SNPs: picks in their order, or the requested ones.
    pub snps: Vec<SnpName>,
    /// The values of each SNP, in their order; empty if only names are released.
    pub values: Vec<Values>,
    /// The noise.
    pub noise: Noise,
    /// The threshold on χ², if any.
    pub threshold: Option<Threshold>,
}

/// The index of a SNP among the used ones, and its name.
pub(crate) type NamedSnp = (usize, String);

/// A SNP with the names of its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnpName {
    /// Its index among the used SNPs: names need not be unique.
    pub place: u64,
    /// The chromosome by PLINK's number.
    pub chr: u8,
    /// The name.
    pub snp: String,
    /// The position in base pairs.
    pub bp: u32,
    /// The counted allele.
    pub a1: String,
    /// The other allele.
    pub a2: String,
}

impl SnpName {
    /// The SNP at an index.
    pub(crate) fn new(place: usize, variant: Variant) -> Self {
        let Variant { chromosome, id, position, a1, a2 } = variant;
        Self { place: place as u64, chr: chromosome, snp: id, bp: position, a1, a2 }
    }
}

/// The released values of one SNP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    /// Noisy χ², or the copies of A1 among cases: the value and the ends of its interval.
    pub first: [Rational; 3],
    /// The copies of A1 among controls, if released.
    pub controls: Option<[Rational; 3]>,
}

impl From<NoisyStatistic> for Values {
    fn from(noisy: NoisyStatistic) -> Self {
        Self { first: [noisy.value, noisy.low, noisy.high], controls: None }
    }
}

impl From<NoisyAlleles> for Values {
    fn from(noisy: NoisyAlleles) -> Self {
        let count = |count: NoisyCount| [count.copies, count.low, count.high].map(whole);
        Self { first: count(noisy.cases), controls: noisy.controls.map(count) }
    }
}

/// A released number with the ends of its interval, rounded outward.
fn number(of: &[Rational; 3], written: &dyn Fn(&Rational, Rounding) -> String) -> Cell {
    let [value, low, high] = of;
    let scalar = |value: &Rational, rounding| written(value, rounding).parse().ok().map(Scalar::Number);
    Cell::Number(NumberCell {
        value: scalar(value, Rounding::Nearest),
        low: scalar(low, Rounding::Down),
        high: scalar(high, Rounding::Up),
        ..NumberCell::default()
    })
}

/// The indices of SNPs with their names.
pub(crate) fn named(snps: &[SnpName]) -> Vec<NamedSnp> {
    let snp = |snp: &SnpName| Some((usize::try_from(snp.place).ok()?, snp.snp.clone()));
    snps.iter().filter_map(snp).collect()
}

impl Answer {
    /// The answer in its published form.
    #[must_use]
    pub fn table(&self, request: &Query, part: Part, payment: &Payment) -> PublishedAnswer {
        let lead: &[&str] = if part == Part::Picks { &["PICK"] } else { &[] };
        let values: &[&str] = match part {
            Part::Picks => &[],
            Part::Statistics => &["CHISQ", "P"],
            Part::Counts if self.values.iter().any(|values| values.controls.is_some()) => &["C_A", "F_A", "C_U", "F_U"],
            Part::Counts => &["C_A", "F_A"],
        };
        let names = ["CHR", "SNP", "BP", "A1", "A2"];
        let columns = lead.iter().chain(&names).chain(values).map(|name| (*name).to_owned()).collect();
        let snps: Vec<String> = self.snps.iter().map(|snp| snp.snp.clone()).collect();
        PublishedAnswer {
            name: request.name(part, self.snps.len()),
            title: None,
            sql: request.words(part, &snps),
            share: request.each(),
            odds: AnswerOdds {
                odds: payment.cost.clone(),
                labels: payment.also.as_ref().map(|(_, labels)| labels.clone()),
            },
            columns,
            headings: Vec::new(),
            rows: (0..self.snps.len()).map(|place| self.row(request, part, place)).collect(),
            noise: vec![self.noise.clone()],
            consistent: None,
            classes: None,
            independence: None,
            withdrawn: None,
            taken_from: None,
            warnings: self.warnings(request, part),
            advice: Vec::new(),
        }
    }

    fn row(&self, request: &Query, part: Part, place: usize) -> Vec<Cell> {
        let text = |text: &str| Cell::Key(Some(KeyValue::Text(text.to_owned())));
        let whole_number = |number: i64| Cell::Key(Some(KeyValue::Integer(number)));
        let mut row = Vec::new();
        if part == Part::Picks {
            row.push(whole_number(i64::try_from(place + 1).unwrap_or(i64::MAX)));
        }
        let Some(SnpName { chr, snp, bp, a1, a2, .. }) = self.snps.get(place) else { return row };
        row.extend([whole_number((*chr).into()), text(snp), whole_number((*bp).into()), text(a1), text(a2)]);
        let Some(values) = self.values.get(place) else { return row };
        match part {
            Part::Picks => {}
            Part::Statistics => {
                row.push(number(&values.first, &|value, rounding| decimal(value, PLACES, rounding)));
                row.push(p_values(&values.first, request.test));
            }
            Part::Counts => {
                let Sizes { cases, controls, .. } = self.sizes;
                for (counts, people) in [(Some(&values.first), cases), (values.controls.as_ref(), controls)] {
                    let Some(counts) = counts else { continue };
                    row.push(number(counts, &|value, rounding| decimal(value, 0, rounding)));
                    let alleles = whole(2 * people.max(1));
                    let shares = counts.each_ref().map(|copies| copies / &alleles);
                    row.push(number(&shares, &|value, rounding| decimal(value, PLACES, rounding)));
                }
            }
        }
        row
    }

    /// The largest possible score for these numbers of cases and controls: all cases have one genotype, all controls
    /// another.
    fn largest_score(&self, request: &Query) -> Option<i64> {
        let threshold = self.threshold.as_ref()?;
        let [cases, controls] =
            [self.sizes.cases, self.sizes.controls].map(|people| u32::try_from(people).unwrap_or(u32::MAX));
        let apart = deniable_genome::ContingencyTable { cases: [0, 0, cases], controls: [controls, 0, 0] };
        distance(&apart, request.test, request.protects.adjacency(), threshold).ok()?.score()
    }

    /// Whether the margin of the noise is at least the largest possible signal: computed from public numbers alone.
    fn is_chance(&self, request: &Query, part: Part) -> bool {
        let most = match part {
            Part::Picks => self.largest_score(request).map(whole),
            Part::Statistics => Some(largest_statistic(request.test, self.sizes.cases + self.sizes.controls)),
            Part::Counts => Some(whole(2 * self.sizes.cases.min(self.sizes.controls))),
        };
        most.is_some_and(|most| *self.noise.margin.value() >= most)
    }

    /// Notes on an answer that do not depend on the data.
    fn warnings(&self, request: &Query, part: Part) -> Vec<String> {
        let mut all = vec![
            request.protects.sentence().to_owned(),
            format!(
                "{} cases and {} controls, {} SNPs; {}",
                self.sizes.cases,
                self.sizes.controls,
                self.sizes.snps,
                request.fill.in_words()
            ),
        ];
        match (part, &request.snps) {
            (Part::Picks, Snps::Top { score: Score::Distance(_), .. }) => {
                all.push(format!(
                    "SNPs are picked at random, with a higher probability the more people would have to change before their {} χ² \
                     falls below {}; the noise states how close the picks are to the best",
                    test_name(request.test),
                    self.threshold.as_ref().map_or_else(String::new, |threshold| plain(&threshold.value()))
                ));
                if let Some(largest) = self.largest_score(request) {
                    all.push(format!(
                        "with these numbers of cases and controls, no SNP is more than {largest} people beyond it: if the margin of the \
                         noise is a large part of that, picks are mostly random"
                    ));
                }
            }
            (Part::Picks, _) => all.push(format!("SNPs are picked by their {} χ² with noise", test_name(request.test))),
            (Part::Statistics, _) => all.push(format!(
                "the {} χ² is that of the filled tables, with noise; a value below 0 is shown as 0; p-values are computed from it",
                test_name(request.test)
            )),
            (Part::Counts, _) => all.push(
                "counts are copies of A1, with noise; values outside the possible range are moved to its end".to_owned(),
            ),
        }
        if self.is_chance(request, part) {
            all.push(
                "this answer is most probably only noise, whose margin is at least the largest possible signal: take more people, \
                 fewer SNPs or a larger part of the promise; `deniable gwas power` computes which sizes suffice"
                    .to_owned(),
            );
        }
        if part != Part::Picks && matches!(request.snps, Snps::Top { .. }) {
            all.push("a separate release chose these SNPs; its odds multiply with those of this one".to_owned());
        }
        all
    }
}

/// The p-value of a noisy χ². If its interval reaches 1, no point value is given, since it would be quoted without the
/// interval.
fn p_values([value, low, high]: &[Rational; 3], test: Test) -> Cell {
    let p = |statistic: &Rational| {
        let p = survival(statistic.to_f64().unwrap_or(f64::MAX), test);
        p_value(p).parse().ok().map(Scalar::Number)
    };
    // A larger statistic has a smaller p-value.
    let own = if low.is_positive() { p(value) } else { None };
    Cell::Number(NumberCell { value: own, low: p(high), high: p(low), ..NumberCell::default() })
}

/// A p-value with five significant digits, as PLINK writes it.
fn p_value(p: f64) -> String {
    if p >= 0.001 { format!("{p:.4}") } else { format!("{p:.4e}") }
}

/// The answers of a publication as one tab-separated table: a line for each SNP, with PLINK's column names.
#[must_use]
pub fn tab_separated(tables: &[PublishedAnswer], protects: Protects) -> String {
    const NAMES: [&str; 5] = ["CHR", "SNP", "BP", "A1", "A2"];
    let mut header: Vec<String> = NAMES.map(str::to_owned).to_vec();
    let mut lines: Vec<Vec<String>> = Vec::new();
    for (at, table) in tables.iter().enumerate() {
        let is_name = |column: &str| NAMES.contains(&column);
        for (place, row) in table.rows.iter().enumerate() {
            if lines.len() <= place {
                lines.push(Vec::new());
            }
            let Some(line) = lines.get_mut(place) else { continue };
            let cells = table.columns.iter().zip(row);
            if at == 0 {
                line.extend(cells.clone().filter(|(column, _)| is_name(column)).map(|(_, cell)| key(cell)));
            }
            for (_, cell) in cells.filter(|(column, _)| !is_name(column)) {
                match cell {
                    Cell::Key(_) => line.push(key(cell)),
                    Cell::Number(NumberCell { value, low, high, .. }) => line.extend(
                        [value, low, high].map(|end| end.as_ref().map_or_else(|| "NA".to_owned(), ToString::to_string)),
                    ),
                }
            }
        }
        let numbers = table.rows.first();
        for (position, column) in table.columns.iter().enumerate().filter(|(_, column)| !is_name(column)) {
            header.push(column.clone());
            if numbers.is_some_and(|row| matches!(row.get(position), Some(Cell::Number(_)))) {
                header.extend(["LOW", "HIGH"].map(|end| format!("{column}_{end}")));
            }
        }
    }
    header.push("ADJACENCY".to_owned());
    let mut text = header.join("\t") + "\n";
    for line in lines {
        text.push_str(&line.join("\t"));
        text.push('\t');
        text.push_str(protects.name());
        text.push('\n');
    }
    text
}

fn key(cell: &Cell) -> String {
    match cell {
        Cell::Key(Some(key @ (KeyValue::Text(_) | KeyValue::Labelled(_)))) => {
            spreadsheet_cell(&key.text()).into_owned()
        }
        Cell::Key(Some(key)) => key.text(),
        Cell::Key(None) | Cell::Number(_) => "NA".to_owned(),
    }
}
