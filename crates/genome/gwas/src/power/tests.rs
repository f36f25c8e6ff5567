//! Small cohorts: probabilities are monotone, averages are correct, and invalid parameters are rejected by name.

use super::*;
use deniable_core::exact::{ratio, whole};
use deniable_genome::power::{Evidence, chances};
use deniable_genome::{Threshold, distance};

const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

fn half() -> PriorRange {
    PriorRange::new(Some(ratio(1, 2)), Some(ratio(1, 2))).unwrap()
}

/// Two strong causes among 60 SNPs without linkage (with linkage, two picks would go to neighbours of the stronger
/// cause, the more likely the larger the cohort); γ = 2 against any prior and against one half.
fn question(sizes: &[(u32, u32)], seeds: &[u64]) -> PowerQuery {
    let settings =
        Settings { snps: 60, block: 10, switch: 1.0, causes: vec![2.5, 2.5], risk: 0.1, ..Settings::default() };
    let gain = || Promise::Gain(whole(2));
    PowerQuery {
        cohorts: Cohorts::Simulated { settings, sizes: sizes.to_vec(), seeds: seeds.to_vec() },
        promises: vec![(gain(), PriorRange::any()), (gain(), half())],
        picks: vec![2],
        thresholds: vec![Cut::PValue(ratio(1, 20))],
        test: Test::Allelic,
        adjacencies: vec![CohortAdjacency::LabelSwap],
        scores: vec![Score::Distance],
    }
}

fn ask(question: &PowerQuery) -> Result<Power, PowerFailure> {
    power(question, TWO, &mut |_| {})
}

fn chances_of(power: &Power) -> Vec<f64> {
    power.rows.iter().map(|row| row.all).collect()
}

/// For every score and adjacency, more people and a larger ε increase the probabilities.
#[test]
fn chances_rise_with_people_and_with_epsilon() {
    let mut wide = question(&[(100, 100), (300, 300), (1200, 1200)], &[4]);
    wide.adjacencies = CohortAdjacency::ALL.to_vec();
    let grid = ratio(1, 10);
    wide.scores = vec![Score::Distance, Score::Statistic { grid: grid.clone() }, Score::Noise { grid }];
    let power = ask(&wide).unwrap();
    // Two adjacencies, three scores, two priors, three sizes.
    assert_eq!(power.rows.len(), 36);
    for series in power.rows.chunks(3) {
        assert!(series.windows(2).all(|two| two[0].series == two[1].series));
        assert!(series.windows(2).all(|two| two[0].participants() < two[1].participants()));
        assert!(series.windows(2).all(|two| two[0].all < two[1].all), "{series:?}");
        assert!(series.windows(2).all(|two| two[0].found < two[1].found && two[1].found <= 2.000_1), "{series:?}");
    }
    for (any, half) in power.rows.chunks(6).flat_map(|both| both[..3].iter().zip(&both[3..])) {
        assert_eq!((any.series.prior.as_str(), half.series.prior.as_str()), ("any", "1/2"));
        assert_eq!((any.series.epsilon.as_str(), half.series.epsilon.as_str()), ("0.6932", "1.0987"));
        assert!(any.all < half.all && any.found < half.found, "{any:?} {half:?}");
    }
    let best = power.rows.iter().find(|row| row.series.score == "distance" && row.cases == 1200).unwrap();
    assert!(best.all > 0.9, "{best:?}");
}

/// A row computed by hand from genotypes: the causes of the seed, their distances, and the probabilities of
/// `deniable_genome`.
#[test]
fn a_row_equals_the_probability_of_its_cohort() {
    let one = question(&[(200, 150)], &[7]);
    let row = ask(&one).unwrap().rows[1].clone();
    let Cohorts::Simulated { settings, .. } = &one.cohorts else { panic!() };
    let settings = Settings { cases: 200, controls: 150, ..settings.clone() };
    let mut tables = vec![];
    let causes = deniable_genome::simulate::each_snp::<SimulateError>(&settings, 7, |_, row| {
        let mut table = ContingencyTable { cases: [0; 3], controls: [0; 3] };
        for person in 0..350 {
            let copies = [2, 0, 1, 0][usize::from(row[person / 4] >> (2 * (person % 4)) & 3)];
            let side = if person < 200 { &mut table.cases } else { &mut table.controls };
            side[copies] += 1;
        }
        tables.push(table);
        Ok(())
    });
    let planted: Vec<usize> = causes.unwrap().iter().map(|cause| cause.snp as usize).collect();
    let each = ratio(1, 20) / whole(60);
    let at = Threshold::at_p_value(&each, Test::Allelic, deniable_core::exact::Rounding::Up).unwrap();
    let score =
        |table: &ContingencyTable| distance(table, Test::Allelic, CohortAdjacency::LabelSwap, &at).unwrap().score();
    let scores: Vec<Option<i64>> = tables.iter().map(score).collect();
    let odds = Promise::Gain(whole(2)).largest_odds(&half()).unwrap();
    let (all, _) = chances(&Evidence::Scores(&scores), &planted, 2, &odds).unwrap();
    assert!((row.all - all.middle()).abs() < 1e-12 && (row.all_within - (all.high - all.low) / 2.0).abs() < 1e-12);
    assert_eq!((row.cases, row.controls, row.planted, row.seeds), (200, 150, 2, 1));
    assert_eq!((row.all_lowest, row.all_highest, row.all_standard_error), (row.all, row.all, None));

    // The same tables as a given cohort: the same probability, and a warning.
    let variant = Variant { chromosome: 1, id: "rs1".into(), position: 1, a1: "A".into(), a2: "G".into() };
    let tables = tables.into_iter().map(|table| (variant.clone(), table)).collect();
    let given = ask(&PowerQuery { cohorts: Cohorts::Given { tables, planted }, ..one.clone() }).unwrap();
    assert!((given.rows[1].all - row.all).abs() < 1e-12);
    assert!(!given.simulated && given.markdown().contains("Not for publication"));
    assert!(ask(&one).unwrap().simulated);
}

#[test]
fn averaging_over_seeds_is_the_mean_of_single_seeds() {
    let sizes = [(400, 400), (150, 150)];
    let single: Vec<Power> = [3, 8, 5].iter().map(|seed| ask(&question(&sizes, &[*seed])).unwrap()).collect();
    let together = ask(&question(&sizes, &[3, 8, 5])).unwrap();
    for (place, row) in together.rows.iter().enumerate() {
        let each: Vec<&Row> = single.iter().map(|power| &power.rows[place]).collect();
        assert!(each.iter().all(|one| (&one.series, one.cases) == (&row.series, row.cases)));
        let values: Vec<f64> = each.iter().map(|one| one.all).collect();
        let mean = values.iter().sum::<f64>() / 3.0;
        assert!((row.all - mean).abs() < 1e-12, "{row:?}");
        assert!((row.found - each.iter().map(|one| one.found).sum::<f64>() / 3.0).abs() < 1e-12);
        assert_eq!(row.by_seed, values);
        assert!(values.contains(&row.all_lowest) && values.iter().all(|value| *value >= row.all_lowest));
        assert!(values.contains(&row.all_highest) && values.iter().all(|value| *value <= row.all_highest));
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 2.0;
        assert!((row.all_standard_error.unwrap() - (variance / 3.0).sqrt()).abs() < 1e-12);
        assert!(row.all_highest > row.all_lowest && row.seeds == 3);
    }
    // Repetitions count once.
    assert_eq!(ask(&question(&[sizes[0], sizes[1], sizes[0]], &[3, 8, 3, 5])).unwrap(), together);
}

#[test]
fn the_same_seeds_give_the_same_result_on_any_number_of_threads() {
    let one = question(&[(120, 80), (40, 60)], &[1, 2]);
    let mut steps = vec![];
    let alone = power(&one, NonZeroUsize::MIN, &mut |progress| steps.push(progress)).unwrap();
    for threads in [2, 3, 9] {
        assert_eq!(power(&one, NonZeroUsize::new(threads).unwrap(), &mut |_| {}).unwrap(), alone);
    }
    assert_ne!(chances_of(&ask(&question(&[(120, 80), (40, 60)], &[1, 3])).unwrap()), chances_of(&alone));
    // Four cohorts, each simulated and then evaluated under two settings.
    assert_eq!(steps, (1..=12).map(|done| Progress { done, of: 12 }).collect::<Vec<_>>());
}

/// Rows written by hand.
fn rows(chances: &[(u32, f64)]) -> Power {
    let series = Series {
        adjacency: CohortAdjacency::Genotype,
        score: "distance".into(),
        threshold: Some("20.5".into()),
        family: None,
        promise: "γ = 2".into(),
        prior: "any".into(),
        epsilon: "0.6932".into(),
        picks: 2,
    };
    let row = |(half, all): &(u32, f64)| Row {
        cases: *half,
        controls: *half,
        series: series.clone(),
        all: *all,
        all_within: 0.0,
        all_lowest: *all,
        all_highest: *all,
        all_standard_error: None,
        by_seed: vec![],
        found: 2.0 * all,
        planted: 2,
        seeds: 1,
    };
    Power {
        simulated: true,
        setup: "By hand.".into(),
        snps: 9,
        test: Test::Allelic,
        rows: chances.iter().map(row).collect(),
    }
}

#[test]
fn needed_participants_are_interpolated() {
    let reached = |chances: &[(u32, f64)], target| {
        let needed = rows(chances).needed(target);
        assert!(needed.len() <= 1);
        needed.first().map(|needed| needed.reached)
    };
    // 2,000 and 4,000 and 8,000 participants, in any order.
    let rising = [(4000, 0.75), (1000, 0.0), (2000, 0.25)];
    assert_eq!(reached(&rising, 0.5), Some(TargetSize::At(6000.0)));
    assert_eq!(reached(&rising, 0.125), Some(TargetSize::At(3000.0)));
    assert_eq!(reached(&rising, 0.25), Some(TargetSize::At(4000.0)));
    assert_eq!(reached(&rising, 0.75), Some(TargetSize::At(8000.0)));
    assert_eq!(reached(&rising, 0.0), Some(TargetSize::Already(2000)));
    assert_eq!(reached(&rising, 0.76), Some(TargetSize::NotYet(8000)));
    // If the curve falls below the target again, the size from which it stays above counts.
    assert_eq!(reached(&[(1, 0.6), (2, 0.25), (3, 0.75)], 0.5), Some(TargetSize::At(5.0)));
    // Values that are not numbers are ignored.
    assert_eq!(reached(&[(1000, 0.0), (2000, f64::NAN), (3000, 1.0)], 0.5), Some(TargetSize::At(4000.0)));
    assert_eq!(reached(&[(1000, f64::NAN)], 0.5), None.or(Some(TargetSize::Unknown)));
    assert_eq!(reached(&rising, f64::NAN), Some(TargetSize::NotYet(8000)));
    assert_eq!(reached(&[], 0.5), None);
    assert_eq!(rows(&rising).needed(0.5)[0].participants(), Some(6000.0));
    let text = needed::markdown(&rows(&rising).needed(0.9));
    assert!(
        text.ends_with("| genotype | distance | 20.5 | γ = 2 | any | 0.6932 | 2 | 0.9 | more than 8000 |\n"),
        "{text}"
    );
    assert!(needed::markdown(&rows(&rising).needed(0.3)).contains("| 0.3 | 4400 |"));
}

/// Probabilities of three seeds that rise by 1/2 from 1,000 to 2,000 participants. The crossing is then linear in the
/// mean of the seeds, for which the jackknife gives the standard error of a mean, and half of 0.1 over a slope of 1/2
/// in 1,000.
#[test]
fn needed_participants_have_a_standard_error() {
    let mut power = rows(&[(500, 0.1), (1000, 0.6)]);
    power.rows[0].by_seed = vec![0.0, 0.1, 0.2];
    power.rows[1].by_seed = vec![0.5, 0.6, 0.7];
    let needed = power.needed(0.5)[0].clone();
    let error = 0.1 / 3.0_f64.sqrt() * 2000.0;
    assert!((needed.participants().unwrap() - 1800.0).abs() < 1e-9, "{needed:?}");
    assert!((needed.standard_error.unwrap() - error).abs() < 1e-9, "{needed:?}");
    assert!(needed::markdown(&power.needed(0.5)).contains("| 0.5 | 1800 ± 115 |"));
    // Without the best seed, the target is beyond the largest size.
    assert_eq!(power.needed(0.58)[0].standard_error, None);

    // A second setting that needs three quarters of the participants without any of the seeds, too.
    let half = Series { prior: "1/2".into(), epsilon: "1.0987".into(), ..power.rows[0].series.clone() };
    let (any, mut others) = (power.rows[0].series.clone(), power.rows.clone());
    for row in &mut others {
        (row.cases, row.controls) = (row.cases * 3 / 4, row.controls * 3 / 4);
        row.series = half.clone();
    }
    power.rows.extend(others);
    // A setting with another M is not compared with either.
    power.rows.extend(rows(&[(1, 0.1)]).rows.into_iter().map(|mut row| {
        row.series.picks = 3;
        row
    }));
    let [compared] = power.compared(0.5).try_into().unwrap();
    assert_eq!((&compared.one, &compared.other), (&half, &any));
    assert!((compared.share.unwrap() - 0.75).abs() < 1e-9 && compared.standard_error.unwrap() < 1e-9, "{compared:?}");
    assert_eq!(
        needed::sentences(&[compared]),
        ["For a chance of 0.5, γ = 2 with prior 1/2 (ε 1.0987) by distance at χ² ≥ 20.5, genotype adjacency, M = 2, \
          needs 0.75 ± 0.00 times as many participants as γ = 2 with any prior (ε 0.6932)."]
    );
    let beyond = power.compared(0.01);
    assert_eq!((beyond[0].share, beyond[0].standard_error), (None, None));
    assert!(needed::sentences(&beyond)[0].contains("cannot be compared"));
}

#[test]
fn texts_and_curves() {
    let mut one = question(&[(100, 60), (300, 300)], &[1, 2]);
    one.adjacencies = CohortAdjacency::ALL.to_vec();
    let power = ask(&one).unwrap();
    let text = power.markdown();
    let row = "| label swap | distance | 11.165482 (p 0.05 in all) | γ = 2 | 1/2 | 1.0987 | 2 | 100 | 60 | ";
    assert!(text.contains(row), "{text}");
    assert!(
        text.starts_with("Simulated cohorts: 60 SNPs in blocks of 10") && text.contains("seeds 1, 2; allelic test.")
    );
    assert_eq!(text.lines().count(), 2 + 2 + 8);
    // Every row has as many cells as the header.
    assert!(text.lines().skip(2).all(|line| line.matches('|').count() == 14), "{text}");
    let json = serde_json::to_value(&power).unwrap();
    assert_eq!(json["rows"][0]["adjacency"], "genotype");
    assert_eq!((json["rows"][0]["epsilon"].as_str(), json["rows"][0]["cases"].as_u64()), (Some("0.6932"), Some(100)));
    let curves = power.curves();
    assert_eq!(curves.iter().map(Curves::name).collect::<Vec<_>>(), ["genotype", "label swap"]);
    for (curves, rows) in curves.iter().zip(power.rows.chunks(4)) {
        let names: Vec<&str> = curves.curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["any prior, ε 0.6932", "prior 1/2, ε 1.0987"]);
        let points: Vec<Point> = curves.curves.iter().flat_map(|curve| curve.points.clone()).collect();
        let of = |row: &Row| (row.participants(), row.all, 2.0 * row.all_standard_error.unwrap());
        let expected: Vec<_> = rows.iter().map(of).collect();
        assert_eq!(points.iter().map(|at| (at.participants, at.found, at.within)).collect::<Vec<_>>(), expected);
    }
    // Values that are not numbers.
    let none = rows(&[(10, f64::NAN), (20, f64::INFINITY)]);
    assert!(none.markdown().contains("NaN") && serde_json::to_string(&none).is_ok());
    let [curves] = none.curves().try_into().unwrap();
    let [Curve { name, points }] = curves.curves.try_into().unwrap();
    // No parameter differs, so a curve is named by its promise.
    assert_eq!((name.as_str(), points.len()), ("γ = 2, any prior, ε 0.6932", 2));
}

#[test]
fn invalid_parameters_are_named() {
    let refused = |change: &dyn Fn(&mut PowerQuery)| {
        let mut one = question(&[(20, 20)], &[1]);
        change(&mut one);
        ask(&one).unwrap_err()
    };
    let given = |tables: Vec<ContingencyTable>, planted: Vec<usize>| {
        let variant = Variant { chromosome: 1, id: "rs1".into(), position: 1, a1: "A".into(), a2: "G".into() };
        let tables: Vec<_> = tables.into_iter().map(|table| (variant.clone(), table)).collect();
        refused(&|one| one.cohorts = Cohorts::Given { tables: tables.clone(), planted: planted.clone() })
    };
    let table = ContingencyTable { cases: [3, 4, 5], controls: [6, 4, 2] };
    assert!(matches!(given(vec![table; 5], vec![1, 5]), PowerFailure::Planted { place: 5, snps: 5 }));
    assert!(matches!(given(vec![table; 5], vec![1, 4, 1]), PowerFailure::PlantedTwice { place: 1 }));
    assert!(matches!(given(vec![table; 5], vec![]), PowerFailure::Nothing { what: "SNP to find" }));
    let other = ContingencyTable { cases: [3, 4, 4], ..table };
    assert!(matches!(given(vec![table, table, other], vec![0]), PowerFailure::People { place: 2 }));
    let said = given(vec![table; 5], vec![7]).to_string();
    assert_eq!(said, "there is no SNP number 8 to find: the cohort has 5");

    let nothing = |change: &dyn Fn(&mut PowerQuery)| match refused(change) {
        PowerFailure::Nothing { what } => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(nothing(&|one| one.promises.clear()), "promise");
    assert_eq!(nothing(&|one| one.picks.clear()), "number of picks");
    assert_eq!(nothing(&|one| one.thresholds.clear()), "threshold for the distance score");
    assert_eq!(nothing(&|one| one.adjacencies.clear()), "adjacency");
    assert_eq!(nothing(&|one| one.scores.clear()), "score to select by");
    assert_eq!(nothing(&|one| *one = question(&[], &[1])), "size of a cohort");
    assert_eq!(nothing(&|one| *one = question(&[(20, 20)], &[])), "seed");
    let causeless = |one: &mut PowerQuery| {
        if let Cohorts::Simulated { settings, .. } = &mut one.cohorts {
            settings.causes.clear();
        }
    };
    assert_eq!(nothing(&causeless), "cause to plant");
    let failed = refused(&|one| *one = question(&[(20, 20), (0, 4)], &[1]));
    assert!(matches!(failed, PowerFailure::Simulate(SimulateError::Setting { name: "cases", .. })), "{failed:?}");

    let failed = refused(&|one| *one = question(&[(u32::MAX, u32::MAX)], &[1]));
    assert!(matches!(failed, PowerFailure::Simulate(SimulateError::Setting { name: "cases", .. })), "{failed:?}");

    assert!(matches!(refused(&|one| one.picks.push(0)), PowerFailure::Picks { picks: 0, snps: 60 }));
    assert!(matches!(refused(&|one| one.picks = vec![61]), PowerFailure::Picks { picks: 61, snps: 60 }));
    let gain = (Promise::Gain(ratio(1, 2)), PriorRange::any());
    assert!(matches!(refused(&|one| one.promises.push(gain.clone())), PowerFailure::Promise(_)));
    for p in [whole(0), whole(1), ratio(-1, 2)] {
        let failed = refused(&|one| one.thresholds.push(Cut::PValue(p.clone())));
        assert!(matches!(failed, PowerFailure::Threshold(ThresholdError::NotAPValue(_))), "{failed:?}");
    }
    let zero = Cut::ChiSquare(whole(0));
    assert!(matches!(refused(&|one| one.thresholds.push(zero.clone())), PowerFailure::Threshold(_)));
    let flat = Score::Noise { grid: whole(0) };
    assert!(matches!(refused(&|one| one.scores.push(flat.clone())), PowerFailure::Grid(_)));
    // Scores by χ² need no threshold.
    let mut one = question(&[(20, 20)], &[1]);
    (one.thresholds, one.scores) = (vec![], vec![Score::Noise { grid: ratio(1, 10) }]);
    assert_eq!(ask(&one).unwrap().rows[0].series.threshold, None);
}
