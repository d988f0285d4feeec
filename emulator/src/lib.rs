//! Executes PTX on the CPU, with the checks that a GPU does not make.
//!
//! ```text
//! text ──Program::parse──► Program ──Emulator::load, launch──► results, Report, or a Fault with its place
//! ```

mod address;
mod config;
mod emulator;
mod error;
mod exec;
mod fault;
mod frame;
mod ir;
mod lower;
mod memory;
pub mod numerics;
mod program;
mod reader;
mod report;
mod types;

pub use config::{Config, Launch};
pub use emulator::Emulator;
pub use error::{LaunchError, LoadError, MemoryError, PtxError, PtxErrorKind};
pub use fault::{Access, Earlier, Fault, FaultKind, Space};
pub use program::{Param, Program, Signature, Target};
pub use report::{LineReport, MemoryCounts, Report};
