//! Patterns of `TO_CHAR`, which format timestamps. Supported patterns have the same meaning as in PostgreSQL.

use crate::calendar::{civil_day, day_name, month_name, part};
use crate::operation::{Part, Unit};
use crate::value::Moment;
use std::fmt::Write;

/// Most characters of a pattern.
const MOST_CHARACTERS: usize = 100;
/// Width to which names are padded with spaces: the longest name of a month or of a day.
const WIDTH_OF_NAMES: usize = 9;

/// A pattern: parts of a timestamp, and the text between them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimePattern {
    text: Box<str>,
    pieces: Vec<Piece>,
}

/// A syntax error in a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimePatternError {
    /// Letters that are not a known part.
    Unknown(String),
    /// A missing closing quote.
    Quote,
    /// A pattern without a part of a timestamp.
    NoPart,
    /// More than 100 characters.
    TooLong,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Piece {
    Literal(char),
    /// A part; with the flag (FM), without leading zeros and trailing spaces.
    Field(Field, bool),
}

/// A part of a timestamp, the larger ones first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Field {
    Year,
    YearOfCentury,
    IsoYear,
    Quarter,
    Month,
    /// The name of the month; with the flag its first three letters.
    MonthName(Letters, bool),
    Week,
    DayOfYear,
    Day,
    IsoDay,
    DayName(Letters, bool),
    Hour,
    Minute,
    Second,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Letters {
    Mixed,
    Capital,
    Small,
}

/// The part of each word; `None` for words with another meaning that is not supported. The longest match counts.
const FIELDS: [(&str, Option<Field>); 42] = {
    use Field::{
        Day, DayName, DayOfYear, Hour, IsoDay, IsoYear, Minute, Month, MonthName, Quarter, Second, Week, Year,
        YearOfCentury,
    };
    use Letters::{Capital, Mixed, Small};
    [
        ("YYYY", Some(Year)),
        ("yyyy", Some(Year)),
        ("YYY", None),
        ("yyy", None),
        ("YY", Some(YearOfCentury)),
        ("yy", Some(YearOfCentury)),
        ("IYYY", Some(IsoYear)),
        ("iyyy", Some(IsoYear)),
        ("Q", Some(Quarter)),
        ("q", Some(Quarter)),
        ("MM", Some(Month)),
        ("mm", Some(Month)),
        ("Month", Some(MonthName(Mixed, false))),
        ("MONTH", Some(MonthName(Capital, false))),
        ("month", Some(MonthName(Small, false))),
        ("Mon", Some(MonthName(Mixed, true))),
        ("MON", Some(MonthName(Capital, true))),
        ("mon", Some(MonthName(Small, true))),
        ("IW", Some(Week)),
        ("iw", Some(Week)),
        ("IDDD", None),
        ("iddd", None),
        ("DDD", Some(DayOfYear)),
        ("ddd", Some(DayOfYear)),
        ("DD", Some(Day)),
        ("dd", Some(Day)),
        ("ID", Some(IsoDay)),
        ("id", Some(IsoDay)),
        ("Day", Some(DayName(Mixed, false))),
        ("DAY", Some(DayName(Capital, false))),
        ("day", Some(DayName(Small, false))),
        ("Dy", Some(DayName(Mixed, true))),
        ("DY", Some(DayName(Capital, true))),
        ("dy", Some(DayName(Small, true))),
        ("HH24", Some(Hour)),
        ("hh24", Some(Hour)),
        ("MI", Some(Minute)),
        ("mi", Some(Minute)),
        ("SS", Some(Second)),
        ("ss", Some(Second)),
        ("SSSS", None),
        ("ssss", None),
    ]
};

impl TimePattern {
    /// Parses a pattern. Characters other than letters, quotes and backslashes are literal, and so is all text between
    /// double quotes.
    ///
    /// # Errors
    /// For letters outside quotes that are not a known part, a pattern without any part, and very long patterns.
    pub fn new(text: &str) -> Result<Self, TimePatternError> {
        if text.chars().count() > MOST_CHARACTERS {
            return Err(TimePatternError::TooLong);
        }
        let (mut pieces, mut rest) = (Vec::new(), text);
        while let Some(first) = rest.chars().next() {
            let after = rest.strip_prefix(first).unwrap_or_default();
            if first == '"' {
                let (quoted, behind) = after.split_once('"').ok_or(TimePatternError::Quote)?;
                if quoted.contains('\\') {
                    return Err(TimePatternError::Unknown("\\".to_owned()));
                }
                pieces.extend(quoted.chars().map(Piece::Literal));
                rest = behind;
                continue;
            }
            if !first.is_alphabetic() && first != '\\' {
                pieces.push(Piece::Literal(first));
                rest = after;
                continue;
            }
            let bare = rest.strip_prefix("FM").or_else(|| rest.strip_prefix("fm"));
            let at = bare.unwrap_or(rest);
            let fits = FIELDS.iter().filter(|(name, _)| at.starts_with(name)).max_by_key(|(name, _)| name.len());
            let Some((name, Some(field))) = fits else {
                let word: String = rest.chars().take_while(|character| character.is_alphanumeric()).collect();
                return Err(TimePatternError::Unknown(if word.is_empty() { first.to_string() } else { word }));
            };
            pieces.push(Piece::Field(*field, bare.is_some()));
            rest = at.strip_prefix(name).unwrap_or_default();
        }
        if !pieces.iter().any(|piece| matches!(piece, Piece::Field(..))) {
            return Err(TimePatternError::NoPart);
        }
        Ok(Self { text: text.into(), pieces })
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Formats a timestamp.
    #[must_use]
    pub fn write(&self, moment: Moment) -> String {
        let mut written = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Literal(character) => written.push(*character),
                Piece::Field(field, bare) => field.write(moment, *bare, &mut written),
            }
        }
        written
    }

    /// The numbers of its parts, those of larger parts first: sorting texts by these gives the order of the calendar.
    #[must_use]
    pub fn rank(&self, moment: Moment) -> Vec<i64> {
        self.fields().into_iter().map(|field| field.number(moment)).collect()
    }

    /// The parts, the larger ones first.
    fn fields(&self) -> Vec<Field> {
        let field = |piece: &Piece| match piece {
            Piece::Field(field, _) => Some(*field),
            Piece::Literal(_) => None,
        };
        let mut fields: Vec<Field> = self.pieces.iter().filter_map(field).collect();
        fields.sort();
        fields
    }

    /// Whether later timestamps never have an earlier text, in the order of texts: the year, month, day, hour, minute
    /// and second, or the first of them, in this order and with leading zeros; a quarter may follow the year.
    #[must_use]
    pub fn is_in_order(&self) -> bool {
        const ORDER: [Field; 6] = [Field::Year, Field::Month, Field::Day, Field::Hour, Field::Minute, Field::Second];
        let fields = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Field(field, bare) => Some((*field, *bare)),
            Piece::Literal(_) => None,
        });
        let mut fields: Vec<(Field, bool)> = fields.collect();
        if let [(Field::Year, false), (Field::Quarter, _), ..] = fields.as_slice() {
            fields.remove(1);
        }
        fields.len() <= ORDER.len() && fields.iter().zip(ORDER).all(|(field, wanted)| *field == (wanted, false))
    }

    /// A unit within which the text does not change.
    #[must_use]
    pub fn unit(&self) -> Unit {
        let fields = self.fields();
        let has = |of: fn(&Field) -> bool| fields.iter().any(of);
        let is_of_weeks = |field: &Field| matches!(field, Field::IsoYear | Field::Week);
        if has(|field| matches!(field, Field::Second)) {
            Unit::Second
        } else if has(|field| matches!(field, Field::Minute)) {
            Unit::Minute
        } else if has(|field| matches!(field, Field::Hour)) {
            Unit::Hour
        } else if fields.iter().all(is_of_weeks) {
            Unit::Week
        } else if has(|field| field.is_of_days()) || fields.iter().any(is_of_weeks) {
            // Weeks do not begin with months and years.
            Unit::Day
        } else if has(|field| matches!(field, Field::Month | Field::MonthName(..))) {
            Unit::Month
        } else if has(|field| matches!(field, Field::Quarter)) {
            Unit::Quarter
        } else {
            Unit::Year
        }
    }

    /// The number of days, wherever they begin, in which all possible texts occur; `None` if that takes many years.
    #[must_use]
    pub fn repeats_after(&self) -> Option<i64> {
        let fields = self.fields();
        let of_clock = |field: &Field| matches!(field, Field::Hour | Field::Minute | Field::Second);
        let of_week = |field: &Field| of_clock(field) || matches!(field, Field::IsoDay | Field::DayName(..));
        let of_year = |field: &Field| matches!(field, Field::Quarter | Field::Month | Field::MonthName(..));
        if fields.iter().all(of_clock) {
            Some(1)
        } else if fields.iter().all(of_week) {
            Some(7)
        } else if fields.iter().all(of_year) {
            Some(366)
        } else {
            None
        }
    }
}

impl Field {
    fn is_of_days(self) -> bool {
        matches!(self, Self::DayOfYear | Self::Day | Self::IsoDay | Self::DayName(..))
    }

    fn number(self, moment: Moment) -> i64 {
        let of = |wanted: Part| part(wanted, moment).unwrap_or_default();
        match self {
            Self::Year => of(Part::Year),
            Self::YearOfCentury => of(Part::Year).rem_euclid(100),
            Self::IsoYear => civil_day(moment.day()).iso_week_date().year().into(),
            Self::Quarter => of(Part::Quarter),
            Self::Month | Self::MonthName(..) => of(Part::Month),
            Self::Week => of(Part::Week),
            Self::DayOfYear => of(Part::DayOfYear),
            Self::Day => of(Part::Day),
            Self::IsoDay | Self::DayName(..) => of(Part::IsoDayOfWeek),
            Self::Hour => of(Part::Hour),
            Self::Minute => of(Part::Minute),
            Self::Second => of(Part::Second),
        }
    }

    fn write(self, moment: Moment, bare: bool, to: &mut String) {
        let name = match self {
            Self::MonthName(letters, short) => month_name(moment).map(|name| (name, letters, short)),
            Self::DayName(letters, short) => day_name(moment).map(|name| (name, letters, short)),
            _ => None,
        };
        if let Some((name, letters, short)) = name {
            let name: String = name.chars().take(if short { 3 } else { WIDTH_OF_NAMES }).collect();
            let name = match letters {
                Letters::Mixed => name,
                Letters::Capital => name.to_uppercase(),
                Letters::Small => name.to_lowercase(),
            };
            let width = if short || bare { 0 } else { WIDTH_OF_NAMES };
            // Writing to a text does not fail.
            let _ = write!(to, "{name:width$}");
            return;
        }
        let width = match self {
            Self::Year | Self::IsoYear => 4,
            Self::DayOfYear => 3,
            Self::Quarter | Self::IsoDay => 1,
            _ => 2,
        };
        let _ = write!(to, "{:0width$}", self.number(moment), width = if bare { 0 } else { width });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::parse_moment;
    use std::collections::BTreeSet;

    fn written(pattern: &str, moment: &str) -> String {
        TimePattern::new(pattern).unwrap().write(parse_moment(moment, None).unwrap())
    }

    /// Examples from PostgreSQL's manual.
    #[test]
    fn parts_are_written_as_postgresql_writes_them() {
        let moment = "2024-05-06T07:08:09.9";
        for (pattern, text) in [
            ("YYYY", "2024"),
            ("YYYY-MM", "2024-05"),
            ("yyyy-mm-dd", "2024-05-06"),
            ("DD.MM.YYYY", "06.05.2024"),
            ("FMDD.FMMM.YY", "6.5.24"),
            ("Mon YYYY", "May 2024"),
            ("MON", "MAY"),
            ("[Month]", "[May      ]"),
            ("[FMMonth]", "[May]"),
            ("[DAY]", "[MONDAY   ]"),
            ("fmday", "monday"),
            ("Dy", "Mon"),
            ("ID", "1"),
            ("IYYY-\"W\"IW", "2024-W19"),
            ("YYYY\"Q\"Q", "2024Q2"),
            ("DDD/FMDDD", "127/127"),
            ("HH24:MI:SS", "07:08:09"),
            ("FMHH24", "7"),
            ("YYYYMMDD", "20240506"),
            ("MonDay", "MayMonday   "),
            ("\"Day \"DD", "Day 06"),
        ] {
            assert_eq!(written(pattern, moment), text, "{pattern}");
        }
        assert_eq!(written("YYYY IYYY IW ID YY", "2021-01-03"), "2021 2020 53 7 21");
        assert_eq!(written("YYYY FMYYYY DDD FMDDD YY FMYY", "0001-01-05"), "0001 1 005 5 01 1");
        assert_eq!(written("IYYY IW Q", "9999-12-31T23:59:59.999999"), "9999 52 4");
        assert_eq!(written("Month", "2024-09-01"), "September");
        assert_eq!(written("Day", "2024-09-04"), "Wednesday");
    }

    #[test]
    fn errors_name_the_unknown_letters() {
        let unknown = |pattern: &str| match TimePattern::new(pattern) {
            Err(TimePatternError::Unknown(word)) => word,
            other => panic!("{pattern}: {other:?}"),
        };
        for (pattern, word) in [
            ("YYYY-WW", "WW"),
            ("HH:MI", "HH"),
            ("HH12", "HH12"),
            ("YYY", "YYY"),
            ("YYYYY", "Y"),
            ("DDth", "th"),
            ("DDTH24", "TH24"),
            ("IDDD", "IDDD"),
            ("SSSSS", "SSSSS"),
            ("TMMonth", "TMMonth"),
            ("FM-MM", "FM"),
            ("FMFMMM", "FMFMMM"),
            ("Yyyy", "Yyyy"),
            ("MM\\", "\\"),
            ("\"\\\"\"MM", "\\"),
            ("MM ü", "ü"),
        ] {
            assert_eq!(unknown(pattern), word, "{pattern}");
        }
        assert_eq!(TimePattern::new("\"x"), Err(TimePatternError::Quote));
        assert_eq!(TimePattern::new(""), Err(TimePatternError::NoPart));
        assert_eq!(TimePattern::new("-\"MM\"-"), Err(TimePatternError::NoPart));
        assert_eq!(TimePattern::new(&"-".repeat(101)), Err(TimePatternError::TooLong));
    }

    /// A pattern gives one text within its unit, and all texts within its period.
    #[test]
    fn units() {
        for (name, _) in FIELDS.iter().filter(|(_, field)| field.is_some()) {
            for beside in ["", " IW", " YYYY", " MM", " Q", " HH24"] {
                let pattern = TimePattern::new(&format!("{name}{beside}")).unwrap();
                for days in (19_000..19_800).step_by(3) {
                    let moment = Moment::new(days * Moment::DAY + 45_296_789_000).unwrap();
                    let begin = pattern.unit().truncate(moment).unwrap();
                    assert_eq!(pattern.write(begin), pattern.write(moment), "{name}{beside}");
                    assert_eq!(pattern.rank(begin), pattern.rank(moment), "{name}{beside}");
                }
                // All possible texts occur within this number of days.
                if let Some(days) = pattern.repeats_after().filter(|_| pattern.unit() < Unit::Minute) {
                    let all = |days: i64| {
                        let mut texts = BTreeSet::new();
                        let mut moment = Moment::new(19_876 * Moment::DAY).unwrap();
                        let end = moment.get() + days * Moment::DAY;
                        while moment.get() <= end {
                            texts.insert(pattern.write(moment));
                            moment = pattern.unit().next(pattern.unit().truncate(moment).unwrap()).unwrap();
                        }
                        texts
                    };
                    assert_eq!(all(days), all(800), "{name}{beside}");
                }
            }
        }
    }
}
