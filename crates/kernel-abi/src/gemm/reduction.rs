//! The sum of a split-K product's slices, with the epilogue.
//!
//! ```text
//!   workspace  f32 or s32 (slice, batch, m, n) ──gemm_reduction_f16──► sum of the slices ─ epilogue ─► D
//! ```
//!
//! The threads of a CTA have two coordinates: a vector of four elements of D, and a part of the
//! slices. The parts are added at the same time, so that enough loads are in flight if D is small.
//!
//! Law: the order in which slices are added depends only on the number of slices, so that every run
//! has the same bits.

use super::plan::not_above;
use super::{GemmArgument, GemmParams, GemmProblem, InputType, flags};
use crate::{BufferSpec, LaunchSpec, ProblemError};

/// The second launch of a split-K product on Hopper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// The kernel, its grid and CTA, and its buffers: D, the slices, C, the bias. Their lengths are
    /// counted in elements of D, in bytes, in elements of C and in f32.
    pub launch: LaunchSpec<4>,
    /// The problem's parameters, with the number of slices.
    pub params: GemmParams,
    /// The leading dimension of a slice, in units of 4 bytes.
    pub ld: u64,
    /// The offset of the slices in the workspace, in bytes.
    pub offset: u64,
}

/// The most threads that a CTA of the reduction has.
pub const REDUCTION_THREADS: u32 = 512;
/// The number of slices that a thread adds one after the other. With more than 16 parts of this
/// size, threads add more slices. The loads of this many slices are in flight at once.
const SLICES_OF_PART: u32 = 4;

/// Returns a CTA's number of vectors (of four elements of D) and its number of parts of the slices.
/// Both are powers of two.
fn block(slices: u32) -> [u32; 2] {
    let parts = slices.div_ceil(SLICES_OF_PART).next_power_of_two().min(16);
    // A CTA has at least a warp of vectors, and at least 128 threads.
    [(128 / parts).max(32), parts]
}

impl Reduction {
    /// Returns the name of the kernel that adds the slices of a product of inputs of this type.
    #[must_use]
    pub const fn kernel(input: InputType) -> &'static str {
        match input {
            InputType::F16 => "gemm_reduction_f16",
            InputType::Bf16 => "gemm_reduction_bf16",
            InputType::Tf32 => "gemm_reduction_tf32",
            InputType::S8 => "gemm_reduction_s8",
            InputType::E4m3 => "gemm_reduction_e4m3",
            InputType::E5m2 => "gemm_reduction_e5m2",
        }
    }

    /// Returns the launch that adds `slices` slices of a problem. The parameters and the buffers
    /// are those of the product's launch.
    pub(super) fn of(
        problem: &GemmProblem,
        params: GemmParams,
        [d, c, bias]: [BufferSpec; 3],
        slices: u32,
        offset: u64,
    ) -> Result<Self, ProblemError> {
        let ld = Self::leading(problem);
        let vectors = u64::from(problem.m) * u64::from(problem.n.div_ceil(4));
        let [of_cta, parts] = block(slices);
        let ctas = vectors.div_ceil(u64::from(of_cta));
        // The kernel numbers vectors in 32 bits.
        not_above(
            "the number of CTAs",
            ctas,
            ((1 << 32) - 1) / u64::from(of_cta),
        )?;
        let bytes = Self::bytes(problem, slices);
        // The buffer is the same as that of the product's launch.
        let same = |argument, of: BufferSpec| BufferSpec {
            element_bytes: of.element_bytes,
            ..Self::ARGUMENTS
                .buffer(argument, of.elements, of.alignment)
                .named(of.name)
        };
        Ok(Self {
            launch: LaunchSpec {
                kernel: Self::kernel(problem.input),
                grid: [ctas as u32, 1, problem.batches],
                block: [of_cta, parts, 1],
                cluster: [1; 3],
                shared_bytes: 0,
                buffers: [
                    same(GemmArgument::D, d),
                    Self::ARGUMENTS.buffer(GemmArgument::Slices, bytes, 16),
                    same(GemmArgument::C, c),
                    same(GemmArgument::Bias, bias),
                ],
            },
            params: GemmParams {
                k_slices: slices,
                ..params
            },
            ld,
            offset,
        })
    }

    /// Returns the leading dimension of a slice, in units of 4 bytes: whole vectors of 16 bytes.
    pub(super) fn leading(problem: &GemmProblem) -> u64 {
        u64::from(problem.n).next_multiple_of(4)
    }

    /// Returns the size in bytes of all slices of all batches.
    pub(super) fn bytes(problem: &GemmProblem, slices: u32) -> u64 {
        let rows = u64::from(problem.m) * u64::from(problem.batches) * u64::from(slices);
        4 * rows * Self::leading(problem)
    }

    /// Returns the flags of the launch that stores the slices: the accumulator without changes, in
    /// whole vectors.
    pub(super) const fn slice_flags(input: InputType) -> u32 {
        flags::VECTORS
            | match input {
                InputType::S8 => flags::INTEGER,
                _ => flags::WIDE,
            }
    }
}
