//! Generalisation hierarchies: the wider values that replace narrower ones.
//!
//! The file format is that of ARX: a line for each leaf, from the leaf to the top, `02138;0213*;021**;*`. All lines
//! have the same number of levels, and at each level a value has one parent.

use crate::error::AssessError;
use crate::interval::plain;
use deniable_core::text::shown;
use std::collections::HashMap;

/// A hierarchy of values. Level 0 contains the leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    /// Names by level, in order of appearance.
    levels: Vec<Vec<String>>,
    /// For every leaf its nodes, level by level from 0: `leaves x levels`.
    paths: Vec<u32>,
    leaf: HashMap<String, u32>,
    /// The lowest level and code of each name.
    node: HashMap<String, (usize, u32)>,
    /// The leaves below each node, by level and code.
    members: Vec<Vec<Vec<u32>>>,
}

impl Hierarchy {
    /// Parses lines of `leaf;parent;...;top`, separated by `delimiter`. Blanks around values and empty lines are
    /// ignored.
    ///
    /// # Errors
    /// Names the line: lines of unequal length, a duplicate leaf, a node with two parents, an ambiguous name.
    pub fn parse(text: &str, delimiter: char) -> Result<Self, AssessError> {
        let mut hierarchy = Self {
            levels: Vec::new(),
            paths: Vec::new(),
            leaf: HashMap::new(),
            node: HashMap::new(),
            members: Vec::new(),
        };
        let mut codes: Vec<HashMap<&str, u32>> = Vec::new();
        // The parent of each node, and the line that declared it.
        let mut parents: Vec<Vec<(u32, usize)>> = Vec::new();
        for (line, content) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            if content.trim().is_empty() {
                continue;
            }
            let wrong = |problem: String, help| AssessError::Hierarchy { line, problem, help };
            let names: Vec<&str> = content.split(delimiter).map(|name| plain(name.trim())).collect();
            if codes.is_empty() {
                hierarchy.levels = vec![Vec::new(); names.len()];
                codes = vec![HashMap::new(); names.len()];
                parents = vec![Vec::new(); names.len()];
            }
            if names.len() != codes.len() {
                let problem = format!("it has {} levels, and the lines before it have {}", names.len(), codes.len());
                return Err(wrong(problem, "give every leaf the same number of levels"));
            }
            let mut below: Option<(usize, u32, bool)> = None;
            for (level, name) in names.iter().enumerate() {
                let is_new = !codes[level].contains_key(name);
                let fresh = u32::try_from(codes[level].len())
                    .map_err(|_| AssessError::TooMany { what: "values of a hierarchy" })?;
                let code = *codes[level].entry(name).or_insert(fresh);
                if is_new {
                    hierarchy.levels[level].push((*name).to_owned());
                } else if level == 0 {
                    return Err(wrong(format!("duplicate leaf `{}`", shown(name)), "keep one of the two lines"));
                }
                match below {
                    Some((under, _, true)) => parents[under].push((code, line)),
                    Some((under, child, false)) => {
                        if let Some((parent, before)) = parents[under].get(child as usize)
                            && *parent != code
                        {
                            let problem = format!(
                                "`{}` is below `{}` here and below `{}` in line {before}",
                                shown(names[under]),
                                shown(name),
                                shown(&hierarchy.levels[level][*parent as usize])
                            );
                            return Err(wrong(problem, "give it one parent"));
                        }
                    }
                    None => {}
                }
                below = Some((level, code, is_new));
                hierarchy.paths.push(code);
            }
        }
        if hierarchy.paths.is_empty() {
            return Err(AssessError::Hierarchy {
                line: 1,
                problem: "the hierarchy is empty".to_owned(),
                help: "check that it is the right file",
            });
        }
        hierarchy.leaf = codes[0].iter().map(|(name, code)| ((*name).to_owned(), *code)).collect();
        hierarchy.name_nodes()?;
        Ok(hierarchy)
    }

    /// Finds every name above the leaves; a name at several levels must cover the same leaves at all of them.
    fn name_nodes(&mut self) -> Result<(), AssessError> {
        self.members = self.levels.iter().map(|names| vec![Vec::new(); names.len()]).collect();
        for (leaf, path) in (0..).zip(self.paths.chunks(self.levels.len())) {
            for (members, code) in self.members.iter_mut().zip(path) {
                members[*code as usize].push(leaf);
            }
        }
        let mut node: HashMap<String, (usize, u32)> = HashMap::new();
        for level in 0..self.levels.len() {
            for (code, name) in (0_u32..).zip(&self.levels[level]) {
                let Some(first) = node.get(name) else {
                    node.insert(name.clone(), (level, code));
                    continue;
                };
                if self.below(*first) != self.below((level, code)) {
                    let line = self.below((level, code)).first().map_or(1, |leaf| *leaf as usize + 1);
                    return Err(AssessError::Hierarchy {
                        line,
                        problem: format!(
                            "`{}` covers other leaves at level {level} than at level {}",
                            shown(name),
                            first.0
                        ),
                        help: "rename one of them",
                    });
                }
            }
        }
        self.node = node;
        Ok(())
    }

    fn below(&self, (level, code): (usize, u32)) -> &[u32] {
        &self.members[level][code as usize]
    }

    /// Number of levels above the leaves.
    #[must_use]
    pub fn height(&self) -> usize {
        self.levels.len() - 1
    }

    /// Whether this is the name of a leaf.
    #[must_use]
    pub fn is_leaf(&self, name: &str) -> bool {
        self.leaf.contains_key(name.trim())
    }

    /// The leaves below a value; a leaf covers itself. `None` if it is neither leaf nor node.
    #[must_use]
    pub fn leaves(&self, name: &str) -> Option<Vec<&str>> {
        let place = self.node.get(name.trim())?;
        Some(self.below(*place).iter().map(|leaf| self.levels[0][*leaf as usize].as_str()).collect())
    }

    /// The codes of the nodes of a leaf, from the leaf itself upwards: one for each level.
    #[must_use]
    pub fn path(&self, leaf: &str) -> Option<&[u32]> {
        let leaf = *self.leaf.get(leaf.trim())? as usize;
        self.paths.chunks(self.levels.len()).nth(leaf)
    }

    /// The number of nodes of a level.
    #[must_use]
    pub fn nodes(&self, level: usize) -> usize {
        self.levels.get(level).map_or(0, Vec::len)
    }

    /// Whether there are levels above the leaves, and the highest of them is a single node.
    #[must_use]
    pub fn has_top(&self) -> bool {
        self.height() > 0 && self.levels.last().is_some_and(|top| top.len() == 1)
    }

    /// Levels up to the lowest common ancestor, from 0 to the height; `None` if either value is not a leaf, or there is
    /// no such ancestor.
    #[must_use]
    pub fn distance(&self, one: &str, other: &str) -> Option<usize> {
        let (one, other) = (self.path(one)?, self.path(other)?);
        one.iter().zip(other).position(|(a, b)| a == b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ILLNESSES: &str = "flu;lungs;*\nasthma;lungs;*\n\nulcer;stomach;*\n";

    #[test]
    fn leaves_and_distances() {
        let tree = Hierarchy::parse(ILLNESSES, ';').unwrap();
        assert_eq!(tree.leaves("lungs"), Some(vec!["flu", "asthma"]));
        assert_eq!(tree.leaves(" flu "), Some(vec!["flu"]));
        assert_eq!(tree.leaves("*").map(|all| all.len()), Some(3));
        assert_eq!(tree.leaves("gout"), None);
        let distances = [("flu", "flu"), ("flu", "asthma"), ("flu", "ulcer")].map(|(a, b)| tree.distance(a, b));
        assert_eq!(distances, [Some(0), Some(1), Some(2)]);
        assert_eq!((tree.distance("flu", "lungs"), tree.height(), tree.has_top()), (None, 2, true));
    }

    #[test]
    fn errors_name_the_line() {
        let line = |text: &str| match Hierarchy::parse(text, ',').unwrap_err() {
            AssessError::Hierarchy { line, problem, .. } => (line, problem),
            other => panic!("{other}"),
        };
        assert_eq!(line("a,b\nc\n").0, 2);
        assert!(line("a,b\na,b\n").1.contains("duplicate leaf `a`"));
        let (place, problem) = line("a,x,*\nb,x,**\n");
        assert_eq!(place, 2);
        assert!(problem.contains("`x` is below `**` here and below `*` in line 1"), "{problem}");
        assert!(line("\n").1.contains("is empty"));
        // `b` is a leaf, and the parent of another leaf.
        assert!(line("a,b\nb,c\n").1.contains("other leaves"));
        // The same name for the same leaves is allowed.
        assert!(Hierarchy::parse("a,a,*\nb,c,*", ',').is_ok());
    }
}
