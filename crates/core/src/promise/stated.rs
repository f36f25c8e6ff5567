//! Promises and priors as a ledger states them, read back: the inverse of their `Display`.

use super::Promise;
use crate::adversary::PriorRange;
use crate::exact::{Rational, parse_rational};
use crate::notion::{Notion, stated_as};
use std::str::FromStr;

/// Text that states no promise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` does not state a promise, such as `gain = 3/2`")]
pub struct NotAPromise(String);

impl FromStr for Promise {
    type Err = NotAPromise;

    fn from_str(text: &str) -> Result<Self, NotAPromise> {
        stated(text).ok_or_else(|| NotAPromise(crate::text::shown(text)))
    }
}

fn stated(text: &str) -> Option<Promise> {
    let parts: Vec<(&str, &str)> = text.split(", ").map(|part| part.split_once(" = ")).collect::<Option<_>>()?;
    let number = |text: &str| parse_rational(text).ok();
    let [(name, value), rest @ ..] = parts.as_slice() else { return None };
    Some(match (stated_as(name)?, rest) {
        (Notion::PosteriorAtMost, []) => Promise::PosteriorAtMost(number(value)?),
        (Notion::PosteriorAtLeast, []) => Promise::PosteriorAtLeast(number(value)?),
        (Notion::PositiveMembership, []) => Promise::Gain(number(value)?),
        (Notion::NegativeMembership, []) => Promise::NegativeGain(number(value)?),
        (Notion::Dp, []) => Promise::Epsilon(number(value)?),
        (Notion::Rho, []) => {
            let (rho, among) = value.split_once(" among ")?;
            Promise::Rho { rho: number(rho)?, among: among.parse().ok()? }
        }
        (Notion::AlphaBeta, [("beta", beta), ("P_min", least), most @ ..]) => {
            let most = match most {
                [] => None,
                [("P_max", most)] => Some(number(most)?),
                _ => return None,
            };
            Promise::AlphaBeta { alpha: number(value)?, beta: number(beta)?, least: number(least)?, most }
        }
        _ => return None,
    })
}

impl PriorRange {
    /// The interval in a family's name, such as `F-DI[0,1/2], F-NI3`; any prior where it has none.
    #[must_use]
    pub fn of_family(family: &str) -> Option<Self> {
        let Some((_, rest)) = family.split_once('[') else { return Some(Self::any()) };
        let (low, high) = rest.split_once(']')?.0.split_once(',')?;
        let end = |text: &str, open: &str| -> Option<Option<Rational>> {
            if text == open { Some(None) } else { parse_rational(text).ok().map(Some) }
        };
        Self::new(end(low, "0")?, end(high, "1")?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adversary::{Adversary, MovesTogether};
    use crate::exact::{ratio, whole};

    #[test]
    fn what_is_stated_reads_back() {
        let all = [
            Promise::PosteriorAtMost(ratio(3, 4)),
            Promise::PosteriorAtLeast(ratio(1, 10)),
            Promise::Gain(ratio(3, 2)),
            Promise::NegativeGain(whole(2)),
            Promise::Epsilon(ratio(1, 10)),
            Promise::Rho { rho: ratio(1, 2), among: 100 },
            Promise::AlphaBeta { alpha: ratio(1, 2), beta: whole(1), least: whole(0), most: None },
            Promise::AlphaBeta { alpha: ratio(1, 2), beta: whole(1), least: ratio(1, 9), most: Some(ratio(1, 5)) },
        ];
        for promise in all {
            assert_eq!(promise.to_string().parse(), Ok(promise));
        }
        for bad in ["", "gain", "gain = x", "gain = 2, loss = 3", "rho = 1/2", "alpha = 1/2, beta = 1"] {
            assert!(bad.parse::<Promise>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_interval_of_a_family_reads_back() {
        let ends = [None, Some(ratio(1, 5))];
        for low in &ends {
            for high in [None, Some(ratio(4, 5))] {
                for together in [MovesTogether::Alone, MovesTogether::OneGroup(3)] {
                    let priors = PriorRange::new(low.clone(), high.clone()).unwrap();
                    let adversary = Adversary::new(true, priors.clone(), together).unwrap();
                    assert_eq!(PriorRange::of_family(&adversary.family()), Some(priors));
                }
            }
        }
        assert_eq!(PriorRange::of_family("F-DI[2,1/2]"), None);
    }
}
