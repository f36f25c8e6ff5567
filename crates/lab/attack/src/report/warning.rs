//! Likely mistakes in the lists of an attack on membership.

use deniable_core::diagnostic::Surface;

/// A likely mistake in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// Names of a list that are not among the targets.
    UnknownTargets {
        /// The option that names the list.
        option: &'static str,
        /// The list.
        file: String,
        /// Number of names.
        names: u64,
    },
    /// People of the reference who are known not to be in the pool, and are left out; the value is their number.
    OthersInReference(usize),
}

impl Warning {
    /// The warning, with options written as this surface writes them.
    #[must_use]
    pub fn text(&self, surface: Surface) -> String {
        match self {
            Self::UnknownTargets { option, file, names } => {
                format!("{}: {names} of the names in {file} belong to no target", surface.option(option))
            }
            Self::OthersInReference(others) => format!(
                "{others} of {} are people of the reference, and are left out: the test would look better than it is",
                surface.option("others")
            ),
        }
    }
}
