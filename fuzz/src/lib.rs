//! What the fuzz targets do with a string of bytes.
//!
//! ```text
//!   bytes ──► PTX text ────────────────► Program::parse ──► a program, or a typed error
//!   bytes ──► launch ║ PTX text ──► parse, load, launch ──► a report, or a typed error, within its budget
//! ```
//!
//! Law: no input makes the emulator panic, run beyond its budget or take memory without bound.

pub mod hostile;
pub mod mutate;
