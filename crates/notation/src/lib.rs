//! CuTe's notation as a language: reads, evaluates and explains expressions of the layout algebra.
//!
//! ```text
//! composition((6,2):(8,2), (4,3):(3,1))                  ((2,2),3):((24,2),8)
//! Sw<2,3,3> o (8,32):(32,1)                              Sw<2,3,3> o 0 o (8,32):(32,1)
//! SM80_16x8x16_F32F16F16F32_TN.C(5,1)                    49
//! bank_conflicts((128,32):(32,1), f16, ldmatrix)         4-way bank conflicts, ...
//! tma_box(Sw<3,3,3> o (128,64):(64,1), f16)              box (64,128), 128-byte swizzle, 16384 bytes
//! ```
//!
//! Law: an operation returns what `layout_types::dynamic` returns, which is what CuTe prints, or is
//! refused with the rule and the mode that breaks it. Every text soon ends in a value or in an
//! error with its place.
//!
//! ```
//! use notation::{Session, Value};
//!
//! let mut session = Session::new();
//! session.eval("let mma = tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (32,32,16))")?;
//! let Value::ThreadValue(a) = session.eval("mma.A")? else { unreachable!() };
//! assert_eq!((a.threads(), a.values(), a.tile().to_string().as_str()), (128, 8, "(32,16)"));
//! assert_eq!(a.cell(5, 1).unwrap().to_string(), "(1,3)");
//! # Ok::<(), notation::Error>(())
//! ```
//!
//! | to | go to |
//! |---|---|
//! | look up a function or a form | `docs/notation.md`, whose every row is a test; [`functions`] |
//! | print a value as the command line does | [`describe`] |
//! | draw it | the crate `pictures` |
//! | have the same layout in a kernel | `layout_types::layout!`, which reads this notation |
#![forbid(unsafe_code)]

pub mod atoms;
pub mod banks;
mod describe;
mod distribution;
mod error;
mod evaluate;
mod explain;
mod fields;
mod functions;
pub mod hopper;
pub mod json;
mod laws;
pub mod limits;
mod names;
mod session;
pub mod syntax;
mod table;
mod thread_value;
pub mod tiled;
mod value;

pub use atoms::{CopyAtom, CopyOperation, Element, MmaAtom, Operand};
pub use describe::{describe, describe_with_table};
pub use distribution::Redistribution;
pub use error::{Error, ErrorKind, Result};
pub use explain::{Explanation, Step};
pub use functions::{Function, all as functions};
pub use laws::Laws;
pub use session::{Session, eval};
pub use syntax::{parse, parse_expression};
pub use table::{MOST as MOST_CELLS_ACROSS, table};
pub use thread_value::{Owner, ThreadValue};
pub use tiled::{Partition, Side, TiledCopy, TiledMma};
pub use value::{Slice, Value};

/// The layouts and tuples of [`Value`] are types of this crate.
pub use layout_types::dynamic;
