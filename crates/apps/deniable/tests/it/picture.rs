//! The picture of the README: the beliefs that the clinic's promise allows, as pages draw them.

use deniable::Policy;
use deniable_chart::belief::curve;
use deniable_report::PromisePicture;
use std::path::Path;

/// `DENIABLE_WRITE=1 cargo test -p deniable --test it picture::` renews the picture.
#[test]
fn the_picture_of_the_readme_is_that_of_the_clinic() {
    let policy = Policy::load(&super::clinic()).unwrap();
    let drawn = curve(&PromisePicture::of(policy.guarantee().clone()).beliefs());
    // Pages have a light and a dark style; alone, the picture has white paper.
    let drawn = drawn.replacen("<svg ", "<svg style=\"background:#fff\" ", 1) + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/beliefs.svg");
    if std::env::var_os("DENIABLE_WRITE").is_some() {
        std::fs::write(&path, &drawn).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).is_ok_and(|kept| kept == drawn),
        "renew docs/beliefs.svg with DENIABLE_WRITE=1"
    );
}
