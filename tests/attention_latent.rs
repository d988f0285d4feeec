//! Compares decoding of latent attention with float64: heads and queries as the rows of tiles,
//! pages in a random order, lengths of 0, fewer than the queries, a page and many pages, keys split
//! over any number of CTAs, under every schedule of the emulator and on a GPU if there is one.
//! Checks that mistakes in the exchange between the groups and in the mask are found.
//!
//! ```text
//!   rows     query 0: head 0 .. head h-1 │ query 1: head 0 .. │ ..        64 a tile
//!   keys     ├ block 0: group 0 ┼ block 1: group 1 ┼ block 2: group 0 ┤   rows after a sequence's last key are NaN
//! ```

mod common;

use common::ptx_text::{alone, entry, with_entries};
use cutlet::attention::{
    AttentionType, DecodeConfiguration, DecodeOperands, DecodeOptions, HeadTensor, HeadTensorMut,
    Heads, LATENT_DECODE_CONFIGURATIONS, PagedKeys, attention_decode, prepare_decode,
};
use cutlet::kernels::Modules;
use cutlet::run::{DecodeRun, Latent, RunOptions, decode};
use emulator::Schedule;
use half::bf16;
use host::reference::{Random, fill};
use host::{Device, Kind, Timing, entry_texts};
use serde_json::Value;
use std::process::Command;

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(7)];

fn emulator(schedule: Schedule) -> Device {
    common::emulator_of(3, schedule)
}

fn modules(schedule: Schedule) -> Modules {
    Modules::load(&emulator(schedule)).unwrap()
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

fn run(
    of: &DecodeConfiguration,
    lengths: &[u32],
    (heads, queries): (u32, u32),
    page_size: u32,
) -> DecodeRun {
    DecodeRun {
        element: of.attention.element,
        cache: of.cache,
        scales_of_heads: false,
        lengths: lengths.to_vec(),
        heads: [heads, 1],
        dim: of.attention.dim,
        latent: Some(Latent {
            dim_v: of.attention.dim_v,
            queries,
        }),
        page_size,
        scale: Some(0.1),
        ctas: None,
        soft_cap: None,
        seed: u64::from(page_size) + lengths.len() as u64,
        rows: 48,
    }
}

fn of_bf16() -> &'static DecodeConfiguration {
    let mut all = LATENT_DECODE_CONFIGURATIONS.iter();
    all.find(|of| of.attention.element == AttentionType::Bf16)
        .unwrap()
}

/// Returns a pseudorandom run: up to four sequences of up to `most` keys.
fn by_chance(random: &mut Random, of: &DecodeConfiguration, most: u64) -> DecodeRun {
    let mut below = |n: u64| random.below(n) as u32;
    let page_size = 8 << below(6);
    let lengths: Vec<u32> = (0..1 + below(4))
        .map(|_| match below(6) {
            0 => 0,
            1 => 1,
            2 => page_size,
            _ => below(most),
        })
        .collect();
    let rows = [(1, 1), (16, 1), (16, 3), (17, 5), (64, 2), (128, 1)][below(6) as usize];
    DecodeRun {
        ctas: [None, Some(1), Some(2), Some(7), Some(12)][below(5) as usize],
        ..run(of, &lengths, rows, page_size)
    }
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut random = Random::new(71);
    for schedule in SCHEDULES {
        let modules = modules(schedule);
        for of in LATENT_DECODE_CONFIGURATIONS {
            for most in [300, 600] {
                let run = by_chance(&mut random, of, most);
                assert_eq!(right(&modules, &run), Ok(()), "{schedule:?}");
            }
        }
    }
}

#[test]
fn lengths_at_the_edges_of_blocks_pages_and_queries_are_right() {
    let modules = modules(Schedule::Late);
    for (lengths, rows, page_size) in [
        // No sequence has a key.
        (&[0, 0][..], (16, 1), 64),
        // One block, two, and three: blocks are in pairs, and if their number is odd, the last
        // block has no partner.
        (&[63, 64, 65, 127, 128, 129, 192], (16, 1), 64),
        // There are fewer keys than queries, so some rows see no key.
        (&[1, 2, 3, 4], (8, 4), 16),
        // The mask's corner is in a block before the last block, and crosses tiles of rows.
        (&[66, 130, 64], (32, 5), 64),
        (&[300, 5], (128, 2), 128),
    ] {
        let run = run(of_bf16(), lengths, rows, page_size);
        assert_eq!(right(&modules, &run), Ok(()));
    }
}

#[test]
fn keys_are_split_over_any_number_of_ctas() {
    let modules = modules(Schedule::Seeded(5));
    // A sequence is in one CTA, in two, in each of several, and some CTAs have no block. Each share
    // has both tiles of rows.
    for ctas in [1, 2, 3, 7, 40] {
        let run = DecodeRun {
            ctas: Some(ctas),
            ..run(of_bf16(), &[1000, 0, 300], (48, 2), 64)
        };
        assert_eq!(right(&modules, &run), Ok(()));
    }
}

#[test]
fn a_gpu_is_right_too() {
    for device in common::devices() {
        if device.kind() != Kind::Gpu || device.compute_capability() != (9, 0) {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(72);
        for of in LATENT_DECODE_CONFIGURATIONS {
            for most in [300, 300, 2000, 2000, 20_000, 100_000] {
                let run = by_chance(&mut random, of, most);
                assert_eq!(right(&modules, &run), Ok(()));
            }
        }
    }
}

/// The tensors for one sequence with 70 keys in two pages of 64, and with four heads and one query.
struct Small {
    q: host::Buffer<bf16>,
    k: host::Buffer<bf16>,
    o: host::Buffer<bf16>,
    keys: [host::Buffer<u32>; 2],
}

const QUERIES: Heads = Heads {
    batches: 1,
    heads: 4,
    rows: 1,
    columns: 576,
};
const CACHE: Heads = Heads {
    batches: 2,
    heads: 1,
    rows: 64,
    columns: 576,
};

impl Small {
    fn new(device: &Device) -> Self {
        Self {
            q: device.upload(&fill::<bf16>(1, 4 * 576)).unwrap(),
            k: device.upload(&fill::<bf16>(2, 2 * 64 * 576)).unwrap(),
            o: device.alloc(4 * 512).unwrap(),
            keys: [
                device.upload(&[70]).unwrap(),
                device.upload(&[1, 0]).unwrap(),
            ],
        }
    }

    /// Returns the operands, where O has `of_o` columns and V is K's first `of_v` columns.
    fn operands(&mut self, of_o: u32, of_v: u32) -> DecodeOperands<'_, bf16> {
        let [lengths, table] = &self.keys;
        let k = HeadTensor::new(&self.k, CACHE);
        DecodeOperands {
            q: HeadTensor::new(&self.q, QUERIES),
            v: k.first_columns(of_v),
            k,
            scales: None,
            o: HeadTensorMut::new(&mut self.o, QUERIES.of_columns(of_o)),
            lse: None,
            keys: PagedKeys {
                lengths: lengths.all(),
                table: table.all(),
            },
        }
    }
}

#[test]
fn a_call_computes_what_the_plan_does() {
    let device = emulator(Schedule::Late);
    let modules = Modules::load(&device).unwrap();
    let mut small = Small::new(&device);
    let prepared = prepare_decode(&modules, small.operands(512, 512), None, Some(2)).unwrap();
    prepared.run(None).unwrap();
    drop(prepared);
    let planned = small.o.to_vec().unwrap();
    assert!(planned.iter().any(|of| of.to_f32() != 0.0));
    let options = DecodeOptions {
        ctas: Some(2),
        ..DecodeOptions::default()
    };
    let DecodeOperands {
        q, k, v, o, keys, ..
    } = small.operands(512, 512);
    attention_decode(&device, q, [k, v], o, keys, options).unwrap();
    assert_eq!(small.o.to_vec().unwrap(), planned);
}

#[test]
fn tensors_that_are_not_those_of_latent_attention_are_said() {
    let device = emulator(Schedule::Early);
    let modules = Modules::load(&device).unwrap();
    let mut small = Small::new(&device);
    fn said(modules: &Modules, operands: DecodeOperands<'_, bf16>) -> String {
        match prepare_decode(modules, operands, None, None) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    }
    assert_eq!(
        said(&modules, small.operands(256, 512)),
        "O has 256 columns, V has 512: they must be equal"
    );
    assert_eq!(
        said(&modules, small.operands(256, 256)),
        "attention_decode_mla_bf16_64x64 is not for this product: the head dimension of V differs"
    );
    let copied = device.upload(&fill::<bf16>(2, 2 * 64 * 512)).unwrap();
    let operands = DecodeOperands {
        v: HeadTensor::new(&copied, CACHE.of_columns(512)),
        ..small.operands(576, 512)
    };
    assert_eq!(
        said(&modules, operands),
        "V has 512 columns, K has 576: they must be equal"
    );
}

#[test]
fn mistakes_are_found() {
    let of = of_bf16();
    let (kernel, combine) = (of.attention.kernel, of.combine);
    let ptx = &(alone(kernel) + entry_texts(&alone(combine))[combine]);
    let (attention, parts) = (entry(ptx, kernel), entry(ptx, combine));
    let found = |attention: &str, schedule| {
        let changed = with_entries(ptx, &[(kernel, attention), (combine, parts)]);
        let modules = Modules::from(emulator(schedule).load(&changed).unwrap());
        right(&modules, &run(of, &[700, 0, 90], (16, 3), 64))
    };
    let changed = |from: &str, to: &str| {
        assert!(attention.contains(from), "{from}");
        attention.replace(from, to)
    };
    // Group 1 does not wait for group 0's P. No group waits for the other at the end of a tile. V's
    // rows after the last key are cleared, but the products do not see this. O is read while its
    // product is in flight.
    let mistakes = [
        (changed("bar.sync \t2, 256;", ""), "barrier"),
        (changed("bar.sync \t4, 256;", ""), "barrier"),
        (changed("fence.proxy.async.shared::cta;", ""), "proxy"),
        (
            changed(
                "wgmma.wait_group.sync.aligned \t0;",
                "wgmma.wait_group.sync.aligned \t1;",
            ),
            "wgmma",
        ),
    ];
    for schedule in SCHEDULES {
        assert_eq!(found(attention, schedule), Ok(()));
        for (changed, says) in &mistakes {
            let message = found(changed, schedule).unwrap_err();
            assert!(message.contains(says), "{schedule:?}: {message}");
        }
    }
}

#[test]
fn the_command_says_what_it_found() {
    let decode = |arguments: &str| {
        let arguments = format!("decode --mla --device emulator {arguments}");
        let mut cutlet = Command::new(common::cutlet());
        cutlet.args(arguments.split(' ')).output().unwrap()
    };
    let output = decode("--lengths 100,0,17 --heads 4 --queries 2 --dtype f16 --json");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(output.status.success(), "{report}");
    assert_eq!(report["verdict"], "right");
    assert_eq!(report["error"]["rows_compared"], 24);
    assert_eq!(report["problem"]["dim"], 576);
    assert_eq!(report["problem"]["dim_v"], 512);
    let output = decode("--lengths 100 --heads 16");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("V the first 512 columns of K"), "{said}");
    let refused = |arguments| {
        let output = decode(arguments);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused("--key-heads 2").contains("--key-heads"));
    assert!(refused("--soft-cap 3").contains("--soft-cap"));
}
