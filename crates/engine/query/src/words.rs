//! What is measured, in the words of the question.

use crate::{CentredArgument, Estimator, MeasureKind, Moments, QuantileShare, Query, Regression, Statistic, Target};
use deniable_core::exact::{Rational, whole};
use deniable_expression::{Id, Node, Operation, Type};

/// Most characters of an expression.
const MOST_WORDS: usize = 1_000;

impl Query {
    /// The measure at this position, as a curator would write it, with its level where there are several.
    #[must_use]
    pub fn measure_in_words(&self, position: usize) -> String {
        let level = self.levels_in_words(&[self.measures()[position].level]);
        format!("{}{level}", self.measure_alone(position))
    }

    /// What follows a measure of these levels: `, all`, ` by sex`, ` by sex; by ward`, ` in each grouping`. Nothing where
    /// there is one level only.
    #[must_use]
    pub fn levels_in_words(&self, levels: &[usize]) -> String {
        if self.levels().len() == 1 {
            return String::new();
        }
        if levels.len() == self.levels().len() {
            return " in each grouping".to_owned();
        }
        let each = levels.iter().map(|level| {
            let level = &self.levels()[*level];
            let names: Vec<&str> = level.iter().map(|group| self.groups()[*group].name.as_str()).collect();
            if names.is_empty() { ", all".to_owned() } else { format!(" by {}", names.join(", ")) }
        });
        each.collect::<Vec<_>>().join(";")
    }

    /// The measure at this position, whatever its level.
    #[must_use]
    pub fn measure_alone(&self, position: usize) -> String {
        let measure = &self.measures()[position];
        if let Some(about) = &self.per_entity
            && about.beyond.is_some()
        {
            return format!("COUNT(DISTINCT {}) within and beyond the caps", self.entity().unwrap_or("entity"));
        }
        let about = self.argument_in_words(position);
        match &measure.kind {
            MeasureKind::Rows => "COUNT(*)".to_owned(),
            MeasureKind::Entities { present: None } => format!("COUNT(DISTINCT {about})"),
            MeasureKind::Entities { present: Some(argument) } => {
                let filter = self.argument_words(*argument);
                format!("COUNT(DISTINCT {about}) where {filter} is not NULL")
            }
            MeasureKind::NotNull { .. } => format!("COUNT({about})"),
            MeasureKind::Sum { of, .. } => format!("SUM({})", self.centred_in_words(*of)),
            MeasureKind::Product { of: [one, other], .. } if one == other => {
                format!("SUM(({})^2)", self.centred_in_words(*one))
            }
            MeasureKind::Product { of: [one, other], .. } => {
                format!("SUM(({}) * ({}))", self.centred_in_words(*one), self.centred_in_words(*other))
            }
            MeasureKind::Ranked { target, .. } => match target {
                Target::Share(QuantileShare { part: 1, whole: 2 }) => format!("MEDIAN({about})"),
                Target::Share(QuantileShare { part, whole }) => format!("PERCENTILE_CONT({about}, {part}/{whole})"),
                Target::Lowest => format!("MIN({about})"),
                Target::Highest => format!("MAX({about})"),
            },
            MeasureKind::Tree { shares, .. } => format!("{} quantiles of {about}", shares.len()),
        }
    }

    /// The expression that the measure at this position is about.
    #[must_use]
    pub fn argument_in_words(&self, position: usize) -> String {
        match &self.measures()[position].kind {
            MeasureKind::Rows => "*".to_owned(),
            MeasureKind::Entities { .. } => self.entity().unwrap_or("entity").to_owned(),
            MeasureKind::Product { of: [one, other], .. } if one != other => {
                format!("{} * {}", self.argument_words(one.argument), self.argument_words(other.argument))
            }
            MeasureKind::Sum { of, .. } | MeasureKind::Product { of: [of, _], .. } => self.argument_words(of.argument),
            MeasureKind::NotNull { argument }
            | MeasureKind::Ranked { argument, .. }
            | MeasureKind::Tree { argument, .. } => self.argument_words(*argument),
        }
    }

    /// A weighted average as it would be written.
    #[must_use]
    pub fn weighted_in_words(&self, about: &Moments) -> String {
        format!("AVG_WEIGHTED({}, {})", self.weighted_value_in_words(about), self.argument_in_words(about.count))
    }

    /// The value of a weighted average: of the two that are multiplied, the one whose own sum is not the weights'; where a value
    /// weighs itself, that.
    #[must_use]
    pub fn weighted_value_in_words(&self, about: &Moments) -> String {
        match (&self.measures()[about.sum].kind, &self.measures()[about.count].kind) {
            (MeasureKind::Product { of: [one, other], .. }, MeasureKind::Sum { of: weights, .. }) => {
                self.argument_words(if one.argument == weights.argument { other.argument } else { one.argument })
            }
            _ => String::new(),
        }
    }

    /// A covariance, correlation or number of a fit as it would be written.
    #[must_use]
    pub fn regression_in_words(&self, about: &Regression) -> String {
        let name = match about.statistic {
            Statistic::Covariance { sample: false } => "COVAR_POP",
            Statistic::Covariance { sample: true } => "COVAR_SAMP",
            Statistic::Correlation => "CORR",
            Statistic::Products(one, other) if one == other => "REGR_SXX",
            Statistic::Products(..) => "REGR_SXY",
            Statistic::Slope => "REGR_SLOPE",
            Statistic::Intercept => "REGR_INTERCEPT",
            Statistic::Explained => "REGR_R2",
        };
        let value = |of: &Moments| self.argument_in_words(of.sum);
        format!("{name}({})", about.values.iter().map(value).collect::<Vec<_>>().join(", "))
    }

    /// Whether values of a measure's argument can be beyond its bounds: not where it is 1 or 0 for what is true or not.
    #[must_use]
    pub fn is_clamped(&self, position: usize) -> bool {
        let MeasureKind::Sum { of, .. } = &self.measures()[position].kind else { return true };
        let program = &self.rows.program;
        let value = self.rows.arguments[of.argument].value;
        let value = match program.node(value) {
            Node::Call(Operation::Case, parts) if program.constant_of(parts[parts.len() - 1]) == Some(None) => parts[1],
            _ => value,
        };
        !matches!(program.node(value), Node::Call(Operation::Cast(_), inner) if program.kind(inner[0]) == Type::Boolean)
    }

    fn centred_in_words(&self, of: CentredArgument) -> String {
        let about = self.argument_words(of.argument);
        let unit = self.grid_unit(of.argument);
        if of.centre == 0 { about } else { format!("{about} - {}", whole(of.centre) * unit / whole(of.times)) }
    }

    /// The grid unit of an argument; 1 where there is none.
    pub fn grid_unit(&self, argument: usize) -> Rational {
        self.rows.arguments[argument].grid.as_ref().map_or_else(|| whole(1), |grid| grid.unit.clone())
    }

    pub(crate) fn argument_words(&self, argument: usize) -> String {
        if let Some(about) = &self.per_entity {
            return about.values.get(argument).map_or_else(String::new, |ladder| about.of.value_in_words(ladder.value));
        }
        self.complete_in_words(self.rows.arguments[argument].value)
    }

    /// A value in words; where it counts only beside other values, without saying so of each of them.
    fn complete_in_words(&self, value: Id) -> String {
        let program = &self.rows.program;
        let is_complete = self
            .answers
            .iter()
            .flatten()
            .any(|answer| matches!(answer, Estimator::Regression(_) | Estimator::Weighted(_)));
        let Node::Call(Operation::Case, parts) = program.node(value) else { return program.words(value, MOST_WORDS) };
        let ([condition, then, otherwise], true) = (parts.as_slice(), is_complete) else {
            return program.words(value, MOST_WORDS);
        };
        let mut wanted = vec![*condition];
        let mut others = Vec::new();
        while let Some(id) = wanted.pop() {
            match program.node(id) {
                Node::Call(Operation::And, both) => wanted.extend(both.iter().rev()),
                Node::Call(Operation::Not, inner)
                    if matches!(program.node(inner[0]), Node::Call(Operation::IsNull, _)) => {}
                _ => others.push(program.words(id, MOST_WORDS)),
            }
        }
        match others.as_slice() {
            _ if program.constant_of(*otherwise) != Some(None) => program.words(value, MOST_WORDS),
            [] => program.words(*then, MOST_WORDS),
            others => format!("CASE WHEN {} THEN {} END", others.join(" AND "), program.words(*then, MOST_WORDS)),
        }
    }

    /// The grid unit of the values that a measure is about; 1 where there is none.
    pub fn argument_unit(&self, position: usize) -> Rational {
        match &self.measures()[position].kind {
            MeasureKind::Rows | MeasureKind::Entities { .. } | MeasureKind::NotNull { .. } => whole(1),
            MeasureKind::Product { .. } => self.measures()[position].unit.clone(),
            MeasureKind::Sum { of, .. } => self.grid_unit(of.argument),
            MeasureKind::Ranked { argument, .. } | MeasureKind::Tree { argument, .. } => self.grid_unit(*argument),
        }
    }
}
