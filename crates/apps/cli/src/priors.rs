//! What observers may have believed, as `--prior` says it.

use crate::error::Failure;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::parse_rational;

/// What observers may have believed: one belief, an interval or anything.
pub fn range(text: Option<&str>) -> Result<PriorRange, Failure> {
    let text = match text {
        None | Some("any") => return Ok(PriorRange::any()),
        Some(text) => text,
    };
    let help = "write --prior 1/2, --prior 1/5..4/5, --prior ..1/2 or --prior any";
    if let Ok(belief) = parse_rational(text) {
        return PriorRange::new(Some(belief.clone()), Some(belief))
            .map_err(|error| Failure::usage(format!("--prior: {error}"), help));
    }
    text.parse()
        .map_err(|error: deniable_core::notion::parse::ParseError| Failure::usage(format!("--prior {error}"), help))
}
