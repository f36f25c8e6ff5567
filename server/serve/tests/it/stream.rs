//! A client's end of a connection, whose reads can be delayed and recorded.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// All bytes that a connection has read.
pub type HeardBytes = Arc<Mutex<Vec<u8>>>;

/// Bytes per read of a slow connection, and the pause before each read.
const AT_ONCE: usize = 1_000;
const PAUSE: Duration = Duration::from_millis(5);

/// A connection whose incoming bytes a test can record and delay.
pub struct WatchedConnection {
    tcp: TcpStream,
    heard: Option<HeardBytes>,
    pause: Option<Pin<Box<Sleep>>>,
    is_slow: bool,
}

impl WatchedConnection {
    /// Without delay or record.
    pub fn plainly(tcp: TcpStream) -> Self {
        Self { tcp, heard: None, pause: None, is_slow: false }
    }

    /// With delay.
    pub fn slowly(tcp: TcpStream) -> Self {
        Self { is_slow: true, ..Self::plainly(tcp) }
    }

    /// With a record.
    pub fn heard_by(tcp: TcpStream, heard: &HeardBytes) -> Self {
        Self { heard: Some(Arc::clone(heard)), ..Self::plainly(tcp) }
    }
}

impl AsyncRead for WatchedConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.is_slow {
            let pause = this.pause.get_or_insert_with(|| Box::pin(sleep(PAUSE)));
            if pause.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            let mut bytes = [0; AT_ONCE];
            let most = buffer.remaining().min(AT_ONCE);
            let mut some = ReadBuf::new(&mut bytes[..most]);
            let read = Pin::new(&mut this.tcp).poll_read(context, &mut some);
            if read.is_ready() {
                this.pause = None;
                buffer.put_slice(some.filled());
            }
            return read;
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.tcp).poll_read(context, buffer);
        if let (Poll::Ready(Ok(())), Some(heard)) = (&read, &this.heard) {
            heard.lock().unwrap().extend_from_slice(&buffer.filled()[before..]);
        }
        read
    }
}

impl AsyncWrite for WatchedConnection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tcp).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(context)
    }
}
