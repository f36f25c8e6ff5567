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
