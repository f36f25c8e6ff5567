//! A child process: bytes in and out without ever blocking for longer than a deadline, and an end that always comes.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes read at a time, and how many such chunks wait.
const CHUNK: usize = 1 << 16;
const WAITING: usize = 16;
/// How long a program that closed its output may take to exit before it is made to.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// The outcome of one read from the program's output.
pub(super) enum ReadOutcome {
    Bytes(Vec<u8>),
    Nothing,
    End,
}

/// The groups of all children that run, so that they can be ended when this program is told to end.
static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Kills every child that runs, with its group, without waiting for any: for a program that is about to end.
pub(super) fn end_all() {
    // Whoever reaps a child takes it off the list first, so that its number cannot mean another process here.
    for id in RUNNING.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        kill_group(*id);
    }
}

fn kill_group(id: u32) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        if let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) {
            // It fails only when nobody is left.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
    #[cfg(not(unix))]
    let _ = id;
}

/// A running child. Two threads of their own write to it and read from it; they end when it does.
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
        // A group of its own, so that what the program starts ends with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = {
            // Under the lock: there is no moment at which it runs and is not on the list.
            let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            let child = command.spawn()?;
            running.insert(child.id());
            child
        };
        let (requests, to_write) = channel::<Vec<u8>>();
        let (sender, chunks) = sync_channel(WAITING);
        if let Some(mut input) = child.stdin.take() {
            std::thread::spawn(move || {
                // A program that stopped reading is noticed by its answers.
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
            // It fails only when the program is gone, which its answers will show.
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

    /// Ends it and all of its group, waits for it, and tells how it ended.
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

    /// Whether it exits by itself. It stays unreaped, so that its number cannot come to mean another process.
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

    /// Ends it with its group, and reaps it.
    fn kill_and_wait(&mut self) -> std::io::Result<ExitStatus> {
        kill_group(self.child.id());
        // Where there are no groups; elsewhere it is gone already.
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

/// Passes on what can be read until it ends, or nobody listens.
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
