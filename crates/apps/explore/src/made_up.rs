//! Answers on made-up rows of the stated sizes, in the form of released ones.

use deniable_answers::Noisy;
use deniable_core::exact::ratio;
use deniable_core::noise::Decay;
use deniable_core::schema::TableSchema;
use deniable_data::{Resources, SourceError};
use deniable_execute::Simulation;
use deniable_publication::Answer;
use deniable_release::show::table;
use deniable_release::typical::{made_up, measures};
use deniable_release::{Origin, Plan, QueryAnswer, QueryPlan};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// Answers with more cells than this are not simulated: each change of the promise would take seconds.
pub const MOST_CELLS: usize = 1_000;

/// A query's answer on made-up rows.
pub struct MadeUpAnswer {
    simulation: Simulation,
    /// The answer with negligible noise.
    pub truth: Answer,
}

impl MadeUpAnswer {
    /// The answers to the queries of a plan; `None` for those with too many cells.
    pub fn all(plan: &Plan) -> Result<Vec<Option<Self>>, SourceError> {
        let tables: Vec<TableSchema> = plan.tables().into_iter().map(|(table, _)| table).collect();
        plan.queries().iter().map(|planned| Self::new(plan, planned, &tables)).collect()
    }

    fn new(plan: &Plan, planned: &QueryPlan, tables: &[TableSchema]) -> Result<Option<Self>, SourceError> {
        let query = planned.query();
        let cells: usize = (0..query.levels().len()).map(|level| query.cells(level)).sum();
        if cells > MOST_CELLS {
            return Ok(None);
        }
        let simulation = Simulation::new(tables, made_up(plan.policy()), query, &Resources::default())?;
        let typical: Vec<Option<i128>> = measures(planned, plan.policy()).into_iter().map(Result::ok).collect();
        let simulation = simulation.of_sizes(query, &typical);
        // A draw other than 0 has a probability below 10^-20.
        let none: Vec<Decay> = Decay::exactly(ratio(1, i64::MAX)).into_iter().cycle().take(typical.len()).collect();
        let truth = answer(plan, planned, &simulation, none, 0);
        Ok(Some(Self { simulation, truth }))
    }

    /// The answer under the promise of a plan, with the noise draw of this number.
    pub fn draw(&self, plan: &Plan, planned: &QueryPlan, draw: u64) -> Answer {
        let decays = planned.measures().iter().map(|measure| measure.decay().clone()).collect();
        answer(plan, planned, &self.simulation, decays, draw)
    }
}

fn answer(plan: &Plan, planned: &QueryPlan, simulation: &Simulation, decays: Vec<Decay>, draw: u64) -> Answer {
    // A fixed seed: changing the promise then scales the noise of one draw, instead of showing another draw. The seed
    // protects no data, as the rows are made up.
    let mut rng = ChaCha20Rng::seed_from_u64(draw);
    let values = simulation.with_noise(planned.query(), &decays, plan.policy().confidence(), &mut rng);
    let consistent = if planned.declared().consistent {
        deniable_answers::made_consistent(planned.query(), &values, &decays)
    } else {
        None
    };
    let noisy = Noisy { values, consistent, decays };
    table(plan, planned, &QueryAnswer { noisy, origin: Origin::Stored, withdrawn: None, series: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_policy::Policy;
    use std::path::Path;

    fn truth(data: &str, rest: &str, sql: &str) -> Vec<String> {
        let text = format!(
            "name = 'n'\npopulation = 'p'\nadversary = {{ preset = 'acquaintance' }}\npromise = {{ posterior_at_most = 0.75 }}\n\
             data = {{ table = 't', path = 't.csv', version = '1'{data} }}\n{rest}\n[[query]]\nsql = '{sql}'\n"
        );
        let plan = Plan::new(Policy::parse(Path::new("policy.toml"), &text).unwrap()).unwrap();
        let simulated = MadeUpAnswer::all(&plan).unwrap().remove(0).unwrap();
        let numbers = simulated.truth.rows.iter().flatten().filter_map(|cell| cell.number());
        numbers.map(|number| number.value_text()).collect()
    }

    /// The number of made-up people is the policy's, whatever the number of rows.
    #[test]
    fn as_many_people_are_made_up_as_are_typical() {
        let entity = "entity = { key = 'id', rows_per_group = 5, groups = 2, typical_entities = 15_000 }\n\
                      columns.id = { type = 'text' }";
        for guess in [", typical_rows = 100_000", ""] {
            assert_eq!(truth(guess, entity, "SELECT COUNT(DISTINCT id) FROM t"), ["15000"]);
        }
    }

    /// Made-up values are about the middle of their bounds, and at most 100,000 rows are made up: answers have the stated
    /// sizes instead.
    #[test]
    fn answers_have_the_stated_sizes() {
        let income = "columns.income = { type = 'integer', bounds = [0, 1_000_000], typical = 40_000 }";
        let sql = "SELECT COUNT(*), SUM(income), AVG(income) FROM t";
        let sizes = truth(", typical_rows = 2_000_000", income, sql);
        assert_eq!(sizes, ["2000000", "80000000000", "40000"]);
    }
}
