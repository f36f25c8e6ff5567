//! Computations beside Python's threads. The caller waits for the result in short intervals, so that it can stop
//! waiting.
//!
//! A call without a waiting caller runs to its end: charged queries are computed and stored. Python's objects are
//! accessed by the waiting thread, never by the computing one.

use crate::failure::raised;
use crate::interpreter::detached;
use deniable::{Diagnose, Diagnostic, Surface};
use deniable::{Event, Origin};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde::Serialize;
use std::fmt::Display;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The kind of the message about a new ledger.
pub const NEW_LEDGER: &str = "new ledger";

/// The progress of a call, and the messages that the computing thread has reported.
#[derive(Debug, Default)]
pub struct CallProgress {
    what: String,
    rows: u64,
    bytes: Option<u64>,
    size: Option<u64>,
    /// The kind and text of each message.
    messages: Vec<(&'static str, String)>,
}

/// The progress shared by the computing thread and the waiting thread.
#[derive(Debug, Clone, Default)]
pub struct SharedProgress(Arc<Mutex<CallProgress>>);

impl SharedProgress {
    fn told(&self) -> MutexGuard<'_, CallProgress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a message until Python takes it.
    pub fn keep(&self, kind: &'static str, message: String) {
        self.told().messages.push((kind, message));
    }

    /// Reports the current step and its progress.
    pub fn at(&self, what: &str, rows: u64, bytes: Option<u64>, size: Option<u64>) {
        self.told().at(what, rows, bytes, size);
    }

    /// Keeps the progress and messages of a session until Python takes them.
    pub fn hear(&self, event: Event<'_>) {
        use deniable::Step;
        let mut told = self.told();
        let mut say = |kind, text: String| told.messages.push((kind, text));
        match event {
            Event::NewLedger(path) => say(NEW_LEDGER, path.display().to_string()),
            Event::Head(head) => say("head", head.to_string()),
            Event::Step(Step::Scanned { table, report }) => {
                say("checked", deniable::ScanReport::new(table, report).to_string())
            }
            Event::Step(Step::Registered(table)) => {
                say("registered", format!("version \"{}\" of `{}`", table.version, table.source.table().name));
            }
            Event::Step(Step::WrittenSince(table)) => say(
                "written since",
                format!(
                    "the files of `{}` were written to after version \"{}\" was registered, and stored answers are \
                     about their earlier contents: register() reports whether they changed",
                    table.source.table().name,
                    table.version
                ),
            ),
            Event::Step(Step::AnsweredWithin(name, earlier)) => {
                say("answered", format!("{name}: part of the stored answer \"{earlier}\", free"));
            }
            Event::Step(Step::Answered(name, origin)) => {
                let how = match origin {
                    Origin::Charged => "charged and answered",
                    Origin::Resumed => "answered; an earlier run had charged it",
                    Origin::Stored => "stored answer, free",
                };
                say("answered", format!("{name}: {how}"));
            }
            Event::Step(Step::Checking(rows)) => told.at("checking the data", rows, None, None),
            Event::Step(Step::ComputingLosses(name, read)) => {
                told.at(&format!("losses of {name}"), read.rows, read.bytes, read.size);
            }
            Event::Step(Step::Computing(name, read)) => told.at(name, read.rows, read.bytes, read.size),
            Event::Step(Step::Asking(name)) => told.at(&format!("{name}: the engine computes"), 0, None, None),
            Event::Step(Step::Trying(name)) => told.at(&format!("{name}: trying the engine"), 0, None, None),
            Event::Step(Step::AddingUp(name, _)) => {
                told.at(&format!("{name}: making its totals add up"), 0, None, None);
            }
            _ => {}
        }
    }
}

impl CallProgress {
    fn at(&mut self, what: &str, rows: u64, bytes: Option<u64>, size: Option<u64>) {
        if self.what != what {
            what.clone_into(&mut self.what);
        }
        (self.rows, self.bytes, self.size) = (rows, bytes, size);
    }
}

/// The source of a result.
enum ResultSource {
    /// From a session's own thread, as JSON.
    Session(Box<dyn FnMut(Duration) -> Option<Result<String, deniable::Error>> + Send>),
    /// From a thread of its own.
    Thread(Receiver<Result<Vec<String>, Vec<Diagnostic>>>),
}

/// A running computation.
#[pyclass(frozen, module = "deniable._deniable")]
pub struct Call {
    coming: Mutex<Option<ResultSource>>,
    telling: SharedProgress,
}

impl Call {
    /// A computation of a session; `written` converts its result to JSON.
    pub fn of_session<T: Send + 'static>(
        mut call: deniable::Call<T>,
        telling: SharedProgress,
        written: impl Fn(T) -> Result<String, deniable::Error> + Send + 'static,
    ) -> Self {
        let coming = move |most| call.wait_for(most).map(|result| result.and_then(&written));
        Self { coming: Mutex::new(Some(ResultSource::Session(Box::new(coming)))), telling }
    }

    /// A computation on a thread of its own.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub fn begin<E: Diagnose>(
        compute: impl FnOnce(&SharedProgress) -> Result<Vec<String>, E> + Send + 'static,
    ) -> PyResult<Self> {
        let (give, coming) = std::sync::mpsc::channel();
        let telling = SharedProgress::default();
        let told = telling.clone();
        let started = std::thread::Builder::new().name("deniable".to_owned()).spawn(move || {
            // There may be no waiting caller any more.
            let _ = give.send(compute(&told).map_err(|error| error.diagnostics(Surface::Python)));
        });
        started.map_err(|error| PyRuntimeError::new_err(format!("no thread could be started: {error}")))?;
        Ok(Self { coming: Mutex::new(Some(ResultSource::Thread(coming))), telling })
    }

    /// A report of the library, as text and as JSON.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub fn report<R: Display + Serialize, E: Diagnose>(
        compute: impl FnOnce() -> Result<R, E> + Send + 'static,
    ) -> PyResult<Self> {
        Self::begin(move |_| compute().map(|report| vec![report.to_string(), deniable::json(&report)]))
    }
}

#[pymethods]
impl Call {
    /// Waits at most this many seconds for the result; `None` if the computation is still running.
    fn wait(&self, py: Python<'_>, seconds: f64) -> PyResult<Option<Vec<String>>> {
        enum CallResult {
            Result(Vec<String>),
            Error(Box<deniable::Error>),
            Diagnostics(Vec<Diagnostic>),
            Nothing,
        }
        let most = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO);
        let came = detached(py, || {
            let mut coming = self.coming.lock().unwrap_or_else(PoisonError::into_inner);
            let came = match coming.as_mut() {
                None => return CallResult::Error(deniable::Error::Ended.into()),
                Some(ResultSource::Session(wait)) => match wait(most) {
                    None => return CallResult::Nothing,
                    Some(Ok(json)) => CallResult::Result(vec![json]),
                    Some(Err(error)) => CallResult::Error(error.into()),
                },
                Some(ResultSource::Thread(receiver)) => match receiver.recv_timeout(most) {
                    Err(RecvTimeoutError::Timeout) => return CallResult::Nothing,
                    Err(RecvTimeoutError::Disconnected) => CallResult::Error(deniable::Error::Ended.into()),
                    Ok(Ok(texts)) => CallResult::Result(texts),
                    Ok(Err(diagnostics)) => CallResult::Diagnostics(diagnostics),
                },
            };
            *coming = None;
            came
        });
        match came {
            CallResult::Nothing => Ok(None),
            CallResult::Result(texts) => Ok(Some(texts)),
            CallResult::Error(error) => Err(raised(py, &*error)),
            CallResult::Diagnostics(diagnostics) => Err(raised(py, &diagnostics)),
        }
    }

    /// The current step, the rows done, the bytes done, and the total of bytes.
    fn progress(&self) -> (String, u64, Option<u64>, Option<u64>) {
        let told = self.telling.told();
        (told.what.clone(), told.rows, told.bytes, told.size)
    }

    /// The messages since the last call.
    fn news(&self) -> Vec<(&'static str, String)> {
        std::mem::take(&mut self.telling.told().messages)
    }
}
