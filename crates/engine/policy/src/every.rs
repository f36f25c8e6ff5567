//! `every`: a query that is repeated for each period of a stated horizon, with running totals (C-10).
//!
//! The policy then has a query for each node that ends with the period of the data: always the period itself, and longer
//! nodes where the file contains all rows so far.

use crate::data::{Names, find_column};
use crate::error::PolicyErrorKind;
use crate::query::{OwnCaps, Query, Size};
use crate::reader::{Field, ReadResult, Report, Section, did_you_mean, shown};
use crate::tree::Shape;
use deniable_core::calendar::{EPOCH, iso_day};
use deniable_core::exact::{Rational, whole};
use deniable_core::horizon::{MOST_PERIODS, Schedule, Span, Weight};
use deniable_core::schema::{Column, Data};
use deniable_core::sensitivity::Caps;
use jiff::civil::{Date, Weekday};
use jiff::{ToSpan, Unit};
use std::ops::Range;
use std::sync::Arc;

pub(crate) const KEYS: [&str; 4] = ["unit", "column", "from", "periods"];
const EXAMPLE: &str = "every = { unit = \"month\", column = \"day\", from = \"2024-01\", periods = 12 }";

/// The length of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeriodUnit {
    /// A day, such as `2024-01-31`.
    Day,
    /// A week from Monday to Sunday, such as `2024-W05`.
    Week,
    /// A month, such as `2024-01`.
    Month,
    /// Three months, such as `2024-Q1`.
    Quarter,
    /// A year, such as `2024`.
    Year,
}

impl PeriodUnit {
    const ALL: [Self; 5] = [Self::Day, Self::Week, Self::Month, Self::Quarter, Self::Year];

    /// The word in a policy.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }

    fn example(self) -> &'static str {
        match self {
            Self::Day => "2024-01-31",
            Self::Week => "2024-W05",
            Self::Month => "2024-01",
            Self::Quarter => "2024-Q1",
            Self::Year => "2024",
        }
    }

    /// The first day of a period with this name, within the years 1 to 2100.
    fn parse(self, text: &str) -> Option<Date> {
        let number = |text: &str, digits: usize| {
            let is_plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<i16>().ok().filter(|_| is_plain)
        };
        let day = match self {
            Self::Day => iso_day(text)?,
            Self::Year => Date::new(number(text, 4)?, 1, 1).ok()?,
            Self::Month | Self::Quarter | Self::Week => {
                let (year, part) = text.split_once('-')?;
                let year = number(year, 4)?;
                match self {
                    Self::Month => Date::new(year, i8::try_from(number(part, 2)?).ok()?, 1).ok()?,
                    Self::Quarter => {
                        let quarter = number(part.strip_prefix('Q')?, 1).filter(|quarter| (1..=4).contains(quarter))?;
                        Date::new(year, i8::try_from(quarter * 3 - 2).ok()?, 1).ok()?
                    }
                    _ => {
                        let week = i8::try_from(number(part.strip_prefix('W')?, 2)?).ok()?;
                        jiff::civil::ISOWeekDate::new(year, week, Weekday::Monday).ok()?.date()
                    }
                }
            }
        };
        (1..=2100).contains(&day.year()).then_some(day)
    }

    /// The first day of the period this many periods after the one that begins on a day.
    fn after(self, day: Date, periods: i64) -> Option<Date> {
        let span = match self {
            Self::Day => periods.days(),
            Self::Week => periods.weeks(),
            Self::Month => periods.months(),
            Self::Quarter => (periods * 3).months(),
            Self::Year => periods.years(),
        };
        day.checked_add(span).ok()
    }

    /// The number of periods from one first day to another; negative if that is before.
    fn between(self, from: Date, to: Date) -> Option<i64> {
        let months = || i64::from(to.year() - from.year()) * 12 + i64::from(to.month() - from.month());
        Some(match self {
            Self::Day => from.until((Unit::Day, to)).ok()?.get_days().into(),
            Self::Week => i64::from(from.until((Unit::Day, to)).ok()?.get_days()) / 7,
            Self::Month => months(),
            Self::Quarter => months() / 3,
            Self::Year => i64::from(to.year() - from.year()),
        })
    }

    /// The name of the period that begins on a day.
    fn name_of(self, day: Date) -> String {
        match self {
            Self::Day => day.to_string(),
            Self::Week => {
                let week = day.iso_week_date();
                format!("{:04}-W{:02}", week.year(), week.week())
            }
            Self::Month => format!("{:04}-{:02}", day.year(), day.month()),
            Self::Quarter => format!("{:04}-Q{}", day.year(), (day.month() + 2) / 3),
            Self::Year => format!("{:04}", day.year()),
        }
    }
}

/// The horizon of a repeated query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Every {
    unit: PeriodUnit,
    column: String,
    from: Date,
    schedule: Schedule,
    share: Rational,
    /// The name and caps of the query.
    name: String,
    own: OwnCaps,
    /// The caps of a period; `None` if one row is one person.
    caps: Option<Caps>,
    /// Whether each file contains the rows of all periods so far.
    has_all_rows: bool,
}

/// The part of a repeated query that a release measures: a run of periods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodNode {
    /// The horizon.
    pub every: Arc<Every>,
    /// The periods of the node.
    pub span: Span,
}

/// The public facts about the data that decide about periods.
pub(crate) struct Calendar<'a> {
    /// The main table.
    pub(crate) data: ReadResult<&'a Data>,
    pub(crate) columns: ReadResult<&'a [Column]>,
    /// The policy's caps for the main table; `None` if one row is one person.
    pub(crate) caps: Option<Caps>,
    pub(crate) periods: ReadResult<&'a DataPeriods>,
}

/// The statements of `[data]` about periods.
#[derive(Debug, Clone)]
pub(crate) struct DataPeriods {
    /// `period`, or else `version`, with its key and place.
    name: String,
    key: &'static str,
    place: Range<usize>,
    /// Whether the file contains the rows of all periods so far, and not the new ones only.
    has_all_rows: bool,
}

/// Reads `period` and `rows` of `[data]`.
pub(crate) fn read_data(field: &Field<'_>) -> ReadResult<DataPeriods> {
    let section = Section::open_free(field.report, "[data]", field.node)?;
    let rows = section.optional("rows", |field| match field.text()? {
        "new" => Ok(false),
        "all" => Ok(true),
        other => {
            let help = "write \"new\" if the file contains only rows of its own period, and \"all\" if it also contains those of \
                        all periods before";
            Err(field.bad_text(format!("= \"{}\" is not known", shown(other)), help))
        }
    });
    let stated = section.optional("period", |field| field.line().map(str::to_owned));
    let (rows, stated) = (rows?, stated?);
    let key = if stated.is_some() { "period" } else { "version" };
    let name = match stated {
        Some(name) => name,
        None => section.optional("version", |field| field.line().map(str::to_owned))?.unwrap_or_default(),
    };
    Ok(DataPeriods { name, key, place: section.place_of(key), has_all_rows: rows.unwrap_or(false) })
}

/// Reads `every` of a query; the share is that of the whole horizon.
pub(crate) fn read(
    field: &Field<'_>,
    query: &Section<'_>,
    calendar: &Calendar<'_>,
    own: OwnCaps,
) -> ReadResult<(Every, u32)> {
    let misplaced = ["weight", "target_error", "left_out", "sampling", "test"].into_iter().find(|key| query.has(key));
    if let Some(key) = misplaced {
        let kind = PolicyErrorKind::Misplaced { key, when: "beside `every`" };
        let help = "remove it; write `share`, the part of the promise for all periods of the horizon together";
        return Err(field.report.fail(&query.key_of(key), kind, help));
    }
    let section = field.section("`every`", &KEYS)?;
    let unit = section.need("unit", EXAMPLE).and_then(|field| {
        let text = field.text()?;
        PeriodUnit::ALL.into_iter().find(|unit| unit.name() == text).ok_or_else(|| {
            let known = PeriodUnit::ALL.map(PeriodUnit::name);
            field.bad_text(format!("= \"{}\" is not known", shown(text)), did_you_mean(text, &known))
        })
    });
    let column = section.need("column", EXAMPLE).and_then(|field| {
        let (name, columns) = (field.text()?, calendar.columns?);
        if find_column(&field, name, columns, &Names::main())?.kind.is_time() {
            return Ok(name.to_owned());
        }
        let help = "name the date or timestamp of each row, declared with `type = \"date\"` or `type = \"timestamp\"`";
        Err(field.bad_text("names a column that is neither a date nor a timestamp", help))
    });
    let periods = section.need("periods", EXAMPLE).and_then(|field| {
        let count = field.count()?;
        if count <= MOST_PERIODS {
            return Ok(count);
        }
        Err(field.out_of_range(whole(count), "a whole number from 1 to 1000", "choose longer periods"))
    });
    let from = section.need("from", EXAMPLE);
    let (unit, periods) = (unit?, periods?);
    let from = from.and_then(|field| {
        let (Shape::Text(text) | Shape::Date(text)) = &field.node.shape else {
            return Err(field.wrong_type("the name of a period", format!("write \"{}\"", unit.example())));
        };
        let from = unit.parse(text).filter(|from| {
            // The last day of the horizon must be a day of the calendar, too.
            unit.after(*from, i64::from(periods)).is_some_and(|end| end.year() <= 2101)
        });
        from.ok_or_else(|| field.bad_text(not_a(unit, text), format!("write it as in \"{}\"", unit.example())))
    });
    let share = query.optional("share", crate::budget::part)?.ok_or_else(|| {
        let help = "add `share`, the part of the promise for all periods of the horizon together, such as \"1/4\"";
        field.report.fail(&field.key_span, PolicyErrorKind::Alone { key: "every", other: "share" }, help)
    });
    let (column, from, share, data) = (column?, from?, share?, calendar.periods?);
    calendar.data?;
    let weight = if calendar.caps.is_some() { Weight::EveryPeriod } else { Weight::OnePeriod };
    let schedule = if data.has_all_rows { Schedule::best(periods, weight) } else { Schedule::flat(periods, weight) };
    let caps = calendar.caps.map(|caps| own.or(caps));
    let every =
        Every { unit, column, from, schedule, share, name: String::new(), own, caps, has_all_rows: data.has_all_rows };
    match every.at(&data.name) {
        Ok(period) => Ok((every, period)),
        Err(PeriodError::NoPeriod) => {
            let problem = not_a(unit, &data.name);
            // A name such as "2024-02 corrected" begins with its period.
            let own = data.name.split([' ', '_', '/']).find(|part| every.at(part).is_ok());
            let help = match own {
                Some(period) => format!(
                    "a query with `every` needs the period of the data: if it is {period}, add `period = \"{period}\"` beside \
                     `version`"
                ),
                None => format!(
                    "a query with `every` needs the period of the data: add `period` beside `version`, in the form \"{}\"",
                    unit.example()
                ),
            };
            let kind = PolicyErrorKind::Text { key: data.key.to_owned(), problem };
            Err(field.report.fail(&data.place, kind, help))
        }
        Err(PeriodError::Outside) => {
            let problem = format!(
                "covers {} to {}, and the data is of {}",
                every.period_name(0),
                every.period_name(periods - 1),
                shown(&data.name)
            );
            let help = "a horizon is stated beforehand, with its share. For later periods write a further query with a later `from`, \
                        a name and a share of its own; its totals begin anew";
            Err(field.bad_text(problem, help))
        }
    }
}

/// Checks that the policy's spend covers the whole horizons of its repeated queries, where the part of a version is what
/// its queries divide.
pub(crate) fn check_spend(report: &Report<'_>, queries: &[Query], spend: &Rational) -> ReadResult<()> {
    let mut sum = whole(0);
    for query in queries {
        let Some(node) = query.every.as_ref().filter(|node| node.is_period()) else { continue };
        sum += node.every.share();
        if sum > *spend {
            let part = spend.clone();
            let help = "lower the shares of queries with `every`, or raise `spend` under [budget] (1 at most)";
            let place = query.size_at.clone().unwrap_or_default();
            return Err(report.fail(&place, PolicyErrorKind::SharesExceed { sum, key: "spend", part }, help));
        }
    }
    Ok(())
}

fn not_a(unit: PeriodUnit, text: &str) -> String {
    format!("= \"{}\" is not a {}", shown(text), unit.name())
}

/// The name of a period that a horizon does not contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PeriodError {
    NoPeriod,
    Outside,
}

impl Every {
    /// The unit of its periods.
    #[must_use]
    pub fn unit(&self) -> PeriodUnit {
        self.unit
    }

    /// The column whose value decides about the period of a row.
    #[must_use]
    pub fn column(&self) -> &str {
        &self.column
    }

    /// The nodes that are measured.
    #[must_use]
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The part of the promise for the whole horizon.
    #[must_use]
    pub fn share(&self) -> &Rational {
        &self.share
    }

    /// The name of the query.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether each file contains the rows of all periods so far, and not only those of its own.
    #[must_use]
    pub fn has_all_rows(&self) -> bool {
        self.has_all_rows
    }

    /// The name of a period, counted from 0.
    #[must_use]
    pub fn period_name(&self, period: u32) -> String {
        self.unit.after(self.from, period.into()).map_or_else(String::new, |day| self.unit.name_of(day))
    }

    /// The period of this name, counted from 0; `None` outside the horizon, and for other names.
    #[must_use]
    pub fn period(&self, name: &str) -> Option<u32> {
        self.at(name).ok()
    }

    fn at(&self, name: &str) -> Result<u32, PeriodError> {
        let day = self.unit.parse(name).ok_or(PeriodError::NoPeriod)?;
        let periods = self.unit.between(self.from, day).and_then(|periods| u32::try_from(periods).ok());
        periods.filter(|period| *period < self.schedule.periods()).ok_or(PeriodError::Outside)
    }

    /// The first day of a node, and the first day after it, in days since 1970.
    #[must_use]
    pub fn days(&self, span: Span) -> (i64, i64) {
        let day = |period: u32| {
            let day = self.unit.after(self.from, period.into()).unwrap_or(self.from);
            day.duration_since(EPOCH).as_hours() / 24
        };
        (day(span.first), day(span.end()))
    }

    /// A node in words: `2024-01`, or `2024-01 to 2024-03`.
    #[must_use]
    pub fn words(&self, span: Span) -> String {
        match span.length {
            1 => self.period_name(span.first),
            _ => format!("{} to {}", self.period_name(span.first), self.period_name(span.end() - 1)),
        }
    }

    /// The largest part of the promise that the release of one period uses.
    pub(crate) fn largest_release(&self) -> Rational {
        let parts = (0..self.schedule.periods()).map(|period| self.schedule.part_of_release(period));
        parts.max().unwrap_or_else(|| whole(1)) * &self.share
    }

    /// The caps of a node: an entity may have its rows of a period in each period.
    fn caps_of(&self, own: OwnCaps, span: Span) -> OwnCaps {
        match self.caps {
            Some(caps) if span.length > 1 => {
                let rows = own.rows_per_group.unwrap_or(caps.rows_per_group);
                OwnCaps { rows_per_group: Some(rows.saturating_mul(span.length)), ..own }
            }
            _ => own,
        }
    }
}

impl PeriodNode {
    /// Whether the node is the period of a release itself, whose answer shows the running totals.
    #[must_use]
    pub fn is_period(&self) -> bool {
        self.span.length == 1
    }

    /// The caps of the node, given those of a period.
    pub(crate) fn caps(&self, own: OwnCaps) -> OwnCaps {
        self.every.caps_of(own, self.span)
    }
}

impl Query {
    /// The queries that the release of a period measures: its nodes, and the period itself last. `self` is the query as
    /// the policy states it, and `reserved` the part of the promise that the division among the queries counts for it.
    pub(crate) fn in_periods(self, mut every: Every, period: u32, reserved: Rational) -> Vec<Self> {
        every.name.clone_from(&self.name);
        let template = Self { size: Size::Share(reserved), ..self };
        template.at_period(&Arc::new(every), period)
    }

    fn at_period(&self, every: &Arc<Every>, period: u32) -> Vec<Self> {
        every.schedule.ending_with(period).into_iter().map(|span| self.at_node(every, span)).collect()
    }

    /// The query about another node of its horizon; the query itself if it is not repeated.
    #[must_use]
    pub fn in_node(&self, span: Span) -> Self {
        let leaf = |every: &Arc<Every>| Self { name: every.name.clone(), caps: every.own, ..self.clone() };
        self.every.as_ref().map_or_else(|| self.clone(), |node| leaf(&node.every).at_node(&node.every, span))
    }

    fn at_node(&self, every: &Arc<Every>, span: Span) -> Self {
        let is_period = span.length == 1;
        Self {
            name: if is_period { self.name.clone() } else { format!("{}, {}", self.name, every.words(span)) },
            // The period's own query stands for all of them where the budget is divided.
            size: if is_period { self.size.clone() } else { Size::Share(whole(0)) },
            share: every.share() * every.schedule.part(span),
            caps: every.caps_of(every.own, span),
            every: Some(PeriodNode { every: Arc::clone(every), span }),
            ..self.clone()
        }
    }

    /// The query about all periods up to this one, at a share of its own: for comparisons, never released. The query
    /// itself if it is not repeated.
    #[must_use]
    pub fn anew(&self, last: u32, share: &Rational) -> Self {
        Self { share: share.clone(), ..self.in_node(Span { first: 0, length: last + 1 }) }
    }

    /// The queries of the release of another period; `None` if the horizon does not contain it.
    pub(crate) fn moved(&self, name: &str) -> Option<Vec<Self>> {
        match &self.every {
            None => Some(vec![self.clone()]),
            Some(node) if node.is_period() => Some(self.at_period(&node.every, node.every.period(name)?)),
            // It follows from the query of the period.
            Some(_) => Some(Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_periods_are_read_back() {
        let cases = [
            (PeriodUnit::Day, "2024-02-28", "2024-03-01", 2),
            (PeriodUnit::Week, "2020-W52", "2021-W02", 3),
            (PeriodUnit::Month, "2023-11", "2024-02", 3),
            (PeriodUnit::Quarter, "2023-Q4", "2024-Q3", 3),
            (PeriodUnit::Year, "1999", "2002", 3),
        ];
        for (unit, first, last, apart) in cases {
            let (from, to) = (unit.parse(first).unwrap(), unit.parse(last).unwrap());
            assert_eq!((unit.between(from, to), unit.between(to, from)), (Some(apart), Some(-apart)), "{first}");
            assert_eq!(unit.after(from, apart), Some(to), "{first}");
            assert_eq!((unit.name_of(from), unit.name_of(to)), (first.to_owned(), last.to_owned()));
            assert_eq!(unit.parse(unit.example()).map(|day| unit.name_of(day)).as_deref(), Some(unit.example()));
        }
        let bad =
            ["", "2024-13", "24-01", "2024-1", "2024-01-01x", "2024-W54", "2024-Q5", "2024-00", "+024-01", "2024-q1"];
        for text in bad {
            let read: Vec<PeriodUnit> = PeriodUnit::ALL.into_iter().filter(|unit| unit.parse(text).is_some()).collect();
            assert_eq!(read, [], "{text}");
        }
    }

    /// A month that ends earlier than the first day's number does not move later ones.
    #[test]
    fn months_begin_on_their_first_day() {
        let from = PeriodUnit::Month.parse("2024-01").unwrap();
        for months in 0..40 {
            assert_eq!(PeriodUnit::Month.after(from, months).unwrap().day(), 1);
        }
    }
}
