//! Rust-CUDA's device-side standard library on rustc's own NVPTX backend.
