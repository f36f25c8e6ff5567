//! From the largest likelihood ratio to the gain of a belief (B-2, B-3).

use super::{one, vacuous};
use crate::notion::Direction;
use crate::verdict::{Value, Verdict, Witness};
use deniable_core::adversary::PriorRange;
use deniable_core::belief;
use deniable_core::exact::Bound;
use deniable_core::exact::Rational;
use num_traits::{One, Zero};

/// The worst observer with one given belief in each entity.
#[derive(Debug, Clone)]
pub(crate) struct Observed {
    /// The largest likelihood ratio, presence over absence or the reverse.
    pub(crate) ratio: Bound,
    /// The belief in what is on top.
    pub(crate) belief: Rational,
    pub(crate) witness: Witness,
}

/// The gain at the observer's own prior, which is attained.
pub(crate) fn at(found: Option<Observed>, direction: Direction, mut theorems: Vec<&'static str>) -> Verdict {
    if direction == Direction::Absence {
        theorems.push("B-3n");
    }
    let Some(Observed { ratio, belief, witness }) = found else {
        return vacuous(Bound::one(), theorems);
    };
    let gain = ratio.map(|ratio| belief::tight_gain(&belief, &ratio.max(&one()).clone()), Bound::Infinite);
    Verdict { value: Value::Attained(gain), witness: Some(witness), theorems }
}

/// B-3 for any ratio of at least 1.
pub(crate) fn gain_over(range: &PriorRange, ratio: &Rational) -> Rational {
    belief::gain_over(range, &ratio.max(&one()).clone())
}

/// Whether an uncertain prior of the range has the largest gain: one of its ends, unless that end is certainty.
pub(crate) fn reached_inside(range: &PriorRange, ratio: &Bound) -> bool {
    let Bound::Finite(ratio) = ratio else { return true };
    if ratio.is_one() {
        return true;
    }
    let gain = gain_over(range, ratio);
    let inside = |end: &&Rational| !end.is_zero() && !end.is_one();
    [range.low(), range.high()].iter().filter(|end| inside(end)).any(|end| belief::tight_gain(end, ratio) == gain)
}
