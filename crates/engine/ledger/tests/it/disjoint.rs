//! Tables of which each version contains only new entities: what their versions may spend (C-9).

use super::{Place, account, request, three};
use deniable_core::budget::Spend;
use deniable_core::exact::{Rational, ratio};
use deniable_ledger::{
    ChargeError, ChargeOutcome, ChargeRequest, ComparedEntities, Contents, DisjointFault, Ledger, Limit, Part,
    RegistrationOutcome, Sharing, VersionError, VersionName, show,
};
use num_traits::Zero;
use std::collections::BTreeSet;

fn share(part: (i64, i64)) -> Spend {
    three().share(&ratio(part.0, part.1)).unwrap()
}

fn named(source: &str, version: &str) -> VersionName {
    VersionName { source: source.into(), version: version.into() }
}

/// Registers a version, all of whose entities are new or may be known.
fn register(
    ledger: &mut Ledger,
    source: &str,
    version: &str,
    is_new: bool,
) -> Result<RegistrationOutcome, VersionError> {
    let compared = ledger.disjoint_versions(version);
    let entities = if is_new { ComparedEntities::New(&compared) } else { ComparedEntities::Any };
    ledger.register_contents(&Contents { source, version, fingerprint: "f00d", reading: "text", entities }, &none())
}

fn none() -> BTreeSet<String> {
    BTreeSet::new()
}

/// A query about versions of tables.
fn asked(identity: &str, source: &str, version: &str, part: (i64, i64)) -> ChargeRequest {
    let mut request = request(identity, part);
    request.query.source = source.into();
    request.query.version = version.into();
    request
}

fn is_new(ledger: &mut Ledger, request: &ChargeRequest) -> bool {
    matches!(ledger.charge(request), Ok(ChargeOutcome::New { .. }))
}

fn spent(ledger: &Ledger) -> Spend {
    ledger.account(&account()).unwrap().spent.clone()
}

#[test]
fn each_version_may_use_half_of_the_promise() {
    let place = Place::new();
    let mut ledger = place.ledger();
    for month in 0..12 {
        let version = format!("month {month}");
        assert_eq!(register(&mut ledger, "births", &version, true).unwrap(), RegistrationOutcome::New);
        assert!(is_new(&mut ledger, &asked(&version, "births", &version, (1, 2))), "{version}");
    }
    assert_eq!(spent(&ledger), three(), "the two largest accounts");
    let more = ledger.charge(&asked("more", "births", "month 3", (1, 1_000_000))).unwrap_err();
    let ChargeError::OverBudget { which: Limit::Account, spent: counted, .. } = &more else { panic!("{more}") };
    assert_eq!(*counted, three(), "this version, and the largest of the others");
    // Reopened, and read without the key.
    drop(ledger);
    assert_eq!((spent(&place.ledger()), show(&place.path).unwrap().accounts[0].spent.clone()), (three(), three()));
}

/// Only the largest account of another version counts for a further charge.
#[test]
fn a_version_pays_for_itself_and_the_largest_other() {
    let place = Place::new();
    let mut ledger = place.ledger();
    for (version, part) in [("may", (1, 8)), ("june", (1, 4)), ("july", (1, 2))] {
        register(&mut ledger, "births", version, true).unwrap();
        assert!(is_new(&mut ledger, &asked(version, "births", version, part)));
    }
    assert_eq!(spent(&ledger), share((3, 4)));
    let by_version = ledger.account(&account()).unwrap().by_version.clone();
    assert_eq!(by_version.before(&[named("births", "may")]), share((5, 8)));
    assert_eq!(by_version.before(&[named("births", "june")]), share((3, 4)));
    assert_eq!(by_version.before(&[named("births", "july")]), share((3, 4)));
    assert_eq!(by_version.before_next(), Some(share((1, 2))));
    assert!(!is_new(&mut ledger, &asked("too much", "births", "may", (401, 1_000))));
    assert!(is_new(&mut ledger, &asked("used up", "births", "may", (3, 8))), "1/2 in May, 1/2 in July");
    assert_eq!(spent(&ledger), three());
    assert!(!is_new(&mut ledger, &asked("july again", "births", "july", (1, 1_000))));
    assert!(is_new(&mut ledger, &asked("june again", "births", "june", (1, 4))), "three halves");
    assert_eq!(spent(&ledger), three());
}

/// Charges about other tables, and joins with them, multiply. Joins of such tables about one version do not.
#[test]
fn other_tables_multiply_as_ever() {
    let place = Place::new();
    let mut ledger = place.ledger();
    for version in ["may", "june"] {
        register(&mut ledger, "births", version, true).unwrap();
        register(&mut ledger, "mothers", version, true).unwrap();
        register(&mut ledger, "staff", version, false).unwrap();
        assert!(is_new(&mut ledger, &asked(&format!("staff {version}"), "staff", version, (1, 16))));
        let joined = asked(&format!("both {version}"), "births + mothers", &format!("{version} + {version}"), (1, 8));
        assert!(is_new(&mut ledger, &joined));
        assert!(is_new(&mut ledger, &asked(&format!("mothers {version}"), "mothers", version, (1, 8))));
    }
    assert_eq!(spent(&ledger), share((5, 8)), "1/8 about staff, 1/4 about each version");
    assert!(is_new(&mut ledger, &asked("mixed", "births + staff", "may + may", (1, 16))));
    assert!(is_new(&mut ledger, &asked("two versions", "births + mothers", "may + june", (1, 16))));
    assert_eq!(spent(&ledger), share((3, 4)));
    register(&mut ledger, "births", "july", true).unwrap();
    assert!(is_new(&mut ledger, &asked("july", "births", "july", (1, 4))));
    assert_eq!(spent(&ledger), share((3, 4)), "not more than the other versions");
    // A table whose name reads like those of two tables: a joined name is of no part from here on.
    register(&mut ledger, "births + mothers", "1", false).unwrap();
    assert_eq!(spent(&ledger), share((7, 8)), "1/4 about joined tables and 1/8 for mothers, a quarter for July");
}

/// By one policy, and by a reserved part of an analyst, the same sum counts.
#[test]
fn policies_and_parts_have_the_same_sum() {
    let place = Place::new();
    let mut ledger = place.ledger();
    ledger.set_aside(&account(), "ana", &ratio(1, 2), Sharing::Reserved, None).unwrap();
    for version in ["may", "june", "july"] {
        register(&mut ledger, "births", version, true).unwrap();
        let of_ana = ChargeRequest {
            part: Part::Named("ana".into()),
            ..asked(&format!("ana {version}"), "births", version, (1, 4))
        };
        assert!(is_new(&mut ledger, &of_ana), "{version}");
        assert!(is_new(&mut ledger, &asked(&format!("all {version}"), "births", version, (1, 4))), "{version}");
    }
    let known = ledger.account(&account()).unwrap();
    assert_eq!((&known.spent, &known.part("ana").unwrap().spent), (&three(), &share((1, 2))));
    assert_eq!(known.seen_by(&Part::Whole).spent, share((1, 2)));
    let seen = known.seen_by(&Part::Named("ana".into()));
    assert_eq!((&seen.spent, seen.spent_by("clinic").total()), (&share((1, 2)), &three()), "public charges are seen");
    let next = &[named("births", "august")];
    assert_eq!(seen.allowances()[0].before(next).spent, share((1, 4)));
    let over = ChargeRequest { policy_limit: share((2, 5)), ..asked("august", "births", "august", (1, 4)) };
    assert!(matches!(ledger.charge(&over), Err(ChargeError::NotRegistered(_))));
    register(&mut ledger, "births", "august", true).unwrap();
    assert!(matches!(ledger.charge(&over), Err(ChargeError::OverBudget { which: Limit::Policy, .. })));
    // The part that ana used cannot be made smaller, and the unreserved share is not free to reserve.
    assert!(ledger.set_aside(&account(), "bo", &ratio(1, 100), Sharing::Reserved, None).is_err());
}

#[test]
fn the_option_counts_from_the_first_version_to_the_last() {
    let place = Place::new();
    let mut ledger = place.ledger();
    register(&mut ledger, "visits", "1", false).unwrap();
    for version in ["1", "2"] {
        let late = register(&mut ledger, "visits", version, true);
        assert!(
            matches!(&late, Err(VersionError::Disjoint(DisjointFault::Late(table))) if table == "visits"),
            "{late:?}"
        );
    }
    register(&mut ledger, "births", "1", true).unwrap();
    for version in ["1", "2"] {
        let dropped = register(&mut ledger, "births", version, false);
        assert!(matches!(&dropped, Err(VersionError::Disjoint(DisjointFault::Dropped(_)))), "{dropped:?}");
    }
    // Charged before any version was registered.
    assert!(is_new(&mut ledger, &asked("early", "deaths", "1", (1, 8))));
    assert!(matches!(register(&mut ledger, "deaths", "1", true), Err(VersionError::Disjoint(DisjointFault::Late(_)))));
    let name = register(&mut ledger, "a + b", "1", true);
    assert!(matches!(&name, Err(VersionError::Disjoint(DisjointFault::Name(_)))), "{name:?}");
    assert_eq!(register(&mut ledger, "births", "1", true).unwrap(), RegistrationOutcome::Same);
}

/// A public table is about no person: a join with it is about the part of the other tables.
#[test]
fn joins_with_public_tables_stay_in_their_part() {
    let place = Place::new();
    let mut ledger = place.ledger();
    let public = |version| Contents {
        source: "wards",
        version,
        fingerprint: "f00d",
        reading: "text",
        entities: ComparedEntities::None,
    };
    ledger.register_contents(&public("1"), &none()).unwrap();
    for version in ["may", "june", "july"] {
        register(&mut ledger, "births", version, true).unwrap();
        let joined = asked(version, "births + wards", &format!("{version} + 1"), (1, 2));
        assert!(is_new(&mut ledger, &joined), "{version}");
    }
    assert_eq!(spent(&ledger), three());
    let protected = register(&mut ledger, "wards", "2", false);
    assert!(matches!(&protected, Err(VersionError::Disjoint(DisjointFault::Public(_)))), "{protected:?}");
    register(&mut ledger, "staff", "1", false).unwrap();
    let late = ledger.register_contents(&Contents { source: "staff", ..public("1") }, &none());
    assert!(matches!(&late, Err(VersionError::Disjoint(DisjointFault::Late(_)))), "{late:?}");
}

#[test]
fn versions_registered_meanwhile_are_compared() {
    let place = Place::new();
    let mut ledger = place.ledger();
    register(&mut ledger, "births", "1", true).unwrap();
    let compared = ledger.disjoint_versions("3");
    assert_eq!(compared, BTreeSet::from([named("births", "1")]));
    register(&mut place.ledger(), "births", "2", true).unwrap();
    let contents = |version| Contents {
        source: "births",
        version,
        fingerprint: "f00d",
        reading: "text",
        entities: ComparedEntities::New(&compared),
    };
    let late = ledger.register_contents(&contents("3"), &none());
    assert!(matches!(&late, Err(VersionError::Meanwhile(missed)) if *missed == named("births", "2")), "{late:?}");
    assert_eq!(ledger.disjoint_versions("2"), compared, "a version is not compared with itself");
}

#[test]
fn unregistered_versions_are_not_charged() {
    let place = Place::new();
    let mut ledger = place.ledger();
    register(&mut ledger, "births", "1", true).unwrap();
    let head = ledger.head().clone();
    let refused = ledger.charge(&asked("2", "births", "2", (1, 8))).unwrap_err();
    assert!(refused.to_string().contains("version \"2\" of `births` is not registered"), "{refused}");
    assert_eq!(*ledger.head(), head);
}

/// The sum is the largest product over all pairs of parts in which a person may be: of the charges that depend on
/// either. All sequences of four charges about three versions, another table, and two joins.
#[test]
fn the_sum_is_the_worst_pair_of_parts() {
    let kinds: [(&str, &str, &[&str]); 6] = [
        ("a", "1", &["1"]),
        ("a", "2", &["2"]),
        ("b", "3", &["3"]),
        ("a + b", "1 + 1", &["1"]),
        ("a + b", "1 + 2", &["1", "2", "3"]),
        ("c", "1", &["1", "2", "3"]),
    ];
    let place = Place::new();
    let mut ledger = place.ledger();
    for (table, version) in ["a", "b"].into_iter().flat_map(|table| ["1", "2", "3"].map(|at| (table, at))) {
        register(&mut ledger, table, version, true).unwrap();
    }
    let nothing = &ledger.account(&account()).unwrap().by_version;
    let reads = kinds.map(|(source, version, _)| asked("", source, version, (1, 2)).query.versions());
    for code in 0..6_usize.pow(4) {
        let chosen: Vec<usize> = (0..4).map(|at| code / 6_usize.pow(at) % 6).collect();
        let costs: Vec<Spend> = (10..14).map(|of| share((1, of))).collect();
        let charges = chosen.iter().map(|kind| reads[*kind].as_slice()).zip(&costs);
        let spent = nothing.and(charges.clone());
        let of_pair = |first: &str, second: &str| {
            let costs = chosen
                .iter()
                .zip(10_i64..)
                .filter(|(kind, _)| kinds[**kind].2.iter().any(|part| *part == first || *part == second));
            costs.fold(Rational::zero(), |sum, (_, of)| sum + ratio(1, of))
        };
        let worst = [("1", "2"), ("1", "3"), ("2", "3")].into_iter().map(|(one, other)| of_pair(one, other)).max();
        assert_eq!(spent.total().exact_part_of(&three()), worst, "{chosen:?}");
        // What the last charge multiplies decides whether it fits.
        let before = nothing.and(charges.take(3));
        let limit = spent.total();
        let counted = before.before(&reads[chosen[3]]).and(&costs[3]);
        assert!(counted.fits(limit).unwrap(), "{chosen:?}");
        assert!(counted == *limit || before.total() == limit, "{chosen:?}: the charge counts in full");
    }
}
