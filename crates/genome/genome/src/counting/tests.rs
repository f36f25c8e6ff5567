//! Bit-parallel counts, compared with a loop over people.

use super::*;
use proptest::prelude::*;

/// Person by person, from the definition of the format.
fn naive(bytes: &[u8], members: &[usize]) -> ([u32; 3], u32) {
    let mut copies = [0; 3];
    let mut missing = 0;
    for person in members {
        match (bytes[person / 4] >> (2 * (person % 4))) & 3 {
            0b00 => copies[2] += 1,
            0b10 => copies[1] += 1,
            0b11 => copies[0] += 1,
            _ => missing += 1,
        }
    }
    (copies, missing)
}

/// Neither (0), a case or a control; and whether a founder.
fn people() -> impl Strategy<Value = Vec<(u8, bool)>> {
    let length = prop_oneof![1usize..70, 2000usize..2100, 6000usize..6100];
    length.prop_flat_map(|people| prop::collection::vec((0u8..3, any::<bool>()), people))
}

fn compare(people: &[(u8, bool)], bytes: &[u8]) {
    let mut masks = Masks::new(people.len());
    let (mut cases, mut controls, mut founders) = (Vec::new(), Vec::new(), Vec::new());
    for (person, (group, founder)) in people.iter().enumerate() {
        if *group == 1 {
            masks.cases.add(person);
            cases.push(person);
        }
        if *group == 2 {
            masks.controls.add(person);
            controls.push(person);
        }
        if *founder {
            masks.founders.add(person);
            founders.push(person);
        }
    }
    masks.settle();
    let mut words = Vec::new();
    to_words(bytes, &mut words);
    let counts = count(&words, &masks);
    assert_eq!(count_bytes(bytes, &masks), counts);
    assert_eq!((counts.table.cases, counts.missing.cases), naive(bytes, &cases));
    assert_eq!((counts.table.controls, counts.missing.controls), naive(bytes, &controls));
    assert_eq!(counts.founders, naive(bytes, &founders).0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn counts_equal_those_of_a_loop(people in people(), seed in any::<u64>()) {
        use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        // The bits after the last person are random too, and must be ignored.
        let mut bytes = vec![0; row_bytes(people.len())];
        random.fill_bytes(&mut bytes);
        compare(&people, &bytes);
    }

    #[test]
    fn founders_who_are_the_cases_and_controls_are_not_counted_twice(people in people(), seed in any::<u8>()) {
        let people: Vec<_> = people.into_iter().map(|(group, _)| (group, group > 0)).collect();
        let bytes = (0..row_bytes(people.len())).map(|at| (at as u8).wrapping_mul(seed)).collect::<Vec<_>>();
        compare(&people, &bytes);
    }
}

#[test]
fn largest_sums_do_not_overflow_their_bits() {
    // All bits are set, or one of each pair: the largest sums.
    for byte in [0xff, 0xaa, 0x55, 0x00] {
        for people in [1, 63 * 32, 63 * 32 + 1, 64 * 32, 10_000] {
            compare(&vec![(1, true); people], &vec![byte; row_bytes(people)]);
        }
    }
}

#[test]
fn a_packed_row_equals_that_of_a_bed_file() {
    let genotypes = [Genotype::Two, Genotype::Missing, Genotype::One, Genotype::None, Genotype::One];
    let mut packer = Packer::default();
    for person in 0..70 {
        packer.push(genotypes[person % genotypes.len()]);
    }
    let mut words = Vec::new();
    let bytes: Vec<u8> = (0..row_bytes(70))
        .map(|byte| {
            let bits = |place: usize| match (4 * byte + place) % 5 {
                _ if 4 * byte + place >= 70 => 0,
                0 => 0b00,
                1 => 0b01,
                3 => 0b11,
                _ => 0b10,
            };
            bits(0) | bits(1) << 2 | bits(2) << 4 | bits(3) << 6
        })
        .collect();
    to_words(&bytes, &mut words);
    assert_eq!((packer.people(), packer.words()), (70, words.as_slice()));
    packer.clear();
    assert!(packer.words().is_empty());
}

#[test]
fn a_person_is_added_at_most_once_and_only_within_range() {
    let mut masks = Masks::new(3);
    masks.cases.add(1);
    masks.cases.add(1);
    masks.cases.add(4000);
    assert_eq!((masks.cases.size(), masks.people()), (1, 3));
}
