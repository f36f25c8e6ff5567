//! Names of option values on the command line and in Python.

use super::error::{Error, OptionError};
use super::options::PickBy;
use deniable_genome::{Fill, Test};
use deniable_gwas::Protects;

fn unknown<T>(name: &'static str, word: &str, known: &'static [&'static str]) -> Result<T, Error> {
    Err(OptionError::Word { name, word: deniable_core::text::shown(word), known }.into())
}

/// Parses the protected secrets: `genotype`, `label-swap`, or `genotype,label-swap`.
///
/// # Errors
/// When the text contains another word.
pub fn protects(text: &str) -> Result<Protects, Error> {
    let (mut genotype, mut label) = (false, false);
    for word in text.split(',').map(str::trim) {
        match word {
            "genotype" => genotype = true,
            "label-swap" => label = true,
            other => return unknown("adjacency", other, &["genotype", "label-swap", "genotype,label-swap"]),
        }
    }
    Ok(match (genotype, label) {
        (true, true) => Protects::Both,
        (true, false) => Protects::Genotype,
        (false, _) => Protects::LabelSwap,
    })
}

/// Parses a score: `distance`, `chi2` or `noisy`.
///
/// # Errors
/// When the text is not one of these.
pub fn pick_by(word: &str) -> Result<PickBy, Error> {
    match word {
        "distance" => Ok(PickBy::Distance),
        "chi2" => Ok(PickBy::ChiSquare),
        "noisy" => Ok(PickBy::Noisy),
        other => unknown("score", other, &["distance", "chi2", "noisy"]),
    }
}

/// Parses a test: `allelic` or `genotypic`.
///
/// # Errors
/// When the text is not one of these.
pub fn test(word: &str) -> Result<Test, Error> {
    match word {
        "allelic" => Ok(Test::Allelic),
        "genotypic" => Ok(Test::Genotypic),
        other => unknown("test", other, &["allelic", "genotypic"]),
    }
}

/// Parses the genotype that a missing call counts as: `hom-a2`, `het` or `hom-a1`.
///
/// # Errors
/// When the text is not one of these.
pub fn fill(word: &str) -> Result<Fill, Error> {
    match word {
        "hom-a2" => Ok(Fill::HomozygousA2),
        "het" => Ok(Fill::Heterozygous),
        "hom-a1" => Ok(Fill::HomozygousA1),
        other => unknown("fill", other, &["hom-a2", "het", "hom-a1"]),
    }
}
