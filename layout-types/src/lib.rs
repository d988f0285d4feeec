//! CuTe's layout algebra solved by the compiler: shapes, strides, layouts, tensors and atoms as
//! types.
//!
//! A layout is a function from coordinates to offsets, written `shape:stride`. Here it is a
//! zero-sized type, and type inference resolves its operations. `cargo check` refuses a tiling that
//! does not fit, in a sentence with its numbers. The PTX contains only immediate offsets.
//!
//! ```
//! use layout_types::prelude::*;
//! type L = layout!((4,8):(8,1));
//! assert_eq!(L::at((2u32, 3u32)), 19);
//! type Tiled = ZippedDivide<L, tile!(2, 4)>;
//! assert_eq!(Tiled::default().to_string(), "((2,4),(2,2)):((8,1),(16,4))");
//! ```
//!
#![doc = include_str!("pictures/layout.html")]
//!
//! # A kernel
//!
//! Write the layouts first, with assertions about them; then tensors over pointers; then
//! algorithms. A kernel's crate adds `#[kernel]` of `cuda_std`; here a loop over blocks and threads
//! stands in for the launch.
//!
//! ```
//! use layout_types::algorithm::{copy_if, transform};
//! use layout_types::atom::copy::AutoVectorizingCopy as Auto;
//! use layout_types::prelude::*;
//! use layout_types::tensor::Fragment;
//!
//! /// (thread, value) to an element of a tile: four neighbours a thread.
//! type ThreadValue = layout!((256,4):(4,1));
//! assert_covers!(ThreadValue, (1024));
//!
//! /// `x[i] *= a`; x has n elements and begins at a multiple of 16 bytes.
//! unsafe fn scale(x: *mut f32, a: f32, n: u32, block: u32, thread: u32) {
//!     unsafe {
//!         let x = Tensor::global_mut(x, [n], Int::<1>).local_tile::<tile!(1024), _>((block,));
//!         let mine = x.compose::<ThreadValue>().slice((thread, __));
//!         let held = Fragment::<f32, layout!(4)>::new();
//!         copy_if(Auto::default(), |i| mine.inside(i as u32), &mine, &held.view());
//!         transform(&held.view(), &held.view(), |x| a * x);
//!         copy_if(Auto::default(), |i| mine.inside(i as u32), &held.view(), &mine);
//!     }
//! }
//!
//! let mut x: Vec<f32> = (0..1502).map(|i| i as f32).collect();
//! for (block, thread) in (0..2).flat_map(|block| (0..256).map(move |thread| (block, thread))) {
//!     // SAFETY: x has 1502 elements, and each thread has elements of its own.
//!     unsafe { scale(x.as_mut_ptr(), 2.0, 1502, block, thread) };
//! }
//! assert!(x.iter().enumerate().all(|(i, &x)| x == 2.0 * i as f32));
//! ```
//!
//! # Laws
//!
//! The page of a module has a paragraph that begins with `Law:`. It says what holds for every call,
//! every layout or every instruction of the module, as an equation where there is one. For example,
//! `Composition<A, B>` maps every `i` to `A(B(i))`. Code that calls the module may rely on the law,
//! and code that implements one of its traits must keep it. Tests assert laws against brute force,
//! CuTe's own results or float64. What a call requires is not in the law: it is in the item's
//! `# Safety` section, or in a message of the compiler.
//!
//! ```
//! use layout_types::prelude::*;
//! type A = layout!((6,2):(8,2));
//! type B = layout!((4,3):(3,1));
//! for i in 0..B::SIZE as u32 {
//!     assert_eq!(Composition::<A, B>::index(i), A::index(B::index(i)));
//! }
//! ```
//!
//! # CuTe's names
//!
//! The search above finds every name: `make_tensor`, `crd2idx`, `elem_less`, `make_tiled_mma`.
//!
//! | CuTe | here |
//! |---|---|
//! | `make_layout(make_shape(..), make_stride(..))` | [`layout!`], [`shape!`] |
//! | `make_tile`, `make_coord`, `Int<4>` | [`tile!`], [`coord!`], [`int!`] |
//! | `layout(coord)`, `crd2idx`, `idx2crd` | [`LayoutFn::at`], [`LayoutFn::index`], [`LayoutFn::coordinate`] |
//! | `composition`, `complement`, `coalesce` | [`Composition`], [`Complement`], [`Coalesce`] |
//! | `logical_divide`, `zipped_divide`, `tiled_divide`, `flat_divide` | [`LogicalDivide`], [`ZippedDivide`], [`TiledDivide`], [`FlatDivide`] |
//! | `logical_product`, `blocked_product`, `raked_product` | [`LogicalProduct`], [`BlockedProduct`], [`RakedProduct`] |
//! | `right_inverse`, `left_inverse` | [`RightInverse`], [`LeftInverse`] |
//! | `Swizzle<3,3,3>` | [`Swizzle`], [`ComposedLayout`] |
//! | `make_tensor`, `local_tile`, `local_partition` | [`tensor::Tensor`] and its methods |
//! | `make_tiled_mma`, `make_tiled_copy`, `get_slice` | [`tiled::TiledMma`], [`tiled::MakeTiledCopy`], [`tensor::GetSlice`] |
//! | `partition_A`, `partition_S`, `retile_D` | methods of [`tensor::ThrMma`] and [`tensor::ThrCopy`] |
//! | `copy`, `copy_if`, `gemm`, `axpby`, `fill`, `transform` | [`algorithm`] |
//! | `SM80_16x8x16_F32F16F16F32_TN`, `SM90_TMA_LOAD` | [`atom::mma`], [`atom::copy`] |
//! | `CUTE_STATIC_ASSERT_V` | [`assert_layout_eq!`], [`assert_covers!`] and others in [`check`] |
//! | `print`, `print_tensor` | [`print`](mod@print) |
//!
//! # Where to go
//!
//! | for | see |
//! |---|---|
//! | writing a kernel: tensors, tiles, copies, products | [`tensor`], [`tiled`], [`algorithm`] |
//! | instructions: which thread holds what | [`atom`]; as bare functions [`arch`] |
//! | assertions that `cargo check` fires at your line | [`check`] |
//! | the same algebra on values | [`dynamic`] |
//! | extents that are known at launch | [`Ragged`], [`extent`] |
//! | how the compiler solves it | [`algebra`], [`notation`], [`decimal`], and in the source `tree`, `num`, `kinds`: machinery, which kernels do not name |
//!
//! Features: `dynamic` adds the algebra on values, which allocates. `bytemuck` adds the 8-bit
//! floats to a host's buffers. Kernels need neither.
//!
//! Source: CuTe, `include/cute/` of CUTLASS.
#![no_std]
// Inline assembly and intrinsics of NVPTX are unstable in rustc. Kernel builds allow them, and host
// builds never compile them.
#![cfg_attr(
    target_arch = "nvptx64",
    feature(asm_experimental_arch, link_llvm_intrinsics, abi_unadjusted),
    allow(internal_features)
)]

extern crate self as layout_types;

#[cfg(feature = "dynamic")]
extern crate alloc;

pub mod algorithm;
pub mod arch;
pub mod atom;
pub mod check;
pub mod coord;
pub mod dynamic;
mod exports;
pub mod extent;
mod front;
pub mod layout;
pub mod notation;
pub mod print;
pub mod ragged;
pub mod shape;
#[doc(alias = "make_identity_tensor")]
pub mod tensor;
#[doc(alias = "make_tiled_mma")]
#[doc(alias = "TiledMMA")]
pub mod tiled;
pub mod unroll;

// Machinery: how the compiler evaluates the algebra. It is public, because macros and the bounds of
// generic code name it; the items that kernels name are at the root. The types of these two modules
// are in messages, and rustc prints an item's bare name only if the documentation shows the item.
// Therefore only the traits of these modules are hidden from the documentation.
pub mod algebra;
pub mod decimal;
#[doc(hidden)]
pub mod kinds;
#[doc(hidden)]
pub mod num;
#[doc(hidden)]
pub mod tree;
#[doc(hidden)]
pub mod values;

pub use exports::*;
