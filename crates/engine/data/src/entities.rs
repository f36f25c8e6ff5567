//! Counts distinct entities on several threads and within a memory limit.
//!
//! An entity is identified by the same bits as in the capping of rows ([`crate::identity`]). Entities that do not fit
//! into memory are sorted in place and written to a temporary file.

use crate::Resources;
use crate::identity::{EntityBits, Identity};
use crate::memory::{Memory, Reservation, temporary_file};
use deniable_expression::Column;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufReader, BufWriter, Read as _, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// Bytes of an entity.
const WIDTH: usize = size_of::<u128>();
/// Bytes read at once from a sorted file.
const BUFFER: usize = 16 << 10;
/// More files than this are merged into one, because a process can open a limited number.
const MOST_FILES: usize = 64;
/// Entities looked up together, so that their memory accesses overlap.
const TOGETHER: usize = 64;
/// Places of the smallest table, which a thread gets regardless of the memory limit.
const FEWEST_PLACES: usize = 1 << 10;
/// A free place. Not zero: memory known to be zero is allocated only when it is written to, and a page that is first
/// read and then written stops every thread twice.
const FREE_PLACE: u128 = u128::MAX;

pub(crate) struct Entities {
    bits: EntityBits,
    memory: Memory,
    spill: Option<PathBuf>,
}

/// A set of the distinct entities in the rows of one thread.
pub(crate) struct EntityCounter {
    /// A power of two of places; each entity is at the first free place from the one given by its bits. At most three
    /// in four are used.
    places: Vec<u128>,
    known: usize,
    reserved: Reservation,
    /// The entities that did not fit, in sorted files.
    sorted: Vec<SortedEntities>,
    spill: Option<PathBuf>,
}

/// Entities sorted by their bits, in an unnamed file.
struct SortedEntities {
    file: File,
    count: usize,
}

impl Entities {
    pub(crate) fn new(resources: &Resources) -> Self {
        let random = RandomState::new();
        let [low, high, integers] = [0_u64, 1, 2].map(|number| random.hash_one(number));
        let texts = (u128::from(low) << 64 | u128::from(high)).to_le_bytes();
        Self {
            bits: EntityBits::new(&texts, integers),
            memory: Memory::new(resources.memory),
            spill: resources.spill.clone(),
        }
    }

    pub(crate) fn start(&self) -> EntityCounter {
        let mut reserved = self.memory.reserve();
        // Needs no check of the limit, because it is small.
        let _ = reserved.try_grow(FEWEST_PLACES * WIDTH);
        let places = vec![FREE_PLACE; FEWEST_PLACES];
        EntityCounter { places, known: 0, reserved, sorted: Vec::new(), spill: self.spill.clone() }
    }

    /// Counts the entities of these rows; rows without a key have none.
    ///
    /// # Errors
    /// When temporary files cannot be written.
    pub(crate) fn add(&self, counting: &mut EntityCounter, keys: &Column) -> std::io::Result<()> {
        let mut entities = Vec::with_capacity(keys.len());
        self.bits.each(keys, |entity| entities.push(place_of(entity)));
        counting.add(&entities)
    }

    /// The number of distinct entities over all threads.
    ///
    /// # Errors
    /// When temporary files cannot be written or read back.
    pub(crate) fn count(&self, mut all: Vec<EntityCounter>) -> std::io::Result<u64> {
        // The largest set absorbs the others.
        all.sort_by_key(|counting| counting.known);
        let mut whole = all.pop().unwrap_or_else(|| self.start());
        for mut other in all {
            if whole.sorted.is_empty() && other.sorted.is_empty() {
                whole.take_in(&other)?;
            } else {
                other.sort()?;
                whole.sorted.append(&mut other.sorted);
            }
        }
        if whole.sorted.is_empty() {
            return Ok(whole.known as u64);
        }
        whole.sort()?;
        let mut count = 0;
        merge(std::mem::take(&mut whole.sorted), &mut |_| {
            count += 1;
            Ok(())
        })?;
        Ok(count)
    }
}

/// An entity's bits as stored in a place. The two largest values share one.
fn place_of([first, second]: Identity) -> u128 {
    (u128::from(second) << 64 | u128::from(first)).min(FREE_PLACE - 1)
}

impl EntityCounter {
    fn add(&mut self, entities: &[u128]) -> std::io::Result<()> {
        for some in entities.chunks(TOGETHER) {
            let last = self.places.len() - 1;
            // Touches the places below, so that their memory accesses overlap instead of waiting for one another.
            std::hint::black_box(some.iter().fold(0, |seen, entity| seen ^ self.places[*entity as usize & last]));
            for entity in some {
                if take_place(&mut self.places, *entity) {
                    self.known += 1;
                    if self.known > self.places.len() / 4 * 3 {
                        self.make_room()?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds all entities that another set has in memory, in an order that scatters them: in the order of their places
    /// they would fill this table from one end, and collide there.
    fn take_in(&mut self, other: &Self) -> std::io::Result<()> {
        let last = other.places.len() - 1;
        for begin in (0..other.places.len()).step_by(TOGETHER) {
            // A multiple of an odd number visits every place once.
            let place = |step: usize| (begin + step).wrapping_mul(0x9e37_79b9_7f4a_7c15) & last;
            let mut some = std::array::from_fn::<u128, TOGETHER, _>(|step| other.places[place(step)]).to_vec();
            some.retain(|entity| *entity != FREE_PLACE);
            self.add(&some)?;
        }
        Ok(())
    }

    /// Doubles the places if memory allows both tables at once; otherwise writes the entities to a file.
    fn make_room(&mut self) -> std::io::Result<()> {
        let bytes = self.places.len() * WIDTH;
        if !self.reserved.try_grow(2 * bytes) {
            return self.sort();
        }
        let mut places = vec![FREE_PLACE; 2 * self.places.len()];
        for entity in self.places.iter().filter(|entity| **entity != FREE_PLACE) {
            take_place(&mut places, *entity);
        }
        self.places = places;
        self.reserved.shrink(self.reserved.size() - 2 * bytes);
        Ok(())
    }

    /// Writes the entities in memory to a sorted file. The places are kept for the next entities.
    fn sort(&mut self) -> std::io::Result<()> {
        let all = self.places.len();
        self.places.retain(|entity| *entity != FREE_PLACE);
        self.places.sort_unstable();
        let mut writer = Writer::new(self.spill.as_ref())?;
        self.places.iter().try_for_each(|entity| writer.write(*entity))?;
        self.places.clear();
        self.places.resize(all, FREE_PLACE);
        self.known = 0;
        self.sorted.push(writer.finish()?);
        if self.sorted.len() >= MOST_FILES {
            let mut writer = Writer::new(self.spill.as_ref())?;
            merge(std::mem::take(&mut self.sorted), &mut |entity| writer.write(entity))?;
            self.sorted.push(writer.finish()?);
        }
        Ok(())
    }
}

/// Inserts an entity; false if it is already present. There must be a free place.
#[inline]
fn take_place(places: &mut [u128], entity: u128) -> bool {
    let last = places.len() - 1;
    // The first word is scattered, for numbers and for texts.
    let mut at = entity as usize & last;
    loop {
        match places[at] {
            FREE_PLACE => {
                places[at] = entity;
                return true;
            }
            known if known == entity => return false,
            _ => at = (at + 1) & last,
        }
    }
}

/// Calls `each` once for every distinct entity of the sorted files, in order.
fn merge(sorted: Vec<SortedEntities>, each: &mut dyn FnMut(u128) -> std::io::Result<()>) -> std::io::Result<()> {
    let mut readers = Vec::with_capacity(sorted.len());
    let mut next = BinaryHeap::with_capacity(sorted.len());
    for SortedEntities { mut file, count } in sorted {
        file.seek(SeekFrom::Start(0))?;
        let mut reader = (BufReader::with_capacity(BUFFER, file), count);
        if let Some(entity) = read(&mut reader)? {
            next.push(Reverse((entity, readers.len())));
        }
        readers.push(reader);
    }
    let mut last = None;
    while let Some(Reverse((entity, at))) = next.pop() {
        if last != Some(entity) {
            each(entity)?;
            last = Some(entity);
        }
        if let Some(following) = read(&mut readers[at])? {
            next.push(Reverse((following, at)));
        }
    }
    Ok(())
}

fn read((reader, left): &mut (BufReader<File>, usize)) -> std::io::Result<Option<u128>> {
    let Some(after) = left.checked_sub(1) else { return Ok(None) };
    let mut bytes = [0; WIDTH];
    reader.read_exact(&mut bytes)?;
    *left = after;
    Ok(Some(u128::from_le_bytes(bytes)))
}

/// Writes a sorted file.
struct Writer {
    file: BufWriter<File>,
    count: usize,
}

impl Writer {
    fn new(folder: Option<&PathBuf>) -> std::io::Result<Self> {
        let file = temporary_file(folder.map(PathBuf::as_path))?;
        Ok(Self { file: BufWriter::with_capacity(BUFFER, file), count: 0 })
    }

    fn write(&mut self, entity: u128) -> std::io::Result<()> {
        self.count += 1;
        self.file.write_all(&entity.to_le_bytes())
    }

    fn finish(self) -> std::io::Result<SortedEntities> {
        let Self { file, count } = self;
        Ok(SortedEntities { file: file.into_inner().map_err(std::io::IntoInnerError::into_error)?, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_expression::{Type, Value};
    use std::collections::BTreeSet;

    /// Counts these keys, a hundred at a time, with this number of threads.
    fn counted(keys: &Column, parts: usize, memory: Option<usize>) -> u64 {
        let entities = Entities::new(&Resources { threads: 1, memory, spill: None });
        let mut all: Vec<EntityCounter> = (0..parts).map(|_| entities.start()).collect();
        for (at, begin) in (0..keys.len()).step_by(100).enumerate() {
            let part = keys.slice(begin, 100.min(keys.len() - begin));
            entities.add(&mut all[at % parts], &part).unwrap();
        }
        entities.count(all).unwrap()
    }

    #[test]
    fn each_entity_counts_once_in_memory_and_from_files() {
        let number = |row: u64| Some((row * row % 7_919) as i64 - 4_000).filter(|number| number % 50 != 0);
        let numbers: Vec<Option<i64>> = (0..200_000).map(number).collect();
        let expected = numbers.iter().flatten().collect::<BTreeSet<_>>().len() as u64;
        let integers = Column::from_values(Type::Integer, numbers.iter().map(|number| number.map(Value::Integer)));
        let text = |number: &Option<i64>| number.map(|number| Value::Text(number.to_string().into()));
        let texts = Column::from_values(Type::Text, numbers.iter().map(text));
        // With so little memory, more files than allowed arise and are merged.
        for (parts, memory) in [(1, None), (3, None), (1, Some(100)), (3, Some(100)), (2, Some(60_000))] {
            assert_eq!(counted(&integers, parts, memory), expected, "{parts} {memory:?}");
            assert_eq!(counted(&texts, parts, memory), expected, "{parts} {memory:?}");
        }
        assert_eq!(counted(&Column::nulls(Type::Text, 300), 2, None), 0);
    }
}
