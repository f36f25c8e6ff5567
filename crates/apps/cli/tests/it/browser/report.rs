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
    let place = Place::clinic();
    let policy = place.read("policy.toml");
    let (head, _) = policy.split_once("[[query]]").unwrap();
    let imprint = "[publication]\ntitle = \"Visits to the city clinic\"\npublisher = \"City clinic\"\nperiod = \"June 2024\"\n\
                   source = \"register\"\nunit = \"visits\"\ncontact = \"a@clinic.example\"\nlicence = \"CC BY 4.0\"\n\
                   next_release = \"2024-09-15\"\n\n";
    let queries =
        queries.iter().map(|(name, sql)| format!("[[query]]\nname = \"{name}\"\nsql = \"\"\"{sql}\"\"\"\n\n"));
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
