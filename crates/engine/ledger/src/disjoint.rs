//! Tables of which each version contains only entities that are in no other version (C-9).
//!
//! A *part* of the population is the people under one name of a version, in all tables with this property: nobody is
//! in two parts. Odds about different parts do not multiply for the question whether a person is in the data at all;
//! they do for the question in which part. So the product of the two largest accounts of parts bounds both. Charges
//! that read any other table about people, or several parts, multiply as ever.

use crate::by_version::{SEPARATOR, VersionName};
use crate::entry::{AccountId, Charge, RowEntities, VersionRegistered};
use crate::ledger::Ledger;
use crate::state::State;
use deniable_core::adversary::Adjacency;
use deniable_core::budget::Spend;
use deniable_core::secret::Secret;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// The tables whose versions share no entity, as registered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DisjointTables {
    tables: BTreeSet<String>,
    /// Public tables: their rows are about no person, and joining them changes no part.
    public: BTreeSet<String>,
    /// Whether a registered table has a name that reads like those of several tables: then joins are of no part.
    is_ambiguous: bool,
}

impl DisjointTables {
    /// Records a registration, of any table.
    pub(crate) fn record(&mut self, new: &VersionRegistered) {
        match new.entities {
            RowEntities::New => drop(self.tables.insert(new.source.clone())),
            RowEntities::None => drop(self.public.insert(new.source.clone())),
            RowEntities::Any => {}
        }
        self.is_ambiguous |= new.source.contains(SEPARATOR);
    }

    /// Whether there is no such table.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// The names of the tables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(String::as_str)
    }

    /// Whether the versions of this table share no entity.
    #[must_use]
    pub fn contains(&self, source: &str) -> bool {
        self.tables.contains(source)
    }

    /// The part of the population that these versions are about; `None` if they are about several, or any of them is of
    /// another table.
    pub(crate) fn part<'a>(&self, versions: &'a [VersionName]) -> Option<&'a str> {
        let mut protected = versions.iter().filter(|read| !self.public.contains(&read.source));
        let first = protected.clone().next()?;
        let is_part = protected.all(|read| self.contains(&read.source) && read.version == first.version);
        let is_certain = versions.len() == 1 || !self.is_ambiguous;
        (is_part && is_certain).then_some(first.version.as_str())
    }

    /// Those that count for an account: C-9 holds for membership where the size of the data is not public.
    pub(crate) fn of_account(&self, id: &AccountId) -> Self {
        let holds = id.kind == Secret::Membership && id.adjacency == Adjacency::AddRemove;
        if holds { self.clone() } else { Self::default() }
    }
}

/// A registration or charge that contradicts what is registered about a table's versions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DisjointFault {
    /// Earlier versions, or charges, of the table do not keep to it.
    #[error(
        "`{0}` was registered or charged without `new_entities_only`, and its versions may share people: the option \
         counts from a table's first version on. Remove it, or begin a table of another name with the next version"
    )]
    Late(String),
    /// Earlier versions of the table are registered with it.
    #[error(
        "`{0}` is registered with `new_entities_only`, on which stored answers rest; keep the option, or declare \
         the rows as a table of another name"
    )]
    Dropped(String),
    /// A table whose rows belong to no person by earlier registrations.
    #[error(
        "`{0}` is registered as a public table, on which stored answers rest; declare the rows as a table of another \
         name"
    )]
    Public(String),
    /// A name that reads like those of several tables.
    #[error("`{0}` contains `{SEPARATOR}`, so `new_entities_only` cannot be accounted for it; give it another name")]
    Name(String),
    /// A charge about a version of such a table that is not registered.
    #[error(
        "{0} is not registered, and its entities were not compared with those of other versions; check the data first"
    )]
    NotRegistered(VersionName),
}

impl State {
    /// Whether all registrations of a table, and the order of registrations and charges, keep to the property from the
    /// first version on.
    pub(crate) fn check_disjoint(&self, new: &VersionRegistered) -> Result<(), DisjointFault> {
        let source = || new.source.clone();
        let known = self.row_entities(&new.source);
        if known == new.entities {
            return Ok(());
        }
        match known {
            RowEntities::New => return Err(DisjointFault::Dropped(source())),
            RowEntities::None => return Err(DisjointFault::Public(source())),
            RowEntities::Any => {}
        }
        if new.source.contains(SEPARATOR) || new.version.contains(SEPARATOR) {
            return Err(DisjointFault::Name(source()));
        }
        if self.is_used(&new.source) { Err(DisjointFault::Late(source())) } else { Ok(()) }
    }

    /// The entities in the rows of a table, as registered.
    fn row_entities(&self, source: &str) -> RowEntities {
        match (self.disjoint.tables.contains(source), self.disjoint.public.contains(source)) {
            (true, _) => RowEntities::New,
            (false, true) => RowEntities::None,
            (false, false) => RowEntities::Any,
        }
    }

    /// Whether a version of the table was registered, or a query was charged that reads it.
    fn is_used(&self, source: &str) -> bool {
        let reads = |query: &Charge| query.versions().iter().any(|read| read.source == source);
        let mut charged = self.accounts().iter().flat_map(|account| &account.releases);
        self.has_registered(source) || charged.any(|known| reads(&known.query))
    }

    /// Whether the versions of such tables that a query reads are registered.
    pub(crate) fn check_registered(&self, query: &Charge) -> Result<(), DisjointFault> {
        let is_missing = |read: &VersionName| {
            self.disjoint.contains(&read.source) && self.fingerprint(&read.source, &read.version).is_none()
        };
        query.versions().into_iter().find(is_missing).map_or(Ok(()), |read| Err(DisjointFault::NotRegistered(read)))
    }

    /// The registered versions of such tables with another name than this one: their entities are those of other parts.
    pub(crate) fn disjoint_versions(&self, name: &str) -> impl Iterator<Item = VersionName> {
        let names =
            self.versions.keys().filter(move |(source, version)| self.disjoint.contains(source) && version != name);
        names.map(|(source, version)| VersionName { source: source.clone(), version: version.clone() })
    }
}

impl Ledger {
    /// The registered versions, of another name than this one, of tables whose versions share no entity: a new version
    /// of this name must contain none of their entities.
    #[must_use]
    pub fn disjoint_versions(&self, name: &str) -> BTreeSet<VersionName> {
        self.book.state.disjoint_versions(name).collect()
    }

    /// Whether all answers are about made-up rows.
    #[must_use]
    pub fn is_rehearsal(&self) -> bool {
        self.book.state.is_rehearsal()
    }

    /// The entities in the rows of a table, as registered.
    #[must_use]
    pub fn row_entities(&self, source: &str) -> RowEntities {
        self.book.state.row_entities(source)
    }

    /// Whether a version of the table was registered, or a query was charged that reads it: then its registrations do
    /// not change what they state about entities.
    #[must_use]
    pub fn is_used(&self, source: &str) -> bool {
        self.book.state.is_used(source)
    }
}

/// The odds spent on each part of the population, and on everything else.
#[derive(Debug, Default)]
pub(crate) struct SpentByPart {
    /// Charges of no part: they multiply with those of each part.
    common: Option<Spend>,
    parts: BTreeMap<String, Spend>,
}

impl SpentByPart {
    pub(crate) fn record(&mut self, part: Option<&str>, cost: &Spend) {
        match part {
            Some(part) => {
                let spent = self.parts.entry(part.to_owned()).or_insert_with(Spend::nothing);
                *spent = spent.and(cost);
            }
            None => self.common = Some(self.common().and(cost)),
        }
    }

    fn common(&self) -> Spend {
        self.common.clone().unwrap_or_else(Spend::nothing)
    }

    /// The bound on the odds about every person: in the data at all, or in one part rather than another (C-9).
    pub(crate) fn total(&self) -> Spend {
        let [first, second] = two_largest(self.parts.values());
        self.common().and(&first).and(&second)
    }

    /// The odds that a further charge about a part multiplies. While the total is within a limit, it remains so exactly
    /// if this product is.
    pub(crate) fn before(&self, part: &str) -> Spend {
        let own = self.parts.get(part).cloned().unwrap_or_else(Spend::nothing);
        let others = self.parts.iter().filter(|(name, _)| *name != part).map(|(_, spent)| spent);
        let [largest, _] = two_largest(others);
        self.common().and(&own).and(&largest)
    }
}

/// The two largest amounts. Of two amounts that cannot be compared, both are replaced by an upper bound.
fn two_largest<'a>(amounts: impl Iterator<Item = &'a Spend>) -> [Spend; 2] {
    amounts.fold([Spend::nothing(), Spend::nothing()], |[first, second], amount| match amount.compare(&first) {
        Ok(Ordering::Greater) => [amount.clone(), first],
        Ok(Ordering::Equal) => [amount.clone(), first],
        Ok(Ordering::Less) => match amount.compare(&second) {
            Ok(Ordering::Greater) => [first, amount.clone()],
            Ok(Ordering::Equal | Ordering::Less) => [first, second],
            Err(_) => [first, amount.upper_bound(&second)],
        },
        Err(_) => {
            let bound = amount.upper_bound(&first);
            [bound.clone(), bound]
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_core::exact::{ratio, whole};

    fn named(source: &str, version: &str) -> VersionName {
        VersionName { source: source.into(), version: version.into() }
    }

    fn three(share: (i64, i64)) -> Spend {
        Spend::odds(whole(3)).unwrap().share(&ratio(share.0, share.1)).unwrap()
    }

    #[test]
    fn a_part_is_one_version_of_disjoint_tables_only() {
        let disjoint = DisjointTables {
            tables: BTreeSet::from(["stays".into(), "visits".into()]),
            public: BTreeSet::from(["wards".into()]),
            is_ambiguous: false,
        };
        let (june, july) = (named("visits", "june"), named("visits", "july"));
        assert_eq!(disjoint.part(std::slice::from_ref(&june)), Some("june"));
        assert_eq!(disjoint.part(&[june.clone(), named("stays", "june")]), Some("june"));
        assert_eq!(disjoint.part(&[june.clone(), july]), None);
        assert_eq!(disjoint.part(&[june.clone(), named("staff", "june")]), None);
        assert_eq!(disjoint.part(&[]), None);
        assert_eq!(disjoint.part(&[june.clone(), named("wards", "1")]), Some("june"));
        assert_eq!(disjoint.part(&[named("wards", "1")]), None);
        let ambiguous = DisjointTables { is_ambiguous: true, ..disjoint };
        assert_eq!(ambiguous.part(&[june.clone(), named("stays", "june")]), None);
        assert_eq!(ambiguous.part(&[june]), Some("june"));
    }

    #[test]
    fn the_two_largest_parts_multiply_with_all_else() {
        let mut spent = SpentByPart::default();
        assert_eq!((spent.total(), spent.before("may")), (Spend::nothing(), Spend::nothing()));
        for (part, share) in [(Some("may"), (1, 8)), (Some("june"), (1, 4)), (None, (1, 16)), (Some("july"), (1, 8))] {
            spent.record(part, &three(share));
        }
        assert_eq!(spent.total(), three((7, 16)), "1/16, 1/4 and 1/8");
        assert_eq!((spent.before("may"), spent.before("june")), (three((7, 16)), three((7, 16))));
        assert_eq!(spent.before("august"), three((5, 16)), "1/16 and 1/4");
        spent.record(Some("july"), &three((1, 8)));
        assert_eq!((spent.total(), spent.before("august")), (three((9, 16)), three((5, 16))));
    }

    /// Equal amounts of different bases cannot be compared: their upper bound counts.
    #[test]
    fn amounts_that_cannot_be_compared_count_as_more() {
        let six = Spend::odds(whole(6)).unwrap();
        let product = Spend::odds(whole(2)).unwrap().and(&Spend::odds(whole(3)).unwrap());
        let [first, second] = two_largest([&product, &six].into_iter());
        assert_eq!(first, second);
        for amount in [&six, &product] {
            assert_eq!(amount.compare(&first), Ok(Ordering::Less));
        }
        let mut spent = SpentByPart::default();
        for part in 0..4 {
            spent.record(Some(&part.to_string()), if part % 2 == 0 { &six } else { &product });
        }
        assert!(six.and(&product).fits(&spent.total()).unwrap());
    }
}
