//! Genotype files: read, rejected, counted, and compared with PLINK 1.9.

mod compare;
mod fixture;
mod hostile;
mod individuals;
mod reading;
mod vcf;
