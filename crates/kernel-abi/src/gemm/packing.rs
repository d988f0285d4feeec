//! A copy of an operand, made because the tensor memory accelerator cannot address the operand's
//! rows.
//!
//! ```text
//!   A (m, k)   lda 4091 elements of 2 bytes ──pack_u16──► workspace   lda 4096      one warp a row, 16 bytes a lane
//! ```
//!
//! Law: a tensor map takes rows that begin at multiples of 16 bytes. If an operand's address or
//! strides are not multiples of 16 bytes, the tensor map has the address and strides of the
//! operand's copy. The bytes between the copy's rows are zero.

use super::plan::not_above;
use super::problem::vector_bytes;
use super::{GemmArgument, GemmProblem, Major};
use crate::{BufferSpec, LaunchSpec, ProblemError};

/// A copy of A or of B into the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// The kernel, its grid and its CTA. The launch's buffers are the copy, counted in bytes, and
    /// the operand, counted in elements.
    pub launch: LaunchSpec<2>,
    /// The number of rows of a batch.
    pub rows: u32,
    /// The number of elements of a row.
    pub columns: u32,
    /// The operand's leading dimension and the copy's, in elements.
    pub ld: [u64; 2],
    /// The operand's batch stride and the copy's, in elements.
    pub batch_stride: [u64; 2],
    /// The offset of the copy in the workspace, in bytes.
    pub offset: u64,
}

/// The number of threads of a CTA, which has one warp for each of eight rows.
const THREADS: u32 = 256;

impl Packing {
    /// Returns the copy that an operand of a problem (0 for A, 1 for B) needs, or `None` if a
    /// tensor map takes the operand as it is. The operand is in `buffer`, and the copy begins
    /// `offset` bytes into the workspace.
    pub(super) fn of(
        problem: &GemmProblem,
        operand: usize,
        buffer: BufferSpec,
        offset: u64,
    ) -> Result<Option<Self>, ProblemError> {
        let (major, rows, ld) = match operand {
            0 => (problem.majors.a(), problem.m, problem.lda),
            _ => (problem.majors.b(), problem.n, problem.ldb),
        };
        let (rows, columns) = match major {
            Major::K => (rows, problem.k),
            Major::Mn => (problem.k, rows),
        };
        let stride = problem.batch_strides[operand];
        let matrices = problem.matrices()[operand];
        let batches = if matrices == 1 || stride == 0 {
            1
        } else {
            matrices
        };
        let bytes = u64::from(problem.input.bytes());
        // The stride of a single row or batch addresses nothing, but a tensor map contains it
        // nevertheless.
        let of_rows = if rows == 1 { u64::from(columns) } else { ld };
        let of_batches = if batches == 1 { 0 } else { stride };
        let strides = (of_rows | of_batches) * bytes;
        if vector_bytes(strides | u64::from(problem.input_alignment)) == 16 {
            return Ok(None);
        }
        let packed = u64::from(columns).next_multiple_of(16 / bytes);
        let of_batch = u64::from(rows) * packed;
        let copied = of_batch * u64::from(batches) * bytes;
        let ctas = u64::from(rows.div_ceil(THREADS / 32));
        not_above("the number of CTAs", ctas, (1 << 31) - 1)?;
        let [of_one, of_two, of_four] = Self::KERNELS;
        let (kernel, _) = match bytes {
            1 => of_one,
            2 => of_two,
            _ => of_four,
        };
        let arguments = Self::arguments(bytes as u32);
        let from = arguments.buffer(GemmArgument::From, buffer.elements, bytes as usize);
        Ok(Some(Self {
            launch: LaunchSpec {
                kernel,
                grid: [ctas as u32, 1, batches],
                block: [THREADS, 1, 1],
                cluster: [1; 3],
                shared_bytes: 0,
                buffers: [
                    arguments.buffer(GemmArgument::To, copied, 16),
                    BufferSpec {
                        element_bytes: buffer.element_bytes,
                        ..from.named(buffer.name)
                    },
                ],
            },
            rows,
            columns,
            ld: [ld, packed],
            batch_stride: [of_batches, if batches == 1 { 0 } else { of_batch }],
            offset,
        }))
    }

    /// The kernels that pack, and the size in bytes of an element of each.
    pub const KERNELS: [(&'static str, u32); 3] =
        [("pack_u8", 1), ("pack_u16", 2), ("pack_u32", 4)];

    /// Returns the size of the copy in bytes.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        let [to, _] = &self.launch.buffers;
        to.elements
    }
}
