//! What may be a mistake in the lists of an attack on membership.

use deniable_core::diagnostic::Surface;

/// What may be a mistake in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// Names of a list that are not among the targets.
    UnknownTargets {
        /// The option that names the list.
        option: &'static str,
        /// The list.
        file: String,
        /// How many names.
        names: u64,
    },
    /// People of the reference who are known not to be in the pool, and are left out; the number is how many.
    OthersInReference(usize),
}

impl Warning {
    /// The warning in the words of a surface.
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
