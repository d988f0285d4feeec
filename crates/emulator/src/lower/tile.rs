//! `wmma.load` and `wmma.store` transfer a matrix between memory and fragments.
//!
//! ```text
//! wmma.load.a.sync.aligned.row.m16n16k16.f16 {x0, .., x7}, [p], s
//!   the whole warp, one p and one s, rows at multiples of 16 bytes       counted as the instruction
//!   q = p + 2 * (s * (lane / 4) + 2 * (lane % 4))                        this lane's first element
//!   ld.b32 x0, [q];  ld.b32 x1, [q + 16 s];  ld.b32 x2, [q + 16]; ...    as many bytes as lie together
//! ```
//!
//! Law: the accesses are plain loads and stores of each lane's elements, with all their checks;
//! their sectors and bank conflicts are summed for the instruction. Source: PTX ISA, "Matrix
//! Storage for WMMA", "wmma.load", "wmma.store". The ISA requires that rows (or columns) begin at a
//! multiple of the fragment's size, and CUDA's `wmma` that they begin at a multiple of 16 bytes;
//! the emulator requires the smaller of the two.

use super::flow::Flow;
use super::instruction::{Lowered, Lowering};
use super::slot::Slot;
use super::tensor::registers;
use crate::error::PtxError;
use crate::frame::{Alu, alu};
use crate::ir::{self, Address, Constant, NONE, Op, Special, Transfer, Window};
use crate::numerics::mma::wmma::{Part, Tile, has};
use crate::numerics::mma::{Element, Shape};
use crate::types::{Class, Type};

/// The type of a matrix's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    S8,
    U8,
    S4,
    U4,
    B1,
    S32,
}

impl Kind {
    const ALL: [(Kind, &'static str, u32); 11] = [
        (Kind::F16, "f16", 16),
        (Kind::Bf16, "bf16", 16),
        (Kind::Tf32, "tf32", 32),
        (Kind::F32, "f32", 32),
        (Kind::F64, "f64", 64),
        (Kind::S8, "s8", 8),
        (Kind::U8, "u8", 8),
        (Kind::S4, "s4", 4),
        (Kind::U4, "u4", 4),
        (Kind::B1, "b1", 1),
        (Kind::S32, "s32", 32),
    ];

    /// Returns the type that a modifier names.
    pub fn parse(word: &str) -> Option<Kind> {
        let mut all = Self::ALL.into_iter();
        all.find(|entry| entry.1 == word).map(|entry| entry.0)
    }

    fn entry(self) -> (Kind, &'static str, u32) {
        Self::ALL[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.entry().1
    }

    pub fn bits(self) -> u32 {
        self.entry().2
    }

    /// Returns the type as an element of A and B, or `None` for types that only C and D have.
    pub fn element(self) -> Option<Element> {
        Some(match self {
            Kind::F16 => Element::F16,
            Kind::Bf16 => Element::Bf16,
            Kind::Tf32 => Element::Tf32,
            Kind::F64 => Element::F64,
            Kind::S8 => Element::S8,
            Kind::U8 => Element::U8,
            Kind::S4 => Element::S4,
            Kind::U4 => Element::U4,
            Kind::B1 => Element::B1,
            Kind::F32 | Kind::S32 => return None,
        })
    }

    /// Returns the type of the fragment's registers.
    pub fn register(self) -> Type {
        match self {
            Kind::F16 => Type::F16x2,
            Kind::Bf16 => Type::Bf16x2,
            Kind::Tf32 => Type::Tf32,
            Kind::F32 => Type::F32,
            Kind::F64 => Type::F64,
            _ => Type::U32,
        }
    }

    /// Returns the number of registers that PTX writes for a matrix: eight for A and B of `.f16`.
    pub fn registers(self, tile: &Tile) -> usize {
        if self == Kind::F16 && tile.part != Part::C {
            8
        } else {
            tile.registers()
        }
    }
}

/// Takes `.sync.aligned`.
pub(crate) fn aligned(l: &mut Lowering) -> Lowered {
    if l.take("sync") && l.take("aligned") {
        Ok(())
    } else {
        Err(l.unknown())
    }
}

/// Takes the layout and returns whether the matrix is stored by rows.
pub(crate) fn layout(l: &mut Lowering) -> Result<bool, PtxError> {
    l.need(&[("row", true), ("col", false)], "`.row` or `.col`")
}

pub(crate) fn shape(l: &mut Lowering) -> Result<Shape, PtxError> {
    l.take_map(Shape::parse).ok_or_else(|| l.unknown())
}

/// A matrix in memory.
struct Matrix {
    tile: Tile,
    kind: Kind,
    by_rows: bool,
    window: Window,
}

fn matrix(l: &mut Lowering, part: Part) -> Result<Matrix, PtxError> {
    aligned(l)?;
    let (by_rows, shape) = (layout(l)?, shape(l)?);
    let spaces = [
        ("global", Window::Global),
        ("shared", Window::Shared),
        ("shared::cta", Window::Shared),
    ];
    let window = l.one_of(&spaces).unwrap_or(Window::Generic);
    let kind = l.take_map(Kind::parse).ok_or_else(|| l.unknown())?;
    l.end()?;
    let of = |elements: &[Element]| elements.iter().any(|&element| has(element, shape));
    let right = match (part, kind) {
        (Part::C, Kind::F16) => of(&[Element::F16]),
        (Part::C, Kind::F32) => of(&[Element::F16, Element::Bf16, Element::Tf32]),
        (Part::C, Kind::F64) => of(&[Element::F64]),
        (Part::C, Kind::S32) => of(&[Element::S8, Element::S4, Element::B1]),
        (Part::C, _) => false,
        _ => {
            kind.element().is_some_and(|element| has(element, shape))
            // With elements smaller than a byte, A is stored by rows and B by columns.
            && (kind.bits() >= 8 || by_rows == (part == Part::A))
        }
    };
    if !right {
        return Err(l.unknown());
    }
    let bits = kind.bits();
    let tile = Tile { shape, part, bits };
    Ok(Matrix {
        tile,
        kind,
        by_rows,
        window,
    })
}

/// The addresses of a lane's elements.
struct Places {
    window: Window,
    /// The address of the lane's first element: element 0 of register 0.
    origin: Slot,
    /// The number of elements from one row (or column) to the next.
    stride: Slot,
    bits: u32,
    /// Pairs (n, address): the address that is `n` rows (or columns) after `origin`.
    further: Vec<(usize, Slot)>,
}

impl Matrix {
    /// Returns the row (or column) in memory, and the position in it.
    fn place(&self, (row, column): (usize, usize)) -> (usize, usize) {
        if self.by_rows {
            (row, column)
        } else {
            (column, row)
        }
    }

    /// Emits the check of the whole warp and the computation of the lane's address. Operand `at` is
    /// the address, operand `at_stride` the stride.
    fn places(&self, l: &mut Lowering, at: usize, at_stride: usize) -> Result<Places, PtxError> {
        let address = l.address_of_any_width(at, self.window)?;
        let stride = if l.inst.operands.len() > at_stride {
            l.source(at_stride, Type::U32)?
        } else {
            let (rows, columns) = self.tile.extents();
            l.mode(if self.by_rows { columns } else { rows } as u32)
        };
        let fragment = self.kind.registers(&self.tile) as u32 * self.tile.register_bits() / 8;
        let bits = self.tile.bits;
        l.uses.push(stride);
        let check = ir::Tile {
            address,
            stride: stride.0,
            bits,
            alignment: fragment.min(16),
        };
        l.emit(check, Flow::Next);
        let base = Slot(address.base);
        // A 32-bit address wraps at 32 bits before it is widened.
        let (low, high) = (address.offset as u32, (address.offset as u64 >> 32) as u32);
        let (low, high) = (l.mode(low), l.mode(high));
        let first = l.scratch(Class::R64);
        if address.wide {
            let run = alu!(|a: u64, low: u32, high: u32| -> u64 {
                a.wrapping_add(u64::from(low) | u64::from(high) << 32)
            });
            l.helper(run, first, &[base, low, high]);
        } else {
            let run = alu!(|a: u32, low: u32| -> u64 { u64::from(a.wrapping_add(low)) });
            l.helper(run, first, &[base, low]);
        }
        let by_group = self.tile.grouped_by_row() == self.by_rows;
        let modes = l.mode(bits | (self.tile.step() as u32) << 8 | u32::from(by_group) << 31);
        let lane = Constant::Special(Special::LaneId);
        let lane = l.body.constant(Class::R32, lane);
        let run = alu!(|first: u64, stride: u32, lane: u32, m: u32| -> u64 {
            let (bits, step) = (u64::from(m & 0xff), u64::from(m >> 8 & 0xff));
            let (group, t) = (u64::from(lane / 4), u64::from(lane % 4) * step);
            let (far, near) = if m >> 31 == 1 { (group, t) } else { (t, group) };
            first.wrapping_add((far * u64::from(stride) + near) * bits / 8)
        });
        let origin = l.scratch(Class::R64);
        l.helper(run, origin, &[first, stride, lane, modes]);
        Ok(Places {
            window: self.window,
            origin,
            stride,
            bits,
            further: vec![(0, origin)],
        })
    }

    /// Returns the runs of contiguous elements: first register, first element in it, number of
    /// elements.
    fn runs(&self) -> Vec<(usize, usize, usize)> {
        let (registers, each) = (self.tile.registers(), self.tile.per_register());
        let place = |r, e| self.place(self.tile.coordinates(0, r, e));
        let follows = |a: (usize, usize), b: (usize, usize)| (a.0, a.1 + 1) == b;
        let mut runs = Vec::new();
        let mut r = 0;
        while r < registers {
            let together = (1..each).all(|e| follows(place(r, e - 1), place(r, e)));
            let pair = each == 1 && r + 1 < registers && follows(place(r, 0), place(r + 1, 0));
            if pair {
                runs.push((r, 0, 2));
                r += 1;
            } else if together {
                runs.push((r, 0, each));
            } else {
                runs.extend((0..each).map(|e| (r, e, 1)));
            }
            r += 1;
        }
        runs
    }
}

impl Places {
    /// Returns the lane's address of an element. `(far, near)` is the element's place for lane 0.
    fn of(&mut self, l: &mut Lowering, (far, near): (usize, usize)) -> Address {
        let known = self.further.iter().find(|(n, _)| *n == far);
        let base = match known {
            Some((_, slot)) => *slot,
            None => {
                let slot = l.scratch(Class::R64);
                let modes = l.mode((far as u32) << 8 | self.bits);
                let run: Alu = alu!(|origin: u64, stride: u32, m: u32| -> u64 {
                    origin.wrapping_add(
                        u64::from(m >> 8) * u64::from(stride) * u64::from(m & 0xff) / 8,
                    )
                });
                l.helper(run, slot, &[self.origin, self.stride, modes]);
                self.further.push((far, slot));
                slot
            }
        };
        Address {
            base: base.0,
            wide: true,
            offset: (near * self.bits as usize / 8) as i64,
            window: self.window,
            roots: NONE,
        }
    }
}

/// Creates a transfer of registers of `bytes` bytes each.
fn transfer(l: &mut Lowering, address: Address, bytes: usize, slots: &[Slot]) -> Box<Transfer> {
    let mut registers = [NONE; 8];
    for (register, slot) in registers.iter_mut().zip(slots) {
        *register = slot.0;
    }
    l.uses.push(Slot(address.base));
    l.note_access(address.window, (bytes, slots.len()), false);
    Box::new(Transfer {
        address,
        bytes: bytes as u8,
        count: slots.len() as u8,
        wide: slots[0].class() == Class::R64,
        sign_bits: 0,
        strength: None,
        non_coherent: false,
        guess: false,
        registers,
    })
}

/// Returns the registers of operand `i`.
fn fragment(
    l: &mut Lowering,
    i: usize,
    matrix: &Matrix,
    result: bool,
) -> Result<Vec<Slot>, PtxError> {
    let n = matrix.kind.registers(&matrix.tile);
    let slots = registers(l, i, matrix.kind.register(), n, result)?;
    // The transfers list the operands as used or defined.
    l.uses.clear();
    l.defs.clear();
    Ok(slots.into_iter().map(Slot).collect())
}

pub(crate) fn load(l: &mut Lowering) -> Lowered {
    let parts = [("a", Part::A), ("b", Part::B), ("c", Part::C)];
    let part = l.need_lead(&parts, "`.a`, `.b` or `.c`")?;
    let matrix = matrix(l, part)?;
    l.count(2..=3)?;
    let slots = fragment(l, 0, &matrix, true)?;
    let mut places = matrix.places(l, 1, 2)?;
    let (each, bits) = (matrix.tile.per_register(), matrix.tile.bits as usize);
    let mut parts: Vec<Slot> = Vec::new();
    for (r, e, n) in matrix.runs() {
        let address = places.of(l, matrix.place(matrix.tile.coordinates(0, r, e)));
        if n >= each {
            let slots = &slots[r..r + n / each];
            let transfer = transfer(l, address, each * bits / 8, slots);
            l.defs.extend(slots);
            l.emit(Op::Load(transfer), Flow::Next);
            l.hide();
            continue;
        }
        let value = l.scratch(Class::R32);
        let transfer = transfer(l, address, bits / 8, &[value]);
        l.defs.push(value);
        l.emit(Op::Load(transfer), Flow::Next);
        l.hide();
        parts.push(value);
        if let [a, b] = parts[..]
            && each == 2
        {
            let run = alu!(|a: u32, b: u32| -> u32 { a | b << 16 });
            l.alu_part(run, &[slots[r]], &[a, b]);
            parts.clear();
        } else if let [a, b, c, d] = parts[..] {
            let run =
                alu!(|a: u32, b: u32, c: u32, d: u32| -> u32 { a | b << 8 | c << 16 | d << 24 });
            l.alu_part(run, &[slots[r]], &[a, b, c, d]);
            parts.clear();
        }
    }
    let distinct = matrix.tile.registers();
    for r in distinct..slots.len() {
        l.alu_part(
            alu!(|a: u32| -> u32 { a }),
            &[slots[r]],
            &[slots[r % distinct]],
        );
    }
    Ok(())
}

pub(crate) fn store(l: &mut Lowering) -> Lowered {
    l.need_lead(&[("d", ())], "`.d`")?;
    let matrix = matrix(l, Part::C)?;
    l.count(2..=3)?;
    let slots = fragment(l, 1, &matrix, false)?;
    let mut places = matrix.places(l, 0, 2)?;
    let (each, bits) = (matrix.tile.per_register(), matrix.tile.bits as usize);
    for (r, e, n) in matrix.runs() {
        let address = places.of(l, matrix.place(matrix.tile.coordinates(0, r, e)));
        let (bytes, values) = if n >= each {
            (each * bits / 8, slots[r..r + n / each].to_vec())
        } else if e == 0 {
            (bits / 8, vec![slots[r]])
        } else {
            // The upper half of a register: no other part of a register is stored by itself.
            let half = l.scratch(Class::R32);
            l.helper(alu!(|a: u32| -> u32 { a >> 16 }), half, &[slots[r]]);
            (bits / 8, vec![half])
        };
        let transfer = transfer(l, address, bytes, &values);
        l.uses.extend(&values);
        l.emit(Op::Store(transfer), Flow::Next);
        l.hide();
    }
    Ok(())
}
