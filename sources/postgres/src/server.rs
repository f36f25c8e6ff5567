//! The address of a database, and connections to it.

use crate::error::PostgresError;
use crate::tls;
use std::net::IpAddr;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Client, Config};

/// The prefix of `connect`: an address is never written into a policy.
const ENVIRONMENT: &str = "env:";
/// Timeout of a connection attempt.
const CONNECT: Duration = Duration::from_secs(30);
/// TCP keepalive: idle time, interval and number of probes.
const IDLE: Duration = Duration::from_secs(30);
const INTERVAL: Duration = Duration::from_secs(10);
const RETRIES: u32 = 3;
/// Sent data that is not acknowledged for this long means that the network is cut.
const UNCONFIRMED: Duration = Duration::from_secs(60);

/// The first statement on each connection. Settings of the server, the database or the user must not change values of
/// rows or hide rows: if row-level security would hide some, the copy fails. `statement_timeout` is left unchanged,
/// because it exists to end slow statements.
const PINNED: &str = "SET search_path = pg_catalog; SET DateStyle = 'ISO'; SET TimeZone = 'UTC'; SET client_encoding = 'UTF8'; \
    SET row_security = off; SET default_transaction_read_only = on; SET idle_in_transaction_session_timeout = 0; \
    SET lock_timeout = '60s'";

/// A PostgreSQL database that the curator may read.
pub struct Server {
    config: Config,
}

/// Omits the address, which may contain a password.
impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Server")
    }
}

/// A connection, and the thread's own runtime that drives it.
pub(crate) struct Connection {
    pub(crate) runtime: Runtime,
    pub(crate) client: Client,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connection")
    }
}

impl Server {
    /// The database whose address is in an environment variable, named as `env:CLINIC_PG`: a URL,
    /// `postgresql://user@host/db`, or words, `host=... user=... dbname=...`. Without a password there, that of
    /// PGPASSWORD is used.
    ///
    /// # Errors
    /// When `connect` names no variable, or the variable is not set or contains no address.
    pub fn named(connect: &str) -> Result<Self, PostgresError> {
        let Some(variable) = connect.strip_prefix(ENVIRONMENT) else {
            return Err(PostgresError::new(
                "`connect` names no variable of the environment",
                "state `connect = \"env:CLINIC_PG\"`, and put the database's address into CLINIC_PG",
            ));
        };
        let address = std::env::var(variable).map_err(|_| {
            PostgresError::new(
                format!("the variable {variable} is not set, or is not valid text"),
                "set it to the database's address: postgresql://user@host:5432/database?sslmode=require",
            )
        })?;
        Self::at(&address, variable, std::env::var("PGPASSWORD").ok().as_deref())
    }

    fn at(address: &str, variable: &str, password: Option<&str>) -> Result<Self, PostgresError> {
        // The parser's own messages quote parts of the address.
        let mut config: Config = address.parse().map_err(|_| {
            PostgresError::new(
                format!("the variable {variable} does not contain the address of a PostgreSQL database"),
                "it is a URL, postgresql://user@host:5432/database, or words, host=... user=... dbname=...; sslmode is disable, prefer or \
                 require, and a certificate is always verified: trust your own with PGSSLROOTCERT",
            )
        })?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            config.host("localhost");
        }
        if config.get_password().is_none()
            && let Some(password) = password
        {
            config.password(password);
        }
        // Rows leave this machine only encrypted, unless the curator states otherwise. On this machine no network can
        // read them, and a local server's certificate is rarely trusted.
        if config.get_ssl_mode() == SslMode::Prefer {
            config.ssl_mode(if is_local(&config) { SslMode::Disable } else { SslMode::Require });
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        config.keepalives_idle(IDLE).keepalives_interval(INTERVAL).keepalives_retries(RETRIES);
        config.tcp_user_timeout(UNCONFIRMED).application_name("deniable");
        Ok(Self { config })
    }

    /// A connection for one thread.
    pub(crate) fn connect(&self) -> Result<Connection, PostgresError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|_| PostgresError::new("cannot open a connection", "raise the process's limit of open files"))?;
        let tls = match self.config.get_ssl_mode() {
            SslMode::Disable => None,
            _ => Some(tls::connector()?),
        };
        let config = &self.config;
        let most = config.get_connect_timeout().copied().unwrap_or(CONNECT);
        let connecting = async {
            let failed = |error: tokio_postgres::Error| PostgresError::connecting(&error);
            let client = match tls {
                Some(tls) => {
                    let (client, connection) = config.connect(tls).await.map_err(failed)?;
                    // Users of the client get its error when it ends.
                    tokio::spawn(async move { drop(connection.await) });
                    client
                }
                None => {
                    let (client, connection) = config.connect(tokio_postgres::NoTls).await.map_err(failed)?;
                    tokio::spawn(async move { drop(connection.await) });
                    client
                }
            };
            client.batch_execute(PINNED).await.map_err(|error| PostgresError::running(&error))?;
            Ok(client)
        };
        // A process may accept the connection and never answer.
        let client = runtime.block_on(async { tokio::time::timeout(most, connecting).await });
        let client = client.map_err(|_| PostgresError::unreachable())??;
        Ok(Connection { runtime, client })
    }
}

/// Whether a server is on this machine, so that no network can read the traffic.
fn is_local(config: &Config) -> bool {
    let by_name = |host: &Host| match host {
        Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback()),
        Host::Unix(_) => true,
    };
    match config.get_hostaddrs() {
        [] => config.get_hosts().iter().all(by_name),
        addresses => addresses.iter().all(IpAddr::is_loopback),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tls_is_required_except_on_this_machine() {
        let mode = |address: &str| Server::at(address, "X", None).unwrap().config.get_ssl_mode();
        assert_eq!(mode("postgresql://a@localhost/b"), SslMode::Disable);
        assert_eq!(mode("postgresql://a@127.0.0.1/b"), SslMode::Disable);
        assert_eq!(mode("host=/run/postgresql dbname=b"), SslMode::Disable);
        assert_eq!(mode("host=localhost sslmode=require"), SslMode::Require);
        assert_eq!(mode("host=db.example user=a"), SslMode::Require);
        assert_eq!(mode("host=db.example user=a sslmode=prefer"), SslMode::Require);
        assert_eq!(mode("host=localhost,db.example user=a"), SslMode::Require);
        assert_eq!(mode("host=localhost hostaddr=10.0.0.1 user=a"), SslMode::Require);
        assert_eq!(mode("host=db.example user=a sslmode=disable"), SslMode::Disable);
    }

    #[test]
    fn addresses_are_never_shown() {
        for address in ["postgresql://a:secret@host:x/b", "password=secret what=1", "secret"] {
            let error = Server::at(address, "CLINIC_PG", None).unwrap_err();
            let shown = format!("{error} {error:?} {}", error.help);
            assert!(!shown.contains("secret") && shown.contains("CLINIC_PG"), "{shown}");
        }
        let good = Server::at("postgresql://a:secret@host/b", "CLINIC_PG", None).unwrap();
        assert!(!format!("{good:?}").contains("secret"));
        assert!(
            Server::named("postgresql://a:secret@host/b").is_err_and(|error| !format!("{error:?}").contains("secret"))
        );
    }

    #[test]
    fn a_password_in_the_address_precedes_that_of_the_environment() {
        let password =
            |address: &str| Server::at(address, "X", Some("outer")).unwrap().config.get_password().map(<[u8]>::to_vec);
        assert_eq!(password("host=h password=inner").as_deref(), Some(&b"inner"[..]));
        assert_eq!(password("host=h").as_deref(), Some(&b"outer"[..]));
    }
}
