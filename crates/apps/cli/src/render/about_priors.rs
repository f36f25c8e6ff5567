//! What `check` says of a family of priors alone: whether it can be scaled, and what of a prior pairs with what.

use crate::error::Failure;
use crate::output::Rendering;
use deniable_check::coupling::{Coupling, couple, holds};
use deniable_check::family::{Family, Prior};
use deniable_check::mechanism::{Dataset, Mechanism};
use deniable_check::scalable::{Obstacle, Scale, obstacle};
use deniable_check::subject::View;
use deniable_check::words;
use serde::Serialize;
use std::fmt::Write;

/// One direction of scaling.
#[derive(Serialize)]
struct Scaling {
    direction: &'static str,
    scalable: bool,
    /// What follows, or what stands in the way.
    because: String,
    theorem: &'static str,
}

/// Whether a family is scalable, downward and upward, and what stands in the way.
///
/// Of a mechanism by counts nobody has a name, and no priors are given that would name anybody.
pub fn scalable(title: &str, asked: &View, family: &Family) -> Result<Rendering, Failure> {
    let name = |entity: usize| match asked {
        View::Table(mechanism) => mechanism.entities()[entity].clone(),
        View::Counts(_) => format!("entity number {}", entity + 1),
    };
    let mut each = Vec::new();
    for (scale, direction, limit, theorem) in
        [(Scale::Down, "downward", "0", "LQS13-3.6"), (Scale::Up, "upward", "1", "LQS13-3.10")]
    {
        let found = obstacle(family, asked.entities(), scale)
            .map_err(|error| Failure::refused(error, "leave priors out that others mix to"))?;
        let scalable = found.is_none();
        let because = match found {
            None => format!("every uncertain belief can be scaled towards {limit}"),
            Some(Obstacle::Range(end)) => format!("no uncertain belief is nearer to {limit} than {end}"),
            Some(Obstacle::Others) => {
                format!("a belief that goes to {limit} moves others out of the range, since the size is public")
            }
            Some(Obstacle::Prior { prior, entity }) => format!(
                "prior number {}, scaled about {} towards {limit}, comes near no mixture of the priors",
                prior + 1,
                name(entity)
            ),
        };
        each.push(Scaling { direction, scalable, because, theorem });
    }
    let mut table = format!("{title}\n{}: whether a gain is a likelihood ratio\n", words::of_family(family));
    for Scaling { direction, scalable, because, theorem } in &each {
        let is = if *scalable { "scalable" } else { "not scalable" };
        // Writing to a string cannot fail.
        let _ = writeln!(table, "  {direction}: {is}: {because} ({theorem})");
    }
    Ok(Rendering { table, json: super::json(&each)? })
}

/// The pairing, or the cut that shows that there is none.
#[derive(Serialize)]
struct PairingReport {
    entity: String,
    neighbours: &'static str,
    paired: bool,
    /// The mass of each pair, the dataset with the entity, and that without.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pairs: Vec<(String, String, String)>,
    /// Datasets with the entity that together weigh more than all their neighbours without.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stranded: Vec<String>,
}

/// The coupling of Lemma 4.9 for one prior and entity, or the datasets that outweigh all their neighbours.
pub fn coupling(
    title: &str,
    mechanism: &Mechanism,
    family: &Family,
    entity: &str,
    exchange: bool,
) -> Result<Rendering, Failure> {
    let Family::Explicit(priors) = family else {
        return Err(Failure::usage("--coupling needs one prior", "add --family explicit --priors FILE"));
    };
    let [prior]: &[Prior] = priors.as_slice() else {
        let help = "leave one in the file";
        return Err(Failure::refused(
            format!("--coupling is about one prior, and the file has {}", priors.len()),
            help,
        ));
    };
    let Some(t) = mechanism.entities().iter().position(|name| name == entity) else {
        let help = format!("they are {}", mechanism.entities().join(", "));
        return Err(Failure::usage(format!("--coupling {entity}: there is no such entity"), help));
    };
    let near = |a: Dataset, b: Dataset| {
        let apart = (a ^ b).count_ones();
        if exchange { apart == 2 && a.count_ones() == b.count_ones() } else { apart == 1 }
    };
    let Some(found) = couple(prior, t, near) else {
        return Err(Failure::refused(
            format!("the prior is certain of {entity}"),
            "name an entity of whom it is unsure",
        ));
    };
    // Checked by the definition: what is shown is a proof.
    if !holds(&found, prior, t, near) {
        return Err(Failure::refused("the coupling does not keep its definition", "report this prior"));
    }
    let neighbours = if exchange { "one exchanged" } else { "one more or less" };
    let mut shown =
        PairingReport { entity: entity.to_owned(), neighbours, paired: false, pairs: Vec::new(), stranded: Vec::new() };
    let mut table = format!("{title}\n{entity} in and out, {neighbours} (LQS13-4.9)\n");
    match found {
        Coupling::Paired(pairs) => {
            shown.paired = true;
            table.push_str("  paired, so that a bound on neighbours bounds what this prior learns\n");
            for (with, without, mass) in pairs {
                let pair = (mass.to_string(), mechanism.members(with), mechanism.members(without));
                let _ = writeln!(table, "    {}: {} with {}", pair.0, pair.1, pair.2);
                shown.pairs.push(pair);
            }
        }
        Coupling::Stranded(datasets) => {
            shown.stranded = datasets.iter().map(|data| mechanism.members(*data)).collect();
            let weigh = if shown.stranded.len() == 1 {
                "weighs more than all its"
            } else {
                "weigh more together than all their"
            };
            let datasets = shown.stranded.join(" and ");
            let _ = writeln!(table, "  not paired: given {entity}, {datasets} {weigh} neighbours given not {entity}");
        }
    }
    Ok(Rendering { table, json: super::json(&shown)? })
}
