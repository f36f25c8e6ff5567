//! t-closeness: how far the sensitive values of a class are from those of the whole table (Li, Li, Venkatasubramanian 2007).
//!
//! `t` is the largest earth mover's distance between a class and the published table, for one of three distances between values:
//!
//! - *equal*: all values are equally far apart, and the earth mover's distance is half the sum of all differences;
//! - *ordered*: values are `|i−j|/(m−1)` apart, and it is the sum of all differences of cumulative shares, over `m−1`;
//! - *hierarchical*: the distance of two values is the height of their lowest common ancestor over the height of the
//!   hierarchy. That is the length of a path in a tree whose edges are `1/2H` long, so the mass that crosses each edge
//!   counts: the distance is the mean, over the levels below the top, of the *equal* distance between the nodes of a
//!   level.
//!
//! All in whole numbers: `n·n(c)·t` is a whole number, or `m−1` or `H` times it is. Only values that occur in a class
//! are visited.

use crate::classes::{Classes, Secret};
use crate::error::AssessError;
use crate::fraction::{At, Fraction, largest};
use crate::hierarchy::Hierarchy;
use crate::interval::number;
use deniable_core::text::shown;

/// Distances between sensitive values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Distance {
    /// All values have distance 1.
    #[default]
    Equal,
    /// Values are ordered by the list, or by the numbers that they are. Values of the list that do not occur count in
    /// distances.
    Ordered(Option<Vec<String>>),
    /// Values are leaves of a hierarchy with one top.
    Hierarchical(Hierarchy),
}

impl Distance {
    /// The name: `equal`, `ordered`, `hierarchical`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Ordered(_) => "ordered",
            Self::Hierarchical(_) => "hierarchical",
        }
    }
}

/// Largest number of ordered values: products of two counts and this must fit 127 bits.
const MOST_VALUES: usize = 1 << 27;

/// Precomputed sums of the whole table under a distance.
#[derive(Debug)]
enum Ground {
    Equal,
    /// Positions of values; people up to each position; and sums of the people below it.
    Ordered {
        place: Vec<usize>,
        upto: Vec<u128>,
        sums: Vec<u128>,
    },
    /// For each level: the node of each value, and the people of each node.
    Tree(Vec<(Vec<u32>, Vec<u64>)>),
}

/// The distances of all classes of a table.
#[derive(Debug)]
pub struct Closeness<'a> {
    classes: &'a Classes,
    secret: &'a Secret,
    ground: Ground,
}

impl<'a> Closeness<'a> {
    /// Precomputes the sums of the whole table.
    ///
    /// # Errors
    /// If values have no order, or the hierarchy lacks one of them or has no single top.
    pub fn new(classes: &'a Classes, secret: &'a Secret, distance: &Distance) -> Result<Self, AssessError> {
        let ground = match distance {
            Distance::Equal => Ground::Equal,
            Distance::Ordered(order) => ordered(secret, order.as_deref())?,
            Distance::Hierarchical(hierarchy) => tree(secret, hierarchy)?,
        };
        Ok(Self { classes, secret, ground })
    }

    /// `t`: the largest distance, and its class.
    #[must_use]
    pub fn t(&self) -> Option<At<Fraction>> {
        largest(self.classes, self.distances())
    }

    /// The distance of each class from the whole table.
    pub fn distances(&self) -> impl Iterator<Item = Fraction> + '_ {
        self.classes.all().map(|class| self.distance(class))
    }

    fn distance(&self, class: u32) -> Fraction {
        let (all, own) = (u128::from(self.classes.people()), u128::from(self.classes.size(class)));
        let entries = self.secret.of(class);
        // The excess of the class over its share, in units of 1/(n·n(c)).
        let more = |count: u64, total: u64| (u128::from(count) * all).saturating_sub(u128::from(total) * own);
        match &self.ground {
            Ground::Equal => {
                let top = entries
                    .iter()
                    .map(|(value, count)| more(*count, self.secret.totals[*value as usize]))
                    .sum::<u128>();
                Fraction::new(top, all * own)
            }
            Ground::Ordered { place, upto, sums } => {
                let mut placed: Vec<(usize, u64)> =
                    entries.iter().map(|(value, count)| (place[*value as usize], *count)).collect();
                placed.sort_unstable();
                placed.push((upto.len(), 0));
                let (mut top, mut from, mut held) = (0, 0, 0_u128);
                for (place, count) in placed {
                    // Between two values of the class its share is constant and that of the table grows: they cross at
                    // most once.
                    let crossing = from + upto[from..place].partition_point(|below| below * own <= held * all);
                    top += (crossing - from) as u128 * held * all - (sums[crossing] - sums[from]) * own;
                    top += (sums[place] - sums[crossing]) * own - (place - crossing) as u128 * held * all;
                    from = place;
                    held += u128::from(count);
                }
                Fraction::new(top, all * own * (upto.len().max(2) - 1) as u128)
            }
            Ground::Tree(levels) => {
                let mut top = 0;
                let mut held: Vec<(u32, u64)> = Vec::with_capacity(entries.len());
                for (node, totals) in levels {
                    held.clear();
                    held.extend(entries.iter().map(|(value, count)| (node[*value as usize], *count)));
                    held.sort_unstable();
                    for run in held.chunk_by(|(one, _), (other, _)| one == other) {
                        top += more(run.iter().map(|(_, count)| count).sum(), totals[run[0].0 as usize]);
                    }
                }
                Fraction::new(top, all * own * levels.len() as u128)
            }
        }
    }
}

fn ordered(secret: &Secret, order: Option<&[String]>) -> Result<Ground, AssessError> {
    let wrong = |problem: String, help| AssessError::NoOrder { column: secret.name.clone(), problem, help };
    let (place, length) = match order {
        Some(order) => {
            let mut place = vec![usize::MAX; secret.values.len()];
            for (position, value) in order.iter().enumerate() {
                let value = value.trim();
                if order[..position].iter().any(|other| other.trim() == value) {
                    return Err(wrong(format!("duplicate `{}` in the list", shown(value)), "keep one"));
                }
                if let Some(code) = secret.code(value) {
                    place[code as usize] = position;
                }
            }
            if let Some(missing) = place.iter().position(|place| *place == usize::MAX) {
                let value = shown(&secret.values[missing]);
                return Err(wrong(format!("`{value}` is not in the list"), "add it at its position"));
            }
            (place, order.len())
        }
        None => {
            let numbers = secret.values.iter().map(|value| {
                let text = format!("`{}` is not a number", shown(value));
                number(value).ok_or_else(|| wrong(text, "give the order as a list"))
            });
            let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
            let mut order: Vec<usize> = (0..numbers.len()).collect();
            order.sort_by(|a, b| numbers[*a].cmp(&numbers[*b]));
            if let Some(pair) = order.windows(2).find(|pair| numbers[pair[0]] == numbers[pair[1]]) {
                let (one, two) = (shown(&secret.values[pair[0]]), shown(&secret.values[pair[1]]));
                return Err(wrong(format!("`{one}` and `{two}` are the same number"), "use one spelling"));
            }
            let mut place = vec![0; order.len()];
            order.into_iter().enumerate().for_each(|(position, value)| place[value] = position);
            (place, numbers.len())
        }
    };
    if length > MOST_VALUES {
        return Err(AssessError::TooMany { what: "sensitive values" });
    }
    let mut upto = vec![0; length];
    for (place, total) in place.iter().zip(&secret.totals) {
        upto[*place] = u128::from(*total);
    }
    let (mut sums, mut below) = (vec![0; length + 1], 0);
    for (place, held) in upto.iter_mut().enumerate() {
        below += *held;
        *held = below;
        sums[place + 1] = sums[place] + below;
    }
    Ok(Ground::Ordered { place, upto, sums })
}

fn tree(secret: &Secret, hierarchy: &Hierarchy) -> Result<Ground, AssessError> {
    if !hierarchy.has_top() {
        return Err(AssessError::NoTop { column: secret.name.clone() });
    }
    let paths = secret.values.iter().map(|value| {
        let uncovered = || AssessError::Uncovered { column: secret.name.clone(), value: value.clone() };
        hierarchy.path(value).ok_or_else(uncovered)
    });
    let paths = paths.collect::<Result<Vec<_>, _>>()?;
    let levels = (0..hierarchy.height()).map(|level| {
        let nodes: Vec<u32> = paths.iter().map(|path| path[level]).collect();
        let mut totals = vec![0; hierarchy.nodes(level)];
        for (node, total) in nodes.iter().zip(&secret.totals) {
            totals[*node as usize] += total;
        }
        (nodes, totals)
    });
    Ok(Ground::Tree(levels.collect()))
}
