//! SNPs: the six columns of a .bim file, one line at a time.

use crate::assoc::{NARROWEST, wider};
use crate::cohort::{Log, Variant};
use crate::file_error::{FileError, FileErrorKind, shown};
use crate::lines::{Lines, exactly};

/// Largest position that PLINK reads.
const LAST_POSITION: i64 = 2_147_483_646;

/// A line of a .bim file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A SNP that is used.
    Used(SnpLine<'a>),
    /// A SNP that is left out; the log has the reason.
    LeftOut,
}

/// A SNP, borrowed from its line: the survey reads all lines and stores none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SnpLine<'a> {
    chromosome: u8,
    id: &'a str,
    position: u32,
    alleles: [&'a str; 2],
}

impl SnpLine<'_> {
    pub(crate) fn variant(&self) -> Variant {
        let [a1, a2] = self.alleles.map(str::to_owned);
        Variant { chromosome: self.chromosome, id: self.id.to_owned(), position: self.position, a1, a2 }
    }
}

pub(crate) fn next<'a>(lines: &'a mut Lines, log: &mut Log) -> Result<Option<Line<'a>>, FileError> {
    const NAMES: &str = "chromosome, name, centimorgans, position, A1, A2";
    if !lines.advance_to_end()? {
        return Ok(None);
    }
    let lines = &*lines;
    let columns = exactly::<6>(lines.text());
    let [chromosome, id, _, position, a1, a2] =
        columns.map_err(|found| lines.error(FileErrorKind::Columns { found, expected: "6", names: NAMES }))?;
    let place = match position.parse::<i64>() {
        Ok(place) if place <= LAST_POSITION => place,
        _ => return Err(lines.error(FileErrorKind::Position { found: shown(position) })),
    };
    log.snps += 1;
    let Ok(position) = u32::try_from(place) else {
        log.switched_off += 1;
        return Ok(Some(Line::LeftOut));
    };
    let Some(chromosome) = log.chromosome(chromosome) else { return Ok(Some(Line::LeftOut)) };
    log.used += 1;
    Ok(Some(Line::Used(SnpLine { chromosome, id, position, alleles: [a1, a2] })))
}

/// The result of a first pass over a .bim file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Survey {
    /// Number of SNPs, used or not, by reason.
    pub(crate) log: Log,
    /// The width of PLINK's column of names.
    pub(crate) name_width: usize,
}

/// Reads a .bim file to its end, and stores only numbers.
pub(crate) fn survey(mut lines: Lines) -> Result<Survey, FileError> {
    let mut survey = Survey { name_width: NARROWEST, ..Survey::default() };
    while let Some(line) = next(&mut lines, &mut survey.log)? {
        if let Line::Used(snp) = line {
            survey.name_width = wider(survey.name_width, snp.id);
        }
    }
    if survey.log.snps == 0 {
        return Err(FileError::whole(lines.file(), FileErrorKind::Empty("SNPs")));
    }
    Ok(survey)
}
