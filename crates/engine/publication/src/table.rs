//! Answers of a policy: tables, cells, intervals and noise.

use crate::classes::QualityClasses;
use crate::imprint::{Heading, Imprint};
use crate::numbers::{AnswerOdds, Confidence, UpperBound, exact};
use crate::statement::Statement;
use deniable_core::exact::Rational;
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::Value;

/// The text in place of an unbounded interval.
const UNBOUNDED: &str = "unbounded";

/// A publication: one policy, its answers and its guarantee.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Publication {
    /// Whether the answers are about made-up rows and no person; omitted if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
    /// The policy's name.
    pub policy: String,
    /// The population of the policy.
    pub population: String,
    /// Title, publisher and other facts for readers; omitted if none is stated.
    #[serde(skip_serializing_if = "Imprint::is_empty")]
    pub imprint: Imprint,
    /// The table and its declared version.
    pub data: DataVersion,
    /// The confidence of every interval.
    pub confidence: Confidence,
    /// The answers.
    pub answers: Vec<Answer>,
    /// The guarantee.
    pub guarantee: Statement,
}

/// The data of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DataVersion {
    /// The table's name.
    pub table: String,
    /// The declared version.
    pub version: String,
}

/// The answer to a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The query's name.
    pub name: String,
    /// Its title for readers; absent if none is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its SQL.
    pub sql: String,
    /// The part of the promise that it used.
    #[serde(with = "exact")]
    pub share: Rational,
    /// The odds ratio that it may have revealed.
    pub odds: AnswerOdds,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The headings of the columns for readers, one for each; absent if none is stated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<Heading>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
    /// The noise of each measure.
    pub noise: Vec<Noise>,
    /// Whether the levels were made to add up, and counts not to be negative; absent if there is only one level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consistent: Option<bool>,
    /// The errors that the classes of its numbers allow; absent if no number has a class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<QualityClasses>,
    /// The test of independence of its two groups; absent unless the policy wants it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub independence: Option<IndependenceTest>,
    /// The name of the earlier answer that contains these numbers; absent for an answer of the query's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_from: Option<String>,
    /// The curator's withdrawal; absent unless the answer was withdrawn. Never in a ledger's record of an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<WithdrawalNotice>,
    /// Rules by which declarations can bias the answers, and whether levels add up.
    pub warnings: Vec<String>,
    /// What the curator could change for better classes; a page has no place for it. Empty if nothing would help.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<String>,
}

/// A test of whether two groups are independent, from the released numbers and the law of their noise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndependenceTest {
    /// The names of the two groups.
    pub groups: [String; 2],
    /// The p-value, from 0 to 1, to four decimals.
    pub p: Scalar,
    /// Whether the p-value is the smallest possible one: then the true one may be smaller.
    pub is_smallest: bool,
}

/// As a sentence without a final stop.
impl std::fmt::Display for IndependenceTest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { groups: [one, other], p, is_smallest } = self;
        let sign = if *is_smallest { "≤" } else { "=" };
        write!(
            f,
            "test of independence of `{one}` and `{other}`: p {sign} {p}. It is Pearson's, simulated with the noise of these \
             numbers, and treats the people in the data as independent draws"
        )
    }
}

/// The curator's statement that an answer is wrong. Its numbers remain as they were released.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithdrawalNotice {
    /// The day (UTC), as `2026-11-27`.
    pub on: String,
    /// The reason, in the curator's words.
    pub reason: String,
}

/// As a sentence without a final stop. Hidden characters are not escaped.
impl std::fmt::Display for WithdrawalNotice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the curator withdrew this answer on {}: {}", self.on, self.reason)
    }
}

/// One shown value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A key of a group.
    Key(Option<KeyValue>),
    /// A released number, day or time with its interval.
    Number(NumberCell),
}

/// A key, in JSON's types.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum KeyValue {
    /// Of a text column, or a text in the query.
    Text(String),
    /// Of an integer column.
    Integer(i64),
    /// A band of decimals, such as those of `FLOOR(x / 10) * 10`.
    Decimal(serde_json::Number),
    /// Of a boolean column.
    Boolean(bool),
    /// A key of any type with a label; also that of rows without a value, and of values that are not among the keys.
    Labelled(Box<LabelledKey>),
}

/// A key with the label that is shown in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelledKey {
    /// The key in the data; `None` for rows without a value, and for values that are not among the keys.
    pub key: Option<KeyValue>,
    /// The label to show.
    pub label: String,
    /// Whether it is the group of the values that are not among the keys.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other: bool,
}

/// The quality of a released number, by all public facts: the standard error of its noise and its interval relative to
/// its value, the error of its rank relative to the rows, and what caps and bounds leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Quality {
    /// Good.
    A,
    /// Acceptable.
    B,
    /// To be used with caution.
    C,
    /// The noise is small enough for a class, but caps or bounds can leave out more than the noise, and no public
    /// statement bounds how much.
    #[serde(rename = "bias unknown")]
    BiasUnknown,
    /// Beyond the last class, or a number that noise alone could give.
    #[serde(rename = "not usable")]
    Unusable,
}

impl std::fmt::Display for Quality {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::BiasUnknown => "bias unknown",
            Self::Unusable => "not usable",
        })
    }
}

/// A released value with its interval; ends of numbers are rounded outward.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NumberCell {
    /// The released value; absent if it is undefined.
    pub value: Option<Scalar>,
    /// The lower end; absent if unbounded.
    pub low: Option<Scalar>,
    /// The upper end; absent if unbounded.
    pub high: Option<Scalar>,
    /// An interval for the population's number with the stated confidence, including noise and sampling error; absent
    /// unless requested, and for numbers other than averages of one value per row (M-POP).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population: Option<Box<(Scalar, Scalar)>>,
    /// For a value chosen by its rank: it is at most this many rows from the wanted rank, with the stated confidence.
    /// For a number computed of such values alone, as an interquartile range: all of them together.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "number_or_text")]
    pub rows: Option<serde_json::Number>,
    /// The standard error of its noise, rounded up; absent for a value chosen by its rank.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "number_or_text")]
    pub standard_error: Option<serde_json::Number>,
    /// The class of quality; absent for exact numbers and for numbers without a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<Quality>,
    /// The text in place of a number that the curator's rules hide. It was released nevertheless: hiding protects no
    /// further.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<String>,
}

/// A number, or a day or time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Scalar {
    /// A number, digit by digit.
    Number(serde_json::Number),
    /// A day or a time in ISO 8601.
    Time(String),
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Time(time) => f.write_str(time),
        }
    }
}

/// The noise of one measure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noise {
    /// The measure.
    pub measure: String,
    /// The mechanism, which determines the units of the other numbers.
    pub kind: NoiseKind,
    /// The largest change by one person: of all its cells together, all its counts together, or of the distance of a
    /// candidate from the wanted rank, in rows.
    pub sensitivity: UpperBound,
    /// The scale of the added noise; absent if no noise is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<UpperBound>,
    /// The noise stays within this with the stated confidence.
    pub margin: UpperBound,
    /// Ratio of the probabilities of neighbouring noise values, or of candidates whose distances differ by one step.
    #[serde(with = "exact")]
    pub decay: Rational,
}

/// The mechanism of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoiseKind {
    /// Added to each cell, in the measure's own units (M-GEO).
    Geometric,
    /// A value is chosen, with larger probability nearer to the wanted rank; numbers are rows by rank (M-PF).
    #[serde(rename = "permute-and-flip")]
    PermuteAndFlip,
    /// One of several is picked, with larger probability for higher scores; numbers are in the score's own units
    /// (M-EXP, G-3).
    Selection,
    /// Added to counts of rows, from which quantiles are computed; numbers are rows, the margin rows by rank.
    Tree,
}

impl Noise {
    /// As a sentence, for a confidence.
    #[must_use]
    pub fn sentence(&self, confidence: &impl std::fmt::Display) -> String {
        let Self { measure, margin, .. } = self;
        let scale = self.scale.as_ref().map_or_else(|| "0".to_owned(), ToString::to_string);
        match self.kind {
            NoiseKind::Geometric => {
                format!("{measure} has scale {scale}, and stays within {margin} in {confidence} of all draws")
            }
            NoiseKind::PermuteAndFlip => format!(
                "{measure} is chosen by chance (permute-and-flip), the likelier the nearer its rank, and stays within {margin} \
                 rows of the wanted rank in {confidence} of all draws"
            ),
            NoiseKind::Selection => format!(
                "{measure} is made by chance, the likelier the higher the score, and has a score within {margin} of the best one \
                 left in {confidence} of all draws"
            ),
            NoiseKind::Tree => format!(
                "{measure} are read off counts of rows whose noise has scale {scale}, and each stays within {margin} rows \
                 of the wanted rank in {confidence} of all draws"
            ),
        }
    }
}

impl Answer {
    /// Whether any of its numbers has a class of quality.
    #[must_use]
    pub fn has_quality(&self) -> bool {
        self.rows.iter().flatten().any(|cell| cell.number().is_some_and(|number| number.quality.is_some()))
    }

    /// The title, or else the name.
    #[must_use]
    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }

    /// The heading of the column at a position, or else its name.
    #[must_use]
    pub fn heading(&self, at: usize) -> String {
        let name = self.columns.get(at).map_or("", String::as_str);
        self.headings.get(at).map_or_else(|| name.to_owned(), |heading| heading.text(name))
    }

    /// Whether each column has intervals for the population.
    #[must_use]
    pub fn have_population(&self) -> Vec<bool> {
        let has = |row: &Vec<Cell>, column: usize| {
            row.get(column).and_then(Cell::number).is_some_and(|number| number.population.is_some())
        };
        (0..self.columns.len()).map(|column| self.rows.iter().any(|row| has(row, column))).collect()
    }

    /// The cells of the column of this name, from top to bottom; `None` if there is no such column.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<impl Iterator<Item = &Cell>> {
        let at = self.columns.iter().position(|column| column == name)?;
        Some(self.rows.iter().filter_map(move |row| row.get(at)))
    }
}

impl Cell {
    /// The key, where it is one that is not NULL.
    #[must_use]
    pub fn key(&self) -> Option<&KeyValue> {
        match self {
            Self::Key(key) => key.as_ref(),
            Self::Number(_) => None,
        }
    }

    /// The released value with its interval, where it is one.
    #[must_use]
    pub fn number(&self) -> Option<&NumberCell> {
        match self {
            Self::Number(number) => Some(number),
            Self::Key(_) => None,
        }
    }
}

/// A key or a value, without its interval: `NULL` for the group of rows without one, `-` for an undefined value.
impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Key(Some(key)) => f.pad(&key.text()),
            Self::Key(None) => f.pad("NULL"),
            Self::Number(number) => f.pad(&number.value_text()),
        }
    }
}

impl Scalar {
    /// The nearest float, for plots and further arithmetic; `None` for a day or a time. The digits are exact.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => number.as_f64(),
            Self::Time(_) => None,
        }
    }

    /// The whole number; `None` if the value is not whole, or has more than 64 bits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(number) => number.as_i64(),
            Self::Time(_) => None,
        }
    }
}

impl NumberCell {
    /// The value as text, `-` where it is undefined.
    #[must_use]
    pub fn value_text(&self) -> String {
        if let Some(label) = &self.hidden {
            return label.clone();
        }
        self.value.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string)
    }

    /// The interval for the population as text; `None` if there is no such interval.
    #[must_use]
    pub fn population_text(&self) -> Option<String> {
        self.population.as_deref().map(|(low, high)| format!("{low} .. {high}"))
    }

    /// The interval as text.
    #[must_use]
    pub fn interval_text(&self) -> String {
        if self.hidden.is_some() {
            return String::new();
        }
        if let Some(rows) = &self.rows {
            return format!("{rows} rows by rank");
        }
        if let (None, None) = (&self.low, &self.high) {
            return UNBOUNDED.to_owned();
        }
        let end = |end: &Option<Scalar>| end.as_ref().map_or_else(|| "?".to_owned(), ToString::to_string);
        format!("{} .. {}", end(&self.low), end(&self.high))
    }
}

impl KeyValue {
    /// The key as text: its label, where it has one.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Integer(value) => value.to_string(),
            Self::Decimal(value) => value.to_string(),
            Self::Boolean(truth) => truth.to_string(),
            Self::Labelled(labelled) => labelled.label.clone(),
        }
    }
}

// Numbers keep every digit, and such numbers do not survive serde's own choice among untagged variants: each is read by hand.

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Number(number) => Ok(Self::Number(number)),
            // Numbers that floats do not hold are text in JSON for people.
            Value::String(text) => Ok(text.parse().map_or(Self::Time(text), Self::Number)),
            other => Err(D::Error::custom(format!("{other} is neither a number nor a time"))),
        }
    }
}

/// A number, or the text of one that floats do not hold.
fn number_or_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<serde_json::Number>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::Number(number) => Ok(Some(number)),
        Value::String(text) => text.parse().map(Some).map_err(D::Error::custom),
        other => Err(D::Error::custom(format!("{other} is not a number"))),
    }
}

impl KeyValue {
    fn read(value: Value) -> Result<Self, String> {
        match value {
            Value::String(text) => Ok(Self::Text(text)),
            Value::Bool(truth) => Ok(Self::Boolean(truth)),
            Value::Number(number) => Ok(number.as_i64().map_or(Self::Decimal(number), Self::Integer)),
            value @ Value::Object(_) => match serde_json::from_value(value) {
                Ok(labelled) => Ok(Self::Labelled(Box::new(labelled))),
                Err(error) => Err(error.to_string()),
            },
            other => Err(format!("{other} is not a key")),
        }
    }
}

impl<'de> Deserialize<'de> for KeyValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Null => Ok(Self::Key(None)),
            // Numbers have a value, and no label.
            value @ Value::Object(_) if value.get("label").is_none() => {
                NumberCell::deserialize(value).map(Self::Number).map_err(D::Error::custom)
            }
            value => KeyValue::read(value).map(|key| Self::Key(Some(key))).map_err(D::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_read_back_to_the_last_digit() {
        let number = |text: &str| Scalar::Number(text.parse().unwrap());
        let labelled = |key, label: &str, other| {
            Cell::Key(Some(KeyValue::Labelled(Box::new(LabelledKey { key, label: label.to_owned(), other }))))
        };
        let row = vec![
            Cell::Key(None),
            Cell::Key(Some(KeyValue::Text("a".to_owned()))),
            Cell::Key(Some(KeyValue::Integer(i64::MIN))),
            Cell::Key(Some(KeyValue::Decimal("0.10".parse().unwrap()))),
            Cell::Key(Some(KeyValue::Boolean(true))),
            labelled(Some(KeyValue::Integer(0)), "men", false),
            labelled(Some(KeyValue::Decimal("0.10".parse().unwrap())), "ten", false),
            labelled(None, "unknown", false),
            labelled(None, "elsewhere", true),
            Cell::Number(NumberCell {
                value: Some(number("123456789012345678901234567890.1000")),
                low: None,
                high: Some(Scalar::Time("2026-11-21".to_owned())),
                population: Some(Box::new((number("0.10"), number("-7")))),
                rows: Some("7".parse().unwrap()),
                standard_error: Some("1.5".parse().unwrap()),
                quality: Some(Quality::Unusable),
                hidden: Some("..".to_owned()),
            }),
        ];
        let text = serde_json::to_string(&row).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Cell>>(&text).unwrap(), row);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::from_value::<Vec<Cell>>(value).unwrap(), row);
        // Numbers beyond the precision of floats are text in JSON.
        let quoted = r#"{"value":"123456789012345678901234567890.1000","low":"2026-11-21","high":null,"rows":"9007199254740993"}"#;
        let Ok(Cell::Number(read)) = serde_json::from_str(quoted) else { panic!("no number") };
        assert_eq!(read.value, Some(number("123456789012345678901234567890.1000")));
        assert_eq!(read.low, Some(Scalar::Time("2026-11-21".to_owned())));
        assert_eq!(read.rows, Some("9007199254740993".parse().unwrap()));
        assert!(serde_json::from_str::<Cell>("[1]").is_err());
        assert!(text.contains(r#"{"key":0,"label":"men"}"#), "{text}");
        assert!(text.contains(r#"{"key":null,"label":"elsewhere","other":true}"#), "{text}");
        assert!(serde_json::from_str::<Cell>(r#"{"key":[],"label":"men"}"#).is_err());
    }

    #[test]
    fn an_interval_without_ends_is_shown_in_words() {
        let number = |text: &str| Some(Scalar::Number(text.parse().unwrap()));
        let text = |low, high| NumberCell { low, high, ..NumberCell::default() }.interval_text();
        assert_eq!(text(None, None), "unbounded");
        assert_eq!(text(number("1"), number("2.5")), "1 .. 2.5");
        assert_eq!(text(None, number("2.5")), "? .. 2.5");
        assert_eq!(text(number("1"), None), "1 .. ?");
    }

    #[test]
    fn kinds_of_noise_keep_their_names() {
        for (kind, name) in [
            (NoiseKind::Geometric, "\"geometric\""),
            (NoiseKind::PermuteAndFlip, "\"permute-and-flip\""),
            (NoiseKind::Selection, "\"selection\""),
            (NoiseKind::Tree, "\"tree\""),
        ] {
            assert_eq!(serde_json::to_string(&kind).unwrap(), name);
            assert_eq!(serde_json::from_str::<NoiseKind>(name).unwrap(), kind);
        }
    }
}
