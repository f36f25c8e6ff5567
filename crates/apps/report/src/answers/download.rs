//! Links that save an answer and the guarantee as files, without a script and without another file.

use std::fmt::Write as _;

/// An address that contains a text itself.
pub fn address(kind: &str, text: &str) -> String {
    let mut address = format!("data:{kind};charset=utf-8,");
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~,;:()' ".contains(&byte) && byte != b' ' {
            address.push(char::from(byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}

/// A name for a file, from a title.
pub fn file_name(title: &str, ending: &str) -> String {
    let plain: String = title.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let name: String = plain.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-").to_lowercase();
    let name: String = name.chars().take(60).collect();
    format!("{}.{ending}", if name.is_empty() { "answer" } else { &name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_names_are_plain() {
        assert_eq!(address("text/csv", "a b\"<é&#\r\n"), "data:text/csv;charset=utf-8,a%20b%22%3C%C3%A9%26%23%0D%0A");
        assert_eq!(file_name("Visits, by <sex>", "csv"), "visits-by-sex.csv");
        assert_eq!(file_name("???", "csv"), "answer.csv");
    }
}
