//! `shared_array![T; N]`: shared memory for an expression.
//!
//! ```text
//!   shared_array![f32; 256]  ──►  { declaration of 256 f32; its address as *mut f32 }
//! ```
//!
//! Law: each occurrence in the source declares one array per thread block, and two occurrences
//! declare two arrays.
//!
//! Source: Rust-CUDA's `shared_array!`.

use crate::shared_storage;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Token, Type, parenthesized, parse_quote};

/// The parsed input: `(path of cuda_std) type ; length`.
pub(crate) struct Input {
    cuda_std: TokenStream,
    element: Type,
    length: Expr,
}

impl Parse for Input {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let path;
        parenthesized!(path in input);
        let cuda_std = path.parse()?;
        let element = input.parse()?;
        input.parse::<Token![;]>()?;
        let length = input.parse()?;
        Ok(Self {
            cuda_std,
            element,
            length,
        })
    }
}

pub(crate) fn expand(input: &Input) -> TokenStream {
    let Input {
        cuda_std,
        element,
        length,
    } = input;
    let module = format_ident!("shared_array_storage");
    let value: Type = parse_quote!([#element; #length]);
    let items = shared_storage::declare(cuda_std, &module, &value);
    quote! {{
        #[cfg(target_arch = "nvptx64")]
        let address: *mut #element = {
            #items
            <#module::Tag as #cuda_std::shared::SharedStorage>::address().cast::<#element>()
        };
        #[cfg(not(target_arch = "nvptx64"))]
        let address: *mut #element = #cuda_std::__private::not_on_this_target("shared_array!");
        address
    }}
}
