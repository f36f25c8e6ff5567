//! Properties of every VCF file, plain or bgzipped. Run by `fuzz/targets/vcf.rs` and by
//! `crates/genome/genome/tests/it/fuzz.rs`.

use super::plink::{counted, said};
use deniable_genome::{Column, PhenoFile, Vcf};

/// Three samples.
pub const GOOD: &[u8] =
    b"##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n\
#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n\
1\t5\trs\tA\tC\t.\t.\t.\tGT:DP\t0/1:3\t1|1\t./.\n\
chr2\t6\t.\tA\tC,G\t7\tPASS\tDP=3\tGT\t0\t1\t.\n\
X\t7\tx;y\tA\t.\t.\tq10\t.\tDP\t4\t5\t6\n";

/// The file is refused with a message, or counted twice with the same result. Returns whether it is counted.
pub fn check(bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.vcf");
    std::fs::write(&path, bytes).expect("a file");
    let pheno = PhenoFile { path: folder.path().join("t.pheno"), column: Column::First };
    std::fs::write(&pheno.path, "a a 1\nb b 2\nc c 2\n").expect("a file");
    let vcf = match Vcf::open(&path, &pheno) {
        Ok(vcf) => vcf,
        Err(error) => return said(&error),
    };
    let scan = || {
        let mut snps = Vec::new();
        let log = vcf.scan(&mut |snp| snps.push(snp));
        log.map(|log| (snps, log))
    };
    let read = scan();
    assert_eq!(read, scan());
    match read {
        Ok((snps, log)) => {
            let left_out = log.x + log.y + log.mt + log.contigs + log.multiallelic + log.without_genotypes;
            assert_eq!((snps.len() as u64, log.snps), (log.used, log.used + left_out));
            snps.into_iter().for_each(|snp| counted(snp, log.cases, log.controls));
            true
        }
        Err(error) => said(&error),
    }
}
