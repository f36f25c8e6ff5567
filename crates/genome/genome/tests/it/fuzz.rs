//! Damaged genotype files from a seeded mutator; the fuzz targets run the same for longer.

#[path = "../../../../../fuzz/src/corpus.rs"]
mod corpus;
#[path = "../../../../../fuzz/src/damage.rs"]
mod damage;
#[path = "../../../../../fuzz/src/plink.rs"]
mod plink;
#[path = "../../../../../fuzz/src/vcf.rs"]
mod vcf;

use deniable_testing::sized;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use std::io::Write as _;

/// Pieces that occur in no seed.
const PIECES: [&[u8]; 15] = [
    b"",
    b"\t",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff\xfe",
    "é".as_bytes(),
    b"-9",
    b"NA",
    b"2147483647",
    b"99999999999999999999",
    b"X",
    b"./1",
    b"##fileformat=VCFv4.2\n",
    b"FID IID",
];

fn bgzipped(bytes: &[u8]) -> Vec<u8> {
    let mut writer = noodles_bgzf::io::Writer::new(Vec::new());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

/// Each of the four files of a fileset, preceded by a byte for the file, and the selection of the phenotype.
fn plink_seeds() -> Vec<Vec<u8>> {
    let seed = |(place, (_, good)): (usize, &(&str, &[u8]))| [&[place as u8], *good].concat();
    let mut seeds: Vec<Vec<u8>> = plink::GOOD.iter().enumerate().map(seed).collect();
    seeds.extend([7, 11].map(|choice| [&[choice], plink::GOOD[3].1].concat()));
    seeds
}

fn vcf_seeds() -> Vec<Vec<u8>> {
    vec![vcf::GOOD.to_vec(), bgzipped(vcf::GOOD)]
}

#[test]
fn corpus() {
    corpus::begin("plink", &plink_seeds(), plink::check);
    corpus::begin("vcf", &vcf_seeds(), vcf::check);
}

fn damaged(seed: &[u8], keep: usize, random: &mut ChaCha8Rng) -> Vec<u8> {
    damage::damaged(seed, keep, &PIECES, &mut |bound| (random.next_u64() % bound as u64) as usize)
}

#[test]
fn damaged_filesets_are_counted_or_rejected_with_a_message() {
    let mut random = ChaCha8Rng::seed_from_u64(deniable_testing::seed(21));
    let seeds = plink_seeds();
    let cases = sized(750, 3_000);
    let counted = (0..cases).filter(|case| plink::check(&damaged(&seeds[case % seeds.len()], 1, &mut random))).count();
    assert!((cases / 30..cases * 5 / 6).contains(&counted), "{counted}");
}

#[test]
fn damaged_vcf_files_are_counted_or_rejected_with_a_message() {
    let mut random = ChaCha8Rng::seed_from_u64(deniable_testing::seed(22));
    let (cases, mut counted) = (sized(750, 3_000), 0);
    for case in 0..cases {
        // Half of them are damaged before they are compressed, or after.
        let bytes = match case % 4 {
            0 => bgzipped(&damaged(vcf::GOOD, 0, &mut random)),
            1 => damaged(&bgzipped(vcf::GOOD), 0, &mut random),
            _ => damaged(vcf::GOOD, 0, &mut random),
        };
        counted += u32::from(vcf::check(&bytes));
    }
    assert!((cases / 30..cases * 29 / 30).contains(&counted), "{counted}");
}
