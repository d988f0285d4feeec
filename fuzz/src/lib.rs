//! What the fuzz targets do with a string of bytes.
//!
//! ```text
//!   bytes ──► PTX text ────────────────► Program::parse ──► a program, or a typed error
//!   bytes ──► launch ║ PTX text ──► parse, load, launch ──► a report, or a typed error, within its budget
//!   bytes ──► choices ──► module, launch, launch file ──► the same on one and on two CPU threads
//! ```
//!
//! Law: no input makes the emulator panic, run beyond its budget or take memory without bound.

pub mod generate;
pub mod hostile;
// The program that has it is built with its kernels, for which a fuzz target has no use.
#[path = "../../src/launch_file/mod.rs"]
pub mod launch_file;
pub mod mutate;
pub mod structured;
