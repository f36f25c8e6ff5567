//! Parses promises in their short form, the inverse of `Display`.

use super::Promise;
use crate::exact::parse_rational;
use crate::notion::{Notion, stated_as};
use std::str::FromStr;

/// Text that is not a promise.
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
        (Notion::Dp, []) => match value.strip_prefix("ln(").and_then(|open| open.strip_suffix(')')) {
            Some(odds) => Promise::Odds(number(odds)?),
            None => Promise::Epsilon(number(value)?),
        },
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{ratio, whole};

    #[test]
    fn displayed_promises_parse() {
        let all = [
            Promise::PosteriorAtMost(ratio(3, 4)),
            Promise::PosteriorAtLeast(ratio(1, 10)),
            Promise::Gain(ratio(3, 2)),
            Promise::NegativeGain(whole(2)),
            Promise::Epsilon(ratio(1, 10)),
            Promise::Odds(ratio(7, 2)),
            Promise::Rho { rho: ratio(1, 2), among: 100 },
            Promise::AlphaBeta { alpha: ratio(1, 2), beta: whole(1), least: whole(0), most: None },
            Promise::AlphaBeta { alpha: ratio(1, 2), beta: whole(1), least: ratio(1, 9), most: Some(ratio(1, 5)) },
        ];
        for promise in all {
            assert_eq!(promise.to_string().parse(), Ok(promise));
        }
        for bad in [
            "",
            "gain",
            "gain = x",
            "gain = ln(3)",
            "epsilon = ln 3",
            "gain = 2, negative_gain = 3",
            "rho = 1/2",
            "alpha = 1/2, beta = 1",
        ] {
            assert!(bad.parse::<Promise>().is_err(), "{bad}");
        }
    }
}
