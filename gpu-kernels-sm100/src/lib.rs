//! Cutlet's kernels for compute capability 10.0 only. They use TMA, `mbarrier`, `tcgen05` and
//! tensor memory, and their PTX is for `sm_100a`.
//!
//! ```text
//!   gpu-kernels         ──► kernels.ptx          sm_80     every GPU from Ampere on
//!   gpu-kernels-sm90    ──► kernels_sm90a.ptx    sm_90a    loaded beside it where the device is a Hopper
//!   gpu-kernels-sm100   ──► kernels_sm100a.ptx   sm_100a   loaded beside it where the device is a Blackwell of 10.0
//! ```
//!
//! **No card has run these kernels.** `ptxas` assembles them for `sm_100a`, and the emulator
//! executes them with every check. Their speed is unknown.
//!
//! ```
//! let mut all = gpu_kernels_sm100::gemm::CONFIGURATIONS.iter();
//! let pair = all.find(|of| of.hopper.is_some_and(|tma| tma.cluster == [2, 1])).unwrap();
//! // Each CTA of the pair stores 128 x 256 of D, and loads 128 rows of A and 128 of B.
//! assert_eq!((pair.tile, pair.hopper.unwrap().box_b), ([128, 256, 64], [64, 128]));
//! ```
//!
//! | to | go to |
//! |---|---|
//! | read what differs from Hopper, with a picture of tensor memory | `docs/guide/blackwell.md` |
//! | see the kernels that there are | [`gemm::CONFIGURATIONS`], [`attention::CONFIGURATIONS`] |
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
