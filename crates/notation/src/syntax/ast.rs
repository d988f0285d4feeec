//! The tree of an expression.
//!
//! ```text
//! zipped_divide((8,6), (4,3))     Postfix(Name zipped_divide, [Call [Tuple [8,6], Tuple [4,3]]])
//! Sw<2,3,3> o (8,32):(32,1)       Compose [Name Sw <2,3,3>, Layout (Tuple, Tuple)]
//! ```

use std::ops::Range;

/// A node and the bytes that it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// The kind of node.
    pub kind: Kind,
    /// The bytes of the text that the node was read from.
    pub span: Range<usize>,
}

/// The kinds of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number: `8`, `_8`, `-3`.
    Integer(i64),
    /// `2@0@1`: the value and the modes as written, innermost first.
    Basis(i64, Vec<i64>),
    /// The placeholder `_`.
    Underscore,
    /// `(a,b)`. A comma after the last element makes `(L,)` a tuple of one layout.
    Tuple {
        /// The elements.
        modes: Vec<Expr>,
        /// Whether a comma follows the last element.
        comma: bool,
    },
    /// `shape:stride`.
    Layout(Box<Expr>, Box<Expr>),
    /// `a o b o c`, with at least two operands.
    Compose(Vec<Expr>),
    /// A name with its template arguments: `Sw<2,3,3>`, `UniversalCopy<u128>`.
    Name {
        /// The name.
        name: String,
        /// The arguments between `<` and `>`.
        template: Option<Vec<Expr>>,
    },
    /// An expression followed by calls and fields.
    Postfix(Box<Expr>, Vec<Suffix>),
}

/// The suffix of an expression: a call or a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suffix {
    /// `(a,b)`.
    Call {
        /// The arguments.
        arguments: Vec<Expr>,
        /// The bytes from `(` to `)`.
        span: Range<usize>,
    },
    /// `.A`, `.partition_s`.
    Field {
        /// The name.
        name: String,
        /// The arguments between `<` and `>`.
        template: Option<Vec<Expr>>,
        /// The bytes of the name.
        span: Range<usize>,
    },
}

/// An expression, with a name if the statement gives one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The name and its bytes, or `None` if the statement gives no name.
    pub name: Option<(String, Range<usize>)>,
    /// The expression.
    pub value: Expr,
}
