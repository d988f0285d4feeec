//! Checks what a kernel crate's build refuses: the mistakes of `kernels/src` with the feature `refused`, in one build.
//!
//! Law: `cuda_builder` names each of them in a line, by the author's lines, and nothing else. `BLESS=1` writes the pinned messages, without registers and lines of the
//! PTX.

use cuda_builder::convergence::Divergent;
use cuda_builder::{CudaBuilder, CudaBuilderError, DebugInfo, NvvmArch};
use mistakes::{Caught, Mistake, executed, folder};
use std::path::Path;
use std::{env, fs};

/// Returns the sentence without the parts that an edit of other code changes.
fn sentence(found: &Divergent) -> String {
    let text = found.to_string();
    let words = text.split(' ').map(|word| {
        let number = word.trim_end_matches([':', ',', ')']);
        let left_out = number.starts_with("%p")
            || number
                .parse::<usize>()
                .is_ok_and(|line| line > 32 && line != 128);
        match left_out {
            true => word.replace(number, ".."),
            false => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn every_mistake_is_refused_by_the_build() {
    if mistakes::ptx().is_err() {
        println!("no source of core: nothing is built");
        return;
    }
    let built = CudaBuilder::new(folder().join("kernels"))
        .arch(NvvmArch::Compute90a)
        // The build script built in this folder, so `core` is there already.
        .build_folder(cuda_builder::folder_of(Path::new(env!("OUT_DIR"))))
        .fma_contraction(false)
        .debug(DebugInfo::LineTables)
        .next_solver(true)
        .build_args(&["--features", "refused"])
        .build();
    let Err(CudaBuilderError::Divergent { found, .. }) = built else {
        panic!("not refused as divergent: {built:?}");
    };
    let refused: Vec<Mistake> = executed()
        .into_iter()
        .map(|case| case.0)
        .filter(|mistake| mistake.caught == Caught::Build)
        .collect();
    let mut wrong = Vec::new();
    for other in found
        .iter()
        .filter(|found| !refused.iter().any(|mistake| mistake.name == found.kernel))
    {
        wrong.push(format!("no mistake of the catalogue: {other}"));
    }
    for mistake in &refused {
        let Some(first) = found.iter().find(|found| found.kernel == mistake.name) else {
            wrong.push(format!("{}: silent", mistake.name));
            continue;
        };
        if first.to_string().lines().count() != 1 {
            wrong.push(format!(
                "{}: more than the sentence:\n{first}",
                mistake.name
            ));
        }
        let text = format!("Divergent\n{}\n", sentence(first));
        let own = format!("kernels/src/{}.rs:", mistake.name);
        if text.matches(&own).count() != 2 {
            wrong.push(format!(
                "{}: the author's lines are not in it:\n{text}",
                mistake.name
            ));
        }
        if env::var_os("BLESS").is_some() {
            fs::write(&mistake.message, &text).unwrap();
        }
        if fs::read_to_string(&mistake.message).unwrap_or_default() != text {
            wrong.push(format!("{}: another message:\n{text}", mistake.name));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
