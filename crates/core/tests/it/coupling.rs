//! Couplings: whether two conditional beliefs can be paired, dataset by dataset, so that partners are close.
//!
//! If they can, any mechanism that keeps `R` between neighbours keeps `R^k` against the observer: the likelihood ratio
//! is an average of ratios of pairs at most `k` steps apart. If they cannot, a mechanism that decays with the distance
//! from the unpaired datasets breaks `R^k` for large `R`. So this decides a bound for all mechanisms at once, while
//! random mechanisms would only sample it.

use super::prior::Prior;
use super::world::Dataset;
use deniable_core::exact::Rational;

/// Whether "given `t`" and "given not `t`" can be paired within `near`; `None` if `t` is certain.
///
/// By Hall's condition for masses: no set of datasets may weigh more than all its possible partners.
pub fn paired(prior: &Prior, t: usize, near: impl Fn(Dataset, Dataset) -> bool) -> Option<bool> {
    let (present, absent) = (prior.given(t, true)?, prior.given(t, false)?);
    let mass = |worlds: &mut dyn Iterator<Item = &(Dataset, Rational)>| -> Rational { worlds.map(|(_, p)| p).sum() };
    let stranded = (1..1_usize << present.len()).any(|chosen| {
        let inside: Vec<_> =
            present.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, w)| w).collect();
        let partners = &mut absent.iter().filter(|(other, _)| inside.iter().any(|(data, _)| near(*data, *other)));
        mass(&mut inside.iter().copied()) > mass(partners)
    });
    Some(!stranded)
}

/// Whether the beliefs about every uncertain person of every prior can be paired, and their number.
pub fn all_paired<'a>(
    priors: impl IntoIterator<Item = &'a Prior>,
    people: usize,
    near: impl Fn(Dataset, Dataset) -> bool,
) -> Result<usize, (Prior, usize)> {
    let mut passed = 0;
    for prior in priors {
        for t in 0..people {
            match paired(prior, t, &near) {
                Some(true) => passed += 1,
                Some(false) => return Err((prior.clone(), t)),
                None => {}
            }
        }
    }
    Ok(passed)
}
