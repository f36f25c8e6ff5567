//! The order of an answer's rows where the query says nothing about it.

use crate::plan::{Group, Query};
use deniable_core::schema::Key;
use deniable_expression::{DAY_NAMES, MONTH_NAMES, Node, Operation};

impl Query {
    /// The cells of a level with the keys of each group in their natural order, those of the last group changing fastest.
    ///
    /// Cells are counted in the order in which keys were derived, which is that of the days from a column's lower bound on
    /// where there are not many of them. That order is a part of what a query is, and of how answers are stored; shown are
    /// months from January and weekdays from the first one on, wherever the bounds begin.
    pub(super) fn in_natural_order(&self, level: usize) -> Vec<usize> {
        let mut cells = vec![0];
        for member in &self.levels()[level] {
            let group = &self.groups()[*member];
            let places = self.natural(group);
            let refined = cells.iter().flat_map(|cell| places.iter().map(move |place| cell * group.keys.len() + place));
            cells = refined.collect();
        }
        cells
    }

    /// The positions of a group's keys in their natural order.
    fn natural(&self, group: &Group) -> Vec<usize> {
        let mut places: Vec<usize> = (0..group.keys.len()).collect();
        let rank = |names: &[&str], place: usize| match &group.keys[place] {
            Key::Integer(number) => *number,
            Key::Text(text) => {
                names.iter().position(|name| name == text).and_then(|at| i64::try_from(at).ok()).unwrap_or(i64::MAX)
            }
            // NULL goes last, as everywhere.
            _ => i64::MAX,
        };
        match self.rows.program.node(group.value) {
            Node::Call(Operation::Part(_), _) => places.sort_by_key(|place| rank(&[], *place)),
            Node::Call(Operation::DayName, _) => places.sort_by_key(|place| rank(&DAY_NAMES, *place)),
            Node::Call(Operation::MonthName, _) => places.sort_by_key(|place| rank(&MONTH_NAMES, *place)),
            Node::Column(_) | Node::Constant(..) | Node::Call(..) => {}
        }
        places
    }
}
