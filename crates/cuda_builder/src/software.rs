//! Finds conversions that PTX makes in software although the GPU has an instruction for them.
//!
//! ```text
//!   half::f16::to_f32(x)              26 instructions, a clz and 4 branches      found by its constants, inlined or not
//!   layout_types::…::convert(x)       cvt.f32.f16                                the instruction instead of it
//! ```
//!
//! Law: each routine that is reported is in the function that is named. The crate `half` converts
//! in software on every target that it does not know, and it does not know GPUs. A kernel with
//! `f16::to_f32` is therefore right, but several times as long. A build warns of it, and goes on.
//!
//! Source: `half` 2.7, `src/binary16/arch.rs` and `src/bfloat/convert.rs` (the routines).

use std::fmt;

/// A software routine that a kernel has in place of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Software {
    /// `half::f16::to_f32`, in place of `cvt.f32.f16`.
    F32FromF16,
    /// `half::f16::from_f32`, in place of `cvt.rn.f16.f32`.
    F16FromF32,
    /// `half::bf16::from_f32`, in place of `cvt.rn.bf16x2.f32`.
    Bf16FromF32,
}

impl Software {
    const ALL: [Self; 3] = [Self::F32FromF16, Self::F16FromF32, Self::Bf16FromF32];

    /// Returns parts of the routine's PTX that are rare elsewhere. They are an instruction and
    /// operands that rustc cannot fold.
    fn marks(self) -> &'static [&'static str] {
        match self {
            // The conversion of a subnormal: its leading zeros, and the exponent from which their
            // number is subtracted.
            Self::F32FromF16 => &["clz.b32", ", 989855744;"],
            // The bits below the rounding bit, and the least exponent of a normal f16.
            Self::F16FromF32 => &[", 12287;", ", 947912704;"],
            // The bits that decide the rounding, and the test for NaN.
            Self::Bf16FromF32 => &[", 98303;", ", 2139095040;"],
        }
    }

    /// Returns the routine's name in Rust, and the call that replaces it.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::F32FromF16 => ("half::f16::to_f32", "convert::<_, f32>(x)"),
            Self::F16FromF32 => ("half::f16::from_f32", "convert::<_, f16>(x)"),
            Self::Bf16FromF32 => ("half::bf16::from_f32", "convert::<_, bf16>(x)"),
        }
    }
}

/// A routine, and the functions of the PTX that contain it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoftwareIn {
    /// The routine.
    pub routine: Software,
    /// Kernels and functions, in the order of the PTX.
    pub functions: Vec<String>,
}

impl fmt::Display for SoftwareIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (slow, instead) = self.routine.names();
        let shown = self
            .functions
            .iter()
            .take(3)
            .map(|name| format!("`{name}`"));
        let shown: Vec<_> = shown.collect();
        let more = match self.functions.len() - shown.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        write!(
            f,
            "{slow} runs in software on a GPU, 20 to 40 instructions for one: {}{more}; \
             `layout_types::atom::convert::{instead}` is the instruction",
            shown.join(", "),
        )
    }
}

/// Finds the routines in `ptx`, each once.
///
/// ```
/// use cuda_builder::software::{Software, find};
/// let slow = ".visible .entry f()\n{\n\tclz.b32 %r1, %r2;\n\tor.b32 %r3, %r4, 989855744;\n}\n";
/// let found = find(slow);
/// assert_eq!((found[0].routine, &found[0].functions[0][..]), (Software::F32FromF16, "f"));
/// ```
#[must_use]
pub fn find(ptx: &str) -> Vec<SoftwareIn> {
    let functions = functions(ptx);
    let with = |routine: Software| {
        let has = |body: &str| routine.marks().iter().all(|mark| body.contains(mark));
        let found = functions.iter().filter(|(_, body)| has(body));
        let functions: Vec<_> = found.map(|(name, _)| (*name).to_owned()).collect();
        (!functions.is_empty()).then_some(SoftwareIn { routine, functions })
    };
    Software::ALL.into_iter().filter_map(with).collect()
}

/// Returns the name and the body of each function that has a body, as LLVM writes them: each brace
/// is the only character of its line.
fn functions(ptx: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = ptx;
    while let Some(at) = rest.find("\n{\n") {
        let end = rest[at..].find("\n}").map_or(rest.len(), |end| at + end);
        let head = rest[..at].rfind(".entry ").map(|at| at + ".entry ".len());
        let function = rest[..at].rfind(".func ").map(|at| at + ".func ".len());
        if let Some(name) = head.max(function) {
            found.push((name_at(&rest[name..at]), &rest[at..end]));
        }
        rest = &rest[end..];
    }
    found
}

/// Returns the name after `.entry` or `.func`, and after the result in parentheses, if there is
/// one.
fn name_at(text: &str) -> &str {
    let text = text.trim_start();
    let text = match text.strip_prefix('(') {
        Some(result) => result
            .split_once(')')
            .map_or("", |(_, name)| name)
            .trim_start(),
        None => text,
    };
    let end = text.find(|c: char| !(c.is_alphanumeric() || "_$%".contains(c)));
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_routine_is_found_in_its_function_and_nowhere_else() {
        let ptx = ".version 7.0\n.func  (.param .b32 r) helper(\n\t.param .b32 a\n)\n{\n\tand.b32 %r1, %r2, 98303;\n\
                   \tsetp.gt.u32 %p1, %r6, 2139095040;\n}\n.visible .entry quick(\n)\n{\n\tand.b32 %r1, %r2, 98303;\n}\n";
        let found = find(ptx);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].routine, Software::Bf16FromF32);
        assert_eq!(found[0].functions, ["helper"]);
        assert!(found[0].to_string().contains("convert::<_, bf16>(x)"));
    }
}
