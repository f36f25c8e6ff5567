//! Genotypes of individuals: the genotypes written to a file are read back, with or without phenotypes.

use super::fixture::{Files, Shape, small};
use deniable_genome::counting::Genotype;
use deniable_genome::{FileErrorKind, Fileset, Individuals, Variant};

fn shape() -> Shape {
    Shape {
        people: 13,
        chromosomes: &["1", "23", "2", "26"],
        snps_each: 30,
        missing: 0.1,
        phenotypes: &["1", "2", "-9"],
        odd_people: true,
    }
}

/// Every third SNP of the file on a used chromosome, with the genotypes of all people.
fn chosen(files: &Files) -> Vec<Vec<Genotype>> {
    let used = |place: &usize| matches!(place / 30, 0 | 2) && place.is_multiple_of(3);
    (0..files.genotypes.len()).filter(used).map(|place| files.genotypes[place].clone()).collect()
}

fn third(variant: &Variant) -> bool {
    variant.id.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<usize>().unwrap().is_multiple_of(3)
}

#[test]
fn genotypes_come_back_from_bed_files() {
    let files = Files::random(&shape(), 5);
    let expected = chosen(&files);
    for with_phenotypes in [true, false] {
        let mut found = vec![];
        let mut show = |_: &Variant, row: &[Genotype]| found.push(row.to_vec());
        let log = if with_phenotypes {
            Fileset::open(&files.prefix(), None).unwrap().genotypes(&mut third, &mut show).unwrap()
        } else {
            Individuals::plink(&files.prefix()).unwrap().genotypes(&mut third, &mut show).unwrap()
        };
        assert_eq!(found, expected);
        assert_eq!((log.people, log.snps, log.used, log.x, log.mt), (13, 120, 20, 30, 30));
    }
}

#[test]
fn people_have_names_and_phenotypes_may_be_anything() {
    let files = small();
    let fam = std::fs::read_to_string(files.path("t.fam")).unwrap();
    let quantitative: String = fam.lines().map(|line| line.rsplit_once(' ').unwrap().0.to_owned() + " 3.7\n").collect();
    std::fs::write(files.path("t.fam"), quantitative).unwrap();
    assert!(Fileset::open(&files.prefix(), None).is_err());
    let people = Individuals::plink(&files.prefix()).unwrap();
    assert_eq!(people.names()[1].to_string(), "F1 I1");
}

#[test]
fn genotypes_come_back_from_vcf() {
    let files = small();
    let text = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts0\ts1\ts2\ts3\n\
        1\t5\trs1\tA\tG\t.\t.\t.\tGT\t0/1\t1|1\t./.\t0\n\
        1\t6\trs2\tA\tG,C\t.\t.\t.\tGT\t0/1\t1|1\t./.\t0\n\
        X\t7\trs3\tA\tG\t.\t.\t.\tGT\t0/1\t1|1\t./.\t0\n\
        2\t8\trs4\tC\tT\t.\t.\t.\tDP:GT\t9:1/1\t9:0/0\t9:./1\t9:1\n";
    let people = Individuals::vcf(&files.write("t.vcf", text.as_bytes())).unwrap();
    let names: Vec<String> = people.names().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["s0", "s1", "s2", "s3"]);
    let mut found = vec![];
    let log = people
        .genotypes(&mut |_| true, &mut |variant, row| {
            let copies: Vec<Option<u8>> = row.iter().map(|genotype| genotype.copies()).collect();
            found.push((variant.id.clone(), variant.a1.clone(), copies));
        })
        .unwrap();
    assert_eq!(
        found,
        [
            ("rs1".to_owned(), "G".to_owned(), vec![Some(1), Some(2), None, Some(0)]),
            ("rs4".to_owned(), "T".to_owned(), vec![Some(2), Some(0), None, Some(2)]),
        ]
    );
    assert_eq!((log.snps, log.used, log.multiallelic, log.x, log.half_calls), (4, 2, 1, 1, 1));
}

#[test]
fn changed_files_are_rejected() {
    let files = small();
    let people = Individuals::plink(&files.prefix()).unwrap();
    let bim = std::fs::read_to_string(files.path("t.bim")).unwrap();
    std::fs::write(files.path("t.bim"), bim.clone() + "1 late 0 5 A C\n").unwrap();
    let read = |wanted: bool| people.genotypes(&mut |_| wanted, &mut |_, _| {}).unwrap_err().kind;
    assert_eq!((read(true), read(false)), (FileErrorKind::Changed, FileErrorKind::Changed));
    let shorter = bim.lines().next().unwrap().to_owned() + "\n";
    std::fs::write(files.path("t.bim"), shorter).unwrap();
    assert_eq!(read(false), FileErrorKind::Changed);
}
