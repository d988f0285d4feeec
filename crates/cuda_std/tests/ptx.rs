//! Tests the PTX that rustc makes of the kernels in the fixture crates.
//!
//! ```text
//!   tests/fixtures/kernels ──cuda_builder──► PTX ──► entry names, parameters, instructions, what is absent
//!                                             └─ptxas, if there is one───► registers, spills, stack
//! ```

mod common;
#[path = "../../../tests/common/sample.rs"]
mod sample;

use common::{Entry, build, entries};
use cuda_builder::NvvmArch;
use sample::{all_cases, sample};
use std::process::Command;
use std::sync::LazyLock;

static PTX: LazyLock<String> = LazyLock::new(|| build("kernels", NvvmArch::Compute80));
static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| entries(&PTX));

fn entry(name: &str) -> &'static Entry {
    let found = ENTRIES.iter().find(|entry| entry.name == name);
    found.unwrap_or_else(|| panic!("no entry {name}"))
}

/// Checks that every instruction of the list occurs the given number of times.
fn expect(name: &str, instructions: &[(&str, usize)]) {
    let entry = entry(name);
    for &(instruction, times) in instructions {
        assert_eq!(
            entry.count(instruction),
            times,
            "{instruction} in {name}:\n{}",
            entry.body
        );
    }
}

#[test]
fn kernels_are_entries_with_the_parameters_of_upstreams_abi() {
    let slice = [".u64", ".u64"];
    let gemm = [&slice[..], &slice, &[".u64"], &[".u64"; 3], &[".f32"; 2]].concat();
    let expected: &[(&str, Vec<&str>)] = &[
        ("vecadd", [&slice[..], &slice, &[".u64"]].concat()),
        ("gemm_naive", gemm.clone()),
        ("gemm_tiled", gemm),
        ("gemm_tiled_raw", vec![".u64", ".u64", ".u64", ".u32"]),
        (
            "parameters",
            vec![
                ".u64",
                ".u64",            // &[u8]
                ".u8",             // u8
                ".align 4 .b8[8]", // (bool, u32)
                ".u64",            // &u64
                ".u64",
                ".u64", // &str
                ".u64",
                ".u64",              // *const [f64]
                ".align 16 .b8[32]", // Foo
                ".align 4 .b8[12]",  // [u32; 3]
                ".f64",              // f64
                ".u64",
                ".u64", // *mut [u64]
            ],
        ),
        ("attributes", vec![".u64", ".u64", ".u64"]),
        ("assertions", vec![".u32", ".u32"]),
    ];
    for (name, parameters) in expected {
        assert_eq!(&entry(name).parameters, parameters, "{name}");
    }
    assert!(PTX.contains(".target sm_80"));
}

#[test]
fn a_slice_is_read_through_global_loads() {
    // If the slice were passed as one struct, the address space of its pointer would be unknown,
    // and the loads would be generic.
    let vecadd = entry("vecadd");
    assert_eq!(
        vecadd.count("ld.global.b32") + vecadd.count("ld.global.nc.b32"),
        2
    );
    expect(
        "vecadd",
        &[("st.global.b32", 1), ("ld.b32", 0), ("st.b32", 0)],
    );
}

#[test]
fn thread_functions_are_their_instructions() {
    let indices = entry("thread_indices");
    for register in ["tid", "ntid", "ctaid", "nctaid"] {
        for axis in ["x", "y", "z"] {
            let name = format!("%{register}.{axis}");
            let reads = indices.instructions().filter(|i| i.contains(&name)).count();
            assert_eq!(reads, 1, "{name}");
        }
    }
    expect(
        "thread_barriers",
        &[
            ("bar.sync", 1),
            ("bar.red.popc.u32", 1),
            ("bar.red.and.pred", 1),
            ("bar.red.or.pred", 1),
        ],
    );
    // A store before each fence stays before the fence, so there are five stores, and none of them
    // are merged.
    expect(
        "thread_fences",
        &[
            ("st.global", 5),
            ("membar.cta", 1),
            ("membar.gl", 2),
            ("membar.sys", 1),
            ("nanosleep.u32", 1),
        ],
    );
}

#[test]
fn warp_functions_are_their_instructions() {
    expect(
        "warp_shuffles",
        &[
            ("shfl.sync.down.b32", 1),
            ("shfl.sync.up.b32", 1),
            ("shfl.sync.idx.b32", 1),
            // A shuffle of 32 bits is one instruction, and one of 64 bits is two.
            ("shfl.sync.bfly.b32", 3),
        ],
    );
    // The clamp of `up` must be 0. With the clamp of `down`, each lane would read its own value.
    let up = entry("warp_shuffles")
        .instructions()
        .find(|i| i.starts_with("shfl.sync.up"))
        .unwrap();
    assert!(up.ends_with("2, 4096, -1;"), "{up}");
    expect(
        "warp_votes",
        &[
            ("vote.sync.all.pred", 1),
            ("vote.sync.any.pred", 1),
            ("vote.sync.ballot.b32", 1),
            ("bar.warp.sync", 1),
            ("activemask.b32", 1),
        ],
    );
    expect(
        "warp_matches",
        &[("match.any.sync.b32", 1), ("match.any.sync.b64", 1)],
    );
    expect(
        "warp_reductions",
        &[
            ("redux.sync.add.s32", 1),
            ("redux.sync.min.s32", 1),
            ("redux.sync.max.u32", 1),
            ("redux.sync.xor.b32", 1),
        ],
    );
}

#[test]
fn shared_memory_is_declared_once_and_accessed_as_shared() {
    let first_entry = PTX.find(".entry").unwrap();
    let declared: Vec<&str> = PTX
        .lines()
        .filter(|line| line.starts_with(".shared"))
        .collect();
    let mut sizes: Vec<&str> = declared
        .iter()
        .map(|line| &line[line.find('[').unwrap()..])
        .collect();
    sizes.sort_unstable();
    // The shared arrays are one byte, four tiles of 16 x 16 floats, 64 i32, 32 u64 and 6 u64. Uses
    // in loops and in inlined functions add no array.
    assert_eq!(
        sizes,
        [
            "[1024];", "[1024];", "[1024];", "[1024];", "[1];", "[256];", "[256];", "[48];"
        ]
    );
    for line in &declared {
        assert!(
            PTX.find(line).unwrap() < first_entry,
            "{line} stands after its use"
        );
        let name = line[..line.find('[').unwrap()].rsplit(' ').next().unwrap();
        let users = ENTRIES
            .iter()
            .filter(|entry| entry.body.contains(&format!("{name};")));
        assert_eq!(users.count(), 1, "{name}");
    }
    assert_eq!(PTX.matches(".extern .shared").count(), 1);

    for name in [
        "gemm_tiled",
        "gemm_tiled_raw",
        "reverse_array",
        "dynamic_shared",
    ] {
        let entry = entry(name);
        assert!(entry.has("ld.shared"), "{name}:\n{}", entry.body);
        assert!(entry.has("st.shared"), "{name}:\n{}", entry.body);
        assert!(
            !entry.has("ld.b32") && !entry.has("st.b32"),
            "{name} has generic accesses:\n{}",
            entry.body
        );
    }
}

#[test]
fn address_space_functions_are_their_instructions() {
    expect(
        "address_spaces",
        &[
            ("isspacep.global", 1),
            // One of the two `isspacep.shared` belongs to `shared_array!`.
            ("isspacep.shared", 2),
            ("isspacep.const", 1),
            ("isspacep.local", 1),
            ("cvta.to.shared.u64", 1),
            ("cvta.shared.u64", 2),
        ],
    );
    expect("sizes_and_clock", &[("pmevent 3", 1), ("mov.u64", 2)]);
}

#[test]
fn atomics_have_their_ordering_and_scope() {
    expect(
        "atomic_floats",
        &[
            ("atom.relaxed.gpu.add.f32", 1),
            ("atom.acq_rel.gpu.add.f64", 1),
            ("atom.relaxed.cta.add.f32", 1),
        ],
    );
    expect(
        "atomic_integers",
        &[
            ("fence.sc.gpu", 1),
            ("atom.acquire.gpu.add.u32", 1),
            ("atom.acquire.gpu.max.u32", 1),
            ("atom.release.sys.min.s64", 1),
            ("ld.acquire.gpu.u64", 1),
            ("st.release.gpu.u64", 1),
            ("atom.relaxed.gpu.exch.b64", 1),
            ("atom.acq_rel.gpu.cas.b64", 1),
        ],
    );
    expect(
        "atomic_raw",
        &[
            ("atom.relaxed.gpu.inc.u32", 1),
            ("atom.acq_rel.cta.xor.b32", 1),
            ("st.volatile.u32", 1),
            ("fence.acq_rel.cta", 1),
            ("fence.sc.gpu", 1),
        ],
    );
    assert!(entry("atomic_core").has("atom.global.add.u32"));
}

#[test]
fn float_functions_are_their_instructions() {
    expect(
        "float_exact",
        &[
            ("cvt.rmi.f32.f32", 1),
            ("cvt.rpi.f32.f32", 1),
            ("sqrt.rn.f32", 1),
            ("fma.rn.f32", 1),
            ("cvt.rmi.f64.f64", 1),
            ("cvt.rpi.f64.f64", 1),
            ("sqrt.rn.f64", 1),
            ("fma.rn.f64", 1),
            ("call", 0),
        ],
    );
    let approximate = ["sin", "cos", "ex2", "lg2", "rcp", "rsqrt", "sqrt", "tanh"];
    for name in approximate {
        expect("float_approx", &[(&format!("{name}.approx.f32"), 1)]);
    }
    expect("float_software", &[("call", 0)]);
}

#[test]
fn the_compute_capability_is_a_constant() {
    expect(
        "capability",
        &[("st.global.b32", 1), ("setp", 0), ("bra", 0)],
    );
    assert!(entry("capability").body.contains("8080"));
    // Other tests compile `core` for the first of these architectures too.
    let hopper = [NvvmArch::Compute90a, NvvmArch::Compute90];
    for arch in sample("Hopper's architectures", 2, 0, hopper) {
        let later = entries(&build("kernels", arch));
        let later = later.iter().find(|entry| entry.name == "capability");
        let later = later.unwrap();
        assert!(later.body.contains("9090"), "{}", later.body);
    }
}

#[test]
fn only_software_floats_and_printing_use_local_memory() {
    for entry in ENTRIES
        .iter()
        .filter(|entry| entry.name != "float_software" && entry.name != "printing")
    {
        let local = [".local .align", "ld.local", "st.local", "__local_depot"];
        for word in local {
            assert!(
                !entry.body.contains(word),
                "{word} in {}:\n{}",
                entry.name,
                entry.body
            );
        }
    }
}

#[test]
fn a_panic_says_where_and_formats_nothing() {
    // A kernel that can panic calls the panic function of core. A kernel that cannot panic calls no
    // function.
    assert!(entry("vecadd").body.contains("panic_bounds_check"));
    assert!(entry("assertions").body.contains("assertion_failed"));
    for name in [
        "gemm_tiled_raw",
        "warp_shuffles",
        "reverse_array",
        "sizes_and_clock",
        "attributes",
    ] {
        assert!(!entry(name).has("call"), "{name}:\n{}", entry(name).body);
    }
    assert!(PTX.contains("__assertfail"), "the handler names the place");
    assert!(!PTX.contains("4core3fmt"), "core::fmt is in the module");
}

#[test]
fn a_module_that_cannot_panic_holds_nothing_of_it() {
    let ptx = build("quiet", NvvmArch::Compute80);
    for word in [
        ".func",
        "panic",
        "__assertfail",
        ".local",
        "call",
        ".global .align",
    ] {
        assert!(!ptx.contains(word), "{word} in\n{ptx}");
    }
    let entries = entries(&ptx);
    assert_eq!(entries.len(), 2);
    let sum = entries
        .iter()
        .find(|entry| entry.name == "warp_sum")
        .unwrap();
    assert_eq!(sum.count("shfl.sync.bfly.b32"), 5);
    assert_eq!(
        sum.count("bra"),
        0,
        "the loop is unrolled and no check is left:\n{}",
        sum.body
    );
}

/// Returns the path of ptxas, from `CUTLET_PTXAS` or otherwise from the `PATH`, or `None` if there
/// is no ptxas.
fn ptxas() -> Option<std::path::PathBuf> {
    if let Some(path) = std::env::var_os("CUTLET_PTXAS") {
        return Some(path.into());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join("ptxas"))
        .find(|path| path.is_file())
}

#[test]
fn the_assembler_takes_it_without_spills() {
    let Some(ptxas) = ptxas() else {
        println!("no ptxas on the PATH or in CUTLET_PTXAS: the PTX was not assembled");
        return;
    };
    println!("assembling with {}", ptxas.display());
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut modules = vec![
        ("kernels", NvvmArch::Compute80, "sm_80"),
        ("quiet", NvvmArch::Compute80, "sm_80"),
    ];
    if all_cases() {
        modules.push(("kernels", NvvmArch::Compute90, "sm_90"));
    }
    for (fixture, arch, sm) in modules {
        let input = folder.join(format!("{fixture}_{sm}.ptx"));
        std::fs::write(&input, build(fixture, arch)).unwrap();
        let run = Command::new(&ptxas)
            .args(["-v", "-arch", sm, "-o"])
            .arg(input.with_extension("cubin"))
            .arg(&input)
            .output()
            .expect("ptxas runs");
        let report = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{sm}: {report}");
        let lines: Vec<&str> = report.lines().collect();
        let mut seen = 0;
        for pair in lines.windows(2) {
            let Some(name) = pair[0].split("Function properties for ").nth(1) else {
                continue;
            };
            seen += 1;
            assert!(
                pair[1].contains("0 bytes spill stores, 0 bytes spill loads"),
                "{name}: {}",
                pair[1]
            );
            // `vprintf` reads its arguments from the stack, which
            // `only_software_floats_and_printing…` checks.
            if !["float_software", "printing"].contains(&name) {
                assert!(
                    pair[1].trim().starts_with("0 bytes stack frame"),
                    "{name}: {}",
                    pair[1]
                );
            }
        }
        assert!(seen >= 2, "{report}");
    }
}
