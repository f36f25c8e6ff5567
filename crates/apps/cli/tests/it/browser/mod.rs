//! The pages in a browser: with a keyboard, on a narrow screen, in dark mode and in print.
//!
//! Screenshots are in the target folder, `deniable-pages/`.

mod chromium;
mod explore;
mod report;

use chromium::Browser;
use std::path::PathBuf;

fn pictures() -> PathBuf {
    let folder = deniable_testing::scratch().unwrap().join("deniable-pages");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Checks that hold for every page at every width: nothing is cut off, every chart has a text alternative, and all text
/// has enough contrast.
#[track_caller]
fn is_readable(browser: &mut Browser, name: &str) {
    for (width, scheme) in [(400, "light"), (1400, "light"), (1400, "dark")] {
        browser.look(width, scheme);
        let wide = browser.eval("document.documentElement.scrollWidth");
        assert!(wide.as_u64().unwrap() <= u64::from(width), "{name} at {width}: {wide} wide");
        let nameless = "[...document.querySelectorAll('svg')].filter(svg => \
                        !svg.querySelector('title')?.textContent || !svg.querySelector('desc')?.textContent).length";
        assert_eq!(browser.eval(nameless), 0, "{name}: pictures without words");
        let faint = browser.eval(CONTRAST);
        assert_eq!(faint, serde_json::json!([]), "{name} at {width}, {scheme}: faint text");
        browser.shoot(&pictures().join(format!("{name}-{width}-{scheme}.png")));
    }
}

/// Texts of the page, outside of charts, whose contrast with the background is below 4.5 to 1 (WCAG AA).
const CONTRAST: &str = r"
(() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\d.]+/g).slice(0, 3).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\)$/.test(colour) && colour !== 'transparent') return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const faint = [];
  for (const element of document.querySelectorAll('p, li, th, td, h1, h2, h3, h4, a, summary, caption, figcaption, label, dd, dt, button, output, select, code')) {
    if (!element.textContent.trim() || !element.checkVisibility() || element.disabled) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faint.push(element.tagName + ' ' + ratio.toFixed(2) + ' ' + element.textContent.slice(0, 40));
  }
  return faint;
})()
";

/// The page requested only addresses with this prefix, and reported no errors.
#[track_caller]
fn is_self_contained(browser: &Browser, own: &str) {
    let foreign: Vec<&String> =
        browser.requests.iter().filter(|url| !url.starts_with(own) && !url.starts_with("about:")).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}
