//! Gzip files: members one after the other, possibly followed by zeros.

use flate2::bufread::GzDecoder;
use std::io::{BufRead, Error, ErrorKind, Read, Result};

/// Decompresses all members of a file. Tapes and some writers pad the last block with zeros, which `gzip` ignores as
/// well.
pub(super) struct Members<R>(State<R>);

enum State<R> {
    Within(Box<GzDecoder<R>>),
    AtEnd,
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(file: R) -> Self {
        Self(State::Within(Box::new(GzDecoder::new(file))))
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        loop {
            let State::Within(decoder) = &mut self.0 else { return Ok(0) };
            let read = decoder.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            let State::Within(decoder) = std::mem::replace(&mut self.0, State::AtEnd) else { return Ok(0) };
            let mut rest = decoder.into_inner();
            if rest.fill_buf()?.first().is_some_and(|byte| *byte != 0) {
                self.0 = State::Within(Box::new(GzDecoder::new(rest)));
                continue;
            }
            loop {
                let padding = rest.fill_buf()?;
                if padding.iter().any(|byte| *byte != 0) {
                    return Err(Error::new(ErrorKind::InvalidData, "something follows the zeros behind its gzip"));
                }
                let length = padding.len();
                if length == 0 {
                    return Ok(0);
                }
                rest.consume(length);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Write};

    #[test]
    fn members_are_concatenated_and_zeros_are_skipped() {
        let gzip = |text: &str| {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            writer.write_all(text.as_bytes()).unwrap();
            writer.finish().unwrap()
        };
        let (one, two, zeros) = (gzip("a,b\n"), gzip("1,2\n"), vec![0; 1_000]);
        let read = |parts: &[&[u8]]| {
            let mut text = String::new();
            let file = BufReader::with_capacity(7, std::io::Cursor::new(parts.concat()));
            Members::new(file).read_to_string(&mut text).map(|_| text)
        };
        assert_eq!(read(&[&one]).unwrap(), "a,b\n");
        assert_eq!(read(&[&one, &two]).unwrap(), "a,b\n1,2\n");
        assert_eq!(read(&[&one, &gzip(""), &two, &zeros]).unwrap(), "a,b\n1,2\n");
        assert_eq!(read(&[&one, &[0]]).unwrap(), "a,b\n");
        for broken in [&[&one[..], &zeros, &two][..], &[&one, b"x"], &[&one[..one.len() - 1]], &[&zeros], &[]] {
            assert!(read(broken).is_err(), "{broken:?}");
        }
    }
}
