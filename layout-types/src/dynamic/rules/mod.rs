//! The rules of the algebra. Each rule is stated once, as a `const fn` on flat layouts of fixed
//! capacity.
//!
//! The rules need neither an allocator nor the run-time mirror. So a compile-time check evaluates
//! the same statement as [`dynamic`](super) at run time, and both print the same sentence.
//!
//! ```text
//! layout in types  --flatten-->  Flat  --rule-->  Ok, or the Rule broken, in decimals
//! DynLayout        --flatten-->   "
//! ```

mod banks;
mod compose;
mod flat;
mod inverse;
mod parting;
mod rule;
mod swizzle;
mod tree;

pub use banks::{AccessShape, Conflicts, SwizzleChoice, Tile, choose_swizzle, conflicts};
#[cfg(feature = "dynamic")]
pub(crate) use compose::compose_as_cute;
pub use compose::{MAX_POINTS, Part, Split, rounds_up, split, split_as_cute};
pub(crate) use compose::{Refusal, compose};
pub use flat::{Flat, MAX_DEPTH, MAX_MODES, ceil_div, gcd};
pub use inverse::{complement, holes, nests};
pub use inverse::{downcast, exact_upcast, upcast};
pub use inverse::{left_inverse, left_inverse_as_cute, right_inverse};
pub use parting::{Parting, part};
pub use rule::{Rule, sentence};
pub use swizzle::Swizzle;
#[cfg(feature = "dynamic")]
pub(crate) use tree::saturated;
pub(crate) use tree::{stride_in, stride_of};
