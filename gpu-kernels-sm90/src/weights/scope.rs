//! The names that the body of `many_rows_kernel!` uses wherever it is expanded. They are not for
//! direct use.

pub use cuda_std::{for_kernel, kernel};
pub use gpu_kernels::weights::epilogue::Pointers;
pub use gpu_kernels::weights::kernel::Arguments;
pub use kernel_abi::gemm::GemmParams;
pub use kernel_abi::weights::WeightsConfiguration;
pub use layout_types::arch::copy_sm90_tma::TensorMap;
pub use layout_types::atom::gmma::LayoutKSw128Atom;
pub use layout_types::atom::mma::Registers;
pub use layout_types::atom::mma::sm90::{F32BF16BF16, F32F16F16, Wgmma};
pub use layout_types::prelude::{TileToShape, shape};
pub use layout_types::typenum;
