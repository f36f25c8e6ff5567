//! Maps the combination of all groups' keys to the cell of each level.

use super::lookup::NOWHERE;
use deniable_query::Group;
use deniable_query::Nesting;
use std::sync::Arc;

/// The levels of a query: GROUPING SETS, ROLLUP and CUBE have several.
#[derive(Clone)]
pub(super) struct Levels {
    levels: Arc<[Level]>,
    /// Whether caps are applied to combinations, once for all levels, instead of to the cells of each level (S-LEV).
    together: bool,
}

/// The positions of a level's groups in a combination, and its number of cells.
struct Level {
    /// Whether its cells are the combinations themselves.
    is_finest: bool,
    places: Vec<Place>,
}

/// A group's key in a combination is at position `combination / below % keys`, or is the parent of that key in
/// `parents`.
struct Place {
    below: u32,
    keys: u32,
    /// The number of the group's keys, and for a group that follows from another the parent of each key of that group.
    own: u32,
    parents: Option<Vec<u32>>,
}

impl Levels {
    /// `levels` contains positions in `groups`. The planner ensures that the combinations of the groups that follow
    /// from no other fit in 32 bits.
    pub(super) fn new(groups: &[Group], levels: &[Vec<usize>], nesting: &Nesting, together: bool) -> Self {
        let size = |group: usize| groups[group].keys.len() as u32;
        let is_counted = |group: &usize| !nesting.is_determined(*group);
        let place = |group: &usize| {
            let root = nesting.root(*group);
            let parent = |place: u32| nesting.place(*group, root, place as usize).map_or(0, |parent| parent as u32);
            Place {
                below: (root + 1..groups.len()).filter(is_counted).map(size).product(),
                keys: size(root),
                own: size(*group),
                parents: (root != *group).then(|| (0..size(root)).map(parent).collect()),
            }
        };
        let level = |level: &Vec<usize>| Level {
            is_finest: level.iter().copied().eq((0..groups.len()).filter(is_counted)),
            places: level.iter().map(place).collect(),
        };
        Self { levels: levels.iter().map(level).collect(), together }
    }

    pub(super) fn count(&self) -> usize {
        self.levels.len()
    }

    /// Whether there is one level, whose cells are the combinations.
    pub(super) fn are_combinations(&self) -> bool {
        matches!(&*self.levels, [level] if level.is_finest)
    }

    /// Whether the kept rows are the same at all levels.
    pub(super) fn together(&self) -> bool {
        self.together
    }

    /// The unit of caps at a level: the cell of a combination, or the combination itself if caps are applied once for
    /// all levels.
    #[inline]
    pub(super) fn capped_by(&self, level: usize, combination: u32) -> u32 {
        if self.together { combination } else { self.cell_of(level, combination) }
    }

    /// The cell of a combination at a level.
    #[inline]
    pub(super) fn cell_of(&self, level: usize, combination: u32) -> u32 {
        let Level { is_finest, places } = &self.levels[level];
        if *is_finest || combination == NOWHERE {
            return combination;
        }
        places.iter().fold(0, |cell, place| {
            let key = combination / place.below % place.keys;
            cell * place.own + place.parents.as_ref().map_or(key, |parents| parents[key as usize])
        })
    }

    /// The cells of many rows. `buffer` is a reused buffer.
    pub(super) fn cells_of<'a>(&self, level: usize, combinations: &'a [u32], buffer: &'a mut Vec<u32>) -> &'a [u32] {
        if self.levels[level].is_finest {
            return combinations;
        }
        buffer.clear();
        buffer.extend(combinations.iter().map(|combination| self.cell_of(level, *combination)));
        buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::schema::Key;

    #[test]
    fn cells_are_projections_of_combinations() {
        let group = |keys: i64| Group {
            declared: keys as usize,
            name: String::new(),
            keys: (0..keys).map(Key::Integer).collect(),
            labels: std::collections::BTreeMap::new(),
            value: crate::bound::nowhere(),
            hidden: 0,
        };
        let groups = [group(2), group(3), group(5)];
        let levels = Levels::new(&groups, &[vec![0, 1, 2], vec![0, 2], vec![1], vec![]], &Nesting::default(), false);
        for (a, b, c) in (0..2).flat_map(|a| (0..3).flat_map(move |b| (0..5).map(move |c| (a, b, c)))) {
            let combination = (a * 3 + b) * 5 + c;
            let cells: Vec<u32> = (0..levels.count()).map(|level| levels.cell_of(level, combination)).collect();
            assert_eq!(cells, [combination, a * 5 + c, b, 0]);
        }
        let nowhere: Vec<u32> = (0..levels.count()).map(|level| levels.cell_of(level, NOWHERE)).collect();
        assert_eq!(nowhere, [NOWHERE; 4]);
        let mut buffer = Vec::new();
        assert_eq!(levels.cells_of(2, &[29, 0, NOWHERE, 5], &mut buffer), [2, 0, NOWHERE, 1]);
        assert_eq!(levels.cells_of(0, &[29], &mut buffer), [29]);
    }
}
