//! Objects of stores as files of a table: `scripts/s3 cargo test -p deniable-cli --features objects --test it --
//! objects::`.

use crate::support::{Place, Run, workspace};
use deniable_testing::{s3, s3_put};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

const SECRET: &str = "sec-ret";

fn run(place: &Place, args: &[&str], set: &[(&str, &str)]) -> Run {
    let mut command = place.command(args);
    let run = Run::of(command.envs(set.iter().copied()).output().unwrap());
    assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{run:?}");
    run
}

fn words(run: &Run) -> String {
    run.stderr.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

/// The example, with its rows as two objects below a prefix of the bucket.
fn clinic(prefix: &str) -> Place {
    let place = Place::clinic();
    let csv = place.read("visits.csv");
    let (names, rows) = csv.split_once('\n').unwrap();
    let half = rows[..rows.len() / 2].rfind('\n').unwrap() + 1;
    for (name, part) in [("1.csv", &rows[..half]), ("2.csv", &rows[half..])] {
        s3_put(&format!("{prefix}/{name}"), format!("{names}\n{part}").as_bytes());
    }
    place.edit("policy.toml", "path = \"visits.csv\"", &format!("path = \"s3://deniable/{prefix}/*.csv\""));
    place
}

/// The page's policy and commands, unchanged.
#[test]
fn the_page_works_as_it_is_written() {
    let Some(_) = s3() else { return };
    let page = std::fs::read_to_string(workspace().join("docs/how-to/object-stores.md")).unwrap();
    let block =
        |kind: &str| page.split(&format!("```{kind}\n")).nth(1).unwrap().split("```").next().unwrap().to_owned();
    let place = clinic("clinic");
    let path = block("toml").lines().find(|line| line.starts_with("path")).unwrap().to_owned();
    assert!(place.read("policy.toml").contains(&path), "{path}");
    let mut shown = Vec::new();
    for line in block("console").lines() {
        let args: Vec<&str> = line.strip_prefix("deniable ").unwrap().split(' ').collect();
        let nowhere = [("AWS_ENDPOINT", "http://127.0.0.1:1"), ("AWS_ENDPOINT_URL", "http://127.0.0.1:1")];
        // Stored answers need no store.
        shown.push(run(&place, &args, if shown.len() == 2 { &nowhere } else { &[] }).done().stdout);
    }
    assert_eq!(shown.len(), 3);
    assert_eq!(shown[1], shown[2]);
}

#[test]
fn a_policy_begins_with_the_columns_of_an_object() {
    let Some(_) = s3() else { return };
    let place = clinic("begin/visits");
    let run = |args: &[&str]| run(&place, &[&["init"], args].concat(), &[]);
    let found = run(&["s3://deniable/begin/visits/*.csv"]).done();
    for part in ["table = \"visits\"", "path = \"s3://deniable/begin/visits/*.csv\"", "\npatient = {"] {
        assert!(found.stdout.contains(part), "{part} {found:?}");
    }
    let one = run(&["s3://deniable/begin/visits/1.csv", "--out", "one.toml", "--table", "one"]).done();
    assert!(one.stdout.is_empty() && place.read("one.toml").contains("path = \"s3://deniable/begin/visits/1.csv\""));
    let none = run(&["s3://deniable/begin/none.csv"]).refused();
    assert!(none.stderr.contains("none.csv"), "{none:?}");
    run(&[&format!("s3://key:{SECRET}@deniable/begin/visits/1.csv")]).refused();
}

#[test]
fn an_object_that_was_replaced_is_refused_before_the_charge() {
    let Some(_) = s3() else { return };
    let place = clinic("changed");
    run(&place, &["data", "check", "policy.toml"], &[]).done();
    let second = std::fs::read(place.path("visits.csv")).unwrap();
    s3_put("changed/2.csv", &second);
    let refused = run(&place, &["release", "policy.toml"], &[]).refused();
    assert!(words(&refused).contains("have changed since version \"2024-06\" was registered"), "{refused:?}");
    assert_eq!(place.charges(), 0);
    // The same bytes, uploaded again, are the same rows, and so are the same files on this machine.
    let again = clinic("changed");
    assert_eq!(again.charges(), 0);
    run(&place, &["release", "policy.toml"], &[]).done();
    assert!(place.charges() > 0);
}

#[test]
fn stores_that_cannot_be_read_say_why_and_no_credentials() {
    let Some(address) = s3() else { return };
    let place = clinic("unread");
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    drop(silent);
    let release = ["release", "policy.toml", "--register"];
    let at = |url: &str| ["release", "policy.toml", "--register", "--data", url].map(str::to_owned);
    for (url, said) in [
        ("s3://deniable/nothing/*.csv", "no CSV file at s3://deniable/nothing/*.csv"),
        ("s3://no-such-bucket/x.csv", "no-such-bucket"),
        ("s3://key:sec-ret@deniable/x.csv", "does not name an object in a store"),
        ("ftp://deniable/x.csv", "is a URL"),
    ] {
        let args = at(url);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let refused = run(&place, &args, &[]).refused();
        assert!(words(&refused).contains(said), "{url}: {refused:?}");
    }
    // Plain HTTP is used only if the environment allows it.
    let refused = run(&place, &release, &[("AWS_ALLOW_HTTP", "false"), ("AWS_ENDPOINT", &address)]).refused();
    assert!(words(&refused).contains("does not answer"), "{refused:?}");
    assert_eq!(place.charges(), 0);
}

/// A proxy between the command and the store that changes answers to GET and HEAD.
fn between(change: impl Fn(usize, &str, Vec<u8>) -> Vec<u8> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let here = format!("http://{}", listener.local_addr().unwrap());
    let there = s3().unwrap().strip_prefix("http://").unwrap().to_owned();
    std::thread::spawn(move || {
        for (number, client) in listener.incoming().enumerate() {
            let mut client = client.unwrap();
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && client.read(&mut byte).is_ok_and(|count| count == 1) {
                head.push(byte[0]);
            }
            let head = String::from_utf8(head).unwrap();
            let asked = head.trim_end().to_owned() + "\r\nConnection: close\r\n\r\n";
            let mut store = TcpStream::connect(&there).unwrap();
            store.write_all(asked.as_bytes()).unwrap();
            let mut answer = Vec::new();
            store.read_to_end(&mut answer).unwrap();
            let _ = client.write_all(&change(number, &head, answer));
        }
    });
    here
}

#[test]
fn unexpected_store_responses_end_in_our_error() {
    let Some(_) = s3() else { return };
    let place = clinic("between");
    run(&place, &["data", "check", "policy.toml"], &[]).done();
    let release = |address: &str| {
        run(&place, &["release", "policy.toml"], &[("AWS_ENDPOINT", address), ("AWS_ENDPOINT_URL", address)])
    };
    let is_range = |head: &str| head.to_ascii_lowercase().contains("\r\nrange:");
    // A store that refuses access; its answer quotes a key.
    let forbidden = between(|_, _, _| {
        let body = format!("<Error><Code>AccessDenied</Code><Message>{SECRET}</Message></Error>");
        format!("HTTP/1.1 403 Forbidden\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
            .into_bytes()
    });
    assert!(words(&release(&forbidden).refused()).contains("denies this user access"));
    assert_eq!(place.charges(), 0, "the listing comes before the charge");
    // A store that ignores conditions and has another object by now.
    let other = between(move |_, head, answer| {
        if !is_range(head) {
            return answer;
        }
        let end = answer.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
        let (headers, body) = answer.split_at(end);
        let headers: Vec<String> = String::from_utf8(headers.to_vec())
            .unwrap()
            .lines()
            .map(|line| {
                if line.to_ascii_lowercase().starts_with("etag:") { "ETag: \"0\"".to_owned() } else { line.to_owned() }
            })
            .collect();
        [headers.join("\r\n").as_bytes(), body].concat()
    });
    let refused = release(&other).refused();
    assert!(words(&refused).contains("was replaced after it was found"), "{refused:?}");
    // A connection that ends in the middle of every answer.
    let cut =
        between(move |_, head, answer| if is_range(head) { answer[..answer.len() - 100].to_vec() } else { answer });
    let refused = release(&cut).refused();
    assert!(words(&refused).contains("does not answer") || words(&refused).contains("was interrupted"), "{refused:?}");
    // A store that is overloaded at first.
    let slow = between(|number, _, answer| match number {
        0..3 => b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec(),
        _ => answer,
    });
    release(&slow).done();
}
