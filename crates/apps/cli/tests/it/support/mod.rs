//! Shared by the tests of the command line: a folder with a policy and data, and runs of the program in it.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// The project's folder.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().unwrap()
}

/// Exit code and output of a run.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Whether standard error contains these words, regardless of line breaks.
    pub fn says(&self, words: &str) -> bool {
        let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '│').collect::<String>();
        bare(&self.stderr).contains(&bare(words))
    }

    /// Standard error without the line that states the share of a release.
    pub fn without_share(&self) -> String {
        self.stderr
            .lines()
            .filter(|line| !line.starts_with("this release uses "))
            .map(|line| format!("{line}\n"))
            .collect()
    }

    /// Checks that the run succeeded.
    #[track_caller]
    pub fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Checks that the run was refused, without standard output.
    #[track_caller]
    pub fn refused(self) -> Self {
        assert_eq!(self.code, Some(1), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        self
    }

    /// Checks that the run was bad usage.
    #[track_caller]
    pub fn misused(self) -> Self {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        self
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The head of the chain that was printed for the curator.
    pub fn head(&self) -> String {
        let line = self.stderr.lines().find_map(|line| line.strip_prefix("ledger head "));
        line.unwrap_or_else(|| panic!("no head: {self:?}")).to_owned()
    }
}

/// A temporary folder with a policy and its files.
pub struct Place {
    folder: TempDir,
}

impl Place {
    /// An empty folder.
    pub fn empty() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A temporary folder in memory if possible: for thousands of ledgers that need not survive a power failure.
    pub fn in_memory() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self { folder: folder.unwrap() }
    }

    /// A folder with `policy.toml` and `data.csv`.
    pub fn new(policy: &str, data: impl AsRef<[u8]>) -> Self {
        let place = Self::empty();
        place.write("policy.toml", policy);
        place.write("data.csv", data);
        place
    }

    /// A copy of the example.
    pub fn clinic() -> Self {
        let place = Self::empty();
        for file in ["policy.toml", "visits.csv"] {
            fs::copy(workspace().join("examples/clinic").join(file), place.path(file)).unwrap();
        }
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Changes a file; fails if nothing changes.
    #[track_caller]
    pub fn edit(&self, name: &str, from: &str, to: &str) {
        let old = self.read(name);
        assert!(old.contains(from), "{name} does not contain {from:?}");
        self.write(name, old.replacen(from, to, 1));
    }

    /// The names of all files in the folder, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The command with these arguments. A release may use up the promise.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.unconfirmed(args);
        if args.first() == Some(&"release") {
            command.arg("--yes");
        }
        command
    }

    /// The command with these arguments and no others.
    pub fn unconfirmed(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_deniable"));
        command.args(args).current_dir(self.folder.path()).env_remove("DENIABLE_ADULT").stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Run {
        Run::of(self.command(args).output().unwrap())
    }

    /// `deniable release policy.toml --register` with more arguments.
    pub fn release(&self, more: &[&str]) -> Run {
        self.run(&[&["release", "policy.toml", "--register"], more].concat())
    }

    /// Registers the data although caps or bounds leave out much of these queries.
    #[track_caller]
    pub fn accept_losses(&self, queries: &[&str]) {
        let accept = queries.iter().flat_map(|query| ["--accept-loss", *query]);
        self.run(&["data", "check", "policy.toml"].into_iter().chain(accept).collect::<Vec<_>>()).done();
    }

    /// Starts a release without waiting for it.
    pub fn start(&self, more: &[&str]) -> Child {
        let mut command = self.command(&[&["release", "policy.toml", "--register"], more].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The ledger as JSON, which must verify; `None` when there is none.
    pub fn ledger(&self) -> Option<Value> {
        let name = self.files().into_iter().find(|name| name.ends_with(".ledger"))?;
        self.run(&["ledger", "verify", &name]).done();
        Some(self.run(&["ledger", "show", &name, "--format", "json"]).done().json())
    }

    /// The number of charges in the ledger; zero without a ledger.
    pub fn charges(&self) -> usize {
        self.releases().len()
    }

    /// The charges of the ledger's only account.
    pub fn releases(&self) -> Vec<Value> {
        let Some(ledger) = self.ledger() else { return Vec::new() };
        let accounts = ledger["accounts"].as_array().unwrap();
        accounts.iter().flat_map(|account| account["releases"].as_array().unwrap().clone()).collect()
    }

    /// The odds ratio spent, as shown.
    pub fn spent(&self) -> String {
        let ledger = self.ledger().expect("a ledger");
        ledger["accounts"][0]["spent"].as_str().unwrap().to_owned()
    }

    /// Masks this folder's path, heads and times in a text.
    pub fn plain(&self, text: &str) -> String {
        let here = self.folder.path().canonicalize().unwrap();
        let text = text
            .replace(&*here.to_string_lossy(), "<folder>")
            .replace(&*self.folder.path().to_string_lossy(), "<folder>");
        let hidden: Vec<String> = text.replace('\0', "<NUL>").lines().map(plain_line).collect();
        hidden.join("\n")
    }
}

fn plain_line(line: &str) -> String {
    let words: Vec<String> = line
        .split(' ')
        .map(|word| {
            let bare = word.trim_matches(|c: char| c == ',' || c == ';');
            let is_head = bare.split_once(':').is_some_and(|(seq, hash)| {
                seq.parse::<u64>().is_ok() && hash.len() >= 16 && hash.bytes().all(|b| b.is_ascii_hexdigit())
            });
            let is_time = bare.len() == 20 && bare.ends_with('Z') && bare.starts_with("20");
            if is_head {
                word.replace(bare, "<head>")
            } else if is_time {
                word.replace(bare, "<time>")
            } else {
                word.to_owned()
            }
        })
        .collect();
    words.join(" ")
}

/// Removes the classes of quality, which depend on the noise: from tables and JSON, with the note and the advice on them.
pub fn without_quality(text: &str) -> String {
    let is_class = |cell: &str| ["A", "B", "C", "bias unknown", "not usable", "-"].contains(&cell.trim());
    let mut lines = Vec::new();
    let (mut in_note, mut in_advice) = (false, false);
    for line in text.lines() {
        if in_advice || line.trim_start().starts_with("\"advice\": [") {
            in_advice = !line.trim_start().starts_with(']');
            continue;
        }
        let starts = line.contains(" not usable: ") || line.contains("help: a larger share, fewer or larger groups");
        // Continuation lines of a note are indented further.
        in_note = starts || (in_note && line.starts_with("    ") && !line.trim_start().starts_with(['"', ']', '}']));
        if in_note {
            continue;
        }
        lines.push(if line.starts_with('│') && line.contains('┆') {
            let cells = line.trim_end_matches('│').split('┆');
            let cells: Vec<&str> = cells.map(|cell| if is_class(cell) { " <class> " } else { cell }).collect();
            format!("{}│", cells.join("┆"))
        } else if line.trim_start().starts_with("\"quality\"") {
            "\"quality\": <class>".to_owned()
        } else if line.starts_with("        \"") {
            line.trim_end_matches(',').to_owned()
        } else {
            line.to_owned()
        });
    }
    lines.join("\n")
}

/// A table without its numbers and its column widths.
pub fn without_numbers(text: &str) -> String {
    let mut lines = Vec::new();
    for line in without_quality(text).lines() {
        let first = line.chars().next();
        if first.is_some_and(|c| "┌╞├└".contains(c)) {
            continue;
        }
        if first == Some('│') && !line.contains("interval") {
            let words = line.split_whitespace().map(|word| if word.parse::<f64>().is_ok() { "#" } else { word });
            lines.push(words.collect::<Vec<_>>().join(" "));
        } else if first == Some('│') {
            lines.push(line.split_whitespace().collect::<Vec<_>>().join(" "));
        } else {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n")
}

/// The shown numbers of a column of a query of a JSON publication, by their keys in the first column.
pub fn rows(publication: &Value, ask: usize) -> Vec<Vec<Value>> {
    let rows = publication["answers"][ask]["rows"].as_array().expect("rows");
    rows.iter()
        .map(|row| {
            let cells = row.as_array().expect("a row").iter();
            cells.map(|cell| if cell.is_object() { cell["value"].clone() } else { cell.clone() }).collect()
        })
        .collect()
}
