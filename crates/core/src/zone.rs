//! Time zones: the local time of a moment, by the compiled-in time-zone database.

use chrono::{DateTime, Offset, TimeZone};
use chrono_tz::Tz;

/// The version of the time-zone database, such as `2025b`. It is part of the reading of a column with a zone, because
/// another version may have other local times.
pub const DATABASE: &str = chrono_tz::IANA_TZDB_VERSION;

/// A time zone of the IANA database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zone(Tz);

impl Zone {
    /// Parses the exact name of a zone: `Europe/Berlin`, `UTC`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        name.parse().ok().map(Self)
    }

    /// The names of all zones.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name()).collect()
    }

    /// The name of the zone.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The local time of this zone at a moment in UTC; both are in microseconds since 1970-01-01T00:00:00 on their own
    /// clock. `None` when the moment is outside the range of chrono.
    #[must_use]
    pub fn local(self, micros: i64) -> Option<i64> {
        let moment = DateTime::from_timestamp_micros(micros)?.naive_utc();
        let ahead = self.0.offset_from_utc_datetime(&moment).fix().local_minus_utc();
        micros.checked_add(i64::from(ahead).checked_mul(1_000_000)?)
    }

    /// The first moment in UTC at which the clocks of this zone show a local time; both are in microseconds, as in
    /// [`Self::local`]. `None` when clocks skip it, or it is outside the range of chrono.
    #[must_use]
    pub fn instant(self, local: i64) -> Option<i64> {
        let clock = DateTime::from_timestamp_micros(local)?.naive_utc();
        let ahead = self.0.offset_from_local_datetime(&clock).earliest()?.fix().local_minus_utc();
        local.checked_sub(i64::from(ahead).checked_mul(1_000_000)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_show_what_the_database_has() {
        let minutes = |zone: &str, seconds: i64| {
            (Zone::named(zone).unwrap().local(seconds * 1_000_000).unwrap() / 1_000_000 - seconds) / 60
        };
        // 2024-06-30T23:30Z, 2024-01-01T00:00Z and 1900-01-01T00:00Z.
        let (summer, winter, old) = (1_719_790_200, 1_704_067_200, -2_208_988_800);
        assert_eq!((minutes("UTC", summer), minutes("UTC", old)), (0, 0));
        assert_eq!((minutes("Europe/Berlin", summer), minutes("Europe/Berlin", winter)), (120, 60));
        assert_eq!((minutes("America/New_York", summer), minutes("America/New_York", winter)), (-240, -300));
        assert_eq!(minutes("Asia/Kolkata", summer), 330);
        // Around the change of 2024-03-31T01:00Z.
        assert_eq!((minutes("Europe/Berlin", 1_711_846_799), minutes("Europe/Berlin", 1_711_846_800)), (60, 120));
        let berlin = Zone::named("Europe/Berlin").unwrap();
        assert_eq!(berlin.local(i64::MAX), None);
        for second in [summer, winter, old, 1_711_846_799, 1_711_846_800] {
            assert_eq!(berlin.instant(berlin.local(second * 1_000_000).unwrap()), Some(second * 1_000_000));
        }
        // On 2024-03-31, clocks skipped 02:30; on 2024-10-27, they showed it twice.
        assert_eq!(berlin.instant(1_711_852_200_000_000), None);
        assert_eq!(berlin.instant(1_729_996_200_000_000), Some(1_729_989_000_000_000));
        for unknown in ["", "?", "europe/berlin", "Berlin", "+02:00", "local"] {
            assert_eq!(Zone::named(unknown), None, "{unknown}");
        }
        assert!(Zone::names().contains(&"Europe/Berlin") && DATABASE.starts_with("20"));
    }
}
