//! The order of an answer's rows if the query does not define it.

use deniable_core::calendar::{DAY_NAMES, MONTH_NAMES};
use deniable_core::schema::Key;
use deniable_expression::{Node, Operation};
use deniable_query::{Group, Query};

/// The shown cells of a level with the keys of each group in their natural order, those of the last group changing
/// fastest.
///
/// Cells are counted in the order in which keys were derived; for few days that is the order of the days from a
/// column's lower bound. That order is part of a query's identity and of stored answers; results start with January or
/// with the first day of the week, wherever the bounds begin.
pub(crate) fn in_natural_order(query: &Query, level: usize) -> Vec<usize> {
    let mut cells = vec![0];
    for member in &query.levels()[level] {
        let group = &query.groups()[*member];
        let mut places = natural(query, group);
        places.retain(|place| *place < group.keys.len() - group.hidden);
        let refined = cells.iter().flat_map(|cell| places.iter().map(move |place| cell * group.keys.len() + place));
        cells = refined.collect();
    }
    // The municipalities of a county are adjacent, whatever the order in which they are listed.
    let asked: Vec<usize> = (0..query.groups().len()).filter(|group| shows(query, level, *group)).collect();
    if asked.iter().any(|group| query.nesting().is_determined(*group)) {
        let ranks = |group: &usize| {
            let natural = natural(query, &query.groups()[*group]);
            let mut ranks = vec![0; natural.len()];
            natural.into_iter().enumerate().for_each(|(rank, place)| ranks[place] = rank);
            ranks
        };
        let ranks: Vec<Vec<usize>> = asked.iter().map(ranks).collect();
        let rank = |cell: usize| {
            let of = |(group, ranks): (&usize, &Vec<usize>)| key_place(query, *group, level, cell).map(|at| ranks[at]);
            asked.iter().zip(&ranks).map(of).collect::<Vec<_>>()
        };
        cells.sort_by_cached_key(|cell| rank(*cell));
    }
    cells
}

/// Whether a level shows the keys of a group.
pub(crate) fn shows(query: &Query, level: usize, group: usize) -> bool {
    query.nesting().shows(level, query.levels(), group)
}

/// The position of a group's key in a cell of a level; `None` where the level is about all keys.
pub(crate) fn key_place(query: &Query, group: usize, level: usize, cell: usize) -> Option<usize> {
    if !shows(query, level, group) {
        return None;
    }
    let mut rest = cell;
    for member in query.levels()[level].iter().rev() {
        let size = query.groups()[*member].keys.len();
        if let Some(place) = query.nesting().place(group, *member, rest % size) {
            return Some(place);
        }
        rest /= size;
    }
    None
}

/// The positions of a group's keys in their natural order.
fn natural(query: &Query, group: &Group) -> Vec<usize> {
    let mut places: Vec<usize> = (0..group.keys.len()).collect();
    let rank = |names: &[&str], place: usize| match &group.keys[place] {
        Key::Integer(number) => *number,
        Key::Text(text) => {
            names.iter().position(|name| name == text).and_then(|at| i64::try_from(at).ok()).unwrap_or(i64::MAX)
        }
        // NULL is last, as everywhere.
        _ => i64::MAX,
    };
    match query.rows().program.node(group.value) {
        Node::Call(Operation::Part(_), _) => places.sort_by_key(|place| rank(&[], *place)),
        Node::Call(Operation::DayName, _) => places.sort_by_key(|place| rank(&DAY_NAMES, *place)),
        Node::Call(Operation::MonthName, _) => places.sort_by_key(|place| rank(&MONTH_NAMES, *place)),
        Node::Column(_) | Node::Constant(..) | Node::Call(..) => {}
    }
    places
}
