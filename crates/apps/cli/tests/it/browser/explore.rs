//! `explore` in a browser, by keyboard.

use super::chromium::Browser;
use super::{is_readable, is_self_contained, pictures};
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

fn text_of(browser: &mut Browser, id: &str) -> String {
    browser.text(&format!("document.getElementById('{id}').textContent"))
}

fn press(browser: &mut Browser, id: &str, key: &str) {
    browser.eval(&format!("document.getElementById('{id}').focus()"));
    browser.press(key);
}

/// Texts of less than 11 pixels, and elements beyond the width of the page.
const SMALL_OR_BEYOND: &str = r"
(() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || ['SCRIPT', 'TITLE', 'DESC', 'NOSCRIPT'].includes(element.tagName.toUpperCase())) continue;
    if (!element.checkVisibility()) continue;
    const scale = element.ownerSVGElement ? element.getScreenCTM().a : 1;
    const size = parseFloat(getComputedStyle(element).fontSize) * scale;
    const { left, right } = element.getBoundingClientRect();
    if (size < 11) found.push(size.toFixed(1) + ' px: ' + element.textContent);
    if (left < -0.5 || right > innerWidth + 0.5) found.push('beyond the page: ' + element.textContent);
  }
  return found;
})()
";

/// Checks the sizes of texts at the width of a desktop and of a phone, and takes screenshots.
#[track_caller]
fn is_legible(browser: &mut Browser, name: &str) {
    browser.eval("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
    for (width, scheme) in [(1280, "light"), (1280, "dark"), (420, "light"), (420, "dark")] {
        browser.look(width, scheme);
        assert_eq!(browser.eval(SMALL_OR_BEYOND), serde_json::json!([]), "{name} at {width}");
        let wide = browser.eval("document.documentElement.scrollWidth");
        assert!(wide.as_u64().unwrap() <= u64::from(width), "{name} at {width}: {wide} wide");
        browser.shoot(&pictures().join(format!("{name}-{width}-{scheme}.png")));
    }
}

/// A policy with these parts of `[data]` and these queries.
fn policy(data: &str, queries: &str) -> Place {
    let place = Place::empty();
    let text = format!(
        r#"name = "trips"
population = "riders"
data = {{ table = "trips", path = "trips.csv", version = "1"{data} }}
adversary = {{ preset = "acquaintance" }}

[columns]
minutes = {{ type = "integer", bounds = [0, 120], unit = "min", typical = 17 }}
fare = {{ type = "decimal", bounds = [0, 80], step = 0.01, unit = "EUR", typical = 12 }}
hour = {{ type = "integer", keys = [{hours}] }}
zone = {{ type = "integer", keys = [{zones}] }}

[promise]
posterior_at_most = 0.75
{queries}"#,
        hours = (0..24).map(|hour| hour.to_string()).collect::<Vec<_>>().join(", "),
        zones = (1..=16).map(|zone| zone.to_string()).collect::<Vec<_>>().join(", "),
    );
    place.write("policy.toml", text);
    place
}

fn query(name: &str, sql: &str) -> String {
    format!("\n[[query]]\nname = \"{name}\"\nsql = \"{sql}\"\n")
}

/// Opens the page of a policy.
fn open(browser: &mut Browser, place: &Place) -> ServingProcess {
    let serving = ServingProcess::start(place);
    browser.go(&serving.address);
    settled(browser, 1);
    serving
}

/// The title of each card, the number of its charts, its sign, and the words of its light.
const CARDS: &str = "[...document.querySelectorAll('.query')].map((card) => \
                     [card.querySelector('h3').textContent, card.querySelectorAll('.charts svg').length, \
                     card.querySelector('.sign').className, card.querySelector('.light').textContent])";

/// Every query has a card with its title, a chart for each unit, its error in words and a light.
#[test]
fn every_query_has_a_card_in_its_own_unit() {
    let Some(mut browser) = Browser::open() else { return };
    let queries = query("all trips", "SELECT COUNT(*) AS trips FROM trips")
        .replace("name =", "title = \"Trips\"\nname =")
        + &query("stay", "SELECT zone, AVG(minutes) AS stay FROM trips GROUP BY zone")
        + &query("fares", "SELECT SUM(fare) AS total, COUNT(*) AS trips FROM trips")
        + &query("middle", "SELECT MEDIAN(minutes) AS middle FROM trips")
        + &query("hours", "SELECT hour, zone, COUNT(*) AS trips FROM trips GROUP BY hour, zone");
    let place = policy(", typical_rows = 20_000", &queries);
    let _serving = open(&mut browser, &place);
    let cards = browser.eval(CARDS);
    let of = |at: usize, part: usize| cards[at][part].as_str().unwrap_or_default().to_owned();
    assert_eq!(cards.as_array().unwrap().len(), 5, "{cards}");
    assert_eq!(of(0, 0), "Trips");
    let charts: Vec<&serde_json::Value> = cards.as_array().unwrap().iter().map(|card| &card[1]).collect();
    assert_eq!(charts, [1, 1, 2, 1, 1], "{cards}");
    let labels = "[...document.querySelectorAll('.charts')].map((charts) => \
                  [...charts.querySelectorAll('text')].map((text) => text.textContent).filter((text) => text.startsWith('±')))";
    let labels = browser.eval(labels);
    let starts = |at: usize, unit: usize, text: &str| labels[at][unit].as_str().unwrap().starts_with(text);
    assert!(starts(0, 0, "± trips") && starts(1, 0, "± min") && starts(2, 0, "± EUR"), "{labels}");
    assert!(starts(2, 1, "± trips") && starts(3, 0, "± rows by rank"), "{labels}");
    let errors = "[...document.querySelectorAll('.query')].map((card) => card.querySelector('.errors').textContent)";
    let errors = browser.eval(errors);
    let says = |at: usize, words: &str| errors[at].as_str().unwrap().contains(words);
    assert!(says(0, "of a typical 20,000") && says(1, " min; ") && says(1, "of a typical cell (17 min)"), "{errors}");
    assert!(says(3, "rows by rank; ") && says(3, "% of the rows"), "{errors}");
    // The light has words and a shape; some of the 384 cells are too small.
    assert_eq!((of(0, 2).as_str(), of(0, 3).as_str()), ("sign good", "1 of 1 number usable: 1 of class A"), "{cards}");
    assert!(of(4, 2) == "sign mixed" && of(4, 3).contains("of 384 numbers usable"), "{cards}");
    let shapes = "[...document.querySelectorAll('.sign')].map((sign) => { const { borderRadius, clipPath } = getComputedStyle(sign); \
                  return borderRadius + clipPath; })";
    let shapes = browser.eval(shapes);
    assert_ne!(shapes[0], shapes[4]);
    is_readable(&mut browser, "explore-five");
    is_legible(&mut browser, "explore-five");
    // The list of errors and a chart are beside the picture at the width of a desktop, and cards are in two columns.
    browser.look(1280, "light");
    let columns =
        "new Set([...document.querySelectorAll('.query')].map((card) => card.getBoundingClientRect().left)).size";
    assert_eq!(browser.eval(columns), 2);
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

/// Without guesses, the light names the keys to state.
#[test]
fn lights_name_the_guesses_that_are_missing() {
    let Some(mut browser) = Browser::open() else { return };
    let count = query("all trips", "SELECT COUNT(*) AS trips FROM trips");
    let cases = [
        ("", count.clone(), "add typical_rows to [data]"),
        ("", query("middle", "SELECT MEDIAN(minutes) AS middle FROM trips"), "add typical_rows to [data]"),
        (
            ", typical_rows = 20_000",
            query("long", "SELECT COUNT(*) AS trips FROM trips WHERE minutes > 60"),
            "add typical_share",
        ),
    ];
    for (data, queries, key) in cases {
        let place = policy(data, &queries);
        let _serving = open(&mut browser, &place);
        let cards = browser.eval(CARDS);
        let light = cards[0][3].as_str().unwrap();
        assert!(cards[0][2] == "sign unknown" && light.contains("cannot be known") && light.contains(key), "{cards}");
        is_legible(&mut browser, &format!("explore-no-guess-{}", data.len() + queries.len()));
    }
    let place = policy(", typical_rows = 20_000", &count);
    let _serving = open(&mut browser, &place);
    assert_eq!(browser.eval(CARDS)[0][2], "sign good");
    is_legible(&mut browser, "explore-one");
}

/// "Undo" first reverts what was moved, then the write.
#[test]
fn moves_and_writes_are_undone() {
    let Some(mut browser) = Browser::open() else { return };
    let place = policy(", typical_rows = 20_000", &query("all trips", "SELECT COUNT(*) AS trips FROM trips"));
    let _serving = open(&mut browser, &place);
    let own = place.read("policy.toml");
    let is_disabled =
        |browser: &mut Browser, id: &str| browser.eval(&format!("document.getElementById('{id}').disabled"));
    assert!(text_of(&mut browser, "change").is_empty());
    assert_eq!([is_disabled(&mut browser, "write"), is_disabled(&mut browser, "undo")], [true, true]);

    press(&mut browser, "value", "ArrowRight");
    settled(&mut browser, 2);
    press(&mut browser, "high", "ArrowLeft");
    settled(&mut browser, 3);
    assert_eq!(
        text_of(&mut browser, "change"),
        "Differs from the policy: no observer becomes surer than 75% → 76%; beliefs beforehand 0% to 50% → 0% to 45%"
    );
    is_legible(&mut browser, "explore-moved");
    press(&mut browser, "undo", "Enter");
    settled(&mut browser, 4);
    assert_eq!(
        (text_of(&mut browser, "value-shown").as_str(), text_of(&mut browser, "high-shown").as_str()),
        ("75%", "50%")
    );
    assert!(text_of(&mut browser, "change").is_empty());
    assert_eq!(place.read("policy.toml"), own);

    press(&mut browser, "value", "ArrowRight");
    settled(&mut browser, 5);
    press(&mut browser, "write", "Enter");
    browser.until("document.getElementById('change').textContent.startsWith('Written')");
    settled(&mut browser, 6);
    assert!(place.read("policy.toml").contains("posterior_at_most = 0.76"));
    // A move after the write is reverted alone.
    press(&mut browser, "value", "ArrowRight");
    settled(&mut browser, 7);
    press(&mut browser, "undo", "Enter");
    settled(&mut browser, 8);
    assert!(place.read("policy.toml").contains("posterior_at_most = 0.76"));
    press(&mut browser, "undo", "Enter");
    browser.until("document.getElementById('status').textContent.includes('restored')");
    assert_eq!(place.read("policy.toml"), own);
    assert_eq!(text_of(&mut browser, "value-shown"), "75%");
    assert_eq!(is_disabled(&mut browser, "undo"), true);
    // Another site's page cannot set the header.
    let forged = "fetch('undo', { method: 'POST' }).then((response) => response.status)";
    assert_eq!(browser.eval(forged), 403);
}

#[test]
fn the_promise_is_moved_by_keyboard_and_written() {
    let Some(mut browser) = Browser::open() else { return };
    let place = Place::clinic();
    let serving = open(&mut browser, &place);
    assert_eq!(text_of(&mut browser, "odds"), "3");
    let error = "document.querySelector('.errors dd').textContent";
    let before = browser.text(error);
    // The expected errors on the page equal those of `plan`.
    let planned = |place: &Place| {
        let plan = place.run(&["plan", "policy.toml", "--format", "json"]).done().json();
        plan["queries"][0]["answers"][0]["error"].as_str().unwrap().to_owned()
    };
    assert!(before.starts_with(&format!("± {}; ", planned(&place))), "{before}");
    is_readable(&mut browser, "explore-clinic");
    is_legible(&mut browser, "explore-clinic");

    // One step of the control: from 75% to 76%.
    press(&mut browser, "value", "ArrowRight");
    settled(&mut browser, 2);
    assert_eq!(text_of(&mut browser, "value-shown"), "76%");
    assert_eq!(text_of(&mut browser, "odds"), "19/6");
    let after = browser.text(error);
    let number = |text: &str| text[3..].split(';').next().unwrap().parse::<f64>().unwrap();
    assert!(number(&after) < number(&before), "{after} {before}");

    // Beliefs beforehand up to 45% allow more; promises that cannot be kept are reported.
    press(&mut browser, "high", "ArrowLeft");
    settled(&mut browser, 3);
    assert_eq!(text_of(&mut browser, "odds"), "209/54");

    // Written by keyboard: the promise and the beliefs, with all comments kept.
    let old = place.read("policy.toml");
    press(&mut browser, "write", "Enter");
    browser.until("document.getElementById('change').textContent.startsWith('Written')");
    settled(&mut browser, 4);
    let new = place.read("policy.toml");
    let changed: Vec<(&str, &str)> = old.lines().zip(new.lines()).filter(|(old, new)| old != new).collect();
    assert_eq!(new.matches('#').count(), old.matches('#').count());
    assert!(new.contains("posterior_at_most = 0.76") && new.contains("prior = \"..0.45\""), "{changed:?}");
    assert!(browser.text(error).starts_with(&format!("± {}; ", planned(&place))));

    // The file was edited in the meantime: it is not overwritten.
    place.write("policy.toml", format!("{new}\n# mine\n"));
    for button in ["undo", "write"] {
        press(&mut browser, button, "Enter");
        browser.until("document.getElementById('status').textContent.includes('nothing was written')");
        assert!(place.read("policy.toml").ends_with("# mine\n"));
        press(&mut browser, "value", "ArrowRight");
        browser.until("!document.getElementById('write').disabled && !document.getElementById('status').textContent");
    }
    browser.complaints.retain(|complaint| !complaint.contains("422"));
    is_self_contained(&browser, &serving.address);
    assert!(place.files() == ["policy.toml", "visits.csv"], "explore leaves nothing behind: {:?}", place.files());
}
