//! Wrong passwords: each further one of an account from the same source waits longer to be checked.
//!
//! An attempt is checked without waiting for the client between its turn and the verdict, so that attempts at the same
//! time pass the first check a few at a time, and wait for each other behind a wrong one. Names without an account are
//! treated like others. Counts are kept in memory, for a bounded number of names and sources; where there are more,
//! those with the fewest failures are forgotten, so that a client that makes names up does not make the server forget
//! the attempts on a real account.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

/// The wait behind the first wrong password; it doubles with each further one.
const FIRST: Duration = Duration::from_millis(500);
/// The longest wait between two attempts.
const LONGEST: Duration = Duration::from_secs(60);
/// The longest time that an attempt waits on its connection: with more to wait it is refused at once.
const PATIENCE: Duration = Duration::from_secs(8);
/// Failures are forgotten so long after the last attempt.
const FORGOTTEN: Duration = Duration::from_secs(900);
/// Names and sources that are known at once.
const MOST: usize = 10_000;
/// Bits of an IPv6 address that one client may choose at will.
const OWN_BITS: u32 = 64;

/// The failed attempts by user and address.
#[derive(Debug, Default)]
pub struct Attempts(BTreeMap<(String, IpAddr), Record>);

#[derive(Debug)]
struct Record {
    failures: u32,
    /// From when on the next attempt may be checked.
    next: Instant,
}

fn source(address: SocketAddr) -> IpAddr {
    match address.ip().to_canonical() {
        IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() >> OWN_BITS << OWN_BITS)),
        ip => ip,
    }
}

/// The wait behind so many wrong passwords.
fn delay(failures: u32) -> Duration {
    FIRST.saturating_mul(1 << failures.saturating_sub(1).min(30)).min(LONGEST)
}

impl Attempts {
    /// How long an attempt waits; nothing where it would wait too long, and is refused.
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

    /// An attempt was wrong.
    pub fn wrong(&mut self, user: &str, address: SocketAddr, now: Instant) {
        let key = (user.to_owned(), source(address));
        if !self.0.contains_key(&key) {
            self.make_room(now);
        }
        let known = self.0.entry(key).or_insert(Record { failures: 0, next: now });
        known.failures = known.failures.saturating_add(1);
        known.next = known.next.max(now + delay(known.failures));
    }

    /// The last attempt was right: its account may be tried from its source as if nothing had been wrong.
    pub fn right(&mut self, user: &str, address: SocketAddr) {
        self.0.remove(&(user.to_owned(), source(address)));
    }

    fn make_room(&mut self, now: Instant) {
        if self.0.len() < MOST {
            return;
        }
        self.0.retain(|_, known| now.duration_since(known.next) <= FORGOTTEN);
        if self.0.len() < MOST {
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

    /// An attempt that is wrong, if it is checked; how long it waited.
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
        assert_eq!(attempts.wait("ana", here, now), None, "16 seconds are not waited for on a connection");
        // Neither another source nor another account waits.
        assert_eq!(attempts.wait("ana", there, now), Some(Duration::ZERO));
        assert_eq!(attempts.wait("bo", here, now), Some(Duration::ZERO));
        // After its time an attempt is checked, and the wait grows to a minute and no further.
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
        assert_eq!(attempts.wait("ana", here, later), Some(Duration::ZERO), "it is forgotten");
    }

    /// Many right passwords at once wait for nothing; behind a wrong one attempts at the same time wait for each other.
    #[test]
    fn attempts_at_the_same_time_wait_for_each_other_behind_a_wrong_one() {
        let (mut attempts, now, here) = (Attempts::default(), Instant::now(), address("192.0.2.1"));
        assert!((0..1_000).all(|_| attempts.wait("ana", here, now) == Some(Duration::ZERO)));
        attempts.wrong("ana", here, now);
        let waits: Vec<_> = (0..100).map_while(|_| attempts.wait("ana", here, now)).collect();
        assert_eq!(waits.len(), 16, "{waits:?}");
        assert!(waits.iter().zip(1..).all(|(wait, at)| *wait == FIRST * at), "{waits:?}");
    }

    /// Addresses that one client has at will are one source.
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

    /// Names that are made up take no more memory than there is, and do not make the server forget others' failures.
    #[test]
    fn memory_is_bounded_and_keeps_those_with_most_failures() {
        let (mut attempts, now, here) = (Attempts::default(), Instant::now(), address("192.0.2.1"));
        for _ in 0..5 {
            attempts.wrong("ana", here, now);
        }
        for at in 0..MOST + 50 {
            attempts.wrong(&format!("made up {at}"), here, now);
        }
        assert_eq!(attempts.0.len(), MOST);
        assert_eq!(attempts.wait("ana", here, now), Some(PATIENCE));
    }
}
