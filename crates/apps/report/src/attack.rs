//! Pages on attacks: who took part ([`membership`]), and whose row is this ([`linkage`]).

mod linkage;
mod membership;

pub use linkage::linkage;
pub use membership::membership;

use crate::frame::scroll;
use maud::{Markup, html};

/// A share in tenths of a percent; `-` if it is not finite.
fn share(value: f64) -> String {
    if value.is_finite() { format!("{:.1}%", plain(value * 100.0, 10.0)) } else { "-".to_owned() }
}

fn number(value: f64) -> String {
    if value.is_finite() { format!("{:.3}", plain(value, 1000.0)) } else { "-".to_owned() }
}

/// Rounds to a fraction of one, without negative zeros.
fn plain(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts + 0.0
}

/// The input files, by their role.
fn files(files: &[(&str, String)]) -> Markup {
    scroll(
        "files",
        &html! { table { tbody { @for (what, name) in files { tr { th scope="row" { (what) } td { code { (name) } } } } } } },
    )
}

/// The footer: these numbers were measured on private data, and no promise covers them.
fn foot() -> Markup {
    html! {
        p {
            "Written by Deniable for the curator. These numbers were measured on people whose membership is known: no \
            promise covers "
            "them, and no ledger was charged."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded() {
        assert_eq!((share(0.0561), share(1.0), share(f64::NAN)), ("5.6%".into(), "100.0%".into(), "-".into()));
        assert_eq!((number(-0.0004), number(-0.004)), ("0.000".into(), "-0.004".into()));
    }
}
