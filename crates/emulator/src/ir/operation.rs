//! The effect of an instruction: lane-wise computing, control, accesses, and the families.
//!
//! ```text
//! Op::Alu, Branch, Table, Call, Return, Exit     control and registers: the step loop's own
//! Op::Load, Store, Atomic                        the most frequent families: a direct call
//! Op::Family(Box<dyn Instruction>)               all else: `exec::instruction` describes families
//! ```
//!
//! Law: only `named_rows` states which registers and addresses an operation names; `rows` and
//! `addresses` are derived from it.

use std::any::Any;

use super::{Address, Atomic, Role, Root, Transfer, Window};
use crate::exec::Instruction;
use crate::fault::Reached;
use crate::frame::{Alu, Args};

/// The operation of an instruction.
#[derive(Debug)]
pub(crate) enum Op {
    /// Computes registers from registers, lane by lane.
    Alu {
        run: Alu,
        args: Args,
    },
    /// `bra`; `reconverge` is where the lanes meet again, or `NONE` if they do not meet.
    Branch {
        target: u32,
        reconverge: u32,
    },
    /// `brx.idx`.
    Table {
        index: u32,
        targets: Box<[u32]>,
        reconverge: u32,
    },
    Call(Box<Call>),
    Return,
    Exit,
    Load(Box<Transfer>),
    Store(Box<Transfer>),
    Atomic(Box<Atomic>),
    Family(Box<dyn Instruction>),
}

/// `call`.
#[derive(Debug)]
pub(crate) struct Call {
    /// The function, or `NONE` for a call through `pointer`.
    pub function: u32,
    pub pointer: u32,
    /// The offset and size of each argument in the caller's parameter bytes.
    pub arguments: Vec<(u32, u32)>,
    pub results: Vec<(u32, u32)>,
}

/// A row of registers that an instruction names.
pub(crate) enum NamedRow<'a> {
    Value(&'a mut u32),
    /// The base row of an address of device memory whose provenance is checked.
    Address(&'a mut Address),
    /// The base row of an address that may belong to any object: of bulk copies, mbarriers, tiles
    /// of warps and `discard` (`crates/emulator/CHECKS.md`).
    AnyAddress(&'a mut Address),
}

/// Calls `f` with rows of values.
pub(crate) fn values<'a>(
    rows: impl IntoIterator<Item = &'a mut u32>,
    f: &mut dyn FnMut(NamedRow<'_>),
) {
    rows.into_iter().for_each(|row| f(NamedRow::Value(row)));
}

/// The addresses that the results of an instruction may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Any address.
    Unknown,
    /// An address of this object.
    Root(Root),
    /// The address that the register of this row may be.
    Row(u32),
}

/// Whether an instruction's accesses of shared memory are asynchronous to the thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asynchrony {
    /// The accesses happen when the instruction executes.
    Synchronous,
    /// The accesses happen at the instruction, but only the operation's completion makes them
    /// visible to other threads.
    Completes,
    /// The accesses happen when the schedule decides.
    Scheduled,
}

impl<I: Instruction> From<I> for Op {
    fn from(instruction: I) -> Op {
        Op::Family(Box::new(instruction))
    }
}

impl Op {
    /// Returns the operation as an instruction of this family, or `None` if it is not one.
    pub fn get<I: Instruction>(&self) -> Option<&I> {
        match self {
            Op::Family(instruction) => (&**instruction as &dyn Any).downcast_ref(),
            _ => None,
        }
    }

    /// Returns a mutable reference like [`get`](Self::get).
    pub fn get_mut<I: Instruction>(&mut self) -> Option<&mut I> {
        match self {
            Op::Family(instruction) => (&mut **instruction as &mut dyn Any).downcast_mut(),
            _ => None,
        }
    }

    /// Calls `f` with every row that the operation names.
    fn named_rows(&mut self, f: &mut dyn FnMut(NamedRow)) {
        match self {
            Op::Alu { args, .. } => values(args, f),
            Op::Branch { .. } | Op::Return | Op::Exit => {}
            Op::Table { index, .. } => f(NamedRow::Value(index)),
            Op::Call(call) => f(NamedRow::Value(&mut call.pointer)),
            Op::Load(transfer) | Op::Store(transfer) => {
                f(NamedRow::Address(&mut transfer.address));
                values(&mut transfer.registers[..usize::from(transfer.count)], f);
            }
            Op::Atomic(atomic) => {
                let count = usize::from(atomic.count);
                f(NamedRow::Address(&mut atomic.address));
                values(&mut atomic.result[..count], f);
                values(&mut atomic.a[..count], f);
                f(NamedRow::Value(&mut atomic.b));
            }
            Op::Family(instruction) => instruction.named_rows(f),
        }
    }

    /// Calls `f` with every row that the operation names; the allocation rewrites them.
    pub fn rows(&mut self, f: &mut dyn FnMut(&mut u32)) {
        self.named_rows(&mut |row| match row {
            NamedRow::Value(row) => f(row),
            NamedRow::Address(address) | NamedRow::AnyAddress(address) => f(&mut address.base),
        });
    }

    /// Calls `f` with every address of device memory whose provenance is checked.
    pub fn addresses(&mut self, f: &mut dyn FnMut(&mut Address)) {
        self.named_rows(&mut |row| {
            if let NamedRow::Address(address) = row {
                f(address);
            }
        });
    }

    /// Returns how the operation uses the values of its registers.
    pub fn role(&self) -> Role {
        match self {
            Op::Alu { .. } => Role::Computes,
            Op::Branch { .. } | Op::Table { .. } | Op::Call(_) => Role::Reaches(Reached::Branch),
            // Stores to local memory and parameters copy whole structures, including their padding.
            Op::Store(transfer) => match transfer.address.window {
                Window::Local | Window::EntryParam | Window::FrameParam => Role::Address,
                _ => Role::Reaches(Reached::Memory),
            },
            Op::Atomic(_) => Role::Reaches(Reached::Memory),
            Op::Load(_) | Op::Return | Op::Exit => Role::Address,
            Op::Family(instruction) => instruction.role(),
        }
    }

    /// Returns whether the operation's accesses of shared memory are asynchronous to the thread.
    pub fn asynchrony(&self) -> Asynchrony {
        match self {
            Op::Family(instruction) => instruction.asynchrony(),
            _ => Asynchrony::Synchronous,
        }
    }
}
