//! VCF, plain or bgzipped, with the phenotypes of a separate file.
//!
//! As PLINK 1.9 reads it (`--vcf FILE --vcf-half-call missing`): A1 is the alternate allele and A2 the reference;
//! phases and filters are ignored; one allele alone (a haploid call) counts as two; SNPs with several alternate
//! alleles, or without genotypes, are left out and counted. A sample matches the individual (IID) of that name in the
//! phenotype file, in any family.

use crate::cohort::{Log, Snp, Variant, masks};
use crate::counting::{Genotype, Masks, Packer, count};
use crate::file_error::{FileError, FileErrorKind, shown};
use crate::fingerprint::Fingerprint;
use crate::lines::Lines;
use crate::plink::{PhenoFile, Phenotypes};
use noodles_bgzf as bgzf;
use noodles_vcf as noodles;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Longest line, in bytes: a million people with 64 characters each.
pub const LONGEST_LINE: usize = 64 << 20;
/// Longest header: lines about contigs and annotations, and the names of the samples.
const LONGEST_HEADER: usize = 64 << 20;

/// A VCF file whose header was read, with the phenotypes of its samples.
#[derive(Debug, Clone)]
pub struct Vcf {
    file: PathBuf,
    pheno: PathBuf,
    samples: Vec<String>,
    masks: Masks,
    log: Log,
}

impl Vcf {
    /// Opens a VCF file and reads its header.
    ///
    /// # Errors
    /// If a file cannot be read, is not VCF, names a sample twice, or has no cases or no controls.
    pub fn open(file: &Path, pheno: &PhenoFile) -> Result<Self, FileError> {
        let phenotypes = Phenotypes::read(pheno)?;
        let samples = samples(&mut input(file)?)?;
        let known: HashMap<&str, ()> = samples.iter().map(|sample| (sample.as_str(), ())).collect();
        let statuses = phenotypes.by_individual(&|id| known.contains_key(id))?;
        if statuses.is_empty() {
            let genotypes = file.display().to_string();
            return Err(FileError::whole(&pheno.path, FileErrorKind::Strangers { genotypes }));
        }
        let strangers = phenotypes.len().saturating_sub(statuses.len()) as u64;
        let mut log = Log { strangers, ..Log::default() };
        let who: Vec<_> =
            samples.iter().map(|sample| (statuses.get(sample.as_str()).copied().flatten(), true)).collect();
        let masks = masks(&pheno.path, &who, &mut log)?;
        Ok(Self { file: file.to_owned(), pheno: pheno.path.clone(), samples, masks, log })
    }

    /// The names of the samples, in the order of the file.
    #[must_use]
    pub fn samples(&self) -> &[String] {
        &self.samples
    }

    /// The numbers of people left out. [`Vcf::scan`] also counts SNPs.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Adds the genotypes and the phenotypes to a fingerprint.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn add_to(&self, fingerprint: &mut Fingerprint) -> Result<(), FileError> {
        fingerprint.add_file(&self.pheno)?;
        fingerprint.add_file(&self.file)
    }

    /// Counts all used SNPs, and passes them to the visitor in the order of the file.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is not VCF.
    pub fn scan(&self, visit: &mut dyn FnMut(Snp)) -> Result<Log, FileError> {
        let mut log = self.log.clone();
        let mut row = Packer::default();
        each_record(&self.file, &self.samples, &mut |record| {
            log.snps += 1;
            let Some(place) = place(record, &mut log) else { return Ok(()) };
            let (variant, highest) = variant(record, place.chromosome)?;
            row.clear();
            let half_calls = calls(record, place.genotypes, highest, &self.samples, |genotype| row.push(genotype))?;
            let snp = Snp { variant, counts: count(row.words(), &self.masks) };
            log.half_calls += half_calls;
            log.used += 1;
            log.count(&snp.counts);
            visit(snp);
            Ok(())
        })?;
        Ok(log)
    }

    /// Passes the genotypes of all people, with or without a phenotype, at the wanted SNPs to the visitor, as
    /// [`crate::Individuals::genotypes`] does.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is not VCF.
    pub fn genotypes(
        &self,
        wanted: &mut dyn FnMut(&Variant) -> bool,
        visit: &mut dyn FnMut(&Variant, &[Genotype]),
    ) -> Result<Log, FileError> {
        genotypes(&self.file, &self.samples, wanted, visit)
    }
}

/// Visits the genotypes of all samples at the wanted SNPs.
pub(crate) fn genotypes(
    file: &Path,
    samples: &[String],
    wanted: &mut dyn FnMut(&Variant) -> bool,
    visit: &mut dyn FnMut(&Variant, &[Genotype]),
) -> Result<Log, FileError> {
    let mut log = Log { people: samples.len() as u64, ..Log::default() };
    let mut row = Vec::with_capacity(samples.len());
    each_record(file, samples, &mut |record| {
        log.snps += 1;
        let Some(place) = place(record, &mut log) else { return Ok(()) };
        let (variant, highest) = variant(record, place.chromosome)?;
        if wanted(&variant) {
            row.clear();
            log.half_calls += calls(record, place.genotypes, highest, samples, |genotype| row.push(genotype))?;
            log.used += 1;
            visit(&variant, &row);
        }
        Ok(())
    })?;
    Ok(log)
}

/// The names of a file's samples.
pub(crate) fn sample_names(file: &Path) -> Result<Vec<String>, FileError> {
    samples(&mut input(file)?)
}

/// Reads every record, after checking that the samples are unchanged.
fn each_record(
    file: &Path,
    expected: &[String],
    each: &mut dyn FnMut(&noodles::Record) -> Result<(), FileErrorKind>,
) -> Result<(), FileError> {
    let mut lines = input(file)?;
    if samples(&mut lines)? != expected {
        return Err(FileError::whole(file, FileErrorKind::Changed));
    }
    let mut record = noodles::Record::default();
    let mut empty = true;
    while lines.advance()? {
        if lines.bytes().is_empty() {
            continue;
        }
        noodles::io::Reader::new(lines.bytes())
            .read_record(&mut record)
            .map_err(|error| lines.error(FileErrorKind::Vcf(shown(&error.to_string()))))?;
        empty = false;
        each(&record).map_err(|kind| lines.error(kind))?;
    }
    if empty { Err(FileError::whole(file, FileErrorKind::Empty("SNPs"))) } else { Ok(()) }
}

/// The position of the genotypes in a used record.
struct Place {
    chromosome: u8,
    /// The column of a sample's values that contains its genotype.
    genotypes: usize,
}

/// `None` if the record is left out; the log has the reason.
fn place(record: &noodles::Record, log: &mut Log) -> Option<Place> {
    let chromosome = log.chromosome(record.reference_sequence_name())?;
    if record.alternate_bases().as_ref().contains(',') {
        log.multiallelic += 1;
        return None;
    }
    let Some(genotypes) = record.samples().keys().iter().position(|key| key == "GT") else {
        log.without_genotypes += 1;
        return None;
    };
    Some(Place { chromosome, genotypes })
}

/// The SNP of a record, and its highest allele: 0 without an alternate one.
fn variant(record: &noodles::Record, chromosome: u8) -> Result<(Variant, u8), FileErrorKind> {
    let alternate = record.alternate_bases();
    let alternate = alternate.as_ref();
    let position = match record.variant_start() {
        None => 0,
        Some(position) => {
            let position = position.map_err(|error| FileErrorKind::Vcf(shown(&error.to_string())))?;
            let found = position.get();
            u32::try_from(found).map_err(|_| FileErrorKind::Position { found: found.to_string() })?
        }
    };
    let ids = record.ids();
    // PLINK writes 0 for an allele that no person has.
    let (a1, a2) = (name(alternate, "0")?, name(record.reference_bases(), "0")?);
    let variant = Variant { chromosome, id: name(ids.as_ref(), ".")?, position, a1, a2 };
    Ok((variant, u8::from(!alternate.is_empty())))
}

/// Passes the genotype of every sample to the visitor, in order; returns the number of calls with one known allele of
/// two.
fn calls(
    record: &noodles::Record,
    place: usize,
    highest: u8,
    expected: &[String],
    mut each: impl FnMut(Genotype),
) -> Result<u64, FileErrorKind> {
    let (mut found, mut half_calls) = (0, 0);
    for (person, sample) in record.samples().iter().enumerate() {
        // Calls are a few bytes long: a loop over them is faster than a search.
        let text = sample.as_ref().as_bytes().split(|byte| *byte == b':').nth(place).unwrap_or(b".");
        let Some((genotype, half)) = genotype(text, highest) else {
            let sample = expected.get(person).map_or_else(|| (person + 1).to_string(), |name| shown(name));
            return Err(FileErrorKind::Genotype { sample, found: shown(&String::from_utf8_lossy(text)) });
        };
        half_calls += u64::from(half);
        found += 1;
        each(genotype);
    }
    if found == expected.len() {
        Ok(half_calls)
    } else {
        Err(FileErrorKind::Samples { found, expected: expected.len() })
    }
}

/// A name or an allele for display: plain ASCII, and `nothing` if it is missing.
fn name(text: &str, nothing: &str) -> Result<String, FileErrorKind> {
    if let Some(at) = text.bytes().position(|byte| !byte.is_ascii_graphic()) {
        return Err(FileErrorKind::Vcf(format!(
            "the name `{}` has an unusual character at byte {}",
            shown(text),
            at + 1
        )));
    }
    Ok(if text.is_empty() { nothing } else { text }.to_owned())
}

/// Parses a genotype of the alleles 0 and 1, and whether one of two alleles is missing; `None` if it is invalid.
fn genotype(text: &[u8], highest: u8) -> Option<(Genotype, bool)> {
    let allele = |byte: u8| match byte {
        b'.' => Some(None),
        b'0' => Some(Some(0)),
        b'1' if highest >= 1 => Some(Some(1)),
        _ => None,
    };
    let (left, right) = match text {
        [only] => (allele(*only)?, allele(*only)?),
        [left, b'/' | b'|', right] => (allele(*left)?, allele(*right)?),
        _ => return None,
    };
    Some(match (left, right) {
        (Some(left), Some(right)) => {
            let copies: u8 = left + right;
            let genotype = match copies {
                0 => Genotype::None,
                1 => Genotype::One,
                _ => Genotype::Two,
            };
            (genotype, false)
        }
        (left, right) => (Genotype::Missing, left.is_some() || right.is_some()),
    })
}

/// The names of the samples, from a header that is read to its end.
fn samples(lines: &mut Lines) -> Result<Vec<String>, FileError> {
    let mut header = Vec::new();
    loop {
        if !lines.advance()? {
            let kind = FileErrorKind::Vcf("there is no line that begins with #CHROM".to_owned());
            return Err(FileError::whole(lines.file(), kind));
        }
        let line = lines.bytes();
        if !line.starts_with(b"#") {
            return Err(lines.error(FileErrorKind::Vcf("a line of the header does not begin with #".to_owned())));
        }
        if header.len() + line.len() > LONGEST_HEADER {
            return Err(lines.error(FileErrorKind::LongLine { limit: LONGEST_HEADER }));
        }
        header.extend_from_slice(line);
        header.push(b'\n');
        if line.starts_with(b"#CHROM") {
            break;
        }
    }
    let not_vcf = |error: std::io::Error| {
        let cause = std::error::Error::source(&error).map_or_else(String::new, |cause| format!(": {cause}"));
        lines.error(FileErrorKind::Vcf(shown(&format!("{error}{cause}"))))
    };
    let header = noodles::io::Reader::new(header.as_slice()).read_header().map_err(not_vcf)?;
    let samples: Vec<String> = header.sample_names().iter().cloned().collect();
    if samples.is_empty() {
        return Err(lines.error(FileErrorKind::NoSamples));
    }
    Ok(samples)
}

/// The lines of a VCF file, decompressed if it is bgzipped, whatever its name.
fn input(file: &Path) -> Result<Lines, FileError> {
    let unreadable = |error| FileError::unreadable(file, &error);
    let mut opened = File::open(file).map_err(unreadable)?;
    let mut start = Vec::new();
    (&mut opened).take(18).read_to_end(&mut start).map_err(unreadable)?;
    let input: Box<dyn BufRead> = match start.as_slice() {
        // A gzip header with the extra field of bgzip: its size, and the letters BC.
        [0x1f, 0x8b, 8, 4, _, _, _, _, _, _, 6, 0, b'B', b'C', 2, 0, ..] => {
            ends(file, &mut opened)?;
            opened.seek(SeekFrom::Start(0)).map_err(unreadable)?;
            Box::new(bgzf::io::Reader::new(BufReader::with_capacity(1 << 16, opened)))
        }
        [0x1f, 0x8b, ..] => return Err(FileError::whole(file, FileErrorKind::NotBgzip)),
        _ => {
            opened.seek(SeekFrom::Start(0)).map_err(unreadable)?;
            Box::new(BufReader::with_capacity(1 << 16, opened))
        }
    };
    Ok(Lines::of(file, input, LONGEST_LINE))
}

/// Whether a bgzipped file ends with the empty block that marks its end: without the mark, it may have been truncated
/// between blocks.
fn ends(file: &Path, opened: &mut File) -> Result<(), FileError> {
    const END: [u8; 28] =
        [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, b'B', b'C', 2, 0, 0x1b, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let unreadable = |error| FileError::unreadable(file, &error);
    let length = opened.metadata().map_err(unreadable)?.len();
    let mut last = Vec::new();
    opened.seek(SeekFrom::Start(length.saturating_sub(END.len() as u64))).map_err(unreadable)?;
    opened.take(END.len() as u64).read_to_end(&mut last).map_err(unreadable)?;
    if last == END { Ok(()) } else { Err(FileError::whole(file, FileErrorKind::Truncated)) }
}
