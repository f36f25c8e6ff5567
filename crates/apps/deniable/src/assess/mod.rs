//! Disclosure by an anonymised table: k, l, t, risks, beliefs, presence, linkage, and requirements on them, computed
//! exactly.
//!
//! Assessments charge no ledger and make no promise. [`assess`] reads the tables, files or rows in memory, and returns
//! an [`Assessment`]: typed numbers, JSON by `Serialize`, text by `Display`, and a page by [`page`].
//!
//! ```
//! use deniable::assess::{Options, assess};
//!
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("published.csv");
//! std::fs::write(&file, "age,disease\n30-39,flu\n30-39,asthma\n40-49,flu\n40-49,flu\n")?;
//! let options = Options {
//!     quasi: vec!["age".to_owned()],
//!     sensitive: vec!["disease".to_owned()],
//!     require: Some("k=2,l=2".to_owned()),
//!     ..Options::of_table(file)
//! };
//! let found = assess(&options, &|_| {})?;
//! assert_eq!(found.sizes.smallest.value, 2);
//! assert!(found.verdicts[0].met && !found.holds()); // 2-anonymous, and yet both in their forties have the flu
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod columns;
mod error;
mod read;

pub use deniable_assess::{AssessError, Assessment, TableRole, Warning};
pub use deniable_data::{Progress, Resources};
pub use deniable_report::assessment::assessment as page;
pub use error::{Error, OptionError};

use arrow_array::RecordBatch;
use columns::{distances, hierarchies, priors};
use deniable_assess::assessment::default_threshold;
use deniable_assess::{Input, Quasi, Reading, Requirement, SensitiveColumn};
use deniable_core::exact::{Rational, whole};
use read::Reader;
use std::path::PathBuf;

/// A table: a file of CSV, plain or compressed, or Parquet; or rows in memory.
#[derive(Debug, Clone, PartialEq)]
pub enum Table {
    /// A file, by its path.
    File(PathBuf),
    /// Rows, and the name that the report and errors use.
    Memory {
        /// The name.
        name: String,
        /// The rows; all batches have the schema of the first.
        rows: Vec<RecordBatch>,
    },
}

impl Table {
    /// The path or the name.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Memory { name, .. } => name.clone(),
        }
    }
}

impl From<PathBuf> for Table {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

/// The meaning of an empty cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EmptyCells {
    /// Empty cells are an error, with their number.
    #[default]
    Refuse,
    /// Suppressed: it covers all values, as `*` does. Not for sensitive columns, and not in tables of raw values.
    Suppressed,
    /// A separate value, the empty text.
    Value,
}

/// The quoting of fields of CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quote {
    /// With `"`, doubled within a field.
    #[default]
    Double,
    /// Without quoting: a quote is an ordinary character.
    None,
}

/// The tables to assess, and the options of reading them.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The table that was or will be published.
    pub table: Table,
    /// The columns by which a person could be recognised; at least one.
    pub quasi: Vec<String>,
    /// The secret columns; each is assessed alone.
    pub sensitive: Vec<String>,
    /// People who could be in the table, with raw values.
    pub background: Option<Table>,
    /// The table from which the published one was made, with raw values.
    pub original: Option<Table>,
    /// The people whom an attacker looks for, with raw values of some of the columns.
    pub auxiliary: Option<Table>,
    /// Columns with the files of their hierarchies: lines of `value;wider;...;widest`.
    pub hierarchy: Vec<(String, PathBuf)>,
    /// Sensitive columns with the distance between their values: `equal`, `ordered`, `ordered:low|mid|high` or `hierarchy`.
    pub distance: Vec<(String, String)>,
    /// Columns whose cells are taken literally, so that `*` is an ordinary value.
    pub literal: Vec<String>,
    /// The meaning of an empty cell.
    pub empty: EmptyCells,
    /// Texts that mean an empty cell, such as `NA`.
    pub nulls: Vec<String>,
    /// The delimiter of CSV, an ASCII character; by default from the file's extension.
    pub delimiter: Option<u8>,
    /// The names of all columns of CSV, if the first line is already a row.
    pub columns: Option<Vec<String>>,
    /// The encoding of CSV, by its name in the WHATWG standard; by default UTF-8.
    pub encoding: Option<String>,
    /// The quoting of fields of CSV.
    pub quote: Quote,
    /// Accepted quirks of CSV, by name: `csv:line-ends`.
    pub accept: Vec<String>,
    /// Prior beliefs about the presence of each person of the background: `1/2` or `1/10..1/2`; by default `1/2`.
    pub prior: Option<String>,
    /// The probability of re-identification above which a person counts as at risk, from 0 to 1.
    pub threshold: Rational,
    /// The `l` for which recursive (c,l)-diversity is reported, each from 2 to 1000.
    pub recursive: Vec<u32>,
    /// Requirements on the table: `k=5,l=2,epsilon-bop=1`.
    pub require: Option<String>,
    /// The resources for reading.
    pub resources: Resources,
}

impl Options {
    /// A table alone, without columns: threshold 1/5, `l` = 2, and otherwise the defaults.
    pub fn of_table(table: impl Into<Table>) -> Self {
        Self {
            table: table.into(),
            quasi: Vec::new(),
            sensitive: Vec::new(),
            background: None,
            original: None,
            auxiliary: None,
            hierarchy: Vec::new(),
            distance: Vec::new(),
            literal: Vec::new(),
            empty: EmptyCells::Refuse,
            nulls: Vec::new(),
            delimiter: None,
            columns: None,
            encoding: None,
            quote: Quote::Double,
            accept: Vec::new(),
            prior: None,
            threshold: default_threshold(),
            recursive: vec![2],
            require: None,
            resources: Resources::default(),
        }
    }

    /// All tables.
    pub fn tables(&self) -> impl Iterator<Item = (TableRole, &Table)> {
        let others = [
            (TableRole::Background, &self.background),
            (TableRole::Original, &self.original),
            (TableRole::Auxiliary, &self.auxiliary),
        ];
        let others = others.into_iter().filter_map(|(role, table)| Some((role, table.as_ref()?)));
        std::iter::once((TableRole::Published, &self.table)).chain(others)
    }
}

/// The current step of an assessment.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// A table is being read; its name and the progress.
    Reading(&'a str, Progress),
    /// All tables are read, and the results are being computed.
    Computing,
}

/// Reads the tables and assesses the published one. `progress` is called on this thread.
///
/// When options are invalid, tables cannot be read or used, or requirements cannot be decided.
/// Invalid options, tables that cannot be read or used, and demands that cannot be decided.
pub fn assess(options: &Options, progress: &dyn Fn(Step<'_>)) -> Result<Assessment, Error> {
    let options = &columns::trimmed(options);
    columns::check(options)?;
    let Options { quasi, sensitive, .. } = options;
    if quasi.is_empty() {
        return Err(AssessError::NoQuasi.into());
    }
    let requirements = options.require.as_deref().map(Requirement::parse).transpose()?.unwrap_or_default();
    let priors = priors(options)?;
    if options.threshold < whole(0) || options.threshold > whole(1) {
        return Err(OptionError::Threshold(options.threshold.clone()).into());
    }
    if let Some(l) = options.recursive.iter().find(|l| !(2..=1000).contains(*l)) {
        return Err(OptionError::Recursive((*l).into()).into());
    }
    let hierarchies = hierarchies(options)?;
    let distances = distances(options, &hierarchies)?;
    let mut reader = Reader::new(options, progress)?;
    let published = reader.published()?;
    let background = options.background.as_ref().map(|table| reader.raw(table)).transpose()?;
    let original = options.original.as_ref().map(|table| reader.raw(table)).transpose()?;
    let auxiliary = options.auxiliary.as_ref().map(|table| reader.some(table)).transpose()?;
    progress(Step::Computing);
    let reading = |name: &String| match hierarchies.get(name) {
        Some(hierarchy) => Reading::Hierarchy(hierarchy.clone()),
        None if options.literal.contains(name) => Reading::Literal,
        None => Reading::Notation,
    };
    let distance = |name: &String| distances.get(name).cloned().unwrap_or_default();
    let mut assessment = deniable_assess::assess(&Input {
        published: &published,
        quasi: quasi.iter().map(|name| Quasi::new(name, reading(name))).collect(),
        sensitive: sensitive
            .iter()
            .map(|name| SensitiveColumn { name: name.clone(), distance: distance(name) })
            .collect(),
        background: background.as_ref(),
        original: original.as_ref(),
        auxiliary: auxiliary.as_ref(),
        names: options.tables().map(|(role, table)| (role, table.name())).collect(),
        priors,
        threshold: options.threshold.clone(),
        recursive: options.recursive.clone(),
        requirements,
    })?;
    assessment.warnings.splice(0..0, reader.into_warnings());
    Ok(assessment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::StringArray;
    use deniable_core::diagnostic::{Code, Diagnose, Surface};
    use std::sync::Arc;

    fn options(condition: &[&str]) -> Options {
        let age = vec!["30-39"; condition.len()];
        let column = |values: Vec<&str>| Arc::new(StringArray::from(values)) as _;
        let rows = RecordBatch::try_from_iter([("age", column(age)), ("condition", column(condition.to_vec()))]);
        Options {
            quasi: vec![" age".to_owned()],
            sensitive: vec!["condition".to_owned()],
            ..Options::of_table(Table::Memory { name: "patients".to_owned(), rows: vec![rows.unwrap()] })
        }
    }

    #[test]
    fn rows_in_memory_are_assessed_as_those_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("patients.csv");
        std::fs::write(&file, "age,condition\n30-39,flu\n30-39,NA\n30-39,NA\n").unwrap();
        let memory = Options { require: Some("k=3,l=3".to_owned()), ..options(&["flu", "NA", "NA"]) };
        let of_file = Options { table: Table::File(file.clone()), ..memory.clone() };
        let [memory, of_file] = [memory, of_file].map(|options| assess(&options, &|_| {}).unwrap());
        assert_eq!(crate::json(&memory), crate::json(&of_file));
        assert_eq!((memory.verdicts[0].met, memory.verdicts[1].met, memory.holds()), (true, false, false));
        assert_eq!((memory.name(), of_file.name()), ("patients", "patients.csv"));
        let [Warning::NullWord { rows, .. }] = memory.warnings.as_slice() else { panic!("{:?}", memory.warnings) };
        assert_eq!(*rows, 2);
        let note = "column `condition` has `NA` in 2 rows, counted as a value";
        for text in [crate::json(&memory), memory.to_string(), super::page(&memory)] {
            let text = text.replace("<code>", "`").replace("</code>", "`");
            assert!(text.contains(note), "{text}");
        }
        assert!(
            memory.warnings[0].text(Surface::Command).ends_with("--nulls 'NA'; if it is a value: --literal condition")
        );
        assert!(
            memory.warnings[0].text(Surface::Python).ends_with("nulls=\"NA\"; if it is a value: literal=\"condition\"")
        );
    }

    #[test]
    fn errors_have_codes_and_name_options_as_the_surface_does() {
        let table = || options(&["flu", ""]);
        let named = |option: &str| vec![(option.to_owned(), "equal".to_owned())];
        for (options, code, words) in [
            (table(), Code::Data, "empty=\"suppressed\""),
            (Options { literal: vec!["wart".to_owned()], ..table() }, Code::Usage, "literal= names `wart`"),
            (Options { distance: named("age"), ..table() }, Code::Usage, "distance= names `age`"),
            (Options { quasi: Vec::new(), ..table() }, Code::Usage, "no quasi-identifier"),
            (Options { prior: Some("1/2".to_owned()), ..table() }, Code::Usage, "prior= needs background="),
            (Options { threshold: whole(2), ..table() }, Code::Usage, "threshold=\"2\" is not from 0 to 1"),
            (Options { recursive: vec![1], ..table() }, Code::Usage, "recursive=\"1\" is not from 2 to 1000"),
            (Options { accept: vec!["odd".to_owned()], ..table() }, Code::Usage, "accept=: `odd`"),
            (Options { require: Some("k=0".to_owned()), ..table() }, Code::Usage, "k=0"),
            (Options { sensitive: vec!["illness".to_owned()], ..table() }, Code::Data, "illness"),
        ] {
            let error = assess(&options, &|_| {}).unwrap_err();
            let diagnostics = error.diagnostics(Surface::Python);
            let [diagnostic] = diagnostics.as_slice() else { panic!("{diagnostics:?}") };
            assert_eq!(diagnostic.code, code, "{error}");
            let text = diagnostic.to_string();
            assert!(text.contains(words) && !text.contains("--"), "{text}");
        }
    }
}
