//! The tensor maps of a launch of Hopper's collective, in plain numbers.
//!
//! ```text
//!   maps of A, B, D: three dimensions: contiguous elements, rows, batches      128-byte swizzle
//! ```
//!
//! Law: a box has 128 bytes along the contiguous dimension and one batch. A box of D has the 16
//! rows of a warp. The map of an operand that all batches share has one batch, which the kernel
//! reads for all of them. A packed operand's map describes its copy, and the map of a split-K
//! product's D describes the slices. Copies and slices are in the workspace. If the kernel stores D
//! by addresses, A's map is passed in place of D's.
//!
//! The plans of [weights of few bits](crate::weights) also have maps of this type, with other
//! boxes.

use super::{GemmProblem, HopperConfiguration, InputType, Major, Packing, Reduction, flags};

/// One tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMapPlan {
    /// The buffer that the map describes.
    pub buffer: MapBuffer,
    /// The offset in that buffer at which the map begins, in bytes.
    pub offset: u64,
    /// The number of elements along each dimension, the contiguous one first.
    pub extents: [u64; 3],
    /// The distance in elements between neighbours along the second and the third dimension.
    pub strides: [u64; 2],
    /// The number of elements of a box along each dimension.
    pub box_extents: [u32; 3],
    /// The type of the map's elements.
    pub element: MapElement,
    /// Whether a box has the 128-byte swizzle in shared memory.
    pub swizzled: bool,
}

/// The buffer of a tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapBuffer {
    /// D.
    D,
    /// A, or X of a product with packed weights.
    A,
    /// B.
    B,
    /// The workspace.
    Workspace,
    /// The codes of packed weights.
    Codes,
    /// The records of packed weights: scales, zeros and minima.
    Records,
}

/// The type of a tensor map's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapElement {
    /// The inputs' type.
    Input,
    /// bf16: the type of D for inputs of 8-bit floats.
    Bf16,
    /// A number of 4 bytes.
    Word,
}

impl MapElement {
    /// Returns the size of an element in bytes, for inputs of the type `input`.
    #[must_use]
    pub const fn bytes(self, input: InputType) -> u32 {
        match self {
            Self::Input => input.bytes(),
            Self::Bf16 => 2,
            Self::Word => 4,
        }
    }
}

impl TensorMapPlan {
    fn new(
        buffer: MapBuffer,
        [contiguous, rows]: [u32; 2],
        ld: u64,
        (batches, stride): (u32, u64),
        [across, down]: [u32; 2],
    ) -> Self {
        let shared = batches == 1 || stride == 0;
        // A dimension of extent 1 has no neighbours, but its stride must be one that a map accepts.
        let ld = if rows == 1 {
            u64::from(contiguous).next_multiple_of(16)
        } else {
            ld
        };
        Self {
            buffer,
            offset: 0,
            extents: [
                contiguous.into(),
                rows.into(),
                if shared { 1 } else { batches.into() },
            ],
            strides: [ld, if shared { ld * u64::from(rows) } else { stride }],
            box_extents: [across, down, 1],
            element: MapElement::Input,
            swizzled: true,
        }
    }

    /// Returns the maps of A, B and D. A packed operand's map describes its copy in the workspace.
    /// If D is the sum of slices, D's map describes the slices.
    pub(super) fn of(
        problem: &GemmProblem,
        hopper: &HopperConfiguration,
        epilogue: u32,
        packing: &[Option<Packing>; 2],
        reduction: Option<&Reduction>,
    ) -> [Self; 3] {
        let &GemmProblem {
            m, n, k, batches, ..
        } = problem;
        let extents = |major, rows| match major {
            Major::K => [k, rows],
            Major::Mn => [rows, k],
        };
        let boxes = hopper.boxes(problem);
        let input = |operand: usize, major, rows, ld| {
            let (ld, stride) = match &packing[operand] {
                Some(packing) => (packing.ld[1], packing.batch_stride[1]),
                None => (ld, problem.batch_strides[operand]),
            };
            let map = Self::new(
                [MapBuffer::A, MapBuffer::B][operand],
                extents(major, rows),
                ld,
                (problem.matrices()[operand], stride),
                boxes[operand],
            );
            match &packing[operand] {
                Some(packing) => Self {
                    buffer: MapBuffer::Workspace,
                    offset: packing.offset,
                    ..map
                },
                None => map,
            }
        };
        let a = input(0, problem.majors.a(), m, problem.lda);
        let b = input(1, problem.majors.b(), n, problem.ldb);
        let element = if epilogue & (flags::WIDE | flags::INTEGER) != 0 {
            MapElement::Word
        } else if epilogue & flags::BF16 != 0 {
            MapElement::Bf16
        } else {
            MapElement::Input
        };
        let bytes = element.bytes(problem.input);
        let across = hopper.chunk.min(128 / bytes);
        let d = match reduction {
            // The kernel stores by addresses in two cases: the operands are swapped, or elements of
            // 4 bytes are stored in chunks of fewer columns than two boxes of 128 bytes have.
            _ if hopper.swapped || (hopper.chunk < 64 && bytes == 4) => a,
            Some(reduction) => Self {
                offset: reduction.offset,
                element,
                ..Self::new(
                    MapBuffer::Workspace,
                    [n, m],
                    reduction.ld,
                    (
                        batches * reduction.params.k_slices,
                        reduction.ld * u64::from(m),
                    ),
                    [across, 16],
                )
            },
            // The kernel does not use D's map for unaligned rows of D or for elements of one byte.
            None if epilogue & flags::VECTORS == 0 || bytes == 1 => a,
            None => Self {
                element,
                ..Self::new(
                    MapBuffer::D,
                    [n, m],
                    problem.ldd,
                    (batches, problem.batch_strides[3]),
                    [across, 16],
                )
            },
        };
        [a, b, d]
    }
}
