//! Files of genotypes as flags name them.

use crate::args::gwas::Input;
use crate::error::Failure;
use deniable_genome::{Column, FileError, PhenoFile, plink};
use deniable_gwas::Files;
use std::path::Path;

/// Where the files are.
pub fn files(input: &Input) -> Result<Files, Failure> {
    let column = match (&input.pheno_name, input.mpheno) {
        (Some(name), _) => Column::Named(name.clone()),
        (None, Some(number)) => Column::Number(number.get()),
        (None, None) => Column::First,
    };
    let pheno = input.pheno.as_ref().map(|path| PhenoFile { path: path.clone(), column });
    if let Some((file, prefix)) = input.bfile.as_ref().and_then(|file| Some((file, plink::meant(file)?))) {
        return Err(not_a_prefix(file, &prefix));
    }
    match (&input.bfile, &input.vcf, pheno) {
        (Some(prefix), _, pheno) => Ok(Files::Plink { prefix: prefix.clone(), pheno }),
        (None, Some(file), Some(pheno)) => Ok(Files::Vcf { file: file.clone(), pheno }),
        (None, Some(_), None) => {
            let help = "add --pheno FILE with the columns FID, IID and 1 (control) or 2 (case)";
            Err(Failure::usage("a VCF file does not say who is a case", help))
        }
        (None, None, _) => {
            let help =
                "name a cohort with --bfile PREFIX or --vcf FILE; `deniable gwas simulate --out cohort` makes one";
            Err(Failure::usage("nothing says where the genotypes are", help))
        }
    }
}

/// One file of a PLINK fileset, where its prefix should be.
pub fn not_a_prefix(file: &Path, prefix: &Path) -> Failure {
    let message = format!("{} is one of three files; name their prefix", file.display());
    Failure::usage(message, format!("write {}", prefix.display()))
}

/// A file's fault, with the place in the message and the help below.
pub fn file_failure(error: &FileError) -> Failure {
    let place = error.line.map_or_else(String::new, |line| format!(":{line}"));
    Failure::refused(format!("{}{place}: {}", error.file.display(), error.kind), error.help())
}
