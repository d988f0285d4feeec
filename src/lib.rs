//! CuTe's layout algebra in Rust's type system, for people who write GPU kernels in Rust.
