//! A policy in words that a curator can check, with its exact numbers.

use deniable_core::adversary::{Adversary, MovesTogether, Preset, PriorRange};
use deniable_core::exact::{percent_exactly, whole};
use deniable_core::promise::Promise;
use num_traits::{One, Zero};

/// Who the adversary is: the preset, the size, the prior beliefs, the groups.
pub(crate) fn adversary(adversary: &Adversary, preset: Option<Preset>) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(preset) = preset {
        let same = adversary.knows_size() == preset.knows_size() && *adversary.priors() == preset.priors();
        lines.push(if same {
            format!("{}: {}", preset.name(), preset.sentence())
        } else {
            // The preset's sentence would be false here; the lines below are what holds.
            format!("{}, changed by this policy to what follows", preset.name())
        });
    }
    lines.push(
        if adversary.knows_size() {
            "they know exactly how many people are in the data; one person exchanged for another must stay hidden \
             (replace-one)"
        } else {
            "they do not know how many people are in the data; one person more or less must stay hidden (add-remove)"
        }
        .to_owned(),
    );
    lines.push(priors(adversary.priors()));
    lines.push(groups(adversary.moves_together()));
    lines
}

fn priors(range: &PriorRange) -> String {
    let (low, high) = (range.low(), range.high());
    let chance = match (low.is_zero(), high.is_one()) {
        (true, true) => "any chance at all".to_owned(),
        (true, false) => format!("a chance of at most {}", percent_exactly(high)),
        (false, true) => format!("a chance of at least {}", percent_exactly(low)),
        (false, false) if low == high => format!("a chance of exactly {}", percent_exactly(low)),
        (false, false) => format!("a chance between {} and {}", percent_exactly(low), percent_exactly(high)),
    };
    format!("before the first release they gave {chance} to anyone of whom they were not certain")
}

fn groups(together: MovesTogether) -> String {
    match together {
        MovesTogether::Alone => {
            "as far as they know, people are in the data or not independently of each other".to_owned()
        }
        MovesTogether::UpTo(size) => format!(
            "they may know groups of up to {size} people who are in the data or not together; the promise is kept for whole \
             groups, and groups are independent of each other"
        ),
        MovesTogether::OneGroup(size) => format!(
            "they may know one group of {size} people who are in the data or not together; the promise is kept for the \
             whole group, and everyone else is independent"
        ),
        MovesTogether::AllOfSize(size) => format!(
            "they may know that everyone belongs to a group of exactly {size} people who are in the data or not together; \
             the promise is kept for whole groups, and groups are independent of each other"
        ),
    }
}

/// What is promised, one sentence for each promise.
pub(crate) fn promise(promise: &Promise, knows_size: bool) -> String {
    match promise {
        Promise::PosteriorAtMost(ceiling) => {
            format!("nobody becomes more than {} sure that a given person is in the data", percent_exactly(ceiling))
        }
        Promise::PosteriorAtLeast(floor) => {
            format!("nobody becomes less than {} sure that a given person is in the data", percent_exactly(floor))
        }
        Promise::Gain(gamma) => format!(
            "nobody's belief that a given person is in the data grows to more than {gamma} times what it was, nor does \
             their belief that the person is not in it shrink below {} of what it was",
            gamma.recip()
        ),
        Promise::Loss(gamma) => format!(
            "nobody's belief that a given person is not in the data grows to more than {gamma} times what it was, nor \
             does their belief that the person is in it shrink below {} of what it was",
            gamma.recip()
        ),
        Promise::Rho { rho, among } => format!(
            "whoever knows that exactly one of {among} equally likely people is in the data becomes at most {} sure of \
             any one of them",
            percent_exactly(rho)
        ),
        Promise::AlphaBeta { alpha, beta, least, most } => {
            let worlds = match (least.is_zero(), most) {
                (true, None) => "whatever that was".to_owned(),
                (false, None) => format!("if that was at least {}", percent_exactly(least)),
                (true, Some(most)) => format!("if that was at most {}", percent_exactly(most)),
                (false, Some(most)) => {
                    format!("if that was between {} and {}", percent_exactly(least), percent_exactly(most))
                }
            };
            format!(
                "belief in the true data, against all data that differ from it in one person, ends between {} and {} of \
                 what it was, {worlds}",
                percent_exactly(&(whole(1) - alpha)),
                percent_exactly(&(whole(1) + beta))
            )
        }
        Promise::Epsilon(epsilon) => {
            let power = if epsilon.is_integer() { format!("e^{epsilon}") } else { format!("e^({epsilon})") };
            let other = if knows_size { "with another in their place" } else { "without them" };
            format!("no answer is more than {power} times as likely with a given person as {other}, nor the reverse")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;

    #[test]
    fn numbers_in_words_are_exact() {
        assert_eq!(percent_exactly(&ratio(3, 4)), "75%");
        assert_eq!(percent_exactly(&ratio(12_345, 100_000)), "12.345%");
        assert_eq!(percent_exactly(&ratio(1, 3)), "1/3");
        assert_eq!(percent_exactly(&ratio(99_999_999, 100_000_000)), "99999999/100000000");
    }
}
