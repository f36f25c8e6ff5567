//! Tables worked by hand.

use super::common::{classes, table};
use deniable_assess::assessment::{Input, assess};
use deniable_assess::beliefs::Beliefs;
use deniable_assess::closeness::Closeness;
use deniable_assess::diversity::Diversity;
use deniable_assess::membership::Membership;
use deniable_assess::risk::{Population, Risk};
use deniable_assess::sizes::{Sizes, below, people_below};
use deniable_assess::{AssessError, Counts, Distance, Hierarchy, Requirement, link};
use deniable_core::adversary::PriorRange;
use deniable_core::exact::Bound;
use deniable_core::exact::{ratio, whole};

/// Three classes of four patients: one with two illnesses, two patients each; one with three illnesses, of which a
/// neighbour may rule some out; and one where all have the same.
const PATIENTS: &str = "zip,age,nation,disease
    402**,<30,*,asthma x2
    402**,<30,*,anaemia x2
    4031*,>=50,*,gout
    4031*,>=50,*,asthma
    4031*,>=50,*,anaemia x2
    402**,30-39,*,gout x4";

fn disease(text: &str) -> (Counts, Vec<&'static str>) {
    (table(text), vec!["zip", "age", "nation"])
}

#[test]
fn homogeneity_and_diversity() {
    let (counts, quasi) = disease(PATIENTS);
    let all = classes(&counts, &quasi, &["disease"]);
    let sizes = Sizes::of(&all).unwrap();
    assert_eq!((sizes.people, sizes.classes, sizes.smallest.value, sizes.uniques), (12, 3, 4, 0));
    assert_eq!((sizes.mean, sizes.histogram.len()), (whole(4), 1));
    assert_eq!((people_below(&all, 5), below(&all, 5, 2).first.len(), below(&all, 5, 2).classes), (12, 2, 3));
    let diversity = Diversity::of(&all, &all.secrets[0], &[2, 3]).unwrap();
    assert_eq!(
        (diversity.distinct.value, diversity.distinct.class.clone()),
        (1, "zip=402**, age=30-39, nation=*".to_owned())
    );
    assert_eq!(diversity.entropy.value.l(6), "1");
    // One class has a single disease: no c is large enough.
    assert!(diversity.recursive[0].c.value.is_infinite());
    // Without that class: {2,2} gives 2/2 and {2,1,1} gives 2/(1+1) for l = 2; for l = 3 the first has no third value.
    let (counts, _) = disease(&PATIENTS.replace("402**,30-39,*,gout x4", ""));
    let all = classes(&counts, &quasi, &["disease"]);
    let diversity = Diversity::of(&all, &all.secrets[0], &[2, 3]).unwrap();
    assert_eq!(diversity.recursive[0].c.value.value(), Bound::Finite(whole(1)));
    assert!(diversity.recursive[1].c.value.is_infinite());
    // Two halves: exactly ln 2. {2,1,1}: ln 4 − (2 ln 2)/4 = ln 2^1.5, so the least l is 2.
    assert_eq!(
        (diversity.entropy.value.l(6), diversity.entropy.class.clone()),
        ("2".to_owned(), "zip=402**, age=<30, nation=*".to_owned())
    );
}

#[test]
fn entropy_by_hand() {
    // {2,1,1}: e^H = 2^1.5 = 2.828427...
    let counts = table("z,d\n1,a x2\n1,b\n1,c\n2,a x4\n2,b x2\n2,c x2");
    let all = classes(&counts, &["z"], &["d"]);
    let diversity = Diversity::of(&all, &all.secrets[0], &[2, 3]).unwrap();
    assert_eq!(diversity.entropy.value.l(6), "2.828427");
    // Two classes with the same shares: the first is named.
    assert_eq!(diversity.entropy.class.clone(), "z=1");
    assert_eq!(diversity.recursive[1].c.value.value(), Bound::Finite(whole(2)));
    let met = |demand: &str| {
        let mut input = Input::new(&counts, &["z"], &["d"]);
        input.requirements = Requirement::parse(demand).unwrap();
        let verdicts = assess(&input).unwrap().verdicts;
        (verdicts[0].met, verdicts[0].offending.classes)
    };
    // (2.828427...)² is 8: the demand holds for a rational just below the root, but not for one just above.
    assert_eq!(met("entropy-l=2.8284271247461900976033774484193"), (true, 0));
    assert_eq!(met("entropy-l=2.8284271247461900976033774484194"), (false, 2));
    // Strict: c must be above 2/1.
    assert_eq!((met("recursive-l=2:3"), met("recursive-l=2.001:3")), ((false, 2), (true, 0)));
    assert_eq!((met("l=3"), met("l=4")), ((true, 0), (false, 2)));
}

/// Ties that no enclosure can decide: {3,3} attains l = 2 exactly, and {4,1,1,1,1} attains l = 4.
#[test]
fn ties_of_entropy() {
    use deniable_assess::entropy::Profile;
    let profile = |counts: &[u64]| Profile::of(counts.iter().copied());
    assert_eq!(profile(&[3, 3]).is_diverse(&whole(2)), Ok(true));
    assert_eq!(profile(&[3, 3]).is_diverse(&ratio(2_000_001, 1_000_000)), Ok(false));
    // 8^8 against l^8 · 4^4 · 2^2 · 2^2: l = 2√2 is irrational; {9,3,3,1}: 16^16 = l^16 · 9^9 · 3^6. {4,2,1,1}: 8^8 =
    // l^8·4^4·2^2, l = (2^24/2^10)^(1/8) = 2^(7/4). {8,4,2,1,1}: l = 2^(15/8). For n = 16, a rational tie needs all n_i
    // to be powers of two. {4,4,2,2,2,2}: 16^16/(4^8·2^8) = 2^(64−24) = 2^40, l = 2^2.5. {2,2,1,1,1,1}: the same.
    // {4,1,1,1,1}: 8^8/4^4 = 2^16, so l = 4.
    assert_eq!(profile(&[4, 1, 1, 1, 1]).is_diverse(&whole(4)), Ok(true));
    assert_eq!(profile(&[400, 100, 100, 100, 100]).is_diverse(&whole(4)), Ok(true));
    assert_eq!(profile(&[4, 1, 1, 1, 1]).is_diverse(&ratio(40_000_001, 10_000_000)), Ok(false));
    assert_eq!(profile(&[5]).is_diverse(&whole(1)), Ok(true));
}

/// Nine salaries from 3 to 11, the class {3, 4, 5}: (1/8)·(1/9)·(2+4+6+5+4+3+2+1) = 3/8.
#[test]
fn salaries_in_order() {
    let counts = table("c,salary\na,3\na,4\na,5\nb,6\nb,8\nb,11\nc,7\nc,9\nc,10");
    let all = classes(&counts, &["c"], &["salary"]);
    let ordered = Closeness::new(&all, &all.secrets[0], &Distance::Ordered(None)).unwrap();
    let values: Vec<Bound> = ordered.distances().map(|d| d.value()).collect();
    assert_eq!(values[0], Bound::Finite(ratio(3, 8)));
    // {6, 8, 11}: cumulative differences −1 −2 −3 −1 −2 +1 0 −1 in ninths... 1,2,3,1,2,0,1,2 of 9.
    assert_eq!(values[1], Bound::Finite(ratio(1 + 2 + 3 + 1 + 2 + 1, 72) + ratio(2, 72)));
    assert_eq!(ordered.t().map(|t| (t.value.value(), t.class)), Some((Bound::Finite(ratio(3, 8)), "c=a".to_owned())));
    // Distances stay the same in reverse order; one more value in the list, between 10 and 11, widens the scale.
    let list = |text: &str| Distance::Ordered(Some(text.split(',').map(str::to_owned).collect()));
    let turned = Closeness::new(&all, &all.secrets[0], &list("11,10,9,8,7,6,5,4,3")).unwrap();
    assert_eq!(turned.t().map(|t| t.value.value()), Some(Bound::Finite(ratio(3, 8))));
    // One step more for the ninth of the people that moves to 11: (27 + 1)/9/9.
    let wider = Closeness::new(&all, &all.secrets[0], &list("3,4,5,6,7,8,9,10,x,11")).unwrap();
    assert_eq!(wider.t().map(|t| t.value.value()), Some(Bound::Finite(ratio(28, 81))));
    let equal = Closeness::new(&all, &all.secrets[0], &Distance::Equal).unwrap();
    assert_eq!(equal.t().map(|t| t.value.value()), Some(Bound::Finite(ratio(2, 3))));
    // Three departments of three salaries: {3,4,5} is one of them, and two thirds must move over the top.
    let lines: String = (3..=11).map(|s| format!("{s};{};*\n", (s - 3) / 3)).collect();
    let tree = Hierarchy::parse(&lines, ';').unwrap();
    let tree = Closeness::new(&all, &all.secrets[0], &Distance::Hierarchical(tree)).unwrap();
    assert_eq!(tree.t().map(|t| t.value.value()), Some(Bound::Finite(ratio(2, 3))));
}

#[test]
fn invalid_orders_and_trees_are_rejected() {
    let counts = table("c,s\na,1\na,1.0\nb,x");
    let all = classes(&counts, &["c"], &["s"]);
    let error = |distance| Closeness::new(&all, &all.secrets[0], &distance).unwrap_err().to_string();
    assert!(error(Distance::Ordered(None)).contains("`x` is not a number"));
    let list = |text: &str| Distance::Ordered(Some(text.split(',').map(str::to_owned).collect()));
    assert!(error(list("1,1.0")).contains("`x` is not in the list"));
    assert!(error(list("1,1")).contains("duplicate `1` in the list"));
    assert!(error(Distance::Hierarchical(Hierarchy::parse("1,a\nx,b", ',').unwrap())).contains("no single top"));
    assert!(error(Distance::Hierarchical(Hierarchy::parse("1,*\nx,*", ',').unwrap())).contains("does not cover `1.0`"));
    let same = table("c,s\na,1\na,1.0");
    let same = classes(&same, &["c"], &["s"]);
    let error = Closeness::new(&same, &same.secrets[0], &Distance::Ordered(None)).unwrap_err();
    assert!(error.to_string().contains("are the same number"), "{error}");
}

#[test]
fn three_attackers() {
    let counts = table("z,d\n1,a x2\n2,b x5\n3,c");
    let all = classes(&counts, &["z"], &[]);
    let risk = Risk::of(&all, Population::Unknown, &ratio(1, 5)).unwrap();
    assert_eq!(
        (risk.prosecutor.highest.value.value(), risk.prosecutor.highest.class.clone()),
        (Bound::Finite(whole(1)), "z=3".to_owned())
    );
    // 3 classes of 8 people; 1/2 and 1/1 exceed 1/5, and 1/5 does not.
    assert_eq!((&risk.prosecutor.average, &risk.prosecutor.above), (&ratio(3, 8), &ratio(3, 8)));
    assert_eq!((&risk.marketer.value.share, risk.marketer.is_upper_bound), (&ratio(3, 8), true));
    let risk = Risk::of(&all, Population::Exactly(&[4, 5, 8]), &ratio(1, 5)).unwrap();
    // (2/4 + 5/5 + 1/8)/8
    assert_eq!((&risk.marketer.value.share, risk.marketer.is_upper_bound), (&ratio(13, 64), false));
    let journalist = risk.journalist.value;
    assert_eq!((journalist.highest.value.value(), journalist.above), (Bound::Finite(ratio(1, 4)), ratio(1, 4)));
}

/// The published margins are 3/12 asthma, 4/12 anaemia, 5/12 gout; the class of four patients with gout discloses it.
#[test]
fn beliefs_from_margins_by_hand() {
    let (counts, quasi) = disease(PATIENTS);
    let assessment = assess(&Input::new(&counts, &quasi, &["disease"])).unwrap();
    let beliefs: &Beliefs = &assessment.sensitive[0].by_margins;
    // The value ruled out with the largest prior: gout, in the class of asthma and anaemia.
    let lost = beliefs.loss.infinite.as_ref().unwrap();
    assert_eq!((lost.names.value.as_str(), &lost.before, &lost.after), ("gout", &ratio(5, 12), &whole(0)));
    // The largest finite loss: gout from 5/12 to 1/4.
    assert_eq!(beliefs.loss.finite.as_ref().map(|m| m.by(beliefs.loss.kind)), Some(Bound::Finite(ratio(5, 3))));
    // Gout from 5/12 to 1 is 12/5, the largest of β/α.
    assert_eq!(beliefs.gain.value(), Bound::Finite(ratio(12, 5)));
    assert_eq!(
        beliefs.up.infinite.as_ref().map(|m| (m.names.value.as_str(), m.after.clone())),
        Some(("gout", whole(1)))
    );
    // Odds of asthma from 1/3 to 1.
    assert_eq!(beliefs.up.finite.as_ref().map(|m| m.by(beliefs.up.kind)), Some(Bound::Finite(whole(3))));
    // Gout from 5/7 to 1/3.
    assert_eq!(beliefs.down.finite.as_ref().map(|m| m.by(beliefs.down.kind)), Some(Bound::Finite(ratio(15, 7))));
    // All odds of the middle class, {1,1,2} of 4, move by at most 15/7 or 2: so all people by more than 2, and two
    // classes infinitely.
    let people: Vec<u64> = beliefs.shares.iter().map(|share| share.people).collect();
    assert_eq!(people, [12, 8, 8, 8]);
}

#[test]
fn all_tables_and_demands_in_one_assessment() {
    let (counts, quasi) = disease(PATIENTS);
    let original = table(
        "zip,age,nation,disease\n40201,25,Chad,asthma x2\n40202,29,Peru,anaemia x2\n40310,50,Peru,gout\n40311,61,Peru,asthma
        40312,72,Chad,anaemia x2\n40201,30,Chad,gout\n40203,33,Peru,gout x3\n40999,20,Peru,gout",
    );
    let mut input = Input::new(&counts, &quasi, &["disease"]);
    (input.background, input.original) = (Some(&original), Some(&original));
    input.requirements =
        Requirement::parse("k=4,l=2,prosecutor=1/4,t=1,epsilon-bop=100,journalist=0.2,marketer=0.3").unwrap();
    let all = assess(&input).unwrap();
    let met: Vec<(bool, u64)> = all.verdicts.iter().map(|verdict| (verdict.met, verdict.offending.people)).collect();
    assert_eq!(met, [(true, 0), (false, 4), (true, 0), (true, 0), (false, 8), (false, 12), (true, 0)]);
    assert_eq!([4, 5].map(|at| all.verdicts[at].measured.to_string()), ["∞", "0.25"]);
    let compared = all.original.as_ref().unwrap();
    assert_eq!((compared.left_out, compared.discernibility, compared.k), (1, 48, 1));
    assert_eq!(compared.normalised_mean, whole(1));
    let kept: Vec<(u64, u64, u64)> = compared.kept.iter().map(|k| (k.exact, k.generalised, k.suppressed)).collect();
    assert_eq!(kept, [(0, 12, 0), (0, 12, 0), (0, 0, 12)]);
    // Every person whom a class covers is certainly in, and one is certainly out.
    let Membership::Computed(presence) = &all.membership else { panic!("the original lists everybody") };
    assert_eq!((presence.certainly_in, presence.certainly_out, presence.beyond_two), (12, 1, 12));
    assert_eq!((&presence.up.value, &presence.gain.value), (&Bound::Infinite, &Bound::Infinite));
    let text = serde_json::to_value(&all).unwrap();
    assert_eq!(text["sizes"]["k"]["class"], "zip=402**, age=<30, nation=*");
    assert_eq!(text["sensitive"][0]["t"]["value"]["exact"], "7/12");
    assert_eq!(text["sensitive"][0]["t"]["value"]["decimal"], "0.583333");
    assert_eq!(text["presence"]["odds_up"]["value"]["exact"], "∞");
    assert_eq!(text["demands"][1]["first_offending"][0], "zip=402**, age=30-39, nation=*");
    assert_eq!(text["columns"][1]["cells"][0]["read_as"], "range");
    assert_eq!(text["original"]["discernibility"], "48");
    // The people whom a class covers change with the background, so the informed beliefs differ from those by margins.
    assert_eq!(text["sensitive"][0]["beliefs_from_background"]["impossible_pairs"], 0);
}

#[test]
fn linkage_on_generalised_cells() {
    let (counts, quasi) = disease(&PATIENTS.replace("gout x4", "gout"));
    let all = classes(&counts, &quasi, &["disease"]);
    let friends = table("zip,age,name\n40210,35,A\n40210,25,B\n40319,50,C\n99999,25,D\n40210,44,E");
    let found = link(&all, &friends).unwrap();
    assert_eq!((found.people, found.nobody, found.single, found.alone, found.few, found.many), (5, 2, 1, 1, 2, 0));
    assert_eq!(
        found.highest.as_ref().map(|highest| (highest.chance.value(), highest.person.as_str())),
        Some((Bound::Finite(whole(1)), "zip=40210, age=35"))
    );
    assert_eq!((found.disclosed[0].people, found.disclosed[0].example.clone().unwrap().value.as_str()), (1, "gout"));
    // By zip alone, two classes match: five candidates, of whom not all have gout.
    let found = link(&all, &table("zip\n40210 x2")).unwrap();
    assert_eq!((found.many, found.disclosed[0].people, found.columns.len()), (2, 0, 1));
    // One row covers two people.
    let found = link(&all, &table("zip,age\n40210,35\n40211,36")).unwrap();
    assert_eq!((found.single, found.alone), (2, 0));
    assert!(link(&all, &table("name\nA")).unwrap_err().to_string().contains("the auxiliary table has no column `zip`"));
}

#[test]
fn contradictions_and_complaints() {
    let counts = table("z,d\n1*,a x2\n2*,b");
    let run = |background: Option<&str>, original: Option<&str>, demand: &str| {
        let (background, original) = (background.map(table), original.map(table));
        let mut input = Input::new(&counts, &["z"], &["d"]);
        (input.background, input.original) = (background.as_ref(), original.as_ref());
        if !demand.is_empty() {
            input.requirements = Requirement::parse(demand)?;
        }
        assess(&input)
    };
    let error = |background, original, demand| run(background, original, demand).unwrap_err().to_string();
    assert!(error(None, Some("z,d\n10,a\n20,b x2"), "").contains("z=1* has 2 rows, but only 1"));
    assert!(error(None, Some("z,d\n10,a\n10,c\n20,b"), "").contains("2 rows with d = a, but only 1"));
    assert!(error(Some("z\n10"), None, "").contains("the class z=2* covers no person of the background"));
    assert!(error(Some("z,d\n10,a\n20,a"), None, "").contains("`d` = `b`"));
    assert!(error(Some("y\n10"), None, "").contains("the background has no column `z`"));
    assert!(error(None, None, "gain=2").contains("needs a background"));
    assert!(error(None, None, "journalist=1").contains("needs a background"));
    assert!(error(Some("z\n10\n20"), None, "odds=2").contains("z=1* has 2 rows but covers only 1"));
    assert!(
        run(Some("z\n10 x8\n20 x4"), None, "gain=2,odds=3,journalist=0.2")
            .unwrap()
            .verdicts
            .iter()
            .map(|v| v.met)
            .eq([true, true, false])
    );
    // A person in no class is certainly out: no bound on odds or loss holds, though no class offends.
    let out = run(Some("z\n10 x8\n20 x4\n99"), None, "gain=2,odds=3,loss=3").unwrap();
    assert!(out.verdicts.iter().map(|v| v.met).eq([true, false, false]));
    assert!(out.verdicts.iter().skip(1).all(|v| v.measured.to_string() == "∞" && v.offending.classes == 0));
    let same = assess(&Input::new(&counts, &["z"], &["z"])).unwrap_err();
    assert_eq!(same, AssessError::Roles { column: "z".to_owned() });
    assert!(matches!(assess(&Input::new(&Counts::new(&["z"]).unwrap(), &["z"], &[])), Err(AssessError::Empty { .. })));
    assert!(matches!(assess(&Input::new(&counts, &[], &[])), Err(AssessError::NoQuasi)));
    let mut input = Input::new(&counts, &["z"], &[]);
    input.requirements = Requirement::parse("t=0").unwrap();
    assert!(matches!(assess(&input), Err(AssessError::NeedsSensitive { .. })));
    let mut input = Input::new(&counts, &["z"], &[]);
    input.priors = PriorRange::new(None, Some(ratio(1, 2))).unwrap();
    assert!(matches!(assess(&input), Err(AssessError::Priors { .. })));
    let alone = assess(&Input::new(&counts, &["z"], &[])).unwrap().membership;
    assert!(matches!(alone, Membership::NoBackground { population: 2, .. }));
}

/// Shares are 2/3 and 1/3; in the first class 3/4 and 1/4, in the second 1/2 and 1/2. So α/β is at most 4/3, and β/α at
/// most 3/2.
#[test]
fn demands_on_epsilon_are_exact_at_their_bounds() {
    let counts = table("z,d\n1*,a x3\n1*,b\n2*,a\n2*,b");
    for (demand, met) in [
        ("epsilon-bop=ln(4/3)", true),
        ("epsilon-bop=ln 4/3", true),
        ("epsilon-bop=ln( 1.3333333333333333 )", false),
        ("epsilon-bop=0.28769", true),
        ("epsilon-bop=0.28768", false),
        ("epsilon-bop-two-sided=ln(3/2)", true),
        ("epsilon-bop-two-sided=ln(1.4999999999999999)", false),
    ] {
        let mut input = Input::new(&counts, &["z"], &["d"]);
        input.requirements = Requirement::parse(demand).unwrap();
        assert_eq!(assess(&input).unwrap().verdicts[0].met, met, "{demand}");
    }
}

#[test]
fn demands_are_read() {
    let error = |text: &str| {
        let error = Requirement::parse(text).unwrap_err();
        format!("{error}: {}", error.help())
    };
    assert!(error("k").contains("such as k=5"));
    assert!(error("").contains("no demand is given") && error(" ,").contains("no demand is given"));
    assert!(error("k=5,k=4").contains("duplicate demand"));
    assert!(error("entrop-l=2").contains("did you mean `entropy-l`?"));
    assert!(error("k=2.5").contains("whole number"));
    assert!(error("t=1.1").contains("from 0 to 1"));
    assert!(error("prosecutor=20").contains("did you mean 20%?"));
    assert!(error("recursive-l=3").contains("c:l"));
    assert!(error("recursive-l=3:1").contains("c:l"));
    assert!(error("gain=0.5").contains("at least 1"));
    assert!(error("gain=x").contains("not a number"));
    assert!(error("epsilon-bop=ln(1/2)").contains("ln of at least 1"));
    let read = Requirement::parse("k = 5, epsilon-bop=1/2,").unwrap();
    assert_eq!(read.iter().map(|r| r.text.as_str()).collect::<Vec<_>>(), ["k=5", "epsilon-bop=1/2"]);
}
