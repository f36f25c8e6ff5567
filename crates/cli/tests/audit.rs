//! `deniable audit`: verdicts, exit codes, and programs that misbehave.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, reason = "tests")]

mod support;

use support::{Place, Run, workspace};

fn audit(more: &[&str]) -> Run {
    Place::empty().run(&[&["audit"], more].concat())
}

/// A broken mechanism is broken with every seed, and a correct one is accused once in a thousand times at most.
#[test]
fn the_zoo_is_judged() {
    let broken = audit(&["--builtin", "geometric-half-scale", "--samples", "100000"]);
    assert_eq!(broken.code, Some(1), "{broken:?}");
    assert!(broken.stdout.starts_with("BROKEN") && broken.stdout.contains("event:"), "{}", broken.stdout);
    let correct = audit(&["--builtin", "geometric", "--samples", "100000", "--confidence", "99.9999%"]).done();
    assert!(correct.stdout.starts_with("not broken") && correct.stdout.contains("no proof"), "{}", correct.stdout);
    // Odds of 2 are ε = ln 2, and a gain of 2 for any belief; less is refuted.
    let same = ["--builtin", "geometric", "--samples", "100000", "--confidence", "99.9999%", "--format", "json"];
    for (claim, code) in [("epsilon=ln(2)", 0), ("gain=2", 0), ("odds=11/10", 1), ("epsilon=1/10", 1)] {
        let run = audit(&[&same[..], &["--claim", claim]].concat());
        assert_eq!(run.code, Some(code), "{claim}: {run:?}");
        assert_eq!(run.json()["broken"], code == 1);
    }
}

#[test]
fn the_zoo_is_listed() {
    let list = audit(&["--list"]).done().stdout;
    assert!(list.lines().count() >= 30 && list.contains("sparse-vector-no-reset"), "{list}");
}

/// A program in another language whose noise is half as wide as it should be.
#[test]
fn a_program_is_caught() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        eprintln!("SKIPPED: no python3");
        return;
    }
    let program = workspace().join("examples/audit/half_noise.py").display().to_string();
    let run = audit(&["--claim", "epsilon=0.5", "--samples", "60000", "--", "python3", &program]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.starts_with("BROKEN"), "{}", run.stdout);
}

#[test]
fn programs_that_misbehave() {
    for (script, words) in [("exit 3", "ended"), ("read x; echo hello; sleep 60", "line 1")] {
        let run = [
            "--claim",
            "epsilon=1",
            "--samples",
            "2000",
            "--deadline",
            "1",
            "--processes",
            "1",
            "--",
            "sh",
            "-c",
            script,
        ];
        let run = audit(&run).refused();
        assert!(run.stderr.contains(words), "{script}: {}", run.stderr);
    }
}

#[test]
fn the_first_mistakes() {
    for (more, words) in [
        (&["--claim", "epsilon=1"][..], "nothing says what to audit"),
        (&["--builtin", "geometrik"][..], "did you mean geometric?"),
        (&["--builtin", "geometric", "--claim", "epsilon"][..], "there is no value in it"),
        (&["--builtin", "geometric", "--claim", "posterior_at_most=3/4"][..], "prior belief is bounded"),
        (&["--builtin", "geometric", "--confidence", "5%"][..], "is not between 90% and 100%"),
        (&["--builtin", "geometric", "--samples", "10"][..], "1,000"),
        (&["--pair", "1,2", "--", "true"][..], "is no pair of inputs"),
    ] {
        let run = audit(more).misused();
        assert!(run.stderr.replace("\n", " ").contains(words), "{more:?}: {}", run.stderr);
    }
    let missing = audit(&["--claim", "epsilon=1", "--", "./no-such-program"]).refused();
    assert!(missing.stderr.contains("could not be started"), "{}", missing.stderr);
}
