use super::*;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

fn unit(rng: &mut ChaCha20Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Samples with a fixed seed: the tolerances below are not error rates.
fn outputs(half: usize, seed: u64, mut one: impl FnMut(bool, &mut ChaCha20Rng, &mut Outputs)) -> Outputs {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let mut outputs = Outputs::new();
    for at in 0..2 * half {
        one(at >= half, &mut rng, &mut outputs);
    }
    outputs
}

const AIM: Aim = Aim { confirm: 100_000, one_sided: false };

#[test]
fn equal_distributions_yield_no_candidate_of_value() {
    let same = |_: bool, rng: &mut ChaCha20Rng, out: &mut Outputs| out.number(unit(rng));
    let (shaping, ranking) = (outputs(5000, 1, same), outputs(5000, 2, same));
    let found = candidates(SampledOutputs::new(&shaping), SampledOutputs::new(&ranking), AIM);
    assert!(found.iter().all(|candidate| candidate.value < 0.05), "{:?}", found.first());
}

#[test]
fn a_conjunction_of_bits_is_found() {
    // Five fair bits; on the right the last one is the parity of two other bits with probability 3/4.
    let bits = |right: bool, rng: &mut ChaCha20Rng, out: &mut Outputs| {
        let word = rng.next_u64();
        let parity = (word ^ (word >> 1)) & 1;
        let last = if right && unit(rng) < 0.5 { parity } else { word >> 4 & 1 };
        for at in 0..4 {
            out.cell(crate::mechanism::Cell::Integer((word >> at & 1) as i64));
        }
        out.integer(last as i64);
    };
    let (shaping, ranking) = (outputs(20_000, 3, bits), outputs(20_000, 4, bits));
    let found = candidates(SampledOutputs::new(&shaping), SampledOutputs::new(&ranking), AIM);
    // The last bit differs from the parity half the time on the left and a quarter on the right: ln 2.
    assert!(found[0].value > 0.55, "{:?}", found[0]);
    assert!(!varied(&found, 4).is_empty() && varied(&found, 4).len() <= 4);
}

#[test]
fn a_classifier_sums_weak_signs() {
    // Sixteen bits, each slightly likelier on the right: no short conjunction separates as well as their sum.
    let bits = |right: bool, rng: &mut ChaCha20Rng, out: &mut Outputs| {
        for at in 0..16 {
            let one = unit(rng) < if right { 0.55 } else { 0.45 };
            out.cell(crate::mechanism::Cell::Integer(i64::from(one)));
            if at == 15 {
                out.end();
            }
        }
    };
    let (shaping, ranking) = (outputs(20_000, 5, bits), outputs(20_000, 6, bits));
    let found = candidates(SampledOutputs::new(&shaping), SampledOutputs::new(&ranking), AIM);
    assert!(found[0].value > 1.3, "{:?}", found[0].value);
    assert!(matches!(found[0].event, Event::Score { .. }), "{}", found[0].event);
}

#[test]
fn characters_of_words_are_found() {
    // Ten fair bits as a word; on the right, the third is 1 nine times in ten.
    let bits = |right: bool, rng: &mut ChaCha20Rng, out: &mut Outputs| {
        let bits = (0..10).map(|at| unit(rng) < if right && at == 2 { 0.9 } else { 0.5 });
        let word: String = bits.map(|one| if one { '1' } else { '0' }).collect();
        out.word(&word);
        out.end();
    };
    let (shaping, ranking) = (outputs(20_000, 7, bits), outputs(20_000, 8, bits));
    let found = candidates(SampledOutputs::new(&shaping), SampledOutputs::new(&ranking), AIM);
    // 1/2 against 1/10.
    assert!(found[0].value > 1.4, "{:?}", found[0]);
    assert!(found[0].event.to_string().contains("character 2 of output[0] is '0'"), "{}", found[0].event);
}
