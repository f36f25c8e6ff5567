//! The modules of the workspace's crates, as trees of parsed files.

use crate::Failure;
use crate::files::{self, cargo};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use syn::{Attribute, Ident, Item, ItemImpl, Visibility};

/// A module: its items, and its submodules, inline or in files.
#[derive(Default)]
struct Module {
    items: Vec<Item>,
    inner: BTreeMap<String, Module>,
}

/// All libraries of the workspace, by their names in code.
pub struct Crates(BTreeMap<String, Module>);

/// The meaning of a path: one item, or one module.
pub enum Resolved<'a> {
    /// A module of a crate.
    Module { name: String, module: Vec<String> },
    /// An item of a crate.
    Item { name: String, item: &'a Item },
}

/// The name, visibility and attributes of a nameable item.
pub fn named(item: &Item) -> Option<(&Ident, &Visibility, &[Attribute])> {
    match item {
        Item::Fn(item) => Some((&item.sig.ident, &item.vis, &item.attrs)),
        Item::Struct(item) => Some((&item.ident, &item.vis, &item.attrs)),
        Item::Enum(item) => Some((&item.ident, &item.vis, &item.attrs)),
        Item::Trait(item) => Some((&item.ident, &item.vis, &item.attrs)),
        Item::Type(item) => Some((&item.ident, &item.vis, &item.attrs)),
        Item::Const(item) => Some((&item.ident, &item.vis, &item.attrs)),
        _ => None,
    }
}

impl Crates {
    /// Parses the libraries of the workspace.
    pub fn load(root: &Path) -> Result<Self, Failure> {
        let mut command = Command::new(cargo());
        command.args(["metadata", "--no-deps", "--format-version", "1", "--offline"]).current_dir(root);
        let output = files::without_package_variables(&mut command).output();
        let output = output.map_err(|error| Failure::Found(format!("cargo metadata cannot be run: {error}")))?;
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| Failure::Found(format!("cargo metadata wrote no JSON: {error}")))?;
        let mut crates = BTreeMap::new();
        for target in metadata["packages"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|package| package["targets"].as_array().into_iter().flatten())
        {
            let is_library = target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "lib"));
            if let (true, Some(name), Some(path)) = (is_library, target["name"].as_str(), target["src_path"].as_str()) {
                let path = PathBuf::from(path);
                let folder = path.parent().unwrap_or(Path::new("")).to_owned();
                crates.insert(name.replace('-', "_"), module(&path, &folder)?);
            }
        }
        Ok(Self(crates))
    }

    fn module(&self, name: &str, path: &[String]) -> Option<&Module> {
        path.iter().try_fold(self.0.get(name)?, |module, inner| module.inner.get(inner))
    }

    /// The items of a module.
    pub fn items(&self, name: &str, module: &[String]) -> Option<&[Item]> {
        Some(&self.module(name, module)?.items)
    }

    /// The meanings of a path in a module. A function and a module may have the same name.
    pub fn resolve(&self, name: &str, module: &[String], path: &[String], depth: usize) -> Vec<Resolved<'_>> {
        let Some((first, rest)) = path.split_first() else {
            return vec![Resolved::Module { name: name.to_owned(), module: module.to_vec() }];
        };
        if depth > 16 {
            return Vec::new();
        }
        match first.as_str() {
            "crate" => return self.resolve(name, &[], rest, depth + 1),
            "self" => return self.resolve(name, module, rest, depth + 1),
            "super" => {
                let outer = module.split_last().map_or(module, |(_, outer)| outer);
                return self.resolve(name, outer, rest, depth + 1);
            }
            _ => {}
        }
        let Some(here) = self.module(name, module) else { return Vec::new() };
        let mut found = Vec::new();
        if here.inner.contains_key(first) {
            let inner: Vec<String> = module.iter().cloned().chain([first.clone()]).collect();
            found.extend(self.resolve(name, &inner, rest, depth + 1));
        }
        if rest.is_empty() {
            let own = here.items.iter().filter(|item| named(item).is_some_and(|(ident, ..)| ident == first));
            found.extend(own.map(|item| Resolved::Item { name: name.to_owned(), item }));
        }
        if found.is_empty() && self.0.contains_key(first) {
            found = self.resolve(first, &[], rest, depth + 1);
        }
        if found.is_empty() {
            let uses = here.items.iter().filter_map(|item| if let Item::Use(item) = item { Some(item) } else { None });
            for (path, _) in uses.flat_map(|item| super::leaves(&item.tree, &[])).filter(|(_, alias)| alias == first) {
                // `use a::b as a` would name itself.
                if path.first() != Some(first) || self.0.contains_key(first) {
                    let whole: Vec<String> = path.iter().chain(rest).cloned().collect();
                    found.extend(self.resolve(name, module, &whole, depth + 1));
                }
            }
        }
        found
    }

    /// The `impl` blocks of an item of a crate, wherever they are in it. Two types of one name are distinguished by the
    /// meaning of the name in the module of the block.
    pub fn impls<'a>(&'a self, name: &str, of: &Item) -> Vec<&'a ItemImpl> {
        let mut found = Vec::new();
        if let Some(module) = self.0.get(name) {
            self.collect_impls(name, &[], module, of, &mut found);
        }
        found
    }

    fn collect_impls<'a>(
        &'a self,
        name: &str,
        path: &[String],
        module: &'a Module,
        of: &Item,
        into: &mut Vec<&'a ItemImpl>,
    ) {
        for item in &module.items {
            let Item::Impl(block) = item else { continue };
            let syn::Type::Path(written) = &*block.self_ty else { continue };
            let segments: Vec<String> = written.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let meant = self.resolve(name, path, &segments, 0);
            if meant.iter().any(|found| matches!(found, Resolved::Item { item, .. } if std::ptr::eq(*item, of))) {
                into.push(block);
            }
        }
        for (inner, module) in &module.inner {
            let path: Vec<String> = path.iter().cloned().chain([inner.clone()]).collect();
            self.collect_impls(name, &path, module, of, into);
        }
    }
}

/// Parses a file and the files of its modules, which are in `folder`.
fn module(path: &Path, folder: &Path) -> Result<Module, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::Found(format!("{}: {error}", path.display())))?;
    let file = syn::parse_file(&text).map_err(|error| Failure::Found(format!("{}: {error}", path.display())))?;
    of_items(file.items, folder)
}

fn of_items(items: Vec<Item>, folder: &Path) -> Result<Module, Failure> {
    let mut made = Module::default();
    for item in &items {
        let Item::Mod(inner) = item else { continue };
        let is_test = inner.attrs.iter().any(|attr| super::text(attr).contains("cfg(test)"));
        if is_test {
            continue;
        }
        let name = inner.ident.to_string();
        let folder_of_inner = folder.join(&name);
        let module = match &inner.content {
            Some((_, items)) => of_items(items.clone(), &folder_of_inner)?,
            None => {
                let beside = folder.join(format!("{name}.rs"));
                let path = if beside.exists() { beside } else { folder_of_inner.join("mod.rs") };
                module(&path, &folder_of_inner)?
            }
        };
        made.inner.insert(name, module);
    }
    made.items = items;
    Ok(made)
}
