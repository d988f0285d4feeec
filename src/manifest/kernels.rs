//! The descriptions of the kernels: the meaning of their parameters, and how a launch follows from
//! them. Names and types come from the lists of arguments.
//!
//! Law: a kernel in the tables of `gpu-kernels` and `gpu-kernels-sm90` is described by its row in
//! them, and any other kernel by its name.

use super::Structure;
use crate::attention;
use crate::gemm::{self, Configuration, Named};
use gpu_kernels::hgemm_by_hand::{self, HgemmArgument};
use gpu_kernels::transpose::{self, TransposeArgument, Width};
use gpu_kernels::vecadd::{self, VecaddArgument};
use kernel_abi::attention::{
    AttentionArgument, AttentionBackwardConfiguration, AttentionConfiguration, AttentionKernel,
    AttentionLoads, AttentionParts, AttentionType, COMBINE_THREADS, CacheElement,
    DecodeConfiguration, Fp8AttentionPlan, FusedBackwardConfiguration, GradientKernel,
    KernelSequences, ROWS_THREADS, SINK_THREADS,
};
use kernel_abi::gemm::{GemmArgument, InputType, Major, Packing, Reduction, collective_arguments};
use kernel_abi::{ArgumentName, KernelArguments};

/// A parameter's name, type and meaning.
type Described = (&'static str, String, &'static str);

/// Returns the parameters of a kernel's list, or `None` if one of them has no meaning.
fn listed<N: ArgumentName>(
    list: KernelArguments<N>,
    meaning: impl Fn(N) -> Option<&'static str>,
) -> Option<Vec<Described>> {
    let described = |of: kernel_abi::KernelArgument<N>| {
        let name = of.name.name();
        Some((name, of.ty.to_string(), meaning(of.name)?))
    };
    list.iter().map(described).collect()
}

/// The description of a kernel.
pub(super) struct Description {
    pub computes: String,
    pub parameters: Vec<Described>,
    pub grid: [String; 3],
    pub block: [String; 3],
    pub cluster: [u32; 3],
    pub shared_bytes: u32,
    pub requires: Vec<String>,
}

/// Returns the bytes of a parameter of a type, which is a number, a pointer or a structure, or
/// `None` for an unknown type.
pub(super) fn bytes_of(ty: &str, structures: &[Structure]) -> Option<usize> {
    match ty {
        "u32" | "i32" | "f32" => Some(4),
        "u64" => Some(8),
        pointer if pointer.starts_with('*') => Some(8),
        by_value => structures
            .iter()
            .find(|structure| structure.name == by_value)
            .map(|structure| structure.bytes),
    }
}

/// Returns extents that are 1 except along x.
fn along_x(extent: impl ToString) -> [String; 3] {
    [extent.to_string(), "1".into(), "1".into()]
}

fn text<const N: usize>(words: [&str; N]) -> [String; N] {
    words.map(str::to_owned)
}

/// Describes the kernel of that name in a table of attention, or returns `None` if there is none.
fn describe_attention(name: &str) -> Option<Description> {
    let ways = AttentionLoads::ALL.into_iter();
    let mut forward = (ways.clone()).flat_map(attention::forward_configurations_by);
    if let Some(of) = forward.find(|of| of.kernel == name) {
        return of_forward(of);
    }
    if let Some(of) = attention::FP8_CONFIGURATIONS
        .iter()
        .find(|of| of.kernel == name)
    {
        return of_fp8(of);
    }
    for of in [false, true]
        .into_iter()
        .flat_map(attention::decode_configurations)
    {
        if of.attention.kernel == name {
            return of_decode(of);
        }
        if of.combine == name {
            return of_decode_parts(of);
        }
    }
    for of in ways.flat_map(attention::gradient_configurations_by) {
        if of.rows == name {
            return of_backward_rows(of);
        }
        if let Some(kernel) = of.of_tiles(name) {
            return of_backward(of, kernel);
        }
    }
    if name == attention::SINK_GRADIENT.kernel {
        return of_sink_gradient();
    }
    for of in attention::FUSED_BACKWARD_CONFIGURATIONS {
        if of.rows == name {
            return of_fused_rows(of);
        }
        if of.gradients.kernel == name {
            return of_fused_backward(of);
        }
        if of.dq == name {
            return of_fused_dq(of);
        }
    }
    None
}

/// Describes the kernel of that name, or returns `None` if there is no such kernel.
pub(super) fn describe(name: &str) -> Option<Description> {
    if let Some(of) = gemm::CONFIGURATIONS.iter().find(|of| of.kernel == name) {
        return of_gemm(of);
    }
    if let Some(of) = describe_attention(name) {
        return Some(of);
    }
    if let Some((_, bytes)) = (Packing::KERNELS.iter()).find(|(kernel, _)| *kernel == name) {
        return of_packing(*bytes);
    }
    if InputType::ALL
        .iter()
        .any(|of| Reduction::kernel(*of) == name)
    {
        return of_reduction();
    }
    match name {
        "vecadd" => of_vecadd(),
        "transpose_b16" => of_transpose(Width::B16),
        "transpose_b32" => of_transpose(Width::B32),
        Fp8AttentionPlan::TRANSPOSE => of_attention_transpose(),
        "hgemm_on_layouts" => of_hgemm("on layouts"),
        "hgemm_by_hand" => of_hgemm("every index worked out by hand"),
        _ => None,
    }
}

fn of_vecadd() -> Option<Description> {
    let meaning = |argument| {
        Some(match argument {
            VecaddArgument::A | VecaddArgument::B => "n elements, aligned to 16 bytes",
            VecaddArgument::C => "n elements, aligned to 16 bytes; overlaps neither",
            VecaddArgument::N => "elements, 1 to 2^31",
            _ => return None,
        })
    };
    Some(Description {
        computes: "c = a + b, element by element".into(),
        parameters: listed(vecadd::ARGUMENTS, meaning)?,
        grid: along_x(format!("ceil(n / {})", vecadd::TILE)),
        block: along_x(vecadd::THREADS),
        cluster: [1; 3],
        shared_bytes: 0,
        requires: Vec::new(),
    })
}

fn of_transpose(width: Width) -> Option<Description> {
    let meaning = |argument| {
        Some(match argument {
            TransposeArgument::Dst => "cols rows of rows elements; does not overlap src",
            TransposeArgument::Src => "rows rows of cols elements",
            TransposeArgument::Rows => "rows of src, 1 to 4194240",
            TransposeArgument::Cols => "columns of src, 1 to 2^31",
            _ => return None,
        })
    };
    let bytes = match width {
        Width::B16 => 2,
        Width::B32 => 4,
    };
    let tile = transpose::TILE;
    Some(Description {
        computes: "dst = the transpose of src, both row-major".into(),
        parameters: listed(width.arguments(), meaning)?,
        grid: [
            format!("ceil(cols / {tile})"),
            format!("ceil(rows / {tile})"),
            "1".into(),
        ],
        block: along_x(transpose::THREADS),
        cluster: [1; 3],
        shared_bytes: tile * tile * bytes,
        requires: Vec::new(),
    })
}

fn of_hgemm(how: &str) -> Option<Description> {
    let meaning = |argument| {
        Some(match argument {
            HgemmArgument::D => "m n elements, aligned to 16 bytes",
            HgemmArgument::A => "m k elements, aligned to 16 bytes",
            HgemmArgument::B => "n k elements, aligned to 16 bytes",
            HgemmArgument::M => "rows of A and D",
            HgemmArgument::N => "rows of B, columns of D",
            HgemmArgument::K => "columns of A and B",
            _ => return None,
        })
    };
    Some(Description {
        computes: format!(
            "D = A B^T in f16 with an f16 accumulator, {how}: A (m,k), B (n,k) and D (m,n) row-major"
        ),
        parameters: listed(hgemm_by_hand::ARGUMENTS, meaning)?,
        grid: along_x("ceil(m / 128) ceil(n / 128)"),
        block: along_x("128"),
        cluster: [1; 3],
        shared_bytes: hgemm_by_hand::SHARED_BYTES,
        requires: vec!["k and n are multiples of 8".into()],
    })
}

fn of_packing(bytes: u32) -> Option<Description> {
    let meaning = |argument| {
        Some(match argument {
            GemmArgument::To => "the copy, aligned to 16 bytes",
            GemmArgument::From => "the matrix",
            GemmArgument::Rows => "rows of a batch",
            GemmArgument::Columns => "elements of a row",
            GemmArgument::Ld => "elements between rows of the matrix",
            GemmArgument::LdTo => "elements between rows of the copy, whole vectors of 16 bytes",
            GemmArgument::BatchStride => "elements between batches of the matrix",
            GemmArgument::BatchStrideTo => "elements between batches of the copy",
            _ => return None,
        })
    };
    Some(Description {
        computes:
            "a copy of a matrix into rows of whole vectors of 16 bytes, zeros behind each row"
                .into(),
        parameters: listed(Packing::arguments(bytes), meaning)?,
        grid: text(["ceil(rows / 8)", "1", "batches"]),
        block: along_x("256"),
        cluster: [1; 3],
        shared_bytes: 0,
        requires: Vec::new(),
    })
}

fn of_reduction() -> Option<Description> {
    let meaning = |argument| {
        Some(match argument {
            GemmArgument::D => "D",
            GemmArgument::Slices => "f32 or s32 (slice, batch, m, n), aligned to 16 bytes",
            GemmArgument::C => "C, where the flag says so",
            GemmArgument::Bias => "n elements, where the flag says so",
            GemmArgument::Params => "the product's, k_slices the number of slices",
            GemmArgument::Ld => {
                "numbers of 4 bytes between rows of a slice: n rounded up to a multiple of 4"
            }
            _ => return None,
        })
    };
    Some(Description {
        computes: "the sum of a split-K product's slices, with the epilogue of its parameters"
            .into(),
        parameters: listed(Reduction::ARGUMENTS, meaning)?,
        grid: text(["ceil(m ceil(n / 4) / block.x)", "1", "batches"]),
        block: text([
            "max(32, 128 / block.y)",
            "the power of two not below ceil(k_slices / 4), 16 at most",
            "1",
        ]),
        cluster: [1; 3],
        shared_bytes: 0,
        requires: Vec::new(),
    })
}

/// Returns the types that a GEMM's D may have.
const fn outputs(input: InputType) -> &'static str {
    match input {
        InputType::F16 | InputType::Bf16 | InputType::Tf32 => "the inputs' type or f32",
        InputType::S8 => "s8 or s32",
        InputType::E4m3 | InputType::E5m2 => "bf16, f32 or the inputs' type",
    }
}

/// Returns the meaning of an argument of a collective kernel, which is grouped or not, or `None` if
/// the kernel does not use it.
const fn meaning_of_gemm(argument: GemmArgument, grouped: bool) -> Option<&'static str> {
    Some(match argument {
        GemmArgument::D => "D: element (i,j) of batch z at z batch_d + i ldd + j",
        GemmArgument::A => "A: element (i,k) at i lda + k, or k lda + i where k is strided",
        GemmArgument::B => "B: element (k,j) at j ldb + k, or k ldb + j where k is strided",
        GemmArgument::C if grouped => {
            "the list of groups: rows of each, u32; or M, N and K, where params.batch_c is 3"
        }
        GemmArgument::C => "C, as D; null where no flag names it",
        GemmArgument::Bias => "n elements; null where no flag names it",
        GemmArgument::Workspace => "null where k_slices is 1",
        GemmArgument::Params => "extents, strides, epilogue",
        GemmArgument::MapA => "A's tensor map",
        GemmArgument::MapB => "B's tensor map",
        GemmArgument::MapD => "D's tensor map; anything where D is not stored by TMA",
        GemmArgument::Batches if grouped => "groups",
        GemmArgument::Batches => "batches",
        _ => return None,
    })
}

fn of_gemm(of: &Configuration) -> Option<Description> {
    let [m, n, k] = of.tile;
    let major = |major: Major| match major {
        Major::K => "k contiguous",
        Major::Mn => "k strided",
    };
    let majors = match of.load_bytes {
        16 => format!("A {}, B {}", major(of.majors.a()), major(of.majors.b())),
        _ => "A and B of either major".into(),
    };
    let grouped = of.hopper.is_some_and(|hopper| hopper.grouped);
    let mut requires = vec![match of.load_bytes {
        16 => {
            "addresses, leading dimensions and batch strides of A and B are multiples of 16 bytes"
                .to_owned()
        }
        _ => "addresses of A and B are multiples of an element".to_owned(),
    }];
    let tiles = format!("ceil(m / {m}) ceil(n / {n})");
    let mut grid = [tiles.clone(), "1".into(), "batches".into()];
    let mut cluster = [1; 3];
    if of.persistent {
        grid[0] = format!("any number up to {tiles}: as many as are resident at once is best");
    }
    if let Some(hopper) = of.hopper {
        let [across, down] = hopper.cluster;
        cluster = [across * down, 1, 1];
        grid[2] = "1".into();
        requires.push(format!(
            "boxes, contiguous extent first: A {:?}, B {:?}; 128-byte swizzle; made by `Configuration::plan` of the crate kernel-abi",
            hopper.box_a, hopper.box_b
        ));
        requires.push(format!(
            "the grid is a multiple of the cluster of {} CTAs",
            across * down
        ));
    }
    Some(Description {
        computes: format!(
            "D = act(alpha A B + beta C + bias): {} inputs, {} accumulator, {majors}, tile {m} x {n} x {k}; D in {}",
            of.input.name(),
            of.accumulator.name(),
            outputs(of.input)
        ),
        parameters: listed(collective_arguments(of.hopper.is_some()), |argument| {
            meaning_of_gemm(argument, grouped)
        })?,
        grid,
        block: along_x(of.threads),
        cluster,
        shared_bytes: of.shared_bytes,
        requires,
    })
}

/// The text about a kernel of packed sequences.
const OF_PACKED: &str = ", of sequences one behind the other";

/// Describes a kernel of the forward pass.
fn of_forward(of: &AttentionConfiguration) -> Option<Description> {
    let parts = of.parts;
    let meaning = |argument| meaning_of_forward(argument, parts.sequences);
    let mut description = of_attention(of, of.arguments(), meaning)?;
    let says = match parts.sequences {
        KernelSequences::Uniform => "",
        KernelSequences::Packed => OF_PACKED,
        KernelSequences::Either => OF_EITHER,
        KernelSequences::Paged => {
            "; queries of one length, or one behind the other, of keys in pages"
        }
    };
    let all = of_scores(parts).chain([says]);
    description.computes.extend(all);
    if of.loads == AttentionLoads::CpAsync {
        let rows = of.tile[0];
        description.requires.clear();
        description.grid = along_x(match parts.sequences {
            KernelSequences::Packed => format!("(floor(queries / {rows}) + batches) heads"),
            _ => format!("ceil(queries / {rows}) heads batches"),
        });
    }
    Some(description)
}

/// Returns the texts about a kernel's score parts.
fn of_scores(parts: AttentionParts) -> impl Iterator<Item = &'static str> {
    [
        (parts.soft_cap, OF_SOFT_CAP),
        (
            parts.alibi,
            ", of scores less a slope of the head for each key between the query's place and the key",
        ),
        (parts.sinks, ", a logit of each head in the denominator"),
    ]
    .into_iter()
    .filter_map(|(has, says)| has.then_some(says))
}

/// Returns the text about an argument of a kernel of the forward pass that takes such sequences.
const fn meaning_of_forward(
    argument: AttentionArgument,
    sequences: KernelSequences,
) -> Option<&'static str> {
    Some(match (argument, sequences) {
        (AttentionArgument::O, _) => {
            "O: element (i,j) of head h and batch b at b batch_o + h head_o + i row_o + j; rows aligned to 16 bytes"
        }
        (AttentionArgument::Lse, _) => {
            "(batch, head, query) log-sum-exp; null where no flag names it"
        }
        (AttentionArgument::Params, _) => "extents, mask, strides of O",
        (AttentionArgument::MapQ, _) => "Q: (D, query, head, batch), contiguous first",
        (AttentionArgument::MapK, _) => "K: (D, key, head, batch)",
        (AttentionArgument::MapV, _) => "V: (D, key, head, batch)",
        (AttentionArgument::Q, _) => {
            "Q: element (i,j) of head h and batch b at b batch_q + h head_q + i row_q + j; rows aligned to 16 bytes"
        }
        (AttentionArgument::K, _) => "K, of its heads, by its strides",
        (AttentionArgument::V, _) => "V, of its heads, by its strides",
        (AttentionArgument::Reads, _) => "strides of Q, K and V",
        (AttentionArgument::QueryStarts, KernelSequences::Either | KernelSequences::Paged) => {
            "where params.flags has PACKED the first row of each sequence in Q, and the end of the last, params.batches being how many \
             there are; else null"
        }
        (AttentionArgument::KeyStarts, KernelSequences::Either) => {
            "the same in K; where they are there, the band of params is that of as many queries as keys"
        }
        (AttentionArgument::QueryStarts, _) => {
            "the first row of each sequence in Q, and the end of the last; params.batches is how many there are"
        }
        (AttentionArgument::KeyStarts, _) => {
            "the same in K; the band of params is that of as many queries as keys"
        }
        (AttentionArgument::KeyLengths, _) => {
            "the keys of each sequence; the band of params is that of as many queries as keys"
        }
        (AttentionArgument::PageTable, _) => {
            "(sequence, pages.table_pages) the pages of each sequence"
        }
        (AttentionArgument::Pages, _) => "the size of a page, and the pages of a sequence",
        (AttentionArgument::SoftCap, _) => "the cap",
        (AttentionArgument::Slopes, _) => "a slope of each head of Q",
        (AttentionArgument::Sinks, _) => "a logit of each head of Q; -inf is none",
        _ => return None,
    })
}

/// The text about a kernel that also takes packed sequences.
const OF_EITHER: &str = "; sequences of one length, or one behind the other";
/// The text about a kernel with a soft cap.
const OF_SOFT_CAP: &str = ", of scores that become cap tanh(score / cap)";

fn of_fp8(of: &AttentionConfiguration) -> Option<Description> {
    let meaning = |argument| {
        Some(match argument {
            AttentionArgument::MapV => {
                "V transposed, as attention_transpose_b8 writes it: (place of a key, D, head, batch)"
            }
            AttentionArgument::ScalesOfQ => {
                "(batch, key head) what Q is multiplied with, or one of all; above 0"
            }
            AttentionArgument::ScalesOfK => "the same of K",
            AttentionArgument::ScalesOfV => "the same of V",
            other => return meaning_of_forward(other, KernelSequences::Uniform),
        })
    };
    let list = AttentionKernel::Fp8.arguments(of.element);
    let mut description = of_attention(of, list, meaning)?;
    let [queries, keys] = of.tile;
    description.computes += ", of Q, K and V in e4m3 with scales";
    description.requires = vec![format!(
        "boxes of 128 x {queries} (Q), 128 x {keys} (K) and {keys} x 128 (V transposed), 128-byte swizzle"
    )];
    Some(description)
}

fn of_attention_transpose() -> Option<Description> {
    let meaning = |argument| {
        Some(match argument {
            AttentionArgument::Transposed => {
                "(batch, head, D, place) V transposed, aligned to 16 bytes"
            }
            AttentionArgument::ToTranspose => {
                "V: element (i,j) of head h and batch b at b batch + h head + i row + j, aligned to 16 bytes"
            }
            AttentionArgument::Params => "extents, strides of V",
            _ => return None,
        })
    };
    // The list does not depend on the element type.
    let list = AttentionKernel::Transpose.arguments(AttentionType::F16);
    Some(Description {
        computes: "V of 8-bit elements transposed, head by head: element (d, place) of a head of V^T is element (key, d) of V, or 0 where \
                   there is no such key; the keys at 16 neighbouring places are the first of 16 plus 0 1 8 9 2 3 10 11 4 5 12 13 6 7 14 15"
            .into(),
        parameters: listed(list, meaning)?,
        grid: along_x("places / 128 * heads * batches"),
        block: along_x(128),
        cluster: [1; 3],
        shared_bytes: 128 * 128,
        requires: vec!["a head dimension of 128".into()],
    })
}

fn of_decode(of: &DecodeConfiguration) -> Option<Description> {
    let meaning = |argument| {
        Some(match argument {
            AttentionArgument::KeyLengths => "the keys of each sequence",
            AttentionArgument::PageTable => "(sequence, table_pages) the pages of each sequence",
            AttentionArgument::PartO => {
                "(2 CTAs, query head of a key head, D) O of keys that are not all of a head's"
            }
            AttentionArgument::PartLse => "(2 CTAs, query head of a key head) their log-sum-exp",
            AttentionArgument::Decode => "pages, and how keys are split",
            AttentionArgument::ScalesOfK => {
                "(key head) what K is multiplied with, or one of all; above 0"
            }
            AttentionArgument::ScalesOfV => "the same of V",
            other => return meaning_of_forward(other, KernelSequences::Uniform),
        })
    };
    let mut description = of_attention(&of.attention, of.arguments(), meaning)?;
    let [_, block] = of.attention.tile;
    description.computes += ", of one query a head and sequence to keys in pages";
    description.requires = vec![format!(
        "params of key heads as heads and of the query heads that share one as their queries; maps of Q: (D, query head of a key head, key \
         head, sequence), of K and V: (D, key of a page, key head, page) in boxes of a page or {block} keys; made by \
         `DecodeConfiguration::plan` of the crate kernel-abi"
    )];
    if is_latent(of) {
        description.computes += ", or of several: V is K's first columns, and query i of n sees all keys but the last n - 1 - i";
        description.grid = text(["shares of the keys", "ceil(queries / 64)", "1"]);
        description.requires.push(
            "one key head; params of query heads times queries as queries, heads fastest, and of query heads as heads_per_key; the map of V \
             is not read"
                .into(),
        );
    }
    if of.cache == CacheElement::E4m3 {
        description.computes += ", in e4m3 with scales";
    }
    description.computes.extend(of_scores(of.attention.parts));
    Some(description)
}

/// Whether attention is latent, so that V is the first columns of K.
fn is_latent(of: &DecodeConfiguration) -> bool {
    of.attention.dim_v != of.attention.dim
}

fn of_decode_parts(of: &DecodeConfiguration) -> Option<Description> {
    let meaning = |argument| {
        Some(match argument {
            AttentionArgument::O => "O, as the other kernel's",
            AttentionArgument::Lse => "the log-sum-exp, as the other kernel's",
            AttentionArgument::PartO | AttentionArgument::PartLse => "what the other kernel wrote",
            AttentionArgument::KeyLengths => "the keys of each sequence",
            AttentionArgument::Params | AttentionArgument::Decode => "those of the other kernel",
            _ => return None,
        })
    };
    let list = AttentionKernel::Combine.arguments(of.attention.element);
    Some(Description {
        computes: format!(
            "O of the heads whose keys several CTAs of {} had, and of those without keys",
            of.attention.kernel
        ),
        parameters: listed(list, meaning)?,
        grid: match is_latent(of) {
            true => text(["sequences", "ceil(queries / 4), 65535 at most", "1"]),
            false => along_x("sequences x key heads"),
        },
        block: along_x(COMBINE_THREADS),
        cluster: [1; 3],
        shared_bytes: 0,
        requires: Vec::new(),
    })
}

/// Returns the number of columns of a tensor map's boxes.
fn columns_of_box(dim: u32) -> u32 {
    if dim.is_multiple_of(64) { 64 } else { 32 }
}

/// Describes a kernel of attention with these arguments.
fn of_attention(
    of: &AttentionConfiguration,
    list: KernelArguments<AttentionArgument>,
    meaning: impl Fn(AttentionArgument) -> Option<&'static str>,
) -> Option<Description> {
    let columns = columns_of_box(of.dim);
    let of_v = match of.dim_v {
        same if same == of.dim => String::new(),
        of_v => format!(", {of_v} of V"),
    };
    let [queries, keys] = of.tile;
    Some(Description {
        computes: format!(
            "O = softmax(scale Q K^T + mask) V: {}, head dimension {}{of_v}, tile {queries} x {keys}",
            of.element.name(),
            of.dim
        ),
        parameters: listed(list, meaning)?,
        grid: along_x("any number: as many CTAs as are resident at once is best"),
        block: along_x(of.threads),
        cluster: [1; 3],
        shared_bytes: of.shared_bytes,
        requires: vec![format!(
            "boxes of {columns} x {} (Q) and {columns} x {keys} (K, V), {}-byte swizzle",
            of.rows_of_q(),
            2 * columns
        )],
    })
}

/// Returns the text about an argument of a kernel of gradients that takes such sequences.
const fn meaning_of_gradients(
    argument: AttentionArgument,
    sequences: KernelSequences,
) -> Option<&'static str> {
    Some(match (argument, sequences) {
        (AttentionArgument::Values, _) => "what the kernel of the rows wrote",
        (AttentionArgument::MapX0 | AttentionArgument::MapK, _) => "K, or Q: of the tile",
        (AttentionArgument::MapX1 | AttentionArgument::MapV, _) => "V, or dO: of the tile",
        (AttentionArgument::MapY0 | AttentionArgument::MapQ, _) => "Q, or K: streamed",
        (AttentionArgument::MapY1 | AttentionArgument::MapGradientOfO, _) => "dO, or V: streamed",
        (AttentionArgument::X0, _) => {
            "K, or Q: of the tile; element (i,j) of head h and batch b at b batch + h head + i row + j; rows aligned to 16 bytes"
        }
        (AttentionArgument::X1, _) => "V, or dO: of the tile",
        (AttentionArgument::Y0, _) => "Q, or K: streamed",
        (AttentionArgument::Y1, _) => "dO, or V: streamed",
        (AttentionArgument::Reads, _) => "their strides",
        (AttentionArgument::Params, _) => "the tiles, mask, strides of the results",
        (AttentionArgument::TileStarts, KernelSequences::Either) => {
            "where params.of.flags has PACKED the first row of each sequence in the tensors of the tile, and the end of the last, \
             params.of.batches being how many there are; else null"
        }
        (AttentionArgument::StreamedStarts, KernelSequences::Either) => {
            "the same in those that are streamed; where they are there, the band of params is that of as many queries as keys"
        }
        (AttentionArgument::TileStarts | AttentionArgument::QueryStarts, _) => {
            "the first row of each sequence in the tensors of the tile, and the end of the last; params.of.batches is how many there are"
        }
        (AttentionArgument::StreamedStarts, _) => {
            "the same in those that are streamed; the band of params is that of as many queries as keys"
        }
        (AttentionArgument::GradientOfK, _) => "dK",
        (AttentionArgument::GradientOfV, _) => "dV",
        (AttentionArgument::GradientOfQ, _) => "dQ",
        (AttentionArgument::Sums, _) => {
            "(head of all batches, value_rows / 64, D / 64, 8, 128, 4) sums of dQ, in the order of `wgmma`'s accumulator"
        }
        (other, _) => return meaning_of_forward(other, sequences),
    })
}

/// Describes a kernel of the rows with these arguments, for an element type and a head dimension.
fn of_rows(
    list: KernelArguments<AttentionArgument>,
    (element, dim): (AttentionType, u32),
) -> Option<Description> {
    let meaning = |argument| {
        Some(match argument {
            AttentionArgument::O => "O",
            AttentionArgument::GradientOfO => "its gradient",
            AttentionArgument::Lse => "(batch, head, query) log-sum-exp of the forward pass",
            AttentionArgument::Values => "(2, head of all batches, value_rows)",
            AttentionArgument::Params => "extents, strides of O and dO",
            other => return meaning_of_gradients(other, KernelSequences::Packed),
        })
    };
    Some(Description {
        computes: format!(
            "for attention's gradients, of each row of O: the log-sum-exp in powers of two, and the sum of O dO; {}, head dimension {dim}",
            element.name(),
        ),
        parameters: listed(list, meaning)?,
        grid: along_x("any number"),
        block: along_x(ROWS_THREADS),
        cluster: [1; 3],
        shared_bytes: 0,
        requires: Vec::new(),
    })
}

fn of_backward_rows(of: &AttentionBackwardConfiguration) -> Option<Description> {
    let mut description = of_rows(of.rows_arguments(), (of.element, of.dim))?;
    if of.parts.sequences == KernelSequences::Packed {
        description.computes += OF_PACKED;
    }
    Some(description)
}

/// Describes a kernel of tiles.
fn of_backward(
    of: &AttentionBackwardConfiguration,
    kernel: &GradientKernel,
) -> Option<Description> {
    let parts = of.parts_of_tiles();
    let (what, results) = match kernel.kernel == of.keys.kernel {
        true => ("dK and dV, a tile of keys", ["dK", "dV"]),
        false => (
            "dQ, a tile of queries",
            ["dQ", "nothing: dQ's kernel has one result"],
        ),
    };
    let [first, second] = results;
    let meaning = |argument| match argument {
        AttentionArgument::First => Some(first),
        AttentionArgument::Second => Some(second),
        other => meaning_of_gradients(other, parts.sequences),
    };
    let list = of.tiles_arguments();
    let mut description = of_tiles(what, (of.element, of.dim), kernel, listed(list, meaning)?);
    description.computes.extend(of_scores(parts));
    description.computes += match parts.sequences {
        KernelSequences::Packed => OF_PACKED,
        KernelSequences::Either => OF_EITHER,
        _ => "",
    };
    if of.loads == AttentionLoads::CpAsync {
        let rows = kernel.tile[0];
        description.requires.clear();
        description.grid = along_x(match parts.sequences {
            KernelSequences::Packed => {
                format!("(floor(params.of.queries / {rows}) + params.of.batches) params.of.heads")
            }
            _ => format!("ceil(params.of.queries / {rows}) params.of.heads batches"),
        });
    }
    Some(description)
}

/// Describes a kernel of tiles that reads its tensors by tensor maps.
fn of_tiles(
    what: &str,
    (element, dim): (AttentionType, u32),
    kernel: &GradientKernel,
    parameters: Vec<Described>,
) -> Description {
    let [rows, streamed] = kernel.tile;
    let columns = columns_of_box(dim);
    Description {
        computes: format!(
            "attention's {what}: {}, head dimension {dim}",
            element.name(),
        ),
        parameters,
        grid: along_x("any number: as many CTAs as are resident at once is best"),
        block: along_x(kernel.threads),
        cluster: [1; 3],
        shared_bytes: kernel.shared_bytes,
        requires: vec![format!(
            "boxes of {columns} x {rows} (the tile) and {columns} x {streamed} (streamed), {}-byte swizzle; made by \
             `AttentionBackwardConfiguration::plan` of the crate kernel-abi",
            2 * columns
        )],
    }
}

fn of_sink_gradient() -> Option<Description> {
    let meaning = |argument| match argument {
        AttentionArgument::GradientOfSinks => Some("the gradient of each head's sink"),
        AttentionArgument::Params => Some("those of the kernel of the rows"),
        other => meaning_of_gradients(other, KernelSequences::Uniform),
    };
    // The list does not depend on the element type.
    let list = AttentionKernel::Sinks.arguments(AttentionType::F16);
    Some(Description {
        computes: "the gradient of attention's sinks: minus the sum of e^(sink - LSE) times the row sum of O dO, over the rows of a head"
            .into(),
        parameters: listed(list, meaning)?,
        grid: along_x("params.of.heads"),
        block: along_x(SINK_THREADS),
        cluster: [1; 3],
        shared_bytes: attention::SINK_GRADIENT.shared_bytes,
        requires: Vec::new(),
    })
}

fn of_fused_rows(of: &FusedBackwardConfiguration) -> Option<Description> {
    let list = AttentionKernel::FusedRows.arguments(of.element);
    let mut description = of_rows(list, (of.element, of.dim))?;
    description.computes += "; clears the sums of dQ";
    Some(description)
}

fn of_fused_backward(of: &FusedBackwardConfiguration) -> Option<Description> {
    let list = AttentionKernel::FusedTiles.arguments(of.element);
    let meaning = |argument| meaning_of_gradients(argument, KernelSequences::Uniform);
    let what = "dK and dV, and the sums of dQ, a tile of keys";
    Some(of_tiles(
        what,
        (of.element, of.dim),
        &of.gradients,
        listed(list, meaning)?,
    ))
}

fn of_fused_dq(of: &FusedBackwardConfiguration) -> Option<Description> {
    let list = AttentionKernel::FusedDq.arguments(of.element);
    let meaning = |argument| match argument {
        AttentionArgument::Params => Some("extents, strides of dQ, the scale"),
        other => meaning_of_gradients(other, KernelSequences::Uniform),
    };
    Some(Description {
        computes: format!(
            "attention's dQ of its sums, scaled and rounded: {}, head dimension {}",
            of.element.name(),
            of.dim
        ),
        parameters: listed(list, meaning)?,
        grid: along_x("any number"),
        block: along_x(ROWS_THREADS),
        cluster: [1; 3],
        shared_bytes: 0,
        requires: Vec::new(),
    })
}
