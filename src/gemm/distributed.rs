//! A product over several devices, overlapped with the exchange: tasks in an order that is correct
//! if each ends before the next begins, and events that let GPUs overlap them.
//!
//! ```text
//!   column   A rows ─all-gather─► A, B columns ─► D columns       own rows first, while the other devices' rows arrive
//!   row      A columns, B rows ─► partial sums ─reduce-scatter─► D rows     other devices' rows first; each device adds the sums that it received
//!   data     the same, and D's rows ─all-gather─► D everywhere: gradients of data-parallel training
//! ```
//!
//! The exchange consists of copies from one device's memory to another's by the copy engines, so
//! that the product keeps all multiprocessors. In `row` the sums go around the devices: at step s,
//! device d computes the rows of device d - 1 - s. It adds them to the sums of these rows that
//! device d - 1 computed before, which were copied to their place in D, and copies the result on.
//! After as many steps as there are devices, the sums are on the devices to which they belong.
//!
//! Law: D is A B, with products and partial sums rounded to D's type at each step of `row` and
//! `data`, as when a matrix is reduced after it was multiplied. Emulated devices and GPUs run the
//! same tasks.

#[cfg(test)]
mod order;

use super::{
    BorrowedOperands, GemmOptions, InputElement, Library, Matrix, MatrixMut, Order, OutputElement,
    PreparedGemm, Workspace,
};
use crate::CutletError;
use bytemuck::Pod;
use host::reference::ShapeError;
use host::{Buffer, Device, Enqueue, Queue, QueueEvent, enable_peer_access};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// The distribution of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallel {
    /// A is divided by rows, which are gathered. B and D are divided by columns.
    Column,
    /// A is divided by columns, and B by rows. D is divided by rows, to which partial sums are
    /// scattered.
    Row,
    /// A is divided by columns, and B by rows. Every device has all of D.
    Data,
}

impl Parallel {
    /// Returns the name: `column`, `row` or `data`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Column => "column",
            Self::Row => "row",
            Self::Data => "data",
        }
    }
}

/// A product over devices of A (m, k), row-major, and B (k, n), column-major, to D (m, n),
/// row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DistributedProblem {
    /// Rows of A and D.
    pub m: usize,
    /// Columns of B and D.
    pub n: usize,
    /// Columns of A, rows of B.
    pub k: usize,
    /// The distribution.
    pub parallel: Parallel,
    /// The number of pieces of a device's rows, which is at least 1. Each piece is copied while the
    /// next is computed.
    pub chunks: usize,
    /// The kernel's name. By default the table chooses a kernel for the shape of each piece.
    pub configuration: Option<&'static str>,
}

/// Returns the part of `extent` in block `i` of `count`. The blocks have equal size, rounded up to
/// a multiple of 8; the last block has the rest.
fn block(extent: usize, count: usize, i: usize) -> Range<usize> {
    let size = extent.div_ceil(count).next_multiple_of(8);
    (i * size).min(extent)..((i + 1) * size).min(extent)
}

/// Divides a range into pieces of whole tiles of 128 rows.
fn pieces(range: &Range<usize>, count: usize) -> Vec<Range<usize>> {
    let size = range.len().div_ceil(count.max(1)).next_multiple_of(128);
    range
        .clone()
        .step_by(size)
        .map(|start| start..(start + size).min(range.end))
        .collect()
}

/// A device's memory and queues.
struct Member<I: Pod, O: Pod> {
    library: Arc<Library>,
    main: Queue,
    copies: Queue,
    /// With `column`, all rows of A, else this device's columns of A.
    a: Buffer<I>,
    b: Buffer<I>,
    /// With `column`, this device's columns of D, else all rows. After `row`, only the rows that
    /// belong to this device are those of D.
    d: Buffer<O>,
    /// Recorded when the product has ended.
    done: QueueEvent,
}

/// A product's buffers on all devices.
pub struct DistributedGemm<I: Pod, O: Pod> {
    problem: DistributedProblem,
    members: Vec<Member<I, O>>,
}

/// The operands of a product on a device, and its m, n, k.
struct ProductOperands<I: Pod, O: Pod> {
    device: usize,
    extents: [usize; 3],
    a: Buffer<I>,
    b: Buffer<I>,
    /// Whether the product is added to D.
    adds: bool,
    d: Buffer<O>,
    workspace: Workspace,
}

/// A task to enqueue, in the order of the list.
enum Task {
    /// The product with this index, on its device's main queue.
    Product(usize),
    /// Copies elements of a device's buffer to the same places of another device's buffer, on the
    /// first device's queue for copies.
    Copy {
        what: What,
        from: usize,
        to: usize,
        range: Range<usize>,
    },
    /// The main queue of a device, or its queue for copies, waits for an event.
    Wait(usize, Which, Event),
    /// Records an event after the work that was enqueued on this queue.
    Record(usize, Which, Event),
}

/// The buffers of a copy.
#[derive(Clone, Copy)]
enum What {
    /// A to A.
    A,
    /// D to D.
    D,
}

#[derive(Clone, Copy)]
enum Which {
    Main,
    Copies,
}

/// An event with its index, or the end of a device's product.
#[derive(Clone, Copy)]
enum Event {
    Number(usize),
    Done(usize),
}

/// All prepared work of one product.
pub struct Program<'a, I: Pod, O: Pod> {
    members: &'a [Member<I, O>],
    products: Vec<PreparedGemm<BorrowedOperands<'a>>>,
    kernels: Vec<&'static str>,
    tasks: &'a [Task],
    events: Vec<QueueEvent>,
}

/// The parts of a program to enqueue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// Everything.
    All,
    /// The products, without the copies: D is then not the product.
    Products,
    /// The copies, in their order, without the products.
    Copies,
}

/// The tasks and the operands of products, while the plan is built.
struct Plan<I: Pod, O: Pod> {
    operands: Vec<ProductOperands<I, O>>,
    tasks: Vec<Task>,
    /// The device of each event.
    events: Vec<usize>,
}

impl<I: InputElement, O: OutputElement<I>> DistributedGemm<I, O> {
    /// Allocates buffers for a product on these devices.
    ///
    /// # Errors
    /// Returns [`CutletError::Distributed`] for a product that does not have a part for every
    /// device, and the devices' errors.
    pub fn new(devices: &[Device], problem: DistributedProblem) -> Result<Self, CutletError> {
        let count = devices.len();
        let DistributedProblem {
            m, n, k, parallel, ..
        } = problem;
        let (name, extent) = match parallel {
            Parallel::Column => ("n", n),
            Parallel::Row | Parallel::Data => ("k", k),
        };
        for (name, extent) in [("m", m), (name, extent)] {
            if count == 0 || block(extent, count, count - 1).is_empty() {
                return Err(CutletError::Distributed {
                    parallel: parallel.name(),
                    name,
                    extent,
                    devices: count,
                });
            }
        }
        enable_peer_access(devices)?;
        let members = devices.iter().enumerate().map(|(i, device)| {
            let (a, b, d) = match parallel {
                Parallel::Column => {
                    let columns = block(n, count, i).len();
                    (m * k, k * columns, m * columns)
                }
                Parallel::Row | Parallel::Data => {
                    let depth = block(k, count, i).len();
                    (m * depth, depth * n, m * n)
                }
            };
            Ok::<_, CutletError>(Member {
                library: Library::of(device)?,
                main: Queue::main(device),
                copies: Queue::new(device)?,
                a: device.alloc(a)?,
                b: device.alloc(b)?,
                d: device.alloc(d)?,
                done: QueueEvent::new(device)?,
            })
        });
        let members = members.collect::<Result<_, _>>()?;
        Ok(Self { problem, members })
    }

    /// Sets the number of pieces of a device's rows.
    pub fn set_chunks(&mut self, chunks: usize) {
        self.problem.chunks = chunks.max(1);
    }

    /// Copies each device's part of A (m, k), row-major, and of B, given by columns as (n, k), into
    /// its memory, and fills D with poison.
    ///
    /// # Errors
    /// Returns a [`ShapeError`] if a slice does not have the elements of its matrix, and the
    /// devices' errors.
    pub fn load(&mut self, a: &[I], b: &[I]) -> Result<(), CutletError> {
        let DistributedProblem {
            m, n, k, parallel, ..
        } = self.problem;
        for (name, given, rows, columns) in [("A", a.len(), m, k), ("B", b.len(), n, k)] {
            if given != rows * columns {
                return Err(ShapeError::Length {
                    name,
                    given,
                    rows,
                    columns,
                }
                .into());
            }
        }
        let count = self.members.len();
        for (i, member) in self.members.iter_mut().enumerate() {
            match parallel {
                Parallel::Column => {
                    let mine = block(m, count, i);
                    let mut of_a: Vec<I> = vec![I::zeroed(); m * k];
                    of_a[mine.start * k..mine.end * k]
                        .copy_from_slice(&a[mine.start * k..mine.end * k]);
                    member.a.copy_from(&of_a)?;
                    let columns = block(n, count, i);
                    member.b.copy_from(&b[columns.start * k..columns.end * k])?;
                }
                Parallel::Row | Parallel::Data => {
                    let depth = block(k, count, i);
                    let part = |all: &[I]| -> Vec<I> {
                        let mut part = Vec::with_capacity(all.len() / k * depth.len());
                        for row in all.chunks(k) {
                            part.extend_from_slice(&row[depth.clone()]);
                        }
                        part
                    };
                    member.a.copy_from(&part(a))?;
                    member.b.copy_from(&part(b))?;
                }
            }
        }
        self.poison()
    }

    /// Fills D with NaN on every device, so that elements which a product does not write are
    /// detected.
    ///
    /// # Errors
    /// Returns the devices' errors.
    pub fn poison(&mut self) -> Result<(), CutletError> {
        for member in &mut self.members {
            member.d.fill_bytes(0xff)?;
        }
        Ok(())
    }

    /// Returns these rows of D, once for each device that has them: one device with `column` and
    /// `row`, all devices with `data`.
    ///
    /// # Errors
    /// Returns the devices' errors.
    pub fn rows(&self, rows: &[usize]) -> Result<Vec<Vec<O>>, CutletError> {
        let DistributedProblem { m, n, parallel, .. } = self.problem;
        let count = self.members.len();
        let held = self
            .members
            .iter()
            .map(|member| member.d.to_vec())
            .collect::<Result<Vec<_>, _>>()?;
        let copies = if parallel == Parallel::Data { count } else { 1 };
        let mut out = vec![Vec::with_capacity(rows.len() * n); copies];
        for &row in rows {
            for (copy, out) in out.iter_mut().enumerate() {
                match parallel {
                    Parallel::Column => {
                        for (i, held) in held.iter().enumerate() {
                            let columns = block(n, count, i).len();
                            out.extend_from_slice(&held[row * columns..(row + 1) * columns]);
                        }
                    }
                    Parallel::Row => {
                        let owner = (0..count)
                            .find(|&i| block(m, count, i).contains(&row))
                            .unwrap_or(0);
                        out.extend_from_slice(&held[owner][row * n..(row + 1) * n]);
                    }
                    Parallel::Data => out.extend_from_slice(&held[copy][row * n..(row + 1) * n]),
                }
            }
        }
        Ok(out)
    }

    /// Prepares the program and passes it to `use_it`.
    ///
    /// # Errors
    /// Returns [`CutletError::NoKernel`] and the other errors of [`gemm`](super::gemm()), and the
    /// error of `use_it`.
    pub fn with_program<R>(
        &mut self,
        use_it: impl FnOnce(&Program<'_, I, O>) -> Result<R, CutletError>,
    ) -> Result<R, CutletError> {
        let mut plan = match self.problem.parallel {
            Parallel::Column => self.column()?,
            Parallel::Row | Parallel::Data => self.row()?,
        };
        let members = &self.members;
        let mut events = Vec::new();
        for &device in &plan.events {
            events.push(QueueEvent::new(members[device].main.device())?);
        }
        let (mut products, mut kernels) = (Vec::new(), Vec::new());
        for operand in &mut plan.operands {
            let [m, n, k] = operand.extents;
            let options = GemmOptions {
                beta: if operand.adds { 1.0 } else { 0.0 },
                reducing_store: operand.adds,
                configuration: self.problem.configuration,
                ..GemmOptions::default()
            };
            let (choice, prepared) = members[operand.device].library.prepare(
                &Matrix::new(&operand.a, m, k),
                &Matrix::new(&operand.b, k, n).order(Order::Columns),
                MatrixMut::new(&mut operand.d, m, n),
                &options,
                &mut operand.workspace,
            )?;
            kernels.push(choice.configuration);
            products.push(prepared);
        }
        let program = Program {
            members,
            products,
            kernels,
            tasks: &plan.tasks,
            events,
        };
        let result = use_it(&program);
        // The program has ended before its operands are dropped.
        program.synchronize()?;
        result
    }

    /// Plans `column`: first copies of rows of A, then each device's own rows, then the other
    /// devices' rows as they arrive.
    fn column(&self) -> Result<Plan<I, O>, CutletError> {
        let DistributedProblem {
            m, n, k, chunks, ..
        } = self.problem;
        let count = self.members.len();
        let mut plan = Plan::new();
        let product = |plan: &mut Plan<I, O>, device: usize, rows: &Range<usize>| {
            let member = &self.members[device];
            let columns = block(n, count, device).len();
            plan.product(
                device,
                [rows.len(), columns, k],
                (&member.a, rows.start * k),
                (&member.b, 0),
                (&member.d, rows.start * columns),
                false,
            )
        };
        // For each target, step and piece, the event that is recorded after the rows have arrived.
        let mut arrived = vec![Vec::new(); count];
        for step in 1..count {
            let from = |to: usize| (to + step) % count;
            for (to, arrived) in arrived.iter_mut().enumerate() {
                plan.tasks
                    .push(Task::Wait(from(to), Which::Copies, Event::Done(to)));
                for rows in pieces(&block(m, count, from(to)), chunks) {
                    plan.tasks.push(Task::Copy {
                        what: What::A,
                        from: from(to),
                        to,
                        range: rows.start * k..rows.end * k,
                    });
                    arrived.push((plan.record(from(to), Which::Copies), rows));
                }
            }
        }
        for device in 0..count {
            product(&mut plan, device, &block(m, count, device))?;
        }
        let most = arrived.iter().map(Vec::len).max().unwrap_or(0);
        for piece in 0..most {
            for (device, arrived) in arrived.iter().enumerate() {
                if let Some((event, rows)) = arrived.get(piece) {
                    plan.tasks.push(Task::Wait(device, Which::Main, *event));
                    product(&mut plan, device, rows)?;
                }
            }
        }
        plan.finish(count);
        Ok(plan)
    }

    /// Plans `row` and `data`, in which the sums go around the devices.
    fn row(&self) -> Result<Plan<I, O>, CutletError> {
        let DistributedProblem {
            m,
            n,
            k,
            chunks,
            parallel,
            ..
        } = self.problem;
        let count = self.members.len();
        let mut plan = Plan::new();
        let most = pieces(&block(m, count, 0), chunks).len();
        // For each step, device and piece, the event that is recorded after the sent rows have
        // left.
        let left: Vec<Vec<Event>> = (0..count)
            .map(|_| (0..count * most).map(|at| plan.event(at / most)).collect())
            .collect();
        let left = |step: usize, device: usize, piece: usize| left[step][device * most + piece];
        let is_sent = |step: usize| step + 1 < count || parallel == Parallel::Data;
        // For each device and piece, the event that is recorded after the sum of the step before
        // has arrived.
        let mut arrived: Vec<Vec<Event>> = vec![Vec::new(); count];
        // For each device, the events that are recorded after all of D has arrived.
        let mut gathered = vec![Vec::new(); count];
        for step in 0..count {
            let last = step + 1 == count;
            let mut next: Vec<Vec<Event>> = vec![Vec::new(); count];
            for piece in 0..most {
                for (device, arrived) in arrived.iter().enumerate() {
                    let owner = (device + 2 * count - 1 - step) % count;
                    let rows = block(m, count, owner);
                    let Some(part) = pieces(&rows, chunks).get(piece).cloned() else {
                        continue;
                    };
                    let (member, depth) = (&self.members[device], block(k, count, device).len());
                    if let Some(event) = arrived.get(piece) {
                        plan.tasks.push(Task::Wait(device, Which::Main, *event));
                    }
                    let leaves = left(step, device, piece);
                    if step == 0 && is_sent(step) {
                        // Waits until the rows that were sent from here the last time have left.
                        plan.tasks.push(Task::Wait(device, Which::Main, leaves));
                    }
                    plan.product(
                        device,
                        [part.len(), n, depth],
                        (&member.a, part.start * depth),
                        (&member.b, 0),
                        (&member.d, part.start * n),
                        step > 0,
                    )?;
                    if !is_sent(step) {
                        continue;
                    }
                    let computed = plan.record(device, Which::Main);
                    plan.tasks.push(Task::Wait(device, Which::Copies, computed));
                    let range = part.start * n..part.end * n;
                    if last {
                        for to in (1..count).map(|other| (device + other) % count) {
                            plan.tasks
                                .push(Task::Wait(device, Which::Copies, Event::Done(to)));
                            plan.copy_d(device, to, &range);
                            gathered[to].push(plan.record(device, Which::Copies));
                        }
                    } else {
                        let to = (device + 1) % count;
                        // Waits until the destination's rows of the last product have left, or the
                        // whole product has ended.
                        if is_sent(step + 1) {
                            let leaves = left(step + 1, to, piece);
                            plan.tasks.push(Task::Wait(device, Which::Copies, leaves));
                        }
                        if !is_sent(step + 1) || parallel == Parallel::Data {
                            plan.tasks
                                .push(Task::Wait(device, Which::Copies, Event::Done(to)));
                        }
                        plan.copy_d(device, to, &range);
                        next[to].push(leaves);
                    }
                    plan.tasks.push(Task::Record(device, Which::Copies, leaves));
                }
            }
            arrived = next;
        }
        for (device, events) in gathered.into_iter().enumerate() {
            plan.tasks.extend(
                events
                    .into_iter()
                    .map(|event| Task::Wait(device, Which::Main, event)),
            );
        }
        plan.finish(count);
        Ok(plan)
    }
}

impl<I: InputElement, O: OutputElement<I>> Plan<I, O> {
    fn new() -> Self {
        Self {
            operands: Vec::new(),
            tasks: Vec::new(),
            events: Vec::new(),
        }
    }

    fn event(&mut self, device: usize) -> Event {
        self.events.push(device);
        Event::Number(self.events.len() - 1)
    }

    fn record(&mut self, device: usize, which: Which) -> Event {
        let event = self.event(device);
        self.tasks.push(Task::Record(device, which, event));
        event
    }

    /// Copies elements of D to the same places on another device.
    fn copy_d(&mut self, from: usize, to: usize, range: &Range<usize>) {
        self.tasks.push(Task::Copy {
            what: What::D,
            from,
            to,
            range: range.clone(),
        });
    }

    fn finish(&mut self, count: usize) {
        for device in 0..count {
            self.tasks
                .push(Task::Record(device, Which::Main, Event::Done(device)));
        }
    }

    /// Adds a product of the elements of these buffers from these positions on. The result is
    /// stored in D or added to it.
    fn product(
        &mut self,
        device: usize,
        extents: [usize; 3],
        a: (&Buffer<I>, usize),
        b: (&Buffer<I>, usize),
        d: (&Buffer<O>, usize),
        adds: bool,
    ) -> Result<(), CutletError> {
        let [m, n, k] = extents;
        self.tasks.push(Task::Product(self.operands.len()));
        self.operands.push(ProductOperands {
            device,
            extents,
            a: elements(a.0, a.1, m * k)?,
            b: elements(b.0, b.1, k * n)?,
            adds,
            d: elements(d.0, d.1, m * n)?,
            workspace: Workspace::new(),
        });
        Ok(())
    }
}

/// Returns `len` elements of a buffer from `at` on, as a separate buffer.
fn elements<T: Pod>(of: &Buffer<T>, at: usize, len: usize) -> Result<Buffer<T>, CutletError> {
    let view = of.view(at..at + len)?;
    // SAFETY: the view proves that the elements lie in `of`. `DistributedGemm` keeps `of` alive:
    // `with_program` drops this buffer before it returns, after `synchronize`. Tasks access the
    // elements in the order that the events of `column` and `row` give.
    Ok(unsafe { Buffer::from_raw(of.device(), view.address(), len)? })
}

impl<I: InputElement, O: OutputElement<I>> Program<'_, I, O> {
    /// Enqueues the product once. On GPUs it may still be running when this returns.
    ///
    /// # Errors
    /// Returns the devices' errors.
    pub fn enqueue(&self) -> Result<(), CutletError> {
        self.enqueue_parts(Parts::All)
    }

    fn enqueue_parts(&self, parts: Parts) -> Result<(), CutletError> {
        let queue = |device: usize, which| match which {
            Which::Main => &self.members[device].main,
            Which::Copies => &self.members[device].copies,
        };
        let event = |event: &Event| match *event {
            Event::Number(number) => &self.events[number],
            Event::Done(device) => &self.members[device].done,
        };
        for task in self.tasks {
            match task {
                Task::Product(_) if parts == Parts::Copies => {}
                Task::Copy { .. } if parts == Parts::Products => {}
                Task::Product(number) => self.products[*number].enqueue()?,
                Task::Wait(device, which, at) => queue(*device, *which).wait(event(at))?,
                Task::Record(device, which, at) => queue(*device, *which).record(event(at))?,
                Task::Copy {
                    what,
                    from,
                    to,
                    range,
                } => {
                    let (from, to) = (&self.members[*from], &self.members[*to]);
                    let (queue, range) = (&from.copies, range.clone());
                    // SAFETY: both calls meet the condition of `copy`. The members outlive the
                    // program, which is synchronized before `with_program` returns. The events of
                    // `column` and `row` order each copy after the work that wrote the elements
                    // that it reads, and before the work that reads or writes the elements that it
                    // writes.
                    unsafe {
                        match *what {
                            What::A => queue.copy(&to.a, range.start, &from.a, range)?,
                            What::D => queue.copy(&to.d, range.start, &from.d, range)?,
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Waits for all queues.
    ///
    /// # Errors
    /// Returns the devices' errors.
    pub fn synchronize(&self) -> Result<(), CutletError> {
        for member in self.members {
            member.copies.synchronize()?;
            member.main.synchronize()?;
        }
        Ok(())
    }

    /// Returns the kernels of the products, in the order in which they are enqueued.
    #[must_use]
    pub fn kernels(&self) -> &[&'static str] {
        &self.kernels
    }

    /// Measures the seconds per product, or per product's `parts`, in each of `samples` samples of
    /// `runs` consecutive products. The host's clock runs from an idle machine to an idle machine.
    ///
    /// # Errors
    /// Returns the devices' errors.
    pub fn time(&self, parts: Parts, samples: usize, runs: usize) -> Result<Vec<f64>, CutletError> {
        let mut seconds = Vec::with_capacity(samples);
        for _ in 0..samples {
            self.synchronize()?;
            let start = Instant::now();
            for _ in 0..runs {
                self.enqueue_parts(parts)?;
            }
            self.synchronize()?;
            seconds.push(start.elapsed().as_secs_f64() / runs.max(1) as f64);
        }
        Ok(seconds)
    }
}
