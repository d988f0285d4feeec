//! Checks the kernels as PTX: accesses are as wide as the layouts prove, and no element is in local
//! memory.

use atom_checks::{MODULES, body};

/// Returns the lines of a kernel.
fn instructions<'a>(ptx: &'a str, kernel: &str) -> Vec<&'a str> {
    body(ptx, kernel).collect()
}

/// Returns the number of a kernel's instructions that begin with this prefix.
fn count(ptx: &str, kernel: &str, prefix: &str) -> usize {
    let begins = |line: &&&str| line.split_whitespace().any(|word| word.starts_with(prefix));
    instructions(ptx, kernel).iter().filter(begins).count()
}

#[test]
fn an_automatic_copy_is_as_wide_as_its_layouts_prove() {
    for module in MODULES {
        for access in ["ld.global", "st.shared", "ld.shared", "st.global"] {
            let all = count(module.ptx, "tensor_auto", access);
            let wide = count(module.ptx, "tensor_auto", &format!("{access}.v4.b32"));
            assert_eq!((all, wide), (1, 1), "{access}, sm_{}", module.sm);
        }
        // 64 elements of 16 bits are eight accesses of 128 bits each way, and a prefetch for each.
        for access in ["ld.global", "st.global"] {
            let all = count(module.ptx, "tensor_prefetch", access);
            let wide = count(module.ptx, "tensor_prefetch", &format!("{access}.v4.b32"));
            assert_eq!((all, wide), (8, 8), "{access}, sm_{}", module.sm);
        }
        assert_eq!(count(module.ptx, "tensor_prefetch", "prefetch.global"), 8);
        // The loop of a cooperative copy, to shared memory and back.
        for access in ["ld.global", "st.shared", "ld.shared", "st.global"] {
            let all = count(module.ptx, "tensor_cooperative", access);
            let wide = count(
                module.ptx,
                "tensor_cooperative",
                &format!("{access}.v4.b32"),
            );
            assert!(all == wide && wide > 0, "{access}, sm_{}", module.sm);
        }
    }
}

#[test]
fn a_tile_is_moved_by_as_many_matrix_instructions_as_it_has_matrices() {
    for module in MODULES {
        // These kernels move 16 matrices of 8 by 8.
        let mut kernels = vec![
            ("tensor_ldmatrix_a_x4", "ldmatrix", 4),
            ("tensor_ldmatrix_a_x2", "ldmatrix", 8),
            ("tensor_ldmatrix_a_x1", "ldmatrix", 16),
            ("tensor_ldmatrix_b_x4", "ldmatrix", 4),
            ("tensor_ldmatrix_b_x2", "ldmatrix", 8),
            ("tensor_ldmatrix_a_t", "ldmatrix", 4),
            ("tensor_ldmatrix_b_t", "ldmatrix", 8),
            // 128 threads copy eight halfs each: one copy per thread.
            ("tensor_cp_async", "cp.async.cg", 1),
            // (64,64,32): each of 4 warps has 2 x 4 atoms in 2 steps along K.
            ("tensor_gemm_f16", "mma.sync", 16),
            ("tensor_gemm_f16_f16", "mma.sync", 16),
            ("tensor_gemm_tf32", "mma.sync", 2 * 2 * 4),
            ("tensor_gemm_s8", "mma.sync", 4 * 2),
            ("tensor_gemm_f64", "mma.sync", 3 * 2),
            ("tensor_gemm_fma", "fma.rn.f32", 4 * 3 * 5),
        ];
        if module.sm >= 90 {
            kernels.extend([
                ("tensor_stmatrix_x4", "stmatrix", 4),
                ("tensor_stmatrix_x2", "stmatrix", 8),
                ("tensor_stmatrix_t", "stmatrix", 8),
            ]);
        }
        for (kernel, instruction, expected) in kernels {
            let found = count(module.ptx, kernel, instruction);
            assert_eq!(found, expected, "{kernel}, sm_{}", module.sm);
        }
    }
}

#[test]
fn nothing_lies_in_local_memory_and_no_bound_is_checked() {
    for module in MODULES {
        let names: Vec<_> = module
            .ptx
            .split(".visible .entry tensor_")
            .skip(1)
            .map(|rest| format!("tensor_{}", rest.split('(').next().unwrap()))
            .collect();
        assert_eq!(names.len(), if module.sm >= 90 { 23 } else { 20 });
        for name in names {
            let lines = instructions(module.ptx, &name);
            for absent in [".local", "call", "trap"] {
                let found = lines.iter().find(|line| line.contains(absent));
                assert_eq!(found, None, "{name}, sm_{}", module.sm);
            }
        }
    }
}
