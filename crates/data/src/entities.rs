//! How many different entities rows belong to, on several threads and within a limit of memory.
//!
//! An entity is known by 128 bits, as it is where rows are capped: a whole number by a number that is one to one with it, a text by a keyed
//! hash, of which two share one with a chance of 2^-128. What does not fit into memory is sorted into a temporary file.

use crate::Resources;
use crate::memory::{Memory, Reservation, temporary_file};
use arrow_array::StringViewArray;
use arrow_array::cast::AsArray;
use deniable_expression::Column;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use siphasher::sip128::SipHasher13;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufReader, BufWriter, Read as _, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes of an entity in a file.
const WIDTH: usize = size_of::<u128>();
/// Bytes that are read at once of what was sorted before.
const BUFFER: usize = 16 << 10;

/// Counts them.
pub(crate) struct Entities {
    texts: SipHasher13,
    integers: u64,
    memory: Memory,
    spill: Option<PathBuf>,
}

/// The entities that one thread has come across.
pub(crate) struct Counting {
    known: HashTable<u128>,
    reserved: Reservation,
    /// Those that did not fit, each sorted by itself.
    sorted: Vec<Sorted>,
}

/// Entities in the order of their bits, in a file that has no name.
struct Sorted {
    file: File,
    count: usize,
}

/// Spreads numbers over all 64 bits. One to one: every step can be undone.
#[inline]
#[must_use]
pub fn scattered(number: u64) -> u64 {
    let mut mixed = number;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl Entities {
    pub(crate) fn new(resources: &Resources) -> Self {
        let words = || -> [u8; 16] {
            let random = RandomState::new();
            let [low, high] = [0_u64, 1].map(|number| random.hash_one(number));
            (u128::from(low) << 64 | u128::from(high)).to_le_bytes()
        };
        Self {
            texts: SipHasher13::new_with_key(&words()),
            integers: RandomState::new().hash_one(0_u64),
            memory: Memory::new(resources.memory),
            spill: resources.spill.clone(),
        }
    }

    pub(crate) fn start(&self) -> Counting {
        Counting { known: HashTable::new(), reserved: self.memory.reserve(), sorted: Vec::new() }
    }

    /// Counts the entities of some rows; rows without a key have none.
    ///
    /// # Errors
    /// When temporary files cannot be written.
    pub(crate) fn add(&self, counting: &mut Counting, keys: &Column) -> std::io::Result<()> {
        match keys {
            Column::Integer(numbers) => {
                numbers.iter().flatten().for_each(|number| counting.add(self.of_integer(number)));
            }
            Column::Text(texts) => self.add_texts(counting, texts),
            // Keys are whole numbers or texts; another column's values are told apart as they are written.
            other => {
                let texts = arrow_cast::cast(&other.to_array(), &arrow_schema::DataType::Utf8View).ok();
                if let Some(texts) = texts.as_ref().and_then(|texts| texts.as_string_view_opt()) {
                    self.add_texts(counting, texts);
                }
            }
        }
        if !counting.reserved.resize(counting.known.allocation_size()) {
            counting.sort(self.spill.as_deref())?;
        }
        Ok(())
    }

    fn of_integer(&self, number: i64) -> u128 {
        u128::from(scattered(number.cast_unsigned() ^ self.integers))
    }

    fn add_texts(&self, counting: &mut Counting, texts: &StringViewArray) {
        for text in texts.iter().flatten() {
            counting.add(self.texts.hash(text.as_bytes()).as_u128());
        }
    }

    /// How many there are in all that threads have counted.
    ///
    /// # Errors
    /// When temporary files cannot be written or read back.
    pub(crate) fn count(&self, mut all: Vec<Counting>) -> std::io::Result<u64> {
        // The largest takes the others in.
        all.sort_by_key(|counting| counting.known.len());
        let mut whole = all.pop().unwrap_or_else(|| self.start());
        for mut other in all {
            whole.sorted.append(&mut other.sorted);
            if whole.sorted.is_empty() {
                other.known.iter().for_each(|entity| whole.add(*entity));
                drop(other);
                if !whole.reserved.resize(whole.known.allocation_size()) {
                    whole.sort(self.spill.as_deref())?;
                }
            } else {
                other.sort(self.spill.as_deref())?;
                whole.sorted.append(&mut other.sorted);
            }
        }
        if whole.sorted.is_empty() {
            return Ok(whole.known.len() as u64);
        }
        whole.sort(self.spill.as_deref())?;
        let mut count = 0;
        merge(whole.sorted, &mut |_| {
            count += 1;
            Ok(())
        })?;
        Ok(count)
    }
}

impl Counting {
    fn add(&mut self, entity: u128) {
        // Scattered already: its lower half is its hash.
        let hash = |entity: &u128| *entity as u64;
        if let Entry::Vacant(free) = self.known.entry(hash(&entity), |other| *other == entity, hash) {
            free.insert(entity);
        }
    }

    /// Moves what is in memory to a file.
    fn sort(&mut self, folder: Option<&Path>) -> std::io::Result<()> {
        /// More files than this become one: a process may have so many open.
        const MOST_FILES: usize = 64;
        let mut entities: Vec<u128> = std::mem::take(&mut self.known).into_iter().collect();
        entities.sort_unstable();
        self.reserved.free();
        let mut writer = Writer::new(folder)?;
        entities.into_iter().try_for_each(|entity| writer.write(entity))?;
        self.sorted.push(writer.finish()?);
        if self.sorted.len() >= MOST_FILES {
            let mut writer = Writer::new(folder)?;
            merge(std::mem::take(&mut self.sorted), &mut |entity| writer.write(entity))?;
            self.sorted.push(writer.finish()?);
        }
        Ok(())
    }
}

/// Gives each of what was sorted, once, in order.
fn merge(sorted: Vec<Sorted>, each: &mut dyn FnMut(u128) -> std::io::Result<()>) -> std::io::Result<()> {
    let mut readers = Vec::with_capacity(sorted.len());
    let mut next = BinaryHeap::with_capacity(sorted.len());
    for Sorted { mut file, count } in sorted {
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

/// Writes what is sorted.
struct Writer {
    file: BufWriter<File>,
    count: usize,
}

impl Writer {
    fn new(folder: Option<&Path>) -> std::io::Result<Self> {
        Ok(Self { file: BufWriter::with_capacity(BUFFER, temporary_file(folder)?), count: 0 })
    }

    fn write(&mut self, entity: u128) -> std::io::Result<()> {
        self.count += 1;
        self.file.write_all(&entity.to_le_bytes())
    }

    fn finish(self) -> std::io::Result<Sorted> {
        let Self { file, count } = self;
        Ok(Sorted { file: file.into_inner().map_err(std::io::IntoInnerError::into_error)?, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_expression::{Type, Value};
    use std::collections::BTreeSet;

    /// Counts these keys, a hundred at a time, shared by so many threads.
    fn counted(keys: &Column, parts: usize, memory: Option<usize>) -> u64 {
        let entities = Entities::new(&Resources { threads: 1, memory, spill: None });
        let mut all: Vec<Counting> = (0..parts).map(|_| entities.start()).collect();
        for (at, begin) in (0..keys.len()).step_by(100).enumerate() {
            let part = keys.slice(begin, 100.min(keys.len() - begin));
            entities.add(&mut all[at % parts], &part).unwrap();
        }
        entities.count(all).unwrap()
    }

    #[test]
    fn each_entity_counts_once_in_memory_and_from_files() {
        let number = |row: u64| Some((row * row % 7_919) as i64 - 4_000).filter(|number| number % 50 != 0);
        let numbers: Vec<Option<i64>> = (0..40_000).map(number).collect();
        let expected = numbers.iter().flatten().collect::<BTreeSet<_>>().len() as u64;
        let integers = Column::from_values(Type::Integer, numbers.iter().map(|number| number.map(Value::Integer)));
        let text = |number: &Option<i64>| number.map(|number| Value::Text(number.to_string().into()));
        let texts = Column::from_values(Type::Text, numbers.iter().map(text));
        // So little memory that every hundred rows go to a file, and files are put together.
        for (parts, memory) in [(1, None), (3, None), (1, Some(100)), (3, Some(100)), (2, Some(60_000))] {
            assert_eq!(counted(&integers, parts, memory), expected, "{parts} {memory:?}");
            assert_eq!(counted(&texts, parts, memory), expected, "{parts} {memory:?}");
        }
        assert_eq!(counted(&Column::nulls(Type::Text, 300), 2, None), 0);
    }
}
