//! `prefetch`: global memory on its way into L2.
//!
//! ```text
//!   prefetch(&g_a.slice((__, __, next)))        a hint per vector, no register waits for it
//! ```
//!
//! Law: no value changes. A prefetch outside of what is allocated does nothing.
//!
//! Source: CuTe `cute/algorithm/prefetch.hpp`; PTX ISA, *prefetch*.

use super::copy_auto::RunOf;
use super::{Vectors, Walk};
use crate::arch::prefetch::prefetch_global_l2;
use crate::tensor::{Engine, Global, GlobalAccess, Plain, Tensor};
use crate::unroll::unroll_type;
use typenum::{U128, Unsigned};

/// CuTe's `prefetch(tensor)`: asks for the lines of every element, once per vector that lies together.
#[inline(always)]
pub fn prefetch<T, A, L, const R: usize>(tensor: &Tensor<Global<T, A, R>, L>)
where
    T: Plain,
    A: GlobalAccess,
    L: Vectors<L, T, U128, Run: RunOf<L, Wide: Walk>>,
{
    let place = tensor.engine();
    let run = L::Run::U32;
    unroll_type::<<<L::Run as RunOf<L>>::Wide as Walk>::Count>(|i| {
        prefetch_global_l2(place.step::<L, u32>(i as u32 * run).address());
    });
}
