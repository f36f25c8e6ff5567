//! The files contain the simulated cohort, and simulated people follow the stated model.

use super::*;
use crate::table::ContingencyTable;

/// Copies of the counted allele, or `None` if missing.
fn unpack(row: Row<'_>, people: u32) -> Vec<Option<u8>> {
    let codes = (0..people as usize).map(|person| row[person / 4] >> (2 * (person % 4)) & 3);
    codes.map(|code| [Some(2), None, Some(1), Some(0)][usize::from(code)]).collect()
}

fn all(settings: &Settings, seed: u64) -> (Vec<Cause>, Vec<Vec<Option<u8>>>) {
    let mut rows = vec![];
    let causes = each_snp::<SimulateError>(settings, seed, |snp, row| {
        assert_eq!(snp as usize, rows.len());
        rows.push(unpack(row, settings.people()));
        Ok(())
    });
    (causes.unwrap(), rows)
}

fn table(row: &[Option<u8>], cases: u32) -> ContingencyTable {
    let mut table = ContingencyTable { cases: [0; 3], controls: [0; 3] };
    for (person, copies) in row.iter().enumerate() {
        let side = if person < cases as usize { &mut table.cases } else { &mut table.controls };
        if let Some(copies) = copies {
            side[usize::from(*copies)] += 1;
        }
    }
    table
}

fn small() -> Settings {
    Settings { cases: 30, controls: 23, snps: 101, block: 10, missing: 0.1, ..Settings::default() }
}

#[test]
fn the_files_contain_the_simulated_cohort() {
    let settings = small();
    let folder = tempfile::tempdir().unwrap();
    let stem = folder.path().join("cohort.v2");
    let causes = write(&settings, 9, &stem).unwrap();
    let (same, rows) = all(&settings, 9);
    assert_eq!(causes, same);
    let read = |extension| std::fs::read(folder.path().join(format!("cohort.v2.{extension}"))).unwrap();
    let bed = read("bed");
    assert_eq!(bed[..3], [0x6c, 0x1b, 0x01]);
    assert_eq!(bed.len(), 3 + 101 * 14);
    for (packed, row) in bed[3..].chunks(14).zip(&rows) {
        assert_eq!(&unpack(packed, 53), row);
        assert_eq!(packed[13] >> 2, 0, "bits after the last person are zero");
    }
    let bim = String::from_utf8(read("bim")).unwrap();
    assert_eq!(bim.lines().count(), 101);
    // Ten SNPs on a chromosome, spread over the shortest.
    assert_eq!(bim.lines().next(), Some("1\tsim0\t0\t4181818\tA\tG"));
    assert_eq!(bim.lines().last(), Some("11\tsim100\t0\t4181818\tA\tG"));
    assert!(bim.lines().all(|line| line.split('\t').count() == 6));
    let fam = String::from_utf8(read("fam")).unwrap();
    let ill: Vec<bool> = fam.lines().map(|line| line.ends_with("\t2")).collect();
    assert_eq!(ill, (0..53).map(|person| person < 30).collect::<Vec<_>>());
    assert!(matches!(write(&settings, 9, Path::new("/nowhere/at/all")), Err(SimulateError::Write { .. })));
}

/// The same on every machine: this hash may change only together with the model.
#[test]
fn the_same_seed_gives_the_same_bytes() {
    let digest = |seed| {
        let mut digest = 0xcbf2_9ce4_8422_2325_u64;
        each_snp::<SimulateError>(&small(), seed, |_, row| {
            for byte in row {
                digest = (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
            Ok(())
        })
        .unwrap();
        digest
    };
    assert_eq!(digest(4), digest(4));
    assert_ne!(digest(4), digest(5));
    assert_eq!(digest(4), 15_520_565_067_827_667_420);
}

/// With causes without effect: frequencies are multiples of 1/founders, genotypes in Hardy-Weinberg proportions, and
/// the stated share is missing.
#[test]
fn genotypes_follow_the_population() {
    let settings = Settings {
        cases: 10_000,
        controls: 10_000,
        snps: 60,
        block: 20,
        founders: 8,
        frequencies: (0.2, 0.7),
        missing: 0.05,
        causes: vec![1.0; 3],
        ..Settings::default()
    };
    let (_, rows) = all(&settings, 3);
    let mut frequencies = std::collections::BTreeSet::new();
    let mut missing = 0;
    for row in &rows {
        let known: Vec<u8> = row.iter().flatten().copied().collect();
        missing += row.len() - known.len();
        let people = known.len() as f64;
        let share = known.iter().map(|copies| f64::from(*copies)).sum::<f64>() / (2.0 * people);
        let carriers = (share * 8.0).round();
        let (p, n) = (carriers / 8.0, carriers);
        frequencies.insert(carriers as u32);
        // 60 SNPs, two checks each at 4.9 standard errors (10⁻⁶ each).
        assert!((share - p).abs() < 4.9 * (p * (1.0 - p) / (2.0 * people)).sqrt(), "{share} for {n}/8");
        let both = 2.0 * p * (1.0 - p);
        let seen = known.iter().filter(|copies| **copies == 1).count() as f64 / people;
        assert!((seen - both).abs() < 4.9 * (both * (1.0 - both) / people).sqrt(), "{seen} of {both}");
    }
    // 0.2 to 0.7 of eight founders: two to five.
    assert_eq!(frequencies.into_iter().collect::<Vec<_>>(), [2, 3, 4, 5]);
    let missing = missing as f64 / (60.0 * 20_000.0);
    assert!((missing - 0.05).abs() < 4.2 * (0.05 * 0.95 / 1.2e6_f64).sqrt(), "{missing}");
}

/// The squared correlation of two rows.
fn correlation(one: &[Option<u8>], other: &[Option<u8>]) -> f64 {
    let pairs: Vec<(f64, f64)> =
        one.iter().zip(other).filter_map(|(a, b)| Some((f64::from((*a)?), f64::from((*b)?)))).collect();
    let n = pairs.len() as f64;
    let (a, b) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let sum = |of: fn(f64, f64) -> f64| pairs.iter().map(|p| of(p.0 - a, p.1 - b)).sum::<f64>();
    sum(|x, y| x * y).powi(2) / (sum(|x, _| x * x) * sum(|_, y| y * y))
}

#[test]
fn linkage_decreases_with_distance_and_ends_with_the_block() {
    // Causes without effect, one in each block: linkage is the same on both sides of them.
    let settings = Settings { snps: 600, block: 30, switch: 0.05, causes: vec![1.0; 20], ..Settings::default() };
    let (_, rows) = all(&settings, 8);
    let mean = |gap: usize, across: bool| {
        let pairs = (0..600 - gap).filter(|snp| (snp / 30 != (snp + gap) / 30) == across);
        let values: Vec<f64> = pairs.map(|snp| correlation(&rows[snp], &rows[snp + gap])).collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    let (near, far, apart) = (mean(1, false), mean(15, false), mean(15, true));
    assert!(near > 0.3 && far < near / 2.0 && far > 4.0 * apart && apart < 0.003, "{near} {far} {apart}");
    let free = Settings { switch: 1.0, ..settings };
    let (_, rows) = all(&free, 8);
    assert!(correlation(&rows[0], &rows[1]) < 0.02);
}

/// Two causes, a common disease: genotype pairs of cases and of controls have the probabilities of the logistic model;
/// drawing the SNPs one by one would be wrong.
#[test]
fn rejection_gives_the_logistic_model() {
    let settings = Settings {
        cases: 40_000,
        controls: 40_000,
        snps: 40,
        risk: 0.2,
        founders: 16,
        causes: vec![3.0, 0.4],
        missing: 0.0,
        ..Settings::default()
    };
    let (causes, rows) = all(&settings, 21);
    assert_eq!(causes.len(), 2);
    assert!(causes[0].snp / 20 == 0 && causes[1].snp / 20 == 1);
    let of = |copies: usize, p: f64| [(1.0 - p).powi(2), 2.0 * p * (1.0 - p), p * p][copies];
    let mut chances = [[0.0; 9]; 2];
    for (first, second) in (0..3).flat_map(|first| (0..3).map(move |second| (first, second))) {
        let chance = of(first, causes[0].frequency) * of(second, causes[1].frequency);
        let odds = 0.25 * 3.0_f64.powi(first as i32) * 0.4_f64.powi(second as i32);
        chances[0][3 * first + second] = chance * odds / (1.0 + odds);
        chances[1][3 * first + second] = chance / (1.0 + odds);
    }
    let mut seen = [[0.0; 9]; 2];
    let (one, other) = (&rows[causes[0].snp as usize], &rows[causes[1].snp as usize]);
    for person in 0..80_000 {
        let pair = 3 * usize::from(one[person].unwrap()) + usize::from(other[person].unwrap());
        seen[usize::from(person >= 40_000)][pair] += 1.0;
    }
    for (chances, seen) in chances.iter().zip(seen) {
        let total: f64 = chances.iter().sum();
        let expected = chances.map(|chance| chance / total * 40_000.0);
        let statistic: f64 = expected.iter().zip(seen).map(|(e, s)| (s - e).powi(2) / e).sum();
        // χ² with 8 degrees of freedom exceeds 35 with probability 3·10⁻⁵.
        assert!(statistic < 35.0, "χ² = {statistic}");
    }
    let risk = table(one, 40_000);
    assert!(risk.case_alleles() > risk.control_alleles() + 5_000);
}

/// Two founders and no switching: within a block the genotypes of every SNP equal those of the cause or are opposite,
/// on both sides of it.
#[test]
fn blocks_follow_their_cause() {
    let settings = Settings {
        cases: 200,
        controls: 200,
        snps: 64,
        block: 32,
        founders: 2,
        frequencies: (0.5, 0.5),
        switch: 0.0,
        causes: vec![4.0],
        ..Settings::default()
    };
    for seed in 0..6 {
        let (causes, rows) = all(&settings, seed);
        let block = (causes[0].snp / 32 * 32) as usize;
        let cause = &rows[causes[0].snp as usize];
        for row in &rows[block..block + 32] {
            let alike = row == cause;
            let opposite = row.iter().zip(cause).all(|(a, b)| a.unwrap() == 2 - b.unwrap());
            assert!(alike || opposite);
        }
        let counts = table(cause, 200);
        assert!(counts.case_alleles() > counts.control_alleles() + 40);
    }
}

#[test]
fn settings_out_of_range_are_rejected() {
    let refused = |change: fn(&mut Settings)| {
        let mut settings = small();
        change(&mut settings);
        match each_snp::<SimulateError>(&settings, 1, |_, _| Ok(())) {
            Err(SimulateError::Setting { name, .. }) => name,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(refused(|s| s.cases = 0), "cases");
    assert_eq!(refused(|s| s.controls = 20_000_000), "controls");
    assert_eq!(refused(|s| s.snps = 0), "snps");
    assert_eq!(refused(|s| s.block = 0), "block");
    assert_eq!(refused(|s| (s.cases, s.snps, s.block) = (10_000_000, 10_000, 10_000)), "block");
    assert_eq!(refused(|s| s.founders = 65), "founders");
    assert_eq!(refused(|s| s.frequencies = (0.4, 0.3)), "frequencies");
    assert_eq!(refused(|s| (s.founders, s.frequencies) = (4, (0.3, 0.4))), "frequencies");
    assert_eq!(refused(|s| s.frequencies = (f64::NAN, 0.3)), "frequencies");
    assert_eq!(refused(|s| s.switch = 1.1), "switch");
    assert_eq!(refused(|s| s.missing = 1.0), "missing");
    assert_eq!(refused(|s| s.risk = 0.0), "risk");
    assert_eq!(refused(|s| s.causes = vec![0.0]), "causes");
    assert_eq!(refused(|s| s.causes = vec![2.0; 12]), "causes");
    // Controls are too rare.
    assert_eq!(refused(|s| (s.risk, s.causes) = (0.999_999_9, vec![100.0; 11])), "risk");
}
