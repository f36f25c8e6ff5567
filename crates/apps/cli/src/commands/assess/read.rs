//! Tables as counts of their distinct rows (`deniable_data::groups`).

use crate::args::assess::{Assess, Empty, Quoting};
use crate::args::policy::delimiter;
use crate::console::say;
use crate::error::Failure;
use crate::progress::Progress;
use deniable::arrow_array::RecordBatch;
use deniable_assess::Counts;
use deniable_assess::interval::plain;
use deniable_data::Quirk;
use deniable_data::groups;
use deniable_data::groups::{Layout, groups};
use deniable_data::{Resources, Source, SourceError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Tables in memory, by the names that are given in place of files.
pub type MemoryTables = BTreeMap<PathBuf, Vec<RecordBatch>>;

/// Reads the tables of one run.
pub struct Reader<'a> {
    given: &'a MemoryTables,
    quasi: &'a [String],
    empty: Empty,
    nulls: &'a [String],
    literal: &'a [String],
    layout: Layout,
    accepted: &'a [Quirk],
    resources: Resources,
    progress: &'a Progress,
}

impl<'a> Reader<'a> {
    /// With the flags of a run.
    pub fn new(
        args: &'a Assess,
        given: &'a MemoryTables,
        quasi: &'a [String],
        progress: &'a Progress,
    ) -> Result<Self, Failure> {
        let names = args.columns.iter().map(|name| name.trim().to_owned()).collect::<Vec<_>>();
        let names = (!names.is_empty()).then_some(names);
        let encoding = args.encoding.clone();
        if let Some(unknown) = encoding.as_deref().filter(|name| !groups::is_encoding(name)) {
            let help = "name one as browsers do, such as utf-8, latin1 or windows-1252";
            return Err(Failure::usage(format!("--encoding {unknown:?} is not known"), help));
        }
        let delimiter = args.delimiter.map(delimiter).transpose()?;
        let layout = Layout { delimiter, names, encoding, is_unquoted: args.quote == Quoting::None };
        let (accepted, resources) = (args.accept.as_slice(), args.limits.resources());
        let (nulls, literal) = (args.nulls.as_slice(), args.literal.as_slice());
        Ok(Self { given, quasi, empty: args.empty, nulls, literal, layout, accepted, resources, progress })
    }

    /// The published table: all columns must be there.
    pub fn published(&self, file: &Path, sensitive: &[String]) -> Result<Counts, Failure> {
        let columns: Vec<String> = self.quasi.iter().chain(sensitive).cloned().collect();
        self.read(file, &columns, self.empty == Empty::Suppressed)
    }

    /// A table of raw values: all columns that may be known, and the sensitive ones that it has.
    pub fn raw(&self, file: &Path, sensitive: &[String]) -> Result<Counts, Failure> {
        let there = self.names(file)?;
        let known = sensitive.iter().filter(|name| there.contains(name));
        self.read(file, &self.quasi.iter().chain(known).cloned().collect::<Vec<_>>(), false)
    }

    /// A table of raw values: the columns that may be known, as far as it has them.
    pub fn some(&self, file: &Path) -> Result<Counts, Failure> {
        let there = self.names(file)?;
        let known: Vec<String> = self.quasi.iter().filter(|name| there.contains(name)).cloned().collect();
        if known.is_empty() {
            let help = format!("it has {}; name the columns as in the published table", there.join(", "));
            return Err(Failure::refused(format!("{} has no column of --quasi", file.display()), help));
        }
        self.read(file, &known, false)
    }

    /// The names of a table's columns.
    fn names(&self, file: &Path) -> Result<Vec<String>, Failure> {
        match self.given.get(file).map(Vec::as_slice) {
            Some([first, ..]) => Ok(first.schema().fields().iter().map(|field| field.name().clone()).collect()),
            Some([]) => Ok(Vec::new()),
            None => groups::names(file, &self.layout).map_err(Self::source_failure),
        }
    }

    fn open(&self, file: &Path, columns: &[String]) -> Result<Source, SourceError> {
        match self.given.get(file) {
            Some(rows) => Ok(groups::of_memory(&file.display().to_string(), columns, rows.clone())),
            None => groups::open(file, columns, &self.layout),
        }
    }

    fn read(&self, file: &Path, columns: &[String], may_be_suppressed: bool) -> Result<Counts, Failure> {
        self.is_no_header(file)?;
        let of_library = |error: deniable_assess::AssessError| super::failure(error);
        let mut counts = Counts::new(columns).map_err(of_library)?;
        let source = self.open(file, columns).map_err(Self::source_failure)?;
        groups::expect_rows(&source, &self.resources, self.accepted).map_err(Self::source_failure)?;
        let what = format!("reading {}", file.display());
        let mut faults = Faults {
            empty: vec![0; columns.len()],
            stars: vec![0; columns.len()],
            nulls: BTreeMap::new(),
            unreadable: None,
        };
        let literal: Vec<bool> =
            columns.iter().map(|name| self.literal.iter().any(|literal| literal.trim() == name)).collect();
        let mut failed = None;
        let mut row_codes = vec![0; columns.len()];
        let is_text = !self.given.contains_key(file) && groups::is_text(file);
        groups(&source, &self.resources, &|read| self.progress.read(&what, read), &mut |rows| {
            for row in 0..rows.len() {
                let times = rows.times(row);
                for (at, code) in row_codes.iter_mut().enumerate() {
                    let value = rows.value(row, at);
                    let value = if is_null(value, self.nulls) { Some("") } else { value };
                    let is_quasi = at < self.quasi.len();
                    let means_something = match self.empty {
                        Empty::Value => true,
                        Empty::Suppressed => may_be_suppressed && is_quasi,
                        Empty::Refuse => false,
                    };
                    let value = match value {
                        None if is_text => {
                            faults.unreadable.get_or_insert(at);
                            ""
                        }
                        None | Some("") if !means_something => {
                            faults.empty[at] += times;
                            ""
                        }
                        None | Some("") if self.empty == Empty::Suppressed => "*",
                        Some(value) if literal[at] => value,
                        // A hidden value is as unknown to an observer of the class as an empty cell.
                        Some("*") if !is_quasi => {
                            faults.stars[at] += times;
                            "*"
                        }
                        Some(value) => {
                            if let Some(word) = null_word(value) {
                                *faults.nulls.entry((at, word.to_owned())).or_default() += times;
                            }
                            plain(value.trim())
                        }
                        None => "",
                    };
                    match counts.intern(at, value) {
                        Ok(interned) => *code = interned,
                        Err(error) => failed = Some(error),
                    }
                }
                if let Err(error) = counts.push_codes(&row_codes, times) {
                    failed = Some(error);
                }
            }
        })
        .map_err(Self::source_failure)?;
        faults.none(file, columns, self.empty, may_be_suppressed)?;
        faults.warn(file, columns);
        match failed {
            Some(error) => Err(of_library(error)),
            None => Ok(counts),
        }
    }

    /// With `--columns` the first line is a row; where it holds these very names it is none.
    fn is_no_header(&self, file: &Path) -> Result<(), Failure> {
        let Some(stated) = &self.layout.names else { return Ok(()) };
        let first = groups::names(file, &Layout { names: None, ..self.layout.clone() });
        // A first line that cannot be a header is no reason to refuse anything here.
        if !first.is_ok_and(|first| first.iter().map(|name| name.trim()).eq(stated.iter().map(String::as_str))) {
            return Ok(());
        }
        Err(Failure::usage(
            format!("the first line of {} has the names of --columns", file.display()),
            "leave --columns out: it is for files whose first line is a row",
        ))
    }

    /// A file's fault, with the help in the words of this command.
    fn source_failure(error: SourceError) -> Failure {
        let help = match &error {
            SourceError::NoFile { .. } => "check the path; a file, a folder of files that are alike, or a pattern",
            SourceError::NoColumn { .. } => {
                "check the column's name; --delimiter says what stands between fields, --columns names them where the first line \
                 is a row"
            }
            SourceError::NotTable { help, .. } | SourceError::Url { help, .. } | SourceError::NoRow { help, .. } => {
                help
            }
            SourceError::Empty { .. } => "name the right file",
            SourceError::Memory { .. } => "allow more with --memory",
            SourceError::Spill { .. } => "name a folder with more room with --spill, or allow more with --memory",
            SourceError::Rows { .. } => "check that the file is whole, and what its ending says",
            _ => "check that the file exists, is what its ending says, and may be read",
        };
        Failure::refused(error, help)
    }
}

/// Whether a cell holds one of the texts that mean nothing.
fn is_null(value: Option<&str>, nulls: &[String]) -> bool {
    value.is_some_and(|value| nulls.iter().any(|null| null.trim() == value.trim()))
}

/// A text by which programs write that there is no value, if it is one.
fn null_word(value: &str) -> Option<&str> {
    const WORDS: [&str; 8] = ["na", "n/a", "<na>", "null", "nan", "nat", ".", "?"];
    let value = value.trim();
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(value)).then_some(value)
}

/// What is wrong with the values of a table.
struct Faults {
    /// Rows without a value, by column.
    empty: Vec<u64>,
    /// Rows with `*` in a sensitive column, by column.
    stars: Vec<u64>,
    /// Rows with a text that often means nothing, by column and text.
    nulls: BTreeMap<(usize, String), u64>,
    /// The first column with a field that is no text.
    unreadable: Option<usize>,
}

impl Faults {
    fn none(&self, file: &Path, columns: &[String], empty: Empty, may_be_suppressed: bool) -> Result<(), Failure> {
        let refused = |message: String, help: &str| Err(Failure::refused(message, help));
        let name = |at: usize| columns.get(at).map_or("", String::as_str);
        if let Some(at) = self.unreadable {
            let message = format!(
                "{}: column `{}` has values that are no UTF-8 text, or longer than 64 KiB",
                file.display(),
                name(at)
            );
            return refused(message, "name the encoding, as --encoding latin1, or save the file as UTF-8");
        }
        let named = |counts: &[u64]| -> Vec<String> {
            let some = columns.iter().zip(counts).filter(|(_, count)| **count > 0);
            some.map(|(name, count)| format!("`{name}` in {}", in_rows(*count))).collect()
        };
        let stars = named(&self.stars);
        if !stars.is_empty() {
            let message = format!("{} has `*` among sensitive values: {}", file.display(), stars.join(", "));
            let help = "a sensitive value cannot be suppressed: fill it, leave the rows out, or take `*` as a value with --literal";
            return refused(message, help);
        }
        let unknown = named(&self.empty);
        if unknown.is_empty() {
            return Ok(());
        }
        let help = match may_be_suppressed {
            true => {
                "a sensitive value cannot be suppressed: fill it, leave the rows out, or take emptiness as a value with --empty value"
            }
            false if empty == Empty::Suppressed => "raw values cannot be suppressed: fill them, or leave the rows out",
            false => {
                "say what that means: --empty suppressed if it stands for *, --empty value if it is a value like any other"
            }
        };
        refused(format!("{} has empty cells: {}", file.display(), unknown.join(", ")), help)
    }

    /// Warns of texts that count as values, but usually mean a missing value: each would make a class seem more diverse
    /// than it is.
    fn warn(&self, file: &Path, columns: &[String]) {
        for ((at, word), count) in &self.nulls {
            let column = columns.get(*at).map_or("", String::as_str);
            say(format!(
                "WARNING: {}: column `{column}` has `{word}` in {}, which counts as a value. If it means that there is none: --nulls '{word}'; \
                 if it is one: --literal {column}",
                file.display(),
                in_rows(*count)
            ));
        }
    }
}

fn in_rows(count: u64) -> String {
    format!("{count} {}", if count == 1 { "row" } else { "rows" })
}
