//! Attention's kernels, forward, backward and of decoding: which launches each is checked at.
//!
//! ```text
//!   problem ─ plan on two multiprocessors ─► buffers, parameters, tensor maps ──► a launch, several tiles a CTA
//! ```
//!
//! Law: every kernel of the tables is launched, as a plan says and no other way.

use super::own::{Effort, Given, Own, of_spec};
use crate::attention::{SINK_GRADIENT, forward_configurations_by, gradient_configurations_by};
use emulator::{TensorElement, TensorMap, TensorSwizzle};
use gpu_kernels_sm90::attention::score::SoftCap;
use gpu_kernels_sm90::attention::{
    BACKWARD_CONFIGURATIONS, DECODE_CONFIGURATIONS, E4M3_DECODE_CONFIGURATIONS, FP8_CONFIGURATIONS,
    FUSED_BACKWARD_CONFIGURATIONS, LATENT_DECODE_CONFIGURATIONS, SOFT_CAP_DECODE_CONFIGURATIONS,
    SOFT_CAP_E4M3_DECODE_CONFIGURATIONS,
};
use kernel_abi::attention::{
    AttentionArgument, AttentionBackwardConfiguration, AttentionBackwardProblem,
    AttentionConfiguration, AttentionLoads, AttentionMapPlan, AttentionMask, AttentionParts,
    AttentionProblem, AttentionType, CacheElement, DecodeConfiguration, DecodeProblem,
    Fp8AttentionProblem, FusedBackwardConfiguration, KernelSequences, PackedAttentionProblem,
    PackedBackwardProblem, PagedAttentionProblem,
};
use kernel_abi::{BufferSpec, LaunchSpec};

const WINDOW: AttentionMask = AttentionMask::Window {
    before: 40,
    after: 9,
};
/// Queries and keys, heads of each, the mask, batches.
type Problem = ([u32; 2], [u32; 2], AttentionMask, u32);
/// One behind a tile and a few; several blocks of keys; rows without a key; less than a tile.
const PROBLEMS: [Problem; 8] = [
    ([129, 77], [2, 1], AttentionMask::Causal, 1),
    ([70, 300], [1, 1], AttentionMask::Full, 2),
    ([200, 257], [2, 2], WINDOW, 1),
    ([1, 1], [1, 1], AttentionMask::Full, 1),
    ([130, 9], [3, 1], AttentionMask::Causal, 2),
    ([256, 256], [2, 1], AttentionMask::Causal, 1),
    ([300, 129], [4, 2], WINDOW, 2),
    ([193, 400], [1, 1], AttentionMask::Full, 1),
];
/// Few, so that a CTA has several tiles.
const MULTIPROCESSORS: u32 = 2;

/// The problem number `number` of a kernel; every other one has no log-sum-exp.
fn problem(element: AttentionType, dim: u32, number: usize) -> AttentionProblem {
    let ([queries, keys], [heads, key_heads], mask, batches) = PROBLEMS[number];
    let problem = AttentionProblem::new(element, (batches, heads, queries, dim), mask, 0.1)
        .with_keys(keys, key_heads);
    match number % 2 {
        0 => problem.with_lse(),
        _ => problem,
    }
}

/// The problems of an effort.
fn numbers(effort: Effort) -> Vec<usize> {
    effort.of(&[0, 1, 2, 3, 4, 5, 6, 7], 2, 5)
}

/// Each configuration with each number of a problem.
fn each<C>(
    configurations: &'static [C],
    effort: Effort,
) -> impl Iterator<Item = (&'static C, usize)> {
    let of_one = move |of| numbers(effort).into_iter().map(move |i| (of, i));
    configurations.iter().flat_map(of_one)
}

/// The map of a buffer of its own.
fn map(element: AttentionType, of: &AttentionMapPlan) -> Given {
    let element = match element {
        AttentionType::F16 => TensorElement::F16,
        AttentionType::Bf16 => TensorElement::Bf16,
    };
    map_of(element, 2, of)
}

/// The map of a buffer of its own, of elements of so many bytes.
fn map_of(element: TensorElement, element_bytes: u32, of: &AttentionMapPlan) -> Given {
    let bytes = u64::from(element_bytes);
    let strides = of.strides.map(|stride| bytes * stride);
    // The buffer's address comes with the launch.
    let mut map = TensorMap::new(element, 0, &of.extents, &strides, &of.box_extents);
    map.swizzle = match of.swizzle_bytes(element_bytes) {
        64 => TensorSwizzle::B64,
        128 => TensorSwizzle::B128,
        _ => TensorSwizzle::None,
    };
    let [columns, outer @ ..] = of.extents;
    let last: u64 = outer.iter().zip(strides).map(|(n, by)| (n - 1) * by).sum();
    Given::Map {
        map: Box::new(map),
        bytes: (last + bytes * columns) as usize,
    }
}

/// A launch with its parameters, as 64-bit numbers, and its maps.
fn launch<const N: usize>(
    spec: &LaunchSpec<N>,
    of: &AttentionProblem,
    element_bytes: [usize; N],
    params: &[u64],
    maps: &[AttentionMapPlan],
) -> Own {
    let problem = format!(
        "queries = {}, keys = {}, heads = {} of {}, batches = {}, {:?}",
        of.queries, of.keys, of.heads, of.key_heads, of.batches, of.mask
    );
    let params = params.iter().flat_map(|word| word.to_le_bytes()).collect();
    let arguments =
        std::iter::once(Given::Bytes(params)).chain(maps.iter().map(|plan| map(of.element, plan)));
    of_spec(spec, problem, element_bytes, [0; N], arguments).of_hopper()
}

/// A launch behind whose arguments there are addresses of tensors, and their strides.
fn with_addresses(own: Own, inputs: &[BufferSpec], reads: &[u64]) -> Own {
    let mut own = own.of_every();
    own.arguments.extend(inputs.iter().map(|of| Given::Buffer {
        bytes: 2 * of.elements as usize,
        input: true,
        zeroed: 0,
    }));
    let reads = reads.iter().flat_map(|word| word.to_le_bytes()).collect();
    own.arguments.push(Given::Bytes(reads));
    own
}

/// The starts of two sequences of so many rows, and an empty one between them.
fn starts(rows: u32) -> Given {
    let starts = [0, rows / 3, rows / 3, rows].map(u32::to_le_bytes);
    Given::Written(starts.concat())
}

/// The kernels of the forward pass, each at the launches of its parts.
fn forward(effort: Effort) -> Vec<Own> {
    let ways = [AttentionLoads::Tma, AttentionLoads::CpAsync];
    let kernels = ways.into_iter().flat_map(forward_configurations_by);
    let each = kernels.flat_map(|of| numbers(effort).into_iter().map(move |i| (of, i)));
    let launches = each.flat_map(|(of, i)| {
        let packed = match of.parts.sequences {
            KernelSequences::Uniform => [Some(false), None],
            KernelSequences::Packed => [Some(true), None],
            KernelSequences::Either | KernelSequences::Paged => [Some(false), Some(true)],
        };
        let kinds = packed.into_iter().flatten();
        kinds.filter_map(move |packed| forward_launch(of, i, packed))
    });
    launches.collect()
}

/// The launch of the problem number `i` by a kernel; of packed sequences its rows are those of two
/// sequences and an empty one between them.
fn forward_launch(of: &AttentionConfiguration, i: usize, packed: bool) -> Option<Own> {
    let all = problem(of.element, of.dim, i).with_values(of.dim_v);
    if of.parts.sequences == KernelSequences::Paged {
        return paged_launch(of, all, packed);
    }
    let (own, plan) = if packed {
        let problem = PackedAttentionProblem {
            all: AttentionProblem { batches: 1, ..all },
            sequences: 3,
        };
        let plan = of.plan_packed(&problem, MULTIPROCESSORS).ok()?;
        let params = plan.params().to_u64s();
        let mut own = launch(plan.launch(), &problem.all, [2, 4, 4, 4], &params, &[]);
        // The starts come with the parts; numbers by chance would be none.
        own.arguments.drain(2..4);
        (own, *plan.all())
    } else {
        let plan = of.plan(&all, MULTIPROCESSORS).ok()?;
        let params = plan.params().to_u64s();
        (launch(plan.launch(), &all, [2, 4], &params, &[]), plan)
    };
    let mut own = match plan.loads() {
        AttentionLoads::Tma | AttentionLoads::TmaUmma => {
            let mut own = own;
            let maps = plan.maps().iter().map(|plan| map(of.element, plan));
            own.arguments.extend(maps);
            own
        }
        AttentionLoads::CpAsync => with_addresses(own, &plan.inputs(), &plan.reads().to_u64s()),
    };
    for argument in plan.parts().arguments() {
        own.arguments.push(of_part(argument, &all, packed)?);
    }
    Some(own)
}

/// An argument of a part, but of those of pages.
fn of_part(argument: AttentionArgument, all: &AttentionProblem, packed: bool) -> Option<Given> {
    let of_heads = |numbers: [f32; 3]| {
        let of_each = numbers.into_iter().cycle().take(all.heads as usize);
        Given::Written(of_each.flat_map(f32::to_le_bytes).collect())
    };
    Some(match argument {
        AttentionArgument::QueryStarts | AttentionArgument::KeyStarts if !packed => {
            Given::Bytes(0_u64.to_le_bytes().into())
        }
        AttentionArgument::QueryStarts => starts(all.queries),
        AttentionArgument::KeyStarts => starts(all.keys),
        AttentionArgument::SoftCap => soft_cap_bytes()?,
        AttentionArgument::Slopes => of_heads([0.5, 0.0, 0.01]),
        AttentionArgument::Sinks => of_heads([1.5, f32::NEG_INFINITY, -3.0]),
        AttentionArgument::KeyLengths | AttentionArgument::PageTable | AttentionArgument::Pages => {
            return None;
        }
    })
}

/// The launch of a kernel of keys in pages of 32: of packed queries two sequences and an empty one
/// between them; the last page of the cache comes first.
fn paged_launch(of: &AttentionConfiguration, all: AttentionProblem, packed: bool) -> Option<Own> {
    let sequences = if packed { 3 } else { all.batches };
    let table_pages = all.keys.div_ceil(32);
    let problem = PagedAttentionProblem {
        of: AttentionProblem {
            batches: if packed { 1 } else { all.batches },
            ..all.with_keys(32, all.key_heads)
        },
        sequences,
        packed,
        pages: sequences * table_pages,
        table_pages,
    };
    let plan = of.plan_paged(&problem, MULTIPROCESSORS).ok()?;
    let params = plan.params().to_u64s();
    let mut own = launch(plan.launch(), &all, [2, 4], &params, plan.maps());
    let written = |numbers: Vec<u32>| {
        Given::Written(numbers.into_iter().flat_map(u32::to_le_bytes).collect())
    };
    for argument in plan.parts().arguments() {
        own.arguments.push(match argument {
            AttentionArgument::KeyLengths => {
                written((0..sequences).map(|i| all.keys - i % all.keys).collect())
            }
            AttentionArgument::PageTable => written((0..problem.pages).rev().collect()),
            AttentionArgument::Pages => {
                Given::Bytes(problem.params().to_u32s().map(u32::to_le_bytes).concat())
            }
            other => of_part(other, &all, packed)?,
        });
    }
    Some(own)
}

/// The soft cap of the launches.
fn soft_cap_bytes() -> Option<Given> {
    let score = SoftCap::new(3.0)?.to_f32s().map(f32::to_le_bytes).concat();
    Some(Given::Bytes(score))
}

/// A launch behind whose arguments there is a soft cap.
fn with_soft_cap(mut own: Own) -> Option<Own> {
    own.arguments.push(soft_cap_bytes()?);
    Some(own)
}

/// The two kernels of 8-bit floats: V transposed, and attention with a scale of each head or one of
/// all.
fn fp8(effort: Effort) -> Vec<Own> {
    let launches = each(FP8_CONFIGURATIONS, effort).filter_map(|(of, i)| {
        let problem = Fp8AttentionProblem {
            of: problem(of.element, of.dim, i),
            scales_of_heads: i % 2 == 0,
        };
        let plan = of.plan_fp8(&problem, MULTIPROCESSORS).ok()?;
        let params = plan.params().to_u64s();
        let mut own = launch(plan.launch(), &problem.of, [2, 4, 4, 4, 4], &params, &[]);
        own.arguments.drain(2..5);
        let maps = plan.maps().iter();
        own.arguments
            .extend(maps.map(|map| map_of(TensorElement::U8, 1, map)));
        let scale = [0.75_f32.to_le_bytes(), 1.5_f32.to_le_bytes()].into_iter();
        let scales: Vec<u8> = (scale.cycle().take(problem.scales() as usize))
            .flatten()
            .collect();
        own.arguments
            .extend((0..3).map(|_| Given::Written(scales.clone())));
        let params = plan.transpose_params().to_u64s();
        let transpose = launch(plan.transpose(), &problem.of, [1, 1], &params, &[]);
        Some([transpose, own])
    });
    launches.flatten().collect()
}

/// The kernels of the gradients, each at the launches of its parts, and that of the sinks'.
fn backward(effort: Effort) -> Vec<Own> {
    let ways = [AttentionLoads::Tma, AttentionLoads::CpAsync];
    let kernels = ways.into_iter().flat_map(gradient_configurations_by);
    let each = kernels.flat_map(|of| numbers(effort).into_iter().map(move |i| (of, i)));
    let launches = each.filter_map(|(of, i)| match of.parts.sequences {
        KernelSequences::Packed => packed_backward_launches(of, i),
        _ => backward_launches(of, i),
    });
    let mut launches: Vec<Own> = launches.flatten().collect();
    launches.extend(numbers(effort).into_iter().filter_map(sink_launch));
    launches
}

/// The launches of gradients of the problem number `i` by kernels: of those with score parts the
/// kernel of the rows is one without, and not among them.
fn backward_launches(of: &AttentionBackwardConfiguration, i: usize) -> Option<Vec<Own>> {
    let problem = AttentionBackwardProblem::new(problem(of.element, of.dim, i));
    let plan = of.plan(&problem, MULTIPROCESSORS).ok()?;
    let forward = &problem.forward;
    let mut all = Vec::new();
    if of.parts == AttentionParts::NONE {
        let rows = plan.rows_params().to_u64s();
        let rows = launch(plan.rows(), forward, [2, 2, 4, 4], &rows, &[]);
        all.push(match of.loads {
            AttentionLoads::Tma | AttentionLoads::TmaUmma => rows,
            AttentionLoads::CpAsync => rows.of_every(),
        });
    }
    for tiles in [plan.keys(), plan.queries()] {
        let params = tiles.params().to_u64s();
        let mut own = match of.loads {
            AttentionLoads::Tma | AttentionLoads::TmaUmma => {
                launch(tiles.launch(), forward, [2, 2, 4], &params, tiles.maps())
            }
            AttentionLoads::CpAsync => {
                let own = launch(tiles.launch(), forward, [2, 2, 4], &params, &[]);
                with_addresses(own, &tiles.inputs(), &tiles.reads().to_u64s())
            }
        };
        for argument in plan.parts().arguments() {
            own.arguments.push(of_part(argument, forward, false)?);
        }
        all.push(own);
    }
    Some(all)
}

/// The launch of the sinks' gradient of the problem number `i`.
fn sink_launch(i: usize) -> Option<Own> {
    let of = &BACKWARD_CONFIGURATIONS[0];
    let problem = AttentionBackwardProblem::new(problem(of.element, of.dim, i));
    let plan = SINK_GRADIENT.plan(&of.plan(&problem, MULTIPROCESSORS).ok()?);
    let params = plan.params().to_u64s();
    let own = launch(plan.launch(), &problem.forward, [4; 3], &params, &[]);
    Some(own.of_every())
}

/// The three kernels of the fused gradients, of the same.
fn fused_backward(effort: Effort) -> Vec<Own> {
    let launches = each(FUSED_BACKWARD_CONFIGURATIONS, effort).filter_map(|(of, i)| {
        let problem = AttentionBackwardProblem::new(problem(of.element, of.dim, i));
        let plan = of.plan(&problem, MULTIPROCESSORS).ok()?;
        let forward = &problem.forward;
        // The sums are the last argument of both; they are zeros for the gradients.
        let params = plan.rows_params().to_u64s();
        let mut rows = launch(plan.rows(), forward, [2, 2, 4, 4, 4], &params, &[]);
        let sums = rows.arguments.remove(4);
        rows.arguments.push(sums);
        let params = plan.gradients().params().to_u64s();
        let maps = plan.gradients().maps();
        let of_gradients = plan.gradients().launch();
        let mut gradients = launch(of_gradients, forward, [2, 2, 4, 4], &params, maps);
        gradients.arguments.remove(3);
        let bytes = 4 * FusedBackwardConfiguration::sums(&problem) as usize;
        gradients.arguments.push(Given::Buffer {
            bytes,
            input: false,
            zeroed: bytes,
        });
        let params = plan.dq_params().to_u64s();
        let dq = launch(plan.dq(), forward, [2, 4], &params, &[]);
        Some([rows, gradients, dq])
    });
    launches.flatten().collect()
}

/// [`backward_launches`] of packed sequences: the rows of the problem, as [`forward_launch`] has
/// them.
fn packed_backward_launches(of: &AttentionBackwardConfiguration, i: usize) -> Option<Vec<Own>> {
    let all = problem(of.element, of.dim, i);
    let problem = PackedBackwardProblem {
        all: AttentionBackwardProblem::new(AttentionProblem { batches: 1, ..all }),
        sequences: 3,
    };
    let plan = of.plan_packed(&problem, MULTIPROCESSORS).ok()?;
    let forward = &problem.all.forward;
    let by_addresses = plan.loads() == AttentionLoads::CpAsync;
    let mut launches = Vec::new();
    if of.parts == AttentionParts::NONE.packed() {
        let params = plan.rows_params().to_u64s();
        let mut rows = launch(plan.rows(), forward, [2, 2, 4, 4, 4], &params, &[]);
        rows.arguments.remove(4);
        rows.arguments.push(starts(all.queries));
        launches.push(if by_addresses { rows.of_every() } else { rows });
    }
    for (tiles, [of_tile, streamed]) in [
        (plan.keys(), [all.keys, all.queries]),
        (plan.queries(), [all.queries, all.keys]),
    ] {
        let params = tiles.params().to_u64s();
        let buffers = [2, 2, 4, 4, 4];
        let maps: &[_] = if by_addresses { &[] } else { tiles.maps() };
        let mut own = launch(tiles.launch(), forward, buffers, &params, maps);
        // The starts come with the parts; numbers by chance would be none.
        own.arguments.drain(3..5);
        if by_addresses {
            own = with_addresses(own, &tiles.inputs(), &tiles.reads().to_u64s());
        }
        for argument in plan.parts().arguments() {
            own.arguments.push(match argument {
                AttentionArgument::QueryStarts => starts(of_tile),
                AttentionArgument::KeyStarts => starts(streamed),
                other => of_part(other, forward, true)?,
            });
        }
        launches.push(own);
    }
    Some(launches)
}

/// Heads of queries and of keys, page size, lengths.
type Decoding = ([u32; 2], u32, &'static [u32]);
/// A head in several CTAs, several heads in one; a page of several blocks; none, one, a page, one
/// more.
const DECODINGS: [Decoding; 4] = [
    ([8, 1], 16, &[300, 0, 17]),
    ([2, 2], 256, &[1, 257, 128, 500]),
    ([12, 3], 8, &[8, 9, 130]),
    ([64, 1], 64, &[64, 0, 0, 700]),
];

/// The two kernels of decoding, and the first with a soft cap.
fn decoding(effort: Effort) -> Vec<Own> {
    let plain = decoding_by(DECODE_CONFIGURATIONS, effort)
        .chain(decoding_by(LATENT_DECODE_CONFIGURATIONS, effort))
        .flatten();
    // Their parts are added by the kernels of a cache in 16 bits.
    let e4m3 = decoding_by(E4M3_DECODE_CONFIGURATIONS, effort).map(|[blocks, _]| blocks);
    let capped = decoding_by(SOFT_CAP_DECODE_CONFIGURATIONS, effort)
        .chain(decoding_by(SOFT_CAP_E4M3_DECODE_CONFIGURATIONS, effort));
    let capped = capped.filter_map(|[blocks, _]| with_soft_cap(blocks));
    plain.chain(e4m3).chain(capped).collect()
}

/// The two kernels of each configuration of decoding.
fn decoding_by(
    table: &'static [DecodeConfiguration],
    effort: Effort,
) -> impl Iterator<Item = [Own; 2]> {
    let numbers = move || effort.of(&[0, 1, 2, 3], 1, 3).into_iter();
    let all = (table.iter()).flat_map(move |of| numbers().map(move |i| (of, i)));
    all.filter_map(|(of, i)| {
        let (heads, page_size, lengths) = DECODINGS[i];
        let (element, dim, dim_v) = (of.attention.element, of.attention.dim, of.attention.dim_v);
        // Latent attention has one head of keys, and one query a sequence or several.
        let heads = if dim_v == dim { heads } else { [heads[0], 1] };
        let sequences = lengths.len() as u32;
        let most = lengths.iter().map(|of| of.div_ceil(page_size)).max()?;
        let pages = sequences * most;
        let problem = DecodeProblem {
            lse: i % 2 == 0,
            ..DecodeProblem::new(
                element,
                (sequences, heads, dim),
                (page_size, pages, most),
                0.1,
            )
        };
        let problem = match of.cache {
            CacheElement::OfQueries if dim_v != dim => problem.with_latent(dim_v, 1 + i as u32),
            CacheElement::OfQueries => problem,
            CacheElement::E4m3 => problem.with_e4m3(i % 2 == 0),
        };
        let plan = of.plan(&problem, MULTIPROCESSORS).ok()?;
        let said = format!("heads = {heads:?}, pages of {page_size}, lengths = {lengths:?}");
        let words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let numbers = |numbers: &[u32]| numbers.iter().flat_map(|of| of.to_le_bytes()).collect();
        let params = || Given::Bytes(words(&plan.params().to_u64s()));
        let decode = || Given::Bytes(words(&plan.decode().to_u64s()));
        let lengths = || Given::Written(numbers(lengths));
        // The last page first.
        let table: Vec<u32> = (0..pages).rev().collect();
        let mut blocks = of_spec(
            plan.attention(),
            said.clone(),
            [2, 4, 4, 4, 4, 4],
            [0; 6],
            std::iter::empty(),
        )
        .of_hopper();
        let parts = blocks.arguments.split_off(4);
        blocks.arguments.truncate(2);
        blocks.arguments.push(params());
        let [q, cache @ ..] = plan.maps();
        blocks.arguments.push(map(element, q));
        let maps = cache.iter().map(|plan| match of.cache {
            CacheElement::OfQueries => map(element, plan),
            CacheElement::E4m3 => map_of(TensorElement::U8, 1, plan),
        });
        blocks.arguments.extend(maps);
        blocks.arguments.push(lengths());
        blocks.arguments.push(Given::Written(numbers(&table)));
        blocks.arguments.extend(parts);
        blocks.arguments.push(decode());
        for spec in plan.scales().into_iter().flatten() {
            let scales = vec![0.75_f32.to_le_bytes(); spec.elements as usize];
            blocks.arguments.push(Given::Written(scales.concat()));
        }
        let mut combine = of_spec(
            plan.combine(),
            said,
            [2, 4, 4, 4, 4],
            [0; 5],
            std::iter::empty(),
        )
        .of_hopper();
        combine.arguments.truncate(4);
        combine.arguments.extend([lengths(), params(), decode()]);
        Some([blocks, combine])
    })
}

/// All of them.
pub(super) fn launches(effort: Effort) -> Vec<Own> {
    let mut all = forward(effort);
    all.extend(fp8(effort));
    all.extend(backward(effort));
    all.extend(fused_backward(effort));
    all.extend(decoding(effort));
    all
}

#[cfg(test)]
mod tests {
    use super::super::own::check;
    use super::*;
    use emulator::{Config, Program};

    /// The finding of the first launch, with V's buffer so many bytes shorter than its map says.
    fn finding(shorter: usize) -> Option<String> {
        let mut own = forward(Effort::Few).swap_remove(0);
        match own.arguments.last_mut() {
            Some(Given::Map { bytes, .. }) => *bytes -= shorter,
            _ => panic!("the last argument is the map of V"),
        }
        // Its kernel alone: all of Hopper's would have to be built.
        let module = crate::kernels::alone(own.kernel()).unwrap().unwrap();
        let program = Program::parse(&module).unwrap();
        let outcome = check(&program, &own, &Config::default());
        outcome.finding.map(|finding| finding.to_string())
    }

    #[test]
    fn a_map_of_more_than_its_buffer_is_found() {
        assert_eq!(finding(0), None);
        let said = finding(2).unwrap();
        assert!(said.contains("out of bounds"), "{said}");
    }
}
