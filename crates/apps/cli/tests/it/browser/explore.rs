//! `explore` in a browser, by keyboard.

use super::chromium::Browser;
use super::{is_readable, is_self_contained};
use crate::support::Place;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// A process that serves the page.
struct ServingProcess {
    child: Child,
    address: String,
}

impl ServingProcess {
    fn start(place: &Place) -> Self {
        let mut command = place.command(&["explore", "policy.toml", "--no-open"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let found = lines.find_map(|line| line.unwrap().strip_prefix("the page is ").map(str::to_owned));
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address: found.expect("it says where the page is") }
    }
}

impl Drop for ServingProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn settled(browser: &mut Browser, asked: u32) {
    browser.until(&format!("Number(document.body.dataset.shown || 0) >= {asked}"));
}

#[test]
fn the_promise_is_moved_by_keyboard_and_written() {
    let Some(mut browser) = Browser::open() else { return };
    let place = Place::clinic();
    let serving = ServingProcess::start(&place);
    browser.go(&serving.address);
    settled(&mut browser, 1);
    assert_eq!(browser.text("document.getElementById('odds').textContent"), "3");
    let error = "document.querySelector('#queries td.number').textContent";
    let before = browser.text(error);
    // The expected errors on the page equal those of `plan`.
    let planned = |place: &Place| {
        let plan = place.run(&["plan", "policy.toml", "--format", "json"]).done().json();
        plan["queries"][0]["answers"][0]["error"].as_str().unwrap().to_owned()
    };
    assert_eq!(before, planned(&place));
    is_readable(&mut browser, "explore-clinic");

    // One step of the control: from 75% to 76%.
    browser.eval("document.getElementById('value').focus()");
    browser.press("ArrowRight");
    settled(&mut browser, 2);
    assert_eq!(browser.text("document.getElementById('value-shown').textContent"), "76%");
    assert_eq!(browser.text("document.getElementById('odds').textContent"), "19/6");
    let after = browser.text(error);
    let number = |text: &str| text.parse::<f64>().unwrap();
    assert!(number(&after) < number(&before), "{after} {before}");

    // Beliefs beforehand up to 45% allow more; promises that cannot be kept are reported.
    browser.eval("document.getElementById('high').focus()");
    browser.press("ArrowLeft");
    settled(&mut browser, 3);
    assert_eq!(browser.text("document.getElementById('odds').textContent"), "209/54");

    // Written by keyboard: the promise and the beliefs, with all comments kept.
    let old = place.read("policy.toml");
    browser.eval("document.getElementById('use').focus()");
    browser.press("Enter");
    browser.until("document.getElementById('status').textContent.startsWith('Written')");
    let new = place.read("policy.toml");
    let changed: Vec<(&str, &str)> = old.lines().zip(new.lines()).filter(|(old, new)| old != new).collect();
    assert_eq!(new.matches('#').count(), old.matches('#').count());
    assert!(new.contains("posterior_at_most = 0.76") && new.contains("prior = \"..0.45\""), "{changed:?}");
    assert_eq!(planned(&place), browser.text(error));

    // The file was edited in the meantime: it is not overwritten.
    place.write("policy.toml", format!("{new}\n# mine\n"));
    browser.eval("document.getElementById('use').disabled = false; document.getElementById('use').focus()");
    browser.press("Enter");
    browser.until("document.getElementById('status').textContent.includes('nothing was written')");
    assert!(place.read("policy.toml").ends_with("# mine\n"));
    browser.complaints.retain(|complaint| !complaint.contains("422"));
    is_self_contained(&browser, &serving.address);
    assert!(place.files() == ["policy.toml", "visits.csv"], "explore leaves nothing behind: {:?}", place.files());
}
