//! Cutlet's kernels for compute capability 9.0 and nothing else: TMA, `mbarrier` and `wgmma`, PTX
//! for `sm_90a`.
//!
//! ```text
//!   gpu-kernels        ──► kernels.ptx         sm_80    every GPU from Ampere on
//!   gpu-kernels-sm90   ──► kernels_sm90a.ptx   sm_90a   loaded beside it where the device is a Hopper
//! ```
//!
//! As `gpu-kernels`, the crate is built to PTX by `cuda_builder` and, for the host, as a library of
//! the same types and of each kernel's launch, which the tables of configurations lead to:
//!
//! ```
//! let of = gpu_kernels_sm90::gemm::CONFIGURATIONS.iter().find(|of| of.tile == [128, 256, 64]).unwrap();
//! let hopper = of.hopper.unwrap();
//! assert!(of.shared_bytes <= 227 * 1024);
//! assert_eq!(hopper.box_a[0], 64); // 128 bytes of k, the width of the swizzle
//! ```
//!
//! | to | go to |
//! |---|---|
//! | read how the GEMM works, nine kernels one after the other | `docs/hopper-gemm.md`, `examples/hopper-kernels` |
//! | see the kernels that there are | [`gemm::CONFIGURATIONS`], [`attention::CONFIGURATIONS`] |
//! | plan a launch: tensor maps, clusters, grid | `Configuration::plan` of `kernel_abi` |
//! | have them chosen, planned and launched | `cutlet::gemm`, `cutlet::attention` |

#![cfg_attr(
    target_arch = "nvptx64",
    no_std,
    feature(abi_ptx, asm_experimental_arch)
)]
// What only kernels use.
#![cfg_attr(not(feature = "kernels"), allow(dead_code, unused_imports))]

pub mod attention;
pub mod gemm;
pub mod warp_group;
pub mod weights;
