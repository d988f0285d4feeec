//! Tests that events order the tasks of a product. Emulated devices run each task when it is
//! enqueued, so they find no missing wait.
//!
//! ```text
//!   tasks ─► a clock for each queue, handed on by events ─► accesses of one address, one of them a write, that no event orders
//! ```
//!
//! Law: if two tasks access one address and one of them writes, the task that was enqueued first
//! ends before the other begins, within a product and from one product to the next.

use super::{DistributedGemm, DistributedProblem, Event, Parallel, Plan, Task, What, Which};
use half::f16;
use host::{Buffer, Device};
use std::collections::HashMap;
use std::ops::Range;

/// For each queue, how many of its tasks are known to have ended.
type Clock = Vec<usize>;

struct Access {
    device: usize,
    bytes: Range<u64>,
    writes: bool,
    queue: usize,
    /// The task's number on its queue, from 1.
    time: usize,
}

fn bytes(device: usize, of: &Buffer<f16>, range: Range<usize>) -> (usize, Range<u64>) {
    let view = of.view(range).unwrap();
    (
        device,
        view.address()..view.address() + 2 * view.len() as u64,
    )
}

fn queue(device: usize, which: Which) -> usize {
    2 * device + usize::from(matches!(which, Which::Copies))
}

fn plan(of: &DistributedGemm<f16, f16>) -> Plan<f16, f16> {
    match of.problem.parallel {
        Parallel::Column => of.column().unwrap(),
        Parallel::Row | Parallel::Data => of.row().unwrap(),
    }
}

/// Returns the first access that no event orders after an earlier one, in three consecutive
/// products without the task `without`.
fn race(
    of: &DistributedGemm<f16, f16>,
    plan: &Plan<f16, f16>,
    without: Option<usize>,
) -> Option<String> {
    let queues = 2 * of.members.len();
    let mut clocks: Vec<Clock> = vec![vec![0; queues]; queues];
    let mut events: HashMap<(bool, usize), Clock> = HashMap::new();
    let key = |event: &Event| match *event {
        Event::Number(number) => (false, number),
        Event::Done(device) => (true, device),
    };
    let mut accesses: Vec<Access> = Vec::new();
    for _ in 0..3 {
        for (at, task) in plan.tasks.iter().enumerate() {
            if without == Some(at) {
                continue;
            }
            let (on, touched) = match task {
                Task::Wait(device, which, event) => {
                    if let Some(known) = events.get(&key(event)) {
                        let clock = &mut clocks[queue(*device, *which)];
                        for (here, there) in clock.iter_mut().zip(known) {
                            *here = (*here).max(*there);
                        }
                    }
                    continue;
                }
                Task::Record(device, which, event) => {
                    events.insert(key(event), clocks[queue(*device, *which)].clone());
                    continue;
                }
                Task::Product(number) => {
                    let operands = &plan.operands[*number];
                    let whole = |of| bytes(operands.device, of, 0..of.len());
                    let touched = vec![
                        (whole(&operands.a), false),
                        (whole(&operands.b), false),
                        (whole(&operands.d), true),
                    ];
                    (queue(operands.device, Which::Main), touched)
                }
                Task::Copy {
                    what,
                    from,
                    to,
                    range,
                } => {
                    let side = |device: usize| {
                        let member = &of.members[device];
                        match what {
                            What::A => bytes(device, &member.a, range.clone()),
                            What::D => bytes(device, &member.d, range.clone()),
                        }
                    };
                    let touched = vec![(side(*from), false), (side(*to), true)];
                    (queue(*from, Which::Copies), touched)
                }
            };
            for ((device, bytes), writes) in &touched {
                let unordered = accesses.iter().any(|other| {
                    other.device == *device
                        && (other.writes || *writes)
                        && other.bytes.start < bytes.end
                        && bytes.start < other.bytes.end
                        && clocks[on][other.queue] < other.time
                });
                if unordered {
                    return Some(format!("task {at} on device {device}"));
                }
            }
            clocks[on][on] += 1;
            let time = clocks[on][on];
            let touched = touched.into_iter().map(|((device, bytes), writes)| Access {
                device,
                bytes,
                writes,
                queue: on,
                time,
            });
            accesses.extend(touched);
        }
    }
    None
}

/// Checks that every task is ordered. Without a wait there is a race, unless another wait has the
/// same effect.
#[test]
fn events_order_all_accesses_of_one_address() {
    for parallel in [Parallel::Column, Parallel::Row, Parallel::Data] {
        for count in 1..=5 {
            for chunks in [1, 2] {
                let devices: Vec<Device> = (0..count).map(|_| Device::emulator()).collect();
                let problem = DistributedProblem {
                    m: 256 * count - 3,
                    n: 8 * count,
                    k: 8 * count,
                    parallel,
                    chunks,
                    configuration: None,
                };
                let of = DistributedGemm::<f16, f16>::new(&devices, problem).unwrap();
                let plan = plan(&of);
                assert_eq!(race(&of, &plan, None), None, "{problem:?} on {count}");
                let waits = plan
                    .tasks
                    .iter()
                    .enumerate()
                    .filter(|(_, task)| matches!(task, Task::Wait(..)));
                let (waits, silent): (Vec<_>, Vec<_>) = waits
                    .map(|(at, _)| at)
                    .partition(|&at| race(&of, &plan, Some(at)).is_some());
                match parallel {
                    // The wait of the second piece may equal the wait of the first one, and the
                    // devices of `data` wait longer than necessary.
                    Parallel::Column => assert!(silent.is_empty(), "{problem:?}: {silent:?}"),
                    Parallel::Row if chunks == 1 => assert!(silent.is_empty(), "{silent:?}"),
                    _ => assert!(count == 1 || !waits.is_empty(), "{silent:?}"),
                }
            }
        }
    }
}
