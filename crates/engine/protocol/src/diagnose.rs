//! Diagnostics of releases that the ledger refuses, or could not record.

use crate::error::ProtocolError;
use deniable_core::diagnostic::{Code, Diagnose, Diagnostic, Surface};
use deniable_core::exact::Rational;
use deniable_ledger::{ChargeError, FixError, OverChance};

impl ProtocolError {
    /// The code of the error.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            // `Charge` if another process spent the rest of the budget after the ledger was read and before the charge.
            Self::OverBudget { .. }
            | Self::OverVersion { .. }
            | Self::OverChance(_)
            | Self::Fix(FixError::Over(_))
            | Self::Charge {
                error: ChargeError::OverBudget { .. } | ChargeError::OverVersion { .. } | ChargeError::OverChance { .. },
                ..
            } => Code::Budget,
            _ => Code::Ledger,
        }
    }
}

impl Diagnose for ProtocolError {
    fn diagnostics(&self, surface: Surface) -> Vec<Diagnostic> {
        let help = match self {
            // The promise allows more than the policy may spend of it.
            Self::OverBudget { fits: None, beyond_spend: Some(left), .. } => {
                let ask = match surface {
                    Surface::Command => "`deniable ask`",
                    Surface::Python => "`session.ask`",
                    Surface::Library => "`Session::ask`",
                };
                format!(
                    "this policy's spend is used up, but {left} of the promise is left. Raise `spend` under [budget], \
                     or ask with {ask}, which no policy's spend limits. Earlier answers stay free; nothing was charged"
                )
            }
            Self::OverBudget { fits, .. } => over_budget(fits.as_ref(), surface),
            Self::OverVersion { fits, .. } => format!(
                "register the next version, or raise `per_version` under [budget], which changes this policy and not the \
                 promise. For this version {}",
                over_budget(fits.as_ref(), surface)
            ),
            Self::Stored { .. } => "check the ledger with `deniable ledger verify`".to_owned(),
            Self::Answer { .. } | Self::Finish { .. } => {
                "fix that; then the same command shows the answer at no cost".to_owned()
            }
            Self::Draw { .. } => "fix that; then repeat the command: it states the cost".to_owned(),
            Self::OverChance(OverChance::Part { .. }) => "ask for less, or ask the curator for a larger part".to_owned(),
            Self::OverChance(_) | Self::Fix(FixError::Over(_)) => {
                "lower the shares of these queries, or promise less but for the chance, on the record, with `deniable ledger \
                 change-promise`"
                    .to_owned()
            }
            Self::Account(_)
            | Self::Fix(FixError::Store(_))
            | Self::Charge { .. }
            | Self::TooManyNumbers { .. }
            | Self::Spend(_) => String::new(),
        };
        vec![Diagnostic::new(self.code(), self).with_help(help)]
    }
}

/// Help for a share that does not fit.
fn over_budget(fits: Option<&Rational>, surface: Surface) -> String {
    let fits = match fits {
        Some(share) => {
            let spend = match surface {
                Surface::Command => format!("`--spend {share}` of `deniable ask`"),
                Surface::Python => format!("session.ask(..., spend=\"{share}\")"),
                Surface::Library => "ask a query of that share".to_owned(),
            };
            format!("a share of {share} still fits: {spend}, or share = \"{share}\" for a query of the policy")
        }
        None => "no share fits any more".to_owned(),
    };
    format!("{fits}. Earlier answers stay free at their share, which `deniable ledger show` lists; nothing was charged")
}
