//! Parses the cells of one line of a codebook.

use super::{Entry, Head};
use csv::StringRecord;
use deniable_core::calendar::{iso_day, iso_moment};
use deniable_core::exact::{Rational, parse_rational, whole};
use deniable_core::schema::{ALL, ColumnType, Key};
use deniable_core::text::{is_hidden, shown};
use deniable_policy::ColumnNotes;
use std::collections::{BTreeMap, BTreeSet};

/// The error in a cell, and what to write instead.
pub(super) struct CellFault {
    pub(super) head: Head,
    pub(super) problem: String,
    pub(super) help: String,
}

fn wrong<T>(head: Head, problem: impl Into<String>, help: impl Into<String>) -> Result<T, CellFault> {
    Err(CellFault { head, problem: problem.into(), help: help.into() })
}

const TYPES: &str = "write integer, decimal, text, boolean, date or timestamp, or leave it empty";

pub(super) struct Cells<'a> {
    heads: &'a [Option<Head>],
    record: &'a StringRecord,
}

/// A code with its label.
type Code = (String, Option<String>);

/// Meaning of a cell in the column of types.
enum Kind {
    Is(ColumnType),
    /// The codes decide: whole numbers, or texts.
    Coded,
    /// One boolean column for each code.
    Several,
    /// A field without a value, or with a value of unknown type. Its cell of codes has another meaning.
    Open,
}

impl<'a> Cells<'a> {
    pub(super) fn new(heads: &'a [Option<Head>], record: &'a StringRecord) -> Self {
        Self { heads, record }
    }

    pub(super) fn are_empty(&self) -> bool {
        self.record.iter().all(|cell| cell.trim().is_empty())
    }

    /// The text of a cell; empty if the codebook does not have this column.
    fn cell(&self, head: Head) -> &'a str {
        let at = self.heads.iter().position(|known| *known == Some(head));
        at.and_then(|at| self.record.get(at)).unwrap_or_default().trim()
    }

    /// The entries of the line: one, or one for each checkbox.
    pub(super) fn entries(&self, line: u64, known: &BTreeMap<&str, ColumnType>) -> Result<Vec<Entry>, CellFault> {
        let name = self.cell(Head::Name);
        if name.is_empty() {
            return wrong(Head::Name, "the column's name is missing", "write the name as in the data");
        }
        let about = Some(self.cell(Head::About).split_whitespace().collect::<Vec<_>>().join(" "));
        let about = about.filter(|about| !about.is_empty());
        let (kind, codes) = match self.kind()? {
            Kind::Several => return self.boxes(name, line, about.as_deref()),
            Kind::Open => (None, Vec::new()),
            Kind::Is(kind) => (Some(kind), self.codes()?),
            Kind::Coded => {
                let codes = self.codes()?;
                let are_whole = codes.iter().all(|(code, _)| is_whole(code));
                let kind = if are_whole { ColumnType::Integer } else { ColumnType::Text };
                ((!codes.is_empty()).then_some(kind), codes)
            }
        };
        let of_file = known.get(name).copied();
        let contradicted = kind.filter(|kind| of_file.is_some_and(|of_file| of_file != *kind));
        let kind = of_file.or(kind);
        let keys = self.keys(codes, kind)?;
        let bounds = self.bounds(kind)?;
        let step = self.step(kind, bounds.is_some())?;
        let described = ColumnNotes { about, kind, keys, bounds, step };
        Ok(vec![Entry { name: name.to_owned(), line, described, contradicted }])
    }

    fn kind(&self) -> Result<Kind, CellFault> {
        let (written, validation) = (self.cell(Head::Type), self.cell(Head::Validation).to_lowercase());
        Ok(match written.to_lowercase().as_str() {
            "text" | "string" | "str" | "char" | "character" | "varchar" | "notes" => match validation.as_str() {
                "integer" => Kind::Is(ColumnType::Integer),
                date if date.starts_with("datetime") => Kind::Is(ColumnType::Timestamp),
                date if date.starts_with("date") => Kind::Is(ColumnType::Date),
                number if number.starts_with("number") => Kind::Is(ColumnType::Decimal),
                _ => Kind::Is(ColumnType::Text),
            },
            "integer" | "int" | "int32" | "int64" | "long" | "whole" => Kind::Is(ColumnType::Integer),
            "decimal" | "number" | "numeric" | "float" | "double" | "real" => Kind::Is(ColumnType::Decimal),
            "boolean" | "bool" | "logical" | "yesno" | "truefalse" => Kind::Is(ColumnType::Boolean),
            "date" => Kind::Is(ColumnType::Date),
            "timestamp" | "datetime" => Kind::Is(ColumnType::Timestamp),
            "" | "?" | "radio" | "dropdown" | "categorical" | "factor" | "nominal" | "ordinal" | "coded" => Kind::Coded,
            "checkbox" => Kind::Several,
            "calc" | "slider" | "file" | "descriptive" | "sql" | "signature" => Kind::Open,
            _ => return wrong(Head::Type, format!("`{}` is not a type", shown(written)), TYPES),
        })
    }

    /// The codes in their order, each with its label, if any.
    fn codes(&self) -> Result<Vec<Code>, CellFault> {
        let choices = self.cell(Head::Choices);
        if !choices.is_empty() {
            return choices.split('|').filter(|choice| !choice.trim().is_empty()).map(choice).collect();
        }
        let (codes, labels) = (split(self.cell(Head::Codes)), split(self.cell(Head::Labels)));
        if labels.is_empty() {
            // `0=men | 1=women`, or codes alone.
            let both: Option<Vec<(&str, &str)>> = codes.iter().map(|code| code.split_once('=')).collect();
            return Ok(match both {
                Some(both) => {
                    both.into_iter().map(|(code, label)| (code.trim().into(), Some(label.trim().into()))).collect()
                }
                None => codes.into_iter().map(|code| (code.to_owned(), None)).collect(),
            });
        }
        if codes.len() != labels.len() {
            let (codes, labels) = (codes.len(), labels.len());
            let help = "write as many labels as codes, in the same order, each list with | between its entries";
            return wrong(Head::Labels, format!("there are {labels} labels for {codes} codes"), help);
        }
        Ok(codes.iter().zip(labels).map(|(code, label)| ((*code).to_owned(), Some(label.to_owned()))).collect())
    }

    /// The column with the codes and labels, for messages.
    fn head_of_codes(&self) -> Head {
        if self.cell(Head::Choices).is_empty() { Head::Codes } else { Head::Choices }
    }

    fn keys(&self, codes: Vec<Code>, kind: Option<ColumnType>) -> Result<Vec<(Key, Option<String>)>, CellFault> {
        let head = self.head_of_codes();
        let of_labels = if self.cell(Head::Labels).is_empty() { head } else { Head::Labels };
        let (mut keys, mut labels): (Vec<(Key, Option<String>)>, BTreeSet<String>) = Default::default();
        for (code, label) in codes {
            let key = match kind {
                Some(ColumnType::Integer) => code.parse().ok().map(Key::Integer),
                Some(ColumnType::Boolean) => truth(&code).map(Key::Boolean),
                Some(ColumnType::Text) | None => Some(Key::Text(code.clone())),
                Some(kind @ (ColumnType::Decimal | ColumnType::Date | ColumnType::Timestamp)) => {
                    let help = "write integer or text as the type, or remove the codes";
                    return wrong(head, format!("codes are not allowed for the type {}", kind.name()), help);
                }
            };
            let Some(key) = key else {
                let kind = kind.map_or("", ColumnType::name);
                let help = "write codes as in the data, or text as the type";
                return wrong(head, format!("the code `{}` is not of the type {kind}", shown(&code)), help);
            };
            if keys.iter().any(|(known, _)| *known == key) {
                return wrong(head, format!("duplicate code `{}`", shown(&code)), "remove one of them");
            }
            let label = label.filter(|label| !label.is_empty());
            let seen = label.clone().unwrap_or(code);
            if seen.contains(is_hidden) || seen == ALL || seen.is_empty() {
                let problem = format!("`{}` cannot be shown as a label", shown(&seen));
                return wrong(of_labels, problem, "write a line of text without invisible characters");
            }
            if !labels.insert(seen.clone()) {
                let help = "give each code its own label: two groups would look alike";
                return wrong(of_labels, format!("duplicate label `{}`", shown(&seen)), help);
            }
            keys.push((key, label));
        }
        Ok(keys)
    }

    /// Lower and upper bound; a missing bound becomes a `?`.
    fn bounds(&self, kind: Option<ColumnType>) -> Result<Option<[String; 2]>, CellFault> {
        let (written, low, high) = (self.cell(Head::Bounds), self.cell(Head::Low), self.cell(Head::High));
        let (head, ends) = if !written.is_empty() {
            let inner = written.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(written);
            let parts = ["..", ",", ";", " to "].into_iter().find_map(|between| inner.split_once(between));
            let Some((low, high)) = parts else {
                let help = "write the least and the greatest plausible value, as in 0..110";
                return wrong(Head::Bounds, format!("`{}` is not a pair of bounds", shown(written)), help);
            };
            (Head::Bounds, [low.trim(), high.trim()])
        } else if low.is_empty() && high.is_empty() {
            return Ok(None);
        } else {
            (if low.is_empty() { Head::High } else { Head::Low }, [low, high])
        };
        let mut values: Vec<Rational> = Vec::new();
        for end in ends.into_iter().filter(|end| !end.is_empty()) {
            match place(end, kind) {
                Some(value) => values.push(value),
                None => {
                    let (what, help) = match kind {
                        Some(ColumnType::Text | ColumnType::Boolean) => {
                            ("a bound, and this type has no bounds", "leave it empty")
                        }
                        Some(ColumnType::Integer) => ("a whole number", "write one, as in 0..110"),
                        Some(ColumnType::Date) => ("a date", "write 2024-12-31"),
                        Some(ColumnType::Timestamp) => ("a time", "write 2024-12-31 or 2024-12-31 18:30"),
                        Some(ColumnType::Decimal) | None => ("a number", "write one, as in 0..99.5"),
                    };
                    let problem = match kind {
                        Some(ColumnType::Text | ColumnType::Boolean) => format!("`{}` is {what}", shown(end)),
                        _ => format!("`{}` is not {what}", shown(end)),
                    };
                    return wrong(head, problem, help);
                }
            }
        }
        if let [low, high] = values.as_slice()
            && low >= high
        {
            let problem = format!("`{}` is not below `{}`", shown(ends[0]), shown(ends[1]));
            return wrong(head, problem, "write the lower bound first; the bounds must differ");
        }
        Ok(Some(ends.map(|end| if end.is_empty() { "?".to_owned() } else { end.to_owned() })))
    }

    fn step(&self, kind: Option<ColumnType>, has_bounds: bool) -> Result<Option<String>, CellFault> {
        let step = self.cell(Head::Step);
        if step.is_empty() {
            return Ok(None);
        }
        let is_number = matches!(kind, Some(ColumnType::Integer | ColumnType::Decimal) | None);
        if !is_number || !has_bounds {
            let help = "leave it empty, or add bounds and write integer or decimal as the type";
            return wrong(Head::Step, "a step needs bounds and a number as the type", help);
        }
        match parse_rational(step) {
            Ok(value) if value > whole(0) => Ok(Some(step.to_owned())),
            _ => {
                let help = "write the difference of neighbouring values, as in 0.5";
                wrong(Head::Step, format!("`{}` is not a positive number", shown(step)), help)
            }
        }
    }

    /// Checkboxes of REDCap: `name___code` is true if the box of this code is ticked.
    fn boxes(&self, name: &str, line: u64, about: Option<&str>) -> Result<Vec<Entry>, CellFault> {
        let entry = |(code, label): Code| {
            let told = [about.map(str::to_owned), label].into_iter().flatten().collect::<Vec<_>>().join(": ");
            let described = ColumnNotes {
                about: (!told.is_empty()).then_some(told),
                kind: Some(ColumnType::Boolean),
                ..ColumnNotes::default()
            };
            let code = code.to_lowercase().replace('-', "_");
            Entry { name: format!("{name}___{code}"), line, described, contradicted: None }
        };
        Ok(self.codes()?.into_iter().map(entry).collect())
    }
}

/// Parses a choice of REDCap, such as `1, Men`.
fn choice(choice: &str) -> Result<Code, CellFault> {
    match choice.split_once(',') {
        Some((code, label)) => Ok((code.trim().to_owned(), Some(label.trim().to_owned()))),
        None => wrong(Head::Choices, format!("`{}` has no label", shown(choice.trim())), "write 1, Men | 2, Women"),
    }
}

/// Splits a list at `|`; if it contains none, at `;`, else at commas.
fn split(cell: &str) -> Vec<&str> {
    let between = ['|', ';', ','].into_iter().find(|between| cell.contains(*between)).unwrap_or('|');
    cell.split(between).map(str::trim).filter(|entry| !entry.is_empty()).collect()
}

/// Whether a code is a whole number in its usual notation: `01` is a text.
fn is_whole(code: &str) -> bool {
    code.parse::<i64>().is_ok_and(|number| number.to_string() == code)
}

fn truth(code: &str) -> Option<bool> {
    match code.to_lowercase().as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

/// The position of a bound, for comparing both; `None` if it is not of this type.
fn place(end: &str, kind: Option<ColumnType>) -> Option<Rational> {
    let number = || parse_rational(end).ok();
    let moment = || {
        let (day, time) = iso_moment(end)?;
        let (day, time) = (day.at(0, 0, 0, 0), time.map_or_else(|| day.at(0, 0, 0, 0), |time| day.to_datetime(time)));
        let days = day.duration_since(deniable_core::calendar::EPOCH.at(0, 0, 0, 0)).as_secs();
        Some(whole(days) + whole(time.duration_since(day).as_secs()))
    };
    match kind {
        Some(ColumnType::Integer) => number().filter(Rational::is_integer),
        Some(ColumnType::Decimal) => number(),
        Some(ColumnType::Date) => iso_day(end).and_then(|_| moment()),
        Some(ColumnType::Timestamp) => moment(),
        None => number().or_else(moment),
        Some(ColumnType::Text | ColumnType::Boolean) => None,
    }
}
