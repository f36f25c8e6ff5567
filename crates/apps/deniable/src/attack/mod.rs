//! Attacks of known adversaries on a release: membership inference ([`membership`]) and linkage ([`linkage`],
//! [`ratings()`]).
//!
//! Attacks charge no ledger. An unsuccessful attack shows only that this attack fails. Measurements on people whose
//! truth is known are for the curator. Reports are typed: JSON by `Serialize`, text by `Display`, pages by
//! [`linkage_page`] and [`membership_page`].
//!
//! ```
//! use deniable::attack::{LinkageOptions, linkage};
//!
//! # let folder = tempfile::tempdir()?;
//! # let (released, register) = (folder.path().join("released.csv"), folder.path().join("register.csv"));
//! std::fs::write(&released, "id,zip,diagnosis\n1,02138,flu\n2,02139,gout\n")?;
//! std::fs::write(&register, "id,name,zip\n1,Ann,02138\n9,Bob,02139\n")?;
//! let options = LinkageOptions {
//!     released,
//!     auxiliary: register,
//!     on: vec!["zip".to_owned()],
//!     truth: Some("id".to_owned()),
//!     ..LinkageOptions::default()
//! };
//! let found = linkage(&options, &|_| {})?;
//! assert_eq!(found.targets.unique.hits, 1); // Ann, correctly; Bob is not in the data, and matched all the same:
//! assert_eq!(found.outside.map(|outside| outside.unique.hits), Some(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod membership;
mod promised;

pub use deniable_attack::ratings::{Columns, Settings};
pub use deniable_attack::report::{LinkageReport, MembershipReport, Promised, Share, Warning};
pub use deniable_attack::{Side, Test};
pub use deniable_report::attack::{linkage as linkage_page, membership as membership_page};
pub use error::Error;
pub use membership::{MembershipOptions, Others, membership};

use deniable_attack::Method;
use deniable_attack::linkage::{JoinColumns, TextTable, link};
use deniable_attack::ratings::{self, Records};
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::ToPrimitive;
use std::path::{Path, PathBuf};

/// A published table without names, joined with a register on common columns.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkageOptions {
    /// The published table: CSV, or tab-separated as `.tsv`.
    pub released: PathBuf,
    /// The register: people with names.
    pub auxiliary: PathBuf,
    /// The columns to join on.
    pub on: Vec<String>,
    /// A column of both tables that identifies people: it shows which matches are right, and people without a row are
    /// the baseline.
    pub truth: Option<String>,
    /// Further people who are known not to be in the data.
    pub outsiders: Option<PathBuf>,
    /// The coverage of intervals, from 1/2 to less than 1.
    pub confidence: Rational,
}

/// Published records, matched with a few known items of people.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingsOptions {
    /// The published ratings, one line per item of each record: CSV, or tab-separated as `.tsv`.
    pub released: PathBuf,
    /// Known ratings of people, with the same columns.
    pub auxiliary: PathBuf,
    /// The columns of both tables.
    pub columns: Columns,
    /// Whether records and people have the same names: this shows which matches are right, and people without a record
    /// are the baseline.
    pub same_names: bool,
    /// Further people who are known not to be in the data.
    pub outsiders: Option<PathBuf>,
    /// The criteria of a match.
    pub settings: Settings,
    /// The coverage of intervals, from 1/2 to less than 1.
    pub confidence: Rational,
}

/// Without files and columns, at 95%.
impl Default for LinkageOptions {
    fn default() -> Self {
        Self {
            released: PathBuf::new(),
            auxiliary: PathBuf::new(),
            on: Vec::new(),
            truth: None,
            outsiders: None,
            confidence: default_confidence(),
        }
    }
}

/// 95%.
#[must_use]
pub fn default_confidence() -> Rational {
    ratio(19, 20)
}

/// The coverage of intervals as a float, since it is measured, not promised.
fn coverage(confidence: &Rational) -> Result<f64, Error> {
    if *confidence < ratio(1, 2) || *confidence >= whole(1) {
        return Err(Error::Confidence(confidence.clone()));
    }
    Ok(confidence.to_f64().unwrap_or(0.95))
}

/// Joins a published table with a register. `progress` is called with each step.
///
/// # Errors
/// When options are invalid, or tables cannot be read or lack a column.
pub fn linkage(options: &LinkageOptions, progress: &dyn Fn(&str)) -> Result<LinkageReport, Error> {
    let confidence = coverage(&options.confidence)?;
    let columns: Vec<String> = options.on.iter().map(|name| name.trim().to_owned()).collect();
    if columns.is_empty() {
        return Err(Error::NoColumn);
    }
    if let Some((_, twice)) = columns.iter().enumerate().find(|(at, name)| columns[..*at].contains(name)) {
        return Err(Error::Twice(twice.clone()));
    }
    if options.truth.as_ref().is_some_and(|truth| columns.contains(truth)) {
        return Err(Error::TruthIsKnown);
    }
    let released = read(&options.released, progress)?;
    let auxiliary = read(&options.auxiliary, progress)?;
    let outsiders = options.outsiders.as_deref().map(|file| read(file, progress)).transpose()?;
    let on = JoinColumns { columns: columns.clone(), truth: options.truth.clone() };
    let found = link(&released, &auxiliary, outsiders.as_ref(), &on)?;
    let files = files(&options.released, &options.auxiliary, options.outsiders.as_deref());
    Ok(LinkageReport::new(&found, released.rows.len(), Method::Columns(columns), confidence, files))
}

/// Matches known ratings of people with published records. `progress` is called with each step.
///
/// # Errors
/// When options are invalid, or tables cannot be read, lack a column, or contain malformed numbers or dates.
pub fn ratings(options: &RatingsOptions, progress: &dyn Fn(&str)) -> Result<LinkageReport, Error> {
    let confidence = coverage(&options.confidence)?;
    let settings = options.settings;
    let is_finite = settings.rating.is_finite() && settings.eccentricity.is_finite();
    if !is_finite || settings.rating < 0.0 || settings.eccentricity <= 0.0 {
        return Err(Error::Tolerance);
    }
    let records = |file: &Path| Ok::<_, Error>(Records::of(&read(file, progress)?, &options.columns)?);
    let (released, auxiliary) = (records(&options.released)?, records(&options.auxiliary)?);
    let outsiders = options.outsiders.as_deref().map(records).transpose()?;
    progress("comparing everybody with every record");
    let found = ratings::link(&released, &auxiliary, outsiders.as_ref(), options.same_names, &settings);
    let method = Method::Ratings { item: options.columns.item.clone(), settings };
    let files = files(&options.released, &options.auxiliary, options.outsiders.as_deref());
    Ok(LinkageReport::new(&found, released.each.len(), method, confidence, files))
}

fn read(file: &Path, progress: &dyn Fn(&str)) -> Result<TextTable, Error> {
    progress(&format!("reading {}", file.display()));
    Ok(TextTable::read(file)?)
}

/// The files read, each with a description, for reports.
fn files(released: &Path, auxiliary: &Path, outsiders: Option<&Path>) -> Vec<(&'static str, String)> {
    let named = [
        ("released", Some(released)),
        ("people who are looked for", Some(auxiliary)),
        ("people not in the data", outsiders),
    ];
    named.into_iter().filter_map(|(what, path)| Some((what, path?.display().to_string()))).collect()
}
