//! The zero-noise sensitivity test: with noise off, one entity never moves the cells by more than is declared, and
//! for every aggregate and every cap some entity moves them by exactly that much.
//!
//! Random tables, random allowed questions and random neighbours go through the whole path: SQL, plan, total
//! expressions, engine, clamping, capping, exact sums. Mutants, in which one of the protections is taken away
//! while the declared sensitivity stays, must be caught by the same test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod generate;

use deniable_core::adversary::Adjacency;
use deniable_core::exact::whole;
use deniable_core::sensitivity::Caps;
use deniable_policy::Bounds;
use deniable_sql::plan::{Answer, MeasureKind};
use deniable_sql::{Query, Resources, Salt, Source, Table};
use generate::{Dice, Entity, Shape};
use num_bigint::BigInt;
use std::collections::BTreeMap;

const SALT: Salt = Salt([42; 32]);

/// What a mutant leaves out when it computes, while the sensitivity is declared as if it were there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mutant {
    Faithful,
    NoRowCap,
    NoGroupCap,
    NoClamp,
    NoFactorTwo,
}

impl Mutant {
    /// The table that is computed with.
    fn table(self, table: &Table) -> Table {
        let mut changed = table.clone();
        if let Some(entity) = &mut changed.entity {
            match self {
                Self::NoRowCap => entity.caps.rows_per_group = 1_000,
                Self::NoGroupCap => entity.caps.groups = 1_000,
                Self::Faithful | Self::NoClamp | Self::NoFactorTwo => {}
            }
        }
        if self == Self::NoClamp {
            for column in &mut changed.columns {
                if let Some(bounds) = &column.bounds {
                    let wide = |end: &deniable_core::exact::Rational| end * whole(10);
                    let (low, high) = (wide(bounds.low()) - whole(1_000), wide(bounds.high()) + whole(1_000));
                    column.bounds = Some(Bounds::new(low, high, bounds.step().clone()).unwrap());
                }
            }
        }
        changed
    }

    /// The adjacency that the sensitivity is declared for.
    fn declared(self, adjacency: Adjacency) -> Adjacency {
        if self == Self::NoFactorTwo { Adjacency::AddRemove } else { adjacency }
    }
}

/// A kind of measure under a kind of protection: what the report is by.
type Case = (String, Adjacency, Caps, bool);

/// How often a case was tried, how often it attained its sensitivity, how often it went beyond.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    tried: u32,
    attained: u32,
    exceeded: u32,
}

fn totals(query: &Query, table: &Table, shape: &Shape, entities: &[&Entity]) -> Vec<Vec<i128>> {
    let source = Source::memory(table.clone(), shape.batches(entities));
    source.exact(query, &SALT, &Resources::default(), &|_| {}).unwrap().reveal()
}

fn distance(left: &[i128], right: &[i128]) -> BigInt {
    left.iter().zip(right).map(|(a, b)| BigInt::from(a - b).magnitude().clone()).sum::<num_bigint::BigUint>().into()
}

fn kind_name(kind: &MeasureKind) -> String {
    match kind {
        MeasureKind::Rows => "rows".to_owned(),
        MeasureKind::NotNull { .. } => "not null".to_owned(),
        MeasureKind::Entities => "entities".to_owned(),
        MeasureKind::Sum { centre: 0, .. } => "sum".to_owned(),
        MeasureKind::Sum { .. } => "centred sum".to_owned(),
    }
}

/// Runs `rounds` random shapes, each with several questions and neighbours.
fn run(mutant: Mutant, seed: u64, rounds: u32) -> BTreeMap<String, (Case, Tally)> {
    let mut dice = Dice::new(seed);
    let mut report: BTreeMap<String, (Case, Tally)> = BTreeMap::new();
    for _ in 0..rounds {
        let shape = Shape::random(&mut dice);
        let mutated = mutant.table(&shape.table);
        let sql = shape.question(&mut dice);
        let query = Query::new(&sql, &shape.table).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let computed = Query::new(&sql, &mutated).unwrap();
        let others: Vec<Entity> = (0..dice.below(4)).map(|name| shape.entity(&mut dice, name)).collect();
        let first = shape.entity(&mut dice, 100);
        let second = shape.entity(&mut dice, 101);
        let base = totals(&computed, &mutated, &shape, &others.iter().collect::<Vec<_>>());
        let one = totals(&computed, &mutated, &shape, &others.iter().chain([&first]).collect::<Vec<_>>());
        let other = totals(&computed, &mutated, &shape, &others.iter().chain([&second]).collect::<Vec<_>>());
        for adjacency in [Adjacency::AddRemove, Adjacency::ReplaceOne] {
            let (left, right) = match adjacency {
                Adjacency::AddRemove => (&base, &one),
                Adjacency::ReplaceOne => (&one, &other),
            };
            for (position, measure) in query.measures().iter().enumerate() {
                // A mutant may order its measures differently.
                let role = measures_of(&query.answers()[0]).iter().position(|of| *of == position).unwrap();
                let at = measures_of(&computed.answers()[0])[role];
                let moved = distance(&left[at], &right[at]);
                let declared = measure.sensitivity(mutant.declared(adjacency), query.caps(), query.cells());
                let grouped = query.cells() > 1;
                let case = (kind_name(&measure.kind), adjacency, query.caps(), grouped);
                let tally = &mut report.entry(format!("{case:?}")).or_insert((case, Tally::default())).1;
                tally.tried += 1;
                tally.attained += u32::from(moved == declared);
                tally.exceeded += u32::from(moved > declared);
                if mutant == Mutant::Faithful {
                    assert!(
                        moved <= declared,
                        "{sql}\n{:?}\n{adjacency}: moved {moved}, declared {declared}",
                        shape.table
                    );
                }
            }
        }
    }
    report
}

/// The measures of an answer, in the order of their roles.
fn measures_of(answer: &Answer) -> Vec<usize> {
    match answer {
        Answer::Count { measure } | Answer::Sum { measure } => vec![*measure],
        Answer::Average { sum, count, .. } => vec![*sum, *count],
    }
}

/// `rounds` random schemas, questions and pairs of neighbours under each adjacency.
fn bounded(seed: u64, rounds: u32) {
    let report = run(Mutant::Faithful, seed, rounds);
    let tried: u32 = report.values().map(|(_, tally)| tally.tried).sum();
    let attained: u32 = report.values().map(|(_, tally)| tally.attained).sum();
    println!(
        "{} kinds of case, {tried} comparisons, {attained} of them at exactly the declared sensitivity",
        report.len()
    );
    assert!(report.values().all(|(_, tally)| tally.exceeded == 0));
    assert!(report.len() > 60 && attained * 20 > tried, "the generator has become too tame");
}

// Four tests, so that they run side by side: 2,400 rounds, two adjacencies each.
#[test]
fn one_entity_moves_cells_by_at_most_the_declared_sensitivity_1() {
    bounded(1, 600);
}
#[test]
fn one_entity_moves_cells_by_at_most_the_declared_sensitivity_2() {
    bounded(2, 600);
}
#[test]
fn one_entity_moves_cells_by_at_most_the_declared_sensitivity_3() {
    bounded(3, 600);
}
#[test]
fn one_entity_moves_cells_by_at_most_the_declared_sensitivity_4() {
    bounded(4, 600);
}

/// For every aggregate, grouping, cap and adjacency there are two neighbours that differ by exactly what is declared.
#[test]
fn the_declared_sensitivity_is_attained_for_each_aggregate_and_cap() {
    let mut dice = Dice::new(5);
    let mut cases = 0;
    for (rows_per_group, groups) in [(1, 1), (3, 1), (1, 2), (2, 3)] {
        let caps = Caps { rows_per_group, groups };
        for aggregate in ["COUNT(*)", "COUNT(n)", "COUNT(DISTINCT person)", "SUM(n)", "SUM(x - 3)", "AVG(n)"] {
            for grouping in ["", " GROUP BY grp", " GROUP BY band, grp"] {
                let shape = Shape::fixed(caps);
                let sql = format!("SELECT {aggregate} FROM t{grouping}");
                let query = Query::new(&sql, &shape.table).unwrap();
                let mut missing: Vec<(usize, Adjacency)> = (0..query.measures().len())
                    .flat_map(|measure| [(measure, Adjacency::AddRemove), (measure, Adjacency::ReplaceOne)])
                    .collect();
                for _ in 0..3_000 {
                    if missing.is_empty() {
                        break;
                    }
                    let (first, second) = (shape.window(&mut dice, 1), shape.window(&mut dice, 2));
                    let one = totals(&query, &shape.table, &shape, &[&first]);
                    let other = totals(&query, &shape.table, &shape, &[&second]);
                    missing.retain(|(measure, adjacency)| {
                        let nothing = vec![0; query.cells()];
                        let neighbour = if *adjacency == Adjacency::AddRemove { &nothing } else { &other[*measure] };
                        let declared = query.measures()[*measure].sensitivity(*adjacency, caps, query.cells());
                        distance(&one[*measure], neighbour) != declared
                    });
                    cases += 1;
                }
                assert!(missing.is_empty(), "{sql} with {caps:?}: never attained by {missing:?}");
            }
        }
    }
    println!("72 questions, {cases} pairs of neighbours");
}

#[test]
fn mutants_are_caught() {
    for mutant in [Mutant::NoRowCap, Mutant::NoGroupCap, Mutant::NoClamp, Mutant::NoFactorTwo] {
        let exceeded: u32 = run(mutant, 6, 150).values().map(|(_, tally)| tally.exceeded).sum();
        println!("{mutant:?}: {exceeded} violations");
        assert!(exceeded > 0, "{mutant:?} went unnoticed");
    }
}
