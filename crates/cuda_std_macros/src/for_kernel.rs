//! `#[for_kernel(name)]`: an item that stays where its kernel does.
//!
//! ```text
//!   all kernels, or `name` among those of the build ──► the item        others alone ──► nothing on the GPU, the item on the host
//! ```
//!
//! Law: without `CudaBuilder::kernels` the item is what was written.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, ExprMacro, Lit, Token};

use crate::selection::is_selected;

/// Which kernel an item belongs to.
#[derive(Debug, PartialEq)]
pub(crate) enum Owner {
    /// The one of this name.
    Kernel(String),
    /// All of them.
    Every,
    /// One whose name the compiler alone knows: the item stays.
    Unknown,
}

impl Parse for Owner {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            return Ok(Self::Every);
        }
        let name = input.parse::<Expr>()?;
        Ok(match &name {
            Expr::Path(path) => match path.path.get_ident() {
                Some(ident) => Self::Kernel(ident.to_string()),
                None => Self::Unknown,
            },
            other => string_of(other).map_or(Self::Unknown, Self::Kernel),
        })
    }
}

/// The string of a literal, of `stringify!`, or of several in `concat!`.
fn string_of(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Group(group) => string_of(&group.expr),
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        Expr::Macro(ExprMacro { mac, .. }) if mac.path.is_ident("stringify") => {
            Some(mac.tokens.to_string())
        }
        Expr::Macro(ExprMacro { mac, .. }) if mac.path.is_ident("concat") => {
            let parts = Punctuated::<Expr, Token![,]>::parse_terminated;
            let parts = parts.parse2(mac.tokens.clone()).ok()?;
            parts.iter().map(string_of).collect()
        }
        _ => None,
    }
}

pub(crate) fn expand(owner: &Owner, item: TokenStream) -> TokenStream {
    let stays = match owner {
        Owner::Kernel(name) => is_selected(Some(name)),
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
    fn a_kernel_is_named_by_an_identifier_or_a_string() {
        let owner = |text: &str| syn::parse_str::<Owner>(text).unwrap();
        let fill = || Owner::Kernel("fill_s3".to_owned());
        assert_eq!(owner("fill_s3"), fill());
        assert_eq!(owner("\"fill_s3\""), fill());
        assert_eq!(owner("concat!(\"fi\", stringify!(ll), \"_s3\")"), fill());
        assert_eq!(owner(""), Owner::Every);
        assert_eq!(owner("names::FILL"), Owner::Unknown);
        assert_eq!(owner("concat!(\"fill\", 3)"), Owner::Unknown);
    }
}
