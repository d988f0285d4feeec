//! The number of neighbouring threads that have the same value in a register. A register's level is
//! the binary logarithm of this number.
//!
//! ```text
//!   mov.u32 %r1, %tid.x          0   each thread has its own: groups of 2^0
//!   shr.u32 %r2, %r1, 5          5   a warp
//!   setp.lt.u32 %p1, %r1, 128    7   a warp group
//!   mov.u32 %r3, %ctaid.x        ALL
//!   add.s32 %r4, %r2, %r3        5   the less of the two
//! ```
//!
//! Law: threads whose numbers in the block differ only in the lowest `k` bits have the same value
//! in a register of level `k`. A register that is written in several places has at most the level
//! of the branches that decide between these places. If the register is read after a write in the
//! same basic block, it has the level of the value written there: LLVM uses one register for the
//! zero of a counter and for the sums of an `mma`. The check assumes that threads that read the
//! same address together read the same value.

use super::flow::Flow;
use super::program::{Program, Statement};
use std::collections::HashMap;

/// The level of a value that is the same in all threads.
pub(super) const ALL: u32 = 32;
/// The level of a value that is the same in all threads of a warp.
const WARP: u32 = 5;

/// A branch: the level of its predicate, the line of the branch, and the predicate.
pub(super) type Branch = (u32, usize, String);

/// The levels of a kernel's registers.
pub(super) struct Levels<'a> {
    registers: HashMap<&'a str, Register>,
    /// The values of registers that the current block has already written, whatever values they
    /// have in other blocks.
    here: HashMap<&'a str, Register>,
    /// For each block, the branch that divides its threads most, among all branches on which it
    /// depends.
    pub around: Vec<Option<Branch>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Register {
    level: u32,
    /// Whether the register's value is `%tid.x` itself.
    is_thread: bool,
}

impl Levels<'_> {
    /// Returns the level of a register, or [`ALL`] for a number.
    pub fn of(&self, name: &str) -> u32 {
        self.get(name).level
    }

    fn get(&self, name: &str) -> Register {
        let known = |level| Register {
            level,
            is_thread: false,
        };
        match self.here.get(name).or_else(|| self.registers.get(name)) {
            Some(register) => *register,
            None if name == "%tid.x" => Register {
                level: 0,
                is_thread: true,
            },
            None => known(special(name)),
        }
    }
}

/// Returns the level of a special register, or [`ALL`] for numbers, symbols and registers that are
/// not written yet.
fn special(name: &str) -> u32 {
    let own = [
        "%tid",
        "%laneid",
        "%lanemask",
        "%clock",
        "%globaltimer",
        "%pm",
        "%smid",
        "%envreg",
    ];
    // A warp belongs to one row of its block.
    if matches!(name, "%warpid" | "%tid.y" | "%tid.z") {
        WARP
    } else if own.iter().any(|start| name.starts_with(start)) {
        0
    } else {
        ALL
    }
}

/// Follows the values of a kernel from their definitions, and returns the levels of the kernel's
/// registers.
pub(super) fn levels<'a>(program: &'a Program, flow: &Flow) -> Levels<'a> {
    let mut levels = Levels {
        registers: HashMap::new(),
        here: HashMap::new(),
        around: vec![None; flow.blocks.len()],
    };
    // The blocks that write each register.
    let mut writers: HashMap<&str, Vec<usize>> = HashMap::new();
    for (block, range) in flow.blocks.iter().enumerate() {
        for statement in &program.statements[range.clone()] {
            for name in &statement.writes {
                writers.entry(name).or_default().push(block);
            }
        }
    }
    // Levels only decrease, and never below 0, so the loop ends.
    let mut changed = true;
    while changed {
        changed = false;
        for block in 0..flow.blocks.len() {
            let around = around(program, flow, &levels, block);
            if around != levels.around[block] {
                levels.around[block] = around;
                changed = true;
            }
        }
        for (block, range) in flow.blocks.iter().enumerate() {
            for statement in &program.statements[range.clone()] {
                let value = value(statement, &levels);
                for name in &statement.writes {
                    let mut new = value;
                    // With a guard, the register keeps its previous value in threads whose guard is
                    // false.
                    match &statement.guard {
                        None => levels.here.insert(name, value),
                        Some(_) => levels.here.remove(name.as_str()),
                    };
                    if writers[name.as_str()].len() > 1 {
                        new.is_thread = false;
                        let chosen = levels.around[block].as_ref();
                        new.level = new.level.min(chosen.map_or(ALL, |branch| branch.0));
                    }
                    if let Some(guard) = &statement.guard {
                        new.is_thread = false;
                        new.level = new.level.min(levels.of(guard));
                    }
                    if let Some(old) = levels.registers.get(name.as_str()) {
                        new.level = new.level.min(old.level);
                        new.is_thread &= old.is_thread;
                    }
                    if levels.registers.insert(name, new) != Some(new) {
                        changed = true;
                    }
                }
            }
            levels.here.clear();
        }
    }
    levels
}

/// Returns the branch that divides a block's threads most: one on which the block depends, or one
/// on which such a branch depends.
fn around(program: &Program, flow: &Flow, levels: &Levels, block: usize) -> Option<Branch> {
    let branches = flow.depends[block].iter().flat_map(|branch| {
        let last = &program.statements[flow.blocks[*branch].end - 1];
        let own = last
            .guard
            .clone()
            .map(|guard| (levels.of(&guard), last.line, guard));
        // `brx.idx` branches on its first operand.
        let own = own.or_else(|| {
            (last.reads.first()).map(|index| (levels.of(index), last.line, index.clone()))
        });
        own.into_iter().chain(levels.around[*branch].clone())
    });
    let before = levels.around[block].clone();
    branches
        .chain(before)
        .min_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(&b.1)))
}

/// Returns the level of an instruction's result.
fn value(statement: &Statement, levels: &Levels) -> Register {
    let mut least = ALL;
    for word in &statement.reads {
        least = least.min(levels.of(word));
    }
    let plain = |level| Register {
        level,
        is_thread: false,
    };
    let first = statement.reads.first().map(|word| levels.get(word));
    let number = statement.reads.get(1).and_then(|word| number(word));
    let thread = first.is_some_and(|first| first.is_thread);
    let name = statement.name.as_str();
    let mut parts = name.split('.');
    let operation = parts.next().unwrap_or_default();
    match operation {
        "mov" | "cvt" if statement.reads.len() == 1 => Register {
            level: least,
            is_thread: thread,
        },
        "shr" if thread => plain(number.map_or(0, |by| by.clamp(0, 31) as u32)),
        "and" if thread => plain(number.map_or(0, |mask| mask.trailing_zeros().min(31))),
        "setp" if thread => plain(number.map_or(0, |bound| compared(name, bound))),
        // Each lane has its own result.
        "elect" | "atom" | "activemask" | "match" | "mma" | "wgmma" | "ldmatrix" | "call" => {
            plain(0)
        }
        "mbarrier" => plain(0),
        "vote" | "redux" => plain(if least >= WARP { least } else { WARP }),
        "shfl" => {
            let of = first.map_or(0, |first| first.level);
            let lane = statement.reads.get(1).map_or(0, |lane| levels.of(lane));
            plain(match of {
                WARP.. => of,
                _ if name.contains(".idx") && lane >= WARP => WARP,
                _ => 0,
            })
        }
        _ => plain(least),
    }
}

/// Returns the level of `%tid.x` compared with a number: the threads below a multiple of 2^k are
/// whole groups of 2^k threads.
fn compared(name: &str, bound: i64) -> u32 {
    let edge = match name.split('.').nth(1) {
        Some("lt" | "ge" | "lo" | "hs") => bound,
        Some("gt" | "le" | "hi" | "ls") => bound + 1,
        _ => return 0,
    };
    if edge <= 0 {
        ALL
    } else {
        edge.trailing_zeros()
    }
}

/// Parses a number as LLVM writes it.
fn number(word: &str) -> Option<i64> {
    word.parse().ok().or_else(|| {
        let digits = word.strip_prefix("0x")?;
        i64::from_str_radix(digits, 16).ok()
    })
}
