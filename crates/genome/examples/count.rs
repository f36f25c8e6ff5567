//! How long it takes to read and count a generated .bed file, beside PLINK 1.9 (Debian's `plink1.9`) on the same files.
//!
//! `cargo run --release -p deniable-genome --example count -- [PEOPLE] [SNPS]` (10000 and 100000, which writes 250 MB to the
//! folder for temporary files). Medians of three; two threads.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a measurement is printed")]

use deniable_genome::Fileset;
use deniable_genome::assoc::{AssocRow, Order, write_assoc, write_assoc_header};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use std::fs::File;
use std::io::{BufWriter, Error, Result, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const THREADS: usize = 2;

fn main() -> Result<()> {
    let mut numbers = std::env::args().skip(1).map(|number| number.parse::<usize>());
    let people = numbers.next().and_then(std::result::Result::ok).unwrap_or(10_000);
    let snps = numbers.next().and_then(std::result::Result::ok).unwrap_or(100_000);
    let folder = tempfile::tempdir()?;
    generate(folder.path(), people, snps)?;
    println!("{people} people, {snps} SNPs, {} MB, {THREADS} threads", people.div_ceil(4) * snps / 1_000_000);
    println!("count              {:>8.3} s", median(|| count(folder.path()))?.as_secs_f64());
    println!("count, write table {:>8.3} s", median(|| table(folder.path()))?.as_secs_f64());
    match median(|| plink(folder.path())) {
        Ok(time) => println!("plink1.9 --assoc   {:>8.3} s", time.as_secs_f64()),
        Err(error) => println!("plink1.9: {error} (apt-get install plink1.9)"),
    }
    let theirs = std::fs::read(folder.path().join("p.assoc")).unwrap_or_default();
    if !theirs.is_empty() {
        let same = theirs == std::fs::read(folder.path().join("d.assoc"))?;
        println!("the two tables are {}", if same { "equal" } else { "NOT equal" });
    }
    Ok(())
}

/// Random calls: a quarter of them missing, which neither program minds.
fn generate(folder: &Path, people: usize, snps: usize) -> Result<()> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut fam = BufWriter::new(File::create(folder.join("t.fam"))?);
    for person in 0..people {
        writeln!(fam, "F{person} I{person} 0 0 {} {}", 1 + person % 2, 1 + person / 3 % 2)?;
    }
    let mut bim = BufWriter::new(File::create(folder.join("t.bim"))?);
    for snp in 0..snps {
        writeln!(bim, "{}\trs{snp}\t0\t{}\tA\tC", 1 + snp * 22 / snps, 1 + snp)?;
    }
    let mut bed = BufWriter::new(File::create(folder.join("t.bed"))?);
    bed.write_all(&[0x6c, 0x1b, 0x01])?;
    let mut row = vec![0; people.div_ceil(4)];
    for _ in 0..snps {
        random.fill_bytes(&mut row);
        if let Some(last) = row.last_mut() {
            // Bits after the last person are zero, as the format asks.
            *last &= 0xff >> (2 * ((4 - people % 4) % 4));
        }
        bed.write_all(&row)?;
    }
    fam.flush()?;
    bim.flush()?;
    bed.flush()
}

fn median(mut run: impl FnMut() -> Result<()>) -> Result<Duration> {
    let mut times = Vec::new();
    for _ in 0..3 {
        let began = Instant::now();
        run()?;
        times.push(began.elapsed());
    }
    times.sort();
    Ok(times.get(1).copied().unwrap_or_default())
}

fn threads() -> NonZeroUsize {
    NonZeroUsize::new(THREADS).unwrap_or(NonZeroUsize::MIN)
}

fn count(folder: &Path) -> Result<()> {
    let files = Fileset::open(&folder.join("t"), None).map_err(Error::other)?;
    let mut people = 0;
    files.scan(threads(), &mut |snp| people += snp.counts.table.all_cases()).map_err(Error::other)?;
    if people == 0 { Err(Error::other("nobody was counted")) } else { Ok(()) }
}

fn table(folder: &Path) -> Result<()> {
    let files = Fileset::open(&folder.join("t"), None).map_err(Error::other)?;
    let mut out = BufWriter::new(File::create(folder.join("d.assoc"))?);
    let width = files.name_width();
    write_assoc_header(&mut out, width)?;
    let mut written = Ok(());
    files
        .scan(threads(), &mut |snp| {
            if written.is_ok() {
                written = write_assoc(&mut out, width, &AssocRow::of(Order::MinorFirst.of(snp)));
            }
        })
        .map_err(Error::other)?;
    written?;
    out.flush()
}

fn plink(folder: &Path) -> Result<()> {
    let mut plink = Command::new("plink1.9");
    plink.args(["--bfile", "t", "--assoc", "--allow-no-sex", "--threads", &THREADS.to_string(), "--out", "p"]);
    let status = plink.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(Error::other(status.to_string())) }
}
