//! Finds the variables and parameters from which the address of an access may derive.
//!
//! ```text
//! ld.param.u64 %d1, [p0];            %d1 from p0
//! mad.wide.u32 %d2, %r1, 4, %d1;     %d2 from p0
//! selp.b64     %d3, %d2, %d4, %p1;   %d3 from p0 or from what %d4 comes from
//! cvta.param.u64 %d5, %d6;           %d5 from the parameters' own memory
//! ld.u32       %r2, [%d3];           must lie in one of these
//! ```
//!
//! Law: if an access has roots, its address is computed on every path from addresses of these roots
//! and from integers. An address that lies in none of its roots was therefore computed beyond an
//! object's end, which no language defines. Every source of an address is a root: variables, and
//! the memory that parameters point to. The memory of local variables, the memory of parameters,
//! and the shared memory that no variable of the module names are each one root. A value that was
//! loaded from memory, or passed by a caller, may be any address: an access that may use it has no
//! roots. An access whose roots are all such whole memories has no roots either: its bounds are
//! checked anyway. Method: one value per register, merged over all instructions that write the
//! register, up to the fixed point. This suffices because compilers name a new register for almost
//! every value.

use std::collections::HashMap;

use super::body::{Body, Draft};
use super::slot::Slot;
use crate::ir::{Constant, NONE, Op, Origin, Root, Special, Symbol, Window};
use crate::types::Class;

/// The most rounds over a function; if its values still change, its accesses have no roots.
const MOST_ROUNDS: usize = 64;

/// The kind of value that a register may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    /// The value is not known yet.
    Nothing,
    /// A number that is not an address.
    Integer,
    /// A value of 32 bits or fewer from memory: usually a number, perhaps a shared address or half
    /// of an address.
    Loaded,
    /// An address derived from these roots, one bit per root.
    Address(u64),
    /// Any address.
    Unknown,
}

use Value::{Address, Integer, Loaded, Nothing, Unknown};

impl Value {
    /// Returns the value of a register that has `self` on one path and `other` on another.
    fn or(self, other: Value) -> Value {
        match (self, other) {
            (Nothing, x) | (x, Nothing) => x,
            (Unknown, _) | (_, Unknown) => Unknown,
            (Address(a), Address(b)) => Address(a | b),
            (Address(a), Integer) | (Integer, Address(a)) => Address(a),
            // The loaded value may be an address itself.
            (Address(_), Loaded) | (Loaded, Address(_)) => Unknown,
            (Loaded, _) | (_, Loaded) => Loaded,
            (Integer, Integer) => Integer,
        }
    }

    /// Returns the value of the sum of both, or of anything else that is computed from both.
    fn with(self, other: Value) -> Value {
        match (self, other) {
            // A loaded index added to the address of the object that it indexes.
            (Address(a), Loaded) | (Loaded, Address(a)) => Address(a),
            (Nothing, _) | (_, Nothing) => Nothing,
            (x, y) => x.or(y),
        }
    }

    /// Returns the value of a multiple. Addresses are not multiplied, but an address that is
    /// shifted right and left again is aligned and stays an address.
    fn scaled(self) -> Value {
        match self {
            Loaded | Unknown => Integer,
            other => other,
        }
    }
}

/// The roots of a function, and the value of each register.
struct Analysis {
    roots: Vec<Root>,
    known: HashMap<Root, u32>,
    /// The values of registers, by class and number: 32-bit registers, then 64-bit registers.
    values: [Vec<Value>; 2],
}

impl Analysis {
    fn root(&mut self, root: Root) -> Value {
        let next = self.roots.len() as u32;
        let index = *self.known.entry(root).or_insert(next);
        if index >= 64 {
            return Unknown;
        }
        if index == next {
            self.roots.push(root);
        }
        Address(1 << index)
    }

    fn get(&mut self, body: &Body, slot: Slot) -> Value {
        if slot == Slot::NONE || slot.class() == Class::Pred {
            return Integer;
        }
        let number = slot.number() as usize;
        if !slot.is_constant() {
            return self.values[slot.class() as usize][number];
        }
        let file = match slot.class() {
            Class::R64 => &body.function.constants64,
            _ => &body.function.constants32,
        };
        match file[number] {
            Constant::Special(Special::SystemShared(_)) => self.root(Root::Shared),
            Constant::Value(_) | Constant::Special(_) => Integer,
            Constant::Address(Symbol::Function(_), _) => Integer,
            Constant::Address(Symbol::Variable(variable), _) | Constant::Shared(variable, _) => {
                self.root(Root::Variable(variable))
            }
            Constant::Local(_) => self.root(Root::Local),
        }
    }

    /// Returns the values that an instruction writes to its results.
    fn results(&mut self, body: &Body, draft: &Draft) -> Vec<Value> {
        let all = |value: Value| vec![value; draft.defs.len()];
        let opaque = |slot: &Slot| match slot.class() {
            Class::R64 => Unknown,
            _ => Loaded,
        };
        match &draft.op {
            Op::Alu { .. } => {
                let opcode = draft
                    .inst
                    .map_or("", |inst| &*body.places[inst as usize].opcode);
                let (opcode, modifiers) = opcode.split_once('.').unwrap_or((opcode, ""));
                let sources: Vec<Value> = draft
                    .uses
                    .iter()
                    .filter(|slot| slot.class() != Class::Pred)
                    .map(|&slot| self.get(body, slot))
                    .collect();
                all(match opcode {
                    "cvta" => self.generic(modifiers, &sources),
                    "mapa" => self.root(Root::Shared),
                    _ => combined(opcode, &sources, draft),
                })
            }
            Op::Family(instruction) => match instruction.origin() {
                Origin::Root(root) => all(self.root(root)),
                Origin::Row(row) => all(self.get(body, Slot(row))),
                Origin::Unknown => draft.defs.iter().map(opaque).collect(),
            },
            Op::Load(op) => {
                let bytes = usize::from(op.bytes);
                let base = Slot(op.address.base);
                let place = match op.address.window {
                    Window::EntryParam if base.is_constant() => constant(body, base),
                    _ => None,
                };
                let element = |(k, slot): (usize, &Slot)| match place {
                    _ if bytes < 8 => Loaded,
                    None => opaque(slot),
                    Some(at) => {
                        let at = at.wrapping_add(op.address.offset as u64) + (k * bytes) as u64;
                        match u32::try_from(at) {
                            Ok(at) => self.root(Root::Parameter(at)),
                            Err(_) => Unknown,
                        }
                    }
                };
                draft.defs.iter().enumerate().map(element).collect()
            }
            _ => draft.defs.iter().map(opaque).collect(),
        }
    }

    /// Returns the result of `cvta`. If the modifier names shared memory, local memory or
    /// parameters, a known address keeps its roots, and any other source becomes an address of that
    /// memory. For other memories the result is the value of the source.
    fn generic(&mut self, modifiers: &str, sources: &[Value]) -> Value {
        let source = sources.first().copied().unwrap_or(Nothing);
        let mut modifiers = modifiers.split('.');
        let window = match modifiers.next() {
            Some("shared" | "shared::cta" | "shared::cluster") => Root::Shared,
            Some("local") => Root::Local,
            Some("param" | "param::entry") => Root::Parameters,
            _ => return source,
        };
        match source {
            Nothing | Address(_) => source,
            Integer | Loaded | Unknown => self.root(window),
        }
    }

    /// Merges a value into a register's value. Returns whether that value changed.
    fn write(&mut self, slot: Slot, value: Value) -> bool {
        if slot == Slot::NONE || slot.is_constant() || slot.class() == Class::Pred {
            return false;
        }
        let place = &mut self.values[slot.class() as usize][slot.number() as usize];
        let new = place.or(value);
        let changed = new != *place;
        *place = new;
        changed
    }
}

fn constant(body: &Body, slot: Slot) -> Option<u64> {
    let file = match slot.class() {
        Class::R64 => &body.function.constants64,
        _ => &body.function.constants32,
    };
    match file[slot.number() as usize] {
        Constant::Value(value) => Some(value),
        _ => None,
    }
}

/// Returns the value that a lane-wise instruction computes from its sources.
fn combined(opcode: &str, sources: &[Value], draft: &Draft) -> Value {
    let sum = |values: &[Value]| values.iter().fold(Integer, |all, &value| all.with(value));
    match (opcode, sources) {
        // Two halves: they form a known address only if neither half was loaded.
        ("mov", [_, _, ..]) if draft.defs.iter().any(|slot| slot.class() == Class::R64) => {
            match sum(sources) {
                _ if sources.contains(&Loaded) => Unknown,
                value => value,
            }
        }
        ("selp" | "slct" | "min" | "max", _) => {
            sources.iter().fold(Nothing, |all, &value| all.or(value))
        }
        ("mul" | "mul24" | "shl" | "div" | "rem", _) => sum(&sources
            .iter()
            .map(|value| value.scaled())
            .collect::<Vec<_>>()),
        ("mad" | "mad24", [a, b, c]) => sum(&[a.scaled(), b.scaled(), *c]),
        _ => sum(sources),
    }
}

impl Body<'_, '_> {
    /// Finds the roots of each access.
    pub(super) fn find_roots(&mut self) {
        let [narrow, wide, _] = self.registers();
        let mut analysis = Analysis {
            roots: Vec::new(),
            known: HashMap::new(),
            values: [vec![Nothing; narrow as usize], vec![Nothing; wide as usize]],
        };
        // A register that is never written is 0.
        let mut written = [vec![false; narrow as usize], vec![false; wide as usize]];
        for slot in self.drafts.iter().flat_map(|draft| &draft.defs) {
            if *slot != Slot::NONE && !slot.is_constant() && slot.class() != Class::Pred {
                written[slot.class() as usize][slot.number() as usize] = true;
            }
        }
        for (values, written) in analysis.values.iter_mut().zip(&written) {
            for (value, _) in values
                .iter_mut()
                .zip(written)
                .filter(|(_, written)| !**written)
            {
                *value = Integer;
            }
        }
        let mut rounds = 0;
        loop {
            let mut changed = false;
            for draft in &self.drafts {
                if draft.defs.is_empty() {
                    continue;
                }
                let values = analysis.results(self, draft);
                for (&slot, value) in draft.defs.iter().zip(values) {
                    changed |= analysis.write(slot, value);
                }
            }
            rounds += 1;
            if !changed {
                break;
            }
            if rounds == MOST_ROUNDS {
                return;
            }
        }
        let (mut sets, mut known) = (Vec::new(), HashMap::new());
        let mut drafts = std::mem::take(&mut self.drafts);
        for draft in &mut drafts {
            draft.op.addresses(&mut |address| {
                if !matches!(
                    address.window,
                    Window::Generic | Window::Global | Window::Const | Window::Shared
                ) {
                    return;
                }
                address.roots = NONE;
                let Address(bits) = analysis.get(self, Slot(address.base)) else {
                    return;
                };
                let of = |i: &usize| bits >> i & 1 == 1;
                let set = (0..analysis.roots.len()).filter(of);
                let set: Vec<Root> = set.map(|i| analysis.roots[i]).collect();
                if set.iter().all(|root| root.is_window()) {
                    return;
                }
                let next = sets.len() as u32;
                address.roots = *known.entry(bits).or_insert(next);
                if address.roots == next {
                    sets.push(set);
                }
            });
        }
        self.drafts = drafts;
        self.function.root_sets = sets;
    }
}
