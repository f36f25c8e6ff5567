//! Servers that leak information about the rows. The test of neighbours must detect each of them.

use async_trait::async_trait;
use deniable_wire::catalog::Description;
use deniable_wire::{
    Backend, Client, Column, Failure, Notice, OwnSettings, Place, PreparedQuery, Proof, Query, Reply, Rows, Session,
    Submission, TlsAcceptor,
};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// The leak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutant {
    /// Omits groups whose noisy count suggests that they are empty.
    EmptyGroups,
    /// Sorts the largest group first.
    Order,
    /// Includes the number of rows in errors.
    Error,
    Notice,
    Columns,
    /// Includes it in the catalogs.
    Catalog,
    /// Includes it in the reply to EXPLAIN.
    Plan,
    /// Refuses queries if there are many rows.
    Refusal,
}

impl Mutant {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::EmptyGroups,
        Self::Order,
        Self::Error,
        Self::Notice,
        Self::Columns,
        Self::Catalog,
        Self::Plan,
        Self::Refusal,
    ];

    /// Wraps a server with this leak; `rows` is the number of rows.
    pub fn before(self, inner: Arc<dyn Backend>, rows: u64) -> Arc<dyn Backend> {
        Arc::new(MutatedBackend { inner, mutant: self, rows })
    }
}

struct MutatedBackend<T: ?Sized> {
    inner: Arc<T>,
    mutant: Mutant,
    rows: u64,
}

impl<T: ?Sized> MutatedBackend<T> {
    fn says(&self, mutant: Mutant) -> Option<String> {
        (self.mutant == mutant).then(|| format!("{} rows", self.rows))
    }

    fn failure(&self, failure: Failure) -> Failure {
        match self.says(Mutant::Error) {
            Some(said) => failure.detail(said),
            None => failure,
        }
    }
}

impl Backend for MutatedBackend<dyn Backend> {
    fn tls(&self) -> Option<TlsAcceptor> {
        self.inner.tls()
    }

    fn certificate(&self) -> Option<Vec<u8>> {
        self.inner.certificate()
    }

    fn needs_tls(&self) -> bool {
        self.inner.needs_tls()
    }

    fn proof(&self, user: &str) -> Proof {
        self.inner.proof(user)
    }

    fn attempt(&self, user: &str, address: SocketAddr) -> Result<Duration, Failure> {
        self.inner.attempt(user, address)
    }

    fn right_password(&self, user: &str, address: SocketAddr) {
        self.inner.right_password(user, address);
    }

    fn wrong_password(&self, user: &str, address: SocketAddr) {
        self.inner.wrong_password(user, address);
    }

    fn begin(&self, client: Client) -> Result<Arc<dyn Session>, Failure> {
        let inner = self.inner.begin(client)?;
        Ok(Arc::new(MutatedBackend { inner, mutant: self.mutant, rows: self.rows }))
    }
}

#[async_trait]
impl Session for MutatedBackend<dyn Session> {
    fn check(&self) -> Result<(), Failure> {
        self.inner.check()
    }

    async fn place(&self) -> Result<Place, Failure> {
        self.inner.place().await
    }

    fn description(&self) -> Description {
        let mut description = self.inner.description();
        if self.mutant == Mutant::Catalog {
            description.tables[0].rows = Some(self.rows);
        }
        description
    }

    async fn rows(&self, schema: &str, table: &str, settings: &OwnSettings) -> Result<Rows, Failure> {
        self.inner.rows(schema, table, settings).await
    }

    async fn call(&self, name: &str, arguments: &[String], settings: &OwnSettings) -> Result<(), Failure> {
        self.inner.call(name, arguments, settings).await
    }

    fn query(&self, query: Query) -> Arc<dyn PreparedQuery> {
        Arc::new(MutatedBackend { inner: self.inner.query(query), mutant: self.mutant, rows: self.rows })
    }

    fn own_settings(&self) -> &'static [(&'static str, &'static str)] {
        self.inner.own_settings()
    }

    fn setting(&self, name: &str, value: &str) -> Result<String, Failure> {
        self.inner.setting(name, value)
    }
}

#[async_trait]
impl PreparedQuery for MutatedBackend<dyn PreparedQuery> {
    fn query(&self) -> &Query {
        self.inner.query()
    }

    async fn columns(&self) -> Result<Vec<Column>, Failure> {
        let mut columns = self.inner.columns().await.map_err(|failure| self.failure(failure))?;
        if let (Some(said), Some(first)) = (self.says(Mutant::Columns), columns.first_mut()) {
            first.name = said;
        }
        Ok(columns)
    }

    async fn answer(&self, submitted: &Submission) -> Result<Reply, Failure> {
        if self.mutant == Mutant::Refusal && self.rows.is_multiple_of(2) {
            return Err(deniable_serve::failures::unavailable());
        }
        let mut reply = self.inner.answer(submitted).await.map_err(|failure| self.failure(failure))?;
        let last = |row: &[Option<String>]| row.last().and_then(|value| value.as_ref()?.parse::<f64>().ok());
        let mut rows = reply.rows.to_vec();
        match self.mutant {
            Mutant::EmptyGroups => rows.retain(|row| last(row).is_none_or(|number| number > 0.0)),
            Mutant::Order => rows.sort_by(|one, other| last(other).partial_cmp(&last(one)).unwrap()),
            _ => {}
        }
        reply.rows = Arc::new(rows);
        reply.notices.extend(self.says(Mutant::Notice).map(Notice::new));
        Ok(reply)
    }

    async fn explain(&self) -> Result<Reply, Failure> {
        let mut reply = self.inner.explain().await.map_err(|failure| self.failure(failure))?;
        if let Some(said) = self.says(Mutant::Plan) {
            reply.rows = Arc::new(reply.rows.iter().cloned().chain([vec![Some(said)]]).collect());
        }
        Ok(reply)
    }
}
