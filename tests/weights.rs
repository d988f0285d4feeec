//! Weights of 4 and 8 bits: every code at every place of a register, by the kernels' PTX and on the
//! host; packing from published orders; products against float64 under every schedule; refusals.

use bytemuck::Pod;
use cutlet::kernels::Modules;
use cutlet::run::{Comparison, RunOptions, WeightsRun, weights_gemm, weights_gemm_by};
use cutlet::weights::{self, InputType, Weights, WeightsChoice, WeightsLibrary, WeightsOperands};
use emulator::Schedule;
use example_weights_kernels::{self as kernels, Nf4};
use gpu_kernels::weights::config::packed_layout;
use gpu_kernels::weights::format::{
    BlockCodes, Decode, Int4, Int8, Mxfp4, UInt4, WeightFormat, check, place_of,
};
use gpu_kernels::weights::order::HeldWeights;
use gpu_kernels::weights::pack::{
    FormatValue, Published, pack_codes, packed, published, tile_order,
};
use half::{bf16, f16};
use host::{Device, EmulatorConfig, Launch, Module};
use kernel_abi::gemm::{Activation, Epilogue, GemmProblem, OutputType};
use kernel_abi::weights::{Resources, WeightsConfiguration, WeightsProblem};
use layout_types::layout::LayoutFn;

fn module(device: &Device) -> Module {
    device.load(example_ptx::weights().unwrap()).unwrap()
}

fn number<E: 'static>(bits: u16) -> f32 {
    if std::any::TypeId::of::<E>() == std::any::TypeId::of::<f16>() {
        f16::from_bits(bits).to_f32()
    } else {
        bf16::from_bits(bits).to_f32()
    }
}

/// Every code at every place of a block, beside every other code, by the kernel.
fn decodes<F: WeightFormat, E: 'static>(module: &Module, name: &str, zeros: [u16; 2])
where
    F::Codes: Pod,
{
    let all = 1u32 << F::BITS;
    // Of 8 bits beside 16 others.
    let step = (all / 16) as usize;
    let mut blocks = Vec::new();
    for other in (0..all).step_by(step) {
        let filled = (0..8).fold(F::Codes::default(), |codes, at| codes.with_code(at, other));
        for code in 0..all {
            blocks.extend((0..8).map(|at| filled.with_code(at, code)));
        }
    }
    let device = module.device();
    let codes = device.upload(&blocks).unwrap();
    let word = u32::from(zeros[0]) | u32::from(zeros[1]) << 16;
    let record = device.upload(&[0, word]).unwrap();
    let mut registers = device.alloc::<[u32; 4]>(blocks.len()).unwrap();
    registers.fill_bytes(0xff).unwrap();
    let launch = Launch::new(blocks.len() as u32 / 128, 128);
    let kernel = module.kernel(name).unwrap();
    kernel
        .launch(&launch, (&mut registers, &codes, &record))
        .unwrap();
    let zeros = if F::GROUP_BYTES == 4 { zeros } else { [0, 0] };
    for (codes, registers) in blocks.iter().zip(registers.to_vec().unwrap()) {
        for at in 0..8 {
            let bits = (registers[at / 2] >> (16 * (at % 2))) as u16;
            let code = codes.code(place_of::<F>(at as u32));
            let expected = F::value(code) - f32::from(zeros[at / 2 % 2]);
            assert_eq!(
                number::<E>(bits).to_bits(),
                expected.to_bits(),
                "{name}: code {code} at {at}"
            );
        }
    }
}

#[test]
fn every_code_decodes_to_its_number_at_every_place() {
    let device = Device::emulator();
    let module = module(&device);
    decodes::<Int4<f16>, f16>(&module, "decode_int4_f16", [0; 2]);
    decodes::<Int4<f16>, bf16>(&module, "decode_int4_bf16", [0; 2]);
    for zeros in [[0, 15], [15, 0], [8, 7]] {
        decodes::<UInt4<f16>, f16>(&module, "decode_uint4_f16", zeros);
        decodes::<UInt4<f16>, bf16>(&module, "decode_uint4_bf16", zeros);
    }
    decodes::<Mxfp4, f16>(&module, "decode_mxfp4_f16", [0; 2]);
    decodes::<Mxfp4, bf16>(&module, "decode_mxfp4_bf16", [0; 2]);
    decodes::<Nf4, bf16>(&module, "decode_nf4_bf16", [0; 2]);
    decodes::<Int8<f16>, f16>(&module, "decode_int8_f16", [0; 2]);
    decodes::<Int8<f16>, bf16>(&module, "decode_int8_bf16", [0; 2]);
}

#[test]
fn a_host_decodes_the_same() {
    check::<Int4<f16>, f16>(&[0; 8], [0.0; 2]).unwrap();
    check::<Int4<bf16>, bf16>(&[0; 8], [0.0; 2]).unwrap();
    for zeros in 0..16u32 {
        let words = [0, zeros | (15 - zeros) << 16];
        let subtracted = [zeros as f32, (15 - zeros) as f32];
        check::<UInt4<f16>, f16>(&words, subtracted).unwrap();
        check::<UInt4<f16>, bf16>(&words, subtracted).unwrap();
    }
    check::<Mxfp4, f16>(&[0; 8], [0.0; 2]).unwrap();
    check::<Mxfp4, bf16>(&[0; 8], [0.0; 2]).unwrap();
    check::<Nf4, bf16>(&[0; 8], [0.0; 2]).unwrap();
}

/// A format whose decoding is not its definition.
#[derive(Clone, Copy, Default)]
struct Wrong;
impl WeightFormat for Wrong {
    const NAME: &'static str = "wrong";
    const BITS: u32 = 4;
    const PADDING: u32 = 0;
    const SCALES: &'static str = "f16";
    const GROUP_BYTES: u32 = 2;
    type Codes = u32;
    type Places = <Int4<f16> as WeightFormat>::Places;
    type Packed = <Int4<f16> as WeightFormat>::Packed;
    type Zeros = ();
    fn value(code: u32) -> f32 {
        code as f32 - 7.0
    }
    fn scales(_: &[u32], _: usize) -> [f32; 2] {
        [1.0; 2]
    }
}
impl Decode<bf16> for Wrong {
    fn zeros(_: &[u32], _: usize) {}
    fn decode(codes: u32, (): ()) -> [u32; 4] {
        <Int4<f16> as Decode<bf16>>::decode(codes, ())
    }
}

#[test]
fn a_decoding_that_is_not_the_definition_is_found() {
    assert_eq!(
        check::<Wrong, bf16>(&[0; 8], [0.0; 2]).unwrap_err(),
        "wrong to bf16: code 0 at value 0 beside 0 decodes to -8, not -7"
    );
}

#[test]
fn scales_of_mxfp4_are_powers_of_two() {
    for exponent in 0..=254u32 {
        let found = Mxfp4::scales(&[exponent | 127 << 8 | 1 << 16], 0);
        assert_eq!(f64::from(found[0]), (f64::from(exponent) - 127.0).exp2());
        assert_eq!(found[1], 1.0);
    }
    // NaN has no code among packed scales.
    let refused = std::panic::catch_unwind(|| {
        gpu_kernels::weights::pack::pack_groups::<Mxfp4>(1, 32, 32, |_, _| 255, |_, _| 0)
    });
    assert!(refused.is_err());
}

/// The instructions of an entry, by opcode, memory and control left out.
fn instructions(ptx: &str, entry: &str) -> std::collections::BTreeMap<String, usize> {
    let body = ptx.split(&format!(".entry {entry}(")).nth(1).unwrap();
    let body = body.split("\n}").next().unwrap();
    let mut counts = std::collections::BTreeMap::new();
    for line in body.lines() {
        let line = line.trim().trim_start_matches("{ ");
        let opcode = line.split(['.', ' ', '\t', ';']).next().unwrap_or_default();
        let kind = line.split_whitespace().next().unwrap_or_default();
        if [
            "lop3", "and", "or", "shr", "shl", "fma", "add", "mul", "prmt",
        ]
        .contains(&opcode)
            && !kind.contains("64")
            && !kind.contains(".s32")
            && !kind.contains(".wide")
        {
            *counts.entry(opcode.to_owned()).or_insert(0) += 1;
        }
    }
    counts
}

#[test]
fn eight_codes_take_so_many_instructions() {
    let ptx = example_ptx::weights().unwrap();
    let found = |entry: &str| {
        let counts = instructions(ptx, entry);
        let all: Vec<_> = counts
            .iter()
            .map(|(name, n)| format!("{n} {name}"))
            .collect();
        all.join(" ")
    };
    let all = [
        "int4_f16",
        "int4_bf16",
        "mxfp4_f16",
        "mxfp4_bf16",
        "nf4_bf16",
        "int8_f16",
        "int8_bf16",
    ];
    let table: Vec<_> = all
        .iter()
        .map(|name| format!("{name}: {}", found(&format!("decode_{name}"))))
        .collect();
    assert_eq!(
        table,
        [
            "int4_f16: 2 add 2 fma 4 lop3 1 shr",
            "int4_bf16: 4 fma 4 lop3 3 shr",
            "mxfp4_f16: 1 and 2 lop3 10 prmt 1 shl 1 shr",
            "mxfp4_bf16: 1 and 2 lop3 10 prmt 1 shl 1 shr",
            "nf4_bf16: 4 and 2 or 20 prmt 3 shr",
            "int8_f16: 4 add 4 prmt",
            "int8_bf16: 8 fma 8 lop3 3 shr",
        ]
    );
}

#[test]
fn the_packed_order_is_a_composition() {
    let order = tile_order::<Int4<f16>>();
    // Equal to the offset in nibbles that the fragment, the load and the decoding ask for.
    let expected = |n: i64, k: i64| {
        let (g, v1) = (n % 8, n / 8);
        let (v0, c, v2, block) = (k % 2, k / 2 % 4, k / 8 % 2, k / 16);
        128 * g + v1 + 4 * v0 + 32 * c + 2 * v2 + 8 * block
    };
    let mut seen = vec![false; 1024];
    for n in 0..16 {
        for k in 0..64 {
            let place = order.offset(n + 16 * k).unwrap();
            assert_eq!(place, expected(n, k), "({n}, {k})");
            assert!(!std::mem::replace(&mut seen[place as usize], true));
        }
    }
    assert_eq!(HeldWeights::SIZE, 1024);
}

#[test]
fn packing_is_a_bijection_of_published_orders() {
    for (n, k) in [(8, 64), (40, 128), (33 * 8, 200)] {
        let bytes: Vec<u8> = host::reference::fill_bits(3, (n * k / 2) as usize);
        for order in [Published::RowMajor, Published::Gptq, Published::Awq] {
            let of = published(&bytes, order, n, k);
            let blob = pack_codes::<Int4<f16>>(n, k, &of);
            let back = packed::<Int4<f16>>(&blob, k);
            let (rows, columns) = (n.next_multiple_of(128), k.next_multiple_of(128));
            for row in 0..rows {
                for column in 0..columns {
                    let inside = row < n && column < k;
                    let expected = if inside { of(row, column) } else { 8 };
                    assert_eq!(back(row, column), expected, "{order:?} ({row}, {column})");
                }
            }
        }
    }
    // A word of AWQ: columns 0, 2, 4, 6, 1, 3, 5, 7 from its lowest nibble on.
    let word = 0x7654_3210u32.to_le_bytes();
    let awq = published(&word, Published::Awq, 8, 1);
    assert_eq!(
        (0..8).map(|n| awq(n, 0)).collect::<Vec<_>>(),
        [0, 4, 1, 5, 2, 6, 3, 7]
    );
}

/// The product of a kernel of the example's, with an epilogue, beside float64.
fn product<F: WeightFormat>(
    module: &Module,
    configuration: WeightsConfiguration,
    (m, n, k): (u32, u32, u32),
    of: &Resources,
) {
    let bias = m % 2 == 1;
    let product = GemmProblem::new(m, n, k, configuration.input, OutputType::Same)
        .with_padding(8 * (m % 3))
        .with_epilogue(Epilogue {
            alpha: if bias { 0.5 } else { 1.0 },
            beta: if m % 4 == 3 { 0.25 } else { 0.0 },
            bias,
            activation: if bias {
                Activation::Gelu
            } else {
                Activation::None
            },
        });
    let problem = WeightsProblem {
        product,
        packed: configuration.packed,
    };
    let run = WeightsRun {
        problem,
        format: FormatValue::new::<F>(configuration.packed),
        kernel: None,
        seed: 11,
    };
    let choice = WeightsChoice {
        configuration,
        plan: configuration.plan(&problem, of).unwrap(),
    };
    let kernel = module.kernel(configuration.kernel).unwrap();
    let options = RunOptions {
        compare: Comparison::Full,
        ..RunOptions::default()
    };
    let outcome = weights_gemm_by(&kernel, &choice, &run, &options).unwrap();
    let (name, difference) = (configuration.kernel, outcome.difference);
    assert!(outcome.right(), "{name} {m}×{n}×{k}: {difference:?}");
}

/// Products on a device of so many multiprocessors, at sizes that end inside a tile and a unit, and
/// of more k than a CTA has room for.
fn products(device: &Device) {
    let module = module(device);
    let all = weights::resources(device);
    let few = Resources {
        multiprocessors: 4,
        clusters: [2, 1, 1],
        ..all
    };
    // Room for a few tiles' sums: phases.
    let little = Resources {
        multiprocessors: 2,
        clusters: [1; 3],
        shared_bytes: 48 << 10,
    };
    // Tiles after each other in one CTA; tokens, rows and k that end inside a tile.
    let one = Resources {
        multiprocessors: 1,
        ..few
    };
    macro_rules! right {
        ($($config:ident: $format:ty, $of:expr, $shape:expr;)*) => {$(
            product::<$format>(&module, kernels::$config::CONFIGURATION, $shape, &$of);
        )*};
    }
    right! {
        Int4G128Bf16T8: Int4<bf16>, all, (1, 40, 128);
        Int4G128Bf16T8: Int4<bf16>, few, (7, 300, 2304);
        Int4G128Bf16T8: Int4<bf16>, little, (8, 400, 2560);
        Int4G128Bf16T16: Int4<bf16>, few, (9, 100, 1152);
        Int4G128Bf16T16: Int4<bf16>, Resources { shared_bytes: 80 << 10, ..little }, (16, 700, 2048);
        Int4G128Bf16T32: Int4<bf16>, all, (17, 33, 640);
        Int4G128Bf16T32: Int4<bf16>, all, (32, 96, 4096);
        UInt4G64Bf16T8: UInt4<f16>, few, (5, 50, 704);
        Mxfp4Bf16T8: Mxfp4, few, (8, 64, 1056);
        Nf4Bf16T8: Nf4, few, (2, 31, 576);
        Int8G128Bf16T8: Int8<bf16>, few, (8, 80, 1024);
        Int4G128Bf16M64: Int4<bf16>, all, (1, 16, 128);
        Int4G128Bf16M64: Int4<bf16>, all, (41, 130, 256);
        Int4G128Bf16M64: Int4<bf16>, one, (70, 300, 640);
        Int4G128Bf16M128: Int4<bf16>, one, (130, 130, 1152);
        UInt4G64F16M64: UInt4<f16>, few, (65, 129, 320);
        Int8G128F16M64: Int8<f16>, few, (64, 200, 896);
    }
}

/// The library's kernels, by name and by choice, on random shapes.
#[test]
fn the_librarys_products_are_right() {
    let device = Device::emulator();
    let library = WeightsLibrary::new(Modules::load(&device).unwrap());
    let mut random = host::reference::Random::new(55);
    let mut extent = |most: u64| 1 + random.below(most) as u32;
    for (name, input) in [
        ("int4:128", InputType::Bf16),
        ("uint4:32", InputType::F16),
        ("mxfp4:32", InputType::Bf16),
    ] {
        let format = weights::format(name, input).unwrap();
        for tokens in [8, 100] {
            let shape = (
                extent(tokens),
                extent(300),
                format.packed.group * extent(12),
            );
            let run = WeightsRun {
                problem: WeightsProblem::new(shape, input, format.packed),
                format: *format,
                kernel: None,
                seed: 3,
            };
            let outcome = weights_gemm(&library, &run, &RunOptions::default()).unwrap();
            assert!(
                outcome.right(),
                "{name} {shape:?}: {} {:?}",
                outcome.launched.kernel,
                outcome.difference
            );
        }
    }
}

/// A product whose reference reads other scales than the kernel is found wrong.
#[test]
fn a_wrong_scale_is_found() {
    let device = Device::emulator();
    let module = module(&device);
    let configuration = kernels::Int4G128Bf16T8::CONFIGURATION;
    let problem = WeightsProblem::new((4, 64, 512), InputType::Bf16, configuration.packed);
    let mut format = FormatValue::new::<Int4<bf16>>(configuration.packed);
    format.scale = |bits| f32::from_bits(u32::from(bits) << 16) * 1.01;
    let run = WeightsRun {
        problem,
        format,
        kernel: None,
        seed: 1,
    };
    let kernel = module.kernel(configuration.kernel).unwrap();
    let plan = configuration.plan(&problem, &weights::resources(&device));
    let choice = WeightsChoice {
        configuration,
        plan: plan.unwrap(),
    };
    let outcome = weights_gemm_by(&kernel, &choice, &run, &RunOptions::default()).unwrap();
    assert!(!outcome.right());
}

#[test]
fn products_are_right_under_every_schedule() {
    for schedule in [Schedule::Early, Schedule::Late, Schedule::Seeded(3)] {
        products(&Device::emulator_with(EmulatorConfig {
            schedule,
            ..EmulatorConfig::default()
        }));
    }
}

#[test]
fn a_gpu_is_right_too() {
    if let Ok(gpu) = Device::gpu(0)
        && gpu.compute_capability() == (9, 0)
    {
        products(&gpu);
    }
}

#[test]
fn no_access_has_a_bank_conflict() {
    let device = Device::emulator();
    let module = module(&device);
    let resources = Resources {
        multiprocessors: 2,
        clusters: [1; 3],
        shared_bytes: 227 << 10,
    };
    for (configuration, k) in [
        (kernels::Int4G128Bf16T8::CONFIGURATION, 2048),
        (kernels::Int4G128Bf16T16::CONFIGURATION, 1024),
        (kernels::Int4G128Bf16T32::CONFIGURATION, 1024),
        (kernels::Int8G128Bf16T8::CONFIGURATION, 2048),
    ] {
        let (m, n) = (configuration.tokens, 128);
        let packed = configuration.packed;
        let problem = WeightsProblem::new((m, n, k), InputType::Bf16, packed);
        let choice = WeightsChoice {
            configuration,
            plan: configuration.plan(&problem, &resources).unwrap(),
        };
        let x = device.upload(&vec![0u16; (m * k) as usize]).unwrap();
        let zeros = |bytes: u64| device.alloc::<u8>(bytes as usize).unwrap();
        let [mut codes, mut groups] =
            [packed.code_bytes(n, k), packed.group_bytes(n, k)].map(zeros);
        codes.fill_bytes(0x59).unwrap();
        groups.fill_bytes(0x3c).unwrap();
        let of = Weights::from_packed(packed, (n, k), codes, groups).unwrap();
        let mut d = device.alloc::<u16>((m * n) as usize).unwrap();
        let kernel = module.kernel(configuration.kernel).unwrap();
        let operands = WeightsOperands {
            x: &x,
            weights: &of,
            c: None,
            bias: None,
            d: &mut d,
        };
        let launch = weights::prepare(&kernel, &choice, operands).unwrap();
        let run = launch.run(None).unwrap();
        // All lanes of a warp ask a barrier at once; of all else no lane waits for another.
        for line in &run.report.unwrap().lines {
            assert!(
                line.memory.bank_conflicts == 0 || line.opcode.starts_with("mbarrier"),
                "{}: {}: {}",
                configuration.kernel,
                line.instruction,
                line.memory.bank_conflicts
            );
        }
    }
}

#[test]
fn what_a_plan_refuses() {
    let of = Resources {
        multiprocessors: 132,
        clusters: [66, 32, 16],
        shared_bytes: 227 << 10,
    };
    let kernel = kernels::UInt4G64Bf16T8::CONFIGURATION;
    let problem = WeightsProblem::new((8, 64, 256), InputType::Bf16, kernel.packed);
    let refused = |problem: WeightsProblem| kernel.plan(&problem, &of).unwrap_err().to_string();
    let with = |change: fn(&mut GemmProblem)| {
        let mut problem = problem;
        change(&mut problem.product);
        refused(problem)
    };
    assert!(kernel.plan(&problem, &of).is_ok());
    assert_eq!(with(|of| of.k = 96), "K is 96; it must be a multiple of 64");
    assert_eq!(with(|of| of.m = 9), "M is 9; a launch covers at most 8");
    assert_eq!(with(|of| of.n = 0), "N is 0; it must be at least 1");
    assert_eq!(
        with(|of| of.lda = 250),
        "lda is 250; it must be a multiple of 8"
    );
    assert_eq!(with(|of| of.ldd = 63), "ldd is 63; it must be at least 64");
    assert_eq!(
        with(|of| of.input = InputType::F16),
        "weights_uint4_g64_bf16_t8 is not for this product: the type of A differs"
    );
    assert_eq!(
        with(|of| of.batches = 2),
        "weights_uint4_g64_bf16_t8 is not for this product: the number of products differs"
    );
    assert_eq!(
        refused(WeightsProblem {
            packed: const { &packed_layout::<Int4<f16>>(128) },
            ..problem
        }),
        "weights_uint4_g64_bf16_t8 reads weights packed as uint4:64, scales f16 (m16n8k16); \
         these are packed as int4:128, scales f16 (m16n8k16)"
    );
    let tiled = kernels::Int4G128Bf16M64::CONFIGURATION;
    let plan = tiled.plan(&problem, &of).unwrap_err().to_string();
    assert!(
        plan.starts_with(
            "weights_int4_g128_bf16_m64 reads weights packed as int4:128, scales bf16"
        ),
        "{plan}"
    );
    assert!(
        plan.ends_with("these are packed as uint4:64, scales f16 (m16n8k16)"),
        "{plan}"
    );
    assert_eq!(
        with(|of| (of.k, of.lda) = (1 << 20, 1 << 20)),
        "X, in bytes of shared memory, is 2130048; a launch covers at most 232448"
    );
}

#[test]
fn what_the_library_refuses() {
    let said = |name: &str, input| weights::format(name, input).unwrap_err().to_string();
    let all = said("int5:128", InputType::Bf16);
    assert!(
        all.starts_with("there are no weights int5:128; there are: int4:32, int4:64, int4:128,"),
        "{all}"
    );
    assert_eq!(
        said("int4:128", InputType::S8),
        "weights of few bits are multiplied by f16 or bf16, not by s8"
    );
    let device = Device::emulator();
    let mxfp4 = weights::format("mxfp4:32", InputType::Bf16).unwrap();
    let upload = |k, scale: u16| {
        let found = Weights::upload(
            &device,
            mxfp4,
            (3, k),
            |_, _| 0,
            move |_, _| scale,
            |_, _| 0,
        );
        found.map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        upload(40, 127),
        "weights of 3 rows and 40 columns in groups of 32: both are at least 1, and the columns a multiple of the group"
    );
    assert_eq!(
        upload(64, 255),
        "the scale of row 0, group 0 is NaN, code 255 of e8m0"
    );
}
