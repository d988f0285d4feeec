//! Procedural macros that read CuTe's layout notation for the layout-types crate.
//!
//! ```text
//!   layout!(((4,8),2):((32,1),16))
//!           tokens -> Node (parse.rs) -> checks (check.rs) -> a type (emit.rs)
//! ```
//!
//! These are the procedural parts of `layout_types::layout!` and similar macros, which pass the
//! path of `layout_types` as the first tokens (`[$crate]`), so a user's crate may rename its
//! dependency on `layout_types`. This crate has no dependencies.
//!
//! The algebra itself is written with [`macro@functions`] and [`macro@kinds`].

mod check;
mod decimal;
mod emit;
mod functions;
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

/// Makes the type of a layout from `shape:stride`, or from a shape for its compact column-major
/// layout.
#[proc_macro]
pub fn layout_type(input: TokenStream) -> TokenStream {
    run(input, |source| {
        let node = source.layout()?;
        check::layout(node)
    })
}

/// Makes the type of a shape from a number or a tuple of numbers. Several numbers are a tuple.
#[proc_macro]
pub fn shape_type(input: TokenStream) -> TokenStream {
    run(input, |source| {
        let node = source.one_or_tuple(Source::value)?;
        check::shape(&node)?;
        check::fits(&node)?;
        Ok(node)
    })
}

/// Makes the type of a tuple whose elements are layouts, numbers, `_`, tuples of these, or types.
#[proc_macro]
pub fn tile_type(input: TokenStream) -> TokenStream {
    run(input, |source| {
        let node = source.tuple(Source::element)?;
        check::tile(node)
    })
}

/// Makes the type of a coordinate from a number, `_` or a tuple of these. Several elements are a
/// tuple.
#[proc_macro]
pub fn coord_type(input: TokenStream) -> TokenStream {
    run(input, |source| source.one_or_tuple(Source::value))
}

/// Makes the type of one number.
#[proc_macro]
pub fn int_type(input: TokenStream) -> TokenStream {
    run(input, |source| {
        let node = source.value()?;
        check::int(&node)?;
        Ok(node)
    })
}

/// Returns the tokens after the first, with the place of the first for errors.
#[proc_macro]
pub fn located(input: TokenStream) -> TokenStream {
    located::located(input)
}

/// Makes the names of numbers in messages.
#[proc_macro]
pub fn decimals(_input: TokenStream) -> TokenStream {
    decimal::items()
}

/// Compiles functions whose text computes with values to functions on types.
///
/// The attribute's argument is the path of a table of kinds ([`kinds!`](macro@kinds)). The module
/// contains functions and `use` items.
///
/// ```text
/// #[functions(crate::kinds::table)]
/// mod functions {
///     use super::*;
///
///     fn push(list: List, s: Nat) -> List {
///         match list {
///             Nil => Cons(s, Nil),
///             Cons(first, rest) => {
///                 if s == first { list } else { Cons(s, Cons(first, rest)) }
///             }
///         }
///     }
/// }
/// ```
///
/// becomes
///
/// ```text
/// mod functions {
///     use super::*;
///
///     pub type push<list, s> = <list as OnList>::Push<s>;
///
///     pub trait OnList { type Push<s: Nat>: List; }
///     impl OnList for Nil { type Push<s: Nat> = Cons<s, Nil>; }
///     impl<first: Nat, rest: List> OnList for Cons<first, rest> {
///         type Push<s: Nat> = <equals<s, first> as OnBool>::PushBranch1<s, first, rest>;
///     }
///     pub trait OnBool { type PushBranch1<s: Nat, first: Nat, rest: List>: List; }
///     impl OnBool for True { type PushBranch1<s: Nat, first: Nat, rest: List> = Cons<first, rest>; }
///     impl OnBool for False { type PushBranch1<s: Nat, first: Nat, rest: List> = Cons<s, Cons<first, rest>>; }
/// }
/// ```
///
/// So a branch costs as much as a trait that is written by hand: the compiler evaluates the matched
/// type, finds the impl, and evaluates only the arm in this impl.
///
/// # The text
///
/// The text has Rust's syntax, which rustfmt formats. Its meaning on types is:
///
/// | text | type |
/// |---|---|
/// | `push(a, b)`, `a.push(b)` | `push<a, b>` |
/// | `Cons(a, b)`, `Nil` | the constructor's type, of the table; fields with a default may be left out |
/// | `0`, `1`, `true`, `false` | `Zero`, `One`, `True`, `False` |
/// | `a + b`, `a * b`, `a / b`, `a % b` | `plus`, `times`, `over`, `rem` of the table |
/// | `a == b`, `a == 0`, `a == 1`, `a % b == 0` | `equals`, `is_zero`, `is_one`, `is_multiple` |
/// | `a >= b` and the other comparisons | `at_least`, and `not` |
/// | `a && b`, `a \|\| b`, `!a` | `and`, `or`, `not`; both sides are evaluated |
/// | `let x = a;` | `a` in the place of `x` |
/// | `match`, `if` | an associated type of the matched type, see above |
/// | `fn f(a: Kind) -> Kind { <a as Trait>::Item::<..> }` | this type: a function that is written by hand |
/// | `fn f(a: Kind) -> Kind;` | declared: a function of another file, which the module imports |
///
/// # Text that is refused, with a message at the token
///
/// A value of a kind other than the expected one ("expected List, found Tree"); an unknown name,
/// function, kind or constructor; a branch that is not the whole result of a function, arm or
/// block; a pattern in a pattern; a name that hides another; a match without an arm for some
/// constructor, or an arm that is never reached; a number of values other than that of the function
/// or constructor.
///
/// # On values
///
/// If the table names a module for functions on values, the same text is emitted a second time as
/// `const fn` on values, in a module `values` under the table's `cfg`: an oracle for the types,
/// from one source.
/// A function marked `#[types_only]` is omitted.
#[proc_macro_attribute]
pub fn functions(table: TokenStream, module: TokenStream) -> TokenStream {
    functions::attribute(table, module)
}

/// Makes the items of [`macro@functions`], once the table of kinds is in front of the module.
#[proc_macro]
pub fn functions_of(input: TokenStream) -> TokenStream {
    functions::functions(input)
}

/// Makes the traits of a table of kinds.
///
/// A table is given in braces. A macro of the user's crate contains it, for this macro and for
/// [`functions`](macro@functions):
///
/// ```text
/// macro_rules! table {
///     ($macro:ident $($text:tt)*) => { layout_types_macros::$macro! { {
///         /// Truth values.
///         kind Bool = Bool { True, False } matched by { coalescing::OnBool, divide::OnBool }
///         /// Lists of trees.
///         kind List: Tree = ModeList { Nil, Cons(first: Tree, others: List) } matched by { coalescing::OnList }
///         /// A digit's budget.
///         kind Budget = trait Budget: Copy { Underflow, Number[n: Nat] = UTerm | UInt(u: Nat, B0) | UInt(u: Nat, B1) }
///         fn plus(a: Nat, b: Nat) -> Nat { <a as NatAdd>::Add<b> }
///     } $($text)* } };
/// }
/// table!(kinds);
/// ```
///
/// A kind has a name for the text, the kinds that it is part of, its trait, and its constructors
/// with the kinds of their fields. `matched by` lists the traits that
/// [`functions`](macro@functions) makes for the kind, such as `OnBool` of each file that matches on
/// a `Bool`. These traits become the supertraits of `BoolFunctions`, which each constructor
/// implements, and which the trait `Bool` has to require. If the table says `trait Budget`, the
/// macro declares the kind's own trait, which then requires them.
#[proc_macro]
pub fn kinds(input: TokenStream) -> TokenStream {
    functions::kinds(input)
}
