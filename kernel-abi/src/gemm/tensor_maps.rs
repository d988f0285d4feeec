//! The tensor maps of a launch of Hopper's collective, in plain numbers.
//!
//! ```text
//!   arguments 7, 8, 9    maps of A, B, D: three dimensions, contiguous first, then rows, then batches      128-byte swizzle
//!   argument 10          the number of batches
//! ```
//!
//! Law: a box has 128 bytes along the contiguous dimension and one batch. An operand that all batches share has one batch, and the
//! kernel reads it there.

use super::{GemmProblem, HopperConfiguration, Major, flags};

/// One tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMapPlan {
    /// Elements along each dimension, the contiguous one first.
    pub extents: [u64; 3],
    /// Elements between neighbours along the second and the third dimension.
    pub strides: [u64; 2],
    /// Elements of a box along each dimension.
    pub box_extents: [u32; 3],
    /// Whether the elements are f32, and not of the inputs' type.
    pub wide: bool,
}

impl TensorMapPlan {
    fn new(
        [contiguous, rows]: [u32; 2],
        ld: u64,
        (batches, stride): (u32, u64),
        [across, down]: [u32; 2],
    ) -> Self {
        let shared = batches == 1 || stride == 0;
        Self {
            extents: [
                contiguous.into(),
                rows.into(),
                if shared { 1 } else { batches.into() },
            ],
            // A dimension of one has no neighbours; its stride has to be one that a map takes.
            strides: [ld, if shared { ld * u64::from(rows) } else { stride }],
            box_extents: [across, down, 1],
            wide: false,
        }
    }

    /// The maps of A, B and D.
    pub(super) fn of(
        problem: &GemmProblem,
        hopper: &HopperConfiguration,
        epilogue: u32,
    ) -> [Self; 3] {
        let &GemmProblem {
            m, n, k, batches, ..
        } = problem;
        let [stride_a, stride_b, _, stride_d] = problem.batch_strides;
        let extents = |major, rows| match major {
            Major::K => [k, rows],
            Major::Mn => [rows, k],
        };
        let wide = epilogue & flags::WIDE != 0;
        let across = 128 / if wide { 4 } else { problem.input.bytes() };
        let a = Self::new(
            extents(problem.majors.a(), m),
            problem.lda,
            (batches, stride_a),
            hopper.box_a,
        );
        let d = Self {
            wide,
            ..Self::new([n, m], problem.ldd, (batches, stride_d), [across, 64])
        };
        [
            a,
            Self::new(
                extents(problem.majors.b(), n),
                problem.ldb,
                (batches, stride_b),
                hopper.box_b,
            ),
            // Rows of D that are not aligned are stored without its map.
            if epilogue & flags::VECTORS == 0 { a } else { d },
        ]
    }
}
