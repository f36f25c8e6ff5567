//! Groups that determine other groups: a municipality determines its county (`within` of a column).
//!
//! A level with both groups has the cells of the finer one alone: the key of the coarser group follows from public
//! facts. It is the same function of a row at every level, so parts add up to their totals exactly.

use crate::Group;
use crate::QueryError;
use deniable_core::schema::Key;
use deniable_expression::{Id, Node, Operation, Program};
use std::collections::HashMap;

/// The groups that follow from other groups. The default has no such groups.
#[derive(Debug, Clone, Default)]
pub struct Nesting {
    /// For each group the nearest group from which it follows: a forest.
    within: Vec<Option<FinerGroup>>,
    /// The groups of each level as the query lists them, if some are removed from the levels because they follow from
    /// others.
    asked: Vec<Vec<usize>>,
}

/// The finer group that determines a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinerGroup {
    /// The position of the finer group.
    pub group: usize,
    /// For each key of the finer group the position of its parent key.
    pub parents: Vec<usize>,
}

impl Nesting {
    /// Finds the groups that follow from other groups, and removes them from the levels that contain both.
    ///
    /// # Errors
    /// When two levels would have the same cells.
    pub fn of(
        groups: &[Group],
        levels: &mut Vec<Vec<usize>>,
        program: &Program,
        keys_of: &mut dyn FnMut(Id) -> Result<Vec<Key>, QueryError>,
    ) -> Result<Self, QueryError> {
        let nodes: Vec<(Id, bool)> = groups.iter().map(|group| base(group.value, program)).collect();
        let mut within = vec![None; groups.len()];
        for (group, (column, looked_up)) in nodes.iter().enumerate() {
            let mut nearest: Option<FinerGroup> = None;
            for (finer, (other, is_coarser)) in nodes.iter().enumerate() {
                // Columns without `within` are unrelated.
                if finer == group || other != column || !(*looked_up || *is_coarser) {
                    continue;
                }
                let keys = keys_of(*column)?;
                let places = [group, finer].map(|group| places(&groups[group], &keys, program));
                let [Some(own), Some(others)] = places else { continue };
                let Some(parents) = follows(&own, &others, groups[finer].keys.len()) else { continue };
                // Of two groups that follow from each other, the first one is kept.
                if follows(&others, &own, groups[group].keys.len()).is_some() && group < finer {
                    continue;
                }
                let size = |finer: usize| groups[finer].keys.len();
                if nearest.as_ref().is_none_or(|nearest| size(finer) < size(nearest.group)) {
                    nearest = Some(FinerGroup { group: finer, parents });
                }
            }
            within[group] = nearest;
        }
        if within.iter().all(Option::is_none) {
            return Ok(Self::default());
        }
        let nesting = Self { within, asked: levels.clone() };
        let reduced: Vec<Vec<usize>> = levels.iter().map(|level| nesting.reduced(level)).collect();
        if let Some(second) = (0..reduced.len()).find(|at| reduced[..*at].contains(&reduced[*at])) {
            let names: Vec<&str> = levels[second].iter().map(|group| groups[*group].name.as_str()).collect();
            let help = format!(
                "one of {} follows from another, so that two grouping sets are the same: leave out one of them",
                names.join(", ")
            );
            return Err(QueryError::refused("the same grouping set twice", help).about("GROUP"));
        }
        *levels = reduced;
        Ok(nesting)
    }

    /// Whether no group follows from another.
    pub fn is_flat(&self) -> bool {
        self.within.iter().all(Option::is_none)
    }

    /// Whether a group follows from another.
    pub fn is_determined(&self, group: usize) -> bool {
        self.nearest(group).is_some()
    }

    /// The nearest group from which a group follows.
    pub fn nearest(&self, group: usize) -> Option<&FinerGroup> {
        self.within.get(group)?.as_ref()
    }

    /// Whether the query lists a group at this level, so that results show its keys.
    pub fn shows(&self, level: usize, levels: &[Vec<usize>], group: usize) -> bool {
        self.asked.get(level).unwrap_or(&levels[level]).contains(&group)
    }

    /// The group by which this one is counted at a level with all groups: itself, unless it follows from another.
    pub fn root(&self, group: usize) -> usize {
        let mut root = group;
        while let Some(within) = self.nearest(root) {
            root = within.group;
        }
        root
    }

    /// The position of a group's key, given the position `place` of the key of group `fine`; `None` if it does not
    /// follow.
    pub fn place(&self, group: usize, fine: usize, place: usize) -> Option<usize> {
        if group == fine {
            return Some(place);
        }
        let within = self.nearest(group)?;
        within.parents.get(self.place(within.group, fine, place)?).copied()
    }

    /// Whether a group is the other one, or follows from it.
    fn follows_from(&self, group: usize, fine: usize) -> bool {
        group == fine || self.nearest(group).is_some_and(|within| self.follows_from(within.group, fine))
    }

    /// The level without the groups that follow from other groups of it.
    fn reduced(&self, level: &[usize]) -> Vec<usize> {
        let follows = |group: usize| level.iter().any(|fine| *fine != group && self.follows_from(group, *fine));
        level.iter().copied().filter(|group| !follows(*group)).collect()
    }

    /// The level with all groups, of `groups` in total, that follow from its own.
    pub fn extended(&self, level: &[usize], groups: usize) -> Vec<usize> {
        let follows = |group: &usize| level.iter().any(|fine| self.follows_from(*group, *fine));
        (0..groups).filter(follows).collect()
    }
}

/// The argument of a lookup, and true; for any other node the node itself, and false.
fn base(value: Id, program: &Program) -> (Id, bool) {
    match program.node(value) {
        Node::Call(Operation::Lookup(_), arguments) => {
            arguments.first().map_or((value, false), |column| (*column, true))
        }
        Node::Column(_) | Node::Constant(..) | Node::Call(..) => (value, false),
    }
}

/// For each key of a column the position of the group's key; `None` if one of them has no key, so nothing is known.
fn places(group: &Group, keys: &[Key], program: &Program) -> Option<Vec<usize>> {
    let known: HashMap<&Key, usize> = group.keys.iter().zip(0..).collect();
    let own = |key: &Key| match program.node(group.value) {
        Node::Call(Operation::Lookup(lookup), _) => lookup.parent(key),
        Node::Column(_) | Node::Constant(..) | Node::Call(..) => key.clone(),
    };
    keys.iter().map(|key| known.get(&own(key)).copied()).collect()
}

/// For each key of a finer group the position of its parent; `None` if one has several.
fn follows(own: &[usize], finer: &[usize], keys: usize) -> Option<Vec<usize>> {
    let mut parents = vec![None; keys];
    for (own, finer) in own.iter().zip(finer) {
        if *parents[*finer].get_or_insert(*own) != *own {
            return None;
        }
    }
    parents.into_iter().collect()
}
