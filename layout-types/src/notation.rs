//! Machinery: layouts of the type level as constant values, and their notation.
//!
//! ```text
//!   Layout<(U4, U2), (U2, U1)>   ->   &Node::Tuple([4:2, 2:1])   ->   "(4,2):(2,1)"
//! ```
//!
//! Law: [`Described`] prints the same as `Display`, and flattens to the form on which the rules of
//! [`dynamic::rules`](crate::dynamic::rules) are stated. It is a tree of references to constants,
//! so a `const fn` can walk it: this is how compile-time checks print decimals.

use crate::dynamic::rules::{Flat, Rule};
use core::fmt;

/// A tree of modes as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// One mode.
    Leaf {
        /// The shape of the mode.
        shape: i64,
        /// The stride, or the integer that scales the basis element.
        stride: i64,
        /// The basis element.
        basis: Basis,
    },
    /// A tuple of modes.
    Tuple(&'static List),
}

/// The modes of a tuple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// The end of the list.
    Nil,
    /// A mode, followed by more modes.
    Cons(&'static Node, &'static List),
}

/// The unit of a stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The stride counts elements.
    Elements,
    /// The stride counts steps in this mode of a coordinate, and in the mode of that mode.
    Mode(usize, &'static Basis),
}

/// The map that is applied to a layout's offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outer {
    /// No map.
    Nothing,
    /// Adds an offset to the result of `inner`, and then applies a swizzle.
    Swizzle {
        /// CuTe's B, M and S.
        bits: (u32, u32, i32),
        /// The offset that is added before the swizzle.
        offset: i64,
        /// The map that is applied before this offset and this swizzle.
        inner: &'static Outer,
    },
}

/// A static layout as a constant value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Described {
    /// The map that is applied last.
    pub outer: Outer,
    /// The affine part.
    pub node: Node,
}

impl Node {
    /// Appends the modes to `flat`. Scaled-basis strides are numbered by their two outermost modes.
    ///
    /// # Errors
    /// Returns [`Rule::TooManyModes`].
    pub const fn flatten(&self, flat: &mut Flat) -> Result<(), Rule> {
        match *self {
            Node::Leaf {
                shape,
                stride,
                basis,
            } => {
                let basis = match basis {
                    Basis::Elements => 0,
                    // A path is one number per level, with the outermost level least significant.
                    Basis::Mode(mode, Basis::Elements) => mode + 1,
                    Basis::Mode(mode, Basis::Mode(inner, _)) => (mode + 1) + 16 * (*inner + 1),
                };
                flat.push(shape, stride, basis as u8)
            }
            Node::Tuple(list) => {
                let mut list = list;
                while let List::Cons(node, rest) = list {
                    if let Err(rule) = node.flatten(flat) {
                        return Err(rule);
                    }
                    list = rest;
                }
                Ok(())
            }
        }
    }

    /// Returns the number of elements.
    pub const fn size(&self) -> i64 {
        match *self {
            Node::Leaf { shape, .. } => shape,
            Node::Tuple(list) => {
                let (mut size, mut list) = (1, list);
                while let List::Cons(node, rest) = list {
                    size *= node.size();
                    list = rest;
                }
                size
            }
        }
    }

    /// Returns the offset of the linear coordinate `i`, with the last mode unbounded.
    pub const fn offset(&self, i: i64) -> i64 {
        match *self {
            Node::Leaf { stride, .. } => i * stride,
            Node::Tuple(list) => {
                let (mut rest, mut sum, mut list) = (i, 0, list);
                while let List::Cons(node, more) = list {
                    let last = matches!(more, List::Nil);
                    sum += node.offset(if last { rest } else { rest % node.size() });
                    rest /= node.size();
                    list = more;
                }
                sum
            }
        }
    }

    fn print(&self, f: &mut fmt::Formatter<'_>, stride: bool) -> fmt::Result {
        match *self {
            Node::Leaf { shape, .. } if !stride => write!(f, "{shape}"),
            Node::Leaf { stride, basis, .. } => {
                write!(f, "{stride}")?;
                print_basis(&basis, f)
            }
            Node::Tuple(mut list) => {
                f.write_str("(")?;
                let mut comma = "";
                while let List::Cons(node, rest) = list {
                    f.write_str(comma)?;
                    node.print(f, stride)?;
                    comma = ",";
                    list = rest;
                }
                f.write_str(")")
            }
        }
    }
}

/// Prints a basis as `@inner@outer`.
fn print_basis(basis: &Basis, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match basis {
        Basis::Elements => Ok(()),
        Basis::Mode(mode, inner) => {
            print_basis(inner, f)?;
            write!(f, "@{mode}")
        }
    }
}

/// The methods that concern only the shape.
impl Node {
    /// Returns the shape in CuTe's notation.
    pub fn shape(&self) -> impl fmt::Display + '_ {
        struct Shape<'a>(&'a Node);
        impl fmt::Display for Shape<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.print(f, false)
            }
        }
        Shape(self)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(f, false)?;
        f.write_str(":")?;
        self.print(f, true)
    }
}

impl Outer {
    /// Returns the image of an offset.
    pub const fn apply(&self, offset: i64) -> i64 {
        match *self {
            Outer::Nothing => offset,
            Outer::Swizzle {
                bits: (bits, base, shift),
                offset: added,
                inner,
            } => {
                let offset = inner.apply(offset) + added;
                let run = ((1 << bits) - 1) << base;
                if shift >= 0 {
                    offset ^ ((offset & (run << shift)) >> shift)
                } else {
                    offset ^ ((offset & run) << -shift)
                }
            }
        }
    }
}

impl Described {
    /// Returns the offset of the linear coordinate `i`.
    pub const fn offset(&self, i: i64) -> i64 {
        self.outer.apply(self.node.offset(i))
    }

    /// Returns the modes as the flat layout that the rules take.
    ///
    /// # Errors
    /// Returns [`Rule::TooManyModes`].
    pub const fn flat(&self) -> Result<Flat, Rule> {
        let mut flat = Flat::new();
        match self.node.flatten(&mut flat) {
            Ok(()) => Ok(flat),
            Err(rule) => Err(rule),
        }
    }
}

impl fmt::Display for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut outer = &self.outer;
        while let Outer::Swizzle {
            bits: (bits, base, shift),
            offset,
            inner,
        } = outer
        {
            write!(f, "Sw<{bits},{base},{shift}> o {offset} o ")?;
            outer = inner;
        }
        write!(f, "{}", self.node)
    }
}
