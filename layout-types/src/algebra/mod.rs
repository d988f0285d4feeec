//! Machinery: how the compiler evaluates the algebra. The types that kernels name are at the
//! [root](crate).
//!
//! A generic function bounds its types by traits of the operations (`A: LogicalDivideBy<T>`). Such
//! bounds need no module of the lines `how` and `results`.
//!
//! ```text
//!   operations   coalescing, complements, compose, divide, product, inverse, shape_tiling (tile_to_shape), common_vectors (max_common_vector),
//!                make, slice, cast, swizzle, modes, flatten
//!   how          compose_list (composition mode by mode), decide, borrow and points (what a walk leaves open), images, runs, spans,
//!                carries (the bits of a slice's offsets)
//!   results      outcome (a tree, a broken rule, or not decided), fits and room (64 bits), message (the rule's sentence)
//!   questions    predicate, nesting
//! ```

pub mod carries;
pub mod cast;
pub mod coalescing;
pub mod common_vectors;
pub mod complements;
pub mod compose;
pub mod compose_list;
pub mod decide;
pub mod divide;
pub mod flatten;
pub mod images;
pub mod inverse;
mod limits;
pub mod make;
pub mod message;
pub mod modes;
pub mod nesting;
pub mod outcome;
pub mod predicate;
pub mod product;
#[doc(hidden)]
pub mod runs;
pub mod shape_tiling;
pub mod slice;
#[doc(hidden)]
pub mod spans;
mod sums;
pub mod swizzle;
pub mod swizzle_inverse;
pub mod swizzle_types;

#[doc(hidden)]
pub use self::limits::{fits, room};
#[doc(hidden)]
pub use self::sums::{borrow, points};
// A message prints a type by its bare name only if that name is unique, and messages print
// operations by CuTe's names. Therefore the modules have other names.
#[allow(unused_imports)]
pub(crate) use self::{
    coalescing as coalesce, complements as complement, compose as composition,
    shape_tiling as tile_to_shape,
};
