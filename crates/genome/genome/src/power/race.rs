//! `∫ C dF` between bounds: the probability that the wanted runners arrive before too many others.

use super::Chance;

/// Probability ignored at each end of the line.
const NEGLIGIBLE: f64 = 1e-10;
/// An interval whose bounds differ by less than this is not divided further: some thousand intervals result.
const FINE: f64 = 4e-7;
/// A runner whose probability of not having arrived is below `e^−700` counts as arrived.
const CERTAIN: f64 = 700.0;
const DEEPEST: u32 = 48;

/// One SNP: its score minus the best, at most 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Runner(pub f64);

/// The arrival times of runners, by score; a time is a real number `x`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Race {
    /// Exponential clocks with rates `e^(slope·score)`; `x` is the logarithm of time.
    Clocks { slope: f64 },
    /// Noisy scores, decay `e^−slope`, passed by a bar that comes down to `−x`.
    Noise { slope: f64 },
}

struct Group {
    score: f64,
    size: f64,
}

impl Race {
    /// `−ln` of the probability that a runner has not arrived by `x`; it never decreases.
    fn hazard(self, score: f64, x: f64) -> f64 {
        match self {
            Self::Clocks { slope } => (x + slope * score).exp(),
            Self::Noise { slope } => {
                // The noise must reach the whole number k = ⌈−x⌉ − score: P[Z ≥ k] = r^k/(1+r), and by symmetry below 1.
                let (k, both) = ((-x).ceil() - score, (-slope).exp().ln_1p());
                if k >= 1.0 { -(-(-slope * k - both).exp()).ln_1p() } else { slope * (1.0 - k) + both }
            }
        }
    }

    /// The times between which all runners arrive, except for a negligible probability.
    fn span(self, worst: f64, runners: f64) -> (f64, f64) {
        let rare = 40.0 + runners.ln();
        match self {
            Self::Clocks { slope } => (-rare, 5.0 - slope * worst),
            Self::Noise { slope } => (-rare / slope - 1.0, rare / slope - worst + 1.0),
        }
    }

    /// Bounds on the probability that all `wanted` are among the first `picks` arrivals.
    pub fn chance(self, runners: &[Option<Runner>], wanted: &[usize], picks: usize) -> Chance {
        let scores: Option<Vec<f64>> =
            wanted.iter().map(|snp| runners.get(*snp).copied().flatten().map(|runner| runner.0)).collect();
        let (Some(scores), Some(room)) = (scores, picks.checked_sub(wanted.len())) else {
            return Chance { low: 0.0, high: 0.0 };
        };
        let others = groups(runners, wanted);
        if others.iter().map(|group| group.size).sum::<f64>() <= whole(room) {
            return Chance { low: 1.0, high: 1.0 };
        }
        let arrived = |x: f64| scores.iter().map(|score| -(-self.hazard(*score, x)).exp_m1()).product::<f64>();
        let in_time = |x: f64| self.at_most(room, &others, x);
        let worst = scores.iter().copied().chain(others.iter().map(|group| group.score)).fold(0.0, f64::min);
        let ends = self.span(worst, whole(runners.len()));
        let low = last(ends, |x| arrived(x) <= NEGLIGIBLE);
        let high = last(ends, |x| in_time(x) > NEGLIGIBLE);
        if low >= high {
            return Chance { low: 0.0, high: arrived(low.max(high)).min(1.0) + NEGLIGIBLE };
        }
        let end = |x: f64| End { x, arrived: arrived(x), in_time: in_time(x) };
        let (first, last) = (end(low), end(high));
        let mut sum = Chance { low: 0.0, high: first.arrived + (1.0 - last.arrived) * last.in_time };
        let mut pieces = vec![(first, last, 0)];
        while let Some((from, to, depth)) = pieces.pop() {
            let mass = to.arrived - from.arrived;
            if mass * (from.in_time - to.in_time) > FINE && depth < DEEPEST {
                let middle = end(f64::midpoint(from.x, to.x));
                pieces.extend([(from, middle, depth + 1), (middle, to, depth + 1)]);
            } else {
                sum.low += mass * to.in_time;
                sum.high += mass * from.in_time;
            }
        }
        Chance { low: sum.low.max(0.0), high: sum.high.min(1.0) }
    }

    /// The probability that at most `room` other runners have arrived by `x`: a sum of binomials, truncated at `room`.
    fn at_most(self, room: usize, others: &[Group], x: f64) -> f64 {
        let mut counts = vec![0.0; room + 1];
        counts[0] = 1.0;
        for group in others {
            let hazard = self.hazard(group.score, x);
            // Groups are sorted best first, so no later one is likelier.
            if group.size * hazard < 1e-18 {
                break;
            }
            let each = binomial(group.size, hazard, room);
            for count in (0..=room).rev() {
                counts[count] = each.iter().zip(counts[..=count].iter().rev()).map(|(a, b)| a * b).sum();
            }
            if counts.iter().sum::<f64>() < NEGLIGIBLE / 1e6 {
                return 0.0;
            }
        }
        counts.iter().sum::<f64>().min(1.0)
    }
}

/// One end of an interval of the line.
#[derive(Debug, Clone, Copy)]
struct End {
    x: f64,
    arrived: f64,
    in_time: f64,
}

/// The probabilities of `0..=room` successes out of `size`, where a trial fails with probability `e^−hazard`: computed
/// by logarithms, because the first may underflow.
fn binomial(size: f64, hazard: f64, room: usize) -> Vec<f64> {
    if hazard > CERTAIN {
        return (0..=room)
            .map(|count| if size <= whole(count) && size > whole(count) - 1.0 { 1.0 } else { 0.0 })
            .collect();
    }
    let odds = hazard + (-(-hazard).exp_m1()).ln();
    let mut logarithm = -size * hazard;
    let mut each = Vec::with_capacity(room + 1);
    for count in 0..=room {
        each.push(logarithm.exp());
        let left = size - whole(count);
        if left <= 0.0 {
            break;
        }
        logarithm += (left / (whole(count) + 1.0)).ln() + odds;
    }
    each
}

/// All runners except the wanted ones, grouped by score, best first.
fn groups(runners: &[Option<Runner>], wanted: &[usize]) -> Vec<Group> {
    let others = runners.iter().enumerate().filter(|(snp, _)| !wanted.contains(snp));
    let mut scores: Vec<f64> = others.filter_map(|(_, runner)| runner.map(|runner| runner.0)).collect();
    scores.sort_unstable_by(|one, other| other.total_cmp(one));
    let mut groups: Vec<Group> = vec![];
    for score in scores {
        match groups.last_mut() {
            Some(group) if group.score.total_cmp(&score).is_eq() => group.size += 1.0,
            _ => groups.push(Group { score, size: 1.0 }),
        }
    }
    groups
}

/// The last `x` at which a condition holds that holds up to some point; one of the ends if it holds nowhere or
/// everywhere.
fn last(ends: (f64, f64), holds: impl Fn(f64) -> bool) -> f64 {
    let (mut from, mut to) = ends;
    for _ in 0..60 {
        let middle = f64::midpoint(from, to);
        if holds(middle) { from = middle } else { to = middle }
    }
    from
}

#[expect(clippy::cast_precision_loss, reason = "numbers of SNPs are far below 2^53")]
fn whole(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::ratio;
    use deniable_core::noise::{Decay, TwoSidedGeometric};
    use num_traits::ToPrimitive;

    /// The probability that a noisy score passes the bar equals that of the sampler, on both sides of zero.
    #[test]
    fn hazards_of_noise_equal_those_of_the_sampler() {
        let noise = TwoSidedGeometric::new(Decay::exactly(ratio(2, 3)).unwrap());
        let race = Race::Noise { slope: 1.5_f64.ln() };
        for (bar, score) in [(0, 0), (3, 0), (-4, 0), (-9, -7), (-5, -7), (-7, -7), (2, -1)] {
            let reaches: f64 = (bar - score..200).map(|value| noise.probability(value).to_f64().unwrap()).sum();
            for x in [f64::from(-bar), f64::from(-bar) + 0.9] {
                let hazard = race.hazard(f64::from(score), x);
                assert!((1.0 - (-hazard).exp() - reaches).abs() < 1e-12, "{bar} from {score}");
            }
        }
    }

    #[test]
    fn binomial_probabilities() {
        let half = 2.0_f64.ln();
        for (count, chance) in binomial(4.0, half, 3).into_iter().zip([1.0, 4.0, 6.0, 4.0]).map(|(a, b)| (a, b / 16.0))
        {
            assert!((count - chance).abs() < 1e-14);
        }
        assert_eq!(binomial(2.0, f64::INFINITY, 3), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(binomial(5.0, 800.0, 3), [0.0; 4]);
    }
}
