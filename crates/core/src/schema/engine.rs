//! Names of the external engines that hold rows and compute.

/// An external engine that holds rows. The rows stay there; queries request bounded totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EngineKind {
    /// Apache Spark.
    Spark,
    /// DuckDB, on one machine, for testing the queries that a cluster would get.
    DuckDb,
}

impl EngineKind {
    /// All engines.
    pub const ALL: [Self; 2] = [Self::Spark, Self::DuckDb];

    /// The name in a policy.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Spark => "spark",
            Self::DuckDb => "duckdb",
        }
    }

    /// The name in its vendor's spelling.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Spark => "Spark",
            Self::DuckDb => "DuckDB",
        }
    }

    /// The engine of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// A name in the engine's quotes, which keep its case.
    #[must_use]
    pub fn quoted(self, name: &str) -> String {
        let quote = match self {
            Self::Spark => '`',
            Self::DuckDb => '"',
        };
        super::relation::within(quote, name)
    }
}
