//! Executes PTX on the CPU, with the checks that a GPU does not make.
//!
//! ```text
//! text ──Program::parse──► Program ──Emulator::load, launch──► results, Report, or a Fault with its place
//! ```
//!
//! A kernel that reads beyond its buffer stops at the instruction, with the thread and the buffer:
//!
//! ```
//! use emulator::{Config, Emulator, Launch, Program};
//!
//! let program = Program::parse(
//!     ".version 7.0 .target sm_80 .address_size 64
//!      .visible .entry next(.param .u64 p) {
//!          .reg .b32 %r<3>; .reg .b64 %rd<4>;
//!          ld.param.u64 %rd1, [p];
//!          mov.u32 %r1, %tid.x;
//!          mul.wide.u32 %rd2, %r1, 4;
//!          add.s64 %rd3, %rd1, %rd2;
//!          ld.global.u32 %r2, [%rd3+4];
//!          st.global.u32 [%rd3], %r2;
//!          ret;
//!      }",
//! )?;
//! let device = Emulator::new(Config::default());
//! device.load(&program)?;
//! let buffer = device.alloc(16)?;
//! device.write(buffer, &[0; 16])?;
//! let launch = Launch { grid: [1, 1, 1], block: [4, 1, 1], dynamic_shared: 0 };
//! let refused = device.launch(&program, "next", &launch, &[&buffer.to_le_bytes()], None).unwrap_err();
//! assert!(refused.to_string().contains("thread (3,0,0)"), "{refused}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | go to |
//! |---|---|
//! | launch kernels on this or on a GPU, from one program | the crate `host`, whose `Device::emulator` this is |
//! | check the kernels of a PTX file without writing a program | `cutlet check` |
//! | know what is checked | [`FaultKind`], and the table of `docs/emulator.md` |
//! | try orders that a GPU might take | [`Schedule`] |
//! | count instructions, conflicts and transactions | [`Report`], [`Profile`] |
//!
//! # What is modelled
//!
//! The law is the PTX ISA. If it leaves something open, the emulator does what was measured on an
//! H200, and the item's documentation describes it:
//! - integer `div` and `rem` by zero give all ones; the carry of `sub.cc` is that of `a + !b + 1`;
//! - [`bfe` and `bfi`](numerics::integer::field) with positions or lengths beyond 255;
//! - [`.ftz`](numerics::soft::is_tiny) makes a zero of a result before the result would be rounded
//!   up to the smallest normal number, in `mul` and `fma` of `.f32` and `.f16` as measured; `div`,
//!   `rcp` and `cvt` follow the same rule unmeasured;
//! - the payload of a NaN that `cvt` narrows, and the conversion of a NaN by
//!   [`cvt.rna.satfinite.tf32`](numerics::tf32::from_f32_saturating).
//!
//! In these points the emulator differs from a device:
//! - [approximate instructions](numerics::approx) are the rounded function, inside PTX's bounds but
//!   not the device's bits; `sin` of very small numbers is the rounded function too, while an
//!   H200 gives zero;
//! - [`mma.sync`](numerics::mma) is equal to an H200's to the bit; with
//!   [`Config::tensor_arithmetic`] its floats are added as by the tensor cores of sm_80 (by the
//!   literature, unmeasured), in plain `.f32` steps, or exactly with one rounding;
//! - there is no time: [`Report`] only counts instructions and memory transactions.

mod accept;
mod address;
mod config;
mod counted;
mod emulator;
mod error;
mod excerpt;
mod exec;
mod fault;
mod findings;
mod frame;
mod instructions;
mod ir;
mod kinds;
mod lower;
mod memory;
mod names;
pub mod numerics;
mod place;
pub mod profile;
mod program;
mod reader;
mod report;
mod schedule;
mod signature;
mod swizzles;
mod tensor_map;
mod texture;
mod types;

pub use accept::{Acceptable, Acceptance, AcceptedLine, NotARule, NotAcceptable};
pub use config::{Config, Launch, LaunchAttributes};
pub use counted::counted;
pub use emulator::Emulator;
pub use error::{LaunchError, LoadError, MemoryError, NotEmulated, PtxError, PtxErrorKind};
pub use fault::{
    Access, Buffer, Completion, Earlier, Fault, FaultKind, Later, Reached, Slot, Space, TensorShape,
};
pub use findings::Noted;
pub use kinds::{Acceptability, FindingKind};
pub use names::demangle;
pub use place::{CodePlace, Frame, Inlined, own_frame};
pub use profile::Profile;
pub use program::Program;
pub use report::{LineReport, MemoryCounts, Report, SourceReport};
pub use schedule::{Schedule, UnknownSchedule};
pub use signature::{Param, Signature, Target};
pub use tensor_map::{
    Im2col, TENSOR_MAP_BYTES, TensorElement, TensorMap, TensorMapError, TensorSwizzle,
};
pub use texture::{
    AddressMode, ArrayDesc, ArrayHandle, ArrayShape, FilterMode, ReadMode, TexelFormat,
    TextureDesc, TextureError,
};
