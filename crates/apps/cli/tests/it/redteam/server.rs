//! Queries of two analysts to a server that is sometimes killed. One thousandth of the promise pays for each query.
//! Each attack uses its own query, so that the observations are independent.

use super::{
    Attacker, Attempt, CHARGED, DRAWING, Dice, Draws, PEOPLE, Sight, attacked, audited, entries, place, wait_for,
};
use crate::serve::{Server, account, has_psql};
use crate::support::{Place, Run};
use deniable_testing::{Scale, scale, sized};
use std::io::Write;
use std::process::{Child, Command};
use std::time::Duration;

/// Queries of one ledger: each of two analysts can pay for 500.
const QUERIES: u64 = 300;
/// Charged answers are sent at multiples of this time.
const GRID: Duration = Duration::from_millis(20);

/// A server over one data set.
struct AttackedServer {
    place: Place,
    server: Server,
    queries: u64,
}

impl AttackedServer {
    fn start(people: i64) -> Self {
        let place = place(1_000, people);
        place.write("serve.toml", format!("answers_take = \"{}ms\"\n", GRID.as_millis()));
        for name in ["ana", "bo"] {
            account(&place, &["add", "policy.toml", name, "--share", "1/2"], "a").done();
        }
        let server = Server::of(&place);
        Self { place, server, queries: 0 }
    }

    /// Starts the query of one analyst.
    fn send(&self, user: &str, script: &str) -> Child {
        let mut client = self.server.connected(user, "a");
        client.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        client
    }

    fn kill_and_start_again(&mut self) {
        self.server.kill();
        self.server = Server::of(&self.place);
    }
}

fn sight(client: Child) -> Sight {
    let run = Run::of(client.wait_with_output().unwrap());
    match run.stdout.lines().nth_back(1).and_then(|line| line.parse().ok()) {
        Some(number) => Sight::Number(number),
        None if run.stderr.contains("ERROR") => Sight::Refused,
        None => Sight::Ended,
    }
}

/// An attacker with two accounts of a server.
struct Servers {
    dice: Dice,
    asked: [AttackedServer; 2],
}

impl Servers {
    fn new() -> Self {
        Self { dice: Dice::new(43), asked: [PEOPLE, PEOPLE + 1].map(AttackedServer::start) }
    }
}

impl Attacker for Servers {
    fn kind(&mut self) -> &'static str {
        // Two attacks in sixteen restart the server.
        match self.dice.below(16) {
            0 => "kill",
            1 => "draw",
            2..4 => "time-out",
            4..6 => "time-out of both",
            6..9 => "cancel",
            9..12 => "disconnect",
            12..14 => "both at once",
            _ => "parts",
        }
    }

    fn attack(&mut self, attack: &'static str, people: i64) -> Attempt {
        let asked = &mut self.asked[usize::try_from(people - PEOPLE).unwrap()];
        if asked.queries == QUERIES {
            *asked = AttackedServer::start(people);
        }
        asked.queries += 1;
        let sql = format!("SELECT COUNT(*) AS n FROM t WHERE id <> {}", 1_000 + asked.queries);
        let query = format!("/* deniable.spend = 1/1000 */ {sql};\n");
        let timed = format!("SET statement_timeout = {};\n{query}", 1 + self.dice.below(2 * GRID.as_millis() as u64));
        let mut sights = Vec::new();
        match attack {
            "kill" | "draw" => {
                let before = entries(&asked.place);
                let mut client = asked.send("ana", &query);
                if attack == "draw" {
                    wait_for(&asked.place, before + DRAWING, &mut client);
                } else {
                    wait_for(&asked.place, before + CHARGED, &mut client);
                    std::thread::sleep(self.dice.moment(GRID));
                }
                asked.kill_and_start_again();
                sights.push(sight(client));
            }
            "time-out" => sights.push(sight(asked.send("ana", &timed))),
            "time-out of both" => {
                let both = [asked.send("ana", &timed), asked.send("bo", &timed)];
                sights.extend(both.map(sight));
            }
            "both at once" => {
                let both = [asked.send("ana", &query), asked.send("bo", &query)];
                sights.extend(both.map(sight));
            }
            "cancel" | "disconnect" => {
                let mut client = asked.send("ana", &query);
                std::thread::sleep(self.dice.moment(4 * GRID));
                if attack == "cancel" {
                    // psql requests that the server cancels the query.
                    let _ = Command::new("kill").args(["-INT", &client.id().to_string()]).status();
                } else {
                    client.kill().unwrap();
                }
                sights.push(sight(client));
            }
            _ => {}
        }
        sights.extend([sight(asked.send("bo", &query)), sight(asked.send("ana", &query))]);
        let shown = sights.iter().filter(|sight| matches!(sight, Sight::Number(_))).count();
        assert!(shown >= 2, "{attack}: both analysts get the answer that they pay for: {sights:?}");
        Attempt { attack, sights, draws: Draws::read(&asked.place, &sql) }
    }
}

#[test]
fn no_attack_with_the_server_learns_more_than_was_paid() {
    if !has_psql() {
        return;
    }
    let tally = if scale() == Scale::Slow {
        audited("server", vec![Servers::new()])
    } else {
        attacked("server", &mut Servers::new(), sized(24, 40))
    };
    assert!(tally.dead > 0 && tally.ended > 0, "the kills came at other moments than meant: {tally:?}");
}
