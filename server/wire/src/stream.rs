//! A connection's bytes, with a limit on how long a client may leave an answer unread.

use bytes::{Buf, BytesMut};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// Bytes in both directions, plain or over TLS.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send + Sync {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send + Sync> Stream for T {}

/// Maximum number of bytes read ahead while a query runs.
const AHEAD: usize = 1 << 16;
/// How long a query continues after its client has closed its sending side, as it may still read.
const GRACE: Duration = Duration::from_secs(1);

/// A stream that fails when the peer does not read for too long.
pub struct Patient {
    inner: Box<dyn Stream>,
    /// The time that the peer may take without reading.
    patience: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
    ahead: BytesMut,
}

impl Patient {
    pub fn new(inner: Box<dyn Stream>, patience: Duration) -> Self {
        Self { inner, patience, stalled: None, ahead: BytesMut::new() }
    }

    /// Waits until the client disconnects. Bytes that it sends meanwhile are kept; after `AHEAD` bytes, a disconnection
    /// is not noticed.
    pub async fn gone(&mut self) -> io::Error {
        loop {
            if self.ahead.len() >= AHEAD {
                return std::future::pending().await;
            }
            match self.inner.read_buf(&mut self.ahead).await {
                Ok(0) => {
                    tokio::time::sleep(GRACE).await;
                    return io::ErrorKind::UnexpectedEof.into();
                }
                Ok(_) => {}
                Err(error) => return error,
            }
        }
    }

    /// Reads and discards what the client still sends, so that closing the connection does not discard the sent
    /// message.
    pub async fn drain(&mut self) {
        let mut nothing = vec![0; 1 << 12];
        self.ahead.clear();
        while self.inner.read(&mut nothing).await.is_ok_and(|read| read > 0) {}
    }

    /// Fails if no byte could be written for too long.
    fn patiently<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let patience = self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + patience)));
        match stalled.as_mut().poll(context) {
            Poll::Ready(()) => {
                Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client read nothing for too long")))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.ahead.is_empty() {
            let read = self.ahead.len().min(buffer.remaining());
            buffer.put_slice(&self.ahead[..read]);
            self.ahead.advance(read);
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.patiently(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(context);
        self.patiently(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.inner).poll_shutdown(context);
        self.patiently(context, shut)
    }
}
