//! Writes directives of kernels for which rustc has no attribute into the PTX.
//!
//! ```text
//!   //cutlet.entry k .maxntid 384, 1, 1 .minnctapersm 1      .visible .entry k(
//!   //cutlet.param k_param_0 64                                 .param .align 64 .b8 k_param_0[128]
//!   .visible .entry k(                              ──►      )
//!       .param .align 16 .b8 k_param_0[128]                  .maxntid 384, 1, 1
//!   )                                                        .minnctapersm 1
//!   {                                                        {
//! ```
//!
//! Law: [`apply`] removes the comments that begin with `//cutlet.`, and changes only the heads that
//! these comments name. A comment is an error if no head has the name, or if the target does not
//! have the feature that the comment requests. `#[kernel]` of `cuda_std` writes the comments.
//!
//! Source: PTX ISA, *Performance-Tuning Directives*, *Cluster Dimension Directives*, *Kernel
//! Function Parameters*.

use std::collections::BTreeMap;
use std::fmt;

/// The start of a comment about an entry, and the start of a comment about a parameter.
const ENTRY: &str = "//cutlet.entry ";
const PARAM: &str = "//cutlet.param ";

/// Why a directive cannot be written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DirectiveProblem {
    /// The comment does not have the form in which `#[kernel]` writes comments.
    Malformed {
        /// The comment.
        line: String,
    },
    /// The module has no such kernel or parameter.
    NoSuchName {
        /// The name.
        name: String,
        /// The kernels of the module, or the kernel's parameters that have a size and an alignment.
        found: Vec<String>,
    },
    /// The kernel must be launched in clusters, but the target has no clusters.
    NoClusters {
        /// The kernel.
        kernel: String,
        /// The target.
        target: String,
    },
}

impl fmt::Display for DirectiveProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { line } => write!(f, "`{line}` is no directive that #[kernel] writes"),
            Self::NoSuchName { name, found } => {
                let found = if found.is_empty() {
                    "none".to_owned()
                } else {
                    found.join(", ")
                };
                write!(
                    f,
                    "a directive is of `{name}`, which the PTX does not have: it has {found}"
                )
            }
            Self::NoClusters { kernel, target } => write!(
                f,
                "#[kernel(cluster = ..)] on `{kernel}`: {target} has no clusters, sm_90 and later have"
            ),
        }
    }
}

/// Writes the directives that the comments state into the heads of the kernels.
///
/// # Errors
/// Returns a [`DirectiveProblem`] if a directive cannot be written.
///
/// ```
/// use cuda_builder::directives::apply;
/// let ptx = ".target sm_80\n//cutlet.entry k .maxntid 128, 1, 1\n.visible .entry k(\n)\n{\n}\n";
/// assert_eq!(apply(ptx).unwrap(), ".target sm_80\n.visible .entry k(\n)\n.maxntid 128, 1, 1\n{\n}\n");
/// ```
pub fn apply(ptx: &str) -> Result<String, DirectiveProblem> {
    let mut entries: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut params: BTreeMap<&str, u32> = BTreeMap::new();
    let malformed = |line: &str| DirectiveProblem::Malformed {
        line: line.trim().to_owned(),
    };
    let mut target = "";
    for line in ptx.lines() {
        let text = line.trim();
        if let Some(name) = text.strip_prefix(".target ") {
            target = name;
        } else if let Some(rest) = text.strip_prefix(ENTRY) {
            let (kernel, list) = rest.split_once(' ').ok_or_else(|| malformed(line))?;
            let list = list.strip_prefix('.').ok_or_else(|| malformed(line))?;
            let all = list.split(" .").map(|directive| format!(".{directive}"));
            entries.entry(kernel).or_default().extend(all);
        } else if let Some(rest) = text.strip_prefix(PARAM) {
            let (param, align) = rest.split_once(' ').ok_or_else(|| malformed(line))?;
            let align = align.parse().map_err(|_| malformed(line))?;
            params.insert(param, align);
        }
    }
    for (kernel, list) in &entries {
        if list.iter().any(|one| one.starts_with(".reqnctapercluster")) && !has_clusters(target) {
            return Err(DirectiveProblem::NoClusters {
                kernel: (*kernel).to_owned(),
                target: target.to_owned(),
            });
        }
    }
    let mut out = String::with_capacity(ptx.len() + 256);
    // The directives of the entry whose head is being read.
    let mut open: Option<Vec<String>> = None;
    let (mut kernels, mut blocks) = (Vec::new(), Vec::new());
    for line in ptx.lines() {
        let text = line.trim();
        if text.starts_with(ENTRY) || text.starts_with(PARAM) {
            continue;
        }
        if let Some(name) = entry(text) {
            kernels.push(name.to_owned());
            open = Some(entries.remove(name).unwrap_or_default());
        }
        match block(text) {
            Some((name, align)) if open.is_some() => {
                blocks.push(name.to_owned());
                let from = format!(".align {align} ");
                match params.remove(name) {
                    Some(asked) if asked > align => {
                        out.push_str(&line.replacen(&from, &format!(".align {asked} "), 1));
                    }
                    _ => out.push_str(line),
                }
            }
            _ => out.push_str(line),
        }
        out.push('\n');
        if text == ")" || text.ends_with("()") {
            for directive in open.take().unwrap_or_default() {
                out.push_str(&directive);
                out.push('\n');
            }
        }
    }
    let unknown = |name: &&str, found: Vec<String>| DirectiveProblem::NoSuchName {
        name: (*name).to_owned(),
        found,
    };
    match (entries.keys().next(), params.keys().next()) {
        (Some(name), _) => Err(unknown(name, kernels)),
        (None, Some(name)) => Err(unknown(name, blocks)),
        (None, None) => Ok(out),
    }
}

/// Returns whether a target, such as `sm_90a`, has clusters.
fn has_clusters(target: &str) -> bool {
    let digits: String = (target.trim_start_matches("sm_").chars())
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse::<u32>().is_ok_and(|sm| sm >= 90)
}

/// Returns the kernel whose head begins with this line.
fn entry(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(".entry ")?;
    (!text.starts_with("//"))
        .then(|| rest.split('(').next().unwrap_or(rest).trim())
        .filter(|name| !name.is_empty())
}

/// Returns the name and the alignment of a parameter that is a block of bytes:
/// `.param .align 16 .b8 k_param_0[128]`.
fn block(text: &str) -> Option<(&str, u32)> {
    let rest = text.strip_prefix(".param .align ")?;
    let (align, rest) = rest.split_once(" .b8 ")?;
    let (name, _) = rest.split_once('[')?;
    Some((name, align.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = ".version 8.0\n.target sm_90a\n.address_size 64\n";
    const BODY: &str = ".visible .entry k(\n\t.param .align 16 .b8 k_param_0[128],\n\t.param .u32 k_param_1\n)\n{\n\tret;\n}\n\
                        .visible .entry other()\n{\n\tret;\n}\n";

    #[test]
    fn what_has_no_comment_stays_as_it_is() {
        let ptx = format!("{HEAD}{BODY}");
        assert_eq!(apply(&ptx).unwrap(), ptx);
    }

    #[test]
    fn directives_stand_behind_the_parameters_and_alignments_are_raised() {
        let comments = "//cutlet.param k_param_0 64\n\t//cutlet.entry k .maxntid 384, 1, 1 .minnctapersm 1 .reqnctapercluster 2, 1, 1\n\
                        //cutlet.entry other .maxntid 32, 1, 1\n";
        let expected = format!("{HEAD}{BODY}")
            .replace(".align 16", ".align 64")
            .replacen(
                "\n)\n",
                "\n)\n.maxntid 384, 1, 1\n.minnctapersm 1\n.reqnctapercluster 2, 1, 1\n",
                1,
            )
            .replace("other()\n", "other()\n.maxntid 32, 1, 1\n");
        assert_eq!(apply(&format!("{HEAD}{comments}{BODY}")).unwrap(), expected);
        // A parameter that already has a larger alignment keeps it.
        let less = format!("{HEAD}//cutlet.param k_param_0 8\n{BODY}");
        assert_eq!(apply(&less).unwrap(), format!("{HEAD}{BODY}"));
    }

    #[test]
    fn a_comment_that_names_nothing_is_refused() {
        let problem = apply(&format!("{HEAD}//cutlet.entry l .maxntid 1, 1, 1\n{BODY}"));
        let names = |found: &[&str]| found.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(
            problem,
            Err(DirectiveProblem::NoSuchName {
                name: "l".into(),
                found: names(&["k", "other"])
            })
        );
        let problem = apply(&format!("{HEAD}//cutlet.param k_param_1 64\n{BODY}")).unwrap_err();
        assert_eq!(
            problem.to_string(),
            "a directive is of `k_param_1`, which the PTX does not have: it has k_param_0"
        );
        for bad in [
            "//cutlet.entry k",
            "//cutlet.entry k maxntid",
            "//cutlet.param k x",
        ] {
            let problem = apply(&format!("{HEAD}{bad}\n{BODY}"));
            assert_eq!(
                problem,
                Err(DirectiveProblem::Malformed { line: bad.into() })
            );
        }
    }

    #[test]
    fn clusters_are_refused_where_there_are_none() {
        let ptx = format!("{HEAD}//cutlet.entry k .reqnctapercluster 2, 1, 1\n{BODY}");
        let problem = apply(&ptx.replace("sm_90a", "sm_80")).unwrap_err();
        assert!(problem.to_string().contains("sm_80 has no clusters"));
        assert!(apply(&ptx.replace("sm_90a", "sm_120")).is_ok());
    }
}
