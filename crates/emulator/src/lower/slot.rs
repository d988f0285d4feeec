//! Rows of a frame while a function is being lowered.
//!
//! ```text
//! 31   30 29 28                          0
//! [ class ][k][ number                    ]      k: a constant, not a register
//! ```
//!
//! Law: `allocate` replaces each slot in an instruction by the index of its row; afterwards no slot
//! remains.

use crate::types::Class;

/// A register or constant of the function, or `NONE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(pub u32);

const CONSTANT: u32 = 1 << 29;

impl Slot {
    pub const NONE: Slot = Slot(crate::ir::NONE);

    pub fn register(class: Class, number: u32) -> Slot {
        Slot(Self::tag(class) | number)
    }

    pub fn constant(class: Class, number: u32) -> Slot {
        Slot(Self::tag(class) | CONSTANT | number)
    }

    fn tag(class: Class) -> u32 {
        match class {
            Class::R32 => 0,
            Class::R64 => 1 << 30,
            Class::Pred => 2 << 30,
        }
    }

    pub fn class(self) -> Class {
        match self.0 >> 30 {
            0 => Class::R32,
            1 => Class::R64,
            _ => Class::Pred,
        }
    }

    pub fn is_constant(self) -> bool {
        self.0 & CONSTANT != 0
    }

    pub fn number(self) -> u32 {
        self.0 & (CONSTANT - 1)
    }
}
