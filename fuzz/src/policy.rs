//! Properties of every text that is read as a policy. Run by `fuzz/targets/policy.rs` and by
//! `crates/engine/policy/tests/it/fuzz.rs`.

use deniable_core::exact::{Rational, whole};
use deniable_policy::{Policy, Query, Size};
use std::path::Path;

/// The text is a consistent policy, or the error names existing places. Returns whether it is a policy.
pub fn check(text: &str) -> bool {
    match Policy::parse(Path::new("p.toml"), text) {
        Ok(policy) => {
            let total: Rational = policy.queries().iter().map(|ask| &ask.share).sum();
            // A target error has no share yet.
            let none_yet = |ask: &Query| matches!(ask.size, Size::TargetError(_));
            assert!(policy.queries().iter().all(|ask| (ask.share > whole(0)) != none_yet(ask)));
            assert!(!policy.queries().is_empty() && total <= *policy.spend());
            assert!(*policy.spend() <= whole(1) && !policy.guarantee().limit().is_nothing());
            assert_eq!(policy.guarantee().promises_in_words().len(), policy.guarantee().promises().len());
            true
        }
        Err(errors) => {
            assert!(!errors.errors().is_empty());
            for place in errors.errors().iter().filter_map(|error| error.place.as_ref()) {
                assert!(errors.source().get(place.span.clone()).is_some());
            }
            assert!(!errors.to_string().chars().any(|c| c.is_control() && c != '\n'));
            false
        }
    }
}
