//! Instructions that move no data: prefetches, cache policies, fences, `griddepcontrol`, `discard`.
//! Source: PTX ISA, "prefetch, prefetchu", "applypriority", "discard", "createpolicy", "membar,
//! fence", "griddepcontrol".

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use super::memory::SCOPES;
use crate::frame::alu;
use crate::ir::{
    Constant, Discard, Fence, InitFence, MapFence, NoEffect, Op, ProxyFence, ReleaseDependents,
    WaitForLaunchBefore, Window,
};
use crate::types::{Class, Type};

/// Lowers a prefetch, which is a cache hint. Its address is read as an operand and, as on devices,
/// may be any address.
pub(crate) fn prefetch(l: &mut Lowering) -> Lowered {
    const LEVELS: [(&str, ()); 4] = [
        ("L1", ()),
        ("L2", ()),
        ("L2::evict_last", ()),
        ("L2::evict_normal", ()),
    ];
    if l.inst.opcode == "prefetch" && l.take("tensormap") {
        return prefetch_map(l);
    }
    let (spaces, levels): (&[_], _) = if l.inst.opcode == "prefetchu" {
        (&[], &LEVELS[..1])
    } else {
        let spaces = &[("global", Window::Global), ("local", Window::Local)];
        (spaces, &LEVELS[..])
    };
    let window = l.one_of(spaces);
    // Only global memory has eviction priorities.
    let levels = match window {
        Some(Window::Local) => &levels[..2],
        _ => levels,
    };
    l.need(levels, "a cache level")?;
    l.end()?;
    l.count(1..=1)?;
    l.address(0, window.unwrap_or(Window::Generic))?;
    l.emit(NoEffect, Flow::Next);
    Ok(())
}

/// Lowers `prefetch.tensormap`. A generic address, or an address of parameters or constants, gives
/// the tensor map.
fn prefetch_map(l: &mut Lowering) -> Lowered {
    let spaces = [("param", Window::FrameParam), ("const", Window::Const)];
    let window = l.one_of(&spaces).unwrap_or(Window::Generic);
    l.end()?;
    l.count(1..=1)?;
    l.address(0, l.param_window(window))?;
    l.emit(NoEffect, Flow::Next);
    Ok(())
}

/// Lowers `createpolicy`, which describes the behaviour of a cache and has no effect without
/// caches. The policy is a number that no instruction evaluates.
pub(crate) fn policy(l: &mut Lowering) -> Lowered {
    let kinds = [("fractional", 0), ("range", 1), ("cvt", 2)];
    let range = match l.need_lead(&kinds, "`.fractional`, `.range` or `.cvt`")? {
        2 => return converted_policy(l),
        kind => kind == 1,
    };
    if range {
        l.take("global");
    }
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
    if range {
        l.count(4..=4)?;
        l.address_of_any_width(1, Window::Global)?;
        l.source(2, Type::U32)?;
        l.source(3, Type::U32)?;
    } else {
        l.count(1..=2)?;
        if l.inst.operands.len() == 2 {
            l.source(1, Type::F32)?;
        }
    }
    no_policy(l)
}

/// Lowers `createpolicy.cvt`, which converts the access property of a window and has no effect
/// without caches.
fn converted_policy(l: &mut Lowering) -> Lowered {
    l.need(&[("L2", ())], "`.L2`")?;
    if l.only_type()? != Type::B64 {
        return Err(l.unknown());
    }
    l.count(2..=2)?;
    l.source(1, Type::B64)?;
    no_policy(l)
}

/// Writes 0, the policy without caches, to operand 0.
fn no_policy(l: &mut Lowering) -> Lowered {
    let zero = l.body.constant(Class::R64, Constant::Value(0));
    let d = l.dest(0, Type::B64)?;
    l.alu(alu!(|a: u64| -> u64 { a }), &[d], &[zero]);
    Ok(())
}

/// Lowers `fence` and `membar`.
pub(crate) fn fence(l: &mut Lowering) -> Lowered {
    let semantics = [("acquire", ()), ("release", ())];
    let (mut address, mut op) = (false, Op::from(NoEffect));
    if l.lead("proxy") {
        let proxies = [
            ("alias", 0),
            ("async", 0),
            ("async::generic", 1),
            ("tensormap::generic", 2),
        ];
        match l.need(&proxies, "a proxy")? {
            0 => {
                let spaces = [
                    ("global", (true, false)),
                    ("shared::cta", (false, true)),
                    ("shared::cluster", (false, true)),
                ];
                let alias = l.inst.modifiers.get(1) == Some(&"alias");
                let (global, shared) = l.one_of(&spaces).unwrap_or((true, true));
                if !alias {
                    op = ProxyFence { global, shared }.into();
                }
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
        if l.take("mbarrier_init") {
            op = InitFence.into();
            l.one_of(&semantics);
            l.need(&SCOPES, "a scope")?;
        } else {
            // A fence that is restricted to shared memory has no effect here.
            let restricted = l.one_of(&RESTRICTIONS).is_some();
            if !restricted {
                l.one_of(&[("sc", ()), ("acq_rel", ())]);
            }
            l.one_of(&semantics);
            let scope = l.need(&SCOPES, "a scope")?;
            if !restricted {
                op = Fence(scope).into();
            }
        }
    }
    l.end()?;
    if address {
        // The size of a tensor map: 128 bytes.
        l.count(2..=2)?;
        op = MapFence(l.address_of_any_width(0, Window::Generic)?).into();
        size_of_128(l, 1)?;
    } else {
        l.count(0..=0)?;
    }
    l.emit(op, Flow::Next);
    Ok(())
}

/// The restrictions of a fence to one state space.
const RESTRICTIONS: [(&str, ()); 2] = [
    ("sync_restrict::shared::cta", ()),
    ("sync_restrict::shared::cluster", ()),
];

/// Checks operand `i`, a number of bytes: PTX allows only the 128 of a cache line.
pub(super) fn size_of_128(l: &Lowering, i: usize) -> Lowered {
    match l.immediate(i)? {
        128 => Ok(()),
        other => Err(l.bad_operand(i, format!("128 bytes, not {other}"))),
    }
}

/// Lowers `applypriority`, which is a cache hint like `prefetch`.
pub(crate) fn priority(l: &mut Lowering) -> Lowered {
    l.take("global");
    l.need(&[("L2::evict_normal", ())], "`.L2::evict_normal`")?;
    l.end()?;
    l.count(2..=2)?;
    l.address(0, Window::Global)?;
    size_of_128(l, 1)?;
    l.emit(NoEffect, Flow::Next);
    Ok(())
}

/// Lowers `discard`, which loses the contents of 128 bytes of global memory.
pub(crate) fn discard(l: &mut Lowering) -> Lowered {
    l.take("global");
    l.need(&[("L2", ())], "`.L2`")?;
    l.end()?;
    l.count(2..=2)?;
    let address = l.address(0, Window::Global)?;
    size_of_128(l, 1)?;
    l.note_access(Window::Global, (16, 1), true);
    l.emit(Discard(address), Flow::Next);
    Ok(())
}

/// Lowers `griddepcontrol`. No launch of the emulator begins before the previous launch has ended.
/// Therefore the wait returns at once, and no launch waits for `launch_dependents`. Whether a
/// thread has waited decides what memory it may access.
pub(crate) fn dependents(l: &mut Lowering) -> Lowered {
    let wait = l.need_lead(
        &[("wait", true), ("launch_dependents", false)],
        "`.wait` or `.launch_dependents`",
    )?;
    l.end()?;
    l.count(0..=0)?;
    let op: Op = match wait {
        true => WaitForLaunchBefore.into(),
        false => ReleaseDependents.into(),
    };
    l.emit(op, Flow::Next);
    Ok(())
}
