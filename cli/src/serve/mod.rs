//! The local compile service: what the Studio plugin and the library ask, answered over HTTP on this machine alone.
//! Source: tooling specification, 5.9.
//!
//! [`listen`] takes connections, `guard` decides who is heard, `requests` answers, `place` is the files of a place as
//! the compiler reads them. Nothing here reads or writes the disk.

mod guard;
mod place;
mod requests;

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Value, json};
use tokio::net::TcpListener;

pub use guard::Token;
use guard::{Guard, Refusal};

/// Most bytes of one request's body: the files of a place, as JSON.
const MAX_BODY: usize = 32 << 20;
/// Most bytes of one request's head.
const MAX_HEAD: usize = 32 << 10;
/// Longest wait for the head of a request, and for the whole of its body.
const PATIENCE: Duration = Duration::from_secs(20);
/// Most requests worked on at a time; others wait.
const AT_ONCE: usize = 4;
/// Stack of a thread that compiles: types may nest deep.
const STACK: usize = 64 << 20;

/// Listens on a port of this machine, 0 for a free one, and answers until the process ends. `ready` hears the port.
///
/// Errors: the port cannot be had.
pub fn listen(port: u16, token: Token, ready: impl FnOnce(u16)) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(AT_ONCE)
        .thread_stack_size(STACK)
        .build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let port = listener.local_addr()?.port();
        let guard = Arc::new(Guard { token, port });
        ready(port);
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                // Out of handles, most likely: others have to close first.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let guard = guard.clone();
            let answers = service_fn(move |request| answer(guard.clone(), request));
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(PATIENCE)
                // A client may be done writing before it has read.
                .half_close(true)
                .max_buf_size(MAX_HEAD)
                .serve_connection(TokioIo::new(stream), answers);
            // A client that breaks off is no trouble of ours.
            tokio::spawn(async move { drop(connection.await) });
        }
    })
}

/// The answer to one request, whatever it is.
async fn answer(guard: Arc<Guard>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(match take(&guard, request).await {
        Ok(value) => respond(StatusCode::OK, &value),
        Err(refusal) => {
            let mut response = respond(refusal.status, &refusal.document());
            if refusal.status == StatusCode::METHOD_NOT_ALLOWED {
                response.headers_mut().insert(ALLOW, hyper::header::HeaderValue::from_static("POST"));
            }
            response
        }
    })
}

async fn take(guard: &Guard, request: Request<Incoming>) -> Result<Value, Refusal> {
    guard.check(request.headers())?;
    let path = request.uri().path();
    let Some(ask) = requests::Ask::at(path) else {
        return Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "unknown-request",
            format!("there is no request {path}; there are {}", requests::Ask::paths().join(", ")),
        ));
    };
    if request.method() != Method::POST {
        let text = format!("{path} is asked with POST, not {}", request.method());
        return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method", text));
    }
    let body = read(request.into_body()).await?;
    // Compiling takes its time, and its stack; the loop that listens goes on.
    let work = tokio::task::spawn_blocking(move || requests::answer(ask, &body));
    work.await.unwrap_or_else(|_| {
        Err(Refusal::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            format!(
                "the compiler failed at this schema, which is its own fault (E4099, version {}); please report it",
                blinkblox_compiler::VERSION
            ),
        ))
    })
}

async fn read(body: Incoming) -> Result<Bytes, Refusal> {
    let whole = tokio::time::timeout(PATIENCE, Limited::new(body, MAX_BODY).collect()).await;
    match whole {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too-large",
            format!("a request has at most {} MiB", MAX_BODY >> 20),
        )),
        Ok(Err(_)) => {
            Err(Refusal::new(StatusCode::BAD_REQUEST, "broken-off", "the request broke off".to_string()))
        }
        Err(_) => {
            let text = format!("the request took longer than {} seconds to arrive", PATIENCE.as_secs());
            Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "timeout", text))
        }
    }
}

fn respond(status: StatusCode, value: &Value) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(value.to_string())));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, hyper::header::HeaderValue::from_static("no-store"));
    response
}

impl Refusal {
    /// The document a refusal is sent as.
    fn document(&self) -> Value {
        json!({
            "compiler": blinkblox_compiler::VERSION,
            "error": { "kind": self.kind, "message": self.text },
        })
    }
}
