//! The facts that a PTX file states about itself: version, target, kernels.
//!
//! Law: a file that [`inspect`] accepts is PTX with at least one kernel. All facts that [`inspect`]
//! returns come from the file's own directives.
//!
//! ```text
//! .version 7.0          -> (7, 0)
//! .target sm_80         -> "sm_80"
//! .visible .entry add(  -> "add"
//! ```
//!
//! Source: PTX ISA, "PTX Module Directives" and "Kernel and Function Directives: .entry".

use std::fmt;

/// The facts that the directives of a PTX file state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtxSummary {
    /// `.version major.minor`.
    pub version: (u32, u32),
    /// `.target`: `sm_80`.
    pub target: String,
    /// The names of the kernels, in the order of the file.
    pub kernels: Vec<String>,
}

/// Why a driver could not load a kernel from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PtxProblem {
    /// There is no `.version` directive, or its argument is not a version.
    NoVersion,
    /// There is no `.target` directive.
    NoTarget,
    /// There is no `.entry`, so there is nothing to launch.
    NoKernel,
}

impl fmt::Display for PtxProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PtxProblem::NoVersion => "it has no .version directive, so it is no PTX",
            PtxProblem::NoTarget => "it has no .target directive, so it is no PTX",
            PtxProblem::NoKernel => {
                "it holds no .entry: does the crate have a public #[kernel] function?"
            }
        })
    }
}

/// Reads the directives of `ptx`.
///
/// # Errors
/// Returns a [`PtxProblem`] if a directive without which the file cannot be used is missing.
///
/// ```
/// use cuda_builder::ptx::{PtxProblem, inspect};
/// let ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry add() { ret; }\n";
/// let summary = inspect(ptx)?;
/// assert_eq!((summary.version, summary.target.as_str()), ((7, 0), "sm_80"));
/// assert_eq!(summary.kernels, ["add"]);
/// assert_eq!(inspect("int main() {}"), Err(PtxProblem::NoVersion));
/// # Ok::<(), PtxProblem>(())
/// ```
pub fn inspect(ptx: &str) -> Result<PtxSummary, PtxProblem> {
    let directive = |name: &str| {
        ptx.lines()
            .filter_map(|line| line.split("//").next()?.trim().strip_prefix(name))
            .find(|rest| rest.starts_with([' ', '\t']))
            .map(str::trim)
    };
    let (major, minor) = directive(".version")
        .and_then(|version| version.split_once('.'))
        .ok_or(PtxProblem::NoVersion)?;
    let number = |text: &str| text.parse().map_err(|_| PtxProblem::NoVersion);
    let target = directive(".target").ok_or(PtxProblem::NoTarget)?;
    let summary = PtxSummary {
        version: (number(major)?, number(minor)?),
        target: target.split(',').next().unwrap_or(target).trim().to_owned(),
        kernels: ptx.lines().filter_map(entry).collect(),
    };
    if summary.kernels.is_empty() {
        return Err(PtxProblem::NoKernel);
    }
    Ok(summary)
}

/// Returns the kernel whose definition begins on `line`, or `None` if no definition begins there.
fn entry(line: &str) -> Option<String> {
    let code = line.split("//").next()?;
    let mut words = code.split_whitespace();
    words
        .by_ref()
        .find(|word| ![".visible", ".weak", ".extern"].contains(word))
        .filter(|word| *word == ".entry")?;
    let name = words.next()?.split('(').next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "//\n// Generated\n//\n\n.version 8.0\n.target sm_90a, debug\n";

    #[test]
    fn kernels_are_found_in_order_and_comments_are_not_kernels() {
        let ptx = format!(
            "{HEAD}\n// .entry no\n\t// .globl\ta\n.visible .entry a(\n\t.param .u64 p\n)\n{{ ret; }}\n\
             .func f() {{}}\n.weak .entry b ( )\n{{ }}\n.entry c(){{}}\n"
        );
        let summary = inspect(&ptx).unwrap();
        assert_eq!(summary.kernels, ["a", "b", "c"]);
        assert_eq!(summary.version, (8, 0));
        assert_eq!(summary.target, "sm_90a");
    }

    #[test]
    fn what_is_not_there_is_named() {
        assert_eq!(inspect(""), Err(PtxProblem::NoVersion));
        assert_eq!(
            inspect(".version eight.0\n.target sm_80\n"),
            Err(PtxProblem::NoVersion)
        );
        assert_eq!(inspect(".version 8.0\n"), Err(PtxProblem::NoTarget));
        assert_eq!(
            inspect(&format!("{HEAD}.func f() {{}}\n")),
            Err(PtxProblem::NoKernel)
        );
    }
}
