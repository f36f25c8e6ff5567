//! Wrong passwords: each further wrong password for an account from the same source delays the next check.
//!
//! An attempt is checked without waiting for the client between its turn and the verdict, so that concurrent attempts
//! pass the first check a few at a time, and then wait for each other behind a wrong one. Names without an account are
//! treated like names with one. Counts are kept in memory for a bounded number of names and sources. Beyond the bound,
//! the records with the fewest failures are dropped, so that a client that invents names does not make the server
//! forget the attempts on a real account.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

/// The delay after the first wrong password; it doubles with each further one.
const FIRST: Duration = Duration::from_millis(500);
/// The longest delay between two attempts.
const LONGEST: Duration = Duration::from_secs(60);
/// The longest time that an attempt waits on its connection. An attempt with a longer delay is refused at once.
const PATIENCE: Duration = Duration::from_secs(8);
/// Failures are dropped this long after the last attempt.
const FORGOTTEN: Duration = Duration::from_secs(900);
/// Maximum number of recorded pairs of name and source.
const MAX_RECORDS: usize = 10_000;
/// Bits of an IPv6 address that one client may choose at will.
const OWN_BITS: u32 = 64;

/// Failed attempts by user and address.
#[derive(Debug, Default)]
pub struct Attempts(BTreeMap<(String, IpAddr), Record>);

#[derive(Debug)]
struct Record {
    failures: u32,
    /// The time from which the next attempt may be checked.
    next: Instant,
}

fn source(address: SocketAddr) -> IpAddr {
    match address.ip().to_canonical() {
        IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() >> OWN_BITS << OWN_BITS)),
        ip => ip,
    }
}

/// The delay after this number of wrong passwords.
fn delay(failures: u32) -> Duration {
    FIRST.saturating_mul(1 << failures.saturating_sub(1).min(30)).min(LONGEST)
}

impl Attempts {
    /// The time that an attempt must wait; `None` if that is longer than `PATIENCE` and the attempt is refused.
    pub fn wait(&mut self, user: &str, address: SocketAddr, now: Instant) -> Option<Duration> {
        let key = (user.to_owned(), source(address));
        let Some(known) = self.0.get_mut(&key) else { return Some(Duration::ZERO) };
        if now.duration_since(known.next) > FORGOTTEN {
            self.0.remove(&key);
            return Some(Duration::ZERO);
        }
        let at = known.next.max(now);
        let wait = at.duration_since(now);
        if wait > PATIENCE {
            return None;
        }
        known.next = at + delay(known.failures);
        Some(wait)
    }

    /// Records a wrong attempt.
    pub fn wrong(&mut self, user: &str, address: SocketAddr, now: Instant) {
        let key = (user.to_owned(), source(address));
        if !self.0.contains_key(&key) {
            self.make_room(now);
        }
        let known = self.0.entry(key).or_insert(Record { failures: 0, next: now });
        known.failures = known.failures.saturating_add(1);
        known.next = known.next.max(now + delay(known.failures));
    }

    /// Records a right attempt: failures of the account from this source are dropped.
    pub fn right(&mut self, user: &str, address: SocketAddr) {
        self.0.remove(&(user.to_owned(), source(address)));
    }

    fn make_room(&mut self, now: Instant) {
        if self.0.len() < MAX_RECORDS {
            return;
        }
        self.0.retain(|_, known| now.duration_since(known.next) <= FORGOTTEN);
        if self.0.len() < MAX_RECORDS {
            return;
        }
        let least = self.0.iter().min_by_key(|(_, known)| (known.failures, known.next)).map(|(key, _)| key.clone());
        least.map(|key| self.0.remove(&key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> SocketAddr {
        format!("{text}:5").parse().unwrap()
    }

    /// Makes a wrong attempt, if it is checked, and returns its wait.
    fn fails(attempts: &mut Attempts, user: &str, from: SocketAddr, now: Instant) -> Option<Duration> {
        let wait = attempts.wait(user, from, now)?;
        attempts.wrong(user, from, now + wait);
        Some(wait)
    }

    #[test]
    fn waits_double_for_the_same_account_and_source() {
        let (mut attempts, begun) = (Attempts::default(), Instant::now());
        let (here, there) = (address("192.0.2.1"), address("192.0.2.2"));
        let mut now = begun;
        let mut waits = Vec::new();
        for _ in 0..6 {
            let wait = fails(&mut attempts, "ana", here, now);
            waits.push(wait.map(|wait| wait.as_millis()));
            now += wait.unwrap_or_default();
        }
        assert_eq!(waits, [Some(0), Some(500), Some(1_000), Some(2_000), Some(4_000), Some(8_000)]);
        assert_eq!(attempts.wait("ana", here, now), None, "a delay of 16 seconds is refused at once");
        // Other sources and other accounts do not wait.
        assert_eq!(attempts.wait("ana", there, now), Some(Duration::ZERO));
        assert_eq!(attempts.wait("bo", here, now), Some(Duration::ZERO));
        // After its delay an attempt is checked, and the delay grows to a minute and no further.
        for _ in 0..10 {
            now += Duration::from_secs(61);
            assert_eq!(fails(&mut attempts, "ana", here, now), Some(Duration::ZERO));
            assert_eq!(attempts.wait("ana", here, now), None);
        }
        attempts.right("ana", here);
        assert_eq!(fails(&mut attempts, "ana", here, now), Some(Duration::ZERO));
        assert_eq!(attempts.wait("ana", here, now), Some(FIRST));
        let later = now + FORGOTTEN + LONGEST;
        assert_eq!(attempts.wait("ana", here, later), Some(Duration::ZERO));
        assert_eq!(attempts.wait("ana", here, later), Some(Duration::ZERO), "the failures are dropped");
    }

    /// Concurrent right passwords do not wait; behind a wrong one, concurrent attempts wait for each other.
    #[test]
    fn concurrent_attempts_wait_for_each_other_after_a_wrong_one() {
        let (mut attempts, now, here) = (Attempts::default(), Instant::now(), address("192.0.2.1"));
        assert!((0..1_000).all(|_| attempts.wait("ana", here, now) == Some(Duration::ZERO)));
        attempts.wrong("ana", here, now);
        let waits: Vec<_> = (0..100).map_while(|_| attempts.wait("ana", here, now)).collect();
        assert_eq!(waits.len(), 16, "{waits:?}");
        assert!(waits.iter().zip(1..).all(|(wait, at)| *wait == FIRST * at), "{waits:?}");
    }

    /// Addresses that one client can choose at will count as one source.
    #[test]
    fn sources_are_networks() {
        let mut attempts = Attempts::default();
        let now = Instant::now();
        attempts.wrong("ana", address("[2001:db8::1]"), now);
        for text in ["[2001:db8::1]", "[2001:db8::2:3:4]", "[2001:db8:0:0:ffff::]"] {
            assert_ne!(attempts.wait("ana", address(text), now), Some(Duration::ZERO), "{text}");
        }
        assert_eq!(attempts.wait("ana", address("[2001:db8:0:1::1]"), now), Some(Duration::ZERO));
        attempts.wrong("bo", address("192.0.2.1"), now);
        assert_ne!(attempts.wait("bo", address("[::ffff:192.0.2.1]"), now), Some(Duration::ZERO));
    }

    /// Invented names use bounded memory, and do not make the server forget failures of other names.
    #[test]
    fn memory_is_bounded_and_keeps_records_with_most_failures() {
        let (mut attempts, now, here) = (Attempts::default(), Instant::now(), address("192.0.2.1"));
        for _ in 0..5 {
            attempts.wrong("ana", here, now);
        }
        for at in 0..MAX_RECORDS + 50 {
            attempts.wrong(&format!("made up {at}"), here, now);
        }
        assert_eq!(attempts.0.len(), MAX_RECORDS);
        assert_eq!(attempts.wait("ana", here, now), Some(PATIENCE));
    }
}
