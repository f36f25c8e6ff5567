//! One count with noise. Neighbouring counts differ by one.

use super::{Member, Supremum, ZooError, geometric, hiding, noise, odds, one_by_one, unit};
use crate::mechanism::{Cell, Outputs};
use crate::neighbours::{InputAdjacency, Neighbours};
use deniable_core::budget::Spend;
use deniable_core::exact::ratio;
use rand_chacha::ChaCha20Rng;
use rand_core::Rng;

/// The scale of Laplace noise for an odds ratio of 2.
const SCALE: f64 = std::f64::consts::LOG2_E;
/// Grid steps per unit of the Laplace noise of [`members`].
const GRID: i64 = 1 << 20;
/// The largest count of the truncated mechanism.
const TOP: i64 = 5;
/// The snapping mechanism clamps answers to ± this.
const CLAMP: f64 = 1024.0;
/// The smallest power of two at or above the scale; snapping rounds to its multiples.
const SNAP: f64 = 2.0;

/// Counts with noise for an odds ratio of 2, and noise for (α,β) promises.
pub(super) fn members() -> Result<Vec<Member>, ZooError> {
    let counts = || Neighbours { levels: vec![0, 1, 3, 7], ..Neighbours::counts(InputAdjacency::SameDirection, 1) };
    let two = odds(2, 1, 1)?;
    // Rounded functions of rounded draws: one part in a million covers the later floating-point rounding.
    let nearly_two = Spend::odds(ratio(2_000_002, 1_000_000))?;
    let (half, quarter, third) = (geometric(1, 2)?, geometric(1, 4)?, geometric(2, 3)?);
    let third_again = third.clone();
    let truncated = half.clone();
    let grid = hiding(&two, GRID)?;
    Ok(vec![
        Member {
            name: "geometric",
            about: "count + two-sided geometric noise, r = 1/2: odds 1/r",
            claim: two.clone(),
            supremum: Supremum::Exactly(two.clone()),
            broken: false,
            neighbours: counts(),
            build: one_by_one(move |input, rng, out| whole_number(count(input) + noise(&half, rng), out)),
        },
        Member {
            name: "truncated-geometric",
            about: "the same clamped to 0..5: odds 1/r",
            claim: two.clone(),
            supremum: Supremum::Exactly(two.clone()),
            broken: false,
            neighbours: Neighbours { levels: vec![0, 2, 4], most: TOP, ..counts() },
            build: one_by_one(move |input, rng, out| {
                whole_number((count(input) + noise(&truncated, rng)).clamp(0, TOP), out);
            }),
        },
        Member {
            name: "geometric-half-scale",
            about: "noise of half the scale, r = 1/4: odds 4",
            claim: two.clone(),
            supremum: Supremum::Exactly(odds(4, 1, 1)?),
            broken: true,
            neighbours: counts(),
            build: one_by_one(move |input, rng, out| whole_number(count(input) + noise(&quarter, rng), out)),
        },
        Member {
            name: "laplace-on-grid",
            about: "Laplace noise as exact geometric noise on multiples of 2^-20",
            claim: two.clone(),
            supremum: Supremum::Exactly(two.clone()),
            broken: false,
            neighbours: counts(),
            build: one_by_one(move |input, rng, out| {
                let steps = count(input) * GRID + noise(&grid, rng);
                out.cell(Cell::Number(steps as f64 / GRID as f64));
            }),
        },
        Member {
            name: "laplace-floating-point",
            about: "textbook inverse-transform Laplace noise in floating point: some numbers are possible on one side only",
            claim: two.clone(),
            supremum: Supremum::Unbounded,
            broken: true,
            neighbours: counts(),
            build: one_by_one(|input, rng, out| out.cell(Cell::Number(count(input) as f64 + laplace(rng)))),
        },
        Member {
            name: "laplace-rounded",
            about: "the same rounded to multiples of 2^-10, which hides the last bits",
            claim: nearly_two.clone(),
            supremum: Supremum::AtMost(nearly_two.clone()),
            broken: false,
            neighbours: counts(),
            build: one_by_one(|input, rng, out| {
                out.cell(Cell::Number(((count(input) as f64 + laplace(rng)) * 1024.0).round() / 1024.0));
            }),
        },
        Member {
            name: "laplace-snapping",
            about: "Mironov's snapping: clamped, noise from full-precision draws, rounded to the scale, clamped",
            claim: nearly_two.clone(),
            supremum: Supremum::AtMost(nearly_two),
            broken: false,
            neighbours: counts(),
            build: one_by_one(|input, rng, out| {
                let noisy = (count(input) as f64).clamp(-CLAMP, CLAMP) + laplace_precise(rng);
                out.cell(Cell::Number(((noisy / SNAP).round() * SNAP).clamp(-CLAMP, CLAMP)));
            }),
        },
        Member {
            name: "alpha-beta",
            about: "(1/3, 1/2)-identifiability of any prior (B-6) allows odds 3/2: one answer with r = 2/3",
            claim: odds(3, 2, 1)?,
            supremum: Supremum::Exactly(odds(3, 2, 1)?),
            broken: false,
            neighbours: counts(),
            build: one_by_one(move |input, rng, out| whole_number(count(input) + noise(&third, rng), out)),
        },
        Member {
            name: "alpha-beta-twice",
            about: "two such answers under the promise of one (E-2): odds 9/4",
            claim: odds(3, 2, 1)?,
            supremum: Supremum::Exactly(odds(3, 2, 2)?),
            broken: true,
            neighbours: counts(),
            build: one_by_one(move |input, rng, out| {
                for _ in 0..2 {
                    whole_number(count(input) + noise(&third_again, rng), out);
                }
            }),
        },
    ])
}

/// The only entry.
fn count(input: &[i64]) -> i64 {
    input.first().copied().unwrap_or(0)
}

fn whole_number(value: i64, out: &mut Outputs) {
    out.cell(Cell::Integer(value));
}

/// The textbook method: a fair sign times the logarithm of a 53-bit uniform number.
fn laplace(rng: &mut ChaCha20Rng) -> f64 {
    let size = -SCALE * unit(rng).ln();
    if rng.next_u64() >> 63 == 1 { -size } else { size }
}

/// The same from a uniform number with full precision near 0.
fn laplace_precise(rng: &mut ChaCha20Rng) -> f64 {
    // A binade is half as likely as the one above it: draw zeros until a one.
    let mut scale = 0.5;
    while rng.next_u64() >> 63 == 0 && scale > f64::MIN_POSITIVE {
        scale /= 2.0;
    }
    let fraction = (rng.next_u64() >> 12) as f64 / (1_u64 << 52) as f64;
    let size = -SCALE * libm::log(scale * (1.0 + fraction));
    if rng.next_u64() >> 63 == 1 { -size } else { size }
}
