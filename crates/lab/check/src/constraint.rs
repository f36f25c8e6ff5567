//! Public facts about who is in the data, as formulas, and the datasets that they leave possible (I-INP, I-INX).
//!
//! A formula is an entity's name (the entity is in), `size = 3`, `size(ann, bob) <= 1` (the number of these entities
//! that are in), or `not`, `and`, `or` and brackets around formulas; `not` binds first and `or` last. Names with
//! characters other than letters, digits, `_` and `-` are quoted with `"`.

use crate::mechanism::Dataset;
use deniable_core::text::did_you_mean;

/// A formula over the entities of a mechanism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    /// The entity, by its position, is in.
    Member(usize),
    /// The number of these entities in the dataset.
    Size {
        /// The counted entities.
        among: Dataset,
        /// The comparison.
        comparison: Comparison,
        /// The number on the right side.
        with: u32,
    },
    /// The formula does not hold.
    Not(Box<Formula>),
    /// All formulas hold.
    All(Vec<Formula>),
    /// At least one formula holds.
    Any(Vec<Formula>),
}

/// A comparison of two whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

/// A text that is not a formula.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{at}`: {problem}; {hint}")]
pub struct FormulaError {
    /// The rest of the text, from the error on.
    pub at: String,
    /// The error.
    pub problem: String,
    /// How to correct it.
    pub hint: String,
}

impl Formula {
    /// Parses a formula about these entities.
    ///
    /// # Errors
    /// When the text does not fit the grammar, or names an unknown entity.
    pub fn parse(text: &str, entities: &[String]) -> Result<Self, FormulaError> {
        let mut parser = Parser { rest: text.trim_start(), entities, depth: 0 };
        let formula = parser.any()?;
        if parser.rest.is_empty() { Ok(formula) } else { Err(parser.error("this is unexpected", JOINED)) }
    }

    /// Whether the formula holds for a dataset.
    #[must_use]
    pub fn holds(&self, data: Dataset) -> bool {
        match self {
            Self::Member(entity) => data >> entity & 1 == 1,
            Self::Size { among, comparison, with } => {
                let size = (data & among).count_ones();
                match comparison {
                    Comparison::Equal => size == *with,
                    Comparison::NotEqual => size != *with,
                    Comparison::Less => size < *with,
                    Comparison::AtMost => size <= *with,
                    Comparison::More => size > *with,
                    Comparison::AtLeast => size >= *with,
                }
            }
            Self::Not(formula) => !formula.holds(data),
            Self::All(formulas) => formulas.iter().all(|formula| formula.holds(data)),
            Self::Any(formulas) => formulas.iter().any(|formula| formula.holds(data)),
        }
    }
}

const JOINED: &str = "join formulas by `and` or `or`";
const FORMS: &str = "write an entity, `size = 3`, `size(ann, bob) <= 1`, `not ...` or `( ... )`";
const COMPARISONS: [(&str, Comparison); 6] = [
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("=", Comparison::Equal),
    ("<", Comparison::Less),
    (">", Comparison::More),
];
/// Most nested brackets and negations.
const MOST_NESTED: usize = 100;

struct Parser<'a> {
    rest: &'a str,
    entities: &'a [String],
    depth: usize,
}

impl<'a> Parser<'a> {
    fn error(&self, problem: &str, hint: impl Into<String>) -> FormulaError {
        FormulaError { at: self.rest.to_owned(), problem: problem.to_owned(), hint: hint.into() }
    }

    fn any(&mut self) -> Result<Formula, FormulaError> {
        let mut all = vec![self.all()?];
        while self.word("or") {
            all.push(self.all()?);
        }
        Ok(if all.len() == 1 { all.swap_remove(0) } else { Formula::Any(all) })
    }

    fn all(&mut self) -> Result<Formula, FormulaError> {
        let mut all = vec![self.one()?];
        while self.word("and") {
            all.push(self.one()?);
        }
        Ok(if all.len() == 1 { all.swap_remove(0) } else { Formula::All(all) })
    }

    fn one(&mut self) -> Result<Formula, FormulaError> {
        if self.depth == MOST_NESTED {
            return Err(self.error("this is nested too deeply", "write fewer brackets"));
        }
        self.depth += 1;
        let formula = if self.word("not") {
            Formula::Not(Box::new(self.one()?))
        } else if self.sign("(") {
            let formula = self.any()?;
            self.closed()?;
            formula
        } else if self.word("size") {
            self.size()?
        } else {
            Formula::Member(self.entity()?)
        };
        self.depth -= 1;
        Ok(formula)
    }

    fn size(&mut self) -> Result<Formula, FormulaError> {
        let mut among: Dataset = ((1_u64 << self.entities.len()) - 1) as Dataset;
        if self.sign("(") {
            among = 1 << self.entity()?;
            while self.sign(",") {
                among |= 1 << self.entity()?;
            }
            self.closed()?;
        }
        let comparison = COMPARISONS.into_iter().find(|(sign, _)| self.sign(sign));
        let (_, comparison) = comparison.ok_or_else(|| self.error("a comparison is missing", "write `size = 3`"))?;
        let digits = self.rest.len() - self.rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let with =
            self.rest[..digits].parse().map_err(|_| self.error("this is not a whole number", "write `size = 3`"))?;
        self.skip(digits);
        Ok(Formula::Size { among, comparison, with })
    }

    fn closed(&mut self) -> Result<(), FormulaError> {
        if self.sign(")") { Ok(()) } else { Err(self.error("a bracket is not closed", "write `)`")) }
    }

    fn entity(&mut self) -> Result<usize, FormulaError> {
        let (name, length) = match self.rest.strip_prefix('"') {
            Some(quoted) => match quoted.find('"') {
                Some(end) => (&quoted[..end], end + 2),
                None => return Err(self.error("a quote is not closed", "write `\"`")),
            },
            None => {
                let length = self.word_length();
                (&self.rest[..length], length)
            }
        };
        if name.is_empty() {
            return Err(self.error("a formula is missing", FORMS));
        }
        let found = self.entities.iter().position(|known| known == name);
        let entity = found.ok_or_else(|| {
            self.error("this is not an entity", did_you_mean(name, self.entities.iter().map(String::as_str)))
        })?;
        self.skip(length);
        Ok(entity)
    }

    fn word_length(&self) -> usize {
        self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(self.rest.len())
    }

    /// Consumes this word if it is next.
    fn word(&mut self, word: &str) -> bool {
        let is_next = self.rest[..self.word_length()] == *word;
        if is_next {
            self.skip(word.len());
        }
        is_next
    }

    /// Consumes this sign if it is next.
    fn sign(&mut self, sign: &str) -> bool {
        let is_next = self.rest.starts_with(sign);
        if is_next {
            self.skip(sign.len());
        }
        is_next
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest[length..].trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["ann", "bob", "cy", "women 1"].map(str::to_owned).to_vec()
    }

    fn possible(text: &str) -> Vec<Dataset> {
        let formula = Formula::parse(text, &names()).unwrap_or_else(|error| panic!("{text}: {error}"));
        (0..16).filter(|data| formula.holds(*data)).collect()
    }

    #[test]
    fn formulas_hold_for_the_datasets_that_they_describe() {
        let all = || 0..16_u32;
        let those = |keep: &dyn Fn(u32) -> bool| all().filter(|data| keep(*data)).collect::<Vec<_>>();
        assert_eq!(possible("ann"), those(&|d| d & 1 == 1));
        assert_eq!(possible("\"women 1\" and not ann"), those(&|d| d & 8 != 0 && d & 1 == 0));
        assert_eq!(possible("size = 2"), those(&|d| d.count_ones() == 2));
        assert_eq!(possible("size(ann, bob)!=1"), those(&|d| (d & 3).count_ones() != 1));
        assert_eq!(possible("size > 1 and size<=3"), those(&|d| (2..=3).contains(&d.count_ones())));
        assert_eq!(possible("size < 1 or size >= 4"), vec![0, 15]);
        // `not` first, then `and`, then `or`.
        assert_eq!(possible("not ann and bob or cy"), those(&|d| (d & 1 == 0 && d & 2 != 0) || d & 4 != 0));
        assert_eq!(possible("not (ann and (bob or cy))"), those(&|d| !(d & 1 == 1 && d & 6 != 0)));
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |text: &str| Formula::parse(text, &names()).unwrap_err().to_string();
        assert_eq!(wrong("anne"), "`anne`: this is not an entity; did you mean `ann`?");
        assert!(wrong("").contains("a formula is missing") && wrong("ann or").contains("a formula is missing"));
        assert!(wrong("ann bob").starts_with("`bob`: this is unexpected; join formulas"));
        assert!(wrong("(ann").contains("a bracket is not closed") && wrong("\"ann").contains("a quote is not closed"));
        assert!(wrong("size = x").contains("not a whole number") && wrong("size").contains("a comparison is missing"));
        assert!(wrong("size(ann, ) = 1").contains("a formula is missing"));
        assert!(wrong(&"not ".repeat(200)).contains("nested too deeply"));
    }
}
