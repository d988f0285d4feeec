//! Tests of the record of accesses without a kernel.

use super::order::MOST_KNOWN;
use super::*;
use crate::memory::global::HostMemory;

/// A write of another value whose bytes are not known.
const CHANGES: fn(usize) -> Option<(u8, u8)> = |_| None;
/// A write of the value that is already there and differs from the value before the launch.
const SAME: fn(usize) -> Option<(u8, u8)> = |_| Some((1, 1));

fn launch(communicates: bool) -> (HostMemory, Races) {
    let mut global = HostMemory::default();
    global.allocate(64, 1, Kind::Buffer, 1000).unwrap();
    let races = Races::new(&global, 4, 10, communicates, false).unwrap();
    (global, races)
}

#[test]
fn reads_are_no_race_and_a_write_is_one_with_each() {
    let (global, races) = launch(false);
    let a = (0, global.at(0).unwrap());
    for block in [3, 7, 8] {
        races.read(a, 8, 8, block, false).unwrap();
    }
    for (block, other) in [(3, 7), (7, 3), (8, 3), (9, 3)] {
        let found = races.write(a, 12, 4, block, false, CHANGES);
        assert_eq!(found, Err((12, Earlier::Read, other)));
        races.write(a, 12, 4, block, false, SAME).unwrap();
        races.buffers[0].places.get().unwrap()[3 * 3 + WRITER].store(0, SeqCst);
    }
    races.write(a, 16, 4, 5, false, CHANGES).unwrap();
    races.write(a, 16, 4, 5, false, CHANGES).unwrap();
    races.read(a, 16, 4, 5, false).unwrap();
    assert_eq!(races.read(a, 16, 4, 6, false), Err((16, Earlier::Wrote, 5)));
    assert_eq!(
        races.write(a, 16, 4, 6, false, CHANGES),
        Err((16, Earlier::Wrote, 5))
    );
}

/// Checks with random accesses of three blocks that a settled access is noted already and has no
/// conflict.
#[test]
fn settled_accesses_change_nothing() {
    let mut global = HostMemory::default();
    global.allocate(64, 1, Kind::Buffer, 1000).unwrap();
    let races = Races::new(&global, 4, 10, false, true).unwrap();
    let a = (0, global.at(0).unwrap());
    let state = || -> Vec<u32> {
        let places = races.buffers[0].places.get();
        places.map_or(Vec::new(), |all| {
            all.iter().map(|x| x.load(SeqCst)).collect()
        })
    };
    let mut seed = 1u32;
    let mut random = |below: u32| {
        seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
        (seed >> 8) % below
    };
    let mut settled = [0; 2];
    for _ in 0..4000 {
        let (block, at, bytes) = (
            random(3),
            random(14) as usize * 4,
            [4, 8][random(2) as usize],
        );
        let (read, same, before) = (random(4) != 0, random(8) == 0, state());
        // Blocks use places of their own except for some accesses, so that most accesses are
        // correct.
        let at = if read || same {
            at
        } else {
            block as usize * 16 + at % 8
        };
        let view = races.settled(a, block);
        let fine = view.is_some_and(|view| {
            if read {
                view.reads(|_| at, bytes, false)
            } else {
                let held = if same { u32::MAX } else { 0 };
                view.writes(|_| at, bytes, false, false)
                    || view.writes(|_| at, bytes, false, true) && same
                    || view.repeats(|_| at, bytes, false, held)
            }
        });
        let found = if read {
            races.read(a, at, bytes, block, false)
        } else {
            races.write(
                a,
                at,
                bytes,
                block,
                false,
                if same { SAME } else { CHANGES },
            )
        };
        settled[usize::from(fine)] += 1;
        if fine {
            assert_eq!((found, state()), (Ok(()), before));
        }
    }
    assert!(settled[0] > 100 && settled[1] > 100, "{settled:?}");
}

#[test]
fn an_atomic_orders_what_came_before_it() {
    let (global, races) = launch(true);
    let a = (0, global.at(0).unwrap());
    let publish = |block| {
        races.read(a, 0, 4, block, true).unwrap();
        races.write(a, 0, 4, block, true, CHANGES).unwrap();
        races.publish(block);
    };
    races.write(a, 16, 4, 1, false, CHANGES).unwrap();
    publish(1);
    races.write(a, 20, 4, 1, false, CHANGES).unwrap();
    races.write(a, 24, 4, 2, false, CHANGES).unwrap();
    publish(2);
    // Block 3 saw block 2, and through it block 1, but not what block 1 did later.
    publish(3);
    races.read(a, 16, 4, 3, false).unwrap();
    races.write(a, 24, 4, 3, false, CHANGES).unwrap();
    assert_eq!(races.read(a, 20, 4, 3, false), Err((20, Earlier::Wrote, 1)));
    // Block 1 has seen neither of the others.
    assert_eq!(races.read(a, 24, 4, 1, false), Err((24, Earlier::Wrote, 3)));
    assert_eq!(
        races.write(a, 16, 4, 1, false, CHANGES),
        Err((16, Earlier::Read, 3))
    );
}

#[test]
fn the_earlier_access_has_its_site_where_blocks_run_in_order() {
    let (global, races) = launch(false);
    let a = (0, global.at(0).unwrap());
    races.at_site(7);
    races.write(a, 16, 4, 5, false, CHANGES).unwrap();
    races.at_site(8);
    races.read(a, 20, 4, 1, false).unwrap();
    races.at_site(9);
    let found = races.read(a, 16, 4, 6, false).unwrap_err();
    assert_eq!((found.1, races.site_of(0, &found)), (Earlier::Wrote, 7));
    let found = races.write(a, 20, 4, 6, false, CHANGES).unwrap_err();
    assert_eq!((found.1, races.site_of(0, &found)), (Earlier::Read, 8));
    races.write_anyway(0, 20);
    let found = races.write(a, 20, 4, 7, false, CHANGES).unwrap_err();
    assert_eq!((found.2, races.site_of(0, &found)), (6, 9));
    let parallel = Races::new(&global, 4, 10, false, true).unwrap();
    parallel.at_site(7);
    parallel.write(a, 16, 4, 5, false, CHANGES).unwrap();
    let found = parallel.read(a, 16, 4, 6, false).unwrap_err();
    assert_eq!(parallel.site_of(0, &found), 0, "not known");
}

#[test]
fn what_blocks_know_stays_bounded() {
    let mut global = HostMemory::default();
    global.allocate(64, 1, Kind::Buffer, 1000).unwrap();
    let races = Races::new(&global, 4, 2000, true, false).unwrap();
    let a = (0, global.at(0).unwrap());
    for block in 0..2000 {
        races.read(a, 0, 4, block, true).unwrap();
        races.write(a, 0, 4, block, true, CHANGES).unwrap();
        races.publish(block);
    }
    let order = races.order.as_ref().unwrap();
    let (known, total) = &*order.lock();
    let count: usize = known.values().map(|k| k.of.len()).sum();
    assert!(*total <= MOST_KNOWN && *total == count, "{total} {count}");
    assert!(known[&1999].everything);
}

/// Checks with random accesses of warps of two blocks: if the record says that all lanes are
/// settled, then each lane's access notes nothing and is no conflict.
#[test]
fn settled_warps_are_settled_lanes() {
    let mut global = HostMemory::default();
    global.allocate(1024, 1, Kind::Buffer, 1024).unwrap();
    let races = Races::new(&global, 4, 10, false, true).unwrap();
    let a = (0, global.at(0).unwrap());
    let state = || -> Vec<u32> {
        let places = races.buffers[0].places.get();
        let all = places.map_or(&[][..], |all| all);
        all.iter().map(|entry| entry.load(SeqCst)).collect()
    };
    let mut seed = 7u32;
    let mut random = |below: u32| {
        seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
        (seed >> 8) % below
    };
    let mut settled = [0; 3];
    for round in 0..6000 {
        let (block, bytes) = (random(2), [4, 8][random(2) as usize]);
        // Each block has a half of the buffer; sometimes it uses the other half.
        let half = if random(16) == 0 { 1 - block } else { block } as usize * 512;
        let (stride, reads) = ([bytes, 8, 0][random(3) as usize], random(4) == 0);
        let start = random(64) as usize * 8 % (512 - 31 * stride.max(bytes));
        let at = |lane: usize| half + start / bytes * bytes + lane * stride.next_multiple_of(bytes);
        let held = [0, u32::MAX, random(u32::MAX)][random(3) as usize];
        let consecutive = stride.next_multiple_of(bytes) == bytes;
        let before = state();
        let view = races.settled(a, block);
        let [noted, alone, repeated] = view.map_or([false; 3], |view| {
            let writes = |same| view.writes(at, bytes, consecutive, same);
            [
                reads && view.reads(at, bytes, consecutive),
                !reads && writes(false),
                !reads
                    && (held == u32::MAX && writes(true)
                        || view.repeats(at, bytes, consecutive, held)),
            ]
        });
        let mut fine = true;
        for lane in 0..32 {
            let value = if held >> lane & 1 == 1 { SAME } else { CHANGES };
            let found = match reads {
                true => races.read(a, at(lane), bytes, block, false),
                false => races.write(a, at(lane), bytes, block, false, value),
            };
            fine &= found.is_ok();
        }
        for (count, answer) in settled.iter_mut().zip([noted, alone, repeated]) {
            *count += usize::from(answer);
            assert!(!answer || fine && state() == before, "round {round}");
        }
        // A conflict would stay for ever.
        if !fine && random(4) == 0 {
            let places = races.buffers[0].places.get().unwrap();
            places.iter().for_each(|entry| entry.store(0, SeqCst));
        }
    }
    assert!(settled.iter().all(|&count| count > 50), "{settled:?}");
}
