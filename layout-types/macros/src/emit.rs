//! Converts a tree to the tokens of its type.
//!
//! ```text
//!   (4,8):(8,1)   ->   $crate::Layout<$crate::Cons<U4, $crate::Cons<U8, $crate::Nil>>, ..>
//! ```

use crate::parse::Node;
use proc_macro::{Ident, Punct, Spacing, Span, TokenStream, TokenTree};

/// Returns the type of a value. `root` is the path of `layout_types`.
pub fn node(root: &TokenStream, node: &Node) -> TokenStream {
    match node {
        Node::Int(value, span) => int(root, *value, *span),
        Node::Basis(value, modes, span) => {
            modes.iter().fold(int(root, *value, *span), |inner, mode| {
                let mode = int(root, *mode, *span);
                generic(root, &["E"], &[mode, inner], *span)
            })
        }
        Node::Underscore(span) => path(root, &["Underscore"], *span),
        Node::Tuple(items, span) => items
            .iter()
            .rev()
            .fold(path(root, &["Nil"], *span), |tail, item| {
                generic(root, &["Cons"], &[self::node(root, item), tail], *span)
            }),
        Node::Type(tokens, _) => tokens.clone(),
        Node::Layout(shape, stride) => generic(
            root,
            &["Layout"],
            &[self::node(root, shape), self::node(root, stride)],
            node.span(),
        ),
        Node::Compact(shape) => generic(
            root,
            &["LayoutLeft"],
            &[self::node(root, shape)],
            node.span(),
        ),
    }
}

/// Returns the type of an integer. typenum has a name for every number up to 1024 and for every
/// power of two; other numbers are built from these.
fn int(root: &TokenStream, value: i64, span: Span) -> TokenStream {
    let size = value.unsigned_abs();
    let unsigned = if size <= 1024 || size.is_power_of_two() {
        path(root, &["typenum", &format!("U{size}")], span)
    } else {
        let high = int(root, (size >> 1) as i64, span);
        let low = path(
            root,
            &["typenum", if size & 1 == 1 { "B1" } else { "B0" }],
            span,
        );
        generic(root, &["typenum", "UInt"], &[high, low], span)
    };
    if value < 0 {
        generic(root, &["typenum", "NInt"], &[unsigned], span)
    } else {
        unsigned
    }
}

fn generic(
    root: &TokenStream,
    names: &[&str],
    arguments: &[TokenStream],
    span: Span,
) -> TokenStream {
    let mut tokens = path(root, names, span);
    tokens.extend([punct('<', Spacing::Alone, span)]);
    for argument in arguments {
        tokens.extend(argument.clone());
        tokens.extend([punct(',', Spacing::Alone, span)]);
    }
    tokens.extend([punct('>', Spacing::Alone, span)]);
    tokens
}

fn path(root: &TokenStream, names: &[&str], span: Span) -> TokenStream {
    // The name is resolved where the macro is defined, and shown where the token is written.
    let span = Span::mixed_site().located_at(span);
    let mut tokens = root.clone();
    for name in names {
        tokens.extend([
            punct(':', Spacing::Joint, span),
            punct(':', Spacing::Alone, span),
            TokenTree::Ident(Ident::new(name, span)),
        ]);
    }
    tokens
}

fn punct(symbol: char, spacing: Spacing, span: Span) -> TokenTree {
    let mut punct = Punct::new(symbol, spacing);
    punct.set_span(span);
    TokenTree::Punct(punct)
}
