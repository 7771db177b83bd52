//! Requests of scripts: answered by the program that runs the world, or not at all.

use super::*;
use crate::shared::{HttpAnswers, HttpRequest, HttpResponse};

const SCRIPT: &str = "
local http = game:GetService('HttpService')
local function try(...)
	local ok, found = pcall(...)
	print(ok, found)
	return if ok then found else nil
end
try(http.GetAsync, http, 'http://here/text')
try(http.GetAsync, http, 'http://here/missing')
try(http.GetAsync, http, 'http://nowhere')
local response = try(http.RequestAsync, http, {
	Url = 'http://here/echo', Method = 'POST', Headers = { ['X-Key'] = 'k' }, Body = '\\0bytes',
})
if type(response) == 'table' then
	print(response.Success, response.StatusCode, response.StatusMessage, response.Headers['X-Method'], response.Body == 'k:\\0bytes')
end
try(http.RequestAsync, http, { Url = 'http://here/text', Body = 'x' })
try(http.RequestAsync, http, { Method = 'GET' })
";

fn answer(request: &HttpRequest) -> Result<HttpResponse, String> {
    let response = |status, reason: &str, body: &[u8]| HttpResponse {
        status,
        reason: reason.to_string(),
        headers: vec![("X-Method".to_string(), request.method.clone())],
        body: body.to_vec(),
    };
    match request.url.as_str() {
        "http://here/text" => Ok(response(200, "OK", b"text")),
        "http://here/echo" => {
            let key = request.headers.iter().find(|(name, _)| name == "X-Key").map(|(_, key)| key.as_bytes());
            Ok(response(201, "Created", &[key.unwrap_or_default(), b":", &request.body].concat()))
        }
        "http://here/missing" => Ok(response(404, "Not Found", b"")),
        _ => Err("HttpError: DnsResolve".to_string()),
    }
}

#[test]
fn requests_are_answered_by_the_program_that_runs_the_world() {
    for mode in MODES {
        let world =
            with_clients(WorldOptions { http: Some(HttpAnswers::new(answer)), ..options(mode, &[]) }, 0);
        run(&world, Side::Server, SCRIPT);
        let told = output(&world, Side::Server);
        assert_eq!(told[0], "true text");
        assert_eq!(told[1], "false HTTP 404 (Not Found)");
        assert_eq!(told[2], "false HttpError: DnsResolve");
        assert_eq!(told[4], "true 201 Created POST true");
        assert!(told[5].starts_with("false") && told[5].contains("cannot have a body"), "{told:?}");
        assert!(told[6].starts_with("false") && told[6].contains("Url"), "{told:?}");
        assert_eq!(told.len(), 7);
    }
}

#[test]
fn without_such_a_program_no_request_leaves_the_world() {
    let world = world(SignalMode::Deferred, &[], 0);
    run(&world, Side::Server, SCRIPT);
    let told = output(&world, Side::Server);
    assert_eq!(told[0], "false Http requests are not enabled. Enable via game settings");
    assert!(told[..4].iter().all(|line| line.contains("not enabled")), "{told:?}");
}
