//! Whether the server is ready, and what it counts: for the curator alone, on a port and behind a secret of their own, since what analysts do follows
//! from answers.

use crate::server::Service;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::net::TcpListener;

/// Characters of a secret.
const LEAST_SECRET: usize = 16;

/// Where it is told, and to whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metrics {
    /// An address of this machine.
    pub listen: SocketAddr,
    /// The variable of the environment with what stands behind `Authorization: Bearer`: the server alone needs it.
    pub variable: String,
}

impl Metrics {
    /// The secret.
    ///
    /// # Errors
    /// When the variable holds none that is long enough.
    pub fn secret(&self) -> Result<String, String> {
        let known = std::env::var(&self.variable).ok().filter(|secret| secret.len() >= LEAST_SECRET);
        known.ok_or_else(|| {
            format!("the variable {} needs a secret of at least {LEAST_SECRET} characters", self.variable)
        })
    }
}

#[derive(Clone)]
struct MetricsState {
    served: Arc<Service>,
    /// Compared as hashes, so that time tells nothing of how much of it was right.
    secret: blake3::Hash,
}

/// Tells until the server ends.
pub async fn tell(listener: TcpListener, secret: String, served: Arc<Service>) {
    let told = MetricsState { served, secret: blake3::hash(secret.as_bytes()) };
    let router = Router::new()
        .route("/metrics", get(counted))
        .route("/ready", get(|| async { "ready\n" }))
        .with_state(told.clone())
        .layer(middleware::from_fn_with_state(told, guard));
    // It ends with the runtime, or not at all.
    let _ = axum::serve(listener, router).await;
}

async fn guard(State(told): State<MetricsState>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).and_then(|given| given.to_str().ok());
    let given = given.and_then(|given| given.strip_prefix("Bearer ")).unwrap_or_default();
    // The comparison of hashes takes the same time for all.
    if blake3::hash(given.as_bytes()) != told.secret {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    next.run(request).await
}

async fn counted(State(told): State<MetricsState>) -> Response {
    let (log, queue) = (&told.served.log, told.served.queue());
    let all = [
        ("connections_total", "counter", "connections that were let in", log.connections.load(Ordering::Relaxed)),
        (
            "wrong_passwords_total",
            "counter",
            "wrong passwords, and names without an account",
            log.wrong_passwords.load(Ordering::Relaxed),
        ),
        ("connections", "gauge", "connections that are open", told.served.open_connections() as u64),
        (
            "charged_total",
            "counter",
            "queries that were charged, or refused when it came to that",
            log.answered.load(Ordering::Relaxed),
        ),
        (
            "steps_total",
            "counter",
            "steps of the grid that their answers took, together",
            log.steps.load(Ordering::Relaxed),
        ),
        (
            "failures_total",
            "counter",
            "failures that analysts are told nothing of",
            log.failures.load(Ordering::Relaxed),
        ),
        ("waiting", "gauge", "queries that wait for their turn", queue.depth() as u64),
    ];
    let text: String = all
        .iter()
        .map(|(name, kind, help, value)| {
            format!("# HELP deniable_{name} {help}\n# TYPE deniable_{name} {kind}\ndeniable_{name} {value}\n")
        })
        .collect();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}
