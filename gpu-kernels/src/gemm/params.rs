//! Makes the matrices of a batch from a kernel's arguments: A and B in global memory, the stages in
//! shared memory, D, C and the bias.
//!
//! ```text
//!   kernel(d, a, b, c, bias, workspace, params) ─ blockIdx.z ─► operands: A (m, k), B (n, k)     epilogue: D, C (m, n), bias (n)
//! ```
//!
//! Law: the matrices are those that [`kernel_abi::gemm::GemmParams`] defines.

use super::config::{BitsD, GemmConfig, GemmKernel};
use super::mainloop::{Bits, GlobalMatrix, LoadedOperand, Operand, StagesOf};
use cuda_std::shared::dynamic_shared_offset;
use kernel_abi::gemm::{GemmParams, Major, flags};
use layout_types::prelude::*;
use layout_types::tensor::Plain;

/// The addresses among a kernel's arguments.
#[derive(Clone, Copy)]
pub struct KernelPointers {
    /// D.
    pub d: *mut u8,
    /// A.
    pub a: *const u8,
    /// B.
    pub b: *const u8,
    /// C.
    pub c: *const u8,
    /// The bias.
    pub bias: *const f32,
    /// The counters and partial tiles of split-K and stream-K.
    pub workspace: *mut u8,
}

/// The addresses of D, C and the bias of one batch.
#[derive(Clone, Copy)]
pub struct EpiloguePointers {
    /// D.
    pub d: *mut u8,
    /// C.
    pub c: *const u8,
    /// The bias.
    pub bias: *const f32,
}

/// The bits of an element of A and B.
pub type OperandBits<C> = Bits<<C as GemmConfig>::A>;
/// A and B in global memory.
pub type OperandsOf<C> = (GlobalMatrix<OperandBits<C>>, GlobalMatrix<OperandBits<C>>);

/// Returns the stages of A and then those of B, from the start of the CTA's dynamic shared memory.
#[inline(always)]
pub fn stages<C: GemmConfig>() -> (StagesOf<C::A>, StagesOf<C::B>) {
    let shared = dynamic_shared_offset();
    // SAFETY: the plan launches with `CONFIGURATION.shared_bytes`, at least `A::BYTES + B::BYTES`.
    // The mainloop's barriers separate a stage's writers from its readers.
    unsafe { (Tensor::shared(shared), Tensor::shared(shared + C::A::BYTES)) }
}

/// Returns the address of a batch's first element.
///
/// # Safety
/// `batch` is a batch of the buffer.
#[inline(always)]
unsafe fn batch_pointer<T: Plain>(address: *const u8, batch: u32, stride: u64) -> *const T {
    // SAFETY: the caller names a batch of the buffer, so that the offset lies in it.
    unsafe {
        address
            .cast::<T>()
            .add((u64::from(batch) * stride) as usize)
    }
}

/// Whether loads of several elements along `mode` suit the major. Loads of single elements suit any
/// major.
const fn loads_along(mode: Option<usize>, major: Major) -> bool {
    match mode {
        None => true,
        Some(mode) => (mode == 1) == matches!(major, Major::K),
    }
}

/// Returns A (m, k) and B (n, k) of a batch.
#[inline(always)]
pub fn operands<C: GemmKernel>(
    pointers: &KernelPointers,
    params: &GemmParams,
    batch: u32,
) -> OperandsOf<C> {
    const {
        assert!(
            loads_along(C::A::UNIT_MODE, C::CONFIGURATION.majors.a())
                && loads_along(C::B::UNIT_MODE, C::CONFIGURATION.majors.b()),
            "an operand's tiled copy loads along k if the configuration's majors say so, else along m or n"
        );
    }
    let &GemmParams { m, n, k, .. } = params;
    let majors = C::CONFIGURATION.majors;
    // Loads of single elements work for any majors: such a kernel reads them from its parameters.
    let any = C::CONFIGURATION.load_bytes == size_of::<OperandBits<C>>() as u32;
    let strides = |major: Major, flag: u32, ld: u64| {
        let k_major = if any {
            params.epilogue & flag == 0
        } else {
            matches!(major, Major::K)
        };
        if k_major { [ld, 1] } else { [1, ld] }
    };
    // SAFETY: the plan launches a grid whose z extent is the number of batches; `batch` is a block
    // index of it.
    let (a, b) = unsafe {
        (
            batch_pointer::<OperandBits<C>>(pointers.a, batch, params.batch_a),
            batch_pointer::<OperandBits<C>>(pointers.b, batch, params.batch_b),
        )
    };
    (
        GlobalMatrix {
            pointer: a,
            extents: [m, k],
            strides: strides(majors.a(), flags::A_MN, params.lda),
        },
        GlobalMatrix {
            pointer: b,
            extents: [n, k],
            strides: strides(majors.b(), flags::B_MN, params.ldb),
        },
    )
}

/// Returns D, C and the bias of a batch.
///
/// # Safety
/// `batch` is a batch of D's buffer and, if the flags say that there is a C, of C's buffer.
#[inline(always)]
pub unsafe fn epilogue_pointers<C: GemmConfig>(
    pointers: &KernelPointers,
    params: &GemmParams,
    batch: u32,
) -> EpiloguePointers {
    let bytes = if params.epilogue & (flags::WIDE | flags::INTEGER) == 0 {
        size_of::<BitsD<C>>()
    } else {
        4
    };
    let offset = |stride: u64| (u64::from(batch) * stride) as usize * bytes;
    // SAFETY: the caller names a batch of D's buffer, so that the offset lies in it. C's offset
    // wraps: without C there is no buffer.
    unsafe {
        EpiloguePointers {
            d: pointers.d.add(offset(params.batch_d)),
            c: pointers.c.wrapping_add(offset(params.batch_c)),
            bias: pointers.bias,
        }
    }
}
