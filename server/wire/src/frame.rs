//! The boundaries of messages, and a check that each message is complete before it is parsed.

use bytes::{Buf, BytesMut};
use pgwire::error::PgWireError;
use pgwire::messages::{DecodeContext, PgWireBackendMessage, PgWireFrontendMessage, ProtocolVersion};
use std::io;
use tokio_util::codec::{Decoder, Encoder};

/// Bytes before the body: the type letter and the length.
const HEAD: usize = 5;

/// Frames of one connection, after authentication.
#[derive(Debug)]
pub struct Frames {
    context: DecodeContext,
    most: usize,
}

/// A malformed message.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The message is longer than allowed.
    #[error("a message of {length} bytes exceeds the limit of {most} bytes")]
    TooLong { length: usize, most: usize },
    /// The message's parts do not match its length, or its type letter is unknown.
    #[error("a message of type '{0}' is malformed")]
    Malformed(char),
    /// The message could not be written.
    #[error(transparent)]
    Wire(#[from] PgWireError),
}

impl Frames {
    /// Frames of at most `most` bytes each.
    pub fn new(version: ProtocolVersion, most: usize) -> Self {
        let mut context = DecodeContext::default();
        context.protocol_version = version;
        context.awaiting_frontend_ssl = false;
        context.awaiting_frontend_startup = false;
        Self { context, most }
    }
}

impl Decoder for Frames {
    type Item = PgWireFrontendMessage;
    type Error = FrameError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Self::Item>, FrameError> {
        let Some(head) = buffer.get(..HEAD) else { return Ok(None) };
        let letter = head[0];
        let malformed = || FrameError::Malformed(char::from(letter));
        // The length includes itself; a negative length is malformed.
        let length = i32::from_be_bytes([head[1], head[2], head[3], head[4]]);
        let length = usize::try_from(length).ok().filter(|length| *length >= HEAD - 1).ok_or_else(malformed)?;
        if length > self.most {
            return Err(FrameError::TooLong { length, most: self.most });
        }
        if buffer.len() < length + 1 {
            buffer.reserve(length + 1 - buffer.len());
            return Ok(None);
        }
        let mut frame = buffer.split_to(length + 1);
        if !is_whole(letter, &frame[HEAD..]) {
            return Err(malformed());
        }
        match PgWireFrontendMessage::decode(&mut frame, &self.context) {
            Ok(Some(message)) => Ok(Some(message)),
            Ok(None) | Err(_) => Err(malformed()),
        }
    }
}

impl Encoder<PgWireBackendMessage> for Frames {
    type Error = FrameError;

    fn encode(&mut self, message: PgWireBackendMessage, buffer: &mut BytesMut) -> Result<(), FrameError> {
        Ok(message.encode(buffer)?)
    }
}

/// The part of a body that is not read yet.
struct Body<'a>(&'a [u8]);

impl Body<'_> {
    fn skip(&mut self, count: usize) -> Option<()> {
        if self.0.len() < count {
            return None;
        }
        self.0.advance(count);
        Some(())
    }

    fn text(&mut self) -> Option<()> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        std::str::from_utf8(&self.0[..end]).ok()?;
        self.skip(end + 1)
    }

    fn count(&mut self) -> Option<usize> {
        let count = self.0.get(..2)?;
        let count = usize::from(u16::from_be_bytes([count[0], count[1]]));
        self.skip(2)?;
        Some(count)
    }

    fn value(&mut self) -> Option<()> {
        let length = self.0.get(..4)?;
        let length = i32::from_be_bytes([length[0], length[1], length[2], length[3]]);
        self.skip(4)?;
        match length {
            -1 => Some(()),
            length => self.skip(usize::try_from(length).ok()?),
        }
    }
}

/// Whether a body contains exactly the parts of a message with this type letter.
fn is_whole(letter: u8, body: &[u8]) -> bool {
    let mut body = Body(body);
    let walked = (|| {
        match letter {
            b'Q' => body.text()?,
            b'P' => {
                body.text()?;
                body.text()?;
                let types = body.count()?;
                body.skip(types * 4)?;
            }
            b'B' => {
                body.text()?;
                body.text()?;
                let formats = body.count()?;
                body.skip(formats * 2)?;
                for _ in 0..body.count()? {
                    body.value()?;
                }
                let formats = body.count()?;
                body.skip(formats * 2)?;
            }
            b'D' | b'C' => {
                body.skip(1)?;
                body.text()?;
            }
            b'E' => {
                body.text()?;
                body.skip(4)?;
            }
            b'f' => body.text()?,
            b'H' | b'S' | b'X' | b'c' => {}
            // Their contents are not parsed here.
            b'd' | b'p' => body.0 = &[],
            _ => return None,
        }
        Some(())
    })();
    walked.is_some() && body.0.is_empty()
}
