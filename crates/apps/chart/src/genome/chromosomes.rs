//! The chromosomes side by side, with widths in proportion to their lengths.

use super::Snp;
use crate::canvas::{Area, DrawResult, TEXT};
use crate::palette::{INK, MUTED, PALE};
use crate::pen::{line, slab, write};
use crate::plot::Frame;
use crate::sheet::WIDE;
use crate::words::width;
use plotters::style::Color;
use plotters::style::text_anchor::HPos;
use std::collections::BTreeMap;

/// Lengths of the chromosomes 1 to 22 in millions of base pairs, rounded up: public facts of the human reference genome
/// GRCh38. Older references differ invisibly.
const LENGTHS: [u32; 22] =
    [249, 243, 199, 191, 182, 171, 160, 146, 139, 134, 136, 134, 115, 108, 102, 91, 84, 81, 59, 65, 47, 51];
/// Least length of other chromosomes, so that their names fit.
const LEAST_LENGTH: f64 = 120e6;

/// Horizontal positions of the chromosomes.
#[derive(Debug)]
pub struct Chromosomes {
    /// The number, the start and end in pixels, and whether a SNP is on it; from left to right.
    all: Vec<(u8, f64, f64, bool)>,
    /// Pixels per base pair.
    pixels: f64,
}

impl Chromosomes {
    /// Between two horizontal positions: chromosomes 1 to 22 always, others if a SNP is on them, the unknown one last.
    pub fn over(snps: &[Snp], left: f64, right: f64) -> Self {
        let mut far: BTreeMap<u8, f64> = BTreeMap::new();
        for snp in snps {
            let end = far.entry(snp.chromosome).or_insert(0.0);
            *end = end.max(snp.position as f64);
        }
        let known = (1_u8..).zip(LENGTHS.map(|millions| f64::from(millions) * 1e6));
        let mut lengths: Vec<(u8, f64, bool)> = known
            .map(|(number, length)| {
                let end = far.remove(&number);
                (number, end.map_or(length, |end| end.max(length)), end.is_some())
            })
            .collect();
        let unknown = far.remove(&0).map(|end| (0, end));
        lengths.extend(far.into_iter().chain(unknown).map(|(number, end)| (number, end.max(LEAST_LENGTH), true)));
        let pixels = (right - left) / lengths.iter().map(|(_, length, _)| length).sum::<f64>();
        let mut from = left;
        let all = lengths
            .into_iter()
            .map(|(number, length, used)| {
                let start = from;
                from += length * pixels;
                (number, start, from, used)
            })
            .collect();
        Self { all, pixels }
    }

    /// The horizontal position of a base pair, in pixels.
    pub fn at(&self, chromosome: u8, position: u64) -> f64 {
        let found = self.all.iter().find(|(number, ..)| *number == chromosome);
        found.map_or(0.0, |(_, start, end, _)| (start + position as f64 * self.pixels).min(*end))
    }

    /// Bands behind every other chromosome.
    pub fn bands(&self, area: &Area<'_>, frame: &Frame) -> DrawResult {
        self.all.iter().step_by(2).try_for_each(|(_, start, end, _)| {
            slab(area, (*start, frame.top - 8.0), (*end, frame.bottom), &PALE.mix(0.45))
        })
    }

    /// The numbers below, as many as fit: first of chromosomes that are drawn only because of a SNP, then of the others
    /// with SNPs.
    pub fn numbers(&self, area: &Area<'_>, frame: &Frame) -> DrawResult {
        let mut kept: Vec<(f64, f64)> = Vec::new();
        let mut order: Vec<_> = self.all.iter().collect();
        order.sort_by_key(|(number, _, _, used)| ((1..=22).contains(number), !used));
        for (number, start, end, used) in order {
            let text = name(*number);
            let wide = width(&text, TEXT);
            let middle = f64::midpoint(*start, *end);
            let centre = middle.min(f64::from(WIDE) - 4.0 - wide / 2.0);
            if kept.iter().any(|(other, room)| (centre - other).abs() < f64::midpoint(wide, *room) + 3.0) {
                continue;
            }
            kept.push((centre, wide));
            line(area, &[(middle, frame.bottom), (middle, frame.bottom + 4.0)], MUTED, 1)?;
            write(area, (centre, frame.bottom + 15.0), &text, (TEXT, if *used { INK } else { MUTED }), HPos::Center)?;
        }
        Ok(())
    }
}

/// Short name of a chromosome.
pub fn name(chromosome: u8) -> String {
    match chromosome {
        0 => "?".to_owned(),
        25 => "XY".to_owned(),
        number => number.to_string(),
    }
}

/// Name of a chromosome in a sentence.
pub fn said(chromosome: u8) -> String {
    match chromosome {
        0 => "an unknown chromosome".to_owned(),
        25 => "what X and Y share".to_owned(),
        number => format!("chromosome {number}"),
    }
}
