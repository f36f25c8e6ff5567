//! Options for delimited text.

/// Options for delimited text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvOptions {
    /// The delimiter: one ASCII character, not a quote or a line break.
    pub delimiter: u8,
    /// The quote around a field that contains a delimiter: one ASCII character, neither the delimiter nor a line break;
    /// `None` for files that are written without quoting.
    pub quote: Option<u8>,
    /// Whether numbers have a decimal comma, `1234,5`, without separators of thousands; the delimiter is then another
    /// character.
    pub decimal_comma: bool,
    /// The encoding, by its name in the WHATWG standard, such as `UTF-8` or `windows-1252`.
    pub encoding: String,
    /// The compression of the files.
    pub compression: Compression,
    /// Whether white space around fields is dropped.
    pub trim: bool,
    /// Texts that mean NULL.
    pub nulls: Vec<String>,
    /// The column names in file order when the file has no header; `None` when its first line names them.
    pub columns: Option<Vec<String>>,
}

/// Compression of a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    None,
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
}

impl Compression {
    /// Every compression.
    pub const ALL: [Self; 3] = [Self::None, Self::Gzip, Self::Zstd];

    /// The name used in a policy.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// The compression of a file extension, `gz` or `zst`.
    #[must_use]
    pub fn of_ending(ending: &str) -> Option<Self> {
        match ending.to_ascii_lowercase().as_str() {
            "gz" => Some(Self::Gzip),
            "zst" => Some(Self::Zstd),
            _ => None,
        }
    }
}

impl CsvOptions {
    /// The byte between two fields that a character stands for; `None` unless it is ASCII and neither a quote, a line end
    /// nor `?`, which policies reserve.
    #[must_use]
    pub fn delimiter_of(character: char) -> Option<u8> {
        u8::try_from(character).ok().filter(|byte| byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r' | b'?'))
    }

    /// With a header, in plain UTF-8, `"` as the quote, a decimal point, no trimming, and the empty field as NULL.
    #[must_use]
    pub fn with_delimiter(delimiter: u8) -> Self {
        Self {
            delimiter,
            quote: Some(b'"'),
            decimal_comma: false,
            encoding: "UTF-8".to_owned(),
            compression: Compression::None,
            trim: false,
            nulls: vec![String::new()],
            columns: None,
        }
    }
}
