//! Readers of CuTe's layout notation for the layout-types crate.
//!
//! ```text
//!   layout!(((4,8),2):((32,1),16))
//!           tokens -> Node (parse.rs) -> checks (check.rs) -> a type (emit.rs)
//! ```
//!
//! These are the procedural halves of `layout_types::layout!` and its sisters, which pass them the path of
//! `layout_types` as their first tokens (`[$crate]`), so that users need not depend on it by that name. No dependency.

mod check;
mod decimal;
mod emit;
mod located;
mod parse;

use parse::{Fault, Node, Source};
use proc_macro::TokenStream;

fn run(input: TokenStream, body: fn(&mut Source) -> Result<Node, Fault>) -> TokenStream {
    let mut source = match Source::open(input) {
        Ok(source) => source,
        Err(fault) => return fault.into_compile_error(),
    };
    let node = body(&mut source);
    match node.and_then(|node| source.finish().map(|()| node)) {
        Ok(node) => emit::node(&source.root, &node),
        Err(fault) => fault.into_compile_error(),
    }
}

/// `shape:stride`, or a shape for its compact column-major layout.
#[proc_macro]
pub fn layout_type(input: TokenStream) -> TokenStream {
    run(input, |source| {
        let node = source.layout()?;
        check::layout(node)
    })
}

/// A number or a tuple of numbers; several numbers are a tuple.
#[proc_macro]
pub fn shape_type(input: TokenStream) -> TokenStream {
    run(input, |source| {
        let node = source.one_or_tuple(Source::value)?;
        check::shape(&node)?;
        check::fits(&node)?;
        Ok(node)
    })
}

/// A tuple whose elements are layouts, numbers, `_`, tuples of these, or types.
#[proc_macro]
pub fn tile_type(input: TokenStream) -> TokenStream {
    run(input, |source| {
        let node = source.tuple(Source::element)?;
        check::tile(node)
    })
}

/// A coordinate: a number, `_` or a tuple of these; several are a tuple.
#[proc_macro]
pub fn coord_type(input: TokenStream) -> TokenStream {
    run(input, |source| source.one_or_tuple(Source::value))
}

/// One number.
#[proc_macro]
pub fn int_type(input: TokenStream) -> TokenStream {
    run(input, |source| {
        let node = source.value()?;
        check::int(&node)?;
        Ok(node)
    })
}

/// The tokens behind the first, with the place of the first for errors.
#[proc_macro]
pub fn located(input: TokenStream) -> TokenStream {
    located::located(input)
}

/// The names of numbers in messages.
#[proc_macro]
pub fn decimals(_input: TokenStream) -> TokenStream {
    decimal::items()
}
