//! `[budget]` and `[[ask]]`: what is asked, and what part of the promise each answer uses.

use crate::adversary::probability_help;
use crate::error::{Place, PolicyErrorKind};
use crate::reader::{Field, Read, Section, all, shown};
use crate::tree::{Shape, text_start};
use deniable_core::exact::{Rational, ratio, whole};
use num_traits::{Signed, Zero};
use std::collections::BTreeMap;

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// Unique in the policy; `ask 1`, `ask 2`, ... by position where none is given.
    pub name: String,
    /// The SQL, as written; not blank.
    pub sql: String,
    /// The part of ln R that the answer uses, in (0, 1]: the answer costs `R^share` (C-1).
    pub share: Rational,
    /// The line of the policy file in which the SQL text begins, from 1.
    pub line: usize,
    /// The column in that line, in characters from 1.
    pub column: usize,
}

impl Ask {
    /// The line and column of the policy file for a line and column of the SQL text, all from 1.
    ///
    /// Exact for texts without TOML escapes (`\n`, or a backslash at the end of a line).
    #[must_use]
    pub fn place_of(&self, sql_line: usize, sql_column: usize) -> (usize, usize) {
        let before = if sql_line <= 1 { self.column - 1 } else { 0 };
        (self.line + sql_line.saturating_sub(1), before + sql_column)
    }
}

/// What part of the promise this policy may use, and how sure its intervals are.
pub(crate) struct Budget {
    pub(crate) spend: Rational,
    pub(crate) confidence: Rational,
}

impl Default for Budget {
    fn default() -> Self {
        Self { spend: whole(1), confidence: ratio(95, 100) }
    }
}

pub(crate) const KEYS: [&str; 2] = ["spend", "confidence"];
pub(crate) const ASK_KEYS: [&str; 4] = ["name", "sql", "weight", "share"];

pub(crate) fn read(field: &Field<'_>) -> Read<Budget> {
    let section = field.section("[budget]", &KEYS)?;
    let spend = section.optional("spend", |field| {
        let value = field.number()?;
        if value.is_positive() && value <= whole(1) { Ok(value) } else { Err(not_a_part(field, value)) }
    });
    let confidence = section.optional("confidence", |field| {
        let value = field.number()?;
        if value.is_positive() && value < whole(1) {
            return Ok(value);
        }
        let help = probability_help(&value);
        Err(field.out_of_range(value, "between 0 and 1, both excluded", help))
    });
    let usual = Budget::default();
    Ok(Budget { spend: spend?.unwrap_or(usual.spend), confidence: confidence?.unwrap_or(usual.confidence) })
}

fn not_a_part(field: &Field<'_>, value: Rational) -> crate::reader::Reported {
    let help = if value >= whole(2) {
        probability_help(&value)
    } else {
        "write a part such as \"1/2\"; 1 is all of it".to_owned()
    };
    field.out_of_range(value, "above 0 and at most 1", help)
}

/// What an ask wants of the spend.
enum Want {
    Weight(Rational),
    Share(Rational),
}

/// An ask before its share is known.
struct Question<'a> {
    section: Section<'a>,
    name: String,
    sql: String,
    start: usize,
    want: Want,
}

/// Reads `[[ask]]`. Without a budget the asks are read, not shared out.
pub(crate) fn read_asks(field: &Field<'_>, budget: Read<&Budget>) -> Read<Vec<Ask>> {
    if let Shape::Table(_) = field.node.shape {
        return Err(field.wrong_type("a list of tables", "write `[[ask]]`, in double brackets, above every ask"));
    }
    let entries = field.list("a list of tables")?;
    if entries.is_empty() {
        return Err(field.fail(PolicyErrorKind::NoAsk, NO_ASK_HELP));
    }
    let mut names = BTreeMap::new();
    let questions = all(entries.iter().enumerate().map(|(index, entry)| read_question(entry, index + 1, &mut names)))?;
    share_out(questions, &budget?.spend)
}

/// The mend for a policy that asks nothing.
pub(crate) const NO_ASK_HELP: &str = "add an ask: `[[ask]]`, and below it `sql = \"SELECT COUNT(*) FROM ...\"`";

fn read_question<'a>(entry: &Field<'a>, number: usize, names: &mut BTreeMap<String, usize>) -> Read<Question<'a>> {
    let section = entry.section("[[ask]]", &ASK_KEYS)?;
    let name = section
        .optional("name", |field| field.line().map(str::to_owned))
        .map(|name| name.unwrap_or_else(|| format!("ask {number}")))
        .and_then(|name| unique(&section, name, number, names));
    let sql = section.need("sql", "add `sql = \"SELECT COUNT(*) FROM ...\"`").and_then(|field| {
        let sql = field.text()?;
        if sql.trim().is_empty() {
            return Err(field.bad_text("is empty", "write the question in SQL"));
        }
        Ok((sql.to_owned(), text_start(field.report.source, &field.node.span)))
    });
    let want = read_want(&section);
    let (sql, start) = sql?;
    Ok(Question { name: name?, sql, start, want: want?, section })
}

/// Answers are stored and shown under their names. `names` holds the number of the ask that has each.
fn unique(section: &Section<'_>, name: String, number: usize, names: &mut BTreeMap<String, usize>) -> Read<String> {
    if let Some(first) = names.get(&name) {
        let kind = PolicyErrorKind::Repeated { what: format!("the name `{}`", shown(&name)) };
        let help = format!("ask number {first} has this name already; every ask needs a name of its own");
        return Err(section.report.fail(&section.place_of("name"), kind, help));
    }
    names.insert(name.clone(), number);
    Ok(name)
}

fn read_want(section: &Section<'_>) -> Read<Want> {
    let weight = section.optional("weight", |field| {
        let value = field.number()?;
        if value.is_positive() { Ok(value) } else { Err(field.out_of_range(value, "above 0", "leave it out for 1")) }
    });
    let share = section.optional("share", |field| {
        let value = field.number()?;
        if value.is_positive() && value <= whole(1) { Ok(value) } else { Err(not_a_part(field, value)) }
    });
    match (weight?, share?) {
        (Some(_), Some(_)) => {
            let kind = PolicyErrorKind::Misplaced { key: "weight", when: "beside `share`" };
            let help = "keep `share` for a fixed part of the promise, or `weight` for a part of what is left";
            Err(section.report.fail(&section.place_of("weight"), kind, help))
        }
        (None, Some(share)) => Ok(Want::Share(share)),
        (Some(weight), None) => Ok(Want::Weight(weight)),
        (None, None) => Ok(Want::Weight(whole(1))),
    }
}

/// Explicit shares are taken first; weights divide what is left of the spend. Exact, so it can be used up exactly.
fn share_out(questions: Vec<Question<'_>>, spend: &Rational) -> Read<Vec<Ask>> {
    let (mut taken, mut weights) = (Rational::zero(), Rational::zero());
    for question in &questions {
        match &question.want {
            Want::Weight(weight) => weights += weight,
            Want::Share(share) => {
                taken += share;
                if taken > *spend {
                    let kind = PolicyErrorKind::SharesExceed { sum: taken, spend: spend.clone() };
                    let help = "lower the shares, or raise `spend` under [budget] (1 at most)";
                    return Err(question.section.report.fail(&question.section.place_of("share"), kind, help));
                }
            }
        }
    }
    let left = spend - taken;
    all(questions.into_iter().map(|question| {
        let share = match &question.want {
            Want::Share(share) => share.clone(),
            Want::Weight(weight) if left.is_positive() => &left * weight / &weights,
            Want::Weight(_) => {
                let kind = PolicyErrorKind::NothingLeft { spend: spend.clone() };
                let help = "lower the explicit shares, or give this ask one";
                return Err(question.section.report.fail(&question.section.place_of("weight"), kind, help));
            }
        };
        let place = Place::new(question.section.report.source, question.start..question.start);
        Ok(Ask { name: question.name, sql: question.sql, share, line: place.line, column: place.column })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::One;

    #[test]
    fn usual_budget() {
        let usual = Budget::default();
        assert!(usual.spend.is_one());
        assert_eq!(usual.confidence, ratio(19, 20));
    }
}
