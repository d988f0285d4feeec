//! Bytes as a module, its launches and a launch file for it: each byte is a choice of the
//! grammar's.
//!
//! ```text
//!   bytes ──Source──► declarations, statements, sizes ──► PTX that mostly is right, with edges and mistakes in it
//!                └──► grid, block, shared bytes, parameters, checks
//!                └──► TOML
//! ```
//!
//! Law: what is made is a function of the bytes. Changed bytes change a choice and what hangs on
//! it, so that a fuzzer that changes bytes changes a module's structure.

mod body;
pub mod launch_file;
pub mod module;
pub mod source;
