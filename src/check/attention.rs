//! The launches at which attention's kernels are checked: those of the forward pass, of the
//! gradients and of decoding.
//!
//! ```text
//!   problem ─ plan on two multiprocessors ─► buffers, parameters, tensor maps ──► a launch, several tiles a CTA
//! ```
//!
//! Law: every kernel of the tables is launched, and only as a plan says.

use super::own::{Effort, Given, Own, of_list};
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
    AttentionConfiguration, AttentionLoads, AttentionMapPlan, AttentionMask, AttentionParams,
    AttentionParts, AttentionPlan, AttentionProblem, AttentionType, CacheElement,
    DecodeConfiguration, DecodeProblem, Fp8AttentionProblem, FusedBackwardConfiguration,
    GradientPlan, KernelSequences, PackedAttentionProblem, PackedBackwardProblem,
    PagedAttentionProblem,
};
use kernel_abi::{BufferSpec, KernelArguments, LaunchSpec};

const WINDOW: AttentionMask = AttentionMask::Window {
    before: 40,
    after: 9,
};
/// A problem: queries and keys, the heads of each, the mask, and batches.
type Problem = ([u32; 2], [u32; 2], AttentionMask, u32);
/// The problems: one row more than a tile, and a few more; several blocks of keys; rows without a
/// key; less than a tile.
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
/// The number of multiprocessors for which plans are made. It is small, so that a CTA has several
/// tiles.
const MULTIPROCESSORS: u32 = 2;

/// Returns problem number `number` of a kernel. Problems with even numbers have a log-sum-exp.
fn problem(element: AttentionType, dim: u32, number: usize) -> AttentionProblem {
    let ([queries, keys], [heads, key_heads], mask, batches) = PROBLEMS[number];
    let problem = AttentionProblem::new(element, (batches, heads, queries, dim), mask, 0.1)
        .with_keys(keys, key_heads);
    match number % 2 {
        0 => problem.with_lse(),
        _ => problem,
    }
}

/// Returns the numbers of the problems of an effort.
fn numbers(effort: Effort) -> Vec<usize> {
    effort.of(&[0, 1, 2, 3, 4, 5, 6, 7], 2, 5)
}

/// Pairs each configuration with the number of each problem.
fn each<C>(
    configurations: &'static [C],
    effort: Effort,
) -> impl Iterator<Item = (&'static C, usize)> {
    let of_one = move |of| numbers(effort).into_iter().map(move |i| (of, i));
    configurations.iter().flat_map(of_one)
}

/// Returns a tensor map over a buffer of its own, of 16-bit elements.
fn map(element: AttentionType, of: &AttentionMapPlan) -> Given {
    let element = match element {
        AttentionType::F16 => TensorElement::F16,
        AttentionType::Bf16 => TensorElement::Bf16,
    };
    map_of(element, 2, of)
}

/// Returns a tensor map over a buffer of its own, of elements of `element_bytes` bytes.
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

/// Returns a structure made of 64-bit numbers.
fn words<const N: usize>(words: [u64; N]) -> Given {
    Given::Bytes(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// Returns a buffer that holds these numbers.
fn numbers_of<const N: usize>(numbers: impl IntoIterator<Item = [u8; N]>) -> Given {
    Given::Written(numbers.into_iter().flatten().collect())
}

/// Returns the buffer of a tensor of 16-bit elements that a kernel reads by its address.
fn tensor(of: &BufferSpec) -> Given {
    Given::Buffer {
        bytes: 2 * of.elements as usize,
        input: true,
        zeroed: 0,
    }
}

/// Returns the launch of a problem by one of Hopper's kernels. Each argument is what `given`
/// returns, or else the buffer that the plan lists.
fn launch<const N: usize>(
    spec: &LaunchSpec<N>,
    list: KernelArguments<AttentionArgument>,
    of: &AttentionProblem,
    given: impl Fn(AttentionArgument) -> Option<Given>,
) -> Option<Own> {
    let problem = format!(
        "queries = {}, keys = {}, heads = {} of {}, batches = {}, {:?}",
        of.queries, of.keys, of.heads, of.key_heads, of.batches, of.mask
    );
    Some(of_list(spec, problem, list, given)?.of_hopper())
}

/// Returns the launch, with its kernel from the module for every GPU if the kernel loads by
/// `cp.async`.
fn by(loads: AttentionLoads, own: Own) -> Own {
    match loads {
        AttentionLoads::Tma | AttentionLoads::TmaUmma => own,
        AttentionLoads::CpAsync => own.of_every(),
    }
}

/// Returns the starts of two sequences with `rows` rows in total, and of an empty sequence between
/// them.
fn starts(rows: u32) -> Given {
    let starts = [0, rows / 3, rows / 3, rows].map(u32::to_le_bytes);
    Given::Written(starts.concat())
}

/// Returns the launches of the kernels of the forward pass: each kernel gets the launches of its
/// parts.
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

/// Returns the launch of problem number `i` by a kernel. If it is packed, its rows are those of two
/// sequences and an empty one between them.
fn forward_launch(of: &AttentionConfiguration, i: usize, packed: bool) -> Option<Own> {
    let all = problem(of.element, of.dim, i).with_values(of.dim_v);
    if of.parts.sequences == KernelSequences::Paged {
        return paged_launch(of, all, packed);
    }
    if packed {
        let problem = PackedAttentionProblem {
            all: AttentionProblem { batches: 1, ..all },
            sequences: 3,
        };
        let plan = of.plan_packed(&problem, MULTIPROCESSORS).ok()?;
        let given = |argument| match argument {
            AttentionArgument::QueryStarts => Some(starts(all.queries)),
            AttentionArgument::KeyStarts => Some(starts(all.keys)),
            other => of_forward(plan.all(), plan.params(), other),
        };
        let list = plan.all().arguments();
        let own = launch(plan.launch(), list, &problem.all, given)?;
        return Some(by(plan.loads(), own));
    }
    let plan = of.plan(&all, MULTIPROCESSORS).ok()?;
    let given = |argument| of_forward(&plan, plan.params(), argument);
    let own = launch(plan.launch(), plan.arguments(), &all, given)?;
    Some(by(plan.loads(), own))
}

/// Returns an argument of a kernel of the forward pass by a plan, except O and the log-sum-exp. The
/// starts of sequences are null.
fn of_forward(
    plan: &AttentionPlan,
    params: &AttentionParams,
    argument: AttentionArgument,
) -> Option<Given> {
    let element = plan.problem().element;
    let [map_q, map_k, map_v] = plan.maps();
    let [q, k, v] = &plan.inputs();
    Some(match argument {
        AttentionArgument::Params => words(params.to_u64s()),
        AttentionArgument::MapQ => map(element, map_q),
        AttentionArgument::MapK => map(element, map_k),
        AttentionArgument::MapV => map(element, map_v),
        AttentionArgument::Q => tensor(q),
        AttentionArgument::K => tensor(k),
        AttentionArgument::V => tensor(v),
        AttentionArgument::Reads => words(plan.reads().to_u64s()),
        other => return of_part(other, plan.problem().heads),
    })
}

/// Returns an argument of a part, except those of pages. The starts of sequences are null.
fn of_part(argument: AttentionArgument, heads: u32) -> Option<Given> {
    let of_heads = |numbers: [f32; 3]| {
        let of_each = numbers.into_iter().cycle().take(heads as usize);
        numbers_of(of_each.map(f32::to_le_bytes))
    };
    Some(match argument {
        AttentionArgument::QueryStarts
        | AttentionArgument::KeyStarts
        | AttentionArgument::TileStarts
        | AttentionArgument::StreamedStarts => words([0]),
        AttentionArgument::SoftCap => {
            let score = SoftCap::new(3.0)?.to_f32s().map(f32::to_le_bytes).concat();
            Given::Bytes(score)
        }
        AttentionArgument::Slopes => of_heads([0.5, 0.0, 0.01]),
        AttentionArgument::Sinks => of_heads([1.5, f32::NEG_INFINITY, -3.0]),
        _ => return None,
    })
}

/// Returns the launch of a kernel whose keys are in pages of 32. Packed queries are two sequences
/// and an empty one between them. The last page of the cache comes first.
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
    let [map_q, map_k, map_v] = plan.maps();
    let given = |argument| {
        Some(match argument {
            AttentionArgument::Params => words(plan.params().to_u64s()),
            AttentionArgument::MapQ => map(of.element, map_q),
            AttentionArgument::MapK => map(of.element, map_k),
            AttentionArgument::MapV => map(of.element, map_v),
            AttentionArgument::QueryStarts if packed => starts(all.queries),
            AttentionArgument::KeyLengths => {
                numbers_of((0..sequences).map(|i| (all.keys - i % all.keys).to_le_bytes()))
            }
            AttentionArgument::PageTable => {
                numbers_of((0..problem.pages).rev().map(u32::to_le_bytes))
            }
            AttentionArgument::Pages => {
                Given::Bytes(problem.params().to_u32s().map(u32::to_le_bytes).concat())
            }
            other => return of_part(other, all.heads),
        })
    };
    launch(plan.launch(), plan.arguments(), &all, given)
}

/// Returns the launches of the two kernels of 8-bit floats: the transposition of V, and attention,
/// with one scale for each head or one for all.
fn fp8(effort: Effort) -> Vec<Own> {
    let launches = each(FP8_CONFIGURATIONS, effort).filter_map(|(of, i)| {
        let problem = Fp8AttentionProblem {
            of: problem(of.element, of.dim, i),
            scales_of_heads: i % 2 == 0,
        };
        let plan = of.plan_fp8(&problem, MULTIPROCESSORS).ok()?;
        let transpose = launch(
            plan.transpose(),
            plan.transpose_arguments(),
            &problem.of,
            |argument| match argument {
                AttentionArgument::Params => Some(words(plan.transpose_params().to_u64s())),
                _ => None,
            },
        )?;
        let [map_q, map_k, map_v] = plan.maps();
        let map = |of| Some(map_of(TensorElement::U8, 1, of));
        let given = |argument| match argument {
            AttentionArgument::Params => Some(words(plan.params().to_u64s())),
            AttentionArgument::MapQ => map(map_q),
            AttentionArgument::MapK => map(map_k),
            AttentionArgument::MapV => map(map_v),
            AttentionArgument::ScalesOfQ
            | AttentionArgument::ScalesOfK
            | AttentionArgument::ScalesOfV => {
                let scales = [0.75_f32, 1.5].into_iter().cycle();
                let scales = scales.take(problem.scales() as usize);
                Some(numbers_of(scales.map(f32::to_le_bytes)))
            }
            _ => None,
        };
        let own = launch(plan.launch(), plan.arguments(), &problem.of, given)?;
        Some([transpose, own])
    });
    launches.flatten().collect()
}

/// Returns the launches of the kernels of the gradients: each kernel gets the launches of its
/// parts, and the sinks' gradient gets its own.
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

/// Returns the launches of the gradients of problem number `i`. Kernels with score parts use the
/// kernel of the rows that has none, so that it is not launched for them.
fn backward_launches(of: &AttentionBackwardConfiguration, i: usize) -> Option<Vec<Own>> {
    let problem = AttentionBackwardProblem::new(problem(of.element, of.dim, i));
    let plan = of.plan(&problem, MULTIPROCESSORS).ok()?;
    let forward = &problem.forward;
    let mut all = Vec::new();
    if of.parts == AttentionParts::NONE {
        let params = |argument| match argument {
            AttentionArgument::Params => Some(words(plan.rows_params().to_u64s())),
            _ => None,
        };
        let rows = launch(plan.rows(), plan.rows_arguments(), forward, params)?;
        all.push(by(of.loads, rows));
    }
    for tiles in [plan.keys(), plan.queries()] {
        let given = |argument| of_tiles(tiles, forward, argument);
        let own = launch(tiles.launch(), tiles.arguments(), forward, given)?;
        all.push(by(of.loads, own));
    }
    Some(all)
}

/// Returns an argument of a kernel of tiles by a plan, except the gradients and the values of rows.
/// The starts of sequences are null.
fn of_tiles<const N: usize>(
    plan: &GradientPlan<N>,
    of: &AttentionProblem,
    argument: AttentionArgument,
) -> Option<Given> {
    let [map_x0, map_x1, map_y0, map_y1] = plan.maps();
    let [x_0, x_1, y_0, y_1] = &plan.inputs();
    Some(match argument {
        AttentionArgument::Params => words(plan.params().to_u64s()),
        AttentionArgument::MapX0 | AttentionArgument::MapK => map(of.element, map_x0),
        AttentionArgument::MapX1 | AttentionArgument::MapV => map(of.element, map_x1),
        AttentionArgument::MapY0 | AttentionArgument::MapQ => map(of.element, map_y0),
        AttentionArgument::MapY1 | AttentionArgument::MapGradientOfO => map(of.element, map_y1),
        AttentionArgument::X0 => tensor(x_0),
        AttentionArgument::X1 => tensor(x_1),
        AttentionArgument::Y0 => tensor(y_0),
        AttentionArgument::Y1 => tensor(y_1),
        AttentionArgument::Reads => words(plan.reads().to_u64s()),
        other => return of_part(other, of.heads),
    })
}

/// Returns the launch of the sinks' gradient of problem number `i`.
fn sink_launch(i: usize) -> Option<Own> {
    let of = &BACKWARD_CONFIGURATIONS[0];
    let problem = AttentionBackwardProblem::new(problem(of.element, of.dim, i));
    let plan = SINK_GRADIENT.plan(&of.plan(&problem, MULTIPROCESSORS).ok()?);
    let params = |argument| match argument {
        AttentionArgument::Params => Some(words(plan.params().to_u64s())),
        _ => None,
    };
    let own = launch(plan.launch(), plan.arguments(), &problem.forward, params)?;
    Some(own.of_every())
}

/// Returns the launches of the three kernels of the fused gradients.
fn fused_backward(effort: Effort) -> Vec<Own> {
    let launches = each(FUSED_BACKWARD_CONFIGURATIONS, effort).filter_map(|(of, i)| {
        let problem = AttentionBackwardProblem::new(problem(of.element, of.dim, i));
        let plan = of.plan(&problem, MULTIPROCESSORS).ok()?;
        let forward = &problem.forward;
        let params = |argument| match argument {
            AttentionArgument::Params => Some(words(plan.rows_params().to_u64s())),
            _ => None,
        };
        let rows = launch(plan.rows(), plan.rows_arguments(), forward, params)?;
        let tiles = plan.gradients();
        let bytes = 4 * FusedBackwardConfiguration::sums(&problem) as usize;
        let given = |argument| match argument {
            // The kernel of the rows clears these sums before this launch.
            AttentionArgument::Sums => Some(Given::Buffer {
                bytes,
                input: false,
                zeroed: bytes,
            }),
            other => of_tiles(tiles, forward, other),
        };
        let gradients = launch(tiles.launch(), tiles.arguments(), forward, given)?;
        let params = |argument| match argument {
            AttentionArgument::Params => Some(words(plan.dq_params().to_u64s())),
            _ => None,
        };
        let dq = launch(plan.dq(), plan.dq_arguments(), forward, params)?;
        Some([rows, gradients, dq])
    });
    launches.flatten().collect()
}

/// Returns the launches of [`backward_launches`] for packed sequences, with the rows divided as in
/// [`forward_launch`].
fn packed_backward_launches(of: &AttentionBackwardConfiguration, i: usize) -> Option<Vec<Own>> {
    let all = problem(of.element, of.dim, i);
    let problem = PackedBackwardProblem {
        all: AttentionBackwardProblem::new(AttentionProblem { batches: 1, ..all }),
        sequences: 3,
    };
    let plan = of.plan_packed(&problem, MULTIPROCESSORS).ok()?;
    let forward = &problem.all.forward;
    let mut launches = Vec::new();
    if of.parts == AttentionParts::NONE.packed() {
        let given = |argument| match argument {
            AttentionArgument::Params => Some(words(plan.rows_params().to_u64s())),
            AttentionArgument::QueryStarts => Some(starts(all.queries)),
            _ => None,
        };
        let rows = launch(plan.rows(), plan.rows_arguments(), forward, given)?;
        launches.push(by(of.loads, rows));
    }
    for (tiles, [of_tile, streamed]) in [
        (plan.keys(), [all.keys, all.queries]),
        (plan.queries(), [all.queries, all.keys]),
    ] {
        let given = |argument| match argument {
            AttentionArgument::TileStarts => Some(starts(of_tile)),
            AttentionArgument::StreamedStarts => Some(starts(streamed)),
            other => of_tiles(tiles, forward, other),
        };
        let own = launch(tiles.launch(), tiles.arguments(), forward, given)?;
        launches.push(by(of.loads, own));
    }
    Some(launches)
}

/// A problem of decoding: heads of queries and of keys, page size, lengths.
type Decoding = ([u32; 2], u32, &'static [u32]);
/// The problems of decoding: one head in several CTAs, several heads in one; a page of several
/// blocks; lengths of no key, one key, a page, and one key more.
const DECODINGS: [Decoding; 4] = [
    ([8, 1], 16, &[300, 0, 17]),
    ([2, 2], 256, &[1, 257, 128, 500]),
    ([12, 3], 8, &[8, 9, 130]),
    ([64, 1], 64, &[64, 0, 0, 700]),
];

/// Returns the launches of the kernels of decoding, without and with a soft cap.
fn decoding(effort: Effort) -> Vec<Own> {
    let plain = decoding_by(DECODE_CONFIGURATIONS, effort)
        .chain(decoding_by(LATENT_DECODE_CONFIGURATIONS, effort))
        .flatten();
    // The kernels for a cache in 16 bits also add the partial results for a cache in e4m3.
    let e4m3 = decoding_by(E4M3_DECODE_CONFIGURATIONS, effort).map(|[blocks, _]| blocks);
    let capped = decoding_by(SOFT_CAP_DECODE_CONFIGURATIONS, effort)
        .chain(decoding_by(SOFT_CAP_E4M3_DECODE_CONFIGURATIONS, effort));
    let capped = capped.map(|[blocks, _]| blocks);
    plain.chain(e4m3).chain(capped).collect()
}

/// Returns the launches of the two kernels of each configuration of decoding.
fn decoding_by(
    table: &'static [DecodeConfiguration],
    effort: Effort,
) -> impl Iterator<Item = [Own; 2]> {
    let numbers = move || effort.of(&[0, 1, 2, 3], 1, 3).into_iter();
    let all = (table.iter()).flat_map(move |of| numbers().map(move |i| (of, i)));
    all.filter_map(|(of, i)| {
        let (heads, page_size, lengths) = DECODINGS[i];
        let (element, dim, dim_v) = (of.attention.element, of.attention.dim, of.attention.dim_v);
        // Latent attention has one head of keys, and one or several queries per sequence.
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
        let of_both = |argument| {
            Some(match argument {
                AttentionArgument::Params => words(plan.params().to_u64s()),
                AttentionArgument::Decode => words(plan.decode().to_u64s()),
                AttentionArgument::KeyLengths => {
                    numbers_of(lengths.iter().map(|of| of.to_le_bytes()))
                }
                _ => return None,
            })
        };
        let [map_q, map_k, map_v] = plan.maps();
        let cache = |plan| match of.cache {
            CacheElement::OfQueries => map(element, plan),
            CacheElement::E4m3 => map_of(TensorElement::U8, 1, plan),
        };
        let given = |argument| {
            Some(match argument {
                AttentionArgument::MapQ => map(element, map_q),
                AttentionArgument::MapK => cache(map_k),
                AttentionArgument::MapV => cache(map_v),
                // The last page comes first.
                AttentionArgument::PageTable => numbers_of((0..pages).rev().map(u32::to_le_bytes)),
                AttentionArgument::ScalesOfK | AttentionArgument::ScalesOfV => {
                    let scales = vec![0.75_f32.to_le_bytes(); problem.scales() as usize];
                    Given::Written(scales.concat())
                }
                AttentionArgument::SoftCap => return of_part(argument, problem.heads),
                other => return of_both(other),
            })
        };
        let blocks = of_list(plan.attention(), said.clone(), plan.arguments(), given)?;
        let list = plan.combine_arguments();
        let combine = of_list(plan.combine(), said, list, of_both)?;
        let [blocks, combine] = [blocks, combine].map(Own::of_hopper);
        Some([blocks, combine])
    })
}

/// Returns all launches of attention's kernels.
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

    /// Returns the finding of the first launch, with V's buffer shorter by `shorter` bytes than its
    /// map says.
    fn finding(shorter: usize) -> Option<String> {
        let mut own = forward(Effort::Few).swap_remove(0);
        match own.arguments.last_mut() {
            Some(Given::Map { bytes, .. }) => *bytes -= shorter,
            _ => panic!("the last argument is the map of V"),
        }
        // Builds only this kernel: all of Hopper's kernels would take long.
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
