//! Products of 8- and 4-bit floats with a scale factor for each block of k: MXFP8 and NVFP4.
//!
//! ```text
//!                    A, B     scale factor     for          k tile          scale factors of 128 rows and a k tile
//!   mxf8f6f4         e4m3     ue8m0            32 of k      128 elements      512 bytes     4 columns of tensor memory
//!   mxf4nvf4         e2m1     ue4m3            16 of k      256 elements     2048 bytes    16 columns
//!
//!   collective       a kernel by its parts
//!   products         the copies of scale factors to tensor memory, and the scaled products
//!   plan             a problem's launch, with the tensor maps of the scale factors
//!   configurations   the kernels that are compiled
//! ```
//!
//! Law: `D = act(alpha Σ_k (sfa(i, k) A(i, k)) (sfb(j, k) B(j, k)) + beta C + bias)`, summed in
//! f32: A `(m, k)` and B `(n, k)`, both row-major, two e2m1 to a byte with the lower one in the low
//! bits. Scale factors are in the layout of cuBLAS and CUTLASS: blocks of 128 rows and 4 factors
//! along k, each 512 contiguous bytes in the order of
//! [`ScaleAtom`](layout_types::atom::tmem::scales::ScaleAtom), blocks along k first. All else is
//! the law of [`kernel_abi::gemm`].
//!
//! **No card has run these kernels.** `ptxas` assembles them for `sm_100a`, and the emulator
//! executes them with every check.

pub mod collective;
pub mod configurations;
pub mod plan;
pub mod products;

pub use collective::ScaledCollective;
#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[cuda_std::for_kernel()]
pub use configurations::CONFIGURATIONS;
