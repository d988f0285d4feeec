//! Tests of the shadow without a kernel.

use super::*;

const DIFFERENT: fn(usize, usize) -> bool = |_, _| false;

fn shadow() -> Shadow {
    let mut shadow = Shadow::default();
    shadow.reset(256, 4, 3);
    shadow
}

fn race(earlier: Earlier, other: u32) -> Problem {
    let site = 0;
    Problem::Race {
        earlier,
        other,
        site,
    }
}

#[test]
fn uninitialised_until_written() {
    let mut s = shadow();
    assert_eq!(s.read(0, 8, 4, false), Err((8, Problem::Uninitialised)));
    s.write(0, 8, 4, false, DIFFERENT).unwrap();
    s.read(0, 8, 4, false).unwrap();
    assert_eq!(s.read(0, 8, 8, false), Err((12, Problem::Uninitialised)));
    s.reset(256, 4, 3);
    assert_eq!(
        s.read(0, 8, 4, false),
        Err((8, Problem::Uninitialised)),
        "a new block"
    );
}

#[test]
fn a_barrier_orders_write_and_read() {
    let mut s = shadow();
    s.write(5, 0, 4, false, DIFFERENT).unwrap();
    assert_eq!(s.read(70, 0, 4, false), Err((0, race(Earlier::Wrote, 5))));
    s.clocks.meet(&[u32::MAX; 3], true, &[]);
    s.read(70, 0, 4, false).unwrap();
    assert_eq!(
        s.write(5, 0, 4, false, DIFFERENT),
        Err((0, race(Earlier::Read, 70)))
    );
    s.clocks.meet(&[u32::MAX; 3], true, &[]);
    s.write(5, 0, 4, false, DIFFERENT).unwrap();
}

#[test]
fn a_warp_is_not_ordered_by_itself_but_by_bar_warp_sync() {
    let mut s = shadow();
    s.write(1, 0, 4, false, DIFFERENT).unwrap();
    assert_eq!(s.read(2, 0, 4, false), Err((0, race(Earlier::Wrote, 1))));
    s.clocks.meet_lanes(0, 0b110);
    s.read(2, 0, 4, false).unwrap();
    assert_eq!(
        s.read(3, 0, 4, false),
        Err((0, race(Earlier::Wrote, 1))),
        "lane 3 was not there"
    );
    // The order comes through lane 2.
    s.clocks.meet_lanes(0, 0b1100);
    s.read(3, 0, 4, false).unwrap();
}

#[test]
fn named_barriers_order_their_warps_and_chains() {
    let mut s = shadow();
    s.write(0, 0, 4, false, DIFFERENT).unwrap();
    s.clocks.meet(&[u32::MAX, u32::MAX, 0], false, &[]);
    s.read(40, 0, 4, false).unwrap();
    assert_eq!(s.read(64, 0, 4, false), Err((0, race(Earlier::Wrote, 0))));
    s.clocks.meet(&[0, u32::MAX, u32::MAX], false, &[]);
    s.read(64, 0, 4, false).unwrap();
}

#[test]
fn arriving_publishes_what_came_before_only() {
    let mut s = shadow();
    s.write(0, 0, 4, false, DIFFERENT).unwrap();
    let time = s.clocks.publish(0, u32::MAX);
    s.write(0, 4, 4, false, DIFFERENT).unwrap();
    let mut told = Default::default();
    s.clocks.send(0, time, &mut told);
    s.clocks.meet(&[0, u32::MAX, 0], false, &[told]);
    s.read(40, 0, 4, false).unwrap();
    assert_eq!(s.read(40, 4, 4, false), Err((4, race(Earlier::Wrote, 0))));
}

#[test]
fn the_same_value_and_atomics_are_no_race() {
    let mut s = shadow();
    s.write(0, 0, 4, false, DIFFERENT).unwrap();
    s.write(40, 0, 4, false, |_, _| true).unwrap();
    s.write(0, 4, 4, true, DIFFERENT).unwrap();
    s.write(40, 4, 4, true, DIFFERENT).unwrap();
    assert_eq!(s.read(41, 4, 4, false), Err((4, race(Earlier::Wrote, 40))));
}

#[test]
fn what_an_atomic_releases_is_ordered_for_who_acquires_it() {
    let home = Home { unit: 0, rank: 0 };
    let ordered = |releases: bool, acquires: bool| {
        let mut s = shadow();
        let strength = |acquires, releases| Strength {
            acquires,
            releases,
            ..Strength::RELAXED
        };
        s.write(0, 0, 4, false, DIFFERENT).unwrap();
        s.write(0, 4, 4, true, DIFFERENT).unwrap();
        s.strong(
            (0, 0),
            home,
            (4, 4),
            (Does::Write, strength(false, releases)),
        );
        // Accesses after the release are not part of it.
        s.write(0, 8, 4, false, DIFFERENT).unwrap();
        s.read(40, 4, 4, true).unwrap();
        s.strong(
            (1, 8),
            home,
            (4, 4),
            (Does::Read, strength(acquires, false)),
        );
        assert_eq!(s.read(40, 8, 4, false), Err((8, race(Earlier::Wrote, 0))));
        s.read(40, 0, 4, false) == Ok(())
    };
    assert!(ordered(true, true));
    assert!(!ordered(true, false) && !ordered(false, true) && !ordered(false, false));
}

#[test]
fn a_plain_write_below_an_atomic_one_is_not_forgotten() {
    let mut s = shadow();
    s.write(0, 0, 4, false, DIFFERENT).unwrap();
    s.write(0, 0, 4, true, DIFFERENT).unwrap();
    let found = Err((0, race(Earlier::Wrote, 0)));
    assert_eq!(s.read(40, 0, 4, true), found);
    assert_eq!(s.write(40, 0, 4, true, DIFFERENT), found);
    s.clocks.meet(&[u32::MAX; 3], true, &[]);
    s.read(40, 0, 4, true).unwrap();
}

#[test]
fn an_asynchronous_copy_is_pending_until_its_wait() {
    let mut s = shadow();
    s.issue(0, 0, 16).unwrap();
    assert_eq!(
        s.read(0, 4, 4, false),
        Err((4, Problem::Pending { issuer: 0, site: 0 }))
    );
    assert_eq!(
        s.write(40, 4, 4, false, DIFFERENT),
        Err((4, Problem::Pending { issuer: 0, site: 0 }))
    );
    s.arrive(0, 0, 16);
    s.read(0, 4, 4, false).unwrap();
    assert_eq!(
        s.read(40, 4, 4, false),
        Err((4, race(Earlier::Wrote, 0))),
        "waited for by another thread"
    );
    s.clocks.meet(&[u32::MAX; 3], true, &[]);
    s.read(40, 4, 4, false).unwrap();
    assert_eq!(
        s.issue(1, 0, 16),
        Err((4, race(Earlier::Read, 40))),
        "still being read"
    );
}

#[test]
fn both_accesses_of_a_race_have_their_site() {
    let problem = |found: Result<(), (usize, Problem)>| found.unwrap_err().1;
    let race = |earlier, other, site| Problem::Race {
        earlier,
        other,
        site,
    };
    let mut s = shadow();
    s.site = 7;
    s.write(5, 0, 4, false, DIFFERENT).unwrap();
    s.site = 8;
    assert_eq!(problem(s.read(70, 0, 4, false)), race(Earlier::Wrote, 5, 7));
    s.clocks.meet(&[u32::MAX; 3], true, &[]);
    s.read(5, 0, 4, false).unwrap();
    s.read(70, 0, 4, false).unwrap();
    s.site = 9;
    s.read(71, 0, 4, false).unwrap();
    // The reader of another warp is reported before the reader of the own warp, and a reader whose
    // site is known comes first.
    assert_eq!(
        problem(s.write(6, 0, 4, false, DIFFERENT)),
        race(Earlier::Read, 71, 9)
    );
    // If a write races within the warp and with a read by another warp, the latter is reported.
    s.clocks.meet(&[u32::MAX; 3], true, &[]);
    s.site = 10;
    s.write(0, 4, 4, false, DIFFERENT).unwrap();
    s.read(40, 4, 4, false).unwrap_err();
    s.read_anyway(40, 4, false);
    assert_eq!(
        problem(s.write(1, 4, 4, false, DIFFERENT)),
        race(Earlier::Read, 40, 10)
    );
}

#[test]
fn what_was_objected_to_can_be_noted_all_the_same() {
    let mut s = shadow();
    assert_eq!(s.read(0, 0, 8, false).unwrap_err().0, 0);
    assert_eq!(s.read_anyway(0, 0, false), 4);
    assert_eq!(s.write_anyway(40, 0, false, false), 4);
    s.read(40, 0, 4, false).unwrap();
    assert_eq!(s.read(0, 0, 4, false), Err((0, race(Earlier::Wrote, 40))));
    s.write_anyway(40, 4, false, true);
    let pending = Problem::Pending {
        issuer: 40,
        site: 0,
    };
    assert_eq!(s.read(40, 4, 4, false), Err((4, pending)));
}

#[test]
fn small_granules_tell_neighbours_apart() {
    let mut s = Shadow::default();
    s.reset(16, 2, 1);
    s.write(0, 0, 2, false, DIFFERENT).unwrap();
    s.write(1, 2, 2, false, DIFFERENT).unwrap();
    assert_eq!(s.read(1, 0, 4, false), Err((0, race(Earlier::Wrote, 0))));
}
