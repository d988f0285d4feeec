//! A type of the algebra as a constant value.
//!
//! ```text
//!   Layout<Cons<U4, Cons<Cons<U2, Cons<U3, Nil>>, Nil>>, ..>
//!     ->   [Layout] [Tuple 2] [Int 4] [Tuple 2] [Int 2] [Int 3]  [Tuple 2] ...        the tree in preorder
//! ```
//!
//! Law: [`Value`] prints as the type does, and two types are the same layout, tiler or shape
//! exactly when their values are equal. A type has a value if it is written with static integers,
//! with no further condition, so an operation that is refused can still show its operands.

use super::text::Text;
use crate::dynamic::rules::{Flat, MAX_MODES, Rule, stride_in, stride_of};
use crate::values::{self, Heap, Tag, node};

/// The largest number of nodes of a value: a layout of 32 modes, each in its own tuple, has 131.
pub const MAX_NODES: usize = 136;

/// One node of a [`Value`]. The parts of a node follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// A tuple with this number of elements.
    Tuple(usize),
    /// An integer.
    Int(i64),
    /// A scaled basis element `scale@modes[0]@modes[1]..`.
    Basis {
        /// The scale.
        scale: i64,
        /// The modes as they are printed, innermost first.
        modes: [u8; 3],
        /// The number of modes.
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
    /// A composed layout: a swizzle, an integer offset and a layout, applied from right to left.
    Composed,
}

/// A layout, tiler, shape, coordinate or number as a constant.
#[derive(Clone, Copy)]
pub struct Value {
    len: usize,
    nodes: [Node; MAX_NODES],
}

impl Value {
    /// Makes a value of one node.
    pub const fn of(node: Node) -> Self {
        let mut nodes = [Node::Any; MAX_NODES];
        nodes[0] = node;
        Self { len: 1, nodes }
    }

    /// Makes the value of a layout without nesting.
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

    /// Makes the layout whose two modes are `first` and `second`.
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

    /// Appends the nodes of `other`.
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

    /// Returns the tuple `self` with `first` inserted as its first element.
    pub(super) const fn behind(&self, first: &Self) -> Self {
        let count = match self.nodes[0] {
            Node::Tuple(count) => count,
            _ => panic!("the tail of a tuple is a tuple"),
        };
        Self::of(Node::Tuple(count + 1))
            .then(first)
            .then(&self.part(1, self.len))
    }

    /// Returns the stride `self` as a stride in mode `mode` of a coordinate.
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

    /// Returns the nodes `from..to`.
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

    /// Returns the index one past the last node of the part that begins at node `at`.
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

    /// Returns the first node.
    pub const fn root(&self) -> Node {
        self.nodes[0]
    }

    /// Returns part `i` of the root: an element of a tuple; the shape or the stride of a layout;
    /// the swizzle, the offset or the layout of a composed layout.
    pub const fn child(&self, i: usize) -> Self {
        let mut at = 1;
        let mut i = i;
        while i > 0 {
            at = self.end(at);
            i -= 1;
        }
        self.part(at, self.end(at))
    }

    /// Returns the integer, or the scale of a basis element, or 0 for any other value.
    pub const fn integer(&self) -> i64 {
        match self.nodes[0] {
            Node::Int(value) | Node::Basis { scale: value, .. } => value,
            _ => 0,
        }
    }

    /// Whether the value is a layout, with or without a swizzle.
    pub const fn is_layout(&self) -> bool {
        matches!(self.nodes[0], Node::Layout | Node::Composed)
    }

    /// Returns the layout without the swizzles and offsets before it.
    pub const fn domain(&self) -> Self {
        let mut at = *self;
        while matches!(at.nodes[0], Node::Composed) {
            at = at.child(2);
        }
        at
    }

    /// Returns the shape of a layout, with or without a swizzle. A shape returns itself.
    pub const fn shape(&self) -> Self {
        if self.is_layout() {
            self.domain().child(0)
        } else {
            *self
        }
    }

    /// Returns the stride of a layout, with or without a swizzle.
    pub const fn stride(&self) -> Self {
        self.domain().child(1)
    }

    /// Returns the number of top-level elements; a number counts as one.
    pub const fn rank(&self) -> usize {
        match self.shape().nodes[0] {
            Node::Tuple(count) => count,
            _ => 1,
        }
    }

    /// Returns top-level mode `i` of a layout without a swizzle. A layout with an integer shape
    /// returns itself as its mode 0.
    pub const fn mode(&self, i: usize) -> Self {
        let (shape, stride) = (self.shape(), self.stride());
        if !matches!(shape.nodes[0], Node::Tuple(_)) {
            return *self;
        }
        Self::of(Node::Layout)
            .then(&shape.child(i))
            .then(&stride.child(i))
    }

    /// Returns the product of the integers of a shape, or the size of a layout.
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

    /// Returns the integers of a shape in one list.
    ///
    /// # Errors
    /// Returns [`Rule::TooManyModes`].
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

    /// Returns the modes of a layout in one list, the form that every rule of the algebra takes.
    ///
    /// # Errors
    /// Returns [`Rule::TooManyModes`]; [`Rule::Congruence`]; or [`Rule::NotPositive`] for a shape.
    pub const fn flat(&self) -> Result<Flat, Rule> {
        let (shape, stride) = (self.shape(), self.stride());
        let mut flat = Flat::new();
        // The rules identify a basis by a number: the index of the first mode that has this basis.
        let (mut names, mut named) = ([Node::Any; MAX_MODES], 0);
        let mut i = 0;
        // Two trees with the same tuples have their nodes in the same preorder.
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

    /// Converts a layout without a swizzle to a tree whose modes are those of [`flat`](Self::flat).
    pub(super) const fn tree(&self, heap: &mut Heap<'_>) -> values::Value {
        self.subtree(1, self.end(1), heap)
    }

    /// Converts the shape at node `at`, whose strides are at node `by`, to a tree.
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

    /// Converts `count` modes to a list; the first mode's shape is at node `at`, its stride at node
    /// `by`.
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

    /// Returns the indices of the elements that lead to leaf `leaf` of a shape, and how many of the
    /// indices are used.
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

    /// Whether both values have the same nodes.
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

    /// Returns the value as CuTe prints it.
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
