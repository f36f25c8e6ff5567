//! Datasets: sets of entities, as bits.

/// A set of entities: bit `t` is set if entity `t` is in the data.
pub type Dataset = u32;

/// The members of a dataset by their names: `{ann, bob}`.
pub(crate) fn members(entities: &[String], data: Dataset) -> String {
    let names = entities.iter().enumerate().filter(|(t, _)| data >> t & 1 == 1).map(|(_, name)| name.as_str());
    format!("{{{}}}", names.collect::<Vec<_>>().join(", "))
}
