//! Streaming of rows: binary `COPY`, parsed row by row.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

use crate::contents::Contents;
use crate::decode::{Kind, Values};
use crate::error::PostgresError;
use crate::relation::{Part, Relation};
use arrow_array::ArrayRef;
use bytes::Bytes;
use deniable_core::schema::quoted;
use futures_util::StreamExt;
use std::pin::pin;

const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";
/// Bytes of rows per batch, unless a single row has more.
const MOST_BYTES: usize = 8 << 20;

/// The columns and options of a copy.
#[derive(Debug, Clone, Copy)]
pub struct CopyRequest<'a> {
    /// The columns, by their positions in [`Relation::columns`].
    pub columns: &'a [usize],
    /// Maximum number of rows per batch.
    pub rows: usize,
    /// Whether to return the places of rows, if they have any.
    pub with_places: bool,
    /// The key of [`Contents`]. With it, all columns of the relation are copied; without it, no contents are computed.
    pub key: Option<&'a [u8; 16]>,
}

/// A batch of copied rows.
#[derive(Debug)]
pub struct CopiedRows {
    /// The number of rows.
    pub rows: usize,
    /// Bytes received for them.
    pub bytes: u64,
    /// The columns, in the requested order.
    pub columns: Vec<ArrayRef>,
    /// The place of each row, if requested: its page times 2^16, plus its number on the page.
    pub places: Vec<u64>,
}

impl Relation {
    /// Copies a part over a separate connection, which this thread holds meanwhile, and passes batches of rows to
    /// `take`. `take` returns whether it wants more.
    ///
    /// # Errors
    /// When the rows cannot be read to their end. `None` if `take` wanted no more.
    pub fn copy(
        &self,
        part: &Part,
        copying: CopyRequest<'_>,
        take: &mut dyn FnMut(CopiedRows) -> bool,
    ) -> Result<Option<Contents>, PostgresError> {
        let connection = self.snapshot.take()?;
        let places = copying.with_places && part.has_places();
        let sent: Vec<usize> = match copying.key {
            Some(_) => (0..self.columns.len()).collect(),
            None => copying.columns.to_vec(),
        };
        let names = sent.iter().filter_map(|at| self.columns.get(*at)).map(|column| quoted(&column.name));
        let names: Vec<String> = places.then(|| "ctid".to_owned()).into_iter().chain(names).collect();
        let query = part.query(&names);
        let kinds = copying.columns.iter().filter_map(|at| self.columns.get(*at)).map(|column| column.kind);
        let mut rows = Rows::new(copying, &sent, kinds, places);
        let copied = connection.runtime.block_on(async {
            let stream = connection.client.copy_out(&query).await.map_err(|error| PostgresError::running(&error))?;
            let mut stream = pin!(stream);
            while let Some(chunk) = stream.next().await {
                let chunk = chunk.map_err(|error| PostgresError::running(&error))?;
                if !rows.chunk(chunk, take)? {
                    return Ok(false);
                }
            }
            rows.end(take)
        })?;
        if !copied {
            // The rest of the copy is still in transit, so the connection cannot be used again.
            return Ok(None);
        }
        self.snapshot.give_back(connection);
        Ok(Some(rows.contents))
    }
}

struct Rows<'a> {
    copying: CopyRequest<'a>,
    /// The output column of each field of a row, if any.
    fields: Vec<Option<usize>>,
    values: Vec<Values>,
    with_places: bool,
    places: Vec<u64>,
    rows: usize,
    bytes: usize,
    contents: Contents,
    /// Bytes received but not parsed yet.
    left: Vec<u8>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Header,
    Rows,
    End,
}

/// The result of parsing a header or a row at the start of some bytes.
enum RowPrefix {
    /// A complete row or header of this many bytes.
    Whole(usize),
    Part,
    Garbled,
}

impl<'a> Rows<'a> {
    /// `columns` are positions of the sent columns; `kinds` are those of the wanted ones among them.
    fn new(copying: CopyRequest<'a>, sent: &[usize], kinds: impl Iterator<Item = Kind>, with_places: bool) -> Self {
        let fields = sent.iter().map(|at| copying.columns.iter().position(|wanted| wanted == at)).collect();
        let values = kinds.map(|kind| kind.values(copying.rows)).collect();
        let contents = Contents::default();
        Self {
            copying,
            fields,
            values,
            with_places,
            places: Vec::new(),
            rows: 0,
            bytes: 0,
            contents,
            left: Vec::new(),
            state: State::Header,
        }
    }

    /// Parses a chunk. Servers send a row at a time, so most chunks are parsed in place.
    fn chunk(&mut self, chunk: Bytes, take: &mut dyn FnMut(CopiedRows) -> bool) -> Result<bool, PostgresError> {
        if self.left.is_empty() {
            let used = match self.parse(&chunk, take)? {
                Some(used) => used,
                None => return Ok(false),
            };
            self.left.extend_from_slice(chunk.get(used..).unwrap_or_default());
            return Ok(true);
        }
        let mut all = std::mem::take(&mut self.left);
        all.extend_from_slice(&chunk);
        let Some(used) = self.parse(&all, take)? else { return Ok(false) };
        all.drain(..used);
        self.left = all;
        Ok(true)
    }

    /// Handles the end of the copy.
    fn end(&mut self, take: &mut dyn FnMut(CopiedRows) -> bool) -> Result<bool, PostgresError> {
        if self.state != State::End || !self.left.is_empty() {
            return Err(PostgresError::garbled());
        }
        Ok(self.rows == 0 || self.hand_over(take))
    }

    /// Parses complete rows and returns the number of bytes used; `None` if no more rows are wanted.
    fn parse(
        &mut self,
        bytes: &[u8],
        take: &mut dyn FnMut(CopiedRows) -> bool,
    ) -> Result<Option<usize>, PostgresError> {
        let mut used = 0_usize;
        while let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty()) {
            let found = match self.state {
                State::Header => header(rest),
                State::Rows => self.row(rest),
                State::End => RowPrefix::Garbled,
            };
            match found {
                RowPrefix::Whole(count) => used = used.saturating_add(count),
                RowPrefix::Part => break,
                RowPrefix::Garbled => return Err(PostgresError::garbled()),
            }
            if self.state == State::Header {
                self.state = State::Rows;
            }
            if (self.rows >= self.copying.rows || self.bytes >= MOST_BYTES) && !self.hand_over(take) {
                return Ok(None);
            }
        }
        Ok(Some(used))
    }

    /// Parses a row, or the trailer after the last.
    fn row(&mut self, bytes: &[u8]) -> RowPrefix {
        let Some((count, mut rest)) = bytes.split_first_chunk::<2>() else { return RowPrefix::Part };
        let count = i16::from_be_bytes(*count);
        if count == -1 {
            self.state = State::End;
            return RowPrefix::Whole(2);
        }
        let expected = self.fields.len().saturating_add(usize::from(self.with_places));
        if usize::try_from(count) != Ok(expected) {
            return RowPrefix::Garbled;
        }
        // Values are added only once the row is complete.
        let Some(whole) = length(rest, expected) else { return RowPrefix::Garbled };
        let Some(whole) = whole else { return RowPrefix::Part };
        let size = whole.saturating_add(2);
        if self.with_places {
            let Some((Some(place), after)) = field(rest) else { return RowPrefix::Garbled };
            let &[p0, p1, p2, p3, n0, n1] = place else { return RowPrefix::Garbled };
            self.places.push(u64::from_be_bytes([0, 0, p0, p1, p2, p3, n0, n1]));
            rest = after;
        }
        if let Some(key) = self.copying.key {
            let passed = bytes.len().saturating_sub(rest.len());
            self.contents.add(key, bytes.get(passed..size).unwrap_or_default());
        }
        for at in &self.fields {
            let Some((value, after)) = field(rest) else { return RowPrefix::Garbled };
            if let Some(values) = at.and_then(|at| self.values.get_mut(at)) {
                values.add(value);
            }
            rest = after;
        }
        self.rows = self.rows.saturating_add(1);
        self.bytes = self.bytes.saturating_add(size);
        RowPrefix::Whole(size)
    }

    fn hand_over(&mut self, take: &mut dyn FnMut(CopiedRows) -> bool) -> bool {
        let columns = self.values.iter_mut().map(Values::take).collect();
        let (rows, bytes) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.bytes) as u64);
        take(CopiedRows { rows, bytes, columns, places: std::mem::take(&mut self.places) })
    }
}

fn header(bytes: &[u8]) -> RowPrefix {
    let Some((start, rest)) = bytes.split_at_checked(SIGNATURE.len()) else { return RowPrefix::Part };
    let Some((flags, rest)) = rest.split_first_chunk::<4>() else { return RowPrefix::Part };
    let Some((extension, rest)) = rest.split_first_chunk::<4>() else { return RowPrefix::Part };
    // A header with flags or an extension is not supported.
    if start != SIGNATURE || u32::from_be_bytes(*flags) != 0 || u32::from_be_bytes(*extension) != 0 {
        return RowPrefix::Garbled;
    }
    RowPrefix::Whole(bytes.len().saturating_sub(rest.len()))
}

/// The length in bytes of this number of fields; `Some(None)` if they are incomplete, `None` if they are malformed.
fn length(bytes: &[u8], fields: usize) -> Option<Option<usize>> {
    let mut passed = 0_usize;
    for _ in 0..fields {
        let Some(size) = bytes.get(passed..).and_then(<[u8]>::first_chunk::<4>) else { return Some(None) };
        let size = i32::from_be_bytes(*size);
        let size = if size == -1 { 0 } else { usize::try_from(size).ok()? };
        passed = passed.checked_add(4)?.checked_add(size)?;
        if passed > bytes.len() {
            return Some(None);
        }
    }
    Some(Some(passed))
}

/// The bytes of the first field, `None` for NULL, and the rest.
fn field(bytes: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let (size, rest) = bytes.split_first_chunk::<4>()?;
    match i32::from_be_bytes(*size) {
        -1 => Some((None, rest)),
        size => rest.split_at_checked(usize::try_from(size).ok()?).map(|(value, rest)| (Some(value), rest)),
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;
    use proptest::prelude::*;

    const KEY: [u8; 16] = [1; 16];

    /// Rows as a server sends them: a place, a number, a text that is not wanted, and another text.
    type Row = (u32, Option<i32>, Option<String>, Option<String>);

    fn sent(rows: &[Row]) -> Vec<u8> {
        let mut bytes = SIGNATURE.to_vec();
        bytes.extend([0; 8]);
        let field = |bytes: &mut Vec<u8>, value: Option<&[u8]>| match value {
            Some(value) => {
                bytes.extend(i32::try_from(value.len()).unwrap().to_be_bytes());
                bytes.extend(value);
            }
            None => bytes.extend((-1_i32).to_be_bytes()),
        };
        for (page, number, other, text) in rows {
            bytes.extend(4_i16.to_be_bytes());
            let place = [page.to_be_bytes().as_slice(), &[0, 7]].concat();
            field(&mut bytes, Some(&place));
            field(&mut bytes, number.map(i32::to_be_bytes).as_ref().map(<[u8; 4]>::as_slice));
            field(&mut bytes, other.as_deref().map(str::as_bytes));
            field(&mut bytes, text.as_deref().map(str::as_bytes));
        }
        bytes.extend((-1_i16).to_be_bytes());
        bytes
    }

    /// The rows and contents parsed from chunks that end at these offsets.
    fn read(bytes: &[u8], ends: &[usize]) -> Result<(Vec<Row>, Contents), PostgresError> {
        let copying = CopyRequest { columns: &[0, 2], rows: 3, with_places: true, key: Some(&KEY) };
        let mut rows = Rows::new(copying, &[0, 1, 2], [Kind::Int4, Kind::Text].into_iter(), true);
        let mut all = Vec::new();
        let mut take = |copied: CopiedRows| {
            assert!(copied.rows <= 3 && copied.columns.iter().all(|column| column.len() == copied.rows));
            let (numbers, texts) = (copied.columns[0].as_primitive::<Int32Type>(), copied.columns[1].as_string_view());
            for (row, (number, text)) in numbers.iter().zip(texts.iter()).enumerate() {
                all.push((u32::try_from(copied.places[row] >> 16).unwrap(), number, None, text.map(str::to_owned)));
            }
            true
        };
        let mut begin = 0;
        let mut ends: Vec<usize> = ends.iter().map(|end| end % (bytes.len() + 1)).chain([bytes.len()]).collect();
        ends.sort_unstable();
        for end in ends {
            rows.chunk(Bytes::copy_from_slice(&bytes[begin..end]), &mut take)?;
            begin = end;
        }
        rows.end(&mut take)?;
        let contents = rows.contents;
        Ok((all, contents))
    }

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let text = || proptest::option::of("[a-zäö]{0,9}");
        proptest::collection::vec((any::<u32>(), any::<Option<i32>>(), text(), text()), 0..12)
    }

    proptest! {
        #[test]
        fn rows_are_the_same_wherever_chunks_end(rows in rows(), ends in proptest::collection::vec(any::<usize>(), 0..20)) {
            let bytes = sent(&rows);
            let (read, contents) = read(&bytes, &ends).unwrap();
            let wanted: Vec<Row> = rows.iter().map(|(page, number, _, text)| (*page, *number, None, text.clone())).collect();
            prop_assert_eq!(read, wanted);
            prop_assert_eq!(contents.rows, rows.len() as u64);
            // Order and places do not change the contents; the unwanted text does.
            let turned: Vec<Row> = rows.iter().rev().cloned().map(|(page, a, b, c)| (page / 2, a, b, c)).collect();
            prop_assert_eq!(super::tests::read(&sent(&turned), &[]).unwrap().1, contents);
            if let Some(first) = rows.first() {
                let mut changed = rows.clone();
                changed[0].2 = Some(first.2.as_deref().unwrap_or_default().to_owned() + "x");
                prop_assert_ne!(super::tests::read(&sent(&changed), &[]).unwrap().1, contents);
            }
        }

        #[test]
        fn damaged_rows_are_an_error_and_never_fewer(rows in rows(), cut in any::<usize>(), at in any::<usize>(), byte in any::<u8>()) {
            let mut bytes = sent(&rows);
            let cut = cut % bytes.len();
            prop_assert!(read(&bytes[..cut], &[]).is_err(), "cut off after {cut} bytes");
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = read(&bytes, &[at]);
            bytes.push(byte);
            let _ = read(&bytes, &[]);
        }

        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(read(&bytes, &[]).is_err());
            let _ = read(&[&sent(&[])[..19], &bytes].concat(), &[]);
        }
    }
}
