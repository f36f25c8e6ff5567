//! `[publication]`, and the titles, labels and units of queries and columns: words for readers. No number depends on
//! them, and they are no part of any identity.

use crate::reader::{Field, ReadResult, Section};
use deniable_publication::{Heading, Imprint};
use std::collections::BTreeMap;

pub(crate) const KEYS: [&str; 8] =
    ["title", "publisher", "period", "source", "unit", "contact", "licence", "next_release"];

/// Reads `[publication]`.
pub(crate) fn read(field: &Field<'_>) -> ReadResult<Imprint> {
    let section = field.section("[publication]", &KEYS)?;
    let line = |key: &str| section.optional(key, read_line);
    let (title, publisher, period, source) = (line("title"), line("publisher"), line("period"), line("source"));
    let (unit, contact, licence, next) = (line("unit"), line("contact"), line("licence"), line("next_release"));
    Ok(Imprint {
        title: title?,
        publisher: publisher?,
        period: period?,
        source: source?,
        unit: unit?,
        contact: contact?,
        licence: licence?,
        next_release: next?,
    })
}

/// Reads one line of words.
pub(crate) fn read_line(field: &Field<'_>) -> ReadResult<String> {
    field.line().map(str::to_owned)
}

/// Reads the labels and units in `columns` of every table. A name of columns in several tables has none unless they agree: an
/// answer names its columns, and not their tables.
pub(crate) fn read_headings(policy: &Section<'_>) -> ReadResult<BTreeMap<String, Heading>> {
    let mut headings: BTreeMap<String, Heading> = BTreeMap::new();
    policy.optional("columns", |field| of_columns(field, &mut headings))?;
    policy.optional("tables", |field| {
        for table in Section::open_free(field.report, "[tables]", field.node)?.fields() {
            let section = Section::open_free(field.report, "[tables]", table.node)?;
            section.optional("columns", |field| of_columns(field, &mut headings))?;
        }
        Ok(())
    })?;
    headings.retain(|_, heading| !heading.is_empty());
    Ok(headings)
}

fn of_columns(field: &Field<'_>, headings: &mut BTreeMap<String, Heading>) -> ReadResult<()> {
    let columns = Section::open_free(field.report, "[columns]", field.node)?;
    for (field, name) in columns.fields().zip(columns.names()) {
        let section = Section::open_free(field.report, "[columns]", field.node)?;
        let (label, unit) = (section.optional("label", read_line), section.optional("unit", read_line));
        let heading = Heading { label: label?, unit: unit? };
        match headings.get_mut(name) {
            Some(known) if *known != heading => *known = Heading::default(),
            Some(_) => {}
            None => {
                headings.insert(name.to_owned(), heading);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::PolicyBuilder;
    use deniable_core::exact::ratio;
    use deniable_core::schema::{Column, ColumnType};

    fn builder() -> PolicyBuilder {
        PolicyBuilder::new("clinic", "people")
            .table("visits", "visits.csv", "1")
            .column(&Column::new("minutes", ColumnType::Integer))
            .adversary("acquaintance")
            .promise("posterior_at_most", &ratio(3, 4))
            .query("visits", "SELECT COUNT(*) FROM visits")
    }

    #[test]
    fn words_for_readers_are_read() {
        let policy = builder().build().unwrap();
        assert!(policy.imprint().is_empty() && policy.headings().is_empty());
        let policy = builder()
            .set(&["publication"], "title", "Visits to the clinic")
            .set(&["publication"], "next_release", "2024-09-15")
            .set(&["columns", "minutes"], "label", "Length of visit")
            .set(&["columns", "minutes"], "unit", "minutes");
        let policy = policy.build().unwrap();
        assert_eq!(policy.imprint().title.as_deref(), Some("Visits to the clinic"));
        assert_eq!(policy.imprint().facts().collect::<Vec<_>>(), [("next release", "2024-09-15")]);
        assert_eq!(policy.headings()["minutes"].text("avg"), "Length of visit (minutes)");
    }

    /// An answer does not name the table of a column, so that words for one table's column are not put on another's.
    #[test]
    fn columns_of_one_name_must_agree() {
        let with = |unit: &str| {
            let policy = builder()
                .set(&["columns", "minutes"], "unit", "minutes")
                .set(&["tables", "bills"], "path", "bills.csv")
                .set(&["tables", "bills"], "version", "1")
                .set(&["tables", "bills"], "unprotected", true)
                .set(&["tables", "bills"], "key", "id")
                .set(&["tables", "bills", "columns", "id"], "type", "integer")
                .set(&["tables", "bills", "columns", "minutes"], "type", "integer");
            let policy = if unit.is_empty() {
                policy
            } else {
                policy.set(&["tables", "bills", "columns", "minutes"], "unit", unit)
            };
            policy.build().unwrap().headings().get("minutes").map(|heading| heading.text("m"))
        };
        assert_eq!((with(""), with("hours")), (None, None));
        assert_eq!(with("minutes").as_deref(), Some("m (minutes)"));
    }

    #[test]
    fn words_are_one_line() {
        for (section, key, value) in [
            (vec!["publication"], "title", "a\nb"),
            (vec!["publication"], "contact", " "),
            (vec!["publication"], "author", "x"),
            (vec!["columns", "minutes"], "unit", "min\u{7}"),
        ] {
            let errors = builder().set(&section, key, value).build().unwrap_err();
            assert!(errors.to_string().contains(key), "{errors}");
        }
    }
}
