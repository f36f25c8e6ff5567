//! A server for one curator on one machine: loopback only, behind a random token, until the program ends.
//!
//! Requests without the token get no information. A page of another site cannot read responses (no CORS), cannot
//! use another name of this host (the Host header is checked), and cannot write (a header that needs CORS is required).

use crate::page;
use crate::view::{Choice, Explorer};
use crate::write;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use deniable_core::text::printable_lines;
use serde_json::Value;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// The header that a request needs for writing.
const INTENT: &str = "x-deniable";

/// A server that did not start or stopped.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The system provides no random bits for the token.
    #[error("the system returned no random numbers: {0}")]
    Entropy(#[from] getrandom::Error),
    /// The port is taken, or the loopback device is missing.
    #[error("cannot listen on 127.0.0.1, port {port}: {error}")]
    Listen {
        /// The port asked for; 0 is any.
        port: u16,
        /// The error of the system.
        error: std::io::Error,
    },
    /// The server stopped.
    #[error("the page is no longer served: {0}")]
    Stopped(std::io::Error),
}

/// The state that all requests share.
struct PageServer {
    explorer: Explorer,
    hosts: [String; 2],
}

/// Serves the page until the program ends. `ready` is called with the address once the page can be opened.
///
/// # Errors
/// When it cannot be served.
pub fn serve(explorer: Explorer, port: u16, ready: &dyn Fn(&str)) -> Result<(), ServeError> {
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random)?;
    let token = deniable_core::text::hexadecimal(&random);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| ServeError::Listen { port, error })?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await;
        let listener = listener.map_err(|error| ServeError::Listen { port, error })?;
        let port = listener.local_addr().map_err(|error| ServeError::Listen { port, error })?.port();
        let served = PageServer { explorer, hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")] };
        ready(&format!("http://127.0.0.1:{port}/{token}/"));
        axum::serve(listener, router(&token, served)).await.map_err(ServeError::Stopped)
    })
}

fn router(token: &str, served: PageServer) -> Router {
    let served = Arc::new(served);
    let at = |name: &str| format!("/{token}/{name}");
    // Outside the token's folder every path gives 404, so the folder is not revealed.
    Router::new()
        .route(&at(""), get(index))
        .route(&at("explore.js"), get(|| async { ([(header::CONTENT_TYPE, "text/javascript")], page::SCRIPT) }))
        .route(&at("dials"), get(dials))
        .route(&at("view"), get(view))
        .route(&at("charts"), get(charts))
        .route(&at("own"), get(own))
        .route(&at("policy"), post(save))
        .route(&at("undo"), post(undo))
        .with_state(served.clone())
        .layer(middleware::from_fn_with_state(served, guard))
}

/// Accepts requests to this host's own names only, and keeps responses from other pages.
async fn guard(State(served): State<Arc<PageServer>>, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    if !host.is_some_and(|host| served.hosts.iter().any(|own| own == host)) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src data:; frame-ancestors 'none'; \
             base-uri 'none'; form-action 'none'",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn index(State(served): State<Arc<PageServer>>) -> Html<String> {
    Html(printable_lines(&page::page(&served.explorer)).into_owned())
}

/// The interval of priors, in whole percents; the policy's own if absent.
#[derive(serde::Deserialize)]
struct Interval {
    low: Option<u32>,
    high: Option<u32>,
}

async fn dials(State(served): State<Arc<PageServer>>, Query(interval): Query<Interval>) -> Response {
    answer(move || served.explorer.dials(interval.low, interval.high).map(|dials| page::dials(&dials))).await
}

async fn view(State(served): State<Arc<PageServer>>, Query(choice): Query<Choice>) -> Response {
    answer(move || served.explorer.view(&choice)).await
}

async fn charts(State(served): State<Arc<PageServer>>, Query(choice): Query<Choice>) -> Response {
    answer(move || served.explorer.charts(&choice)).await
}

async fn own(State(served): State<Arc<PageServer>>) -> Response {
    answer(move || Ok(page::own(&served.explorer))).await
}

async fn save(State(served): State<Arc<PageServer>>, headers: HeaderMap, Json(choice): Json<Choice>) -> Response {
    if !is_intended(&headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    answer(move || write::write(&served.explorer, &choice).map_err(|error| error.to_string())).await
}

async fn undo(State(served): State<Arc<PageServer>>, headers: HeaderMap) -> Response {
    if !is_intended(&headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    answer(move || write::undo(&served.explorer).map_err(|error| error.to_string())).await
}

/// Whether a page of this server sent the request: other sites cannot set the header.
fn is_intended(headers: &HeaderMap) -> bool {
    headers.get(INTENT).is_some_and(|value| value == "write")
}

/// The same value with all invisible characters of its texts escaped: the page shows the texts unchanged.
fn visible(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(printable_lines(&text).into_owned()),
        Value::Array(all) => all.into_iter().map(visible).collect(),
        Value::Object(all) => all.into_iter().map(|(key, value)| (key, visible(value))).collect(),
        other => other,
    }
}

/// Computes outside the server's own thread, and responds with JSON; a refusal is a sentence for the page.
async fn answer<T: serde::Serialize + Send + 'static>(
    compute: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Response {
    match tokio::task::spawn_blocking(compute).await {
        Ok(Ok(found)) => match serde_json::to_value(found) {
            Ok(found) => Json(visible(found)).into_response(),
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        },
        Ok(Err(refusal)) => (StatusCode::UNPROCESSABLE_ENTITY, printable_lines(&refusal).into_owned()).into_response(),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "this choice could not be computed").into_response(),
    }
}
