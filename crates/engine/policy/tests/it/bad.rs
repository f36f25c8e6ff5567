//! Every policy under `testdata/bad` is refused, with the place and the hint that the snapshot shows.

use deniable_policy::{Policy, PolicyErrors};
use std::path::{Path, PathBuf};

fn policies(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn refused(file: &Path) -> PolicyErrors {
    match Policy::load(file) {
        Ok(_) => panic!("{} must be refused", file.display()),
        Err(errors) => errors,
    }
}

/// One table of all errors, to be read as a curator would.
#[test]
fn every_bad_policy_is_refused_with_place_and_help() {
    let folder = format!("{}/testdata/bad/", env!("CARGO_MANIFEST_DIR"));
    let complaints: Vec<String> =
        policies("bad").iter().map(|file| refused(file).to_string().replace(&folder, "")).collect();
    insta::assert_snapshot!(complaints.join("\n\n"));
}

#[test]
fn places_lie_inside_the_source_and_in_order() {
    for file in policies("bad") {
        let errors = refused(&file);
        let mut last = 0;
        assert!(!errors.errors().is_empty());
        for place in errors.errors().iter().filter_map(|error| error.place.as_ref()) {
            assert!(errors.source().get(place.span.clone()).is_some(), "{}", file.display());
            assert!(place.span.start >= last, "{}", file.display());
            last = place.span.start;
            let line = errors.source().lines().nth(place.line - 1).unwrap_or_default();
            assert!(place.column <= line.chars().count() + 1, "{}", file.display());
        }
    }
}

#[test]
fn files_that_cannot_be_policies() {
    let folder = tempfile::tempdir().unwrap();
    let complaint = |file: &Path| refused(file).to_string().replace(&folder.path().display().to_string(), "");
    insta::assert_snapshot!(complaint(&folder.path().join("absent.toml")), @r"
    /absent.toml: the policy cannot be read: No such file or directory (os error 2)
      help: check the path, or write a policy there first
    ");
    insta::assert_snapshot!(complaint(folder.path()), @r"
    : this is a folder, not a policy file
      help: name the policy file inside it
    ");
    let large = folder.path().join("large.toml");
    std::fs::write(&large, "#".repeat((1 << 20) + 1)).unwrap();
    insta::assert_snapshot!(complaint(&large), @r"
    /large.toml: the policy is larger than 1 MiB
      help: this may be a data file; name the policy instead
    ");
    // At the limit the file is read, and judged by its content.
    std::fs::write(&large, "#".repeat(1 << 20)).unwrap();
    assert!(complaint(&large).contains("needs `name`"));
}
