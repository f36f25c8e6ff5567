//! Engines that hold rows and compute: their names.

/// An engine that holds rows. The rows stay there; it is asked for bounded totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EngineKind {
    /// Apache Spark.
    Spark,
    /// DuckDB: on one machine, for trying out what a cluster is asked.
    DuckDb,
}

impl EngineKind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Spark, Self::DuckDb];

    /// As a policy states it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Spark => "spark",
            Self::DuckDb => "duckdb",
        }
    }

    /// As its makers write it.
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

    /// A name as the engine takes it letter by letter.
    #[must_use]
    pub fn quoted(self, name: &str) -> String {
        let quote = match self {
            Self::Spark => '`',
            Self::DuckDb => '"',
        };
        super::relation::within(quote, name)
    }
}
