//! Converts a product to the arguments of a cuBLAS call: the entry point, the types, and the
//! leading dimensions.
//!
//! ```text
//!   CublasProduct, types ──► Call ──► cublasGemmEx     floats; s8 to s32 (32I); s8 to f32 (32F)
//!                           └─► cublasLtMatmul   s8 to s8 (32I, factors in f32); 8-bit floats (32F); any product on request
//! ```
//!
//! Law: the conversion has no side effects. A row-major matrix is the column-major form of its
//! transpose, so cuBLAS computes `Dᵀ = Bᵀ·Aᵀ`: cuBLAS's first operand is our B, and its m is our n.
//! A product for which cuBLAS has no kernel is refused here, with the reason, before anything runs.
//!
//! Source: cuBLAS library reference, `cublasGemmEx` (table of types; "`CUBLAS_COMPUTE_32I` …
//! leading dimensions multiples of 4") and `cublasLtMatmul` (table of types for
//! `CUBLAS_COMPUTE_32I`; "regular data ordering": TN, m and k multiples of 4).

use super::{Compute, CublasApi, CublasError, CublasProduct};
use half::f16;
use std::ffi::c_int;

pub(super) const OP_N: c_int = 0;
pub(super) const OP_T: c_int = 1;

/// `cudaDataType_t`.
pub(super) const R_32F: c_int = 0;
pub(super) const R_16F: c_int = 2;
pub(super) const R_8I: c_int = 3;
pub(super) const R_32I: c_int = 10;
pub(super) const R_16BF: c_int = 14;
pub(super) const R_8F_E4M3: c_int = 28;
pub(super) const R_8F_E5M2: c_int = 29;

/// The entry point that computes a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    GemmEx,
    LtMatmul,
}

/// The arguments of a cuBLAS call for a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub route: Route,
    /// The operations on cuBLAS's first and second operand: our B and our A.
    pub operations: [c_int; 2],
    /// cuBLAS's m, n, k: our n, m, k.
    pub extents: [c_int; 3],
    /// The leading dimensions of our B, our A and our D.
    pub leading: [c_int; 3],
    /// The types of the inputs and of D.
    pub types: [c_int; 2],
    /// The type of C, which is not read: D's type, or bf16 if D is an 8-bit float.
    pub type_of_c: c_int,
    /// Whether 8-bit floats are accumulated only by the tensor cores, without an additional sum in
    /// f32.
    pub fast_accumulation: bool,
    /// `cublasComputeType_t`.
    pub compute: c_int,
    /// The type of alpha and beta.
    pub scale: c_int,
    /// The numbers 1 and 0 in the type `scale`.
    pub alpha: [u8; 4],
    pub beta: [u8; 4],
}

impl Call {
    /// Returns the call for `product` with matrices without gaps, whose `cudaDataType_t`s are
    /// `input` and `output`.
    ///
    /// # Errors
    /// Returns [`CublasError::Shape`] for an extent that cuBLAS cannot count, for a combination of
    /// types that cuBLAS does not have, and for a shape or an order that its integer kernels do not
    /// support.
    pub(super) fn of(
        product: &CublasProduct,
        input: c_int,
        output: c_int,
    ) -> Result<Self, CublasError> {
        let &CublasProduct {
            a_rows,
            b_rows,
            compute,
            ..
        } = product;
        let refuse = |what: String| Err(CublasError::Shape { what });
        let extent = |name: &str, value: u32| match c_int::try_from(value) {
            Ok(value) if value > 0 => Ok(value),
            _ => Err(CublasError::Shape {
                what: format!("{name} is {value}; cuBLAS takes 1 to {}", c_int::MAX),
            }),
        };
        let (m, n, k) = (
            extent("M", product.m)?,
            extent("N", product.n)?,
            extent("K", product.k)?,
        );
        let (op_b, ld_b) = if b_rows { (OP_N, n) } else { (OP_T, k) };
        let (op_a, ld_a) = if a_rows { (OP_N, k) } else { (OP_T, m) };
        let integers = input == R_8I;
        let is_fp8 = |ty| ty == R_8F_E4M3 || ty == R_8F_E5M2;
        let route = match (integers, compute, output) {
            (true, Compute::I32, R_32I) | (true, Compute::F32, R_32F) => Route::GemmEx,
            (true, Compute::I32, R_8I) => Route::LtMatmul,
            (false, Compute::F32, _) if is_fp8(input) && output != R_32I => Route::LtMatmul,
            (false, Compute::F32 | Compute::F16 | Compute::Tf32, R_8I | R_32I) => {
                return refuse("cuBLAS has no product of floats with an integer D".into());
            }
            (false, Compute::F32 | Compute::F16 | Compute::Tf32, _) => Route::GemmEx,
            _ => {
                return refuse(
                    "cuBLAS multiplies s8 with a 32-bit integer accumulator to D of s32 or s8, with an f32 accumulator to \
                     D of f32; nothing else has an integer accumulator"
                        .into(),
                );
            }
        };
        if integers {
            for (name, along, value) in [
                ("A", if a_rows { "K" } else { "M" }, ld_a),
                ("B", if b_rows { "N" } else { "K" }, ld_b),
            ] {
                if value % 4 != 0 {
                    return refuse(format!(
                        "{along} is {value}, the leading dimension of {name}; cuBLAS takes multiples of 4 for s8"
                    ));
                }
            }
        }
        if is_fp8(input) {
            if input == R_8F_E5M2 {
                return refuse(
                    "cuBLAS multiplies e4m3 with e4m3 or with e5m2, and not e5m2 with e5m2".into(),
                );
            }
            if !a_rows || b_rows {
                return refuse(
                    "cuBLAS multiplies 8-bit floats with A row-major and B column-major only (tn)"
                        .into(),
                );
            }
            for (name, value) in [("M", m), ("N", n), ("K", k)] {
                if value % 16 != 0 {
                    return refuse(format!(
                        "{name} is {value}; cuBLAS takes multiples of 16 for 8-bit floats"
                    ));
                }
            }
        } else if route == Route::LtMatmul {
            if !a_rows || b_rows {
                return refuse(
                    "cuBLAS multiplies s8 to s8 with A row-major and B column-major only (tn)"
                        .into(),
                );
            }
            if n % 4 != 0 {
                return refuse(format!("N is {n}; cuBLAS takes multiples of 4 for D of s8"));
            }
        }
        let exists_in_gemm_ex = route == Route::GemmEx;
        let route = match product.api {
            CublasApi::GemmEx => route,
            CublasApi::Lt => Route::LtMatmul,
        };
        // With factors in f32, cublasLt rounds and saturates the integer sum to 8 bits.
        let (scale, alpha) = match compute {
            Compute::I32 if exists_in_gemm_ex => (R_32I, 1_i32.to_le_bytes()),
            Compute::F16 => {
                let [low, high] = f16::ONE.to_le_bytes();
                (R_16F, [low, high, 0, 0])
            }
            Compute::I32 | Compute::F32 | Compute::Tf32 => (R_32F, 1.0_f32.to_le_bytes()),
        };
        Ok(Self {
            route,
            operations: [op_b, op_a],
            extents: [n, m, k],
            leading: [ld_b, ld_a, n],
            types: [input, output],
            type_of_c: if is_fp8(output) { R_16BF } else { output },
            fast_accumulation: is_fp8(input),
            compute: compute.code(),
            scale,
            alpha,
            beta: [0; 4],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(product: &CublasProduct, input: c_int, output: c_int) -> String {
        Call::of(product, input, output).unwrap_err().to_string()
    }

    #[test]
    fn bytes_are_multiplied_as_the_reference_says() {
        // D of s32: GemmEx, with the accumulator and the factors in 32-bit integers.
        let product = CublasProduct::new((256, 512, 64), Compute::I32);
        let to_s32 = Call::of(&product, R_8I, R_32I).unwrap();
        let expected = Call {
            route: Route::GemmEx,
            operations: [OP_T, OP_N],
            extents: [512, 256, 64],
            leading: [64, 64, 512],
            types: [R_8I, R_32I],
            type_of_c: R_32I,
            fast_accumulation: false,
            compute: 72,
            scale: R_32I,
            alpha: [1, 0, 0, 0],
            beta: [0; 4],
        };
        assert_eq!(to_s32, expected);
        // D of s8: cublasLtMatmul, with the same accumulator, and the factors in f32.
        let one = 1.0_f32.to_le_bytes();
        assert_eq!(
            Call::of(&product, R_8I, R_8I).unwrap(),
            Call {
                route: Route::LtMatmul,
                types: [R_8I, R_8I],
                type_of_c: R_8I,
                scale: R_32F,
                alpha: one,
                ..expected
            }
        );
        // D of f32: GemmEx, with everything in f32.
        let product = CublasProduct::new((256, 512, 64), Compute::F32);
        assert_eq!(
            Call::of(&product, R_8I, R_32F).unwrap(),
            Call {
                types: [R_8I, R_32F],
                type_of_c: R_32F,
                compute: 68,
                scale: R_32F,
                alpha: one,
                ..expected
            }
        );
    }

    #[test]
    fn orders_choose_operations_and_leading_dimensions() {
        for (a_rows, b_rows, operations, leading) in [
            (true, false, [OP_T, OP_N], [7, 7, 5]),
            (true, true, [OP_N, OP_N], [5, 7, 5]),
            (false, false, [OP_T, OP_T], [7, 3, 5]),
            (false, true, [OP_N, OP_T], [5, 3, 5]),
        ] {
            let product = CublasProduct {
                a_rows,
                b_rows,
                ..CublasProduct::new((3, 5, 7), Compute::F16)
            };
            let call = Call::of(&product, R_16F, R_16F).unwrap();
            assert_eq!((call.operations, call.leading), (operations, leading));
            assert_eq!((call.scale, call.alpha), (R_16F, [0, 0x3c, 0, 0]));
        }
    }

    #[test]
    fn what_cublas_has_no_kernel_for_is_refused() {
        let product = CublasProduct::new((8, 8, 8), Compute::I32);
        for (input, output) in [(R_8I, R_32F), (R_16F, R_16F), (R_32F, R_32F)] {
            assert!(
                said(&product, input, output).contains("nothing else has an integer accumulator")
            );
        }
        assert!(
            said(&CublasProduct::new((8, 8, 8), Compute::F32), R_16F, R_32I)
                .contains("an integer D")
        );
        let odd = CublasProduct::new((8, 8, 30), Compute::I32);
        assert_eq!(
            said(&odd, R_8I, R_32I),
            "K is 30, the leading dimension of A; cuBLAS takes multiples of 4 for s8"
        );
        let odd = CublasProduct::new((8, 6, 8), Compute::I32);
        assert!(Call::of(&odd, R_8I, R_32I).is_ok());
        assert_eq!(
            said(&odd, R_8I, R_8I),
            "N is 6; cuBLAS takes multiples of 4 for D of s8"
        );
        let rows = CublasProduct {
            b_rows: true,
            ..product
        };
        assert!(Call::of(&rows, R_8I, R_32I).is_ok());
        assert!(said(&rows, R_8I, R_8I).contains("(tn)"));
        let bytes = CublasProduct::new((16, 32, 64), Compute::F32);
        let fp8 = Call::of(&bytes, R_8F_E4M3, R_8F_E4M3).unwrap();
        assert_eq!(
            (fp8.route, fp8.type_of_c, fp8.fast_accumulation),
            (Route::LtMatmul, R_16BF, true)
        );
        assert!(said(&bytes, R_8F_E5M2, R_16BF).contains("not e5m2 with e5m2"));
        assert_eq!(
            said(&CublasProduct { k: 72, ..bytes }, R_8F_E4M3, R_16BF),
            "K is 72; cuBLAS takes multiples of 16 for 8-bit floats"
        );
        assert!(
            said(
                &CublasProduct {
                    b_rows: true,
                    ..bytes
                },
                R_8F_E4M3,
                R_16BF
            )
            .contains("(tn)")
        );
        let large = CublasProduct::new((1 << 31, 8, 8), Compute::F32);
        assert_eq!(
            said(&large, R_16F, R_16F),
            "M is 2147483648; cuBLAS takes 1 to 2147483647"
        );
    }
}
