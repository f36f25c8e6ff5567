//! A policy served over HTTP: each query is answered, charged to the ledger, and returned as JSON.
//!
//! ```console
//! cargo run --manifest-path examples/web/Cargo.toml       # examples/clinic, on port 8080 of this machine
//! curl http://127.0.0.1:8080/query --json '{"sql": "SELECT COUNT(*) AS n FROM visits", "spend": "1/40"}'
//! ```
//!
//! The server has no accounts: all clients share one budget, and calls queue, so a client that sends several requests
//! at once can measure the duration of other clients' answers. Add authentication and a queue for each analyst before
//! it listens to other machines, and give each analyst a part of the budget (`Session::paid_by`).
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]

use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use deniable::exact::parse_rational;
use deniable::{Code, Diagnose, Diagnostic, Error, PlanReport, Query, Session, Surface};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Answers, and failures that depend on private rows, are sent at whole multiples of this after the request, because
/// their duration depends on private rows. It must be longer than the longest answer takes.
const STEP: Duration = Duration::from_secs(1);

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = std::env::args().nth(1).unwrap_or_else(|| "examples/clinic/policy.toml".to_owned());
    let session = Session::open(policy)?;
    session.register(&[]).await?; // the curator's check of the data, once for each version
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, app(session)).await?;
    Ok(())
}

/// The routes over a session whose data are registered.
pub fn app(session: Session) -> Router {
    let server = Server { session, turn: Arc::default() };
    Router::new().route("/query", post(answer)).route("/left", get(left)).route("/plan", get(plan)).with_state(server)
}

/// A session, and the turn of the request that may use it.
#[derive(Clone)]
struct Server {
    session: Session,
    turn: Arc<Mutex<()>>,
}

impl Server {
    /// Runs one request at a time, each for a whole number of steps. A client that disconnects does not end its turn early.
    async fn in_turn<T, W>(self, work: impl FnOnce(Session) -> W + Send + 'static) -> Result<T, Refusal>
    where
        T: Send + 'static,
        W: Future<Output = Result<T, Refusal>> + Send,
    {
        let turn = tokio::spawn(async move {
            let _turn = self.turn.lock().await;
            let begun = Instant::now();
            let done = work(self.session).await;
            let steps = begun.elapsed().as_millis() / STEP.as_millis() + 1;
            tokio::time::sleep_until(begun + STEP * u32::try_from(steps).unwrap_or(u32::MAX)).await;
            done
        });
        turn.await.unwrap_or_else(|_| Err(Refusal::from(&Error::Ended)))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    sql: String,
    /// The share of the whole promise that the query may use, as text: a float is not exact.
    spend: String,
}

/// Answers a query. The publication contains the answer with its intervals, noise and warnings, and the guarantee.
async fn answer(
    State(server): State<Server>,
    request: Result<Json<Request>, JsonRejection>,
) -> Result<Response, Refusal> {
    let Json(Request { sql, spend }) = request.map_err(|error| {
        let help = r#"send {"sql": "SELECT ...", "spend": "1/40"} with the header Content-Type: application/json"#;
        Refusal::new(StatusCode::BAD_REQUEST, &[Diagnostic::new(Code::Usage, error.body_text()).with_help(help)])
    })?;
    let share = parse_rational(&spend).map_err(|error| {
        let help = r#"write `spend` as a fraction, such as "1/40""#;
        Refusal::new(StatusCode::BAD_REQUEST, &[Diagnostic::new(Code::Usage, error).with_help(help)])
    })?;
    let query = Query::new("web", sql, share);
    let answer = |session: Session| async move {
        let planning = session.clone();
        let call = blocking(move || planning.ask(&query)).await?; // plans on this thread
        let released = call.await?;
        Ok((released, blocking(move || session.left()).await?)) // reads the ledger's file
    };
    let (released, left) = server.in_turn(answer).await?;
    if let Some(unanswered) = released.unanswered.first() {
        return Err(Refusal::from(&unanswered.error)); // charged: the same query resumes at no cost
    }
    #[derive(Serialize)]
    struct Body<'a> {
        publication: &'a deniable::Publication,
        left: String,
    }
    Ok(respond(StatusCode::OK, &Body { publication: &released.publication, left: left.to_string() }))
}

/// The remaining share of the promise, for all clients together.
async fn left(State(server): State<Server>) -> Result<Response, Refusal> {
    let left = server.in_turn(|session| blocking(move || session.left())).await?;
    let share = left.share().map(|share| share.to_string());
    Ok(respond(StatusCode::OK, &json!({ "share": share, "left": left.to_string() })))
}

/// The costs and expected errors of the policy's own queries, without data.
async fn plan(State(server): State<Server>) -> Result<Response, Refusal> {
    let report = |session: Session| blocking(move || Ok(PlanReport::new(session.plan(), session.account()?.as_ref())));
    let report = server.in_turn(report).await?;
    Ok(respond(StatusCode::OK, &report))
}

/// Runs work that reads files or computes outside the threads of the runtime.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Result<T, Refusal> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result.map_err(|error| Refusal::from(&error)),
        Err(_) => Err(Refusal::from(&Error::Ended)),
    }
}

/// JSON that keeps every digit of a number for clients that read numbers as floats.
fn respond(status: StatusCode, body: &impl Serialize) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], deniable::json(body)).into_response()
}

/// A status, and the part of an error that the analyst may read.
struct Refusal(StatusCode, Value);

impl Refusal {
    fn new(status: StatusCode, diagnostics: &[Diagnostic]) -> Self {
        Self(status, json!({ "errors": diagnostics }))
    }
}

impl From<&Error> for Refusal {
    /// An error that is not public depends on private rows: its text goes only to the curator's log, not to the client.
    fn from(error: &Error) -> Self {
        let diagnostics = error.diagnostics(Surface::Library);
        if !error.is_public() {
            diagnostics.iter().for_each(|diagnostic| eprintln!("{diagnostic}"));
            let hidden = Diagnostic::new(Code::Other, "the server could not answer").with_help("ask the curator");
            return Self::new(StatusCode::INTERNAL_SERVER_ERROR, &[hidden]);
        }
        let is_budget = diagnostics.iter().any(|diagnostic| diagnostic.code == Code::Budget);
        Self::new(if is_budget { StatusCode::PAYMENT_REQUIRED } else { StatusCode::BAD_REQUEST }, &diagnostics)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        respond(self.0, &self.1)
    }
}
