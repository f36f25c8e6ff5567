//! Damaged bytes as expressions, from a seeded mutator: a short form of fuzzing.

#[path = "../../../../../fuzz/src/corpus.rs"]
mod corpus;
#[path = "../../../../../fuzz/src/damage.rs"]
mod damage;
#[path = "../../../../../fuzz/src/expression.rs"]
mod expression;

use deniable_expression::Operation;
use deniable_testing::sized_to_slow;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::HashMap;
use std::mem::discriminant;

/// Tokens that do not occur in seeds.
const PIECES: [&[u8]; 12] = [
    b"",
    b"\0\0\0\0",
    b"\xff\xff\xff\xff",
    b"\x01\0\0\0",
    b"\x03\x0c\x02\0\0\0",
    b"%_%\\",
    "ŉ\u{130}Σ".as_bytes(),
    b"\xff\xfe",
    b"\0\0\0\0\0\0\0\x80",
    b"\xff\xff\xff\xff\xff\xff\xef\x7f",
    b"\x03\x16\x05",
    b"2024-02-29",
];

#[test]
fn corpus() {
    corpus::begin("expression", &expression::good(), expression::check);
}

/// Half of the inputs are damaged canonical bytes, half are damaged instructions.
#[test]
fn damaged_bytes_are_refused_or_evaluated() {
    let all: u64 = sized_to_slow(20_000, 800_000, 10_000_000);
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let part = |thread: u64| {
        let mut random = ChaCha8Rng::seed_from_u64(deniable_testing::seed(thread));
        let seeds = expression::good();
        let mut evaluated = 0;
        for case in (thread..all).step_by(threads as usize) {
            let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
            let bytes = if (case / threads).is_multiple_of(2) {
                damage::damaged(&seeds[below(seeds.len())], 1, &PIECES, &mut below)
            } else {
                let length = 1 + below(120);
                let mut bytes: Vec<u8> = (0..length).map(|_| below(256) as u8).collect();
                bytes[0] |= 1;
                damage::damaged(&bytes, 1, &PIECES, &mut below)
            };
            evaluated += u64::from(expression::check(&bytes));
        }
        evaluated
    };
    let evaluated: u64 = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..threads).map(|thread| scope.spawn(move || part(thread))).collect();
        parts.into_iter().map(|part| part.join().unwrap()).sum()
    });
    println!("{all} executions, {evaluated} of them evaluated");
    assert!(evaluated > all / 2 && evaluated < all);
}

#[test]
fn instructions_reach_every_operation() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut seen = HashMap::<_, usize>::new();
    for _ in 0..5_000 {
        let bytes: Vec<u8> = (0..120).map(|_| random.next_u64() as u8).collect();
        expression::operations(&bytes, |operation| *seen.entry(discriminant(operation)).or_default() += 1);
    }
    for examples in Operation::examples() {
        let count = seen.get(&discriminant(&examples[0])).copied().unwrap_or_default();
        assert!(count > 50, "{}: {count}", examples[0].name());
    }
}
