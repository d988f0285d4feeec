//! Compares the gradients of packed sequences, with and without a soft cap, with float64 of each
//! single sequence: random lengths, 0 and 1 too, under every schedule of the emulator and on a GPU
//! if there is one. Checks that every run gives the same bits, that wrong starts are found, and
//! that starts beyond the tensors cause no access outside them.
//!
//! ```text
//!   ├ no sequence  ┼ 0 ─────┼ 1 ┼ 2 ────────┼ no sequence  ┤       gradients are unchanged in rows of no sequence
//! ```

mod common;
#[path = "common/gradients.rs"]
mod gradients_of;
#[path = "common/packed_gradients.rs"]
mod packed_gradients;

use common::packed::Case;
use common::sample::pushed;
use common::{emulated, emulator_of, load};
use cutlet::attention::{
    AttentionBackwardConfiguration, AttentionMask, AttentionType, BackwardKernels,
    PACKED_BACKWARD_CONFIGURATIONS, PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS,
};
use cutlet::kernels::Modules;
use emulator::Schedule;
use gradients_of::By;
use half::{bf16, f16};
use host::Kind;
use host::reference::Random;
use packed_gradients::{gradients, right_by};

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(7)];
const CAPS: [f32; 4] = [0.5, 3.0, 30.0, 1024.0];
const NO_CAP: By = By::kernels(BackwardKernels::Fastest);

fn right(modules: &Modules, of: &AttentionBackwardConfiguration, case: &Case, by: By) {
    if let Err(message) = gradients(modules, of, case, by) {
        panic!("{message}");
    }
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut random = Random::new(51);
    for schedule in SCHEDULES {
        let modules = emulated(schedule);
        for of in pushed(PACKED_BACKWARD_CONFIGURATIONS, |of| of.keys.kernel) {
            let case = Case::by_chance(&mut random, 1..301, 4);
            right(&modules, of, &case, NO_CAP);
        }
    }
}

#[test]
fn every_kernel_with_a_soft_cap_is_right_under_every_schedule() {
    let mut random = Random::new(55);
    let mut caps = CAPS.into_iter().cycle();
    for schedule in SCHEDULES {
        let modules = emulated(schedule);
        for of in pushed(PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS, |of| of.keys.kernel) {
            let case = Case::by_chance(&mut random, 1..201, 4);
            right(&modules, of, &case, By::soft_cap(caps.next().unwrap()));
        }
        caps.next();
    }
}

#[test]
fn lengths_of_no_rows_and_of_one_are_right() {
    let modules = emulated(Schedule::Late);
    let [of, capped] = [
        PACKED_BACKWARD_CONFIGURATIONS,
        PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS,
    ]
    .map(|table| {
        let mut all = table.iter();
        all.find(|of| of.element == AttentionType::Bf16 && of.dim == 64)
            .unwrap()
    });
    let window = AttentionMask::Window {
        before: 3,
        after: 2,
    };
    for (lengths, mask) in [
        // No sequence has a row, so nothing is written.
        (&[[0, 0], [0, 0]][..], AttentionMask::Full),
        (&[[0, 5], [1, 1], [0, 0], [1, 300]], AttentionMask::Causal),
        // Some queries have no keys, between other queries and at the end: their gradients are
        // zeros.
        (&[[3, 4], [2, 0], [130, 130], [5, 0]], AttentionMask::Full),
        // The last keys have no queries, and there are more queries than keys: some rows see no key
        // of their own sequence, and must not see the keys before.
        (
            &[[129, 9], [9, 129], [1, 0], [0, 40]],
            AttentionMask::Causal,
        ),
        (&[[260, 260], [127, 128], [128, 1]], window),
        (&[[1, 1]; 40], AttentionMask::Causal),
    ] {
        let case = Case::of(lengths, mask);
        right(&modules, of, &case, NO_CAP);
        right(&modules, capped, &case, By::soft_cap(2.0));
    }
}

#[test]
fn the_same_bits_come_again() {
    let case = Case::of(&[[70, 130], [5, 3]], AttentionMask::Causal);
    for (table, by) in [
        (PACKED_BACKWARD_CONFIGURATIONS, NO_CAP),
        (PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS, By::soft_cap(2.0)),
    ] {
        let of = pushed(table, |of| of.keys.kernel)[0];
        let [first, second] = [Schedule::Early, Schedule::Seeded(9)]
            .map(|schedule| gradients(&emulated(schedule), of, &case, by).unwrap());
        assert!(first == second);
    }
}

#[test]
fn a_gpu_is_right_too() {
    for device in common::devices() {
        if device.kind() != Kind::Gpu || device.compute_capability() != (9, 0) {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(52);
        let mut twice = |of, most: u64, by| {
            let case = Case::by_chance(&mut random, 1..most + 1, 4);
            let first = gradients(&modules, of, &case, by).unwrap();
            let again = gradients(&modules, of, &case, by).unwrap();
            assert!(first == again, "other bits");
        };
        for of in PACKED_BACKWARD_CONFIGURATIONS {
            for most in [300, 300, 300, 300, 1000] {
                twice(of, most, NO_CAP);
            }
        }
        for of in PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS {
            for (most, cap) in [300, 300, 300, 1000].into_iter().zip(CAPS) {
                twice(of, most, By::soft_cap(cap));
            }
        }
    }
}

/// Checks that the cap of the call is used: another cap and the lack of a cap are found, and so is
/// a reference without the cap's derivative.
#[test]
fn another_cap_is_found() {
    let modules = emulated(Schedule::Late);
    let case = Case::of(&[[40, 50], [30, 20]], AttentionMask::Full);
    let told = || [case.starts(0), case.starts(1)];
    let by = By::soft_cap(2.0);
    let gradients = |by| right_by::<f16>(&modules, 64, &case, (told(), by)).unwrap();
    let bits = gradients(by);
    assert!(bits != gradients(By::soft_cap(2.5)));
    let without = By {
        derivative: false,
        ..by
    };
    assert!(right_by::<f16>(&modules, 64, &case, (told(), without)).is_err());
}

#[test]
fn starts_that_lie_are_found() {
    let modules = emulated(Schedule::Late);
    let case = Case::of(&[[40, 50], [30, 20]], AttentionMask::Full);
    let told = |change: fn(&mut [Vec<u32>; 2])| {
        let mut told = [case.starts(0), case.starts(1)];
        change(&mut told);
        [NO_CAP, By::soft_cap(2.0)]
            .map(|by| right_by::<f16>(&modules, 64, &case, (told.clone(), by)).is_ok())
    };
    assert_eq!(told(|_| ()), [true; 2]);
    for change in [
        (|told| told[0][1] += 1) as fn(&mut [Vec<u32>; 2]),
        |told| told[1][1] -= 1,
        |told| told[1][2] -= 1,
    ] {
        assert_eq!(told(change), [false; 2]);
    }
}

/// Checks that starts beyond the tensors, and starts that decrease, lead to no rows outside the
/// tensors.
#[test]
fn starts_beyond_the_tensors_stay_inside() {
    let modules = emulated(Schedule::Early);
    let case = Case::of(&[[9, 9], [11, 11], [0, 0], [0, 0]], AttentionMask::Causal);
    let beyond = vec![0, 9, 4_000_000_000, u32::MAX, 2];
    for by in [NO_CAP, By::soft_cap(2.0)] {
        let told = [beyond.clone(), beyond.clone()];
        right_by::<bf16>(&modules, 64, &case, (told, by)).unwrap();
    }
    // These starts do not define the rows of a sequence, and two sequences may share a row: with
    // several CTAs that is a race. Nothing outside the tensors is accessed.
    let modules = load(&emulator_of(1, Schedule::Early));
    for decrease in [vec![20, 3, 0, 20, 7], vec![7, 20, 20, 0, 20]] {
        let told = [decrease.clone(), decrease];
        let ran = right_by::<bf16>(&modules, 64, &case, (told, NO_CAP));
        let said = ran.expect_err("the sequences are others");
        assert!(said.contains("dQ") || said.contains("dK"), "{said}");
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let modules = emulated(Schedule::Early);
    let case = Case::of(&[[4, 4], [4, 4]], AttentionMask::Full);
    let refused_by = |dim, of| right_by::<f16>(&modules, dim, &case, of).unwrap_err();
    let refused = |dim, told| refused_by(dim, (told, NO_CAP));
    assert_eq!(
        refused(64, [vec![0, 4, 8], vec![0, 8]]),
        "the starts of keys have 2 elements; 3 are those of the planned sequences and the end of the last"
    );
    assert_eq!(
        refused(64, [vec![0], vec![0]]),
        "the number of sequences is 0; it must be at least 1"
    );
    let starts = || [vec![0, 4, 8], vec![0, 4, 8]];
    let said = refused(168, starts());
    assert!(said.contains("168"), "{said}");
    let capped = |dim, cap| refused_by(dim, (starts(), By::soft_cap(cap)));
    let said = capped(168, 2.0);
    assert!(said.contains("168"), "{said}");
    assert_eq!(
        capped(64, 0.0),
        "the soft cap is 0; it must be above 0 and finite"
    );
    let fused = By::kernels(BackwardKernels::Fused);
    assert_eq!(
        refused_by(64, (starts(), fused)),
        "there are no fused gradients of packed sequences: the deterministic kernels compute them"
    );
}
