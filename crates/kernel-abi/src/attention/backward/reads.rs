//! How a kernel of gradients reads its four tensors by their addresses.
//!
//! ```text
//!   x 0, x 1    of the tile: K, V, or Q, dO         y 0, y 1    streamed: Q, dO, or K, V
//! ```

use super::super::{AttentionArgument, AttentionMapPlan, AttentionStrides};
use super::GradientPlan;
use crate::BufferSpec;

/// The argument of a kernel of gradients that reads by addresses: the strides of the tile's two
/// tensors and of the two streamed tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct GradientReads {
    /// The strides of K or Q. A CTA has one tile of this operand.
    pub x_0: AttentionStrides,
    /// The strides of V or dO. A CTA has one tile of this operand.
    pub x_1: AttentionStrides,
    /// The strides of Q or K, which are streamed.
    pub y_0: AttentionStrides,
    /// The strides of dO or V, which are streamed.
    pub y_1: AttentionStrides,
}

impl GradientReads {
    /// Returns the structure's bytes as 64-bit numbers: a kernel argument of 96 bytes.
    #[must_use]
    pub const fn to_u64s(&self) -> [u64; 12] {
        let Self { x_0, x_1, y_0, y_1 } = self;
        [
            x_0.row, x_0.head, x_0.batch, x_1.row, x_1.head, x_1.batch, y_0.row, y_0.head,
            y_0.batch, y_1.row, y_1.head, y_1.batch,
        ]
    }
}

const _: () = assert!(size_of::<GradientReads>() == 96 && align_of::<GradientReads>() == 8);

impl<const BUFFERS: usize> GradientPlan<BUFFERS> {
    /// Returns the strides of the four tensors that [`maps`](Self::maps) describes, for a kernel
    /// that reads by `cp.async`.
    #[must_use]
    pub const fn reads(&self) -> GradientReads {
        const fn strides(map: &AttentionMapPlan) -> AttentionStrides {
            let [row, head, batch] = map.strides;
            AttentionStrides { row, head, batch }
        }
        let [x_0, x_1, y_0, y_1] = &self.maps;
        GradientReads {
            x_0: strides(x_0),
            x_1: strides(x_1),
            y_0: strides(y_0),
            y_1: strides(y_1),
        }
    }

    /// Returns the buffers of the four tensors that [`maps`](Self::maps) describes, for a kernel
    /// that reads by `cp.async`.
    #[must_use]
    pub fn inputs(&self) -> [BufferSpec; 4] {
        let arguments = [
            AttentionArgument::X0,
            AttentionArgument::X1,
            AttentionArgument::Y0,
            AttentionArgument::Y1,
        ];
        core::array::from_fn(|i| {
            let [columns, outer @ ..] = self.maps[i].extents;
            let last = outer.iter().zip(self.maps[i].strides);
            let last: u64 = last.map(|(n, by)| (n - 1).saturating_mul(by)).sum();
            self.arguments.buffer(arguments[i], last + columns, 16)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::AttentionLoads;
    use super::super::AttentionBackwardConfiguration;
    use super::super::tests::{OF, problem};

    #[test]
    fn kernels_by_addresses_have_a_cta_a_tile() {
        let of = AttentionBackwardConfiguration {
            loads: AttentionLoads::CpAsync,
            ctas: [2, 3],
            ..OF
        };
        let plan = of.plan(&problem(), 2).unwrap();
        assert_eq!(plan.keys.launch.grid, [6, 1, 1]);
        assert_eq!(plan.queries.launch.grid, [36, 1, 1]);
        assert_eq!(plan.keys.reads().x_0.row, 128);
        assert_eq!(plan.keys.reads().y_0.head, 300 * 128);
        let elements = plan.keys.inputs().map(|of| of.elements);
        let of_keys = 2 * 3 * 77 * 128;
        assert_eq!(elements, [of_keys, of_keys, 460_800, 460_800]);
        assert_eq!(plan.queries.inputs()[2].argument, 6);
    }
}
