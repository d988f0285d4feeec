//! What is written down of each kernel: its parameters' names, types and meanings, and how its
//! launch follows from them.
//!
//! Law: a name that the tables of `gpu-kernels` and `gpu-kernels-sm90` have is described by its
//! row; the others by name.

use super::Structure;
use crate::attention;
use crate::gemm::{self, Configuration, Named};
use gpu_kernels::{transpose, vecadd};
use kernel_abi::attention::{
    AttentionArgument, AttentionBackwardConfiguration, AttentionConfiguration, AttentionLoads,
    AttentionParts, COMBINE_THREADS, CacheElement, DecodeConfiguration, FusedBackwardConfiguration,
    GradientKernel, KernelSequences, ROWS_THREADS, SINK_THREADS,
};
use kernel_abi::gemm::{InputType, Major};

/// Name, type and meaning.
type Described = (&'static str, &'static str, &'static str);

/// A kernel, as a person describes it.
pub(super) struct Description {
    pub computes: String,
    pub parameters: Vec<Described>,
    pub grid: [String; 3],
    pub block: [String; 3],
    pub cluster: [u32; 3],
    pub shared_bytes: u32,
    pub requires: Vec<String>,
}

/// The bytes of a parameter of a type: a number's, a pointer's, or those of a structure.
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

/// Extents along x alone.
fn along_x(extent: impl ToString) -> [String; 3] {
    [extent.to_string(), "1".into(), "1".into()]
}

fn text<const N: usize>(words: [&str; N]) -> [String; N] {
    words.map(str::to_owned)
}

/// The description of the kernel of that name of a table of attention.
fn describe_attention(name: &str) -> Option<Description> {
    let ways = [
        AttentionLoads::Tma,
        AttentionLoads::TmaUmma,
        AttentionLoads::CpAsync,
    ];
    let mut forward = ways
        .into_iter()
        .flat_map(attention::forward_configurations_by);
    if let Some(of) = forward.find(|of| of.kernel == name) {
        return Some(of_forward(of));
    }
    if let Some(of) = attention::FP8_CONFIGURATIONS
        .iter()
        .find(|of| of.kernel == name)
    {
        return Some(of_fp8(of));
    }
    let decoding = attention::DECODE_CONFIGURATIONS.iter();
    for of in decoding.chain(attention::LATENT_DECODE_CONFIGURATIONS) {
        if of.attention.kernel == name {
            return Some(of_decode(of));
        }
        if of.combine == name {
            return Some(of_decode_parts(of));
        }
    }
    for of in attention::E4M3_DECODE_CONFIGURATIONS {
        if of.attention.kernel == name {
            return Some(of_decode(of));
        }
    }
    for of in attention::SOFT_CAP_E4M3_DECODE_CONFIGURATIONS {
        if of.attention.kernel == name {
            return Some(with_soft_cap(of_decode(of)));
        }
    }
    for of in attention::SOFT_CAP_DECODE_CONFIGURATIONS {
        if of.attention.kernel == name {
            return Some(with_soft_cap(of_decode(of)));
        }
    }
    for of in ways
        .into_iter()
        .flat_map(attention::gradient_configurations_by)
    {
        if of.rows == name {
            return Some(of_backward_rows(of));
        }
        if let Some(kernel) = of.of_tiles(name) {
            return Some(of_backward(of, kernel));
        }
    }
    if name == attention::SINK_GRADIENT.kernel {
        return Some(of_sink_gradient());
    }
    for of in attention::FUSED_BACKWARD_CONFIGURATIONS {
        if of.rows == name {
            return Some(of_fused_rows(of));
        }
        if of.gradients.kernel == name {
            return Some(of_fused_backward(of));
        }
        if of.dq == name {
            return Some(of_fused_dq(of));
        }
    }
    None
}

/// The description of the kernel of that name.
pub(super) fn describe(name: &str) -> Option<Description> {
    if let Some(of) = gemm::CONFIGURATIONS.iter().find(|of| of.kernel == name) {
        return Some(of_gemm(of));
    }
    if let Some(of) = describe_attention(name) {
        return Some(of);
    }
    match name {
        "vecadd" => Some(of_vecadd()),
        "transpose_b16" => Some(of_transpose(transpose::Width::B16)),
        "transpose_b32" => Some(of_transpose(transpose::Width::B32)),
        "attention_transpose_b8" => Some(of_attention_transpose()),
        "hgemm_by_hand" | "hgemm_on_layouts" => Some(of_hgemm(name)),
        _ if name.starts_with("gemm_reduction_") => Some(of_reduction()),
        _ => name.strip_prefix("pack_u").map(of_packing),
    }
}

fn of_vecadd() -> Description {
    Description {
        computes: "c = a + b, element by element".into(),
        parameters: vec![
            ("a", "*const f32", "n elements, aligned to 16 bytes"),
            ("b", "*const f32", "n elements, aligned to 16 bytes"),
            (
                "c",
                "*mut f32",
                "n elements, aligned to 16 bytes; overlaps neither",
            ),
            ("n", "u32", "elements, 1 to 2^31"),
        ],
        grid: along_x(format!("ceil(n / {})", vecadd::TILE)),
        block: along_x(vecadd::THREADS),
        cluster: [1; 3],
        shared_bytes: 0,
        requires: Vec::new(),
    }
}

fn of_transpose(width: transpose::Width) -> Description {
    let (to, from, shared_bytes) = match width {
        transpose::Width::B16 => ("*mut u16", "*const u16", 2),
        transpose::Width::B32 => ("*mut u32", "*const u32", 4),
    };
    let tile = transpose::TILE;
    Description {
        computes: "dst = the transpose of src, both row-major".into(),
        parameters: vec![
            (
                "dst",
                to,
                "cols rows of rows elements; does not overlap src",
            ),
            ("src", from, "rows rows of cols elements"),
            ("rows", "u32", "rows of src, 1 to 4194240"),
            ("cols", "u32", "columns of src, 1 to 2^31"),
        ],
        grid: [
            format!("ceil(cols / {tile})"),
            format!("ceil(rows / {tile})"),
            "1".into(),
        ],
        block: along_x(transpose::THREADS),
        cluster: [1; 3],
        shared_bytes: tile * tile * shared_bytes,
        requires: Vec::new(),
    }
}

fn of_hgemm(name: &str) -> Description {
    let how = match name {
        "hgemm_by_hand" => "every index worked out by hand",
        _ => "on layouts",
    };
    Description {
        computes: format!(
            "D = A B^T in f16 with an f16 accumulator, {how}: A (m,k), B (n,k) and D (m,n) row-major"
        ),
        parameters: vec![
            ("d", "*mut f16", "m n elements, aligned to 16 bytes"),
            ("a", "*const f16", "m k elements, aligned to 16 bytes"),
            ("b", "*const f16", "n k elements, aligned to 16 bytes"),
            ("m", "u32", "rows of A and D"),
            ("n", "u32", "rows of B, columns of D"),
            ("k", "u32", "columns of A and B"),
        ],
        grid: along_x("ceil(m / 128) ceil(n / 128)"),
        block: along_x("128"),
        cluster: [1; 3],
        shared_bytes: gpu_kernels::hgemm_by_hand::SHARED_BYTES,
        requires: vec!["k and n are multiples of 8".into()],
    }
}

fn of_packing(bits: &str) -> Description {
    let (to, from) = match bits {
        "8" => ("*mut u8", "*const u8"),
        "16" => ("*mut u16", "*const u16"),
        _ => ("*mut u32", "*const u32"),
    };
    Description {
        computes:
            "a copy of a matrix into rows of whole vectors of 16 bytes, zeros behind each row"
                .into(),
        parameters: vec![
            ("to", to, "the copy, aligned to 16 bytes"),
            ("from", from, "the matrix"),
            ("rows", "u32", "rows of a batch"),
            ("columns", "u32", "elements of a row"),
            ("ld", "u64", "elements between rows of the matrix"),
            (
                "ld_to",
                "u64",
                "elements between rows of the copy, whole vectors of 16 bytes",
            ),
            (
                "batch_stride",
                "u64",
                "elements between batches of the matrix",
            ),
            (
                "batch_stride_to",
                "u64",
                "elements between batches of the copy",
            ),
        ],
        grid: text(["ceil(rows / 8)", "1", "batches"]),
        block: along_x("256"),
        cluster: [1; 3],
        shared_bytes: 0,
        requires: Vec::new(),
    }
}

fn of_reduction() -> Description {
    Description {
        computes: "the sum of a split-K product's slices, with the epilogue of its parameters"
            .into(),
        parameters: vec![
            ("d", "*mut u8", "D"),
            (
                "slices",
                "*const u8",
                "f32 or s32 (slice, batch, m, n), aligned to 16 bytes",
            ),
            ("c", "*const u8", "C, where the flag says so"),
            ("bias", "*const f32", "n elements, where the flag says so"),
            (
                "params",
                "GemmParams",
                "the product's, k_slices the number of slices",
            ),
            (
                "ld",
                "u64",
                "numbers of 4 bytes between rows of a slice: n rounded up to a multiple of 4",
            ),
        ],
        grid: text(["ceil(m ceil(n / 4) / block.x)", "1", "batches"]),
        block: text([
            "max(32, 128 / block.y)",
            "the power of two not below ceil(k_slices / 4), 16 at most",
            "1",
        ]),
        cluster: [1; 3],
        shared_bytes: 0,
        requires: Vec::new(),
    }
}

/// What a GEMM's D may be.
const fn outputs(input: InputType) -> &'static str {
    match input {
        InputType::F16 | InputType::Bf16 | InputType::Tf32 => "the inputs' type or f32",
        InputType::S8 => "s8 or s32",
        InputType::E4m3 | InputType::E5m2 => "bf16, f32 or the inputs' type",
    }
}

fn of_gemm(of: &Configuration) -> Description {
    let [m, n, k] = of.tile;
    let major = |major: Major| match major {
        Major::K => "k contiguous",
        Major::Mn => "k strided",
    };
    let majors = match of.load_bytes {
        16 => format!("A {}, B {}", major(of.majors.a()), major(of.majors.b())),
        _ => "A and B of either major".into(),
    };
    let mut parameters = vec![
        (
            "d",
            "*mut u8",
            "D: element (i,j) of batch z at z batch_d + i ldd + j",
        ),
        (
            "a",
            "*const u8",
            "A: element (i,k) at i lda + k, or k lda + i where k is strided",
        ),
        (
            "b",
            "*const u8",
            "B: element (k,j) at j ldb + k, or k ldb + j where k is strided",
        ),
        ("c", "*const u8", "C, as D; null where no flag names it"),
        (
            "bias",
            "*const f32",
            "n elements; null where no flag names it",
        ),
        ("workspace", "*mut u8", "null where k_slices is 1"),
        ("params", "GemmParams", "extents, strides, epilogue"),
    ];
    let grouped = of.hopper.is_some_and(|hopper| hopper.grouped);
    if grouped {
        parameters[3] = (
            "c",
            "*const u8",
            "the list of groups: rows of each, u32; or M, N and K, where params.batch_c is 3",
        );
    }
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
        parameters.extend([
            ("map_a", "TensorMap", "A's tensor map"),
            ("map_b", "TensorMap", "B's tensor map"),
            (
                "map_d",
                "TensorMap",
                "D's tensor map; anything where D is not stored by TMA",
            ),
            ("batches", "u32", if grouped { "groups" } else { "batches" }),
        ]);
        requires.push(format!(
            "boxes, contiguous extent first: A {:?}, B {:?}; 128-byte swizzle; made by `Configuration::plan` of the crate kernel-abi",
            hopper.box_a, hopper.box_b
        ));
        requires.push(format!(
            "the grid is a multiple of the cluster of {} CTAs",
            across * down
        ));
    }
    Description {
        computes: format!(
            "D = act(alpha A B + beta C + bias): {} inputs, {} accumulator, {majors}, tile {m} x {n} x {k}; D in {}",
            of.input.name(),
            of.accumulator.name(),
            outputs(of.input)
        ),
        parameters,
        grid,
        block: along_x(of.threads),
        cluster,
        shared_bytes: of.shared_bytes,
        requires,
    }
}

/// What is said of a kernel of packed sequences.
const OF_PACKED: &str = ", of sequences one behind the other";

/// A kernel that reads Q, K and V by their addresses.
fn of_attention_by_addresses(of: &AttentionConfiguration) -> Description {
    let mut description = of_attention(of);
    let read = match of.element.name() {
        "bf16" => "*const bf16",
        _ => "*const f16",
    };
    description.parameters.truncate(3);
    description.parameters.extend([
        (
            "q",
            read,
            "Q: element (i,j) of head h and batch b at b batch_q + h head_q + i row_q + j; rows aligned to 16 bytes",
        ),
        ("k", read, "K, of its heads, by its strides"),
        ("v", read, "V, of its heads, by its strides"),
        ("reads", "AttentionReads", "strides of Q, K and V"),
    ]);
    let rows = of.tile[0];
    description.grid = along_x(format!("ceil(queries / {rows}) heads batches"));
    description.requires.clear();
    description
}

/// A kernel of the forward pass: its tensors, then the arguments of its parts.
fn of_forward(of: &AttentionConfiguration) -> Description {
    let mut description = match of.loads {
        AttentionLoads::Tma | AttentionLoads::TmaUmma => of_attention(of),
        AttentionLoads::CpAsync => of_attention_by_addresses(of),
    };
    let parts = of.parts;
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
    let described = parts.arguments().map(|argument| {
        let meaning = meaning(argument, parts.sequences);
        (argument.name(), argument.type_name(), meaning)
    });
    description.parameters.extend(described);
    if parts.sequences == KernelSequences::Packed && of.loads == AttentionLoads::CpAsync {
        let rows = of.tile[0];
        description.grid = along_x(format!("(floor(queries / {rows}) + batches) heads"));
    }
    description
}

/// What is said of a kernel's score parts.
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

/// What is said of an argument of a part, of a kernel of such sequences.
const fn meaning(argument: AttentionArgument, sequences: KernelSequences) -> &'static str {
    match (argument, sequences) {
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
    }
}

/// What is said of a kernel that takes packed sequences, too.
const OF_EITHER: &str = "; sequences of one length, or one behind the other";
/// What is said of a kernel with a soft cap.
const OF_SOFT_CAP: &str = ", of scores that become cap tanh(score / cap)";
/// The last parameter of such a kernel.
const SOFT_CAP: Described = ("score", "SoftCap", "the cap");

/// The description of a kernel with a soft cap, by that of the same without.
fn with_soft_cap(mut description: Description) -> Description {
    description.computes += OF_SOFT_CAP;
    description.parameters.push(SOFT_CAP);
    description
}

fn of_fp8(of: &AttentionConfiguration) -> Description {
    let mut description = of_attention(of);
    let [queries, keys] = of.tile;
    description.computes += ", of Q, K and V in e4m3 with scales";
    description.parameters.pop();
    description.parameters.extend([
        (
            "map_v",
            "TensorMap",
            "V transposed, as attention_transpose_b8 writes it: (place of a key, D, head, batch)",
        ),
        (
            "q_scales",
            "*const f32",
            "(batch, key head) what Q is multiplied with, or one of all; above 0",
        ),
        ("k_scales", "*const f32", "the same of K"),
        ("v_scales", "*const f32", "the same of V"),
    ]);
    description.requires = vec![format!(
        "boxes of 128 x {queries} (Q), 128 x {keys} (K) and {keys} x 128 (V transposed), 128-byte swizzle"
    )];
    description
}

fn of_attention_transpose() -> Description {
    Description {
        computes: "V of 8-bit elements transposed, head by head: element (d, place) of a head of V^T is element (key, d) of V, or 0 where \
                   there is no such key; the keys at 16 neighbouring places are the first of 16 plus 0 1 8 9 2 3 10 11 4 5 12 13 6 7 14 15"
            .into(),
        parameters: vec![
            (
                "to",
                "*mut u8",
                "(batch, head, D, place) V transposed, aligned to 16 bytes",
            ),
            (
                "from",
                "*const u8",
                "V: element (i,j) of head h and batch b at b batch + h head + i row + j, aligned to 16 bytes",
            ),
            ("params", "TransposeParams", "extents, strides of V"),
        ],
        grid: along_x("places / 128 * heads * batches"),
        block: along_x(128),
        cluster: [1; 3],
        shared_bytes: 128 * 128,
        requires: vec!["a head dimension of 128".into()],
    }
}

fn of_decode(of: &DecodeConfiguration) -> Description {
    let mut description = of_attention(&of.attention);
    let [_, block] = of.attention.tile;
    description.computes += ", of one query a head and sequence to keys in pages";
    description.parameters.extend([
        ("lengths", "*const u32", "the keys of each sequence"),
        (
            "table",
            "*const u32",
            "(sequence, table_pages) the pages of each sequence",
        ),
        (
            "part_o",
            "*mut f32",
            "(2 CTAs, query head of a key head, D) O of keys that are not all of a head's",
        ),
        (
            "part_lse",
            "*mut f32",
            "(2 CTAs, query head of a key head) their log-sum-exp",
        ),
        ("decode", "DecodeParams", "pages, and how keys are split"),
    ]);
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
        description.parameters.extend([
            (
                "k_scales",
                "*const f32",
                "(key head) what K is multiplied with, or one of all; above 0",
            ),
            ("v_scales", "*const f32", "the same of V"),
        ]);
    }
    description
}

/// Whether attention is latent: V is K's first columns.
fn is_latent(of: &DecodeConfiguration) -> bool {
    of.attention.dim_v != of.attention.dim
}

fn of_decode_parts(of: &DecodeConfiguration) -> Description {
    let o = match of.attention.element.name() {
        "bf16" => "*mut bf16",
        _ => "*mut f16",
    };
    Description {
        computes: format!(
            "O of the heads whose keys several CTAs of {} had, and of those without keys",
            of.attention.kernel
        ),
        parameters: vec![
            ("o", o, "O, as the other kernel's"),
            ("lse", "*mut f32", "the log-sum-exp, as the other kernel's"),
            ("part_o", "*const f32", "what the other kernel wrote"),
            ("part_lse", "*const f32", "what the other kernel wrote"),
            ("lengths", "*const u32", "the keys of each sequence"),
            ("params", "AttentionParams", "those of the other kernel"),
            ("decode", "DecodeParams", "those of the other kernel"),
        ],
        grid: match is_latent(of) {
            true => text(["sequences", "ceil(queries / 4), 65535 at most", "1"]),
            false => along_x("sequences x key heads"),
        },
        block: along_x(COMBINE_THREADS),
        cluster: [1; 3],
        shared_bytes: 0,
        requires: Vec::new(),
    }
}

/// Columns of a tensor map's boxes.
fn columns_of_box(dim: u32) -> u32 {
    if dim.is_multiple_of(64) { 64 } else { 32 }
}

fn of_attention(of: &AttentionConfiguration) -> Description {
    let columns = columns_of_box(of.dim);
    let of_v = match of.dim_v {
        same if same == of.dim => String::new(),
        of_v => format!(", {of_v} of V"),
    };
    let (o, [queries, keys]) = match of.element.name() {
        "bf16" => ("*mut bf16", of.tile),
        _ => ("*mut f16", of.tile),
    };
    Description {
        computes: format!(
            "O = softmax(scale Q K^T + mask) V: {}, head dimension {}{of_v}, tile {queries} x {keys}",
            of.element.name(),
            of.dim
        ),
        parameters: vec![
            (
                "o",
                o,
                "O: element (i,j) of head h and batch b at b batch_o + h head_o + i row_o + j; rows aligned to 16 bytes",
            ),
            (
                "lse",
                "*mut f32",
                "(batch, head, query) log-sum-exp; null where no flag names it",
            ),
            ("params", "AttentionParams", "extents, mask, strides of O"),
            (
                "map_q",
                "TensorMap",
                "Q: (D, query, head, batch), contiguous first",
            ),
            ("map_k", "TensorMap", "K: (D, key, head, batch)"),
            ("map_v", "TensorMap", "V: (D, key, head, batch)"),
        ],
        grid: along_x("any number: as many CTAs as are resident at once is best"),
        block: along_x(of.threads),
        cluster: [1; 3],
        shared_bytes: of.shared_bytes,
        requires: vec![format!(
            "boxes of {columns} x {} (Q) and {columns} x {keys} (K, V), {}-byte swizzle",
            of.rows_of_q(),
            2 * columns
        )],
    }
}

/// The starts of sequences, as a kernel of tiles of the gradients has them: packed, or of either
/// kind.
const fn starts_of_tiles(sequences: KernelSequences) -> [Described; 2] {
    let [tiles, streamed] = match sequences {
        KernelSequences::Either => [
            "where params.of.flags has PACKED the first row of each sequence in the tensors of the tile, and the end of the last, \
             params.of.batches being how many there are; else null",
            "the same in those that are streamed; where they are there, the band of params is that of as many queries as keys",
        ],
        _ => [
            "the first row of each sequence in the tensors of the tile, and the end of the last; params.of.batches is how many there are",
            "the same in those that are streamed; the band of params is that of as many queries as keys",
        ],
    };
    [
        ("tiles", "*const u32", tiles),
        ("streamed", "*const u32", streamed),
    ]
}

fn of_backward_rows(of: &AttentionBackwardConfiguration) -> Description {
    let o = match of.element.name() {
        "bf16" => "*const bf16",
        _ => "*const f16",
    };
    let mut description = Description {
        computes: format!(
            "for attention's gradients, of each row of O: the log-sum-exp in powers of two, and the sum of O dO; {}, head dimension {}",
            of.element.name(),
            of.dim
        ),
        parameters: vec![
            ("o", o, "O"),
            ("d_o", o, "its gradient"),
            (
                "lse",
                "*const f32",
                "(batch, head, query) log-sum-exp of the forward pass",
            ),
            ("values", "*mut f32", "(2, head of all batches, value_rows)"),
            (
                "params",
                "AttentionBackwardParams",
                "extents, strides of O and dO",
            ),
        ],
        grid: along_x("any number"),
        block: along_x(ROWS_THREADS),
        cluster: [1; 3],
        shared_bytes: 0,
        requires: Vec::new(),
    };
    if of.parts.sequences == KernelSequences::Packed {
        description.computes += OF_PACKED;
        let [(_, of, what), _] = starts_of_tiles(KernelSequences::Packed);
        description.parameters.push(("queries", of, what));
    }
    description
}

/// A kernel of tiles: its tensors, then the arguments of its parts.
fn of_backward(of: &AttentionBackwardConfiguration, kernel: &GradientKernel) -> Description {
    let mut description = match of.loads {
        AttentionLoads::Tma | AttentionLoads::TmaUmma => of_backward_by_maps(of, kernel),
        AttentionLoads::CpAsync => of_backward_by_addresses(of, kernel),
    };
    let parts = of.parts_of_tiles();
    description.computes.extend(of_scores(parts));
    description.computes += match parts.sequences {
        KernelSequences::Packed => OF_PACKED,
        KernelSequences::Either => OF_EITHER,
        _ => "",
    };
    let [tiles, streamed] = starts_of_tiles(parts.sequences);
    let described = parts.arguments().map(|argument| match argument {
        AttentionArgument::QueryStarts => tiles,
        AttentionArgument::KeyStarts => streamed,
        other => (
            other.name(),
            other.type_name(),
            meaning(other, parts.sequences),
        ),
    });
    description.parameters.extend(described);
    description
}

/// A kernel of tiles that reads its tensors by their maps.
fn of_backward_by_maps(
    of: &AttentionBackwardConfiguration,
    kernel: &GradientKernel,
) -> Description {
    let out = match of.element.name() {
        "bf16" => "*mut bf16",
        _ => "*mut f16",
    };
    let (what, tensors) = match kernel.kernel == of.keys.kernel {
        true => ("dK and dV, a tile of keys", ["dK", "dV"]),
        false => (
            "dQ, a tile of queries",
            ["dQ", "nothing: dQ's kernel has one result"],
        ),
    };
    let [rows, streamed] = kernel.tile;
    let columns = columns_of_box(of.dim);
    Description {
        computes: format!(
            "attention's {what}: {}, head dimension {}",
            of.element.name(),
            of.dim
        ),
        parameters: vec![
            ("first", out, tensors[0]),
            ("second", out, tensors[1]),
            ("values", "*const f32", "what the kernel of the rows wrote"),
            (
                "params",
                "AttentionBackwardParams",
                "the tiles, mask, strides of the results",
            ),
            ("map_x0", "TensorMap", "K, or Q: of the tile"),
            ("map_x1", "TensorMap", "V, or dO: of the tile"),
            ("map_y0", "TensorMap", "Q, or K: streamed"),
            ("map_y1", "TensorMap", "dO, or V: streamed"),
        ],
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

/// A kernel of tiles that reads its tensors by their addresses.
fn of_backward_by_addresses(
    of: &AttentionBackwardConfiguration,
    kernel: &GradientKernel,
) -> Description {
    let mut description = of_backward_by_maps(of, kernel);
    let read = match of.element.name() {
        "bf16" => "*const bf16",
        _ => "*const f16",
    };
    description.parameters.truncate(4);
    description.parameters.extend([
        (
            "x_0",
            read,
            "K, or Q: of the tile; element (i,j) of head h and batch b at b batch + h head + i row + j; rows aligned to 16 bytes",
        ),
        ("x_1", read, "V, or dO: of the tile"),
        ("y_0", read, "Q, or K: streamed"),
        ("y_1", read, "dO, or V: streamed"),
        ("reads", "GradientReads", "their strides"),
    ]);
    let rows = kernel.tile[0];
    description.grid = along_x(match of.parts_of_tiles().sequences {
        KernelSequences::Packed => {
            format!("(floor(params.of.queries / {rows}) + params.of.batches) params.of.heads")
        }
        _ => format!("ceil(params.of.queries / {rows}) params.of.heads batches"),
    });
    description.requires.clear();
    description
}

fn of_sink_gradient() -> Description {
    Description {
        computes: "the gradient of attention's sinks: minus the sum of e^(sink - LSE) times the row sum of O dO, over the rows of a head"
            .into(),
        parameters: vec![
            ("d_sinks", "*mut f32", "the gradient of each head's sink"),
            ("sinks", "*const f32", "a logit of each head of Q; -inf is none"),
            ("values", "*const f32", "what the kernel of the rows wrote"),
            (
                "params",
                "AttentionBackwardParams",
                "those of the kernel of the rows",
            ),
        ],
        grid: along_x("params.of.heads"),
        block: along_x(SINK_THREADS),
        cluster: [1; 3],
        shared_bytes: attention::SINK_GRADIENT.shared_bytes,
        requires: Vec::new(),
    }
}

/// What the sums of dQ are.
const SUMS_OF_DQ: &str = "(head of all batches, value_rows / 64, D / 64, 8, 128, 4) sums of dQ, in the order of `wgmma`'s accumulator";

/// The alike kernels of gradients of seven products, which the fused ones share arguments with.
const fn alike(of: &FusedBackwardConfiguration) -> AttentionBackwardConfiguration {
    AttentionBackwardConfiguration {
        parts: AttentionParts::NONE,
        element: of.element,
        dim: of.dim,
        loads: AttentionLoads::Tma,
        ctas: [1, 1],
        rows: of.rows,
        keys: of.gradients,
        queries: of.gradients,
    }
}

fn of_fused_rows(of: &FusedBackwardConfiguration) -> Description {
    let mut description = of_backward_rows(&alike(of));
    description.computes += "; clears the sums of dQ";
    description
        .parameters
        .push(("sums", "*mut f32", SUMS_OF_DQ));
    description
}

fn of_fused_backward(of: &FusedBackwardConfiguration) -> Description {
    let mut description = of_backward(&alike(of), &of.gradients);
    description.computes = format!(
        "attention's dK and dV, and the sums of dQ, a tile of keys: {}, head dimension {}",
        of.element.name(),
        of.dim
    );
    for (parameter, name) in description.parameters.iter_mut().zip([
        "dk", "dv", "values", "params", "map_k", "map_v", "map_q", "map_do",
    ]) {
        parameter.0 = name;
    }
    description
        .parameters
        .push(("sums", "*mut f32", SUMS_OF_DQ));
    description
}

fn of_fused_dq(of: &FusedBackwardConfiguration) -> Description {
    let out = match of.element.name() {
        "bf16" => "*mut bf16",
        _ => "*mut f16",
    };
    Description {
        computes: format!(
            "attention's dQ of its sums, scaled and rounded: {}, head dimension {}",
            of.element.name(),
            of.dim
        ),
        parameters: vec![
            ("dq", out, "dQ"),
            ("sums", "*const f32", SUMS_OF_DQ),
            (
                "params",
                "AttentionBackwardParams",
                "extents, strides of dQ, the scale",
            ),
        ],
        grid: along_x("any number"),
        block: along_x(ROWS_THREADS),
        cluster: [1; 3],
        shared_bytes: 0,
        requires: Vec::new(),
    }
}
