//! Published frequencies: from `deniable gwas --counts` (tab-separated) or from PLINK (`.frq`, `.assoc`).

use crate::table_error::{TableError, TableErrorKind};
use deniable_core::text::{shown, spreadsheet_cell};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Longest line, in bytes.
const LONGEST_LINE: usize = 1 << 20;

/// The group whose frequencies are read from a table that has several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// The cases (`F_A`), or all people (`MAF`) in a table without groups: the pool that a release is about.
    #[default]
    Cases,
    /// The controls (`F_U`), or all people (`MAF`): the closest to the general population that such a table has.
    Controls,
}

/// One SNP and the frequency of one of its alleles.
#[derive(Debug, Clone, PartialEq)]
pub struct Site {
    /// The name of the SNP.
    pub name: String,
    /// The allele that the frequency is of.
    pub a1: String,
    /// The other allele.
    pub a2: String,
    /// The share of `a1` among all alleles, 0 to 1.
    pub frequency: f64,
}

/// The frequencies of a table, in its order; names are unique.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Frequencies {
    /// The SNPs that have a frequency.
    pub sites: Vec<Site>,
    /// Number of SNPs without a frequency (`NA`).
    pub without: u64,
    /// Number of SNPs without a unique name: `.`, or a name that several SNPs of a genotype file share.
    pub nameless: u64,
}

/// Reads a table whose first line names its columns, separated by blanks: `SNP`, `A1`, `A2`, and `F_A` (cases) or `F_U`
/// (controls), or else `MAF`. Other columns are ignored.
///
/// # Errors
/// If the file cannot be read, a column is missing, a value is not a frequency, or a name occurs on two lines.
pub fn read(file: &Path, side: Side) -> Result<Frequencies, TableError> {
    let opened = TableError::open(file)?;
    let mut input = BufReader::new(opened);
    let mut line = Vec::new();
    let mut number = 0;
    let mut columns = None;
    let mut lines: HashMap<String, u64> = HashMap::new();
    let mut all = Frequencies::default();
    loop {
        line.clear();
        number += 1;
        let limit = LONGEST_LINE as u64 + 1;
        (&mut input).take(limit).read_until(b'\n', &mut line).map_err(|error| TableError::unreadable(file, &error))?;
        let fault = |kind| TableError::at(file, number, kind);
        if line.is_empty() {
            break;
        }
        if line.len() > LONGEST_LINE {
            return Err(fault(TableErrorKind::LongLine(LONGEST_LINE)));
        }
        let text = std::str::from_utf8(&line).map_err(|_| fault(TableErrorKind::NotText))?;
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        if words.is_empty() {
            continue;
        }
        let Some(columns) = &columns else {
            columns = Some(Columns::of(&words, side).map_err(fault)?);
            continue;
        };
        match columns.site(&words).map_err(fault)? {
            Line::Nameless => all.nameless += 1,
            Line::Without => all.without += 1,
            Line::Site(site) => {
                if let Some(first) = lines.insert(site.name.clone(), number) {
                    return Err(fault(TableErrorKind::Twice { name: shown(&site.name), first }));
                }
                all.sites.push(site);
            }
        }
    }
    if all.sites.is_empty() { Err(TableError::whole(file, TableErrorKind::Empty("frequencies"))) } else { Ok(all) }
}

struct Columns {
    all: usize,
    name: usize,
    a1: usize,
    a2: usize,
    frequency: usize,
}

enum Line {
    Site(Site),
    Without,
    Nameless,
}

impl Columns {
    fn of(header: &[&str], side: Side) -> Result<Self, TableErrorKind> {
        let place = |names: &[&str]| {
            let places: Vec<usize> = (0..header.len()).filter(|at| names.contains(&header[*at])).collect();
            match places.as_slice() {
                [place] => Ok(*place),
                [] => Err(TableErrorKind::NoColumn {
                    wanted: names.join(" or "),
                    found: header.iter().take(20).map(|name| shown(name)).collect::<Vec<_>>().join(", "),
                }),
                _ => Err(TableErrorKind::TwoColumns(names.join(" or "))),
            }
        };
        let frequency: &[&str] = match side {
            Side::Cases => &["F_A", "MAF"],
            Side::Controls => &["F_U", "MAF"],
        };
        Ok(Self {
            all: header.len(),
            name: place(&["SNP"])?,
            a1: place(&["A1"])?,
            a2: place(&["A2"])?,
            frequency: place(frequency)?,
        })
    }

    fn site(&self, words: &[&str]) -> Result<Line, TableErrorKind> {
        if words.len() != self.all {
            return Err(TableErrorKind::Values { found: words.len(), expected: self.all });
        }
        // Our tables have an apostrophe before cells that a spreadsheet would evaluate.
        let word = |place: usize| {
            let word = words.get(place).copied().unwrap_or_default();
            word.strip_prefix('\'').filter(|bare| spreadsheet_cell(bare) == word).unwrap_or(word)
        };
        let (name, written) = (word(self.name), word(self.frequency));
        let frequency = match written {
            "NA" | "nan" => return Ok(Line::Without),
            _ => written.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share)),
        };
        let frequency = frequency.ok_or_else(|| TableErrorKind::Frequency(shown(written)))?;
        if name == "." {
            return Ok(Line::Nameless);
        }
        Ok(Line::Site(Site {
            name: name.to_owned(),
            a1: word(self.a1).to_owned(),
            a2: word(self.a2).to_owned(),
            frequency,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, side: Side) -> Result<Frequencies, TableError> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t");
        std::fs::write(&file, text).unwrap();
        read(&file, side)
    }

    fn shares(all: &Frequencies) -> Vec<(&str, &str, f64)> {
        all.sites.iter().map(|site| (site.name.as_str(), site.a1.as_str(), site.frequency)).collect()
    }

    #[test]
    fn tables_of_plink_and_of_deniable_are_read() {
        let frq = " CHR  SNP   A1   A2          MAF  NCHROBS\n   1  rs1    A    G       0.2554      200\n   1  rs2    0    G           NA        0\n";
        let all = of(frq, Side::Cases).unwrap();
        assert_eq!((shares(&all), all.without), (vec![("rs1", "A", 0.2554)], 1));
        let assoc = " CHR SNP BP A1 F_A F_U A2 CHISQ P OR \n 1 rs1 10 A 0.5 0.25 G 3.1 0.07 NA \n 1 . 11 A 0.5 0.25 G 3.1 0.07 NA \n";
        assert_eq!(shares(&of(assoc, Side::Cases).unwrap()), [("rs1", "A", 0.5)]);
        let guarded = of("SNP A1 A2 MAF\n'=rs1 - '-AT 0.5\n'rs2 A G 0.5\n", Side::Cases).unwrap();
        let names: Vec<&str> = guarded.sites.iter().flat_map(|site| [&*site.name, &*site.a1, &*site.a2]).collect();
        assert_eq!(names, ["=rs1", "-", "-AT", "'rs2", "A", "G"]);
        let controls = of(assoc, Side::Controls).unwrap();
        assert_eq!((shares(&controls), controls.nameless), (vec![("rs1", "A", 0.25)], 1));
        let ours = "CHR\tSNP\tBP\tA1\tA2\tC_A\tC_A_LOW\tC_A_HIGH\tF_A\tF_A_LOW\tF_A_HIGH\tADJACENCY\n1\trs1\t5\tA\tG\t3\t0\t9\t0.0150\t0.0000\t0.0450\tgenotype\n";
        assert_eq!(shares(&of(ours, Side::Cases).unwrap()), [("rs1", "A", 0.015)]);
    }

    #[test]
    fn errors_name_the_line() {
        let complaint = |text: &str, side| of(text, side).map_err(|error| (error.line, error.kind)).unwrap_err();
        let header = "SNP A1 A2 MAF\n";
        for (lines, line, kind) in [
            ("rs1 A G 1.5\n", Some(2), TableErrorKind::Frequency("1.5".to_owned())),
            ("rs1 A G 0.5\n\nrs2 A G NaN\n", Some(4), TableErrorKind::Frequency("NaN".to_owned())),
            ("rs1 A G\n", Some(2), TableErrorKind::Values { found: 3, expected: 4 }),
            ("rs1 A G 0.5\nrs1 A G 0.5\n", Some(3), TableErrorKind::Twice { name: "rs1".to_owned(), first: 2 }),
            ("", None, TableErrorKind::Empty("frequencies")),
        ] {
            assert_eq!(complaint(&(header.to_owned() + lines), Side::Cases), (line, kind));
        }
        let found = "SNP, A1, A2, F_A".to_owned();
        let wanted = "F_U or MAF".to_owned();
        assert_eq!(complaint("SNP A1 A2 F_A\n", Side::Controls), (Some(1), TableErrorKind::NoColumn { wanted, found }));
        let two = complaint("SNP A1 A2 MAF F_A\n", Side::Cases);
        assert_eq!(two, (Some(1), TableErrorKind::TwoColumns("F_A or MAF".to_owned())));
    }
}
