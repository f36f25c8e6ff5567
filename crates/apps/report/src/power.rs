//! Charts of the power of a selection.
//!
//! Probabilities are drawn as measured; this module sets the title and the labels.

use deniable_chart::power::{Curves, curves};

pub use deniable_chart::power::Point;

/// One chart of probabilities over sizes of cohorts.
#[derive(Debug, Clone, PartialEq)]
pub struct Power {
    /// The protected secret, in words.
    pub protects: String,
    /// Each curve with its name, in any order of participants. Intervals are two standard errors over seeds.
    pub curves: Vec<(String, Vec<Point>)>,
    /// A target probability, drawn as a line.
    pub target: Option<f64>,
}

/// The chart, as SVG.
#[must_use]
pub fn power(power: Power) -> String {
    let Power { protects, curves: all, target } = power;
    curves(&Curves {
        title: format!("Probability of finding the planted SNPs, protecting {protects}"),
        what: "probability that all planted SNPs are found".into(),
        curves: all,
        intervals: "plus or minus two standard errors over seeds".into(),
        target,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_says_what_it_is() {
        let point = |participants, found| Point { participants, found, low: found - 0.1, high: found + 0.1 };
        let curves = vec![
            ("any prior".to_owned(), vec![point(1000.0, 0.25), point(2000.0, 0.5)]),
            ("prior 1/2".to_owned(), vec![point(1000.0, f64::NAN)]),
        ];
        let svg = power(Power { protects: "who is a case".into(), curves, target: Some(0.9) });
        for words in [
            "Probability of finding the planted SNPs, protecting who is a case",
            "A line is drawn at 90%. any prior: 25% at 1,000, 50% at 2,000. prior 1/2: nothing known.",
            ">plus or minus two standard errors over seeds<",
        ] {
            assert!(svg.contains(words), "{words}: {svg}");
        }
    }
}
