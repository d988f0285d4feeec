//! Redistributions by chance, carried out by the exchange that they are named for, on 2 to 8 emulated devices and on all GPUs of a machine
//! that has several: every element is that of the tensor on one device.

#[path = "../crates/distribute/tests/chance/mod.rs"]
mod chance;

use chance::{Chance, chance, digits, primes};
use distribute::{Distribution, Exchange, redistribution};
use host::Device;
use host::collective::Communicator;
use layout_types::dynamic::DynLayout;
use std::thread;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// A tensor's way from one distribution to another.
struct Case {
    from: DynLayout,
    partial: u32,
    to: DynLayout,
    devices: i64,
    size: i64,
    /// By coordinate: the first device that holds it, and where.
    owner: Vec<(i64, usize)>,
    /// By device and coordinate: where the device holds it.
    place: Vec<Vec<Option<usize>>>,
    exchange: Exchange,
}

/// The coordinates that a device holds, in the order of its elements.
fn held(layout: &DynLayout, devices: i64, device: i64) -> Vec<i64> {
    let size = layout.size().unwrap();
    (device..size)
        .step_by(devices as usize)
        .map(|i| layout.offset(i).unwrap())
        .collect()
}

impl Case {
    fn by_chance(devices: i64, sums: bool, random: &mut Chance) -> Self {
        let mut radices = primes(devices);
        for _ in 0..2 + random.below(3) {
            radices.push([2, 3, 5][random.below(3)]);
        }
        random.shuffle(&mut radices);
        let tensor = digits(&radices);
        let (from, partial) = chance(&tensor, devices, sums, random);
        let (to, _) = chance(&tensor, devices, false, random);
        let size: i64 = radices.iter().product();
        let mut place = vec![vec![None; size as usize]; devices as usize];
        let mut owner = vec![None; size as usize];
        for device in 0..devices {
            for (i, at) in held(&from, devices, device).into_iter().enumerate() {
                place[device as usize][at as usize] = Some(i);
                owner[at as usize].get_or_insert((device, i));
            }
        }
        let value = |layout, partial| Distribution::of_layout(layout, partial).unwrap();
        let found = redistribution(&value(&from, partial), &value(&to, 0));
        let found = found.unwrap_or_else(|text| panic!("{from} to {to}: {}", text.as_str()));
        Self {
            exchange: found.steps()[0].exchange,
            owner: owner.into_iter().map(Option::unwrap).collect(),
            place,
            from,
            partial,
            to,
            devices,
            size,
        }
    }

    /// What `to` lacks that `from` is the owner of, in the order of `to`'s elements.
    fn lacks(&self, to: i64, from: i64) -> Vec<i64> {
        held(&self.to, self.devices, to)
            .into_iter()
            .filter(|&at| {
                self.place[to as usize][at as usize].is_none() && self.owner[at as usize].0 == from
            })
            .collect()
    }

    /// A device's digits along modes of partial sums, as a number: which summand it has. And whether it is the first of its replicas.
    fn summand(&self, device: i64) -> (i64, bool) {
        let (mesh, mut rest, mut weight) = (self.from.mode(0).unwrap(), device, 1);
        let (mut summand, mut first) = (0, true);
        for (i, mode) in layout_types::dynamic::flatten(&mesh)
            .unwrap()
            .modes()
            .iter()
            .enumerate()
        {
            let radix = mode.size().unwrap();
            if radix > 1 && mode.offset(1).unwrap() == 0 {
                if self.partial >> i & 1 == 1 {
                    summand += rest % radix * weight;
                } else {
                    first &= rest % radix == 0;
                }
            }
            (rest, weight) = (rest / radix, weight * radix);
        }
        (summand, first)
    }

    /// What a device holds of a coordinate before: the tensor's element, of sums a summand by which they add up to it.
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

    /// Rank's part: carries the redistribution out, and returns what the device holds then.
    fn run(&self, rank: &Communicator) -> Result<Vec<i32>, host::Error> {
        let (me, devices, device) = (rank.rank() as i64, self.devices, rank.device());
        let before = held(&self.from, devices, me);
        let after = held(&self.to, devices, me);
        let mut summands: Vec<i64> = (0..devices).map(|device| self.summand(device).0).collect();
        summands.sort_unstable();
        summands.dedup();
        let (own, first) = self.summand(me);
        let mine: Vec<i32> = before
            .iter()
            .map(|&at| self.value(own, &summands, at))
            .collect();
        let local = |at: i64| self.place[me as usize][at as usize].map(|place| mine[place]);
        let owner = |at: i64| self.owner[at as usize];
        // A summand counts once: that of the first of its replicas.
        let summand = |at: i64| if first { local(at).unwrap_or(0) } else { 0 };
        match self.exchange {
            Exchange::Nothing => Ok(mine),
            Exchange::LocalCopy => Ok(after.iter().map(|&at| local(at).unwrap()).collect()),
            Exchange::AllGather => {
                let send = device.upload(&mine)?;
                let mut receive = device.alloc(mine.len() * rank.size())?;
                rank.all_gather(&send, &mut receive)?;
                let all = receive.to_vec()?;
                let from = |at| {
                    let (owner, place) = owner(at);
                    all[owner as usize * mine.len() + place]
                };
                Ok(after.iter().map(|&at| from(at)).collect())
            }
            Exchange::AllToAll => {
                // Parts are as long as the longest.
                let pairs = (0..devices).flat_map(|to| (0..devices).map(move |from| (to, from)));
                let longest = pairs
                    .map(|(to, from)| self.lacks(to, from).len())
                    .max()
                    .unwrap_or(0);
                let mut send = vec![0; longest * rank.size()];
                for to in 0..devices {
                    for (place, at) in self.lacks(to, me).into_iter().enumerate() {
                        send[to as usize * longest + place] = local(at).unwrap();
                    }
                }
                let (send, mut receive) = (device.upload(&send)?, device.alloc(send.len())?);
                rank.all_to_all(&send, &mut receive)?;
                let all = receive.to_vec()?;
                let mut received: Vec<Option<i32>> = (0..self.size).map(local).collect();
                for from in 0..devices {
                    for (place, at) in self.lacks(me, from).into_iter().enumerate() {
                        received[at as usize] = Some(all[from as usize * longest + place]);
                    }
                }
                Ok(after
                    .iter()
                    .map(|&at| received[at as usize].unwrap())
                    .collect())
            }
            Exchange::ReduceScatter => {
                let wanted: Vec<i32> = (0..devices)
                    .flat_map(|to| held(&self.to, devices, to))
                    .map(summand)
                    .collect();
                let send = device.upload(&wanted)?;
                let mut receive = device.alloc(after.len())?;
                rank.reduce_scatter(&send, &mut receive)?;
                receive.to_vec()
            }
            Exchange::AllReduce => {
                let send = device.upload(&(0..self.size).map(summand).collect::<Vec<_>>())?;
                let mut receive = device.alloc(self.size as usize)?;
                rank.all_reduce(&send, &mut receive)?;
                let all = receive.to_vec()?;
                Ok(after.iter().map(|&at| all[at as usize]).collect())
            }
            Exchange::Broadcast => unreachable!("both are on all devices"),
        }
    }
}

/// The tensor.
fn element(at: i64) -> i32 {
    (at * 37 % 1009) as i32 - 500
}

/// Carries out so many redistributions; returns how often each exchange came up. Panics at the first wrong element.
fn sweep(ranks: Vec<Communicator>, cases: usize, seed: u64) -> [usize; 7] {
    let devices = ranks.len() as i64;
    let mut random = Chance(seed);
    let cases: Vec<Case> = (0..cases)
        .map(|i| Case::by_chance(devices, i % 2 == 1, &mut random))
        .collect();
    let cases = &cases;
    let mut seen = [0; 7];
    for case in cases {
        seen[case.exchange as usize] += 1;
    }
    thread::scope(|scope| {
        for rank in ranks {
            scope.spawn(move || {
                for (number, case) in cases.iter().enumerate() {
                    let found = case.run(&rank).unwrap();
                    let after = held(&case.to, devices, rank.rank() as i64);
                    let expected: Vec<i32> = after.into_iter().map(element).collect();
                    assert_eq!(
                        found,
                        expected,
                        "case {number}, rank {}: {} {:b} to {}, {}",
                        rank.rank(),
                        case.from,
                        case.partial,
                        case.to,
                        case.exchange.name()
                    );
                }
            });
        }
    });
    seen
}

#[test]
fn every_redistribution_gives_the_tensor_on_2_to_8_devices() {
    let mut seen = [0; 7];
    for count in 2..=8 {
        let devices: Vec<Device> = (0..count).map(|_| Device::emulator()).collect();
        let found = sweep(Communicator::emulated(&devices, LIMIT), 60, count);
        for (sum, found) in seen.iter_mut().zip(found) {
            *sum += found;
        }
    }
    for exchange in [
        Exchange::Nothing,
        Exchange::LocalCopy,
        Exchange::AllGather,
        Exchange::AllToAll,
        Exchange::ReduceScatter,
        Exchange::AllReduce,
    ] {
        assert!(seen[exchange as usize] > 0, "{}: {seen:?}", exchange.name());
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
    let seen = sweep(ranks, 300, 9);
    println!("300 redistributions on {count} GPUs by {by}: {seen:?}");
}
