use super::*;
use crate::adversary::PriorRange;
use crate::exact::{ratio, whole};
use crate::promise::PromiseError;

fn adversary(knows_size: bool, low: Option<Rational>, high: Option<Rational>, together: MovesTogether) -> Adversary {
    Adversary::new(knows_size, PriorRange::new(low, high).unwrap(), together).unwrap()
}

fn people() -> Subject {
    Subject::new("people", Some("person".to_owned())).unwrap()
}

fn guarantee(adversary: Adversary, promises: Vec<Promise>) -> Result<Guarantee, GuaranteeError> {
    Guarantee::new(people(), Secret::Membership, adversary, None, promises)
}

fn half() -> Adversary {
    adversary(false, None, Some(ratio(1, 2)), MovesTogether::Alone)
}

#[test]
fn the_smallest_odds_bind() {
    let promises = vec![Promise::Epsilon(whole(3)), Promise::PosteriorAtMost(ratio(3, 4)), Promise::Gain(whole(9))];
    let made = guarantee(half(), promises).unwrap();
    assert_eq!((made.limit().to_string().as_str(), made.theorem()), ("3", "B-4"));
    assert_eq!(made.promises().len(), 3);
    assert_eq!(guarantee(half(), vec![]), Err(GuaranteeError::Nothing));
    // A promise that does not bind must still be possible.
    let rho = Promise::Rho { rho: ratio(1, 2), among: 100 };
    let unkept = guarantee(half(), vec![Promise::Gain(ratio(101, 100)), rho]);
    assert!(matches!(unkept, Err(GuaranteeError::Promise(PromiseError::NeedsKnownSize { .. }))));
}

#[test]
fn names_that_cannot_be_printed_are_refused() {
    assert!(Subject::new("", None).is_err() && Subject::new("a\nb", None).is_err());
    assert!(Subject::new("a", Some(" ".to_owned())).is_err() && Subject::new("a", None).is_ok());
}

/// F-NIk: R about a group of three is kept by the third root about each of them.
#[test]
fn one_of_a_group_gets_the_root() {
    let made = |together| guarantee(adversary(false, None, None, together), vec![Promise::Gain(whole(8))]).unwrap();
    let three = made(MovesTogether::UpTo(3));
    assert_eq!(three.per_entity(three.limit()).unwrap().to_string(), "2");
    let alone = made(MovesTogether::Alone);
    assert_eq!(alone.per_entity(alone.limit()).unwrap(), *alone.limit());
}

/// Groups of 3, 1, 2 and 2 people with four of them in the data: two worlds that are eight moves apart.
#[test]
fn observers_with_other_knowledge_of_the_size_have_a_power() {
    let power = |knows, together, observer| {
        guarantee(adversary(knows, None, None, together), vec![Promise::Gain(whole(8))]).unwrap().power(observer)
    };
    assert_eq!(power(false, MovesTogether::Alone, false), Some(1));
    assert_eq!(power(false, MovesTogether::Alone, true), Some(2));
    assert_eq!(power(false, MovesTogether::UpTo(3), true), None);
    assert_eq!(power(false, MovesTogether::OneGroup(3), true), Some(2));
    assert_eq!(power(true, MovesTogether::Alone, true), Some(1));
    assert_eq!(power(true, MovesTogether::Alone, false), None);
}

#[test]
fn guarantee_covers_priors_of_all_promises() {
    let known = adversary(true, None, None, MovesTogether::Alone);
    let made = guarantee(known, vec![Promise::Rho { rho: ratio(1, 2), among: 100 }]).unwrap();
    assert!(made.speaks_of(&ratio(1, 100)) && !made.speaks_of(&ratio(1, 2)));
    assert_eq!(made.allows(&ratio(1, 100)), Some((whole(0), ratio(1, 2))));
    assert!(!guarantee(half(), vec![Promise::Gain(whole(2))]).unwrap().speaks_of(&ratio(3, 5)));
    // Several promises allow what all of them allow.
    let both = vec![Promise::PosteriorAtMost(ratio(3, 4)), Promise::Gain(ratio(5, 4))];
    assert_eq!(guarantee(half(), both).unwrap().allows(&ratio(1, 2)), Some((whole(0), ratio(3, 5))));
}

#[test]
fn weaker_is_larger_odds_or_smaller_groups() {
    let made = |gamma: i64, together| {
        guarantee(adversary(false, None, None, together), vec![Promise::Gain(whole(gamma))]).unwrap()
    };
    let (strong, weak) = (made(2, MovesTogether::Alone), made(3, MovesTogether::Alone));
    assert!(weak.weaker_than(&strong).unwrap() && !strong.weaker_than(&weak).unwrap());
    let grouped = made(2, MovesTogether::UpTo(3));
    assert!(strong.weaker_than(&grouped).unwrap() && !grouped.weaker_than(&strong).unwrap());
}

fn every_kind() -> Vec<Guarantee> {
    let values = [
        Promise::PosteriorAtMost(ratio(9, 10)),
        Promise::PosteriorAtLeast(ratio(1, 20)),
        Promise::Gain(ratio(3, 2)),
        Promise::NegativeGain(whole(2)),
        Promise::Epsilon(ratio(1, 10)),
        Promise::Odds(ratio(7, 2)),
        Promise::Rho { rho: ratio(1, 2), among: 100 },
        Promise::AlphaBeta { alpha: ratio(1, 2), beta: whole(1), least: whole(0), most: None },
        Promise::AlphaBeta { alpha: ratio(1, 2), beta: whole(1), least: ratio(1, 9), most: Some(ratio(1, 5)) },
    ];
    let together = [MovesTogether::Alone, MovesTogether::OneGroup(3), MovesTogether::AllOfSize(4)];
    let mut all = Vec::new();
    for (at, promise) in values.into_iter().enumerate() {
        let adversary = adversary(true, Some(ratio(1, 5)), Some(ratio(4, 5)), together[at % 3]);
        let secret = if at % 2 == 0 { Secret::Membership } else { Secret::Label };
        let preset = [None, Some(Preset::Insider)][at % 2];
        all.push(Guarantee::new(people(), secret, adversary, preset, vec![promise]).unwrap());
    }
    all.push(guarantee(adversary(false, None, None, MovesTogether::UpTo(2)), vec![Promise::Gain(whole(2))]).unwrap());
    all
}

#[test]
fn the_stored_form_reads_back() {
    for guarantee in every_kind() {
        let text = serde_json::to_string(&guarantee).unwrap();
        assert_eq!(serde_json::from_str::<Guarantee>(&text).unwrap(), guarantee, "{text}");
    }
}

/// Ledgers contain this form: a change needs another name.
#[test]
fn the_stored_form_is_fixed() {
    let preset = Some(Preset::Acquaintance);
    let promises = vec![Promise::PosteriorAtMost(ratio(3, 4))];
    let made = Guarantee::new(people(), Secret::Membership, half(), preset, promises).unwrap();
    assert_eq!(
        serde_json::to_string(&made).unwrap(),
        r#"{"population":"people","entity":"person","secret":"membership","adversary":{"knows_size":false,"#.to_owned()
            + r#""prior_at_least":null,"prior_at_most":"1/2","moves_together":"alone"},"preset":"acquaintance","#
            + r#""promises":[{"posterior_at_most":"3/4"}],"limit":[{"base":"3","share":"1"}]}"#
    );
}

#[test]
fn edited_guarantees_are_rejected() {
    let promises = vec![Promise::PosteriorAtMost(ratio(3, 4))];
    let good = serde_json::to_string(&guarantee(half(), promises).unwrap()).unwrap();
    let edits = [
        (r#""base":"3""#, r#""base":"4""#),
        (r#""3/4""#, r#""4/5""#),
        (r#""3/4""#, r#""6/8""#),
        (r#""prior_at_most":"1/2""#, r#""prior_at_most":null"#),
        (r#""prior_at_most":"1/2""#, r#""prior_at_most":"1/3""#),
        (r#""alone""#, r#"{"up_to":0}"#),
        (r#""preset":null"#, r#""preset":"nobody""#),
        (r#""secret":"membership""#, r#""secret":"membership","more":1"#),
        (r#"[{"posterior_at_most":"3/4"}]"#, "[]"),
        (r#""people""#, r#""""#),
    ];
    for (from, to) in edits {
        let edited = good.replacen(from, to, 1);
        assert_ne!(edited, good, "{from}");
        assert!(serde_json::from_str::<Guarantee>(&edited).is_err(), "{edited}");
    }
}

fn one_in_a_million() -> Chance {
    Chance::new(ratio(1, 1_000_000)).unwrap()
}

/// At most 90% sure for certain: odds of 9.
fn ninety(together: MovesTogether) -> Guarantee {
    let adversary = adversary(false, None, Some(ratio(1, 2)), together);
    guarantee(adversary, vec![Promise::PosteriorAtMost(ratio(9, 10))]).unwrap()
}

#[test]
fn a_chance_is_promised_beside_what_holds_for_certain() {
    let both = |promises| ninety(MovesTogether::Alone).but_for(one_in_a_million(), Some(300_000), promises);
    let made = both(vec![Promise::PosteriorAtMost(ratio(3, 4)), Promise::Gain(whole(2))]).unwrap();
    let but_for = made.but_for_a_chance().unwrap();
    // A gain of 2 from at most 50% allows less than 75%... but bounds absence as well: the smaller odds bind.
    assert_eq!((made.limit().to_string().as_str(), but_for.limit().to_string().as_str()), ("9", "2"));
    assert_eq!(*but_for.binding(), Promise::Gain(whole(2)));
    let words = made.promises_in_words();
    assert_eq!(words.len(), 3, "{words:?}");
    assert!(words[1].starts_with("but for one chance in 1,000,000, no observer becomes more than 75% sure"));
    let chance = made.chance_in_words();
    assert!(chance.len() == 2 && chance[1].ends_with("at most 0.3"), "{chance:?}");
    // In one direction the chance is that of one event; in both, of two, and the second is as likely as the first by odds
    // of 2.
    assert_eq!(but_for.event_chance(), one_in_a_million());
    let both_directions =
        [vec![Promise::Odds(whole(2))], vec![Promise::Gain(whole(2)), Promise::NegativeGain(whole(2))]];
    for promises in both_directions {
        let made = both(promises).unwrap();
        let event = made.but_for_a_chance().unwrap().event_chance();
        assert_eq!(event.value(), &(ratio(1, 1_000_000) * ratio(2, 3)));
    }
    // As strong or stronger odds hold for certain already.
    for odds in [9, 10] {
        let surely = both(vec![Promise::Odds(whole(odds))]);
        assert!(matches!(surely, Err(GuaranteeError::SurelyAlready { .. })), "{odds}");
    }
    assert_eq!(both(vec![]), Err(GuaranteeError::NothingButFor));
    let worlds = Promise::Rho { rho: ratio(1, 2), among: 100 };
    assert_eq!(both(vec![worlds]), Err(GuaranteeError::WorldsButFor("rho")));
    let groups = ninety(MovesTogether::UpTo(2));
    let groups = groups.but_for(one_in_a_million(), None, vec![Promise::Gain(whole(2))]);
    assert_eq!(groups, Err(GuaranteeError::GroupsButFor));
}

#[test]
fn guarantees_with_a_chance_are_stored_and_compared() {
    let plain = ninety(MovesTogether::Alone);
    let made = |chance: Rational, most: Rational| {
        let chance = Chance::new(chance).unwrap();
        plain.clone().but_for(chance, None, vec![Promise::PosteriorAtMost(most)]).unwrap()
    };
    let rare = made(ratio(1, 1_000_000), ratio(3, 4));
    let text = serde_json::to_string(&rare).unwrap();
    assert_eq!(serde_json::from_str::<Guarantee>(&text).unwrap(), rare);
    // A limit that was edited by hand is refused; a guarantee without a chance is stored as before.
    let edited = text.replace(r#""limit":[{"base":"3","share":"1"}]}"#, r#""limit":[{"base":"4","share":"1"}]}"#);
    assert!(edited != text && serde_json::from_str::<Guarantee>(&edited).is_err());
    assert!(!serde_json::to_string(&plain).unwrap().contains("but_for"));
    let weaker = |to: &Guarantee, from: &Guarantee| to.weaker_than(from).unwrap();
    assert!(weaker(&plain, &rare) && !weaker(&rare, &plain));
    assert!(weaker(&made(ratio(1, 1_000), ratio(3, 4)), &rare), "a larger chance");
    assert!(weaker(&made(ratio(1, 1_000_000), ratio(4, 5)), &rare), "larger odds");
    assert!(!rare.same_as(&plain) && rare.same_as(&rare.clone()));
}
