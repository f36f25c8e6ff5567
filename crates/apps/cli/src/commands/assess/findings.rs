//! What was assessed, with everything that is said of it.

use deniable_assess::json::{written, written_linking};
use deniable_assess::part::Part;
use deniable_assess::{Assessment, Linking};
use std::path::Path;

/// What was assessed, and the linkage attack where there is one.
pub struct TableFindings {
    pub assessment: Assessment,
    pub linking: Option<Linking>,
    /// What went in, and the names of its files.
    pub files: Vec<(String, String)>,
}

impl TableFindings {
    /// For programs: the exact numbers, which the terminal and the page round.
    pub fn json(&self) -> Part {
        match (&self.linking, written(&self.assessment)) {
            (Some(linking), Part::Parts(mut parts)) => {
                parts.insert("linkage", written_linking(linking));
                Part::Parts(parts)
            }
            (_, whole) => whole,
        }
    }
}

/// A file's name alone.
pub fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
