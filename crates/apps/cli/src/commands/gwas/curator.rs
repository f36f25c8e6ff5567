//! `deniable gwas --curator`: the true values, for the curator alone.

use crate::args::gwas::Release;
use crate::console::say;
use crate::error::Failure;
use crate::output::{publish, writable};
use crate::progress::Progress;
use deniable::gwas::true_values;

/// Makes a file readable for its owner alone.
fn private(path: &std::path::Path) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
            .map_err(|error| crate::error::write_failure(&error, Some(&path.to_path_buf())))?;
    }
    Ok(())
}

/// Number of SNPs to show without --top.
const SHOWN: usize = 20;

/// Standard output is for publishable results, so the values go to standard error or into the named file.
pub fn run(args: &Release) -> Result<(), Failure> {
    let genotypes = args.input.genotypes();
    writable(&[("--out", args.out.as_deref())], &genotypes.files()?.all())?;
    let most = args.top.map_or(SHOWN, std::num::NonZeroUsize::get);
    let progress = Progress::new();
    let reading = |snps| progress.rows("reading SNPs", snps);
    let text = true_values(&genotypes, args.test.into(), most, args.threads, &reading)?;
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
