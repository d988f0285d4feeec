//! `mov`, `cvta`, `isspacep`.
//!
//! ```text
//! mov.b64 {%r1, %r2}, %rd1;    %r1 the low half, %r2 the high half
//! ```
//! Source: PTX ISA, "mov", "cvta", "isspacep".

use super::instruction::{Lowered, Lowering};
use super::special::{Source, elements, special};
use crate::address::{
    CONST_START, GLOBAL_START, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, in_window,
};
use crate::frame::{Alu, Args, Frame, Lane, WARP, alu};
use crate::ir::{Clock, Constant, Special};
use crate::lower::flow::Flow;
use crate::reader::syntax::Operand;
use crate::types::{Class, Type};

pub(crate) fn mov(l: &mut Lowering) -> Lowered {
    let vector = l.one_of(&[("v2", 2), ("v4", 4)]);
    let ty = l.only_type()?;
    l.count(2..=2)?;
    if let Some(n) = vector {
        return elementwise(l, ty, n);
    }
    if ty == Type::B128 {
        // The halves of a .b128 register, or what they come from or go to.
        return elementwise(l, Type::B64, 2);
    }
    if ty.bits() == 8 {
        return Err(l.unknown());
    }
    match (l.operand(0)?, l.operand(1)?) {
        (Operand::Vector(elements), source) if ty.is_bits() => unpack(l, ty, elements, source),
        (_, Operand::Vector(elements)) if ty.is_bits() => pack(l, ty, elements),
        (_, Operand::Name(name, 0)) if matches!(special(name), Some(Source::Clock { .. })) => {
            let Some(Source::Clock { bits, high }) = special(name) else {
                return Err(l.unknown());
            };
            if bits != ty.bits() {
                return Err(l.bad_operand(
                    1,
                    format!("`{name}` has {bits} bits, the instruction .{}", ty.name()),
                ));
            }
            let d = l.dest(0, ty)?;
            l.defs.push(d);
            l.emit(
                Clock {
                    result: d.0,
                    wide: bits == 64,
                    high,
                },
                Flow::Next,
            );
            Ok(())
        }
        _ => {
            let run: Alu = match ty.class() {
                Some(Class::Pred) => |frame, args, mask| {
                    let value = frame.pred(args[1]);
                    frame.write_pred(args[0], value, mask);
                },
                Some(Class::R32) => alu!(|a: u32| -> u32 { a }),
                _ => alu!(|a: u64| -> u64 { a }),
            };
            l.simple(run, ty, &[ty])
        }
    }
}

/// Lowers `mov.v4.f32 {a, b, c, d}, {e, f, g, h}`, which reads every source before it writes a
/// result.
fn elementwise(l: &mut Lowering, ty: Type, n: usize) -> Lowered {
    let run: Alu = match ty.class() {
        Some(Class::R32) => alu!(|a: u32| -> u32 { a }),
        Some(Class::R64) => alu!(|a: u64| -> u64 { a }),
        _ => return Err(l.unknown()),
    };
    if let Operand::Name(name, 0) = l.operand(1)?
        && let Some(parts) = elements(name).filter(|_| n == 4)
    {
        return vector_special(l, ty, &parts);
    }
    for i in 0..2 {
        let found = l.elements(i)?.len();
        if found != n {
            return Err(l.bad_operand(i, format!("{n} registers expected, {found} found")));
        }
    }
    let mut pairs = Vec::with_capacity(n);
    for (source, result) in l.elements(1)?.iter().zip(l.elements(0)?) {
        let source = l.source_of(1, source, ty)?;
        let kept = l.scratch(source.class());
        l.helper(run, kept, &[source]);
        pairs.push((l.dest_of(0, result, ty)?, kept));
    }
    for (i, (result, kept)) in pairs.into_iter().enumerate() {
        l.alu(run, &[result], &[kept]);
        if i > 0 {
            l.hide();
        }
    }
    Ok(())
}

/// Lowers `mov.v4.u32 {a, b, c, d}, %tid`.
fn vector_special(l: &mut Lowering, ty: Type, parts: &[String; 4]) -> Lowered {
    let found = l.elements(0)?;
    if ty.bits() != 32 || found.len() != parts.len() {
        return Err(l.bad_operand(0, "4 registers of 32 bits expected"));
    }
    for (i, (part, result)) in parts.iter().zip(found).enumerate() {
        let Some(Source::Fixed(what, _)) = special(part) else {
            return Err(l.unknown());
        };
        let source = l.body.constant(Class::R32, Constant::Special(what));
        let result = l.dest_of(0, result, ty)?;
        l.alu(alu!(|a: u32| -> u32 { a }), &[result], &[source]);
        if i > 0 {
            l.hide();
        }
    }
    Ok(())
}

fn element_type(bits: u32, n: usize) -> Option<Type> {
    Some(match bits as usize / n {
        8 => Type::B8,
        16 => Type::B16,
        32 => Type::B32,
        _ => return None,
    })
}

fn pack(l: &mut Lowering, ty: Type, elements: &[Operand]) -> Lowered {
    let n = elements.len();
    let element = element_type(ty.bits(), n)
        .filter(|_| n == 2 || n == 4)
        .ok_or_else(|| l.unknown())?;
    let mut sources = Vec::new();
    for i in 0..n {
        // The vector is operand 1.
        let Operand::Vector(elements) = l.operand(1)? else {
            return Err(l.unknown());
        };
        sources.push(l.source_of(1, &elements[i], element)?);
    }
    let d = l.dest(0, ty)?;
    let run = match (ty.bits(), n) {
        (16, 2) => alu!(|a: u32, b: u32| -> u16 { (a & 0xff | b << 8) as u16 }),
        (32, 2) => alu!(|a: u32, b: u32| -> u32 { a & 0xffff | b << 16 }),
        (32, 4) => alu!(|a: u32, b: u32, c: u32, d: u32| -> u32 {
            a & 0xff | (b & 0xff) << 8 | (c & 0xff) << 16 | d << 24
        }),
        (64, 2) => alu!(|a: u32, b: u32| -> u64 { u64::from(a) | u64::from(b) << 32 }),
        (64, 4) => alu!(|a: u32, b: u32, c: u32, d: u32| -> u64 {
            u64::from(a & 0xffff | b << 16) | u64::from(c & 0xffff | d << 16) << 32
        }),
        _ => return Err(l.unknown()),
    };
    l.alu(run, &[d], &sources);
    Ok(())
}

fn unpack(l: &mut Lowering, ty: Type, elements: &[Operand], source: &Operand) -> Lowered {
    let n = elements.len();
    let element = element_type(ty.bits(), n)
        .filter(|_| n == 2 || n == 4)
        .ok_or_else(|| l.unknown())?;
    let _ = source;
    let a = l.source(1, ty)?;
    let mut results = Vec::new();
    for i in 0..n {
        let Operand::Vector(elements) = l.operand(0)? else {
            return Err(l.unknown());
        };
        results.push(l.dest_of(0, &elements[i], element)?);
    }
    fn split<T: Lane, const N: usize, const BITS: u32>(frame: &mut Frame, args: &Args, mask: u32)
    where
        T::Raw: Into<u64>,
    {
        let source = *T::row(frame, args[N]);
        for (i, &result) in args[..N].iter().enumerate() {
            let mut out = [0; WARP];
            for (out, &value) in out.iter_mut().zip(&source) {
                *out = (value.into() >> (i as u32 * BITS)) as u32 & (u32::MAX >> (32 - BITS));
            }
            frame.write::<u32>(result, &out, mask);
        }
    }
    let run: Alu = match (ty.bits(), n) {
        (16, 2) => split::<u32, 2, 8>,
        (32, 2) => split::<u32, 2, 16>,
        (32, 4) => split::<u32, 4, 8>,
        (64, 2) => split::<u64, 2, 32>,
        (64, 4) => split::<u64, 4, 16>,
        _ => return Err(l.unknown()),
    };
    l.alu(run, &results, &[a]);
    Ok(())
}

pub(crate) fn cvta(l: &mut Lowering) -> Lowered {
    let to = l.lead("to");
    #[derive(Clone, Copy)]
    enum Space {
        Same,
        Shared,
        Local,
        Param,
    }
    let spaces = [
        ("global", Space::Same),
        ("const", Space::Same),
        ("shared", Space::Shared),
        ("shared::cta", Space::Shared),
        // In a cluster of one block, the cluster's shared memory is the block's own.
        ("shared::cluster", Space::Shared),
        ("local", Space::Local),
        ("param", Space::Param),
        ("param::entry", Space::Param),
    ];
    let space = l.need(&spaces, "a state space")?;
    let ty = l.only_type()?;
    if ty != Type::U64 {
        return Err(l.unknown());
    }
    // A null pointer stays null in every space.
    let run = match (to, space) {
        (_, Space::Same) => alu!(|a: u64| -> u64 { a }),
        (false, Space::Shared) => alu!(|a: u64| -> u64 { a.wrapping_add(SHARED_WINDOW) }),
        (false, Space::Local) => return cvta_local(l, ty),
        (false, Space::Param) => alu!(|a: u64| -> u64 { a.wrapping_add(PARAM_WINDOW) }),
        (true, Space::Shared) => alu!(|a: u64| -> u64 { a.wrapping_sub(SHARED_WINDOW) }),
        (true, Space::Local) => alu!(|a: u64| -> u64 { a.wrapping_sub(LOCAL_WINDOW) }),
        (true, Space::Param) => alu!(|a: u64| -> u64 { a.wrapping_sub(PARAM_WINDOW) }),
    };
    l.simple(run, ty, &[ty])
}

/// Lowers `cvta` of local memory: the generic address identifies the thread that owns the memory.
fn cvta_local(l: &mut Lowering, ty: Type) -> Lowered {
    l.count(2..=2)?;
    let a = l.source(1, ty)?;
    let owner = Constant::Special(Special::LocalOwner);
    let owner = l.body.constant(Class::R32, owner);
    let d = l.dest(0, ty)?;
    let run = alu!(|a: u64, owner: u32| -> u64 { a.wrapping_add(LOCAL_WINDOW + u64::from(owner)) });
    l.alu(run, &[d], &[a, owner]);
    Ok(())
}

fn is_constant(address: u64) -> bool {
    (CONST_START..GLOBAL_START).contains(&address)
}

pub(crate) fn isspacep(l: &mut Lowering) -> Lowered {
    macro_rules! test {
        (|$a:ident| $body:expr) => {
            (|frame, args, mask| {
                let value = frame.test1(args[1], |$a: u64| $body);
                frame.write_pred(args[0], value, mask);
            }) as Alu
        };
    }
    let windows = [
        ("shared", test!(|a| in_window(a, SHARED_WINDOW))),
        ("shared::cta", test!(|a| in_window(a, SHARED_WINDOW))),
        ("shared::cluster", test!(|a| in_window(a, SHARED_WINDOW))),
        ("local", test!(|a| in_window(a, LOCAL_WINDOW))),
        ("param", test!(|a| in_window(a, PARAM_WINDOW))),
        ("param::entry", test!(|a| in_window(a, PARAM_WINDOW))),
        ("const", test!(|a| is_constant(a))),
        (
            "global",
            test!(|a| {
                ![SHARED_WINDOW, LOCAL_WINDOW, PARAM_WINDOW]
                    .iter()
                    .any(|&base| in_window(a, base))
                    && !is_constant(a)
            }),
        ),
    ];
    let run = l.need(&windows, "a state space")?;
    l.end()?;
    l.simple(run, Type::Pred, &[Type::U64])
}
