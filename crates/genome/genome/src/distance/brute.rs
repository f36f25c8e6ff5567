//! Distances by searching every table, as a reference for the fast ones.

use crate::chi2::{Threshold, is_significant};
use crate::table::{CohortAdjacency, ContingencyTable, Test};
use std::collections::{HashMap, VecDeque};

/// All distributions of `people` over three genotypes.
pub(crate) fn splits(people: u32) -> Vec<[u32; 3]> {
    (0..=people).flat_map(|one| (0..=people - one).map(move |two| [people - one - two, one, two])).collect()
}

/// All tables with these numbers of cases and controls.
pub(crate) fn tables(cases: u32, controls: u32) -> Vec<ContingencyTable> {
    let all = splits(controls);
    splits(cases)
        .into_iter()
        .flat_map(|cases| all.iter().map(move |controls| ContingencyTable { cases, controls: *controls }))
        .collect()
}

/// `counts` after one person changes from one genotype to another.
fn moved(counts: [u32; 3], from: usize, to: usize) -> Option<[u32; 3]> {
    let mut next = counts;
    next[from] = next[from].checked_sub(1)?;
    next[to] += 1;
    Some(next)
}

/// All tables one move away.
pub(crate) fn neighbours(table: &ContingencyTable, adjacency: CohortAdjacency) -> Vec<ContingencyTable> {
    let pairs = (0..3).flat_map(|from| (0..3).map(move |to| (from, to))).filter(|(from, to)| from != to);
    pairs
        .flat_map(|(from, to)| {
            let cases = moved(table.cases, from, to);
            match adjacency {
                CohortAdjacency::Genotype => vec![
                    cases.map(|cases| ContingencyTable { cases, ..*table }),
                    moved(table.controls, from, to).map(|controls| ContingencyTable { controls, ..*table }),
                ],
                // A case with genotype `from` becomes a control, and a control with genotype `to` a case.
                CohortAdjacency::LabelSwap => {
                    vec![
                        cases
                            .zip(moved(table.controls, to, from))
                            .map(|(cases, controls)| ContingencyTable { cases, controls }),
                    ]
                }
            }
        })
        .flatten()
        .collect()
}

/// The distances across `c` of all tables of a cohort, by one search from all neighbouring pairs on different sides.
/// Tables missing from the result never cross.
pub(crate) fn all_distances(
    cases: u32,
    controls: u32,
    test: Test,
    adjacency: CohortAdjacency,
    c: &Threshold,
) -> HashMap<ContingencyTable, (bool, Option<u64>)> {
    let all = tables(cases, controls);
    let mut found: HashMap<ContingencyTable, (bool, Option<u64>)> =
        all.iter().map(|table| (*table, (is_significant(table, test, c), None))).collect();
    let mut queue = VecDeque::new();
    for table in &all {
        if neighbours(table, adjacency).iter().any(|next| found[next].0 != found[table].0) {
            queue.push_back((*table, 1));
        }
    }
    // Moves are reversible, so the shortest path from a table to the other side stays on its own side until the last
    // move.
    for (table, _) in &queue {
        found.insert(*table, (found[table].0, Some(1)));
    }
    while let Some((table, moves)) = queue.pop_front() {
        for next in neighbours(&table, adjacency) {
            if found[&next].0 == found[&table].0 && found[&next].1.is_none() {
                found.insert(next, (found[&next].0, Some(moves + 1)));
                queue.push_back((next, moves + 1));
            }
        }
    }
    found
}

/// Whether some table within `most` moves is on the other side, by breadth-first search, for larger cohorts.
pub(crate) fn crosses_within(
    table: &ContingencyTable,
    test: Test,
    adjacency: CohortAdjacency,
    c: &Threshold,
    most: u64,
) -> bool {
    let here = is_significant(table, test, c);
    let mut seen = std::collections::HashSet::from([*table]);
    let mut edge = vec![*table];
    for _ in 0..most {
        let mut next_edge = vec![];
        for next in edge.iter().flat_map(|table| neighbours(table, adjacency)) {
            if seen.insert(next) {
                if is_significant(&next, test, c) != here {
                    return true;
                }
                next_edge.push(next);
            }
        }
        edge = next_edge;
    }
    false
}
