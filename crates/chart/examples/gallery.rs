//! Every picture with made-up numbers, on one page: `cargo run -p deniable-chart --example gallery > gallery.html`.

use deniable_chart::belief::{Beliefs, Mark, curve};
use deniable_chart::composition::{self, Composition};
use deniable_chart::palette;
use deniable_chart::surface::{self, Axis, Cell, Spot, Surface};

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
    println!("<figure>{}</figure>", surface::cells(&noise()));
    println!("<figure>{}</figure>", composition::curve(&answers()));
}

/// Noise that shrinks with either parameter, with a warned region and one without a meaning.
fn noise() -> Surface {
    let values: Vec<f64> = (0..31).map(|at| 10_f64.powf(f64::from(at) / 10.0 - 3.0)).collect();
    let cell = |up: f64, across: f64| Cell {
        value: (up < 0.9).then(|| 1.0 / up.min(across)),
        warned: up < across && across > 0.1 && up < 0.9,
    };
    let rows = values.iter().map(|up| values.iter().map(|across| cell(*up, *across)).collect());
    let axis = |name: &str| Axis { name: name.to_owned(), values: values.clone() };
    Surface {
        title: "Noise over α and β".to_owned(),
        description: "Less noise where both are large.".to_owned(),
        across: axis("β"),
        up: axis("α"),
        panels: vec![surface::Panel {
            title: "expected".to_owned(),
            cells: rows.collect(),
            spots: vec![Spot { at: (0.01, 0.01), name: "100".to_owned() }],
        }],
        colours: "error ratio".to_owned(),
        limits: [3.0, 10.0, 30.0, 100.0, 300.0].map(|limit| (limit, limit.to_string())).to_vec(),
        warning: "unsafe".to_owned(),
        outside: "no promise".to_owned(),
    }
}

fn answers() -> Composition {
    let powers = |base: f64| (1..=10).map(|answer| base.powi(answer)).collect();
    Composition {
        title: "Belief after 1 to 10 answers".to_owned(),
        description: "It falls below the claim.".to_owned(),
        panels: vec![composition::Panel { title: "two worlds".to_owned(), claimed: powers(0.5), reached: powers(0.4) }],
        claimed: "claimed".to_owned(),
        reached: "reached".to_owned(),
    }
}
