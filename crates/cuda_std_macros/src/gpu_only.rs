//! `#[gpu_only]`: one signature with a body for the GPU, and a panic on every other target.
//!
//! ```text
//!   nvptx64 ──► the body        elsewhere ──► panic: "`f` can only be used on the GPU"
//! ```
//!
//! Law: on `nvptx64` the function is exactly the one in the source. On other targets its body is
//! never compiled.
//!
//! Source: Rust-CUDA's `gpu_only`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemFn;

pub(crate) fn expand(function: &ItemFn) -> TokenStream {
    let ItemFn {
        attrs,
        vis,
        sig,
        block,
    } = function;
    let mut host = sig.clone();
    host.abi = None;
    let message = format!("`{}` can only be used on the GPU", sig.ident);
    quote! {
        #[cfg(target_arch = "nvptx64")]
        #(#attrs)*
        #vis #sig #block

        #[cfg(not(target_arch = "nvptx64"))]
        #[allow(unused_variables, clippy::missing_const_for_fn)]
        #(#attrs)*
        #vis #host {
            ::core::panic!(#message)
        }
    }
}
