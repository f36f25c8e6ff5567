//! Selects the kept rows of each entity within one shard: a pure function of the set of rows.

use super::Identity;
use super::choice::Choice;
use super::group::group;
use super::identity::{CellSeed, Identities};
use super::layout::Layout;
use super::levels::Levels;
use deniable_core::sensitivity::Caps;
use std::collections::HashMap;
use std::ops::Range;

/// Bit 0 of a mark: the row represents its entity in its cell. Where caps are applied once for all levels, an entity's
/// bits in a cell may be on several rows, each bit once.
pub(super) const FIRST: u64 = 1;

/// Sorts rows by entity and cell and walks over them. Rows of a cell are sorted only where the cap drops some.
pub(super) struct Keeper {
    layout: Layout,
    levels: Levels,
    /// Arguments, by position, whose presence in any row of the entity in the cell is recorded in marks.
    presence: Vec<usize>,
    caps: Caps,
    identities: Identities,
    /// The entries of all rows, by entity and cell.
    order: Vec<u128>,
    cells: Vec<CellRows>,
}

/// Rows of whole entities.
#[derive(Clone, Copy)]
pub(super) enum Rows<'a> {
    /// All of their rows.
    All(&'a [u64]),
    /// All of their rows, those of each entity after each other.
    InOrder(&'a [u64]),
    /// All of their rows, which are packed and were sorted last ([`Keeper::sort`]).
    Sorted,
    /// The kept rows of one entity, for each cut.
    Kept(&'a [KeptOfOne]),
}

/// The kept rows of one entity at a cut.
pub(super) struct KeptOfOne {
    pub(super) rows: Vec<u64>,
    /// The mark of each cell, by all of the entity's rows in it.
    pub(super) marks: HashMap<u32, u64>,
}

impl<'a> Rows<'a> {
    /// The words of the rows at a cut.
    pub(super) fn at(self, cut: usize) -> &'a [u64] {
        match self {
            Self::All(rows) | Self::InOrder(rows) => rows,
            Self::Sorted => &[],
            Self::Kept(cuts) => &cuts[cut].rows,
        }
    }
}

/// An entity's rows in a cell: a range of its rows.
struct CellRows {
    rank: u64,
    start: u32,
    end: u32,
}

impl CellRows {
    fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One item of an entity's kept rows, in order.
pub(super) enum EntityItem {
    /// A cell, with its number of kept rows.
    Cell { rows: usize },
    /// A value in the last cell.
    Value { argument: usize, value: i64 },
}

/// The number of an entity's rows that count at a level.
pub(super) struct LevelCount {
    /// The number of rows that count.
    pub(super) rows: usize,
    /// Whether the entity has more rows in a cell, or more cells, than count.
    pub(super) is_beyond: bool,
}

/// Approximate number of rows in a bucket of the sort.
const ROWS_OF_A_BUCKET: usize = 4;

/// Most entries that are sorted without branches.
const FEW_ENTRIES: usize = 16;

/// Up to this cap on cells, the lowest ranks are found one after the other.
const FEW_CELLS: usize = 4;

/// Most rows in a shard: positions have 32 bits.
pub(super) const MOST_ROWS: usize = u32::MAX as usize;

/// Bytes for each row besides the row itself: its entry in the order, its part of a bucket, and its cell with the rank.
pub(super) const BYTES_PER_ROW: usize = 16 + 4 + size_of::<CellRows>();

impl Keeper {
    pub(super) fn new(
        layout: Layout,
        levels: Levels,
        presence: Vec<usize>,
        caps: Caps,
        identities: Identities,
    ) -> Self {
        Self { layout, levels, presence, caps, identities, order: Vec::new(), cells: Vec::new() }
    }

    /// Number of levels.
    pub(super) fn levels(&self) -> usize {
        self.levels.count()
    }

    /// Number of levels at which caps are applied: all, or one for all levels.
    pub(super) fn cuts(&self) -> usize {
        if self.levels.together() { 1 } else { self.levels.count() }
    }

    /// The cut that decides which rows are kept at a level.
    pub(super) fn cut(&self, level: usize) -> usize {
        if self.levels.together() { 0 } else { level }
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Most cells of an entity.
    pub(super) fn most_cells(&self) -> usize {
        self.caps.groups as usize
    }

    /// The secret order of an entity's cells.
    pub(super) fn seed(&self, identity: Identity) -> CellSeed {
        self.identities.seed(identity)
    }

    /// The choice among an entity's rows in a cell.
    pub(super) fn choice(&self, identity: Identity, cell: u32, rows: u64) -> Choice {
        Choice::new(rows, self.caps.rows_per_group, self.identities.draw(identity, cell))
    }

    /// The cell of a row in which caps count at a cut.
    pub(super) fn capped_by(&self, cut: usize, row: &[u64]) -> u32 {
        self.levels.capped_by(cut, self.layout.combination(row))
    }

    /// The mark of a cell with only this row.
    pub(super) fn mark_of(&self, row: &[u64]) -> u64 {
        let present = |argument: &usize| u64::from(self.layout.value(row, *argument).is_some());
        self.presence.iter().enumerate().fold(FIRST, |mark, (bit, argument)| mark | present(argument) << (1 + bit))
    }

    /// Sorts packed rows, for [`Rows::Sorted`]. The first `same` bits of their identities are equal: those that chose the
    /// shard.
    pub(super) fn sort(&mut self, chunks: &[&[u64]], same: u32) {
        debug_assert!(self.layout.is_packed(), "other rows are read again");
        let rows = chunks.iter().flat_map(|chunk| chunk.as_chunks::<2>().0);
        let count = chunks.iter().map(|chunk| chunk.len()).sum::<usize>() / 2;
        sort(rows, count, same, |row: &[u64; 2]| u128::from(row[0]) << 64 | u128::from(row[1]), &mut self.order);
    }

    /// Passes on the entries of the rows that are kept at a level, each with its mark, entity by entity and cell by
    /// cell.
    pub(super) fn keep(&mut self, rows: Rows<'_>, level: usize, mut visit: impl FnMut(u128, u64)) {
        if self.layout.is_packed() && !matches!(rows, Rows::Kept(_)) {
            return self.keep_packed(rows, visit);
        }
        let together = self.levels.together();
        let (cut, layout) = (self.cut(level), self.layout.clone());
        let words = rows.at(cut);
        // The bits marked for the current entity in each cell of the level, as several kept cells may fall into one.
        let (mut whose, mut marked) = (None, HashMap::new());
        self.kept_cells(rows, level, |keeper, own| {
            let mut mark = match rows {
                Rows::All(_) | Rows::InOrder(_) | Rows::Sorted if keeper.presence.is_empty() => FIRST,
                Rows::All(_) | Rows::InOrder(_) | Rows::Sorted => {
                    let mark_of = |entry: &u128| layout.row(words, *entry, |row| keeper.mark_of(row));
                    own.iter().fold(FIRST, |mark, entry| mark | mark_of(entry))
                }
                Rows::Kept(cuts) => cuts[cut].marks.get(&layout.cell(own[0])).copied().unwrap_or(FIRST),
            };
            if together {
                let (owner, cell) = layout.row(words, own[0], |row| {
                    (layout.identity(row), keeper.levels.cell_of(level, layout.combination(row)))
                });
                if whose != Some(owner) {
                    whose = Some(owner);
                    marked.clear();
                }
                let known: &mut u64 = marked.entry(cell).or_default();
                mark &= !*known;
                *known |= mark;
            }
            keeper.chosen(words, own, |entry| visit(entry, std::mem::take(&mut mark)));
        });
    }

    /// The same for packed rows, whose cells are the combinations of one level: in one pass over the sorted rows.
    fn keep_packed(&mut self, rows: Rows<'_>, mut visit: impl FnMut(u128, u64)) {
        let (order, mut cells) = (self.ordered(rows, 0), std::mem::take(&mut self.cells));
        let most_rows = self.caps.rows_per_group as usize;
        let mut rest = order.as_slice();
        while let Some(first) = rest.first() {
            let owner = first >> 64;
            cells.clear();
            let (mut start, mut at) = (0, 1);
            loop {
                let next = rest.get(at).filter(|next| *next >> 64 == owner);
                if next.is_none_or(|next| self.layout.cell(*next) != self.layout.cell(rest[start])) {
                    cells.push(CellRows { rank: 0, start: start as u32, end: at as u32 });
                    start = at;
                    if next.is_none() {
                        break;
                    }
                }
                at += 1;
            }
            let (own, others) = rest.split_at(at);
            self.leave_lowest(&[], own, self.caps.groups, &mut cells);
            for cell in &cells {
                let own = &own[cell.range()];
                let mut mark = FIRST;
                for (bit, argument) in self.presence.iter().enumerate() {
                    mark |= own.iter().fold(0, |any, entry| any | self.layout.presence(*entry, *argument)) << (1 + bit);
                }
                if own.len() <= most_rows || self.layout.arguments() == 0 {
                    for entry in own.iter().take(most_rows) {
                        visit(*entry, std::mem::take(&mut mark));
                    }
                } else {
                    // The entries are sorted by their values as well.
                    let choice = self.choice([owner as u64, 0], self.layout.cell(own[0]), own.len() as u64);
                    choice.positions().for_each(|at| visit(own[at as usize], std::mem::take(&mut mark)));
                }
            }
            rest = others;
        }
        (self.order, self.cells) = (order, cells);
    }

    /// Passes on each entity's cells, in an order that is the same at every level: the number of kept rows, and then,
    /// if `values` is set, the values of these rows.
    pub(super) fn cells(
        &mut self,
        rows: Rows<'_>,
        level: usize,
        values: bool,
        visit: &mut dyn FnMut(Identity, EntityItem),
    ) {
        let layout = self.layout.clone();
        let words = rows.at(self.cut(level));
        let most = self.caps.rows_per_group as usize;
        self.kept_cells(rows, level, |keeper, own| {
            let owner = layout.row(words, own[0], |row| layout.identity(row));
            visit(owner, EntityItem::Cell { rows: own.len().min(most) });
            if values {
                keeper.chosen(words, own, |entry| {
                    for argument in 0..layout.arguments() {
                        let value = layout.row(words, entry, |row| layout.value(row, argument));
                        value.into_iter().for_each(|value| visit(owner, EntityItem::Value { argument, value }));
                    }
                });
            }
        });
    }

    /// Passes on, for each entity in an order that is the same at every level, the number of its rows that count at a
    /// level under `caps`. These are smaller than the caps of the kept rows, so the result includes whether the entity
    /// exceeds them.
    pub(super) fn count(&mut self, rows: Rows<'_>, level: usize, caps: Caps, visit: &mut dyn FnMut(LevelCount)) {
        let most = caps.rows_per_group as usize;
        let words = rows.at(self.cut(level));
        self.entities(rows, level, |keeper, own| {
            let mut cells = keeper.all_cells(own);
            let all = (cells.len(), cells.iter().any(|cell| cell.range().len() > most));
            keeper.leave_lowest(words, own, caps.groups, &mut cells);
            visit(LevelCount {
                rows: cells.iter().map(|cell| cell.range().len().min(most)).sum(),
                is_beyond: all.0 > cells.len() || all.1,
            });
            keeper.cells = cells;
        });
    }

    /// Passes on the rows of each entity in each of the cells that are kept at a level.
    fn kept_cells(&mut self, rows: Rows<'_>, level: usize, mut visit: impl FnMut(&mut Self, &mut [u128])) {
        let words = rows.at(self.cut(level));
        self.entities(rows, level, |keeper, own| {
            let mut cells = keeper.all_cells(own);
            keeper.leave_lowest(words, own, keeper.caps.groups, &mut cells);
            for cell in &cells {
                visit(keeper, &mut own[cell.range()]);
            }
            keeper.cells = cells;
        });
    }

    /// The entries of all rows, by the first word of their identities, and of packed rows by their cells and values.
    fn ordered(&mut self, all: Rows<'_>, level: usize) -> Vec<u128> {
        let (rows, layout) = (all.at(self.cut(level)), &self.layout);
        let mut order = std::mem::take(&mut self.order);
        let entry = |row: &[u64], position| {
            layout.entry(row, position, || self.levels.capped_by(level, layout.combination(row)))
        };
        match all {
            Rows::Sorted => {}
            Rows::InOrder(_) => {
                order.clear();
                order.extend(rows.chunks_exact(layout.words()).zip(0..).map(|(row, position)| entry(row, position)));
                order.chunk_by_mut(|left, right| left >> 64 == right >> 64).for_each(sort_bucket);
            }
            Rows::All(_) | Rows::Kept(_) => {
                let rows = rows.chunks_exact(layout.words());
                let (all, any) = rows.clone().fold((u64::MAX, 0), |(all, any), row| (all & row[0], any | row[0]));
                let same = (all ^ any).leading_zeros();
                let mut position = 0;
                let next = |row: &[u64]| {
                    position += 1;
                    entry(row, position - 1)
                };
                sort(rows.clone(), rows.len(), same, next, &mut order);
            }
        }
        order
    }

    /// Passes on the rows of each entity, in the order of the cells that caps count at a level.
    fn entities(&mut self, all: Rows<'_>, level: usize, mut visit: impl FnMut(&mut Self, &mut [u128])) {
        let rows = all.at(self.cut(level));
        let (mut order, layout) = (self.ordered(all, level), self.layout.clone());
        for alike in order.chunk_by_mut(|left, right| left >> 64 == right >> 64) {
            // Two texts rarely have the same first word; the second word then decides.
            let second = |entry: &u128| layout.row(rows, *entry, |row| layout.identity(row)[1]);
            let only = second(&alike[0]);
            if layout.has_long_identities() && alike.iter().any(|entry| second(entry) != only) {
                alike.sort_unstable_by_key(|entry| (second(entry), *entry));
                alike.chunk_by_mut(|left, right| second(left) == second(right)).for_each(|own| visit(self, own));
            } else {
                visit(self, alike);
            }
        }
        self.order = order;
    }

    /// The cells of one entity, whose rows are sorted, with space for their ranks.
    fn all_cells(&mut self, own: &[u128]) -> Vec<CellRows> {
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        let mut start = 0;
        for alike in own.chunk_by(|left, right| self.layout.cell(*left) == self.layout.cell(*right)) {
            let end = start + alike.len() as u32;
            cells.push(CellRows { rank: 0, start, end });
            start = end;
        }
        cells
    }

    /// Removes all cells of an entity except those with the lowest ranks.
    fn leave_lowest(&self, rows: &[u64], own: &[u128], most: u32, cells: &mut Vec<CellRows>) {
        let most = most as usize;
        if cells.len() > most {
            let seed = self.identities.seed(self.layout.row(rows, own[0], |row| self.layout.identity(row)));
            for cell in cells.iter_mut() {
                cell.rank = seed.rank(self.layout.cell(own[cell.start as usize]));
            }
            keep_lowest(cells, most);
        }
    }

    /// Passes on an entity's rows in a cell that are kept.
    fn chosen(&self, rows: &[u64], own: &mut [u128], visit: impl FnMut(u128)) {
        let most = self.caps.rows_per_group as usize;
        if own.len() <= most || self.layout.arguments() == 0 {
            // Without arguments all rows are equal.
            return own.iter().copied().take(most).for_each(visit);
        }
        if !self.layout.is_packed() {
            let row = |entry: &u128| &rows[*entry as u32 as usize * self.layout.words()..][..self.layout.words()];
            // Rows that are equal in this order are equal in all values, so any of them may be kept.
            own.sort_unstable_by(|one, other| self.layout.order(row(one), row(other)));
        }
        let identity = self.layout.row(rows, own[0], |row| self.layout.identity(row));
        let choice = self.choice(identity, self.layout.cell(own[0]), own.len() as u64);
        choice.positions().map(|at| own[at as usize]).for_each(visit);
    }
}

/// Sorts the entries of `count` rows: into buckets by the first bits of identities after those that are the `same` in
/// all, then within each bucket. Identities are uniform, so buckets are small.
fn sort<R: AsRef<[u64]>>(
    rows: impl Iterator<Item = R> + Clone,
    count: usize,
    same: u32,
    mut entry: impl FnMut(R) -> u128,
    sorted: &mut Vec<u128>,
) {
    sorted.resize(count, 0);
    let bits = (count / ROWS_OF_A_BUCKET).max(1).ilog2().max(1);
    let bucket_of = |row: &R| (row.as_ref()[0] << same.min(63) >> (64 - bits)) as usize;
    let ends = group(rows, 1 << bits, bucket_of, |at, row| sorted[at] = entry(row));
    let mut start = 0;
    for end in ends {
        sort_bucket(&mut sorted[start as usize..end as usize]);
        start = end;
    }
}

/// Sorts entries, few of them by counting, for each, those before it: no branch depends on an entry, which for so few
/// takes less than moving them does.
fn sort_bucket(entries: &mut [u128]) {
    if entries.len() > FEW_ENTRIES {
        return entries.sort_unstable();
    }
    let mut sorted = [0; FEW_ENTRIES];
    for (at, entry) in entries.iter().enumerate() {
        let (earlier, later) = (&entries[..at], &entries[at + 1..]);
        let before = earlier.iter().map(|other| usize::from(other <= entry)).sum::<usize>()
            + later.iter().map(|other| usize::from(other < entry)).sum::<usize>();
        sorted[before] = *entry;
    }
    entries.copy_from_slice(&sorted[..entries.len()]);
}

/// Keeps the `most` cells of lowest rank, fewer than there are, in any order.
fn keep_lowest(cells: &mut Vec<CellRows>, most: usize) {
    if most <= FEW_CELLS {
        for place in 0..most {
            let lowest = (place..cells.len()).min_by_key(|at| cells[*at].rank).unwrap_or(place);
            cells.swap(place, lowest);
        }
    } else {
        cells.select_nth_unstable_by_key(most, |cell| cell.rank);
    }
    cells.truncate(most);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::Salt;

    /// The kept rows of identities and cells, in the layout of text keys without arguments.
    fn kept(rows: &[([u64; 2], u32)], caps: Caps) -> Vec<([u64; 2], u32, u64)> {
        let layout = Layout::new(true, None, &[]);
        let mut words = Vec::new();
        rows.iter().for_each(|(identity, cell)| layout.write(*identity, *cell, &[], 0, &mut words));
        let mut keeper = Keeper::new(
            layout,
            Levels::new(&[], &[vec![]], &deniable_query::Nesting::default(), false),
            vec![],
            caps,
            Identities::new(&Salt([3; 32])),
        );
        let mut found = Vec::new();
        keeper.keep(Rows::All(&words), 0, |entry, mark| {
            let (identity, cell) = rows[entry as u32 as usize];
            found.push((identity, cell, mark));
        });
        found.sort_unstable();
        found
    }

    #[test]
    fn texts_with_equal_first_words_are_different_entities() {
        let caps = Caps { rows_per_group: 2, groups: 1 };
        let (one, other) = ([8, 1], [8, 2]);
        let rows = [(one, 5), (other, 5), (one, 5), (other, 5), (one, 5), ([9, 1], 5)];
        let expected = [(one, 5, 0), (one, 5, 1), (other, 5, 0), (other, 5, 1), ([9, 1], 5, 1)];
        assert_eq!(kept(&rows, caps), expected);
    }

    #[test]
    fn entries_are_sorted_whatever_their_bits() {
        let mut sorted = Vec::new();
        for (size, spread, same) in [
            (0, 1, 0),
            (1, 1, 64),
            (9, u64::MAX, 0),
            (5_000, u64::MAX, 0),
            (40_000, 1 << 56, 8),
            (40_000, 1 << 56, 0),
            (5_000, 3, 62),
            (5_000, 1, 64),
        ] {
            let row = |at: u64| [at.wrapping_mul(0x9e37_79b9_7f4a_7c15) % spread, at * 7 % 5];
            let rows: Vec<u64> = (0..size).flat_map(row).collect();
            let entry = |row: &[u64], at: u32| u128::from(row[0]) << 64 | u128::from(row[1]) << 32 | u128::from(at);
            let mut expected: Vec<u128> = (0..).zip(rows.chunks_exact(2)).map(|(at, row)| entry(row, at)).collect();
            expected.sort_unstable();
            let mut at = 0;
            let next = |row: &[u64]| {
                at += 1;
                entry(row, at - 1)
            };
            sort(rows.chunks_exact(2), rows.len() / 2, same, next, &mut sorted);
            assert!(sorted == expected, "{size} {spread}");
        }
    }

    #[test]
    fn buckets_of_every_size_are_sorted() {
        for size in 0..2 * FEW_ENTRIES {
            // Some entries are equal, and some differ in one half alone.
            let entry = |at: usize| ((at * 7 % 5) as u128) << 64 | (at * 11 % 3) as u128;
            let mut bucket: Vec<u128> = (0..size).map(entry).collect();
            let mut expected = bucket.clone();
            expected.sort_unstable();
            sort_bucket(&mut bucket);
            assert_eq!(bucket, expected);
        }
    }

    #[test]
    fn kept_rows_depend_on_the_entity_s_own_rows_alone() {
        let caps = Caps { rows_per_group: 1, groups: 1 };
        let own: Vec<([u64; 2], u32)> = (0..9).map(|cell| ([4, 4], cell)).collect();
        let alone = kept(&own, caps);
        assert_eq!(alone.len(), 1);
        let others = (0..9).map(|number| ([number, number], 5)).filter(|(identity, _)| *identity != [4, 4]);
        let together: Vec<_> = others.chain(own.iter().copied()).collect();
        assert!(kept(&together, caps).contains(&alone[0]));
    }
}
