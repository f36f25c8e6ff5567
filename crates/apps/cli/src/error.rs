//! Commands that fail: diagnostics on standard error, with their places and help, and the exit code.

use crate::exit::Exit;
use deniable::{Code, Diagnose, Diagnostic, Surface};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use std::fmt::Display;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Failure of a command.
pub enum Failure {
    /// Errors: exit code 2 if one of them is about the arguments, otherwise 1.
    Diagnostics(Vec<Diagnostic>),
    /// The reader of standard output closed it: exit code 1, and no message.
    ClosedPipe,
}

impl<E: Diagnose> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Diagnostics(error.diagnostics(Surface::Command))
    }
}

impl Failure {
    /// One refusal without a source location; an empty help is left out.
    pub fn refused(message: impl Display, help: impl Display) -> Self {
        Self::Diagnostics(vec![Diagnostic::new(Code::Other, message).with_help(help)])
    }

    /// Invalid arguments.
    pub fn usage(message: impl Display, help: impl Display) -> Self {
        Self::Diagnostics(vec![Diagnostic::new(Code::Usage, message).with_help(help)])
    }

    /// The errors to print; empty for a closed pipe.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Diagnostics(diagnostics) => diagnostics,
            Self::ClosedPipe => &[],
        }
    }

    /// Prints the errors to standard error.
    pub fn tell(&self) {
        self.diagnostics().iter().for_each(print);
    }

    /// Prints the errors to standard error and returns the exit code.
    pub fn report(self) -> Exit {
        self.tell();
        let is_usage = self.diagnostics().iter().any(|diagnostic| diagnostic.code == Code::Usage);
        if is_usage { Exit::Usage } else { Exit::Refused }
    }

    /// The messages alone, without source locations and help.
    #[cfg(feature = "serve")]
    pub fn in_words(&self) -> String {
        self.diagnostics().iter().map(Diagnostic::message).collect::<Vec<_>>().join("; ")
    }
}

/// A diagnostic as miette draws it.
#[derive(Debug)]
struct Drawing<'a> {
    diagnostic: &'a Diagnostic,
    source: Option<NamedSource<String>>,
}

impl Display for Drawing<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.diagnostic.message())
    }
}

impl std::error::Error for Drawing<'_> {}

impl miette::Diagnostic for Drawing<'_> {
    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.diagnostic.help().map(|help| Box::new(help) as Box<dyn Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.diagnostic.place()?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(None, place.span.clone()))))
    }
}

#[expect(clippy::print_stderr, reason = "messages for the curator go to standard error")]
fn print(diagnostic: &Diagnostic) {
    let fancy = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let theme = if fancy { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let source = diagnostic.place().map(|place| NamedSource::new(&place.name, place.source.clone()));
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_width(110).with_links(false);
    match handler.render_report(&mut text, &Drawing { diagnostic, source }) {
        Ok(()) => eprintln!("{}", text.trim_end()),
        Err(_) => eprintln!("error: {}", diagnostic.message()),
    }
}

/// Failures to write results.
pub fn write_failure(error: &std::io::Error, path: Option<&PathBuf>) -> Failure {
    // The operating system's message, without the temporary file's name.
    let reason = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    let reason = reason.split(" at path ").next().unwrap_or_default();
    match path {
        None if error.kind() == std::io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
        None => Failure::refused(
            format!("standard output cannot be written: {reason}"),
            "the answers are stored: run the command again at no cost",
        ),
        Some(path) => Failure::refused(
            format!("{} cannot be written: {reason}", path.display()),
            "name another file; the released answers are stored: run the command again at no cost",
        ),
    }
}
