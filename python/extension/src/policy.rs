//! Policies: read from files and texts, or built from dictionaries.

use crate::failure::{raised, usage};
use crate::interpreter::detached;
use crate::number::Number;
use deniable::simulate::{FileFormat, Simulate};
use deniable::sweep::{Range, RangeError, sweep};
use deniable::{DeclaredTable, Policy as ValidPolicy, PolicyBuilder, PolicyErrors, Table, Value};
use deniable::{Error, Plan, PlanReport, Statement, least_promise, report};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};
use std::ffi::OsString;
use std::path::PathBuf;

/// A validated policy.
#[pyclass(frozen, module = "deniable._deniable")]
pub struct Policy(pub ValidPolicy);

/// A guarantee in words as JSON; R, rounded up if it is not rational, and whether it was rational; pictures with
/// captions.
type Guarantee = (String, Number, bool, Vec<(String, String)>);

/// A table: its name, the path of its rows, its columns with their types.
type TableColumns = (String, String, Vec<(String, &'static str)>);

/// The plan of a policy; errors of its queries have their places in the policy.
pub fn planned(py: Python<'_>, policy: ValidPolicy) -> PyResult<Plan> {
    let planned = detached(py, || {
        let policy = deniable::with_public_keys(policy)?;
        Ok::<_, Error>(Plan::new(policy)?)
    });
    planned.map_err(|error| raised(py, &error))
}

/// A plan as text and as JSON.
pub fn written(plan: &Plan, account: Option<&deniable::ledger::Account>) -> (String, String) {
    let shown = PlanReport::new(plan, account);
    (shown.to_string(), deniable::json(&shown))
}

fn made(py: Python<'_>, policy: impl FnOnce() -> Result<ValidPolicy, PolicyErrors> + Send) -> PyResult<Policy> {
    let policy = detached(py, policy);
    policy.map(Policy).map_err(|errors| raised(py, &errors))
}

/// More levels of lists and dictionaries than any policy needs.
const MAX_DEPTH: usize = 32;

fn table(keys: &Bound<'_, PyDict>, depth: usize) -> PyResult<Table> {
    keys.iter().map(|(key, one)| Ok((key.extract::<String>()?, value(&one, depth + 1)?))).collect()
}

fn value(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if depth > MAX_DEPTH {
        let help = "write texts, numbers, lists and dictionaries";
        return Err(usage(given.py(), "a value contains itself, or is nested too deeply", help));
    }
    if let Ok(keys) = given.cast::<PyDict>() {
        return Ok(table(keys, depth)?.into());
    }
    if given.is_instance_of::<PyString>() {
        return Ok(given.extract::<String>()?.into());
    }
    if given.is_instance_of::<PyBool>() {
        return Ok(given.extract::<bool>()?.into());
    }
    if given.is_instance_of::<PyInt>() {
        return Ok(given.extract::<i64>()?.into());
    }
    given.try_iter()?.map(|item| value(&item?, depth + 1)).collect()
}

#[pymethods]
impl Policy {
    /// Reads the policy of a file; it may have no queries.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        made(py, || ValidPolicy::load_to_ask_later(&path))
    }

    /// Reads the text of a policy, which may have no queries; relative paths begin at the folder.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str, folder: PathBuf) -> PyResult<Self> {
        made(py, || ValidPolicy::parse_to_ask_later(&folder.join("policy built in Python"), text))
    }

    /// Builds a policy from its keys; it may have no queries. Relative paths begin at the folder. Values are texts,
    /// whole numbers, truth values, lists and dictionaries.
    #[staticmethod]
    fn build(
        py: Python<'_>,
        keys: &Bound<'_, PyDict>,
        queries: Vec<Bound<'_, PyDict>>,
        folder: PathBuf,
    ) -> PyResult<Self> {
        let mut builder = PolicyBuilder::default().in_folder(folder);
        for (key, one) in keys {
            builder = builder.set(&[], &key.extract::<String>()?, value(&one, 1)?);
        }
        for query in &queries {
            builder = builder.query_with(table(query, 0)?);
        }
        made(py, || builder.build_to_ask_later())
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
    fn ledger(&self) -> OsString {
        self.0.ledger().as_os_str().to_owned()
    }

    /// The names of its queries.
    #[getter]
    fn queries(&self) -> Vec<String> {
        self.0.queries().iter().map(|query| query.name.clone()).collect()
    }

    /// The tables, the main one first, each with the path of its rows and its columns with their types.
    #[getter]
    fn tables(&self) -> Vec<TableColumns> {
        let table = |table: DeclaredTable| {
            let columns = table.columns.into_iter().map(|column| (column.name, column.kind.name())).collect();
            (table.data.table, table.data.path, columns)
        };
        self.0.tables().into_iter().map(table).collect()
    }

    /// The guarantee in words as JSON; R, rounded up if it is not rational, and whether it was rational; pictures.
    fn guarantee(&self) -> Guarantee {
        let guarantee = self.0.guarantee();
        let json = deniable::json(&Statement::of(guarantee));
        let pictures = report::promise(guarantee).map(|picture| (picture.svg, picture.caption)).to_vec();
        let odds = guarantee.limit().odds_at_most();
        let exact = guarantee.limit().to_string() == odds.to_string();
        (json, Number(odds), exact, pictures)
    }

    /// The plan of all queries, or of those with these names, as text and as JSON. No data are read.
    fn plan(&self, py: Python<'_>, names: Vec<String>) -> PyResult<(String, String)> {
        let plan = planned(py, self.0.clone())?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let plan = if names.is_empty() { plan } else { plan.named(&names).map_err(|error| raised(py, &error))? };
        Ok(written(&plan, None))
    }

    /// The errors of the answers, of all queries or of those with these names, at each value of a range, as text and as
    /// JSON. No data are read.
    fn sweep(&self, py: Python<'_>, range: &str, names: Vec<String>) -> PyResult<(String, String)> {
        let range: Range = range.parse().map_err(|error: RangeError| raised(py, &error))?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let swept = detached(py, || sweep(&self.0, &range, &names));
        swept.map(|report| (report.to_string(), deniable::json(&report))).map_err(|error| raised(py, &error))
    }

    /// The smallest promise that meets all target errors, as text and as JSON. No data are read.
    fn least_promise(&self, py: Python<'_>) -> PyResult<(String, String)> {
        let least = detached(py, || least_promise(&self.0));
        least.map(|report| (report.to_string(), deniable::json(&report))).map_err(|error| raised(py, &error))
    }

    /// Writes made-up rows of its tables into a folder: a file for each, as CSV or Parquet or, without a format, as
    /// declared. Returns the report as JSON.
    #[pyo3(signature = (folder, rows, people, format, overwrite))]
    fn simulate(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        rows: Option<u64>,
        people: Option<u64>,
        format: Option<&str>,
        overwrite: bool,
    ) -> PyResult<String> {
        let format = match format {
            None => None,
            Some("csv") => Some(FileFormat::Csv),
            Some("parquet") => Some(FileFormat::Parquet),
            Some(other) => {
                let message = format!("format={other:?} is not a format of files");
                return Err(usage(py, message, "write format=\"csv\" or format=\"parquet\""));
            }
        };
        let size = Simulate { rows, people };
        let written = detached(py, || size.tables(&self.0)?.write(&folder, format, overwrite));
        written.map(|report| deniable::json(&report)).map_err(|error| raised(py, &error))
    }

    /// The same policy with other versions, or another ledger.
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
