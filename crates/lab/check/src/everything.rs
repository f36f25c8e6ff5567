//! The questions of `--everything`: each notion with its smallest meaningful parameter, the strictest first.

/// Notions about the datasets of a table.
const NOTIONS: [&str; 13] = [
    "free-lunch",
    "zero-knowledge-rows:1",
    "zero-knowledge:1",
    "dp",
    "positive-dp",
    "negative-dp",
    "bounded-dp",
    "crowd-blending:2",
    "sampling:1/2",
    "positive-sampling:1/2",
    "rho:2",
    "alpha:0",
    "beta:0",
];

const BELIEFS: [&str; 3] = ["pmp", "nmp", "indistinguishable"];

const FAMILIES: [&str; 8] =
    ["all", "groups:2", "independent", "bounded", "one-of:2", "one-of-rest:2", "sampled:1/2", "uniform"];

/// Each question, as words of [`crate::words`]: a notion, and a family where it has one.
#[must_use]
pub fn questions() -> Vec<(&'static str, Option<&'static str>)> {
    let plain = NOTIONS.into_iter().map(|notion| (notion, None));
    let beliefs = BELIEFS.into_iter().flat_map(|notion| FAMILIES.into_iter().map(move |family| (notion, Some(family))));
    plain.chain(beliefs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    #[test]
    fn every_question_parses() {
        for (notion, family) in questions() {
            assert!(words::notion(notion).is_ok(), "{notion}");
            assert!(family.is_none_or(|family| words::family(family, None).is_ok()), "{family:?}");
        }
    }
}
