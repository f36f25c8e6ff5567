//! One privacy promise in the terms of others, with the proof or a counterexample (`docs/notions`).
//!
//! ```
//! use deniable::translate::{Options, translate};
//!
//! let options = Options { to: vec!["posterior".into()], prior: Some("1/2".into()), ..Options::new(["odds=3"]) };
//! let report = translate(&options)?;
//! assert_eq!(report.translations[0].statement().map(|statement| statement.to_string()), Some("posterior-at-most=3/4@1/2..1/2".into()));
//! println!("{report}");
//! # Ok::<(), deniable::translate::Error>(())
//! ```

pub use deniable_translate::bounds::Value;
pub use deniable_translate::render::TranslationReport;
pub use deniable_translate::statement::{Statement, Target};
pub use deniable_translate::translation::{Direction, Translation};

use deniable_core::adversary::PriorRange;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::notion::parse::ParseError;
use deniable_translate::compose::{self, ComposeError, ComposeTranslateError};
use deniable_translate::parse;
use deniable_translate::translation;

/// A promise, and the notions to translate it to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The promise, as `gain=3/2`, `epsilon=1` or `rho=1/2:100`; for several releases, the promise of each.
    pub from: Vec<String>,
    /// The notions, as `epsilon` or `rho:100`; all of them by default.
    pub to: Vec<String>,
    /// The range of uncertain priors, as `1/5..4/5`; any by default.
    pub prior: Option<String>,
    /// Whether the promises are of several releases about the same people, which are composed.
    pub compose: bool,
}

impl Options {
    /// Options that translate a promise, or the promises of several releases, to all notions.
    pub fn new<'a>(from: impl IntoIterator<Item = &'a str>) -> Self {
        let from: Vec<String> = from.into_iter().map(str::to_owned).collect();
        Self { compose: from.len() > 1, from, ..Self::default() }
    }
}

/// A translation that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.words(Surface::Library).1)]
#[non_exhaustive]
pub enum Error {
    /// A promise, a notion or a range of priors that cannot be parsed.
    Parse {
        /// The option: `from`, `to` or `prior`.
        option: &'static str,
        /// The error.
        error: ParseError,
    },
    /// Several promises without `compose`, or none.
    Several,
    /// The promises do not compose.
    Compose(ComposeError),
    /// The promise cannot be made.
    Translate(#[from] ComposeTranslateError),
}

/// Translates a promise, or the total of several releases.
///
/// # Errors
/// When a text cannot be parsed, the promises do not compose, or cannot be made to observers with these priors.
pub fn translate(options: &Options) -> Result<TranslationReport, Error> {
    let wrong = |option: &'static str| move |error| Error::Parse { option, error };
    let priors = options.prior.as_deref().map_or_else(|| Ok(PriorRange::any()), str::parse).map_err(wrong("prior"))?;
    let releases = options.from.iter().map(|text| parse::statement(text, &priors));
    let releases: Vec<Statement> = releases.collect::<Result<_, _>>().map_err(wrong("from"))?;
    let from = match (options.compose, releases.as_slice()) {
        (false, [one]) => one.clone(),
        (false, _) => return Err(Error::Several),
        (true, all) => compose::compose(all).map_err(Error::Compose)?,
    };
    let all = parse::targets();
    let targets: Vec<&str> =
        if options.to.is_empty() { all } else { options.to.iter().flat_map(|text| text.split(',')).collect() };
    let mut translations = Vec::new();
    for text in targets {
        let target = parse::target(text, &priors).map_err(wrong("to"))?;
        translations.extend(if options.compose {
            compose::translate(&releases, &target)?
        } else {
            translation::translate(&from, &target).map_err(ComposeTranslateError::from)?
        });
    }
    Ok(TranslationReport::new(from, translations))
}

impl Error {
    fn words(&self, surface: Surface) -> (Code, String, String) {
        let help = "`deniable translate --help` has examples; `deniable explain` lists the notions".to_owned();
        match self {
            Self::Parse { option, error } => {
                let help =
                    if *option == "prior" { format!("write {}", surface.set("prior", "1/5..4/5")) } else { help };
                (Code::Usage, format!("{} {error}", name(surface, option)), help)
            }
            Self::Several => {
                let help = format!("add {} to translate all of them together", surface.switch("compose"));
                (Code::Usage, format!("{} must be one promise", name(surface, "from")), help)
            }
            Self::Compose(error) => {
                let help = "odds compose (C-1): state each release by its odds or epsilon".to_owned();
                (Code::Other, error.to_string(), help)
            }
            Self::Translate(error) => (Code::Other, error.to_string(), help),
        }
    }
}

/// Python's `statement` is not a keyword argument.
fn name(surface: Surface, option: &str) -> String {
    match (surface, option) {
        (Surface::Python, "from") => "the statement".to_owned(),
        _ => surface.option(option),
    }
}

impl Diagnose for Error {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let (code, message, help) = self.words(surface);
        vec![Diagnostic::new(code, message).with_help(help)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_options_as_each_surface_has_them() {
        let options = |from: &[&str], to: &str, prior: Option<&str>| Options {
            to: vec![to.to_owned()],
            prior: prior.map(str::to_owned),
            compose: false,
            ..Options::new(from.iter().copied())
        };
        for (options, command, python) in [
            (options(&["gian=2"], "odds", None), "--from", "the statement"),
            (options(&["odds=3", "odds=2"], "odds", None), "--from", "the statement"),
            (options(&["odds=3"], "epsilonn", None), "--to", "to="),
            (options(&["odds=3"], "gain", Some("3..4")), "--prior", "prior="),
        ] {
            let error = translate(&options).unwrap_err();
            for (surface, name) in [(Surface::Command, command), (Surface::Python, python)] {
                let all = error.diagnostics(surface);
                assert!(all[0].code == Code::Usage && all[0].message().contains(name), "{all:?}");
                assert!(surface == Surface::Command || !all[0].message().contains("--"), "{all:?}");
            }
        }
    }
}
