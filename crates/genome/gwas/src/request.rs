//! A request about a cohort: the SNPs, and the results about them.

use crate::promise::Protects;
use deniable_core::exact::{Rational, Rounding, decimal, whole};
use deniable_genome::chi2::ThresholdError;
use deniable_genome::{Fill, Test, Threshold};

/// The releases of one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The name of the cohort in the ledger.
    pub source: String,
    /// Its declared version: other contents need another version.
    pub version: String,
    /// The phenotype, for files with several; each is a different release.
    pub phenotype: Option<String>,
    /// The protected secrets.
    pub protects: Protects,
    /// The statistic.
    pub test: Test,
    /// The rule for missing calls.
    pub fill: Fill,
    /// The SNPs.
    pub snps: Snps,
    /// Whether their χ² and p-values are released.
    pub statistics: bool,
    /// Whether their allele counts and frequencies are released.
    pub counts: bool,
    /// The part of the promise for all releases together, above 0 and at most 1.
    pub share: Rational,
    /// The grid of noisy χ², above 0.
    pub grid: Rational,
}

/// The SNPs of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Snps {
    /// The most associated ones, picked privately.
    Top {
        /// The number of picks, M.
        picks: usize,
        /// The score.
        score: Score,
    },
    /// SNPs by their names, which must be public.
    Named(Vec<String>),
}

/// The score of a selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Score {
    /// The number of people who would have to change before the SNP crosses the threshold (G-2, G-3).
    Distance(Cut),
    /// χ² as weights of the exponential mechanism: for comparison.
    ChiSquare,
    /// The largest χ² after noise: for comparison.
    Noisy,
}

/// A public threshold of significance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// A threshold on χ².
    ChiSquare(Rational),
    /// The p-value of the whole study: it is divided by the number of SNPs (Bonferroni).
    PValue(Rational),
}

impl Cut {
    /// The threshold on χ² for this number of SNPs. The threshold of a p-value is rounded up, to six places.
    ///
    /// # Errors
    /// If it is invalid.
    pub fn threshold(&self, test: Test, snps: usize) -> Result<Threshold, ThresholdError> {
        match self {
            Self::ChiSquare(value) => Threshold::new(value),
            // A fraction of it could be a p-value although it is not one.
            Self::PValue(p) if *p >= whole(1) => Err(ThresholdError::NotAPValue(p.clone())),
            Self::PValue(p) => Threshold::at_p_value(&(p / whole(snps.max(1))), test, Rounding::Up),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::ChiSquare(value) => format!("χ² ≥ {}", plain(value)),
            Self::PValue(p) => format!("p ≤ {} / number of SNPs", plain(p)),
        }
    }
}

impl Score {
    /// The name on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Distance(_) => "distance",
            Self::ChiSquare => "chi2",
            Self::Noisy => "noisy",
        }
    }
}

/// One release, with its own charge and answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The names of the most associated SNPs.
    Picks,
    /// The χ² and p-values of the SNPs.
    Statistics,
    /// The allele counts and frequencies of the SNPs.
    Counts,
}

impl Query {
    /// The releases, in the order in which they are made. They divide the request's share equally.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let all = [
            (Part::Picks, matches!(self.snps, Snps::Top { .. })),
            (Part::Statistics, self.statistics),
            (Part::Counts, self.counts),
        ];
        all.into_iter().filter_map(|(part, wanted)| wanted.then_some(part)).collect()
    }

    /// The share of each release.
    #[must_use]
    pub fn each(&self) -> Rational {
        &self.share / whole(self.parts().len().max(1))
    }

    /// The name of a release, which distinguishes it from others in a list.
    #[must_use]
    pub fn name(&self, part: Part, snps: usize) -> String {
        let many = if snps == 1 { "1 SNP".to_owned() } else { format!("{snps} SNPs") };
        let what = match (part, &self.snps) {
            (Part::Picks, Snps::Top { score: Score::Distance(cut), .. }) => format!("top {many}, {}", cut.words()),
            (Part::Picks, Snps::Top { score, .. }) => format!("top {many} by {}", score.name()),
            (Part::Statistics | Part::Picks, _) => format!("χ² of {many}"),
            (Part::Counts, _) => format!("allele counts of {many}"),
        };
        let phenotype = self.phenotype.as_ref().map_or_else(String::new, |name| format!(", phenotype {name}"));
        let version = if self.version == "1" { String::new() } else { format!(", version {}", self.version) };
        format!("{what}, {} test, {}{phenotype}{version}", test_name(self.test), self.protects.name())
    }

    /// A description that determines the distribution of a release, except for its odds and the data: two releases with
    /// the same words are the same release.
    #[must_use]
    pub fn words(&self, part: Part, names: &[String]) -> String {
        let (test, fill) = (test_name(self.test), self.fill.in_words());
        let (what, exactly) = match (part, &self.snps) {
            (Part::Picks, Snps::Top { picks, score: Score::Distance(cut) }) => {
                (format!("the {picks} SNPs most likely beyond {} by distance, {test} test", cut.words()), String::new())
            }
            (Part::Picks, Snps::Top { picks, score }) => {
                let by = if *score == Score::Noisy { "with noise" } else { "by weights" };
                (format!("the {picks} SNPs of largest {test} χ² {by}"), format!(", steps of {}", plain(&self.grid)))
            }
            (Part::Statistics | Part::Picks, _) => {
                (format!("{test} χ² of {}", names.join(", ")), format!(", steps of {}", plain(&self.grid)))
            }
            (Part::Counts, _) => (format!("counts of A1 of {}", names.join(", ")), String::new()),
        };
        let adjacency = self.protects.name();
        let phenotype = self.phenotype.as_ref().map_or_else(String::new, |name| format!("; phenotype {name}"));
        format!("{what}{exactly}; adjacency {adjacency}; {fill}{phenotype}; {} version {}", self.source, self.version)
    }
}

/// The test's name among users of PLINK.
#[must_use]
pub fn test_name(test: Test) -> &'static str {
    match test {
        Test::Allelic => "allelic",
        Test::Genotypic => "genotypic",
    }
}

/// A decimal if it is exact with a few places, otherwise the fraction.
pub(crate) fn plain(value: &Rational) -> String {
    let short = decimal(value, 9, Rounding::Nearest);
    match deniable_core::exact::parse_rational(&short) {
        Ok(same) if same == *value && short.contains('.') => {
            short.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        Ok(same) if same == *value => short,
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    fn request() -> Query {
        Query {
            source: "cohort".to_owned(),
            version: "1".to_owned(),
            phenotype: None,
            protects: Protects::LabelSwap,
            test: Test::Allelic,
            fill: Fill::default(),
            snps: Snps::Top { picks: 5, score: Score::Distance(Cut::ChiSquare(ratio(39, 2))) },
            statistics: false,
            counts: true,
            share: ratio(1, 2),
            grid: ratio(1, 1000),
        }
    }

    #[test]
    fn releases_divide_the_share_equally() {
        let request = request();
        assert_eq!((request.parts(), request.each()), (vec![Part::Picks, Part::Counts], ratio(1, 4)));
        let named = Query { snps: Snps::Named(vec!["rs1".to_owned()]), ..request };
        assert_eq!((named.parts(), named.each()), (vec![Part::Counts], ratio(1, 2)));
    }

    /// Every change of the distribution changes the words.
    #[test]
    fn words_distinguish_releases() {
        let one = request();
        let picks = |request: &Query| request.words(Part::Picks, &[]);
        assert_eq!(
            picks(&one),
            "the 5 SNPs most likely beyond χ² ≥ 19.5 by distance, allelic test; adjacency label-swap; missing calls count as \
             two copies of A2; cohort version 1"
        );
        let top = |picks, score| Snps::Top { picks, score };
        let distance = |cut| Score::Distance(cut);
        let others = [
            Query { test: Test::Genotypic, ..one.clone() },
            Query { fill: Fill::Heterozygous, ..one.clone() },
            Query { phenotype: Some("asthma".to_owned()), ..one.clone() },
            Query { protects: Protects::Genotype, ..one.clone() },
            Query { snps: top(4, distance(Cut::ChiSquare(ratio(39, 2)))), ..one.clone() },
            Query { snps: top(5, distance(Cut::ChiSquare(ratio(39, 3)))), ..one.clone() },
            Query { snps: top(5, distance(Cut::PValue(ratio(1, 20)))), ..one.clone() },
            Query { snps: top(5, Score::ChiSquare), ..one.clone() },
            Query { snps: top(5, Score::Noisy), ..one.clone() },
            Query { snps: top(5, Score::Noisy), grid: ratio(1, 100), ..one.clone() },
        ];
        let mut all: Vec<String> = others.iter().chain([&one]).map(picks).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), others.len() + 1);
    }

    #[test]
    fn thresholds_of_the_whole_study() {
        let cut = Cut::PValue(ratio(1, 20));
        // 0.05 / 1,000,000 is the usual 5·10⁻⁸.
        let threshold = cut.threshold(Test::Allelic, 1_000_000).unwrap();
        assert_eq!(decimal(&threshold.value(), 3, Rounding::Down), "29.716");
        assert!(Cut::ChiSquare(ratio(-1, 1)).threshold(Test::Allelic, 1).is_err());
        assert!(Cut::PValue(ratio(5, 1)).threshold(Test::Allelic, 1000).is_err());
    }

    #[test]
    fn numbers_are_written_exactly() {
        for (value, text) in
            [(ratio(39, 2), "19.5"), (ratio(20, 1), "20"), (ratio(1, 3), "1/3"), (ratio(1, 1000), "0.001")]
        {
            assert_eq!(plain(&value), text);
        }
    }
}
