//! Reports in a browser.

use super::chromium::Browser;
use super::{is_readable, is_self_contained};
use crate::support::{Place, workspace};

/// Size limit of a page, in bytes.
const MOST_BYTES: usize = 1_000_000;

fn is_a_good_page(browser: &mut Browser, name: &str, path: &std::path::Path) {
    let html = std::fs::read_to_string(path).unwrap();
    assert!(html.len() < MOST_BYTES, "{name}: {} bytes", html.len());
    for foreign in ["<script", "<link", "<img", "<iframe", "src=", "url(", "@import"] {
        assert!(!html.contains(foreign), "{name} holds {foreign}");
    }
    let address = format!("file://{}", path.display());
    browser.go(&address);
    is_readable(browser, name);
    // The first Tab focuses the link that skips the head of the page, which leads to the contents.
    browser.eval("document.activeElement.blur()");
    browser.press("Tab");
    assert_eq!(browser.text("document.activeElement.textContent"), "Skip to the contents");
    browser.press("Enter");
    browser.until("location.hash === '#contents'");
    // All folded sections open by keyboard, and all scrollable boxes can be focused.
    assert_eq!(browser.eval("[...document.querySelectorAll('.scroll')].every(box => box.tabIndex === 0)"), true);
    browser.eval("document.querySelector('details:not([open]) > summary').focus()");
    browser.press("Enter");
    browser.until("document.activeElement.parentElement.open");
    assert_eq!(browser.text("document.documentElement.lang"), "en");
    let headings = "[...document.querySelectorAll('h1,h2,h3,h4')].map(h => Number(h.tagName[1])).every((level, at, all) => \
                    at === 0 ? level === 1 : level <= all[at - 1] + 1)";
    assert_eq!(browser.eval(headings), true, "{name}: a level of headings is left out");
    let pdf = browser.print();
    assert!(pdf.starts_with(b"%PDF"), "{name} does not print");
    is_self_contained(browser, "file://");
}

#[test]
fn the_clinic() {
    let Some(mut browser) = Browser::open() else { return };
    let place = Place::clinic();
    place.release(&["--report", "report.html"]).done();
    is_a_good_page(&mut browser, "report-clinic", &place.path("report.html"));
    // The page contains the released numbers.
    let publication = place.release(&["--format", "json"]).done().json();
    let shown = browser.text("document.querySelector('#answers1 td.number').textContent");
    assert_eq!(shown.replace(',', ""), publication["answers"][0]["rows"][0][1]["value"].to_string());
}

#[test]
fn adult() {
    let Some(mut browser) = Browser::open() else { return };
    let Some(data) = deniable_testing::adult() else { return };
    let place = Place::empty();
    std::fs::copy(workspace().join("examples/adult/policy.toml"), place.path("policy.toml")).unwrap();
    place.release(&["--data", data.to_str().unwrap(), "--report", "report.html"]).done();
    is_a_good_page(&mut browser, "report-adult", &place.path("report.html"));
}

/// A page of the clinic's policy with these queries in place of its own.
fn page_of(queries: &[(&str, &str)]) -> Place {
    page_with(queries, "")
}

/// [`page_of`] with these keys in each query.
fn page_with(queries: &[(&str, &str)], keys: &str) -> Place {
    let place = Place::clinic();
    let policy = place.read("policy.toml");
    let (head, _) = policy.split_once("[[query]]").unwrap();
    let imprint = "[publication]\ntitle = \"Visits to the city clinic\"\npublisher = \"City clinic\"\nperiod = \"June 2024\"\n\
                   source = \"register\"\nunit = \"visits\"\ncontact = \"a@clinic.example\"\nlicence = \"CC BY 4.0\"\n\
                   next_release = \"2024-09-15\"\n\n";
    let queries =
        queries.iter().map(|(name, sql)| format!("[[query]]\nname = \"{name}\"\n{keys}sql = \"\"\"{sql}\"\"\"\n\n"));
    place.write("policy.toml", format!("{head}{imprint}{}", queries.collect::<String>()));
    let names: Vec<String> = place
        .read("policy.toml")
        .lines()
        .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"').map(str::to_owned))
        .skip(1)
        .collect();
    place.accept_losses(&names.iter().map(String::as_str).collect::<Vec<_>>());
    place.release(&["--report", "report.html"]).done();
    place
}

/// The height of a page, and the distance of its first number from the top, in pixels at a width.
fn heights(browser: &mut Browser, place: &Place, name: &str, width: u32) -> (f64, f64) {
    browser.go(&format!("file://{}", place.path("report.html").display()));
    browser.look(width, "light");
    browser.shoot(&super::pictures().join(format!("{name}-{width}.png")));
    let number =
        "document.querySelector('.keys strong, td.number, strong.number').getBoundingClientRect().top + scrollY";
    let height = browser.eval("document.documentElement.scrollHeight").as_f64().unwrap();
    (height, browser.eval(number).as_f64().unwrap())
}

const BY_SEX: (&str, &str) = ("visits by sex", "SELECT sex, COUNT(*) AS visits FROM visits GROUP BY sex");
const BY_DEPARTMENT: (&str, &str) =
    ("visits by department", "SELECT department, COUNT(*) AS visits FROM visits GROUP BY department");
const PATIENTS: (&str, &str) = ("patients", "SELECT COUNT(DISTINCT patient) AS patients FROM visits");
const MINUTES: (&str, &str) =
    ("minutes by department", "SELECT department, AVG(minutes) AS minutes FROM visits GROUP BY department");

#[test]
fn numbers_are_near_the_top_and_pages_are_short() {
    let Some(mut browser) = Browser::open() else { return };
    let four = page_of(&[BY_SEX, BY_DEPARTMENT, PATIENTS, MINUTES]);
    let (height, first) = heights(&mut browser, &four, "four-queries", 1280);
    assert!(height <= 2_400.0 && first <= 300.0, "four queries: {height} high, the first number at {first}");
    let one = page_of(&[PATIENTS]);
    let (height, first) = heights(&mut browser, &one, "one-count", 1280);
    assert!(height <= 1_200.0 && first <= 300.0, "one count: {height} high, the number at {first}");
}

const COST: (&str, &str) = ("total cost", "SELECT SUM(cost) AS cost FROM visits");
const BY_DECADE: (&str, &str) = (
    "visits by decade",
    "SELECT FLOOR(age / 10) * 10 AS band, COUNT(*) AS visits FROM visits GROUP BY FLOOR(age / 10) * 10",
);
const BY_AGE: (&str, &str) =
    ("visits by age", "SELECT FLOOR(age / 2) * 2 AS band, COUNT(*) AS visits FROM visits GROUP BY FLOOR(age / 2) * 2");
const BY_BOTH: (&str, &str) =
    ("visits by department and sex", "SELECT department, sex, COUNT(*) AS visits FROM visits GROUP BY department, sex");
const COST_BY_SEX: (&str, &str) = ("cost by sex", "SELECT sex, AVG(cost) AS cost FROM visits GROUP BY sex");
const OLDEST: (&str, &str) = (
    "visits of people over 100",
    "SELECT department, sex, COUNT(*) AS visits FROM visits WHERE age > 100 GROUP BY department, sex",
);

/// Texts of one picture that lie on each other, texts below 11 pixels, and words of a table that are broken.
const FLAWS: &str = r"
(() => {
  const flaws = [];
  for (const svg of document.querySelectorAll('svg')) {
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const texts = [...svg.querySelectorAll('text')].filter((text) => text.checkVisibility() && text.textContent.trim());
    const boxes = texts.map((text) => text.getBoundingClientRect());
    texts.forEach((text, at) => {
      if (Number(text.getAttribute('font-size')) * scale < 10.99) flaws.push('small: ' + text.textContent);
      for (let other = 0; other < at; other++) {
        const [a, b] = [boxes[at], boxes[other]];
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 3) flaws.push('overlap: ' + text.textContent + ' on ' + texts[other].textContent);
      }
    });
  }
  for (const cell of document.querySelectorAll('.answer th, .answer td')) {
    const range = document.createRange();
    for (const node of cell.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE) continue;
      for (const word of node.textContent.matchAll(/[\p{L}\d,.]+/gu)) {
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        if (range.getClientRects().length > 1) flaws.push('broken: ' + word[0]);
      }
    }
  }
  return flaws;
})()
";

/// The number of pages of a PDF.
fn printed_pages(pdf: &[u8]) -> usize {
    let text = String::from_utf8_lossy(pdf);
    text.matches("/Type /Page").count() - text.matches("/Type /Pages").count()
}

/// Pages of every kind, at two widths, in light and dark, and their length on paper. `scripts/gallery` keeps the pictures.
#[test]
fn pages_of_the_gallery() {
    let Some(mut browser) = Browser::open() else { return };
    let withdrawn = page_of(&[BY_SEX, PATIENTS]);
    let charge = withdrawn.releases()[0]["entry"].to_string();
    withdrawn
        .run(&["ledger", "withdraw", "clinic-patients.ledger", &charge, "--reason", "one ward was counted twice"])
        .done();
    withdrawn.run(&["report", "policy.toml", "--out", "report.html"]).done();
    let versions = page_with(&[BY_SEX, PATIENTS], "share = \"1/8\"\n");
    let policy = versions.read("policy.toml").replace("\"2024-06\"", "\"2024-09\"").replace("June", "September");
    versions.write("policy.toml", policy);
    let rows = versions.read("visits.csv");
    versions.write("visits.csv", rows.lines().take(4_000).map(|line| format!("{line}\n")).collect::<String>());
    versions.accept_losses(&[BY_SEX.0, PATIENTS.0]);
    versions.release(&["--report", "report.html"]).done();
    let eight = [BY_SEX, BY_DEPARTMENT, PATIENTS, MINUTES, COST, BY_DECADE, BY_BOTH, COST_BY_SEX];
    let pages = [
        ("one-count", page_of(&[PATIENTS]), 3),
        ("five-cells", page_of(&[BY_DEPARTMENT]), 3),
        ("many-cells", page_of(&[BY_AGE]), 4),
        ("nothing-can-be-said", page_of(&[OLDEST, PATIENTS]), 4),
        ("eight-queries", page_of(&eight), 6),
        ("two-versions", versions, 4),
        ("withdrawn", withdrawn, 4),
    ];
    for (name, place, most_pages) in pages {
        browser.go(&format!("file://{}", place.path("report.html").display()));
        for (width, scheme) in [(1280, "light"), (1280, "dark"), (420, "light"), (420, "dark")] {
            browser.look(width, scheme);
            browser.shoot(&super::pictures().join(format!("gallery-{name}-{width}-{scheme}.png")));
            assert_eq!(browser.eval(FLAWS), serde_json::json!([]), "{name} at {width}");
            let wide = browser.eval("document.documentElement.scrollWidth").as_u64().unwrap();
            assert!(wide <= u64::from(width), "{name}: {wide} wide at {width}");
        }
        browser.look(1280, "light");
        browser.shoot(&super::pictures().join(format!("{name}.webp")));
        let pdf = browser.print();
        assert!(printed_pages(&pdf) <= most_pages, "{name}: {} pages on paper", printed_pages(&pdf));
    }
}

/// On a phone the text of charts has at least 11 pixels, and nothing but scrollable boxes is wider than the page.
#[test]
fn charts_can_be_read_on_a_phone() {
    let Some(mut browser) = Browser::open() else { return };
    let sixty = "SELECT FLOOR(age / 2) * 2 AS band, COUNT(*) AS visits FROM visits GROUP BY FLOOR(age / 2) * 2";
    let two = "SELECT department, sex, COUNT(*) AS visits FROM visits GROUP BY department, sex";
    let place = page_of(&[BY_DEPARTMENT, ("visits by age", sixty), ("visits by both", two)]);
    for width in [1280, 420] {
        heights(&mut browser, &place, "shapes", width);
        let small = "[...document.querySelectorAll('svg text')].filter((text) => text.checkVisibility()).map((text) => { \
                     const svg = text.closest('svg'), box = svg.getBoundingClientRect(); \
                     return Number(text.getAttribute('font-size')) * box.width / svg.viewBox.baseVal.width; \
                     }).filter((size) => size > 0 && size < 11)";
        assert_eq!(browser.eval(small), serde_json::json!([]), "at {width}");
        let wide = browser.eval("document.documentElement.scrollWidth").as_u64().unwrap();
        assert!(wide <= u64::from(width), "{wide} wide at {width}");
    }
}
