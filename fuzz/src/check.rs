//! Properties of every text that is read as a mechanism, a protocol, a certificate, a notion or a family. Run by
//! `fuzz/targets/check.rs` and by `crates/lab/check/tests/it/fuzz.rs`.

use deniable_check::family::Family;
use deniable_check::mechanism::file::Format;
use deniable_check::notion::{Notion, Sign};
use deniable_check::protocol::Party;
use deniable_check::protocol::simulate::Sides;
use deniable_check::subject::{Subject, View};
use deniable_check::{certificate, words};
use deniable_recheck::recheck;

/// Most steps of a recheck: enough for small mechanisms.
const STEPS: u128 = 100_000;

/// The text is parsed or refused with a message, and a parsed text is decided or refused; a certificate of a decision
/// is verified. The first byte selects the kind of text. Returns whether it is parsed.
pub fn check(bytes: &[u8]) -> bool {
    let (choice, bytes) = bytes.split_first().unwrap_or((&0, bytes));
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let format = match choice % 5 {
        0 => Format::Toml,
        1 => Format::Json,
        2 => Format::Csv,
        3 => return recheck(text, STEPS).map_err(|error| said(&error)).is_ok(),
        _ => {
            let notion = words::notion(text).map_err(|error| said(&error));
            return words::family(text, None).map_err(|error| said(&error)).is_ok() || notion.is_ok();
        }
    };
    match Subject::read(text, format) {
        Ok(subject) => {
            decided(&subject);
            true
        }
        Err(error) => {
            said(&error);
            false
        }
    }
}

fn said(error: &dyn std::fmt::Display) {
    let words = error.to_string();
    assert!(words.len() > 5 && !words.chars().any(|c| c.is_control() && c != '\n'), "{words:?}");
}

fn decided(subject: &Subject) {
    if let Subject::Protocol(protocol) = subject {
        for party in Party::BOTH {
            let _ = protocol.simulate(party, Sides::Two);
        }
    }
    let Ok(asked) = View::of(subject, Party::First) else { return };
    let small = match &asked {
        View::Table(mechanism) => mechanism.size() <= 4 && mechanism.outputs().len() <= 8,
        View::Counts(mechanism) => mechanism.cells() <= 64,
    };
    if !small {
        return;
    }
    for (notion, family) in [
        (Notion::Unbounded { sign: Sign::Both }, Family::All),
        (Notion::Bounded, Family::All),
        (Notion::Membership { sign: Sign::Positive }, Family::Uniform),
        (Notion::Membership { sign: Sign::Negative }, Family::All),
        (Notion::CrowdBlending { crowd: 2 }, Family::All),
    ] {
        match asked.answer(&notion, &family) {
            Ok(answer) => {
                let View::Table(mechanism) = &asked else { continue };
                if let Ok(certificate) = certificate::certificate(mechanism, &notion, &family, &answer.verdict) {
                    let report = recheck(&certificate, STEPS);
                    assert!(report.is_ok(), "{report:?} {certificate}");
                }
            }
            Err(error) => said(&error),
        }
    }
}
