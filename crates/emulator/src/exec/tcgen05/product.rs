//! `tcgen05.mma`, from its issue by a thread to the accumulators in tensor memory.
//!
//! ```text
//!   A descriptor ─► 128 (64) rows x 32 bytes of k    B descriptor ─► N columns x 32 bytes of k
//!   D = A B (+ D)    row r in lane r (M 64: 16 rows in each quarter), column n in column n
//!   of a pair        block v has rows v M/2 .. of A and D, columns v N/2 .. of B
//!                    M 256: as above; M 128: row r of 64 in lane r, columns from N/2 on in lane 64 + r, column n - N/2
//! ```
//!
//! Law: the asynchronous proxy reads operands in shared memory at some time between the issue and
//! the commit; bytes that threads wrote need a `fence.proxy.async` before. 16 floats of 4 or 6 bits
//! fill the first 8 or 12 of 16 bytes, and the rest is not read. Kinds of 64 elements of k have two
//! floats in each byte. The arithmetic is a model (`numerics/mma/blackwell.rs`). Source: PTX ISA,
//! "tcgen05.mma", "Matrix Data Layout", "Packing formats of elements in Tensor and Shared memory".

use super::super::run::{Context, Site};
use super::super::shared::{self, Operands, Shared};
use super::super::wgmma::descriptor::{Descriptor, UNIT, register};
use super::super::wgmma::negated;
use super::super::wgmma::operands::{swizzled_alike, units};
use super::super::{Outcome, access};
use super::scales::Scales;
use super::{Accessor, Step, allocated, descriptor, fail, now, number, ranks, tell, wrong};
use crate::fault::{Completion, Slot};
use crate::frame::{Frame, Row32, WARP};
use crate::ir::{Elements, ProductKind, ProductLeft, ProductShape, TensorProduct};
use crate::memory::shadow::Shadow;
use crate::memory::tensor::{Conflict, TensorMemory};
use crate::numerics::mma::blackwell::narrow_product;
use crate::numerics::mma::narrow::{Narrow, Scale, ScaledRow};
use crate::numerics::mma::{Accumulator, Arithmetic, Mma};
use std::ops::Range;

/// The columns of tensor memory that A occupies, which are 32 bytes of k.
const LEFT_COLUMNS: usize = 8;

/// The place of A: in shared memory, or in tensor memory from a lane and a column on.
#[derive(Debug)]
enum Left {
    Shared(Descriptor),
    Tensor(usize, usize),
}

/// A product under way.
#[derive(Debug)]
pub(crate) struct Product {
    /// The blocks that compute a part of the product. For each of them, `operands` has the bytes
    /// that the product reads in that block's shared memory.
    ranks: Vec<usize>,
    operands: Vec<Operands>,
    pub who: Accessor,
    shape: ProductShape,
    /// The lane and column of D.
    d: (usize, usize),
    left: Left,
    right: Descriptor,
    accumulates: bool,
    scales: Option<Scales>,
}

/// The bit that distinguishes the numbers of products and copies, as readers of shared memory, from
/// those of bulk copies.
pub(super) const READER: u64 = 1 << 63;

/// Returns the identifiers of the readings of shared memory by a thread's products and copies up to
/// number `last`. These readings have ended.
pub(super) fn ended(shadow: &Shadow, issuer: u32, last: u64) -> Vec<u64> {
    let of_thread = shadow.reading.iter().filter(|r| r.issuer == issuer);
    let ids = of_thread.map(|reading| reading.id);
    ids.filter(|&id| is_reader(id) && id & !READER <= last)
        .collect()
}

/// Whether a reading of shared memory is by a product or a copy.
pub(crate) fn is_reader(id: u64) -> bool {
    id & READER != 0
}

/// Returns the slot, for a fault, of bytes at an offset that a product or copy reads.
pub(crate) fn slot(shared: &Shared, (at, bytes): (usize, usize)) -> Slot {
    Slot {
        address: shared.address(at),
        bytes,
        completes: Completion::TensorCommit,
    }
}

/// Returns the lane and column of an address whose lane has to be one of `lanes`.
pub(super) fn place(
    lane: usize,
    address: u64,
    lanes: &[usize],
    what: &str,
) -> Outcome<(usize, usize)> {
    let (first, column) = ((address >> 16) as usize, (address & 0xffff) as usize);
    if lanes.contains(&first) {
        return Ok((first, column));
    }
    let problem = format!("{what} from lane {first} on: it begins at lane {lanes:?}");
    fail(lane, address as u32, problem)
}

/// The places of a product's parts in a block's tensor memory.
#[derive(Debug, Clone, Copy)]
struct Geometry {
    pair: bool,
    m: usize,
    n: usize,
}

impl Geometry {
    fn of(shape: &ProductShape) -> Geometry {
        let ProductShape { pair, m, n, .. } = *shape;
        Geometry { pair, m, n }
    }

    /// Returns the number of rows of A and D that a block has.
    fn rows(self) -> usize {
        if self.pair { self.m / 2 } else { self.m }
    }

    /// Returns the number of columns of B that a block has in shared memory.
    fn of_b(self) -> usize {
        if self.pair { self.n / 2 } else { self.n }
    }

    /// Whether D's columns are in two halves of the lanes.
    fn is_halved(self) -> bool {
        self.pair && self.m == 128
    }

    /// Returns the lane that has a row of A.
    fn lane(self, first: usize, row: usize) -> usize {
        match (self.pair, self.m) {
            (false, 64) => first + row / 16 * WARP + row % 16,
            _ => row,
        }
    }

    /// Returns the lanes that have a row of A: two, if D's columns are in two halves of the lanes.
    fn lanes_of_a(self, first: usize, row: usize) -> impl Iterator<Item = usize> {
        let lane = self.lane(first, row);
        let times = if self.is_halved() { 2 } else { 1 };
        (0..times).map(move |half| lane + 64 * half)
    }

    /// Returns the lane and column of an element of D.
    fn at(self, (lane, column): (usize, usize), row: usize, n: usize) -> (usize, usize) {
        match self.is_halved() {
            true => (row + 64 * (n / self.of_b()), column + n % self.of_b()),
            false => (self.lane(lane, row), column + n),
        }
    }

    /// Returns a number that products have in common if kind, shape and D are the same.
    fn accumulator(self, kind: ProductKind, (lane, column): (usize, usize)) -> u64 {
        let fields = [
            column,
            lane,
            self.m,
            self.n,
            kind as usize,
            self.pair.into(),
        ];
        fields
            .iter()
            .fold(0, |all, &field| all << 10 | field as u64)
    }

    /// Returns D's columns of tensor memory.
    fn of_d(self, column: usize) -> Range<usize> {
        let count = if self.is_halved() {
            self.of_b()
        } else {
            self.n
        };
        column..column + count
    }
}

/// Issues the product of one lane.
pub(super) fn issue(
    cx: &mut Context,
    registers: &Frame,
    op: &TensorProduct,
    lane: usize,
    site: Site,
) -> Outcome {
    let bits = registers.r32[op.instruction as usize][lane];
    let factors = op.scales.as_ref().map_or(0, |scales| scales.factors);
    let shape = match op.kind.shape(bits, factors, op.pair) {
        Ok(shape) => shape,
        Err(problem) => return fail(lane, 0, problem),
    };
    let bytes = op.kind.bytes();
    if bytes == 4 && shape.transpose != [false; 2] {
        let problem = "elements of 4 bytes whose neighbours are not those of k are not emulated";
        return fail(lane, 0, problem.to_owned());
    }
    let leaves_out = |&row: &u32| registers.r32[row as usize][lane] != 0;
    if op.mask.iter().any(leaves_out) {
        let problem = "a mask that leaves lanes of D out is not emulated";
        return fail(lane, 0, problem.to_owned());
    }
    let geometry = Geometry::of(&shape);
    let ranks = ranks(cx, lane, op.pair)?;
    let lanes: &[usize] = if shape.m == 64 { &[0, 16] } else { &[0] };
    let of_d = access::addresses(registers, &op.d, 1 << lane)[lane];
    let d = place(lane, of_d, lanes, "D")?;
    let right = descriptor(registers, op.right, lane, "B")?;
    let left = match &op.left {
        ProductLeft::Shared(row) => Left::Shared(descriptor(registers, *row, lane, "A")?),
        ProductLeft::Tensor(address) => {
            let address = access::addresses(registers, address, 1 << lane)[lane];
            let (lane, column) = place(lane, address, &[0], "A")?;
            Left::Tensor(lane, column)
        }
    };
    let scales = match (&op.scales, shape.scales) {
        (Some(op), Some(fields)) => Some(Scales::new(registers, op, (&shape, fields), lane)?),
        _ => None,
    };
    let accumulates = registers.pred(op.accumulates) >> lane & 1 == 1;
    let accumulator = geometry.accumulator(op.kind, d);
    let (number, who) = number(cx, lane, site, Some(accumulator));
    let uses = Uses {
        geometry,
        d,
        left: &left,
        accumulates,
        scales,
    };
    for &rank in &ranks {
        uses.note(cx, (lane, rank), who)?;
    }

    let [of_a, of_b] = shape.bytes_of_unit();
    let left_units = match &left {
        Left::Shared(left) => units([(left, 0..geometry.rows(), shape.transpose[0])], bytes),
        Left::Tensor(..) => Vec::new(),
    };
    let right_units = units([(&right, 0..geometry.of_b(), shape.transpose[1])], bytes);
    let mut all: Vec<(usize, usize)> = Vec::new();
    all.extend(left_units.iter().map(|&(low, _)| (low, of_a)));
    all.extend(right_units.iter().map(|&(low, _)| (low, of_b)));
    all.sort_unstable();
    all.dedup();
    let mut operands = Vec::new();
    for &rank in &ranks {
        let runs = shared::runs(cx, rank, all.iter().copied())?;
        operands.push(runs.issue(cx, READER | number, (who.thread, who.site), slot)?);
        swizzled_alike(cx, (lane, rank), &left_units)?;
        swizzled_alike(cx, (lane, rank), &right_units)?;
    }
    let product = Product {
        ranks,
        operands,
        who,
        shape,
        d,
        left,
        right,
        accumulates,
        scales,
    };
    cx.engine
        .tensor
        .steps
        .push_back(Step::Product(Box::new(product)));
    now(cx);
    Ok(())
}

/// The operands that a product has in the tensor memory of each of its blocks.
struct Uses<'a> {
    geometry: Geometry,
    d: (usize, usize),
    left: &'a Left,
    accumulates: bool,
    scales: Option<Scales>,
}

/// The columns that a product reads, and the name of the operand in them.
type Read = (&'static str, Range<usize>);

impl Uses<'_> {
    /// Returns the columns of A and of scale factors.
    fn reads(&self) -> Vec<Read> {
        let mut reads = Vec::new();
        if let Left::Tensor(_, column) = *self.left {
            reads.push(("A", column..column + LEFT_COLUMNS));
        }
        if let Some(scales) = &self.scales {
            reads.extend(scales.columns());
        }
        reads
    }

    /// Returns the places that have to be initialised.
    fn places(&self) -> Vec<(&'static str, usize, usize)> {
        let geometry = self.geometry;
        let mut places = Vec::new();
        if let Left::Tensor(first, from) = *self.left {
            let rows = (0..geometry.rows()).flat_map(|row| geometry.lanes_of_a(first, row));
            let columns = |lane| (from..from + LEFT_COLUMNS).map(move |column| ("A", lane, column));
            places.extend(rows.flat_map(columns));
        }
        if let Some(scales) = &self.scales {
            places.extend(scales.places());
        }
        if self.accumulates {
            let rows = (0..geometry.rows()).flat_map(|row| (0..geometry.n).map(move |n| (row, n)));
            places.extend(rows.map(|(row, n)| {
                let (lane, column) = geometry.at(self.d, row, n);
                ("D", lane, column)
            }));
        }
        places
    }

    /// Notes what is read and written, and reports the problems of these accesses.
    fn note(&self, cx: &mut Context, (lane, rank): (usize, usize), who: Accessor) -> Outcome {
        let of_d = self.geometry.of_d(self.d.1);
        let reads = self.reads();
        for (name, columns) in reads.iter().chain([&("D", of_d.clone())]) {
            allocated(cx, lane, rank, name, columns)?;
        }
        for (name, columns) in &reads {
            if columns.start < of_d.end && of_d.start < columns.end {
                let problem = format!(
                    "{name} has columns {} to {}, D {} to {}: they overlap",
                    columns.start,
                    columns.end - 1,
                    of_d.start,
                    of_d.end - 1
                );
                return fail(lane, columns.start as u32, problem);
            }
        }
        let (memory, order) = cx.engine.tensor.ordered(rank, cx.shadow.as_deref());
        let mut places = self.places().into_iter();
        let missing = places.find(|&(_, at, column)| !memory.is_written(at, column));
        let lanes = match self.geometry.m {
            64 => 0xffff << self.d.0,
            _ => u32::MAX,
        };
        let mut first: Option<(String, usize, Conflict)> = None;
        let mut keep = |what: &dyn Fn() -> String, column, found: Result<(), Conflict>| {
            if let Err(conflict) = found
                && conflict.replaces(first.as_ref().map(|(.., known)| known))
            {
                first = Some((what(), column, conflict));
            }
        };
        for quarter in 0..4 {
            for (name, columns) in &reads {
                for column in columns.clone() {
                    let found = memory.read(order, who, (quarter, column));
                    keep(&|| format!("{name} is read"), column, found);
                }
            }
            for column in of_d.clone() {
                let found = memory.write(order, who, (quarter, column));
                keep(&|| "D is written".to_owned(), column, found);
                memory.will_write(quarter, column, lanes);
            }
        }
        if let Some((what, column, conflict)) = first {
            let what = format!("{what} in column {column}");
            tell(cx, (lane, column as u32), &what, conflict)?;
        }
        if let Some((name, at, column)) = missing {
            let problem =
                format!("{name} is read in lane {at}, column {column}, which was never written");
            cx.go_on(wrong(lane, (at << 16 | column) as u32, problem))?;
        }
        Ok(())
    }
}

impl Product {
    /// Computes D, in each block for the rows that the block has.
    pub fn perform(&self, shared: &Shared, memories: &mut [TensorMemory], arithmetic: Arithmetic) {
        for (own, &rank) in self.operands.iter().zip(&self.ranks) {
            let part = Part {
                product: self,
                own,
                shared,
                geometry: Geometry::of(&self.shape),
            };
            let memory = &mut memories[rank];
            match &self.shape.elements {
                Elements::Whole(what) => part.multiply_whole(what, memory, arithmetic),
                &Elements::Narrow(a, b) if self.shape.kind.is_packed() => {
                    part.multiply_narrow::<64>([a, b], memory, arithmetic);
                }
                &Elements::Narrow(a, b) => {
                    part.multiply_narrow::<32>([a, b], memory, arithmetic);
                }
            }
        }
    }
}

/// The part of a product that one block computes.
struct Part<'a> {
    product: &'a Product,
    /// The bytes of its own shared memory that the block reads: A's rows.
    own: &'a Operands,
    shared: &'a Shared,
    geometry: Geometry,
}

impl Part<'_> {
    /// Returns the operands that contain a column of B, and the column's number there.
    fn right(&self, n: usize) -> (&Operands, usize) {
        let of_b = self.geometry.of_b();
        (&self.product.operands[n / of_b], n % of_b)
    }

    /// Returns the place of an element of C and D.
    fn at(&self, row: usize, n: usize) -> (usize, usize) {
        self.geometry.at(self.product.d, row, n)
    }

    /// Multiplies elements that `mma.sync` has, by its fragments.
    fn multiply_whole(&self, what: &Mma, memory: &mut TensorMemory, arithmetic: Arithmetic) {
        let ProductShape {
            n,
            negate,
            transpose,
            kind,
            ..
        } = self.product.shape;
        let (bytes, shared) = (kind.bytes(), self.shared);
        let of_a = |(row, k): (usize, usize)| match &self.product.left {
            Left::Shared(left) => {
                let word = |low: usize| self.own.word(shared, low);
                left.word(word, (row, k), bytes, transpose[0])
            }
            &Left::Tensor(lane, column) => {
                memory.word(self.geometry.lane(lane, row), column + k * bytes / 4)
            }
        };
        let left: Vec<[Row32; 4]> = (0..self.geometry.rows() / 16)
            .map(|tile| {
                std::array::from_fn(|r| {
                    let row = register(16 * tile + 8 * (r % 2), r / 2, bytes, of_a);
                    negated(row, what.a, negate[0])
                })
            })
            .collect();
        let of_b = |(n, k): (usize, usize)| {
            let (operands, n) = self.right(n);
            let word = |low: usize| operands.word(shared, low);
            self.product.right.word(word, (n, k), bytes, transpose[1])
        };
        let right: Vec<[Row32; 2]> = (0..n / 8)
            .map(|tile| {
                std::array::from_fn(|r| {
                    negated(register(8 * tile, r, bytes, of_b), what.b, negate[1])
                })
            })
            .collect();
        let half = what.d == Accumulator::F16;
        // Maps a register's value to a row and column of D.
        let at = |(i, j): (usize, usize), lane: usize, value: usize| {
            let row = 16 * i + lane / 4 + 8 * (value / 2);
            self.at(row, 8 * j + 2 * (lane % 4) + value % 2)
        };
        for (i, a) in left.iter().enumerate() {
            for (j, b) in right.iter().enumerate() {
                let per = if half { 2 } else { 4 };
                let c: [Row32; 4] = std::array::from_fn(|r| {
                    std::array::from_fn(|lane| {
                        let value = |v| {
                            let (lane, column) = at((i, j), lane, v);
                            memory.word(lane, column)
                        };
                        match (self.product.accumulates && r < per, half) {
                            (false, _) => 0,
                            (true, false) => value(r),
                            (true, true) => value(2 * r) & 0xffff | value(2 * r + 1) << 16,
                        }
                    })
                });
                let mut d = [[0; WARP]; 4];
                let (a, b, c) = (a.each_ref(), b.each_ref(), c.each_ref());
                // The numbers of registers are those of the instruction, and only other numbers are
                // refused.
                let done = what.execute_rows(arithmetic, [&a, &b, &c[..per]], &mut d[..per]);
                debug_assert!(done.is_ok(), "{done:?}");
                for (lane, v) in (0..WARP).flat_map(|lane| (0..4).map(move |v| (lane, v))) {
                    let (to, column) = at((i, j), lane, v);
                    let value = match half {
                        true => d[v / 2][lane] >> (v % 2 * 16) & 0xffff,
                        false => d[v][lane],
                    };
                    memory.set_word(to, column, value);
                }
            }
        }
    }

    /// Multiplies floats of 8 bits and fewer, element by element.
    fn multiply_narrow<const K: usize>(
        &self,
        formats: [Narrow; 2],
        memory: &mut TensorMemory,
        arithmetic: Arithmetic,
    ) {
        let ProductShape {
            n,
            negate,
            transpose,
            kind,
            ..
        } = self.product.shape;
        let (product, rows) = (self.product, self.geometry.rows());
        let in_shared =
            |from: &Operands, of: &Descriptor, operand: usize, (mn, k): (usize, usize)| {
                let (bits, transposed) = (formats[operand].bits(), transpose[operand]);
                // The unit that has the element, and the first of the element's bits in it.
                let (low, bit) = match kind.is_packed() {
                    true => (of.at(mn, k / 2, 1, false), k % 2 * bits),
                    false => {
                        let low = of.at(mn, k, 1, transposed);
                        (low & !(UNIT - 1), low % UNIT * bits)
                    }
                };
                from.bits(self.shared, 8 * low + bit, bits)
            };
        let of_a = |row: usize, k: usize| match &product.left {
            Left::Shared(left) => in_shared(self.own, left, 0, (row, k)),
            &Left::Tensor(lane, column) => {
                let (per, within) = match kind.is_packed() {
                    true => (8, 0),
                    false => (4, formats[0].within_byte()),
                };
                let word = memory.word(self.geometry.lane(lane, row), column + k / per);
                word >> (k % per * (32 / per)) as u32 >> within & ((1 << formats[0].bits()) - 1)
            }
        };
        let of_b = |n: usize, k: usize| {
            let (operands, n) = self.right(n);
            in_shared(operands, &product.right, 1, (n, k))
        };
        let value = |operand: usize, bits: u32| {
            let value = formats[operand].value(bits);
            match negate[operand] {
                true => -value,
                false => value,
            }
        };
        let mut differs = None;
        let mut factors = |operand: usize, row: usize| match &product.scales {
            None => [Scale::ONE; 4],
            Some(scales) => {
                let (found, other) = scales.of_row(memory, operand, row);
                differs = differs.take().or(other);
                found
            }
        };
        let left: Vec<ScaledRow<K>> = (0..rows)
            .map(|row| ScaledRow {
                values: std::array::from_fn(|k| value(0, of_a(row, k))),
                scales: factors(0, row),
            })
            .collect();
        let right: Vec<ScaledRow<K>> = (0..n)
            .map(|n| ScaledRow {
                values: std::array::from_fn(|k| value(1, of_b(n, k))),
                scales: factors(1, n),
            })
            .collect();
        if let Some(problem) = differs {
            memory.tell_at_the_end(problem, product.who);
        }
        let tiles = (left.as_chunks().0, right.as_chunks().0);
        for (i, a) in tiles.0.iter().enumerate() {
            for (j, b) in tiles.1.iter().enumerate() {
                let at = |row: usize, column: usize| self.at(16 * i + row, 8 * j + column);
                let c: [[f32; 8]; 16] = std::array::from_fn(|row| {
                    std::array::from_fn(|column| {
                        let (lane, column) = at(row, column);
                        match product.accumulates {
                            true => f32::from_bits(memory.word(lane, column)),
                            false => 0.0,
                        }
                    })
                });
                let d = narrow_product(arithmetic, formats, (a, b, &c));
                for (row, values) in d.iter().enumerate() {
                    for (column, value) in values.iter().enumerate() {
                        let (lane, column) = at(row, column);
                        memory.set_word(lane, column, value.to_bits());
                    }
                }
            }
        }
    }
}
