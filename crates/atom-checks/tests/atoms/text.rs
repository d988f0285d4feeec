//! Checks the kernels as PTX: each has the atom's instruction once, and no unnecessary instructions
//! around it.

use atom_checks::{MODULES, body};
use layout_types::atom::copy::{CopyFacts, *};
use layout_types::atom::mma::MMA_SYNC;

/// Returns the instructions of a kernel, with their operands.
fn instructions<'a>(ptx: &'a str, kernel: &str) -> Vec<&'a str> {
    body(ptx, kernel)
        .filter(|line| !line.starts_with("//"))
        .collect()
}

/// Returns the number of a kernel's lines that have the instruction.
fn count(ptx: &str, kernel: &str, instruction: &str) -> usize {
    let has = |line: &&&str| line.split([' ', '\t']).any(|word| word == instruction);
    instructions(ptx, kernel).iter().filter(has).count()
}

#[test]
fn a_kernel_has_its_atoms_instruction_once() {
    for module in MODULES {
        for facts in MMA_SYNC.iter().flat_map(|table| table.iter()) {
            if facts.sm <= module.sm {
                let kernel = facts.name.replacen("SM", "Sm", 1);
                assert_eq!(count(module.ptx, &kernel, facts.ptx), 1, "{kernel}");
            }
        }
        let mut copies = vec![
            CopyFacts::of::<Sm75_U32x1_LDSM_N, u16>(),
            CopyFacts::of::<Sm75_U32x2_LDSM_N, u16>(),
            CopyFacts::of::<Sm75_U32x4_LDSM_N, u16>(),
            CopyFacts::of::<Sm75_U16x2_LDSM_T, u16>(),
            CopyFacts::of::<Sm75_U16x4_LDSM_T, u16>(),
            CopyFacts::of::<Sm75_U16x8_LDSM_T, u16>(),
            CopyFacts::of::<Sm75_U32x1_MOVM_T, u16>(),
        ];
        if module.sm >= 90 {
            copies.extend([
                CopyFacts::of::<Sm90_U32x1_STSM_N, u16>(),
                CopyFacts::of::<Sm90_U32x2_STSM_N, u16>(),
                CopyFacts::of::<Sm90_U32x4_STSM_N, u16>(),
                CopyFacts::of::<Sm90_U16x2_STSM_T, u16>(),
                CopyFacts::of::<Sm90_U16x4_STSM_T, u16>(),
                CopyFacts::of::<Sm90_U16x8_STSM_T, u16>(),
            ]);
        }
        for facts in copies {
            let kernel = facts.name.replacen("SM", "Sm", 1);
            assert_eq!(count(module.ptx, &kernel, facts.ptx), 1, "{kernel}");
        }
    }
}

#[test]
fn an_asynchronous_copy_is_the_form_that_its_name_says() {
    type Always<T> = Sm80_CP_ASYNC_CACHEALWAYS<T>;
    type Global<T> = Sm80_CP_ASYNC_CACHEGLOBAL<T>;
    for module in MODULES {
        for (kernel, ptx, bytes) in [
            (
                "cp_async_cachealways_4",
                Always::<u32>::PTX,
                Always::<u32>::BYTES,
            ),
            (
                "cp_async_cachealways_8",
                Always::<u64>::PTX,
                Always::<u64>::BYTES,
            ),
            (
                "cp_async_cachealways_16",
                Always::<u128>::PTX,
                Always::<u128>::BYTES,
            ),
            (
                "cp_async_cacheglobal_16",
                Global::<u128>::PTX,
                Global::<u128>::BYTES,
            ),
        ] {
            let zfill = kernel
                .replace("cache", "CACHE")
                .replacen("_1", "_zfill_1", 1);
            let zfill = zfill
                .replacen("_4", "_zfill_4", 1)
                .replacen("_8", "_zfill_8", 1);
            for (kernel, operands) in [(kernel.to_owned(), 3), (zfill.replace("CACHE", "cache"), 4)]
            {
                let found: Vec<_> = instructions(module.ptx, &kernel)
                    .into_iter()
                    .filter_map(|line| line.split_once(&format!("{ptx} ")))
                    .collect();
                assert_eq!(found.len(), 1, "{kernel}");
                let written: Vec<_> = found[0].1.split(';').next().unwrap().split(',').collect();
                assert_eq!(written.len(), operands, "{kernel}");
                assert_eq!(written[2].trim(), bytes.to_string(), "{kernel}");
            }
        }
    }
}

#[test]
fn a_plain_copy_is_a_load_and_a_store_of_its_width() {
    for module in MODULES {
        for (bits, width) in [
            (8, "b8"),
            (16, "b16"),
            (32, "b32"),
            (64, "v2.b32"),
            (128, "v4.b32"),
        ] {
            for kind in ["universal_copy", "auto_vectorizing_copy"] {
                let kernel = format!("{kind}_{bits}");
                for access in ["ld.global", "st.shared", "ld.shared", "st.global"] {
                    let instruction = format!("{access}.{width}");
                    assert_eq!(
                        count(module.ptx, &kernel, &instruction),
                        1,
                        "{kernel} {instruction}"
                    );
                }
            }
        }
    }
}

/// Checks that fragments that are packed and unpacked bit by bit stay in registers.
#[test]
fn nothing_lies_in_local_memory() {
    for module in MODULES {
        assert!(!module.ptx.contains(".local"), "sm_{}", module.sm);
    }
}

/// Checks that the sums of a chain stay in their registers: each of four instructions has D and C
/// in the same registers, and no value is moved.
#[test]
fn sums_stay_where_they_are() {
    for module in MODULES {
        for kernel in ["chain_assign", "chain_fma"] {
            let lines = instructions(module.ptx, kernel);
            let steps: Vec<_> = lines
                .iter()
                .filter(|line| line.starts_with("mma.sync"))
                .collect();
            assert_eq!(steps.len(), 4, "{kernel}");
            let sums = |line: &str| -> Vec<String> {
                let groups: Vec<_> = line.split(['{', '}']).collect();
                vec![groups[1].to_owned(), groups[groups.len() - 2].to_owned()]
            };
            let first = sums(steps[0]);
            assert_eq!(first[0], first[1], "{kernel}");
            assert!(steps.iter().all(|line| sums(line) == first), "{kernel}");
            let moves = lines.iter().filter(|line| line.starts_with("mov.b"));
            assert_eq!(moves.count(), 0, "{kernel}: {lines:?}");
        }
    }
}
