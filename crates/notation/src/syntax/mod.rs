//! Parses text into a tree: CuTe's notation, with names, calls and `o` for "after".
//!
//! ```text
//! statements ::= statement (';' statement)*
//! statement  ::= ('let'? name '=')? expression
//! expression ::= layout ('o' layout)*                     A o B o C is A o (B o C)
//! layout     ::= postfix (':' postfix)?                   (4,8):(8,1)
//! postfix    ::= primary ('(' arguments ')' | '.' name)*  L(3,2)   atom.A   copy.partition_s(L)
//! primary    ::= number ('@' mode)* | '_' | '(' arguments ')' | name ('<' arguments '>')? '{}'?
//! arguments  ::= (expression (',' expression)* ','?)?
//! number     ::= '-'? digits | '_' digits                 CuTe prints static integers as _8
//! ```
//!
//! Law: every byte of an accepted text belongs to a node; every node records its bytes.

mod ast;
mod parse;
mod token;

pub use ast::{Expr, Kind, Statement, Suffix};
pub use parse::{parse, parse_expression};
pub(crate) use token::shorten;

/// The largest number of bytes of a text. Longer texts are refused, so that no text takes long to
/// read.
pub const MAX_TEXT: usize = 16 * 1024;
/// The deepest nesting of a text. Deeper texts are refused, so that no text can exhaust the stack.
pub const MAX_NESTING: usize = 48;
/// The bound on the modes that a stride's `@` may name: each is below this number.
pub const MAX_BASIS: i64 = 32;
