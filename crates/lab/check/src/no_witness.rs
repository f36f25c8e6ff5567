//! Explanations of verdicts without a witness: no answer changes a belief, or the notion has nothing to compare.

use crate::decide::beliefs_of_two;
use crate::family::Family;
use crate::notion::{FixedParameter, Notion};
use crate::verdict::Value;
use deniable_core::adversary::Adjacency;

/// The reason why a verdict has no witness.
#[must_use]
pub fn why(notion: &Notion, family: &Family, value: &Value) -> String {
    if value.is_vacuous() {
        return format!("vacuous, a promise about nothing: {}", missing(notion, family));
    }
    match notion {
        Notion::Approximate { given: FixedParameter::Odds(odds), .. } => {
            format!("nothing is learned beyond odds {odds}, which any answer may show")
        }
        Notion::Approximate { given: FixedParameter::Delta(delta), .. } => {
            format!("nothing is learned that a δ of {delta} does not allow")
        }
        Notion::ButFor { odds, .. } => format!("nothing is learned beyond odds {odds}, which any answer may show"),
        Notion::CrowdBlending { crowd } => format!("every member is ignored, or blends with a crowd of {crowd}"),
        _ if value.low() != value.high() => "no observer of the family was found who learns anything".to_owned(),
        _ => "nothing is ever learned".to_owned(),
    }
}

/// The pairs or observers that the table lacks.
fn missing(notion: &Notion, family: &Family) -> String {
    let none = match notion {
        Notion::Unbounded { .. }
        | Notion::Approximate { adjacency: Adjacency::AddRemove, .. }
        | Notion::ButFor { adjacency: Adjacency::AddRemove, .. } => ONE_MORE,
        Notion::Bounded
        | Notion::AlphaBeta { .. }
        | Notion::Approximate { adjacency: Adjacency::ReplaceOne, .. }
        | Notion::ButFor { adjacency: Adjacency::ReplaceOne, .. } => EXCHANGED,
        Notion::FreeLunch => "the table has one dataset, and no second one to compare it with",
        Notion::Induced { .. } | Notion::InducedExchange { .. } => "the table has one dataset, which has no neighbour",
        Notion::Worlds { least, most, .. } => {
            return format!(
                "no observer fits the family: {EXCHANGED}, or no two or more of them have priors from {least} to {most} that sum to 1"
            );
        }
        Notion::Rho { among } => return one_of(*among),
        Notion::Sampling { .. }
        | Notion::ZeroKnowledge { .. }
        | Notion::ZeroKnowledgeRows { .. }
        | Notion::CrowdBlending { .. } => NO_ENTITY,
        Notion::Membership { .. } | Notion::Posterior { .. } | Notion::Indistinguishable => match family {
            Family::Independent(_) | Family::TwoDatasets(_) => ONE_MORE,
            Family::OneOfTwo(range) if beliefs_of_two(range).is_none() => {
                let (low, high) = (range.low(), range.high());
                return format!("no observer fits the family: no x has both x and 1 − x from {low} to {high}");
            }
            Family::Bounded(range) if !range.is_any() => {
                return format!(
                    "no observer fits the family: {EXCHANGED}, or no beliefs from {} to {} in some entities sum to a whole number of \
                     them, all of whose datasets the table has",
                    range.low(),
                    range.high()
                );
            }
            Family::Bounded(_) | Family::OneOfTwo(_) => EXCHANGED,
            Family::OneOf(among) | Family::OneOfRest(among) => return one_of(*among),
            Family::All | Family::Groups(_) => {
                "no two datasets of the table differ by an entity that only the first has, and no other entity is uncertain"
            }
            Family::Explicit(_) => "all given priors are certain of every entity",
            Family::Uniform | Family::Sampled(_) | Family::Box(_) => NO_ENTITY,
        },
    };
    none.to_owned()
}

const ONE_MORE: &str = "no two datasets of the table differ by one entity more or less";
const EXCHANGED: &str = "no two datasets of the table differ by one entity exchanged for another";
const NO_ENTITY: &str = "there are no uncertain entities";

fn one_of(among: usize) -> String {
    format!("for no {among} entities does the table have all datasets that differ by which of them is in")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decide::decide;
    use crate::mechanism::Mechanism;
    use crate::notion::Sign;
    use crate::words;
    use deniable_core::exact::Bound;
    use deniable_core::exact::{ratio, whole};

    /// One entity with a truthful answer three times out of four.
    fn response() -> Mechanism {
        let rows = vec![vec![ratio(3, 4), ratio(1, 4)], vec![ratio(1, 4), ratio(3, 4)]];
        Mechanism::new(&["ann"], &["no", "yes"], rows).unwrap()
    }

    fn asked(mechanism: &Mechanism, notion: &str, family: &str) -> (Value, String) {
        let (notion, family) = (words::notion(notion).unwrap(), words::family(family, None).unwrap());
        let value = decide(mechanism, &notion, &family).unwrap().value;
        let why = why(&notion, &family, &value);
        (value, why)
    }

    #[test]
    fn zero_delta_is_reported_with_its_odds() {
        let (value, why) = asked(&response(), "delta:3", "all");
        assert_eq!(value, Value::Attained(Bound::Finite(whole(0))));
        assert_eq!(why, "nothing is learned beyond odds 3, which any answer may show");
        let (value, why) = asked(&response(), "epsilon-at:1/2", "all");
        assert_eq!((value, why.contains("a δ of 1/2")), (Value::Attained(Bound::one()), true));
    }

    /// One entity cannot be exchanged.
    #[test]
    fn missing_pairs_are_named() {
        for (notion, family, least) in [
            ("bounded-dp", "all", 1),
            ("bounded-delta:2", "all", 0),
            ("bounded-epsilon-at:0", "all", 1),
            ("alpha:0", "all", 0),
            ("beta:0", "all", 0),
            ("pmp", "bounded", 1),
            ("nmp", "one-of-two", 1),
            ("membership", "bounded", 1),
            ("posterior", "bounded", 0),
            ("posterior", "one-of-two", 0),
            ("floor", "bounded", 1),
        ] {
            let (value, why) = asked(&response(), notion, family);
            assert_eq!(value, Value::Vacuous(Bound::Finite(whole(least))), "{notion} over {family}");
            assert!(why.starts_with("vacuous") && why.contains("exchanged for another"), "{why}");
            // The strictest claim holds, without any content.
            assert_eq!(value.keeps(&whole(1)), Some(true));
        }
    }

    #[test]
    fn a_table_of_one_dataset_compares_nothing() {
        let names = vec!["ann".to_owned(), "bob".to_owned()];
        let rows = vec![Some(vec![whole(1)]), None, None, None];
        let alone = Mechanism::partial(names, vec!["same".to_owned()], rows).unwrap();
        for (notion, family) in [
            ("dp", "all"),
            ("free-lunch", "all"),
            ("rho:2", "all"),
            ("pmp", "all"),
            ("pmp", "groups:2"),
            ("nmp", "one-of:2"),
        ] {
            let (value, why) = asked(&alone, notion, family);
            assert!(value.is_vacuous() && why.starts_with("vacuous"), "{notion} over {family}: {why}");
        }
        let both = decide(&alone, &Notion::Membership { sign: Sign::Both }, &Family::All).unwrap();
        assert_eq!(both.value, Value::Vacuous(Bound::one()));
    }
}
