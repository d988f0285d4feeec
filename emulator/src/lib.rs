//! Executes PTX on the CPU, with the checks that a GPU does not make.
//!
//! ```text
//! text ──Program::parse──► Program ──Emulator::load, launch──► results, Report, or a Fault with its place
//! ```

mod address;
mod config;
mod error;
mod fault;
mod frame;
mod ir;
mod lower;
pub mod numerics;
mod program;
mod reader;
mod types;

pub use config::{Config, Launch};
pub use error::{LaunchError, LoadError, MemoryError, PtxError, PtxErrorKind};
pub use fault::{Access, Earlier, Fault, FaultKind, Space};
pub use program::{Param, Program, Signature, Target};
