//! Who is heard: requests to this machine by its own name, with the token, and from no web page.

use hyper::StatusCode;
use hyper::header::{HOST, HeaderMap, ORIGIN};

/// Header that carries the token. One of our own: a browser asks before it sends it, and is refused.
pub const TOKEN_HEADER: &str = "x-blinkblox-token";

/// Letters a token is drawn from: none that is mistaken for another.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// Letters of a drawn token; each holds five bits.
const LENGTH: usize = 26;
/// Fewest letters of a token that is given.
const SHORTEST: usize = 16;

/// What a request has to show.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A token nobody can guess. Errors: the machine has no random numbers.
    pub fn draw() -> Result<Token, String> {
        let mut bytes = [0_u8; LENGTH];
        getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
        Ok(Token(bytes.iter().map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect()))
    }

    /// A token somebody chose. Errors: it is too short, or has signs no header carries.
    pub fn given(text: &str) -> Result<Token, String> {
        let text = text.trim();
        if text.len() < SHORTEST {
            return Err(format!("a token has at least {SHORTEST} characters, this one {}", text.len()));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("a token is letters, digits and signs of ASCII, without spaces".to_string());
        }
        Ok(Token(text.to_string()))
    }

    /// Its letters.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether these are its letters. Takes equally long wherever they differ.
    fn is(&self, shown: &[u8]) -> bool {
        let own = self.0.as_bytes();
        let differing = own.iter().zip(shown).fold(0, |all, (own, shown)| all | (own ^ shown));
        own.len() == shown.len() && differing == 0
    }
}

/// Why a request is not answered.
#[derive(Debug)]
pub struct Refusal {
    /// The status of the response.
    pub status: StatusCode,
    /// A word for programs.
    pub kind: &'static str,
    /// A sentence for people.
    pub text: String,
}

impl Refusal {
    /// A refusal in words.
    pub fn new(status: StatusCode, kind: &'static str, text: String) -> Refusal {
        Refusal { status, kind, text }
    }
}

/// Decides by a request's head whether it is answered.
pub struct Guard {
    /// The token to show.
    pub token: Token,
    /// The port of this service.
    pub port: u16,
}

impl Guard {
    /// Errors: the request comes from a web page, is not meant for this machine, or has no token or another.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        if headers.contains_key(ORIGIN) {
            let text = "requests of web pages are refused: this one has an Origin".to_string();
            return Err(Refusal::new(StatusCode::FORBIDDEN, "origin", text));
        }
        // A name that was made to point here is not this machine's own.
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        if headers.get_all(HOST).iter().count() != 1 || !self.is_own(host) {
            let text = format!("this service is 127.0.0.1:{}, and not \"{host}\"", self.port);
            return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, "host", text));
        }
        let Some(shown) = headers.get(TOKEN_HEADER) else {
            let text = format!(
                "the token is missing: `blinkblox serve` prints it, and a request carries it as {TOKEN_HEADER}"
            );
            return Err(Refusal::new(StatusCode::UNAUTHORIZED, "no-token", text));
        };
        if headers.get_all(TOKEN_HEADER).iter().count() != 1 || !self.token.is(shown.as_bytes()) {
            let text =
                "the token is not that of this service: copy the one the running `blinkblox serve` prints";
            return Err(Refusal::new(StatusCode::UNAUTHORIZED, "wrong-token", text.to_string()));
        }
        Ok(())
    }

    fn is_own(&self, host: &str) -> bool {
        let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
        (name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost"))
            && port.parse::<u16>().is_ok_and(|port| port == self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(headers: &[(&'static str, &str)]) -> Option<&'static str> {
        let guard = Guard { token: Token::given("abcdefgh12345678").unwrap(), port: 4000 };
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        guard.check(&map).err().map(|refusal| refusal.kind)
    }

    #[test]
    fn only_this_machine_with_the_token_is_heard() {
        let token = ("x-blinkblox-token", "abcdefgh12345678");
        let host = ("host", "127.0.0.1:4000");
        assert_eq!(kind(&[host, token]), None);
        assert_eq!(kind(&[("host", "LOCALHOST:4000"), token]), None);
        assert_eq!(kind(&[host]), Some("no-token"));
        assert_eq!(kind(&[host, ("x-blinkblox-token", "abcdefgh12345679")]), Some("wrong-token"));
        assert_eq!(kind(&[host, ("x-blinkblox-token", "abcdefgh1234567")]), Some("wrong-token"));
        assert_eq!(kind(&[host, ("x-blinkblox-token", "")]), Some("wrong-token"));
        assert_eq!(kind(&[host, token, token]), Some("wrong-token"));
        assert_eq!(kind(&[host, token, ("origin", "null")]), Some("origin"));
        for wrong in ["127.0.0.1", "127.0.0.1:4001", "evil.example:4000", "127.0.0.1.evil.example:4000", ""] {
            assert_eq!(kind(&[("host", wrong), token]), Some("host"), "{wrong}");
        }
        assert_eq!(kind(&[token]), Some("host"));
        assert_eq!(kind(&[host, host, token]), Some("host"));
    }

    #[test]
    fn tokens_are_long_and_differ() {
        let (one, other) = (Token::draw().unwrap(), Token::draw().unwrap());
        assert_eq!(one.text().len(), LENGTH);
        assert_ne!(one.text(), other.text());
        assert!(Token::given("short").err().unwrap().contains("at least 16"));
        assert!(Token::given("sixteen letters !").is_err());
    }
}
