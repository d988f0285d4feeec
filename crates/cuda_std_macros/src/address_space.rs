//! `#[address_space(..)]` on a `static`, and `#[externally_visible]` on a function.
//!
//! ```text
//!   #[address_space(shared)] static mut TILE: [f32; 256] = ..;
//!        ──►   static mut TILE: Shared<storage::Tag>      zero-sized; *TILE is the block's own array
//! ```
//!
//! Law: an access through the static's name reaches the requested memory, with the type in the
//! source. rustc puts every static into the generic address space, so a static in shared memory
//! becomes a proxy that dereferences to the memory.
//!
//! Source: Rust-CUDA's `address_space` and `externally_visible`; PTX ISA, *State Spaces*.

use crate::shared_storage;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, ItemFn, ItemStatic};

pub(crate) fn expand(space: &Ident, item: &ItemStatic) -> TokenStream {
    match space.to_string().as_str() {
        "shared" => shared(item),
        "global" | "constant" => quote!(#item),
        "local" => refuse(
            space,
            "a static cannot be `local`: local memory is per thread, and only variables are",
        ),
        other => refuse(
            space,
            &format!(
                "`{other}` is not an address space: there are `global`, `shared` and `constant`"
            ),
        ),
    }
}

fn refuse(space: &Ident, message: &str) -> TokenStream {
    syn::Error::new(space.span(), message).to_compile_error()
}

fn shared(item: &ItemStatic) -> TokenStream {
    let ItemStatic {
        attrs,
        vis,
        mutability,
        ident,
        ty,
        expr,
        ..
    } = item;
    let module = format_ident!("shared_storage_of_{}", ident.to_string().to_lowercase());
    let cuda_std = quote!(::cuda_std);
    let items = shared_storage::declare(&cuda_std, &module, ty);
    let items: syn::File = match syn::parse2(items) {
        Ok(file) => file,
        Err(error) => return error.to_compile_error(),
    };
    let items = items.items;
    quote! {
        #(#[cfg(target_arch = "nvptx64")] #items)*

        #[cfg(target_arch = "nvptx64")]
        const _: #ty = #expr;

        #[cfg(target_arch = "nvptx64")]
        #(#attrs)*
        #vis static #mutability #ident: #cuda_std::shared::Shared<#module::Tag> =
            // SAFETY: this is the only value for this storage.
            unsafe { #cuda_std::shared::Shared::new() };

        #[cfg(not(target_arch = "nvptx64"))]
        #item
    }
}

pub(crate) fn externally_visible(function: &ItemFn) -> TokenStream {
    let exported = function.attrs.iter().any(|attribute| {
        let path = attribute.path();
        let named = |name: &str| path.is_ident(name);
        named("no_mangle")
            || named("export_name")
            || (named("unsafe")
                && attribute.parse_args::<syn::Meta>().is_ok_and(|inner| {
                    inner.path().is_ident("no_mangle") || inner.path().is_ident("export_name")
                }))
    });
    if exported {
        quote!(#function)
    } else {
        syn::Error::new(
            function.sig.ident.span(),
            "an #[externally_visible] function needs a name to be found by: add `#[unsafe(no_mangle)]`",
        )
        .to_compile_error()
    }
}
