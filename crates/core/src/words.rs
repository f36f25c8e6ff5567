//! Promises and adversaries in words that a curator can check, with their exact numbers.

use crate::adversary::{Adversary, MovesTogether, Preset, PriorRange};
use crate::exact::{Rounding, decimal, percent_exactly, whole};
use crate::guarantee::ButFor;
use crate::loss::Chance;
use crate::promise::Promise;
use crate::secret::Secret;
use num_traits::{One, Zero};

/// The adversary, one statement per line: the preset, the size, the prior beliefs, the groups.
#[must_use]
pub fn adversary(adversary: &Adversary, preset: Option<Preset>, secret: Secret) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(preset) = preset {
        let same = adversary.knows_size() == preset.knows_size() && *adversary.priors() == preset.priors();
        lines.push(if same {
            format!("{}: {}", preset.name(), preset.sentence(secret))
        } else {
            // The preset's sentence would be false here; the lines below are true.
            format!("{}, changed by this policy as follows", preset.name())
        });
    }
    lines.push(
        match (adversary.knows_size(), secret) {
            (true, Secret::Membership) => {
                "they know exactly how many people are in the data; one person exchanged for another must stay hidden \
                 (replace-one)"
            }
            (true, Secret::Label) => {
                "they know exactly how many people are cases; one case and one control who exchange labels must stay \
                 hidden (label swap)"
            }
            (false, Secret::Membership) => {
                "they do not know how many people are in the data; one person more or less must stay hidden (add-remove)"
            }
            (false, Secret::Label) => {
                "they do not know how many people are cases; one case more or less must stay hidden (add-remove)"
            }
        }
        .to_owned(),
    );
    lines.push(priors(adversary.priors()));
    lines.push(groups(adversary.moves_together(), secret.of_many()));
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

fn groups(together: MovesTogether, are: &str) -> String {
    match together {
        MovesTogether::Alone => {
            format!("as far as they know, people are {are} or not independently of each other")
        }
        MovesTogether::UpTo(size) => format!(
            "they may know groups of up to {size} people who are {are} or not together; the promise is kept for whole \
             groups, and groups are independent of each other"
        ),
        MovesTogether::OneGroup(size) => format!(
            "they may know one group of {size} people who are {are} or not together; the promise is kept for the \
             whole group, and everyone else is independent"
        ),
        MovesTogether::AllOfSize(size) => format!(
            "they may know that everyone belongs to a group of exactly {size} people who are {are} or not together; \
             the promise is kept for whole groups, and groups are independent of each other"
        ),
    }
}

/// The promise in one sentence.
#[must_use]
pub fn promise(promise: &Promise, knows_size: bool, secret: Secret) -> String {
    let is = secret.of_one();
    // The sentence names the data once.
    let shorter = match secret {
        Secret::Membership => "in it",
        Secret::Label => "one",
    };
    match promise {
        Promise::PosteriorAtMost(ceiling) => {
            format!("no observer becomes more than {} sure that a given person is {is}", percent_exactly(ceiling))
        }
        Promise::PosteriorAtLeast(floor) => {
            format!("no observer becomes less than {} sure that a given person is {is}", percent_exactly(floor))
        }
        Promise::Gain(gamma) => format!(
            "no observer's belief that a given person is {is} grows to more than {gamma} times what it was, nor does \
             their belief that the person is not {shorter} shrink below {} of what it was",
            gamma.recip()
        ),
        Promise::NegativeGain(gamma) => format!(
            "no observer's belief that a given person is not {is} grows to more than {gamma} times what it was, nor does \
             their belief that the person is {shorter} shrink below {} of what it was",
            gamma.recip()
        ),
        Promise::Rho { rho, among } => format!(
            "an observer who knows that exactly one of {among} equally likely people is {is} becomes at most {} sure of \
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
            likely(&power, knows_size, secret)
        }
        Promise::Odds(odds) => likely(&odds.to_string(), knows_size, secret),
    }
}

/// The promises that hold but for a chance, each in one sentence.
#[must_use]
pub fn but_for(but_for: &ButFor, knows_size: bool, secret: Secret) -> Vec<String> {
    let chance = chance(but_for.chance());
    let promises = but_for.promises().iter();
    promises.map(|said| format!("but for {chance}, {}", promise(said, knows_size, secret))).collect()
}

/// What the chance of such promises is, in sentences.
#[must_use]
pub fn about_chance(but_for: &ButFor) -> Vec<String> {
    let chance = chance(but_for.chance());
    let people = but_for.people().map(|people| {
        let expected = but_for.chance().value() * whole(people);
        format!(
            "among {} people, such an observer expects it of at most {}",
            grouped(&people.to_string()),
            decimal(&expected, 6, Rounding::Up)
        )
    });
    let what = format!(
        "{chance} is the chance, over the noise of all answers together, that they move an observer's belief about a given \
         person beyond what is promised but for it; it is each observer's own, of one who is right about everyone else, and what holds \
         without a chance holds even then"
    );
    std::iter::once(what).chain(people).collect()
}

/// `one chance in 1,000,000`, or the fraction itself.
#[must_use]
pub fn chance(chance: &Chance) -> String {
    if chance.value().numer().is_one() {
        format!("one chance in {}", grouped(&chance.value().denom().to_string()))
    } else {
        format!("a chance of {chance}")
    }
}

/// A comma after every third digit from the right.
fn grouped(digits: &str) -> String {
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

fn likely(times: &str, knows_size: bool, secret: Secret) -> String {
    let (person, other) = match (secret, knows_size) {
        (Secret::Membership, true) => ("a given person", "with another in their place"),
        (Secret::Membership, false) => ("a given person", "without them"),
        (Secret::Label, true) => ("a given person as a case", "with another case in their place"),
        (Secret::Label, false) => ("a given person as a case", "with them as a control"),
    };
    format!("no answer is more than {times} times as likely with {person} as {other}, nor the reverse")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;

    #[test]
    fn numbers_in_words_are_exact() {
        assert_eq!(percent_exactly(&ratio(3, 4)), "75%");
        assert_eq!(percent_exactly(&ratio(12_345, 100_000)), "12.345%");
        assert_eq!(percent_exactly(&ratio(1, 3)), "1/3");
        assert_eq!(percent_exactly(&ratio(99_999_999, 100_000_000)), "99999999/100000000");
    }
}
