//! Builds a crate of GPU kernels to PTX with rustc's NVPTX backend, with Rust-CUDA's CudaBuilder API.
