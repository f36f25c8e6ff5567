//! Diagnostics of releases that the ledger does not allow, or could not record.

use crate::error::ProtocolError;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::exact::Rational;
use deniable_ledger::ChargeError;

impl ProtocolError {
    /// What it is about.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            // The second where another process spent the rest of the budget after the ledger was read and before the charge.
            Self::OverBudget { .. } | Self::Charge { error: ChargeError::OverBudget { .. }, .. } => Code::Budget,
            _ => Code::Ledger,
        }
    }
}

impl Diagnose for ProtocolError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let help = match self {
            // The promise holds more than the policy may spend of it.
            Self::OverBudget { fits: None, beyond_spend: Some(left), .. } => {
                let ask = match surface {
                    Surface::Command => "`deniable ask`",
                    Surface::Python => "`session.ask`",
                    Surface::Library => "`Session::ask`",
                };
                format!(
                    "this policy's spend is used up, and the promise is not: {left} of it is left. Raise `spend` under [budget], or ask with \
                     {ask}, which no policy's spend limits. What was answered before stays free; nothing was charged"
                )
            }
            Self::OverBudget { fits, .. } => over_budget(fits.as_ref(), surface),
            Self::Stored { .. } => "check the ledger with `deniable ledger verify`".to_owned(),
            Self::Answer { .. } | Self::Finish { .. } => {
                "fix that; then the same command shows the answer at no cost".to_owned()
            }
            Self::Draw { .. } => "fix that; then repeat the command: it says what it costs".to_owned(),
            Self::Account(_) | Self::Charge { .. } | Self::TooManyNumbers { .. } | Self::Spend(_) => String::new(),
        };
        vec![Diagnostic::new(self.code(), self).with_help(help)]
    }
}

/// What to do about a share that does not fit.
fn over_budget(fits: Option<&Rational>, surface: Surface) -> String {
    let fits = match fits {
        Some(share) => {
            let spend = match surface {
                Surface::Command => surface.set("spend", share),
                Surface::Python => format!("session.ask(..., spend=\"{share}\")"),
                Surface::Library => "ask a query of that share".to_owned(),
            };
            format!("a share of {share} still fits: {spend}, or share = \"{share}\"")
        }
        None => "no share fits any more".to_owned(),
    };
    format!(
        "{fits}. What was answered before stays free at the share it had, which `deniable ledger show` tells; nothing was charged"
    )
}
