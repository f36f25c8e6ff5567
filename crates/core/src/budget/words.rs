//! Odds ratios as text for people. Stored, hashed and compared text is written by `Display` and serde, which must not
//! change.

use super::{Base, Spend};
use crate::exact::{Rational, Rounding, decimal};

impl Spend {
    /// The odds ratio: exact if it is rational, otherwise as a power with a decimal, rounded up: `3`, `e^1 (at most
    /// 2.7183)`.
    #[must_use]
    pub fn in_words(&self) -> String {
        if let Some(odds) = self.exact_odds() {
            return odds.to_string();
        }
        // Without the exponent, `e` would not look like a number.
        let power = match self.to_string() {
            alone if alone == "e" => "e^1".to_owned(),
            power => power,
        };
        format!("{power} (at most {})", odds_decimal(&self.odds_at_most()))
    }

    /// ε = ln of the odds ratio: exact if it is rational, otherwise a decimal, rounded up: `1`, `1.0987, rounded up`.
    #[must_use]
    pub fn epsilon_in_words(&self) -> String {
        let mut terms = self.terms();
        match (terms.next(), terms.next()) {
            (None, _) => "0".to_owned(),
            (Some((Base::E, share)), None) => share.to_string(),
            _ => format!("{}, rounded up", self.epsilon_decimal(4)),
        }
    }

    /// The odds ratio with its ε, for limits: `3 (ε = 1.0987, rounded up)`, `e^1 (at most 2.7183; ε = 1)`.
    #[must_use]
    pub fn with_epsilon(&self) -> String {
        let epsilon = self.epsilon_in_words();
        match self.in_words().strip_suffix(')') {
            Some(open) => format!("{open}; ε = {epsilon})"),
            None => format!("{} (ε = {epsilon})", self.in_words()),
        }
    }

    /// The logarithm of which shares are parts: `ln 3`, `ln(3/2)`, or `ε = 1`.
    #[must_use]
    pub fn logarithm_in_words(&self) -> String {
        let mut terms = self.terms();
        if let (Some((Base::E, share)), None) = (terms.next(), terms.next()) {
            return format!("ε = {share}");
        }
        let odds = self.to_string();
        if odds.chars().all(|c| c.is_ascii_digit()) { format!("ln {odds}") } else { format!("ln({odds})") }
    }
}

/// An odds ratio as a decimal, rounded up; beyond a million as a power of ten.
#[must_use]
pub fn odds_decimal(odds: &Rational) -> String {
    let text = decimal(odds, 4, Rounding::Up);
    let digits = text.split('.').next().map_or(0, str::len);
    if digits > 6 { format!("10^{digits}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{ratio, whole};

    #[test]
    fn a_limit_as_people_read_it() {
        let words = |spend: Spend| [spend.in_words(), spend.with_epsilon(), spend.logarithm_in_words()];
        let e = |share| Spend::epsilon(share).unwrap();
        assert_eq!(words(e(whole(1))), ["e^1 (at most 2.7183)", "e^1 (at most 2.7183; ε = 1)", "ε = 1"]);
        assert_eq!(
            words(e(ratio(1, 10))),
            ["e^(1/10) (at most 1.1052)", "e^(1/10) (at most 1.1052; ε = 1/10)", "ε = 1/10"]
        );
        assert_eq!(words(e(whole(30))), ["e^30 (at most 10^14)", "e^30 (at most 10^14; ε = 30)", "ε = 30"]);
        let odds = |value| Spend::odds(value).unwrap();
        assert_eq!(words(odds(whole(3))), ["3", "3 (ε = 1.0987, rounded up)", "ln 3"]);
        assert_eq!(words(odds(ratio(3, 2))), ["3/2", "3/2 (ε = 0.4055, rounded up)", "ln(3/2)"]);
        let eighth = odds(whole(3)).share(&ratio(1, 8)).unwrap();
        assert_eq!(
            words(eighth.and(&e(whole(1)))),
            ["e × 3^(1/8) (at most 3.1185)", "e × 3^(1/8) (at most 3.1185; ε = 1.1374, rounded up)", "ln(e × 3^(1/8))"]
        );
        assert_eq!(e(ratio(1, 10)).epsilon_decimal(4), "0.1");
        assert_eq!([Spend::nothing().in_words(), Spend::nothing().epsilon_in_words()], ["1", "0"]);
    }

    /// The stored form does not depend on the text for people.
    #[test]
    fn stored_form_is_independent_of_words() {
        assert_eq!(Spend::epsilon(whole(1)).unwrap().to_string(), "e");
        let stored = serde_json::to_string(&Spend::epsilon(whole(1)).unwrap()).unwrap();
        assert_eq!(stored, r#"[{"base":"e","share":"1"}]"#);
    }
}
