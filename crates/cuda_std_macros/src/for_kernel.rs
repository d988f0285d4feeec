//! `#[for_kernel(name, ..)]`: an item that a build for the GPU keeps only if the build selects one
//! of the named kernels.
//!
//! ```text
//!   all kernels, or one of the names among those of the build ──► the item        others alone ──► nothing on the GPU, the item on the host
//! ```
//!
//! Law: without `CudaBuilder::kernels`, the item stays as it is in the source.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Token};

use crate::selection::is_selected;
use crate::text;

/// The kernels to which an item belongs.
#[derive(Debug, PartialEq)]
pub(crate) enum Owner {
    /// The kernels of these names.
    Kernels(Vec<String>),
    /// All kernels.
    Every,
    /// A kernel whose name the macro cannot read. Every build keeps the item.
    Unknown,
}

impl Parse for Owner {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            return Ok(Self::Every);
        }
        let names = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
        let name = |name: &Expr| match name {
            Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
            other => text::of(other),
        };
        let known: Option<_> = names.iter().map(name).collect();
        Ok(known.map_or(Self::Unknown, Self::Kernels))
    }
}

pub(crate) fn expand(owner: &Owner, item: TokenStream) -> TokenStream {
    let stays = match owner {
        Owner::Kernels(names) => names.iter().any(|name| is_selected(Some(name))),
        Owner::Every => is_selected(None),
        Owner::Unknown => true,
    };
    if stays {
        return item;
    }
    quote! {
        #[cfg(not(target_arch = "nvptx64"))]
        #item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_named_by_identifiers_or_strings() {
        let owner = |text: &str| syn::parse_str::<Owner>(text).unwrap();
        let kernels =
            |names: &[&str]| Owner::Kernels(names.iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(owner("fill_s3"), kernels(&["fill_s3"]));
        assert_eq!(owner("\"fill_s3\""), kernels(&["fill_s3"]));
        let made = "concat!(\"fi\", stringify!(ll), \"_s\", 3)";
        assert_eq!(owner(made), kernels(&["fill_s3"]));
        assert_eq!(
            owner(&format!("fill, {made}")),
            kernels(&["fill", "fill_s3"])
        );
        assert_eq!(owner(""), Owner::Every);
        assert_eq!(owner("names::FILL"), Owner::Unknown);
        assert_eq!(owner("fill, concat!(\"fill\", 3.0)"), Owner::Unknown);
    }
}
