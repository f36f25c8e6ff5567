//! Password verifiers (RFC 5802, RFC 7677): enough to check a proof of a password, but neither the password nor a
//! substitute for it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pgwire::api::auth::sasl::scram::{SCRAM_ITERATIONS, ScramSecret, gen_salted_password};
use std::fmt;
use std::str::FromStr;

const METHOD: &str = "SCRAM-SHA-256";
/// Bytes of a key.
const KEY: usize = 32;

/// A SCRAM verifier in PostgreSQL's text format: `SCRAM-SHA-256$iterations:salt$stored key:server key`.
#[derive(Clone, PartialEq, Eq)]
pub struct Verifier {
    iterations: usize,
    salt: Vec<u8>,
    stored_key: Vec<u8>,
    server_key: Vec<u8>,
}

/// A malformed text of a verifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a verifier of the form SCRAM-SHA-256$4096:salt$stored key:server key")]
pub struct NoVerifier;

impl Verifier {
    /// Makes the verifier of a password.
    #[must_use]
    pub fn of_password(password: &str, salt: &[u8]) -> Self {
        let salted = gen_salted_password(password, salt, SCRAM_ITERATIONS);
        match ScramSecret::verifier_from_salted_password(salt.to_vec(), salted, SCRAM_ITERATIONS) {
            ScramSecret::Verifier { salt, iterations, stored_key, server_key } => {
                Self { iterations, salt, stored_key, server_key }
            }
            // This constructor returns no other variant.
            ScramSecret::SaltedPassword { salt, .. } => Self::unmet(&salt, &[0; KEY]),
        }
    }

    /// A verifier that no password meets, for unknown users. The caller must pass the same salt for the same name, as
    /// for a known user.
    #[must_use]
    pub fn unmet(salt: &[u8], key: &[u8; KEY]) -> Self {
        let (stored_key, server_key) = (key.to_vec(), key.iter().rev().copied().collect());
        Self { iterations: SCRAM_ITERATIONS, salt: salt.to_vec(), stored_key, server_key }
    }

    pub(crate) fn secret(&self) -> ScramSecret {
        ScramSecret::Verifier {
            salt: self.salt.clone(),
            iterations: self.iterations,
            stored_key: self.stored_key.clone(),
            server_key: self.server_key.clone(),
        }
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Verifier")
    }
}

impl fmt::Display for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes: &[u8]| STANDARD.encode(bytes);
        let (salt, stored, server) = (text(&self.salt), text(&self.stored_key), text(&self.server_key));
        write!(f, "{METHOD}${}:{salt}${stored}:{server}", self.iterations)
    }
}

impl FromStr for Verifier {
    type Err = NoVerifier;

    fn from_str(text: &str) -> Result<Self, NoVerifier> {
        let bytes = |text: &str| STANDARD.decode(text).map_err(|_| NoVerifier);
        let key = |text: &str| bytes(text).and_then(|key| if key.len() == KEY { Ok(key) } else { Err(NoVerifier) });
        let mut parts = text.split('$');
        let (Some(METHOD), Some(first), Some(keys), None) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(NoVerifier);
        };
        let (iterations, salt) = first.split_once(':').ok_or(NoVerifier)?;
        let (stored, server) = keys.split_once(':').ok_or(NoVerifier)?;
        // Unknown users get this number of iterations, so another number would reveal that a user exists.
        let iterations = iterations.parse().ok().filter(|count| *count == SCRAM_ITERATIONS).ok_or(NoVerifier)?;
        let salt = Some(bytes(salt)?).filter(|salt| !salt.is_empty()).ok_or(NoVerifier)?;
        Ok(Self { iterations, salt, stored_key: key(stored)?, server_key: key(server)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7677, section 3: the keys that PostgreSQL stores for it.
    #[test]
    fn verifiers_match_postgresql() {
        let salt = STANDARD.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
        let verifier = Verifier::of_password("pencil", &salt);
        let written = "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=";
        assert_eq!(verifier.to_string(), written);
        assert_eq!(written.parse(), Ok(verifier.clone()));
        assert_eq!(format!("{verifier:?}"), "Verifier", "no key is ever logged");
    }

    #[test]
    fn malformed_verifiers_are_refused() {
        for text in [
            "",
            "md5abc",
            "SCRAM-SHA-256$1:AAAA$AAAA:AAAA",
            "SCRAM-SHA-256$4096:$AAAA:AAAA",
            "SCRAM-SHA-1$4096:AA==$AA==:AA==",
        ] {
            assert_eq!(text.parse::<Verifier>(), Err(NoVerifier), "{text}");
        }
    }
}
