//! The structure of levels: which levels are parts of which, in what order they are rounded, and the coarser cell of
//! each cell.

use deniable_query::Nesting;
use std::collections::BTreeSet;

/// The levels of a query: sets of groups, each a table over their keys.
pub(super) struct Shape {
    /// The number of keys of each group.
    sizes: Vec<usize>,
    /// The groups that follow from other groups.
    nesting: Nesting,
    /// The groups of each level that make its cells, ascending; the last varies fastest.
    made_of: Vec<Vec<usize>>,
    /// The same groups with all groups that follow from them: a level is coarser than another if its groups are a
    /// subset.
    pub(super) levels: Vec<Vec<usize>>,
    /// The number of levels in the query. One more, over all groups, may follow: see [`Shape::new`].
    pub(super) asked: usize,
    /// The levels that are part of no other, in the order in which they are rounded, each with the finest level below
    /// it that is rounded before it.
    pub(super) finest: Vec<(usize, Option<usize>)>,
    /// Pairs of a level and a finer level, from whose equations all others follow.
    pub(super) links: Vec<(usize, usize)>,
}

/// Whether one level is strictly coarser than another, so that each of its cells is a sum of the other's.
pub(super) fn within(coarse: &[usize], fine: &[usize]) -> bool {
    coarse.len() < fine.len() && coarse.iter().all(|group| fine.contains(group))
}

impl Shape {
    /// The shape of these levels; `None` when there are more than `most` cells.
    ///
    /// When two finest levels overlap in a single level of the query, as in `((a, b), (a, c), (a))`, integers that add
    /// up are found level by level. When they overlap in several ways, as all pairs of three columns do, there may be
    /// no integers near the solution; then a level over all groups is added, of which every level is a sum. It is not
    /// part of the query and has no noisy answers.
    pub(super) fn new(sizes: Vec<usize>, nesting: &Nesting, levels: &[Vec<usize>], most: usize) -> Option<Self> {
        let asked = levels.len();
        let extended = levels.iter().map(|level| nesting.extended(level, sizes.len())).collect();
        let mut shape = Self {
            sizes,
            nesting: nesting.clone(),
            made_of: levels.to_vec(),
            levels: extended,
            asked,
            finest: Vec::new(),
            links: Vec::new(),
        };
        shape.finest = match order(&shape.levels) {
            Some(order) => order,
            None => {
                let all = 0..shape.sizes.len();
                shape.made_of.push(all.clone().filter(|group| !nesting.is_determined(*group)).collect());
                shape.levels.push(all.collect());
                vec![(asked, None)]
            }
        };
        let cells = (0..shape.levels.len()).try_fold(0_usize, |sum, level| sum.checked_add(shape.product(level)?));
        if cells.is_none_or(|cells| cells > most) {
            return None;
        }
        shape.links = shape.links();
        Some(shape)
    }

    /// Number of cells of overlapping levels: those to which a finer level is summed, except the largest level of each.
    /// A ROLLUP has no such cells; a CUBE of a and b has those of the smaller level. Each of them depends on every
    /// other, which determines the time of the solver.
    pub(super) fn crossings(&self) -> usize {
        let of = |fine: usize| {
            let coarse = self.links.iter().filter(|(_, child)| *child == fine).map(|(coarse, _)| self.cells(*coarse));
            coarse.clone().sum::<usize>() - coarse.max().unwrap_or(0)
        };
        (0..self.levels.len()).map(of).sum()
    }

    fn product(&self, level: usize) -> Option<usize> {
        self.made_of[level].iter().try_fold(1_usize, |product, group| product.checked_mul(self.sizes[*group]))
    }

    /// Number of cells of a level.
    pub(super) fn cells(&self, level: usize) -> usize {
        self.made_of[level].iter().map(|group| self.sizes[*group]).product()
    }

    /// For each cell of a level, in order, the cell of a coarser (or the same) level of which it is a part.
    pub(super) fn parents(&self, fine: usize, coarse: usize) -> Vec<usize> {
        // For each group of the finer level, the one that varies fastest first, the offset of each of its keys in the
        // coarser level.
        let mut steps: Vec<(usize, Vec<usize>)> = Vec::new();
        let coarser = &self.made_of[coarse];
        let stride = |at: usize| coarser[at + 1..].iter().map(|group| self.sizes[*group]).product::<usize>();
        for group in self.made_of[fine].iter().rev() {
            let add = |key: usize| {
                let places = coarser.iter().enumerate();
                places.filter_map(|(at, other)| Some(self.nesting.place(*other, *group, key)? * stride(at))).sum()
            };
            let size = self.sizes[*group];
            steps.push((size, (0..size).map(add).collect()));
        }
        let parent = |cell: usize| {
            let start = (cell, 0);
            let (_, at) = steps.iter().fold(start, |(rest, at), (size, adds)| (rest / size, at + adds[rest % size]));
            at
        };
        (0..self.cells(fine)).map(parent).collect()
    }

    /// Each level with the smallest finer level below it within each finest level: the fewest sufficient equations.
    fn links(&self) -> Vec<(usize, usize)> {
        let mut links = BTreeSet::new();
        let within = |coarse: usize, fine: usize| within(&self.levels[coarse], &self.levels[fine]);
        for level in 0..self.levels.len() {
            for (finest, _) in self.finest.iter().filter(|(finest, _)| within(level, *finest)) {
                let between = |other: &usize| within(level, *other) && (other == finest || within(*other, *finest));
                let nearest = (0..self.levels.len()).filter(between).min_by_key(|other| self.cells(*other));
                links.extend(nearest.map(|nearest| (level, nearest)));
            }
        }
        links.into_iter().collect()
    }
}

/// The finest levels in an order in which, for each, the part that is rounded already is one level and coarser levels
/// of it, or is empty; `None` when there is no such order. Overlapping levels are taken one after another.
fn order(levels: &[Vec<usize>]) -> Option<Vec<(usize, Option<usize>)>> {
    let is_finest = |level: &usize| !levels.iter().any(|other| within(&levels[*level], other));
    let mut left: Vec<usize> = (0..levels.len()).filter(is_finest).collect();
    let mut done: Vec<(usize, Option<usize>)> = Vec::new();
    while !left.is_empty() {
        let fixed = |finest: usize| -> Vec<usize> {
            let is_whole = |level: &usize| done.iter().any(|(other, _)| within(&levels[*level], &levels[*other]));
            (0..levels.len()).filter(|level| within(&levels[*level], &levels[finest]) && is_whole(level)).collect()
        };
        let greatest = |finest: usize| {
            let fixed = fixed(finest);
            let holds_all =
                |top: &usize| fixed.iter().all(|level| level == top || within(&levels[*level], &levels[*top]));
            fixed.iter().copied().find(holds_all)
        };
        let hanging = left.iter().position(|finest| greatest(*finest).is_some());
        let at = hanging.or_else(|| left.iter().position(|finest| fixed(*finest).is_empty()))?;
        let next = (left[at], greatest(left[at]));
        left.remove(at);
        done.push(next);
    }
    Some(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(sizes: &[usize], levels: &[&[usize]]) -> Shape {
        let levels: Vec<Vec<usize>> = levels.iter().map(|level| level.to_vec()).collect();
        Shape::new(sizes.to_vec(), &Nesting::default(), &levels, 1_000).unwrap()
    }

    #[test]
    fn parents_of_cells_and_equations() {
        let cube = shape(&[2, 3, 2], &[&[0, 1, 2], &[0, 2], &[1], &[]]);
        assert_eq!(cube.parents(0, 1), [0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3]);
        assert_eq!(cube.parents(0, 2), [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]);
        assert_eq!(cube.parents(1, 3), [0, 0, 0, 0]);
        assert_eq!(cube.parents(3, 3), [0]);
        // The total is the sum of the smallest level below it.
        assert_eq!(cube.links, [(1, 0), (2, 0), (3, 2)]);
        assert_eq!(cube.crossings(), 3);
        assert_eq!(shape(&[2, 3], &[&[0, 1], &[0], &[]]).crossings(), 0);
    }

    #[test]
    fn finest_levels_are_ordered_where_they_overlap_in_one() {
        let one = shape(&[2, 2], &[&[], &[0], &[0, 1]]);
        assert_eq!((one.finest, one.links), (vec![(2, None)], vec![(0, 1), (1, 2)]));
        let two = shape(&[2, 2, 2], &[&[0, 1], &[0, 2], &[0], &[]]);
        assert_eq!((two.finest, two.links), (vec![(0, None), (1, Some(2))], vec![(2, 0), (2, 1), (3, 2)]));
        let apart = shape(&[2, 2, 2], &[&[0, 1], &[2], &[0]]);
        assert_eq!((apart.finest, apart.asked), (vec![(0, None), (1, None)], 3));
        // Overlapping levels are taken first: (1, 2) must come before (2, 3).
        let chain = shape(&[2; 4], &[&[0, 1], &[2, 3], &[1, 2], &[1], &[2]]);
        assert_eq!(chain.finest, [(0, None), (2, Some(3)), (1, Some(4))]);
    }

    #[test]
    fn a_finest_level_is_added_where_they_overlap_in_several() {
        let pairs = shape(&[2, 3, 4], &[&[0, 1], &[0, 2], &[1, 2], &[0], &[1], &[2], &[]]);
        assert_eq!((pairs.levels.last(), pairs.asked), (Some(&vec![0, 1, 2]), 7));
        assert_eq!(pairs.finest, [(7, None)]);
        assert_eq!(pairs.links, [(0, 7), (1, 7), (2, 7), (3, 0), (4, 0), (5, 1), (6, 3)]);
    }

    #[test]
    fn too_many_cells_have_no_shape() {
        let levels = vec![vec![0, 1], vec![0], vec![]];
        assert!(Shape::new(vec![10, 9], &Nesting::default(), &levels, 101).is_some());
        assert!(Shape::new(vec![10, 9], &Nesting::default(), &levels, 100).is_none());
        let pairs: Vec<Vec<usize>> = vec![vec![0, 1], vec![0, 2], vec![1, 2], vec![0], vec![1], vec![2]];
        assert!(Shape::new(vec![usize::MAX / 2, 3, 1], &Nesting::default(), &pairs, usize::MAX).is_none());
    }
}
