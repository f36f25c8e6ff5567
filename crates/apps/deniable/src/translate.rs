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
pub use deniable_translate::render::{ChanceReport, TranslationReport};
pub use deniable_translate::statement::{Statement, Target};
pub use deniable_translate::translation::{Direction, Translation};

use deniable_core::adversary::PriorRange;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::exact::parse_rational;
use deniable_core::loss::Chance;
use deniable_core::notion::parse::{ParseError, Text};
use deniable_core::text::nearest;
use deniable_translate::chance::{self, BOUNDS, TooLarge, is_about_a_chance};
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
    /// The chance but for which bounds are stated, for [`but_for_a_chance`]: 1/1000000 by default.
    pub chance: Option<String>,
}

impl Options {
    /// Options that translate a promise, or the promises of several releases, to all notions.
    pub fn new<'a>(from: impl IntoIterator<Item = &'a str>) -> Self {
        let from: Vec<String> = from.into_iter().map(str::to_owned).collect();
        Self { compose: from.len() > 1, from, ..Self::default() }
    }

    /// Whether [`but_for_a_chance`] answers: a chance is stated, or a promise holds but for a chance, as (ε,δ) does.
    #[must_use]
    pub fn is_about_a_chance(&self) -> bool {
        self.chance.is_some() || self.from.iter().any(|text| is_about_a_chance(text))
    }
}

/// A translation that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.words(Surface::Library).1)]
#[non_exhaustive]
pub enum Error {
    /// A promise, a notion or a range of priors that cannot be parsed.
    Parse {
        /// The option: `from`, `to`, `prior` or `chance`.
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
    /// Releases that protect nobody.
    TooLarge(#[from] TooLarge),
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

/// What follows from promises that hold but for a chance, and from others but for a chance: `epsilon=1,delta=1/1000000`,
/// `zcdp=1/2`, `gaussian=1`, `odds=3,chance=1/1000`, or `100xodds=101/100` for a hundred releases (B-7, B-8, C-11, C-12).
///
/// ```
/// use deniable::translate::{Options, but_for_a_chance};
///
/// let report = but_for_a_chance(&Options { prior: Some("1/10".into()), ..Options::new(["zcdp=1/2"]) })?;
/// assert_eq!(report.rows[2].notion, "posterior-at-most,chance=1/1000000@1/10..1/10");
/// assert_eq!(report.rows[2].decimal, "0.972329");
/// # Ok::<(), deniable::translate::Error>(())
/// ```
///
/// # Errors
/// When a text cannot be parsed, or the releases together protect nobody.
pub fn but_for_a_chance(options: &Options) -> Result<ChanceReport, Error> {
    let wrong = |option: &'static str| move |error| Error::Parse { option, error };
    let priors = options.prior.as_deref().map_or_else(|| Ok(PriorRange::any()), str::parse).map_err(wrong("prior"))?;
    let releases = options.from.iter().map(|text| chance::parse(text)).collect::<Result<Vec<_>, _>>();
    let releases = releases.map_err(wrong("from"))?;
    if releases.is_empty() || (releases.len() > 1 && !options.compose) {
        return Err(Error::Several);
    }
    let text = options.chance.as_deref().unwrap_or("1/1000000");
    let no_chance = |problem: String| Error::Parse {
        option: "chance",
        error: Text(text).error(text, problem, "write a number between 0 and 1, such as `1/1000000`"),
    };
    let stated = parse_rational(text).map_err(|error| no_chance(error.to_string()))?;
    let stated = Chance::new(stated).map_err(|error| no_chance(error.to_string()))?;
    let targets: Vec<&str> = options.to.iter().flat_map(|text| text.split(',')).map(str::trim).collect();
    if let Some(other) = targets.iter().find(|target| !BOUNDS.contains(target)) {
        let hint = match nearest(other, &BOUNDS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the bounds but for a chance are {}", BOUNDS.join(", ")),
        };
        return Err(wrong("to")(Text(other).error(other, "not a bound but for a chance", hint)));
    }
    let mut rows = chance::follows(&releases, &stated, &priors)?;
    let name = |notion: &str| notion.split([',', '@']).next().unwrap_or_default().to_owned();
    rows.retain(|row| targets.is_empty() || targets.contains(&name(&row.notion).as_str()));
    Ok(ChanceReport::new(rows))
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
            Self::TooLarge(error) => (Code::Other, error.to_string(), "state smaller or fewer releases".to_owned()),
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
