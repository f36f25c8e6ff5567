//! Programs that follow the protocol and programs that do not. No process remains afterwards.

use deniable_audit::{
    Deadlines, InputAdjacency, Mechanism, MechanismError, Neighbours, Outputs, Program, Settings, Value, audit,
};
use deniable_core::budget::Spend;
use deniable_core::exact::ratio;
use std::time::{Duration, Instant};

/// Reads requests, and runs the given lines of shell, where `$n` is the number of outputs due.
fn shell(body: &str) -> Program {
    let script = format!(r#"while read -r line; do n=${{line##*\"times\":}}; n=${{n%\}}}}; {body}; done"#);
    let mut program = Program::new("sh", &["-c", &script]);
    program.deadlines = Deadlines { first: Duration::from_secs(20), later: Duration::from_secs(20) };
    program
}

/// Runs the given command `$n` times.
fn each(what: &str) -> String {
    format!("i=0; while [ $i -lt $n ]; do {what}; i=$((i+1)); done")
}

/// Whether a process runs; a zombie does not.
fn runs(id: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{id}/stat"))
        .is_ok_and(|stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z')))
}

/// The error of requesting outputs, after checking that the program has ended.
fn failure(program: &Program, times: usize) -> MechanismError {
    let mut process = program.start().unwrap();
    let id = process.id().to_string();
    let mut out = Outputs::new();
    let first = process.sample(&[1, 2], times, &mut out);
    let error = first.and_then(|()| process.sample(&[2, 2], times, &mut out)).unwrap_err();
    drop(process);
    if cfg!(target_os = "linux") {
        assert!(!std::path::Path::new(&format!("/proc/{id}")).exists(), "process {id} is left behind");
    }
    error
}

#[test]
fn outputs_arrive_in_every_form() {
    for (line, expected) in [
        ("echo 7", vec![Value::Integer(7)]),
        ("echo 0.1", vec![Value::Number(0.1)]),
        ("echo '\"none\"'", vec![Value::Label("none".to_owned())]),
        ("echo '[1, \"a\", 2.5]'", vec![Value::Integer(1), Value::Label("a".to_owned()), Value::Number(2.5)]),
    ] {
        let mut process = shell(&each(line)).start().unwrap();
        let mut out = Outputs::new();
        process.sample(&[3, -1], 5000, &mut out).unwrap();
        process.sample(&[4, -1], 3, &mut out).unwrap();
        assert_eq!(out.len(), 5003);
        let last: Vec<Value> = out.row(5002).iter().map(|cell| Value::of(*cell, out.labels())).collect();
        assert_eq!(last, expected);
    }
}

#[test]
fn a_program_that_is_not_there() {
    let error = Program::new("./no-such-mechanism", &[]).start().unwrap_err().to_string();
    assert!(error.starts_with("`./no-such-mechanism` could not be started: "), "{error}");
}

#[test]
fn crashes() {
    let at_once = Program::new("sh", &["-c", "exit 3"]);
    let error = failure(&at_once, 5).to_string();
    let expected = "`sh` ended (exit status: 3) after line 0 of its output, with 5 of 5 outputs still due";
    assert_eq!(error, expected);
    let midway = shell("echo 1; echo 2; exit 4");
    let expected = "`sh` ended (exit status: 4) after line 2 of its output, with 3 of 5 outputs still due";
    assert_eq!(failure(&midway, 5).to_string(), expected);
    let half_a_line = shell("echo 1; printf 2; exit 0");
    let expected = "`sh` ended (exit status: 0) after line 1 of its output, with 4 of 5 outputs still due";
    assert_eq!(failure(&half_a_line, 5).to_string(), expected);
}

#[test]
fn a_program_that_hangs_is_ended_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("id");
    let mut program = shell(&format!("sleep 1000 & echo $! > '{}'; echo 1; sleep 1000", file.display()));
    program.deadlines = Deadlines { first: Duration::from_secs(20), later: Duration::from_millis(300) };
    let started = Instant::now();
    let error = failure(&program, 4).to_string();
    let expected =
        "`sh` wrote nothing for 0.3 s after line 1 of its output, with 3 of 4 outputs still due; it was ended";
    assert_eq!(error, expected);
    assert!(started.elapsed() < Duration::from_secs(60));
    let sleeper = std::fs::read_to_string(&file).unwrap();
    let gone = || !runs(sleeper.trim());
    while !gone() && started.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(gone(), "process {} is left behind", sleeper.trim());
}

#[test]
fn invalid_lines_are_reported_by_number() {
    let error = failure(&shell("echo 1; echo hello; echo 3"), 3).to_string();
    assert_eq!(error, "line 2 of the output of `sh` is neither a number, nor a string, nor a list of these: \"hello\"");
    let error = failure(&shell("echo 1; echo; echo 3"), 3).to_string();
    assert_eq!(error, "line 2 of the output of `sh` is empty: \"\"");
    let error = failure(&shell("echo 1; echo '[1, 2'; echo 3"), 3).to_string();
    assert_eq!(error, "line 2 of the output of `sh` is a list that is not closed: \"[1, 2\"");
}

#[test]
fn wrong_counts() {
    let few = Program {
        deadlines: Deadlines { later: Duration::from_millis(200), ..Deadlines::default() },
        ..shell("echo 1; echo 2")
    };
    assert!(matches!(failure(&few, 3), MechanismError::Hangs { line: 2, missing: 1, asked: 3, .. }));
    let error = failure(&shell("echo 1; echo 2; echo 3"), 2).to_string();
    assert_eq!(error, "line 3 of the output of `sh` is one more than the requested outputs: \"3\"");
}

#[test]
fn a_change_of_form_is_detected_during_a_run() {
    let error = failure(&shell("echo 1; echo 2.5; echo '\"none\"'"), 3).to_string();
    assert_eq!(error, "line 3 of the output of `sh` is a string, but all lines before were a number: \"\\\"none\\\"\"");
}

#[test]
fn a_huge_line_is_rejected() {
    let error = failure(&shell("head -c 3000000 /dev/zero | tr '\\0' 9; echo"), 1).to_string();
    assert!(error.starts_with("line 1 of the output of `sh` is longer than 1048576 bytes: \"9999"), "{error}");
}

#[test]
fn several_processes_share_the_work() {
    // Random outputs would need randomness in the shell; returning the input itself is the simplest leak.
    let program = shell("v=${line#*[}; v=${v%%]*}; yes $v | head -n $n");
    let mut workers = program.start_several(2).unwrap();
    let neighbours = Neighbours::counts(InputAdjacency::OneEntry, 1);
    let settings = Settings { samples: 20_000, pairs: 2, seed: Some(1), ..Settings::default() };
    let claim = Spend::epsilon(ratio(1, 2)).unwrap();
    let verdict = audit(&mut workers, &neighbours, Some(&claim), &settings).unwrap();
    assert!(verdict.is_broken() && verdict.odds() > ratio(100, 1));
    let (best, text) = (verdict.best().unwrap(), verdict.to_string());
    assert!(best.hits[0] == best.trials && best.hits[1] == 0, "{text}");
}

#[test]
fn the_python_example_is_broken() {
    let there = std::process::Command::new("python3").arg("--version").output().is_ok_and(|out| out.status.success());
    if !there {
        deniable_testing::skipped(
            "there is no python3, so that examples/audit/half_noise.py is not audited",
            "install it",
        );
        return;
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../examples/audit/half_noise.py");
    let mut workers = Program::new("python3", &[file]).start_several(2).unwrap();
    let neighbours = Neighbours::counts(InputAdjacency::SameDirection, 1);
    let settings = Settings { samples: 100_000, pairs: 2, seed: Some(1), ..Settings::default() };
    let claim = Spend::epsilon(ratio(1, 2)).unwrap();
    let verdict = audit(&mut workers, &neighbours, Some(&claim), &settings).unwrap();
    assert!(verdict.is_broken(), "{verdict}");
    assert!(verdict.epsilon() > ratio(8, 10) && verdict.epsilon() < ratio(1, 1), "{verdict}");
}
