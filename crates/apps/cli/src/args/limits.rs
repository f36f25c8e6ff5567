//! Limits on memory, threads and temporary files.

use deniable::Resources;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Limits on memory, threads and temporary files.
#[derive(Debug, clap::Args)]
pub struct Limits {
    /// Limit of memory, such as 512MB or 4GiB; larger computations use temporary files.
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = size)]
    pub memory: usize,
    /// Number of threads; all if omitted.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
    /// Folder for temporary files instead of the system's. They contain private rows.
    #[arg(long, value_name = "FOLDER", value_parser = folder)]
    pub spill: Option<PathBuf>,
}

impl Limits {
    /// Converts to the type of the computation.
    pub fn resources(&self) -> Resources {
        let default = Resources::default();
        Resources {
            threads: self.threads.map_or(default.threads, usize::from),
            memory: Some(self.memory),
            spill: self.spill.clone(),
        }
    }
}

pub(super) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "write a whole number from 1 on".to_owned())
}

/// Checks that the folder exists before anything is charged.
fn folder(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() { Ok(path) } else { Err("it is not a folder; make it first, readable by you alone".to_owned()) }
}

const SIZE_HELP: &str = "write a number and a unit, as in --memory 512MiB or --memory 4GiB";

/// Parses a number of bytes: 512MB, 4GiB, 1.5GB. MB is 1000² bytes, MiB is 1024².
fn size(text: &str) -> Result<usize, String> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len()));
    let unit: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" | "k" => 1_000,
        "mb" | "m" => 1_000_000,
        "gb" | "g" => 1_000_000_000,
        "tb" | "t" => 1_000_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "tib" => 1 << 40,
        _ => return Err(SIZE_HELP.to_owned()),
    };
    let bytes = number.parse::<f64>().map_err(|_| SIZE_HELP)? * unit as f64;
    if bytes < Resources::LEAST_MEMORY as f64 {
        // A number without a unit is often not meant in bytes.
        return Err(format!("{bytes} bytes are too little to compute with, at least 1MB is needed; {SIZE_HELP}"));
    }
    Ok(bytes as usize)
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes() {
        let read = |text| size(text).ok();
        assert_eq!(
            (read("512MB"), read("4GiB"), read("1.5 gb")),
            (Some(512_000_000), Some(4 << 30), Some(1_500_000_000))
        );
        assert_eq!((read("2000000"), read("1TiB"), read("2000k")), (Some(2_000_000), Some(1 << 40), Some(2_000_000)));
        let complaint = |text| size(text).expect_err(text);
        assert!(complaint("12").starts_with("12 bytes are too little"), "{}", complaint("12"));
        for wrong in ["12", "12x", "lots"] {
            assert!(complaint(wrong).contains("--memory 4GiB"), "{}", complaint(wrong));
        }
        for wrong in ["", "GB", "1XB", "-1GB", "1 000 MB", "12", "1e9", "1.2.3GB"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
