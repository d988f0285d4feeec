//! Compares collectives with their definition, on 1 to 8 emulated devices and on GPUs if there are
//! any. Also checks that each planted fault soon ends in an error that names a rank.

use half::{bf16, f16};
use host::collective::{CollectiveElement, Communicator};
use host::{Buffer, Device, Error};
use std::thread;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(30);

/// Runs a program on each of `size` emulated ranks.
fn on_ranks<R: Send>(
    size: usize,
    limit: Duration,
    program: impl Fn(&Communicator) -> R + Sync,
) -> Vec<R> {
    let devices: Vec<Device> = (0..size).map(|_| Device::emulator()).collect();
    run_on(Communicator::emulated(&devices, limit), program)
}

fn run_on<R: Send>(
    ranks: Vec<Communicator>,
    program: impl Fn(&Communicator) -> R + Sync,
) -> Vec<R> {
    let program = &program;
    thread::scope(|scope| {
        let threads: Vec<_> = ranks
            .into_iter()
            .map(|rank| scope.spawn(move || program(&rank)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

/// An element type that represents small whole numbers exactly, so that sums are exact in every
/// type.
trait Small: CollectiveElement + PartialEq + std::fmt::Debug {
    fn small(number: u32) -> Self;
}
macro_rules! small {
    ($($ty:ty: $from:expr;)*) => {$(
        impl Small for $ty {
            fn small(number: u32) -> Self { ($from)(number) }
        }
    )*};
}
small! {
    u8: |x| x as u8;
    u32: |x| x;
    i32: |x| x as i32;
    f32: |x| x as f32;
    f16: |x| f16::from_f32(x as f32);
    bf16: |x| bf16::from_f32(x as f32);
}

/// Returns the number that rank `rank` sends at position `at`.
fn sent(rank: usize, at: usize) -> u32 {
    ((rank * 7 + at * 3) % 11) as u32
}

/// Makes every call, and compares each result with the call's definition.
fn all_calls<T: Small>(rank: &Communicator, count: usize) -> Result<(), Error> {
    let (me, size, device) = (rank.rank(), rank.size(), rank.device());
    let upload = |len: usize| -> Result<Buffer<T>, Error> {
        device.upload(
            &(0..len)
                .map(|at| T::small(sent(me, at)))
                .collect::<Vec<_>>(),
        )
    };
    let sum = |at: usize| T::small((0..size).map(|rank| sent(rank, at)).sum());
    let check = |buffer: &Buffer<T>, expected: &dyn Fn(usize) -> T, call: &str| {
        let found = buffer.to_vec().unwrap();
        for (at, found) in found.iter().enumerate() {
            assert_eq!(
                *found,
                expected(at),
                "{call} of {count} {}, rank {me} of {size}, at {at}",
                T::TYPE
            );
        }
    };
    let (one, all) = (upload(count)?, upload(count * size)?);
    let mut receive_one = device.alloc::<T>(count)?;
    let mut receive_all = device.alloc::<T>(count * size)?;
    rank.all_gather(&one, &mut receive_all)?;
    check(
        &receive_all,
        &|at| T::small(sent(at / count, at % count)),
        "all_gather",
    );
    rank.reduce_scatter(&all, &mut receive_one)?;
    check(&receive_one, &|at| sum(me * count + at), "reduce_scatter");
    rank.all_reduce(&one, &mut receive_one)?;
    check(&receive_one, &sum, "all_reduce");
    for root in 0..size {
        rank.broadcast(root, &one, &mut receive_one)?;
        check(&receive_one, &|at| T::small(sent(root, at)), "broadcast");
    }
    rank.all_to_all(&all, &mut receive_all)?;
    check(
        &receive_all,
        &|at| T::small(sent(at / count, me * count + at % count)),
        "all_to_all",
    );
    Ok(())
}

#[test]
fn every_call_is_its_definition_on_1_to_8_devices() {
    for size in 1..=8 {
        let results = on_ranks(size, LIMIT, |rank| -> Result<(), Error> {
            for count in [1, 3, 64] {
                all_calls::<f32>(rank, count)?;
                all_calls::<bf16>(rank, count)?;
            }
            all_calls::<u8>(rank, 5)?;
            all_calls::<u32>(rank, 5)?;
            all_calls::<i32>(rank, 5)?;
            all_calls::<f16>(rank, 5)
        });
        for result in results {
            result.unwrap();
        }
    }
}

/// Makes every call among the ranks along each axis of a mesh of 2 by half the number of ranks.
/// Then makes every call among all ranks of another split, and in groups of a single rank.
fn axes(rank: &Communicator) -> Result<(), Error> {
    let (me, size) = (rank.rank(), rank.size());
    for (group, number, expected) in [
        (me % 2, me / 2, (size - me % 2).div_ceil(2)),
        (me / 2, me % 2, (size - me / 2 * 2).min(2)),
        (7, me, size),
        (me, 0, 1),
    ] {
        let axis = rank.split(group)?;
        assert_eq!((axis.rank(), axis.size()), (number, expected), "{rank:?}");
        all_calls::<f32>(&axis, 5)?;
        // An axis can be split too: here into its first rank, and all other ranks of the axis.
        let part = axis.split(usize::from(axis.rank() > 0))?;
        all_calls::<i32>(&part, 3)?;
    }
    all_calls::<f32>(rank, 5)
}

#[test]
fn axes_of_meshes_are_communicators() {
    for size in 1..=8 {
        for result in on_ranks(size, LIMIT, axes) {
            result.unwrap();
        }
    }
}

#[test]
fn faults_of_an_axis_are_named() {
    // Rank 3 does not split.
    let found = faults(4, |rank| match rank.rank() {
        3 => gather(rank, 4),
        group => rank.split(group % 2).map(|_| ()),
    });
    for error in found {
        assert!(
            error.contains("calls split, rank 3 calls all_gather of 4 f32"),
            "{error}"
        );
    }
    // Rank 3, the second rank of the row of ranks 1 and 3, ends. The other row is not affected.
    let found = faults(4, |rank| {
        let row = rank.split(rank.rank() % 2)?;
        match rank.rank() {
            3 => Ok(()),
            _ => gather(&row, 4),
        }
    });
    assert_eq!([&found[0], &found[2], &found[3]], ["nothing"; 3]);
    assert!(
        found[1].starts_with("call 0, all_gather of 4 f32: rank 1 "),
        "{}",
        found[1]
    );
}

/// Returns the error of each rank of a wrong program, and checks that all errors come within
/// seconds.
fn faults(size: usize, program: impl Fn(&Communicator) -> Result<(), Error> + Sync) -> Vec<String> {
    let start = Instant::now();
    let results = on_ranks(size, Duration::from_millis(300), program);
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{:?}",
        start.elapsed()
    );
    results
        .into_iter()
        .map(|result| {
            result
                .err()
                .map_or_else(|| "nothing".into(), |error| error.to_string())
        })
        .collect()
}

fn gather(rank: &Communicator, count: usize) -> Result<(), Error> {
    let one = rank.device().upload(&vec![1.0_f32; count])?;
    let mut all = rank.device().alloc(count * rank.size())?;
    rank.all_gather(&one, &mut all)
}

#[test]
fn a_rank_that_skips_a_call_is_named() {
    // Rank 2 makes one call, the others make two.
    let found = faults(4, |rank| {
        if rank.rank() != 2 {
            gather(rank, 8)?;
        }
        gather(rank, 8)
    });
    // Rank 2 took part in the first call of the other ranks. In their second call, rank 2 is
    // missing or has left.
    assert_eq!(found[2], "nothing");
    for rank in [0, 1, 3] {
        assert!(
            found[rank].starts_with("call 1, all_gather of 8 f32: rank 2 "),
            "{}",
            found[rank]
        );
    }
    let waiting = faults(4, |rank| {
        if rank.rank() == 2 {
            thread::sleep(Duration::from_millis(900));
            return Ok(());
        }
        gather(rank, 8)
    });
    assert_eq!(
        waiting[0],
        "call 0, all_gather of 8 f32: rank 2 missing after 300ms"
    );
    assert_eq!(
        (waiting[1] == waiting[0], waiting[2].as_str()),
        (true, "nothing")
    );
}

#[test]
fn a_rank_that_differs_in_size_or_call_is_named() {
    let found = faults(3, |rank| gather(rank, if rank.rank() == 1 { 9 } else { 8 }));
    for error in &found {
        assert!(
            error.contains("rank 0 calls all_gather of 8 f32, rank 1 calls all_gather of 9 f32")
                || error
                    .contains("rank 1 calls all_gather of 9 f32, rank 2 calls all_gather of 8 f32"),
            "{error}"
        );
    }
    let found = faults(2, |rank| {
        let one = rank.device().upload(&[1_u32; 4])?;
        let mut other = rank.device().alloc(4)?;
        if rank.rank() == 0 {
            rank.all_reduce(&one, &mut other)
        } else {
            rank.broadcast(0, &one, &mut other)
        }
    });
    for error in found {
        assert!(
            error.contains(
                "rank 0 calls all_reduce of 4 u32, rank 1 calls broadcast of 4 u32 from rank 0"
            ),
            "{error}"
        );
    }
}

#[test]
fn a_rank_that_dies_is_named() {
    let found = faults(3, |rank| {
        gather(rank, 4)?;
        if rank.rank() == 1 {
            Ok(())
        } else {
            gather(rank, 4)
        }
    });
    assert_eq!(found[1], "nothing");
    // The rank has returned, and its communicator was dropped.
    for rank in [0, 2] {
        assert!(
            found[rank].starts_with("call 1, all_gather of 4 f32: rank 1 "),
            "{}",
            found[rank]
        );
    }
    let devices: Vec<Device> = (0..2).map(|_| Device::emulator()).collect();
    let mut ranks = Communicator::emulated(&devices, LIMIT).into_iter();
    let (alive, dying) = (ranks.next().unwrap(), ranks.next().unwrap());
    let died = thread::spawn(move || {
        let _rank = dying;
        std::panic::panic_any("planted");
    });
    assert!(died.join().is_err());
    let error = gather(&alive, 4).unwrap_err().to_string();
    assert_eq!(
        error,
        "call 0, all_gather of 4 f32: rank 1 gone: its communicator was dropped by a panic"
    );
    // Every later call fails too.
    let later = gather(&alive, 4).unwrap_err().to_string();
    assert!(
        later.starts_with("the communicator ended with an earlier error: call 0, all_gather"),
        "{later}"
    );
}

#[test]
fn buffers_that_do_not_fit_are_refused_before_anyone_waits() {
    let devices = [Device::emulator(), Device::emulator()];
    let ranks = Communicator::emulated(&devices, LIMIT);
    let one = devices[0].upload(&[1.0_f32; 4]).unwrap();
    let mut short = devices[0].alloc::<f32>(7).unwrap();
    let error = ranks[0].all_gather(&one, &mut short).unwrap_err();
    assert_eq!(
        error.to_string(),
        "all_gather of 4 f32 by 2 ranks receives 8 elements; the buffer has 7"
    );
    let mut elsewhere = devices[1].alloc::<f32>(8).unwrap();
    let error = ranks[0]
        .all_gather(&one, &mut elsewhere)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("rank 0 is emulated sm_90; what it receives is on"),
        "{error}"
    );
}

/// On a machine with GPUs the same program runs on all GPUs, through NCCL. On other machines the
/// error names what is missing: NCCL or the GPUs.
#[test]
fn the_same_program_runs_on_gpus() {
    let count = Device::gpu_count().unwrap_or(0);
    let devices: Vec<Device> = (0..count)
        .filter_map(|index| Device::gpu(index).ok())
        .collect();
    if devices.is_empty() {
        let error = Communicator::nccl(&[Device::emulator()], LIMIT)
            .unwrap_err()
            .to_string();
        assert!(error.contains("NCCL"), "{error}");
        println!("no GPU: {error}");
        return;
    }
    match Communicator::nccl(&devices, LIMIT) {
        Err(error) => println!("ran on no GPU: {error}"),
        Ok(ranks) => {
            println!("ran on {} GPUs by {}", ranks.len(), ranks[0].about());
            let program =
                |rank: &Communicator| all_calls::<f32>(rank, 1000).and_then(|()| axes(rank));
            for result in run_on(ranks, program) {
                result.unwrap();
            }
        }
    }
}

/// A rank that comes to a meeting after the meeting failed gets the same error as the other ranks.
/// Only its next call reports that the communicator has ended.
#[test]
fn a_late_rank_is_told_the_same() {
    let devices: Vec<Device> = (0..3).map(|_| Device::emulator()).collect();
    let mut ranks = Communicator::emulated(&devices, LIMIT).into_iter();
    let [early, gone, late] = [(); 3].map(|()| ranks.next().unwrap());
    drop(gone);
    let told = "call 0, all_gather of 4 f32: rank 1 gone: its communicator was dropped";
    for rank in [&early, &late] {
        assert_eq!(gather(rank, 4).unwrap_err().to_string(), told);
    }
    for rank in [&early, &late] {
        let ended = gather(rank, 4).unwrap_err().to_string();
        assert_eq!(
            ended,
            format!("the communicator ended with an earlier error: {told}")
        );
    }
}
