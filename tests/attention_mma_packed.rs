//! Compares attention of packed sequences by `mma.sync`, with and without a soft cap, with float64
//! of each single sequence, on the emulator and on every GPU from compute capability 8.0 on, and
//! checks that planted mistakes are found.
//!
//! ```text
//!   random lengths, with 0, 1 and odd ones, masks, grouped heads, both types, the log-sum-exp           0 wrong
//!   wrong starts, a wait or a barrier taken away, another cap                                           found
//! ```

mod common;

use common::cutlet;
use common::packed::Case;
use common::packed_forward::{By, assert_lies_are_found, computed, right_by, right_with};
use common::ptx_text::{alone, entry, with_one_entry};
use common::sample::{MMA_DIMENSIONS, pushed};
use cutlet::attention::{
    AttentionConfiguration, AttentionElement, AttentionLoads, AttentionMask, AttentionOptions,
    AttentionType, HeadTensor, HeadTensorMut, Heads, MMA_CONFIGURATIONS, MMA_PACKED_CONFIGURATIONS,
    MMA_PACKED_SOFT_CAP_CONFIGURATIONS, SequenceStarts, attention_packed, packed_plan, starts,
};
use cutlet::kernels::Modules;
use cutlet::run::{PackedAttentionRun, RunOptions, ScoreRun, packed_attention};
use half::{bf16, f16};
use host::reference::{Element, Random};
use host::{Device, EmulatorConfig, Kind};
use std::process::Command;

/// Selects kernels that load by `cp.async`, without a soft cap.
const BY_CP_ASYNC: By = (AttentionLoads::CpAsync, None);

/// A window that cuts blocks on both sides.
const WINDOW: AttentionMask = AttentionMask::Window {
    before: 70,
    after: 20,
};

fn emulator() -> Device {
    Device::emulator_with(EmulatorConfig {
        multiprocessors: 2,
        ..EmulatorConfig::default()
    })
}

/// A kernel, and a soft cap if the kernel has a soft cap.
type Kernel = (&'static AttentionConfiguration, Option<f32>);

/// Returns the kernels that a push tests, from both tables: without a soft cap, and with a cap that
/// is near the scores.
fn kernels() -> Vec<Kernel> {
    [
        (MMA_PACKED_CONFIGURATIONS, None),
        (MMA_PACKED_SOFT_CAP_CONFIGURATIONS, Some(2.0)),
    ]
    .into_iter()
    .flat_map(|(table, cap)| {
        let all = pushed(table, |of| of.kernel).into_iter();
        all.map(move |of| (of, cap))
    })
    .collect()
}

/// Checks several tiles and blocks, a row more than a tile, odd lengths, 0 and 1, and heads that
/// share keys in pairs.
#[test]
fn every_kernel_is_right_with_every_mask() {
    let modules = Modules::load(&emulator()).unwrap();
    for (of, cap) in kernels() {
        for mask in [AttentionMask::Full, AttentionMask::Causal, WINDOW] {
            let case = Case::of(&[[129, 129], [0, 7], [1, 1], [77, 201], [64, 0]], mask);
            let case = Case {
                heads: [4, 2],
                ..case
            };
            assert_eq!(right_with(&modules, of, &case, cap), Ok(()));
        }
    }
}

#[test]
fn every_kernel_is_right_for_lengths_by_chance() {
    let modules = Modules::load(&emulator()).unwrap();
    let mut random = Random::new(61);
    for (of, cap) in kernels() {
        for _ in 0..4 {
            let case = Case::by_chance(&mut random, 0..200, 5);
            assert_eq!(right_with(&modules, of, &case, cap), Ok(()));
        }
    }
}

#[test]
fn lengths_of_no_rows_and_of_one_are_right() {
    let modules = Modules::load(&emulator()).unwrap();
    for (of, cap) in kernels() {
        for case in Case::edges() {
            assert_eq!(right_with(&modules, of, &case, cap), Ok(()));
        }
    }
}

/// Checks that devices other than Hopper choose these kernels by themselves, and that 99 KiB of
/// shared memory suffice for each kernel.
#[test]
fn devices_without_tma_take_them() {
    for (compute_capability, max_shared_per_block) in [((8, 0), 163 * 1024), ((8, 9), 99 * 1024)] {
        let device = Device::emulator_with(EmulatorConfig {
            compute_capability,
            max_shared_per_block,
            ..EmulatorConfig::default()
        });
        let modules = Modules::load(&device).unwrap();
        for kernel @ (of, _) in kernels() {
            let run = run(kernel, None);
            let problem = run.problem();
            let plan = packed_plan(&device, &problem, run.score.parts(), None);
            assert_eq!(plan.unwrap().launch().kernel, of.kernel);
            let outcome = packed_attention(&modules, &run, &RunOptions::default()).unwrap();
            assert!(outcome.right(), "{run:?}: {outcome:?}");
        }
    }
}

/// Returns a run of three sequences for a kernel; the second sequence is empty.
fn run((of, soft_cap): Kernel, loads: Option<AttentionLoads>) -> PackedAttentionRun {
    PackedAttentionRun {
        element: of.element,
        lengths: vec![70, 0, 133],
        heads: [2, 1],
        dim: of.dim,
        dim_v: None,
        mask: AttentionMask::Causal,
        scale: None,
        score: ScoreRun {
            soft_cap,
            ..ScoreRun::default()
        },
        loads,
        lse: true,
        seed: 5,
        rows: 1000,
    }
}

/// Checks that the command's run on Hopper uses these kernels if the run requests them.
#[test]
fn the_run_of_the_command_takes_them_where_they_are_asked_for() {
    let modules = Modules::load(&emulator()).unwrap();
    for kernel in kernels() {
        let run = run(kernel, Some(AttentionLoads::CpAsync));
        let outcome = packed_attention(&modules, &run, &RunOptions::default()).unwrap();
        assert!(outcome.right(), "{run:?}: {outcome:?}");
        assert_eq!(outcome.launched.kernel, kernel.0.kernel);
    }
}

/// Computes attention for two sequences, with 1 row and with 2 rows. A query has a score of 0 with
/// its sequence's first key, and of 16 or more with the second key, whose value is 1. Returns each
/// query's share of the second key.
fn in_one_call<T: AttentionElement + Element>(dim: u32, soft_cap: Option<f32>) -> Vec<f64> {
    let device = emulator();
    let heads = Heads {
        batches: 1,
        heads: 1,
        rows: 3,
        columns: dim,
    };
    let d = dim as usize;
    let on = |rows: [f64; 3]| {
        let rows: Vec<T> = (rows.iter())
            .flat_map(|&value| vec![T::from_f64(value); d])
            .collect();
        device.upload(&rows).unwrap()
    };
    let (q, k, v) = (on([1.0; 3]), on([0.0, 0.0, 2.0]), on([0.0, 0.0, 1.0]));
    let mut o = on([5.0; 3]);
    let of_both = device.upload(&starts(&[1, 2])).unwrap();
    let sequences = SequenceStarts {
        queries: of_both.all(),
        keys: of_both.all(),
    };
    let options = AttentionOptions {
        soft_cap,
        loads: Some(AttentionLoads::CpAsync),
        ..AttentionOptions::default()
    };
    let tensors = [&q, &k, &v].map(|of| HeadTensor::new(of, heads));
    let o_of = HeadTensorMut::new(&mut o, heads);
    attention_packed(&device, tensors, o_of, sequences, options).unwrap();
    let o = o.to_vec().unwrap();
    (0..3).map(|row| o[row * d].to_f64()).collect()
}

/// Checks that the options of a call can request these kernels, too. With a cap, each query of the
/// second sequence has the share `e^cap / (1 + e^cap)` of its second key, and without a cap the
/// share 1.
#[test]
fn the_call_takes_them_where_they_are_asked_for() {
    for (of, cap) in kernels() {
        let call = match of.element {
            AttentionType::F16 => in_one_call::<f16>,
            AttentionType::Bf16 => in_one_call::<bf16>,
        };
        let of_second = |cap: f64| cap.exp() / (1.0 + cap.exp());
        let caps: &[Option<f32>] = match cap {
            None => &[None],
            Some(_) => &[Some(1.0), Some(2.0)],
        };
        for &cap in caps {
            let found = call(of.dim, cap);
            let expected = cap.map_or(1.0, |cap| of_second(cap.into()));
            for (found, expected) in found.into_iter().zip([0.0, expected, expected]) {
                assert!((found - expected).abs() < 4e-3, "{cap:?}: {found}");
            }
        }
    }
}

/// Checks that rows of V after a sequence's last row are zeros for its kernel: the next sequence's
/// values there, NaN too, are not multiplied.
#[test]
fn values_of_the_next_sequence_are_not_multiplied() {
    let device = emulator();
    let heads = Heads {
        batches: 1,
        heads: 1,
        rows: 8,
        columns: 64,
    };
    let ones = device.upload(&[bf16::ONE; 8 * 64]).unwrap();
    let values: Vec<bf16> = (0..8 * 64)
        .map(|i| if i < 3 * 64 { bf16::ONE } else { bf16::NAN })
        .collect();
    let v = device.upload(&values).unwrap();
    let of_both = device.upload(&starts(&[3, 5])).unwrap();
    let mut o = device.upload(&[bf16::ZERO; 8 * 64]).unwrap();
    let [q, k, v] = [&ones, &ones, &v].map(|of| HeadTensor::new(of, heads));
    let sequences = SequenceStarts {
        queries: of_both.all(),
        keys: of_both.all(),
    };
    let options = AttentionOptions {
        loads: Some(AttentionLoads::CpAsync),
        ..AttentionOptions::default()
    };
    let o_of = HeadTensorMut::new(&mut o, heads);
    attention_packed(&device, [q, k, v], o_of, sequences, options).unwrap();
    let o = o.to_vec().unwrap();
    assert!(o[..3 * 64].iter().all(|&x| x == bf16::ONE));
    assert!(o[3 * 64..].iter().all(|x| x.is_nan()));
}

/// Checks that two runs give the same bits.
#[test]
fn the_bits_are_the_same_twice() {
    let modules = Modules::load(&emulator()).unwrap();
    for (of, cap) in kernels() {
        let case = Case::of(&[[130, 130], [1, 1], [67, 90]], AttentionMask::Causal);
        let told = || ([case.starts(0), case.starts(1)], (of.loads, cap));
        match of.element {
            AttentionType::F16 => {
                let bits = || computed::<f16>(&modules, of.dim, &case, told()).unwrap();
                assert_eq!(bits(), bits());
            }
            AttentionType::Bf16 => {
                let bits = || computed::<bf16>(&modules, of.dim, &case, told()).unwrap();
                assert_eq!(bits(), bits());
            }
        }
    }
}

/// Checks that each configuration is that of its plain kernel, one for each type and head
/// dimension.
#[test]
fn the_table_has_every_type_and_head_dimension() {
    for table in [
        MMA_PACKED_CONFIGURATIONS,
        MMA_PACKED_SOFT_CAP_CONFIGURATIONS,
    ] {
        let mut found = Vec::new();
        for of in table {
            found.push((of.element.name(), of.dim));
            let numbers = |of: &AttentionConfiguration| {
                (of.element, of.dim, of.tile, of.stages, of.shared_bytes)
            };
            let mut plain = MMA_CONFIGURATIONS.iter().map(numbers);
            assert!(plain.any(|plain| plain == numbers(of)), "{}", of.kernel);
        }
        let all = ["f16", "bf16"].map(|element| MMA_DIMENSIONS.map(|dim| (element, dim)));
        assert_eq!(found, all.concat());
    }
}

#[test]
fn a_gpu_is_right_too() {
    for device in common::devices() {
        if device.kind() != Kind::Gpu {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(62);
        for (table, caps) in [
            (MMA_PACKED_CONFIGURATIONS, [None; 5]),
            (
                MMA_PACKED_SOFT_CAP_CONFIGURATIONS,
                [0.5, 2.0, 3.0, 30.0, 1024.0].map(Some),
            ),
        ] {
            for of in table {
                for (most, cap) in [200, 200, 200, 200, 1500].into_iter().zip(caps) {
                    let case = Case::by_chance(&mut random, 0..most, 5);
                    assert_eq!(right_with(&modules, of, &case, cap), Ok(()));
                }
                let many = Case::of(&[[1, 1]; 300], AttentionMask::Causal);
                assert_eq!(right_with(&modules, of, &many, caps[0]), Ok(()));
            }
        }
    }
}

#[test]
fn starts_that_lie_are_found() {
    let modules = Modules::load(&emulator()).unwrap();
    assert_lies_are_found::<bf16>(&modules, 64, BY_CP_ASYNC);
}

/// Checks that starts beyond the tensors, and starts that decrease, lead to no rows outside the
/// tensors.
#[test]
fn starts_beyond_the_tensors_stay_inside() {
    let modules = Modules::load(&emulator()).unwrap();
    let case = Case::of(&[[9, 9], [11, 11], [0, 0], [0, 0]], AttentionMask::Causal);
    let beyond = vec![0, 9, 4_000_000_000, u32::MAX, 2];
    let told = ([beyond.clone(), beyond], BY_CP_ASYNC);
    assert_eq!(right_by::<bf16>(&modules, 64, &case, told), Ok(()));
    // The result for these starts is not defined, but the emulator would report an access outside
    // the tensors.
    let falling = vec![20, 3, 0, 17, 5];
    let told = ([falling.clone(), falling], BY_CP_ASYNC);
    let found = right_by::<bf16>(&modules, 64, &case, told);
    assert!(
        found.is_err_and(|error| error.contains("of O") || error.contains("log-sum-exp")),
        "starts that decrease are no sequences"
    );
}

/// Returns the message of a case whose kernel has a changed text.
fn with_a_mistake((of, cap): Kernel, (from, to): (&str, &str), case: &Case) -> String {
    let ptx = &alone(of.kernel);
    let text = entry(ptx, of.kernel);
    assert!(text.contains(from), "{} has no `{from}`", of.kernel);
    let changed = with_one_entry(ptx, of.kernel, &text.replace(from, to));
    let modules = Modules::from(emulator().load(&changed).unwrap());
    right_with(&modules, of, case, cap).expect_err("the mistake passes in silence")
}

/// Checks kernels with two stages. With one stage, an early read is of memory that was never
/// written, which is another finding.
#[test]
fn mistakes_are_found() {
    let all = kernels().into_iter();
    let of_two_stages: Vec<Kernel> = all.filter(|(of, _)| of.stages == 2).collect();
    assert!(!of_two_stages.is_empty());
    let case = Case::of(&[[128, 300], [30, 129]], AttentionMask::Causal);
    for (from, to, says) in [
        // K and V are read while their copies are in flight.
        ("cp.async.wait_group", "// cp.async.wait_group", "cp.async"),
        // A stage is read before the other warps' copies are complete, and filled while those warps
        // read it.
        ("bar.sync", "// bar.sync", "race"),
    ] {
        for &kernel in &of_two_stages {
            let message = with_a_mistake(kernel, (from, to), &case);
            assert!(message.contains(says), "{from}: {message}");
        }
    }
}

/// Checks a kernel that uses the soft cap's second number as its cap: no score is right, but no
/// access is out of bounds.
#[test]
fn another_cap_is_found() {
    let case = Case::of(&[[40, 50], [3, 129]], AttentionMask::Full);
    for kernel in kernels().into_iter().filter(|(_, cap)| cap.is_some()) {
        let message = with_a_mistake(kernel, ("_param_9]", "_param_9+4]"), &case);
        assert!(message.contains("log-sum-exp"), "{message}");
    }
}

/// Checks that `cutlet attention --lengths .. --loads cp-async` uses these kernels, also with
/// `--soft-cap`, and that it says that there are no gradients with a soft cap.
#[test]
fn the_command_takes_them_where_they_are_asked_for() {
    let command =
        "attention --device emulator --lengths 70,0,33 --key-heads 1 --causal --loads cp-async";
    for (of, cap) in kernels() {
        let said = |more: &[&str]| {
            let cap = cap.map(|cap| format!("--soft-cap={cap}"));
            let output = Command::new(cutlet())
                .args(command.split(' '))
                .args(["--dim", &of.dim.to_string(), "--dtype", of.element.name()])
                .args(cap)
                .args(more)
                .output()
                .unwrap();
            let text = [output.stdout, output.stderr].concat();
            let text = String::from_utf8_lossy(&text).into_owned();
            (output.status.code(), text)
        };
        let (code, text) = said(&[]);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains(of.kernel) && text.contains("right"), "{text}");
        if cap.is_some() {
            let (code, text) = said(&["--backward"]);
            assert_eq!(code, Some(0), "{text}");
            assert!(
                text.contains("soft_cap_backward") && text.contains("right"),
                "{text}"
            );
        }
    }
}
