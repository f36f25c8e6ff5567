//! Damaged tables from a seeded mutator; the fuzz targets run the same for longer.

#[path = "../../../../../fuzz/src/attack.rs"]
mod attack;
#[path = "../../../../../fuzz/src/corpus.rs"]
mod corpus;
#[path = "../../../../../fuzz/src/damage.rs"]
mod damage;

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};

/// Pieces that occur in no seed.
const PIECES: [&[u8]; 14] = [
    b"",
    b"\t",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff\xfe",
    "é".as_bytes(),
    b"-1",
    b"NaN",
    b"1e400",
    b"99999999999999999999",
    b"\"",
    b",",
    b"F_A",
];

fn seeds() -> Vec<Vec<u8>> {
    attack::GOOD.iter().map(|(kind, good)| [&[*kind], *good].concat()).collect()
}

#[test]
fn corpus() {
    corpus::begin("attack", &seeds(), attack::check);
}

#[test]
fn damaged_tables_are_parsed_or_rejected_with_a_message() {
    let mut random = ChaCha8Rng::seed_from_u64(23);
    let seeds = seeds();
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let mut read = 0;
    for case in 0..6000 {
        let bytes = damage::damaged(&seeds[case % seeds.len()], 1, &PIECES, &mut below);
        read += usize::from(attack::check(&bytes));
    }
    assert!((500..5500).contains(&read), "{read}");
}
