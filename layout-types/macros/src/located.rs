//! Moves tokens to the place of other tokens, which the user wrote.
//!
//! ```text
//!   located!(C require(..))   ->   require(..), whose errors are at `C`
//! ```
//!
//! The compiler places a call that a declarative macro writes at the whole macro invocation. In a
//! block with many entries, it has to point at the entry instead.

use proc_macro::{Delimiter, Group, Span, TokenStream, TokenTree};

/// Returns all tokens after the first, at the place of the first. Each name is still resolved as
/// before.
pub fn located(input: TokenStream) -> TokenStream {
    let mut tokens = input.into_iter();
    match tokens.next() {
        Some(first) => at(place(&first), tokens.collect()),
        None => TokenStream::new(),
    }
}

/// Returns the place at which a token was written. A token that a declarative macro matched as a
/// type or a literal is in an invisible group, whose own place is that of the macro.
fn place(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => group
            .stream()
            .into_iter()
            .next()
            .map_or_else(|| group.span(), |first| place(&first)),
        token => token.span(),
    }
}

fn at(place: Span, tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .map(|token| {
            let span = token.span().located_at(place);
            let mut token = match token {
                TokenTree::Group(group) => {
                    Group::new(group.delimiter(), at(place, group.stream())).into()
                }
                other => other,
            };
            token.set_span(span);
            token
        })
        .collect()
}
