//! Checks for all charts, for tests.

use roxmltree::Document;

/// Names and labels that could break markup or layout.
pub const AWKWARD: [&str; 5] =
    ["<script>alert(1)</script>", "a & b \"c\" 'd'", "\u{0}\u{1b}\u{fffe}", "", "łódź 東京 🦀"];

/// Numbers that could break an axis.
pub const ODD: [f64; 9] = [0.0, -5.0, 1e12, -1e12, 1e-9, 5e-324, f64::NAN, f64::INFINITY, f64::MAX];

/// Texts with their positions in pixels: right, down.
pub fn texts(svg: &str) -> Vec<(f64, f64, String)> {
    let document = Document::parse(svg).unwrap();
    let found = document.descendants().filter(|node| node.has_tag_name("text"));
    found
        .map(|node| {
            let number = |name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap() / 4.0;
            (number("x"), number("y"), node.text().unwrap_or_default().to_owned())
        })
        .collect()
}

/// Checks that a chart is well-formed, has a description, was drawn, and keeps everything inside.
pub fn check(svg: &str) {
    let document = Document::parse(svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let root = document.root_element();
    let size: Vec<f64> = root.attribute("viewBox").unwrap().split(' ').map(|part| part.parse().unwrap()).collect();
    let (wide, tall) = (size[2] / 4.0, size[3] / 4.0);
    let said = |name: &str| root.children().find(|node| node.has_tag_name(name)).and_then(|node| node.text());
    assert!(said("title").is_some_and(|title| !title.is_empty()), "{svg}");
    assert!(said("desc").is_some_and(|description| description.len() > 10), "{svg}");
    assert!(root.children().count() > 2, "nothing is drawn: {svg}");
    assert!(!svg.contains("NaN"), "{svg}");
    for node in document.descendants().filter(|node| node.is_element()) {
        for name in ["x", "cx", "y", "cy"] {
            let Some(at) = node.attribute(name) else { continue };
            let end = if name.contains('x') { wide } else { tall };
            let at = at.parse::<f64>().unwrap() / 4.0;
            assert!((0.0..=end).contains(&at), "{name}={at} in {wide}x{tall}: {svg}");
        }
    }
    for node in document.descendants().filter(|node| node.has_tag_name("text")) {
        if node.attribute("transform").is_some() {
            continue;
        }
        let text = node.text().unwrap_or_default();
        let size = (node.attribute("font-size").unwrap().parse::<f64>().unwrap() / 4.0).round() as u32;
        let (room, x) = (crate::words::width(text, size), node.attribute("x").unwrap().parse::<f64>().unwrap() / 4.0);
        let start = match node.attribute("text-anchor").unwrap() {
            "start" => x,
            "middle" => x - room / 2.0,
            _ => x - room,
        };
        assert!(start >= -1.0 && start + room <= wide + 1.0, "{text:?} from {start} takes {room} of {wide}: {svg}");
    }
}
