//! Compares prefill from pages with float64: pages of 8 to 256 rows in a random order, queries of
//! one length and packed queries, fewer queries than keys, random compositions of score parts,
//! under every schedule of the emulator and on a GPU if there is one; NaN after each last key;
//! pages that sequences share. Checks that a wrong page and a wrong length are found, and that
//! options that do not fit together are refused.

mod common;

use common::emulated;
use common::sample::pushed;

use cutlet::attention::{
    AttentionConfiguration, AttentionLoads, AttentionMask, AttentionOperands, AttentionProblem,
    AttentionRequest, AttentionType, HeadTensor, HeadTensorMut, Heads, PagedKeys,
    forward_configurations_by, prepare_request,
};
use cutlet::check::{self, Effort};
use cutlet::kernels::Modules;
use cutlet::run::{PagedAttentionRun, RunOptions, ScoreRun, paged_attention};
use emulator::Schedule;
use half::bf16;
use host::reference::{
    Agreement, Allowance, Products, Random, attention_row, attention_row_allowance, fill,
};
use host::{Kind, Timing};
use kernel_abi::ArgumentName;
use kernel_abi::attention::KernelSequences;

fn kernels() -> Vec<&'static AttentionConfiguration> {
    let all = forward_configurations_by(AttentionLoads::Tma);
    all.filter(|of| of.parts.sequences == KernelSequences::Paged)
        .collect()
}

/// Returns a pseudorandom problem of a kernel, with queries of one length or packed queries.
fn by_chance(
    random: &mut Random,
    of: &AttentionConfiguration,
    packed: bool,
    most: u64,
) -> PagedAttentionRun {
    let mut below = |n: u64| random.below(n) as u32;
    let (heads, key_heads) = [(1, 1), (2, 1), (3, 3), (4, 2)][below(4) as usize];
    let queries = 1 + below(most);
    let count = 1 + below(3);
    let lengths = (0..count).map(|_| {
        let queries = if packed { below(most) } else { queries };
        // There may also be fewer keys than queries: then the first queries see no key under a
        // causal mask.
        [queries, below(2 * most)]
    });
    let mut lengths: Vec<[u32; 2]> = lengths.collect();
    lengths[0][0] = lengths[0][0].max(1);
    let mask = match below(3) {
        0 => AttentionMask::Full,
        1 => AttentionMask::Causal,
        _ => AttentionMask::Window {
            before: below(100),
            after: below(40),
        },
    };
    PagedAttentionRun {
        element: of.element,
        lengths,
        packed,
        heads: [heads, key_heads],
        dims: [of.dim, of.dim_v],
        page_size: 8 << below(6),
        mask,
        scale: Some(0.3),
        score: ScoreRun {
            soft_cap: of.parts.soft_cap.then_some(3.0),
            alibi: of.parts.alibi,
            sinks: of.parts.sinks,
        },
        loads: None,
        lse: true,
        seed: random.below(1 << 40),
        rows: 100,
    }
}

fn right(
    modules: &Modules,
    of: &AttentionConfiguration,
    run: &PagedAttentionRun,
) -> Result<(), String> {
    let options = RunOptions {
        timing: Some(Timing { warmup: 0, runs: 1 }),
        ..RunOptions::default()
    };
    match paged_attention(modules, run, &options) {
        Ok(outcome) if outcome.right() && outcome.launched.kernel == of.kernel => Ok(()),
        Ok(outcome) => Err(format!("{run:?}: {outcome:?}")),
        Err(error) => Err(format!("{run:?}: {error}")),
    }
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut random = Random::new(71);
    for schedule in [Schedule::Early, Schedule::Late, Schedule::Seeded(7)] {
        let modules = emulated(schedule);
        for of in pushed(kernels(), |of| of.kernel) {
            for packed in [false, true] {
                let run = by_chance(&mut random, of, packed, 200);
                assert_eq!(right(&modules, of, &run), Ok(()), "{schedule:?}");
            }
        }
    }
}

#[test]
fn a_gpu_is_right_too() {
    for device in common::devices() {
        if device.kind() != Kind::Gpu {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(72);
        for of in pushed(kernels(), |of| of.kernel) {
            for most in [200, 200, 2000] {
                for packed in [false, true] {
                    let run = by_chance(&mut random, of, packed, most);
                    assert_eq!(right(&modules, of, &run), Ok(()));
                }
            }
        }
    }
}

/// Checks that the manifest lists the arguments of each kernel as in the PTX, and that
/// `cutlet check` finds nothing.
#[test]
fn their_arguments_are_described_and_checked() {
    for of in pushed(kernels(), |of| of.kernel) {
        let ptx = cutlet::kernels::alone(of.kernel).unwrap().unwrap();
        let described = cutlet::manifest::manifest("kernel.ptx", &ptx).unwrap();
        let names: Vec<_> = (described.kernels[0].parameters.iter())
            .map(|parameter| parameter.name)
            .collect();
        let listed: Vec<_> = (of.arguments().iter()).map(|of| of.name.name()).collect();
        assert_eq!(names, listed);
        let checked = check::own(of.kernel, Effort::Few, &check::every_check()).unwrap();
        if let Some((launched, finding)) = checked.findings().next() {
            panic!("{} at {}: {finding}", of.kernel, launched.problem);
        }
        assert!(checked.launches.len() > 1, "{}", of.kernel);
    }
}

const PAGE: usize = 16;
const QUERIES: Heads = Heads {
    batches: 2,
    heads: 1,
    rows: 9,
    columns: 128,
};
const PAGES: Heads = Heads {
    batches: 5,
    rows: PAGE as u32,
    ..QUERIES
};

/// Whether the result of a launch with the lengths and pages `given` is float64's result for those
/// of `expected`. A cache of five pages has two sequences.
fn agrees(given: ([u32; 2], [u32; 4]), expected: ([u32; 2], [u32; 4])) -> bool {
    let modules = emulated(Schedule::Late);
    let device = modules.device();
    let q = fill::<bf16>(1, 2 * 9 * 128);
    let [k, v] = [2, 3].map(|seed| fill::<bf16>(seed, 5 * PAGE * 128));
    let [of_q, of_k, of_v] = [&q, &k, &v].map(|of| device.upload(of).unwrap());
    let (lengths, table) = (
        device.upload(&given.0).unwrap(),
        device.upload(&given.1).unwrap(),
    );
    let mut o = device.upload(&vec![bf16::ZERO; q.len()]).unwrap();
    let operands = AttentionOperands {
        q: HeadTensor::new(&of_q, QUERIES),
        k: HeadTensor::new(&of_k, PAGES),
        v: HeadTensor::new(&of_v, PAGES),
        o: HeadTensorMut::new(&mut o, QUERIES),
        lse: None,
    };
    let request = AttentionRequest {
        mask: AttentionMask::Causal,
        scale: Some(0.3),
        pages: Some(PagedKeys {
            lengths: lengths.all(),
            table: table.all(),
        }),
        ..AttentionRequest::default()
    };
    let prepared = prepare_request(&modules, operands, &request).unwrap();
    prepared.run(None).unwrap();
    drop(prepared);
    let (mut rows, mut allowed) = (Vec::new(), Allowance::default());
    for (row, q) in q.chunks_exact(128).enumerate() {
        let sequence = row / 9;
        let keys = expected.0[sequence];
        let of_sequence = |cache: &[bf16]| -> Vec<bf16> {
            let pages = expected.1[2 * sequence..][..2].iter();
            let rows = pages.flat_map(|&page| &cache[page as usize * PAGE * 128..][..PAGE * 128]);
            rows.copied().take(keys as usize * 128).collect()
        };
        let (k, v) = (of_sequence(&k), of_sequence(&v));
        let extents = (1, 1, 9, 128);
        let problem = AttentionProblem::new(AttentionType::Bf16, extents, request.mask, 0.3);
        let problem = problem.with_keys(keys, 1);
        rows.extend(attention_row(&problem, row % 9, q, &k, &v).0);
        let of = (q, &k[..], &v[..]);
        allowed.extend(&attention_row_allowance(&problem, row % 9, of, None, Products::Half).o);
    }
    let found = o.to_vec().unwrap();
    Agreement::of(&found, &rows, &allowed).unwrap().holds()
}

/// Checks two sequences that both begin with page 3, a shared prefix, and that another page or
/// length is found.
#[test]
fn pages_are_shared_and_others_are_found() {
    let of = ([29, 20], [3, 1, 3, 0]);
    assert!(agrees(of, of));
    assert!(!agrees((of.0, [3, 1, 3, 2]), of));
    assert!(!agrees((of.0, [1, 3, 3, 0]), of));
    assert!(!agrees(([28, 20], of.1), of));
    assert!(!agrees(([29, 21], of.1), of));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let mut random = Random::new(73);
    let of = kernels()[0];
    let run = by_chance(&mut random, of, false, 20);
    let refused = |run: PagedAttentionRun, modules: &Modules| {
        let outcome = paged_attention(modules, &run, &RunOptions::default());
        outcome.unwrap_err().to_string()
    };
    let modules = emulated(Schedule::Late);
    let loads = Some(AttentionLoads::CpAsync);
    assert_eq!(
        refused(
            PagedAttentionRun {
                loads,
                ..run.clone()
            },
            &modules
        ),
        "pages and loads by cp.async are not computed together: no kernel has both"
    );
    let page_size = 24;
    assert_eq!(
        refused(PagedAttentionRun { page_size, ..run }, &modules),
        "the page size is 24; it must be a power of two of at least 8"
    );
}
