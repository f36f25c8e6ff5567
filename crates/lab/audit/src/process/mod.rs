//! Programs in any language as mechanisms, over a line protocol.
//!
//! A program is started once and gets many requests. A request is one line on its standard input:
//!
//! ```json
//! {"input":[3,0,5],"times":1000}
//! ```
//!
//! and its answer is that many lines on standard output, one independent output each: a number (`3`, `-0.5`, `NaN`,
//! `Infinity`), a string (`"none"`), or a list of numbers and strings (`["below", 3.25]`). All lines of a run have the
//! same one of these three forms. Numbers with a point or an exponent are read as the double they denote, so a program
//! must print them with all digits for their bits to be audited. Output must be flushed after each request; the program
//! should exit when standard input ends. Standard error is passed through.
//!
//! In all cases the program is killed and waited for when its [`Process`] is dropped; on Unix with its whole process
//! group.

mod child;
mod parse;

use crate::mechanism::{Mechanism, MechanismError, Outputs};
use child::{Child, ReadOutcome};
use parse::Form;
use std::time::Duration;

/// Outputs per request.
const BATCH: usize = 4096;
/// The longest line accepted, in bytes.
pub const LONGEST_LINE: usize = 1 << 20;
/// Largest number of bytes of a line quoted in messages.
const QUOTED: usize = 80;
/// Time to wait for a surplus line before a request with another input.
const STRAY: Duration = Duration::from_millis(5);

/// Kills all running programs without waiting for them: for a process that must end at once, as on Ctrl-C. Audits under
/// way fail.
pub fn end_all() {
    child::end_all();
}

/// The time that a program may take to write its next output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// Before its first output: interpreters start slowly.
    pub first: Duration,
    /// After its first output.
    pub later: Duration,
}

impl Default for Deadlines {
    /// 30 seconds for the first output, 10 for each later one.
    fn default() -> Self {
        Self { first: Duration::from_secs(30), later: Duration::from_secs(10) }
    }
}

/// A program to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The file to run.
    pub file: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The time that it may take for an output.
    pub deadlines: Deadlines,
}

impl Program {
    /// A program with the default deadlines.
    #[must_use]
    pub fn new(file: &str, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Self { file: file.to_owned(), arguments, deadlines: Deadlines::default() }
    }

    /// Starts one process.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(&self) -> Result<Process, MechanismError> {
        let child = Child::start(&self.file, &self.arguments)
            .map_err(|source| MechanismError::Start { program: self.file.clone(), source })?;
        Ok(Process {
            program: self.file.clone(),
            deadlines: self.deadlines,
            child,
            pending: Vec::new(),
            read: 0,
            line: 0,
            form: None,
            last: None,
        })
    }

    /// Starts several processes, for several threads.
    ///
    /// # Errors
    /// If one cannot be started.
    pub fn start_several(&self, times: usize) -> Result<Vec<Box<dyn Mechanism>>, MechanismError> {
        (0..times.max(1)).map(|_| Ok(Box::new(self.start()?) as Box<dyn Mechanism>)).collect()
    }
}

/// A running program. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    program: String,
    deadlines: Deadlines,
    child: Child,
    /// The received bytes, and how many of them are parsed.
    pending: Vec<u8>,
    read: usize,
    line: u64,
    /// The form of all outputs; unknown before the first.
    form: Option<Form>,
    last: Option<Vec<i64>>,
}

impl Process {
    /// The process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    fn request(&mut self, input: &[i64], times: usize, out: &mut Outputs) -> Result<(), MechanismError> {
        let mut wait = Duration::ZERO;
        if self.last.as_deref() != Some(input) {
            // From here on, a surplus output would count for another input.
            if self.last.is_some() {
                wait = STRAY;
            }
            self.last = Some(input.to_vec());
        }
        if let ReadOutcome::Bytes(bytes) = self.child.receive(wait) {
            self.pending.extend(bytes);
        }
        if self.read < self.pending.len() {
            let text = quoted(&self.pending[self.read..]);
            return Err(MechanismError::TooMany { program: self.program.clone(), line: self.line + 1, text });
        }
        let numbers: Vec<String> = input.iter().map(i64::to_string).collect();
        self.child.send(format!("{{\"input\":[{}],\"times\":{times}}}\n", numbers.join(",")).into_bytes());
        for done in 0..times {
            let end = self.next_line(times - done, times)?;
            let (start, line) = (self.read, self.line);
            self.read = end + 1;
            let bytes = &self.pending[start..end];
            match parse::output(bytes, out) {
                Ok(form) => match self.form {
                    Some(before) if before != form => {
                        let (before, now, text) = (before.words(), form.words(), quoted(bytes));
                        return Err(MechanismError::Changed { program: self.program.clone(), line, before, now, text });
                    }
                    _ => self.form = Some(form),
                },
                Err(what) => {
                    let text = quoted(bytes);
                    return Err(MechanismError::Garbage { program: self.program.clone(), line, what, text });
                }
            }
        }
        if self.read == self.pending.len() {
            self.pending.clear();
            self.read = 0;
        }
        Ok(())
    }

    /// The end of the next line in `pending`, once the line is complete.
    fn next_line(&mut self, missing: usize, asked: usize) -> Result<usize, MechanismError> {
        let mut searched = self.read;
        loop {
            if let Some(at) = self.pending[searched..].iter().position(|byte| *byte == b'\n') {
                self.line += 1;
                let end = searched + at;
                return if end - self.read > LONGEST_LINE { Err(self.too_long(self.line)) } else { Ok(end) };
            }
            if self.pending.len() - self.read > LONGEST_LINE {
                return Err(self.too_long(self.line + 1));
            }
            self.pending.drain(..self.read);
            self.read = 0;
            searched = self.pending.len();
            let deadline = if self.line == 0 { self.deadlines.first } else { self.deadlines.later };
            match self.child.receive(deadline) {
                ReadOutcome::Bytes(bytes) => self.pending.extend(bytes),
                ReadOutcome::Nothing => {
                    let (program, line) = (self.program.clone(), self.line);
                    self.child.end();
                    return Err(MechanismError::Hangs {
                        program,
                        seconds: deadline.as_secs_f64(),
                        line,
                        missing,
                        asked,
                    });
                }
                ReadOutcome::End => {
                    let (program, line) = (self.program.clone(), self.line);
                    let status = self.child.end();
                    return Err(MechanismError::Ended { program, status, line, missing, asked });
                }
            }
        }
    }

    fn too_long(&self, line: u64) -> MechanismError {
        let what = format!("longer than {LONGEST_LINE} bytes");
        MechanismError::Garbage { program: self.program.clone(), line, what, text: quoted(&self.pending[self.read..]) }
    }
}

impl Mechanism for Process {
    fn sample(&mut self, input: &[i64], mut times: usize, out: &mut Outputs) -> Result<(), MechanismError> {
        while times > 0 {
            let batch = times.min(BATCH);
            self.request(input, batch, out)?;
            times -= batch;
        }
        Ok(())
    }
}

/// The beginning of a line, for messages.
fn quoted(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end.min(4 * QUOTED)]);
    let short: String = text.chars().take(QUOTED).collect();
    if short.len() < end { format!("{short:?}...") } else { format!("{short:?}") }
}
