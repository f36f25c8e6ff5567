//! At most so many rows in each of at most so many groups for each entity.

use super::{Salt, Values};
use deniable_core::sensitivity::Caps;
use std::collections::HashMap;

/// A place in an order that nobody can choose: 128 bits of a salted hash.
type Rank = [u8; 16];

/// The rows kept so far of every entity.
pub(super) struct Entities<'a> {
    caps: Caps,
    salt: &'a Salt,
    kept: HashMap<Box<[u8]>, Vec<Group>>,
}

struct Group {
    rank: Rank,
    cell: usize,
    /// Which arguments any row has, kept or not.
    present: Values,
    rows: Vec<(Rank, Values)>,
}

impl<'a> Entities<'a> {
    pub(super) fn new(caps: Caps, salt: &'a Salt) -> Self {
        Self { caps, salt, kept: HashMap::new() }
    }

    /// Takes in a row. Since ranks are fixed, keeping the lowest so far keeps the lowest of all, in any order.
    pub(super) fn add(&mut self, entity: &[u8], cell: usize, values: Values) {
        if !self.kept.contains_key(entity) {
            self.kept.insert(entity.into(), Vec::new());
        }
        let Some(groups) = self.kept.get_mut(entity) else { return };
        let position = match groups.iter().position(|group| group.cell == cell) {
            Some(position) => position,
            None => {
                let rank = self.salt.rank(entity, cell, None);
                match admit(groups, self.caps.groups, |group| (group.rank, group.cell), &(rank, cell)) {
                    Admission::Refused => return,
                    Admission::Added => {}
                    Admission::Replacing(last) => drop(groups.swap_remove(last)),
                }
                groups.push(Group { rank, cell, present: values.iter().map(|_| None).collect(), rows: Vec::new() });
                groups.len() - 1
            }
        };
        for (present, value) in groups[position].present.iter_mut().zip(&values) {
            *present = present.or(*value);
        }
        let rows = &mut groups[position].rows;
        let rank = self.salt.rank(entity, cell, Some(&values));
        let candidate = (rank, values);
        match admit(rows, self.caps.rows_per_group, Clone::clone, &candidate) {
            Admission::Refused => return,
            Admission::Added => {}
            Admission::Replacing(last) => drop(rows.swap_remove(last)),
        }
        rows.push(candidate);
    }

    /// Hands out every kept group with its rows.
    pub(super) fn for_each_kept(&self, mut visit: impl FnMut(usize, &Values, &mut dyn Iterator<Item = &Values>)) {
        for group in self.kept.values().flatten() {
            visit(group.cell, &group.present, &mut group.rows.iter().map(|(_, values)| values));
        }
    }
}

enum Admission {
    Added,
    Replacing(usize),
    Refused,
}

/// Whether a candidate is among the `most` lowest, and whom it replaces.
fn admit<T, K: Ord>(kept: &[T], most: u32, key: impl Fn(&T) -> K, candidate: &K) -> Admission {
    if kept.len() < most as usize {
        return Admission::Added;
    }
    let last = kept.iter().enumerate().max_by_key(|(_, item)| key(item));
    match last {
        Some((position, item)) if *candidate < key(item) => Admission::Replacing(position),
        _ => Admission::Refused,
    }
}

impl Salt {
    /// The rank of a group of an entity, or of a row with these values in it.
    fn rank(&self, entity: &[u8], cell: usize, values: Option<&Values>) -> Rank {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(&(entity.len() as u64).to_le_bytes()).update(entity).update(&(cell as u64).to_le_bytes());
        for value in values.into_iter().flat_map(|values| values.iter()) {
            match value {
                Some(units) => hasher.update(&[1]).update(&units.to_le_bytes()),
                None => hasher.update(&[0]),
            };
        }
        let mut rank = Rank::default();
        rank.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        rank
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(caps: Caps, rows: &[(&str, usize, i64)]) -> Vec<(usize, Vec<i64>)> {
        let salt = Salt([7; 32]);
        let mut entities = Entities::new(caps, &salt);
        for (entity, cell, value) in rows {
            entities.add(entity.as_bytes(), *cell, Box::new([Some(*value)]));
        }
        let mut all = Vec::new();
        entities.for_each_kept(|cell, _, rows| {
            let mut values: Vec<i64> = rows.map(|values| values[0].unwrap()).collect();
            values.sort_unstable();
            all.push((cell, values));
        });
        all.sort();
        all
    }

    #[test]
    fn caps_hold_and_order_does_not_matter() {
        let caps = Caps { rows_per_group: 2, groups: 3 };
        let mut rows: Vec<(&str, usize, i64)> =
            (0..40).map(|i| (if i % 3 == 0 { "a" } else { "b" }, (i * 7 % 5) as usize, i % 11)).collect();
        let forward = kept(caps, &rows);
        assert_eq!(forward.len(), 6, "two entities with three groups each");
        assert!(forward.iter().all(|(_, values)| values.len() <= 2));
        for turn in 1..rows.len() {
            rows.rotate_left(turn);
            assert_eq!(kept(caps, &rows), forward);
        }
        rows.reverse();
        assert_eq!(kept(caps, &rows), forward);
    }

    #[test]
    fn what_is_kept_of_one_depends_on_that_one_alone() {
        let caps = Caps { rows_per_group: 1, groups: 1 };
        let own: Vec<(&str, usize, i64)> = (0..9).map(|i| ("a", i as usize % 3, i)).collect();
        let alone = kept(caps, &own);
        let mut together: Vec<(&str, usize, i64)> = (0..9).map(|i| ("b", 5, i)).collect();
        together.extend(&own);
        assert!(kept(caps, &together).iter().any(|group| *group == alone[0]));
    }
}
