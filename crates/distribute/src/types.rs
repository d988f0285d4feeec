//! Distributions as types: a layout, or a layout of partial sums.
//!
//! ```text
//!   layout!((4,8):(0,1))               four replicas
//!   Partial<layout!((4,8):(0,1))>      four partial sums: the tensor is their sum
//! ```

use crate::distribution::Distribution;
use core::marker::PhantomData;
use layout_types::check::Reflect;
use layout_types::{Composition, Layout, RightInverse};

/// Types that say how a tensor is distributed over devices: a layout of two modes, (device,
/// element), or [`Partial`] of such a layout.
#[diagnostic::on_unimplemented(
    message = "not a distribution",
    label = "a layout of static integers with two modes, (device, element), or `Partial` of one"
)]
pub trait Distributed {
    /// The distribution as a value.
    const DISTRIBUTION: Distribution;
}

impl<S, D> Distributed for Layout<S, D>
where
    Self: Reflect,
{
    const DISTRIBUTION: Distribution = Distribution::new(<Self as Reflect>::VALUE, 0);
}

/// Partial sums along those modes of the mesh of `L` that have stride 0 and whose bit in `MODES` is
/// set.
///
/// ```
/// use distribute::prelude::*;
/// // A mesh of 2 by 4: sums over the first mode, replicas along the second.
/// type Sums = PartialIn<layout!(((2,4),64):((0,0),1)), 1>;
/// assert_redistribution!(Sums => layout!(((2,4),64):((0,0),1)), AllReduce);
/// ```
pub struct PartialIn<L, const MODES: u32>(PhantomData<L>);

/// Partial sums along every mode of the mesh of `L` that has stride 0.
pub type Partial<L> = PartialIn<L, { u32::MAX }>;

impl<L: Reflect, const MODES: u32> Distributed for PartialIn<L, MODES> {
    const DISTRIBUTION: Distribution = Distribution::new(L::VALUE, MODES);
}

/// The place in `From` of each element of `To`: maps (device, element) of `To` to the index of
/// (device, element) in `From`, by the right inverse of `From`. Among replicas it selects the
/// first.
///
/// Law: `From::index(Source::index(i)) == To::index(i)` for every `i`.
///
/// ```
/// use distribute::prelude::*;
/// type Block = layout!((4,2):(2,1));
/// type Cyclic = layout!((4,2):(1,4));
/// // Element 1 of device 2 in `Cyclic` is coordinate 6: element 0 of device 3 in `Block`.
/// assert_eq!(Source::<Block, Cyclic>::at((2u32, 1u32)), 3);
/// ```
pub type Source<From, To> = Composition<RightInverse<From>, To>;
