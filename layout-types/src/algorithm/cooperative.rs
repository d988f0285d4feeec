//! `cooperative_copy`: a whole tensor, by as many threads as there are.
//!
//! ```text
//!   128 threads, 1000 vectors:     thread t copies vectors t, t + 128, t + 256, ..
//! ```
//!
//! Law: afterwards, and after a barrier, `dst(i) == src(i)` for every `i`: vector `v` is copied by thread `v % THREADS`, once.
//!
//! Source: CuTe `cute/algorithm/cooperative_copy.hpp`.

use super::copy_auto::{ByVectors, CopyVectors};
use crate::layout::LayoutFn;
use crate::tensor::{Engine, Tensor};
use typenum::{U128, Unsigned};

/// CuTe's `cooperative_copy<THREADS>(thread, src, dst)`: `THREADS` threads copy `src` to `dst`, of one shape, in accesses as
/// wide as both layouts prove.
///
/// Each thread calls it with its index. The tensors are in memory: an element of registers has no run-time index.
#[inline(always)]
pub fn cooperative_copy<const THREADS: u32, SE, SL, DE, DL>(
    thread: u32,
    src: &Tensor<SE, SL>,
    dst: &Tensor<DE, DL>,
) where
    SE: Engine,
    DE: Engine,
    SL: LayoutFn,
    DL: LayoutFn,
    ByVectors: CopyVectors<SE, SL, DE, DL, U128>,
{
    let (src, dst) = (src.engine(), dst.engine());
    let mut vector = thread;
    while vector < <ByVectors as CopyVectors<SE, SL, DE, DL, U128>>::Count::U32 {
        <ByVectors as CopyVectors<SE, SL, DE, DL, U128>>::access(vector, src, dst);
        vector += THREADS;
    }
}
