//! Policies: read from files, or from the text that a policy built in Python is.

use crate::failure::{raised, usage};
use deniable::exact::Rational;
use deniable::{Error, Plan, PlanReport, publication::Statement};
use deniable_chart::{belief::curve, palette::standalone, people::people};
use deniable_cli::render;
use deniable_policy::Policy as ValidPolicy;
use deniable_report::PromisePicture;
use pyo3::prelude::*;
use std::path::PathBuf;

/// A policy.
#[pyclass(frozen, module = "deniable._deniable")]
pub struct Policy(pub ValidPolicy);

/// A guarantee in words as JSON; R, rounded up where it is not rational, and whether it was not; pictures with captions.
type Guarantee = (String, Rational, bool, Vec<(String, String)>);

/// A table: its name, the path of its rows, its columns with their types.
type Table = (String, String, Vec<(String, &'static str)>);

/// The plan of a policy; what is wrong with its queries is shown where it stands.
pub fn planned(py: Python<'_>, policy: ValidPolicy) -> PyResult<Plan> {
    let planned = py.detach(|| {
        let policy = deniable::with_public_keys(policy)?;
        Ok::<_, Error>(Plan::new(policy)?)
    });
    planned.map_err(|error| raised(py, &error))
}

/// A plan for reading, and as JSON.
pub fn written(py: Python<'_>, plan: &Plan, account: Option<&deniable::ledger::Account>) -> PyResult<(String, String)> {
    let shown = PlanReport::new(plan, account);
    let json = render::json(&shown).map_err(|failure| raised(py, &failure.diagnostics().to_vec()))?;
    Ok((shown.to_string(), json))
}

#[pymethods]
impl Policy {
    /// Reads the policy of a file, which may leave all queries to sessions.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = py.detach(|| ValidPolicy::load_to_ask_later(&path));
        read.map(Self).map_err(|errors| raised(py, &errors))
    }

    /// Reads the text of a policy, which may leave all queries to sessions; relative paths begin at the folder.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str, folder: PathBuf) -> PyResult<Self> {
        let read = ValidPolicy::parse_to_ask_later(&folder.join("policy built in Python"), text);
        read.map(Self).map_err(|errors| raised(py, &errors))
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn population(&self) -> &str {
        self.0.population()
    }

    #[getter]
    fn source(&self) -> &str {
        self.0.source()
    }

    #[getter]
    fn ledger(&self) -> PathBuf {
        self.0.ledger().to_owned()
    }

    /// The names of its queries.
    #[getter]
    fn queries(&self) -> Vec<String> {
        self.0.queries().iter().map(|query| query.name.clone()).collect()
    }

    /// Its tables with the paths of their rows and their columns and types, the main one first.
    #[getter]
    fn tables(&self) -> Vec<Table> {
        let table = |table: deniable_core::schema::DeclaredTable| {
            let columns = table.columns.into_iter().map(|column| (column.name, column.kind.name())).collect();
            (table.data.table, table.data.path, columns)
        };
        self.0.tables().into_iter().map(table).collect()
    }

    /// What is promised: in words as JSON; R, rounded up where it is not rational, and whether it was; the promise as pictures.
    fn guarantee(&self, py: Python<'_>) -> PyResult<Guarantee> {
        let guarantee = self.0.guarantee();
        let statement = render::json(&Statement::of(guarantee));
        let json = statement.map_err(|failure| raised(py, &failure.diagnostics().to_vec()))?;
        let picture = PromisePicture::of(guarantee.clone());
        let (sentence, frequencies) = picture.in_frequencies();
        let pictures = vec![
            (standalone(&people(&frequencies)), sentence),
            (standalone(&curve(&picture.beliefs())), "what any belief can become".to_owned()),
        ];
        let odds = guarantee.limit().odds_at_most();
        let exact = guarantee.limit().to_string() == odds.to_string();
        Ok((json, odds, exact, pictures))
    }

    /// The plan of its queries, or of those of these names, for reading and as JSON. No data are read.
    fn plan(&self, py: Python<'_>, names: Vec<String>) -> PyResult<(String, String)> {
        let plan = planned(py, self.0.clone())?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let plan = if names.is_empty() { plan } else { plan.named(&names).map_err(|error| raised(py, &error))? };
        written(py, &plan, None)
    }

    /// The same policy about other versions, in another ledger.
    fn with_(&self, py: Python<'_>, versions: Vec<(String, String)>, ledger: Option<PathBuf>) -> PyResult<Self> {
        let mut policy = self.0.clone();
        for (table, version) in versions {
            policy = policy.with_version(&table, &version).map_err(|wanted| {
                usage(py, format!("version {version:?} of `{table}` is not {wanted}"), "write version=\"2024-06\"")
            })?;
        }
        Ok(Self(match ledger {
            Some(ledger) => policy.with_ledger(ledger),
            None => policy,
        }))
    }
}
