//! Sources of mechanisms, and error messages of each surface.

use super::*;
use deniable_core::diagnostic::{Code, Diagnose, Surface};
use deniable_core::exact::ratio;

const ROWS: [[&str; 3]; 4] = [["", "no", "3/4"], ["", "yes", "1/4"], ["ann", "no", "1/4"], ["ann", "yes", "3/4"]];

fn rows() -> Source {
    Source::Rows(ROWS.map(|row| row.map(str::to_owned)).to_vec())
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn dp() -> Options {
    Options { notion: some("dp"), ..Options::default() }
}

#[test]
fn every_source_of_a_mechanism_gives_the_same_report() {
    let row = |[dataset, output, probability]: [&str; 3]| {
        format!(r#"{{"dataset": "{dataset}", "output": "{output}", "probability": "{probability}"}}"#)
            .replace("\"\"", "[]")
    };
    let json = format!("[{}]", ROWS.map(row).join(", ").replace("\"ann\"", "[\"ann\"]"));
    let table = vec![vec![ratio(3, 4), ratio(1, 4)], vec![ratio(1, 4), ratio(3, 4)]];
    let built = Mechanism::new(&["ann"], &["no", "yes"], table).unwrap();
    let expected = check(&rows(), &dp()).unwrap();
    assert_eq!(expected.value.to_string(), "3");
    for source in [Source::Json(json), Source::Subject(Subject::Table(built))] {
        assert_eq!(check(&source, &dp()).unwrap(), expected);
    }
}

/// A whole command line may be quoted on every surface; options that a caller must change are named as the caller sets
/// them.
#[test]
fn errors_name_options_as_each_surface_has_them() {
    let none = Options::default;
    for (options, name) in [
        (Options { notion: some("dpp"), ..none() }, "notion"),
        (Options { family: some("uniform"), ..dp() }, "family"),
        (Options { family: some("unform"), ..none() }, "family"),
        (Options { family: some("box"), ..none() }, "prior"),
        (Options { family: some("explicit"), ..none() }, "priors"),
        (Options { family: some("explicit"), prior: some("1/2"), ..none() }, "prior"),
        (Options { prior: some("4/5..1/5"), ..none() }, "prior"),
        (Options { prior: some("1/5..4/5"), ..dp() }, "prior"),
        (Options { priors: Some("beliefs.toml".into()), ..none() }, "priors"),
        (Options { claim: some("gain=2"), ..dp() }, "claim"),
        (Options { party: Some(Party::Second), ..dp() }, "party"),
        (Options { possible: some("ann"), ..dp() }, "possible"),
        (Options { possible: some("bob"), ..dp() }, "possible"),
        (Options { certificate: Some("/".into()), ..dp() }, "certificate"),
    ] {
        let error = check(&rows(), &options).unwrap_err();
        for surface in [Surface::Command, Surface::Python, Surface::Library] {
            let all = error.diagnostics(surface);
            assert!(all.iter().all(|diagnostic| diagnostic.code == Code::Usage), "{all:?}");
            let text = format!("{} {}", all[0].message(), all[0].help().unwrap_or_default());
            assert!(text.contains(&surface.option(name)), "{text}");
            let own: String =
                text.split("`deniable ").map(|part| part.split_once('`').map_or(part, |(_, own)| own)).collect();
            assert!(surface == Surface::Command || !own.contains("--"), "{text}");
        }
        assert_eq!(error.to_string(), error.diagnostics(Surface::Library)[0].message());
    }
}

#[test]
fn a_certificate_never_replaces_its_mechanism() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("coin.csv");
    let text = format!("dataset,output,probability\n{}\n", ROWS.map(|row| row.join(",")).join("\n"));
    std::fs::write(&path, &text).unwrap();
    let source = Source::named(path.to_str().unwrap(), []);
    let certified = |certificate: &str| {
        let certificate = Some(folder.path().join(certificate));
        check(&source, &Options { certificate, ..dp() })
    };
    for wrong in ["coin.csv", "nowhere/proof.json", ""] {
        assert!(matches!(certified(wrong), Err(Error::Certificate { .. })), "{wrong}");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let written = certified("proof.json").unwrap().certificate.unwrap();
    assert_eq!(written.unverified, None);
    assert!(crate::recheck::recheck(&written.path).unwrap().is_complete());
}

#[test]
fn options_about_one_notion_are_rejected_for_all_notions() {
    for options in [
        dp(),
        Options { family: some("uniform"), ..Options::default() },
        Options { claim: some("odds=3"), ..Options::default() },
        Options { possible: some("ann"), ..Options::default() },
        Options { certificate: Some("proof.json".into()), ..Options::default() },
    ] {
        assert!(matches!(everything(&rows(), &options, &|_| {}), Err(Error::Misfit(_))), "{options:?}");
    }
    let report = everything(&rows(), &Options::default(), &|_| {}).unwrap();
    let dp = report.decisions.iter().find(|decision| decision.notion == "dp").unwrap();
    assert_eq!(dp.value.as_ref().unwrap().to_string(), "3");
}
