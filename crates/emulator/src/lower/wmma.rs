//! `wmma.mma`: lowered to one or two `mma.sync` on the fragments' registers.
//!
//! ```text
//! wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32 d, a, b, c
//!   mma.m16n8k16.f32  t0..t3, a0..a3, b0 b1, c0..c3        counted as the instruction
//!   mma.m16n8k16.f32  t4..t7, a0..a3, b2 b3, c4..c7
//!   cvt.rn.f16x2.f32  d0, t1, t0; ...                      as ptxas does for D in .f16 and C in .f32
//! ```
//!
//! Law: D is the result of the pieces even if operands share registers: results are written after
//! every source was read. Source: PTX ISA, "Warp-level Matrix Multiply-and-accumulate Instruction:
//! wmma.mma"; the pieces are those of ptxas 13.0.

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use super::slot::Slot;
use super::tensor::registers;
use super::tile::{self, Kind};
use crate::error::{PtxError, PtxErrorKind};
use crate::frame::alu;
use crate::ir::Mma;
use crate::numerics::convert::{Cvt, Type as Scalar};
use crate::numerics::mma::wmma::{Part, Pieces, Tile, has};
use crate::numerics::mma::{self, Shape};
use crate::numerics::{half, packed};
use crate::types::Class;

pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    let operations = [("load", 0), ("mma", 1), ("store", 2)];
    match l.need_lead(&operations, "`.load`, `.mma` or `.store`")? {
        0 => tile::load(l),
        1 => multiply(l),
        _ => tile::store(l),
    }
}

/// The modifiers of a `wmma.mma`.
struct WmmaProduct {
    shape: Shape,
    a: Kind,
    c: Kind,
    d: Kind,
    /// The parts of the pieces' names that come before the types (`before`) and after the types
    /// (`behind`).
    before: String,
    behind: String,
}

fn product(l: &mut Lowering) -> Result<WmmaProduct, PtxError> {
    let operation = l.one_of(&[("xor", "xor"), ("and", "and")]);
    let popc = l.take("popc");
    tile::aligned(l)?;
    let layouts = [tile::layout(l)?, tile::layout(l)?];
    let shape = tile::shape(l)?;
    let rounding = l.one_of(&[("rn", "rn"), ("rz", "rz"), ("rm", "rm"), ("rp", "rp")]);
    let satfinite = l.take("satfinite");
    let mut kinds = Vec::new();
    while let Some(kind) = l.take_map(Kind::parse) {
        kinds.push(kind);
    }
    l.end()?;
    let (d, a, b, c) = match kinds[..] {
        [d, c] => (d, Kind::F16, Kind::F16, c),
        [d, a, b, c] => (d, a, b, c),
        _ => return Err(l.unknown()),
    };
    let element = a.element().filter(|&element| has(element, shape));
    let sums = match a {
        Kind::F16 => kinds.len() == 2 && [c, d].iter().all(|t| matches!(t, Kind::F16 | Kind::F32)),
        Kind::Bf16 | Kind::Tf32 => (c, d) == (Kind::F32, Kind::F32),
        Kind::F64 => (c, d) == (Kind::F64, Kind::F64),
        _ => (c, d) == (Kind::S32, Kind::S32),
    };
    // With elements smaller than a byte, A is stored by rows and B by columns.
    let by_rows_and_columns = layouts == [true, false] || a.bits() >= 8;
    let is_integer = d == Kind::S32;
    let right = element.is_some()
        && a == b
        && sums
        && by_rows_and_columns
        && (rounding.is_none() || a == Kind::F64)
        && (!satfinite || is_integer && a != Kind::B1)
        && (operation.is_some(), popc) == (a == Kind::B1, a == Kind::B1);
    if !right {
        return Err(l.unknown());
    }
    let before = match (rounding, satfinite) {
        (Some(rounding), _) => format!(".{rounding}"),
        (None, true) => ".satfinite".to_owned(),
        _ => String::new(),
    };
    let behind = operation.map_or(String::new(), |operation| format!(".{operation}.popc"));
    Ok(WmmaProduct {
        shape,
        a,
        c,
        d,
        before,
        behind,
    })
}

fn multiply(l: &mut Lowering) -> Lowered {
    let product = product(l)?;
    let WmmaProduct { shape, a, c, d, .. } = product;
    l.count(4..=4)?;
    let of = |part, kind: Kind| Tile {
        shape,
        part,
        bits: kind.bits(),
    };
    let (in_a, in_b) = (of(Part::A, a), of(Part::B, a));
    let mut operand = |i: usize, tile: Tile, kind: Kind| {
        let slots = registers(l, i, kind.register(), kind.registers(&tile), i == 0)?;
        Ok::<_, PtxError>(slots.into_iter().map(Slot).collect::<Vec<_>>())
    };
    let from_a = operand(1, in_a, a)?;
    let from_b = operand(2, in_b, a)?;
    let mut from_c = operand(3, of(Part::C, c), c)?;
    let into_d = operand(0, of(Part::C, d), d)?;
    // The pieces list the operands as used or defined.
    l.uses.clear();
    l.defs.clear();
    let mixed = c != d;
    let sum = if mixed { Kind::F32 } else { d };
    if mixed && c == Kind::F16 {
        from_c = widened(l, &from_c);
    }
    let pieces = Pieces::of(shape);
    // ptxas splits `.tf32`'s k = 8 into two steps of 4, and rounds after each step.
    let steps = if a == Kind::Tf32 { 2 } else { 1 };
    let name = format!(
        "mma.sync.aligned.{}.row.col{}.{}.{}.{}.{}{}",
        Shape {
            k: shape.k / steps,
            ..pieces.shape
        },
        product.before,
        sum.name(),
        a.name(),
        a.name(),
        sum.name(),
        product.behind
    );
    let what = mma::Mma::parse(&name)
        .map_err(|problem| l.error(PtxErrorKind::Unsupported(problem.to_string())))?;
    let need = what.registers();
    let class = if need.bits == 64 {
        Class::R64
    } else {
        Class::R32
    };
    let through = mixed || pieces.count > 1;
    let sums: Vec<Slot> = if through {
        (0..need.d * pieces.count)
            .map(|_| l.scratch(class))
            .collect()
    } else {
        into_d.clone()
    };
    let (first, second, shares_first) = match pieces.transposed {
        true => (&from_b, &from_a, false),
        false => (&from_a, &from_b, pieces.shares_a),
    };
    for (piece, step) in
        (0..pieces.count).flat_map(|piece| (0..steps).map(move |step| (piece, step)))
    {
        // A step takes its share of the piece's registers of A and B, which are in the order of k.
        let part = |slots: &[Slot], n: usize, shared: bool| {
            let at = (if shared { 0 } else { piece * steps } + step) * n;
            slots[at..at + n].to_vec()
        };
        let sum = |slots: &[Slot]| slots[piece * need.d..(piece + 1) * need.d].to_vec();
        let operands = [
            sum(&sums),
            part(first, need.a, shares_first),
            part(second, need.b, !shares_first),
            sum(if step == 0 { &from_c } else { &sums }),
        ];
        l.defs.extend(&operands[0]);
        l.uses.extend(operands[1..].iter().flatten());
        let [d, a, b, c] = operands.map(|slots| slots.iter().map(|slot| slot.0).collect());
        let op = Mma {
            what,
            wide: need.bits == 64,
            d,
            a,
            b,
            c,
        };
        l.emit(op, Flow::Next);
        if (piece, step) != (0, 0) {
            l.hide();
        }
    }
    if mixed && d == Kind::F16 {
        for (k, &result) in into_d.iter().enumerate() {
            let run = alu!(|high: u32, low: u32| -> u32 {
                packed::from_f32_pair(&Cvt::new(Scalar::F16, Scalar::F32), high, low)
            });
            l.alu_part(run, &[result], &[sums[2 * k + 1], sums[2 * k]]);
        }
    } else if through {
        for (&result, &value) in into_d.iter().zip(&sums) {
            // With 64-bit elements there is only one piece.
            l.alu_part(alu!(|a: u32| -> u32 { a }), &[result], &[value]);
        }
    }
    Ok(())
}

/// Widens pairs of `.f16` to `.f32`, exactly.
fn widened(l: &mut Lowering, pairs: &[Slot]) -> Vec<Slot> {
    let mut wide = Vec::with_capacity(2 * pairs.len());
    for &pair in pairs {
        for run in [
            alu!(|a: u32| -> u32 { half::to_f32(a as u16) }),
            alu!(|a: u32| -> u32 { half::to_f32((a >> 16) as u16) }),
        ] {
            let value = l.scratch(Class::R32);
            l.helper(run, value, &[pair]);
            wide.push(value);
        }
    }
    wide
}
