//! SNPs along the genome: picks in order, or released association statistics.

mod chromosomes;
mod names;

use crate::answers::Point;
use crate::canvas::{Area, DrawResult, TEXT};
use crate::legend::Key;
use crate::palette::{BLUE, INK, MUTED, RED, SHADES};
use crate::pen::{Place, arrow, dashes, dot, line, ring, write};
use crate::plot::Frame;
use crate::scale::{Scale, known, span};
use crate::sheet::{HEAD, WIDE, Words, sheet};
use crate::words::{brief, count, fit, number, width, with_interval, written};
use chromosomes::Chromosomes;
use names::{Field, LabelRequest, Patch};
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

/// Up to this many SNPs, the description lists each; of more, this many of the highest.
const SAID: usize = 12;
/// Most width of a name, in pixels.
const NAME: f64 = 130.0;
/// The radius of a dot, in pixels.
const DOT: f64 = 4.0;
/// Stems are fainter than dots, so that a name in front of one is legible.
const STEM: RGBColor = SHADES[3].0;
/// Half the width of the ends of an interval, in pixels.
const CAP: f64 = 4.0;

/// SNPs of one release.
#[derive(Debug, Clone, PartialEq)]
pub struct Genome {
    /// Title of the chart: the release.
    pub title: String,
    /// Meaning of the heights.
    pub axis: Axis,
    /// The SNPs, in any order.
    pub snps: Vec<Snp>,
}

/// Meaning of the height of a SNP.
#[derive(Debug, Clone, PartialEq)]
pub enum Axis {
    /// Its rank among the picks, from 1: the first pick is the highest. Interval ends are ignored.
    Places,
    /// A released number.
    Numbers {
        /// Label of the numbers: "χ²".
        label: String,
        /// A horizontal line at a public threshold, with its label.
        threshold: Option<(f64, String)>,
    },
}

/// One SNP.
#[derive(Debug, Clone, PartialEq)]
pub struct Snp {
    /// Its chromosome in PLINK's numbering: 25 is the part that X and Y share, 0 is unknown.
    pub chromosome: u8,
    /// Its base pair on the chromosome.
    pub position: u64,
    /// Its name, with its rank or its number and interval.
    pub point: Point,
}

/// A SNP without values that cannot be drawn.
#[derive(Debug, Clone)]
struct DrawableSnp {
    x: f64,
    /// Its name, or its position if it has no name.
    name: String,
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
}

impl DrawableSnp {
    /// The highest known value.
    fn top(&self) -> Option<f64> {
        [self.value, self.low, self.high].into_iter().flatten().max_by(f64::total_cmp)
    }

    /// Whether one end of its interval is missing while another value is known.
    fn is_open(&self) -> bool {
        self.top().is_some() && (self.low.is_none() || self.high.is_none())
    }

    /// Whether its interval has a width.
    fn is_wide(&self) -> bool {
        self.top().is_some() && (self.is_open() || self.low < self.high)
    }
}

/// The SNPs on stems over their positions, chromosome by chromosome, with names where there is room.
#[must_use]
pub fn genome(genome: &Genome) -> String {
    let places = genome.axis == Axis::Places;
    let threshold = match &genome.axis {
        Axis::Numbers { threshold: Some((at, words)), .. } => known(*at).map(|at| (at, words.as_str())),
        Axis::Numbers { .. } | Axis::Places => None,
    };
    // More SNPs need more room for their names.
    let plot = (200.0 + 6.0 * genome.snps.len() as f64).clamp(240.0, 440.0);
    let (top, bottom) = (HEAD + 12.0, HEAD + 12.0 + plot);
    let (scale, ticks) = if places { by_place(genome, top, bottom) } else { by_number(genome, threshold, top, bottom) };
    let frame = Frame { top, bottom, ..Frame::beside(&scale, &ticks, 12.0) };
    let chromosomes = Chromosomes::over(&genome.snps, frame.left, frame.right);
    let shown = shown(genome, &chromosomes);
    let ground = if places { frame.bottom } else { scale.at(0.0) };
    let level = threshold.map(|(at, words)| (scale.at(at), fit(words, TEXT, frame.right - frame.left - 16.0)));
    let size = if shown.len() <= 24 { TEXT } else { TEXT - 1 };
    let (said_at, named) = layout(&shown, &scale, &frame, ground, level.as_ref(), size);
    let unnamed = named.iter().filter(|name| name.is_none()).count();

    let legend = if places { Vec::new() } else { signs(&shown) };
    let description = description(genome, &shown, threshold, unnamed);
    let words = Words { title: &genome.title, otherwise: "SNPs along the genome", description: &description };
    sheet(&words, frame.bottom + 52.0, &legend, |area| -> DrawResult {
        chromosomes.bands(area, &frame)?;
        frame.values(area, &ticks, axis_label(&genome.axis))?;
        if let Some((y, words)) = &level {
            dashes(area, &[(frame.left, *y), (frame.right, *y)], RED, 2, (8, 5))?;
            write(area, said_at, words, (TEXT, RED), HPos::Left)?;
        }
        frame.below(area, &[], if shown.is_empty() { "no SNPs to show" } else { "chromosome" })?;
        if ground < frame.bottom - 1.0 {
            line(area, &[(frame.left, ground), (frame.right, ground)], MUTED, 1)?;
        }
        for snp in &shown {
            line(area, &[(snp.x, ground), head(snp, &scale, ground)], STEM, 1)?;
        }
        // Drawn over all stems: on one chromosome stems hide each other, but intervals must be visible.
        if !places {
            shown.iter().filter(|snp| snp.is_wide()).try_for_each(|snp| interval(area, snp, &scale, &frame))?;
        }
        for (snp, name) in shown.iter().zip(&named) {
            let head = head(snp, &scale, ground);
            if let Some(tie) = name.as_ref().and_then(|name| name.tie) {
                line(area, &[head, tie], MUTED, 1)?;
            }
            match snp.value {
                Some(_) => dot(area, head, DOT, BLUE)?,
                None => ring(area, head, DOT, INK)?,
            }
        }
        for (snp, name) in shown.iter().zip(&named) {
            if let Some(name) = name {
                write(area, name.start, &snp.name, (size, INK), HPos::Left)?;
            }
        }
        chromosomes.numbers(area, &frame)
    })
}

/// The ranks of picks, from the first at the top to the ground, one step below the last.
fn by_place(genome: &Genome, top: f64, bottom: f64) -> (Scale, Vec<(f64, String)>) {
    let places = || genome.snps.iter().filter_map(|snp| snp.point.value.and_then(known));
    let (first, last) = (places().fold(1.0, f64::min), places().fold(1.0, f64::max));
    let scale = Scale::linear((first, last + 1.0), (top, bottom));
    // Whole steps, because ranks are whole numbers.
    let mut ticks = scale.ticks((last + 1.0 - first).clamp(1.0, 6.0) as u32);
    ticks.retain(|(y, _)| *y < bottom - 1.0);
    if !ticks.iter().any(|(y, _)| *y < top + 1.0) {
        ticks.insert(0, (top, number(first)));
    }
    (scale, ticks)
}

/// Numbers, from zero or below.
fn by_number(genome: &Genome, threshold: Option<(f64, &str)>, top: f64, bottom: f64) -> (Scale, Vec<(f64, String)>) {
    let points = || genome.snps.iter().map(|snp| &snp.point);
    let values = points().flat_map(|point| [point.value, point.low, point.high]).flatten();
    let (low, high) = span(values.chain(threshold.map(|(at, _)| at)).chain([0.0]));
    // An open end needs some room beyond the known values.
    let open = |end: &dyn Fn(&Point) -> Option<f64>| points().any(|point| end(point).and_then(known).is_none());
    let more = |open: bool| if open { (high - low) * 0.08 } else { 0.0 };
    let below = if low < 0.0 { more(open(&|point| point.low)) } else { 0.0 };
    let scale = Scale::linear((low - below, high + more(open(&|point| point.high))), (bottom, top));
    (scale, scale.ticks(6))
}

/// The SNPs to draw.
fn shown(genome: &Genome, chromosomes: &Chromosomes) -> Vec<DrawableSnp> {
    let places = genome.axis == Axis::Places;
    let ends = |point: &Point, end: Option<f64>| if places { point.value } else { end }.and_then(known);
    genome
        .snps
        .iter()
        .map(|snp| DrawableSnp {
            x: chromosomes.at(snp.chromosome, snp.position),
            name: fit(&called(snp), TEXT, NAME),
            value: snp.point.value.and_then(known),
            low: ends(&snp.point, snp.point.low),
            high: ends(&snp.point, snp.point.high),
        })
        .collect()
}

/// Its name. Files have `.` for a SNP without a name, which is then named by its position.
fn called(snp: &Snp) -> String {
    match snp.point.label.trim() {
        "" | "." => format!("{}:{}", chromosomes::name(snp.chromosome), snp.position),
        name => name.to_owned(),
    }
}

/// The position of a SNP's dot, or of the ring that replaces it if there is no number.
fn head(snp: &DrawableSnp, scale: &Scale, ground: f64) -> Place {
    (snp.x, snp.value.map_or(ground, |value| scale.at(value)))
}

/// Places the names of the highest SNPs first, so that the least important ones are omitted for lack of room; returns
/// also the start of the threshold's label.
fn layout(
    shown: &[DrawableSnp],
    scale: &Scale,
    frame: &Frame,
    ground: f64,
    level: Option<&(f64, String)>,
    size: u32,
) -> (Place, Vec<Option<names::LabelPlace>>) {
    let mut field = Field::new(Patch {
        left: frame.left + 2.0,
        right: f64::from(WIDE) - 4.0,
        top: frame.top - 20.0,
        bottom: frame.bottom - 1.0,
    });
    for snp in shown {
        let (x, y) = head(snp, scale, ground);
        field.solid(Patch::around((x, y), DOT + 1.0, DOT + 1.0));
        field.thin(Patch { left: x, right: x, top: y.min(ground), bottom: y.max(ground) }, 6.0);
        if snp.is_wide() {
            let high = snp.high.map_or(frame.top, |high| scale.at(high));
            let low = snp.low.map_or(frame.bottom, |low| scale.at(low));
            field.thin(Patch { left: x - CAP, right: x + CAP, top: high, bottom: low }, 24.0);
        }
    }
    let mut said_at = (0.0, 0.0);
    if let Some((y, words)) = level {
        field.thin(Patch { left: frame.left, right: frame.right, top: *y, bottom: *y }, 10.0);
        said_at = field.beside_line(*y, (frame.left, frame.right), width(words, TEXT));
    }
    // Compared in pixels: differences far below a pixel do not decide which SNPs are named.
    let mut order: Vec<usize> = (0..shown.len()).collect();
    let height = |at: &usize| shown.get(*at).map_or(ground, |snp| head(snp, scale, ground).1);
    order.sort_by(|one, other| height(one).total_cmp(&height(other)));
    let mut named = vec![None; shown.len()];
    for at in order {
        let (Some(snp), Some(place)) = (shown.get(at), named.get_mut(at)) else { continue };
        let wanted = LabelRequest { head: head(snp, scale, ground), wide: width(&snp.name, size), reach: DOT };
        *place = field.name(wanted);
    }
    (said_at, named)
}

/// The interval of a number as a vertical line; an open end extends to the edge of the plot.
fn interval(area: &Area<'_>, snp: &DrawableSnp, scale: &Scale, frame: &Frame) -> DrawResult {
    let x = snp.x;
    let high = snp.high.map_or(frame.top - 6.0, |high| scale.at(high));
    let low = snp.low.map_or(frame.bottom, |low| scale.at(low));
    line(area, &[(x, high), (x, low)], INK, 2)?;
    match snp.high {
        Some(_) => line(area, &[(x - CAP, high), (x + CAP, high)], INK, 2)?,
        None => arrow(area, (x, high - 4.0), (0.0, -1.0), INK)?,
    }
    match snp.low {
        Some(_) => line(area, &[(x - CAP, low), (x + CAP, low)], INK, 2),
        None => arrow(area, (x, low), (0.0, 1.0), INK),
    }
}

/// Legend entries of the signs that occur.
fn signs(shown: &[DrawableSnp]) -> Vec<(Key, String)> {
    let mut signs = Vec::new();
    if shown.iter().any(DrawableSnp::is_wide) {
        signs.push((Key::Interval, "interval of the number".to_owned()));
    }
    if shown.iter().any(DrawableSnp::is_open) {
        signs.push((Key::Open, "no bound on that side".to_owned()));
    }
    if shown.iter().any(|snp| snp.value.is_none()) {
        signs.push((Key::Unknown, "no value".to_owned()));
    }
    signs
}

/// Label of the heights.
fn axis_label(axis: &Axis) -> &str {
    match axis {
        Axis::Places => "place among the picks",
        Axis::Numbers { label, .. } => label,
    }
}

/// Describes the chart in words: each SNP if they are few, the highest if they are many.
fn description(genome: &Genome, shown: &[DrawableSnp], threshold: Option<(f64, &str)>, unnamed: usize) -> String {
    let places = genome.axis == Axis::Places;
    let mut words = format!("{} along the genome, by {}.", count(shown.len(), "SNP"), brief(axis_label(&genome.axis)));
    if let Some((at, label)) = threshold {
        let over = shown.iter().filter(|snp| snp.value.is_some_and(|value| value >= at)).count();
        words.push_str(&format!(
            " A line at {}: {}. Released numbers at or above it: {over}.",
            number(at),
            brief(label)
        ));
    }
    let mut order: Vec<(&Snp, &DrawableSnp)> = genome.snps.iter().zip(shown).collect();
    let height = |shown: &DrawableSnp| shown.top().map_or(f64::NEG_INFINITY, |top| if places { -top } else { top });
    order.sort_by(|one, other| height(other.1).total_cmp(&height(one.1)));
    if shown.len() > SAID {
        words.push_str(&format!(" The {} {SAID}:", if places { "first" } else { "highest" }));
    }
    for (snp, shown) in order.into_iter().take(SAID) {
        let bases = written(snp.position as f64, 1.0, 1.0);
        let whole = chromosomes::said(snp.chromosome);
        let value = match shown.value {
            Some(place) if places => format!("place {}", number(place)),
            None if places => "no place".to_owned(),
            _ if shown.is_wide() => with_interval(shown.value, shown.low, shown.high),
            _ => with_interval(shown.value, None, None),
        };
        words.push_str(&format!(" {} on {whole} at {bases}: {value}.", brief(&called(snp))));
    }
    if unnamed > 0 {
        let are = if unnamed == 1 { "is" } else { "are" };
        words.push_str(&format!(" {} {are} drawn without a name, for want of room.", count(unnamed, "SNP")));
    }
    words
}

#[cfg(test)]
mod tests;
