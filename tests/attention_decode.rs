//! Compares decoding with float64: pages in a random order, lengths of 0, 1, a page and many pages,
//! under every schedule of the emulator and on a GPU if there is one. Checks that a wrong page is
//! found, and parts that no kernel combines.
//!
//! ```text
//!   cache     ├ page 0 ┼ page 1 ┼ page 2 ┼ page 3 ┤     rows after a sequence's last key are NaN
//!   table     sequence 0: 3 1    sequence 1: -    sequence 2: 0
//! ```

mod common;

use common::ptx_text::{alone, entry, with_entries};
use common::sample::pushed;
use cutlet::attention::{
    AttentionType, CacheScales, DECODE_CONFIGURATIONS, DecodeConfiguration, DecodeOperands,
    DecodeOptions, E4M3_DECODE_CONFIGURATIONS, HeadTensor, HeadTensorMut, Heads, PagedKeys,
    SOFT_CAP_DECODE_CONFIGURATIONS, SOFT_CAP_E4M3_DECODE_CONFIGURATIONS, attention_decode,
    prepare_decode,
};
use cutlet::kernels::Modules;
use cutlet::run::{DecodeRun, RunOptions, decode};
use emulator::Schedule;
use half::bf16;
use host::reference::{Random, fill};
use host::{Device, EmulatorConfig, Kind, Timing, entry_texts};
use layout_types::atom::element::FloatE4M3;
use serde_json::Value;
use std::process::Command;

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(7)];

fn emulator(schedule: Schedule) -> Modules {
    common::load(&common::emulator_of(3, schedule))
}

fn right(modules: &Modules, run: &DecodeRun) -> Result<(), String> {
    let options = RunOptions {
        timing: Some(Timing { warmup: 0, runs: 1 }),
        ..RunOptions::default()
    };
    match decode(modules, run, &options) {
        Ok(outcome) if outcome.attention.right() => Ok(()),
        Ok(outcome) => Err(format!("{run:?}: {outcome:?}")),
        Err(error) => Err(format!("{run:?}: {error}")),
    }
}

fn run(of: &DecodeConfiguration, lengths: &[u32], heads: [u32; 2], page_size: u32) -> DecodeRun {
    DecodeRun {
        element: of.attention.element,
        cache: of.cache,
        scales_of_heads: lengths.len().is_multiple_of(2),
        lengths: lengths.to_vec(),
        heads,
        dim: of.attention.dim,
        latent: None,
        page_size,
        scale: None,
        ctas: None,
        soft_cap: None,
        seed: u64::from(page_size) + lengths.len() as u64,
        rows: 64,
    }
}

fn of_bf16(dim: u32) -> &'static DecodeConfiguration {
    let mut all = DECODE_CONFIGURATIONS.iter();
    all.find(|of| of.attention.element == AttentionType::Bf16 && of.attention.dim == dim)
        .unwrap()
}

fn bf16_d128() -> &'static DecodeConfiguration {
    of_bf16(128)
}

/// Returns a pseudorandom run: up to five sequences of up to `most` keys.
fn by_chance(random: &mut Random, of: &DecodeConfiguration, most: u64) -> DecodeRun {
    let mut below = |n: u64| random.below(n) as u32;
    let page_size = 8 << below(6);
    let lengths: Vec<u32> = (0..1 + below(5))
        .map(|_| match below(6) {
            0 => 0,
            1 => 1,
            2 => page_size,
            _ => below(most),
        })
        .collect();
    // The last pairs of heads are only for tiles of 64 rows.
    let fit = if of.attention.tile[0] == 64 { 7 } else { 6 };
    let heads = [[1, 1], [4, 1], [8, 1], [6, 3], [8, 2], [32, 2], [64, 1]][below(fit) as usize];
    DecodeRun {
        ctas: [None, Some(1), Some(2), Some(7)][below(4) as usize],
        ..run(of, &lengths, heads, page_size)
    }
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut random = Random::new(61);
    for schedule in SCHEDULES {
        let modules = emulator(schedule);
        for of in pushed(DECODE_CONFIGURATIONS, |of| of.attention.kernel) {
            let run = by_chance(&mut random, of, 700);
            assert_eq!(right(&modules, &run), Ok(()), "{schedule:?}");
        }
    }
}

/// Returns a pseudorandom run of a kernel of the table. It excludes runs that the plan gives to
/// another kernel, with fewer rows.
fn e4m3_by_chance(random: &mut Random, of: &DecodeConfiguration, most: u64) -> DecodeRun {
    let run = by_chance(random, of, most);
    match (of.attention.tile[0], random.below(3)) {
        (64, 0) => DecodeRun {
            heads: [40, 2],
            ..run
        },
        (64, 1) => DecodeRun {
            heads: [17, 1],
            ..run
        },
        (64, _) => DecodeRun {
            heads: [64, 1],
            ..run
        },
        _ => run,
    }
}

#[test]
fn every_kernel_of_a_cache_in_e4m3_is_right_under_every_schedule() {
    let mut random = Random::new(64);
    for schedule in SCHEDULES {
        let modules = emulator(schedule);
        for of in pushed(E4M3_DECODE_CONFIGURATIONS, |of| of.attention.kernel) {
            for _ in 0..2 {
                let run = e4m3_by_chance(&mut random, of, 700);
                assert_eq!(right(&modules, &run), Ok(()), "{schedule:?}");
            }
        }
        for of in pushed(SOFT_CAP_E4M3_DECODE_CONFIGURATIONS, |of| {
            of.attention.kernel
        }) {
            let run = DecodeRun {
                scale: Some(0.5),
                soft_cap: Some([0.5, 3.0, 30.0, 1024.0][random.below(4) as usize]),
                ..e4m3_by_chance(&mut random, of, 500)
            };
            assert_eq!(right(&modules, &run), Ok(()), "{schedule:?}");
        }
    }
}

/// Returns the configuration of a kernel that a push tests.
fn e4m3(kernel: &str) -> &'static DecodeConfiguration {
    let mut all = E4M3_DECODE_CONFIGURATIONS.iter();
    all.find(|of| of.attention.kernel == kernel).unwrap()
}

#[test]
fn a_cache_in_e4m3_is_right_at_the_edges_of_pages_blocks_and_warps() {
    let modules = emulator(Schedule::Late);
    let (of_16, of_64) = (
        e4m3("attention_decode_e4m3_bf16_d128_16x128_s6"),
        e4m3("attention_decode_e4m3_bf16_d128_64x128_s5"),
    );
    for (of, lengths, heads, page_size) in [
        // In the first case no sequence has a key. In the next, one warp has a key and the other
        // warps have none.
        (of_16, &[0, 0][..], [8, 1], 16),
        (of_16, &[1], [1, 1], 16),
        (of_16, &[15, 16, 17, 0, 31, 33], [16, 1], 16),
        (of_16, &[127, 128, 129], [4, 1], 32),
        // A page has two blocks, and each query head has a key head of its own.
        (of_16, &[255, 256, 257, 128], [4, 2], 256),
        (of_16, &[300, 5], [8, 8], 8),
        (of_64, &[15, 65, 127, 129, 0, 300], [33, 1], 16),
    ] {
        let run = run(of, lengths, heads, page_size);
        assert_eq!(right(&modules, &run), Ok(()));
    }
    // Heads are split into parts, with a scale for each key head and with one scale for all.
    for (ctas, scales_of_heads) in [(1, true), (2, false), (7, true), (40, false)] {
        let run = DecodeRun {
            ctas: Some(ctas),
            scales_of_heads,
            ..run(of_16, &[1000, 0, 300], [16, 2], 64)
        };
        assert_eq!(right(&modules, &run), Ok(()));
    }
}

/// Returns O for one sequence with nine keys, where all elements of a tensor are equal.
fn of_nine_keys(
    modules: &Modules,
    q: bf16,
    [k, v]: [FloatE4M3; 2],
    scales: Option<[&[f32]; 2]>,
) -> Result<Vec<f32>, String> {
    let device = modules.device();
    let queries = Heads {
        batches: 1,
        heads: 4,
        rows: 1,
        columns: 64,
    };
    let cache = Heads {
        heads: 2,
        rows: 16,
        ..queries
    };
    let q = device.upload(&[q; 4 * 64]).unwrap();
    let [k, v] = [k, v].map(|of| device.upload(&[of; 16 * 2 * 64]).unwrap());
    let scales = scales.map(|of| of.map(|of| device.upload(of).unwrap()));
    let (lengths, table) = (device.upload(&[9]).unwrap(), device.upload(&[0]).unwrap());
    let mut o = device.alloc::<bf16>(4 * 64).unwrap();
    let options = DecodeOptions {
        scales: scales.as_ref().map(|[k, v]| CacheScales {
            k: k.all(),
            v: v.all(),
        }),
        ..DecodeOptions::default()
    };
    attention_decode(
        device,
        HeadTensor::new(&q, queries),
        [HeadTensor::new(&k, cache), HeadTensor::new(&v, cache)],
        HeadTensorMut::new(&mut o, queries),
        PagedKeys {
            lengths: lengths.all(),
            table: table.all(),
        },
        options,
    )
    .map_err(|error| error.to_string())?;
    Ok(o.to_vec().unwrap().iter().map(|of| of.to_f32()).collect())
}

/// Checks that every value of e4m3 is decoded exactly, times its head's scale, and NaN as NaN.
#[test]
fn values_of_e4m3_are_exact() {
    let modules = emulator(Schedule::Late);
    for bits in 0..=255 {
        let value = FloatE4M3(bits);
        let scales: [&[f32]; 2] = [&[1.0, 1.0], &[0.5, 4.0]];
        let o = of_nine_keys(&modules, bf16::ONE, [value, value], Some(scales)).unwrap();
        for (head, of_head) in o.chunks(64).enumerate() {
            let expected = value.to_f32() * scales[1][head / 2];
            let same = |of: &f32| *of == expected || of.is_nan() && expected.is_nan();
            assert!(of_head.iter().all(same), "{bits} {of_head:?}");
        }
    }
}

/// Checks that queries of bf16 that f16 cannot represent are multiplied exactly.
#[test]
fn queries_beyond_f16_are_right() {
    let modules = emulator(Schedule::Late);
    for exponent in [-100, -30, 0, 30, 60] {
        let power = 2.0_f32.powi(exponent);
        let q = bf16::from_f32(power);
        let (one, scale) = (FloatE4M3::from_f32(1.0), [1.0 / power]);
        let o = of_nine_keys(&modules, q, [one; 2], Some([&scale, &[1.0]])).unwrap();
        assert!(o.iter().all(|of| *of == 1.0), "2^{exponent}: {o:?}");
    }
}

#[test]
fn scales_that_are_not_those_of_the_cache_are_said() {
    let modules = emulator(Schedule::Early);
    let one = [FloatE4M3::from_f32(1.0); 2];
    let said = |scales| of_nine_keys(&modules, bf16::ONE, one, scales).unwrap_err();
    let expected = "a cache in e4m3 has one of K and one of V, or 2 of each: one for each key head";
    assert_eq!(said(None), format!("there are 0 scales of K; {expected}"));
    let three: [&[f32]; 2] = [&[1.0; 3], &[1.0; 3]];
    assert_eq!(
        said(Some(three)),
        format!("there are 3 scales of K; {expected}")
    );
    let unlike: [&[f32]; 2] = [&[1.0; 2], &[1.0]];
    assert_eq!(
        said(Some(unlike)),
        format!("there are 1 scales of V; {expected}")
    );
}

/// Returns a pseudorandom run with a soft cap, and with a scale of the scores at which the cap
/// matters.
fn capped_by_chance(random: &mut Random, of: &DecodeConfiguration, most: u64) -> DecodeRun {
    let cap = [0.5, 3.0, 30.0, 1024.0][random.below(4) as usize];
    DecodeRun {
        scale: Some(0.5),
        soft_cap: Some(cap),
        ..by_chance(random, of, most)
    }
}

#[test]
fn every_kernel_with_a_soft_cap_is_right_under_every_schedule() {
    let mut random = Random::new(63);
    for schedule in SCHEDULES {
        let modules = emulator(schedule);
        for of in pushed(SOFT_CAP_DECODE_CONFIGURATIONS, |of| of.attention.kernel) {
            let run = capped_by_chance(&mut random, of, 500);
            assert_eq!(right(&modules, &run), Ok(()), "{schedule:?}");
        }
    }
}

/// Checks that a cap other than the reference's is found, and the lack of a cap.
#[test]
fn another_cap_is_found() {
    let modules = emulator(Schedule::Late);
    let device = modules.device();
    let said = |cap| {
        let heads = Heads {
            batches: 1,
            heads: 1,
            rows: 1,
            columns: 64,
        };
        let cache = Heads { rows: 8, ..heads };
        let ones = device.upload(&[bf16::ONE; 64]).unwrap();
        // There are two keys, with scores of 0 and 8 and values of 0 and 1.
        let rows = [[bf16::ZERO; 64], [bf16::ONE; 64]].concat();
        let both = device.upload(&[rows, vec![bf16::ZERO; 6 * 64]].concat());
        let both = both.unwrap();
        let (lengths, table) = (device.upload(&[2]).unwrap(), device.upload(&[0]).unwrap());
        let mut o = device.alloc::<bf16>(64).unwrap();
        let options = DecodeOptions {
            soft_cap: cap,
            ..DecodeOptions::default()
        };
        attention_decode(
            device,
            HeadTensor::new(&ones, heads),
            [&both; 2].map(|of| HeadTensor::new(of, cache)),
            HeadTensorMut::new(&mut o, heads),
            PagedKeys {
                lengths: lengths.all(),
                table: table.all(),
            },
            options,
        )
        .map_err(|error| error.to_string())?;
        Ok::<_, String>(o.to_vec().unwrap()[0].to_f32())
    };
    for cap in [1.0_f32, 3.0] {
        let weight = (cap * (8.0 / cap).tanh()).exp();
        let off = said(Some(cap)).unwrap() - weight / (1.0 + weight);
        assert!(off.abs() < 4e-3, "a cap of {cap}: {off}");
    }
    assert!(said(None).unwrap() > 0.999);
    for (cap, says) in [
        (-1.0, "the soft cap is -1; it must be above 0 and finite"),
        (1025.0, "the soft cap is 1025; a launch covers at most 1024"),
    ] {
        assert_eq!(said(Some(cap)), Err(says.into()));
    }
}

#[test]
fn lengths_at_the_edges_of_pages_and_blocks_are_right() {
    let modules = emulator(Schedule::Late);
    for (lengths, heads, page_size) in [
        // No sequence has a key.
        (&[0, 0][..], [8, 1], 16),
        (&[1], [1, 1], 16),
        (&[15, 16, 17, 0, 1], [8, 1], 16),
        (&[127, 128, 129], [4, 1], 32),
        // A page has two blocks.
        (&[255, 256, 257, 128], [4, 2], 256),
        // Each query head has a key head of its own, and there are more heads than CTAs.
        (&[300, 5], [8, 8], 8),
    ] {
        let run = run(bf16_d128(), lengths, heads, page_size);
        assert_eq!(right(&modules, &run), Ok(()));
    }
    // Blocks have 64 keys: first a block has several pages, then a page has two blocks.
    for (lengths, heads, page_size) in [
        (&[63, 64, 65, 0][..], [8, 1], 16),
        (&[127, 128, 129], [4, 2], 128),
    ] {
        let run = run(of_bf16(256), lengths, heads, page_size);
        assert_eq!(right(&modules, &run), Ok(()));
    }
}

#[test]
fn a_head_dimension_without_kernels_is_said() {
    for soft_cap in [None, Some(30.0)] {
        let run = DecodeRun {
            dim: 160,
            soft_cap,
            ..run(bf16_d128(), &[5], [1, 1], 8)
        };
        let said = right(&emulator(Schedule::Early), &run).unwrap_err();
        let there_is = "there is no attention of bf16 with a head dimension of 160; there is of 64, 96, 128, 192, 256";
        assert!(said.ends_with(there_is), "{said}");
    }
}

#[test]
fn keys_are_split_over_any_number_of_ctas() {
    let modules = emulator(Schedule::Seeded(5));
    // There are 20 blocks and more: a head is in one CTA, in two, in each of seven, and some CTAs
    // have no block.
    for ctas in [1, 2, 3, 7, 40] {
        let run = DecodeRun {
            ctas: Some(ctas),
            ..run(bf16_d128(), &[1000, 0, 300], [16, 2], 64)
        };
        assert_eq!(right(&modules, &run), Ok(()));
    }
}

/// Checks more sequences than a warp has threads. A warp looks for the first sequence of its CTA.
#[test]
fn many_sequences_are_right() {
    let modules = emulator(Schedule::Early);
    let lengths: Vec<u32> = (0..75).map(|i| [0, 3, 140][i % 3]).collect();
    let run = DecodeRun {
        ctas: Some(11),
        rows: 300,
        ..run(bf16_d128(), &lengths, [4, 1], 16)
    };
    assert_eq!(right(&modules, &run), Ok(()));
}

#[test]
fn a_gpu_is_right_too() {
    for device in common::devices() {
        if device.kind() != Kind::Gpu || device.compute_capability() != (9, 0) {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(62);
        for of in DECODE_CONFIGURATIONS {
            for most in [300, 300, 2000, 2000, 20_000, 100_000] {
                let run = by_chance(&mut random, of, most);
                assert_eq!(right(&modules, &run), Ok(()));
            }
        }
        for of in E4M3_DECODE_CONFIGURATIONS {
            for most in [300, 2000, 20_000, 100_000] {
                let run = e4m3_by_chance(&mut random, of, most);
                assert_eq!(right(&modules, &run), Ok(()));
            }
        }
        for of in SOFT_CAP_DECODE_CONFIGURATIONS {
            for most in [300, 2000, 20_000] {
                let run = capped_by_chance(&mut random, of, most);
                assert_eq!(right(&modules, &run), Ok(()));
            }
        }
    }
}

/// Returns O for two sequences with up to 40 and 20 keys, by these lengths and this page table. The
/// cache has six pages of 16 keys.
fn decoded(modules: &Modules, lengths: &[u32; 2], table: &[u32; 6]) -> Vec<bf16> {
    let device = modules.device();
    let queries = Heads {
        batches: 2,
        heads: 8,
        rows: 1,
        columns: 128,
    };
    let cache = Heads {
        batches: 6,
        heads: 1,
        rows: 16,
        columns: 128,
    };
    let q = device.upload(&fill::<bf16>(1, 2 * 8 * 128)).unwrap();
    let [k, v] = [2, 3].map(|seed| device.upload(&fill::<bf16>(seed, 6 * 16 * 128)).unwrap());
    let (lengths, table) = (
        device.upload(lengths).unwrap(),
        device.upload(table).unwrap(),
    );
    let mut o = device.alloc::<bf16>(2 * 8 * 128).unwrap();
    let operands = DecodeOperands {
        q: HeadTensor::new(&q, queries),
        k: HeadTensor::new(&k, cache),
        v: HeadTensor::new(&v, cache),
        scales: None,
        o: HeadTensorMut::new(&mut o, queries),
        lse: None,
        keys: PagedKeys {
            lengths: lengths.all(),
            table: table.all(),
        },
    };
    let prepared = prepare_decode(modules, operands, None, None).unwrap();
    prepared.run(None).unwrap();
    drop(prepared);
    o.to_vec().unwrap()
}

#[test]
fn a_wrong_page_changes_its_sequence_and_no_other() {
    let modules = emulator(Schedule::Late);
    let none = u32::MAX;
    let right = decoded(&modules, &[40, 20], &[4, 0, 2, 5, 1, none]);
    let of_sequence = |o: &[bf16], sequence: usize| o[sequence * 8 * 128..][..8 * 128].to_vec();
    // The table has another page, a page that the cache does not have, or a negative page: these
    // give zeros, and nothing outside the cache is read.
    for table in [
        [4, 0, 2, 5, 3, none],
        [4, 0, 2, 5, 6, none],
        [4, 0, 2, 5, none, none],
    ] {
        let wrong = decoded(&modules, &[40, 20], &table);
        assert_eq!(of_sequence(&wrong, 0), of_sequence(&right, 0));
        assert_ne!(of_sequence(&wrong, 1), of_sequence(&right, 1));
    }
    // Pages after a sequence's length are not read. A length beyond the table ends at the table's
    // last page.
    let same = decoded(&modules, &[40, 20], &[4, 0, 2, 5, 1, 7_000_000]);
    assert_eq!(same, right);
    let all = decoded(&modules, &[48, 20], &[4, 0, 2, 5, 1, none]);
    let beyond = decoded(&modules, &[4_000_000_000, 20], &[4, 0, 2, 5, 1, none]);
    assert_eq!(all, beyond);
    assert_ne!(all, right);
}

#[test]
fn mistakes_are_found() {
    let of = bf16_d128();
    let (kernel, combine) = (of.attention.kernel, of.combine);
    let ptx = &(alone(kernel) + entry_texts(&alone(combine))[combine]);
    let (attention, parts) = (entry(ptx, kernel), entry(ptx, combine));
    let found = |attention: &str, parts: &str, schedule| {
        let changed = with_entries(ptx, &[(kernel, attention), (combine, parts)]);
        let device = Device::emulator_with(EmulatorConfig {
            schedule,
            multiprocessors: 3,
            ..EmulatorConfig::default()
        });
        let modules = Modules::from(device.load(&changed).unwrap());
        right(&modules, &run(of, &[700, 0], [8, 1], 16))
    };
    // The parts are not combined, so a sequence without keys does not get zeros.
    let (head, body) = parts.split_once("{\n").unwrap();
    let nothing = format!("{head}{{\n\tret;\n{body}");
    for schedule in SCHEDULES {
        assert_eq!(found(attention, parts, schedule), Ok(()));
        let message = found(attention, &nothing, schedule).unwrap_err();
        assert!(message.contains("not_finite"), "{message}");
        // The scores are read while their product is in flight.
        let early = "wgmma.wait_group.sync.aligned \t1;";
        assert!(attention.contains(early));
        let changed = attention.replace(early, "wgmma.wait_group.sync.aligned \t2;");
        let message = found(&changed, parts, schedule).unwrap_err();
        assert!(message.contains("wgmma"), "{message}");
        // V's rows after the last key are cleared, but the products do not see this.
        let changed = attention.replace("fence.proxy.async.shared::cta;", "");
        assert_ne!(changed, attention);
        let message = found(&changed, parts, schedule).unwrap_err();
        assert!(message.contains("proxy"), "{message}");
    }
}

/// Checks a kernel for a cache in e4m3 whose warps do not wait for each other, and a kernel that
/// pairs keys of P with other keys of V.
#[test]
fn mistakes_with_a_cache_in_e4m3_are_found() {
    let of = e4m3("attention_decode_e4m3_bf16_d128_16x128_s6");
    let (kernel, combine) = (of.attention.kernel, of.combine);
    let ptx = &(alone(kernel) + entry_texts(&alone(combine))[combine]);
    let attention = entry(ptx, kernel);
    let found = |attention: &str, schedule| {
        let changed = with_entries(ptx, &[(kernel, attention)]);
        let device = Device::emulator_with(EmulatorConfig {
            schedule,
            multiprocessors: 3,
            ..EmulatorConfig::default()
        });
        let modules = Modules::from(device.load(&changed).unwrap());
        right(&modules, &run(of, &[700, 0], [8, 1], 16))
    };
    let changed = |from: &str, to: &str| {
        assert!(attention.contains(from), "{from}");
        attention.replace(from, to)
    };
    let (no_barrier, other_keys) = (
        changed("bar.sync \t1, 256;", ""),
        // 12576 and 12816 are 0x3120 and 0x3210, the bytes that `prmt` selects.
        changed(", 12576;", ", 12816;"),
    );
    for schedule in SCHEDULES {
        assert_eq!(found(attention, schedule), Ok(()));
        let message = found(&no_barrier, schedule).unwrap_err();
        assert!(message.contains("barrier"), "{message}");
        let message = found(&other_keys, schedule).unwrap_err();
        assert!(message.contains("DecodeOutcome"), "{message}");
    }
}

#[test]
fn the_command_says_what_it_found() {
    let decode = |arguments: &str| {
        let arguments = format!("decode --device emulator {arguments}");
        let mut cutlet = Command::new(common::cutlet());
        cutlet.args(arguments.split(' ')).output().unwrap()
    };
    let output = decode("--lengths 100,0,17 --page-size 16 --heads 4 --dtype f16 --dim 64 --json");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(output.status.success(), "{report}");
    assert_eq!(report["verdict"], "right");
    assert_eq!(report["error"]["rows_compared"], 12);
    assert_eq!(
        report["problem"]["lengths"],
        serde_json::json!([100, 0, 17])
    );
    let output = decode("--lengths 100,3 --dim 64 --cache e4m3 --heads 8 --key-heads 2 --json");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(output.status.success(), "{report}");
    assert_eq!(report["problem"]["cache"], "e4m3");
    let output = decode("--lengths 100 --dim 64 --scale 0.5 --soft-cap 2");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("softmax(2 tanh(0.5 q·Kᵀ / 2))·V"), "{said}");
    let refused = |arguments| {
        let output = decode(arguments);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let said = refused("--page-size 48");
    assert!(
        said.contains("the page size is 48; it must be a power of two of at least 8"),
        "{said}"
    );
    let said = refused("--heads 6 --key-heads 4");
    assert!(
        said.contains("the number of heads is 6; it must be a multiple of 4"),
        "{said}"
    );
}
