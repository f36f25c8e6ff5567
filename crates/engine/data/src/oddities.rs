//! Findings about the values of one column.

use crate::date_forms::day_and_month_exchanged;
use crate::frequent::FrequentTexts;
use crate::number_forms::NumberForm;
use crate::scan::CheckedColumn;
use arrow_array::Array;
use arrow_array::builder::make_view;
use deniable_core::exact::whole;
use deniable_core::schema::{Bounds, Column, ColumnType, Key, has_short_year};
use deniable_expression::{Column as Values, parse_day};
use foldhash::fast::RandomState;
use num_traits::ToPrimitive;
use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::time::{SystemTime, UNIX_EPOCH};

/// A column reads badly if at least this percentage of its values cannot be read as declared, or are not declared keys;
/// and a column of dates also if as many are outside its bounds.
///
/// A few odd values are in most data. A few per cent are more often a declaration that does not match: a decimal comma,
/// a second spelling, a code for "unknown" that is missing in `nulls`.
pub const BAD_PERCENT: u64 = 2;

/// Maximum length in bytes of a text that is stored inline in a view.
const SHORT: usize = 12;
/// Maximum number of keys that are searched linearly.
const MAX_SCANNED_KEYS: usize = 16;

/// The number of values with a property, and the place of the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrences {
    /// The number, at least 1.
    pub count: u64,
    /// The place of the first, as `file:line`; `None` where rows have no places: in an engine that only counts them.
    pub first: Option<String>,
}

impl Occurrences {
    /// The place of the first in parentheses, for the end of a sentence.
    pub(crate) fn place(&self) -> String {
        self.first.as_ref().map_or_else(String::new, |first| format!(" (first at {first})"))
    }
}

/// The findings in one column. For the curator: they depend on private rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnReport {
    /// The column.
    pub column: String,
    /// Its declared type.
    pub kind: ColumnType,
    /// Rows with a text or value that is not a declared NULL.
    pub present: u64,
    /// Rows without one: NULL, or a text declared as NULL.
    pub missing: Option<Occurrences>,
    /// Present values that cannot be read as the type.
    pub unreadable: Option<Occurrences>,
    /// Usual forms among the unreadable numbers of delimited text, with their counts.
    pub forms: Vec<(NumberForm, u64)>,
    /// Unreadable dates and times of delimited text that can be read if day and month change places in `format`. Then
    /// others, whose day is at most 12, were probably read as another date.
    pub exchanged: u64,
    /// The most frequent texts that cannot be read, with their counts; empty for other sources than delimited text, and
    /// where more than 1,000 texts differ. They are private values.
    pub unreadable_texts: Vec<(String, u64)>,
    /// Readable values that are not declared keys.
    pub undeclared: Option<Occurrences>,
    /// The most frequent of these, in the same way.
    pub undeclared_values: Vec<(String, u64)>,
    /// Readable values outside the declared bounds.
    pub outside: Option<Occurrences>,
    /// The readable dates and times whose year is probably wrong: before the year 1000, or after today where the
    /// pattern has years of two digits.
    pub odd_years: Option<Occurrences>,
    /// Rows that are left out of groups by the column: their key is not declared, or is NULL without being a declared
    /// key.
    pub left_out: Option<Occurrences>,
}

fn count_of(found: Option<&Occurrences>) -> u64 {
    found.map_or(0, |found| found.count)
}

impl ColumnReport {
    /// Present values that do not count in queries: unreadable, or not declared keys.
    #[must_use]
    pub fn useless(&self) -> u64 {
        count_of(self.unreadable.as_ref()) + count_of(self.undeclared.as_ref())
    }

    /// Whether the column reads badly: [`BAD_PERCENT`] of its values are useless, there are rows but no value, or
    /// [`BAD_PERCENT`] are dates outside the bounds. Missing values alone are a property of the data, not of the
    /// declaration; so are numbers outside the bounds, which are judged by what they change in each sum.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        if self.present == 0 {
            return self.missing.is_some();
        }
        self.are_many(self.useless()) || self.is_out_of_bounds()
    }

    /// Whether [`BAD_PERCENT`] of its values are dates outside the bounds: most often a format that exchanges days and
    /// months, or bounds of another year.
    #[must_use]
    pub fn is_out_of_bounds(&self) -> bool {
        matches!(self.kind, ColumnType::Date | ColumnType::Timestamp) && self.are_many(count_of(self.outside.as_ref()))
    }

    /// Whether nothing but values outside the bounds makes the column read badly.
    #[must_use]
    pub fn is_only_out_of_bounds(&self) -> bool {
        self.is_out_of_bounds() && !self.are_many(self.useless())
    }

    fn are_many(&self, values: u64) -> bool {
        values > 0 && u128::from(values) * 100 >= u128::from(self.present) * u128::from(BAD_PERCENT)
    }

    /// Notes for the curator.
    pub(crate) fn notes(&self) -> Vec<String> {
        let kind = self.kind.name();
        let forms = self.forms_in_words();
        let unreadable = format!("of {} values cannot be read as {kind} and count as NULL{forms}", self.present);
        let outside = "values are outside the declared bounds: sums and ranks clamp them, and groups leave them out";
        let left_out = "rows have an undeclared key (or NULL, without null_key) and are left out of groups by it";
        let odd_years = "values have a year before 1000, or after today with years of two digits: in `format`, %Y reads 24 as the year 24, and \
                         %y reads 57 as 2057 unless `pivot` states the last year that two digits may mean";
        let found = [
            (&self.unreadable, unreadable.as_str()),
            (&self.odd_years, odd_years),
            (&self.outside, outside),
            (&self.left_out, left_out),
        ];
        found
            .into_iter()
            .filter_map(|(found, what)| {
                let found = found.as_ref()?;
                Some(format!("{}: {} {what}{}", self.column, found.count, found.place()))
            })
            .collect()
    }

    /// The forms of unreadable numbers after a colon; empty without any.
    fn forms_in_words(&self) -> String {
        let forms = self.forms.iter().map(|(form, count)| format!("{count} {}", form.in_words()));
        let exchanged = (self.exchanged > 0).then(|| {
            format!(
                "{} that can be read if %d and %m change places in `format`: then values whose day is at most 12 are read \
                 as another date, without any sign",
                self.exchanged
            )
        });
        let forms: Vec<String> = forms.chain(exchanged).collect();
        if forms.is_empty() { String::new() } else { format!(": {}", forms.join(", ")) }
    }

    /// Describes why the column reads badly.
    #[must_use]
    pub fn in_words(&self) -> String {
        let mut parts = Vec::new();
        if let Some(found) = &self.unreadable {
            let (count, kind, place) = (found.count, self.kind.name(), found.place());
            let forms = self.forms_in_words();
            parts.push(format!("{count} cannot be read as {kind} and would count as NULL{forms}{place}"));
        }
        if let Some(found) = &self.undeclared {
            let (count, place) = (found.count, found.place());
            parts.push(format!("{count} are not declared keys and would be left out of groups by it{place}"));
        }
        if self.is_out_of_bounds()
            && let Some(found) = &self.outside
        {
            let (count, place) = (found.count, found.place());
            parts.push(format!("{count} are outside the declared bounds{place}"));
        }
        match &self.missing {
            _ if !parts.is_empty() => {
                format!("of {} values of column `{}`, {}", self.present, self.column, parts.join("; "))
            }
            Some(Occurrences { count, .. }) => format!("none of {count} rows has a value of column `{}`", self.column),
            None => format!("column `{}` reads well", self.column),
        }
    }

    /// The most likely correction of the policy.
    #[must_use]
    pub fn help(&self) -> &'static str {
        if self.present == 0 {
            return "look into the file: is it the right column, and are all of `nulls` under [data.csv] texts that mean no \
                    value? Do not declare an empty column";
        }
        if self.is_only_out_of_bounds() {
            return "look there, and at `bounds` and `format` of the column: %d/%m/%Y and %m/%d/%Y both read 03/04/2024. \
                    Ranks and averages count such values as the nearest bound, and GROUP BY leaves their rows out";
        }
        if count_of(self.undeclared.as_ref()) > count_of(self.unreadable.as_ref()) {
            return "look there, and at `keys` of the column: keys must be spelt as the file spells them, in capitals and \
                    small letters, too. Under [data.csv], `nulls` lists texts that mean no value, and `trim` drops spaces";
        }
        if !self.forms.is_empty() {
            return "only digits, one decimal mark, a sign and an exponent are read: write the numbers without grouping, \
                    currency and percent signs, in the export or in a copy of the file. Under [data.csv], `decimal = \",\"` reads \
                    1,5. Accepted as they are, they count as NULL, and every sum leaves them out";
        }
        match self.kind {
            ColumnType::Decimal => {
                "look there. Under [data.csv], `decimal = \",\"` reads 1,5, `nulls` lists texts that mean no value, `trim` \
                 drops spaces, and `delimiter`, `quote` and `encoding` must be the file's"
            }
            ColumnType::Integer => {
                "look there. Numbers that are written with a fraction other than zeros are type = \"decimal\"; ids of more than 18 digits are type = \"text\". Under [data.csv], \
                 `nulls` lists texts that mean no value, `trim` drops spaces, and `delimiter`, `quote` and `encoding` must be \
                 the file's"
            }
            ColumnType::Date => {
                "look there. Days with a time of day are type = \"timestamp\". `format` of the column says how the file writes it, \
                 as in format = \"%d.%m.%Y\"; under [data.csv], `nulls` lists texts that mean no value, and `trim` drops spaces"
            }
            ColumnType::Timestamp => {
                "look there. `format` of the column says how the file writes it, as in format = \"%d.%m.%Y\"; under \
                 [data.csv], `nulls` lists texts that mean no value, and `trim` drops spaces"
            }
            ColumnType::Boolean | ColumnType::Text => {
                "look there. Codes other than true and false, yes and no, or 1 and 0 are type = \"text\" with `keys`; under \
                 [data.csv], `nulls` lists texts that mean no value, `trim` drops spaces, and `encoding` must be the file's"
            }
        }
    }
}

/// The index of a row's file in the table, and its line there, counted from 1.
pub(crate) type Place = (usize, u64);

/// A count of values with a property, and the place of the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OccurrenceCounter {
    count: u64,
    first: Option<Place>,
}

impl OccurrenceCounter {
    /// Counts one value. A thread may read several files in turn: the first place is that in the first file.
    pub(crate) fn add(&mut self, place: Place) {
        self.count += 1;
        if self.first.is_none_or(|first| place < first) {
            self.first = Some(place);
        }
    }

    /// Adds the counts of another thread.
    pub(crate) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.first = self.first.into_iter().chain(other.first).min();
    }

    pub(crate) fn found(self, name: &dyn Fn(Place) -> String) -> Option<Occurrences> {
        self.first.map(|first| Occurrences { count: self.count, first: Some(name(first)) })
    }
}

/// The declared bounds and keys that a column's values are compared with.
pub(crate) struct ExpectedValues<'a> {
    column: &'a Column,
    /// The bounds of whole numbers, days and moments are compared exactly; those of decimals as doubles: a value
    /// written like the bound is read as the same double.
    numbers: RangeInclusive<i64>,
    decimals: RangeInclusive<f64>,
    /// The days with plausible years.
    days: RangeInclusive<i64>,
    /// The pattern with day and month exchanged; `None` where it does not have both as numbers.
    exchanged: Option<String>,
    /// Whether NULL is a key, and whether everything else is one.
    null: bool,
    others: bool,
    texts: HashSet<&'a str, RandomState>,
    /// The views of keys, if they are few and short enough to be stored inline: they are found by comparison, without a
    /// hash.
    views: Vec<u128>,
    integers: HashSet<i64, RandomState>,
    truths: [bool; 2],
}

impl<'a> ExpectedValues<'a> {
    pub(crate) fn of(column: &'a Column) -> Self {
        let keys = column.keys.as_deref().unwrap_or_default();
        let texts = keys.iter().filter_map(|key| if let Key::Text(text) = key { Some(text.as_str()) } else { None });
        let integers = keys.iter().filter_map(|key| if let Key::Integer(number) = key { Some(*number) } else { None });
        Self {
            column,
            numbers: column.bounds.as_ref().map_or(i64::MIN..=i64::MAX, numbers_within),
            decimals: column.bounds.as_ref().map_or(f64::NEG_INFINITY..=f64::INFINITY, decimals_within),
            days: plausible_days(column),
            exchanged: column.format.as_deref().and_then(day_and_month_exchanged),
            null: keys.contains(&Key::Null),
            others: keys.contains(&Key::Other),
            views: texts.clone().filter(|text| text.len() <= SHORT).take(MAX_SCANNED_KEYS).map(short_view).collect(),
            texts: texts.collect(),
            integers: integers.collect(),
            truths: [false, true].map(|truth| keys.contains(&Key::Boolean(truth))),
        }
    }
}

/// The days whose years are plausible. With two-digit years and no pivot, years after today are not.
fn plausible_days(column: &Column) -> RangeInclusive<i64> {
    /// 1000-01-01, from 1970-01-01.
    const FIRST: i64 = -354_285;
    let is_short = column.format.as_deref().is_some_and(has_short_year) && column.pivot.is_none();
    let today = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|since| i64::try_from(since.as_secs() / 86_400).ok());
    FIRST..=today.filter(|_| is_short).unwrap_or(i64::MAX)
}

/// The whole numbers within bounds.
fn numbers_within(bounds: &Bounds) -> RangeInclusive<i64> {
    let low = bounds.low().ceil().max(whole(i64::MIN)).to_integer().to_i64();
    let high = bounds.high().floor().min(whole(i64::MAX)).to_integer().to_i64();
    // An end that is not representable is beyond all numbers of the type, so no number is within the bounds.
    let (low, high) = low.zip(high).unwrap_or((i64::MAX, i64::MIN));
    low..=high
}

fn decimals_within(bounds: &Bounds) -> RangeInclusive<f64> {
    bounds.low().to_f64().unwrap_or(f64::NEG_INFINITY)..=bounds.high().to_f64().unwrap_or(f64::INFINITY)
}

/// The view of a text that is stored inline.
fn short_view(text: &str) -> u128 {
    make_view(text.as_bytes(), 0, 0)
}

/// Counts of the findings in one column, with the first place of each.
#[derive(Default)]
pub(crate) struct Oddities {
    present: u64,
    missing: OccurrenceCounter,
    unreadable: OccurrenceCounter,
    /// In the order of [`NumberForm::ALL`].
    forms: [u64; NumberForm::ALL.len()],
    exchanged: u64,
    unreadable_texts: FrequentTexts,
    undeclared: OccurrenceCounter,
    undeclared_values: FrequentTexts,
    outside: OccurrenceCounter,
    odd_years: OccurrenceCounter,
    left_out: OccurrenceCounter,
}

impl Oddities {
    /// Counts the findings in some rows; `place` returns the place of each row.
    pub(crate) fn take(
        &mut self,
        declared: &ExpectedValues<'_>,
        looked: &CheckedColumn,
        place: &dyn Fn(usize) -> Place,
    ) {
        let CheckedColumn { present, values, unread } = looked;
        let is_number = declared.column.kind.is_number();
        for text in unread {
            self.unreadable_texts.add(text);
            let form = NumberForm::of(text).filter(|_| is_number);
            let own = NumberForm::ALL.iter().zip(&mut self.forms).filter(|(known, _)| form == Some(**known));
            own.for_each(|(_, count)| *count += 1);
            let is_exchanged = |pattern: &String| parse_day(text.trim(), Some(pattern)).is_some();
            self.exchanged += u64::from(declared.exchanged.as_ref().is_some_and(is_exchanged));
        }
        let present_rows = present.true_count();
        self.present += present_rows as u64;
        if present_rows < present.len() {
            (0..present.len()).filter(|row| !present.value(*row)).for_each(|row| self.missing.add(place(row)));
        }
        let nulls = values.to_array();
        if nulls.null_count() > 0 {
            let unreadable = (0..present.len()).filter(|row| present.value(*row) && nulls.is_null(*row));
            unreadable.for_each(|row| self.unreadable.add(place(row)));
        }
        self.take_years(declared, values, place);
        if declared.column.bounds.is_some() {
            self.take_bounded(declared, values, place);
        }
        if declared.column.keys.is_some() {
            self.take_keyed(declared, values, place);
        }
    }

    fn take_years(&mut self, declared: &ExpectedValues<'_>, values: &Values, place: &dyn Fn(usize) -> Place) {
        let mut add = |row: usize| {
            if values.is_valid(row) {
                self.odd_years.add(place(row));
            }
        };
        match values {
            Values::Date(days) => {
                let days = days.values().iter().map(|day| i64::from(*day));
                each_outside(days, &declared.days, &mut add);
            }
            Values::Timestamp(moments) => {
                let days = moments.values().iter().map(|micros| micros.div_euclid(86_400_000_000));
                each_outside(days, &declared.days, &mut add);
            }
            Values::Integer(_) | Values::Decimal(_) | Values::Text(_) | Values::Boolean(_) => {}
        }
    }

    fn take_bounded(&mut self, declared: &ExpectedValues<'_>, values: &Values, place: &dyn Fn(usize) -> Place) {
        let mut add = |row: usize| {
            if values.is_valid(row) {
                self.outside.add(place(row));
            }
        };
        let ExpectedValues { numbers, decimals, .. } = declared;
        match values {
            Values::Integer(all) => each_outside(all.values().iter().copied(), numbers, &mut add),
            Values::Decimal(all) => each_outside(all.values().iter().copied(), decimals, &mut add),
            Values::Date(days) => each_outside(days.values().iter().map(|day| i64::from(*day)), numbers, &mut add),
            Values::Timestamp(moments) => each_outside(moments.values().iter().copied(), numbers, &mut add),
            Values::Text(_) | Values::Boolean(_) => {}
        }
    }

    fn take_keyed(&mut self, declared: &ExpectedValues<'_>, values: &Values, place: &dyn Fn(usize) -> Place) {
        let mut look = |keys: &mut dyn Iterator<Item = Option<bool>>| {
            for (row, is_key) in keys.enumerate() {
                if !is_key.map_or(declared.null, |is_key| is_key || declared.others) {
                    self.left_out.add(place(row));
                    if is_key.is_some() {
                        self.undeclared.add(place(row));
                        match values {
                            Values::Text(texts) => self.undeclared_values.add(texts.value(row)),
                            Values::Integer(numbers) => self.undeclared_values.add(&numbers.value(row).to_string()),
                            _ => {}
                        }
                    }
                }
            }
        };
        match values {
            Values::Text(texts) => look(&mut texts.views().iter().enumerate().map(|(row, view)| {
                let is_key = || declared.views.contains(view) || declared.texts.contains(texts.value(row));
                texts.is_valid(row).then(is_key)
            })),
            Values::Integer(numbers) => {
                look(&mut numbers.iter().map(|number| Some(declared.integers.contains(&number?))));
            }
            Values::Boolean(truths) => look(&mut truths.iter().map(|truth| Some(declared.truths[usize::from(truth?)]))),
            // Only the other types have keys.
            Values::Decimal(_) | Values::Date(_) | Values::Timestamp(_) => {
                look(&mut std::iter::repeat_n(None, values.len()));
            }
        }
    }

    /// Adds the findings of another thread.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.present += other.present;
        self.missing.merge(other.missing);
        self.unreadable.merge(other.unreadable);
        self.forms.iter_mut().zip(other.forms).for_each(|(all, one)| *all += one);
        self.exchanged += other.exchanged;
        self.unreadable_texts.merge(&other.unreadable_texts);
        self.undeclared.merge(other.undeclared);
        self.undeclared_values.merge(&other.undeclared_values);
        self.outside.merge(other.outside);
        self.odd_years.merge(other.odd_years);
        self.left_out.merge(other.left_out);
    }

    /// The report on the column; `name` formats a place.
    pub(crate) fn report(&self, column: &Column, name: &dyn Fn(Place) -> String) -> ColumnReport {
        ColumnReport {
            column: column.name.clone(),
            kind: column.kind,
            present: self.present,
            missing: self.missing.found(name),
            unreadable: self.unreadable.found(name),
            forms: NumberForm::ALL.into_iter().zip(self.forms).filter(|(_, count)| *count > 0).collect(),
            exchanged: self.exchanged,
            unreadable_texts: self.unreadable_texts.most_frequent(),
            undeclared: self.undeclared.found(name),
            undeclared_values: self.undeclared_values.most_frequent(),
            outside: self.outside.found(name),
            odd_years: self.odd_years.found(name),
            left_out: self.left_out.found(name),
        }
    }
}

/// Calls a function for every row outside a range, possibly including rows without a value.
fn each_outside<T: PartialOrd>(
    values: impl Iterator<Item = T>,
    range: &RangeInclusive<T>,
    each: &mut dyn FnMut(usize),
) {
    values.enumerate().filter(|(_, value)| !range.contains(value)).for_each(|(row, _)| each(row));
}
