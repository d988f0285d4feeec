//! Cutlet's kernels for compute capability 9.0 only. They use TMA, `mbarrier` and `wgmma`, and
//! their PTX is for `sm_90a`.
//!
//! ```text
//!   gpu-kernels        ──► kernels.ptx         sm_80    every GPU from Ampere on
//!   gpu-kernels-sm90   ──► kernels_sm90a.ptx   sm_90a   loaded in addition if the device is a Hopper
//! ```
//!
//! Like `gpu-kernels`, the crate is built to PTX by `cuda_builder`. For the host it is a library of
//! the same types and of each kernel's launch, which the tables of configurations describe:
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
// Without the feature `kernels`, the items that only kernels use are unused.
#![cfg_attr(not(feature = "kernels"), allow(dead_code, unused_imports))]

pub mod attention;
pub mod gemm;
pub mod warp_group;
pub mod weights;
