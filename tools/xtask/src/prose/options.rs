//! The arguments of `prose`.

/// The source and the output.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// The root of the repository; that of the workspace where it is not given.
    pub root: Option<String>,
    pub source: Source,
    pub output: Output,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Source {
    /// The working tree.
    Working,
    Commit(String),
    /// Rust code in any folder.
    Folder(String),
}

#[derive(Debug, PartialEq, Eq)]
pub enum Output {
    Table,
    Json,
    /// The names of the marks, with advice.
    Legend,
    /// Every mark of all units, of one unit, or of one file.
    Places {
        of: Option<String>,
        with_hints: bool,
    },
    /// Compare with the record.
    Check,
    /// Rewrite the record.
    Write,
}

impl Options {
    /// `None` for bad usage.
    pub fn new(arguments: &[&str]) -> Option<Self> {
        let mut options = Self { root: None, source: Source::Working, output: Output::Table };
        let mut rest = arguments.iter().copied().peekable();
        let mut is_hinted = false;
        while let Some(argument) = rest.next() {
            match argument {
                "--root" => options.root = Some(rest.next()?.to_owned()),
                "--at" if options.source == Source::Working => options.source = Source::Commit(rest.next()?.to_owned()),
                "--folder" if options.source == Source::Working => {
                    options.source = Source::Folder(rest.next()?.to_owned());
                }
                "--hints" => is_hinted = true,
                "--json" | "--marks" | "--show" | "--check" | "--write" if options.output != Output::Table => {
                    return None;
                }
                "--marks" => options.output = Output::Legend,
                "--json" => options.output = Output::Json,
                "--check" => options.output = Output::Check,
                "--write" => options.output = Output::Write,
                "--show" => {
                    let of = rest.next_if(|next| !next.starts_with("--")).map(str::to_owned);
                    options.output = Output::Places { of, with_hints: false };
                }
                _ => return None,
            }
        }
        let records = matches!(options.output, Output::Check | Output::Write);
        match &mut options.output {
            Output::Places { with_hints, .. } => *with_hints = is_hinted,
            _ if is_hinted => return None,
            _ => {}
        }
        (!records || options.source == Source::Working).then_some(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_in_any_order() {
        let all = ["--show", "core", "--hints", "--root", "r", "--at", "c"];
        let output = Output::Places { of: Some("core".to_owned()), with_hints: true };
        let wanted = Options { root: Some("r".to_owned()), source: Source::Commit("c".to_owned()), output };
        assert_eq!(Options::new(&all), Some(wanted));
        let table = Options { root: None, source: Source::Working, output: Output::Table };
        assert_eq!(Options::new(&[]), Some(table));
    }

    #[test]
    fn contradictions_are_bad_usage() {
        for wrong in [
            &["--at", "c", "--folder", "f"][..],
            &["--at"],
            &["--json", "--show"],
            &["--hints"],
            &["--check", "--at", "c"],
            &["other"],
        ] {
            assert_eq!(Options::new(wrong), None, "{wrong:?}");
        }
    }
}
