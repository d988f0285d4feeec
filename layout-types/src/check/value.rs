//! A type of the algebra as a constant value.
//!
//! ```text
//!   Layout<Cons<U4, Cons<Cons<U2, Cons<U3, Nil>>, Nil>>, ..>
//!     ->   [Layout] [Tuple 2] [Int 4] [Tuple 2] [Int 2] [Int 3]  [Tuple 2] ...        the tree in preorder
//! ```
//!
//! Law: [`Value`] prints as the type does, and two types are the same layout, tiler or shape
//! exactly when their values are equal. It asks nothing of the type but that it is written with
//! static integers, so an operation that is refused can still show its operands.

use super::text::Text;
use crate::dynamic::rules::{Flat, MAX_MODES, Rule, stride_in, stride_of};
use crate::values::{self, Heap, Tag, node};

/// The most nodes that a value has: a layout of 32 modes, each in a tuple of its own, has 131.
pub const MAX_NODES: usize = 136;

/// One node of a [`Value`]; what it holds follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// So many elements.
    Tuple(usize),
    /// An integer.
    Int(i64),
    /// A scaled basis element `scale@modes[0]@modes[1]..`.
    Basis {
        /// The scale.
        scale: i64,
        /// The modes as they are printed, innermost first.
        modes: [u8; 3],
        /// How many of them there are.
        depth: u8,
    },
    /// `_`.
    Any,
    /// A shape and a stride.
    Layout,
    /// A swizzle.
    Swizzle {
        /// CuTe's B.
        bits: u8,
        /// CuTe's M.
        base: u8,
        /// CuTe's S.
        shift: i8,
    },
    /// A swizzle, an integer and a layout, applied from the right to the left.
    Composed,
}

/// A layout, tiler, shape, coordinate or number as a constant.
#[derive(Clone, Copy)]
pub struct Value {
    len: usize,
    nodes: [Node; MAX_NODES],
}

impl Value {
    /// A value of one node.
    pub const fn of(node: Node) -> Self {
        let mut nodes = [Node::Any; MAX_NODES];
        nodes[0] = node;
        Self { len: 1, nodes }
    }

    /// A layout without nesting.
    pub const fn from_flat(flat: &Flat) -> Self {
        let mut out = Self::of(Node::Layout);
        let mut pass = 0;
        while pass < 2 {
            if flat.len() != 1 {
                out = out.then(&Self::of(Node::Tuple(flat.len())));
            }
            let mut i = 0;
            while i < flat.len() {
                let number = if pass == 0 {
                    flat.shape(i)
                } else {
                    flat.stride(i)
                };
                out = out.then(&Self::of(Node::Int(number)));
                i += 1;
            }
            pass += 1;
        }
        out
    }

    /// The layout of two modes.
    pub(super) const fn pair(first: &Self, second: &Self) -> Self {
        let mut out = Self::of(Node::Layout);
        let mut pass = 0;
        while pass < 2 {
            out = out.then(&Self::of(Node::Tuple(2)));
            out = out.then(&if pass == 0 {
                first.shape()
            } else {
                first.stride()
            });
            out = out.then(&if pass == 0 {
                second.shape()
            } else {
                second.stride()
            });
            pass += 1;
        }
        out
    }

    /// The nodes of `other` behind these.
    pub(super) const fn then(mut self, other: &Self) -> Self {
        assert!(
            self.len + other.len <= MAX_NODES,
            "a check looks at layouts of at most 32 modes"
        );
        let mut i = 0;
        while i < other.len {
            self.nodes[self.len + i] = other.nodes[i];
            i += 1;
        }
        self.len += other.len;
        self
    }

    /// The tuple `self` with one more element before.
    pub(super) const fn behind(&self, first: &Self) -> Self {
        let count = match self.nodes[0] {
            Node::Tuple(count) => count,
            _ => panic!("the tail of a tuple is a tuple"),
        };
        Self::of(Node::Tuple(count + 1))
            .then(first)
            .then(&self.part(1, self.len))
    }

    /// The stride `self` of a coordinate's mode.
    pub(super) const fn in_mode(&self, mode: usize) -> Self {
        match self.nodes[0] {
            Node::Int(scale) => Self::of(Node::Basis {
                scale,
                modes: [mode as u8, 0, 0],
                depth: 1,
            }),
            Node::Basis {
                scale,
                mut modes,
                depth,
            } => {
                assert!(depth < 3, "a check looks at bases of at most 3 modes");
                modes[depth as usize] = mode as u8;
                Self::of(Node::Basis {
                    scale,
                    modes,
                    depth: depth + 1,
                })
            }
            _ => panic!("only an integer scales a basis"),
        }
    }

    /// The nodes `from..to`.
    const fn part(&self, from: usize, to: usize) -> Self {
        let mut out = Self::of(Node::Any);
        out.len = to - from;
        let mut i = 0;
        while i < out.len {
            out.nodes[i] = self.nodes[from + i];
            i += 1;
        }
        out
    }

    /// Where what begins at node `at` ends.
    const fn end(&self, at: usize) -> usize {
        let mut open = 1;
        let mut at = at;
        while open > 0 {
            open += match self.nodes[at] {
                Node::Tuple(count) => count,
                Node::Layout => 2,
                Node::Composed => 3,
                _ => 0,
            };
            open -= 1;
            at += 1;
        }
        at
    }

    /// The first node.
    pub const fn root(&self) -> Node {
        self.nodes[0]
    }

    /// Part `i` of the root: an element of a tuple; shape and stride of a layout; swizzle, offset
    /// and layout of a composed one.
    pub const fn child(&self, i: usize) -> Self {
        let mut at = 1;
        let mut i = i;
        while i > 0 {
            at = self.end(at);
            i -= 1;
        }
        self.part(at, self.end(at))
    }

    /// The integer that it is; 0 for anything else.
    pub const fn integer(&self) -> i64 {
        match self.nodes[0] {
            Node::Int(value) | Node::Basis { scale: value, .. } => value,
            _ => 0,
        }
    }

    /// Whether it is a layout, with or without a swizzle.
    pub const fn is_layout(&self) -> bool {
        matches!(self.nodes[0], Node::Layout | Node::Composed)
    }

    /// The layout without the swizzles and offsets before it.
    pub const fn domain(&self) -> Self {
        let mut at = *self;
        while matches!(at.nodes[0], Node::Composed) {
            at = at.child(2);
        }
        at
    }

    /// The shape of a layout, with or without a swizzle; a shape is its own.
    pub const fn shape(&self) -> Self {
        if self.is_layout() {
            self.domain().child(0)
        } else {
            *self
        }
    }

    /// The stride of a layout, with or without a swizzle.
    pub const fn stride(&self) -> Self {
        self.domain().child(1)
    }

    /// The number of top-level elements; 1 for a number.
    pub const fn rank(&self) -> usize {
        match self.shape().nodes[0] {
            Node::Tuple(count) => count,
            _ => 1,
        }
    }

    /// Top-level mode `i` of a layout without a swizzle; a layout with an integer shape is its own
    /// mode 0.
    pub const fn mode(&self, i: usize) -> Self {
        let (shape, stride) = (self.shape(), self.stride());
        if !matches!(shape.nodes[0], Node::Tuple(_)) {
            return *self;
        }
        Self::of(Node::Layout)
            .then(&shape.child(i))
            .then(&stride.child(i))
    }

    /// The product of the integers of a shape, or the size of a layout.
    pub const fn size(&self) -> Result<i64, Rule> {
        let shape = self.shape();
        let (mut size, mut i) = (1i64, 0);
        while i < shape.len {
            if let Node::Int(value) = shape.nodes[i] {
                size = match size.checked_mul(value) {
                    Some(size) => size,
                    None => return Err(Rule::Overflow),
                };
            }
            i += 1;
        }
        Ok(size)
    }

    /// The integers of a shape in one list.
    ///
    /// # Errors
    /// [`Rule::TooManyModes`].
    pub const fn extents(&self) -> Result<([i64; MAX_MODES], usize), Rule> {
        let shape = self.shape();
        let (mut out, mut len, mut i) = ([1; MAX_MODES], 0, 0);
        while i < shape.len {
            if let Node::Int(value) = shape.nodes[i] {
                if len == MAX_MODES {
                    return Err(Rule::TooManyModes { most: MAX_MODES });
                }
                out[len] = value;
                len += 1;
            }
            i += 1;
        }
        Ok((out, len))
    }

    /// The modes of a layout in one list, as every rule of the algebra looks at them.
    ///
    /// # Errors
    /// [`Rule::TooManyModes`]; [`Rule::Congruence`]; [`Rule::NotPositive`] for a shape.
    pub const fn flat(&self) -> Result<Flat, Rule> {
        let (shape, stride) = (self.shape(), self.stride());
        let mut flat = Flat::new();
        // The rules tell bases apart by number: that of the first mode with this basis.
        let (mut names, mut named) = ([Node::Any; MAX_MODES], 0);
        let mut i = 0;
        // Preorder with the same tuples on both sides is the same nodes on both sides.
        if shape.len != stride.len {
            return Err(Rule::Congruence);
        }
        while i < shape.len {
            let pushed = match (shape.nodes[i], stride.nodes[i]) {
                (Node::Tuple(one), Node::Tuple(other)) if one == other => Ok(()),
                (Node::Int(size), _) if size < 1 => Err(Rule::NotPositive { value: size }),
                (Node::Int(size), Node::Int(step)) => flat.push(size, step, 0),
                (
                    Node::Int(size),
                    Node::Basis {
                        scale,
                        modes,
                        depth,
                    },
                ) => {
                    let mut name = 0;
                    while name < named
                        && !Self::of(names[name]).same(&Self::of(Node::Basis {
                            scale: 1,
                            modes,
                            depth,
                        }))
                    {
                        name += 1;
                    }
                    if name == named && named < MAX_MODES {
                        names[named] = Node::Basis {
                            scale: 1,
                            modes,
                            depth,
                        };
                        named += 1;
                    }
                    flat.push(size, scale, name as u8 + 1)
                }
                _ => Err(Rule::Congruence),
            };
            if let Err(rule) = pushed {
                return Err(rule);
            }
            i += 1;
        }
        Ok(flat)
    }

    /// A layout without a swizzle, whose modes are [`flat`](Self::flat)'s, as a tree.
    pub(super) const fn tree(&self, heap: &mut Heap<'_>) -> values::Value {
        self.subtree(1, self.end(1), heap)
    }

    /// The tree of the shape at node `at`, whose strides are at node `by`.
    const fn subtree(&self, at: usize, by: usize, heap: &mut Heap<'_>) -> values::Value {
        if let Node::Tuple(count) = self.nodes[at] {
            return self.modes_behind(count, at + 1, by + 1, heap);
        }
        let (integer, path, depth) = match self.nodes[by] {
            Node::Basis {
                scale,
                modes,
                depth,
            } => (scale, modes, depth as usize),
            Node::Int(integer) => (integer, [0; 3], 0),
            _ => (0, [0; 3], 0),
        };
        let (mut stride, mut i) = (stride_of(integer, heap), 0);
        while i < depth {
            stride = stride_in(path[i] as usize, stride, heap);
            i += 1;
        }
        let shape = match self.nodes[at] {
            Node::Int(size) => values::Value::Number(size as u64),
            _ => values::Value::Number(1),
        };
        node(Tag::M, [shape, stride], heap)
    }

    /// The list of so many modes, the first at `at` and `by`.
    const fn modes_behind(
        &self,
        count: usize,
        at: usize,
        by: usize,
        heap: &mut Heap<'_>,
    ) -> values::Value {
        if count == 0 {
            return node(Tag::Nil, [], heap);
        }
        let first = self.subtree(at, by, heap);
        let others = self.modes_behind(count - 1, self.end(at), self.end(by), heap);
        node(Tag::Cons, [first, others], heap)
    }

    /// The elements that lead to leaf `leaf` of a shape, and how many of them count.
    pub(super) const fn path(&self, leaf: usize) -> ([usize; 4], usize) {
        let mut shape = self.shape();
        let (mut path, mut depth, mut leaf) = ([0; 4], 0, leaf);
        while let Node::Tuple(count) = shape.nodes[0] {
            let mut i = 0;
            while i + 1 < count && leaf >= shape.child(i).leaves() {
                leaf -= shape.child(i).leaves();
                i += 1;
            }
            if depth == path.len() || i >= count {
                break;
            }
            path[depth] = i;
            depth += 1;
            shape = shape.child(i);
        }
        (path, depth)
    }

    const fn leaves(&self) -> usize {
        let (mut leaves, mut i) = (0, 0);
        while i < self.len {
            leaves += !matches!(self.nodes[i], Node::Tuple(_)) as usize;
            i += 1;
        }
        leaves
    }

    /// Whether both are the same, node for node.
    pub const fn same(&self, other: &Self) -> bool {
        if self.len != other.len {
            return false;
        }
        let mut i = 0;
        while i < self.len {
            let same = match (self.nodes[i], other.nodes[i]) {
                (Node::Tuple(a), Node::Tuple(b)) => a == b,
                (Node::Int(a), Node::Int(b)) => a == b,
                (
                    Node::Basis {
                        scale: a,
                        modes: m,
                        depth: d,
                    },
                    Node::Basis {
                        scale: b,
                        modes: n,
                        depth: e,
                    },
                ) => a == b && d == e && m[0] == n[0] && m[1] == n[1] && m[2] == n[2],
                (Node::Any, Node::Any)
                | (Node::Layout, Node::Layout)
                | (Node::Composed, Node::Composed) => true,
                (
                    Node::Swizzle {
                        bits: a,
                        base: m,
                        shift: s,
                    },
                    Node::Swizzle {
                        bits: b,
                        base: n,
                        shift: t,
                    },
                ) => a == b && m == n && s == t,
                _ => false,
            };
            if !same {
                return false;
            }
            i += 1;
        }
        true
    }

    /// The value as CuTe prints it.
    pub const fn notation(&self) -> Text {
        let mut text = Text::new();
        self.print(0, &mut text);
        text
    }

    const fn print(&self, at: usize, text: &mut Text) {
        match self.nodes[at] {
            Node::Int(value) => {
                text.number(value);
            }
            Node::Any => {
                text.say("_");
            }
            Node::Basis {
                scale,
                modes,
                depth,
            } => {
                text.number(scale);
                let mut i = 0;
                while i < depth as usize {
                    text.say("@").count(modes[i] as usize);
                    i += 1;
                }
            }
            Node::Swizzle { bits, base, shift } => {
                text.say("Sw<").number(bits as i64).say(",");
                text.number(base as i64)
                    .say(",")
                    .number(shift as i64)
                    .say(">");
            }
            Node::Tuple(count) => {
                text.say("(");
                let (mut i, mut at) = (0, at + 1);
                while i < count {
                    if i > 0 {
                        text.say(",");
                    }
                    self.print(at, text);
                    at = self.end(at);
                    i += 1;
                }
                text.say(")");
            }
            Node::Layout => {
                self.print(at + 1, text);
                text.say(":");
                self.print(self.end(at + 1), text);
            }
            Node::Composed => {
                let offset = self.end(at + 1);
                self.print(at + 1, text);
                text.say(" o ");
                self.print(offset, text);
                text.say(" o ");
                self.print(self.end(offset), text);
            }
        }
    }
}
