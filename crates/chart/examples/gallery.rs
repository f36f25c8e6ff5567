//! Every picture with made-up numbers, on one page: `cargo run -p deniable-chart --example gallery > gallery.html`.

use deniable_chart::belief::{Beliefs, Mark, curve};
use deniable_chart::palette;

#[expect(clippy::print_stdout, reason = "the page is the output")]
fn main() {
    let mark = |name: &str, before| Mark { name: name.to_owned(), before };
    let beliefs = Beliefs {
        odds: 3.0,
        priors: (0.0, 0.5),
        promised: vec![(0.0, 0.75), (0.5, 0.75)],
        floor: Vec::new(),
        marks: vec![mark("stranger", 0.01), mark("acquaintance", 0.5), mark("insider", 0.9)],
    };
    println!("<!doctype html><meta charset=utf-8><title>Gallery</title><style>{}</style>", palette::style());
    println!(
        "<style>body{{font-family:system-ui;max-width:60rem;margin:auto;background:#fff}}\
         @media screen and (prefers-color-scheme:dark){{body{{background:#14181e;color:#e6e9ee}}}}</style>"
    );
    println!("<figure>{}</figure>", curve(&beliefs));
}
