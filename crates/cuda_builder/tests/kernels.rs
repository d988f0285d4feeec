//! Tests builds of real kernel crates: the fixture, and variations of the fixture.
//!
//! Tests that need the environment of a build script start this test program again as a child
//! process with that environment. The child runs only [`in_a_build_script`].

#[allow(dead_code, reason = "the test writes what is kept")]
#[path = "../src/hash.rs"]
mod hash;
#[path = "../../../tests/common/sample.rs"]
mod sample;
#[allow(dead_code, reason = "the test writes what is kept")]
#[path = "../src/sealed.rs"]
mod sealed;

use sample::{all_cases, sample};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use cuda_builder::rust_src::{self, Link, Machine, NAMED_BY};
use cuda_builder::{CudaBuilder, CudaBuilderError, DebugInfo, NvvmArch, Toolchain};

/// Returns the workspace's own folder of kernel builds, so that nothing in it is compiled again.
fn home() -> PathBuf {
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
    tmp.parent().unwrap().join("cuda-builder")
}

/// Returns this machine without rustup, because a test must not change the toolchain that runs it.
fn machine_without_rustup(bin: &str) -> Machine {
    let mut machine = Machine::here();
    let bin = scratch(bin);
    for folder in env::split_paths(&machine.path) {
        for program in ["apt-get", "dpkg-deb", "tar"] {
            let (from, to) = (folder.join(program), bin.join(program));
            if from.is_file() && !to.exists() {
                std::os::unix::fs::symlink(from, to).unwrap();
            }
        }
    }
    let system = env::split_paths(&machine.path).filter(|dir| !dir.join("rustup").exists());
    machine.path = env::join_paths([bin].into_iter().chain(system)).unwrap();
    machine
}

/// Returns this machine with a `rust-src` that was found once for all tests.
fn machine() -> Machine {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| {
        let machine = machine_without_rustup("bin-shared");
        let toolchain = Toolchain::detect().unwrap();
        match rust_src::provision(&toolchain, &home().join("rust-src"), &machine) {
            Ok((location, report)) => {
                println!("rust-src for the tests:\n{report}");
                location.library
            }
            Err(error) => panic!("{error}"),
        }
    });
    let mut machine = Machine::here();
    machine.named = Some(library.clone());
    machine
}

/// Makes an empty folder below the target folder.
fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/kernels")
}

fn builder(path: &Path) -> CudaBuilder {
    CudaBuilder::new(path)
        .arch(NvvmArch::Compute80)
        .build_folder(home())
        .machine(machine())
}

/// Makes a copy of the fixture, with the root file that `edit` returns.
fn variation(name: &str, edit: impl Fn(&str) -> String) -> PathBuf {
    let copy = scratch(name);
    fs::create_dir_all(copy.join("src")).unwrap();
    for file in ["Cargo.toml", "src/lib.rs", "src/more.rs"] {
        fs::copy(fixture().join(file), copy.join(file)).unwrap();
    }
    let root = copy.join("src/lib.rs");
    let text = fs::read_to_string(&root).unwrap();
    fs::write(root, edit(&text)).unwrap();
    copy
}

#[test]
fn a_kernel_crate_becomes_ptx() {
    let copy = scratch("copied").join("kernels.ptx");
    let built = builder(&fixture())
        .copy_to(&copy)
        .build_with_details()
        .unwrap();
    assert_eq!(built.ptx, copy);
    assert_eq!(built.summary.target, "sm_80");
    assert_eq!(built.summary.version, (7, 0));
    let kernels: BTreeSet<_> = built.summary.kernels.iter().map(String::as_str).collect();
    assert_eq!(
        kernels,
        BTreeSet::from(["ampere", "divide", "multiply_add"])
    );
    let ptx = fs::read_to_string(&copy).unwrap();
    // The defaults are Rust-CUDA's: fused multiplications and additions, but IEEE division.
    assert!(
        ptx.contains("fma.rn.f32") && !ptx.contains("mul.rn.f32"),
        "{ptx}"
    );
    assert!(ptx.contains("div.rn.f32"), "{ptx}");
    assert!(!ptx.contains(".loc"), "a release build has no line numbers");
    // Fat LTO takes effect, whatever the manifest states: the file contains the functions that core
    // calls, and no external function.
    assert!(
        ptx.contains("panic_bounds_check") && !ptx.contains(".extern"),
        "{ptx}"
    );
    let root = fixture().canonicalize().unwrap();
    let inputs = ["Cargo.lock", "Cargo.toml", "src/lib.rs", "src/more.rs"];
    assert_eq!(built.inputs, inputs.map(|file| root.join(file)));

    // A second build has the same result, and does not touch the copy.
    let before = fs::metadata(&copy).unwrap().modified().unwrap();
    let again = builder(&fixture())
        .copy_to(&copy)
        .build_with_details()
        .unwrap();
    assert_eq!(again, built);
    assert_eq!(fs::read_to_string(&copy).unwrap(), ptx);
    assert_eq!(fs::metadata(&copy).unwrap().modified().unwrap(), before);
}

/// Checks the law that kept PTX is the PTX that a build would make. The test plants a line in kept
/// PTX, and recognises by it that a build compiled nothing.
#[test]
fn ptx_is_kept_by_what_it_was_made_of() {
    let folder = variation("kept", str::to_owned);
    let build = || {
        let built = builder(&folder).build_with_details().unwrap();
        (fs::read_to_string(&built.ptx).unwrap(), built.inputs)
    };
    let kept = || {
        let requests = fs::read_dir(home().join("kept")).unwrap();
        let requests = requests.map(|request| request.unwrap().path());
        let own = requests.filter(|request| {
            let inputs = fs::read_to_string(request.join("inputs")).unwrap_or_default();
            inputs.contains(&format!("{}/", folder.canonicalize().unwrap().display()))
        });
        let files = own.flat_map(|request| fs::read_dir(request).unwrap());
        let files = files.map(|file| file.unwrap().path());
        let ptx = files.filter(|file| file.extension().is_some_and(|e| e == "ptx"));
        ptx.collect::<BTreeSet<_>>()
    };
    for file in kept() {
        fs::remove_file(file).unwrap();
    }
    // The first build makes Cargo.lock, and so its PTX is not kept, because an input changed during
    // the build.
    build();
    let (first, inputs) = build();
    let of_first = kept();
    assert_eq!(of_first.len(), 1);
    for file in &of_first {
        sealed::write(file, &format!("{first}// from the store\n")).unwrap();
    }
    let again = build();
    assert!(again.0.ends_with("// from the store\n"), "rustc ran again");
    assert_eq!(again.1, inputs);

    let more = folder.join("src/more.rs");
    let text = fs::read_to_string(&more).unwrap();
    fs::write(&more, text.replace("0.5", "0.25")).unwrap();
    let edited = build().0;
    assert_ne!(edited, first);
    assert!(!edited.contains("from the store"));
    // Each set of options has its own request.
    let other = builder(&folder).fma_contraction(false);
    let other = fs::read_to_string(other.build().unwrap()).unwrap();
    assert_ne!(other, edited);
    assert!(!other.contains("from the store"));
    fs::write(&more, text).unwrap();
    assert!(build().0.ends_with("// from the store\n"), "as it was");
    for file in &of_first {
        let whole = fs::read(file).unwrap();
        fs::write(file, &whole[..whole.len() / 2]).unwrap();
    }
    assert_eq!(
        build().0,
        first,
        "kept PTX that was cut short is built again"
    );
}

/// Checks the law that earlier builds have no effect on the PTX of an incremental build.
#[test]
fn an_incremental_build_is_that_of_the_source_as_it_is() {
    let folder = variation("incremental", str::to_owned);
    let more = folder.join("src/more.rs");
    let text = fs::read_to_string(&more).unwrap();
    let build = || {
        let built = builder(&folder).incremental(true).build_with_details();
        let built = built.unwrap();
        let state = home().join("incremental");
        let state = state.join(built.ptx.file_stem().unwrap());
        (fs::read_to_string(&built.ptx).unwrap(), state)
    };
    let (first, state) = build();
    assert!(state.is_dir(), "{}", state.display());
    assert_eq!(build().0, first, "nothing changed");
    fs::write(&more, text.replace("0.5", "0.25")).unwrap();
    let edited = build().0;
    assert_ne!(edited, first);
    fs::remove_dir_all(state).unwrap();
    assert_eq!(build().0, edited, "from nothing");
    fs::write(&more, text).unwrap();
    assert_eq!(build().0, first, "as it was");
}

#[test]
fn options_reach_the_compiler() {
    let ir = scratch("module").join("final.ll");
    let built = builder(&fixture())
        .arch(NvvmArch::Compute90a)
        .ptx_version(8, 3)
        .fma_contraction(false)
        .fast_div(true)
        .emit_llvm_bitcode(true)
        .final_module_path(&ir)
        .build_args(&["--features", "second"])
        .build_with_details()
        .unwrap();
    assert_eq!(built.summary.target, "sm_90a");
    assert_eq!(built.summary.version, (8, 3));
    assert!(built.summary.kernels.contains(&"second".to_owned()));
    assert!(built.summary.kernels.contains(&"ampere".to_owned()));
    let ptx = fs::read_to_string(&built.ptx).unwrap();
    assert!(
        ptx.contains("mul.rn.f32") && ptx.contains("add.rn.f32"),
        "{ptx}"
    );
    assert!(!ptx.contains("fma.rn.f32"), "{ptx}");
    assert!(ptx.contains("div.full.f32"), "{ptx}");
    assert!(
        fs::read_to_string(&ir)
            .unwrap()
            .contains("define ptx_kernel void @second")
    );
    let bitcode = fs::read(built.llvm.unwrap()).unwrap();
    assert!(bitcode.starts_with(b"BC\xc0\xde"), "LLVM's magic number");
}

/// `core` is compiled only for this test, which runs with `CUTLET_ALL_CASES=1`. Other tests, which
/// run on each push, check the lines and the inlined calls in the emulator's messages.
#[test]
fn line_tables_leave_the_code_as_it_is_and_name_the_calls_that_were_inlined() {
    if !all_cases() {
        println!("not run: CUTLET_ALL_CASES is not set");
        return;
    }
    let to = scratch("line-tables").join("kernels.ptx");
    let plain = fs::read_to_string(builder(&fixture()).build().unwrap()).unwrap();
    let built = builder(&fixture())
        .debug(DebugInfo::LineTables)
        .copy_to(&to)
        .build();
    let with = fs::read_to_string(built.unwrap()).unwrap();
    // The comparison ignores labels of lines, the sections after the code, and comments.
    let code = |ptx: &str| -> Vec<String> {
        let lines = ptx
            .lines()
            .map(|line| line.split("//").next().unwrap().trim_end());
        let debug = |line: &&str| {
            let text = line.trim_start();
            let label = ["$L__tmp", "$L__func_"]
                .iter()
                .any(|label| text.starts_with(label));
            let directive = [".loc", ".file", ".section"]
                .iter()
                .any(|name| text.starts_with(name));
            // Names contain the hash of their crate, which depends on the flags too.
            !(text.is_empty() || label || directive || text.contains("_RNv"))
        };
        lines.filter(debug).map(str::to_owned).collect()
    };
    let loc = |ptx: &str| {
        let mut lines = ptx.lines().map(str::trim_start);
        lines.any(|line| line.starts_with(".loc"))
    };
    assert!(loc(&with) && !loc(&plain), "{with}");
    assert!(
        !with.contains(", debug"),
        "line numbers must not turn optimisation off"
    );
    assert!(code(&plain).len() > 20);
    assert_eq!(code(&plain), code(&with));
    assert!(with.contains(" @[ "), "{with}");
    let last = with.lines().next_back().unwrap();
    assert_eq!(last, format!("//cutlet.path {}", to.display()));
}

#[test]
fn attributes_that_the_crate_has_are_not_added_twice() {
    let attributes = "#![cfg_attr(target_arch = \"nvptx64\", no_std, feature(abi_ptx))]\n\
                      #![feature(stdarch_nvptx)]\n#![deny(warnings)]\n";
    let own = variation("own-attributes", |text| format!("{attributes}{text}"));
    builder(&own).build().unwrap();
}

#[test]
fn a_compile_error_comes_through_with_its_place() {
    let broken = variation("broken", |text| {
        text.replace("more::halved(*c)", "more::halved(true)")
    });
    let error = builder(&broken).build().unwrap_err();
    let CudaBuilderError::BuildFailed { rendered, .. } = &error else {
        panic!("{error}");
    };
    assert!(rendered.contains("E0308"), "{rendered}");
    assert!(rendered.contains("src/lib.rs:"), "{rendered}");
    assert!(error.to_string().contains("fixture-kernels"), "{error}");
}

#[test]
fn half_with_its_default_features_is_told_in_one_sentence() {
    let with_half = variation("half-with-std", |text| {
        format!("{text}\npub use half::f16;\n")
    });
    let manifest = with_half.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let add = |line: &str| {
        text.replace(
            "[features]",
            &format!("[dependencies]\n{line}\n\n[features]"),
        )
    };
    fs::write(&manifest, add("half = \"2\"")).unwrap();
    // The lock file selects the versions that this workspace already uses.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::copy(root.join("Cargo.lock"), with_half.join("Cargo.lock")).unwrap();
    let error = builder(&with_half)
        .build_args(&["--offline"])
        .build()
        .unwrap_err();
    let said = error.to_string();
    assert!(matches!(error, CudaBuilderError::NeedsStd { .. }), "{said}");
    assert_eq!(
        said,
        "the kernel crate `fixture-kernels` depends on `half` with its default features, std among them, and a GPU has no std: write \
         half = { version = \"2\", default-features = false } in its Cargo.toml"
    );
    // The test applies the advice of the message literally.
    let cure = said
        .split_once("write ")
        .and_then(|(_, rest)| rest.split_once(" in its"))
        .unwrap()
        .0;
    fs::write(&manifest, add(cure)).unwrap();
    builder(&with_half)
        .build_args(&["--offline"])
        .build()
        .unwrap();
}

#[test]
fn a_crate_without_kernels_is_told_so() {
    let empty = variation("no-kernels", |text| {
        text.replace(
            "#[unsafe(no_mangle)]\npub unsafe extern \"ptx-kernel\"",
            "pub unsafe",
        )
    });
    let error = builder(&empty).build().unwrap_err();
    assert!(
        matches!(error, CudaBuilderError::InvalidPtx { .. }),
        "{error}"
    );
    assert!(error.to_string().contains("#[kernel]"), "{error}");
}

#[test]
fn what_cannot_be_copied_names_both_ends() {
    let to = scratch("copy-fails").join("no/such/folder/kernels.ptx");
    let error = builder(&fixture()).copy_to(&to).build().unwrap_err();
    assert!(
        matches!(error, CudaBuilderError::FailedToCopyPtxFile { .. }),
        "{error}"
    );
    assert!(
        error.to_string().contains(&to.display().to_string()),
        "{error}"
    );
}

#[test]
fn a_kernel_that_the_crate_has_not_is_told() {
    let error = builder(&fixture()).kernels(&["divide", "multiply"]).build();
    let said = error.unwrap_err().to_string();
    assert!(
        said.ends_with("has no kernel `multiply`, which CudaBuilder::kernels names"),
        "{said}"
    );
    assert!(builder(&fixture()).kernels(&["divide"]).build().is_ok());
}

#[test]
fn options_that_cannot_be_honoured_are_refused_by_name() {
    let new = || CudaBuilder::new(fixture());
    for (builder, name) in [
        (new().ftz(true), "ftz(true)"),
        (new().fast_math(), "ftz(true)"),
        (new().optix(true), "optix(true)"),
        (new().override_libm(true), "override_libm(true)"),
        (
            new().use_constant_memory_space(true),
            "use_constant_memory_space(true)",
        ),
    ] {
        let error = builder.build().unwrap_err();
        assert!(
            matches!(error, CudaBuilderError::UnsupportedOption { .. }),
            "{error}"
        );
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn a_path_that_is_not_there_is_told() {
    let error = CudaBuilder::new("no/such/crate").build().unwrap_err();
    assert!(
        matches!(error, CudaBuilderError::CratePathDoesntExist { .. }),
        "{error}"
    );
    // `unwrap` in a build script prints Debug, which must be as readable.
    assert_eq!(format!("{error:?}"), error.to_string());
}

/// Runs the real apt link on a machine with apt, with an empty cache. The other tests use the
/// source that this link fetches if no other link finds `rust-src`.
#[test]
fn apt_for_real_where_it_is() {
    // The link fetches a package from the network, so this runs once a night.
    if !all_cases() {
        println!("not run: CUTLET_ALL_CASES is not set");
        return;
    }
    let mut machine = machine_without_rustup("bin-apt");
    machine.named = None;
    machine.usr_src = scratch("no-usr-src");
    let mut toolchain = Toolchain::detect().unwrap();
    toolchain.sysroot = scratch("no-sysroot");
    let cache = scratch("apt-cache");
    let result = rust_src::provision(&toolchain, &cache, &machine);
    let report = match &result {
        Ok((_, report)) => report,
        Err(error) => &error.report,
    };
    println!("without sysroot, /usr/src and rustup:\n{report}");
    let left: Vec<_> = fs::read_dir(&cache).unwrap().flatten().collect();
    match &result {
        Ok((location, _)) => {
            println!("apt ran for real: the package was fetched and unpacked");
            assert_eq!(location.link, Link::Apt);
            assert_eq!(
                location.library,
                cache.join(&toolchain.release).join("library")
            );
            let core = fs::read_to_string(location.library.join("core/src/lib.rs")).unwrap();
            assert!(core.contains("Rust Core Library"));
            assert_eq!(left.len(), 1, "nothing but the tree is left");
        }
        Err(error) => {
            println!("apt has no such package here, or is not here");
            assert!(error.report.outcome(Link::Apt).is_some());
            assert!(error.to_string().ends_with(&error.command), "{error}");
            assert!(left.is_empty(), "nothing is left: {left:?}");
        }
    }
    fs::remove_dir_all(cache).unwrap();
}

const CHILD: &str = "CUDA_BUILDER_TEST_CHILD";

/// Does the work of a build script, in the child process. Without the variable that the parent
/// sets, it does nothing.
#[test]
fn in_a_build_script() {
    let Ok(crate_folder) = env::var(CHILD) else {
        return;
    };
    let mut machine = Machine::here();
    machine.path = env::var_os("OUT_DIR").unwrap();
    let arch = env::var("CHILD_ARCH").map_or(NvvmArch::Compute80, |arch| arch.parse().unwrap());
    let result = CudaBuilder::new(crate_folder)
        .arch(arch)
        .build_folder(env::var_os("CHILD_HOME").map_or_else(home, PathBuf::from))
        .machine(machine)
        .build();
    match result {
        Ok(ptx) => println!("child built {}", ptx.display()),
        Err(error) => println!("child failed: {error}"),
    }
}

#[test]
fn a_deferred_build_is_that_of_the_sources_of_its_key_and_kept() {
    let crate_folder = variation("deferred", str::to_owned);
    let of = |folder: &Path| builder(folder).quiet(true);
    let key = of(&crate_folder).defer().unwrap();
    // An earlier run may have left this file.
    let _ = fs::remove_file(home().join("deferred").join(&key).with_extension("ptx"));
    assert_eq!(of(&crate_folder).defer().unwrap(), key);
    assert_ne!(of(&crate_folder).fast_div(true).defer().unwrap(), key);
    assert_eq!(of(&crate_folder).deferred(&key), None);
    // Sources of another crate, or a change after the key was made, do not match the key.
    let root = crate_folder.join("src/lib.rs");
    let text = fs::read_to_string(&root).unwrap();
    fs::write(&root, format!("{text}\n// A line more.\n")).unwrap();
    assert!(matches!(
        of(&crate_folder).build_deferred(&key),
        Err(CudaBuilderError::Changed { .. })
    ));
    fs::write(&root, text).unwrap();
    // If two builds run at the same time, only one of them compiles.
    let ptx = std::thread::scope(|scope| {
        let both =
            [(); 2].map(|()| scope.spawn(|| of(&crate_folder).build_deferred(&key).unwrap()));
        let [first, second] = both.map(|one| one.join().unwrap());
        assert_eq!(first, second);
        first
    });
    let built = of(&crate_folder).build().unwrap();
    assert_eq!(ptx, fs::read_to_string(built).unwrap());
    // If the PTX is kept, a build needs no sources.
    fs::remove_dir_all(&crate_folder).unwrap();
    assert_eq!(of(&crate_folder).deferred(&key), Some(ptx));
    assert_eq!(of(&crate_folder).deferred("another"), None);
    assert!(matches!(
        of(&crate_folder).build_deferred("another"),
        Err(CudaBuilderError::CratePathDoesntExist { .. })
    ));
}

/// Runs [`in_a_build_script`] in a child, for `crate_folder`, with `extra` in its environment.
fn build_script(crate_folder: &Path, extra: &[(&str, &str)]) -> (String, Output) {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "in_a_build_script", "--nocapture"])
        .env(CHILD, crate_folder)
        .env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"))
        .env("OUT_DIR", scratch("out"))
        .env("NUM_JOBS", "2")
        .env(NAMED_BY, machine().named.unwrap())
        .envs(extra.iter().copied())
        .output()
        .unwrap();
    (String::from_utf8(output.stdout.clone()).unwrap(), output)
}

/// All builds in children are in one test and run one after another, because they share `OUT_DIR`.
#[test]
fn a_build_script_is_told_when_to_run_again_and_what_it_inherits_does_not_leak() {
    // The environment and a configuration file both request flags that must have no effect.
    let crate_folder = variation("leaks", |text| {
        format!(
            "{text}\n#[cfg(any(leak, debug_assertions))]\ncompile_error!(\"a flag leaked in\");\n\
             const _: () = assert!(option_env!(\"TARGET\").is_none());\n"
        )
    });
    fs::create_dir_all(crate_folder.join(".cargo")).unwrap();
    fs::write(
        crate_folder.join(".cargo/config.toml"),
        "[build]\nrustflags = [\"--cfg\", \"leak\"]\nrustc-wrapper = \"/no/such/wrapper\"\n\
         target = \"wasm32-unknown-unknown\"\nbuild-dir = \"/no/such/folder\"\n\
         target-dir = \"/no/such/folder\"\n\
         [target.nvptx64-nvidia-cuda]\nrustflags = [\"--cfg\", \"leak\"]\n",
    )
    .unwrap();
    let (stdout, output) = build_script(
        &crate_folder,
        &[
            ("RUSTFLAGS", "--cfg leak"),
            ("CARGO_ENCODED_RUSTFLAGS", "--cfg\x1fleak"),
            ("CARGO_BUILD_TARGET", "wasm32-unknown-unknown"),
            ("CARGO_TARGET_DIR", "/no/such/folder"),
            ("CARGO_BUILD_BUILD_DIR", "/no/such/folder"),
            ("RUSTC_WRAPPER", "/no/such/wrapper"),
            ("RUSTC_WORKSPACE_WRAPPER", "/no/such/wrapper"),
            ("CARGO_MAKEFLAGS", "-j --jobserver-fds=77,78"),
            ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
            ("CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS", "true"),
            ("TARGET", "wasm32-unknown-unknown"),
            ("CARGO_TERM_COLOR", "always"),
        ],
    );
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stdout.contains("child built"), "{stdout}{stderr}");
    let root = crate_folder.canonicalize().unwrap();
    let told: BTreeSet<_> = stdout
        .lines()
        .filter_map(|line| line.strip_prefix("cargo:rerun-if-changed="))
        .map(PathBuf::from)
        .collect();
    let inputs = ["Cargo.lock", "Cargo.toml", "src/lib.rs", "src/more.rs"];
    assert_eq!(told, inputs.iter().map(|file| root.join(file)).collect());
    assert!(
        stdout.contains(&format!("cargo:rerun-if-env-changed={NAMED_BY}")),
        "{stdout}"
    );
    assert!(
        stderr.contains("\u{1b}["),
        "colours were asked for: {stderr}"
    );

    // There is no rust-src: rustc has an empty sysroot, and the PATH has nothing in it.
    let fake = scratch("fake-rustc");
    let empty = scratch("empty-sysroot");
    let rustc = fake.join("rustc");
    let real = Toolchain::detect().unwrap().rustc;
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in\n'--print sysroot') echo '{}' ;;\n\
         '--print target-cpus'*) echo ' sm_70'; echo ' sm_80' ;;\n*) exec '{}' \"$@\" ;;\nesac\n",
        empty.display(),
        real.display()
    );
    let written = Command::new("sh")
        .args(["-c", "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\""])
        .arg(&rustc)
        .arg(&script)
        .status()
        .unwrap();
    assert!(written.success());
    let nowhere = scratch("nowhere");
    let without = [
        ("RUSTC", rustc.to_str().unwrap()),
        (NAMED_BY, ""),
        ("CHILD_HOME", nowhere.to_str().unwrap()),
    ];
    let usr_src = format!("/usr/src/rustc-{}", Toolchain::detect().unwrap().release);
    if Path::new(&usr_src).exists() {
        println!("{usr_src} is here: a build without rust-src cannot be shown");
    } else {
        let (stdout, _) = build_script(&fixture(), &without);
        assert!(stdout.contains("child failed"), "{stdout}");
        assert!(stdout.contains("rustup component add rust-src"), "{stdout}");
        let again = format!("cargo:rerun-if-changed={}/", nowhere.display());
        let line = stdout.lines().find(|line| line.starts_with(&again));
        let file = line.and_then(|line| line.strip_prefix("cargo:rerun-if-changed="));
        assert!(!Path::new(file.expect("it is tried again")).exists());
    }

    // The compiler's LLVM does not have this architecture.
    let mut unknown = without.to_vec();
    unknown.push(("CHILD_ARCH", "compute_90"));
    let (stdout, _) = build_script(&fixture(), &unknown);
    assert!(
        stdout.contains("cannot emit PTX for compute_90 (sm_90)"),
        "{stdout}"
    );
    assert!(stdout.contains("knows sm_70, sm_80"), "{stdout}");
}

/// A barrier between two tests of the same condition.
const BARRIER: &str = r#"
/// Writes from thread 0 on both sides of a barrier.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn between(c: *mut f32) {
    let first = unsafe { _thread_idx_x() } == 0;
    unsafe {
        if first {
            c.write_volatile(1.0);
        }
        core::arch::nvptx::_syncthreads();
        if first {
            c.write_volatile(2.0);
        }
    }
}
"#;

/// rustc's jump threading copies a barrier into the arms of a branch, and LLVM copies a barrier in
/// `asm!`. A build must refuse both. The test includes architectures without `wgmma`.
#[test]
fn a_barrier_that_a_part_of_a_warp_comes_to_is_an_error() {
    let folder = variation("barrier", |text| format!("{text}{BARRIER}"));
    // For `sm_90a`, `core` is already compiled without jump threading, because that is the default
    // for this architecture.
    let archs = sample(
        "architectures",
        2,
        0,
        [NvvmArch::Compute90a, NvvmArch::Compute80],
    );
    let without = |folder, arch| builder(folder).arch(arch).jump_threading(false);
    for &arch in &archs {
        let built = without(&folder, arch).build().unwrap();
        let ptx = fs::read_to_string(built).unwrap();
        let barriers = ptx.matches("bar.sync").count() + ptx.matches("barrier.sync").count();
        assert_eq!(barriers, 1, "{ptx}");
    }
    let refused = |builder: CudaBuilder| {
        let error = builder.build().unwrap_err();
        let CudaBuilderError::Divergent { found, .. } = &error else {
            panic!("{error}")
        };
        let kernels = found.iter().map(|one| (one.kernel.as_str(), one.threads));
        assert_eq!(kernels.collect::<Vec<_>>(), [("between", 32); 2], "{error}");
    };
    refused(builder(&folder));
    let copied = BARRIER.replace(
        "core::arch::nvptx::_syncthreads();",
        "core::arch::asm!(\"bar.sync 0;\");",
    );
    let folder = variation("copied-barrier", |text| format!("{text}{copied}"));
    for arch in archs {
        refused(without(&folder, arch));
    }
}
