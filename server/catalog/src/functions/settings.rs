//! The settings in `current_setting` and `pg_settings`.

use crate::Description;

/// The settings that are listed.
pub(crate) const SETTINGS: [&str; 34] = [
    "application_name",
    "block_size",
    "bytea_output",
    "client_encoding",
    "datestyle",
    "default_table_access_method",
    "default_transaction_isolation",
    "default_transaction_read_only",
    "extra_float_digits",
    "in_hot_standby",
    "integer_datetimes",
    "intervalstyle",
    "is_superuser",
    "lc_collate",
    "lc_ctype",
    "lc_messages",
    "lc_monetary",
    "lc_numeric",
    "lc_time",
    "lock_timeout",
    "max_identifier_length",
    "max_index_keys",
    "role",
    "search_path",
    "server_encoding",
    "server_version",
    "server_version_num",
    "ssl",
    "standard_conforming_strings",
    "statement_timeout",
    "timezone",
    "transaction_isolation",
    "transaction_read_only",
    "wal_level",
];

/// The value of a setting in `current_setting` and `SHOW`, unless the connection has changed it.
#[must_use]
pub fn setting(description: &Description, name: &str) -> Option<String> {
    let value = match name.to_ascii_lowercase().as_str() {
        "server_version" => return Some(description.version.clone()),
        "server_version_num" => {
            let (major, minor) = description.version.split_once('.').unwrap_or((&description.version, "0"));
            return Some(format!("{major}{:0>4}", minor));
        }
        "server_encoding" | "client_encoding" => "UTF8",
        "search_path" => "\"$user\", public",
        "default_table_access_method" => "heap",
        "transaction_isolation" | "default_transaction_isolation" => "read committed",
        "transaction_read_only" | "default_transaction_read_only" => "on",
        "standard_conforming_strings" | "integer_datetimes" => "on",
        "timezone" => "UTC",
        "datestyle" => "ISO, YMD",
        "intervalstyle" => "postgres",
        "lc_collate" | "lc_ctype" | "lc_messages" | "lc_monetary" | "lc_numeric" | "lc_time" => "C",
        "is_superuser" | "ssl" | "in_hot_standby" => "off",
        "max_identifier_length" => "63",
        "max_index_keys" => "32",
        "block_size" => "8192",
        "extra_float_digits" => "1",
        "bytea_output" => "hex",
        "application_name" | "role" => "",
        "statement_timeout" | "lock_timeout" => "0",
        "wal_level" => "replica",
        _ => return None,
    };
    Some(value.to_owned())
}
