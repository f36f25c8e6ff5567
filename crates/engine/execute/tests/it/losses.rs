//! The losses to caps and bounds, computed in one pass, equal those counted row by row and entity by entity.

use super::answered;
use super::entity_rows;
use super::generate::{Dice, Entity, Shape};
use crate::compute::losses::reference::counted;
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use deniable_core::schema::{Column, ColumnType, Entity as EntityKey, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_data::{Resources, Source};
use deniable_execute::{Losses, Salt, losses};
use deniable_query::Query;
use deniable_testing::sized;
use std::sync::Arc;

const SALT: Salt = Salt([5; 32]);

/// The rows of these entities in every table. Those of `p0` have no entity.
fn sources(shape: &Shape, tables: &[TableSchema], entities: &[&Entity]) -> Vec<Source> {
    let somebody = |table: &TableSchema, batch: RecordBatch| {
        let Some(entity) = &table.entity else { return batch };
        let names = batch.column_by_name(&entity.key).unwrap().as_string::<i32>().iter();
        let names = names.map(|name| name.filter(|name| *name != "p0"));
        let owners: ArrayRef = match table.columns[0].kind {
            ColumnType::Integer => {
                Arc::new(names.map(|name| name.map(|name| name[1..].parse().unwrap())).collect::<Int64Array>())
            }
            _ => Arc::new(names.collect::<StringArray>()),
        };
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns()).enumerate();
        let columns = columns.map(|(at, (field, column))| (field.name(), if at == 0 { &owners } else { column }));
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column.clone(), true))).unwrap()
    };
    let rows = shape.batches(entities).into_iter().zip(tables);
    rows.map(|(batches, table)| {
        let batches: Vec<_> = batches.into_iter().map(|batch| somebody(table, batch)).collect();
        Source::memory(table.clone(), batches)
    })
    .collect()
}

/// Varies the type of the entity keys, their caps and `rows_in_joins`.
fn varied(dice: &mut Dice, tables: &[TableSchema]) -> Vec<TableSchema> {
    let (numbers, together, few) = (dice.chance(50), dice.chance(30), dice.chance(50));
    let mut tables = tables.to_vec();
    for table in &mut tables {
        if let Some(entity) = &mut table.entity {
            entity.levels_together = together;
            if few {
                entity.rows_in_joins = 3;
            }
            if numbers {
                table.columns[0].kind = ColumnType::Integer;
            }
        }
    }
    tables
}

/// The expected losses, entity by entity: by comparison with the rows that an answer about that entity alone keeps.
fn expected(query: &Query, sql: &str, shape: &Shape, tables: &[TableSchema], entities: &[Entity]) -> Losses {
    let everyone: Vec<&Entity> = entities.iter().collect();
    let ([rows, rows_in_no_group], levels, beyond) = counted(&sources(shape, tables, &everyone), query, &SALT);
    let mut told = Losses {
        rows: rows + rows_in_no_group,
        rows_in_no_group,
        rows_without_partner: 0,
        rows_left_out: query.counts_rows().then(|| rows - levels.into_iter().min().unwrap()),
        entities: None,
        entities_beyond: 0,
        beyond,
        rows_in_joins: query.rows_in_joins(),
    };
    if query.left_out().is_err() {
        return told;
    }
    // Where entities are counted, they lose only groups.
    let mut tables = tables.to_vec();
    if !query.counts_rows() {
        tables.iter_mut().filter_map(|table| table.entity.as_mut()).for_each(|entity| {
            entity.caps.rows_per_group = u32::MAX;
        });
    }
    let query = deniable_sql::plan(sql, &tables).unwrap();
    for entity in entities {
        let ([rows, _], levels, _) = counted(&sources(shape, &tables, &[entity]), &query, &SALT);
        told.entities = Some(told.entities.unwrap_or(0) + u64::from(rows > 0));
        told.entities_beyond += u64::from(levels.into_iter().any(|level| level < rows));
    }
    told
}

#[test]
fn one_pass_gives_the_losses_of_many_passes() {
    let mut dice = Dice::new(51);
    let (mut left_out, mut entities_only, mut beyond_alone, mut inside, mut joined) = (0, 0, 0, 0, 0);
    for round in 0..sized(100, 1_500) {
        let of_entities = round % 5 == 4;
        let shape = match of_entities {
            true => Shape::fixed(Caps { rows_per_group: 2, groups: 2 }),
            false => Shape::random(&mut dice),
        };
        let tables = varied(&mut dice, &shape.tables);
        let draw = |dice: &mut Dice| if of_entities { entity_rows::questions(dice) } else { shape.question(dice) };
        let (sql, query) = answered(&mut dice, &tables, &draw);
        let named = 1 + dice.below(9);
        let entities: Vec<Entity> = (0..named).map(|name| shape.entity(&mut dice, name)).collect();
        let expected = expected(&query, &sql, &shape, &tables, &entities);
        let everyone: Vec<&Entity> = entities.iter().collect();
        let sources = sources(&shape, &tables, &everyone);
        let mut alone = None;
        for (threads, memory) in [(1, None), (3, Some(500_000_000))] {
            let resources = Resources { threads, memory, spill: None };
            let told = losses(&sources, &query, &SALT, &resources, &|_| {}).unwrap();
            // Rows without a row to join are counted by hand elsewhere; here they are the same on any number of threads.
            let without = *alone.get_or_insert(told.rows_without_partner);
            let expected = Losses { rows_without_partner: without, ..expected.clone() };
            assert_eq!(told, expected, "round {round}: {sql}\n{:?}", tables[0].entity);
        }
        left_out += usize::from(expected.rows_left_out.is_some_and(|rows| rows > 0));
        entities_only += usize::from(expected.rows_left_out.is_none() && expected.entities_beyond > 0);
        beyond_alone += usize::from(expected.entities.is_some_and(|all| all > expected.entities_beyond));
        inside += usize::from(of_entities && !expected.beyond.is_empty());
        joined += usize::from(expected.rows_in_joins.is_some() && expected.entities_beyond > 0);
    }
    let seen = [left_out, entities_only, beyond_alone, inside, joined];
    println!("rows left out, entities without groups, some within, values inside, joins: {seen:?}");
    assert!(seen.iter().all(|seen| *seen > sized(0, 2)), "{seen:?}");
}

/// More rows than fit in memory, half of them of one entity: sorted on disk, and dropped before all rows were read.
#[test]
fn losses_are_the_same_in_little_memory() {
    let caps = Caps { rows_per_group: 3, groups: 2 };
    let keys = |name: &str, kind| Column::new(name, kind).with_keys((0..5).map(Key::Integer).collect());
    let columns = |kind| vec![Column::new("who", kind), keys("a", ColumnType::Integer), keys("b", ColumnType::Integer)];
    // With many more rows, almost every entity would exceed its caps.
    let rows = 150_000_i64;
    let mut dice = Dice::new(52);
    let mut below = |bound: u64| (0..rows).map(|_| dice.below(bound) as i64).collect::<Vec<_>>();
    let (who, a, b) = (below(40_000), below(5), below(6));
    let who: Vec<i64> = who.into_iter().map(|who| if who % 2 == 0 { 0 } else { who }).collect();
    for kind in [ColumnType::Integer, ColumnType::Text] {
        let owners: ArrayRef = match kind {
            ColumnType::Integer => Arc::new(Int64Array::from(who.clone())),
            _ => Arc::new(StringArray::from_iter_values(who.iter().map(|who| format!("person {who}")))),
        };
        let of = |numbers: &[i64]| -> ArrayRef { Arc::new(Int64Array::from(numbers.to_vec())) };
        let batch = RecordBatch::try_from_iter([("who", owners), ("a", of(&a)), ("b", of(&b))]).unwrap();
        let batches: Vec<_> = (0..rows as usize).step_by(5_000).map(|begin| batch.slice(begin, 5_000)).collect();
        let table = TableSchema::protected("t", columns(kind), Some(EntityKey::new("who", caps)));
        let sources = [Source::memory(table.clone(), batches)];
        for sql in ["SELECT COUNT(*) FROM t GROUP BY ROLLUP(a, b)", "SELECT COUNT(DISTINCT who) FROM t GROUP BY a"] {
            let query = deniable_sql::plan(sql, std::slice::from_ref(&table)).unwrap();
            let ([all, without], levels, _) = counted(&sources, &query, &SALT);
            let kept = levels.into_iter().min().unwrap();
            let mut first = None;
            for (threads, memory) in [(1, None), (1, Some(Resources::LEAST_MEMORY)), (4, Some(Resources::LEAST_MEMORY))]
            {
                let resources = Resources { threads, memory, spill: None };
                let told = losses(&sources, &query, &SALT, &resources, &|_| {}).unwrap();
                assert_eq!(
                    (told.rows, told.rows_left_out),
                    (all + without, query.counts_rows().then(|| all - kept)),
                    "{sql}"
                );
                assert_eq!(*first.get_or_insert_with(|| told.clone()), told, "{sql}");
            }
            let told = first.unwrap();
            assert!(told.entities_beyond > 1_000 && told.entities > Some(told.entities_beyond + 50), "{told:?}");
        }
    }
}

/// Rows whose key is missing or not declared, counted by hand; those without an entity count nowhere.
#[test]
fn rows_in_no_group_count() {
    let a = Column::new("a", ColumnType::Integer).with_keys(vec![Key::Integer(1), Key::Integer(2)]);
    let columns = vec![Column::new("who", ColumnType::Integer), a];
    let who: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), Some(1), Some(2), Some(3), None, None, Some(4)]));
    let a: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), Some(7), None, Some(2), Some(1), Some(7), Some(9)]));
    let batch = RecordBatch::try_from_iter([("who", who), ("a", a)]).unwrap();
    let resources = Resources { threads: 1, memory: None, spill: None };
    let caps = Caps { rows_per_group: 1, groups: 2 };
    for (sql, rows, in_no_group) in [
        ("SELECT a, COUNT(*) FROM t GROUP BY a", 5, 3),
        ("SELECT COUNT(*) FROM t", 5, 0),
        ("SELECT a, COUNT(DISTINCT who) FROM t WHERE a > 1 GROUP BY a", 3, 2),
    ] {
        let table = TableSchema::protected("t", columns.clone(), Some(EntityKey::new("who", caps)));
        let query = deniable_sql::plan(sql, std::slice::from_ref(&table)).unwrap();
        let told = losses(&[Source::memory(table, vec![batch.clone()])], &query, &SALT, &resources, &|_| {}).unwrap();
        assert_eq!((told.rows, told.rows_in_no_group), (rows, in_no_group), "{sql}");
    }
}
