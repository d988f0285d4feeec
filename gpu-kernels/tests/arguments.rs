//! Compares the lists of arguments with the parameters in the kernels' sources: names, types,
//! order.
//!
//! ```text
//!   gpu-kernels*/src/**.rs ─ each #[kernel] fn(..), and the parameters that macros add ─► signatures ◄─► lists
//! ```
//!
//! Law: each list is the signature of a kernel, and each kernel's signature is the beginning of a
//! list.

use gpu_kernels::transpose::Width;
use gpu_kernels::{hgemm_by_hand, vecadd};
use kernel_abi::attention::{
    AttentionKernel, AttentionLoads, AttentionParts, AttentionType, CacheElement, KernelSequences,
};
use kernel_abi::gemm::{Packing, Reduction, collective_arguments, scaled_arguments};
use kernel_abi::weights::weights_arguments;
use kernel_abi::{ArgumentName, ArgumentType, KernelArguments};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The names and types of parameters, in their order.
type Signature = Vec<(String, String)>;

/// Adds the Rust files of a folder to `found`.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|of| of == "rs") {
            found.push(path);
        }
    }
}

/// Returns the text up to the bracket that closes an opening bracket before `text`.
fn inside(text: &str) -> &str {
    let mut depth = 1;
    let end = text.find(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    });
    &text[..end.unwrap()]
}

/// Returns a parameter's name and its type. The type's element is `T` if a macro names it.
fn parameter(text: &str) -> Option<(String, String)> {
    let text = text.trim();
    let text = text.strip_prefix("#[grid_constant]").unwrap_or(text);
    let (name, ty) = text.split_once(": ")?;
    // A latent kernel does not read V's map, and its name has an underscore.
    let name = name.trim().trim_start_matches('_').to_owned();
    let (pointer, ty) = match ty.strip_prefix('*') {
        Some(of) => of.split_once(' ')?,
        None => ("", ty),
    };
    // A macro names the element itself, or as a type of the configuration that it is given.
    let is_of_configuration = ty.starts_with("<$");
    let ty = ty.trim_start_matches('&').rsplit("::").next()?;
    let ty = if ty.starts_with('$') || is_of_configuration {
        "T"
    } else {
        ty
    };
    let ty = match pointer {
        "" => ty.to_owned(),
        pointer => format!("*{pointer} {ty}"),
    };
    Some((name, ty))
}

/// Returns the parameters in a text, and whether macros add others after them.
fn parameters(text: &str) -> (Signature, bool) {
    let (own, added) = match text.split_once("$(") {
        Some((own, _)) => (own, true),
        None => (text, false),
    };
    (own.split(',').filter_map(parameter).collect(), added)
}

/// The signatures of the kernels, and the parameters that macros add to them.
struct Source {
    kernels: Vec<(Signature, bool)>,
    added: Vec<(Signature, bool)>,
}

fn source() -> Source {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in [
        "gpu-kernels/src",
        "gpu-kernels-sm90/src",
        "gpu-kernels-sm100/src",
    ] {
        sources(&root.join(folder), &mut files);
    }
    let (mut kernels, mut added) = (Vec::new(), Vec::new());
    for file in files {
        let text = std::fs::read_to_string(file).unwrap();
        let code = text.lines().filter(|of| !of.trim_start().starts_with("//"));
        let text: String = code.flat_map(|line| [line, "\n"]).collect();
        let is_kernel = |line: &str| {
            let line = line.trim_start();
            let found = line.find("kernel(").or_else(|| line.find("kernel]"));
            let before = found.map(|at| &line[..at]);
            line.starts_with("#[") && before.is_some_and(|of| of == "#[" || of.ends_with("::"))
        };
        let mut rest = text.as_str();
        while let Some((line, behind)) = rest.split_once('\n') {
            rest = behind;
            if is_kernel(line) {
                let (_, function) = rest.split_once("unsafe fn ").unwrap();
                let (_, function) = function.split_once('(').unwrap();
                kernels.push(parameters(inside(function)));
            }
            for first in ["queries", "score", "slopes", "sinks", "tiles"] {
                let opening = format!("({first}: ");
                if let Some(at) = line.find(&opening).filter(|_| !line.contains("fn ")) {
                    added.push(parameters(inside(&line[at + 1..])));
                }
            }
        }
    }
    Source { kernels, added }
}

/// Returns the parameters of `first`, and then those of `second`.
fn behind(first: &Signature, second: &Signature) -> Signature {
    first.iter().chain(second).cloned().collect()
}

impl Source {
    /// Returns the signatures that a kernel may have, with the parameters that macros add.
    fn all(&self) -> BTreeSet<Signature> {
        let scores = self.added.iter().filter(|(_, more)| !more);
        let scores: Vec<_> = scores.map(|(own, _)| own).collect();
        let mut added: Vec<Signature> = vec![Vec::new()];
        for (own, more) in &self.added {
            added.push(own.clone());
            if *more {
                added.extend(scores.iter().map(|of| behind(own, of)));
            }
        }
        let mut all = BTreeSet::new();
        for (own, more) in &self.kernels {
            all.insert(own.clone());
            if *more {
                all.extend(added.iter().map(|of| behind(own, of)));
            }
        }
        all
    }
}

/// Returns a list as a signature, for a kernel whose element type is `element`.
fn signature<N: ArgumentName>(list: KernelArguments<N>, element: &str) -> Signature {
    let is_element =
        |ty| matches!(ty, ArgumentType::Input(of) | ArgumentType::Output(of) if of == element);
    let parameter = |of: kernel_abi::KernelArgument<N>| {
        let ty = of.ty.to_string();
        let ty = match is_element(of.ty) {
            true => ty.replace(element, "T"),
            false => ty,
        };
        (of.name.name().to_owned(), ty)
    };
    list.iter().map(parameter).collect()
}

/// Returns the list of every possible kernel.
fn lists() -> Vec<Signature> {
    let ways = [AttentionLoads::Tma, AttentionLoads::CpAsync];
    let mut kernels = vec![
        AttentionKernel::Fp8,
        AttentionKernel::Transpose,
        AttentionKernel::Combine,
        AttentionKernel::Rows(KernelSequences::Uniform),
        AttentionKernel::Rows(KernelSequences::Packed),
        AttentionKernel::Sinks,
        AttentionKernel::FusedRows,
        AttentionKernel::FusedTiles,
        AttentionKernel::FusedDq,
    ];
    let sequences = [
        KernelSequences::Uniform,
        KernelSequences::Packed,
        KernelSequences::Either,
        KernelSequences::Paged,
    ];
    for score in 0..8 {
        let [soft_cap, alibi, sinks] = [1, 2, 4].map(|bit| score & bit != 0);
        let scored = score != 0;
        for sequences in sequences {
            let parts = AttentionParts {
                sequences,
                soft_cap,
                alibi,
                sinks,
            };
            for loads in ways {
                let paged = sequences == KernelSequences::Paged;
                // With TMA, a kernel with a score part takes sequences of either kind. Only TMA
                // reads pages.
                let by_tma = loads == AttentionLoads::Tma;
                let uniform = sequences == KernelSequences::Uniform;
                if paged && !by_tma || by_tma && scored && uniform {
                    continue;
                }
                kernels.push(AttentionKernel::Forward(loads, parts));
                if !(paged || sinks || scored && uniform) {
                    kernels.push(AttentionKernel::Tiles(loads, parts));
                }
            }
        }
    }
    for cache in [CacheElement::OfQueries, CacheElement::E4m3] {
        for parts in [AttentionParts::NONE, AttentionParts::NONE.soft_cap()] {
            kernels.push(AttentionKernel::Decode(cache, parts));
        }
    }
    let attention = kernels
        .into_iter()
        .map(|of| signature(of.arguments(AttentionType::Bf16), "bf16"));
    let maps = [false, true];
    attention
        .chain(maps.map(|maps| signature(collective_arguments(maps), "")))
        .chain(maps.map(|maps| signature(weights_arguments(maps), "")))
        .chain([
            signature(scaled_arguments(), ""),
            signature(Reduction::ARGUMENTS, ""),
            signature(Packing::arguments(2), "u16"),
            signature(vecadd::ARGUMENTS, ""),
            signature(Width::B16.arguments(), "u16"),
            signature(Width::B32.arguments(), "u32"),
            signature(hgemm_by_hand::ARGUMENTS, ""),
        ])
        .collect()
}

#[test]
fn each_list_is_the_parameters_of_a_kernel() {
    let all = source().all();
    for list in lists() {
        assert!(all.contains(&list), "no kernel has the parameters {list:?}");
    }
}

#[test]
fn each_kernel_has_the_arguments_of_a_list() {
    let lists = lists();
    let source = source();
    assert!(source.kernels.len() > 25, "{}", source.kernels.len());
    // The value of a caller's score function comes last, after the arguments of the list.
    let score = [("score".to_owned(), "T".to_owned())];
    for (own, more) in &source.kernels {
        let own = own.strip_suffix(&score).unwrap_or(own);
        let has = |list: &&Signature| match more {
            true => list.starts_with(own),
            false => list.as_slice() == own,
        };
        assert!(lists.iter().any(|list| has(&list)), "no list has {own:?}");
    }
}

/// The test plants faults: lists with another order, width or name. The comparison finds each of
/// them.
#[test]
fn a_list_of_other_parameters_is_found() {
    let all = source().all();
    for list in lists() {
        let mut exchanged = list.clone();
        exchanged.swap(0, 1);
        let mut wider = list.clone();
        wider.last_mut().unwrap().1 = "u128".into();
        let mut named = list.clone();
        named[0].0.push('2');
        let shorter = list[..1].to_vec();
        for wrong in [exchanged, wider, named, shorter] {
            assert!(!all.contains(&wrong), "{wrong:?}");
        }
    }
}
