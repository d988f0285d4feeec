//! Checks the cost of an access through a layout, in the code that the compiler generates for
//! `fixtures/indexing`.
//!
//! ```text
//!   constant coordinate    movl 212(%rdi), %eax      ld.global.b32 %r1, [%rd2+212]     and nothing else
//!   run-time coordinate    shifts, masks and adds, as many as by hand
//! ```
//!
//! The offsets come from the run-time mirror, so a wrong immediate is found too.

use cuda_builder::{CudaBuilder, NvvmArch};
use layout_types::dynamic::{AnyLayout, DynLayout, IntTuple, crd2idx};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The instructions of each function, without labels and directives.
type Functions = BTreeMap<String, Vec<String>>;

const HIERARCHICAL: &str = "((4,8),(2,(4,8))):((32,1),(16,(128,1024)))";
const STAGES: &str = "Sw<2,3,3> o 0 o ((8,16),(32,1),(1,4)):((32,256),(1,0),(0,4096))";
const TILES: &str = "Sw<2,3,3> o 0 o (((8,2),8),(8,4,4)):(((32,256),1),(512,8,4096))";

/// The accesses at one constant coordinate: the function, the layout and the coordinate.
const CONSTANT: [(&str, &str, &str); 11] = [
    ("affine", "(8,16):(16,1)", "(3,5)"),
    ("linear", "(5,7):(9,50)", "29"),
    ("static_integers", "(5,7):(9,50)", "(3,5)"),
    ("hierarchical", HIERARCHICAL, "((3,5),(1,(2,7)))"),
    ("by_mode", HIERARCHICAL, "(23,60)"),
    ("mixed", HIERARCHICAL, "((3,5),(2,(2,7)))"),
    ("swizzled", "Sw<3,3,3> o 0 o (64,64):(64,1)", "(13,27)"),
    ("swizzled_linear", "Sw<3,3,3> o 0 o (64,64):(64,1)", "2061"),
    ("swizzled_hierarchical", STAGES, "((5,9),(19,0),(0,2))"),
    ("swizzled_tiles", TILES, "(21,(5,3,2))"),
    ("sliced", HIERARCHICAL, "(13,29)"),
];

/// Returns the mirror's offset of a coordinate, in bytes.
fn bytes(layout: &str, coordinate: &str) -> i64 {
    let layout: AnyLayout = layout.parse().expect("a layout");
    let coordinate = coordinate.parse().expect("a coordinate");
    let offset = |layout: &DynLayout| match crd2idx(&coordinate, layout).expect("inside") {
        IntTuple::Leaf(offset) => offset,
        tuple => panic!("{tuple} is no offset"),
    };
    let elements = match &layout {
        AnyLayout::Plain(plain) => offset(plain),
        AnyLayout::Composed(outer) => match outer.inner() {
            AnyLayout::Plain(plain) => outer.swizzle().apply(outer.offset() + offset(plain)),
            inner => panic!("{inner} is not plain"),
        },
    };
    elements * size_of::<u32>() as i64
}

/// Returns the offsets that `fragment` reads.
fn fragment() -> Vec<i64> {
    (0..8)
        .map(|value| bytes(STAGES, &format!("({},3,1)", value * 9)))
        .collect()
}

fn workspace_target() -> &'static Path {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    target.expect("target/tmp")
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/indexing")
}

/// Tests the cost in the code for NVIDIA GPUs.
mod ptx {
    use super::*;

    static TEXT: LazyLock<String> = LazyLock::new(|| built(false));
    static PTX: LazyLock<Functions> = LazyLock::new(|| functions(&TEXT));

    fn built(next_solver: bool) -> String {
        let path = CudaBuilder::new(fixture())
            // The workspace's folder, which already has `core` for this architecture.
            .build_folder(workspace_target().join("cuda-builder"))
            .arch(NvvmArch::Compute80)
            .next_solver(next_solver)
            .build()
            .unwrap_or_else(|error| panic!("{error}"));
        std::fs::read_to_string(path).expect("the builder's PTX is readable")
    }

    #[test]
    fn both_trait_solvers_give_the_same_code() {
        assert!(*TEXT == built(true));
    }

    fn functions(text: &str) -> Functions {
        let entries = text.split(".visible .entry ").skip(1);
        let functions: Functions = entries
            .map(|entry| {
                let (name, rest) = entry.split_once('(').expect("parameters");
                let (_, rest) = rest.split_once(")\n{").expect("a body");
                let (body, _) = rest.split_once("\n}").expect("its end");
                let lines = body.lines().map(str::trim);
                let code = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
                (name.to_owned(), code.map(str::to_owned).collect())
            })
            .collect();
        assert!(!functions.is_empty(), "{text}");
        functions
    }

    /// Returns the arithmetic of a kernel: all instructions except parameter loads, conversions of
    /// their address space, and the access.
    fn arithmetic(name: &str) -> Vec<&'static str> {
        let moves = ["ld.", "st.", "cvta.", "ret"];
        PTX[name]
            .iter()
            .map(String::as_str)
            .filter(|line| !moves.iter().any(|prefix| line.starts_with(prefix)))
            .collect()
    }

    /// Returns the immediate offsets of the loads from global memory.
    fn loads(name: &str) -> Vec<i64> {
        PTX[name]
            .iter()
            .filter(|line| line.starts_with("ld.global"))
            .map(|line| {
                let (_, address) = line.split_once('[').expect("an address");
                let (address, _) = address.split_once(']').expect("its end");
                match address.split_once('+') {
                    Some((_, offset)) => offset.parse().expect("an immediate"),
                    None => 0,
                }
            })
            .collect()
    }

    #[test]
    fn a_constant_coordinate_is_an_immediate_offset() {
        for (name, layout, coordinate) in CONSTANT {
            assert_eq!(loads(name), [bytes(layout, coordinate)], "{name}");
            assert_eq!(arithmetic(name), [""; 0], "{name}");
        }
    }

    #[test]
    fn the_values_of_a_fragment_are_immediate_offsets_from_one_address() {
        let (mut found, mut expected) = (loads("fragment"), fragment());
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
        let rest = arithmetic("fragment");
        assert!(
            rest.len() == 7 && rest.iter().all(|line| line.starts_with("xor.")),
            "{rest:#?}"
        );
    }

    /// Whether an instruction is a shift, a mask, an addition, a bit field, or a product with a
    /// constant (the bytes of an element).
    fn is_cheap(line: &str) -> bool {
        let (operation, operands) = line.split_once([' ', '\t']).expect("operands");
        let cheap = [
            "shl.", "shr.", "and.", "or.", "xor.", "add.", "bfe.", "bfi.", "cvt.", "mov.",
        ];
        let by_constant = operands
            .trim_end_matches(';')
            .rsplit(", ")
            .next()
            .is_some_and(|last| last.parse::<i64>().is_ok());
        cheap.iter().any(|prefix| operation.starts_with(prefix))
            || (operation.starts_with("mul.wide.") && by_constant)
    }

    #[test]
    fn a_run_time_coordinate_costs_shifts_masks_and_adds() {
        for name in [
            "row",
            "run_time",
            "run_time_modes",
            "run_time_swizzled",
            "run_time_tiles",
        ] {
            let code = arithmetic(name);
            assert!(code.iter().all(|line| is_cheap(line)), "{name}: {code:#?}");
        }
        // The test can fail: a layout of other extents has a real product or quotient.
        let odd = arithmetic("run_time_odd");
        assert!(!odd.iter().all(|line| is_cheap(line)), "{odd:#?}");
    }

    #[test]
    fn a_run_time_coordinate_costs_what_it_costs_by_hand() {
        for name in ["row", "run_time", "run_time_modes", "run_time_swizzled"] {
            let hand = format!("{name}_by_hand");
            let (here, by_hand) = (arithmetic(name), arithmetic(&hand));
            assert!(
                here.len() <= by_hand.len(),
                "{name}: {here:#?} by hand {by_hand:#?}"
            );
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::*;
    use std::process::Command;

    static CODE: LazyLock<Functions> = LazyLock::new(|| functions(&assembly()));

    /// Compiles the fixture, optimised, for this machine. Returns its assembly.
    fn assembly() -> String {
        let out = workspace_target().join("cost-code/x86-64");
        let path = out.join("indexing.s");
        let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["rustc", "--release", "--lib", "--crate-type", "rlib"])
            .arg("--manifest-path")
            .arg(fixture().join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&out)
            .args(["--", "-Ccodegen-units=1"])
            .arg(format!("--emit=asm={}", path.display()))
            // The flags of the tests' own build must not change the code.
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .output()
            .expect("cargo runs");
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{messages}");
        std::fs::read_to_string(path).expect("the assembly is readable")
    }

    fn functions(text: &str) -> Functions {
        let mut functions = Functions::new();
        let mut current = String::new();
        for line in text.lines() {
            if let Some(name) = line.strip_suffix(':') {
                // Local labels start with a dot.
                if !name.starts_with('.') {
                    current = name.trim_start_matches('_').to_owned();
                    functions.insert(current.clone(), Vec::new());
                }
            } else if line.starts_with('\t') && !line.trim_start().starts_with(['.', '#']) {
                let code = functions.get_mut(&current).expect("code in a function");
                code.push(line.trim().replace('\t', " "));
            }
        }
        // Functions with the same code are merged: `.set other, function`, or `other = function`.
        for line in text.lines() {
            let pair = match line.trim().strip_prefix(".set ") {
                Some(rest) => rest.split_once(", "),
                None => line.split_once(" = "),
            };
            if let Some((other, function)) = pair
                && let Some(code) = functions.get(function.trim())
            {
                functions.insert(other.trim().to_owned(), code.clone());
            }
        }
        functions
    }

    #[test]
    fn a_constant_coordinate_is_an_immediate_offset() {
        for (name, layout, coordinate) in CONSTANT {
            let load = format!("movl {}(%rdi), %eax", bytes(layout, coordinate));
            assert_eq!(CODE[name], [load.as_str(), "retq"], "{name}");
        }
    }

    #[test]
    fn the_values_of_a_fragment_are_immediate_offsets_from_one_address() {
        let code = &CODE["fragment"];
        assert_eq!(code.len(), 8 + 1, "{code:#?}");
        for offset in fragment() {
            let operand = format!(" {offset}(%rdi), %eax");
            let uses = code.iter().filter(|line| line.ends_with(&operand)).count();
            assert_eq!(uses, 1, "{offset}: {code:#?}");
        }
    }

    /// Whether an instruction is a shift, a mask, an addition (`lea` with a power of two), or a
    /// move.
    fn is_cheap(line: &str) -> bool {
        let mnemonic = line.split(' ').next().unwrap_or_default();
        ["mov", "sh", "and", "or", "xor", "add", "lea", "ret"]
            .iter()
            .any(|prefix| mnemonic.starts_with(prefix))
    }

    #[test]
    fn a_run_time_coordinate_costs_shifts_masks_and_adds() {
        for name in [
            "row",
            "run_time",
            "run_time_modes",
            "run_time_swizzled",
            "run_time_tiles",
        ] {
            let code = &CODE[name];
            assert!(code.iter().all(|line| is_cheap(line)), "{name}: {code:#?}");
        }
        // The test can fail: a layout of other extents has a real product or quotient.
        let odd = &CODE["run_time_odd"];
        assert!(!odd.iter().all(|line| is_cheap(line)), "{odd:#?}");
    }

    #[test]
    fn a_run_time_coordinate_costs_what_it_costs_by_hand() {
        for name in ["row", "run_time", "run_time_modes", "run_time_swizzled"] {
            let by_hand = &CODE[&format!("{name}_by_hand")];
            let code = &CODE[name];
            assert!(
                code.len() <= by_hand.len(),
                "{name}: {code:#?} by hand {by_hand:#?}"
            );
        }
    }
}
