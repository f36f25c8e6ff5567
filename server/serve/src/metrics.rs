//! Readiness and counts of the server, for the curator alone: on their own port and behind their own secret, because
//! the activity of analysts depends on answers.

use crate::server::Service;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;

const LEAST_SECRET: usize = 16;

/// The endpoint of the metrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metrics {
    /// The address to listen on, of this machine.
    pub listen: SocketAddr,
    /// The environment variable with the token for `Authorization: Bearer`. Only the server and its scraper need it.
    pub variable: String,
}

impl Metrics {
    /// The secret from the environment variable.
    ///
    /// # Errors
    /// When the variable is not set, or its value is too short.
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
    /// Compared as hashes, so that the time does not depend on how much of a wrong secret is right.
    secret: blake3::Hash,
}

/// Serves metrics until the server ends.
pub async fn tell(listener: TcpListener, secret: String, served: Arc<Service>) {
    let told = MetricsState { served, secret: blake3::hash(secret.as_bytes()) };
    let router = Router::new()
        .route("/metrics", get(counted))
        .route("/ready", get(|| async { "ready\n" }))
        .with_state(told.clone())
        .layer(middleware::from_fn_with_state(told, guard));
    // Serving ends with the runtime at the latest.
    let _ = axum::serve(listener, router).await;
}

async fn guard(State(told): State<MetricsState>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).and_then(|given| given.to_str().ok());
    let given = given.and_then(|given| given.strip_prefix("Bearer ")).unwrap_or_default();
    // Comparing hashes takes the same time for all inputs.
    if blake3::hash(given.as_bytes()) != told.secret {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    next.run(request).await
}

async fn counted(State(told): State<MetricsState>) -> Response {
    let (open, waiting) = (told.served.open_connections(), told.served.queue().depth());
    match told.served.log.counts.in_words(open, waiting) {
        Ok(text) => ([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Counters since the start of the server.
#[derive(Debug, Default)]
pub struct Counts {
    /// Connections let in.
    pub connections: Counter,
    /// Wrong passwords, including those for names without an account.
    pub wrong_passwords: Counter,
    /// Queries charged, and then answered or refused.
    pub charged: Counter,
    /// Sum, over charged queries, of the grid steps that their answers took.
    pub steps: Counter,
    /// Failures whose cause is hidden from analysts.
    pub failures: Counter,
}

impl Counts {
    /// The counters in the OpenMetrics text format, with the numbers of open connections and of waiting queries.
    fn in_words(&self, open: usize, waiting: usize) -> Result<String, std::fmt::Error> {
        let gauge = |value: usize| {
            let gauge = Gauge::<i64>::default();
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
            gauge
        };
        let mut all = Registry::with_prefix("deniable");
        all.register("connections", "connections that were let in", self.connections.clone());
        all.register("open_connections", "connections that are open", gauge(open));
        let help = "wrong passwords, and names without an account";
        all.register("wrong_passwords", help, self.wrong_passwords.clone());
        let help = "queries that were charged, and answered or refused after that";
        all.register("charged", help, self.charged.clone());
        let help = "steps of the grid that the answers of charged queries took, together";
        all.register("steps", help, self.steps.clone());
        all.register("failures", "failures whose cause is hidden from analysts", self.failures.clone());
        all.register("waiting", "queries that wait for their turn", gauge(waiting));
        let mut text = String::new();
        encode(&mut text, &all)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_open_metrics() {
        let counts = Counts::default();
        counts.connections.inc();
        counts.steps.inc_by(7);
        let text = counts.in_words(3, 2).unwrap();
        let samples: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let expected = [
            "deniable_connections_total 1",
            "deniable_open_connections 3",
            "deniable_wrong_passwords_total 0",
            "deniable_charged_total 0",
            "deniable_steps_total 7",
            "deniable_failures_total 0",
            "deniable_waiting 2",
        ];
        assert_eq!(samples, expected);
        assert!(text.contains("# TYPE deniable_connections counter\n") && text.ends_with("# EOF\n"), "{text}");
    }
}
