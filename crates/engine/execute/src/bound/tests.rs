//! The fast code agrees with the reference implementation on random rows, for all batch sizes, partitions and memory
//! limits.

use super::reference::{self, ReferenceRows};
use super::{CapRows, CapRules, ComputeError, Disk, Salt};
use crate::bound::identity::Identities;
use crate::compute::{exact, open};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema};
use deniable_core::exact::{parse_rational, whole};
use deniable_core::schema::TableSchema;
use deniable_core::schema::{Bounds, Column, ColumnType, Entity, Key};
use deniable_core::sensitivity::Caps;
use deniable_data::SourceError;
use deniable_data::{Memory, Progress, Resources, Source};
use deniable_query::Ranking;
use deniable_query::{Argument, Query};
use deniable_testing::sized;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const SALT: Salt = Salt([9; 32]);

struct Dice(ChaCha20Rng);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed))
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.0.next_u64() % n as u64).unwrap()
    }

    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    /// NULL one time in ten.
    fn maybe<T>(&mut self, value: T) -> Option<T> {
        (self.below(10) > 0).then_some(value)
    }
}

/// Exponents of the bounds of the integer: with 49, rows of all arguments fill two words, with 50 they need more.
const EXPONENTS: [u32; 4] = [52, 50, 49, 20];

/// A table with integer or text keys of entities, two group columns, an integer, a decimal with coarse steps and a
/// text.
fn table(entity: ColumnType, caps: Option<Caps>) -> TableSchema {
    table_within(entity, caps, EXPONENTS[0])
}

/// As [`table`], with an integer from -2^`exponent` to 2^`exponent`.
fn table_within(entity: ColumnType, caps: Option<Caps>, exponent: u32) -> TableSchema {
    let bounds = |low: i64, high: i64, step: &str| {
        Some(Bounds::new(whole(low), whole(high), parse_rational(step).unwrap()).unwrap())
    };
    let column = |name: &str, kind, bounds, keys| Column { bounds, keys, ..Column::new(name, kind) };
    let texts = ["red", "green", "blue", "a colour with a long name"];
    let texts = texts.iter().map(|text| Key::Text((*text).to_owned())).chain([Key::Null]);
    // In every other table, values outside the keys count together.
    let texts = texts.chain((entity == ColumnType::Integer).then_some(Key::Other));
    TableSchema {
        name: "t".to_owned(),
        columns: vec![
            column("who", entity, None, None),
            column("grp", ColumnType::Text, None, Some(texts.collect())),
            column("band", ColumnType::Integer, None, Some((0..4).map(Key::Integer).collect())),
            column("n", ColumnType::Integer, bounds(-(1 << exponent), 1 << exponent, "1"), None),
            column("x", ColumnType::Decimal, bounds(-3, 4, "1/2"), None),
            column("note", ColumnType::Text, None, None),
        ],
        entity: caps.map(|caps| Entity::new("who", caps)),
        public_key: None,
    }
}

/// Random rows of that table. Often one entity has a third of all rows; some are neighbours, most are not.
fn random(dice: &mut Dice, table: &TableSchema, rows: usize) -> RecordBatch {
    let entities = dice.pick(&[3, 40, 2_000, 2_000]);
    let heavy = dice.below(2) == 0;
    let who: Vec<Option<usize>> = (0..rows)
        .map(|_| {
            if heavy && dice.below(3) == 0 {
                Some(0)
            } else {
                let id = dice.below(entities);
                dice.maybe(id)
            }
        })
        .collect();
    let extremes = [i64::MIN, i64::MAX, 0, -1, 1 << 52, 7];
    let id = |id: usize| extremes.get(id).copied().unwrap_or(id as i64 * 1_000_003);
    let entity: ArrayRef = match table.columns[0].kind {
        ColumnType::Integer => Arc::new(who.iter().map(|who| who.map(id)).collect::<Int64Array>()),
        _ => {
            let texts =
                who.iter().map(|who| who.map(|who| if who == 1 { String::new() } else { format!("person {who}") }));
            Arc::new(texts.collect::<StringArray>())
        }
    };
    let texts = ["red", "green", "blue", "a colour with a long name", "another colour with a long name", ""];
    let floats = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.25, 0.75, -2.5, 1e300, 3.9];
    let mut column =
        |of: fn(&mut Dice, usize) -> Option<i64>| -> Vec<Option<i64>> { (0..rows).map(|row| of(dice, row)).collect() };
    let band = column(|dice, _| {
        let band = dice.below(5) as i64;
        dice.maybe(band)
    });
    let number = column(|dice, _| {
        let number = dice.0.next_u64() as i64 >> dice.below(64);
        let number = dice.pick(&[number, i64::MIN, i64::MAX, 0, 1]);
        dice.maybe(number)
    });
    let text: Vec<_> = (0..rows)
        .map(|_| {
            let text = dice.pick(&texts);
            dice.maybe(text)
        })
        .collect();
    let float: Vec<_> = (0..rows)
        .map(|_| {
            let float = dice.pick(&floats);
            dice.maybe(float)
        })
        .collect();
    let note: Vec<_> = (0..rows).map(|_| (dice.below(4) == 0).then_some("note")).collect();
    let columns: Vec<ArrayRef> = vec![
        entity,
        Arc::new(StringArray::from(text)),
        Arc::new(Int64Array::from(band)),
        Arc::new(Int64Array::from(number)),
        Arc::new(Float64Array::from(float)),
        Arc::new(StringArray::from(note)),
    ];
    RecordBatch::try_new(Arc::new(schema(&columns, table)), columns).unwrap()
}

/// The columns of a table in memory, with texts as stored.
fn schema(batch: &[ArrayRef], table: &TableSchema) -> Schema {
    let field = |(column, array): (&Column, &ArrayRef)| Field::new(&column.name, array.data_type().clone(), true);
    Schema::new(table.columns.iter().zip(batch).map(field).collect::<Vec<_>>())
}

/// The same rows in another order.
fn shuffled(dice: &mut Dice, batch: &RecordBatch) -> RecordBatch {
    let mut order: Vec<u64> = (0..batch.num_rows() as u64).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, dice.below(at + 1));
    }
    arrow_select::take::take_record_batch(batch, &UInt64Array::from(order)).unwrap()
}

/// Splits rows into batches and distributes these over partitions.
fn dealt(dice: &mut Dice, batch: &RecordBatch, size: usize, partitions: usize) -> Vec<Vec<RecordBatch>> {
    let mut dealt = vec![Vec::new(); partitions];
    for start in (0..batch.num_rows()).step_by(size) {
        let part = batch.slice(start, size.min(batch.num_rows() - start));
        dealt[dice.below(partitions)].push(part);
    }
    dealt
}

/// The input of the operator, and its resources.
struct Case<'a> {
    capping: CapRules<'a>,
    partitions: Vec<Vec<RecordBatch>>,
    walks: usize,
    memory: Option<usize>,
    batch_size: usize,
}

fn run(case: &Case<'_>) -> (ReferenceRows, usize) {
    let (kept, spilled, _) = try_run(case).unwrap();
    (kept, spilled)
}

/// Runs the operator. Returns the kept rows, the number of spilled rows, and the number of runs that were not scattered;
/// the folder for spilling must stay empty.
fn try_run(case: &Case<'_>) -> Result<(ReferenceRows, usize, usize), ComputeError> {
    let folder = tempfile::tempdir().unwrap();
    let disk = Arc::new(Disk::new(Some(folder.path().to_owned())));
    let memory = Memory::new(case.memory);
    let text = case.partitions.iter().flatten().next().unwrap().column(0).data_type() != &DataType::Int64;
    let mut cap = CapRows::new(&case.capping, text, memory.clone(), disk.clone(), 1);
    (cap.scatters, cap.walks) = (case.partitions.len(), case.walks);
    cap.batch_size = case.batch_size;
    let mut kept = ReferenceRows::default();
    let mut run = || -> Result<usize, ComputeError> {
        let mut collectors = Vec::new();
        for partition in &case.partitions {
            let (mut columns, mut collector) = (cap.columns(), cap.collector());
            for batch in partition {
                columns.read(batch.num_rows(), batch.columns());
                cap.push(&columns, &mut collector)?;
            }
            collectors.push(collector);
        }
        let scattered = cap.gathered(collectors)?;
        for _ in 0..case.walks {
            cap.walk(&scattered, &mut |batch| {
                assert!(!batch.cells.is_empty() && batch.cells.len() <= case.batch_size);
                for row in 0..batch.cells.len() {
                    let cell = (batch.level, batch.cells[row]);
                    let value = |values: &super::decode::Values| values.is_present(row).then(|| values.units[row]);
                    kept.rows.push((cell, batch.values.iter().map(value).collect()));
                    if batch.marks[row] != 0 {
                        kept.marks.push((cell, batch.marks[row]));
                    }
                }
                Ok(())
            })?;
        }
        Ok(scattered.runs.len())
    };
    let done = run();
    kept.rows.sort();
    kept.marks.sort_unstable();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "a temporary file has a name");
    assert_eq!(memory.used(), 0);
    let width = cap.width();
    done.map(|runs| (kept, disk.spilled.load(Ordering::Relaxed) / width, runs))
}

/// Whether rows are stored in two words that are their own sort keys.
fn is_packed(capping: &CapRules<'_>, text: bool) -> bool {
    CapRows::new(capping, text, Memory::new(None), Arc::default(), 1).is_packed()
}

const CAPS: [Caps; 6] = [
    Caps { rows_per_group: 1, groups: 1 },
    Caps { rows_per_group: 3, groups: 2 },
    Caps { rows_per_group: 1, groups: 100 },
    Caps { rows_per_group: 1_000_000, groups: 3 },
    Caps { rows_per_group: 7, groups: 20 },
    Caps { rows_per_group: u32::MAX, groups: u32::MAX },
];

/// The columns of the operator's input, with texts in one of the forms in which they are stored.
fn input(batch: &RecordBatch, columns: &[usize], text: &DataType) -> RecordBatch {
    let columns = columns.iter().map(|at| match batch.column(*at).data_type() {
        DataType::Utf8 => cast(batch.column(*at), text).unwrap(),
        _ => batch.column(*at).clone(),
    });
    let columns: Vec<ArrayRef> = columns.collect();
    let field = |(at, column): (usize, &ArrayRef)| Field::new(format!("v{at}"), column.data_type().clone(), true);
    let schema = Schema::new(columns.iter().enumerate().map(field).collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), columns).unwrap()
}

fn arguments(table: &TableSchema) -> Vec<Argument> {
    // n, x and note; and n again, for its presence only.
    let query = deniable_sql::plan("SELECT SUM(n), SUM(x), COUNT(note) FROM t", std::slice::from_ref(table)).unwrap();
    let mut arguments = query.rows().arguments.clone();
    assert_eq!(arguments.iter().map(|argument| argument.grid.is_some()).collect::<Vec<_>>(), [true, true, false]);
    arguments.push(Argument { grid: None, ..arguments[0].clone() });
    arguments
}

/// Bytes that suffice for the kept rows of an entity in all cells, but not for those of all entities.
const SCARCE_MEMORY: usize = 30_000;
/// Bytes that suffice for three times the rows of the largest entity.
const AMPLE_MEMORY: usize = 1 << 21;

#[test]
fn the_operator_keeps_the_rows_of_the_reference() {
    let mut dice = Dice::new(1);
    let (mut spilled, mut bitten, mut packed) = (0, 0, 0);
    for round in 0..sized(40, 80) {
        let kind = dice.pick(&[ColumnType::Integer, ColumnType::Integer, ColumnType::Text]);
        let caps = dice.pick(&CAPS);
        let exponent = dice.pick(&EXPONENTS);
        let table = table_within(kind, Some(caps), exponent);
        let by = dice.pick(&["grp, band", "grp, band", "CUBE (grp, band)", "GROUPING SETS ((grp), (band))"]);
        let sql = format!("SELECT COUNT(*) FROM t GROUP BY {by}");
        let query = deniable_sql::plan(&sql, std::slice::from_ref(&table)).unwrap();
        let levels = query.levels().len();
        let all = arguments(&table);
        // All arguments, or none, as for COUNT(*).
        let (arguments, columns): (&[Argument], &[usize]) =
            if dice.below(5) == 0 { (&[], &[0, 1, 2]) } else { (&all, &[0, 1, 2, 3, 4, 5, 3]) };
        let presence = if arguments.is_empty() || dice.below(2) == 0 { vec![] } else { vec![2, 3] };
        let rows = dice.pick(&[50, 2_000]);
        let text = DataType::Dictionary(Box::new(DataType::Int16), Box::new(DataType::Utf8));
        let text = dice.pick(&[DataType::Utf8, DataType::Utf8View, DataType::LargeUtf8, text]);
        let random = random(&mut dice, &table, rows);
        let ranking = if round % 3 == 0 { Ranking::Portable } else { Ranking::Words };
        let identities = Identities::of(ranking, &SALT);
        let batch = input(&random, columns, &text);
        let counting = reference::rows(&batch, query.groups(), arguments, Some(&identities));
        let capping = || CapRules {
            groups: query.groups(),
            levels: query.levels(),
            nesting: query.nesting(),
            together: false,
            arguments,
            presence: presence.clone(),
            caps,
            per_entity: None,
            salt: &SALT,
            ranking,
            watch: None,
        };
        let expected = reference::keep(&counting, &capping(), &identities);
        bitten += counting.len() * levels - expected.rows.len();
        let is_packed = is_packed(&capping(), kind == ColumnType::Text);
        let fits = exponent < 50 || arguments.is_empty();
        assert_eq!(is_packed, fits && levels == 1 && kind == ColumnType::Integer && ranking == Ranking::Words);
        packed += usize::from(is_packed && !arguments.is_empty());
        // With this little memory the rows of the largest entity do not fit.
        let mut largest: Vec<_> = counting.iter().map(|(identity, _, _)| *identity).collect();
        largest.sort_unstable();
        let largest = largest.chunk_by(PartialEq::eq).map(<[_]>::len).max().unwrap();
        let most = caps.rows_per_group.saturating_mul(caps.groups) as usize * levels;
        let little = if most.min(largest) > 8 { AMPLE_MEMORY } else { SCARCE_MEMORY };
        for memory in [None, Some(AMPLE_MEMORY), Some(little)] {
            let batch = shuffled(&mut dice, &batch);
            let (size, partitions) = (dice.pick(&[3, 300, 8_192]), 1 + dice.below(4));
            let partitions = dealt(&mut dice, &batch, size, partitions);
            let walks = 1 + dice.below(3);
            let case = Case { capping: capping(), partitions, walks, memory, batch_size: dice.pick(&[2, 100, 8_192]) };
            let (kept, spilled_now) = run(&case);
            spilled += spilled_now;
            assert!(kept == expected, "round {round}: {caps:?}, memory {memory:?}, {kind:?}, {text}");
            assert!(spilled_now > 0 || memory != Some(SCARCE_MEMORY) || rows == 50, "nothing spilled");
        }
    }
    assert!(spilled > 5_000 && bitten > sized(2_000, 10_000), "{spilled} spilled, {bitten} dropped: too tame");
    assert!(packed > 4, "{packed} cases of packed rows");
}

/// The same rows in the order of a whole-number key; rows without a key stay where they are.
fn in_order(batch: &RecordBatch) -> RecordBatch {
    let keys = batch.column(0).as_primitive::<arrow_array::types::Int64Type>();
    let with_key: Vec<u64> = (0..batch.num_rows()).filter(|row| keys.is_valid(*row)).map(|row| row as u64).collect();
    let mut sorted = with_key.clone();
    sorted.sort_by_key(|row| keys.value(*row as usize));
    let mut order: Vec<u64> = (0..batch.num_rows() as u64).collect();
    with_key.into_iter().zip(sorted).for_each(|(place, row)| order[place as usize] = row);
    arrow_select::take::take_record_batch(batch, &UInt64Array::from(order)).unwrap()
}

#[test]
fn rows_in_order_of_their_keys_keep_the_rows_of_the_reference() {
    let mut dice = Dice::new(10);
    let identities = Identities::new(&SALT);
    let (mut in_runs, mut scattered, mut spilled) = ([0, 0], 0, 0);
    for round in 0..sized(60, 200) {
        let caps = dice.pick(&CAPS);
        let exponent = dice.pick(&EXPONENTS);
        let table = table_within(ColumnType::Integer, Some(caps), exponent);
        let by = dice.pick(&["grp, band", "grp, band", "CUBE (grp, band)"]);
        let sql = format!("SELECT COUNT(*) FROM t GROUP BY {by}");
        let query = deniable_sql::plan(&sql, std::slice::from_ref(&table)).unwrap();
        let arguments = arguments(&table);
        let rows = dice.pick(&[50, 2_000]);
        let random = input(&random(&mut dice, &table, rows), &[0, 1, 2, 3, 4, 5, 3], &DataType::Utf8);
        let capping = CapRules {
            groups: query.groups(),
            levels: query.levels(),
            nesting: query.nesting(),
            together: false,
            arguments: &arguments,
            presence: if dice.below(2) == 0 { vec![] } else { vec![2, 3] },
            caps,
            per_entity: None,
            salt: &SALT,
            ranking: Ranking::default(),
            watch: None,
        };
        let counting = reference::rows(&random, query.groups(), &arguments, Some(&identities));
        let expected = reference::keep(&counting, &capping, &identities);
        let sorted = in_order(&random);
        // The whole table in order; two files that are, or all but two rows.
        let size = dice.pick(&[3, 17, 300, 8_192]);
        let partitions = 1 + dice.below(3);
        let partitions = match dice.below(4) {
            0 => {
                let start = dice.below(rows);
                let mut all = dealt(&mut dice, &in_order(&random.slice(0, start)), size, partitions);
                let rest = dealt(&mut dice, &in_order(&random.slice(start, rows - start)), size, partitions);
                all.iter_mut().zip(rest).for_each(|(all, rest)| all.extend(rest));
                all
            }
            1 => {
                let mut order: Vec<u64> = (0..rows as u64).collect();
                let other = if dice.below(2) == 0 { rows - 1 } else { dice.below(rows) };
                order.swap(dice.below(rows), other);
                let moved = arrow_select::take::take_record_batch(&sorted, &UInt64Array::from(order)).unwrap();
                dealt(&mut dice, &moved, size, partitions)
            }
            _ => dealt(&mut dice, &sorted, size, partitions),
        };
        let partitions: Vec<_> = partitions.into_iter().filter(|batches| !batches.is_empty()).collect();
        let is_packed = is_packed(&capping, false);
        let limit = dice.pick(&[None, Some(8 << 20), Some(AMPLE_MEMORY), Some(200_000)]);
        let (walks, batch_size) = (1 + dice.below(3), dice.pick(&[2, 8_192]));
        // As for admitted queries, the kept rows of any entity fit in the memory.
        let cells: Vec<usize> = (0..query.levels().len()).map(|level| query.cells(level)).collect();
        let mut admitted = CapRows::new(&capping, true, Memory::new(limit), Arc::default(), walks);
        let memory = limit.filter(|_| admitted.make_room(&cells) == walks);
        let case = Case { capping, partitions, walks, memory, batch_size };
        let (kept, spilled_now, runs) = try_run(&case).unwrap();
        spilled += usize::from(spilled_now > 0);
        assert!(kept == expected, "round {round}: {caps:?}, memory {memory:?}, batches of {size}, {runs} runs");
        in_runs[usize::from(is_packed)] += usize::from(runs > 0);
        scattered += usize::from(runs == 0);
    }
    assert!(in_runs.iter().all(|cases| *cases > 5) && scattered > 5, "{in_runs:?} in runs, {scattered} scattered");
    assert!(spilled > 0, "nothing spilled");
}

#[test]
fn an_entity_larger_than_memory() {
    // The entity's rows exceed the memory by far, while its kept rows are few.
    let caps = Caps { rows_per_group: 5, groups: 2 };
    let table = table(ColumnType::Integer, Some(caps));
    let query = deniable_sql::plan("SELECT COUNT(*) FROM t GROUP BY grp, band", std::slice::from_ref(&table)).unwrap();
    let arguments = arguments(&table);
    let mut dice = Dice::new(2);
    let mut batch = random(&mut dice, &table, 20_000);
    let mut columns = batch.columns().to_vec();
    columns[0] = Arc::new(Int64Array::from(vec![7; 20_000]));
    batch = RecordBatch::try_new(batch.schema(), columns).unwrap();
    let batch = input(&batch, &[0, 1, 2, 3, 4, 5, 3], &DataType::Utf8);
    let identities = Identities::new(&SALT);
    let counting = reference::rows(&batch, query.groups(), &arguments, Some(&identities));
    let capping = |caps| CapRules {
        groups: query.groups(),
        levels: query.levels(),
        nesting: query.nesting(),
        together: false,
        arguments: &arguments,
        presence: vec![2],
        caps,
        per_entity: None,
        salt: &SALT,
        ranking: Ranking::default(),
        watch: None,
    };
    let expected = reference::keep(&counting, &capping(caps), &identities);
    assert_eq!((expected.rows.len(), expected.marks.len()), (10, 2));
    let partitions = dealt(&mut dice, &batch, 500, 2);
    let (kept, spilled) =
        run(&Case { capping: capping(caps), partitions, walks: 2, memory: Some(50_000), batch_size: 100 });
    assert!(spilled > counting.len() / 2, "{spilled} of {}", counting.len());
    assert!(kept == expected);

    // If all of its rows are kept they do not fit in this memory: the result is an error, and no file is left.
    let caps = Caps { rows_per_group: u32::MAX, groups: 100 };
    let partitions = dealt(&mut dice, &batch, 500, 2);
    let failed = try_run(&Case { capping: capping(caps), partitions, walks: 2, memory: Some(50_000), batch_size: 100 });
    assert!(matches!(failed, Err(ComputeError::Memory)));
}

/// Of nine zeros and a one of each person a cap keeps as large a part of the ones as of the zeros.
#[test]
fn caps_favour_no_value() {
    let people = 2_000;
    for rows_per_group in [1, 3, 7] {
        let caps = Caps { rows_per_group, groups: 1 };
        let table = table(ColumnType::Integer, Some(caps));
        let rows = random(&mut Dice::new(8), &table, people * 10);
        let mut columns = rows.columns().to_vec();
        columns[0] = Arc::new((0..people as i64 * 10).map(|row| Some(row / 10)).collect::<Int64Array>());
        columns[3] =
            Arc::new((0..people as i64 * 10).map(|row| Some(i64::from(row % 10 == 4))).collect::<Int64Array>());
        let batch = RecordBatch::try_new(rows.schema(), columns).unwrap();
        let query = deniable_sql::plan("SELECT SUM(n), COUNT(*) FROM t", std::slice::from_ref(&table)).unwrap();
        let source = Source::memory(table, vec![batch]);
        let found = exact(&[source], &query, &SALT, &Resources::default(), &|_| {}).unwrap().reveal();
        let kept = people as i128 * i128::from(rows_per_group);
        let [count, ones] = [found[0][0][0], found[1][0][0]];
        assert_eq!(count, kept);
        // The one is kept of a person with the chance `rows_per_group / 10`: a deviation of at most 22.
        assert!((ones * 10 - kept).abs() < 10 * 110, "{ones} of {count}");
    }
}

#[test]
fn more_entities_than_memory() {
    // Shards are too large, entities are not, and few rows can be dropped early: shards must be split again.
    for caps in [Caps { rows_per_group: 3, groups: 2 }, Caps { rows_per_group: u32::MAX, groups: u32::MAX }] {
        let table = table(ColumnType::Text, Some(caps));
        let query =
            deniable_sql::plan("SELECT COUNT(*) FROM t GROUP BY grp, band", std::slice::from_ref(&table)).unwrap();
        let arguments = arguments(&table);
        let mut dice = Dice::new(4);
        let rows = 40_000;
        let mut columns = random(&mut dice, &table, rows).columns().to_vec();
        let who = (0..rows).map(|row| format!("person {}", row % 20_000));
        columns[0] = Arc::new(StringArray::from_iter_values(who));
        let batch = RecordBatch::try_new(Arc::new(schema(&columns, &table)), columns).unwrap();
        let batch = input(&batch, &[0, 1, 2, 3, 4, 5, 3], &DataType::Utf8);
        let identities = Identities::new(&SALT);
        let counting = reference::rows(&batch, query.groups(), &arguments, Some(&identities));
        let capping = CapRules {
            groups: query.groups(),
            levels: query.levels(),
            nesting: query.nesting(),
            together: false,
            arguments: &arguments,
            presence: vec![2],
            caps,
            per_entity: None,
            salt: &SALT,
            ranking: Ranking::default(),
            watch: None,
        };
        let expected = reference::keep(&counting, &capping, &identities);
        let partitions = dealt(&mut dice, &batch, 8_192, 2);
        let (kept, spilled) = run(&Case { capping, partitions, walks: 2, memory: Some(30_000), batch_size: 8_192 });
        assert!(spilled > counting.len() * 3 / 2, "{spilled} of {} spilled: nothing was split", counting.len());
        assert!(kept == expected);
    }
}

/// The column that a value consists of.
fn column_of(query: &Query, value: deniable_expression::Id) -> &str {
    let program = &query.rows().program;
    &program.columns()[program.inputs(&[value]).into_iter().next().unwrap()].name
}

/// The totals by the reference implementation, for a query whose arguments and conditions are columns.
fn plain_totals(query: &Query, table: &TableSchema, batch: &RecordBatch) -> Vec<Vec<Vec<i128>>> {
    let identities = Identities::new(&SALT);
    let mut columns: Vec<ArrayRef> = Vec::new();
    let column = |name: &str| batch.column_by_name(name).unwrap().clone();
    columns.extend(table.entity.as_ref().map(|entity| column(&entity.key)));
    columns.extend(query.groups().iter().map(|group| column(column_of(query, group.value))));
    for argument in &query.rows().arguments {
        // A column, or an integer column converted to decimal for AVG.
        let mut of = column(column_of(query, argument.value));
        if argument.grid.is_some() && query.rows().program.column_of(argument.value).is_none() {
            of = cast(&of, &DataType::Float64).unwrap();
        }
        columns.push(match of.data_type() {
            // NaN counts as NULL.
            DataType::Float64 => {
                let finite = arrow_array::cast::as_primitive_array::<arrow_array::types::Float64Type>(&of).iter();
                Arc::new(finite.map(|value| value.filter(|value| value.is_finite())).collect::<Float64Array>())
            }
            _ => of,
        });
    }
    if columns.is_empty() {
        columns.push(Arc::new(BooleanArray::from(vec![true; batch.num_rows()])));
    }
    let field = |(at, column): (usize, &ArrayRef)| Field::new(format!("v{at}"), column.data_type().clone(), true);
    let schema = Schema::new(columns.iter().enumerate().map(field).collect::<Vec<_>>());
    let batch = RecordBatch::try_new(Arc::new(schema), columns).unwrap();
    let arguments = &query.rows().arguments;
    let by = table.entity.is_some().then_some(&identities);
    let rows = reference::rows(&batch, query.groups(), arguments, by);
    let kept = match by {
        Some(identities) => reference::keep(&rows, &CapRules::of_query(query, &SALT, None), identities),
        None => reference::keep_all(&rows, query),
    };
    reference::totals(query, &kept)
}

#[test]
fn totals_are_those_of_the_reference() {
    let mut dice = Dice::new(3);
    for round in 0..sized(4, 8) {
        for caps in [None, Some(dice.pick(&CAPS))] {
            let kind = dice.pick(&[ColumnType::Integer, ColumnType::Text]);
            let exponent = dice.pick(&EXPONENTS);
            let table = table_within(kind, caps, exponent);
            let batch = random(&mut dice, &table, 3_000);
            let mut questions = vec![
                "SELECT grp, band, COUNT(*), SUM(n), AVG(x), COUNT(note) FROM t GROUP BY grp, band",
                "SELECT SUM(n), AVG(n), SUM(x), AVG(x), COUNT(n) FROM t",
                "SELECT COUNT(*) FROM t",
                "SELECT band, COUNT(*), AVG(n) FROM t GROUP BY band",
                "SELECT grp, band, COUNT(*), SUM(x), COUNT(note) FROM t GROUP BY CUBE (grp, band)",
                "SELECT grp, COUNT(x), MEDIAN(x), VAR_POP(x) FROM t GROUP BY GROUPING SETS ((grp), (band))",
                "SELECT band, MAX(x), approx_percentile_cont(x, 0.1), approx_percentile_cont(x, 0.7) FROM t GROUP BY band",
            ];
            if caps.is_some() {
                questions.push("SELECT band, COUNT(DISTINCT who), SUM(n) FROM t GROUP BY band");
                questions.push(
                    "SELECT band, COUNT(DISTINCT who), COUNT(DISTINCT who) FILTER (WHERE note IS NOT NULL), MIN(x) \
                     FROM t GROUP BY ROLLUP (grp, band)",
                );
            }
            for sql in questions {
                let query = deniable_sql::plan(sql, std::slice::from_ref(&table)).unwrap();
                let expected = plain_totals(&query, &table, &batch);
                // With this little memory the rows of the largest entity do not fit.
                let most = caps.map_or(1, |caps| caps.rows_per_group.saturating_mul(caps.groups));
                let little = if most <= 10 { 200_000 } else { 8_000_000 };
                // The kept rows of one entity must fit, whatever its rows.
                let limits = [(1, None), (64, None), (2, Some(4 << 20)), (3, Some(little))];
                let limits = if most <= 100 { &limits[..] } else { &limits[..2] };
                for (threads, memory) in limits.iter().copied() {
                    let is_in_order = kind == ColumnType::Integer && dice.below(3) == 0;
                    let batch = if is_in_order { in_order(&batch) } else { shuffled(&mut dice, &batch) };
                    let size = dice.pick(&[7, 100, 3_000]);
                    let batches = dealt(&mut dice, &batch, size, 1).remove(0);
                    let source = Source::memory(table.clone(), batches);
                    let resources = Resources { threads, memory, spill: None };
                    let found = exact(&[source], &query, &SALT, &resources, &|_| {});
                    let found = found.unwrap_or_else(|error| panic!("{sql}: {threads} {memory:?} {error}")).reveal();
                    assert!(found == expected, "round {round}: {sql} with {threads} threads, {memory:?}, {caps:?}");
                }
            }
        }
    }
}

/// A query admitted before the charge has memory for the rows of any entity; a query without it is rejected there.
#[test]
fn an_entity_with_very_many_rows_fails_no_admitted_query() {
    let mut dice = Dice::new(6);
    let caps = Caps { rows_per_group: 40, groups: 5 };
    let table = table(ColumnType::Integer, Some(caps));
    let sql =
        "SELECT SUM(n), SUM(x), COUNT(note), COUNT(DISTINCT who) FILTER (WHERE x > 1) FROM t GROUP BY CUBE (grp, band)";
    let query = deniable_sql::plan(sql, std::slice::from_ref(&table)).unwrap();
    let batch = random(&mut dice, &table, 30_000);
    let mut columns = batch.columns().to_vec();
    columns[0] = Arc::new(Int64Array::from(vec![7; 30_000]));
    let one = Source::memory(table.clone(), vec![RecordBatch::try_new(batch.schema(), columns).unwrap()]);
    let nobody = Source::memory(table.clone(), vec![batch.slice(0, 0)]);
    let mut seen = [0, 0];
    for threads in [1, 2, 16] {
        for memory in (0..14).map(|power| 20_000_usize << power) {
            let resources = Resources { threads, memory: Some(memory), spill: None };
            let admitted = |source: &Source| open(std::slice::from_ref(source), &query, &resources);
            let (prepared, without) = (admitted(&one), admitted(&nobody));
            assert_eq!(prepared.is_ok(), without.is_ok());
            seen[usize::from(prepared.is_ok())] += 1;
            if let Ok(prepared) = prepared {
                let done = prepared.compute(&SALT, &|_| {});
                assert!(done.is_ok(), "{threads} threads, {memory} bytes: {}", done.err().unwrap());
            }
        }
    }
    assert!(seen[0] > 3 && seen[1] > 3, "{seen:?}");
}

#[test]
fn errors_name_the_resource_that_is_too_small() {
    let mut dice = Dice::new(5);
    let table = table(ColumnType::Integer, Some(CAPS[1]));
    let batch = random(&mut dice, &table, 3_000);
    let source = Source::memory(table.clone(), vec![batch]);
    let query = deniable_sql::plan("SELECT grp, SUM(n) FROM t GROUP BY grp", std::slice::from_ref(&table)).unwrap();
    let sources = [source];
    let exact = |memory, spill| exact(&sources, &query, &SALT, &Resources { threads: 2, memory, spill }, &|_| {}).err();
    assert!(matches!(exact(Some(10), None), Some(SourceError::Memory { .. })), "no room for the totals");
    assert!(matches!(exact(Some(1_000), None), Some(SourceError::Memory { .. })), "no room for rows");
    let file = tempfile::NamedTempFile::new().unwrap();
    let not_a_folder = Some(file.path().to_owned());
    assert!(matches!(exact(Some(30_000), not_a_folder), Some(SourceError::Spill { .. })));
    let folder = tempfile::tempdir().unwrap();
    assert!(exact(Some(100_000), Some(folder.path().to_owned())).is_none());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn progress_counts_rows_and_bytes() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), "who,grp,band,n,x,note\n1,red,1,1,1,a\n2,red,1,2,2,b\n").unwrap();
    let csv = deniable_core::schema::Format::Csv(deniable_core::schema::CsvOptions::with_delimiter(b','));
    let data = deniable_core::schema::Data {
        table: "t".to_owned(),
        path: "t.csv".to_owned(),
        version: "1".to_owned(),
        format: csv,
        partitions: Vec::new(),
        typical_rows: None,
    };
    let table = table(ColumnType::Integer, Some(CAPS[1]));
    let query = deniable_sql::plan("SELECT COUNT(*) FROM t WHERE n = 1", std::slice::from_ref(&table)).unwrap();
    let source = Source::locate(table, &data, folder.path()).unwrap();
    let told = std::cell::Cell::new(Progress::default());
    let exact = exact(&[source], &query, &SALT, &Resources::default(), &|progress| told.set(progress)).unwrap();
    assert_eq!(exact.reveal(), [[[1]]]);
    assert_eq!(told.get(), Progress { rows: 2, bytes: Some(50), size: Some(50) });
}
