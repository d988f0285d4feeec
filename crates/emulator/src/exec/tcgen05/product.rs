//! `tcgen05.mma`: from its issue by a thread to the sums in tensor memory.
//!
//! ```text
//!   A descriptor ─► 128 (64) rows x 32 bytes of k    B descriptor ─► N columns x 32 bytes of k
//!   D = A B (+ D)    row r in lane r (M 64: 16 rows in each quarter), column n in column n
//! ```
//!
//! Law: operands in shared memory are read at one time between the issue and the commit, by the
//! asynchronous proxy; what came by threads needs a `fence.proxy.async` before. The arithmetic is a
//! model (`numerics/mma/blackwell.rs`). Source: PTX ISA, "tcgen05.mma", "Matrix Data Layout".

use super::super::run::{Context, Site};
use super::super::shared::{self, Operands, Shared};
use super::super::wgmma::descriptor::{Descriptor, UNIT, register};
use super::super::wgmma::negated;
use super::super::wgmma::operands::{swizzled_alike, units};
use super::super::{Outcome, access};
use super::{Accessor, Conflict, Step, fail, now, rank, tell, wrong};
use crate::fault::{Completion, Slot};
use crate::frame::{Frame, Row32, WARP};
use crate::ir::{ProductLeft, ProductShape, TensorProduct};
use crate::memory::shadow::Shadow;
use crate::memory::tensor::{COLUMNS, TensorMemory};
use crate::numerics::mma::{Accumulator, Arithmetic};

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
    shape: ProductShape,
    bytes: usize,
    /// D's lane and column.
    d: (usize, usize),
    left: Left,
    right: Descriptor,
    operands: Operands,
    accumulates: bool,
}

/// Numbers of products as readers of shared memory are apart from those of bulk copies.
const READER: u64 = 1 << 63;

/// The readings of shared memory by a thread's products up to a number: they end.
pub(super) fn ended(shadow: &Shadow, issuer: u32, last: u64) -> Vec<u64> {
    let of_thread = shadow.reading.iter().filter(|r| r.issuer == issuer);
    let ids = of_thread.map(|reading| reading.id);
    ids.filter(|&id| is_reader(id) && id & !READER <= last)
        .collect()
}

/// Whether a reading of shared memory is a product's.
pub(crate) fn is_reader(id: u64) -> bool {
    id & READER != 0
}

/// Bytes at an offset that a product reads, as a fault tells of them.
pub(crate) fn slot(shared: &Shared, (at, bytes): (usize, usize)) -> Slot {
    Slot {
        address: shared.address(at),
        bytes,
        completes: Completion::TensorCommit,
    }
}

/// A lane and a column, of an address whose lane may be one of these.
fn place(lane: usize, address: u64, lanes: &[usize], what: &str) -> Outcome<(usize, usize)> {
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
    let shape = match op.kind.shape(bits) {
        Ok(shape) => shape,
        Err(problem) => return fail(lane, 0, problem),
    };
    let bytes = op.kind.bytes();
    if bytes == 4 && shape.transpose != [false; 2] {
        let problem = "elements of 4 bytes whose neighbours are not those of k are not emulated";
        return fail(lane, 0, problem.to_owned());
    }
    let descriptor = |row: u32, name: &str| {
        let bits = registers.r64[row as usize][lane];
        Descriptor::of_blackwell(bits).or_else(|problem| {
            fail(
                lane,
                0,
                format!("the descriptor {bits:#018x} of {name}: {problem}"),
            )
        })
    };
    let lanes: &[usize] = if shape.m == 64 { &[0, 16] } else { &[0] };
    let of_d = access::addresses(registers, &op.d, 1 << lane)[lane];
    let d = place(lane, of_d, lanes, "D")?;
    let right = descriptor(op.right, "B")?;
    let left = match &op.left {
        ProductLeft::Shared(row) => Left::Shared(descriptor(*row, "A")?),
        ProductLeft::Tensor(address) => {
            let address = access::addresses(registers, address, 1 << lane)[lane];
            let (lane, column) = place(lane, address, &[0], "A")?;
            Left::Tensor(lane, column)
        }
    };
    let accumulates = registers.pred(op.accumulates) >> lane & 1 == 1;
    let tensor = &mut cx.engine.tensor;
    tensor.issued += 1;
    let number = tensor.issued;
    let who = Accessor {
        thread: cx.warp * WARP as u32 + lane as u32,
        site: cx.launch.packed(site),
        product: Some(number),
    };
    note(cx, (lane, who), (&shape, bytes), (d, &left), accumulates)?;

    let [of_a, of_b] = shape.transpose;
    let of_a = match &left {
        Left::Shared(left) => Some((left, 0..shape.m, of_a)),
        Left::Tensor(..) => None,
    };
    let units = units(of_a.into_iter().chain([(&right, 0..shape.n, of_b)]), bytes);
    let runs = shared::runs(cx, units.iter().map(|&(low, _)| low), UNIT)?;
    let operands = runs.issue(cx, READER | number, (who.thread, who.site), slot)?;
    swizzled_alike(cx, lane, &units)?;
    let product = Product {
        rank: rank(cx),
        shape,
        bytes,
        d,
        left,
        right,
        operands,
        accumulates,
    };
    cx.engine
        .tensor
        .steps
        .push_back(Step::Product(Box::new(product)));
    now(cx);
    Ok(())
}

/// Notes what a product reads and writes in tensor memory.
fn note(
    cx: &mut Context,
    (lane, who): (usize, Accessor),
    (shape, bytes): (&ProductShape, usize),
    (d, left): ((usize, usize), &Left),
    accumulates: bool,
) -> Outcome {
    let of_a = match *left {
        Left::Shared(_) => 0..0,
        Left::Tensor(_, column) => column..column + 32 / 4,
    };
    debug_assert!(bytes <= 4);
    let of_d = d.1..d.1 + shape.n;
    let rank = rank(cx);
    let memory = &mut cx.engine.tensor.memories[rank];
    for (name, columns) in [("A", &of_a), ("D", &of_d)] {
        if columns.end > COLUMNS || !memory.is_allocated(columns) {
            let problem = format!(
                "{name} has columns {} to {}, which are not all in an allocation of the block",
                columns.start,
                columns.end.saturating_sub(1)
            );
            return fail(lane, columns.start as u32, problem);
        }
    }
    let mut missing = None;
    let rows = |name, first, columns: std::ops::Range<usize>| {
        (0..shape.m).flat_map(move |row| {
            let at = lane_of(shape.m, first, row);
            columns.clone().map(move |column| (name, at, column))
        })
    };
    let added = if accumulates { of_d.clone() } else { 0..0 };
    let read = rows("A", 0, of_a.clone()).chain(rows("D", d.0, added));
    for (name, at, column) in read {
        if missing.is_none() && !memory.is_written(at, column) {
            missing = Some((name, at, column));
        }
    }
    let lanes = match shape.m {
        64 => 0xffff << d.0,
        _ => u32::MAX,
    };
    let clocks = cx.shadow.as_deref().map(|shadow| &shadow.clocks);
    let mut first: Option<(&str, usize, Conflict)> = None;
    for quarter in 0..4 {
        for column in of_a.clone() {
            if let (Err(conflict), None) = (memory.read(clocks, who, (quarter, column)), &first) {
                first = Some(("A is read", column, conflict));
            }
        }
        for column in of_d.clone() {
            if let (Err(conflict), None) = (memory.write(clocks, who, (quarter, column)), &first) {
                first = Some(("D is written", column, conflict));
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

impl Product {
    /// Makes D.
    pub fn perform(&self, shared: &Shared, memory: &mut TensorMemory, arithmetic: Arithmetic) {
        let ProductShape {
            what,
            m,
            n,
            negate,
            transpose,
        } = self.shape;
        let bytes = self.bytes;
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
            let column = 8 * j + 2 * (lane % 4) + value % 2;
            (lane_of(m, self.d.0, row), self.d.1 + column)
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
                what.execute_blackwell(arithmetic, [&a, &b, &c[..per]], &mut d[..per]);
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
}
