//! The syntax tree of a PTX module.
//!
//! ```text
//! Module ─┬─ Variable                     .global .align 4 .b8 table[20] = {3, 0, 0, 0};
//!         └─ Function ── Statement ─┬─ Registers     .reg .b32 %r<12>;
//!                                   ├─ Variable      .shared .b32 tile[1024];
//!                                   ├─ Label         $L__BB0_2:
//!                                   ├─ Block         { ... }
//!                                   └─ Instruction   @%p1 add.s32 %r1, %r2, 4;
//! ```
//!
//! Law: the tree represents the text as written, with names unresolved and modifiers in order;
//! `lower` interprets it. The tree borrows its strings from the text. Every node to which an error
//! may refer has its byte `offset`.

use crate::error::PtxError;
use crate::swizzles::SmemSwizzle;

/// A constant as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Constant {
    /// An integer; a negative integer is stored as two's complement of 64 bits.
    Int(i64),
    /// The bits of an `0f` constant.
    F32(u32),
    /// The bits of an `0d` or decimal constant.
    F64(u64),
}

/// An operand of an instruction.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operand<'s> {
    /// A register, special register, variable, label or function, with a byte offset (`table+8`).
    Name(&'s str, i64),
    /// `!%p1`.
    Not(&'s str),
    /// `%r1.b0`: a register and the part of it that a video instruction uses.
    Part(&'s str, &'s str),
    /// `-%r1`, in `vmad`.
    Minus(Box<Operand<'s>>),
    /// A constant.
    Constant(Constant),
    /// `{%r1, %r2}`.
    Vector(Vec<Operand<'s>>),
    /// `[%rd1+16]`.
    Address { base: Box<Operand<'s>>, offset: i64 },
    /// `[%rd1, {%r1, %r2}]`: a texture or surface and the coordinates in it.
    Texel {
        object: Box<Operand<'s>>,
        coordinates: Box<Operand<'s>>,
    },
    /// `%p1|%p2`.
    Pair(Box<Operand<'s>>, Box<Operand<'s>>),
    /// An element of a vector register, as the lowering writes it: `v` and 2 for `v.z`.
    Component(&'s str, usize),
    /// `(param0, param1)` of a call.
    List(Vec<Operand<'s>>),
    /// `_`.
    Sink,
}

/// `@%p1` or `@!%p1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Guard<'s> {
    pub predicate: &'s str,
    pub negated: bool,
}

/// One instruction, not yet interpreted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Instruction<'s> {
    /// The offset of the guard, or of the opcode if there is no guard.
    pub start: usize,
    /// The offset of the opcode.
    pub offset: usize,
    /// The byte after the semicolon.
    pub end: usize,
    pub guard: Option<Guard<'s>>,
    /// The opcode, such as `ld`.
    pub opcode: &'s str,
    /// The modifiers, such as `global`, `v4`, `u32`.
    pub modifiers: Vec<&'s str>,
    pub operands: Vec<Operand<'s>>,
    /// The offset of each operand.
    pub places: Vec<usize>,
    /// The error of an operand whose form the emulator does not know; this operand and later ones
    /// are not in `operands`.
    pub unknown: Option<PtxError>,
    /// The `.loc` in force, as an index into `Module::locations`.
    pub location: Option<u32>,
    /// The swizzle of shared memory that a comment after the instruction names.
    pub swizzle: Option<SmemSwizzle>,
}

/// The `.reg` declaration of one name or range.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Registers<'s> {
    pub offset: usize,
    /// The length of each vector: 2 or 4 for `.v2`, `.v4`, otherwise 1.
    pub vector: usize,
    /// The type, such as `b32`.
    pub ty: &'s str,
    pub name: &'s str,
    /// The number of registers: `%r<12>` declares `%r0` to `%r11`.
    pub range: Option<u32>,
}

/// The state space of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VariableSpace {
    Global,
    Const,
    Shared,
    Local,
    Param,
}

/// The visibility of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Linkage {
    Private,
    Visible,
    Extern,
    /// `.weak` or `.common`: defined here unless another module defines it.
    Weak,
}

/// One element of an initialiser.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Initializer<'s> {
    Constant(Constant),
    /// `name`, `name+8`, `generic(name)`.
    Address {
        name: &'s str,
        offset: i64,
        generic: bool,
    },
    /// `mask(name)`: one byte of an address, `0xFF00(name)`.
    AddressByte {
        name: &'s str,
        offset: i64,
        generic: bool,
        mask: u64,
    },
    /// `{a, b, c}`.
    Aggregate(Vec<Initializer<'s>>),
}

/// A variable or parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Variable<'s> {
    pub offset: usize,
    pub space: VariableSpace,
    pub linkage: Linkage,
    pub align: Option<usize>,
    /// The length of the vector: 2 or 4 for `.v2`, `.v4`, otherwise 1.
    pub vector: usize,
    /// The type, such as `b8`.
    pub ty: &'s str,
    pub name: &'s str,
    /// The extents of an array; the first is 0 for `[]`.
    pub extents: Vec<usize>,
    pub initializer: Option<Initializer<'s>>,
}

/// A statement of a body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Statement<'s> {
    Registers(Registers<'s>),
    Variable(Variable<'s>),
    Label {
        offset: usize,
        name: &'s str,
    },
    Block(Vec<Statement<'s>>),
    /// `name: .branchtargets a, b;` or `name: .calltargets f, g;`.
    Targets {
        offset: usize,
        name: &'s str,
        targets: Vec<&'s str>,
    },
    /// `name: .callprototype (returns) _ (parameters);`.
    Prototype {
        offset: usize,
        name: &'s str,
        returns: Vec<Variable<'s>>,
        parameters: Vec<Variable<'s>>,
    },
    Instruction(Instruction<'s>),
}

/// A `.entry` or `.func`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Function<'s> {
    pub offset: usize,
    pub entry: bool,
    pub linkage: Linkage,
    pub name: &'s str,
    pub returns: Vec<Variable<'s>>,
    pub parameters: Vec<Variable<'s>>,
    /// The extents of `.maxntid` as written; `required_threads` are those of `.reqntid`.
    pub max_threads: Option<[u32; 3]>,
    pub required_threads: Option<[u32; 3]>,
    /// `.reqnctapercluster`.
    pub cluster: Option<[u32; 3]>,
    /// `.maxnreg`, `.minnctapersm`.
    pub max_registers: Option<u32>,
    pub min_blocks: Option<u32>,
    /// A directive that the emulator does not know.
    pub unknown: Option<PtxError>,
    /// The statements, or `None` for a declaration.
    pub body: Option<Vec<Statement<'s>>>,
}

/// A whole module.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Module<'s> {
    /// `.version`.
    pub version: (u32, u32),
    /// The words of `.target`, such as `sm_80`, and the directive's options. `target_offset` is the
    /// place of the directive.
    pub target: Vec<&'s str>,
    pub target_offset: usize,
    pub variables: Vec<Variable<'s>>,
    pub functions: Vec<Function<'s>>,
    /// `.alias a, b`: `a` is another name of `b`.
    pub aliases: Vec<(&'s str, &'s str)>,
    /// The numbers and names of `.file`.
    pub files: Vec<(u32, &'s str)>,
    /// The `.loc` directives.
    pub locations: Vec<Location<'s>>,
    /// The strings to which the locations' names refer.
    pub strings: DebugStrings<'s>,
    /// The path of the PTX file, if the last line of the text names it.
    pub path: Option<&'s str>,
    /// Whether the first lines say that LLVM wrote the text.
    pub by_llvm: bool,
}

/// A `.loc` directive, or the place at which a function is `inlined_at`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Location<'s> {
    /// The file number, the line and the column.
    pub position: (u32, u32, u32),
    /// The file's name in the comment after the directive, relative to the workspace that was
    /// built.
    pub name: Option<&'s str>,
    /// The place of the inlined function's name: a label of `.debug_str` and an offset in bytes
    /// from the label.
    pub function: Option<(&'s str, u64)>,
    /// The place at which the function was inlined: the index of another, earlier location.
    pub inlined_at: Option<u32>,
}

/// The contents of `.section .debug_str`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DebugStrings<'s> {
    pub bytes: Vec<u8>,
    /// The position of each label in the bytes.
    pub labels: std::collections::HashMap<&'s str, usize>,
}

impl DebugStrings<'_> {
    /// Returns the text that begins `offset` bytes after a label, up to its zero byte.
    pub fn text(&self, label: &str, offset: u64) -> Option<String> {
        let start = self
            .labels
            .get(label)?
            .checked_add(usize::try_from(offset).ok()?)?;
        let rest = self.bytes.get(start..)?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        let text = std::str::from_utf8(&rest[..end]).ok()?;
        (!text.is_empty()).then(|| text.to_owned())
    }
}
