//! Sixty-four concurrent releases, by sixteen policies of one population, into a ledger that does not exist yet and
//! cannot pay for all of them: they make the same promise, and identical queries show identical answers.

use crate::support::{Place, Run};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

const PROCESSES: usize = 64;
const POLICIES: usize = 16;
/// Each policy has one shared query and one of its own, each for a twelfth of the promise: 17 in total, of which 12
/// fit.
const FIT: usize = 12;
const SHARED: &str = "SELECT sex, COUNT(*) AS visits FROM visits GROUP BY sex";
/// A release of the clinic takes under a second; on a busy machine with one core all releases together may take this
/// long.
const BOUND: Duration = Duration::from_secs(300);

fn place() -> Place {
    let place = Place::clinic();
    place.edit("policy.toml", "spend = \"3/4\"", "spend = \"1/6\"");
    let clinic = place.read("policy.toml");
    let (facts, _) = clinic.split_once("[[query]]").unwrap();
    for policy in 0..POLICIES {
        let facts = facts.replace("name = \"clinic\"", &format!("name = \"policy {policy}\""));
        let queries = [SHARED.to_owned(), format!("SELECT COUNT(*) FROM visits WHERE age > {policy}")];
        let queries: String =
            queries.iter().map(|sql| format!("[[query]]\nshare = \"1/12\"\nsql = \"{sql}\"\n")).collect();
        place.write(&format!("{policy}.toml"), facts + &queries);
    }
    place
}

#[test]
#[expect(clippy::print_stderr, reason = "how long the crowd takes is worth knowing")]
fn sixty_four_releases_at_once() {
    let place = place();
    let began = Instant::now();
    let mut crowd: Vec<_> = (0..PROCESSES)
        .map(|process| {
            let policy = format!("{}.toml", process % POLICIES);
            let mut command =
                place.command(&["release", &policy, "--ledger", "all.ledger", "--format", "json", "--register"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    while crowd.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        if began.elapsed() > BOUND {
            crowd.iter_mut().for_each(|child| drop(child.kill()));
            panic!("some were not done after {BOUND:?}");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let took = began.elapsed();
    let runs: Vec<Run> = crowd.into_iter().map(|child| Run::of(child.wait_with_output().unwrap())).collect();

    // The ledger verifies, has spent exactly the promise, and has answers to all charges.
    let releases = place.releases();
    assert_eq!((releases.len(), place.spent().as_str()), (FIT, "3"));
    assert!(releases.iter().all(|release| release["answered"] == true), "{releases:?}");
    let charged = |policy: usize| {
        let name = format!("policy {policy}");
        releases.iter().any(|release| release["policy"] == name.as_str() && release["sql"] != SHARED)
    };
    let heads: Vec<String> = runs.iter().filter(|run| run.code == Some(0)).map(Run::head).collect();
    for head in &heads {
        place.run(&["ledger", "verify", "all.ledger", "--head", head]).done();
    }

    // Policies whose queries are all paid answer, the others fail; runs of one policy are identical byte for byte.
    let mut shown = BTreeMap::<usize, String>::new();
    let mut claims = Vec::<Value>::new();
    for (process, run) in runs.into_iter().enumerate() {
        let policy = process % POLICIES;
        if !charged(policy) {
            let refused = run.refused();
            assert!(
                refused.stderr.contains("is left")
                    || refused.stderr.contains("is used up")
                    || refused.stderr.contains("exceed"),
                "{refused:?}"
            );
            continue;
        }
        let done = run.done();
        let publication = done.json();
        assert_eq!(*shown.entry(policy).or_insert_with(|| done.stdout.clone()), done.stdout);
        let mut claim = publication["guarantee"].clone();
        claim["shared ask"] = publication["answers"][0].clone();
        claims.push(claim);
    }
    assert!(claims.iter().all(|claim| *claim == claims[0] && claim["shared ask"] != json!(null)), "{claims:#?}");
    eprintln!(
        "{PROCESSES} releases took {took:.1?}: {} of {POLICIES} policies answered, by {} processes",
        shown.len(),
        claims.len()
    );
    assert_eq!((shown.len(), claims.len()), (FIT - 1, (FIT - 1) * PROCESSES / POLICIES));
    // Later runs show all answers again, at no cost.
    for (policy, stdout) in shown {
        let again = place.run(&[
            "release",
            &format!("{policy}.toml"),
            "--ledger",
            "all.ledger",
            "--format",
            "json",
            "--register",
        ]);
        assert_eq!(again.done().stdout, stdout);
    }
    assert_eq!(place.charges(), FIT);
    assert!(place.files().iter().all(|name| !name.starts_with('.') && !name.ends_with(".new")), "{:?}", place.files());
}
