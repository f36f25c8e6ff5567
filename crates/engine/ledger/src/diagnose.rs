//! Diagnostics of the ledger. Their messages contain the remedy.

use crate::{AcceptHeadError, AccountError, ChargeError, OpenError, StoreError, VerifyError, WithdrawError};
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use std::fmt::Display;

fn of_ledger(error: &dyn Display) -> Vec<Diagnostic> {
    vec![Diagnostic::new(Code::Ledger, error)]
}

impl Diagnose for ChargeError {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        let is_budget = matches!(self, Self::OverBudget { .. } | Self::OverVersion { .. } | Self::OverChance { .. });
        let code = if is_budget { Code::Budget } else { Code::Ledger };
        vec![Diagnostic::new(code, self)]
    }
}

impl Diagnose for OpenError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let own = Diagnostic::new(Code::Ledger, self);
        match self {
            Self::SamePeople { .. } | Self::UnknownPeople { .. } => {
                let stated = surface.switch("other-people");
                vec![own.with_help(format!("only if no person is in both, state that with {stated}"))]
            }
            _ => vec![own],
        }
    }
}

impl Diagnose for AccountError {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        of_ledger(self)
    }
}

impl Diagnose for AcceptHeadError {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        of_ledger(self)
    }
}

impl Diagnose for WithdrawError {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        of_ledger(self)
    }
}

impl Diagnose for StoreError {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        of_ledger(self)
    }
}

impl Diagnose for VerifyError {
    fn diagnostics(&self, _: Surface) -> Vec<Diagnostic> {
        of_ledger(self)
    }
}
