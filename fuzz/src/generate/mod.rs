//! Makes a module, its launches and a launch file from bytes: each byte is a choice in the grammar.
//!
//! ```text
//!   bytes ──Source──► declarations, statements, sizes ──► PTX that mostly is right, with edges and mistakes in it
//!                └──► grid, block, shared bytes, parameters, checks
//!                └──► TOML
//! ```
//!
//! Law: the result is a function of the bytes. Changed bytes change a choice and the choices that
//! depend on it, so a fuzzer that changes bytes changes the structure of a module.

mod body;
pub mod launch_file;
pub mod module;
pub mod source;
