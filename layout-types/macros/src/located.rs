//! Tokens moved to where the user wrote something else.
//!
//! ```text
//!   located!(C require(..))   ->   require(..), whose errors are at `C`
//! ```
//!
//! A call that a declarative macro writes is, for the compiler, at the whole macro invocation. A
//! block with many entries has to point at the entry instead.

use proc_macro::{Delimiter, Group, Span, TokenStream, TokenTree};

/// All tokens behind the first, at the place of the first; each name still means what it meant.
pub fn located(input: TokenStream) -> TokenStream {
    let mut tokens = input.into_iter();
    match tokens.next() {
        Some(first) => at(place(&first), tokens.collect()),
        None => TokenStream::new(),
    }
}

/// Where a token was written. What a declarative macro matched as a type or a literal comes in an
/// invisible group, whose own place is the macro's.
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
