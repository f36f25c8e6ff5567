//! `check`, `recheck`, `translate` and `explain` on the command line, with usage errors.

use crate::support::{Place, workspace};
use std::fmt::Write;
use std::fs;

/// A folder with the files of `testdata/check`.
fn place() -> Place {
    let place = Place::empty();
    for file in fs::read_dir(workspace().join("testdata/check")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), place.path(&file.file_name().to_string_lossy())).unwrap();
    }
    place
}

/// Every command with its output.
fn told(place: &Place, commands: &[&str]) -> String {
    let mut text = String::new();
    for command in commands {
        let run = place.run(&command.split(' ').collect::<Vec<_>>());
        write!(text, "$ deniable {command}\n{}{}[{}]\n\n", run.stdout, place.plain(&run.stderr), run.code.unwrap())
            .unwrap();
    }
    text
}

/// The values of the README and of the file's own comment.
#[test]
fn the_example_is_broken_at_one_and_holds_at_ln_three() {
    let place = Place::empty();
    let file = workspace().join("examples/coin/mechanism.toml");
    let claim = |claim: &str| place.run(&["check", file.to_str().unwrap(), "--notion", "dp", "--claim", claim]);
    let broken = claim("epsilon=1");
    assert_eq!(broken.code, Some(1), "{broken:?}");
    assert!(broken.stdout.contains("witness") && broken.stdout.contains("is broken"), "{broken:?}");
    claim("epsilon=ln(3)").done();
}

#[test]
fn values_and_witnesses() {
    let commands = [
        "check kmax --k 2 --n 5 --family uniform --variant original",
        "check kmax --k 2 --n 5 --family uniform --variant corrected",
        "check kmax --k 3 --n 5 --family uniform",
        "check kmax --k 4 --n 5 --family uniform",
        "check kmax --k 2 --n 5 --notion nmp --family uniform",
        "check truncated-geometric --n 4 --ratio 1/2 --notion dp",
        "check randomized-response --n 2 --odds 3 --notion dp",
        "check randomized-response --n 2 --odds 3 --notion bounded-dp",
        "check noisy-max --notion dp",
        "check k-anonymity --values 30,31,31,38 --family uniform",
        "check response.toml --family independent --prior 1/5..4/5",
        "check response.json --notion posterior --prior ..1/2",
        "check response.csv --notion epsilon-at:1/10",
        "check response.parquet --notion delta:2",
        "check counts.toml --notion pmp --family uniform",
        "check counts.csv --notion dp-positive",
        "check counts.csv --notion rho:2",
        "check noisy-bits --notion semi-honest",
        "check noisy-bits --notion dp",
        "check identity --n 2 --notion zero-knowledge:1",
        "check response.toml --notion posterior --family explicit --priors priors.toml",
        "check response.toml --notion pmp --family explicit --priors priors.toml",
        "check randomized-response --n 2 --odds 3 --family box --prior 1/5..4/5",
    ];
    let place = place();
    let second =
        "[[prior]]\ndataset = [{ members = [], probability = 0.7 }, { members = [\"ann\"], probability = 0.3 }]\n";
    place.write("priors.toml", format!("[[prior]]\nindependent = {{ ann = \"1/10\" }}\n{second}"));
    insta::assert_snapshot!("values", told(&place, &commands));
}

/// All notions of both protocols, as E-5 needs them.
#[test]
fn everything_about_protocols() {
    let commands = [
        "check and-protocol --all",
        "check xor-protocol --all --party 2",
        "check response.toml --all --prior 1/5..4/5",
    ];
    insta::assert_snapshot!("everything", told(&place(), &commands));
}

#[test]
fn claims_decide_the_exit_status() {
    let commands = [
        "check kmax --k 2 --n 5 --family uniform --claim gain=3/2",
        "check randomized-response --n 3 --odds 3 --notion dp --claim odds=2.9",
        "check randomized-response --n 3 --odds 3 --notion dp --claim epsilon=1.1",
        "check response.toml --notion floor --prior 1/2..1/2 --claim posterior=1/4",
        "check response.toml --notion floor --prior 1/2..1/2 --claim posterior=0.26",
        "check noisy-bits --notion semi-honest --claim odds=3",
    ];
    insta::assert_snapshot!("claims", told(&place(), &commands));
}

#[test]
fn mistakes() {
    let place = place();
    place.write("short.toml", place.read("response.toml").replacen("\"1/4\"", "\"1/5\"", 1));
    place.write("negative.csv", place.read("response.csv").replace("{},no,3/4", "{},no,-1/4"));
    place.write("twice.csv", format!("{}ann,yes,3/4\n", place.read("response.csv")));
    place.write("stranger.json", place.read("response.json").replace("[\"ann\"], \"prob", "[\"anne\"], \"prob"));
    place.write("missing.csv", "dataset,output,probability\na,x,1\nb,x,1\na b,x,1\n");
    place.write("notes.txt", "nothing");
    let commands = [
        "check",
        "check kmx",
        "check kmax --odds 3",
        "check kmax --n 60",
        "check kmax --k x",
        "check response.toml --k 2",
        "check response.toml --notion dpp",
        "check response.toml --notion rho",
        "check response.toml --notion dp --family uniform",
        "check response.toml --family unform",
        "check response.toml --family uniform --prior 1/5..4/5",
        "check response.toml --family independent --prior 4/5..1/5",
        "check response.toml --notion dp --claim gain=2",
        "check response.toml --notion dp --claim odds",
        "check response.toml --claim odds=2",
        "check response.toml --notion dp --party 2",
        "check response.toml --notion semi-honest",
        "check response.toml --notion rho:3",
        "check response.toml --family explicit",
        "check response.toml --family explicit --priors response.toml",
        "check response.toml --family box",
        "check response.toml --family uniform --priors priors.toml",
        "check missing.csv --notion pmp --family uniform",
        "check short.toml --notion dp",
        "check negative.csv --notion dp",
        "check twice.csv --notion dp",
        "check stranger.json --notion dp",
        "check floats.parquet --notion dp",
        "check nothing.toml --notion dp",
        "check notes.txt --notion dp",
        "check counts.toml --notion dp --certificate proof.json",
        "recheck nothing.json",
        "recheck response.json",
    ];
    insta::assert_snapshot!("mistakes", told(&place, &commands));
}

/// A certificate passes, and fails after a change of any digit.
#[test]
fn certificates() {
    let place = place();
    let check = |more: &str| {
        let command = format!("check {more} --certificate proof.json");
        let run = place.run(&command.split(' ').collect::<Vec<_>>()).done();
        assert!(run.stderr.contains("deniable recheck proof.json"), "{run:?}");
        let run = place.run(&["recheck", "proof.json"]).done();
        assert_eq!(run.stdout, "witness: right\nupper bound: right: nothing is worse\n", "{command}");
    };
    for more in [
        "kmax --k 2 --n 4 --family uniform",
        "randomized-response --n 2 --odds 3 --notion dp",
        "response.toml --family independent --prior 1/5..4/5",
        "exponential --notion bounded-dp",
        "kmax --k 2 --n 3 --family uniform --variant original",
        "randomized-response --n 2 --odds 3 --notion delta:2",
        "randomized-response --n 2 --odds 3 --notion crowd-blending:2",
        "randomized-response --n 2 --odds 3 --notion zero-knowledge:1",
    ] {
        check(more);
    }
    check("response.csv --notion dp");
    let proof = place.read("proof.json");
    let digits: Vec<usize> = proof.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
    for at in digits.iter().step_by(3) {
        let digit = proof.as_bytes()[*at];
        let other = if digit == b'9' { '8' } else { char::from(digit + 1) };
        let mut altered = proof.clone();
        altered.replace_range(*at..=*at, &other.to_string());
        place.write("altered.json", &altered);
        let run = place.run(&["recheck", "altered.json"]).refused();
        assert!(run.stderr.contains("altered.json: "), "{run:?}");
    }
}

/// A range that contains no belief together with its complement has no observer: every claim holds, and the output says
/// that the claim is vacuous.
#[test]
fn empty_family_of_priors_is_vacuous() {
    let place = place();
    place.write("view.csv", "party,x,y,view,output,probability\n1,0,0,a,,1\n1,0,1,b,,1\n2,0,0,,,1\n2,0,1,,,1\n");
    for (mechanism, certified) in [
        ("response.toml", true),
        ("randomized-response --n 2 --odds 3", true),
        ("counts.toml", false),
        ("view.csv", false),
    ] {
        for family in ["one-of-two --prior 1/5..2/5", "bounded --prior 41/100..49/100", "one-of:50"] {
            for claim in ["", " --claim gain=1"] {
                let command = format!("check {mechanism} --notion pmp --family {family}{claim}");
                let run = place.run(&command.split(' ').collect::<Vec<_>>()).done();
                assert!(run.stdout.contains("vacuous, a promise about nothing"), "{command}: {run:?}");
                assert_eq!(run.stdout.contains("holds, and promises nothing"), !claim.is_empty(), "{command}: {run:?}");
            }
            if certified {
                let command = format!("check {mechanism} --notion pmp --family {family} --certificate proof.json");
                place.run(&command.split(' ').collect::<Vec<_>>()).done();
                let run = place.run(&["recheck", "proof.json"]).done();
                assert!(run.stdout.contains("the claim is vacuous"), "{command}: {run:?}");
            }
        }
    }
}

/// Forty people have too many datasets for a table, but forty-one counts.
#[test]
fn large_counts_are_decided_without_their_datasets() {
    let place = place();
    let rows = (0..=40).map(|count| {
        let (no, yes) = if count > 20 { ("1/4", "3/4") } else { ("3/4", "1/4") };
        format!("{count},no,{no}\n{count},yes,{yes}\n")
    });
    place.write("large.csv", format!("all,output,probability\n{}", rows.collect::<String>()));
    for (question, value) in [
        ("--notion delta:2", "delta = 1/4"),
        ("--notion epsilon-at:1/4", "odds = 2"),
        ("--notion rho:3", "rho = 1/3"),
        ("--notion beta:1/4", "beta = 0"),
        ("--notion posterior --family one-of:2", "posterior = 1/2"),
        ("--notion posterior --family independent --prior 1/5..1/2", "posterior = 3/4"),
        ("--notion induced-neighbours", "odds = 3"),
        ("--notion pmp --family one-of:4", "gain = 1"),
    ] {
        let command = format!("check large.csv {question}");
        let run = place.run(&command.split(' ').collect::<Vec<_>>()).done();
        assert!(run.stdout.contains(value), "{command}: {run:?}");
    }
    let boxed = place.run(&"check large.csv --family box --prior 1/5..4/5".split(' ').collect::<Vec<_>>()).done();
    assert!(boxed.stdout.contains("witness: after `"), "{boxed:?}");
    assert!(place.run(&["check", "--list"]).done().stdout.contains("induced-neighbours"));
}

/// The message about a written certificate names what `recheck` will not verify.
#[test]
fn an_upper_bound_that_takes_too_long_is_said_beforehand() {
    let place = place();
    let command = "check kmax --k 2 --n 12 --family one-of:6 --certificate proof.json";
    let run = place.run(&command.split(' ').collect::<Vec<_>>()).done();
    assert!(run.stderr.contains("but not the upper bound, which would take about"), "{run:?}");
    assert_eq!(place.run(&["recheck", "proof.json"]).code, Some(3));
}

/// Commands about priors alone: whether a family is scalable, and couplings of a prior.
#[test]
fn questions_about_priors() {
    let place = place();
    let prior = |each: [(&str, &str); 3]| {
        let dataset = |(members, mass)| format!("{{ members = [{members}], probability = \"{mass}\" }}");
        format!("[[prior]]\ndataset = [{}]\n", each.map(dataset).join(", "))
    };
    let one = prior([("\"1\", \"2\"", "1/2"), ("\"1\", \"3\"", "1/3"), ("\"2\", \"3\"", "1/6")]);
    let far = prior([("\"1\"", "1/2"), ("\"2\", \"3\"", "1/4"), ("\"3\"", "1/4")]);
    place.write("one.toml", &one);
    place.write("far.toml", &far);
    place.write("two.toml", format!("{one}\n{far}"));
    place.write("sure.toml", "[[prior]]\ndataset = [{ members = [\"1\"], probability = 1 }]\n");
    let commands = [
        "check response.toml --scalable",
        "check response.toml --scalable --family independent --prior ..4/5 --format json",
        "check kmax --k 2 --n 3 --scalable --family bounded --prior ..1/2",
        "check kmax --k 2 --n 3 --scalable --family bounded --prior ..1/4",
        "check kmax --k 2 --n 3 --scalable --family one-of:3",
        "check kmax --k 2 --n 3 --scalable --family explicit --priors two.toml",
        "check counts.csv --scalable --family uniform",
        "check kmax --k 2 --n 3 --coupling 1 --family explicit --priors one.toml",
        "check kmax --k 2 --n 3 --coupling 1 --family explicit --priors one.toml --notion dp --format json",
        "check kmax --k 2 --n 3 --coupling 1 --family explicit --priors far.toml",
        "check kmax --k 2 --n 3 --coupling 1 --family explicit --priors far.toml --format json",
        "check kmax --k 2 --n 3 --coupling 1 --family explicit --priors sure.toml",
        "check kmax --k 2 --n 3 --coupling 1 --family explicit --priors two.toml",
        "check kmax --k 2 --n 3 --coupling 4 --family explicit --priors one.toml",
        "check kmax --k 2 --n 3 --coupling 1 --family uniform",
        "check kmax --k 2 --n 3 --coupling 1 --family explicit --priors one.toml --notion pmp",
        "check kmax --k 2 --n 3 --scalable --notion dp",
        "check counts.csv --coupling 1 --family uniform",
    ];
    insta::assert_snapshot!("about_priors", told(&place, &commands));
}

#[test]
fn translations() {
    let commands = [
        "translate --from gain=3/2 --prior 1/5..4/5 --to epsilon,rho:100,posterior,alpha-beta",
        "translate --from epsilon=1 --to gain,bounded-epsilon,free-lunch",
        "translate --from bounded-odds=3 --to rho:2,rho:100,alpha-beta:1/4,odds",
        "translate --from odds=3/2 --from odds=2 --compose --to gain --prior 1/2..1/2",
        "translate --from gain=3/2 --from gain=2 --compose --to gain --prior 1/2..1/2",
        "translate --from odds=3 --from group=2,odds=2 --compose --to odds,group:2",
        "translate --from group=2,odds=2 --from odds=3 --compose --to odds,group:2",
        "translate --from gain=2@replace-one@1/10..2/5 --to posterior@replace-one@1/10..2/5,rho:3,bounded-odds",
        "translate --from gain=2@replace-one@1/10..2/5 --to gain@replace-one@1/10..9/20",
        "translate --from zero-knowledge:1=2 --to odds,free-lunch,crowd-blending:3,semi-honest",
        "translate --from crowd-blending:3=2 --to odds,rho:2,bayes-optimal",
        "translate --from epsilon=1 --to zero-knowledge:1,induced-neighbours:3,semi-honest,indistinguishable",
        "translate --from sampling=9/10,odds=11/10 --to odds",
        "translate --from alpha-beta=1/2,1/2:2/5..9/20 --to odds",
        "translate --from odds=3 --to alpha-beta:2/5..9/20",
        "translate --from odds=3 --from alpha-beta=1/2,1/2:2/5..9/20 --compose --to odds",
        "translate --from odds=2 --from odds=2 --to gain",
        "translate --from gian=2",
        "translate --from gain=1/2",
        "translate --from odds=3 --to epsilonn",
        "translate --from odds=3 --prior 3..4",
    ];
    insta::assert_snapshot!("translations", told(&place(), &commands));
    let json = place().run(&["translate", "--from", "odds=3", "--to", "gain", "--format", "json"]).done().json();
    assert_eq!(json[0]["direction"], "implies", "{json}");
    // A printed statement parses as a statement.
    let json =
        place().run(&["translate", "--from", "odds=3", "--to", "group-privacy:200", "--format", "json"]).done().json();
    let statement = json[0]["statement"].as_str().unwrap();
    let again = place().run(&["translate", "--from", statement, "--to", "odds", "--format", "json"]).done().json();
    assert_eq!(again[0]["from"], statement);
}

#[test]
fn explanations() {
    insta::assert_snapshot!(
        "explanations",
        told(&place(), &["explain pmp", "explain F-DB", "explain kmax", "explain B-3", "explain pnp"])
    );
    let all = place().run(&["explain", "--format", "json"]).done().json();
    assert!(all.as_array().unwrap().len() >= 90, "{}", all.as_array().unwrap().len());
}

/// Every name in `--list` is accepted.
#[test]
fn listed_names_are_accepted() {
    let place = place();
    let list = place.run(&["check", "--list"]).done().stdout;
    let names: Vec<&str> = list
        .split("Built-in mechanisms")
        .nth(1)
        .unwrap()
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("    "))
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        place.run(&["check", name, "--notion", "dp"]).done();
    }
}
