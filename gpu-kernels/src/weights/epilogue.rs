//! Makes an element of D from a sum, by the epilogue operation that every GEMM uses.
//!
//! ```text
//!   sum at (m, n) ──► act(alpha · sum + beta · C[m, n] + bias[n]) ──► rounded once ──► D[m, n]
//! ```
//!
//! Law: the law of [`LinearCombination`] holds, and nothing beyond D's rows and columns is written.

use super::config::Activation;
use super::scaling::GroupScaling;
use crate::gemm::epilogue::op::{ElementValue, EpilogueOp, LinearCombination};
use kernel_abi::gemm::{GemmParams, flags};
use layout_types::atom::convert::convert;

/// A kernel's buffers.
#[derive(Clone, Copy)]
pub struct Pointers {
    /// D (m, n).
    pub d: *mut u8,
    /// X (m, k).
    pub x: *const u8,
    /// The packed codes.
    pub codes: *const u8,
    /// The packed scales with the zeros and minima, or one scale in f32 for each row of W.
    pub groups: *const u8,
    /// C (m, n).
    pub c: *const u8,
    /// The bias (n).
    pub bias: *const f32,
    /// Counters and partial tiles of a kernel of many rows.
    pub workspace: *mut u8,
}

/// Returns the factor of a sum of row `n` of W before the epilogue: the row's scale, or 1 if groups
/// have scales.
///
/// # Safety
/// `n` is less than the number of padded rows of W, and `of.groups` has a scale for each of them.
#[inline(always)]
pub unsafe fn row_scale<S: GroupScaling>(of: &Pointers, n: u32) -> f32 {
    if const { S::GROUP.is_none() } {
        // SAFETY: there is a scale in f32 for each padded row, by the function's contract.
        unsafe { *of.groups.cast::<f32>().wrapping_add(n as usize) }
    } else {
        1.0
    }
}

/// Stores the sum of token `m` and row `n` of W if (m, n) is in D's bounds.
///
/// # Safety
/// D, C and the bias have the lengths that the plan gives, and no other thread stores this element.
#[inline(always)]
pub unsafe fn store<E: Activation>(of: &Pointers, params: &GemmParams, m: u32, n: u32, sum: f32) {
    if m >= params.m || n >= params.n {
        return;
    }
    let wide = params.epilogue & flags::WIDE != 0;
    let mut sum = sum;
    if !LinearCombination::is_identity(params) {
        let mut value = ElementValue {
            value: sum,
            load_c: || {
                let at = (u64::from(m) * params.ldc + u64::from(n)) as usize;
                // SAFETY: (m, n) is in bounds. C has D's type, and it is read only if the flags say
                // that there is a C.
                unsafe {
                    if wide {
                        *of.c.cast::<f32>().wrapping_add(at)
                    } else {
                        convert(*of.c.cast::<E>().wrapping_add(at))
                    }
                }
            },
            // SAFETY: column n is in bounds, and the bias is read only if the flags say that there
            // is a bias.
            load_bias: || unsafe { *of.bias.wrapping_add(n as usize) },
        };
        LinearCombination::apply(&mut value, params);
        sum = value.value;
    }
    let at = (u64::from(m) * params.ldd + u64::from(n)) as usize;
    // SAFETY: (m, n) is in bounds, and no other thread stores it, by the function's contract.
    unsafe {
        if wide {
            *of.d.cast::<f32>().wrapping_add(at) = sum;
        } else {
            *of.d.cast::<E>().wrapping_add(at) = E::round(sum);
        }
    }
}
