//! Loads, stores, asynchronous copies, prefetches, fences.
//! Source: PTX ISA, "Data Movement and Conversion Instructions", "Asynchronous copy", "membar, fence".

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use super::slot::Slot;
use crate::frame::alu;
use crate::ir::{Constant, CopyAsync, NONE, Op, Transfer, Window};
use crate::reader::syntax::Operand;
use crate::types::{Class, Type};

const SPACES: [(&str, Window); 11] = [
    ("global", Window::Global),
    ("const", Window::Const),
    ("shared", Window::Shared),
    ("shared::cta", Window::Shared),
    // The block's own part of a cluster of one block.
    ("shared::cluster", Window::Shared),
    ("local", Window::Local),
    ("param", Window::FrameParam),
    ("param::entry", Window::EntryParam),
    ("param::func", Window::FrameParam),
    ("generic", Window::Generic),
    ("global::nc", Window::Global),
];

/// Modifiers of order: whether the access is more than a plain one.
const ORDERS: [(&str, bool); 5] = [
    ("weak", false),
    ("volatile", true),
    ("relaxed", true),
    ("acquire", true),
    ("release", true),
];

const SCOPES: [(&str, ()); 5] = [
    ("cta", ()),
    ("cluster", ()),
    ("gpu", ()),
    ("gl", ()),
    ("sys", ()),
];

/// Cache operators; `.cv` and `.wt` go past the caches, as `.volatile` does.
const CACHE_OPERATORS: [(&str, bool); 7] = [
    ("ca", false),
    ("cg", false),
    ("cs", false),
    ("lu", false),
    ("cv", true),
    ("wb", false),
    ("wt", true),
];

/// Hints to caches, which an emulator without caches can leave out: at most one of each row.
const HINTS: [&[(&str, ())]; 5] = [
    &[("nc", ())],
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

/// What the modifiers of a load or store say.
struct Plan {
    window: Window,
    ordered: bool,
    count: usize,
    ty: Type,
    cache_hint: bool,
}

impl Plan {
    /// The type of an element: in a vector of floats an integer register of the same size is taken too, as `ptxas` does.
    fn of(&self, register: Option<(&str, Type, Slot)>) -> Type {
        match (self.ty, register) {
            (Type::F32, Some((_, Type::U32 | Type::S32, _))) if self.count > 1 => Type::B32,
            (Type::F64, Some((_, Type::U64 | Type::S64, _))) if self.count > 1 => Type::B64,
            (ty, _) => ty,
        }
    }
}

fn plan(l: &mut Lowering) -> Result<Plan, crate::error::PtxError> {
    // `.mmio` is written beside `.relaxed`.
    let mmio = l.take("mmio");
    let ordered = l.one_of(&ORDERS).unwrap_or(false) || mmio;
    l.one_of(&SCOPES);
    let window = l.one_of(&SPACES).unwrap_or(Window::Generic);
    let past_caches = l.one_of(&CACHE_OPERATORS).unwrap_or(false);
    for hints in HINTS {
        l.one_of(hints);
    }
    let cache_hint = l.take("L2::cache_hint");
    let count = l.one_of(&[("v2", 2), ("v4", 4), ("v8", 8)]).unwrap_or(1);
    let ty = l.only_type()?;
    let has = ty.is_bits() || ty.is_integer() || matches!(ty, Type::F32 | Type::F64);
    if !has || ty.bits() == 128 || ty.bytes() * count > 32 {
        return Err(l.unknown());
    }
    Ok(Plan {
        window,
        ordered: ordered || past_caches,
        count,
        ty,
        cache_hint,
    })
}

impl Lowering<'_, '_, '_> {
    /// `.param` means the launch's parameters in a kernel and the frame's in a function, unless a name says otherwise.
    fn param_window(&self, window: Window) -> Window {
        match window {
            Window::FrameParam if self.body.function.entry => Window::EntryParam,
            other => other,
        }
    }

    /// Notes what the kernel must know of an access: its width where it may be of shared or global memory, and whether
    /// blocks could talk through it.
    pub fn note_access(&mut self, window: Window, (bytes, count): (usize, usize), ordered: bool) {
        let function = &mut self.body.function;
        if matches!(window, Window::Shared | Window::Generic) {
            function.granule = function.granule.min(bytes as u32);
        }
        if matches!(window, Window::Global | Window::Generic) {
            // All of a vector is at a multiple of its size.
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
            // Of the class of the others, or of the type where all are `_`.
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
    l.note_access(address.window, (plan.ty.bytes(), plan.count), plan.ordered);
    let transfer = Transfer {
        address,
        bytes: plan.ty.bytes() as u8,
        count: plan.count as u8,
        wide,
        sign_bits,
        ordered: plan.ordered,
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
    // Constants take the class of the registers beside them.
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
    l.note_access(address.window, (plan.ty.bytes(), plan.count), plan.ordered);
    let transfer = Transfer {
        address,
        bytes: plan.ty.bytes() as u8,
        count: plan.count as u8,
        wide,
        sign_bits: 0,
        ordered: plan.ordered,
        guess: false,
        registers,
    };
    l.emit(Op::Store(Box::new(transfer)), Flow::Next);
    Ok(())
}

/// A hint to caches: the address is read as an operand, and may lie anywhere, as on devices.
pub(crate) fn prefetch(l: &mut Lowering) -> Lowered {
    const LEVELS: [(&str, ()); 4] = [
        ("L1", ()),
        ("L2", ()),
        ("L2::evict_last", ()),
        ("L2::evict_normal", ()),
    ];
    let (spaces, levels): (&[_], _) = if l.inst.opcode == "prefetchu" {
        (&[], &LEVELS[..1])
    } else {
        let spaces = &[("global", Window::Global), ("local", Window::Local)];
        (spaces, &LEVELS[..])
    };
    let window = l.one_of(spaces);
    // The priorities are for global memory.
    let levels = match window {
        Some(Window::Local) => &levels[..2],
        _ => levels,
    };
    l.need(levels, "a cache level")?;
    l.end()?;
    l.count(1..=1)?;
    l.address(0, window.unwrap_or(Window::Generic))?;
    l.emit(Op::Prefetch, Flow::Next);
    Ok(())
}

/// `createpolicy`: what a cache is to do, which means nothing without one. The policy is a number that nobody reads.
pub(crate) fn policy(l: &mut Lowering) -> Lowered {
    l.need_lead(&[("fractional", ())], "`.fractional`")?;
    let first = [
        ("L2::evict_last", ()),
        ("L2::evict_normal", ()),
        ("L2::evict_first", ()),
        ("L2::evict_unchanged", ()),
    ];
    l.need(&first, "a priority")?;
    l.one_of(&[("L2::evict_first", ()), ("L2::evict_unchanged", ())]);
    if l.only_type()? != Type::B64 {
        return Err(l.unknown());
    }
    l.count(1..=2)?;
    if l.inst.operands.len() == 2 {
        l.source(1, Type::F32)?;
    }
    let zero = l.body.constant(Class::R64, Constant::Value(0));
    let d = l.dest(0, Type::B64)?;
    l.alu(alu!(|a: u64| -> u64 { a }), &[d], &[zero]);
    Ok(())
}

/// `fence`, `membar`. Nothing is to be done for any of them: every access takes effect in order, whatever the proxy.
pub(crate) fn fence(l: &mut Lowering) -> Lowered {
    let semantics = [("acquire", ()), ("release", ())];
    let mut address = false;
    if l.lead("proxy") {
        let proxies = [
            ("alias", 0),
            ("async", 0),
            ("async::generic", 1),
            ("tensormap::generic", 2),
        ];
        match l.need(&proxies, "a proxy")? {
            0 => {
                l.one_of(&[("global", ()), ("shared::cta", ()), ("shared::cluster", ())]);
            }
            1 => {
                l.need(&semantics, "`.acquire` or `.release`")?;
                l.need(&RESTRICTIONS, "`.sync_restrict`")?;
                l.need(&SCOPES, "a scope")?;
            }
            _ => {
                address = l.need(
                    &[("acquire", true), ("release", false)],
                    "`.acquire` or `.release`",
                )?;
                l.need(&SCOPES, "a scope")?;
            }
        }
    } else {
        if !l.take("mbarrier_init") && l.one_of(&RESTRICTIONS).is_none() {
            l.one_of(&[("sc", ()), ("acq_rel", ())]);
        }
        l.one_of(&semantics);
        l.need(&SCOPES, "a scope")?;
    }
    l.end()?;
    if address {
        // The bytes of a tensor map: 128 of them.
        l.count(2..=2)?;
        l.address(0, Window::Generic)?;
        size_of_128(l, 1)?;
    } else {
        l.count(0..=0)?;
    }
    l.emit(Op::Fence, Flow::Next);
    Ok(())
}

/// What a fence is limited to.
const RESTRICTIONS: [(&str, ()); 2] = [
    ("sync_restrict::shared::cta", ()),
    ("sync_restrict::shared::cluster", ()),
];

/// Operand `i`: the number of bytes of a cache line, the only one that PTX allows.
fn size_of_128(l: &Lowering, i: usize) -> Lowered {
    match l.immediate(i)? {
        128 => Ok(()),
        other => Err(l.bad_operand(i, format!("128 bytes, not {other}"))),
    }
}

/// `applypriority`: a hint to the cache, as `prefetch`.
pub(crate) fn priority(l: &mut Lowering) -> Lowered {
    l.take("global");
    l.need(&[("L2::evict_normal", ())], "`.L2::evict_normal`")?;
    l.end()?;
    l.count(2..=2)?;
    l.address(0, Window::Global)?;
    size_of_128(l, 1)?;
    l.emit(Op::Prefetch, Flow::Next);
    Ok(())
}

/// `discard`: what 128 bytes of global memory hold is lost.
pub(crate) fn discard(l: &mut Lowering) -> Lowered {
    l.take("global");
    l.need(&[("L2", ())], "`.L2`")?;
    l.end()?;
    l.count(2..=2)?;
    let address = l.address(0, Window::Global)?;
    size_of_128(l, 1)?;
    l.note_access(Window::Global, (16, 1), true);
    l.emit(Op::Discard(address), Flow::Next);
    Ok(())
}

/// `griddepcontrol`: no launch of the emulator begins before the one before it has ended, so the wait is over, and nobody
/// waits for the launch of dependents.
pub(crate) fn dependents(l: &mut Lowering) -> Lowered {
    l.need_lead(
        &[("wait", ()), ("launch_dependents", ())],
        "`.wait` or `.launch_dependents`",
    )?;
    l.end()?;
    l.count(0..=0)?;
    l.emit(Op::Fence, Flow::Next);
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
        l.emit(Op::CommitAsync, Flow::Next);
        return Ok(());
    }
    if l.lead("wait_all") {
        l.end()?;
        l.count(0..=0)?;
        l.emit(Op::WaitAsync { keep: NONE }, Flow::Next);
        return Ok(());
    }
    if l.lead("wait_group") {
        l.end()?;
        l.count(1..=1)?;
        let keep = l.immediate(0)?;
        let Some(keep) = u32::try_from(keep).ok().filter(|&keep| keep != NONE) else {
            return Err(l.bad_operand(0, format!("a number of groups, not {keep}")));
        };
        l.emit(Op::WaitAsync { keep }, Flow::Next);
        return Ok(());
    }
    let only_16 = l.need(&[("ca", false), ("cg", true)], "`.ca` or `.cg`")?;
    // The spaces keep their order, that of the operands.
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
    let source = l.address(1, Window::Global)?;
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
    l.emit(Op::CopyAsync(Box::new(copy)), Flow::Next);
    Ok(())
}
