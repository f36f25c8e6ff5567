//! The schema of policies has the keys that are read.

use crate::{
    SCHEMA, adversary, budget, columns, csv, data, entity, every, imprint, keys, promise, quality, query, tables,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// The sections of a policy by their place in the schema, with the keys that each may hold.
fn sections() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("", crate::policy::sections::SECTIONS.to_vec()),
        ("/properties/data", data::KEYS.to_vec()),
        ("/properties/entity", entity::KEYS.to_vec()),
        ("/properties/adversary", adversary::KEYS.to_vec()),
        ("/properties/adversary/properties/prior/oneOf/1", vec!["at_least", "at_most"]),
        ("/properties/adversary/properties/moves_together/oneOf/1", vec!["one_group", "all_of_size"]),
        ("/properties/promise", [&promise::KEYS[..], &["but_for"]].concat()),
        ("/properties/promise/properties/but_for", promise::BUT_FOR_KEYS.to_vec()),
        ("/properties/budget", budget::KEYS.to_vec()),
        ("/properties/quality", quality::QUALITY_KEYS.to_vec()),
        ("/properties/publication", imprint::KEYS.to_vec()),
        ("/$defs/display", quality::DISPLAY_KEYS.to_vec()),
        ("/$defs/csv", csv::KEYS.to_vec()),
        ("/$defs/column", columns::KEYS.to_vec()),
        ("/$defs/column/properties/keys_from", keys::SOURCE.to_vec()),
        ("/$defs/table", tables::KEYS.to_vec()),
        ("/$defs/query", query::KEYS.to_vec()),
        ("/$defs/query/properties/every", every::KEYS.to_vec()),
    ]
}

/// Every place of the schema that closes a list of keys.
fn closed(at: &str, node: &Value, found: &mut BTreeSet<String>) {
    match node {
        Value::Object(members) => {
            if members.get("additionalProperties") == Some(&Value::Bool(false)) {
                found.insert(at.to_owned());
            }
            members.iter().for_each(|(key, value)| closed(&format!("{at}/{key}"), value, found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(place, value)| closed(&format!("{at}/{place}"), value, found));
        }
        _ => {}
    }
}

#[test]
fn the_schema_has_the_keys_that_are_read() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut places = BTreeSet::new();
    closed("", &schema, &mut places);
    let known: BTreeSet<String> = sections().iter().map(|(place, _)| (*place).to_owned()).collect();
    assert_eq!(places, known);
    for (place, keys) in sections() {
        let section = schema.pointer(place).unwrap();
        let written: BTreeSet<&str> = section["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(written, keys.iter().copied().collect(), "{place}");
        let required = section["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        assert!(required.clone().all(|key| written.contains(key)), "{place}");
        // Every key is explained, here or where it is defined.
        for (key, value) in section["properties"].as_object().unwrap() {
            let defined = value["$ref"].as_str().and_then(|target| schema.pointer(target.trim_start_matches('#')));
            let is_explained = |node: &Value| node["description"].is_string() || node["properties"].is_object();
            assert!(is_explained(value) || defined.is_some_and(is_explained), "{place}/{key}");
        }
    }
}
