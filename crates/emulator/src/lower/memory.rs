//! Loads, stores, asynchronous copies.
//! Source: PTX ISA, "Data Movement and Conversion Instructions", "Asynchronous copy".

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use super::slot::Slot;
use crate::ir::{CommitAsync, CopyAsync, NONE, Op, Scope, Strength, Transfer, WaitAsync, Window};
use crate::reader::syntax::Operand;
use crate::types::{Class, Type};

const SPACES: [(&str, Window); 11] = [
    ("global", Window::Global),
    ("const", Window::Const),
    ("shared", Window::Shared),
    ("shared::cta", Window::Shared),
    ("shared::cluster", Window::Cluster),
    ("local", Window::Local),
    ("param", Window::FrameParam),
    ("param::entry", Window::EntryParam),
    ("param::func", Window::FrameParam),
    ("generic", Window::Generic),
    ("global::nc", Window::Global),
];

/// The modifiers of order: whether the access is strong, whether it acquires, whether it releases.
const ORDERS: [(&str, (bool, bool, bool)); 5] = [
    ("weak", (false, false, false)),
    ("volatile", (true, false, false)),
    ("relaxed", (true, false, false)),
    ("acquire", (true, true, false)),
    ("release", (true, false, true)),
];

pub(crate) const SCOPES: [(&str, Scope); 5] = [
    ("cta", Scope::Block),
    ("cluster", Scope::Cluster),
    ("gpu", Scope::Device),
    ("gl", Scope::Device),
    ("sys", Scope::Device),
];

/// The cache operators; `.cv` and `.wt` bypass the caches, as `.volatile` does.
const CACHE_OPERATORS: [(&str, bool); 7] = [
    ("ca", false),
    ("cg", false),
    ("cs", false),
    ("lu", false),
    ("cv", true),
    ("wb", false),
    ("wt", true),
];

/// The cache hints, which have no effect in an emulator without caches. An instruction may have at
/// most one of each row.
const HINTS: [&[(&str, ())]; 4] = [
    &[("unified", ())],
    &[
        ("L1::evict_normal", ()),
        ("L1::evict_unchanged", ()),
        ("L1::evict_first", ()),
        ("L1::evict_last", ()),
        ("L1::no_allocate", ()),
    ],
    &[
        ("L2::evict_normal", ()),
        ("L2::evict_first", ()),
        ("L2::evict_last", ()),
    ],
    &[("L2::64B", ()), ("L2::128B", ()), ("L2::256B", ())],
];

/// The modifiers of a load or store.
struct Plan {
    window: Window,
    strength: Option<Strength>,
    non_coherent: bool,
    count: usize,
    ty: Type,
    cache_hint: bool,
}

impl Plan {
    /// Returns the type of an element. In a vector of floats an integer register of the same size
    /// is accepted too, as in `ptxas`.
    fn of(&self, register: Option<(&str, Type, Slot)>) -> Type {
        match (self.ty, register) {
            (Type::F32, Some((_, Type::U32 | Type::S32, _))) if self.count > 1 => Type::B32,
            (Type::F64, Some((_, Type::U64 | Type::S64, _))) if self.count > 1 => Type::B64,
            (ty, _) => ty,
        }
    }
}

fn plan(l: &mut Lowering) -> Result<Plan, crate::error::PtxError> {
    // `.mmio` is written together with `.relaxed`.
    let mmio = l.take("mmio");
    let (strong, acquires, releases) = l.one_of(&ORDERS).unwrap_or_default();
    let scope = l.one_of(&SCOPES).unwrap_or(Scope::Device);
    let window = l.one_of(&SPACES).unwrap_or(Window::Generic);
    let past_caches = l.one_of(&CACHE_OPERATORS).unwrap_or(false);
    let aliased = l.inst.modifiers.contains(&"global::nc");
    let non_coherent = l.take("nc") || aliased;
    for hints in HINTS {
        l.one_of(hints);
    }
    let cache_hint = l.take("L2::cache_hint");
    let count = l.one_of(&[("v2", 2), ("v4", 4), ("v8", 8)]).unwrap_or(1);
    let (mut count, mut ty) = (count, l.only_type()?);
    if ty == Type::B128 && count == 1 {
        // The halves of a .b128 register.
        (count, ty) = (2, Type::B64);
    }
    let has = ty.is_bits() || ty.is_integer() || matches!(ty, Type::F32 | Type::F64);
    if !has || ty.bits() == 128 || ty.bytes() * count > 32 {
        return Err(l.unknown());
    }
    Ok(Plan {
        window,
        strength: (strong || mmio || past_caches).then_some(Strength {
            acquires,
            releases,
            scope,
            bytes: if strong { ty.bytes() as u8 } else { 0 },
        }),
        non_coherent,
        count,
        ty,
        cache_hint,
    })
}

impl Lowering<'_, '_, '_> {
    /// Returns the window that `.param` means: the launch's parameters in a kernel and the frame's
    /// parameters in a function, unless a name decides otherwise. Other windows stay as they are.
    pub(crate) fn param_window(&self, window: Window) -> Window {
        match window {
            Window::FrameParam if self.body.function.entry => Window::EntryParam,
            other => other,
        }
    }

    /// Notes what the kernel must know about an access: its width if it may access shared or global
    /// memory, and whether blocks could communicate through it.
    pub fn note_access(&mut self, window: Window, (bytes, count): (usize, usize), ordered: bool) {
        let function = &mut self.body.function;
        if matches!(window, Window::Shared | Window::Cluster | Window::Generic) {
            function.granule = function.granule.min(bytes as u32);
        }
        if matches!(window, Window::Global | Window::Generic) {
            // A vector is aligned to its whole size.
            function.global_granule = function.global_granule.min((bytes * count) as u32);
        }
        if ordered && matches!(window, Window::Global | Window::Generic) {
            self.body.function.communicates = true;
        }
    }
}

pub(crate) fn load(l: &mut Lowering) -> Lowered {
    let plan = plan(l)?;
    l.count(2..=if plan.cache_hint { 3 } else { 2 })?;
    if plan.cache_hint {
        let policy = l.source(2, Type::B64)?;
        l.uses.push(policy);
    }
    let address = l.address(1, l.param_window(plan.window))?;
    let elements = l.elements(0)?;
    if elements.len() != plan.count {
        return Err(l.bad_operand(
            0,
            format!(
                "{} registers expected, {} found",
                plan.count,
                elements.len()
            ),
        ));
    }
    let mut registers = [NONE; 8];
    let (mut wide, mut register_bits) = (None, 0);
    for (register, element) in registers.iter_mut().zip(elements) {
        if matches!(element, Operand::Sink) {
            // `_` gets the register class of the other elements, or the class of the type if all
            // are `_`.
            continue;
        }
        let (slot, bits) = l.loose_dest_of(0, element, plan.of(l.register(element)))?;
        if *wide.get_or_insert(slot.class() == Class::R64) != (slot.class() == Class::R64) {
            return Err(l.bad_operand(0, "registers of different sizes"));
        }
        register_bits = bits;
        *register = slot.0;
    }
    let wide = wide.unwrap_or(plan.ty.bits() == 64);
    for register in registers[..plan.count]
        .iter_mut()
        .filter(|register| **register == NONE)
    {
        *register = l.scratch(if wide { Class::R64 } else { Class::R32 }).0;
    }
    let sign_bits = if plan.ty.is_signed() && register_bits > plan.ty.bits() {
        register_bits as u8
    } else {
        0
    };
    l.defs
        .extend(registers[..plan.count].iter().map(|&slot| Slot(slot)));
    l.note_access(
        address.window,
        (plan.ty.bytes(), plan.count),
        plan.strength.is_some(),
    );
    let transfer = Transfer {
        address,
        bytes: plan.ty.bytes() as u8,
        count: plan.count as u8,
        wide,
        sign_bits,
        strength: plan.strength,
        non_coherent: plan.non_coherent,
        guess: false,
        registers,
    };
    l.emit(Op::Load(Box::new(transfer)), Flow::Next);
    Ok(())
}

pub(crate) fn store(l: &mut Lowering) -> Lowered {
    let plan = plan(l)?;
    l.count(2..=if plan.cache_hint { 3 } else { 2 })?;
    if plan.cache_hint {
        let policy = l.source(2, Type::B64)?;
        l.uses.push(policy);
    }
    let address = l.address(0, l.param_window(plan.window))?;
    if matches!(address.window, Window::Const | Window::EntryParam) {
        return Err(l.bad_operand(0, "this space is read-only"));
    }
    let elements = l.elements(1)?;
    if elements.len() != plan.count {
        return Err(l.bad_operand(
            1,
            format!(
                "{} registers expected, {} found",
                plan.count,
                elements.len()
            ),
        ));
    }
    // Constants get the register class of the other elements.
    let mut registers = elements.iter().filter_map(|element| l.register(element));
    let wide = registers.next().map(|(_, found, _)| found.bits() == 64);
    let wide = wide.unwrap_or(plan.ty.bits() == 64);
    let mut registers = [NONE; 8];
    for (register, element) in registers.iter_mut().zip(l.elements(1)?) {
        let slot = match element {
            Operand::Constant(_) if wide && plan.ty.bits() < 64 => {
                l.source_of(1, element, Type::B64)?
            }
            _ => {
                let ty = plan.of(l.register(element));
                l.loose_source_of(1, element, ty)?.0
            }
        };
        if (slot.class() == Class::R64) != wide {
            return Err(l.bad_operand(1, "registers of different sizes"));
        }
        *register = slot.0;
        l.uses.push(slot);
    }
    l.note_access(
        address.window,
        (plan.ty.bytes(), plan.count),
        plan.strength.is_some(),
    );
    let transfer = Transfer {
        address,
        bytes: plan.ty.bytes() as u8,
        count: plan.count as u8,
        wide,
        sign_bits: 0,
        strength: plan.strength,
        non_coherent: plan.non_coherent,
        guess: false,
        registers,
    };
    l.emit(Op::Store(Box::new(transfer)), Flow::Next);
    Ok(())
}

pub(crate) fn copy(l: &mut Lowering) -> Lowered {
    if !l.lead("async") {
        return Err(l.unknown());
    }
    if l.lead("mbarrier") {
        return super::mbarrier::copies(l);
    }
    if l.lead("commit_group") {
        l.end()?;
        l.count(0..=0)?;
        l.emit(CommitAsync, Flow::Next);
        return Ok(());
    }
    if l.lead("wait_all") {
        l.end()?;
        l.count(0..=0)?;
        l.emit(WaitAsync { keep: NONE }, Flow::Next);
        return Ok(());
    }
    if l.lead("wait_group") {
        l.end()?;
        l.count(1..=1)?;
        let keep = l.immediate(0)?;
        let Some(keep) = u32::try_from(keep).ok().filter(|&keep| keep != NONE) else {
            return Err(l.bad_operand(0, format!("a number of groups, not {keep}")));
        };
        l.emit(WaitAsync { keep }, Flow::Next);
        return Ok(());
    }
    let only_16 = l.need(&[("ca", false), ("cg", true)], "`.ca` or `.cg`")?;
    // The spaces come in the order of the operands.
    let spaces = [("shared", true), ("shared::cta", true), ("global", false)];
    if !l.need(&spaces, "`.shared`")? || l.need(&spaces, "`.global`")? {
        return Err(l.unknown());
    }
    let sizes = [("L2::64B", ()), ("L2::128B", ()), ("L2::256B", ())];
    l.one_of(&sizes);
    let cache_hint = l.take("L2::cache_hint");
    l.end()?;
    let n = l.inst.operands.len() - usize::from(cache_hint && l.inst.operands.len() > 3);
    l.count(3..=5)?;
    if n > 4 {
        return Err(l.bad_operand(4, "at most 4 operands without a cache policy"));
    }
    if cache_hint {
        let policy = l.source(n, Type::B64)?;
        l.uses.push(policy);
    }
    let destination = l.address(0, Window::Shared)?;
    let source = l.address_of_any_width(1, Window::Global)?;
    let bytes = l.immediate(2)?;
    if !matches!((bytes, only_16), (16, _) | (4 | 8, false)) {
        let allowed = if only_16 { "16" } else { "4, 8 or 16" };
        return Err(l.bad_operand(2, format!("{allowed} bytes, not {bytes}")));
    }
    let (mut source_size, mut ignore) = (NONE, NONE);
    if n == 4 {
        let is_predicate = match l.operand(3)? {
            Operand::Not(_) => true,
            Operand::Name(name, 0) => {
                matches!(
                    l.body.look_up(name),
                    Some(super::body::Name::Register(Type::Pred, _))
                )
            }
            _ => false,
        };
        let slot = l.source(3, if is_predicate { Type::Pred } else { Type::U32 })?;
        l.uses.push(slot);
        *(if is_predicate {
            &mut ignore
        } else {
            &mut source_size
        }) = slot.0;
    }
    let copy = CopyAsync {
        destination,
        source,
        bytes: bytes as u8,
        bypass: only_16,
        source_size,
        ignore,
    };
    l.note_access(Window::Global, (usize::from(copy.bytes), 1), false);
    l.emit(copy, Flow::Next);
    Ok(())
}
