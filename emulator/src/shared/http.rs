//! Requests of `HttpService`, and who answers them: nobody, unless the program that runs the world brings a handler.
//!
//! The emulator itself reaches no network.

use std::fmt;
use std::sync::Arc;

/// A request as a script makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    /// The address.
    pub url: String,
    /// `GET`, `POST`, ...
    pub method: String,
    /// Names and values of headers, in the order of the script's table.
    pub headers: Vec<(String, String)>,
    /// The bytes sent.
    pub body: Vec<u8>,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpResponse {
    /// The status code.
    pub status: u16,
    /// The words behind it, such as `Not Found`.
    pub reason: String,
    /// Names and values of headers.
    pub headers: Vec<(String, String)>,
    /// The bytes received.
    pub body: Vec<u8>,
}

type Handler = dyn Fn(&HttpRequest) -> Result<HttpResponse, String> + Send + Sync;

/// Answers the requests of a world's scripts. Errors of the handler are the script's: no answer came.
#[derive(Clone)]
pub struct HttpAnswers(Arc<Handler>);

impl HttpAnswers {
    /// Answers with a function of the embedding program.
    pub fn new(
        handler: impl Fn(&HttpRequest) -> Result<HttpResponse, String> + Send + Sync + 'static,
    ) -> HttpAnswers {
        HttpAnswers(Arc::new(handler))
    }

    /// The answer to a request.
    pub fn answer(&self, request: &HttpRequest) -> Result<HttpResponse, String> {
        (self.0)(request)
    }
}

impl fmt::Debug for HttpAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpAnswers")
    }
}
