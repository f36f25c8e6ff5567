//! `deniable gwas --curator`: the true values, for the curator's eyes alone.

use crate::args::gwas::Release;
use crate::args::limits::all_threads;
use crate::console::say;
use crate::error::Failure;
use crate::genotypes::{file_failure, files};
use crate::output::{publish, writable};
use crate::progress::Progress;
use deniable_gwas::curator::view;

/// Exact values are for their owner's eyes.
fn private(path: &std::path::Path) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
            .map_err(|error| crate::error::write_failure(&error, Some(&path.to_path_buf())))?;
    }
    Ok(())
}

/// SNPs that are shown unless --top says how many.
const SHOWN: usize = 20;

/// Runs it. Standard output is for what may be published, so that this goes to standard error, or into a file that is named.
pub fn run(args: &Release) -> Result<(), Failure> {
    let files = files(&args.input)?;
    writable(&[("--out", args.out.as_deref())], &files.all())?;
    let most = args.top.map_or(SHOWN, std::num::NonZeroUsize::get);
    let progress = Progress::new();
    let text =
        view(&files, args.test.into(), most, all_threads(args.threads), &|snps| progress.rows("reading SNPs", snps))
            .map_err(|error| file_failure(&error))?;
    progress.done();
    match &args.out {
        Some(out) => {
            publish(&text, Some(out))?;
            private(out)
        }
        None => {
            say(text.trim_end());
            Ok(())
        }
    }
}
