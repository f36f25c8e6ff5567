//! The curator's own view: true values, as PLINK computes them. It must never be published.

use crate::cohort::Files;
use deniable_core::text::spreadsheet_cell;
use deniable_genome::assoc::{AssocRow, Model, ModelRow, Order};
use deniable_genome::{FileError, Fingerprint, Snp, Test};
use std::fmt::Write;
use std::num::NonZeroUsize;

/// The first and last line of the view.
const MARK: &str = "# NOT FOR PUBLICATION: these are exact values, which reveal who took part.";

/// One SNP with its statistic.
struct Line {
    chi2: f64,
    text: String,
}

/// The SNPs of largest χ², in descending order, with PLINK's treatment of missing calls and minor alleles;
/// tab-separated, between lines that mark it as not for publication.
///
/// # Errors
/// If a file cannot be read, or contradicts the others.
pub fn view(
    files: &Files,
    test: Test,
    most: usize,
    threads: NonZeroUsize,
    tell: &dyn Fn(u64),
) -> Result<String, FileError> {
    let mut best: Vec<Line> = Vec::new();
    let (mut read, mut without) = (0_u64, 0_u64);
    // The key does not matter: the fingerprint is discarded.
    let log = files.open()?.scan(&mut Fingerprint::new([0; 32]), threads, &mut |snp| {
        read += 1;
        if read.is_multiple_of(4096) {
            tell(read);
        }
        let Some(line) = line(snp, test) else {
            without += 1;
            return;
        };
        let place = best.partition_point(|known| known.chi2 >= line.chi2);
        if place < most {
            best.insert(place, line);
            best.truncate(most);
        }
    })?;
    let values = match test {
        Test::Allelic => "F_A\tF_U\tCHISQ\tP\tOR",
        Test::Genotypic => "AFF\tUNAFF\tCHISQ\tDF\tP",
    };
    let mut text = format!("{MARK}\n");
    for line in log.to_string().lines() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "# {line}");
    }
    let _ = writeln!(text, "# A1 is the rarer allele, as in PLINK; releases keep the order of the files");
    if without > 0 {
        let _ = writeln!(text, "# {without} SNPs have no χ² because of missing counts (PLINK's NA), and are left out");
    }
    let _ = writeln!(text, "CHR\tSNP\tBP\tA1\tA2\t{values}\tMISSING");
    for line in &best {
        let _ = writeln!(text, "{}", line.text);
    }
    let _ = writeln!(text, "{MARK}");
    Ok(text)
}

fn line(snp: Snp, test: Test) -> Option<Line> {
    let snp = Order::MinorFirst.of(snp);
    let missing = snp.counts.missing.cases + snp.counts.missing.controls;
    let shown = |value: Option<f64>| value.map_or_else(|| "NA".to_owned(), |value| format!("{value:.6}"));
    let p = |p: Option<f64>| p.map_or_else(|| "NA".to_owned(), |p| format!("{p:.4e}"));
    let name = {
        let variant = &snp.variant;
        let [id, a1, a2] = [&variant.id, &variant.a1, &variant.a2].map(|name| spreadsheet_cell(name));
        format!("{}\t{id}\t{}\t{a1}\t{a2}", variant.chromosome, variant.position)
    };
    match test {
        Test::Allelic => {
            let row = AssocRow::of(snp);
            let [a, u, odds] = [row.case_frequency, row.control_frequency, row.odds_ratio].map(shown);
            let chi2 = row.chi2?;
            Some(Line { chi2, text: format!("{name}\t{a}\t{u}\t{chi2:.4}\t{}\t{odds}\t{missing}", p(row.p)) })
        }
        Test::Genotypic => {
            let row = ModelRow::of(Model::Geno, &snp.counts.table);
            let counts = |counts: &[u64]| counts.iter().map(ToString::to_string).collect::<Vec<_>>().join("/");
            let (cases, controls, chi2) = (counts(&row.cases), counts(&row.controls), row.chi2?);
            let text = format!("{name}\t{cases}\t{controls}\t{chi2:.4}\t{}\t{}\t{missing}", row.freedom, p(row.p));
            Some(Line { chi2, text })
        }
    }
}
