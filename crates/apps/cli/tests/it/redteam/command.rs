//! Runs of `deniable ask`, each of which costs the whole promise.

use super::{
    Attacker, Attempt, CHARGED, DRAWING, Dice, Draws, PEOPLE, Sight, attacked, audited, entries, place, wait_for,
};
use crate::support::Place;
use deniable_testing::{Scale, scale, sized};
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SQL: &str = "SELECT COUNT(*) AS n FROM t";

/// An attacker with the command.
struct Commands {
    dice: Dice,
    /// Duration of a run.
    length: Duration,
    /// Folders of both data sets with ledgers without charges.
    unused: [Place; 2],
}

impl Commands {
    fn new(own_seed: u64) -> Self {
        let unused = [PEOPLE, PEOPLE + 1].map(|people| {
            let place = place(1, people);
            place.run(&["data", "check", "policy.toml"]).done();
            place
        });
        let begun = Instant::now();
        assert!(matches!(sight(start(&copy(&unused[0]), &[])), Sight::Number(_)));
        Self { dice: Dice::new(own_seed), length: begun.elapsed(), unused }
    }
}

/// A copy of a folder and its ledger.
fn copy(made: &Place) -> Place {
    let place = Place::in_memory();
    for name in made.files() {
        fs::copy(made.path(&name), place.path(&name)).unwrap();
    }
    place
}

fn start(place: &Place, more: &[&str]) -> Child {
    let args = ["ask", "policy.toml", SQL, "--spend", "1", "--format", "json"];
    let mut command = place.command(&[&args, more].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

fn sight(child: Child) -> Sight {
    let output = child.wait_with_output().unwrap();
    let shown: Option<serde_json::Value> = serde_json::from_slice(&output.stdout).ok();
    match shown.and_then(|shown| shown["answers"][0]["rows"][0][0]["value"].as_i64()) {
        Some(number) => Sight::Number(number),
        None if output.status.code() == Some(1) => Sight::Refused,
        None => Sight::Ended,
    }
}

impl Attacker for Commands {
    fn kind(&mut self) -> &'static str {
        self.dice.pick(&["kill", "resume", "draw", "draw, again", "interrupt", "terminate", "processes"])
    }

    fn attack(&mut self, attack: &'static str, people: i64) -> Attempt {
        let place = copy(&self.unused[usize::try_from(people - PEOPLE).unwrap()]);
        // The first run of a ledger also records the entry that opens the account.
        let (before, mut sights) = (entries(&place) + 1, Vec::new());
        let mut first = start(&place, &[]);
        match attack {
            "processes" => {
                let second = start(&place, &[]);
                if self.dice.below(2) == 0 {
                    std::thread::sleep(self.dice.moment(self.length));
                    first.kill().unwrap();
                }
                sights.push(sight(second));
            }
            "interrupt" | "terminate" => {
                std::thread::sleep(self.dice.moment(self.length));
                let signal = if attack == "interrupt" { "-INT" } else { "-TERM" };
                let _ = Command::new("kill").args([signal, &first.id().to_string()]).status();
            }
            _ => {
                match attack {
                    "kill" => std::thread::sleep(self.dice.moment(self.length)),
                    "resume" => wait_for(&place, before + CHARGED, &mut first),
                    _ => wait_for(&place, before + DRAWING, &mut first),
                }
                first.kill().unwrap();
            }
        }
        sights.push(sight(first));
        if attack == "draw, again" {
            sights.push(sight(start(&place, &["--again"])));
        }
        sights.push(sight(start(&place, &[])));
        let draws = Draws::read(&place, SQL);
        let is_shown = sights.iter().any(|sight| matches!(sight, Sight::Number(_)));
        assert_eq!(is_shown, draws.dead == 0, "{attack}: a dead charge is not answered: {sights:?}, {draws:?}");
        Attempt { attack, sights, draws }
    }
}

#[test]
fn no_attack_with_the_command_learns_more_than_was_paid() {
    let tally = if scale() == Scale::Slow {
        audited("command", vec![Commands::new(41), Commands::new(42)])
    } else {
        attacked("command", &mut Commands::new(41), sized(24, 60))
    };
    assert_eq!(tally.most_charges, 1, "the promise pays for one charge");
    assert!(tally.dead > 0 && tally.ended > tally.dead, "the kills came at other moments than meant: {tally:?}");
}
