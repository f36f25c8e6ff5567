//! Mechanisms without noise: a constant, the dataset itself, and the number of members.

use super::parameters::{Builtin, ENTITIES};
use super::rows::{by_kind, by_rows, by_size, counts, entities, entities_apart, numbers};
use deniable_core::exact::{Rational, whole};

pub(super) static CONSTANT: Builtin = Builtin {
    name: "constant",
    about: "always the same answer",
    theorem: "",
    parameters: &[ENTITIES],
    build: |given| {
        let n = entities(given, |_| 1)?;
        by_kind(n, vec!["same".to_owned()], &[vec![whole(1)]], |_| 0)
    },
};

pub(super) static IDENTITY: Builtin = Builtin {
    name: "identity",
    about: "the dataset itself",
    theorem: "",
    parameters: &[ENTITIES],
    build: |given| {
        let n = entities_apart(given, |n| 1 << n)?;
        let all = 1_usize << n;
        by_rows(n, (0..all).map(|data| numbers(data as u32)).collect(), |data| certain(all, data as usize))
    },
};

pub(super) static SIZE: Builtin = Builtin {
    name: "size",
    about: "how many members there are, exactly",
    theorem: "",
    parameters: &[ENTITIES],
    build: |given| {
        let n = entities(given, |n| n + 1)?;
        let rows: Vec<_> = (0..=n).map(|size| certain(n + 1, size)).collect();
        by_size(counts(n), &rows)
    },
};

/// A row with probability 1 for one output.
pub(super) fn certain(outputs: usize, output: usize) -> Vec<Rational> {
    (0..outputs).map(|other| whole(u8::from(other == output))).collect()
}
