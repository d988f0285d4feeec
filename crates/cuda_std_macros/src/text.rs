//! Evaluates the text of an expression, for names that are composed of parts.
//!
//! ```text
//!   "fill"    stringify!(fill)    concat!("fill", "_s", 3)    ──►  fill, fill, fill_s3
//! ```
//!
//! Law: for literals, `stringify!` and `concat!`, the text is the one that rustc makes from the
//! expression. Any other expression has no text.

use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, ExprMacro, Lit, Token};

/// Returns the text of a literal, of `stringify!`, or of a `concat!` of several.
pub(crate) fn of(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Group(group) => of(&group.expr),
        Expr::Lit(ExprLit { lit, .. }) => match lit {
            Lit::Str(text) => Some(text.value()),
            Lit::Int(number) => Some(number.base10_digits().to_owned()),
            _ => None,
        },
        Expr::Macro(ExprMacro { mac, .. }) if mac.path.is_ident("stringify") => {
            Some(mac.tokens.to_string())
        }
        Expr::Macro(ExprMacro { mac, .. }) if mac.path.is_ident("concat") => {
            let parts = Punctuated::<Expr, Token![,]>::parse_terminated;
            let parts = parts.parse2(mac.tokens.clone()).ok()?;
            parts.iter().map(of).collect()
        }
        _ => None,
    }
}
