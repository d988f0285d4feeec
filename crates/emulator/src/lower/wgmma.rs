//! `wgmma`: products of four warps, their fences and groups.
//!
//! ```text
//! wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {d0, .., d7}, a-desc, b-desc, scale-d, 1, 1, 0, 0
//!                                                    n / 2 registers   or {a0, a1, a2, a3}
//! ```
//!
//! Not emulated: `.sp`.
//! Source: PTX ISA, "wgmma.mma_async", "wgmma.fence", "wgmma.commit_group", "wgmma.wait_group".

use super::body::Body;
use super::flow::{Flow, Graph};
use super::instruction::{Lowered, Lowering};
use super::slot::Slot;
use super::tensor::{of_elements, of_sums, registers};
use crate::error::PtxErrorKind;
use crate::ir::{Op, Touch, Wgmma, WgmmaCommit, WgmmaFence, WgmmaLeft, WgmmaWait};
use crate::numerics::mma::{Accumulator, Element, Mma};
use crate::reader::syntax::Operand;
use crate::types::{Class, Type};
use std::collections::HashMap;

pub(crate) fn lower(l: &mut Lowering) -> Lowered {
    let acts = [
        ("fence", 0),
        ("commit_group", 1),
        ("wait_group", 2),
        ("mma_async", 3),
    ];
    let act = l.need_lead(&acts, "what it does")?;
    l.need(&[("sync", ())], "`.sync`")?;
    l.need(&[("aligned", ())], "`.aligned`")?;
    let op: Op = match act {
        3 => return multiply(l),
        2 => {
            l.end()?;
            l.count(1..=1)?;
            let keep = l.immediate(0)?;
            let Some(keep) = u32::try_from(keep).ok().filter(|&keep| keep < 8) else {
                return Err(l.bad_operand(0, format!("0 to 7 groups, not {keep}")));
            };
            WgmmaWait { keep }.into()
        }
        act => {
            l.end()?;
            l.count(0..=0)?;
            match act {
                0 => WgmmaFence.into(),
                _ => WgmmaCommit.into(),
            }
        }
    };
    l.emit(op, Flow::Next);
    Ok(())
}

/// Parses n of `m64n{n}k{k}`: a multiple of 8, from 8 to 256.
fn columns(shape: &str, k: usize) -> Option<usize> {
    let n = shape.strip_prefix("m64n")?.strip_suffix(&format!("k{k}"))?;
    let n: usize = n.parse().ok()?;
    (n.is_multiple_of(8) && (8..=256).contains(&n)).then_some(n)
}

fn multiply(l: &mut Lowering) -> Lowered {
    let sparse = l.inst.modifiers.contains(&"sp");
    let words: Vec<&str> = l.inst.modifiers.clone();
    let Some(shape) = words.iter().copied().find(|word| word.starts_with("m64n")) else {
        return Err(l.unknown());
    };
    if sparse {
        return Err(l.unknown());
    }
    l.take(shape);
    let satfinite = l.take("satfinite");
    let bits = l.take("and");
    if bits && !l.take("popc") {
        return Err(l.unknown());
    }
    let mut types = Vec::new();
    const TYPES: [&str; 10] = [
        "f16", "f32", "bf16", "tf32", "e4m3", "e5m2", "s32", "s8", "u8", "b1",
    ];
    let table = TYPES.map(|name| (name, name));
    for _ in 0..3 {
        types.push(l.need(&table, "the types of D, A and B")?);
    }
    l.end()?;
    let (d, a, b) = (types[0], types[1], types[2]);
    let k = match a {
        "f16" | "bf16" => 16,
        "tf32" => 8,
        "b1" => 256,
        _ => 32,
    };
    let tail = match (bits, satfinite) {
        (true, _) => ".and.popc",
        (_, true) => ".satfinite",
        _ => "",
    };
    let name = format!(
        "mma.sync.aligned.m16n8k{k}.row.col{}.{d}.{a}.{b}.{d}{}",
        if satfinite { tail } else { "" },
        if bits { tail } else { "" }
    );
    let unsupported = |problem: String| {
        l.error(PtxErrorKind::Unsupported(format!(
            "unknown instruction `{}`: {problem}",
            l.name()
        )))
    };
    let what = Mma::parse(&name).map_err(|problem| unsupported(problem.to_string()))?;
    let integer = what.d == Accumulator::S32;
    let Some(n) = columns(shape, k) else {
        return Err(unsupported(format!("no shape `{shape}` of these types")));
    };
    if integer && n > 32 && n % 16 != 0 {
        return Err(unsupported(format!("no n of {n} for integers")));
    }
    let same = a == b || integer || matches!(a, "e4m3" | "e5m2") && matches!(b, "e4m3" | "e5m2");
    if !same || d == "f16" && matches!(a, "bf16" | "tf32") {
        return Err(unsupported("no such combination of types".to_owned()));
    }
    let halves = matches!(what.a, Element::F16 | Element::Bf16);
    let from_registers = matches!(l.operand(1)?, Operand::Vector(_));
    let scales = if integer { 0 } else { 2 };
    let transposes = match (halves, from_registers) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => 2,
    };
    let count = 4 + scales + transposes;
    l.count(count..=count)?;
    let left = if from_registers {
        let rows = registers(l, 1, of_elements(what.a), 4, false)?;
        WgmmaLeft::Registers {
            rows: std::array::from_fn(|i| rows[i]),
            used: Vec::new(),
        }
    } else {
        let slot = l.source(1, Type::B64)?;
        l.uses.push(slot);
        WgmmaLeft::Descriptor(slot.0)
    };
    let right = l.source(2, Type::B64)?;
    l.uses.push(right);
    let scale = l.source(3, Type::Pred)?;
    l.uses.push(scale);
    let mut flags = [false; 4];
    for (i, flag) in flags.iter_mut().enumerate().take(scales) {
        *flag = match l.immediate(4 + i)? {
            1 => false,
            -1 => true,
            other => return Err(l.bad_operand(4 + i, format!("1 or -1, not {other}"))),
        };
    }
    for i in 0..transposes {
        let at = 4 + scales + i;
        flags[4 - transposes + i] = match l.immediate(at)? {
            0 => false,
            1 => true,
            other => return Err(l.bad_operand(at, format!("0 or 1, not {other}"))),
        };
    }
    let need = if d == "f16" { n / 4 } else { n / 2 };
    let d = registers(l, 0, of_sums(what.d), need, true)?;
    // The accumulators are also read.
    l.uses.extend(d.iter().map(|&slot| Slot(slot)));
    let op = Wgmma {
        what,
        n: n as u32,
        d,
        sums: Vec::new(),
        left,
        right: right.0,
        scale: scale.0,
        negate: [flags[0], flags[1]],
        transpose: [flags[2], flags[3]],
    };
    l.emit(op, Flow::Next);
    Ok(())
}

fn is_warpgroup(op: &Op) -> bool {
    op.get::<Wgmma>().is_some()
        || op.get::<WgmmaFence>().is_some()
        || op.get::<WgmmaCommit>().is_some()
        || op.get::<WgmmaWait>().is_some()
}

/// Returns the registers of a `wgmma`: the accumulators and A.
fn of(op: &Wgmma) -> impl Iterator<Item = Slot> {
    let left: &[u32] = match &op.left {
        WgmmaLeft::Registers { rows, .. } => rows,
        WgmmaLeft::Descriptor(_) => &[],
    };
    let all = op.d.iter().chain(left).map(|&slot| Slot(slot));
    all.filter(|slot| !slot.is_constant())
}

impl Body<'_, '_> {
    /// Notes what instructions do with registers that a `wgmma` uses, and keeps these registers
    /// live until a wait: the row of a register that is in flight must not be reused.
    pub(super) fn follow_warpgroups(&mut self) {
        let mut index: HashMap<Slot, u32> = HashMap::new();
        let mut slots: Vec<Slot> = Vec::new();
        let mut add = |slot: Slot, index: &mut HashMap<Slot, u32>| {
            index.entry(slot).or_insert_with(|| {
                slots.push(slot);
                slots.len() as u32 - 1
            });
        };
        for draft in &self.drafts {
            if let Some(op) = draft.op.get() {
                of(op).for_each(|slot| add(slot, &mut index));
            }
        }
        if index.is_empty() {
            return;
        }
        // The registers to which such a register is copied.
        let copies: Vec<Option<(Slot, Slot)>> =
            (0..self.drafts.len()).map(|i| self.copy(i)).collect();
        loop {
            let before = index.len();
            for &(from, to) in copies.iter().flatten() {
                if index.contains_key(&from) {
                    add(to, &mut index);
                }
            }
            if index.len() == before {
                break;
            }
        }
        self.live_until_waits(&index, &slots, &copies);
        let known = |slots: &[Slot]| -> Vec<u32> {
            slots
                .iter()
                .filter_map(|slot| index.get(slot).copied())
                .collect()
        };
        for (pc, draft) in self.drafts.iter_mut().enumerate() {
            if let Some(op) = draft.op.get_mut::<Wgmma>() {
                let of_rows =
                    |rows: &[u32]| known(&rows.iter().map(|&row| Slot(row)).collect::<Vec<_>>());
                op.sums = of_rows(&op.d);
                if let WgmmaLeft::Registers { rows, used } = &mut op.left {
                    *used = of_rows(rows);
                }
            }
            if is_warpgroup(&draft.op) {
                continue;
            }
            let (reads, writes) = (known(&draft.uses), known(&draft.defs));
            if !reads.is_empty() || !writes.is_empty() {
                self.function.touches.push(Touch {
                    pc: pc as u32,
                    reads,
                    writes,
                    copies: copies[pc].is_some(),
                });
            }
        }
        self.function.warpgroup_registers =
            slots.iter().map(|&slot| self.register_name(slot)).collect();
    }

    /// Returns source and result of an unguarded `mov` between 32-bit registers.
    fn copy(&self, i: usize) -> Option<(Slot, Slot)> {
        let draft = &self.drafts[i];
        let opcode = &self.places[draft.inst? as usize].opcode;
        let ([to], [from]) = (&draft.defs[..], &draft.uses[..]) else {
            return None;
        };
        let plain = opcode.starts_with("mov.") && draft.guard.is_none() && !from.is_constant();
        (plain && to.class() == Class::R32 && from.class() == Class::R32).then_some((*from, *to))
    }

    /// Adds the registers that may be in flight at a wait to the wait's reads.
    fn live_until_waits(
        &mut self,
        index: &HashMap<Slot, u32>,
        slots: &[Slot],
        copies: &[Option<(Slot, Slot)>],
    ) {
        let flow: Vec<Flow> = self.drafts.iter().map(|draft| draft.flow.clone()).collect();
        let graph = Graph::new(&flow);
        let words = slots.len().div_ceil(64);
        let blocks = graph.starts.len();
        let end = |b: usize| {
            graph
                .starts
                .get(b + 1)
                .map_or(flow.len(), |&end| end as usize)
        };
        let mut at_start = vec![vec![0u64; words]; blocks];
        let set = |bits: &mut [u64], slot: &Slot| {
            if let Some(&i) = index.get(slot) {
                bits[i as usize / 64] |= 1 << (i % 64);
            }
        };
        let mut work: Vec<usize> = (0..blocks).collect();
        let mut waits: HashMap<usize, Vec<u64>> = HashMap::new();
        while let Some(b) = work.pop() {
            let mut bits = at_start[b].clone();
            let range = graph.starts[b] as usize..end(b);
            for (i, copied) in range.clone().zip(&copies[range]) {
                let op = &self.drafts[i].op;
                if let Some(product) = op.get() {
                    of(product).for_each(|slot| set(&mut bits, &slot));
                } else if let Some(WgmmaWait { keep }) = op.get() {
                    waits.insert(i, bits.clone());
                    if *keep == 0 {
                        bits.fill(0);
                    }
                } else if let Some((from, to)) = copied
                    && let Some(&f) = index.get(from)
                    && bits[f as usize / 64] >> (f % 64) & 1 == 1
                {
                    set(&mut bits, to);
                }
            }
            for &next in &graph.successors[b] {
                let known = &mut at_start[next];
                let more = bits
                    .iter()
                    .zip(known.iter())
                    .any(|(new, old)| new & !old != 0);
                if more {
                    known
                        .iter_mut()
                        .zip(&bits)
                        .for_each(|(old, new)| *old |= new);
                    work.push(next);
                }
            }
        }
        for (i, bits) in waits {
            let under_way = slots
                .iter()
                .enumerate()
                .filter(|(s, _)| bits[s / 64] >> (s % 64) & 1 == 1);
            self.drafts[i].uses.extend(under_way.map(|(_, slot)| *slot));
        }
    }
}
