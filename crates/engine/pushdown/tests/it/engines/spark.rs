//! A cluster with many rows, most of them of one person or without a person, and a worker that is killed.
//! `scripts/engines` starts a master and two workers.

use super::equal::{engine, relation, run, stored};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringViewArray};
use deniable_core::exact::{ratio, whole};
use deniable_core::schema::{Bounds, Column, ColumnType, EngineKind, Entity, Key, TableSchema};
use deniable_core::sensitivity::Caps;
use deniable_data::Resources;
use deniable_execute::{Salt, exact};
use deniable_pushdown::Dialect;
use deniable_testing::{sized, skipped};
use parquet::arrow::ArrowWriter;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const WARDS: [&str; 5] = ["north", "south", "east", "west", "\u{e4}"];

/// Half of the rows belong to one person, a quarter to no person.
fn write(path: &Path, rows: usize) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut below = |bound: usize| random.next_u32() as usize % bound;
    let mut writer: Option<ArrowWriter<File>> = None;
    for begin in (0..rows).step_by(100_000) {
        let part = 100_000.min(rows - begin);
        let who = Int64Array::from_iter((0..part).map(|_| match below(4) {
            0 | 1 => Some(7),
            2 => None,
            _ => Some(below(rows / 10) as i64),
        }));
        let ward = StringViewArray::from_iter_values((0..part).map(|_| WARDS[below(5)]));
        let n = Int64Array::from_iter_values((0..part).map(|_| below(100) as i64));
        let x = Float64Array::from_iter_values((0..part).map(|_| below(4_000) as f64 / 8.0));
        let columns: [(&str, ArrayRef); 4] =
            [("who", Arc::new(who)), ("ward", Arc::new(ward)), ("n", Arc::new(n)), ("x", Arc::new(x))];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let made = || ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
        writer.get_or_insert_with(made).write(&batch).unwrap();
    }
    writer.unwrap().close().unwrap();
}

/// An additional worker, which the test kills.
struct Worker(Child);

impl Worker {
    fn start() -> Option<Self> {
        let [home, master] = ["SPARK_HOME", "DENIABLE_SPARK_MASTER"].map(|name| std::env::var(name).ok());
        let mut command = Command::new(format!("{}/bin/spark-class", home?));
        command.args([
            "org.apache.spark.deploy.worker.Worker",
            "--host",
            "127.0.0.1",
            "--cores",
            "2",
            "--memory",
            "1g",
        ]);
        command.arg(master?).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().ok().map(Self)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn totals_survive_many_rows_of_one_person_and_a_killed_worker() {
    let Some(worker) = Worker::start() else {
        return skipped(
            "there is no cluster of Spark",
            "run scripts/engines cargo test -p deniable-sql --lib -- it::engines",
        );
    };
    let Some(mut engine) = engine(EngineKind::Spark) else { return };
    let rows = sized(200_000, 1_000_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    write(&path, rows);
    let keys = WARDS.map(|ward| Key::Text(ward.to_owned())).to_vec();
    let columns = vec![
        Column::new("who", ColumnType::Integer),
        Column::new("ward", ColumnType::Text).with_keys(keys),
        Column::new("n", ColumnType::Integer).within(Bounds::new(whole(0), whole(90), whole(1)).unwrap()),
        Column::new("x", ColumnType::Decimal).within(Bounds::new(whole(0), whole(400), ratio(1, 2)).unwrap()),
    ];
    let entity = Entity::new("who", Caps { rows_per_group: 3, groups: 2 });
    let table = TableSchema::protected("t", columns, Some(entity));
    let query = deniable_sql::plan(
        "SELECT ward, COUNT(*) AS k, SUM(n) AS s, SUM(x) AS y FROM t GROUP BY ward",
        std::slice::from_ref(&table),
    );
    let query = query.unwrap().portable();
    let relation = relation(EngineKind::Spark, &path);
    let statement =
        deniable_pushdown::statement(&query, Dialect::Spark, &relation, &stored(&mut engine, &relation)).unwrap();
    let salt = Salt([3; 32]);
    let sources = [super::hostile::source(&table, &path)];
    let expected = exact(&sources, &query, &salt, &Resources::default(), &|_| {}).unwrap();

    let plain = format!(
        "SELECT COUNT(*), CAST(SUM(n) AS BIGINT), CAST(SUM(x) AS BIGINT) FROM {relation} WHERE who IS NOT NULL GROUP BY ward"
    );
    let timed = |work: &mut dyn FnMut()| {
        let begin = Instant::now();
        work();
        begin.elapsed().as_secs_f64()
    };
    engine.numbers(&plain, "").unwrap();
    let by_itself = timed(&mut || drop(engine.numbers(&plain, "").unwrap()));
    let mut first = None;
    let bounded = timed(&mut || first = Some(run(&mut engine, &statement, &salt)));
    let first = first.unwrap();
    assert!(first.totals(&query).unwrap().is_same(&expected));
    println!("{rows} rows: bounded totals {bounded:.2} s, plain GROUP BY {by_itself:.2} s");

    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs_f64(bounded / 3.0));
        drop(worker);
    });
    let second = run(&mut engine, &statement, &salt);
    killer.join().unwrap();
    // Cells come in any order.
    assert_eq!(second.contents, first.contents);
    assert!(second.totals(&query).unwrap().is_same(&expected));
}
