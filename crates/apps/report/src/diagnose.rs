//! Diagnostics of pages that cannot be written.

use crate::report::ReportError;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};

impl Diagnose for ReportError {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        let help = match self {
            Self::Unreadable { .. } => {
                "no page was written; the ledger or its folder of answers was changed by something else, so go back to a backup \
                 of both"
            }
            Self::Form { .. } => "no page was written; use a newer version of deniable",
        };
        vec![Diagnostic::new(Code::Other, self).with_help(help)]
    }
}
