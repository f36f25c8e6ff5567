//! The consequences of a choice: beliefs, odds, expected errors, and answers on made-up rows.

use crate::dial::{self, Dial};
use deniable_answers::Noisy;
use deniable_chart::belief::curve;
use deniable_chart::errors::{Errors, errors};
use deniable_chart::people::people;
use deniable_core::adversary::PriorRange;
use deniable_core::exact::{Rational, Rounding, decimal, percent_exactly, ratio};
use deniable_core::noise::Decay;
use deniable_core::promise::Promise;
use deniable_data::{Resources, SourceError};
use deniable_execute::Simulation;
use deniable_policy::Policy;
use deniable_publication::Answer;
use deniable_release::forecast::about;
use deniable_release::show::table;
use deniable_release::typical::{made_up, notes};
use deniable_release::whatif::{promise, with_promise};
use deniable_release::{AnswerForecast, Origin, Plan, QueryAnswer, QueryPlan, expected};
use deniable_report::PromisePicture;
use deniable_report::answers::pictures;
use num_traits::ToPrimitive;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use std::sync::Mutex;

/// Answers with more cells than this are not simulated: no picture shows them.
const MOST_CELLS: usize = 400;
/// Points of the picture of errors.
const POINTS: usize = 12;
/// Lines of the picture of errors.
const LINES: usize = 12;

/// The curator's choice. Beliefs are whole percents; 0 and 100 are open ends.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The promise's key in a policy.
    pub key: String,
    /// Its number, exact.
    pub value: String,
    /// The lowest prior; absent, with the other end, if the curator did not change the policy's own interval.
    pub low: Option<u32>,
    /// The highest prior.
    pub high: Option<u32>,
    /// The number of the noise draw to show.
    #[serde(default)]
    pub draw: u64,
}

/// A policy with the answers to its queries on made-up rows.
pub struct Explorer {
    plan: Plan,
    /// The file's text when it was last read or written here.
    pub(crate) text: Mutex<String>,
    simulations: Vec<Option<(Simulation, Answer)>>,
}

/// The contents of the page for a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct View {
    /// The promise's number, for display.
    pub value: String,
    /// The largest odds ratio, exact where rational.
    pub odds: String,
    /// Its natural logarithm, rounded up.
    pub epsilon: String,
    /// The policy's other promises, which this choice would replace.
    pub replaces: Vec<String>,
    /// The guarantee in natural frequencies.
    pub sentence: String,
    /// The picture of the sentence.
    pub people: String,
    /// The curve of beliefs.
    pub belief: String,
    /// The queries.
    pub queries: Vec<QueryView>,
}

/// A query under a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueryView {
    /// Its name.
    pub name: String,
    /// The expected errors of its answers.
    pub errors: Vec<ErrorView>,
    /// Public guesses that would give further errors.
    pub notes: Vec<String>,
    /// Answers on made-up rows.
    pub pictures: Vec<String>,
}

/// The expected error of one answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ErrorView {
    /// The answer.
    pub name: String,
    /// The largest error, at the policy's confidence.
    pub error: String,
    /// The error of a typical answer, and the answer; for a rank, the error relative to the rows. Only if the policy
    /// guesses enough.
    pub relative: Option<String>,
}

impl ErrorView {
    fn new(answer: &AnswerForecast) -> Self {
        let typical = answer.typical.as_ref().ok().and_then(|planned| planned.answer.as_ref());
        let of = typical.map_or_else(|| "the rows".to_owned(), about);
        Self {
            name: answer.name.clone(),
            error: answer.error.to_string(),
            relative: answer.relative.as_ref().map(|relative| format!("{} of {of}", share_of(relative))),
        }
    }
}

impl Explorer {
    /// Plans the queries of a policy and answers them on made-up rows.
    ///
    /// # Errors
    /// When a query cannot be computed.
    pub fn new(plan: &Plan) -> Result<Self, SourceError> {
        let rows = made_up(plan.policy());
        let tables: Vec<deniable_core::schema::TableSchema> =
            plan.tables().into_iter().map(|(table, _)| table).collect();
        let simulate = |planned: &QueryPlan| {
            let cells: usize = (0..planned.query().levels().len()).map(|level| planned.query().cells(level)).sum();
            if cells > MOST_CELLS {
                return Ok(None);
            }
            let simulation = Simulation::new(&tables, rows, planned.query(), &Resources::default())?;
            let truth = shown(plan, planned, &simulation, &still(planned), 0);
            Ok(Some((simulation, truth)))
        };
        let simulations = plan.queries().iter().map(simulate).collect::<Result<_, SourceError>>()?;
        Ok(Self { plan: plan.clone(), text: Mutex::new(plan.policy().source().to_owned()), simulations })
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        self.plan.policy()
    }

    /// The controls, for these priors.
    ///
    /// # Errors
    /// When the interval is invalid.
    pub fn dials(&self, low: Option<u32>, high: Option<u32>) -> Result<Vec<Dial>, String> {
        Ok(dial::dials(self.policy(), &self.priors(low, high)?))
    }

    /// The chosen interval as exact numbers, or the policy's own.
    fn priors(&self, low: Option<u32>, high: Option<u32>) -> Result<PriorRange, String> {
        match (low, high) {
            (Some(low), Some(high)) => dial::priors(low, high),
            _ => Ok(self.policy().guarantee().adversary().priors().clone()),
        }
    }

    /// The policy under this choice.
    ///
    /// # Errors
    /// In words for the page, when the choice cannot be kept.
    pub fn chosen(&self, choice: &Choice) -> Result<Policy, String> {
        self.with(&choice.key, &value(&choice.value)?, &self.priors(choice.low, choice.high)?)
    }

    fn with(&self, key: &str, value: &Rational, priors: &PriorRange) -> Result<Policy, String> {
        let key = deniable_release::whatif::key(key).ok_or_else(|| "no such promise".to_owned())?;
        let promise = promise(self.policy(), key, value.clone()).map_err(|error| error.to_string())?;
        with_promise(self.policy(), promise, Some(priors.clone())).map_err(|error| error.to_string())
    }

    /// The plan under another promise: the queries are priced, and not planned again.
    fn planned(&self, policy: Policy) -> Result<Plan, String> {
        self.plan.repriced(policy).map_err(|errors| errors.to_string().replace('\n', "; "))
    }

    /// The consequences of a choice.
    ///
    /// # Errors
    /// In words for the page, when the choice cannot be kept or its noise would be too large.
    pub fn view(&self, choice: &Choice) -> Result<View, String> {
        let plan = self.planned(self.chosen(choice)?)?;
        let policy = plan.policy();
        let stated = PromisePicture::of(policy.guarantee().clone());
        let (sentence, frequencies) = stated.in_frequencies();
        let all: Vec<Vec<AnswerForecast>> = plan.queries().iter().map(|planned| expected(planned, policy)).collect();
        let queries =
            plan.queries().iter().zip(&all).zip(&self.simulations).map(|((planned, all), simulation)| QueryView {
                name: planned.declared().name.clone(),
                errors: all.iter().map(ErrorView::new).collect(),
                notes: notes(&[(planned, all.as_slice())], policy),
                pictures: simulation.as_ref().map_or_else(Vec::new, |(simulation, truth)| {
                    let decays: Vec<Decay> = planned.measures().iter().map(|measure| measure.decay().clone()).collect();
                    let noisy = shown(&plan, planned, simulation, &decays, choice.draw);
                    pictures(&noisy, Some(truth)).into_iter().map(|(svg, _)| svg).collect()
                }),
            });
        Ok(View {
            value: dial::shown(&choice.key, &value(&choice.value)?),
            odds: policy.guarantee().limit().in_words(),
            epsilon: policy.guarantee().limit().epsilon_decimal(4),
            replaces: self.replaced(choice, policy),
            sentence,
            people: people(&frequencies),
            belief: curve(&stated.beliefs()),
            queries: queries.collect(),
        })
    }

    /// The other promises and priors of the policy that a choice would replace.
    fn replaced(&self, choice: &Choice, chosen: &Policy) -> Vec<String> {
        let own = |promise: &&Promise| {
            promise.name() != choice.key && (promise.name(), choice.key.as_str()) != ("alpha", "beta")
        };
        let mut all: Vec<String> =
            self.policy().guarantee().promises().iter().filter(own).map(ToString::to_string).collect();
        let (before, after) = (self.policy().guarantee().adversary().priors(), chosen.guarantee().adversary().priors());
        if before != after {
            let words = |priors: &PriorRange| {
                format!("{} to {}", percent_exactly(priors.low()), percent_exactly(priors.high()))
            };
            all.push(format!("beliefs beforehand of {} by {}", words(before), words(after)));
        }
        all
    }

    /// The picture of each answer's error against the promise's number.
    ///
    /// # Errors
    /// In words for the page, when the control does not exist.
    pub fn errors(&self, choice: &Choice) -> Result<String, String> {
        let (priors, current) = (self.priors(choice.low, choice.high)?, value(&choice.value)?);
        let dials = self.dials(choice.low, choice.high)?;
        let dial = dials.iter().find(|dial| dial.key == choice.key).ok_or("no such promise")?;
        let step = (dial.values.len() / POINTS).max(1);
        let mut x = Vec::new();
        let mut lines: Vec<(String, Vec<Option<f64>>)> = Vec::new();
        for value in dial.values.iter().step_by(step) {
            let plan = self.with(dial.key, value, &priors).and_then(|policy| self.planned(policy));
            x.push(value.to_f64().unwrap_or(0.0));
            let Ok(plan) = plan else { continue };
            for planned in plan.queries() {
                let answers = expected(planned, plan.policy());
                let alone = answers.len() == 1;
                for answer in answers {
                    let name = if alone {
                        planned.declared().name.clone()
                    } else {
                        format!("{}: {}", planned.declared().name, answer.name)
                    };
                    let at = match lines.iter().position(|(known, _)| *known == name) {
                        Some(at) => at,
                        None if lines.len() < LINES => {
                            lines.push((name, Vec::new()));
                            lines.len() - 1
                        }
                        None => continue,
                    };
                    if let Some((_, values)) = lines.get_mut(at) {
                        values.resize(x.len() - 1, None);
                        values.push(answer.error.number().and_then(ToPrimitive::to_f64));
                    }
                }
            }
        }
        for (_, values) in &mut lines {
            values.resize(x.len(), None);
        }
        Ok(errors(&Errors {
            x_label: dial::name(dial.key).to_owned(),
            y_label: "error, in each answer's own units".to_owned(),
            x,
            lines,
            current: current.to_f64(),
        }))
    }
}

/// An exact number from the page.
fn value(text: &str) -> Result<Rational, String> {
    deniable_core::exact::parse_rational(text).map_err(|error| error.to_string())
}

fn share_of(share: &Rational) -> String {
    deniable_core::exact::percent(share, 1, Rounding::Up)
}

/// Negligible noise: a draw other than 0 has a probability below 10^-20.
fn still(planned: &QueryPlan) -> Vec<Decay> {
    let none = Decay::exactly(ratio(1, i64::MAX)).into_iter().cycle();
    none.take(planned.measures().len()).collect()
}

/// A simulated answer in the form of a released one.
fn shown(plan: &Plan, planned: &QueryPlan, simulation: &Simulation, decays: &[Decay], draw: u64) -> Answer {
    // A fixed seed: changing the promise then scales the noise of one draw, instead of showing another draw. The seed
    // protects no data, as the rows are made up.
    let mut rng = ChaCha20Rng::seed_from_u64(draw);
    let values = simulation.with_noise(planned.query(), decays, plan.policy().confidence(), &mut rng);
    let consistent = if planned.declared().consistent {
        deniable_answers::made_consistent(planned.query(), &values, decays)
    } else {
        None
    };
    table(
        plan,
        planned,
        &QueryAnswer {
            noisy: Noisy { values, consistent, decays: decays.to_vec() },
            origin: Origin::Stored,
            withdrawn: None,
            series: None,
        },
    )
}

/// A value for the page's control, exact.
#[must_use]
pub fn exact(value: &Rational) -> String {
    let short = decimal(value, 6, Rounding::Nearest);
    if deniable_core::exact::parse_rational(&short).as_ref() == Ok(value) { short } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The number of made-up people is the policy's, whatever the number of rows.
    #[test]
    fn as_many_people_are_made_up_as_are_typical() {
        let people = |guess: &str| {
            let text = format!(
                "name = 'n'\npopulation = 'p'\nadversary = {{ preset = 'acquaintance' }}\npromise = {{ posterior_at_most = 0.75 }}\n\
                 data = {{ table = 't', path = 't.csv', version = '1'{guess} }}\n\
                 entity = {{ key = 'id', rows_per_group = 5, groups = 2, typical_entities = 15_000 }}\n\
                 columns.id = {{ type = 'text' }}\n[[query]]\nsql = 'SELECT COUNT(DISTINCT id) FROM t'\n"
            );
            let plan = Plan::new(Policy::parse(Path::new("policy.toml"), &text).unwrap()).unwrap();
            let explorer = Explorer::new(&plan).unwrap();
            let (_, truth) = explorer.simulations[0].as_ref().unwrap();
            truth.rows[0][0].number().unwrap().value_text()
        };
        assert_eq!(people(", typical_rows = 100_000"), "15000");
        assert_eq!(people(""), "15000");
    }
}
