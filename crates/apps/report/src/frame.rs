//! The frame of every page: head, style, contents.

use deniable_chart::palette;
use deniable_core::text::printable_lines;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page.css");

/// A page from its title, the lead below it, its sections as (anchor, heading, contents), and its footer.
pub fn page(title: &str, lead: &Markup, sections: &[(String, String, Markup)], foot: &Markup) -> String {
    let html = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                // Whatever the page contains, a browser must not fetch anything for it.
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) (PreEscaped(palette::style())) }
            }
            body {
                a.skip href="#contents" { "Skip to the contents" }
                header {
                    div.top {
                        h1 { (title) }
                        nav aria-label="Sections" {
                            ul { @for (anchor, heading, _) in sections { li { a href={ "#" (anchor) } { (heading) } } } }
                        }
                    }
                    (lead)
                }
                main #contents {
                    @for (anchor, heading, contents) in sections {
                        section id=(anchor) aria-labelledby={ (anchor) "-heading" } {
                            h2 id={ (anchor) "-heading" } { (heading) }
                            (contents)
                        }
                    }
                }
                footer { (foot) }
            }
        }
    };
    // Names and SQL are already escaped as HTML; invisible characters are escaped here.
    printable_lines(&html.into_string()).into_owned()
}

/// A chart with its caption, which may be empty.
pub fn figure(svg: String, caption: &str) -> Markup {
    html! { figure { (PreEscaped(svg)) @if !caption.is_empty() { figcaption { (caption) } } } }
}

/// A table, or other contents that may be wider than the page: scrollable, also by keyboard.
#[cfg(any(feature = "assess", feature = "attack"))]
pub fn scroll(label: &str, contents: &Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label={ "Table: " (label) } { (contents) } }
}

/// Contents under a heading that names a version of the data; folded if an earlier version.
pub fn folded(is_earlier: bool, heading: &str, contents: &Markup) -> Markup {
    html! { details open[!is_earlier] { summary { (heading) } (contents) } }
}

/// A list of sentences.
pub fn list(lines: &[String]) -> Markup {
    html! { ul { @for line in lines { li { (said(line)) } } } }
}

/// A sentence; text between backquotes is code.
pub fn said(line: &str) -> Markup {
    html! {
        @for (at, part) in line.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}
