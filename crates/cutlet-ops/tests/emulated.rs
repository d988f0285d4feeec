//! Compares the operators' results on the emulator with float64, and checks the refusals of
//! problems that have no launch.
//!
//! If this build has no file of kernels, the tests check that the error for every problem says so.

use cutlet_ops::kernel_abi::attention::{
    AttentionBackwardProblem, AttentionMask, AttentionProblem, AttentionType,
    PackedAttentionProblem, PackedBackwardProblem, PagedAttentionProblem,
};
use cutlet_ops::kernel_abi::gemm::{Epilogue, GemmProblem, InputType, OutputType};
use cutlet_ops::{
    AttentionScores, BackwardKernels, BufferRole, EMULATED_GPU, GpuTraits, LaunchSequence,
    OpsError, attention, attention_backward, attention_backward_packed, attention_packed,
    attention_paged, gemm, kernel_count,
};
use half::bf16;

/// A Hopper GPU. Its kernels read by tensor maps if this build has them.
const HOPPER: GpuTraits<'_> = GpuTraits {
    name: "NVIDIA H200",
    compute_capability: (9, 0),
    multiprocessors: 4,
    shared_bytes: 227 << 10,
};
const GPUS: [GpuTraits<'_>; 2] = [EMULATED_GPU, HOPPER];

/// Returns `n` random numbers between -1 and 1, rounded to bf16.
fn numbers(seed: u32, n: usize) -> Vec<f32> {
    let mut state = seed;
    let next = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        bf16::from_f32((state >> 8) as f32 / (1 << 23) as f32 - 1.0).to_f32()
    });
    next.take(n).collect()
}

fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    let halves = numbers.iter().map(|number| bf16::from_f32(*number));
    halves.flat_map(bf16::to_le_bytes).collect()
}

fn numbers_of(bytes: &[u8]) -> Vec<f32> {
    let halves = bytes
        .chunks_exact(2)
        .map(|of| bf16::from_le_bytes([of[0], of[1]]));
    halves.map(bf16::to_f32).collect()
}

/// Returns the bytes of a launch sequence's buffers: the given inputs, and zeros for every other
/// buffer.
fn buffers(of: &LaunchSequence, inputs: &[(&str, Vec<u8>)]) -> Vec<Vec<u8>> {
    let buffers = of.buffers().iter().map(|buffer| {
        let given = inputs.iter().find(|(name, _)| *name == buffer.name);
        given.map_or_else(
            || vec![0; buffer.bytes as usize],
            |(_, bytes)| bytes.clone(),
        )
    });
    buffers.collect()
}

fn run(gpu: &GpuTraits<'_>, of: &LaunchSequence, inputs: &[(&str, Vec<u8>)]) -> Vec<Vec<u8>> {
    let mut buffers = buffers(of, inputs);
    of.emulate(gpu.compute_capability, &mut buffers).unwrap();
    buffers
}

/// Computes one head's O in float64. Q, K and V have `dim` columns.
fn reference(of: [&[f32]; 3], dim: usize, scale: f64, score: impl Fn(f64, i64) -> f64) -> Vec<f64> {
    reference_with_sink(of, dim, (scale, f64::NEG_INFINITY), score)
}

/// Computes [`reference`] with one more logit, `sink`, in the denominator of each row.
fn reference_with_sink(
    of: [&[f32]; 3],
    dim: usize,
    (scale, sink): (f64, f64),
    score: impl Fn(f64, i64) -> f64,
) -> Vec<f64> {
    let [q, k, v] = of.map(|of| of.chunks(dim).collect::<Vec<_>>());
    let own = k.len() as i64 - q.len() as i64;
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let rows = q.iter().enumerate().flat_map(|(i, q)| {
        let scores = k.iter().enumerate().map(|(j, k)| {
            let distance = j as i64 - i as i64 - own;
            match distance > 0 {
                true => 0.0,
                false => score(scale * dot(q, k), distance).exp(),
            }
        });
        let weights: Vec<f64> = scores.collect();
        let sum = weights.iter().sum::<f64>() + sink.exp();
        let row = (0..dim).map(|column| {
            let all = weights
                .iter()
                .zip(&v)
                .map(|(weight, v)| weight * f64::from(v[column]));
            all.sum::<f64>() / sum
        });
        row.collect::<Vec<_>>()
    });
    rows.collect()
}

#[track_caller]
fn close(found: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let apart = (f64::from(*found) - expected).abs();
        assert!(
            apart <= tolerance * (1.0 + expected.abs()),
            "{i}: {found} for {expected}"
        );
    }
}

const CAUSAL: AttentionMask = AttentionMask::Causal;

fn problem(rows: u32) -> AttentionProblem {
    AttentionProblem::new(AttentionType::Bf16, (1, 1, rows, 64), CAUSAL, 0.125).with_lse()
}

/// Whether this build has kernels. If it has none, checks that the error says so.
fn has_kernels() -> bool {
    if kernel_count() > 0 {
        return true;
    }
    let refused = attention(
        &EMULATED_GPU,
        &problem(10),
        AttentionScores::default(),
        None,
    );
    assert!(refused.unwrap_err().to_string().contains("pack_kernels"));
    false
}

#[test]
fn attention_is_that_of_float64() {
    if !has_kernels() {
        return;
    }
    for gpu in GPUS {
        let [q, k, v] = [1, 2, 3].map(|seed| numbers(seed, 37 * 64));
        let inputs = [("Q", &q), ("K", &k), ("V", &v)].map(|(name, of)| (name, bytes_of(of)));
        let of = attention(&gpu, &problem(37), AttentionScores::default(), None).unwrap();
        let found = numbers_of(&run(&gpu, &of, &inputs)[0]);
        close(
            &found,
            &reference([&q, &k, &v], 64, 0.125, |score, _| score),
            1e-2,
        );
    }
}

/// Checks that each sequence of a packed problem is computed independently of the other sequences.
#[test]
fn packed_sequences_are_each_alone() {
    if !has_kernels() {
        return;
    }
    for gpu in GPUS {
        let [q, k, v] = [1, 2, 3].map(|seed| numbers(seed, 40 * 64));
        let starts = [0_u32, 11, 12, 40].map(u32::to_le_bytes).concat();
        let problem = PackedAttentionProblem {
            all: problem(40),
            sequences: 3,
        };
        let of = attention_packed(&gpu, &problem, AttentionScores::default(), None).unwrap();
        let mut inputs = [("Q", &q), ("K", &k), ("V", &v)]
            .map(|(name, of)| (name, bytes_of(of)))
            .to_vec();
        inputs.extend([
            ("the starts of queries", starts.clone()),
            ("the starts of keys", starts),
        ]);
        let found = numbers_of(&run(&gpu, &of, &inputs)[0]);
        for rows in [0..11, 11..12, 12..40] {
            let part = rows.start * 64..rows.end * 64;
            let alone = reference(
                [&q, &k, &v].map(|of| &of[part.clone()]),
                64,
                0.125,
                |score, _| score,
            );
            close(&found[part], &alone, 1e-2);
        }
    }
}

/// Checks dV for a loss that is the sum of O: the row of a key then has, in each column, the sum of
/// the key's probabilities.
#[test]
fn a_gradient_is_that_of_float64() {
    if !has_kernels() {
        return;
    }
    for gpu in GPUS {
        let [q, k, v] = [1, 2, 3].map(|seed| numbers(seed, 20 * 64));
        let mut inputs = [("Q", &q), ("K", &k), ("V", &v)]
            .map(|(name, of)| (name, bytes_of(of)))
            .to_vec();
        let of = attention(&gpu, &problem(20), AttentionScores::default(), None).unwrap();
        let forward = run(&gpu, &of, &inputs);
        inputs.extend([
            ("O", forward[0].clone()),
            ("LSE", forward[1].clone()),
            ("dO", bytes_of(&[1.0; 20 * 64])),
        ]);
        let gradients = AttentionBackwardProblem::new(problem(20));
        let of = attention_backward(
            &gpu,
            &gradients,
            AttentionScores::default(),
            BackwardKernels::Fastest,
            None,
        )
        .unwrap();
        assert_eq!(of.kernels().count(), 3);
        let found = run(&gpu, &of, &inputs);
        let dv = numbers_of(&found[2]);
        // O is linear in V. If one row of V has ones and the other rows have zeros, the sum of each
        // column of O is the value in that row of dV.
        for key in [0, 7, 19] {
            let mut one = vec![0.0; 20 * 64];
            one[key * 64..(key + 1) * 64].fill(1.0);
            let o = reference([&q, &k, &one], 64, 0.125, |score, _| score);
            let column: f64 = o.iter().step_by(64).sum();
            close(&dv[key * 64..(key + 1) * 64], &[column; 64], 3e-2);
        }
    }
}

/// Compares dQ, dK and dV with score functions, and the gradient of the sinks, with finite
/// differences in float64, for sequences of one length and for packed sequences, if this build has
/// such kernels.
#[test]
fn gradients_with_score_functions_are_those_of_float64() {
    if !has_kernels() {
        return;
    }
    let (rows, scale, cap, slope, sink) = (20, 0.5, 1.5_f32, 0.25_f32, 0.75_f32);
    let extents = (1, 1, rows as u32, 64);
    let forward = AttentionProblem::new(AttentionType::Bf16, extents, CAUSAL, scale as f32);
    let forward = forward.with_lse();
    let gradients = AttentionBackwardProblem::new(forward);
    let packed = (
        PackedAttentionProblem {
            all: forward,
            sequences: 1,
        },
        PackedBackwardProblem {
            all: gradients,
            sequences: 1,
        },
    );
    let tensors = [1, 2, 3].map(|seed| numbers(seed, rows * 64));
    let d_o = numbers(4, rows * 64);
    let starts = [0, rows as u32].map(u32::to_le_bytes).concat();
    for (soft_cap, alibi, sinks) in [
        (Some(cap), false, false),
        (None, true, false),
        (None, false, true),
        (Some(cap), true, true),
    ] {
        let scores = AttentionScores {
            soft_cap,
            alibi,
            sinks,
        };
        let loss = |of: &[Vec<f32>; 3], sink: f32| -> f64 {
            let of = of.each_ref().map(Vec::as_slice);
            let score = |score: f64, distance: i64| {
                let capped = soft_cap
                    .map(f64::from)
                    .map_or(score, |cap| cap * (score / cap).tanh());
                let slope = if alibi { f64::from(slope) } else { 0.0 };
                capped - slope * distance.unsigned_abs() as f64
            };
            let sink = if sinks {
                sink.into()
            } else {
                f64::NEG_INFINITY
            };
            let o = reference_with_sink(of, 64, (scale, sink), score);
            o.iter().zip(&d_o).map(|(o, by)| o * f64::from(*by)).sum()
        };
        for gpu in GPUS {
            let kernels = BackwardKernels::Fastest;
            let plans = [
                (
                    attention(&gpu, &forward, scores, None),
                    attention_backward(&gpu, &gradients, scores, kernels, None),
                ),
                (
                    attention_packed(&gpu, &packed.0, scores, None),
                    attention_backward_packed(&gpu, &packed.1, scores, None),
                ),
            ];
            for (forward, backward) in plans {
                let (Ok(forward), Ok(backward)) = (forward, backward) else {
                    // This build has no such kernels.
                    continue;
                };
                assert_eq!(backward.kernels().count(), if sinks { 4 } else { 3 });
                let names = ["Q", "K", "V"].into_iter().zip(&tensors);
                let mut inputs: Vec<_> = names.map(|(name, of)| (name, bytes_of(of))).collect();
                inputs.extend([
                    ("the starts of queries", starts.clone()),
                    ("the starts of keys", starts.clone()),
                    ("the slopes", slope.to_le_bytes().into()),
                    ("the sinks", sink.to_le_bytes().into()),
                ]);
                let o = run(&gpu, &forward, &inputs);
                inputs.extend([
                    ("O", o[0].clone()),
                    ("LSE", o[1].clone()),
                    ("dO", bytes_of(&d_o)),
                ]);
                let found = run(&gpu, &backward, &inputs);
                for (tensor, found) in found[..3].iter().enumerate() {
                    let found = numbers_of(found);
                    for at in [0, 5 * 64 + 3, 11 * 64 + 40, 19 * 64 + 63] {
                        let by = |step: f32| {
                            let mut moved = tensors.clone();
                            moved[tensor][at] += step;
                            loss(&moved, sink)
                        };
                        let expected = (by(1.0 / 128.0) - by(-1.0 / 128.0)) * 64.0;
                        close(&[found[at]], &[expected], 2e-2);
                    }
                }
                if sinks {
                    let by = |step: f32| loss(&tensors, sink + step);
                    let expected = (by(1.0 / 128.0) - by(-1.0 / 128.0)) * 64.0;
                    let buffers = backward.buffers().iter().zip(&found);
                    let mut buffers =
                        buffers.filter(|(of, _)| of.name == "the gradient of the sinks");
                    let (_, bytes) = buffers.next().unwrap();
                    let found = f32::from_le_bytes(bytes[..].try_into().unwrap());
                    close(&[found], &[expected], 2e-2);
                }
            }
        }
    }
}

/// Compares the fused kernels, which accumulate dQ in memory, with the kernels that compute seven
/// products, if this build has the fused kernels.
#[test]
fn fused_gradients_are_the_same() {
    if !has_kernels() {
        return;
    }
    for dim in [64, 128] {
        let (rows, extents) = (70, (1, 1, 70, dim as u32));
        let forward = AttentionProblem::new(AttentionType::Bf16, extents, CAUSAL, 0.1).with_lse();
        let gradients = AttentionBackwardProblem::new(forward);
        let of = |kernels| {
            attention_backward(
                &HOPPER,
                &gradients,
                AttentionScores::default(),
                kernels,
                None,
            )
        };
        let (Ok(fused), Ok(plain)) = (
            of(BackwardKernels::Fused),
            of(BackwardKernels::Deterministic),
        ) else {
            continue;
        };
        if !fused.kernels().any(|name| name.contains("fused")) {
            continue;
        }
        let of = |seed| bytes_of(&numbers(seed, rows * dim));
        let mut inputs = vec![("Q", of(1)), ("K", of(2)), ("V", of(3))];
        let plan = attention(&HOPPER, &forward, AttentionScores::default(), None).unwrap();
        let forward = run(&HOPPER, &plan, &inputs);
        inputs.extend([
            ("O", forward[0].clone()),
            ("LSE", forward[1].clone()),
            ("dO", of(4)),
        ]);
        let [fused, plain] = [fused, plain].map(|of| run(&HOPPER, &of, &inputs));
        for gradient in 0..3 {
            let expected = numbers_of(&plain[gradient]).into_iter().map(f64::from);
            close(
                &numbers_of(&fused[gradient]),
                &expected.collect::<Vec<_>>(),
                2e-2,
            );
        }
    }
}

#[test]
fn a_product_has_its_bias() {
    if !has_kernels() {
        return;
    }
    for gpu in GPUS {
        let (m, n, k) = (7, 24, 40);
        let [a, b] = [(1, m * k), (2, n * k)].map(|(seed, count)| numbers(seed, count));
        let bias: Vec<f32> = numbers(3, n);
        let epilogue = Epilogue {
            bias: true,
            ..Epilogue::NONE
        };
        let problem = GemmProblem::new(
            m as u32,
            n as u32,
            k as u32,
            InputType::Bf16,
            OutputType::Same,
        );
        let of = gemm(&gpu, &problem.with_epilogue(epilogue)).unwrap();
        let bias_bytes = bias.iter().flat_map(|of| of.to_le_bytes()).collect();
        let found = run(
            &gpu,
            &of,
            &[
                ("A", bytes_of(&a)),
                ("B", bytes_of(&b)),
                ("bias", bias_bytes),
            ],
        );
        let expected: Vec<f64> = (0..m * n)
            .map(|at| {
                let (i, j) = (at / n, at % n);
                let product = (0..k).map(|l| f64::from(a[i * k + l]) * f64::from(b[j * k + l]));
                product.sum::<f64>() + f64::from(bias[j])
            })
            .collect();
        close(&numbers_of(&found[0]), &expected, 1e-2);
    }
}

#[test]
fn what_is_not_computed_is_said() {
    if !has_kernels() {
        return;
    }
    let said = |problem, scores| attention(&EMULATED_GPU, &problem, scores, None).unwrap_err();
    let odd = AttentionProblem::new(AttentionType::Bf16, (1, 1, 10, 40), CAUSAL, 1.0);
    let refused = said(odd, AttentionScores::default()).to_string();
    assert!(
        refused.starts_with(
            "there is no kernel of attention for bf16 and head dimension 40: those here have "
        ),
        "{refused}"
    );
    let of = attention(
        &EMULATED_GPU,
        &problem(10),
        AttentionScores::default(),
        None,
    )
    .unwrap();
    let refused = of.emulate((8, 0), &mut []).unwrap_err();
    assert_eq!(
        refused,
        OpsError::Buffers {
            found: 0,
            expected: 5
        }
    );
    let mut short = buffers(&of, &[("K", vec![0; 3])]);
    let refused = of.emulate((8, 0), &mut short).unwrap_err().to_string();
    assert_eq!(refused, "K has 3 bytes; the launches access 1280");
    let roles: Vec<_> = of.buffers().iter().map(|of| of.role).collect();
    assert_eq!(
        roles[..3],
        [BufferRole::Output, BufferRole::Output, BufferRole::Input]
    );
}

/// Checks attention of packed queries to keys in pages, with a reference for each sequence, if this
/// build has such kernels.
#[test]
fn keys_in_pages_are_those_of_the_table() {
    if !has_kernels() {
        return;
    }
    let (dim, page, pages) = (128, 16, 6);
    let extents = (1, 1, 25, dim as u32);
    let of = AttentionProblem::new(AttentionType::Bf16, extents, CAUSAL, 0.1);
    let problem = PagedAttentionProblem {
        of: of.with_keys(page as u32, 1),
        sequences: 2,
        packed: true,
        pages,
        table_pages: 3,
    };
    let plan = match attention_paged(&HOPPER, &problem, AttentionScores::default()) {
        Ok(plan) => plan,
        Err(OpsError::Dimension { .. }) => return,
        Err(error) => panic!("{error}"),
    };
    let q = numbers(1, 25 * dim);
    let [k, v] = [2, 3].map(|seed| numbers(seed, pages as usize * page * dim));
    let words = |of: &[u32]| {
        of.iter()
            .flat_map(|word| word.to_le_bytes())
            .collect::<Vec<_>>()
    };
    // The first sequence has 20 queries and 37 keys, and the second 5 queries and 5 keys.
    let table: [[u32; 3]; 2] = [[4, 1, 3], [0, 0, 0]];
    let inputs = [
        ("Q", bytes_of(&q)),
        ("K", bytes_of(&k)),
        ("V", bytes_of(&v)),
        ("the starts of queries", words(&[0, 20, 25])),
        ("the lengths", words(&[37, 5])),
        ("the page table", words(table.as_flattened())),
    ];
    let found = numbers_of(&run(&HOPPER, &plan, &inputs)[0]);
    for (rows, keys, table) in [(0..20, 37, table[0]), (20..25, 5, table[1])] {
        let gathered = |of: &[f32]| -> Vec<f32> {
            let pages = table.iter().flat_map(|at| {
                let at = *at as usize * page * dim;
                of[at..at + page * dim].to_vec()
            });
            pages.take(keys * dim).collect()
        };
        let part = rows.start * dim..rows.end * dim;
        let of = [&q[part.clone()], &gathered(&k), &gathered(&v)];
        close(
            &found[part],
            &reference(of, dim, 0.1, |score, _| score),
            1e-2,
        );
    }
}

/// Checks each of the three score parts, if this build has its kernel.
#[test]
fn scores_are_those_of_float64() {
    if !has_kernels() {
        return;
    }
    let [q, k, v] = [1, 2, 3].map(|seed| numbers(seed, 21 * 64));
    let words = |of: f32| of.to_le_bytes().to_vec();
    let inputs = [
        ("Q", bytes_of(&q)),
        ("K", bytes_of(&k)),
        ("V", bytes_of(&v)),
        ("the slopes", words(0.25)),
        ("the sinks", words(f32::NEG_INFINITY)),
    ];
    let none = AttentionScores::default();
    let cap = |score: f64| 2.0 * (score / 2.0).tanh();
    let slope = |distance: i64| 0.25 * distance.abs() as f64;
    for (sinks, alibi, soft_cap) in [
        (true, false, false),
        (false, true, false),
        (false, false, true),
    ] {
        let scores = AttentionScores {
            sinks,
            alibi,
            soft_cap: soft_cap.then_some(2.0),
        };
        assert_ne!(scores, none);
        let of = match attention(&EMULATED_GPU, &problem(21), scores, None) {
            Ok(of) => of,
            // This build has no such kernel.
            Err(OpsError::Dimension { .. }) => continue,
            Err(error) => panic!("{error}"),
        };
        let found = numbers_of(&run(&EMULATED_GPU, &of, &inputs)[0]);
        let expected = reference([&q, &k, &v], 64, 0.125, |score, distance| {
            match (alibi, soft_cap) {
                (true, _) => score - slope(distance),
                (_, true) => cap(score),
                _ => score,
            }
        });
        close(&found, &expected, 1e-2);
    }
    let negative = AttentionScores {
        soft_cap: Some(-1.0),
        ..none
    };
    let refused = attention(&EMULATED_GPU, &problem(21), negative, None);
    assert_eq!(refused.unwrap_err(), OpsError::SoftCap(-1.0));
}
