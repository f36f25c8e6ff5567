//! PLINK's `.bed` (SNP by SNP), `.bim` and `.fam`.

use super::{Row, Settings, SimulateError};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The two bytes of every `.bed` file, and the one for SNP-major order.
const MAGIC: [u8; 3] = [0x6c, 0x1b, 0x01];
/// SNPs are spread over 22 chromosomes, the number of human autosomes.
const CHROMOSOMES: u32 = 22;
/// Base pairs of each chromosome that SNPs are spread over; the shortest has 46.7 million.
const SHORTEST: u32 = 46_000_000;
/// Alleles of successive SNPs: the counted one first.
const ALLELES: [[&str; 2]; 4] = [["A", "G"], ["T", "C"], ["G", "A"], ["C", "T"]];

/// An output file.
struct OutputFile {
    path: PathBuf,
    file: BufWriter<File>,
}

impl OutputFile {
    fn create(stem: &Path, extension: &str) -> Result<Self, SimulateError> {
        // Not `with_extension`, which would turn "cohort.v2" into "cohort".
        let mut path = stem.as_os_str().to_owned();
        path.push(".");
        path.push(extension);
        let path = PathBuf::from(path);
        let file = File::create(&path).map_err(|error| failed(&path, error))?;
        Ok(Self { path, file: BufWriter::with_capacity(1 << 18, file) })
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), SimulateError> {
        self.file.write_all(bytes).map_err(|error| failed(&self.path, error))
    }

    fn finish(mut self) -> Result<(), SimulateError> {
        self.file.flush().map_err(|error| failed(&self.path, error))
    }
}

fn failed(path: &Path, error: std::io::Error) -> SimulateError {
    SimulateError::Write { path: path.display().to_string(), error }
}

/// The three files; `.fam` is written immediately.
pub(super) struct Files {
    bed: OutputFile,
    bim: OutputFile,
    /// SNPs on each chromosome, in whole blocks.
    each: u32,
    /// Base pairs between two SNPs.
    step: u32,
}

impl Files {
    pub fn create(settings: &Settings, stem: &Path) -> Result<Self, SimulateError> {
        let mut fam = OutputFile::create(stem, "fam")?;
        for person in 0..settings.people() {
            // Family, person, father, mother, sex (1 male, 2 female), and 2 for a case, 1 for a control.
            let (sex, ill) = (1 + person % 2, if person < settings.cases { 2 } else { 1 });
            fam.put(format!("p{person}\tp{person}\t0\t0\t{sex}\t{ill}\n").as_bytes())?;
        }
        fam.finish()?;
        let (mut bed, bim) = (OutputFile::create(stem, "bed")?, OutputFile::create(stem, "bim")?);
        bed.put(&MAGIC)?;
        let each = settings.blocks().div_ceil(CHROMOSOMES).saturating_mul(settings.block).max(1);
        let step = (SHORTEST / each.saturating_add(1)).max(1);
        Ok(Self { bed, bim, each, step })
    }

    pub fn row(&mut self, snp: u32, row: Row<'_>) -> Result<(), SimulateError> {
        let (chromosome, place) = (snp / self.each + 1, snp % self.each);
        let [counted, other] = ALLELES[(snp % 4) as usize];
        let (name, position) = (super::name(snp), u64::from(self.step) * (u64::from(place) + 1));
        let line = format!("{chromosome}\t{name}\t0\t{position}\t{counted}\t{other}\n");
        self.bim.put(line.as_bytes())?;
        self.bed.put(row)
    }

    pub fn finish(self) -> Result<(), SimulateError> {
        self.bed.finish()?;
        self.bim.finish()
    }
}
