//! Tables as counts of their distinct rows, through the engine that answers SQL.

use crate::args::assess::{Assess, Empty};
use crate::commands::delimiter;
use crate::error::{Complaint, Failure};
use crate::progress::Progress;
use deniable_assess::Counts;
use deniable_sql::Resources;
use deniable_sql::source::groups::{self, Layout, groups};
use std::path::Path;

/// Reads the tables of one run.
pub struct Reader<'a> {
    quasi: &'a [String],
    empty: Empty,
    layout: Layout,
    resources: Resources,
    progress: &'a Progress,
}

impl<'a> Reader<'a> {
    /// With the flags of a run.
    pub fn new(args: &Assess, quasi: &'a [String], progress: &'a Progress) -> Result<Self, Failure> {
        let names = args.columns.iter().map(|name| name.trim().to_owned()).collect::<Vec<_>>();
        let names = (!names.is_empty()).then_some(names);
        let layout = Layout { delimiter: args.delimiter.map(delimiter).transpose()?, names };
        Ok(Self { quasi, empty: args.empty, layout, resources: args.limits.resources(), progress })
    }

    /// The published table: all columns must be there.
    pub fn published(&self, file: &Path, sensitive: &[String]) -> Result<Counts, Failure> {
        let columns: Vec<String> = self.quasi.iter().chain(sensitive).cloned().collect();
        self.read(file, &columns, self.empty == Empty::Suppressed)
    }

    /// A table of raw values: all columns that may be known, and the sensitive ones that it has.
    pub fn raw(&self, file: &Path, sensitive: &[String]) -> Result<Counts, Failure> {
        let there = groups::names(file, &self.layout)?;
        let known = sensitive.iter().filter(|name| there.contains(name));
        self.read(file, &self.quasi.iter().chain(known).cloned().collect::<Vec<_>>(), false)
    }

    /// A table of raw values: the columns that may be known, as far as it has them.
    pub fn some(&self, file: &Path) -> Result<Counts, Failure> {
        let there = groups::names(file, &self.layout)?;
        let known: Vec<String> = self.quasi.iter().filter(|name| there.contains(name)).cloned().collect();
        if known.is_empty() {
            let help = format!("it has {}; name the columns as in the published table", there.join(", "));
            return Err(Failure::refused(format!("{} has no column of --quasi", file.display()), help));
        }
        self.read(file, &known, false)
    }

    fn read(&self, file: &Path, columns: &[String], may_be_suppressed: bool) -> Result<Counts, Failure> {
        let of_library = |error: deniable_assess::AssessError| super::failure(error);
        let mut counts = Counts::new(columns).map_err(of_library)?;
        let source = groups::open(file, columns, &self.layout)?;
        let what = format!("reading {}", file.display());
        let mut empty = vec![0_u64; columns.len()];
        let mut failed = None;
        let mut row_codes = vec![0; columns.len()];
        groups(&source, &self.resources, &|read| self.progress.read(&what, read), &mut |rows| {
            for row in 0..rows.len() {
                let times = rows.times(row);
                for (at, code) in row_codes.iter_mut().enumerate() {
                    let is_quasi = at < self.quasi.len();
                    let value = rows.value(row, at).unwrap_or_else(|| {
                        let means_something = match self.empty {
                            Empty::Value => true,
                            Empty::Suppressed => may_be_suppressed && is_quasi,
                            Empty::Refuse => false,
                        };
                        if !means_something {
                            empty[at] += times;
                        }
                        if self.empty == Empty::Suppressed { "*" } else { "" }
                    });
                    match counts.intern(at, value) {
                        Ok(interned) => *code = interned,
                        Err(error) => failed = Some(error),
                    }
                }
                if let Err(error) = counts.push_codes(&row_codes, times) {
                    failed = Some(error);
                }
            }
        })?;
        let unknown: Vec<String> = columns
            .iter()
            .zip(&empty)
            .filter(|(_, count)| **count > 0)
            .map(|(name, count)| format!("`{name}` in {count} rows"))
            .collect();
        if !unknown.is_empty() {
            let help = match may_be_suppressed {
                true => {
                    "a sensitive value cannot be suppressed: fill it, leave the rows out, or take emptiness as a value with --empty value"
                }
                false if self.empty == Empty::Suppressed => {
                    "raw values cannot be suppressed: fill them, or leave the rows out"
                }
                false => {
                    "say what that means: --empty suppressed if it stands for *, --empty value if it is a value like any other"
                }
            };
            let message = format!("{} has empty cells: {}", file.display(), unknown.join(", "));
            return Err(Failure::Refused(vec![Complaint::new(message).help(help)]));
        }
        match failed {
            Some(error) => Err(of_library(error)),
            None => Ok(counts),
        }
    }
}
