//! Attention of packed sequences by `mma.sync` against float64 of each sequence alone, on the emulator and on every GPU from compute
//! capability 8.0 on, and with mistakes that are found.
//!
//! ```text
//!   lengths by chance, of 0, of 1 and odd ones, masks, grouped heads, both types, the log-sum-exp       0 wrong
//!   starts that lie, a wait or a barrier taken away                                                     found
//! ```

mod common;

use common::cutlet;
use common::packed::Case;
use common::packed_forward::{By, computed, right, right_by};
use common::ptx_text::{alone, entry, with_one_entry};
use common::sample::pushed;
use cutlet::CutletError;
use cutlet::attention::{
    AttentionLoads, AttentionMask, AttentionOptions, AttentionType, HeadTensor, HeadTensorMut,
    Heads, MMA_CONFIGURATIONS, MMA_PACKED_CONFIGURATIONS, SequenceStarts, attention_packed,
    packed_plan, packed_soft_cap_plan, starts,
};
use cutlet::kernels::Modules;
use cutlet::run::{PackedAttentionRun, RunOptions, packed_attention};
use half::{bf16, f16};
use host::reference::Random;
use host::{Device, EmulatorConfig, Kind};
use std::process::Command;

/// By `cp.async`, without a soft cap.
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

/// Several tiles and blocks, a row more than a tile, odd lengths, none and one; heads that share keys in pairs.
#[test]
fn every_kernel_is_right_with_every_mask() {
    let modules = Modules::load(&emulator()).unwrap();
    for of in pushed(MMA_PACKED_CONFIGURATIONS, |of| of.kernel) {
        for mask in [AttentionMask::Full, AttentionMask::Causal, WINDOW] {
            let case = Case::of(&[[129, 129], [0, 7], [1, 1], [77, 201], [64, 0]], mask);
            let case = Case {
                heads: [4, 2],
                ..case
            };
            assert_eq!(right(&modules, of, &case), Ok(()));
        }
    }
}

#[test]
fn every_kernel_is_right_for_lengths_by_chance() {
    let modules = Modules::load(&emulator()).unwrap();
    let mut random = Random::new(61);
    for of in pushed(MMA_PACKED_CONFIGURATIONS, |of| of.kernel) {
        for _ in 0..4 {
            let case = Case::by_chance(&mut random, 0..200, 5);
            assert_eq!(right(&modules, of, &case), Ok(()));
        }
    }
}

#[test]
fn lengths_of_no_rows_and_of_one_are_right() {
    let modules = Modules::load(&emulator()).unwrap();
    let narrow = AttentionMask::Window {
        before: 3,
        after: 2,
    };
    for of in pushed(MMA_PACKED_CONFIGURATIONS, |of| of.kernel) {
        for (lengths, mask) in [
            // None has a row: nothing is written.
            (&[[0, 0], [0, 0]][..], AttentionMask::Full),
            (&[[0, 5], [1, 1], [0, 0], [1, 300]], AttentionMask::Causal),
            // Queries without keys, between others and at the end.
            (&[[3, 4], [2, 0], [130, 130], [5, 0]], AttentionMask::Full),
            // More queries than keys: rows that see none of their own, and not those before.
            (&[[129, 9], [9, 129], [1, 0]], AttentionMask::Causal),
            (&[[260, 260], [127, 128], [128, 1]], narrow),
            (&[[1, 1]; 70], AttentionMask::Causal),
            (&[[1, 3]; 70], AttentionMask::Full),
        ] {
            assert_eq!(right(&modules, of, &Case::of(lengths, mask)), Ok(()));
        }
    }
}

/// What is not Hopper takes these kernels by itself, and of 99 KiB of shared memory each has enough.
#[test]
fn devices_without_tma_take_them() {
    for (compute_capability, max_shared_per_block) in [((8, 0), 163 * 1024), ((8, 9), 99 * 1024)] {
        let device = Device::emulator_with(EmulatorConfig {
            compute_capability,
            max_shared_per_block,
            ..EmulatorConfig::default()
        });
        let modules = Modules::load(&device).unwrap();
        for of in pushed(MMA_PACKED_CONFIGURATIONS, |of| of.kernel) {
            let run = run(of.element, of.dim, None);
            let plan = packed_plan(&device, &run.problem(), None).unwrap();
            assert_eq!(plan.launch().kernel, of.kernel);
            let outcome = packed_attention(&modules, &run, &RunOptions::default()).unwrap();
            assert!(outcome.right(), "{run:?}: {outcome:?}");
            let refused = packed_soft_cap_plan(&device, &run.problem()).unwrap_err();
            assert!(matches!(refused, CutletError::NoSoftCap { .. }));
        }
    }
}

/// Three sequences, one of them empty, of a kernel.
fn run(element: AttentionType, dim: u32, loads: Option<AttentionLoads>) -> PackedAttentionRun {
    PackedAttentionRun {
        element,
        lengths: vec![70, 0, 133],
        heads: [2, 1],
        dim,
        mask: AttentionMask::Causal,
        scale: None,
        soft_cap: None,
        loads,
        lse: true,
        seed: 5,
        rows: 1000,
    }
}

/// On a Hopper they are asked for.
#[test]
fn the_run_of_the_command_takes_them_where_they_are_asked_for() {
    let device = emulator();
    let of = pushed(MMA_PACKED_CONFIGURATIONS, |of| of.kernel)[0];
    let run = run(of.element, of.dim, Some(AttentionLoads::CpAsync));
    let outcome = packed_attention(
        &Modules::load(&device).unwrap(),
        &run,
        &RunOptions::default(),
    );
    let outcome = outcome.unwrap();
    assert!(outcome.right(), "{run:?}: {outcome:?}");
    assert_eq!(outcome.launched.kernel, of.kernel);
}

/// The options of a call ask for them, too; a soft cap is refused.
#[test]
fn the_call_takes_them_where_they_are_asked_for() {
    let device = emulator();
    let heads = Heads {
        batches: 1,
        heads: 1,
        rows: 8,
        columns: 64,
    };
    let ones = device.upload(&[bf16::ONE; 8 * 64]).unwrap();
    let values: Vec<bf16> = (0..8 * 64)
        .map(|i| bf16::from_f32(if i < 3 * 64 { 1.0 } else { 2.0 }))
        .collect();
    let v = device.upload(&values).unwrap();
    let of_both = device.upload(&starts(&[3, 5])).unwrap();
    let call = |soft_cap| {
        let mut o = device.upload(&[bf16::ZERO; 8 * 64]).unwrap();
        let [q, k, v] = [&ones, &ones, &v].map(|of| HeadTensor::new(of, heads));
        let sequences = SequenceStarts {
            queries: of_both.all(),
            keys: of_both.all(),
        };
        let options = AttentionOptions {
            mask: AttentionMask::Causal,
            soft_cap,
            loads: Some(AttentionLoads::CpAsync),
            ..AttentionOptions::default()
        };
        let o_of = HeadTensorMut::new(&mut o, heads);
        attention_packed(&device, [q, k, v], o_of, sequences, options)
            .map_err(|error| error.to_string())?;
        o.to_vec().map_err(|error| error.to_string())
    };
    assert_eq!(call(None), Ok(values.clone()));
    let refused = call(Some(2.0)).unwrap_err();
    assert!(
        refused.starts_with("there is no soft cap of packed sequences by mma.sync"),
        "{refused}"
    );
}

/// Rows of V behind a sequence's last are zeros to its kernel: what the next sequence has there, NaN too, is not multiplied.
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

/// The bits are the same on every run.
#[test]
fn the_bits_are_the_same_twice() {
    let modules = Modules::load(&emulator()).unwrap();
    for of in pushed(MMA_PACKED_CONFIGURATIONS, |of| of.kernel) {
        let case = Case::of(&[[130, 130], [1, 1], [67, 90]], AttentionMask::Causal);
        let told = || ([case.starts(0), case.starts(1)], BY_CP_ASYNC);
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

/// Each is its plain kernel's configuration, one for each type and head dimension.
#[test]
fn the_table_has_every_type_and_head_dimension() {
    let mut found = Vec::new();
    for of in MMA_PACKED_CONFIGURATIONS {
        found.push((of.element.name(), of.dim));
        let name = of.kernel.replace("packed_", "");
        let plain = MMA_CONFIGURATIONS.iter().find(|of| of.kernel == name);
        let plain = plain.unwrap();
        assert_eq!((of.tile, of.shared_bytes), (plain.tile, plain.shared_bytes));
    }
    let dims = [64, 96, 128, 192, 256];
    let all = ["f16", "bf16"].map(|element| dims.map(|dim| (element, dim)));
    assert_eq!(found, all.concat());
}

#[test]
fn a_gpu_is_right_too() {
    for device in common::devices() {
        if device.kind() != Kind::Gpu {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(62);
        for of in MMA_PACKED_CONFIGURATIONS {
            for most in [200, 200, 200, 200, 1500] {
                let case = Case::by_chance(&mut random, 0..most, 5);
                assert_eq!(right(&modules, of, &case), Ok(()));
            }
            let many = Case::of(&[[1, 1]; 300], AttentionMask::Causal);
            assert_eq!(right(&modules, of, &many), Ok(()));
        }
    }
}

#[test]
fn starts_that_lie_are_found() {
    let modules = Modules::load(&emulator()).unwrap();
    let case = Case::of(&[[40, 50], [30, 20]], AttentionMask::Full);
    let told = |change: fn(&mut [Vec<u32>; 2])| {
        let mut told = [case.starts(0), case.starts(1)];
        change(&mut told);
        right_by::<bf16>(&modules, 64, &case, (told, BY_CP_ASYNC))
    };
    assert_eq!(told(|_| ()), Ok(()));
    for change in [
        (|told| told[0][1] += 1) as fn(&mut [Vec<u32>; 2]),
        |told| told[1][1] -= 1,
        |told| told[1][2] -= 1,
    ] {
        assert!(told(change).unwrap_err().contains("log-sum-exp"));
    }
}

/// Starts beyond the tensors, and such as decrease, name no rows outside.
#[test]
fn starts_beyond_the_tensors_stay_inside() {
    let modules = Modules::load(&emulator()).unwrap();
    let case = Case::of(&[[9, 9], [11, 11], [0, 0], [0, 0]], AttentionMask::Causal);
    let beyond = vec![0, 9, 4_000_000_000, u32::MAX, 2];
    let told = ([beyond.clone(), beyond], BY_CP_ASYNC);
    assert_eq!(right_by::<bf16>(&modules, 64, &case, told), Ok(()));
    // Whatever these name is computed without an access outside, which the emulator would say.
    let falling = vec![20, 3, 0, 17, 5];
    let told = ([falling.clone(), falling], BY_CP_ASYNC);
    let found = right_by::<bf16>(&modules, 64, &case, told);
    assert!(
        found.is_err_and(|error| error.contains("of O") || error.contains("log-sum-exp")),
        "starts that decrease are no sequences"
    );
}

#[test]
fn mistakes_are_found() {
    let of = pushed(MMA_PACKED_CONFIGURATIONS, |of| of.kernel)[0];
    let ptx = &alone(of.kernel);
    let text = entry(ptx, of.kernel);
    let case = Case::of(&[[128, 300], [30, 129]], AttentionMask::Causal);
    for (from, to, says) in [
        // K and V are read while their copies are under way.
        ("cp.async.wait_group", "// cp.async.wait_group", "cp.async"),
        // A stage is read before the other warps' copies, and filled while they read it.
        ("bar.sync", "// bar.sync", "race"),
    ] {
        assert!(text.contains(from), "{} has no `{from}`", of.kernel);
        let changed = with_one_entry(ptx, of.kernel, &text.replace(from, to));
        let modules = Modules::from(emulator().load(&changed).unwrap());
        let message = right(&modules, of, &case).expect_err("the mistake passes in silence");
        assert!(message.contains(says), "{from}: {message}");
    }
}

/// `cutlet attention --lengths .. --loads cp-async` takes these kernels; of gradients it says that there are none.
#[test]
fn the_command_takes_them_where_they_are_asked_for() {
    let of = pushed(MMA_PACKED_CONFIGURATIONS, |of| of.kernel)[0];
    let command =
        "attention --device emulator --lengths 70,0,33 --key-heads 1 --causal --loads cp-async";
    let said = |more: &[&str]| {
        let output = Command::new(cutlet())
            .args(command.split(' '))
            .args(["--dim", &of.dim.to_string(), "--dtype", of.element.name()])
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
    let (code, text) = said(&["--backward"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("no gradients of packed sequences"), "{text}");
}
