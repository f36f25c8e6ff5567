//! What is measured, in the words of the question.

use super::{MeasureKind, QuantileShare, Query, Target};
use deniable_core::exact::{Rational, whole};

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
            MeasureKind::Sum { centre: 0, squared: false, .. } => format!("SUM({about})"),
            MeasureKind::Sum { centre, squared, .. } => {
                let centre = whole(*centre) * self.argument_unit(position);
                if *squared { format!("SUM(({about} - {centre})^2)") } else { format!("SUM({about} - {centre})") }
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
            MeasureKind::NotNull { argument }
            | MeasureKind::Sum { argument, .. }
            | MeasureKind::Ranked { argument, .. }
            | MeasureKind::Tree { argument, .. } => self.argument_words(*argument),
        }
    }

    pub(super) fn argument_words(&self, argument: usize) -> String {
        if let Some(about) = &self.per_entity {
            return about.values.get(argument).map_or_else(String::new, |ladder| about.of.value_in_words(ladder.value));
        }
        self.rows.program.words(self.rows.arguments[argument].value, MOST_WORDS)
    }

    /// The grid unit of the values that a measure is about; 1 where there is none.
    #[must_use]
    pub fn argument_unit(&self, position: usize) -> Rational {
        match &self.measures()[position].kind {
            MeasureKind::Rows | MeasureKind::Entities { .. } | MeasureKind::NotNull { .. } => whole(1),
            MeasureKind::Sum { argument, .. }
            | MeasureKind::Ranked { argument, .. }
            | MeasureKind::Tree { argument, .. } => {
                self.rows.arguments[*argument].grid.as_ref().map_or_else(|| whole(1), |grid| grid.unit.clone())
            }
        }
    }
}
