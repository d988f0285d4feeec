//! `#[for_kernel(name)]`: an item that stays where its kernel does.
//!
//! ```text
//!   all kernels, or `name` among those of the build ──► the item        others alone ──► nothing on the GPU, the item on the host
//! ```
//!
//! Law: without `CudaBuilder::kernels` the item is what was written.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Ident;

use crate::selection::is_selected;

pub(crate) fn expand(kernel: Option<&Ident>, item: TokenStream) -> TokenStream {
    if is_selected(kernel) {
        return item;
    }
    quote! {
        #[cfg(not(target_arch = "nvptx64"))]
        #item
    }
}
