//! The stages that a loader of a GEMM's operand fills, for a test of its law.
//!
//! ```text
//!   A ─ begin_load, finish_load of k tiles 0, 1, 2 ─► stages ─ wait, barrier ─► stages[k tile][row][k]
//! ```
//!
//! Law: `stages[t][r][c]` is the element of stage t at `(r, c)`, after the loader of
//! [`ReluA`] copied k tile t to it.

use crate::relu_gemm::ReluA;
use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{sync_threads, thread_idx_x};
use gpu_kernels::gemm::mainloop::{GlobalMatrix, Loader, Operand, OperandLoader};
use layout_types::algorithm::{cp_async_fence, cp_async_wait};
use layout_types::prelude::*;
use layout_types::tensor::Shared;

/// Writes the three stages of [`ReluA`] for the tile of rows `rows` of A `(m, k)`, with rows `ld`
/// elements apart.
///
/// # Safety
/// One block of 128 threads with 12,288 bytes of dynamic shared memory. A is readable within its
/// extents; its address, k and `ld` are multiples of 16 bytes. `stages` has 3 * 64 * 32 elements.
#[kernel]
pub unsafe fn relu_a_stages(stages: *mut u16, a: *const u16, m: u32, k: u32, ld: u32, rows: u32) {
    let thread = thread_idx_x();
    // SAFETY: by the contract the block has 12,288 bytes of shared memory, as the stages have.
    let s_a = unsafe {
        Tensor::<Shared<u16>, <ReluA as Operand>::Stages>::shared(dynamic_shared_offset())
    };
    let matrix = GlobalMatrix {
        pointer: a,
        extents: [m, k],
        strides: [ld.into(), 1],
    };
    let mut loader = Loader::<ReluA>::new(matrix, &s_a, (rows, 0), thread);
    // SAFETY: A is readable by the contract. Each stage is written once before the barrier, and
    // only read after it. `place` is below the number of elements of `stages`.
    unsafe {
        let mut k_tile = 0;
        while k_tile < 3 {
            loader.begin_load(k_tile, k_tile);
            loader.advance();
            loader.finish_load(k_tile);
            k_tile += 1;
        }
        cp_async_fence();
        cp_async_wait::<0>();
        sync_threads();
        let mut place = thread;
        while place < 3 * 64 * 32 {
            let at = (place / 32 % 64, place % 32, place / (64 * 32));
            *stages.add(place as usize) = s_a.get(at);
            place += 128;
        }
    }
}
