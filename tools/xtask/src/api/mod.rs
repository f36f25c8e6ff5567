//! `api`: every public item of the library `deniable`, in `docs/reference/api.txt`.
//!
//! The list is made from the source: public items of public modules, and re-exports from crates of the workspace, at
//! the path that programs use. A change of the list is a change that users may notice.

mod modules;

use crate::files;
use crate::{Failure, files::root};
use modules::{Crates, Resolved};
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::{Fields, Item, UseTree, Visibility};

const LIST: &str = "docs/reference/api.txt";

/// Whether to compare or to write the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Fail if the list differs.
    Check,
    Write,
}

/// Compares the list with the code, or writes it.
pub fn run(mode: Mode) -> Result<String, Failure> {
    let crates = Crates::load(&root())?;
    let mut lines = BTreeSet::new();
    list(&crates, "deniable", &[], "deniable", &mut lines, 0);
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    if mode == Mode::Write {
        files::write(&root(), LIST, &text)?;
        return Ok(format!("{} public items of deniable in {LIST}", lines.len()));
    }
    let present = files::read(&root(), LIST).unwrap_or_default();
    let before: BTreeSet<String> = present.lines().map(str::to_owned).collect();
    if before == lines {
        return Ok(format!("{} public items of deniable, as {LIST} lists them", lines.len()));
    }
    let added = lines.difference(&before).map(|line| format!("+ {line}"));
    let removed = before.difference(&lines).map(|line| format!("- {line}"));
    let changes: Vec<String> = added.chain(removed).collect();
    let help = "the public interface of deniable changed. If that is meant, run `cargo xtask api --write`, and mention it in CHANGELOG.md";
    Err(Failure::Found(format!("{}\n{help}", changes.join("\n"))))
}

/// Modules that re-export each other would cause an endless loop.
const MAX_DEPTH: usize = 8;

/// The public items of a module, under the path that programs use.
fn list(crates: &Crates, name: &str, module: &[String], shown: &str, lines: &mut BTreeSet<String>, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    let Some(items) = crates.items(name, module) else { return };
    for item in items {
        match item {
            Item::Use(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                for (path, alias) in leaves(&item.tree, &[]) {
                    let shown = format!("{shown}::{alias}");
                    let found = crates.resolve(name, module, &path, 0);
                    if found.is_empty() {
                        lines.insert(format!("use {shown} = {}", path.join("::")));
                    }
                    for found in found {
                        match found {
                            Resolved::Module { name, module } => {
                                list(crates, &name, &module, &shown, lines, depth + 1);
                            }
                            Resolved::Item { name, item } => describe(crates, &name, item, &shown, lines),
                        }
                    }
                }
            }
            Item::Mod(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                let mut inner = module.to_vec();
                inner.push(item.ident.to_string());
                list(crates, name, &inner, &format!("{shown}::{}", item.ident), lines, depth + 1);
            }
            item => {
                if let Some((ident, vis, attrs)) = modules::named(item)
                    && is_public(vis)
                    && !is_hidden(attrs)
                {
                    describe(crates, name, item, &format!("{shown}::{ident}"), lines);
                }
            }
        }
    }
}

fn is_public(vis: &Visibility) -> bool {
    matches!(vis, Visibility::Public(_))
}

fn is_hidden(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let text = text(attr);
        text.contains("doc(hidden)") || text.contains("cfg(test)")
    })
}

/// The names that a `use` imports, with their paths.
fn leaves(tree: &UseTree, before: &[String]) -> Vec<(Vec<String>, String)> {
    let with = |name: &syn::Ident| before.iter().cloned().chain([name.to_string()]).collect::<Vec<_>>();
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &with(&path.ident)),
        UseTree::Name(name) if name.ident == "self" => {
            before.last().map(|alias| (before.to_vec(), alias.clone())).into_iter().collect()
        }
        UseTree::Name(name) => vec![(with(&name.ident), name.ident.to_string())],
        UseTree::Rename(rename) if rename.ident == "self" => vec![(before.to_vec(), rename.rename.to_string())],
        UseTree::Rename(rename) => vec![(with(&rename.ident), rename.rename.to_string())],
        UseTree::Glob(_) => Vec::new(),
        UseTree::Group(group) => group.items.iter().flat_map(|tree| leaves(tree, before)).collect(),
    }
}

/// The lines of an item: itself, its public fields, variants and methods, and the traits that it implements.
fn describe(crates: &Crates, name: &str, item: &Item, shown: &str, lines: &mut BTreeSet<String>) {
    let fields = |fields: &Fields, of: &str, all: bool, lines: &mut BTreeSet<String>| {
        for (at, field) in fields.iter().enumerate().filter(|(_, field)| all || is_public(&field.vis)) {
            let name = field.ident.as_ref().map_or_else(|| at.to_string(), ToString::to_string);
            lines.insert(format!("{of}.{name}: {}", text(&field.ty)));
        }
    };
    match item {
        Item::Fn(item) => {
            lines.insert(format!("{shown}: {}", text(&item.sig)));
        }
        Item::Struct(item) => {
            lines.insert(format!("struct {shown}{}", text(&item.generics)));
            fields(&item.fields, shown, false, lines);
        }
        Item::Enum(item) => {
            lines.insert(format!("enum {shown}{}", text(&item.generics)));
            for variant in &item.variants {
                lines.insert(format!("{shown}::{}", variant.ident));
                fields(&variant.fields, &format!("{shown}::{}", variant.ident), true, lines);
            }
        }
        Item::Trait(item) => {
            lines.insert(format!("trait {shown}{}", text(&item.generics)));
            for method in &item.items {
                if let syn::TraitItem::Fn(method) = method {
                    lines.insert(format!("{shown}: {}", text(&method.sig)));
                }
            }
        }
        Item::Type(item) => {
            lines.insert(format!("type {shown} = {}", text(&item.ty)));
        }
        Item::Const(item) => {
            lines.insert(format!("const {shown}: {}", text(&item.ty)));
        }
        _ => {}
    }
    if !matches!(item, Item::Struct(_) | Item::Enum(_)) {
        return;
    }
    for block in crates.impls(name, item) {
        if let Some((_, path, _)) = &block.trait_ {
            lines.insert(format!("impl {} for {shown}", text(path)));
            continue;
        }
        for member in &block.items {
            match member {
                syn::ImplItem::Fn(method) if is_public(&method.vis) && !is_hidden(&method.attrs) => {
                    lines.insert(format!("{shown}: {}", text(&method.sig)));
                }
                syn::ImplItem::Const(constant) if is_public(&constant.vis) => {
                    lines.insert(format!("const {shown}::{}: {}", constant.ident, text(&constant.ty)));
                }
                _ => {}
            }
        }
    }
}

/// Rust in one line, with conventional spaces.
fn text(tokens: &impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    for (from, to) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" ,", ","),
        ("( ", "("),
        (" )", ")"),
        (" (", "("),
        ("[ ", "["),
        (" ]", "]"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        ("& ", "&"),
        (" :", ":"),
        (" ;", ";"),
        ("' ", "'"),
        ("# [", "#["),
        (",)", ")"),
        (", >", ">"),
        (",(", ", ("),
        (":(", ": ("),
    ] {
        text = text.replace(from, to);
    }
    text.replace("->", " -> ").replace("  ", " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_read_as_people_write_them() {
        let function: syn::ItemFn = syn::parse_quote! {
            pub fn read<'a, T: Into<String>>(text: &'a str, rows: &[Option<T>]) -> Result<Vec<u8>, (usize, Error)> {}
        };
        assert_eq!(
            text(&function.sig),
            "fn read<'a, T: Into<String>>(text: &'a str, rows: &[Option<T>]) -> Result<Vec<u8>, (usize, Error)>"
        );
    }

    #[test]
    fn use_trees_are_split_into_paths() {
        let item: syn::ItemUse = syn::parse_quote! { pub use a::{self as b, C, d::{self, E as F}}; };
        let leaves: Vec<String> = leaves(&item.tree, &[])
            .into_iter()
            .map(|(path, alias)| format!("{} as {alias}", path.join("::")))
            .collect();
        assert_eq!(leaves, ["a as b", "a::C as C", "a::d as d", "a::d::E as F"]);
    }

    /// The check fails if an item is added or removed.
    #[test]
    fn the_library_has_its_main_types() {
        let crates = Crates::load(&root()).unwrap();
        let mut lines = BTreeSet::new();
        list(&crates, "deniable", &[], "deniable", &mut lines, 0);
        for item in ["struct deniable::Session", "struct deniable::Policy", "enum deniable::Error", "deniable::json: "]
        {
            assert!(lines.iter().any(|line| line.starts_with(item)), "{item}");
        }
        assert!(lines.iter().any(|line| line.starts_with("deniable::Session: fn release(")));
    }
}
