//! D = A·Bᵀ with A (M, K) and B (N, K) row-major, in 128×128×32 tiles of 128 threads.
//!
//! ```text
//!                 B (128 n, 32 k)            a block computes a (128, 128) tile of D in K/32 steps,
//!                ┌──────┬──────┐             four warps a (64, 64) quarter each;
//!  A (128 m,     │      │      │             tiles come in by cp.async, three steps ahead,
//!     32 k)      ├──────┼──────┤             fragments by ldmatrix, products by mma.sync.m16n8k16
//!  ┌────┬────┐   │ w0 64│ w2   │
//!  │    │    │   ├──────┼──────┤
//!  └────┴────┘   │ w1   │ w3   │
//!                └──────┴──────┘
//! ```
//!
//! Law: `D[m][n]` is the sum over k of `A[m][k]·B[n][k]`, products exact, summed in f32 in an order that the
//! hardware chooses, rounded once to the output type. Any M, N, K from 1 up is right: what lies outside the
//! matrices is read as zero and not written.
//!
//! Two paths differ only in how a tile gets into shared memory: 16 bytes at a time by `cp.async`, where every
//! row starts on a 16-byte boundary (K a multiple of 8 and A, B aligned), otherwise element by element.

pub mod abi;
pub mod config;
pub mod configurations;
mod entries;
mod epilogue;
#[cfg_attr(
    not(all(feature = "tuned-kernels", target_arch = "nvptx64")),
    allow(unused_macros, unused_imports)
)]
mod epilogue_store;
mod kernel;
mod kernels;
pub mod layouts;
mod load;
mod mainloop;
#[cfg_attr(not(feature = "tuned-kernels"), allow(unused_macros, unused_imports))]
pub mod operand;
mod pipeline;
pub mod plain;
mod problem;
mod raster;
pub mod words;

pub use entries::*;
pub use epilogue::Out;
pub use kernels::*;
pub use layouts::Element;
pub use problem::{
    Activation, Configuration, Epilogue, Gemm, InputType, Major, Majors, OutputType, Plan,
    Schedule, SumType,
};

use crate::contract::{Buffer, Contract, MOST_BLOCKS_Y, MOST_EXTENT, Refused, const_try, extent};

/// Rows of D that a block computes.
pub const TILE_M: u32 = 128;
/// Columns of D that a block computes.
pub const TILE_N: u32 = 128;
/// Depth of a step along K.
pub const TILE_K: u32 = 32;
/// Threads of a block: four warps, in two rows and two columns.
pub const THREADS: u32 = 128;
/// Tiles of A and B in shared memory at once.
pub const STAGES: u32 = 4;
/// Dynamic shared memory of a block, in bytes: A and B tiles of 16-bit elements for each stage.
pub const SHARED_BYTES: u32 = STAGES * (TILE_M + TILE_N) * TILE_K * 2;

/// The type of A's and B's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
}

/// The type of D's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    /// The type of the inputs: the f32 sum rounded to nearest even.
    Same,
    /// The f32 sum as it is.
    F32,
}

/// D is (M, N), A (M, K), B (N, K), all row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    /// Rows of A and D.
    pub m: u32,
    /// Rows of B, columns of D.
    pub n: u32,
    /// Columns of A and B.
    pub k: u32,
}

impl Problem {
    /// The launch that computes this problem: the kernel that fits `K`, its grid, and what its buffers must hold.
    ///
    /// Arguments of the kernel, in order: D, A, B, m, n, k.
    ///
    /// # Errors
    /// [`Refused`] where an extent is 0 or beyond what a grid covers (M up to 8,388,480, N and K up to 2^31).
    ///
    /// ```
    /// use gpu_kernels::gemm::{Input, Output, Problem};
    /// let contract = Problem { m: 129, n: 128, k: 77 }.contract(Input::F16, Output::F32)?;
    /// assert_eq!(contract.kernel, "gemm_f16_f32_any"); // 77 is no multiple of 8
    /// assert_eq!(contract.grid, [1, 2, 1]);
    /// # Ok::<(), gpu_kernels::contract::Refused>(())
    /// ```
    pub const fn contract(self, input: Input, output: Output) -> Result<Contract<3>, Refused> {
        const_try!(extent("M", self.m, MOST_BLOCKS_Y * TILE_M));
        const_try!(extent("N", self.n, MOST_EXTENT));
        const_try!(extent("K", self.k, MOST_EXTENT));
        let (kernel, alignment) = match (input, output, self.k.is_multiple_of(8)) {
            (Input::F16, Output::Same, true) => ("gemm_f16_f16", 16),
            (Input::F16, Output::F32, true) => ("gemm_f16_f32", 16),
            (Input::Bf16, Output::Same, true) => ("gemm_bf16_bf16", 16),
            (Input::Bf16, Output::F32, true) => ("gemm_bf16_f32", 16),
            (Input::F16, Output::Same, false) => ("gemm_f16_f16_any", 2),
            (Input::F16, Output::F32, false) => ("gemm_f16_f32_any", 2),
            (Input::Bf16, Output::Same, false) => ("gemm_bf16_bf16_any", 2),
            (Input::Bf16, Output::F32, false) => ("gemm_bf16_f32_any", 2),
        };
        let pair = match output {
            Output::Same => 4,
            Output::F32 => 8,
        };
        Ok(Contract {
            kernel,
            grid: [self.n.div_ceil(TILE_N), self.m.div_ceil(TILE_M), 1],
            block: [THREADS, 1, 1],
            shared_bytes: SHARED_BYTES as usize,
            buffers: [
                Buffer {
                    argument: 0,
                    name: "D",
                    elements: self.m as u64 * self.n as u64,
                    alignment: pair,
                    written: true,
                },
                Buffer {
                    argument: 1,
                    name: "A",
                    elements: self.m as u64 * self.k as u64,
                    alignment,
                    written: false,
                },
                Buffer {
                    argument: 2,
                    name: "B",
                    elements: self.n as u64 * self.k as u64,
                    alignment,
                    written: false,
                },
            ],
        })
    }
}
