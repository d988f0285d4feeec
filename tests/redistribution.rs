//! Runs random redistributions by the exchanges that they name, on 2 to 8 emulated devices and on
//! all GPUs of a machine that has several: every element equals that of the tensor on one device.

#[path = "../crates/distribute/tests/chance/mod.rs"]
mod chance;

use chance::{Chance, along, digits, primes};
use distribute::{Distribution, Exchange, Ragged, redistribution};
use host::Device;
use host::collective::{Communicator, Redistributor};
use layout_types::dynamic::DynLayout;
use std::thread;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// The redistribution of a tensor from one distribution to another.
struct Case {
    from: DynLayout,
    partial: u32,
    to: DynLayout,
    exchanges: Vec<Exchange>,
}

fn value(layout: &DynLayout, partial: u32) -> Distribution {
    Distribution::of_layout(layout, partial).unwrap()
}

/// Returns the coordinates that a device holds, in the order of its elements.
fn held(layout: &DynLayout, devices: i64, device: i64) -> Vec<i64> {
    let size = if device < devices {
        layout.size().unwrap()
    } else {
        0
    };
    (device..size)
        .step_by(devices as usize)
        .map(|i| layout.offset(i).unwrap())
        .collect()
}

impl Case {
    fn new(from: DynLayout, partial: u32, to: DynLayout) -> Self {
        let found = redistribution(&value(&from, partial), &value(&to, 0));
        let found = found.unwrap_or_else(|text| panic!("{from} to {to}: {}", text.as_str()));
        Self {
            exchanges: found.steps().iter().map(|step| step.exchange).collect(),
            from,
            partial,
            to,
        }
    }

    /// Returns a case with or without partial sums, whose meshes and tensors are cut in one order
    /// or in any order: blocks of 2 by 3 and of 3 by 2.
    fn by_chance(devices: i64, sums: bool, any_order: bool, random: &mut Chance) -> Self {
        let mut radices = primes(devices);
        for _ in 0..2 + random.below(3) {
            radices.push([2, 3, 5][random.below(3)]);
        }
        random.shuffle(&mut radices);
        let [(from, partial), (to, _)] = [sums, false].map(|sums| {
            let mut mesh = primes(devices);
            if any_order {
                random.shuffle(&mut radices);
                random.shuffle(&mut mesh);
            }
            along(&digits(&radices), mesh, sums, random)
        });
        Self::new(from, partial, to)
    }

    /// Returns a case from one device, or to one device.
    fn of_one(devices: i64, random: &mut Chance) -> Self {
        let many = Self::by_chance(devices, false, false, random).from;
        let size = (0..devices).flat_map(|device| held(&many, devices, device));
        let one = format!("(1,{}):(0,1)", size.max().unwrap() + 1);
        let one: DynLayout = one.parse().unwrap();
        match random.below(3) {
            0 => Self::new(many, 0, one),
            1 => Self::new(one, 0, many),
            _ => {
                let size = one.size().unwrap();
                let all = format!("({devices},{size}):(0,1)").parse().unwrap();
                Self::new(one, 0, all)
            }
        }
    }

    fn devices(&self) -> (i64, i64) {
        (value(&self.from, 0).devices(), value(&self.to, 0).devices())
    }

    /// Returns a device's digits along the modes of partial sums, as a number that identifies its
    /// summand.
    fn summand(&self, device: i64) -> i64 {
        let (mesh, mut rest, mut weight) = (self.from.mode(0).unwrap(), device, 1);
        let mut summand = 0;
        for (i, mode) in layout_types::dynamic::flatten(&mesh)
            .unwrap()
            .modes()
            .iter()
            .enumerate()
        {
            let radix = mode.size().unwrap();
            if radix > 1 && mode.offset(1).unwrap() == 0 {
                summand += (i64::from(self.partial) >> i & 1) * (rest % radix) * weight;
            }
            (rest, weight) = (rest / radix, weight * radix);
        }
        summand
    }

    /// Returns a device's value of a coordinate before the exchange: the tensor's element or, for
    /// partial sums, a summand such that all summands add up to the element.
    fn value(&self, summand: i64, summands: &[i64], at: i64) -> i32 {
        let others = summands.iter().filter(|&&other| other != 0);
        let others: i64 = others.map(|other| other * 1000 + at % 7).sum();
        let element = element(at);
        if self.partial == 0 {
            element
        } else if summand == 0 {
            element - others as i32
        } else {
            (summand * 1000 + at % 7) as i32
        }
    }

    /// Runs the redistribution on this rank, and returns the elements that the device holds
    /// afterwards.
    fn run(&self, rank: &Communicator) -> Result<Vec<i32>, host::Error> {
        let (before, after) = self.devices();
        let (me, device) = (rank.rank() as i64, rank.device());
        let mut summands: Vec<i64> = (0..before).map(|device| self.summand(device)).collect();
        summands.sort_unstable();
        summands.dedup();
        let mine: Vec<i32> = held(&self.from, before, me)
            .into_iter()
            .map(|at| self.value(self.summand(me), &summands, at))
            .collect();
        let (from, to) = (value(&self.from, self.partial), value(&self.to, 0));
        let mut way = Redistributor::new(rank, &from, &to)?;
        let send = device.upload(&mine)?;
        let mut receive = device.upload(&vec![i32::MIN; held(&self.to, after, me).len()])?;
        // It runs twice, because the remains of a run must not matter to the next run.
        way.run(&send, &mut receive)?;
        receive.copy_from(&vec![i32::MIN; receive.len()])?;
        way.run(&send, &mut receive)?;
        receive.to_vec()
    }
}

/// Returns an element of the tensor.
fn element(at: i64) -> i32 {
    (at * 37 % 1009) as i32 - 500
}

/// Runs all cases. Returns how often each exchange occurred. Panics at the first wrong element.
fn carry_out(ranks: Vec<Communicator>, cases: &[Case]) -> [usize; 7] {
    thread::scope(|scope| {
        for rank in ranks {
            scope.spawn(move || {
                for (number, case) in cases.iter().enumerate() {
                    let found = case.run(&rank).unwrap();
                    let after = held(&case.to, case.devices().1, rank.rank() as i64);
                    let expected: Vec<i32> = after.into_iter().map(element).collect();
                    assert_eq!(
                        found,
                        expected,
                        "case {number}, rank {}: {} {:b} to {}, {:?}",
                        rank.rank(),
                        case.from,
                        case.partial,
                        case.to,
                        case.exchanges
                    );
                }
            });
        }
    });
    let mut seen = [0; 7];
    for exchange in cases.iter().flat_map(|case| &case.exchanges) {
        seen[*exchange as usize] += 1;
    }
    seen
}

/// Returns `count` cases: every other case has sums, every third has meshes in any order, every
/// fifth is from or to one device.
fn cases(devices: i64, count: usize, seed: u64) -> Vec<Case> {
    let mut random = Chance(seed);
    (0..count)
        .map(|i| match i % 5 {
            4 => Case::of_one(devices, &mut random),
            _ => Case::by_chance(devices, i % 2 == 1, i % 3 == 1, &mut random),
        })
        .collect()
}

fn emulated(count: i64) -> Vec<Communicator> {
    let devices: Vec<Device> = (0..count).map(|_| Device::emulator()).collect();
    Communicator::emulated(&devices, LIMIT)
}

#[test]
fn every_redistribution_gives_the_tensor_on_2_to_8_devices() {
    let mut seen = [0; 7];
    for count in 2..=8 {
        let found = carry_out(emulated(count), &cases(count, 60, count as u64));
        for (sum, found) in seen.iter_mut().zip(found) {
            *sum += found;
        }
    }
    println!("{seen:?}");
    assert!(seen.iter().all(|seen| *seen > 0), "{seen:?}");
}

/// Checks every way between a matrix's distributions, for 6 by 12 elements and along the axes of
/// meshes of 2 by 3 and 3 by 2: blocks of rows, blocks of columns, replicas and partial sums along
/// each axis.
#[test]
fn meshes_of_two_by_three_and_three_by_two() {
    let (rows, columns) = (6, 12);
    let mut all = Vec::new();
    for (p, q) in [(2, 3), (3, 2)] {
        // Along each axis, 0 is replicas, 1 blocks of rows, 2 blocks of columns, 3 sums. If both
        // axes are along rows, there are blocks of blocks.
        for along in (0..16).map(|i| [i % 4, i / 4]) {
            let (mut height, mut width, mut partial) = (rows, columns, 0);
            let strides: Vec<i64> = [(p, along[0]), (q, along[1])]
                .iter()
                .enumerate()
                .map(|(axis, &(devices, what))| match what {
                    1 => {
                        height /= devices;
                        height
                    }
                    2 => {
                        width /= devices;
                        width * rows
                    }
                    _ => {
                        partial |= u32::from(what == 3) << axis;
                        0
                    }
                })
                .collect();
            let text = format!(
                "(({p},{q}),({height},{width})):(({},{}),(1,{rows}))",
                strides[0], strides[1]
            );
            all.push((text.parse::<DynLayout>().unwrap(), partial));
        }
    }
    let mut cases = Vec::new();
    for (from, partial) in &all {
        for (to, _) in all.iter().filter(|(_, partial)| *partial == 0) {
            cases.push(Case::new(from.clone(), *partial, to.clone()));
        }
    }
    assert_eq!(cases.len(), 32 * 18);
    let seen = carry_out(emulated(6), &cases);
    println!("{seen:?}");
}

/// Checks 10 by 7 on 4 devices, in rows and in columns: blocks of 3 and of 2. The elements beyond
/// the tensor do not matter.
#[test]
fn ragged_rests_arrive() {
    let (shape, padded) = ([10, 7], [12, 8]);
    let tensor = Ragged {
        padded: padded.to_vec(),
        shape: shape.to_vec(),
    };
    let layouts: Vec<DynLayout> = [
        "(4,(3,8)):(3,(1,12))",
        "(4,(3,8)):(1,(4,12))",
        "(4,(12,2)):(24,(1,12))",
        "(4,(12,2)):(12,(1,48))",
        "(4,(12,8)):(0,(1,12))",
        "((2,2),(6,4)):((6,48),(1,12))",
    ]
    .iter()
    .map(|text| text.parse().unwrap())
    .collect();
    for from in &layouts {
        for to in &layouts {
            thread::scope(|scope| {
                for rank in emulated(4) {
                    let tensor = &tensor;
                    scope.spawn(move || {
                        let me = rank.rank() as i64;
                        let [before, after] = [from, to].map(|layout| value(layout, 0));
                        let mut way = Redistributor::new(&rank, &before, &after).unwrap();
                        // Padding is -1 here, but may be anything.
                        let mine = |layout| -> Vec<i32> {
                            let padding = |at| if tensor.holds(at) { element(at) } else { -1 };
                            held(layout, 4, me).into_iter().map(padding).collect()
                        };
                        let send = rank.device().upload(&mine(from)).unwrap();
                        let mut receive = rank.device().alloc(mine(to).len()).unwrap();
                        way.run(&send, &mut receive).unwrap();
                        assert_eq!(receive.to_vec().unwrap(), mine(to), "{from} to {to}");
                    });
                }
            });
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let devices = [Device::emulator(), Device::emulator()];
    let ranks = Communicator::emulated(&devices, LIMIT);
    let [two, three, other] =
        ["(2,4):(4,1)", "(3,2):(2,1)", "(2,3):(3,1)"].map(|text| value(&text.parse().unwrap(), 0));
    let error = |from, to| {
        let way = Redistributor::<f32>::new(&ranks[0], from, to);
        way.err().map(|error| error.to_string())
    };
    assert_eq!(
        error(&three, &three).as_deref(),
        Some("the distributions are on 3 devices, the communicator has 2 ranks")
    );
    assert_eq!(
        error(&two, &other).as_deref(),
        Some("the distributions hold 8 and 6 coordinates: they are of different tensors")
    );
    let mut way = Redistributor::<f32>::new(&ranks[0], &two, &two).unwrap();
    let (send, mut short) = (devices[0].alloc(4).unwrap(), devices[0].alloc(3).unwrap());
    let error = way.run(&send, &mut short).unwrap_err().to_string();
    assert!(
        error.starts_with("rank 0 holds 4 elements after"),
        "{error}"
    );
}

/// Checks that a rank with another redistribution, or without one, is named to the other ranks.
#[test]
fn a_rank_that_redistributes_something_else_is_named() {
    let [rows, columns, all] =
        ["(3,6):(6,1)", "(3,6):(1,3)", "(3,18):(0,1)"].map(|text| value(&text.parse().unwrap(), 0));
    let devices: Vec<Device> = (0..3).map(|_| Device::emulator()).collect();
    let ranks = Communicator::emulated(&devices, Duration::from_secs(2));
    let errors: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> = ranks
            .into_iter()
            .map(|rank| {
                let (rows, to) = (&rows, if rank.rank() == 2 { &columns } else { &all });
                scope.spawn(move || {
                    let mut way = Redistributor::<f32>::new(&rank, rows, to).unwrap();
                    let send = rank.device().alloc(6).unwrap();
                    let mut receive = rank.device().alloc(to.held() as usize).unwrap();
                    way.run(&send, &mut receive).unwrap_err().to_string()
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    for error in errors {
        assert!(
            error.contains("calls all_gather of 6 f32, rank 2 calls all_to_all of 2 f32"),
            "{error}"
        );
    }
}

#[test]
fn gpus_do_the_same() {
    let count = Device::gpu_count().unwrap_or(0);
    if count < 2 {
        println!("{count} GPUs: nothing to exchange");
        return;
    }
    let devices: Vec<Device> = (0..count)
        .map(|index| Device::gpu(index).unwrap())
        .collect();
    let ranks = Communicator::nccl(&devices, LIMIT).unwrap();
    let by = ranks[0].about();
    let seen = carry_out(ranks, &cases(i64::from(count), 300, 9));
    println!("300 redistributions on {count} GPUs by {by}: {seen:?}");
}
