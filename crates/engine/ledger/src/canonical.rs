//! The canonical bytes of a charged query.

use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::sync::Arc;

/// Longer canonical bytes are compressed: lists of keys are long, and alike.
const LONG: usize = 4_096;
/// Most canonical bytes that a charge keeps; this bounds the memory of a ledger with many charges.
const MOST_CANONICAL: usize = 256 << 10;
/// The first bytes of a zstd frame; canonical bytes begin with their version.
const COMPRESSED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The canonical bytes of a query (`docs/reference/ledger-format.md`): in entries as base64 with padding, long ones compressed by
/// zstd. Empty if they are too many; then no other query can be derived from the answer.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Canonical(Arc<[u8]>);

impl Canonical {
    /// The given bytes; empty if there are more than 262,144.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        if bytes.len() > MOST_CANONICAL { Self::default() } else { Self(bytes.into()) }
    }

    /// The bytes; empty if there were too many.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Debug for Canonical {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Canonical({} bytes)", self.0.len())
    }
}

impl Serialize for Canonical {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.len() <= LONG {
            return serializer.serialize_str(&BASE64.encode(&self.0));
        }
        let compressed = zstd::bulk::compress(&self.0, zstd::DEFAULT_COMPRESSION_LEVEL);
        serializer.serialize_str(&BASE64.encode(compressed.map_err(serde::ser::Error::custom)?))
    }
}

impl<'de> Deserialize<'de> for Canonical {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut bytes = BASE64.decode(text).map_err(serde::de::Error::custom)?;
        if bytes.starts_with(&COMPRESSED) {
            let packed = bytes;
            bytes = Vec::new();
            let decoder = zstd::stream::read::Decoder::new(packed.as_slice()).map_err(serde::de::Error::custom)?;
            decoder.take(MOST_CANONICAL as u64 + 1).read_to_end(&mut bytes).map_err(serde::de::Error::custom)?;
        }
        if bytes.len() > MOST_CANONICAL {
            return Err(serde::de::Error::custom("more canonical bytes than a charge keeps"));
        }
        Ok(Self(bytes.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_canonical_bytes_are_compressed() {
        for bytes in
            [vec![1], vec![1; LONG], vec![1; LONG + 1], (0..100_000_u32).map(|at| (at % 7) as u8 + 1).collect()]
        {
            let written = serde_json::to_string(&Canonical::new(&bytes)).unwrap();
            assert!(written.len() < LONG * 4 / 3 + 8, "{}", written.len());
            assert_eq!(serde_json::from_str::<Canonical>(&written).unwrap().bytes(), bytes);
        }
        // Too many bytes are omitted when written, and rejected when read.
        let more = vec![1; MOST_CANONICAL + 1];
        assert!(Canonical::new(&more).is_empty());
        for written in [BASE64.encode(&more), BASE64.encode(zstd::bulk::compress(&more, 3).unwrap())] {
            assert!(serde_json::from_str::<Canonical>(&format!("\"{written}\"")).is_err());
        }
        // A truncated zstd frame.
        let cut = BASE64.encode([0x28, 0xb5, 0x2f, 0xfd, 0, 1]);
        assert!(serde_json::from_str::<Canonical>(&format!("\"{cut}\"")).is_err());
    }
}
