//! `examples/clinic/visits.csv`: a fictitious outpatient clinic.

mod dice;
mod visits;

use crate::{Failure, files};

const PATH: &str = "examples/clinic/visits.csv";

/// Whether to write or to compare the file.
#[derive(Debug, Clone, Copy)]
pub enum Mode {
    Write,
    /// Fail if the committed file differs.
    Check,
}

/// Writes or compares the example data.
pub fn run(mode: Mode) -> Result<String, Failure> {
    let root = files::root();
    let wanted = visits::csv();
    let rows = wanted.lines().count() - 1;
    match mode {
        Mode::Write => {
            files::write(&root, PATH, &wanted)?;
            Ok(format!("{PATH}: {rows} visits, {} bytes", wanted.len()))
        }
        Mode::Check => match difference(&wanted, &files::read(&root, PATH)?) {
            None => Ok(format!("{PATH}: {rows} visits, as generated")),
            Some(line) => Err(Failure::Found(format!(
                "{PATH}:{line}: differs from what the generator writes; run `cargo xtask clinic`"
            ))),
        },
    }
}

/// The first line in which two texts differ, counted from 1; `None` when every byte is the same.
fn difference(wanted: &str, found: &str) -> Option<usize> {
    if wanted == found {
        return None;
    }
    let same = wanted.split('\n').zip(found.split('\n')).take_while(|(a, b)| a == b).count();
    Some(same + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_placed() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(difference("a\nb\n", "a\n"), Some(2));
        assert_eq!(difference("a\nb\n", "a\nb\n\n"), Some(4));
        assert_eq!(difference("a\nb\n", "a\r\nb\r\n"), Some(1));
    }
}
