//! Tensors on several devices: the device is a further mode of a layout.
//!
//! ```text
//!   (device, element) -> coordinate       a tensor of 8 elements, counted column-major
//!
//!   (4,2):(2,1)   block          device 0 holds 0 1, device 1 holds 2 3, ...
//!   (4,2):(1,4)   cyclic         device 0 holds 0 4, device 1 holds 1 5, ...
//!   (4,8):(0,1)   replicated     every device holds 0 to 7
//!   ((2,2),4):((0,4),1)          a mesh of 2 by 2: two replicas of two blocks
//! ```
//!
//! A mesh is the shape of the first mode. Two distributions of one tensor determine the elements
//! that must move between devices. The compiler derives the name of this exchange ([`Exchange`])
//! while it compiles the program:
//!
//! ```
//! use distribute::prelude::*;
//! type Rows = layout!((4,(16,64)):(16,(1,64)));
//! type Columns = layout!((4,(64,16)):(1024,(1,64)));
//! type Everywhere = layout!((4,(64,64)):(0,(1,64)));
//!
//! assert_distributes!(Rows, (64,64));
//! assert_redistribution!(Rows => Everywhere, AllGather);
//! assert_redistribution!(Rows => Columns, AllToAll);
//! assert_redistribution!(Everywhere => Rows, LocalCopy);
//! assert_redistribution!(Partial<Everywhere> => Rows, ReduceScatter);
//! // Where in `Rows` each element of `Columns` comes from: (device, element) to (device, element).
//! assert_eq!(Source::<Rows, Columns>::default().to_string(), "(4,((16,4),16)):(1024,((4,1),64))");
//! ```
//!
//! Law: the name describes exactly the elements that must move; `tests/moves.rs` compares it with
//! brute force.
//!
//! Source: CuTe's thread-value layouts (`cute/atom/mma_traits.hpp`), with devices in place of
//! threads; MPI 4.1, chapter 6, for the names of the exchanges.
#![no_std]
#![forbid(unsafe_code)]
// An error carries its whole sentence by value, as there is no allocator during constant
// evaluation.
#![allow(clippy::result_large_err)]

#[cfg(feature = "dynamic")]
extern crate alloc;

mod asserts;
mod cuts;
mod distribution;
#[cfg(feature = "dynamic")]
mod moves;
mod parts;
mod product;
mod redistribution;
mod shared;
#[cfg(feature = "dynamic")]
mod stages;
mod types;

#[doc(hidden)]
pub use asserts::{elements, is_exchange, padded};
pub use distribution::Distribution;
#[cfg(feature = "dynamic")]
pub use moves::{Moves, Ragged};
pub use product::{GemmShape, product};
pub use redistribution::{Exchange, Redistribution, Step, redistribution};
#[cfg(feature = "dynamic")]
pub use stages::{Stage, stages};
pub use types::{Distributed, Partial, PartialIn, Source};

/// The names that a program with distributions uses, and the prelude of `layout-types`.
pub mod prelude {
    pub use crate::{
        Distributed, Distribution, Exchange, Partial, PartialIn, Source, assert_distributes,
        assert_product, assert_redistribution,
    };
    pub use layout_types::prelude::*;
}

#[doc(hidden)]
pub mod __private {
    pub use layout_types;
    pub use layout_types::check::{Reflect, require};
}
