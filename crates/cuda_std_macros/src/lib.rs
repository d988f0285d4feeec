//! The attributes of `cuda_std`: [`macro@kernel`], [`macro@gpu_only`], [`macro@address_space`] and
//! [`macro@externally_visible`], under the names that Rust-CUDA gives them, for rustc's own NVPTX
//! backend.
//!
//! ```text
//!   #[kernel] pub unsafe fn f(a: &[f32], c: *mut f32)
//!        │ nvptx64                                      │ every other target
//!        ▼                                              ▼
//!   #[no_mangle] extern "ptx-kernel"                the function as written,
//!   fn f(a: *const f32, a_len: usize, c: *mut f32)  callable and testable
//! ```
//!
//! Law: on every target, the body that runs is the body in the source. The attributes change only
//! how a function is called and where a `static` is stored.
//!
//! Use the attributes through `cuda_std`, which re-exports all of them, because their output names
//! items of that crate.
//!
//! Source: the attributes of Rust-CUDA's `cuda_std_macros`; PTX ISA, *Kernel and Function
//! Directives*.

mod address_space;
mod for_kernel;
mod gpu_only;
mod grid_constant;
mod hints;
mod kernel;
mod selection;
mod shared_array;
mod shared_storage;
mod text;

use proc_macro::TokenStream;
use syn::parse_macro_input;

/// Makes a function an entry point of the GPU.
///
/// On `nvptx64` the function becomes `#[unsafe(no_mangle)] pub unsafe extern "ptx-kernel" fn`,
/// which is a `.visible .entry` in the PTX with the function's name. On every other target the
/// function stays as it was written, so the crate also builds as an `rlib` for the host. There, the
/// functions of `cuda_std` that the kernel calls panic.
///
/// # What a kernel must be
///
/// If a kernel breaks a rule, the error is at the token that breaks it:
///
/// - `unsafe`: every launch shares memory among threads, and no signature proves that it does so
///   without races;
/// - no return value: results go through pointers;
/// - no type or constant parameters, no `impl Trait`: the entry has one name. Lifetimes are fine;
/// - no `self`, `async`, `const`, `...`; no ABI of its own other than `extern "C"`, which is
///   replaced;
/// - every parameter is `Copy`, since every thread gets its own copy. This excludes `&mut T`, which
///   would alias.
///
/// # Parameters, and what the host passes
///
/// | Rust | PTX | host |
/// |---|---|---|
/// | integer, float, `bool`, pointer, `&T` | one scalar `.param` | the value |
/// | `&[T]`, `*const [T]`, `*mut [T]`, `&str` | two `.u64`: address, then number of elements | two arguments |
/// | `#[repr(C)]` struct, array, tuple, `u128` | one `.b8` array of its size and alignment | the value |
/// | `#[grid_constant] &T` | as `T`; a multiple of 64 bytes is aligned to 64 | the `T` |
///
/// A wide pointer is split only if it is *spelled* as one. A type alias for `&[T]` would be passed
/// as a 16-byte struct. The address of an empty slice must still be aligned and not null. A grid
/// constant is read directly from parameter space, as the hardware requires for a tensor map.
///
/// # Options
///
/// `#[kernel(threads = 384, min_blocks = 1, cluster = 2)]` bounds the threads of a block
/// (`.maxntid`), limits registers so that this number of blocks fits on a multiprocessor
/// (`.minnctapersm`), and fixes the blocks of a cluster (`.reqnctapercluster`). A tuple gives more
/// dimensions: `cluster = (2, 1)`. `cuda_builder` writes the directives into the PTX.
///
/// `name = concat!("fill_", stringify!(f16), "_s", 3)` composes the name of the entry from parts,
/// for macros that define many kernels. On every target the function then has this name instead of
/// the name in the source.
///
/// `grid_dim = 1d, block_dim = 2d` are accepted and checked, but have no effect, as in Rust-CUDA.
///
/// # Example
///
/// ```
/// use cuda_std::prelude::*;
///
/// #[kernel]
/// pub unsafe fn scale(a: &[f32], factor: f32, first: *mut f32) {
///     unsafe { *first = a[0] * factor };
/// }
///
/// let mut result = 0.0;
/// unsafe { scale(&[3.0, 4.0], 2.0, &mut result) }; // on the host: a plain function
/// assert_eq!(result, 6.0);
/// ```
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let hints = parse_macro_input!(arguments as hints::Hints);
    let function = parse_macro_input!(item as syn::ItemFn);
    kernel::expand(&hints, function).into()
}

/// Ties an item to a kernel: if a build for the GPU selects only other kernels (`cuda_builder`'s
/// `CudaBuilder::kernels`), the build drops the item. In every other build the attribute changes
/// nothing. Without a name, as for a table of all kernels, every build that selects kernels drops
/// the item. With several names, a build that selects any of them keeps the item. A name may also
/// be a string literal, or a `concat!` and `stringify!` of literals, for macros that receive the
/// name. If the macro cannot read the name, for example because it is the value of a constant,
/// every build keeps the item.
///
/// The compiler takes as long for a kernel's configuration as for the kernel. Without this
/// attribute on configurations, building one of many kernels takes as long as building all of them.
///
/// ```
/// use cuda_std::{for_kernel, kernel};
///
/// struct Tile;
/// trait Configuration {
///     const WIDTH: u32;
/// }
/// #[for_kernel(fill)]
/// impl Configuration for Tile {
///     const WIDTH: u32 = 32;
/// }
///
/// #[kernel]
/// pub unsafe fn fill(c: *mut u32) {
///     unsafe { *c = Tile::WIDTH };
/// }
/// ```
#[proc_macro_attribute]
pub fn for_kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let owner = parse_macro_input!(arguments as for_kernel::Owner);
    for_kernel::expand(&owner, item.into()).into()
}

/// Restricts a function's body to the GPU: on every other target the function has the same
/// signature, and panics.
///
/// The body is not compiled on the host at all, so it may contain `asm!` for the GPU.
#[proc_macro_attribute]
pub fn gpu_only(_arguments: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as syn::ItemFn);
    gpu_only::expand(&function).into()
}

/// Marks a function for callers outside this PTX module.
///
/// rustc keeps every `#[no_mangle]` function of the kernel crate as a `.visible .func`, so the
/// attribute adds nothing. It only checks that `#[no_mangle]` (or `#[export_name]`) is present.
#[proc_macro_attribute]
pub fn externally_visible(_arguments: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as syn::ItemFn);
    address_space::externally_visible(&function).into()
}

/// Places a `static` in a memory of the GPU: shared, global or constant.
///
/// `shared` replaces the static by one static per thread block. The name then has the type
/// `cuda_std::shared::Shared<_>`, which dereferences to the type in the source, so `TILE[i] = x`,
/// `TILE.len()` and `TILE.as_mut_ptr()` work as usual. The initialiser is type-checked and dropped,
/// because shared memory starts uninitialised, as in Rust-CUDA.
///
/// `global` and `constant` leave the static where rustc puts statics, in global memory. A constant
/// is then read from global memory, without the constant cache. `local` is refused, because a
/// static does not exist per thread.
///
/// On every other target the static stays as it was written.
#[proc_macro_attribute]
pub fn address_space(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let space = parse_macro_input!(arguments as syn::Ident);
    let item = parse_macro_input!(item as syn::ItemStatic);
    address_space::expand(&space, &item).into()
}

/// Expands `cuda_std::shared_array!`. Not for direct use.
#[doc(hidden)]
#[proc_macro]
pub fn __shared_array(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as shared_array::Input);
    shared_array::expand(&input).into()
}
