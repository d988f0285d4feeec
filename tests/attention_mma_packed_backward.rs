//! Compares the gradients of packed sequences by `mma.sync` with float64 of each single sequence,
//! on the emulator and on every GPU from compute capability 8.0 on, and checks that planted
//! mistakes are found.
//!
//! ```text
//!   random lengths, with 0, 1 and odd ones, masks, grouped heads, both types           0 wrong
//!   one sequence                                                                       the bits of the kernels of one length
//!   wrong starts, a wait or a barrier taken away                                       found
//! ```

mod common;
#[path = "common/gradients.rs"]
mod gradients_of;
#[path = "common/mma_gradients.rs"]
mod mma_gradients;
#[path = "common/packed_gradients.rs"]
mod packed_gradients;

use common::packed::Case;
use common::sample::{MMA_DIMENSIONS, pushed};
use cutlet::CutletError;
use cutlet::attention::{
    AttentionBackwardConfiguration, AttentionBackwardOperands, AttentionBackwardOptions,
    AttentionBackwardProblem, AttentionElement, AttentionLoads, AttentionMask, AttentionParts,
    AttentionProblem, AttentionType, BackwardKernels, HeadTensor, HeadTensorMut, Heads,
    MMA_BACKWARD_CONFIGURATIONS, MMA_PACKED_BACKWARD_CONFIGURATIONS, PackedBackwardProblem,
    SequenceStarts, attention_backward_packed, packed_backward_plan, prepare_backward,
    prepare_backward_packed, starts,
};
use cutlet::kernels::Modules;
use gradients_of::By;
use half::{bf16, f16};
use host::reference::{Element, Random, fill};
use host::{Buffer, Device, EmulatorConfig, Kind};
use mma_gradients::{assert_mistakes_are_found, assert_the_command_compares};
use packed_gradients::{gradients, right_by};

/// A window that cuts blocks on both sides.
const WINDOW: AttentionMask = AttentionMask::Window {
    before: 60,
    after: 20,
};

/// Returns the kernels that a push tests.
fn tested() -> Vec<&'static AttentionBackwardConfiguration> {
    pushed(MMA_PACKED_BACKWARD_CONFIGURATIONS, |of| of.keys.kernel)
}

fn emulator() -> Device {
    Device::emulator()
}

fn right(modules: &Modules, of: &AttentionBackwardConfiguration, case: &Case) {
    if let Err(message) = gradients(modules, of, case, By::mma()) {
        panic!("{message}");
    }
}

/// Checks several tiles and blocks, a row more than a tile, odd lengths, 0 and 1, and heads that
/// share keys in pairs.
#[test]
fn every_kernel_is_right_with_every_mask() {
    let modules = Modules::load(&emulator()).unwrap();
    for of in tested() {
        for mask in [AttentionMask::Full, AttentionMask::Causal, WINDOW] {
            let case = Case::of(&[[129, 129], [0, 7], [1, 1], [77, 151], [64, 0]], mask);
            let case = Case {
                heads: [4, 2],
                ..case
            };
            right(&modules, of, &case);
        }
    }
}

#[test]
fn every_kernel_is_right_for_lengths_by_chance() {
    let modules = Modules::load(&emulator()).unwrap();
    let mut random = Random::new(71);
    for of in tested() {
        for _ in 0..4 {
            let case = Case::by_chance(&mut random, 0..200, 5);
            right(&modules, of, &case);
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
    for of in tested() {
        for (lengths, mask) in [
            // No sequence has a row, so nothing is written.
            (&[[0, 0], [0, 0]][..], AttentionMask::Full),
            (&[[0, 5], [1, 1], [0, 0], [1, 300]], AttentionMask::Causal),
            // Some queries have no keys, between other queries and at the end: their gradients are
            // zeros.
            (&[[3, 4], [2, 0], [130, 130], [5, 0]], AttentionMask::Full),
            // The last keys have no queries, and there are more queries than keys: some rows see no
            // key of their own sequence, and must not see the keys before.
            (
                &[[129, 9], [9, 129], [1, 0], [0, 40]],
                AttentionMask::Causal,
            ),
            (&[[140, 140], [63, 64], [65, 1]], narrow),
            (&[[1, 1]; 70], AttentionMask::Causal),
            (&[[1, 3]; 70], AttentionMask::Full),
        ] {
            right(&modules, of, &Case::of(lengths, mask));
        }
    }
}

/// Returns the bits of dQ, dK and dV of one sequence, by the kernels for packed sequences and by
/// those for one length.
fn bits_of_both<T: AttentionElement + Element>(
    modules: &Modules,
    dim: u32,
    mask: AttentionMask,
) -> [Vec<u16>; 2] {
    let device = modules.device();
    let queries = Heads {
        batches: 1,
        heads: 2,
        rows: 140,
        columns: dim,
    };
    let keys = Heads {
        heads: 1,
        rows: 131,
        ..queries
    };
    let elements = |of: Heads| (of.heads * of.rows * dim) as usize;
    let filled = |seed, of| device.upload(&fill::<T>(seed, elements(of))).unwrap();
    let [q, o, d_o] = [1, 2, 3].map(|seed| filled(seed, queries));
    let [k, v] = [4, 5].map(|seed| filled(seed, keys));
    let lse = device.upload(&[4.5_f32; 2 * 140]).unwrap();
    let [of_queries, of_keys] =
        [queries, keys].map(|of| device.upload(&starts(&[of.rows])).unwrap());
    [true, false].map(|packed| {
        let mut results: [Buffer<T>; 3] =
            [queries, keys, keys].map(|of| device.alloc(elements(of)).unwrap());
        let [dq, dk, dv] = &mut results;
        let operands = AttentionBackwardOperands {
            q: HeadTensor::new(&q, queries),
            k: HeadTensor::new(&k, keys),
            v: HeadTensor::new(&v, keys),
            o: HeadTensor::new(&o, queries),
            lse: lse.all(),
            d_o: HeadTensor::new(&d_o, queries),
            dq: HeadTensorMut::new(dq, queries),
            dk: HeadTensorMut::new(dk, keys),
            dv: HeadTensorMut::new(dv, keys),
        };
        let options = AttentionBackwardOptions {
            mask,
            kernels: BackwardKernels::Deterministic,
            loads: Some(AttentionLoads::CpAsync),
            ..AttentionBackwardOptions::default()
        };
        let sequences = SequenceStarts {
            queries: of_queries.all(),
            keys: of_keys.all(),
        };
        let prepared = match packed {
            true => prepare_backward_packed(modules, operands, sequences, options),
            false => prepare_backward(modules, operands, options),
        };
        prepared.unwrap().run(None).unwrap();
        let bits = |of: &Buffer<T>| bytemuck::cast_slice::<T, u16>(&of.to_vec().unwrap()).to_vec();
        results.iter().flat_map(bits).collect()
    })
}

#[test]
fn one_sequence_has_the_bits_of_the_kernels_of_one_length() {
    let modules = Modules::load(&emulator()).unwrap();
    for of in tested() {
        for mask in [AttentionMask::Full, AttentionMask::Causal, WINDOW] {
            let [packed, plain] = match of.element {
                AttentionType::F16 => bits_of_both::<f16>(&modules, of.dim, mask),
                AttentionType::Bf16 => bits_of_both::<bf16>(&modules, of.dim, mask),
            };
            assert!(packed == plain, "{}, {mask:?}", of.keys.kernel);
        }
    }
}

#[test]
fn the_bits_are_the_same_twice() {
    let of = tested()[0];
    let case = Case::of(&[[70, 130], [1, 1], [67, 9]], AttentionMask::Causal);
    let single = Device::emulator_with(EmulatorConfig {
        threads: Some(1),
        ..EmulatorConfig::default()
    });
    let [first, second] = [single, emulator()].map(|device| {
        let modules = Modules::load(&device).unwrap();
        gradients(&modules, of, &case, By::mma()).unwrap()
    });
    assert!(first == second);
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
        for of in tested() {
            let extents = (1, 2, 75, of.dim);
            let all = AttentionProblem::new(of.element, extents, AttentionMask::Causal, 0.125);
            let problem = PackedBackwardProblem {
                all: AttentionBackwardProblem::new(all),
                sequences: 2,
            };
            let parts = AttentionParts::NONE;
            let plan = packed_backward_plan(&device, &problem, parts, None).unwrap();
            assert_eq!(plan.loads(), AttentionLoads::CpAsync);
            assert_eq!(plan.keys().launch().kernel, of.keys.kernel);
            let case = Case::of(&[[70, 60], [5, 15]], AttentionMask::Causal);
            gradients(&modules, of, &case, By::kernels(BackwardKernels::Fastest)).unwrap();
        }
    }
}

/// Checks that the options of a call can request these kernels, and that the fused kernels are
/// refused.
#[test]
fn the_call_takes_them_where_they_are_asked_for() {
    let device = emulator();
    // The sequences have 1 and 2 rows, and the scores are 0: a query has a probability of 1 / n for
    // each of its n keys.
    let heads = Heads {
        batches: 1,
        heads: 1,
        rows: 3,
        columns: 64,
    };
    let zeros = device.upload(&[bf16::ZERO; 3 * 64]).unwrap();
    let ones = device.upload(&[bf16::ONE; 3 * 64]).unwrap();
    let lse = [0.0, 2.0_f32.ln(), 2.0_f32.ln()];
    let lse = device.upload(&lse).unwrap();
    let of_both = device.upload(&starts(&[1, 2])).unwrap();
    let call = |kernels| -> Result<[Vec<bf16>; 3], CutletError> {
        let mut results = [(); 3].map(|()| device.alloc::<bf16>(3 * 64).unwrap());
        let [dq, dk, dv] = &mut results;
        let operands = AttentionBackwardOperands {
            q: HeadTensor::new(&zeros, heads),
            k: HeadTensor::new(&zeros, heads),
            v: HeadTensor::new(&ones, heads),
            o: HeadTensor::new(&ones, heads),
            lse: lse.all(),
            d_o: HeadTensor::new(&ones, heads),
            dq: HeadTensorMut::new(dq, heads),
            dk: HeadTensorMut::new(dk, heads),
            dv: HeadTensorMut::new(dv, heads),
        };
        let sequences = SequenceStarts {
            queries: of_both.all(),
            keys: of_both.all(),
        };
        let options = AttentionBackwardOptions {
            kernels,
            loads: Some(AttentionLoads::CpAsync),
            ..AttentionBackwardOptions::default()
        };
        attention_backward_packed(&device, operands, sequences, options)?;
        Ok(results.map(|of| of.to_vec().unwrap()))
    };
    let [dq, dk, dv] = call(BackwardKernels::Fastest).unwrap();
    assert!(dv.iter().all(|&x| x == bf16::ONE));
    assert!(dq.iter().chain(&dk).all(|&x| x == bf16::ZERO));
    let refused = call(BackwardKernels::Fused).unwrap_err();
    assert!(matches!(refused, CutletError::NoFusedGradients { .. }));
}

/// Checks that rows after a sequence's last row are zeros for its kernels: the next sequence's
/// values there, NaN too, are not multiplied.
#[test]
fn rows_of_the_next_sequence_are_not_multiplied() {
    let modules = Modules::load(&emulator()).unwrap();
    let device = modules.device();
    let heads = Heads {
        batches: 1,
        heads: 1,
        rows: 80,
        columns: 64,
    };
    let of_both = device.upload(&starts(&[37, 43])).unwrap();
    let first = 37 * 64;
    let bits = |behind: Option<f32>| {
        let [q, k, v, o, d_o] = [1, 2, 3, 4, 5].map(|seed| {
            let mut rows = fill::<bf16>(seed, 80 * 64);
            if let Some(behind) = behind {
                rows[first..].fill(bf16::from_f32(behind));
            }
            device.upload(&rows).unwrap()
        });
        let mut lse = vec![4.0_f32; 80];
        lse[37..].fill(behind.unwrap_or(4.0));
        let lse = device.upload(&lse).unwrap();
        let mut results = [(); 3].map(|()| device.alloc::<bf16>(80 * 64).unwrap());
        let [dq, dk, dv] = &mut results;
        let operands = AttentionBackwardOperands {
            q: HeadTensor::new(&q, heads),
            k: HeadTensor::new(&k, heads),
            v: HeadTensor::new(&v, heads),
            o: HeadTensor::new(&o, heads),
            lse: lse.all(),
            d_o: HeadTensor::new(&d_o, heads),
            dq: HeadTensorMut::new(dq, heads),
            dk: HeadTensorMut::new(dk, heads),
            dv: HeadTensorMut::new(dv, heads),
        };
        let sequences = SequenceStarts {
            queries: of_both.all(),
            keys: of_both.all(),
        };
        let options = AttentionBackwardOptions {
            loads: Some(AttentionLoads::CpAsync),
            ..AttentionBackwardOptions::default()
        };
        let prepared = prepare_backward_packed(&modules, operands, sequences, options);
        prepared.unwrap().run(None).unwrap();
        results.map(|of| of.to_vec().unwrap())
    };
    let (finite, behind) = (bits(None), bits(Some(f32::NAN)));
    for (finite, behind) in finite.iter().zip(&behind) {
        assert!(finite[..first].iter().all(|x| x.is_finite()));
        assert!(finite[..first] == behind[..first]);
        assert!(behind[first..].iter().all(|x| x.is_nan()));
    }
}

/// Checks that each configuration is that of its plain kernels, one for each type and head
/// dimension.
#[test]
fn the_table_has_every_type_and_head_dimension() {
    let mut found = Vec::new();
    for of in MMA_PACKED_BACKWARD_CONFIGURATIONS {
        found.push((of.element.name(), of.dim));
        let mut all = MMA_BACKWARD_CONFIGURATIONS.iter();
        let plain = all.find(|plain| (plain.element, plain.dim) == (of.element, of.dim));
        let plain = plain.unwrap();
        assert_eq!(of.ctas, plain.ctas);
        for (of, plain) in [(of.keys, plain.keys), (of.queries, plain.queries)] {
            assert_eq!((of.tile, of.shared_bytes), (plain.tile, plain.shared_bytes));
        }
    }
    let all = ["f16", "bf16"].map(|element| MMA_DIMENSIONS.map(|dim| (element, dim)));
    assert_eq!(found, all.concat());
}

#[test]
fn a_gpu_is_right_too() {
    for device in common::devices() {
        if device.kind() != Kind::Gpu {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(72);
        for of in MMA_PACKED_BACKWARD_CONFIGURATIONS {
            let twice = |case: &Case| {
                let bits = || gradients(&modules, of, case, By::mma()).unwrap();
                assert!(bits() == bits(), "other bits");
            };
            for most in [300, 300, 300, 300, 1000] {
                twice(&Case::by_chance(&mut random, 0..most, 5));
            }
            twice(&Case::of(&[[1, 1]; 300], AttentionMask::Causal));
            for mask in [AttentionMask::Full, AttentionMask::Causal, WINDOW] {
                let [packed, plain] = match of.element {
                    AttentionType::F16 => bits_of_both::<f16>(&modules, of.dim, mask),
                    AttentionType::Bf16 => bits_of_both::<bf16>(&modules, of.dim, mask),
                };
                assert!(packed == plain, "{}, {mask:?}", of.keys.kernel);
            }
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
        right_by::<bf16>(&modules, 64, &case, (told, By::mma())).is_ok()
    };
    assert!(told(|_| ()));
    for change in [
        (|told| told[0][1] += 1) as fn(&mut [Vec<u32>; 2]),
        |told| told[1][1] -= 1,
        |told| told[1][2] -= 1,
    ] {
        assert!(!told(change));
    }
}

/// Checks that starts beyond the tensors, and starts that decrease, lead to no rows outside the
/// tensors.
#[test]
fn starts_beyond_the_tensors_stay_inside() {
    let modules = Modules::load(&emulator()).unwrap();
    let case = Case::of(&[[9, 9], [11, 11], [0, 0], [0, 0]], AttentionMask::Causal);
    let right = |starts: Vec<u32>| {
        let told = ([starts.clone(), starts], By::mma());
        right_by::<bf16>(&modules, 64, &case, told)
    };
    right(vec![0, 9, 4_000_000_000, u32::MAX, 2]).unwrap();
    // The result for these starts is not defined, but the emulator would report an access outside
    // the tensors.
    let said = right(vec![20, 3, 0, 17, 5]).expect_err("the sequences are others");
    assert!(said.contains("dQ") || said.contains("dK"), "{said}");
}

#[test]
fn mistakes_are_found() {
    let of = tested()[0];
    let case = Case::of(&[[128, 200], [30, 129]], AttentionMask::Causal);
    assert_mistakes_are_found(of, |modules| {
        gradients(modules, of, &case, By::mma()).map(|_| ())
    });
}

/// Checks that `cutlet attention --backward --lengths .. --loads cp-async` uses these kernels.
#[test]
fn the_command_compares_them() {
    assert_the_command_compares(tested()[0], "--lengths 70,0,33");
}
