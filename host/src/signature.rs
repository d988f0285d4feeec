//! The facts that PTX states: its target, its kernels and their parameters.
//!
//! ```text
//!   .target sm_80                                            Target
//!   .visible .entry vecadd(                                  Signature { name
//!       .param .u64 .ptr .global .align 4 vecadd_param_0,      parameters: 8 bytes, a pointer
//!       .param .u32 vecadd_param_1                                         4 bytes, an integer
//!   )
//!   .maxntid 256, 1, 1                                         max_threads: 256 }
//! ```
//!
//! The emulator's parser reads a whole module, down to the operands, and the emulator refuses to
//! launch a kernel with an unknown instruction. A GPU's driver may know the instruction. The launch
//! checks of both kinds of device therefore use the parser of this module, which reads only the
//! head of each kernel. If both parsers accept a module, their results agree.
//!
//! Source: PTX ISA, "Kernel and Function Directives: .entry", "Performance-Tuning Directives".

use crate::Error;
use crate::target::Target;
use std::collections::BTreeMap;

/// The kind of value that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A pointer, marked as one by `.ptr`.
    Pointer,
    /// An integer, or bits. If it has 8 bytes, it may be a pointer that the compiler did not mark.
    Integer,
    /// A floating-point number.
    Float,
    /// A struct or an array, passed as its bytes.
    Bytes,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The parameter's size in bytes.
    pub size: usize,
    /// The parameter's alignment in the kernel's parameters, in bytes.
    pub align: usize,
    /// The kind of value that the parameter takes.
    pub kind: ParameterKind,
    /// The parameter's type in the PTX, such as `.u64` or `.b8[16]`.
    pub declared: String,
    /// The alignment in bytes that the PTX guarantees for the address in a pointer, or 1 if it
    /// guarantees none.
    pub pointer_align: usize,
}

/// The head of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The kernel's name.
    pub name: String,
    /// The kernel's parameters in order.
    pub parameters: Vec<Parameter>,
    /// The product of `.maxntid` or `.reqntid`: the largest number of threads of a block.
    pub max_threads: Option<u32>,
    /// `.reqntid`: the only block with which the kernel may be launched.
    pub required_block: Option<[u32; 3]>,
    /// `.reqnctapercluster`: the only cluster with which the kernel may be launched.
    pub required_cluster: Option<[u32; 3]>,
    /// `.maxclusterrank`: the largest number of blocks of a cluster.
    pub max_cluster: Option<u32>,
}

/// The target of a module and the signatures of its kernels, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The first name of `.target`.
    pub target: Target,
    /// The kernels.
    pub kernels: Vec<Signature>,
}

impl Interface {
    /// Reads the heads of a module.
    ///
    /// ```
    /// let ptx = ".version 7.0 .target sm_80 .address_size 64 .visible .entry k(.param .u32 n) { ret; }";
    /// let interface = host::Interface::read(ptx)?;
    /// assert_eq!(interface.target.to_string(), "sm_80");
    /// assert_eq!(interface.kernels[0].parameters[0].size, 4);
    /// # Ok::<(), host::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::NotATarget`] if there is no `.target` that names an architecture. A kernel
    /// whose head is not valid PTX is skipped. Loading the module reports the error.
    pub fn read(ptx: &str) -> Result<Self, Error> {
        let tokens = tokens(ptx);
        let mut target = None;
        let mut kernels = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            match tokens[at] {
                ".target" if target.is_none() => {
                    let text = tokens.get(at + 1).copied().unwrap_or_default();
                    target = Some(text.parse()?);
                }
                ".entry" => kernels.extend(entry(&tokens[at + 1..])),
                _ => {}
            }
            at += 1;
        }
        let target = target.ok_or_else(|| Error::NotATarget {
            text: "a module without .target".into(),
        })?;
        Ok(Self { target, kernels })
    }

    /// Returns the kernel with this name, or `None` if there is no such kernel.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&Signature> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }
}

/// The text before a kernel's name in PTX that a compiler wrote.
const ENTRY: &str = ".visible .entry ";

/// Returns the text of each kernel of a module in rustc's format, by the kernel's name. The text
/// goes from `.visible .entry` to the end of the line with the kernel's closing brace.
///
/// ```
/// let ptx = ".version 7.0\n.visible .entry k()\n{\n\tret;\n}\n.visible .entry l()\n{\n\tret;\n}\n";
/// let texts = host::entry_texts(ptx);
/// assert_eq!(texts["l"], ".visible .entry l()\n{\n\tret;\n}\n");
/// assert_eq!(texts.len(), 2);
/// ```
#[must_use]
pub fn entry_texts(ptx: &str) -> BTreeMap<&str, &str> {
    let mut texts = BTreeMap::new();
    let mut rest = ptx;
    while let Some(start) = rest.find(ENTRY) {
        let text = &rest[start..];
        let end = text.find("\n}\n").map_or(text.len(), |end| end + 3);
        if let Some((name, _)) = text[ENTRY.len()..end].split_once('(') {
            texts.insert(name, &text[..end]);
        }
        rest = &text[end..];
    }
    texts
}

/// Returns the text before the first kernel: the version, the target, and the declarations that all
/// kernels use.
#[must_use]
pub fn head_text(ptx: &str) -> &str {
    &ptx[..ptx.find(ENTRY).unwrap_or(ptx.len())]
}

/// Returns the tokens of `ptx` without comments, strings and white space.
fn tokens(ptx: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = ptx;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            rest = &rest[end..];
            continue;
        } else if rest.starts_with("/*") {
            let end = rest.find("*/").map_or(rest.len(), |end| end + 2);
            rest = &rest[end..];
            continue;
        } else if first == '"' {
            let end = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
            rest = &rest[end..];
            continue;
        } else if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
            continue;
        } else if is_word(first) {
            // A dot starts a new token, so that `.param.u64` is two tokens.
            rest[1..]
                .find(|next: char| !is_word(next) || next == '.')
                .map_or(rest.len(), |end| end + 1)
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..length]);
        rest = &rest[length..];
    }
    tokens
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$' | '%' | '.')
}

/// Reads a kernel's head from the token after `.entry` to its body. Returns `None` if the head is
/// not valid.
fn entry(tokens: &[&str]) -> Option<Signature> {
    let name = (*tokens.first()?).to_string();
    let mut at = 1;
    let mut parameters = Vec::new();
    if tokens.get(at) == Some(&"(") {
        let close = tokens.iter().position(|&token| token == ")")?;
        let declared = &tokens[at + 1..close];
        if !declared.is_empty() {
            for one in declared.split(|&token| token == ",") {
                parameters.push(parameter(one)?);
            }
        }
        at = close + 1;
    }
    let mut signature = Signature {
        name,
        parameters,
        max_threads: None,
        required_block: None,
        required_cluster: None,
        max_cluster: None,
    };
    while let Some(&token) = tokens.get(at) {
        match token {
            "{" | ";" => break,
            ".maxntid" | ".reqntid" => {
                let extents = extents(&tokens[at + 1..])?;
                let product = extents
                    .iter()
                    .try_fold(1_u32, |product, &extent| product.checked_mul(extent))?;
                signature.max_threads = Some(product.min(signature.max_threads.unwrap_or(product)));
                if token == ".reqntid" {
                    signature.required_block = Some(extents);
                }
            }
            ".reqnctapercluster" => signature.required_cluster = Some(extents(&tokens[at + 1..])?),
            ".maxclusterrank" => signature.max_cluster = Some(tokens.get(at + 1)?.parse().ok()?),
            _ => {}
        }
        at += 1;
    }
    Some(signature)
}

/// Reads one to three numbers between commas. Missing numbers are 1.
fn extents(tokens: &[&str]) -> Option<[u32; 3]> {
    let mut extents = [1; 3];
    for (place, extent) in extents.iter_mut().enumerate() {
        if place > 0 && tokens.get(2 * place - 1) != Some(&",") {
            break;
        }
        *extent = tokens.get(2 * place)?.parse().ok()?;
    }
    Some(extents)
}

/// Parses a parameter, such as `.param .align 8 .b8 name [ 16 ]` or
/// `.param .u64 .ptr .global .align 16 name`.
fn parameter(tokens: &[&str]) -> Option<Parameter> {
    let mut declared = None;
    let mut pointer = false;
    let mut pointer_align = 1;
    let mut own_align = None;
    let mut count = None;
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at] {
            ".param" | ".const" | ".global" | ".local" | ".shared" => {}
            ".align" => {
                at += 1;
                // Before the type, `.align` is the alignment of the parameter itself. After `.ptr`,
                // it is that of the memory to which the parameter points.
                let align = tokens.get(at)?.parse().ok()?;
                if pointer {
                    pointer_align = align;
                } else {
                    own_align = Some(align);
                }
            }
            ".ptr" => pointer = true,
            "[" => {
                count = Some(tokens.get(at + 1)?.parse::<usize>().ok()?);
                at += 2;
            }
            token if token.starts_with('.') => declared = Some(token),
            _ => {}
        }
        at += 1;
    }
    let declared = declared?;
    let element = match declared {
        ".b8" | ".u8" | ".s8" => 1,
        ".b16" | ".u16" | ".s16" | ".f16" | ".bf16" => 2,
        ".b32" | ".u32" | ".s32" | ".f32" | ".f16x2" | ".bf16x2" => 4,
        ".b64" | ".u64" | ".s64" | ".f64" | ".texref" | ".samplerref" | ".surfref" => 8,
        ".b128" => 16,
        _ => return None,
    };
    let kind = match (pointer, count, declared) {
        (true, ..) => ParameterKind::Pointer,
        (_, Some(_), _) => ParameterKind::Bytes,
        (.., ".f16" | ".bf16" | ".f32" | ".f64") => ParameterKind::Float,
        _ => ParameterKind::Integer,
    };
    Some(Parameter {
        size: element * count.unwrap_or(1),
        align: own_align.unwrap_or(element),
        kind,
        declared: count.map_or_else(
            || declared.to_string(),
            |count| format!("{declared}[{count}]"),
        ),
        pointer_align,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = r#"
        // .target sm_10 in a comment
        .version 8.6
        .target sm_90a, debug
        .address_size 64
        /* .entry hidden() { } */
        .file 1 "a file named .entry fake("
        .extern .shared .align 16 .b8 smem[];
        .visible .entry many(
            .param .u64 .ptr .global .align 16 many_param_0,
            .param.u64 many_param_1, .param .f32 many_param_2,
            .param .align 64 .b8 many_param_3[128],
            .param .b16 many_param_4
        )
        .maxntid 128, 2
        .minnctapersm 2
        { ret; }
        .entry none { .reg .b32 %r<2>; ret; }
        .entry empty() .reqntid 32, 4, 2 { ret; }
        .entry paired() .maxntid 384 .minnctapersm 1 .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }
        .entry ranked() .maxclusterrank 4 { ret; }
    "#;

    #[test]
    fn reads_targets_kernels_and_parameters() {
        let interface = Interface::read(PTX).unwrap();
        assert_eq!(interface.target.to_string(), "sm_90a");
        let names: Vec<_> = interface
            .kernels
            .iter()
            .map(|kernel| &*kernel.name)
            .collect();
        assert_eq!(names, ["many", "none", "empty", "paired", "ranked"]);
        let clusters = |name| {
            let kernel = interface.kernel(name).unwrap();
            (kernel.required_cluster, kernel.max_cluster)
        };
        assert_eq!(clusters("many"), (None, None));
        assert_eq!(clusters("paired"), (Some([2, 1, 1]), None));
        assert_eq!(clusters("ranked"), (None, Some(4)));
        let many = interface.kernel("many").unwrap();
        let found: Vec<_> = many
            .parameters
            .iter()
            .map(|p| (p.size, p.align, p.kind, &*p.declared, p.pointer_align))
            .collect();
        assert_eq!(
            found,
            [
                (8, 8, ParameterKind::Pointer, ".u64", 16),
                (8, 8, ParameterKind::Integer, ".u64", 1),
                (4, 4, ParameterKind::Float, ".f32", 1),
                (128, 64, ParameterKind::Bytes, ".b8[128]", 1),
                (2, 2, ParameterKind::Integer, ".b16", 1),
            ]
        );
        assert_eq!(many.max_threads, Some(256));
        assert_eq!(many.required_block, None);
        assert_eq!(interface.kernel("none").unwrap().parameters, []);
        let empty = interface.kernel("empty").unwrap();
        assert_eq!(
            (empty.max_threads, empty.required_block),
            (Some(256), Some([32, 4, 2]))
        );
    }

    #[test]
    fn a_module_without_a_target_is_refused() {
        assert!(matches!(
            Interface::read(".entry k() { ret; }"),
            Err(Error::NotATarget { .. })
        ));
        assert!(matches!(
            Interface::read(".target compute_80"),
            Err(Error::NotATarget { .. })
        ));
        assert!(matches!(Interface::read(""), Err(Error::NotATarget { .. })));
    }

    #[test]
    fn no_prefix_of_a_module_panics() {
        for end in 0..PTX.len() {
            let _ = Interface::read(&PTX[..end]);
        }
    }
}
