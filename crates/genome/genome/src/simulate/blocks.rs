//! The rows of one block: all haplotypes copy founders, and switch between them at random.

use super::chance::{Gaps, below};
use super::{Cause, Settings};
use rand_core::Rng;

/// The bits of a missing genotype.
const MISSING: u8 = 0b01;

/// Simulates one block after another in the same memory.
pub(super) struct Maker {
    founders: u32,
    carriers: (u32, u32),
    people: usize,
    row_bytes: usize,
    switches: Gaps,
    missing: Gaps,
    /// The founder that each haplotype copies at the current SNP; two for each person, padded to whole bytes of a row.
    copied: Vec<u8>,
    /// The founders at the anchor of the block.
    anchored: Vec<u8>,
    rows: Vec<u8>,
}

impl Maker {
    pub fn new(settings: &Settings) -> Self {
        let people = usize::try_from(settings.people()).unwrap_or(usize::MAX);
        let row_bytes = people.div_ceil(4);
        Self {
            founders: settings.founders,
            carriers: settings.carriers(),
            people,
            row_bytes,
            switches: Gaps::new(settings.switch),
            missing: Gaps::new(settings.missing),
            copied: vec![0; 8 * row_bytes],
            anchored: vec![],
            rows: vec![],
        }
    }

    /// The rows of the last block.
    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.rows.chunks_exact(self.row_bytes)
    }

    /// Simulates the SNPs from `first` on; if one of them is a cause, the two alleles of all people there are given.
    pub fn make<R: Rng>(&mut self, first: u32, length: u32, planted: Option<(&Cause, &[u8])>, rng: &mut R) {
        let anchor = planted.map_or(0, |(cause, _)| place(cause.snp - first));
        let carried = self.carried(length, anchor, planted.map(|(cause, _)| cause), rng);
        self.rows.clear();
        self.rows.resize(carried.len() * self.row_bytes, 0);
        match planted {
            Some((_, alleles)) => self.begin_with(carried.get(anchor).copied().unwrap_or(0), alleles, rng),
            None => self.begin(rng),
        }
        // Outward from the anchor: to the end, then from the anchor back to the beginning.
        self.anchored.clone_from(&self.copied);
        for (snp, carriers) in carried.iter().enumerate().skip(anchor) {
            if snp > anchor {
                self.switch(rng);
            }
            self.write(snp, *carriers, rng);
        }
        self.copied.clone_from(&self.anchored);
        for (snp, carriers) in carried.iter().enumerate().take(anchor).rev() {
            self.switch(rng);
            self.write(snp, *carriers, rng);
        }
    }

    /// For each SNP, the founders that carry the counted allele, as bits: a run around the circle whose beginning
    /// moves.
    fn carried<R: Rng>(&self, length: u32, anchor: usize, cause: Option<&Cause>, rng: &mut R) -> Vec<u64> {
        let (least, most) = self.carriers;
        let circle = self.founders;
        let mut begins = below(circle, rng);
        let run = |snp: usize, begins: u32, rng: &mut R| {
            let drawn = least + below(most - least + 1, rng);
            let size = match cause {
                Some(cause) if snp == anchor => whole(cause.frequency * f64::from(circle)),
                _ => drawn,
            };
            (0..size).fold(0_u64, |bits, place| bits | 1 << ((begins + place) % circle))
        };
        let one = |snp| {
            begins = (begins + circle + below(3, rng) - 1) % circle;
            run(snp, begins, rng)
        };
        (0..place(length)).map(one).collect()
    }

    /// Every haplotype starts at a random founder.
    fn begin<R: Rng>(&mut self, rng: &mut R) {
        for copied in self.copied.iter_mut().take(2 * self.people) {
            *copied = founder(self.founders, rng);
        }
    }

    /// Every haplotype starts at a random founder that has its allele.
    fn begin_with<R: Rng>(&mut self, carriers: u64, alleles: &[u8], rng: &mut R) {
        for (pair, alleles) in self.copied.chunks_exact_mut(2).zip(alleles) {
            for (haplotype, copied) in pair.iter_mut().enumerate() {
                loop {
                    *copied = founder(self.founders, rng);
                    if carriers >> *copied & 1 == u64::from(alleles >> haplotype & 1) {
                        break;
                    }
                }
            }
        }
    }

    /// From one SNP to an adjacent one, some haplotypes switch.
    fn switch<R: Rng>(&mut self, rng: &mut R) {
        let all = 2 * self.people;
        let mut place = self.switches.next(all, rng);
        while place < all {
            if let Some(copied) = self.copied.get_mut(place) {
                *copied = founder(self.founders, rng);
            }
            place += 1 + self.switches.next(all - place, rng);
        }
    }

    /// Packs the genotypes of all people: four per byte, the first in the lowest bits.
    fn write<R: Rng>(&mut self, snp: usize, carriers: u64, rng: &mut R) {
        // By copies: none, one, two.
        const CODES: [u8; 4] = [0b11, 0b10, 0b00, 0b00];
        let Some(row) = self.rows.chunks_exact_mut(self.row_bytes).nth(snp) else { return };
        for (byte, eight) in row.iter_mut().zip(self.copied.chunks_exact(8)) {
            let mut packed = 0;
            for (person, pair) in eight.chunks_exact(2).enumerate() {
                let copies = (carriers >> (pair[0] & 63) & 1) + (carriers >> (pair[1] & 63) & 1);
                packed |= CODES[(copies & 3) as usize] << (2 * person);
            }
            *byte = packed;
        }
        let mut person = self.missing.next(self.people, rng);
        while person < self.people {
            if let Some(byte) = row.get_mut(person / 4) {
                let shift = 2 * (person % 4);
                *byte = *byte & !(0b11 << shift) | MISSING << shift;
            }
            person += 1 + self.missing.next(self.people - person, rng);
        }
        // PLINK requires zeros after the last person.
        if let (Some(last), over @ 1..) = (row.last_mut(), self.people % 4) {
            *last &= (1 << (2 * over)) - 1;
        }
    }
}

/// A random founder; there are at most 64.
fn founder<R: Rng>(founders: u32, rng: &mut R) -> u8 {
    u8::try_from(below(founders, rng)).unwrap_or(0)
}

fn place(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The integer product of a frequency and the number of founders.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 63")]
fn whole(carriers: f64) -> u32 {
    carriers.round() as u32
}
