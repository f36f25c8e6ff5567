//! Answers on made-up rows of the declared shape. They are free, because they do not depend on the data.

use crate::failures::unavailable;
use crate::plan::{PricedPlan, cells};
use deniable::Resources;
use deniable_answers::Noisy;
use deniable_core::noise::{Decay, SystemRng};
use deniable_core::schema::TableSchema;
use deniable_execute::Simulation;
use deniable_publication::Answer;
use deniable_release::release::{Origin, QueryAnswer};
use deniable_release::show::table;
use deniable_release::typical::made_up;
use deniable_wire::{Code, Failure};

const MOST_CELLS: usize = 10_000;

/// Answers a query on made-up rows, with the noise of its price.
///
/// # Errors
/// When the query has more than `MOST_CELLS` groups.
pub fn answer(asked: &PricedPlan, resources: &Resources) -> Result<Answer, Failure> {
    let plan = &asked.plan;
    let planned = plan.queries().first().ok_or_else(unavailable)?;
    let cells = cells(planned);
    if cells > MOST_CELLS {
        return Err(Failure::new(
            Code::TooMany,
            format!("the answer would have {cells} groups, and made-up rows allow at most {MOST_CELLS}"),
        ));
    }
    let tables: Vec<TableSchema> = plan.tables().into_iter().map(|(table, _)| table).collect();
    let simulation =
        Simulation::new(&tables, made_up(plan.policy()), planned.query(), resources).map_err(|_| unavailable())?;
    let mut rng = SystemRng::new().map_err(|_| unavailable())?;
    let decays: Vec<Decay> = planned.measures().iter().map(|measure| measure.decay().clone()).collect();
    let values = simulation.with_noise(planned.query(), &decays, plan.policy().confidence(), &mut rng);
    let consistent = if planned.declared().consistent {
        deniable_answers::made_consistent(planned.query(), &values, &decays)
    } else {
        None
    };
    let noisy = Noisy { values, consistent, decays };
    Ok(table(plan, planned, &QueryAnswer { noisy, origin: Origin::Stored, withdrawn: None, series: None }))
}
