//! A child process: reads and writes never block beyond a deadline, and the process is always ended.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes read at a time, and number of chunks in the queue.
const CHUNK: usize = 1 << 16;
const WAITING: usize = 16;
/// Time for a program that closed its output to exit before it is killed.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// The outcome of one read from the program's output.
pub(super) enum ReadOutcome {
    Bytes(Vec<u8>),
    Nothing,
    End,
}

/// The process groups of all running children, to kill them when this program is terminated.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Kills every running child with its group, without waiting: for a program that is about to end.
pub(super) fn end_all() {
    // A child is removed from the set before it is reaped, so its id cannot belong to another process here.
    for id in RUNNING.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        kill_group(*id);
    }
}

fn kill_group(id: u32) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        if let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) {
            // Fails only if the group is empty.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
    #[cfg(not(unix))]
    let _ = id;
}

/// A running child. Two threads write to it and read from it; they end when it does.
#[derive(Debug)]
pub(super) struct Child {
    child: std::process::Child,
    requests: Option<Sender<Vec<u8>>>,
    chunks: Receiver<Vec<u8>>,
    status: Option<String>,
}

impl Child {
    pub(super) fn start(file: &str, arguments: &[String]) -> std::io::Result<Self> {
        let mut command = Command::new(file);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        // A group of its own, so that processes started by the program end with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = {
            // Under the lock, so that the child never runs without being in the set.
            let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            let child = command.spawn()?;
            running.insert(child.id());
            child
        };
        let (requests, to_write) = channel::<Vec<u8>>();
        let (sender, chunks) = sync_channel(WAITING);
        if let Some(mut input) = child.stdin.take() {
            std::thread::spawn(move || {
                // A program that stopped reading is detected by its missing outputs.
                while let Ok(bytes) = to_write.recv() {
                    if input.write_all(&bytes).and_then(|()| input.flush()).is_err() {
                        break;
                    }
                }
            });
        }
        if let Some(output) = child.stdout.take() {
            std::thread::spawn(move || forward(output, &sender));
        }
        Ok(Self { child, requests: Some(requests), chunks, status: None })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn send(&self, bytes: Vec<u8>) {
        if let Some(requests) = &self.requests {
            // Fails only if the program has ended, which the next read detects.
            let _ = requests.send(bytes);
        }
    }

    pub(super) fn receive(&self, deadline: Duration) -> ReadOutcome {
        match self.chunks.recv_timeout(deadline) {
            Ok(bytes) => ReadOutcome::Bytes(bytes),
            Err(RecvTimeoutError::Timeout) => ReadOutcome::Nothing,
            Err(RecvTimeoutError::Disconnected) => ReadOutcome::End,
        }
    }

    /// Kills it and its group, waits for it, and returns its exit status as text.
    pub(super) fn end(&mut self) -> String {
        if let Some(status) = &self.status {
            return status.clone();
        }
        self.requests = None;
        let by_itself = self.exits_within(LAST_WORDS);
        let status = match self.kill_and_wait() {
            Ok(status) if by_itself => status.to_string(),
            Ok(_) => "its output closed".to_owned(),
            Err(error) => error.to_string(),
        };
        self.status = Some(status.clone());
        status
    }

    /// Whether it exits by itself. It stays unreaped, so its id cannot be reused by another process.
    #[cfg(unix)]
    fn exits_within(&self, time: Duration) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let until = Instant::now() + time;
        let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) else { return false };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(pid), options) {
                Ok(Some(_)) => return true,
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
                _ => return false,
            }
        }
    }

    #[cfg(not(unix))]
    fn exits_within(&mut self, time: Duration) -> bool {
        let until = Instant::now() + time;
        loop {
            match self.child.try_wait() {
                Ok(Some(_)) => return true,
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
                _ => return false,
            }
        }
    }

    /// Kills it with its group, and reaps it.
    fn kill_and_wait(&mut self) -> std::io::Result<ExitStatus> {
        kill_group(self.child.id());
        // For systems without process groups; on others it has already ended.
        let _ = self.child.kill();
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.child.id());
        self.child.wait()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.status.is_none() {
            self.requests = None;
            let _ = self.kill_and_wait();
        }
    }
}

/// Forwards the output until it ends, or the receiver is dropped.
fn forward(mut output: impl Read, sender: &SyncSender<Vec<u8>>) {
    let mut chunk = vec![0; CHUNK];
    loop {
        match output.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => {
                if sender.send(chunk[..read].to_vec()).is_err() {
                    break;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
}
