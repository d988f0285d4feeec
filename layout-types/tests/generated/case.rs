//! A case: the operands as text and as types, from the same tokens.
//!
//! ```text
//!   Upcast(layout!((8,4):(1,8)), int!(4));   ->   Upcast<layout!((8,4):(1,8)), int!(4)>  and  "(8,4):(1,8)", "4"
//! ```

pub use layout_types::prelude::*;
pub use layout_types::typenum::Unsigned;

/// One operation on its operands.
pub struct Case {
    pub operation: &'static str,
    /// The macro call of each operand, and its text.
    pub operands: &'static [(&'static str, &'static str)],
    pub found: Found,
}

/// The result of the types.
pub enum Found {
    Layout {
        display: fn() -> String,
        index: fn(i64) -> i64,
        size: usize,
        cosize: usize,
        /// The number of bytes that a value takes.
        bytes: usize,
    },
    /// A layout whose offsets are coordinates.
    Coordinates {
        display: fn() -> String,
        bytes: usize,
    },
    Number(i64),
}

macro_rules! cases {
    ($($(#[$cfg:meta])* $operation:ident($($kind:ident!($($text:tt)*)),*);)*) => {
        &[$($(#[$cfg])* Case {
            operation: stringify!($operation),
            operands: &[$((stringify!($kind), stringify!($($text)*))),*],
            found: found!($operation $operation<$($kind!($($text)*)),*>),
        }),*]
    };
}
macro_rules! found {
    (Identity $t:ty) => {
        Found::Coordinates {
            display: || <$t>::default().to_string(),
            bytes: size_of::<$t>(),
        }
    };
    (MaxCommonVector $t:ty) => {
        Found::Number(<$t as Unsigned>::I64)
    };
    (MaxAlignment $t:ty) => {
        Found::Number(<$t as Unsigned>::I64)
    };
    (SliceOffset $t:ty) => {
        Found::Number(<$t as Unsigned>::I64)
    };
    (Size $t:ty) => {
        Found::Number(<$t as Unsigned>::I64)
    };
    (Cosize $t:ty) => {
        Found::Number(<$t as Unsigned>::I64)
    };
    (Rank $t:ty) => {
        Found::Number(<$t as Unsigned>::I64)
    };
    ($operation:ident $t:ty) => {
        Found::Layout {
            display: || <$t>::default().to_string(),
            index: <$t as LayoutFn>::index::<i64>,
            size: <$t as LayoutFn>::SIZE,
            cosize: <$t as LayoutFn>::COSIZE,
            bytes: size_of::<$t>(),
        }
    };
}
/// Makes the type of a swizzled layout from its printed form.
macro_rules! swizzled {
    (Sw<$b:literal, $m:literal, $s:literal> o 0 o $($layout:tt)*) => {
        Composition<Swizzle<$b, $m, $s>, layout!($($layout)*)>
    };
    (Sw<$b:literal, $m:literal, $s:literal> o $offset:literal o $($layout:tt)*) => {
        ComposedLayout<Swizzle<$b, $m, $s>, int!($offset), layout!($($layout)*)>
    };
}
