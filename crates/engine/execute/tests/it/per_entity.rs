//! Queries about entities: each entity counts once, whatever its rows, and the results are correct (S-OUT).

use super::answered;
use super::generate::{Dice, Entity, Shape};
use super::sensitivity::{distance, totals};
use deniable_core::adversary::Adjacency;
use deniable_core::exact::{Rational, whole};
use deniable_core::schema::TableSchema;
use deniable_core::sensitivity::Caps;
use deniable_query::Query;
use deniable_query::{EntityValue, Ladder, QuantileShare};
use deniable_testing::sized;
use std::collections::BTreeMap;

const SHARES: [QuantileShare; 2] = [QuantileShare { part: 1, whole: 2 }, QuantileShare { part: 9, whole: 10 }];

fn ladder(value: EntityValue, numbers: &[i64]) -> Ladder {
    Ladder { value, rungs: numbers.iter().map(|number| whole(*number)).collect(), shares: SHARES.to_vec() }
}

/// The queries about the entities of a query.
pub(super) fn about_entities(query: &Query) -> Vec<Query> {
    let counts = |value| ladder(value, &[1, 2, 3, 5, 8]);
    let mut ladders = vec![counts(EntityValue::RowsInLargestGroup), counts(EntityValue::Groups)];
    for (argument, _, unit, (low, high)) in query.bounded_columns() {
        let ends: Vec<Rational> = [low, low + (high - low) / 2, high].map(|end| whole(end) * &unit).to_vec();
        for value in [EntityValue::Smallest(argument), EntityValue::Largest(argument)] {
            ladders.push(Ladder { value, rungs: ends.clone(), shares: SHARES.to_vec() });
        }
    }
    let per_entity = query.per_entity(&ladders);
    query.left_out().into_iter().chain(per_entity).collect()
}

/// Random schemas and queries, with joins, filters and several levels; entities are removed or exchanged.
#[test]
fn one_entity_moves_its_own_value_alone() {
    let (mut compared, mut attained) = (0_u32, 0_u32);
    let mut dice = Dice::new(31);
    for _ in 0..sized(100, 600) {
        let shape = Shape::random(&mut dice);
        let (sql, of) = answered(&mut dice, &shape.tables, &|dice| shape.question(dice));
        let others: Vec<Entity> = (0..dice.below(4)).map(|name| shape.entity(&mut dice, name)).collect();
        let (first, second) = (shape.entity(&mut dice, 100), shape.entity(&mut dice, 101));
        for query in about_entities(&of) {
            let run = |more: &[&Entity]| {
                let entities: Vec<&Entity> = others.iter().chain(more.iter().copied()).collect();
                totals(&query, &shape.tables, &shape, &entities)
            };
            let (base, one, other) = (run(&[]), run(&[&first]), run(&[&second]));
            for (adjacency, left) in [(Adjacency::AddRemove, &base), (Adjacency::ReplaceOne, &other)] {
                for measure in 0..query.measures().len() {
                    let moved = distance(&query, measure, &one[measure], &left[measure]);
                    let declared = query.sensitivity(measure, adjacency);
                    assert!(moved <= declared, "{sql}\n{adjacency}: moved {moved}, declared {declared}");
                    compared += 1;
                    attained += u32::from(moved == declared);
                }
            }
        }
    }
    println!("{compared} comparisons, {attained} of them at exactly the declared sensitivity");
    assert!(compared > sized(250, 500) && attained * 20 > compared);
}

fn with_caps(tables: &[TableSchema], caps: Caps) -> Vec<TableSchema> {
    let mut tables = tables.to_vec();
    tables.iter_mut().filter_map(|table| table.entity.as_mut()).for_each(|entity| entity.caps = caps);
    tables
}

/// Compares with exact counts, entity by entity: the entities beyond the caps, and the values on their ladders.
#[test]
fn results_about_entities_are_correct() {
    let mut dice = Dice::new(32);
    let mut seen: BTreeMap<bool, u32> = BTreeMap::new();
    for round in 0..sized(20, 200) {
        let caps = Caps { rows_per_group: 1 + dice.below(5) as u32, groups: 1 + dice.below(4) as u32 };
        let shape = Shape::fixed(caps);
        let entities: Vec<Entity> = (0..1 + dice.below(4)).map(|name| shape.window(&mut dice, name)).collect();
        for grouping in
            ["", " GROUP BY grp", " GROUP BY band, grp", " GROUP BY ROLLUP(band, grp)", " WHERE flag GROUP BY band"]
        {
            let sql = format!("SELECT COUNT(*) AS c, SUM(n) AS s FROM t{grouping}");
            let query = deniable_sql::plan(&sql, &shape.tables).unwrap();
            let all = with_caps(&shape.tables, Caps { rows_per_group: 1_000, groups: 1_000 });
            let everything = deniable_sql::plan(&format!("SELECT COUNT(*) AS c FROM t{grouping}"), &all).unwrap();
            // Rows in the largest group and groups, over all levels, of each entity with any row.
            let known: Vec<(i128, usize)> = entities
                .iter()
                .map(|entity| {
                    let levels = totals(&everything, &all, &shape, &[entity]);
                    let rows = levels.iter().flatten().map(|cell| cell[0]).max().unwrap_or(0);
                    let groups = levels.iter().map(|cells| cells.iter().filter(|cell| cell[0] > 0).count()).max();
                    (rows, groups.unwrap_or(0))
                })
                .filter(|(rows, _)| *rows > 0)
                .collect();
            let is_beyond =
                |(rows, groups): &&(i128, usize)| *rows > caps.rows_per_group.into() || *groups > caps.groups as usize;
            let beyond = known.iter().filter(is_beyond).count() as i128;
            let everyone: Vec<&Entity> = entities.iter().collect();
            // Where entities are counted, one row in a group is enough.
            let entities_only =
                deniable_sql::plan(&format!("SELECT COUNT(DISTINCT person) AS c FROM t{grouping}"), &shape.tables)
                    .unwrap();
            let in_more = known.iter().filter(|(_, groups)| *groups > caps.groups as usize).count() as i128;
            let lost = totals(&entities_only.left_out().unwrap(), &shape.tables, &shape, &everyone);
            assert_eq!(
                lost,
                [vec![vec![known.len() as i128 - in_more], vec![in_more]]],
                "round {round}: {sql} {caps:?}"
            );
            let lost = totals(&query.left_out().unwrap(), &shape.tables, &shape, &everyone);
            assert_eq!(lost, [vec![vec![known.len() as i128 - beyond], vec![beyond]]], "round {round}: {sql} {caps:?}");
            *seen.entry(beyond > 0).or_default() += 1;

            let numbers = [1, 2, 4, 6];
            let position =
                |value: i128| numbers.iter().position(|rung| i128::from(*rung) >= value).unwrap_or(3) as i128;
            let values = [EntityValue::RowsInLargestGroup, EntityValue::Groups].map(|value| ladder(value, &numbers));
            let found = totals(&query.per_entity(&values).unwrap(), &shape.tables, &shape, &everyone);
            let sorted = |mut values: Vec<i128>| {
                values.sort_unstable();
                vec![values]
            };
            assert_eq!(found[0], sorted(known.iter().map(|(rows, _)| position(*rows)).collect()), "{sql}");
            assert_eq!(found[1], sorted(known.iter().map(|(_, groups)| position(*groups as i128)).collect()), "{sql}");
        }
    }
    println!("{seen:?}");
    assert!(seen.values().all(|count| *count > 10) && seen.len() == 2);
}

#[test]
fn invalid_ladders_are_refused() {
    let query =
        deniable_sql::plan("SELECT COUNT(*) FROM t", &Shape::fixed(Caps { rows_per_group: 2, groups: 2 }).tables)
            .unwrap();
    for wrong in [vec![], vec![3], vec![3, 3], vec![5, 2]] {
        assert!(query.per_entity(&[ladder(EntityValue::Groups, &wrong)]).is_err(), "{wrong:?}");
    }
    // Other caps make another query, and so does another ladder.
    let with = |rungs: &[i64]| query.per_entity(&[ladder(EntityValue::Groups, rungs)]).unwrap();
    assert_ne!(with(&[1, 2]).canonical(), with(&[1, 3]).canonical());
    assert_ne!(query.left_out().unwrap().canonical(), query.canonical());
}
