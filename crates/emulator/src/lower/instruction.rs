//! One instruction while it is being lowered: its modifiers are taken one by one, and its
//! operations are emitted.
//!
//! ```text
//! ld .volatile .global .v2 .u32 ...      take("volatile"), the space, the vector, the type, then `end`
//! mad .lo .cc .u32 ...                   lead("lo") first: `mad.lo` is the opcode
//! ```
//!
//! Law: an instruction is accepted only if every modifier was taken exactly once (`end`). As in
//! `ptxas`, words that are part of the opcode (`mul.wide`, `cp.async`, `shf.l`) come first, in
//! their order (`lead`). All other modifiers come in any order, except that types keep their order
//! among themselves.

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
    /// The modifiers taken so far, one bit each.
    taken: u64,
    /// The number of words of the opcode that `lead` took.
    led: usize,
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
            led: 0,
            defs: Vec::new(),
            uses: Vec::new(),
        }
    }

    /// Returns the opcode with its modifiers.
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

    /// Returns an error about operand `i`.
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

    /// Returns the modifiers that were not taken yet, with their positions.
    fn rest(&self) -> impl Iterator<Item = (usize, &'s str)> + use<'b, 's> {
        let (taken, modifiers) = (self.taken, &self.inst.modifiers);
        let words = modifiers.iter().copied().enumerate();
        words.filter(move |(i, _)| *i >= 64 || taken >> i & 1 == 0)
    }

    /// Takes the first modifier for which `find` returns a value.
    pub fn take_map<T>(&mut self, find: impl Fn(&'s str) -> Option<T>) -> Option<T> {
        let (i, found) = self.rest().find_map(|(i, word)| Some((i, find(word)?)))?;
        // No instruction has 64 modifiers. A modifier after the 64th is never taken, so `end`
        // refuses it.
        self.taken |= 1u64.checked_shl(i as u32)?;
        Some(found)
    }

    /// Takes `word` at any position. Returns whether the instruction has it.
    pub fn take(&mut self, word: &str) -> bool {
        self.take_map(|found| (found == word).then_some(()))
            .is_some()
    }

    /// Takes the first modifier that is in the table.
    pub fn one_of<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        self.take_map(|word| {
            let entry = table.iter().find(|(name, _)| *name == word);
            entry.map(|(_, value)| *value)
        })
    }

    /// Takes a modifier that must exist and be in the table.
    pub fn need<T: Copy>(
        &mut self,
        table: &[(&str, T)],
        missing: &'static str,
    ) -> Result<T, PtxError> {
        self.one_of(table).ok_or_else(|| self.lacking(missing))
    }

    /// Takes the next word of the opcode if it is in the table: the word directly after the opcode,
    /// or after the last word that `lead` took.
    pub fn lead_of<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let word = *self.inst.modifiers.get(self.led)?;
        let found = table.iter().find(|(name, _)| *name == word)?.1;
        self.taken |= 1 << self.led;
        self.led += 1;
        Some(found)
    }

    /// Takes the next word of the opcode if it is `word`. Returns whether it is.
    pub fn lead(&mut self, word: &str) -> bool {
        self.lead_of(&[(word, ())]).is_some()
    }

    /// Takes the next word of the opcode, which must be in the table.
    pub fn need_lead<T: Copy>(
        &mut self,
        table: &[(&str, T)],
        missing: &'static str,
    ) -> Result<T, PtxError> {
        self.lead_of(table).ok_or_else(|| self.lacking(missing))
    }

    /// Returns the error for a missing modifier. The error names the first modifier that is not
    /// known here, if there is one.
    fn lacking(&self, missing: &'static str) -> PtxError {
        let mut strange = self.rest().filter(|(_, word)| Type::parse(word).is_none());
        match strange.next() {
            Some((_, word)) => self.unknown_modifier(word),
            None => self.missing(missing),
        }
    }

    fn unknown_modifier(&self, modifier: &str) -> PtxError {
        self.error(PtxErrorKind::UnknownModifier {
            instruction: self.name(),
            modifier: modifier.to_owned(),
        })
    }

    /// Takes the first type that was not taken yet; the other types keep their order.
    pub fn ty(&mut self) -> Result<Type, PtxError> {
        self.take_map(Type::parse)
            .ok_or_else(|| self.lacking("a type"))
    }

    /// Takes a rounding mode if there is one.
    pub fn rounding(&mut self) -> Option<Rounding> {
        self.take_map(Rounding::from_modifier)
    }

    /// Refuses the instruction unless all modifiers were taken.
    pub fn end(&self) -> Lowered {
        match self.rest().next() {
            Some((_, word)) => Err(self.unknown_modifier(word)),
            None => Ok(()),
        }
    }

    /// Takes the type, which must be the only modifier left.
    pub fn only_type(&mut self) -> Result<Type, PtxError> {
        let ty = self.ty()?;
        self.end()?;
        Ok(ty)
    }

    /// Refuses the instruction unless its number of operands is in the range.
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

    /// Emits a lane-wise operation, whose arguments are the `results` followed by the `sources`.
    pub fn alu(&mut self, run: Alu, results: &[Slot], sources: &[Slot]) {
        let mut args = [crate::ir::NONE; 6];
        for (arg, slot) in args.iter_mut().zip(results.iter().chain(sources)) {
            *arg = slot.0;
        }
        self.defs.extend(results);
        self.uses.extend(sources);
        self.emit(Op::Alu { run, args }, Flow::Next);
    }

    /// Returns a constant row with these bits, for an operation that takes its modes as an operand.
    pub fn mode(&mut self, bits: u32) -> Slot {
        self.body
            .constant(Class::R32, crate::ir::Constant::Value(u64::from(bits)))
    }

    /// Emits a lane-wise operation like `alu`, for the second part of an instruction, which is not
    /// counted again.
    pub fn alu_part(&mut self, run: Alu, results: &[Slot], sources: &[Slot]) {
        self.alu(run, results, sources);
        self.hide();
    }

    /// Marks the operation just emitted as a part of the instruction, which is not counted again.
    pub fn hide(&mut self) {
        if let Some(draft) = self.body.drafts.last_mut() {
            draft.hidden = true;
        }
    }

    /// Returns the last type among the modifiers.
    pub fn last_type(&self) -> Option<Type> {
        self.inst
            .modifiers
            .iter()
            .rev()
            .find_map(|word| Type::parse(word))
    }

    /// Emits a lane-wise operation with one result, operand 0; the sources are the operands after
    /// it.
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
    pub fn emit(&mut self, op: impl Into<Op>, flow: Flow) {
        let op = op.into();
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

    /// Emits a helper operation before or after the instruction; it has no guard and is not
    /// counted.
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

    /// Creates a register that no name refers to.
    pub fn scratch(&mut self, class: Class) -> Slot {
        self.body.register(class)
    }
}
