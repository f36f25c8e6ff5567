//! Shuffled randomised responses: only the number of positive answers is released.

use super::parameters::{Builtin, ENTITIES, ODDS};
use super::response::{KEEP, keep};
use super::rows::{by_size, counts, entities};
use super::sampling::kept_of;
use deniable_core::exact::whole;

pub(super) static SHUFFLE: Builtin = Builtin {
    name: "shuffle",
    about: "every entity's bit by randomised response; the number of ones is released",
    theorem: "M-RR",
    parameters: &[ENTITIES, ODDS, KEEP],
    build: |given| {
        let keep = keep(given, 2)?;
        let lie = whole(1) - &keep;
        let n = entities(given, |n| n + 1)?;
        // Ones from members with truthful answers, and from other entities with false ones.
        let ones = |size: usize, ones: usize| {
            let split =
                |honest: usize| kept_of(size, honest, &keep, &lie) * kept_of(n - size, ones - honest, &lie, &keep);
            (0..=ones.min(size)).map(split).sum()
        };
        let row = |size: usize| (0..=n).map(|output| ones(size, output)).collect();
        by_size(counts(n), &(0..=n).map(row).collect::<Vec<_>>())
    },
};
