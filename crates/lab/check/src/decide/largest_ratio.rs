//! The maximum of a sequence of ratios.

use super::part::Part;
use crate::mechanism::Dataset;
use deniable_core::exact::Bound;
use std::cmp::Ordering;

/// The largest ratio so far and its place; ties go to the place with the fewest entities.
#[derive(Debug, Clone)]
pub(crate) struct LargestRatio<P> {
    found: Option<(P, P, Place)>,
}

/// The place of a ratio: the output, and either a pair of datasets, or an entity and the other entities that may be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) output: usize,
    pub(crate) more: Dataset,
    pub(crate) less: Dataset,
}

impl Place {
    pub(super) fn weight(&self) -> (u32, u32, Dataset, Dataset, usize) {
        let all = self.more | self.less;
        (all.count_ones(), self.more.count_ones(), self.more, self.less, self.output)
    }
}

impl<P: Part> LargestRatio<P> {
    pub(crate) fn new() -> Self {
        Self { found: None }
    }

    /// Keeps `top/bottom` if it is the largest so far. A zero `top` is ignored.
    pub(crate) fn offer(&mut self, top: &P, bottom: &P, output: usize, more: Dataset, less: Dataset) {
        if top.nothing() {
            return;
        }
        let place = Place { output, more, less };
        let order = match &self.found {
            None => Ordering::Greater,
            Some((_, best, _)) if best.nothing() => {
                if bottom.nothing() {
                    Ordering::Equal
                } else {
                    return;
                }
            }
            Some(_) if bottom.nothing() => Ordering::Greater,
            Some((high, low, _)) => P::compare(top, bottom, high, low),
        };
        let better = match (order, &self.found) {
            (Ordering::Greater, _) | (_, None) => true,
            (Ordering::Equal, Some((_, _, best))) => place.weight() < best.weight(),
            (Ordering::Less, Some(_)) => false,
        };
        if better {
            self.found = Some((top.clone(), bottom.clone(), place));
        }
    }

    /// The largest ratio and its place; `None` if nothing was offered.
    pub(crate) fn found(self) -> Option<(Bound, Place)> {
        let (top, bottom, place) = self.found?;
        Some((Bound::of(&top.rational(), &bottom.rational())?, place))
    }
}
