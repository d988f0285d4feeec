//! `atom` and `red`.
//! Source: PTX ISA, "atom", "red".

use std::collections::HashSet;

use super::body::Body;
use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use super::slot::Slot;
use crate::error::PtxError;
use crate::ir::{Address, Atomic, NONE, Op, Scope, Strength, Window, operation};
use crate::reader::syntax::Operand;
use crate::types::Type;

/// The modifiers that select an operation.
const OPERATIONS: [&str; 10] = [
    "and", "or", "xor", "exch", "cas", "add", "inc", "dec", "min", "max",
];

impl Body<'_, '_> {
    /// Marks each plain load from an address that an `atom.cas` of the function also accesses.
    /// Compilers begin a loop around `atom.cas` with such a load: if the load raced, the exchange
    /// would fail and the loop would run once more.
    pub fn mark_guesses(&mut self) {
        let place = |address: &Address| (address.base, address.offset, address.window);
        let exchanged: Vec<_> = self
            .drafts
            .iter()
            .filter_map(|draft| match &draft.op {
                Op::Atomic(op) if op.b != NONE => Some((place(&op.address), op.bytes)),
                _ => None,
            })
            .collect();
        if exchanged.is_empty() {
            return;
        }
        for draft in &mut self.drafts {
            if let Op::Load(op) = &mut draft.op {
                op.guess = op.count == 1 && exchanged.contains(&(place(&op.address), op.bytes));
            }
        }
    }
}

impl Body<'_, '_> {
    /// Unmarks the exchanges whose old value is read somewhere in the function.
    pub fn mark_overwrites(&mut self) {
        let read: HashSet<Slot> = self
            .drafts
            .iter()
            .flat_map(|draft| {
                draft
                    .uses
                    .iter()
                    .copied()
                    .chain(draft.guard.map(|guard| guard.0))
            })
            .collect();
        for draft in &mut self.drafts {
            if let Op::Atomic(op) = &mut draft.op {
                op.overwrites &= !read.contains(&Slot(op.result[0]));
            }
        }
    }
}

/// Whether the operation exists for vectors of `count` elements. It exists for additions of floats,
/// of at most 16 bytes, in global memory.
fn is_vector(name: &str, ty: Type, count: usize, window: Window) -> bool {
    name == "add"
        && matches!(
            ty,
            Type::F32 | Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2
        )
        && ty.bytes() * count <= 16
        && matches!(window, Window::Global | Window::Generic)
}

/// Returns the elements of operand `i`: the operand itself, or the elements in its braces if the
/// instruction operates on vectors.
fn elements<'b, 's>(
    l: &Lowering<'b, '_, 's>,
    i: usize,
    count: usize,
) -> Result<&'b [Operand<'s>], PtxError> {
    match l.operand(i)? {
        Operand::Vector(elements) if count > 1 && elements.len() == count => Ok(elements),
        single if count == 1 => Ok(std::slice::from_ref(single)),
        _ => Err(l.bad_operand(i, format!("a vector of {count} elements expected"))),
    }
}

/// Returns the type of an element. In a vector of floats an integer register of the same size is
/// accepted too, as in `ptxas`.
fn element_type<'s>(
    l: &Lowering<'_, '_, 's>,
    element: &Operand<'s>,
    ty: Type,
    count: usize,
) -> Type {
    match (ty, l.register(element)) {
        (Type::F32, Some((_, Type::U32 | Type::S32, _))) if count > 1 => Type::B32,
        (Type::F16 | Type::Bf16, Some((_, Type::U16 | Type::S16, _))) if count > 1 => Type::B16,
        _ => ty,
    }
}

pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    let reduction = l.inst.opcode == "red";
    let orders = [
        ("relaxed", (false, false)),
        ("acquire", (true, false)),
        ("release", (false, true)),
        ("acq_rel", (true, true)),
    ];
    let (acquires, releases) = l.one_of(&orders).unwrap_or_default();
    let scopes = [
        ("cta", Scope::Block),
        ("cluster", Scope::Cluster),
        ("gpu", Scope::Device),
        ("sys", Scope::Device),
    ];
    let scope = l.one_of(&scopes).unwrap_or(Scope::Device);
    let spaces = [
        ("global", Window::Global),
        ("shared", Window::Shared),
        ("shared::cta", Window::Shared),
        ("shared::cluster", Window::Cluster),
    ];
    let window = l.one_of(&spaces).unwrap_or(Window::Generic);
    let Some(name) = l.take_map(|word| OPERATIONS.into_iter().find(|&name| name == word)) else {
        return Err(l.unknown());
    };
    let noftz = l.take("noftz");
    let cache_hint = l.take("L2::cache_hint");
    let count = l.one_of(&[("v2", 2), ("v4", 4), ("v8", 8)]).unwrap_or(1);
    let ty = l.only_type()?;
    let half = matches!(ty, Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2);
    if noftz != half || reduction && matches!(name, "cas" | "exch") {
        return Err(l.unknown());
    }
    if count > 1 && !is_vector(name, ty, count, window) {
        return Err(l.unknown());
    }
    let (apply, global) = operation(name, ty).ok_or_else(|| l.unknown())?;
    let first = usize::from(!reduction);
    let n = first + if name == "cas" { 3 } else { 2 };
    l.count(n..=n + usize::from(cache_hint))?;
    if cache_hint {
        let policy = l.source(n, Type::B64)?;
        l.uses.push(policy);
    }
    let address = l.address(first, window)?;
    let mut a = [NONE; 8];
    for (a, element) in a.iter_mut().zip(elements(l, first + 1, count)?) {
        let ty = element_type(l, element, ty, count);
        let source = l.source_of(first + 1, element, ty)?;
        l.uses.push(source);
        *a = source.0;
    }
    let b = if name == "cas" {
        let b = l.source(first + 2, ty)?;
        l.uses.push(b);
        b.0
    } else {
        NONE
    };
    let mut result = [NONE; 8];
    let unread = reduction || count > 1 && matches!(l.operand(0)?, Operand::Sink);
    if !unread {
        let elements = elements(l, 0, count)?;
        if count > 1 && elements.iter().all(|one| matches!(one, Operand::Sink)) {
            return Err(l.bad_operand(0, "`_` for the whole vector, or a register in it, expected"));
        }
        for (result, element) in result.iter_mut().zip(elements) {
            let ty = element_type(l, element, ty, count);
            let d = l.dest_of(0, element, ty)?;
            l.defs.push(d);
            *result = d.0;
        }
    }
    let bytes = ty.bytes();
    // PTX treats each half of a packed type as an access of its own; other accesses may treat the
    // word as one. Compilers build atomics of one and two bytes from a `cas` of the word that
    // contains them, and mix them with loads of one or two bytes.
    let of_any_size = name == "cas" || matches!(ty, Type::F16x2 | Type::Bf16x2);
    l.note_access(window, (bytes, count), true);
    let atomic = Atomic {
        address,
        bytes: bytes as u8,
        count: count as u8,
        strength: Strength {
            acquires,
            releases,
            scope,
            bytes: if of_any_size { 0 } else { bytes as u8 },
        },
        apply,
        apply_global: global.unwrap_or(apply),
        result,
        a,
        b,
        // `mark_overwrites` clears this if the result is read.
        overwrites: name == "exch",
    };
    l.emit(Op::Atomic(Box::new(atomic)), Flow::Next);
    Ok(())
}
