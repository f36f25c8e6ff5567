//! `deniable audit`: verdicts, exit codes, and programs that misbehave.

use crate::support::{Place, Run, workspace};
use std::process::Stdio;

fn audit(more: &[&str]) -> Run {
    Place::empty().run(&[&["audit"], more].concat())
}

/// Audits draw fresh seeds. Three of a correct mechanism at 99.99999% confidence report a fault in at most 3 of 10^7
/// runs. Broken mechanisms are many standard errors beyond their claims.
#[test]
fn the_zoo_is_judged() {
    let broken = audit(&["--builtin", "geometric-half-scale", "--samples", "100000"]);
    assert_eq!(broken.code, Some(1), "{broken:?}");
    assert!(broken.stdout.starts_with("BROKEN") && broken.stdout.contains("event:"), "{}", broken.stdout);
    let correct = audit(&["--builtin", "geometric", "--samples", "100000", "--confidence", "99.99999%"]).done();
    assert!(
        correct.stdout.starts_with("not broken") && correct.stdout.contains("does not prove"),
        "{}",
        correct.stdout
    );
    // Odds of 2 are ε = ln 2, and a gain of 2 for any belief; smaller claims are refuted.
    let same = ["--builtin", "geometric", "--samples", "100000", "--confidence", "99.99999%", "--format", "json"];
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

/// A program in Python whose noise has half the required scale.
#[test]
fn a_program_is_caught() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        deniable_testing::skipped("there is no python3", "install it");
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
            "30",
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
        (&["--claim", "epsilon=1"][..], "no mechanism is named"),
        (&["--builtin", "geometrik"][..], "did you mean geometric?"),
        (&["--builtin", "geometric", "--claim", "epsilon"][..], "it has no value"),
        (&["--builtin", "geometric", "--claim", "posterior_at_most=3/4"][..], "prior belief is bounded"),
        (&["--builtin", "geometric", "--confidence", "5%"][..], "is not between 90% and 100%"),
        (&["--builtin", "geometric", "--samples", "10"][..], "1,000"),
        (&["--pair", "1,2", "--", "true"][..], "is not a pair of inputs"),
        (&["--pair", "0,0/1", "--", "true"][..], "the same number of whole numbers"),
    ] {
        let run = audit(more).misused();
        assert!(run.stderr.replace("\n", " ").contains(words), "{more:?}: {}", run.stderr);
    }
    let missing = audit(&["--claim", "epsilon=1", "--", "./no-such-program"]).refused();
    assert!(missing.stderr.contains("could not be started"), "{}", missing.stderr);
}

/// A program that ignores signals is killed when the audit is interrupted.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_leaves_no_program_behind() {
    let place = Place::empty();
    let script = "trap '' INT TERM HUP; sleep 1000 & echo $$ $! > pids; wait";
    let audit = ["audit", "--claim", "epsilon=1", "--processes", "1", "--deadline", "100", "--", "sh", "-c", script];
    let mut run = place.command(&audit).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let since = std::time::Instant::now();
    let pids = loop {
        match std::fs::read_to_string(place.path("pids")) {
            Ok(pids) if pids.ends_with('\n') => break pids,
            _ if since.elapsed().as_secs() > 60 => panic!("the program was not started"),
            _ => std::thread::sleep(std::time::Duration::from_millis(20)),
        }
    };
    let told = std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    assert!(told.success());
    assert_eq!(run.wait().unwrap().code(), Some(130));
    for pid in pids.split_whitespace() {
        // Killed, but perhaps not yet reaped by its new parent.
        let state = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let gone = |state: String| state.is_empty() || state.contains(") Z ");
        let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while !gone(state()) && std::time::Instant::now() < until {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert!(gone(state()), "process {pid} is left behind");
    }
}
