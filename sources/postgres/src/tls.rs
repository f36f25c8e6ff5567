//! TLS whose certificates are always verified.

use crate::error::PostgresError;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use std::path::Path;
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// The variable of PostgreSQL's own clients for the file of certificate authorities.
const AUTHORITIES: &str = "PGSSLROOTCERT";

/// Trusts the authorities in the file of PGSSLROOTCERT, or those of this machine.
pub(crate) fn connector() -> Result<MakeRustlsConnect, PostgresError> {
    let roots = match std::env::var_os(AUTHORITIES) {
        Some(file) => of_file(Path::new(&file))?,
        None => {
            let mut roots = RootCertStore::empty();
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            roots
        }
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config
        .map_err(|_| PostgresError::new("TLS is not available", "state `sslmode=disable`, or use another build"))?;
    Ok(MakeRustlsConnect::new(config.with_root_certificates(roots).with_no_client_auth()))
}

fn of_file(path: &Path) -> Result<RootCertStore, PostgresError> {
    let wrong = || {
        PostgresError::new(
            format!("the file {} that {AUTHORITIES} names contains no certificates", path.display()),
            "set it to a file of certificates in PEM",
        )
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|_| wrong())? {
        roots.add(certificate.map_err(|_| wrong())?).map_err(|_| wrong())?;
    }
    if roots.is_empty() { Err(wrong()) } else { Ok(roots) }
}
