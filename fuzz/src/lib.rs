//! The functions that the fuzz targets apply to a string of bytes.
//!
//! ```text
//!   bytes ──► PTX text ────────────────► Program::parse ──► a program, or a typed error
//!   bytes ──► launch ║ PTX text ──► parse, load, launch ──► a report, or a typed error, within its budget
//!   bytes ──► choices ──► module, launch, launch file ──► the same on one and on two CPU threads
//! ```
//!
//! Law: no input makes the emulator panic, exceed its budget or allocate memory without bound.

pub mod generate;
pub mod hostile;
pub mod mutate;
pub mod structured;
