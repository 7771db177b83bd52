//! One JSON document a run: `blinkblox-report/1`. Keys stand in a fixed order, and readers skip those they do not know.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::testing::report::{
    Cut, DiagnosticLine, Failure, FileReport, OutputLine, RunReport, Status, TestReport,
};

/// The format's name and version. Taking a key away or giving one another sense changes the number.
pub const FORMAT: &str = "blinkblox-report/1";

/// The report as one JSON document.
pub fn render(report: &RunReport) -> String {
    // A document of plain values has a form in JSON.
    let text = serde_json::to_string_pretty(&Document::of(report)).unwrap_or_default();
    text + "\n"
}

/// The tests of a run that ran none, as a document of the same form: what is listed has the status `listed`.
pub fn list(report: &RunReport, exit_code: u8) -> String {
    let mut document = Document::of(report);
    document.ended = LISTED.to_string();
    (document.success, document.exit_code) = (exit_code == 0, exit_code);
    document.totals.skipped = 0;
    for test in document.files.iter_mut().flat_map(|file| &mut file.tests) {
        test.status = LISTED.to_string();
    }
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

/// What a list says in place of how its run ended, and of how a test did.
const LISTED: &str = "listed";

/// A report from its document. Errors: where and why the text is none, for people.
pub fn parse(text: &str) -> Result<RunReport, String> {
    let document: Document = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if document.format != FORMAT {
        return Err(format!("its format is {}, and this version reads {FORMAT}", document.format));
    }
    document.report()
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    format: String,
    version: String,
    luau: String,
    seed: u64,
    settings: serde_json::Map<String, serde_json::Value>,
    #[serde(default)]
    flags: Vec<String>,
    shard: Option<Shard>,
    strict: bool,
    ended: String,
    success: bool,
    exit_code: u8,
    totals: Totals,
    seconds: f64,
    trace: Option<String>,
    files: Vec<File>,
}

#[derive(Serialize, Deserialize)]
struct Shard {
    index: u32,
    count: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Totals {
    tests: usize,
    passed: usize,
    failed: usize,
    flaky: usize,
    skipped: usize,
    broken_files: usize,
}

#[derive(Serialize, Deserialize)]
struct File {
    path: String,
    error: Option<String>,
    #[serde(default)]
    warnings: Vec<String>,
    tests: Vec<Test>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    number: u32,
    full_name: String,
    blocks: Vec<String>,
    name: String,
    line: u32,
    signals: Option<String>,
    seed: Option<u64>,
    status: String,
    attempts: u32,
    virtual_seconds: f64,
    seconds: f64,
    failure: Option<Fault>,
    again: Option<String>,
    output: Vec<Line>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Serialize, Deserialize)]
struct Fault {
    kind: String,
    message: String,
    expected: Option<String>,
    actual: Option<String>,
    place: Option<String>,
    trace: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schema: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    side: String,
    t: f64,
    level: String,
    text: String,
}

#[derive(Serialize, Deserialize)]
struct Diagnostic {
    code: String,
    class: String,
    side: String,
    t: f64,
    text: String,
}

impl Document {
    fn of(report: &RunReport) -> Document {
        let totals = report.totals();
        let setting = |(name, value): &(String, String)| (name.clone(), value.clone().into());
        Document {
            format: FORMAT.to_string(),
            version: blinkblox_compiler::VERSION.to_string(),
            luau: crate::vm::LUAU_VERSION.to_string(),
            seed: report.seed,
            settings: report.settings.iter().map(setting).collect(),
            flags: report.flags.clone(),
            shard: report.shard.map(|(index, count)| Shard { index, count }),
            strict: report.strict,
            ended: report.cut.map_or("complete", Cut::name).to_string(),
            success: report.exit_code() == 0,
            exit_code: report.exit_code(),
            totals: Totals {
                tests: totals.tests(),
                passed: totals.passed,
                failed: totals.failed,
                flaky: totals.flaky,
                skipped: totals.skipped,
                broken_files: totals.broken_files,
            },
            seconds: report.wall.as_secs_f64(),
            trace: report.trace_path.clone(),
            files: report.files.iter().map(|file| File::of(report, file)).collect(),
        }
    }

    fn report(self) -> Result<RunReport, String> {
        let cut = match self.ended.as_str() {
            "complete" => None,
            LISTED => return Err("it lists tests, of which none was run".to_string()),
            name => Some(
                [Cut::Bail, Cut::Interrupted, Cut::OutOfTime]
                    .into_iter()
                    .find(|cut| cut.name() == name)
                    .ok_or_else(|| format!("no run ends by \"{name}\""))?,
            ),
        };
        let text = |value: serde_json::Value| value.as_str().map_or(value.to_string(), str::to_owned);
        Ok(RunReport {
            files: self.files.into_iter().map(File::report).collect::<Result<_, _>>()?,
            seed: self.seed,
            wall: seconds(self.seconds)?,
            cut,
            shard: self.shard.map(|shard| (shard.index, shard.count)),
            strict: self.strict,
            settings: self.settings.into_iter().map(|(name, value)| (name, text(value))).collect(),
            flags: self.flags,
            trace_path: self.trace,
        })
    }
}

/// A length of time that a document gives. Errors: it is none.
fn seconds(value: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(value).map_err(|_| format!("{value} is no number of seconds"))
}

impl File {
    fn of(report: &RunReport, file: &FileReport) -> File {
        File {
            path: file.path.clone(),
            error: file.load_error.clone(),
            warnings: file.warnings.clone(),
            tests: file.tests.iter().map(|test| Test::of(report, file, test)).collect(),
        }
    }

    fn report(self) -> Result<FileReport, String> {
        Ok(FileReport {
            path: self.path,
            load_error: self.error,
            warnings: self.warnings,
            tests: self.tests.into_iter().map(Test::report).collect::<Result<_, _>>()?,
            ..FileReport::default()
        })
    }
}

impl Test {
    fn of(report: &RunReport, file: &FileReport, test: &TestReport) -> Test {
        let failure = test.status.failure();
        Test {
            number: test.number,
            full_name: test.full_name(),
            blocks: test.blocks.clone(),
            name: test.name.clone(),
            line: test.line,
            signals: test.mode.map(str::to_owned),
            seed: test.seed,
            status: test.status.name().to_string(),
            attempts: test.attempts,
            virtual_seconds: test.virtual_seconds,
            seconds: test.wall.as_secs_f64(),
            failure: failure.map(|failure| Fault {
                kind: if failure.is_error { "error" } else { "failure" }.to_string(),
                message: failure.message.clone(),
                expected: failure.expected.clone(),
                actual: failure.actual.clone(),
                place: failure.place.clone(),
                trace: failure.trace.clone(),
                schema: failure.schema.clone(),
            }),
            again: failure.map(|_| report.repro(file, test)),
            output: test
                .output
                .iter()
                .map(|line| Line {
                    side: line.side.clone(),
                    t: line.at,
                    level: line.level.clone(),
                    text: line.text.clone(),
                })
                .collect(),
            diagnostics: test
                .diagnostics
                .iter()
                .map(|line| Diagnostic {
                    code: line.code.clone(),
                    class: line.class.clone(),
                    side: line.side.clone(),
                    t: line.at,
                    text: line.text.clone(),
                })
                .collect(),
        }
    }

    fn report(self) -> Result<TestReport, String> {
        let failure = self.failure.map(|fault| Failure {
            message: fault.message,
            expected: fault.expected,
            actual: fault.actual,
            place: fault.place,
            trace: fault.trace,
            is_error: fault.kind == "error",
            schema: fault.schema,
        });
        let status = match (self.status.as_str(), failure) {
            ("passed", _) => Status::Passed,
            ("skipped", _) => Status::Skipped,
            ("todo", _) => Status::Todo,
            ("failed", failure) => Status::Failed(failure.unwrap_or_default()),
            ("flaky", failure) => Status::Flaky(failure.unwrap_or_default()),
            (other, _) => return Err(format!("\"{}\" has the status \"{other}\"", self.full_name)),
        };
        let mode = match self.signals.as_deref() {
            None => None,
            Some("immediate") => Some("immediate"),
            Some("deferred") => Some("deferred"),
            Some(other) => return Err(format!("\"{}\" ran with the signals \"{other}\"", self.full_name)),
        };
        Ok(TestReport {
            mode,
            seed: self.seed,
            status,
            attempts: self.attempts,
            virtual_seconds: self.virtual_seconds,
            wall: seconds(self.seconds)?,
            output: self
                .output
                .into_iter()
                .map(|line| OutputLine { side: line.side, at: line.t, level: line.level, text: line.text })
                .collect(),
            diagnostics: self
                .diagnostics
                .into_iter()
                .map(|line| DiagnosticLine {
                    code: line.code,
                    class: line.class,
                    side: line.side,
                    at: line.t,
                    text: line.text,
                })
                .collect(),
            ..TestReport::new(self.number, self.blocks, self.name, self.line)
        })
    }
}
