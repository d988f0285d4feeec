//! Compares attention of packed sequences with float64 of each single sequence: random lengths, 0
//! and 1 too, under every schedule of the emulator and on a GPU if there is one. Checks that wrong
//! starts are found, and that starts beyond the tensors cause no access outside them.
//!
//! ```text
//!   ├ no sequence  ┼ 0 ─────┼ 1 ┼ 2 ────────┼ no sequence  ┤       O is unchanged in rows of no sequence
//! ```

mod common;

use common::emulated;
use common::packed::Case;
use common::packed_forward::{By, assert_lies_are_found, right, right_by, right_with};
use common::sample::pushed;
use cutlet::attention::{
    AttentionLoads, AttentionMask, AttentionType, PACKED_CONFIGURATIONS, SOFT_CAP_CONFIGURATIONS,
};
use cutlet::kernels::Modules;
use cutlet::run::{PackedAttentionRun, RunOptions, ScoreRun, packed_attention};
use emulator::Schedule;
use half::{bf16, f16};
use host::Kind;
use host::reference::Random;

/// Selects Hopper's kernels, without a soft cap.
const BY_TMA: By = (AttentionLoads::Tma, None);

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut random = Random::new(41);
    for schedule in [Schedule::Early, Schedule::Late, Schedule::Seeded(7)] {
        let modules = emulated(schedule);
        for of in pushed(PACKED_CONFIGURATIONS, |of| of.kernel) {
            let case = Case::by_chance(&mut random, 0..200, 5);
            assert_eq!(right(&modules, of, &case), Ok(()), "{schedule:?}");
        }
    }
}

#[test]
fn every_kernel_with_a_soft_cap_is_right_under_every_schedule() {
    let mut random = Random::new(44);
    let mut caps = [0.5, 2.0, 30.0].into_iter().cycle();
    for schedule in [Schedule::Early, Schedule::Late, Schedule::Seeded(7)] {
        let modules = emulated(schedule);
        for of in pushed(SOFT_CAP_CONFIGURATIONS, |of| of.kernel) {
            let case = Case::by_chance(&mut random, 0..200, 5);
            let right = right_with(&modules, of, &case, caps.next());
            assert_eq!(right, Ok(()), "{schedule:?}");
        }
    }
}

#[test]
fn lengths_of_no_rows_and_of_one_are_right() {
    let modules = emulated(Schedule::Late);
    let of = PACKED_CONFIGURATIONS
        .iter()
        .find(|of| of.element == AttentionType::Bf16 && of.dim == 128)
        .unwrap();
    for case in Case::edges() {
        assert_eq!(right(&modules, of, &case), Ok(()));
    }
}

/// Checks that the run of `cutlet attention --lengths` compares every row with its own sequence,
/// with and without the log-sum-exp.
#[test]
fn the_run_of_the_command_is_right() {
    let modules = emulated(Schedule::Late);
    let mut random = Random::new(43);
    for (lse, dim, heads) in [(true, 128, [2, 1]), (false, 64, [4, 2]), (true, 96, [3, 3])] {
        let Case { lengths, mask, .. } = Case::by_chance(&mut random, 0..200, 5);
        let run = PackedAttentionRun {
            element: AttentionType::F16,
            lengths: lengths
                .iter()
                .map(|&[length, _]| length)
                .chain([1])
                .collect(),
            heads,
            dim,
            dim_v: None,
            mask,
            scale: Some(0.5),
            score: ScoreRun::default(),
            loads: None,
            lse,
            seed: 5,
            rows: 1000,
        };
        let outcome = packed_attention(&modules, &run, &RunOptions::default()).unwrap();
        assert!(outcome.right(), "{run:?}: {outcome:?}");
        assert_eq!(outcome.lse.is_some(), lse);
        let rows: u32 = run.lengths.iter().sum();
        assert_eq!(outcome.rows, 1000.min((rows * heads[0]) as usize));
    }
}

#[test]
fn a_gpu_is_right_too() {
    for device in common::devices() {
        if device.kind() != Kind::Gpu || device.compute_capability() != (9, 0) {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(42);
        for of in PACKED_CONFIGURATIONS {
            for most in [200, 200, 200, 200, 1500] {
                let case = Case::by_chance(&mut random, 0..most, 5);
                assert_eq!(right(&modules, of, &case), Ok(()));
            }
        }
        for of in SOFT_CAP_CONFIGURATIONS {
            for (most, cap) in [(200, 0.5), (200, 2.0), (200, 30.0), (1500, 3.0)] {
                let case = Case::by_chance(&mut random, 0..most, 5);
                assert_eq!(right_with(&modules, of, &case, Some(cap)), Ok(()));
            }
        }
    }
}

#[test]
fn starts_that_lie_are_found() {
    let modules = emulated(Schedule::Late);
    assert_lies_are_found::<f16>(&modules, 64, BY_TMA);
}

/// Checks that starts beyond the tensors, and starts that decrease, lead to no rows outside the
/// tensors.
#[test]
fn starts_beyond_the_tensors_stay_inside() {
    let modules = emulated(Schedule::Early);
    let case = Case::of(&[[9, 9], [11, 11], [0, 0], [0, 0]], AttentionMask::Causal);
    let beyond = vec![0, 9, 4_000_000_000, u32::MAX, 2];
    let found = right_by::<bf16>(&modules, 128, &case, ([beyond.clone(), beyond], BY_TMA));
    assert_eq!(found, Ok(()));
}

#[test]
fn starts_of_different_numbers_of_sequences_are_refused() {
    let modules = emulated(Schedule::Early);
    let case = Case::of(&[[4, 4], [4, 4]], AttentionMask::Full);
    let refused = |told| right_by::<f16>(&modules, 64, &case, (told, BY_TMA)).unwrap_err();
    assert_eq!(
        refused([vec![0, 4, 8], vec![0, 8]]),
        "the starts of keys have 2 elements; 3 are those of the planned sequences and the end of the last"
    );
    assert_eq!(
        refused([vec![0], vec![0]]),
        "the number of sequences is 0; it must be at least 1"
    );
}
