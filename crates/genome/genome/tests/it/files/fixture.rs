//! Random filesets, and their results in PLINK 1.9.

use deniable_genome::counting::{Genotype, row_bytes};
use deniable_genome::{Column, PhenoFile};
use deniable_testing::skipped;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub const BED: [u8; 3] = [0x6c, 0x1b, 0x01];

/// A random source; small numbers and chances.
pub struct Random(ChaCha8Rng);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(deniable_testing::seed(seed)))
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound
    }

    pub fn chance(&mut self) -> f64 {
        self.0.next_u32() as f64 / 2f64.powi(32)
    }

    pub fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// The people of a fileset, and the chromosomes of its SNPs.
pub struct Shape {
    pub people: usize,
    pub chromosomes: &'static [&'static str],
    pub snps_each: usize,
    pub missing: f64,
    pub phenotypes: &'static [&'static str],
    pub odd_people: bool,
}

/// A fileset in a temporary folder.
pub struct Files {
    pub folder: tempfile::TempDir,
    pub genotypes: Vec<Vec<Genotype>>,
}

impl Files {
    pub fn random(shape: &Shape, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let (mut fam, mut bim, mut bed) = (String::new(), String::new(), BED.to_vec());
        for person in 0..shape.people {
            let odd = shape.odd_people && random.below(4) == 0;
            let parents = if odd { "I0 I1" } else { "0 0" };
            let sex = if shape.odd_people { random.of(&["0", "1", "2"]) } else { "1" };
            let phenotype = if person < 2 { ["1", "2"][person] } else { random.of(shape.phenotypes) };
            writeln!(fam, "F{person} I{person} {parents} {sex} {phenotype}").unwrap();
        }
        let mut genotypes = Vec::new();
        for (number, chromosome) in shape.chromosomes.iter().flat_map(|name| vec![name; shape.snps_each]).enumerate() {
            let a1 = random.of(&["A", "0", "ACGTACGT", "1"]);
            let name = "x".repeat(random.below(9) as usize);
            writeln!(bim, "{chromosome}\trs{name}{number}\t0\t{}\t{a1}\tC", 1000 + 10 * number).unwrap();
            let frequency = if random.below(8) == 0 { 0.0 } else { random.chance() };
            let row: Vec<Genotype> = (0..shape.people)
                .map(|_| {
                    if random.chance() < shape.missing {
                        return Genotype::Missing;
                    }
                    match u8::from(random.chance() < frequency) + u8::from(random.chance() < frequency) {
                        0 => Genotype::None,
                        1 => Genotype::One,
                        _ => Genotype::Two,
                    }
                })
                .collect();
            bed.extend(packed(&row));
            genotypes.push(row);
        }
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [("t.fam", fam.as_bytes()), ("t.bim", bim.as_bytes()), ("t.bed", bed.as_slice())] {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        Self { folder, genotypes }
    }

    pub fn prefix(&self) -> PathBuf {
        self.folder.path().join("t")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub fn pheno(&self, text: &str, column: Column) -> PhenoFile {
        PhenoFile { path: self.write("t.pheno", text), column }
    }
}

/// A small fileset with both groups.
pub fn small() -> Files {
    let shape = Shape {
        people: 11,
        chromosomes: &["1", "2"],
        snps_each: 3,
        missing: 0.1,
        phenotypes: &["1", "2"],
        odd_people: false,
    };
    Files::random(&shape, 1)
}

fn packed(row: &[Genotype]) -> Vec<u8> {
    let mut bytes = vec![0; row_bytes(row.len())];
    for (person, genotype) in row.iter().enumerate() {
        let bits = match genotype {
            Genotype::Two => 0,
            Genotype::Missing => 1,
            Genotype::One => 2,
            Genotype::None => 3,
        };
        bytes[person / 4] |= bits << (2 * (person % 4));
    }
    bytes
}

/// Runs PLINK 1.9; returns `false`, with a message, if it is not installed (Debian's `plink1.9`).
pub fn plink(folder: &Path, arguments: &[&str]) -> bool {
    let mut plink = Command::new("plink1.9");
    plink.args(arguments).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    match plink.status() {
        Ok(status) => {
            assert!(status.success(), "plink1.9 {arguments:?}: {status}");
            true
        }
        Err(_) => {
            skipped("plink1.9 is not installed", "apt-get install plink1.9");
            false
        }
    }
}
