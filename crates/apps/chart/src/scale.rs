//! Scales from values to positions, with ticks at round numbers.

use crate::words::{number, width, written};

/// A value that can be drawn: non-finite values, and values so large that differences overflow, count as missing.
pub fn known(value: f64) -> Option<f64> {
    (value.abs() < 1e300).then_some(value)
}

/// The lowest and highest of values. A range that is empty or too narrow for floating point is widened; without values,
/// 0 to 1.
pub fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter_map(known)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let size = low.abs().max(high.abs());
    if low > high || size < 1e-300 {
        (0.0, 1.0)
    } else if high - low <= size * 1e-9 {
        (low - size / 2.0, high + size / 2.0)
    } else {
        (low, high)
    }
}

/// A scale from a range of values to a range of pixels.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    /// The range; of logarithms if `log`.
    span: (f64, f64),
    /// The start and end of the range, in pixels.
    room: (f64, f64),
    /// Whether the scale is logarithmic.
    log: bool,
}

impl Scale {
    /// A linear scale.
    pub fn linear(span: (f64, f64), room: (f64, f64)) -> Self {
        Self { span, room, log: false }
    }

    /// A logarithmic scale. Both ends must be above 0.
    pub fn log((low, high): (f64, f64), room: (f64, f64)) -> Self {
        Self { span: (low.log10(), high.log10()), room, log: true }
    }

    /// A logarithmic scale if all values are positive and span more than a factor of 30; otherwise a linear scale, from
    /// zero if `from_zero`.
    pub fn by_span(values: &[f64], from_zero: bool, room: (f64, f64)) -> Self {
        let (low, high) = span(values.iter().copied());
        if low > 0.0 && high > 30.0 * low {
            Self::log((low, high), room)
        } else if from_zero {
            Self::linear((low.min(0.0), high.max(0.0)), room)
        } else {
            Self::linear((low, high), room)
        }
    }

    /// The start and end of the range, in pixels.
    pub fn room(&self) -> (f64, f64) {
        self.room
    }

    /// Whether the scale is logarithmic.
    pub fn is_log(&self) -> bool {
        self.log
    }

    /// The same with padding at both ends of the range, as a share of it.
    pub fn padded(mut self, share: f64) -> Self {
        let more = (self.span.1 - self.span.0) * share;
        self.span = (self.span.0 - more, self.span.1 + more);
        self
    }

    /// The position of a value, in pixels; values outside the range are at the edge.
    pub fn at(&self, value: f64) -> f64 {
        let value = if self.log { value.max(f64::MIN_POSITIVE).log10() } else { value };
        let share = (value - self.span.0) / (self.span.1 - self.span.0);
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        self.room.0 + share * (self.room.1 - self.room.0)
    }

    /// About this many ticks at round numbers: positions and labels.
    pub fn ticks(&self, wanted: u32) -> Vec<(f64, String)> {
        if self.log { self.log_ticks(wanted) } else { self.linear_ticks(wanted) }
    }

    fn linear_ticks(&self, wanted: u32) -> Vec<(f64, String)> {
        let (from, to) = self.span;
        let step = round_step((to - from) / f64::from(wanted.max(1)));
        let first = (from / step - 1e-6).ceil();
        (0..=wanted.saturating_mul(3))
            .map(|at| (first + f64::from(at)) * step)
            .take_while(|value| *value <= to + step * 1e-6)
            // Rounding errors can leave a tiny value where a tick should be zero.
            .map(|value| if value.abs() < step / 2.0 { 0.0 } else { value })
            .map(|value| (self.at(value), written(value, step, from.abs().max(to.abs()))))
            .collect()
    }

    fn log_ticks(&self, wanted: u32) -> Vec<(f64, String)> {
        let (from, to) = self.span;
        let powers = to - from;
        let every = (powers / f64::from(wanted.max(1))).ceil().max(1.0);
        let between: &[f64] = if powers * 3.0 <= f64::from(wanted) * 2.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let first = (from.floor() / every).floor() * every;
        (0..=wanted.saturating_mul(3))
            .map(|at| first + f64::from(at) * every)
            .take_while(|power| *power <= to)
            .flat_map(|power| between.iter().map(move |part| part * 10_f64.powf(power)))
            .filter(|value| (from - 1e-9..=to + 1e-9).contains(&value.log10()))
            .map(|value| (self.at(value), number(value)))
            .collect()
    }

    /// As many ticks as fit side by side at a font size.
    pub fn ticks_across(&self, size: u32) -> Vec<(f64, String)> {
        (2..=7)
            .rev()
            .map(|wanted| self.ticks(wanted))
            .find(|ticks| stride(&labels(ticks, size)) == 1)
            .unwrap_or_else(|| self.ticks(2))
    }
}

/// The next round step: 1, 2 or 5 times a power of ten.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.max(1e-305).log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|part| part * power).find(|step| *step >= least).unwrap_or(10.0 * power)
}

/// Centres and widths of ticks.
pub fn labels(ticks: &[(f64, String)], size: u32) -> Vec<(f64, f64)> {
    ticks.iter().map(|(at, text)| (*at, width(text, size))).collect()
}

/// The smallest stride at which labels do not touch. Each label is a centre and a width, from left to right.
pub fn stride(labels: &[(f64, f64)]) -> usize {
    let free = |every: usize| {
        let kept: Vec<_> = labels.iter().step_by(every).collect();
        kept.windows(2).all(|pair| match pair {
            [(one, wide), (other, next)] => other - one >= (wide + next) / 2.0 + 8.0,
            _ => true,
        })
    };
    (1..labels.len().max(2)).find(|every| free(*every)).unwrap_or(labels.len().max(1))
}

/// Centres for labels, moved as little as possible from `wanted` so that they do not overlap and are inside `room`.
/// Each label is a wanted centre and a size; the result has the same order.
pub fn apart(wanted: &[(f64, f64)], gap: f64, room: (f64, f64)) -> Vec<f64> {
    let mut order: Vec<(usize, f64, f64)> = wanted.iter().enumerate().map(|(at, (c, s))| (at, *c, *s)).collect();
    order.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut free = room.0;
    for (_, centre, size) in &mut order {
        *centre = centre.max(free + *size / 2.0);
        free = *centre + *size / 2.0 + gap;
    }
    let mut free = room.1;
    for (_, centre, size) in order.iter_mut().rev() {
        *centre = centre.min(free - *size / 2.0);
        free = *centre - *size / 2.0 - gap;
    }
    order.sort_by_key(|(at, _, _)| *at);
    order.into_iter().map(|(_, centre, _)| centre).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(scale: &Scale) -> Vec<String> {
        scale.ticks(5).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(said(&Scale::linear((-3.0, 7.0), (0.0, 100.0))), ["-2", "0", "2", "4", "6"]);
        assert_eq!(said(&Scale::linear((0.0, 1e12), (0.0, 100.0))), ["0", "0.2T", "0.4T", "0.6T", "0.8T", "1T"]);
        assert_eq!(said(&Scale::linear((0.0, 1e-9), (0.0, 1.0))).len(), 6);
        assert_eq!(said(&Scale::by_span(&[1.0, 1e4], true, (0.0, 1.0))), ["1", "10", "100", "1,000", "10,000"]);
        assert_eq!(said(&Scale::by_span(&[1.0, 10.0], true, (0.0, 1.0))), ["0", "2", "4", "6", "8", "10"]);
    }

    #[test]
    fn no_range_is_too_odd_for_ticks() {
        let values =
            [0.0, -0.0, 1.0, -5.0, 1e12, 1e-9, 1e-308, 5e-324, f64::MAX, f64::NAN, f64::INFINITY, 0.1 + 0.2, 0.3];
        for one in values {
            for other in values {
                let scale = Scale::linear(span([one, other].into_iter()), (0.0, 100.0)).padded(0.05);
                let log = Scale::by_span(&[one, other], false, (0.0, 100.0));
                for ticks in [scale.ticks(6), scale.ticks_across(14), log.ticks(6)] {
                    assert!(ticks.len() <= 40, "{one} {other}: {ticks:?}");
                    assert!(ticks.iter().all(|(at, _)| (0.0..=100.0).contains(at)), "{one} {other}: {ticks:?}");
                }
            }
        }
    }

    #[test]
    fn labels_are_pushed_apart_and_stay_inside() {
        let placed = apart(&[(98.0, 20.0), (97.0, 20.0), (1.0, 20.0)], 4.0, (0.0, 100.0));
        assert_eq!(placed, [90.0, 66.0, 10.0]);
    }

    #[test]
    fn labels_are_thinned_until_they_fit() {
        let labels: Vec<(f64, f64)> = (0..10).map(|at| (f64::from(at) * 20.0, 40.0)).collect();
        assert_eq!(stride(&labels), 3);
        assert_eq!(stride(&[]), 1);
        assert_eq!(stride(&[(0.0, 50.0), (0.0, 50.0)]), 2);
    }
}
