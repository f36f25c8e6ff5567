//! Names of measures, in terms of the query's SQL.

use crate::{CentredArgument, Estimator, MeasureKind, Moments, QuantileShare, Query, Regression, Statistic, Target};
use deniable_core::exact::{Rational, whole};
use deniable_expression::{Id, Node, Operation, Type};

/// Most characters of an expression.
const MOST_WORDS: usize = 1_000;

impl Query {
    /// The measure at this position as SQL, with its level if there are several.
    #[must_use]
    pub fn measure_in_words(&self, position: usize) -> String {
        let level = self.levels_in_words(&[self.measures()[position].level]);
        format!("{}{level}", self.measure_alone(position))
    }

    /// The suffix for a measure of these levels: `, all`, ` by sex`, ` by sex; by ward`, ` in each grouping`. Empty if
    /// there is only one level.
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

    /// The measure at this position as SQL, without its level.
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

    /// The expression of the measure at this position, as SQL.
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

    /// A weighted average as SQL.
    #[must_use]
    pub fn weighted_in_words(&self, about: &Moments) -> String {
        format!("AVG_WEIGHTED({}, {})", self.weighted_value_in_words(about), self.argument_in_words(about.count))
    }

    /// The value of a weighted average: the factor whose own sum is not the sum of the weights; both factors are the
    /// same where a value is its own weight.
    #[must_use]
    pub fn weighted_value_in_words(&self, about: &Moments) -> String {
        match (&self.measures()[about.sum].kind, &self.measures()[about.count].kind) {
            (MeasureKind::Product { of: [one, other], .. }, MeasureKind::Sum { of: weights, .. }) => {
                self.argument_words(if one.argument == weights.argument { other.argument } else { one.argument })
            }
            _ => String::new(),
        }
    }

    /// A covariance, correlation or number of a fit as SQL.
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

    /// Whether values of a measure's argument can be beyond its bounds; false for a Boolean counted as 1 or 0.
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

    /// The grid unit of an argument; 1 if it has no grid.
    pub fn grid_unit(&self, argument: usize) -> Rational {
        self.rows.arguments[argument].grid.as_ref().map_or_else(|| whole(1), |grid| grid.unit.clone())
    }

    pub(crate) fn argument_words(&self, argument: usize) -> String {
        if let Some(about) = &self.per_entity {
            return about.values.get(argument).map_or_else(String::new, |ladder| about.of.value_in_words(ladder.value));
        }
        self.complete_in_words(self.rows.arguments[argument].value)
    }

    /// A value as SQL. If it counts only together with other values, the conditions that they are not NULL are omitted.
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

    /// The grid unit of a measure's argument; 1 if it has no grid.
    pub fn argument_unit(&self, position: usize) -> Rational {
        match &self.measures()[position].kind {
            MeasureKind::Rows | MeasureKind::Entities { .. } | MeasureKind::NotNull { .. } => whole(1),
            MeasureKind::Product { .. } => self.measures()[position].unit.clone(),
            MeasureKind::Sum { of, .. } => self.grid_unit(of.argument),
            MeasureKind::Ranked { argument, .. } | MeasureKind::Tree { argument, .. } => self.grid_unit(*argument),
        }
    }
}
