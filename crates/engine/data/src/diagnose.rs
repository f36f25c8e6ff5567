//! Help texts for errors of sources.

use crate::error::SourceError;
use crate::text::Quirk;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};

/// Help for a first line that is not a header.
pub const NO_NAMES: &str = "none of it was copied or shown. A file that begins with a row needs names: put a line of names on top, or \
                            write a policy by hand with `header = false` and `columns = [...]` under [data.csv]. If these are the \
                            names, give the columns plainer ones";

impl SourceError {
    /// The remedy for this error.
    #[must_use]
    pub fn help(&self, surface: Surface) -> String {
        let help = match self {
            Self::NoFile { .. } => {
                let place = "check `path` in [data]; a relative path starts at the policy's folder";
                return match surface {
                    Surface::Command => format!("{place}. --data names another place"),
                    Surface::Python | Surface::Library => place.to_owned(),
                };
            }
            Self::Unreadable { .. } => "check that the file exists, has the format of its extension, and is readable",
            Self::NoRow { quirk, .. } => return no_row(*quirk, surface),
            Self::NotTable { help, .. }
            | Self::Url { help, .. }
            | Self::Remote { help, .. }
            | Self::NotBuilt { help, .. } => help,
            Self::Zone { problem, .. } => problem.help(),
            Self::NoDatabase { .. } => "only rows of a database can be pulled: omit the table",
            Self::Unwritten { .. } => "name a writable folder with enough space",
            Self::Changed { .. } => {
                "nothing was stored or shown, and charges are kept: restore the registered rows and run the same again. Other rows \
                 need another `version`, and new charges; `deniable data pull` keeps a copy of a database's rows that does not \
                 change, and an engine can export its rows as Parquet"
            }
            Self::Lied { .. } => {
                "its answer was neither stored nor shown, and charges are kept. The engine is used again once it passes its trial \
                 on made-up rows: check its version and settings, or export the rows as Parquet and query these files"
            }
            Self::NoNames { .. } => NO_NAMES,
            Self::Pattern { .. } => "patterns use *, ? and [abc], as in data/*.csv",
            Self::NoColumn { .. } => {
                "check the column's name. Of CSV, check the delimiter, too; without a header, set header = false and list the columns in [data.csv]"
            }
            Self::Empty { .. } => "name the right file, or add a header",
            Self::ColumnsDiffer { .. } => "all files of a table need the same columns in the same order",
            Self::TwoColumns { .. } => "rename one of them in the file",
            Self::ColumnType { .. } => "declare the type that the data have, or convert them",
            Self::Partition { .. } => {
                "folders name partitions as in year=2024/region=north/; list them under `partitions`, and not in the files"
            }
            Self::Key { .. } => {
                "a public table must have one row for each key: fix the file, or name another column as its `key`; nothing was charged"
            }
            Self::PublicKeys { .. } => {
                "fix that file: each key needs exactly one row, and labels must be unique; nothing was charged"
            }
            Self::Memory { .. } => {
                return format!(
                    "allow more with {}, or lower rows_per_group and groups: the kept rows of one entity, and the totals of all cells, must fit",
                    surface.option("memory")
                );
            }
            Self::Spill { .. } => {
                let memory = surface.option("memory");
                return match surface {
                    Surface::Command => {
                        format!("name a folder with more space with --spill, or allow more memory with {memory}")
                    }
                    Surface::Python | Surface::Library => format!("allow more memory with {memory}"),
                };
            }
            Self::Rows { .. } => return format!("run {} to see where", surface.check_data()),
        };
        help.to_owned()
    }
}

/// How to correct a record of a table without a policy.
fn no_row(quirk: Option<Quirk>, surface: Surface) -> String {
    let unquoted = surface.set("quote", "none");
    let Some(quirk) = quirk else {
        let layout = match surface {
            Surface::Command => {
                ", or state the delimiter with --delimiter, or the encoding with --encoding (--encoding latin1)"
            }
            Surface::Python | Surface::Library => "",
        };
        return format!("fix the line, or state {unquoted} if the file has no quoting{layout}");
    };
    let accept = surface.set("accept", quirk.name());
    match quirk {
        Quirk::BareQuote => {
            format!("state {unquoted} if the file is written without quoting, or accept it with {accept}")
        }
        Quirk::LineEnd => format!(
            "most often an unclosed quote absorbs the lines after it: close it, or state {unquoted} if the file has no quoting; \
             accept line ends in texts with {accept}"
        ),
        Quirk::LoneReturn => {
            format!("quote the field, or replace the character; accept such line ends with {accept}")
        }
    }
}

impl Diagnose for SourceError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        vec![Diagnostic::new(Code::Data, self).with_help(self.help(surface))]
    }
}
