//! Computes exact totals from files and a query, on all threads and within a memory limit.
//!
//! ```text
//! prepare   opens files, reads public tables and checks that they are functions of their keys    may reject the query
//!           ---- the charge ----
//! compute   read → look up → evaluate → cap → sum                                                fails only if
//! resources are exhausted
//! ```
//!
//! | step | module |
//! |---|---|
//! | the rows of public tables, by key | `lookup` |
//! | the contribution of a row | `row` |
//! | joins within an entity | `meet`, on the records of `rowset` |
//! | one row of each entity | `entity_rows`, on the same records |
//! | each row of an entity beside values of the others | `own_rows`, in `meet` |

mod entity_rows;
mod lookup;
pub(crate) mod losses;
mod meet;
mod own_rows;
mod row;
mod rowset;
mod simulation;

pub use losses::{ClampedValues, Losses, losses};
pub use simulation::Simulation;

use crate::bound::{CapRows, CapRules, Collector, Columns, ComputeError, Disk, Exact, Meaning, Salt, Totals, Watch};
use deniable_data::SourceError;
use deniable_data::{Memory, Meter, Progress, Reservation, Resources, Scan, ScanError, Source, WantedColumn, watch};
use deniable_expression::Node;
use deniable_query::{Query, Yield, declared};
use entity_rows::EntityFolder;
use lookup::Lookup;
use meet::TableJoin;
use own_rows::OwnRows;
use row::{Inflow, RowOperator};
use std::sync::{Arc, Mutex, PoisonError};

/// The least memory limit for a query, in bytes: room for its totals, whose number follows from the policy alone, and
/// for some rows. Many rows of one entity, and ranks, may need more.
#[must_use]
pub fn least_memory(query: &Query) -> usize {
    let totals = Totals::bytes(query);
    totals.saturating_add(totals.min(Resources::LEAST_MEMORY)).max(Resources::LEAST_MEMORY)
}

/// A query whose files are open and whose public tables are in memory.
pub struct Reading {
    query: Query,
    resources: Resources,
    /// The protected tables, the first one first: each with its scan and the mapping of its columns to inputs.
    tables: Vec<PendingScan>,
    rows: RowsOf,
    /// Number of concurrent threads that walk over the rows of entities or join tables, such that the rows of any
    /// entity fit.
    walks: usize,
    meter: Arc<Meter>,
    size: Option<u64>,
    /// Counters that are updated while rows are read, for the curator alone.
    watch: Option<Arc<Watch>>,
}

/// The unit to which rows belong.
enum RowsOf {
    Tables(RowOperator),
    /// One row for each entity.
    Entities(Box<EntityFolder>),
    /// Each row of an entity, computed from all of its rows.
    Own(Box<OwnRows>),
}

/// The scan of a protected table, before its first row is read.
struct PendingScan {
    scan: Scan,
    inflow: Inflow,
}

/// One copy of the totals, and the memory of their ranked values.
type Copy = Mutex<(Totals, Reservation)>;

/// Opens everything that a query reads. After this, only a failure of the machine can prevent an answer.
///
/// # Errors
/// When files are missing or lack declared columns, a public table has duplicate keys or does not fit in memory, or the
/// resources do not suffice for the totals.
pub fn open(sources: &[Source], query: &Query, resources: &Resources) -> Result<Reading, SourceError> {
    let resources = Resources { threads: resources.threads.max(1), ..resources.clone() };
    let names = || query.tables().collect::<Vec<_>>().join(", ");
    if resources.memory.is_some_and(|limit| Totals::bytes(query) > limit) {
        return Err(SourceError::Memory { table: names() });
    }
    let meter = Meter::new();
    // For rows of entities, the tables of the inner query are read.
    let made = query.of_rows().entity_rows();
    let of = made.map_or_else(|| query.of_rows(), |made| &made.of);
    let rows = of.rows();
    let named = |name: &str| {
        let source = sources.iter().find(|source| source.table().name == name);
        source.ok_or_else(|| SourceError::Rows { table: name.to_owned() })
    };
    let memory = Memory::new(resources.memory);
    let operator = |of: &Query| {
        let mut lookups = Vec::new();
        for join in &of.rows().joins.others {
            let table = &of.rows().tables[join.table];
            if !table.is_protected() {
                lookups.push((join, Lookup::read(named(&table.name)?, of, join.table, &meter, &memory)?));
            }
        }
        Ok::<_, SourceError>(RowOperator::new(of, lookups))
    };
    let own = operator(of)?;
    let protected: Vec<usize> = rows.joins.tables().filter(|at| rows.tables[*at].is_protected()).collect();
    let stored = if let [_] = protected.as_slice() { own.stored_inputs() } else { Vec::new() };
    let mut tables = Vec::new();
    let mut size = Some(0_u64);
    for at in &protected {
        let source = named(&rows.tables[*at].name)?;
        let inflow = Inflow::new(of, *at, &stored);
        tables.push(PendingScan { scan: source.scan(&inflow.wanted, &meter)?, inflow });
        size = size.zip(source.size()).map(|(all, one)| all.saturating_add(one));
    }
    let (rows, walks) = match made {
        Some(made) if made.yields == Yield::EachRow => {
            let outer = operator(query.of_rows())?;
            let own = OwnRows::new(EntityFolder::new(query.of_rows(), made, own, outer));
            let walks = walks(query, &resources, &|limit, most| {
                meet::own_threads(query.of_rows(), own.record_bytes(), limit, most)
            });
            (RowsOf::Own(Box::new(own)), walks)
        }
        Some(made) => {
            let folding = EntityFolder::new(query, made, own, operator(query)?);
            let room = Room::new(query, &resources).ok();
            let walks = room.map(|room| folding.threads(room.memory.limit(), resources.threads));
            (RowsOf::Entities(Box::new(folding)), walks.filter(|walks| *walks > 0))
        }
        None => {
            let walks = walks(query, &resources, &|limit, most| match protected.as_slice() {
                [_] => most,
                _ => meet::threads(query.of_rows(), &protected, limit, most),
            });
            (RowsOf::Tables(own), walks)
        }
    };
    let walks = walks.ok_or_else(|| SourceError::Memory { table: names() })?;
    Ok(Reading { query: query.clone(), resources, tables, rows, walks, meter, size, watch: None })
}

/// Opens the sources and computes a query's exact answer: [`open`] and [`Reading::compute`].
///
/// # Errors
/// Those of [`open`] and [`Reading::compute`].
pub fn exact(
    sources: &[Source],
    query: &Query,
    salt: &Salt,
    resources: &Resources,
    progress: &dyn Fn(Progress),
) -> Result<Exact, SourceError> {
    open(sources, query, resources)?.compute(salt, progress)
}

/// Number of threads that may walk at the same time, such that the rows of any entity fit in memory; `None` if not even
/// one may. It follows from the query, the caps and the resources alone. `meeting` returns how many of at most some
/// threads have memory for the records of any entity.
fn walks(query: &Query, resources: &Resources, meeting: &dyn Fn(Option<usize>, usize) -> usize) -> Option<usize> {
    let room = Room::new(query, resources).ok()?;
    if query.entity().is_none() {
        return Some(resources.threads);
    }
    let salt = Salt([0; 32]);
    let capping = CapRules::of_query(query, &salt, None);
    // Text keys take one word more: enough for both kinds of keys.
    let mut cap = CapRows::new(&capping, true, room.memory.clone(), room.disk.clone(), resources.threads);
    let of = query.of_rows();
    let cells: Vec<usize> = match of.is_capped_together() {
        true => vec![of.combinations()],
        false => (0..of.levels().len()).map(|level| of.cells(level)).collect(),
    };
    let walks = cap.make_room(&cells);
    Some(meeting(room.memory.limit(), walks)).filter(|walks| *walks > 0)
}

impl Reading {
    /// Reads all rows and computes the totals. Calls `progress` a few times a second and at the end.
    ///
    /// # Errors
    /// When memory, the disk or a device is exhausted.
    pub fn compute(self, salt: &Salt, progress: &dyn Fn(Progress)) -> Result<Exact, SourceError> {
        let table = self.query.tables().collect::<Vec<_>>().join(", ");
        let (meter, size) = (self.meter.clone(), self.size);
        let totals = watch(&meter, size, progress, || self.totals(salt));
        totals.map(Totals::finish).map_err(|exhausted| match exhausted {
            ComputeError::Memory => SourceError::Memory { table },
            ComputeError::Disk(error) => SourceError::Spill { table, reason: error.to_string() },
            ComputeError::Input => SourceError::Rows { table },
            ComputeError::Database(error) => error,
        })
    }

    fn totals(self, salt: &Salt) -> Result<Totals, ComputeError> {
        let Self { query, resources, tables, mut rows, walks, meter: _, size: _, watch } = self;
        match &mut rows {
            RowsOf::Tables(operator) => operator.count_without_partner(watch.clone()),
            RowsOf::Entities(folding) => folding.inner_mut().count_without_partner(watch.clone()),
            RowsOf::Own(own) => own.folder_mut().inner_mut().count_without_partner(watch.clone()),
        }
        let threads = resources.threads;
        let room = Room::new(&query, &resources)?;
        let mut tables = tables.into_iter();
        let (Some(first), others) = (tables.next(), tables) else { return Err(ComputeError::Input) };
        let others: Vec<PendingScan> = others.collect();
        let (operator, own) = match &rows {
            RowsOf::Tables(operator) => (operator, None),
            RowsOf::Own(own) => (own.operator(), Some(own)),
            RowsOf::Entities(folding) => {
                folding.run(first, &query, salt, &room, (threads, walks), watch)?;
                return Ok(room.together(&query));
            }
        };
        let capping = CapRules::of_query(&query, salt, watch.clone());
        if query.entity().is_none() {
            let meaning = Meaning::of_query(&query, watch);
            let start = || (operator.clone(), Columns::new(meaning.clone()), room.copy());
            let take = |worker: &mut (RowOperator, Columns, usize), batch| {
                let (operator, columns, copy) = worker;
                if let Some((rows, arrays)) = operator.run(first.inflow.inputs(batch)) {
                    columns.read(rows, &arrays);
                    room.add(*copy, |totals| columns.add_to(totals))?;
                }
                Ok(())
            };
            first.scan.run(threads, start, take).map_err(exhausted)?;
            return Ok(room.together(&query));
        }
        let text = first.inflow.entity_is_text;
        let mut cap = CapRows::new(&capping, text, room.memory.clone(), room.disk.clone(), threads);
        cap.set_walks(walks);
        if let (None, true) = (own, others.is_empty()) {
            let start = || (operator.clone(), cap.columns(), cap.collector());
            let take = |worker: &mut (RowOperator, Columns, Collector), batch| {
                let (operator, columns, collector) = worker;
                match operator.run(first.inflow.inputs(batch)) {
                    Some((rows, arrays)) => {
                        columns.read(rows, &arrays);
                        cap.push(columns, collector)
                    }
                    None => Ok(()),
                }
            };
            let workers = first.scan.run(threads, start, take).map_err(exhausted)?;
            let scattered = cap.gathered(workers.into_iter().map(|(_, _, collector)| collector).collect())?;
            on_threads(walks, |thread| {
                let copy = thread % room.copies.len().max(1);
                cap.walk(&scattered, &mut |kept| room.add(copy, |totals| totals.add_kept(kept)))
            })?;
            return Ok(room.together(&query));
        }
        let mut meeting =
            TableJoin::new(query.of_rows(), salt, &cap, room.memory.clone(), room.disk.clone(), (threads, walks));
        let scattered = match own {
            Some(own) => meeting.scatter_own(own, first, watch.as_deref())?,
            None => {
                let all = std::iter::once(first).chain(others);
                let all = all.map(|PendingScan { scan, inflow }| (scan, inflow)).collect();
                meeting.scatter(all, query.of_rows())?
            }
        };
        on_threads(walks, |thread| {
            let copy = thread % room.copies.len().max(1);
            meeting.walk(&scattered, operator, &mut |kept| room.add(copy, |totals| totals.add_kept(kept)))
        })?;
        Ok(room.together(&query))
    }
}

fn exhausted(error: ScanError<ComputeError>) -> ComputeError {
    match error {
        ScanError::Work(exhausted) => exhausted,
        ScanError::Source(error @ (SourceError::Remote { .. } | SourceError::Changed { .. })) => {
            ComputeError::Database(error)
        }
        ScanError::Source(_) => ComputeError::Input,
    }
}

/// Runs the same work on this many threads, and returns the first error.
fn on_threads(threads: usize, work: impl Fn(usize) -> Result<(), ComputeError> + Sync) -> Result<(), ComputeError> {
    std::thread::scope(|scope| {
        let work = &work;
        let spawn = |thread| std::thread::Builder::new().spawn_scoped(scope, move || work(thread)).ok();
        // If a thread cannot be started, the others do its work.
        let spawned: Vec<_> = (1..threads).filter_map(spawn).collect();
        let mut done = work(0);
        for thread in spawned {
            done = done.and(thread.join().unwrap_or(Err(ComputeError::Input)));
        }
        done
    })
}

/// The memory for totals and for rows, and the place of temporary files.
struct Room {
    copies: Vec<Copy>,
    next: std::sync::atomic::AtomicUsize,
    memory: Memory,
    disk: Arc<Disk>,
}

impl Room {
    fn new(query: &Query, resources: &Resources) -> Result<Self, ComputeError> {
        // The size of totals depends on the query alone: at most a quarter of the memory is used for copies of them, so
        // that threads need not wait for each other.
        let bytes = Totals::bytes(query).max(1);
        let limit = resources.memory;
        let copies = limit.map_or(usize::MAX, |limit| limit / 4 / bytes).clamp(1, resources.threads);
        let (memory, piles) = match limit {
            None => (Memory::new(None), Memory::new(None)),
            Some(limit) => {
                let rest = limit.checked_sub(bytes.saturating_mul(copies)).ok_or(ComputeError::Memory)?;
                // Values of ranks are never written to disk, so they have a separate part of the memory.
                let piles = if query.has_ranks() { rest / 3 } else { 0 };
                (Memory::new(Some(rest - piles)), Memory::new(Some(piles)))
            }
        };
        let copy = || Mutex::new((Totals::new(query), piles.reserve()));
        let disk = Arc::new(Disk::new(resources.spill.clone()));
        Ok(Self { copies: (0..copies).map(|_| copy()).collect(), next: 0.into(), memory, disk })
    }

    /// The index of the copy for a thread.
    fn copy(&self) -> usize {
        self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % self.copies.len().max(1)
    }

    /// Updates a copy of the totals.
    fn add(&self, copy: usize, add: impl FnOnce(&mut Totals)) -> Result<(), ComputeError> {
        let mut copy = self.copies[copy].lock().unwrap_or_else(PoisonError::into_inner);
        let (totals, reservation) = &mut *copy;
        add(totals);
        if reservation.resize(totals.piled()) { Ok(()) } else { Err(ComputeError::Memory) }
    }

    fn together(self, query: &Query) -> Totals {
        let mut all = Totals::new(query);
        for copy in self.copies {
            all.merge(copy.into_inner().unwrap_or_else(PoisonError::into_inner).0);
        }
        all
    }
}

/// The positions of a table's columns among the inputs of a program.
fn inputs_of(query: &Query, table: usize) -> std::ops::Range<usize> {
    let tables = &query.rows().tables;
    let before: usize = tables[..table].iter().map(|table| table.columns.len()).sum();
    before..before + tables[table].columns.len()
}

/// The positions of the inputs of one table that a query uses.
fn used_inputs(query: &Query, table: usize) -> Vec<usize> {
    let used = query.rows().program.inputs(&query.roots());
    used.into_iter().filter(|input| declared(&query.rows().tables, *input).is_some_and(|(at, _)| at == table)).collect()
}

/// The input of a value that is a plain column.
fn bare(query: &Query, id: deniable_expression::Id) -> Option<usize> {
    match query.rows().program.node(id) {
        Node::Column(position) => Some(*position as usize),
        Node::Constant(..) | Node::Call(..) => None,
    }
}

/// The reading of an input: its column, and whether texts stay as stored.
fn wanted(table_start: usize, input: usize, stored: bool) -> WantedColumn {
    let column = input - table_start;
    if stored { WantedColumn::stored(column) } else { WantedColumn::typed(column) }
}
