//! The server of examples/web, by its status codes: answers, errors of the analyst, an exhausted budget, and private
//! errors.

#[allow(dead_code, reason = "the example's main, which listens on a port of its own")]
#[path = "../../../../../examples/web/src/main.rs"]
mod example;

use deniable::exact::{ratio, whole};
use deniable::ledger::ChargeError;
use deniable::{Code, Diagnose, Error, Policy, ProtocolError, RegistrationMode, ReleaseError, Session, Spend, Surface};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

/// Serves a session on a loopback port until the runtime is dropped.
fn serve(session: Session) -> (tokio::runtime::Runtime, SocketAddr) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    runtime.spawn(async move { axum::serve(listener, example::app(session)).await });
    (runtime, address)
}

/// Sends one request, and returns the status and the JSON of the response.
fn send(address: SocketAddr, route: &str, body: &str) -> (u16, Value) {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let head = "HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json";
    write!(stream, "{route} {head}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {response}")))
}

fn ask(address: SocketAddr, sql: &str, spend: &str) -> (u16, Value) {
    send(address, "POST /query", &json!({ "sql": sql, "spend": spend }).to_string())
}

/// The only error of a response.
fn error(body: &Value) -> &Value {
    let errors = body["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{body}");
    assert!(errors[0]["help"].is_string(), "no help: {body}");
    &errors[0]
}

fn clinic(folder: &Path) -> Policy {
    Policy::load(&super::clinic()).unwrap().with_ledger(folder.join("clinic.ledger"))
}

#[test]
fn the_web_example_answers_and_refuses_with_statuses() {
    let folder = tempfile::tempdir().unwrap();
    let session = Session::new(clinic(folder.path())).unwrap().allowing(RegistrationMode::GoOn);
    session.register(&[]).wait().unwrap();
    let (_runtime, address) = serve(session.clone());
    let sql = "SELECT department, COUNT(*) AS n FROM visits GROUP BY department";

    let (status, body) = ask(address, sql, "1/40");
    assert_eq!(status, 200, "{body}");
    let answer = &body["publication"]["answers"][0];
    let [low, high] = ["low", "high"].map(|end| answer["rows"][0][1][end].as_i64().unwrap());
    assert!(low < high && answer["noise"][0]["scale"].is_string() && answer["warnings"].is_array(), "{answer}");
    assert_eq!(session.left().unwrap().exact_share(), Some(ratio(39, 40)));
    assert!(body["left"].as_str().unwrap().starts_with("39/40 of ln 3"), "{body}");
    let (status, again) = ask(address, sql, "1/40");
    assert_eq!((status, &again), (200, &body), "the same query is free, and has the same answer");

    let (status, other) = ask(address, "SELECT COUNT(*) AS n FROM visits WHERE smoker", "1/40");
    assert_eq!((status, other["publication"]["answers"][0]["share"].as_str()), (200, Some("1/40")), "{other}");
    let (status, left) = send(address, "GET /left", "");
    assert_eq!((status, left["share"].as_str()), (200, Some("19/20")));
    let (status, plan) = send(address, "GET /plan", "");
    assert_eq!((status, plan["queries"].as_array().unwrap().len()), (200, 5), "{plan}");

    // 19/20 of the promise does not cover the query, and the analyst may be told.
    let (status, body) = ask(address, "SELECT COUNT(*) AS n FROM visits", "1");
    assert_eq!((status, error(&body)["code"].as_str()), (402, Some("budget")), "{body}");

    for (request, code) in [
        ("{", "usage"),
        (r#"{"sql": "SELECT COUNT(*) FROM visits"}"#, "usage"),
        (r#"{"sql": "SELECT COUNT(*) FROM visits", "spend": 0.5}"#, "usage"),
        (r#"{"sql": "SELECT COUNT(*) FROM visits", "spend": "much"}"#, "usage"),
        (r#"{"sql": "SELECT COUNT(*) FROM visits", "spend": "2"}"#, "usage"),
        (r#"{"sql": "SELEC COUNT(*) FROM visits", "spend": "1/40"}"#, "query"),
        (r#"{"sql": "SELECT COUNT(*) FROM visit", "spend": "1/40"}"#, "query"),
    ] {
        let (status, body) = send(address, "POST /query", request);
        assert_eq!((status, error(&body)["code"].as_str()), (400, Some(code)), "{request}: {body}");
    }
    let (_, body) = ask(address, "SELECT COUNT(*) AS n FROM visits WHERE ages > 3", "1/40");
    let place = &error(&body)["place"];
    assert_eq!((&place["line"], &place["column"]), (&json!(1), &json!(40)), "{body}");
    assert_eq!(session.left().unwrap().exact_share(), Some(ratio(19, 20)), "errors charge nothing");
}

#[test]
fn the_web_example_takes_one_request_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let session = Session::new(clinic(folder.path())).unwrap().allowing(RegistrationMode::GoOn);
    session.register(&[]).wait().unwrap();
    let (_runtime, address) = serve(session);
    let begun = Instant::now();
    let asking = std::thread::spawn(move || ask(address, "SELECT COUNT(*) AS n FROM visits WHERE smoker", "1/40"));
    let left = std::thread::spawn(move || send(address, "GET /left", ""));
    let [asked, left] = [asking, left].map(|request| request.join().unwrap().0);
    assert_eq!((asked, left), (200, 200));
    assert!(begun.elapsed() >= Duration::from_secs(2), "a request was answered while another one had its turn");
}

#[test]
fn the_web_example_sends_no_detail_of_private_errors() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("visits.csv"), "patient\nsecret-name\n").unwrap();
    let policy = clinic(folder.path()).with_data_at(folder.path().join("visits.csv").display().to_string()).unwrap();
    let session = Session::new(policy).unwrap();
    let (_runtime, address) = serve(session.clone());
    let (status, body) = ask(address, "SELECT COUNT(*) AS n FROM visits", "1/40");
    let expected = json!([{ "code": "other", "help": "ask the curator", "message": "the server could not answer", "place": null }]);
    assert_eq!((status, &body["errors"]), (500, &expected));
    assert_eq!(session.left().unwrap().exact_share(), Some(whole(1)), "nothing was charged");
}

#[test]
fn a_budget_that_another_process_used_up_is_public() {
    let [cost, spent] = [2, 3].map(|odds| Spend::odds(whole(odds)).unwrap());
    let which = deniable_ledger::Limit::Account;
    let error = ChargeError::OverBudget { which, limit: spent.clone(), spent, cost };
    let protocol = ProtocolError::Charge { release: "web".to_owned(), error };
    let error = Error::Release(ReleaseError::Protocol(protocol));
    assert!(error.is_public() && error.diagnostics(Surface::Library)[0].code == Code::Budget);
    let other = ProtocolError::Charge { release: "web".to_owned(), error: ChargeError::CostsNothing };
    assert!(!Error::Release(ReleaseError::Protocol(other)).is_public());
}
