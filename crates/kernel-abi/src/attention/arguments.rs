//! The arguments of every kernel of attention.
//!
//! ```text
//!   AttentionKernel::Forward(Tma, parts)      o lse params map_q map_k map_v    queries keys  score     slopes  sinks
//!   AttentionKernel::Forward(CpAsync, parts)  o lse params q k v reads          queries keys  score     slopes  sinks
//!                                             tensors                           sequences     soft cap  ALiBi   sinks
//! ```
//!
//! Law: the names and types are those of the parameters in the source of `gpu-kernels` and
//! `gpu-kernels-sm90`, in their order.

use super::{
    AttentionBackwardParams, AttentionLoads, AttentionParams, AttentionParts, AttentionReads,
    AttentionType, CacheElement, DecodeParams, GradientReads, KernelSequences, PageParams,
    TransposeParams,
};
use crate::{ArgumentType, KernelArgument, KernelArguments, argument_names, arguments};

argument_names! {
    /// An argument of a kernel of attention.
    pub enum AttentionArgument {
        /// O.
        O = "o", "O";
        /// The log-sum-exp.
        Lse = "lse", "LSE";
        /// The structure of extents, mask and strides.
        Params = "params", "the parameters";
        /// The map of Q.
        MapQ = "map_q", "the map of Q";
        /// The map of K.
        MapK = "map_k", "the map of K";
        /// The map of V.
        MapV = "map_v", "the map of V";
        /// Q.
        Q = "q", "Q";
        /// K.
        K = "k", "K";
        /// V.
        V = "v", "V";
        /// The strides of the tensors that are read by their addresses.
        Reads = "reads", "the strides";
        /// Where each sequence begins in Q and O, followed by the end of the last sequence.
        QueryStarts = "queries", "the starts of queries";
        /// Where each sequence begins in K and V, followed by the end of the last sequence.
        KeyStarts = "keys", "the starts of keys";
        /// The number of keys that each sequence has in pages.
        KeyLengths = "lengths", "the lengths";
        /// The pages of each sequence.
        PageTable = "table", "the page table";
        /// The size of a page and the pages of a sequence, by value: [`PageParams`].
        Pages = "pages", "the pages";
        /// The parameters of the soft cap: a structure of two f32, by value.
        SoftCap = "score", "the soft cap";
        /// The slopes of ALiBi: one f32 for each head of Q.
        Slopes = "slopes", "the slopes";
        /// The sinks: one logit (f32) for each head of Q.
        Sinks = "sinks", "the sinks";
        /// The scales of Q, whose elements are 8-bit floats.
        ScalesOfQ = "q_scales", "scales of Q";
        /// The scales of K.
        ScalesOfK = "k_scales", "scales of K";
        /// The scales of V.
        ScalesOfV = "v_scales", "scales of V";
        /// V transposed: the output of the kernel that transposes V.
        Transposed = "to", "V transposed";
        /// V: the input of the kernel that transposes V.
        ToTranspose = "from", "V";
        /// The partial results for O, if several CTAs share the keys of a head.
        PartO = "part_o", "the parts of O";
        /// The log-sum-exps of the partial results.
        PartLse = "part_lse", "the parts' LSE";
        /// How the keys of a cache are split over CTAs: [`DecodeParams`].
        Decode = "decode", "the pages and shares";
        /// The gradient of O.
        GradientOfO = "d_o", "dO";
        /// The log-sum-exp and δ of each row, in the buffer of values.
        Values = "values", "the values of rows";
        /// The first gradient that a kernel of tiles writes: dK or dQ.
        First = "first", "the first gradient";
        /// The second gradient that a kernel of tiles writes: dV, or an empty buffer if the first
        /// is dQ.
        Second = "second", "the second gradient";
        /// The map of the tile's first tensor: K or Q.
        MapX0 = "map_x0", "the map of x 0";
        /// The map of the tile's second tensor: V or dO.
        MapX1 = "map_x1", "the map of x 1";
        /// The map of the first streamed tensor: Q or K.
        MapY0 = "map_y0", "the map of y 0";
        /// The map of the second streamed tensor: dO or V.
        MapY1 = "map_y1", "the map of y 1";
        /// The tile's first tensor: K or Q.
        X0 = "x_0", "x 0";
        /// The tile's second tensor: V or dO.
        X1 = "x_1", "x 1";
        /// The first streamed tensor: Q or K.
        Y0 = "y_0", "y 0";
        /// The second streamed tensor: dO or V.
        Y1 = "y_1", "y 1";
        /// Where each sequence begins in the tensors of the tile, followed by the end of the last
        /// sequence.
        TileStarts = "tiles", "the starts of the tile's sequences";
        /// Where each sequence begins in the streamed tensors, followed by the end of the last
        /// sequence.
        StreamedStarts = "streamed", "the starts of the streamed sequences";
        /// The gradient of Q.
        GradientOfQ = "dq", "dQ";
        /// The gradient of K.
        GradientOfK = "dk", "dK";
        /// The gradient of V.
        GradientOfV = "dv", "dV";
        /// The map of dO.
        MapGradientOfO = "map_do", "the map of dO";
        /// The sums of dQ in f32, to which several CTAs add.
        Sums = "sums", "the sums of dQ";
        /// The gradient of the sinks.
        GradientOfSinks = "d_sinks", "the gradient of the sinks";
    }
}

/// A kernel of attention, with the properties that decide its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttentionKernel {
    /// The forward pass.
    Forward(AttentionLoads, AttentionParts),
    /// The forward pass of 8-bit floats.
    Fp8,
    /// The kernel that transposes V before the forward pass of 8-bit floats.
    Transpose,
    /// Decoding: the kernel that computes attention to blocks of keys.
    Decode(CacheElement, AttentionParts),
    /// Decoding: the kernel that combines the partial results of a head.
    Combine,
    /// Gradients: the kernel that computes the values of rows (log-sum-exp and δ).
    Rows(KernelSequences),
    /// Gradients: a kernel of tiles, for dK and dV or for dQ.
    Tiles(AttentionLoads, AttentionParts),
    /// Gradients: the kernel of the sinks' gradient.
    Sinks,
    /// Fused gradients: the kernel that computes the values of rows.
    FusedRows,
    /// Fused gradients: the kernel whose CTAs each compute a tile of keys.
    FusedTiles,
    /// Fused gradients: the kernel that scales and rounds the sums of dQ.
    FusedDq,
}

type List = &'static [KernelArgument<AttentionArgument>];

/// The outputs and the parameters of a kernel of the forward pass.
const FORWARD: List = arguments!(AttentionArgument {
    O: [*mut T], Lse: [*mut f32], Params: [AttentionParams],
});
const MAPS: List = arguments!(AttentionArgument {
    MapQ: [TensorMap],
    MapK: [TensorMap],
    MapV: [TensorMap],
});
const ADDRESSES: List = arguments!(AttentionArgument {
    Q: [*const T], K: [*const T], V: [*const T], Reads: [AttentionReads],
});
const STARTS: List = arguments!(AttentionArgument {
    QueryStarts: [*const u32], KeyStarts: [*const u32],
});
const PAGES: List = arguments!(AttentionArgument {
    QueryStarts: [*const u32], KeyLengths: [*const u32], PageTable: [*const u32], Pages: [PageParams],
});
const SOFT_CAP: List = &[KernelArgument {
    name: AttentionArgument::SoftCap,
    ty: ArgumentType::Structure("SoftCap", 8),
}];
const SLOPES: List = arguments!(AttentionArgument { Slopes: [*const f32] });
const SINKS: List = arguments!(AttentionArgument { Sinks: [*const f32] });
const SCALES: List = arguments!(AttentionArgument {
    ScalesOfQ: [*const f32], ScalesOfK: [*const f32], ScalesOfV: [*const f32],
});
const TRANSPOSE: List = arguments!(AttentionArgument {
    Transposed: [*mut u8], ToTranspose: [*const u8], Params: [TransposeParams],
});
const DECODE: List = arguments!(AttentionArgument {
    KeyLengths: [*const u32], PageTable: [*const u32], PartO: [*mut f32], PartLse: [*mut f32], Decode: [DecodeParams],
});
const CACHE_SCALES: List = arguments!(AttentionArgument {
    ScalesOfK: [*const f32], ScalesOfV: [*const f32],
});
const COMBINE: List = arguments!(AttentionArgument {
    O: [*mut T], Lse: [*mut f32], PartO: [*const f32], PartLse: [*const f32], KeyLengths: [*const u32],
    Params: [AttentionParams], Decode: [DecodeParams],
});
const ROWS: List = arguments!(AttentionArgument {
    O: [*const T], GradientOfO: [*const T], Lse: [*const f32], Values: [*mut f32], Params: [AttentionBackwardParams],
});
const ROW_STARTS: List = arguments!(AttentionArgument { QueryStarts: [*const u32] });
const TILES: List = arguments!(AttentionArgument {
    First: [*mut T], Second: [*mut T], Values: [*const f32], Params: [AttentionBackwardParams],
});
const TILE_MAPS: List = arguments!(AttentionArgument {
    MapX0: [TensorMap],
    MapX1: [TensorMap],
    MapY0: [TensorMap],
    MapY1: [TensorMap],
});
const TILE_ADDRESSES: List = arguments!(AttentionArgument {
    X0: [*const T], X1: [*const T], Y0: [*const T], Y1: [*const T], Reads: [GradientReads],
});
const TILE_STARTS: List = arguments!(AttentionArgument {
    TileStarts: [*const u32], StreamedStarts: [*const u32],
});
const SINK_GRADIENT: List = arguments!(AttentionArgument {
    GradientOfSinks: [*mut f32], Sinks: [*const f32], Values: [*const f32], Params: [AttentionBackwardParams],
});
const SUMS: List = arguments!(AttentionArgument { Sums: [*mut f32] });
const FUSED_TILES: List = arguments!(AttentionArgument {
    GradientOfK: [*mut T], GradientOfV: [*mut T], Values: [*const f32], Params: [AttentionBackwardParams],
    MapK: [TensorMap], MapV: [TensorMap], MapQ: [TensorMap], MapGradientOfO: [TensorMap], Sums: [*mut f32],
});
const FUSED_DQ: List = arguments!(AttentionArgument {
    GradientOfQ: [*mut T], Sums: [*const f32], Params: [AttentionBackwardParams],
});

impl AttentionKernel {
    /// Returns the arguments of the kernel for this element type, in their order.
    ///
    /// ```
    /// use kernel_abi::ArgumentName;
    /// use kernel_abi::attention::{AttentionKernel, AttentionLoads, AttentionParts, AttentionType};
    /// let parts = AttentionParts::NONE.either().alibi().sinks();
    /// let all = AttentionKernel::Forward(AttentionLoads::Tma, parts).arguments(AttentionType::Bf16);
    /// let names: Vec<&str> = all.iter().map(|of| of.name.name()).collect();
    /// assert_eq!(names, ["o", "lse", "params", "map_q", "map_k", "map_v", "queries", "keys", "slopes", "sinks"]);
    /// assert_eq!(all.iter().next().unwrap().ty.to_string(), "*mut bf16");
    /// ```
    #[must_use]
    pub const fn arguments(self, element: AttentionType) -> KernelArguments<AttentionArgument> {
        let (tensors, loaded, starts, parts): (List, List, List, AttentionParts) = match self {
            Self::Forward(loads, parts) => {
                let loaded = match loads {
                    AttentionLoads::Tma | AttentionLoads::TmaUmma => MAPS,
                    AttentionLoads::CpAsync => ADDRESSES,
                };
                let starts = match parts.sequences {
                    KernelSequences::Uniform => &[],
                    KernelSequences::Packed | KernelSequences::Either => STARTS,
                    KernelSequences::Paged => PAGES,
                };
                (FORWARD, loaded, starts, parts)
            }
            Self::Tiles(loads, parts) => {
                let loaded = match loads {
                    AttentionLoads::Tma | AttentionLoads::TmaUmma => TILE_MAPS,
                    AttentionLoads::CpAsync => TILE_ADDRESSES,
                };
                let starts = match parts.sequences {
                    KernelSequences::Uniform => &[],
                    _ => TILE_STARTS,
                };
                (TILES, loaded, starts, parts)
            }
            Self::Decode(cache, parts) => {
                let scales: List = match cache {
                    CacheElement::OfQueries => &[],
                    CacheElement::E4m3 => CACHE_SCALES,
                };
                let groups = [FORWARD, MAPS, DECODE, scales, parts.soft_cap_list(), &[]];
                return KernelArguments::of(groups, element.name());
            }
            Self::Fp8 => (FORWARD, MAPS, SCALES, AttentionParts::NONE),
            Self::Rows(KernelSequences::Uniform) => (ROWS, &[], &[], AttentionParts::NONE),
            Self::Rows(_) => (ROWS, ROW_STARTS, &[], AttentionParts::NONE),
            Self::FusedRows => (ROWS, SUMS, &[], AttentionParts::NONE),
            Self::Transpose => (TRANSPOSE, &[], &[], AttentionParts::NONE),
            Self::Combine => (COMBINE, &[], &[], AttentionParts::NONE),
            Self::Sinks => (SINK_GRADIENT, &[], &[], AttentionParts::NONE),
            Self::FusedTiles => (FUSED_TILES, &[], &[], AttentionParts::NONE),
            Self::FusedDq => (FUSED_DQ, &[], &[], AttentionParts::NONE),
        };
        let slopes = if parts.alibi { SLOPES } else { &[] };
        let sinks = if parts.sinks { SINKS } else { &[] };
        let groups = [
            tensors,
            loaded,
            starts,
            parts.soft_cap_list(),
            slopes,
            sinks,
        ];
        KernelArguments::of(groups, element.name())
    }
}

impl AttentionParts {
    const fn soft_cap_list(self) -> List {
        if self.soft_cap { SOFT_CAP } else { &[] }
    }
}
