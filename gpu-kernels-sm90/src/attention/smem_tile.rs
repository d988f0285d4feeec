//! A tile in shared memory as a place for parts of it: boxes of its lines, and elements.
//!
//! ```text
//!   (M,K,stages)      address(tile, (m, k, stage)): where the line begins that a box of fewer rows than the tile's fills
//! ```
//!
//! Law: the address is the layout's, swizzle included; at a multiple of the swizzle's period the swizzle changes nothing.

use layout_types::check::Reflect;
use layout_types::coord::Coord;
use layout_types::layout::LayoutFn;
use layout_types::tensor::{Plain, Shared, Tensor};

/// A layout of three modes, the last the stages.
pub trait SmemTile: LayoutFn + Reflect {
    /// The address of an element in the CTA's window of shared memory.
    fn address<T: Plain>(of: &Tensor<Shared<T>, Self>, at: (u32, u32, u32)) -> u32;
    /// Writes 0 into an element.
    fn clear<T: Plain>(of: &Tensor<Shared<T>, Self>, at: (u32, u32, u32));
}
impl<L: LayoutFn + Reflect> SmemTile for L
where
    (u32, u32, u32): Coord<L::Modes, u32>,
{
    #[inline(always)]
    fn address<T: Plain>(of: &Tensor<Shared<T>, L>, at: (u32, u32, u32)) -> u32 {
        of.domain_offset(at).engine().address::<L>()
    }
    #[inline(always)]
    fn clear<T: Plain>(of: &Tensor<Shared<T>, L>, at: (u32, u32, u32)) {
        of.set(at, T::default());
    }
}
