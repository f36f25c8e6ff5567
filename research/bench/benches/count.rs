//! Reading and counting a generated .bed file, compared with PLINK 1.9 (Debian's `plink1.9`) on the same files:
//! `cargo bench -p deniable-bench --bench count`.
//!
//! 10,000 people and 100,000 SNPs, 250 MB in the folder for temporary files, two threads. If PLINK is installed, both
//! tables are compared first.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr, reason = "a benchmark")]

use deniable_genome::Fileset;
use deniable_genome::assoc::{AssocRow, Order, write_assoc, write_assoc_header};
use divan::Bencher;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

const PEOPLE: usize = 10_000;
const SNPS: usize = 100_000;
const THREADS: NonZeroUsize = NonZeroUsize::new(2).unwrap();

fn main() {
    let folder = FOLDER.path();
    if plink(folder) {
        table(folder);
        let same = std::fs::read(folder.join("p.assoc")).unwrap() == std::fs::read(folder.join("d.assoc")).unwrap();
        assert!(same, "the two tables differ");
    } else {
        eprintln!("NO plink1.9 HERE (apt-get install plink1.9): OUR SIDE IS MEASURED ALONE");
    }
    divan::main();
    std::fs::remove_dir_all(folder).unwrap();
}

/// Random calls, a quarter of them missing, which affects neither program.
static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let create = |name: &str| BufWriter::new(File::create(folder.path().join(name)).unwrap());
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut fam = create("t.fam");
    for person in 0..PEOPLE {
        writeln!(fam, "F{person} I{person} 0 0 {} {}", 1 + person % 2, 1 + person / 3 % 2).unwrap();
    }
    let mut bim = create("t.bim");
    for snp in 0..SNPS {
        writeln!(bim, "{}\trs{snp}\t0\t{}\tA\tC", 1 + snp * 22 / SNPS, 1 + snp).unwrap();
    }
    let mut bed = create("t.bed");
    bed.write_all(&[0x6c, 0x1b, 0x01]).unwrap();
    // Four people per byte, without a remainder.
    let mut row = vec![0; PEOPLE / 4];
    for _ in 0..SNPS {
        random.fill_bytes(&mut row);
        bed.write_all(&row).unwrap();
    }
    for mut file in [fam, bim, bed] {
        file.flush().unwrap();
    }
    folder
});

fn count(folder: &Path) -> u64 {
    let files = Fileset::open(&folder.join("t"), None).unwrap();
    let mut people = 0;
    files.scan(THREADS, &mut |snp| people += snp.counts.table.all_cases()).unwrap();
    people
}

fn table(folder: &Path) {
    let files = Fileset::open(&folder.join("t"), None).unwrap();
    let mut out = BufWriter::new(File::create(folder.join("d.assoc")).unwrap());
    let width = files.name_width();
    write_assoc_header(&mut out, width).unwrap();
    files
        .scan(THREADS, &mut |snp| write_assoc(&mut out, width, &AssocRow::of(Order::MinorFirst.of(snp))).unwrap())
        .unwrap();
    out.flush().unwrap();
}

/// Whether PLINK is installed and has written its table.
fn plink(folder: &Path) -> bool {
    let mut plink = Command::new("plink1.9");
    plink.args(["--bfile", "t", "--assoc", "--allow-no-sex", "--threads", "2", "--out", "p"]);
    let status = plink.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

#[divan::bench(sample_count = 3)]
fn counting(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| count(FOLDER.path()));
}

#[divan::bench(sample_count = 3)]
fn counting_and_writing_the_table(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| table(FOLDER.path()));
}

#[divan::bench(sample_count = 3)]
fn baseline_plink(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| plink(FOLDER.path()));
}
