//! Diagnostics of pages that cannot be written.

use crate::report::ReportError;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};

impl Diagnose for ReportError {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        let help = match self {
            Self::Unreadable { .. } => {
                "restore the ledger and its folder of answers from a backup: another program changed them. No page was \
                written"
            }
            Self::Form { .. } => "use a newer version of deniable; no page was written",
        };
        vec![Diagnostic::new(Code::Other, self).with_help(help)]
    }
}
