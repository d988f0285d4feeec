//! One instruction while it is being lowered: its modifiers, read one by one, and what it becomes.
//!
//! ```text
//! ld .volatile .global .v2 .u32 ...
//!     ▲ take("volatile"), then the space, then the vector, then the type, then `end`
//! ```
//!
//! Law: an instruction is accepted only when every modifier was taken (`end`).

use super::body::{Body, Draft};
use super::flow::Flow;
use super::slot::Slot;
use crate::error::{PtxError, PtxErrorKind};
use crate::frame::Alu;
use crate::ir::Op;
use crate::numerics::rounding::Rounding;
use crate::reader::syntax::{Instruction, Operand};
use crate::types::{Class, Type};

/// An instruction and the body that it belongs to.
pub(crate) struct Lowering<'b, 'm, 's> {
    pub body: &'b mut Body<'m, 's>,
    pub inst: &'b Instruction<'s>,
    /// Modifiers taken so far.
    pub taken: usize,
    pub defs: Vec<Slot>,
    pub uses: Vec<Slot>,
}

pub(crate) type Lowered = Result<(), PtxError>;

impl<'b, 'm, 's> Lowering<'b, 'm, 's> {
    pub fn new(body: &'b mut Body<'m, 's>, inst: &'b Instruction<'s>) -> Self {
        Lowering {
            body,
            inst,
            taken: 0,
            defs: Vec::new(),
            uses: Vec::new(),
        }
    }

    /// The opcode with its modifiers.
    pub fn name(&self) -> String {
        let mut name = self.inst.opcode.to_owned();
        for modifier in &self.inst.modifiers {
            name.push('.');
            name.push_str(modifier);
        }
        name
    }

    pub fn error(&self, kind: PtxErrorKind) -> PtxError {
        PtxError::at(self.body.module.source, self.inst.offset, kind)
    }

    pub fn unknown(&self) -> PtxError {
        self.error(PtxErrorKind::UnknownInstruction(self.name()))
    }

    /// An error about operand `i`.
    pub fn bad_operand(&self, i: usize, problem: impl Into<String>) -> PtxError {
        let kind = PtxErrorKind::Operand {
            instruction: self.name(),
            problem: problem.into(),
        };
        let offset = self.inst.places.get(i).copied().unwrap_or(self.inst.offset);
        PtxError::at(self.body.module.source, offset, kind)
    }

    fn missing(&self, missing: &'static str) -> PtxError {
        self.error(PtxErrorKind::MissingModifier {
            instruction: self.name(),
            missing,
        })
    }

    /// The next modifier, not taken.
    pub fn peek(&self) -> Option<&'s str> {
        self.inst.modifiers.get(self.taken).copied()
    }

    /// Takes the next modifier if it is `word`.
    pub fn take(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        self.taken += usize::from(found);
        found
    }

    /// Takes the next modifier if it is in the table.
    pub fn one_of<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let word = self.peek()?;
        let found = table
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, value)| *value);
        self.taken += usize::from(found.is_some());
        found
    }

    /// Takes the next modifier, which must be in the table.
    pub fn need<T: Copy>(
        &mut self,
        table: &[(&str, T)],
        missing: &'static str,
    ) -> Result<T, PtxError> {
        match self.one_of(table) {
            Some(value) => Ok(value),
            None if self.peek().is_some() => Err(self.unknown_modifier()),
            None => Err(self.missing(missing)),
        }
    }

    fn unknown_modifier(&self) -> PtxError {
        let modifier = self.peek().unwrap_or_default().to_owned();
        self.error(PtxErrorKind::UnknownModifier {
            instruction: self.name(),
            modifier,
        })
    }

    /// Takes a type if one is next.
    pub fn maybe_type(&mut self) -> Option<Type> {
        let ty = self.peek().and_then(Type::parse);
        self.taken += usize::from(ty.is_some());
        ty
    }

    /// Takes a type, which must be next.
    pub fn ty(&mut self) -> Result<Type, PtxError> {
        match self.maybe_type() {
            Some(ty) => Ok(ty),
            None if self.peek().is_some() => Err(self.unknown_modifier()),
            None => Err(self.missing("a type")),
        }
    }

    /// Takes a rounding mode if one is next.
    pub fn rounding(&mut self) -> Option<Rounding> {
        let rounding = self.peek().and_then(Rounding::from_modifier);
        self.taken += usize::from(rounding.is_some());
        rounding
    }

    /// All modifiers must have been taken.
    pub fn end(&self) -> Lowered {
        if self.peek().is_some() {
            Err(self.unknown_modifier())
        } else {
            Ok(())
        }
    }

    /// The last modifier is the type, the ones before it stay; for opcodes of the form `op.type`.
    pub fn only_type(&mut self) -> Result<Type, PtxError> {
        let ty = self.ty()?;
        self.end()?;
        Ok(ty)
    }

    /// The number of operands must be in the range.
    pub fn count(&self, allowed: std::ops::RangeInclusive<usize>) -> Lowered {
        let found = self.inst.operands.len();
        if allowed.contains(&found) {
            return Ok(());
        }
        let (low, high) = (allowed.start(), allowed.end());
        let expected = if low == high {
            format!("{low}")
        } else {
            format!("{low} to {high}")
        };
        Err(self.bad_operand(
            found.saturating_sub(1),
            format!("{expected} operands expected, {found} found"),
        ))
    }

    pub fn operand(&self, i: usize) -> Result<&'b Operand<'s>, PtxError> {
        self.inst
            .operands
            .get(i)
            .ok_or_else(|| self.bad_operand(i, format!("operand {} is missing", i + 1)))
    }

    /// Emits a lane-wise operation; `results` first in its arguments, then `sources`.
    pub fn alu(&mut self, run: Alu, results: &[Slot], sources: &[Slot]) {
        let mut args = [crate::ir::NONE; 6];
        for (arg, slot) in args.iter_mut().zip(results.iter().chain(sources)) {
            *arg = slot.0;
        }
        self.defs.extend(results);
        self.uses.extend(sources);
        self.emit(Op::Alu { run, args }, Flow::Next);
    }

    /// A constant row with these bits, for an operation that takes its modes as an operand.
    pub fn mode(&mut self, bits: u32) -> Slot {
        self.body
            .constant(Class::R32, crate::ir::Constant::Value(u64::from(bits)))
    }

    /// As `alu`, for the second part of one instruction: not counted again.
    pub fn alu_part(&mut self, run: Alu, results: &[Slot], sources: &[Slot]) {
        self.alu(run, results, sources);
        if let Some(draft) = self.body.drafts.last_mut() {
            draft.hidden = true;
        }
    }

    /// The type that the last modifier names.
    pub fn last_type(&self) -> Option<Type> {
        self.inst
            .modifiers
            .last()
            .and_then(|word| Type::parse(word))
    }

    /// A lane-wise operation with one result as operand 0 and the sources behind it.
    pub fn simple(&mut self, run: Alu, result: Type, sources: &[Type]) -> Lowered {
        self.count(sources.len() + 1..=sources.len() + 1)?;
        let mut slots = Vec::with_capacity(sources.len());
        for (i, &ty) in sources.iter().enumerate() {
            slots.push(self.source(i + 1, ty)?);
        }
        let d = self.dest(0, result)?;
        self.alu(run, &[d], &slots);
        Ok(())
    }

    /// Emits the instruction's operation, under its guard.
    pub fn emit(&mut self, op: Op, flow: Flow) {
        let (defs, uses) = (
            std::mem::take(&mut self.defs),
            std::mem::take(&mut self.uses),
        );
        let guard = self.body.guard;
        self.body.push(Draft {
            op,
            guard,
            flow,
            defs,
            uses,
            inst: Some(self.body.current),
            hidden: false,
        });
    }

    /// Emits a helper before or behind the instruction, not under its guard and not counted.
    pub fn helper(&mut self, run: Alu, result: Slot, sources: &[Slot]) {
        let mut args = [crate::ir::NONE; 6];
        for (arg, slot) in args.iter_mut().zip([result].iter().chain(sources)) {
            *arg = slot.0;
        }
        self.body.push(Draft {
            op: Op::Alu { run, args },
            guard: None,
            flow: Flow::Next,
            defs: vec![result],
            uses: sources.to_vec(),
            inst: Some(self.body.current),
            hidden: true,
        });
    }

    /// A register that no name refers to.
    pub fn scratch(&mut self, class: Class) -> Slot {
        self.body.register(class)
    }
}
