//! `tcgen05.mma`: from its issue by a thread to the sums in tensor memory.
//!
//! ```text
//!   A descriptor ─► 128 (64) rows x 32 bytes of k    B descriptor ─► N columns x 32 bytes of k
//!   D = A B (+ D)    row r in lane r (M 64: 16 rows in each quarter), column n in column n
//! ```
//!
//! Law: operands in shared memory are read at one time between the issue and the commit, by the
//! asynchronous proxy; what came by threads needs a `fence.proxy.async` before. Floats of 4 and 6
//! bits lie 16 in 16 bytes, of which the last are not read, but those of kinds of 64 elements of k,
//! two in a byte. The arithmetic is a model (`numerics/mma/blackwell.rs`). Source: PTX ISA,
//! "tcgen05.mma", "Matrix Data Layout", "Packing formats of elements in Tensor and Shared memory".

use super::super::run::{Context, Site};
use super::super::shared::{self, Operands, Shared};
use super::super::wgmma::descriptor::{Descriptor, UNIT, register};
use super::super::wgmma::negated;
use super::super::wgmma::operands::{swizzled_alike, units};
use super::super::{Outcome, access};
use super::scales::Scales;
use super::{Accessor, Step, allocated, descriptor, fail, now, rank, tell, wrong};
use crate::fault::{Completion, Slot};
use crate::frame::{Frame, Row32, WARP};
use crate::ir::{Elements, ProductLeft, ProductShape, TensorProduct};
use crate::memory::shadow::Shadow;
use crate::memory::tensor::{Conflict, TensorMemory, Tracked};
use crate::numerics::mma::blackwell::narrow_product;
use crate::numerics::mma::narrow::{Narrow, Scale, ScaledRow};
use crate::numerics::mma::{Accumulator, Arithmetic, Mma};
use std::ops::Range;

/// Columns of tensor memory that A has: 32 bytes of k.
const LEFT_COLUMNS: usize = 8;

/// Where A is: in shared memory, or from a lane and a column of tensor memory on.
#[derive(Debug)]
enum Left {
    Shared(Descriptor),
    Tensor(usize, usize),
}

/// A product under way.
#[derive(Debug)]
pub(crate) struct Product {
    pub rank: usize,
    pub who: Accessor,
    shape: ProductShape,
    /// D's lane and column.
    d: (usize, usize),
    left: Left,
    right: Descriptor,
    operands: Operands,
    accumulates: bool,
    scales: Option<Scales>,
}

/// Numbers of products and copies as readers of shared memory are apart from those of bulk copies.
pub(super) const READER: u64 = 1 << 63;

/// The readings of shared memory by a thread's products and copies up to a number: they end.
pub(super) fn ended(shadow: &Shadow, issuer: u32, last: u64) -> Vec<u64> {
    let of_thread = shadow.reading.iter().filter(|r| r.issuer == issuer);
    let ids = of_thread.map(|reading| reading.id);
    ids.filter(|&id| is_reader(id) && id & !READER <= last)
        .collect()
}

/// Whether a reading of shared memory is a product's or a copy's.
pub(crate) fn is_reader(id: u64) -> bool {
    id & READER != 0
}

/// Bytes at an offset that one of them reads, as a fault tells of them.
pub(crate) fn slot(shared: &Shared, (at, bytes): (usize, usize)) -> Slot {
    Slot {
        address: shared.address(at),
        bytes,
        completes: Completion::TensorCommit,
    }
}

/// A lane and a column, of an address whose lane may be one of these.
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

/// The lane of tensor memory that has a row.
fn lane_of(m: usize, first: usize, row: usize) -> usize {
    match m {
        64 => first + row / 16 * WARP + row % 16,
        _ => row,
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
    let shape = match op.kind.shape(bits, factors) {
        Ok(shape) => shape,
        Err(problem) => return fail(lane, 0, problem),
    };
    let bytes = op.kind.bytes();
    if bytes == 4 && shape.transpose != [false; 2] {
        let problem = "elements of 4 bytes whose neighbours are not those of k are not emulated";
        return fail(lane, 0, problem.to_owned());
    }
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
        (Some(op), Some(fields)) => Some(Scales::new(registers, op, fields, lane)?),
        _ => None,
    };
    let accumulates = registers.pred(op.accumulates) >> lane & 1 == 1;
    let tensor = &mut cx.engine.tensor;
    tensor.issued += 1;
    let number = tensor.issued;
    let who = Accessor {
        thread: cx.warp * WARP as u32 + lane as u32,
        site: cx.launch.packed(site),
        tracked: Some(Tracked {
            number,
            copies: false,
        }),
    };
    let uses = Uses {
        shape: &shape,
        d,
        left: &left,
        accumulates,
        scales,
    };
    uses.note(cx, lane, who)?;

    let [of_a, of_b] = shape.bytes_of_unit();
    let left_units = match &left {
        Left::Shared(left) => units([(left, 0..shape.m, shape.transpose[0])], bytes),
        Left::Tensor(..) => Vec::new(),
    };
    let right_units = units([(&right, 0..shape.n, shape.transpose[1])], bytes);
    let mut all: Vec<(usize, usize)> = Vec::new();
    all.extend(left_units.iter().map(|&(low, _)| (low, of_a)));
    all.extend(right_units.iter().map(|&(low, _)| (low, of_b)));
    all.sort_unstable();
    all.dedup();
    let runs = shared::runs(cx, all)?;
    let operands = runs.issue(cx, READER | number, (who.thread, who.site), slot)?;
    swizzled_alike(cx, lane, &left_units)?;
    swizzled_alike(cx, lane, &right_units)?;
    let product = Product {
        rank: rank(cx),
        who,
        shape,
        d,
        left,
        right,
        operands,
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

/// What a product uses in tensor memory.
struct Uses<'a> {
    shape: &'a ProductShape,
    d: (usize, usize),
    left: &'a Left,
    accumulates: bool,
    scales: Option<Scales>,
}

/// Columns that a product reads, with the name of what they hold.
type Read = (&'static str, Range<usize>);

impl Uses<'_> {
    /// The columns of A and of scale factors.
    fn reads(&self) -> Vec<Read> {
        let mut reads = Vec::new();
        if let Left::Tensor(_, column) = *self.left {
            reads.push(("A", column..column + LEFT_COLUMNS));
        }
        if let Some(scales) = &self.scales {
            reads.extend(scales.columns(self.shape.m, self.shape.n));
        }
        reads
    }

    /// The places that have to hold something.
    fn places(&self) -> Vec<(&'static str, usize, usize)> {
        let ProductShape { m, n, .. } = *self.shape;
        let rows = |name, first, columns: Range<usize>| {
            (0..m).flat_map(move |row| {
                let at = lane_of(m, first, row);
                columns.clone().map(move |column| (name, at, column))
            })
        };
        let mut places = Vec::new();
        if let Left::Tensor(lane, column) = *self.left {
            places.extend(rows("A", lane, column..column + LEFT_COLUMNS));
        }
        if let Some(scales) = &self.scales {
            places.extend(scales.places(m, n));
        }
        if self.accumulates {
            places.extend(rows("D", self.d.0, self.d.1..self.d.1 + n));
        }
        places
    }

    /// Notes what is read and written, and tells of what is wrong with that.
    fn note(&self, cx: &mut Context, lane: usize, who: Accessor) -> Outcome {
        let of_d = self.d.1..self.d.1 + self.shape.n;
        let reads = self.reads();
        for (name, columns) in reads.iter().chain([&("D", of_d.clone())]) {
            allocated(cx, lane, name, columns)?;
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
        let rank = rank(cx);
        let memory = &mut cx.engine.tensor.memories[rank];
        let mut places = self.places().into_iter();
        let missing = places.find(|&(_, at, column)| !memory.is_written(at, column));
        let lanes = match self.shape.m {
            64 => 0xffff << self.d.0,
            _ => u32::MAX,
        };
        let clocks = cx.shadow.as_deref().map(|shadow| &shadow.clocks);
        let mut first: Option<(String, usize, Conflict)> = None;
        for quarter in 0..4 {
            for (name, columns) in &reads {
                for column in columns.clone() {
                    let found = memory.read(clocks, who, (quarter, column));
                    if let (Err(conflict), None) = (found, &first) {
                        first = Some((format!("{name} is read"), column, conflict));
                    }
                }
            }
            for column in of_d.clone() {
                let found = memory.write(clocks, who, (quarter, column));
                if let (Err(conflict), None) = (found, &first) {
                    first = Some(("D is written".to_owned(), column, conflict));
                }
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
    /// The word of tensor memory that an element of D has.
    fn at(&self, row: usize, column: usize) -> (usize, usize) {
        (lane_of(self.shape.m, self.d.0, row), self.d.1 + column)
    }

    /// Makes D.
    pub fn perform(&self, shared: &Shared, memory: &mut TensorMemory, arithmetic: Arithmetic) {
        match &self.shape.elements {
            Elements::Whole(what) => self.multiply_whole(what, shared, memory, arithmetic),
            &Elements::Narrow(a, b) if self.shape.kind.is_packed() => {
                self.multiply_narrow::<64>([a, b], shared, memory, arithmetic);
            }
            &Elements::Narrow(a, b) => {
                self.multiply_narrow::<32>([a, b], shared, memory, arithmetic);
            }
        }
    }

    /// Of elements that `mma.sync` has: by its fragments.
    fn multiply_whole(
        &self,
        what: &Mma,
        shared: &Shared,
        memory: &mut TensorMemory,
        arithmetic: Arithmetic,
    ) {
        let ProductShape {
            m,
            n,
            negate,
            transpose,
            ..
        } = self.shape;
        let bytes = self.shape.kind.bytes();
        let word = |low: usize| self.operands.word(shared, low);
        let of_a = |(row, k): (usize, usize)| match &self.left {
            Left::Shared(left) => left.word(word, (row, k), bytes, transpose[0]),
            &Left::Tensor(lane, column) => {
                memory.word(lane_of(m, lane, row), column + k * bytes / 4)
            }
        };
        let left: Vec<[Row32; 4]> = (0..m / 16)
            .map(|tile| {
                std::array::from_fn(|r| {
                    let row = register(16 * tile + 8 * (r % 2), r / 2, bytes, of_a);
                    negated(row, what.a, negate[0])
                })
            })
            .collect();
        let of_b = |at: (usize, usize)| self.right.word(word, at, bytes, transpose[1]);
        let right: Vec<[Row32; 2]> = (0..n / 8)
            .map(|tile| {
                std::array::from_fn(|r| {
                    negated(register(8 * tile, r, bytes, of_b), what.b, negate[1])
                })
            })
            .collect();
        let half = what.d == Accumulator::F16;
        // A register's value: row and column of D.
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
                        match (self.accumulates && r < per, half) {
                            (false, _) => 0,
                            (true, false) => value(r),
                            (true, true) => value(2 * r) & 0xffff | value(2 * r + 1) << 16,
                        }
                    })
                });
                let mut d = [[0; WARP]; 4];
                let (a, b, c) = (a.each_ref(), b.each_ref(), c.each_ref());
                // The registers are as many as the instruction has: all that can be refused.
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

    /// Of floats of 8 bits and fewer, element by element.
    fn multiply_narrow<const K: usize>(
        &self,
        formats: [Narrow; 2],
        shared: &Shared,
        memory: &mut TensorMemory,
        arithmetic: Arithmetic,
    ) {
        let ProductShape {
            m, n, transpose, ..
        } = self.shape;
        let in_shared = |of: &Descriptor, operand: usize, (mn, k): (usize, usize)| {
            let (bits, transposed) = (formats[operand].bits(), transpose[operand]);
            // The unit that has it, and the first of its bits there.
            let (low, bit) = match self.shape.kind.is_packed() {
                true => (of.at(mn, k / 2, 1, false), k % 2 * bits),
                false => {
                    let low = of.at(mn, k, 1, transposed);
                    (low & !(UNIT - 1), low % UNIT * bits)
                }
            };
            self.operands.bits(shared, 8 * low + bit, bits)
        };
        let of_a = |row: usize, k: usize| match &self.left {
            Left::Shared(left) => in_shared(left, 0, (row, k)),
            &Left::Tensor(lane, column) => {
                let (per, within) = match self.shape.kind.is_packed() {
                    true => (8, 0),
                    false => (4, formats[0].within_byte()),
                };
                let word = memory.word(lane_of(m, lane, row), column + k / per);
                word >> (k % per * (32 / per)) as u32 >> within & ((1 << formats[0].bits()) - 1)
            }
        };
        let value = |operand: usize, bits: u32| {
            let value = formats[operand].value(bits);
            match self.shape.negate[operand] {
                true => -value,
                false => value,
            }
        };
        let mut differs = None;
        let mut factors = |operand: usize, row: usize| match &self.scales {
            None => [Scale::ONE; 4],
            Some(scales) => {
                let (found, other) = scales.of_row(memory, operand, row);
                differs = differs.take().or(other);
                found
            }
        };
        let left: Vec<ScaledRow<K>> = (0..m)
            .map(|row| ScaledRow {
                values: std::array::from_fn(|k| value(0, of_a(row, k))),
                scales: factors(0, row),
            })
            .collect();
        let right: Vec<ScaledRow<K>> = (0..n)
            .map(|row| ScaledRow {
                values: std::array::from_fn(|k| value(1, in_shared(&self.right, 1, (row, k)))),
                scales: factors(1, row),
            })
            .collect();
        if let Some(problem) = differs {
            memory.tell_at_the_end(problem, self.who);
        }
        let tiles = (left.as_chunks().0, right.as_chunks().0);
        for (i, a) in tiles.0.iter().enumerate() {
            for (j, b) in tiles.1.iter().enumerate() {
                let at = |row: usize, column: usize| self.at(16 * i + row, 8 * j + column);
                let c: [[f32; 8]; 16] = std::array::from_fn(|row| {
                    std::array::from_fn(|column| {
                        let (lane, column) = at(row, column);
                        match self.accumulates {
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
