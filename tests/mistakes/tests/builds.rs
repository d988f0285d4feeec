//! Checks what the build of a kernel crate refuses before there is any PTX: manifests, dependencies, targets.
//!
//! ```text
//!   build/NAME.rs   run(project, right)   CudaBuilder::build ──► messages/NAME.txt, and its twin's PTX
//! ```
//!
//! Law: the first line names the mistake. The message has a line of the crate's source, or the crate if its manifest, the builder or the
//! toolchain is to blame. rustc's and our lines together are at most 40. Each twin builds. `BLESS=1` writes the pinned messages.

use cuda_builder::{CudaBuilder, CudaBuilderError, NvvmArch};
use mistakes::{built, folder};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// A crate of kernels that a case writes.
pub struct Project {
    /// The project's folder.
    pub folder: PathBuf,
}

/// A kernel without a mistake.
pub const KERNEL: &str =
    "#[cuda_std::kernel]\npub unsafe fn clear(d: *mut f32) {\n    unsafe { *d = 0.0 };\n}\n";

impl Project {
    fn new(name: &str, right: bool) -> Self {
        let side = if right { "right" } else { "mistake" };
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("builds")
            .join(name)
            .join(side);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("src")).unwrap();
        let root = folder_of_workspace();
        // These are the versions that this workspace has already.
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        let project = Self { folder };
        project.manifest("");
        project.source("lib.rs", KERNEL);
        project
    }

    /// Writes the manifest, with further lines of dependencies.
    pub fn manifest(&self, dependencies: &str) {
        let root = folder_of_workspace();
        let text = format!(
            "[package]\nname = \"my-kernels\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n[lib]\ncrate-type = [\"cdylib\", \
             \"rlib\"]\n[dependencies]\ncutlet-cuda-std = {{ path = {:?} }}\n{dependencies}\n",
            root.join("crates/cuda_std"),
        );
        self.write("Cargo.toml", &text);
    }

    /// Writes a file of `src`.
    pub fn source(&self, file: &str, text: &str) {
        self.write(&format!("src/{file}"), text);
    }

    /// Writes a file of the project's folder.
    pub fn write(&self, file: &str, text: &str) {
        fs::write(self.folder.join(file), text).unwrap();
    }

    /// Returns a build of this crate.
    pub fn builder(&self) -> CudaBuilder {
        Self::builder_of(&self.folder)
    }

    /// Returns a build of the crate in `folder`.
    pub fn builder_of(folder: &Path) -> CudaBuilder {
        CudaBuilder::new(folder)
            .arch(NvvmArch::Compute80)
            .build_folder(cuda_builder::folder_of(Path::new(env!("OUT_DIR"))))
            .build_args(&["--offline"])
    }
}

/// Mistakes whose tests compile `core` or the GEMM's crate. They run only with `CUTLET_ALL_CASES=1`. On a push, `cuda_builder`'s
/// `requirements` tests an instruction that the architecture lacks, and `check` tests bank conflicts.
const OF_ALL_CASES: [&str; 3] = [
    "build_arch_too_old",
    "build_arch_without_a",
    "build_gemm_unswizzled",
];

/// Mistakes without a line of the crate's source to blame, and an instruction that LLVM, which has no lines, cannot select.
const WITHOUT_LINE: [&str; 9] = [
    "build_arch_without_a",
    "build_flush_to_zero",
    "build_half_with_std",
    "build_no_cuda_std",
    "build_no_folder",
    "build_no_kernel",
    "build_no_library",
    "build_no_rust_src",
    "build_old_toolchain",
];

fn folder_of_workspace() -> PathBuf {
    folder().join("../..").canonicalize().unwrap()
}

type Run = fn(&Project, bool) -> Result<PathBuf, CudaBuilderError>;

macro_rules! builds {
    ($($name:ident: $path:literal;)*) => {
        $(#[path = $path] mod $name;)*
        fn builds() -> BTreeMap<&'static str, Run> {
            BTreeMap::from([$((stringify!($name), $name::run as Run)),*])
        }
    };
}
builds! {
    build_arch_too_old: "../build/build_arch_too_old.rs";
    build_arch_without_a: "../build/build_arch_without_a.rs";
    build_float_method: "../build/build_float_method.rs";
    build_flush_to_zero: "../build/build_flush_to_zero.rs";
    build_gemm_unswizzled: "../build/build_gemm_unswizzled.rs";
    build_half_with_std: "../build/build_half_with_std.rs";
    build_no_cuda_std: "../build/build_no_cuda_std.rs";
    build_no_folder: "../build/build_no_folder.rs";
    build_no_kernel: "../build/build_no_kernel.rs";
    build_no_library: "../build/build_no_library.rs";
    build_no_rust_src: "../build/build_no_rust_src.rs";
    build_old_toolchain: "../build/build_old_toolchain.rs";
    build_one_name_twice: "../build/build_one_name_twice.rs";
    build_panic_handler: "../build/build_panic_handler.rs";
    build_std_in_kernel: "../build/build_std_in_kernel.rs";
    build_vec_in_kernel: "../build/build_vec_in_kernel.rs";
}

/// Returns the message, rustc's messages first if there are any, without this checkout's folder.
fn said(error: &CudaBuilderError) -> String {
    let text = match error {
        CudaBuilderError::BuildFailed { rendered, .. } => {
            let at = rendered.find("error").unwrap_or(0);
            rendered[at..].to_owned()
        }
        _ => error.to_string(),
    };
    let scratch = format!("{}/", env!("CARGO_TARGET_TMPDIR"));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let text = text.replace(&scratch, "");
    let text = text.replace(&format!("{}/", target.display()), "");
    let text = text.replace(&folder_of_workspace().display().to_string(), "..");
    let lines: Vec<&str> = text.split("PTX line ").collect();
    let lines = lines.iter().enumerate().map(|(i, part)| match i {
        0 => (*part).to_owned(),
        _ => format!("..{}", part.trim_start_matches(char::is_numeric)),
    });
    let text = lines.collect::<Vec<_>>().join("PTX line ");
    // The name of the file contains the hash of the build's options.
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    for word in &mut words {
        if let Some((start, rest)) = word.split_once("-compute_80-") {
            let end = rest.find(".ptx").map_or("", |at| &rest[at..]);
            *word = format!("{start}-compute_80-..{end}");
        }
    }
    words.join(" ")
}

#[test]
fn every_mistake_of_a_build_is_named_and_every_twin_builds() {
    if mistakes::ptx().is_err() {
        println!("no source of core: nothing is built");
        return;
    }
    let (cases, runs) = (built(), builds());
    let files: BTreeSet<&str> = cases.iter().map(|case| case.0.name.as_str()).collect();
    let listed: BTreeSet<&str> = runs.keys().copied().collect();
    assert_eq!(files, listed, "files of the catalogue, and builds");
    let mut wrong = Vec::new();
    for (mistake, _) in &cases {
        let name = mistake.name.as_str();
        if OF_ALL_CASES.contains(&name) && env::var_os("CUTLET_ALL_CASES").is_none() {
            println!("{name}: left to CUTLET_ALL_CASES=1");
            continue;
        }
        if let Err(error) = runs[name](&Project::new(name, true), true) {
            wrong.push(format!("{name}: the twin is refused: {error}"));
        }
        let error = match runs[name](&Project::new(name, false), false) {
            Err(error) => error,
            Ok(path) => {
                wrong.push(format!("{name}: silent, {}", path.display()));
                continue;
            }
        };
        let whole = said(&error);
        if env::var_os("CUTLET_SHOW").is_some() {
            println!("--- {name}\n{whole}\n");
        }
        if whole.trim_end().lines().count() > 40 {
            wrong.push(format!("{name}: more than 40 lines:\n{whole}"));
        }
        let own_line = whole.contains("src/lib.rs:") || whole.contains("src/tiles.rs:");
        if own_line == WITHOUT_LINE.contains(&name) {
            wrong.push(format!("{name}: a line of the source {own_line}:\n{whole}"));
        }
        let variant = match &error {
            CudaBuilderError::BuildFailed { .. } => "BuildFailed",
            CudaBuilderError::NeedsStd { .. } => "NeedsStd",
            CudaBuilderError::NeedsCudaStd { .. } => "NeedsCudaStd",
            CudaBuilderError::NoLibrary { .. } => "NoLibrary",
            CudaBuilderError::NotOfArch { .. } => "NotOfArch",
            CudaBuilderError::Cured { .. } => "Cured",
            CudaBuilderError::RustSrc(_) => "RustSrc",
            CudaBuilderError::Toolchain(_) => "Toolchain",
            CudaBuilderError::InvalidPtx { .. } => "InvalidPtx",
            CudaBuilderError::UnsupportedOption { .. } => "UnsupportedOption",
            CudaBuilderError::CratePathDoesntExist { .. } => "CratePathDoesntExist",
            _ => "another",
        };
        let text = format!("{variant}\n{}\n", whole.lines().next().unwrap_or_default());
        if env::var_os("BLESS").is_some() {
            fs::write(&mistake.message, &text).unwrap();
        }
        if fs::read_to_string(&mistake.message).unwrap_or_default() != text {
            wrong.push(format!("{name}: another message:\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
