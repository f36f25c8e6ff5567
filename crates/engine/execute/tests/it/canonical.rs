//! Canonical bytes: parsing them gives the same query, and damaged bytes are rejected.

use super::answered;
use super::generate::hostile::Hostile;
use super::generate::{Dice, Shape};
use super::{entity_rows, own_rows, per_entity};
use deniable_core::adversary::Adjacency;
use deniable_core::schema::TableSchema;
use deniable_query::{Contents, Query};
use deniable_testing::sized;

/// Random queries of all kinds, each with its tables.
fn queries(dice: &mut Dice, rounds: u32) -> Vec<(Query, Vec<TableSchema>)> {
    let mut all = Vec::new();
    for _ in 0..rounds {
        let shape = Shape::random(dice);
        let (_, query) = answered(dice, &shape.tables, &|dice| shape.question(dice));
        all.extend(per_entity::about_entities(&query).into_iter().map(|query| (query, shape.tables.clone())));
        all.push((query.clone().portable(), shape.tables.clone()));
        all.push((query, shape.tables));
        let shape = Shape::fixed(deniable_core::sensitivity::Caps { rows_per_group: 2, groups: 2 });
        let query = deniable_sql::plan(&entity_rows::questions(dice), &shape.tables).unwrap();
        all.push((query, shape.tables.clone()));
        let query = deniable_sql::plan(&own_rows::question(dice), &shape.tables).unwrap();
        all.push((query, shape.tables));
        let hostile = Hostile::random(dice);
        if let Ok(query) = deniable_sql::plan(&hostile.question(dice), &hostile.shape.tables) {
            all.push((query, hostile.shape.tables));
        }
    }
    all
}

#[test]
fn a_query_is_parsed_from_its_bytes() {
    let mut dice = Dice::new(deniable_testing::seed(51));
    let all = queries(&mut dice, sized(60, 1_000));
    for (query, tables) in &all {
        let read = Query::from_canonical(query.canonical(), tables).unwrap_or_else(|| panic!("{query:?}"));
        assert_eq!(read.canonical(), query.canonical());
        assert_eq!(read.measures().len(), query.measures().len());
        for measure in 0..query.measures().len() {
            assert_eq!(read.part(measure), query.part(measure));
            assert_eq!(read.width(measure), query.width(measure));
            assert_eq!(read.bounds(measure), query.bounds(measure));
            for adjacency in [Adjacency::AddRemove, Adjacency::ReplaceOne] {
                assert_eq!(read.sensitivity(measure, adjacency), query.sensitivity(measure, adjacency));
            }
        }
        assert!(read.tables().eq(query.tables()));
        for table in tables {
            assert_eq!(read.columns(&table.name), query.columns(&table.name));
        }
        assert_eq!(read.measures_within(query), query.measures_within(query));
        assert_eq!(Contents::of(query.canonical()).is_some(), !query.is_per_entity());
    }
    assert!(all.len() > 200, "{}", all.len());
}

#[test]
fn damaged_bytes_are_rejected() {
    let mut dice = Dice::new(deniable_testing::seed(52));
    for (query, tables) in queries(&mut dice, sized(10, 100)) {
        let bytes = query.canonical();
        for _ in 0..40 {
            let mut damaged = bytes.to_vec();
            let at = usize::try_from(dice.below(bytes.len() as u64)).unwrap();
            match dice.below(3) {
                0 => damaged.truncate(at),
                1 => damaged.insert(at, dice.below(256) as u8),
                _ => damaged[at] ^= 1 << dice.below(8),
            }
            // Damaged bytes that are still a query are another query with canonical bytes.
            if let Some(read) = Query::from_canonical(&damaged, &tables) {
                assert_eq!(read.canonical(), damaged);
            }
            let _ = Contents::of(&damaged);
        }
    }
}

/// Under another declaration the same bytes are rejected, or are the canonical bytes of the parsed query.
#[test]
fn bytes_are_parsed_against_the_declared_tables() {
    let mut dice = Dice::new(deniable_testing::seed(53));
    let shape = Shape::fixed(deniable_core::sensitivity::Caps { rows_per_group: 2, groups: 2 });
    for _ in 0..sized(20, 200) {
        let (_, query) = answered(&mut dice, &shape.tables, &|dice| shape.question(dice));
        let mut renamed = shape.tables.clone();
        renamed[0].name = "other".to_owned();
        assert_eq!(Query::from_canonical(query.canonical(), &renamed).map(|_| ()), None);
        let mut fewer = shape.tables.clone();
        fewer[0].columns.clear();
        let reads_columns = !query.columns(&shape.tables[0].name).is_empty();
        assert!(Query::from_canonical(query.canonical(), &fewer).is_none() || !reads_columns);
    }
}
