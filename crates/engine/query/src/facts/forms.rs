//! The keys of expressions whose columns have too many values to enumerate: bands, parts of dates, formatted dates.

use super::keys::{Derivation, MOST_COMBINATIONS, MOST_KEYS};
use super::range::Ranges;
use crate::QueryError;
use crate::{declared, section_of};
use deniable_core::calendar::{DAY_NAMES, MONTH_NAMES};
use deniable_core::exact::{Rational, whole};
use deniable_core::schema::{ColumnType, Key};
use deniable_expression::{Day, Id, Moment, Node, Operation, Part, Period, TimePattern, Type, Unit, civil};
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// Most characters of an expression in a message.
const MOST_WORDS: usize = 200;

/// A step from a declared date to the date of a group.
enum DateStep {
    Truncate(Unit),
    Shift(Period),
}

impl Derivation<'_> {
    /// The keys that follow from an operation's form, for all values of its columns.
    pub(crate) fn by_form(&self, id: Id, operation: &Operation, arguments: &[Id]) -> Result<Vec<Key>, QueryError> {
        match (operation, arguments) {
            (Operation::Truncate(unit), [time]) => self.truncated(*unit, *time).ok_or_else(|| self.undated(*time)),
            (Operation::Part(part), [time]) => {
                let (low, high) = match part {
                    Part::Year => self.years(*time).ok_or_else(|| self.undated(*time))?,
                    part => part.range(),
                };
                Ok((low..=high).map(Key::Integer).collect())
            }
            (Operation::Cast(Type::Date), [time]) if self.program.kind(*time) == Type::Timestamp => {
                let days = self.truncated(Unit::Day, *time).ok_or_else(|| self.undated(*time))?;
                let day = |key: &Key| match key {
                    Key::Timestamp(micros) => i32::try_from(micros.div_euclid(Moment::DAY)).ok().map(Key::Date),
                    _ => None,
                };
                days.iter().map(day).collect::<Option<_>>().ok_or_else(|| self.underived(id))
            }
            (Operation::DayName, _) => Ok(texts(&DAY_NAMES)),
            (Operation::MonthName, _) => Ok(texts(&MONTH_NAMES)),
            _ if self.program.kind(id) == Type::Boolean => Ok(vec![Key::Boolean(false), Key::Boolean(true)]),
            _ => self.bands(id),
        }
    }

    /// Every multiple of the unit between the bounds of an arithmetic expression.
    fn bands(&self, id: Id) -> Result<Vec<Key>, QueryError> {
        let grid = Ranges::with_missing().of(self.program, id, self.tables).grid().map_err(|_| self.underived(id))?;
        if grid.high - grid.low >= MOST_KEYS as i64 {
            return Err(self.underived(id));
        }
        let value = |units: i64| whole(units) * &grid.unit;
        let key = |value: Rational| match self.program.kind(id) {
            Type::Integer => value.is_integer().then(|| value.to_integer().to_i64().map(Key::Integer)).flatten(),
            Type::Decimal => Some(Key::Decimal(value)),
            Type::Boolean | Type::Text | Type::Date | Type::Timestamp => None,
        };
        let keys: Option<Vec<Key>> = (grid.low..=grid.high).map(|units| key(value(units))).collect();
        keys.ok_or_else(|| self.underived(id))
    }

    /// The first and last moment that public facts allow for a date or timestamp.
    fn dated(&self, time: Id) -> Option<(Moment, Moment)> {
        let (mut id, mut steps) = (time, Vec::new());
        loop {
            match self.program.node(id) {
                Node::Call(Operation::Cast(Type::Date | Type::Timestamp), arguments) => {
                    id = *arguments.first()?;
                    if !matches!(self.program.kind(id), Type::Date | Type::Timestamp) {
                        return None;
                    }
                }
                Node::Call(Operation::Truncate(unit), arguments) => {
                    steps.push(DateStep::Truncate(*unit));
                    id = *arguments.first()?;
                }
                Node::Call(Operation::Shift(period), arguments) => {
                    steps.push(DateStep::Shift(*period));
                    id = *arguments.first()?;
                }
                Node::Column(position) => {
                    let (_, facts) = declared(self.tables, *position as usize)?;
                    let (low, high) = facts.bounds.as_ref()?.in_units();
                    let (mut low, mut high) = match facts.kind {
                        ColumnType::Date => (Day::new(low)?.midnight(), Day::new(high)?.midnight()),
                        ColumnType::Timestamp => (Moment::new(low)?, Moment::new(high)?),
                        ColumnType::Integer | ColumnType::Decimal | ColumnType::Text | ColumnType::Boolean => {
                            return None;
                        }
                    };
                    for step in steps.into_iter().rev() {
                        match step {
                            DateStep::Truncate(unit) => low = unit.truncate(low)?,
                            // Within a day, months can reverse the order of timestamps.
                            DateStep::Shift(period) => {
                                low = period.after(low.day().midnight())?;
                                high = period.after(high.day().last_moment())?;
                            }
                        }
                    }
                    return Some((low, high));
                }
                Node::Constant(..) | Node::Call(..) => return None,
            }
        }
    }

    fn truncated(&self, unit: Unit, time: Id) -> Option<Vec<Key>> {
        let (low, last) = self.dated(time)?;
        let mut begin = unit.truncate(low)?;
        let mut keys = Vec::new();
        while begin <= last && keys.len() <= MOST_KEYS {
            keys.push(Key::Timestamp(begin.get()));
            match unit.next(begin) {
                Some(next) => begin = next,
                None => break,
            }
        }
        Some(keys)
    }

    /// The texts that a pattern gives for all moments within the declared bounds, in the order of the calendar; `times`
    /// contains these moments if they are known already.
    pub(crate) fn formatted(
        &self,
        id: Id,
        pattern: &TimePattern,
        time: Id,
        times: Option<&Vec<Key>>,
    ) -> Result<Vec<Key>, QueryError> {
        let mut keys: BTreeMap<(Vec<i64>, String), Key> = BTreeMap::new();
        let mut add = |moment: Moment| {
            let text = pattern.write(moment);
            keys.insert((pattern.rank(moment), text.clone()), Key::Text(text));
        };
        let mut has_null = false;
        if times.is_some() || self.combinations(time).is_some() {
            for moment in times.map_or_else(|| self.evaluated(time), |times| Ok(times.clone()))? {
                match moment {
                    Key::Timestamp(micros) => Moment::new(micros).into_iter().for_each(&mut add),
                    Key::Date(day) => Day::new(day.into()).into_iter().for_each(|day| add(day.midnight())),
                    _ => has_null = true,
                }
            }
        } else {
            let unit = pattern.unit();
            // Weekdays, months and hours repeat, so any period of dates has all of them.
            let any = pattern
                .repeats_after()
                .and_then(|days| Some((Moment::new(0)?, Moment::new(days.checked_mul(Moment::DAY)?)?)));
            let (low, last) = self.dated(time).or(any).ok_or_else(|| self.undated(time))?;
            let mut begin = unit.truncate(low);
            let span = pattern.repeats_after().and_then(|days| days.checked_mul(Moment::DAY));
            let last = span
                .zip(begin)
                .and_then(|(span, begin)| Moment::new(begin.get() + span))
                .map_or(last, |end| end.min(last));
            let mut steps = 0;
            while let Some(moment) = begin.filter(|begin| *begin <= last) {
                add(moment);
                begin = unit.next(moment);
                steps += 1;
                if steps > MOST_COMBINATIONS {
                    return Err(self.underived(id));
                }
            }
        }
        let null = has_null.then_some(Key::Null);
        Ok(keys.into_values().chain(null).collect())
    }

    fn years(&self, time: Id) -> Option<(i64, i64)> {
        let (low, high) = self.dated(time)?;
        Some((civil(low).year().into(), civil(high).year().into()))
    }

    fn undated(&self, time: Id) -> QueryError {
        let of = match self.program.inputs(&[time]).into_iter().collect::<Vec<_>>().as_slice() {
            [position] => {
                declared(self.tables, *position).map(|(table, column)| (&self.tables[table].name, &column.name))
            }
            _ => None,
        };
        let place = match of {
            Some((table, column)) => format!("in {}", section_of(self.tables, table, column)),
            None => "for the date columns".to_owned(),
        };
        let help = format!("declare bounds = [\"2020-01-01\", \"2024-12-31\"] {place}, from public knowledge");
        let time = self.program.words(time, MOST_WORDS);
        QueryError::refused(format!("GROUP BY parts of {time}, whose range of dates is not declared,"), help)
    }

    pub(crate) fn underived(&self, id: Id) -> QueryError {
        let help = "write bands as CASE WHEN x < 18 THEN 'child' ELSE 'adult' END or BIN(x, 10), over columns with \
                    declared bounds or keys";
        let expression = self.program.words(id, MOST_WORDS);
        QueryError::refused(format!("GROUP BY {expression}, whose groups do not follow from declared facts,"), help)
    }
}

fn texts(names: &[&str]) -> Vec<Key> {
    names.iter().map(|name| Key::Text((*name).to_owned())).collect()
}
