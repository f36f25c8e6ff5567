//! The page of an attack on membership.

use super::findings::MembershipFindings;
use crate::commands::attack::bounds::written;
use crate::commands::attack::share::coverage;
use deniable_attack::{Bounds, Findings, Proportion};
use deniable_core::exact::{Rational, Rounding, percent};
use deniable_report::attack as page;
use num_traits::ToPrimitive;

impl MembershipFindings<'_> {
    pub fn page(&self) -> String {
        let matched = self.targets.matched();
        let left_out = [
            (matched.not_in_reference, "not in the reference"),
            (matched.not_in_targets, "not in the targets' file"),
            (matched.twice, "several times in the targets' file"),
            (matched.ambiguous, "with A and T or C and G in an order that may be the other strand's"),
            (matched.strand, "with the alleles of the other strand"),
            (matched.alleles, "with other alleles"),
        ];
        let left_out = left_out.into_iter().filter(|(count, _)| *count > 0);
        let bound = match &self.promised.bounds {
            Some(bounds) => page::Bound::Odds {
                odds: bounds.odds().to_f64().unwrap_or(f64::INFINITY),
                written: written(bounds.odds()),
                recorded: self.promised.words.clone(),
            },
            None if self.promised.is_about_labels => page::Bound::Labels,
            None => page::Bound::NoEntry,
        };
        let (members, others) = self.measured.as_ref().map_or((0, 0), |one| (one.members as u64, one.others as u64));
        page::membership(&page::Membership {
            title: format!("{}: who took part?", self.title()),
            files: self.files.clone(),
            snps: page::Snps {
                released: matched.released,
                used: matched.used,
                turned: matched.swapped,
                left_out: left_out.map(|(count, why)| (count, why.to_owned())).collect(),
            },
            members,
            others,
            confidence: coverage(self.confidence),
            bound,
            tests: self.measured.as_ref().map(|measured| self.test(measured)).into_iter().collect(),
        })
    }

    /// The test for a page.
    fn test(&self, measured: &Findings) -> page::Test {
        let bounds = self.promised.bounds.as_ref();
        let number = |value: f64, (low, high): (f64, f64), bound: Option<Rational>| page::Number {
            value,
            low,
            high,
            at_most: bound.and_then(|bound| bound.to_f64()),
        };
        let share = |share: Proportion, bound| {
            number(share.value().unwrap_or_default(), share.interval(measured.confidence), bound)
        };
        let powers = measured.powers.iter().map(|power| match power {
            Ok(power) => page::Power::Measured {
                at: percent(&power.alpha, 4, Rounding::Nearest),
                found: share(power.true_positives, bounds.map(|bounds| bounds.power(&power.alpha))),
                wrong: share(power.false_positives, None),
            },
            Err(few) => page::Power::TooFew {
                at: percent(&few.alpha, 4, Rounding::Nearest),
                people: few.people,
                needed: few.needed,
            },
        });
        let mut notes = self.doubts();
        if self.statistics.clamped > 0 {
            notes.push(format!(
                "At {} SNPs a frequency was 0 or 1, or close to it, and was moved before logarithms were taken.",
                self.statistics.clamped
            ));
        }
        if self.without_value() > 0 {
            notes.push(format!("{} targets have no value: they have too few calls.", self.without_value()));
        }
        page::Test {
            name: self.title().to_owned(),
            members: measured.members as u64,
            others: measured.others as u64,
            area: measured.area.map(|area| number(area.value, (area.low, area.high), bounds.map(Bounds::area))),
            powers: powers.collect(),
            advantage: measured
                .advantage
                .map(|one| number(one.value, (one.low, one.high), bounds.map(Bounds::advantage))),
            roc: measured.roc.iter().map(|point| (point.false_positives, point.true_positives)).collect(),
            notes,
        }
    }
}
