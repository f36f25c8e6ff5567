//! Periods of time and calendar arithmetic: `day + INTERVAL '1 month 2 days'`, as PostgreSQL computes it.

use crate::calendar::{civil_day, day_of};
use crate::operation::Unit;
use crate::value::{Day, Moment};
use jiff::civil::Date;

const MONTHS_OF_A_YEAR: i64 = 12;
const DAYS_OF_A_WEEK: i64 = 7;
/// The units in which the part of a period below a day is written, with their microseconds, the largest first.
const CLOCK: [(&str, i64); 4] =
    [("hour", 3_600_000_000), ("minute", 60_000_000), ("second", 1_000_000), ("microsecond", 1)];

/// A period of months, days and microseconds, which do not convert into each other. It is added in this order; a day
/// that the resulting month does not have becomes its last day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Period {
    months: i32,
    days: i32,
    micros: i64,
}

impl Period {
    /// A period; each part may be negative. `None` for the least integers, which have no opposite.
    #[must_use]
    pub fn new(months: i32, days: i32, micros: i64) -> Option<Self> {
        let has_opposite = months > i32::MIN && days > i32::MIN && micros > i64::MIN;
        has_opposite.then_some(Self { months, days, micros })
    }

    /// This many units; `None` if they are too many.
    #[must_use]
    pub fn of(count: i64, unit: Unit) -> Option<Self> {
        let small = |each: i64| i32::try_from(count.checked_mul(each)?).ok();
        match unit {
            Unit::Year => Self::new(small(MONTHS_OF_A_YEAR)?, 0, 0),
            Unit::Quarter => Self::new(small(3)?, 0, 0),
            Unit::Month => Self::new(small(1)?, 0, 0),
            Unit::Week => Self::new(0, small(DAYS_OF_A_WEEK)?, 0),
            Unit::Day => Self::new(0, small(1)?, 0),
            Unit::Hour => Self::new(0, 0, count.checked_mul(3_600_000_000)?),
            Unit::Minute => Self::new(0, 0, count.checked_mul(60_000_000)?),
            Unit::Second => Self::new(0, 0, count.checked_mul(1_000_000)?),
        }
    }

    /// The sum of two periods, part by part.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        Self::new(
            self.months.checked_add(other.months)?,
            self.days.checked_add(other.days)?,
            self.micros.checked_add(other.micros)?,
        )
    }

    /// The period in the other direction.
    #[must_use]
    pub fn negated(self) -> Self {
        let (months, days) = (self.months.saturating_neg(), self.days.saturating_neg());
        Self { months, days, micros: self.micros.saturating_neg() }
    }

    /// The months of the period.
    #[must_use]
    pub fn months(self) -> i32 {
        self.months
    }

    /// The days of the period.
    #[must_use]
    pub fn days(self) -> i32 {
        self.days
    }

    /// The microseconds of the period.
    #[must_use]
    pub fn micros(self) -> i64 {
        self.micros
    }

    /// Whether the period consists of months and days, so that it leads from a date to a date.
    #[must_use]
    pub fn has_whole_days(self) -> bool {
        self.micros == 0
    }

    /// The date a period of months and days later; `None` if it, or the date after the months, is not within the years
    /// 1 to 9999. Later dates never lead to earlier dates.
    #[must_use]
    pub fn after_day(self, day: Day) -> Option<Day> {
        let day = if self.months == 0 { day } else { months_after(day, self.months)? };
        Day::new(i64::from(day.get()).checked_add(self.days.into())?)
    }

    /// The timestamp a period later; `None` if it, or the date after months and days, is not within the years 1 to
    /// 9999. With months, a later timestamp can lead to an earlier one: of 31 January at noon and 30 January at three,
    /// both a month later are on the last day of February.
    #[must_use]
    pub fn after(self, moment: Moment) -> Option<Moment> {
        let clock = moment.get().checked_sub(moment.day().midnight().get())?;
        let midnight = self.after_day(moment.day())?.midnight();
        Moment::new(midnight.get().checked_add(clock)?.checked_add(self.micros)?)
    }
}

/// The same day of another month, or the month's last day if it has no such day.
fn months_after(day: Day, months: i32) -> Option<Day> {
    let date = civil_day(day);
    let all = i64::from(date.year())
        .checked_mul(MONTHS_OF_A_YEAR)?
        .checked_add(i64::from(date.month()).checked_sub(1)?)?
        .checked_add(months.into())?;
    let year = i16::try_from(all.div_euclid(MONTHS_OF_A_YEAR)).ok().filter(|year| (1..=9999).contains(year))?;
    let month = i8::try_from(all.rem_euclid(MONTHS_OF_A_YEAR).checked_add(1)?).ok()?;
    let first = Date::new(year, month, 1).ok()?;
    day_of(Date::new(year, month, date.day().min(first.days_in_month())).ok()?)
}

/// As SQL writes it between quotes: `1 month 3 days -2 hours`.
impl std::fmt::Display for Period {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let part = |count: i64, unit: &str| format!("{count} {unit}{}", if count.abs() == 1 { "" } else { "s" });
        let mut parts = Vec::new();
        if self.months != 0 {
            parts.push(part(self.months.into(), "month"));
        }
        if self.days != 0 || (self.months == 0 && self.micros == 0) {
            parts.push(part(self.days.into(), "day"));
        }
        if self.micros != 0 {
            let fits = |(_, size): &&(&str, i64)| self.micros.checked_rem(*size) == Some(0);
            let (unit, size) = CLOCK.iter().find(fits).copied().unwrap_or(("microsecond", 1));
            parts.push(part(self.micros.checked_div(size).unwrap_or(self.micros), unit));
        }
        f.write_str(&parts.join(" "))
    }
}

/// Parses `1 year 2 months -3 days`: whole numbers, each before its unit, in any order.
impl std::str::FromStr for Period {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut words = text.split_ascii_whitespace();
        let mut all: Option<Self> = None;
        while let Some(count) = words.next() {
            let count: i64 = count.parse().map_err(|_| ())?;
            let part = part(count, words.next().ok_or(())?).ok_or(())?;
            let sum = all.map_or(Some(part), |all| all.plus(part));
            all = Some(sum.ok_or(())?);
        }
        all.ok_or(())
    }
}

/// A number of units, by the unit's name in singular or plural.
fn part(count: i64, unit: &str) -> Option<Period> {
    let unit = unit.to_ascii_lowercase();
    let singular = unit.strip_suffix('s').unwrap_or(&unit);
    match singular {
        "mon" => Period::of(count, Unit::Month),
        "hr" => Period::of(count, Unit::Hour),
        "min" => Period::of(count, Unit::Minute),
        "sec" => Period::of(count, Unit::Second),
        "microsecond" => Period::new(0, 0, count),
        name => Period::of(count, Unit::named(name)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse_day, parse_moment};

    fn day(text: &str) -> Option<Day> {
        parse_day(text, None)
    }

    fn period(text: &str) -> Period {
        text.parse().unwrap()
    }

    #[test]
    fn month_ends_are_clamped_as_in_postgresql() {
        for (from, by, to) in [
            ("2024-01-31", "1 month", "2024-02-29"),
            ("2023-01-31", "1 month", "2023-02-28"),
            ("2024-02-29", "1 year", "2025-02-28"),
            ("2024-02-29", "-4 years", "2020-02-29"),
            ("2024-03-31", "-1 month", "2024-02-29"),
            ("2024-05-31", "1 month 1 day", "2024-07-01"),
            ("2024-12-31", "2 quarters -1 day", "2025-06-29"),
            ("2024-01-01", "-1 day", "2023-12-31"),
            ("2024-02-28", "2 weeks", "2024-03-13"),
            ("0001-01-31", "1 month", "0001-02-28"),
        ] {
            assert_eq!(period(by).after_day(day(from).unwrap()), day(to), "{from} + {by}");
        }
    }

    #[test]
    fn dates_beyond_the_years_are_null() {
        for (from, by) in [
            ("9999-12-31", "1 day"),
            ("9999-12-01", "1 month"),
            // The step in between counts.
            ("9999-12-01", "1 month -1 day"),
            ("0001-01-31", "-1 month 2 days"),
            ("2024-01-01", "2147483647 months"),
            ("2024-01-01", "-2147483647 days"),
        ] {
            assert_eq!(period(by).after_day(day(from).unwrap()), None, "{from} + {by}");
        }
        let last = parse_moment("9999-12-31T23:59:59.999999", None).unwrap();
        assert_eq!(period("1 microsecond").after(last), None);
        assert_eq!(period("9223372036854775807 microseconds").after(last), None);
        assert!(period("-1 microsecond").after(last).is_some());
    }

    #[test]
    fn times_of_the_day_are_kept() {
        let at = |text: &str| parse_moment(text, None);
        for (from, by, to) in [
            ("2024-01-31T12:30", "1 month", "2024-02-29T12:30"),
            ("2024-01-31T12:30", "1 month 13 hours", "2024-03-01T01:30"),
            ("1969-12-31T23:59:59.5", "-2 minutes", "1969-12-31T23:57:59.5"),
        ] {
            assert_eq!(period(by).after(at(from).unwrap()), at(to), "{from} + {by}");
        }
    }

    #[test]
    fn periods_are_parsed_from_their_text() {
        for (text, shown) in [
            ("30 days", "30 days"),
            ("1 year 2 mons -3 days", "14 months -3 days"),
            ("36 HOURS", "36 hours"),
            ("90 minutes", "90 minutes"),
            ("+5 microseconds 1 second", "1000005 microseconds"),
            ("0 days", "0 days"),
        ] {
            assert_eq!(period(text).to_string(), shown);
            assert_eq!(period(shown), period(text));
            assert_eq!(period(text).negated().negated(), period(text));
        }
        for text in ["", "1", "days", "1.5 days", "1 day 2", "1 decade", "99999999999 years", "1 day 02:00", "1day"] {
            assert!(text.parse::<Period>().is_err(), "{text}");
        }
    }

    #[test]
    fn later_dates_never_lead_to_earlier_dates() {
        let by = ["1 month", "-1 month", "13 months -40 days", "-7 days"].map(period);
        let first = day("2023-12-01").unwrap().get();
        for by in by {
            let shifted: Vec<_> = (first..first + 500).map(|day| by.after_day(Day::new(day.into()).unwrap())).collect();
            assert!(shifted.is_sorted());
        }
    }
}
