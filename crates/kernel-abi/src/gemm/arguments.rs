//! The arguments of the kernels that compute a product: the GEMM collective's kernel, the kernel
//! that packs an operand, and the kernel that adds slices.
//!
//! ```text
//!   d a b c bias workspace params [map_a map_b map_d batches]      in brackets: only Hopper, Blackwell
//!                                 [.. map_sfa map_sfb]             with scale factors of blocks, Blackwell
//! ```
//!
//! Law: the names and types are those of the parameters in the kernels' sources, in their order.

use super::{GemmParams, Packing, Plan, Reduction};
use crate::{KernelArgument, KernelArguments, argument_names, arguments};

argument_names! {
    /// An argument of a kernel of a product.
    pub enum GemmArgument {
        /// D.
        D = "d", "D";
        /// A.
        A = "a", "A";
        /// B.
        B = "b", "B";
        /// C. In a grouped product it is the list of groups, and with scales by blocks it is the
        /// scales of B.
        C = "c", "C";
        /// The bias. With scales by blocks it is the scales of A.
        Bias = "bias", "bias";
        /// The workspace.
        Workspace = "workspace", "workspace";
        /// [`GemmParams`].
        Params = "params", "the parameters";
        /// The tensor map of A.
        MapA = "map_a", "the map of A";
        /// The tensor map of B.
        MapB = "map_b", "the map of B";
        /// The tensor map of D. If the kernel does not store by TMA, it may be any other map.
        MapD = "map_d", "the map of D";
        /// The number of batches or of groups.
        Batches = "batches", "the number of batches";
        /// The tensor map of the scale factors of A.
        MapScalesOfA = "map_sfa", "the map of A's scale factors";
        /// The tensor map of the scale factors of B.
        MapScalesOfB = "map_sfb", "the map of B's scale factors";
        /// The slices of k that the kernel adds.
        Slices = "slices", "the slices";
        /// The leading dimension of a slice, or of an operand to be packed.
        Ld = "ld", "the leading dimension";
        /// The packed operand.
        To = "to", "the packed operand";
        /// The operand to be packed.
        From = "from", "the operand";
        /// The number of rows of a batch.
        Rows = "rows", "the number of rows";
        /// The number of elements of a row.
        Columns = "columns", "the number of columns";
        /// The leading dimension of the packed operand.
        LdTo = "ld_to", "the leading dimension of the packed operand";
        /// The operand's batch stride.
        BatchStride = "batch_stride", "the batch stride";
        /// The packed operand's batch stride.
        BatchStrideTo = "batch_stride_to", "the batch stride of the packed operand";
    }
}

type List = &'static [KernelArgument<GemmArgument>];

const COLLECTIVE: List = arguments!(GemmArgument {
    D: [*mut u8], A: [*const u8], B: [*const u8], C: [*const u8], Bias: [*const f32], Workspace: [*mut u8], Params: [GemmParams],
});
const MAPS: List = arguments!(GemmArgument {
    MapA: [TensorMap],
    MapB: [TensorMap],
    MapD: [TensorMap],
    Batches: [u32],
});
const SCALES: List = arguments!(GemmArgument {
    MapScalesOfA: [TensorMap],
    MapScalesOfB: [TensorMap],
});
const REDUCTION: List = arguments!(GemmArgument {
    D: [*mut u8], Slices: [*const u8], C: [*const u8], Bias: [*const f32], Params: [GemmParams], Ld: [u64],
});
const PACKING: List = arguments!(GemmArgument {
    To: [*mut T], From: [*const T], Rows: [u32], Columns: [u32], Ld: [u64], LdTo: [u64], BatchStride: [u64], BatchStrideTo: [u64],
});

/// Returns the arguments of a kernel of the collective, with the tensor maps and the number of
/// batches if `maps`.
#[must_use]
pub const fn collective_arguments(maps: bool) -> KernelArguments<GemmArgument> {
    let maps = if maps { MAPS } else { &[] };
    KernelArguments::of([COLLECTIVE, maps, &[], &[], &[], &[]], "u8")
}

/// Returns the arguments of a kernel of Blackwell's collective whose operands have scale factors of
/// blocks.
#[must_use]
pub const fn scaled_arguments() -> KernelArguments<GemmArgument> {
    KernelArguments::of([COLLECTIVE, MAPS, SCALES, &[], &[], &[]], "u8")
}

impl Plan {
    /// Returns the arguments of the product's launch.
    #[must_use]
    pub const fn arguments(&self) -> KernelArguments<GemmArgument> {
        collective_arguments(self.tensor_maps.is_some())
    }
}

impl Reduction {
    /// The arguments of the launch that adds slices.
    pub const ARGUMENTS: KernelArguments<GemmArgument> = KernelArguments::new(REDUCTION, "u8");
}

impl Packing {
    /// Returns the arguments of the kernel that packs operands whose elements have `element_bytes`
    /// bytes: 1, 2 or 4.
    #[must_use]
    pub const fn arguments(element_bytes: u32) -> KernelArguments<GemmArgument> {
        let element = match element_bytes {
            1 => "u8",
            2 => "u16",
            _ => "u32",
        };
        KernelArguments::new(PACKING, element)
    }
}
