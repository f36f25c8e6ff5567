//! Bad input: the error names the place and the remedy, nothing is charged, and no partial output is written.

use crate::support::Place;
use std::fmt::Write;
use std::fs;
use std::process::Command;

const POLICY: &str = r#"name = "study"
population = "patients"

[data]
table = "visits"
path = "data.csv"
version = "1"

[entity]
key = "patient"
rows_per_group = 2
groups = 1

[columns.patient]
type = "text"

[columns.cost]
type = "decimal"
bounds = [0, 100]
step = 0.5

[columns.sex]
type = "text"
keys = ["F", "M"]

[adversary]
preset = "acquaintance"

[promise]
posterior_at_most = 0.75

[[query]]
name = "by sex"
sql = "SELECT sex, SUM(cost) FROM visits GROUP BY sex"
"#;
const DATA: &str = "patient,cost,sex\np1,3.5,F\np2,7,M\n";

/// Messages for the curator, collected for one snapshot.
#[derive(Default)]
struct CuratorOutput(String);

impl CuratorOutput {
    /// Checks that a release is refused without standard output, a charge or a leftover file.
    #[track_caller]
    fn refused(&mut self, what: &str, place: &Place) {
        let run = place.release(&[]).refused();
        assert_eq!(place.charges(), 0, "{what}");
        let strange: Vec<String> = place
            .files()
            .into_iter()
            .filter(|name| {
                let own = ["patients.ledger", "patients.ledger.head", "patients.ledger.key"];
                !["policy.toml", "data.csv", "data"].iter().chain(&own).any(|own| own == name)
            })
            .collect();
        assert!(strange.is_empty(), "{what}: {strange:?}");
        writeln!(self.0, "# {what}\n{}\n", place.plain(&run.stderr)).unwrap();
    }

    /// Checks that the policy itself is refused, before a ledger is created.
    #[track_caller]
    fn policy(&mut self, what: &str, from: &str, to: &str) {
        let place = Place::new(POLICY, DATA);
        place.edit("policy.toml", from, to);
        self.refused(what, &place);
        assert_eq!(place.files(), ["data.csv", "policy.toml"], "{what}");
    }

    #[track_caller]
    fn data(&mut self, what: &str, data: impl AsRef<[u8]>) {
        self.refused(what, &Place::new(POLICY, data));
    }
}

#[test]
fn unusable_data_are_refused() {
    let mut told = CuratorOutput::default();
    let missing = Place::new(POLICY, DATA);
    fs::remove_file(missing.path("data.csv")).unwrap();
    told.refused("missing file", &missing);
    let folder = Place::new(POLICY, DATA);
    fs::remove_file(folder.path("data.csv")).unwrap();
    fs::create_dir(folder.path("data.csv")).unwrap();
    told.refused("an empty folder", &folder);
    let pattern = Place::new(&POLICY.replace("data.csv", "data/2024-*.csv"), DATA);
    told.refused("a pattern that matches nothing", &pattern);
    told.data("empty file", "");
    told.data("only a line break", "\n");
    told.data("wrong delimiter", DATA.replace(',', ";"));
    told.data("ragged rows", "patient,cost,sex\np1,3.5,F\np2,7\np3,1,M,x\n");
    told.data("not UTF-8", b"patient,cost,sex\np1,3.5,F\np2,7,\xff\xfe\n");
    told.data("header not UTF-8", b"patient,cost,s\xe9x\np1,3.5,F\n");
    told.data("UTF-16", "patient,cost,sex\np1,3.5,F\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    told.data("a column that is not there", "patient,price,sex\np1,3.5,F\n");
    told.data("a column in other letters", "Patient,Cost,Sex\np1,3.5,F\n");
    told.data("a column twice", "patient,cost,sex,cost\np1,3.5,F,1\n");
    told.data("no header", "p1,3.5,F\np2,7,M\n");
    told.data("a quote never closed", "patient,cost,sex\np1,\"3.5,F\np2,7,M\n");
    insta::assert_snapshot!(told.0);
}

/// A URL is not a path in the working folder, and its credentials are not shown.
#[test]
fn a_url_as_data_is_refused_without_its_credentials() {
    let place = Place::new(POLICY, DATA);
    for (url, shown) in [
        ("s3://key:se/cret@bucket/data.csv", "s3://..."),
        ("s3://key:se/cret@bucket/data.parquet", "s3://..."),
        ("https://a.example/data.csv?sig=secret", "https://..."),
        ("s3://bucket/data.csv", "s3://bucket/data.csv"),
    ] {
        let said = place.release(&["--data", url]).refused().stderr;
        // With stores compiled in, the URL itself is refused and not shown.
        assert!((cfg!(feature = "objects") || said.contains(shown)) && !said.contains("cret"), "{said}");
    }
    assert_eq!(place.charges(), 0);
}

/// `data check` reports the same and registers nothing.
#[test]
fn data_check_refuses_what_a_release_refuses() {
    for data in ["", "patient,cost\np1,1\n", "patient,cost,sex\np1,1\n"] {
        let place = Place::new(POLICY, data);
        let checked = place.run(&["data", "check", "policy.toml"]).refused();
        let released = place.release(&[]).refused();
        let error = released.without_share();
        assert!(checked.stderr.ends_with(error.trim_start_matches(|c| c != ' ')), "{checked:?} {released:?}");
        assert_eq!(place.charges(), 0);
        place.write("data.csv", DATA);
        place.run(&["data", "check", "policy.toml"]).done();
        place.release(&[]).done();
    }
}

/// An empty table is not an error, and a release behaves as for any other size.
#[test]
fn a_table_with_only_a_header_is_valid() {
    let place = Place::new(POLICY, "patient,cost,sex\n");
    let run = place.release(&[]).done();
    assert!(run.stderr.contains("there are no rows"), "{run:?}");
    assert!(!run.stdout.contains("no rows"), "{run:?}");
    assert_eq!(place.charges(), 1);
}

/// Values that do not fit are reported to the curator, who may accept them.
#[test]
fn values_that_do_not_fit_are_noted() {
    let data = "patient,cost,sex\np1,-5,F\np1,abc,F\np1,1,X\np2,1e9,M\np3,NaN,F\n";
    let place = Place::new(POLICY, data);
    place.run(&["data", "check", "policy.toml"]).refused();
    let run =
        place.run(&["data", "check", "policy.toml", "--accept", "cost", "--accept", "sex", "--accept-loss", "by sex"]);
    let run = run.done();
    assert_eq!(run.stdout, "");
    insta::assert_snapshot!(place.plain(&run.stderr));
}

#[test]
fn invalid_policies_are_refused() {
    let mut told = CuratorOutput::default();
    told.policy("inverted bounds", "bounds = [0, 100]", "bounds = [100, 0]");
    told.policy("missing bounds", "bounds = [0, 100]\n", "");
    told.policy("no bounds and no step", "bounds = [0, 100]\nstep = 0.5\n", "");
    told.policy("a step that does not divide the range", "step = 0.5", "step = 0.3");
    told.policy("a prior above 1", "preset = \"acquaintance\"", "knows_size = false\nprior = { at_most = 1.5 }");
    told.policy(
        "a prior of 0",
        "preset = \"acquaintance\"",
        "knows_size = false\nprior = { at_least = 0, at_most = 0.5 }",
    );
    told.policy("a > b", "preset = \"acquaintance\"", "knows_size = false\nprior = { at_least = 0.5, at_most = 0.2 }");
    told.policy("a promise that cannot be met", "posterior_at_most = 0.75", "posterior_at_most = 0.5");
    told.policy("a promise without a prior", "preset = \"acquaintance\"", "preset = \"anyone\"");
    told.policy("promises that contradict", "posterior_at_most = 0.75", "posterior_at_most = 0.75\ngain = 1");
    told.policy("a promise that needs a public size", "posterior_at_most = 0.75", "rho = \"1/2\"\namong = 10");
    told.policy("no promise", "posterior_at_most = 0.75", "");
    told.policy("an unknown key", "posterior_at_most", "posterior_atmost");
    told.policy("an unknown table", "[adversary]", "[adversery]");
    told.policy("not TOML", "[data]", "[data");
    told.policy("a key that is no column", "key = \"patient\"", "key = \"patients\"");
    told.policy("no caps", "rows_per_group = 2\n", "");
    told.policy("nothing asked", POLICY.split_once("[[query]]").unwrap().1, "\n");
    insta::assert_snapshot!(told.0);
}

#[test]
fn no_policy() {
    let place = Place::empty();
    let mut told = String::new();
    place.write("visits.csv", DATA);
    fs::create_dir(place.path("folder")).unwrap();
    for name in ["policy.toml", "folder", "visits.csv", "visits.csv/policy.toml"] {
        let run = place.run(&["release", name]).refused();
        writeln!(told, "# {name}\n{}\n", place.plain(&run.stderr)).unwrap();
    }
    insta::assert_snapshot!(told);
}

#[test]
fn mismatched_ledgers_are_refused() {
    let mut told = String::new();
    let mut refuse = |what: &str, change: &dyn Fn(&Place)| {
        let place = Place::new(POLICY, DATA);
        place.release(&[]).done();
        change(&place);
        let before = fs::read(place.path("patients.ledger")).ok();
        let run = place.release(&[]).refused();
        assert_eq!(fs::read(place.path("patients.ledger")).ok(), before, "{what}");
        writeln!(told, "# {what}\n{}\n", place.plain(&run.stderr)).unwrap();
    };
    refuse("another population", &|place| {
        place.edit("policy.toml", "population = \"patients\"", "population = \"nurses\"\nledger = \"patients.ledger\"");
    });
    refuse("another entity key", &|place| {
        place.edit("policy.toml", "key = \"patient\"", "key = \"sex\"");
    });
    refuse("another adjacency", &|place| place.edit("policy.toml", "preset", "knows_size = true\npreset"));
    refuse("another promise", &|place| place.edit("policy.toml", "0.75", "0.8"));
    refuse("another adversary", &|place| place.edit("policy.toml", "\"acquaintance\"", "\"stranger\""));
    refuse("a version that was never checked", &|place| {
        place.edit("policy.toml", "version = \"1\"", "version = \"2\"");
    });
    refuse("no ledger but a text", &|place| {
        place.write("patients.ledger", "a shopping list, long enough to look like something")
    });
    refuse("an empty file", &|place| place.write("patients.ledger", ""));
    refuse("a ledger cut short", &|place| {
        let bytes = fs::read(place.path("patients.ledger")).unwrap();
        place.write("patients.ledger", &bytes[..bytes.len() / 2]);
    });
    refuse("an edited entry", &|place| {
        let bytes = fs::read(place.path("patients.ledger")).unwrap();
        let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        let at = text.rfind("by sex").unwrap();
        let mut edited = bytes;
        edited[at] = b'B';
        place.write("patients.ledger", edited);
    });
    refuse("a newer version's ledger", &|place| {
        let ledger = rusqlite::Connection::open(place.path("patients.ledger")).unwrap();
        ledger.pragma_update(None, "user_version", 99).unwrap();
    });
    refuse("a ledger of a version before 0.1.0", &|place| {
        let ledger = rusqlite::Connection::open(place.path("patients.ledger")).unwrap();
        ledger.pragma_update(None, "application_id", 0x6465_6e69).unwrap();
    });
    refuse("no key", &|place| fs::remove_file(place.path("patients.ledger.key")).unwrap());
    refuse("another key", &|place| place.write("patients.ledger.key", format!("{}\n", "0".repeat(64))));
    refuse("no head", &|place| fs::remove_file(place.path("patients.ledger.head")).unwrap());
    refuse("not a head", &|place| place.write("patients.ledger.head", "a head"));
    refuse("no ledger beside its key", &|place| fs::remove_file(place.path("patients.ledger")).unwrap());
    insta::assert_snapshot!(told);
}

#[test]
fn a_folder_that_cannot_be_written() {
    let mut told = String::new();
    for ledger in ["data.csv/patients.ledger", "nowhere/patients.ledger", "/proc/patients.ledger", "."] {
        let place = Place::new(POLICY, DATA);
        let run = place.release(&["--ledger", ledger]).refused();
        assert_eq!(place.files(), ["data.csv", "policy.toml"], "{ledger}");
        writeln!(told, "# {ledger}\n{}\n", place.plain(&run.stderr)).unwrap();
    }
    insta::assert_snapshot!(told);
}

/// A small file system of its own, unmounted when dropped.
struct SmallDisk(Place);

impl SmallDisk {
    /// `None` without the permission to mount a file system.
    fn of(kilobytes: u32) -> Option<Self> {
        let place = Place::empty();
        fs::create_dir(place.path("disk")).unwrap();
        let size = format!("size={kilobytes}k");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(place.path("disk")).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(Self(place))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path("disk")).status();
    }
}

/// On disks of growing size: either nothing was charged, or the charged query is resumed once there is space.
#[test]
fn a_full_disk() {
    let mut refused = Vec::new();
    for kilobytes in [4, 8, 12, 16, 20, 24, 28, 32, 40] {
        let Some(SmallDisk(place)) = &SmallDisk::of(kilobytes) else {
            deniable_testing::skipped("this user may not mount a small file system", "run the tests as root");
            return;
        };
        place.write("policy.toml", POLICY);
        place.write("data.csv", DATA);
        let args = ["--ledger", "disk/patients.ledger"];
        let run = place.release(&args);
        if run.code == Some(0) {
            continue;
        }
        let run = run.refused();
        let charged = run.stderr.contains("paid for");
        refused.push(format!("{kilobytes} kB:\n{}", place.plain(&run.stderr)));
        let disk = place.path("disk");
        let grown = Command::new("mount").args(["-o", "remount,size=4m"]).arg(disk).status().unwrap();
        assert!(grown.success());
        let again = place.release(&args).done();
        assert_eq!(again.stderr.contains("an earlier run had charged it"), charged, "{run:?} {again:?}");
        let shown = place.run(&["ledger", "show", "disk/patients.ledger", "--format", "json"]).done().json();
        assert_eq!(shown["accounts"][0]["releases"].as_array().unwrap().len(), 1);
        assert_eq!(shown["accounts"][0]["spent"], "3");
    }
    assert!(!refused.is_empty(), "no disk was small enough");
    for told in &refused {
        assert!(told.contains("is full") && told.contains("make space"), "{told}");
    }
}
