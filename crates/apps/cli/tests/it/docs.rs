//! The aliases that `docs/reference/policy.md` states, and the overview of the commands.

use crate::support::{Place, workspace};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Aliases of a function are the same query, as the reference states.
#[test]
fn other_names_are_free() {
    let clinic = Place::clinic();
    let ask = |sql: &str| {
        let sql = format!("SELECT {sql} AS x FROM visits");
        clinic.run(&["ask", "policy.toml", "--register", &sql, "--spend", "1/40"]).done()
    };
    for names in [
        &["AVG(age)", "MEAN(age)"] as &[&str],
        &["VAR_SAMP(age)", "VAR(age)", "VAR_SAMPLE(age)", "VARIANCE(age)"],
        &["STDDEV_SAMP(age)", "STDDEV(age)"],
        &["MEDIAN(age)", "APPROX_MEDIAN(age)", "PERCENTILE_CONT(age, 0.5)"],
        &[
            "PERCENTILE_CONT(age, 0.9)",
            "PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age)",
            "QUANTILE_CONT(age, 0.9)",
            "APPROX_PERCENTILE_CONT(age, 0.9)",
            "APPROX_PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age)",
        ],
    ] {
        let charges = clinic.charges();
        for name in names {
            ask(name);
            assert!(clinic.charges() <= charges + 1, "{name} is charged");
        }
    }
}

/// The overview of the commands, grouped by purpose.
#[test]
fn overview() {
    // Without a terminal, clap takes the width from the environment.
    let output = Place::empty().command(&["-h"]).env_remove("COLUMNS").output().unwrap();
    let shown = crate::support::Run::of(output).done().stdout;
    // The server is listed where it is built.
    let (before, rest) = shown
        .split_once("Serve several analysts:")
        .map_or((shown.as_str(), None), |(before, rest)| (before, rest.split_once("Inspect past releases:")));
    assert_eq!(rest.is_some(), cfg!(feature = "serve"), "{shown}");
    let overview = match rest {
        Some((server, rest)) => {
            assert!(server.contains("\n  serve ") && server.contains("\n  account "), "{server}");
            format!("{before}Inspect past releases:{rest}")
        }
        None => before.to_owned(),
    };
    insta::assert_snapshot!("overview", overview);
}

/// The formats that are kept have versions, and an editor gets the schema that is read.
#[test]
fn formats_have_versions() {
    let place = Place::empty();
    let shown = place.run(&["--version"]).done().stdout;
    let formats = "\nledger format 1, identity format 1, policy format 1, answer format 1\n";
    assert!(shown.starts_with("deniable ") && shown.ends_with(formats), "{shown}");
    let alone = place.run(&["-V"]).done().stdout;
    assert_eq!(alone.trim_end(), shown.lines().next().unwrap());
    let schema = place.run(&["schema"]).done().json();
    assert!(schema["properties"]["query"]["items"]["$ref"].is_string());
    assert_eq!(place.run(&["schema", "policy"]).done().stdout.trim_end(), deniable::formats::POLICY_SCHEMA.trim_end());
    assert!(place.run(&["schema", "answers"]).done().json()["properties"]["guarantee"].is_object());
}

/// The documents whose commands run here, each in a folder of its own.
const RUN: [&str; 6] = [
    "tutorial/from-csv-to-page.md",
    "how-to/choose-a-promise.md",
    "how-to/several-tables.md",
    "how-to/missing-values.md",
    "how-to/promise-with-a-chance.md",
    "how-to/big-files.md",
];

/// Every command of these documents ends as they state: it succeeds, or is refused after a line `# refused:`. Outputs are
/// excerpts and are not compared. A block after a paragraph that ends with "Save this as `NAME`:" is that file.
#[test]
fn commands_of_the_documents_run() {
    for document in RUN {
        let text = fs::read_to_string(workspace().join("docs").join(document)).unwrap();
        let place = Place::empty();
        let mut commands = 0;
        for Block { language, lines, before } in blocks(&text) {
            let saved = before.rsplit_once("ave this as `").and_then(|(_, name)| name.strip_suffix("`:"));
            if let Some(name) = saved {
                place.write(name, lines.join("\n") + "\n");
            } else if language == "console" {
                let mut is_refused = false;
                for line in lines {
                    is_refused |= line.starts_with("# refused:");
                    let Some(command) = line.strip_prefix("$ ") else { continue };
                    commands += 1;
                    let run = shell(&place, command);
                    let shown = String::from_utf8_lossy(&run.stderr);
                    assert_eq!(run.status.success(), !is_refused, "{document}: {command}: {shown}");
                    is_refused = false;
                }
            }
        }
        assert!(commands > 0, "{document} has no command in a block marked `console`");
    }
}

/// A fenced block, with the paragraph before it.
struct Block<'a> {
    language: &'a str,
    lines: Vec<&'a str>,
    before: String,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let (mut all, mut paragraph) = (Vec::new(), Vec::new());
    let mut lines = text.lines().peekable();
    let mut is_after_gap = false;
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let inside = std::iter::from_fn(|| lines.next().filter(|line| *line != "```")).collect();
            all.push(Block { language, lines: inside, before: paragraph.join(" ") });
            paragraph.clear();
        } else if line.trim().is_empty() {
            is_after_gap = true;
        } else {
            if is_after_gap {
                paragraph.clear();
            }
            is_after_gap = false;
            paragraph.push(line.trim());
        }
    }
    all
}

/// Runs a command of a document; `deniable` is the command under test.
fn shell(place: &Place, command: &str) -> std::process::Output {
    let program = place.command(&[]).get_program().to_owned();
    let folder = place.path("bin");
    if !folder.exists() {
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(&program, folder.join("deniable")).unwrap();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths: Vec<PathBuf> = std::iter::once(folder).chain(std::env::split_paths(&path)).collect();
    Command::new("sh")
        .args(["-c", command])
        .current_dir(place.path("."))
        .env("PATH", std::env::join_paths(paths).unwrap())
        .env("DENIABLE", Path::new(&workspace()))
        .output()
        .unwrap()
}
