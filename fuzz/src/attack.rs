//! Properties of every table that an attack reads. Run by `fuzz/targets/attack.rs` and by
//! `crates/lab/attack/tests/it/fuzz.rs`.

use deniable_attack::linkage::{JoinColumns, TextTable, link};
use deniable_attack::ratings::{Columns, Records, Settings};
use deniable_attack::{Panel, Side, TableError, frequencies, listed, ratings};
use deniable_genome::individuals::Name;

/// A valid file of each kind, with its leading byte: frequencies, rows, ratings, a list of people.
pub const GOOD: [(u8, &[u8]); 6] = [
    (0, b"CHR\tSNP\tBP\tA1\tA2\tF_A\tF_U\n1\trs1\t100\tA\tC\t0.25\t0.5\n1\trs2\t200\tA\tG\tNA\t0.125\n"),
    (1, b"CHR\tSNP\tBP\tA1\tA2\tF_A\tF_U\n1\trs1\t100\tA\tC\t0.25\t0.5\n1\trs2\t200\tA\tG\tNA\t0.125\n"),
    (0, b" CHR  SNP   A1   A2   MAF  NCHROBS\n   1  rs1   A    C   0.25   8\n   1   .   A    C   1   8\n"),
    (2, b"id,zip,birth\n1,02138,1945-07-31\n2,02138,\n3,\"02,139\",1950-01-01\n"),
    (3, b"who,film,stars,day\na,f,3,2006-10-02\na,g,,17\nb,f,2.5,\n"),
    (4, b"F1 I1\nI2\n\n"),
];

/// A table is refused with a message, or read and used without a panic. The first byte selects the kind of the rest.
/// Returns whether it is read.
pub fn check(bytes: &[u8]) -> bool {
    let (choice, bytes) = bytes.split_first().unwrap_or((&0, bytes));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.csv");
    std::fs::write(&path, bytes).expect("a file");
    match choice % 5 {
        side @ (0 | 1) => match frequencies::read(&path, if side == 0 { Side::Cases } else { Side::Controls }) {
            Ok(all) => {
                assert!(all.sites.iter().all(|site| (0.0..=1.0).contains(&site.frequency)));
                assert!(Panel::new(&all, &all).len() <= all.sites.len());
                true
            }
            Err(error) => said(&error),
        },
        2 => match TextTable::read(&path) {
            Ok(table) => {
                let on = JoinColumns {
                    columns: table.columns.iter().take(2).cloned().collect(),
                    truth: table.columns.last().cloned(),
                };
                match link(&table, &table, None, &on) {
                    Ok(found) => {
                        assert!(found.targets.unique <= found.targets.agreeing);
                        assert!(found.targets.correct.unwrap_or(0) <= found.targets.unique);
                        assert!(found.targets.agreeing + found.targets.incomplete <= found.targets.people);
                        true
                    }
                    Err(error) => said(&error),
                }
            }
            Err(error) => said(&error),
        },
        3 => {
            let columns = Columns {
                person: "who".to_owned(),
                item: "film".to_owned(),
                rating: Some("stars".to_owned()),
                day: Some("day".to_owned()),
            };
            match TextTable::read(&path).and_then(|table| Records::of(&table, &columns)) {
                Ok(records) => {
                    let found = ratings::link(&records, &records, Some(&records), true, &Settings::default());
                    assert!(found.targets.unique <= found.targets.people);
                    true
                }
                Err(error) => said(&error),
            }
        }
        _ => {
            let name = |family: &str, id: &str| Name { family: Some(family.to_owned()), id: id.to_owned() };
            match listed(&[name("F1", "I1"), name("F2", "I2")], &path) {
                Ok((found, _)) => found.contains(&true),
                Err(error) => said(&error),
            }
        }
    }
}

/// A refusal names the file and the remedy, and quotes a limited part of the file.
fn said(error: &TableError) -> bool {
    let words = error.to_string();
    let place = words.strip_prefix(&error.file.display().to_string());
    assert!(place.is_some_and(|place| place.contains("\n  help: ")), "{words:?}");
    assert!(words.len() < 2000 && !words.chars().any(|c| c.is_control() && c != '\n'), "{words:?}");
    false
}
