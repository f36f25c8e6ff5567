//! TLS certificates and keys, from the files that the curator names.

use crate::accounts::is_open;
use crate::config::Tls;
use deniable_wire::TlsAcceptor;
use deniable_wire::tokio_rustls::rustls::pki_types::pem::PemObject;
use deniable_wire::tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use deniable_wire::tokio_rustls::rustls::server::WebPkiClientVerifier;
use deniable_wire::tokio_rustls::rustls::{RootCertStore, ServerConfig, crypto::ring};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The ALPN identifier of the PostgreSQL protocol.
const ALPN: &[u8] = b"postgresql";

/// A TLS file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", .path.display())]
pub struct TlsError {
    path: PathBuf,
    reason: String,
}

/// The TLS acceptor from its files, and the certificate as PEM.
pub fn acceptor(tls: &Tls) -> Result<(TlsAcceptor, Vec<u8>), TlsError> {
    let wrong = |path: &Path, reason: &dyn ToString| TlsError { path: path.to_owned(), reason: reason.to_string() };
    let certificates = |path: &Path| {
        let all = CertificateDer::pem_file_iter(path).map_err(|error| wrong(path, &error))?;
        let all = all.collect::<Result<Vec<_>, _>>().map_err(|error| wrong(path, &error))?;
        if all.is_empty() { Err(wrong(path, &"it contains no PEM certificate")) } else { Ok(all) }
    };
    let chain = certificates(&tls.certificate)?;
    if std::fs::metadata(&tls.key).is_ok_and(|known| is_open(&known)) {
        return Err(wrong(&tls.key, &"users other than its owner may read it; chmod 600 it"));
    }
    let key = PrivateKeyDer::from_pem_file(&tls.key).map_err(|error| wrong(&tls.key, &error))?;
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| wrong(&tls.certificate, &error))?;
    let builder = match &tls.clients {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for root in certificates(path)? {
                roots.add(root).map_err(|error| wrong(path, &error))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(verifier.map_err(|error| wrong(path, &error))?)
        }
    };
    let mut config = builder.with_single_cert(chain, key).map_err(|error| {
        wrong(&tls.certificate, &format!("it does not match the key in {}: {error}", tls.key.display()))
    })?;
    config.alpn_protocols = vec![ALPN.to_vec()];
    let pem = std::fs::read(&tls.certificate).map_err(|error| wrong(&tls.certificate, &error))?;
    Ok((TlsAcceptor::from(Arc::new(config)), pem))
}
