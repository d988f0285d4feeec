//! Tests weights of 4 and 8 bits: every code at every place of a register, by the kernels' PTX and
//! on the host; every scale; packing from published orders; products against float64 under every
//! schedule; refusals. `tests/gguf.rs` tests GGUF's blocks.

use bytemuck::Pod;
use cutlet::kernels::Modules;
use cutlet::run::{
    Comparison, ForeignWeights, ForeignWeightsOperands, RunOptions, WeightsRun, weights_gemm,
    weights_gemm_beside, weights_gemm_by,
};
use cutlet::weights::{self, InputType, Weights, WeightsChoice, WeightsLibrary, WeightsOperands};
use emulator::Schedule;
use example_weights_kernels::{self as kernels, Fp4G64};
use gpu_kernels::weights::codebook::Nf4;
use gpu_kernels::weights::config::{Activation as Rounded, packed_layout};
use gpu_kernels::weights::format::{
    BlockCodes, Decode, E2m1, E4m3, Int4, Int8, UInt4, WeightFormat, check, place_of,
};
use gpu_kernels::weights::order::HeldWeights;
use gpu_kernels::weights::pack::{
    FormatValue, Published, pack_codes, pack_groups, packed, published, tile_order,
};
use gpu_kernels::weights::scaling::{
    E8m0, GroupScale, GroupScaling, Q4KGroups, Q6KGroups, RowScale, ScaleGroups, Ue4m3, ZeroGroups,
};
use half::{bf16, f16};
use host::{Device, EmulatorConfig, Launch, Module};
use kernel_abi::gemm::{Activation, Epilogue, GemmProblem, OutputType};
use kernel_abi::weights::{Resources, WeightsConfiguration, WeightsProblem};
use layout_types::layout::LayoutFn;

fn module(device: &Device) -> Module {
    device.load(example_ptx::weights().unwrap()).unwrap()
}

/// Checks, by the kernel, every code at every place of a block, beside every other code.
fn decodes<F: WeightFormat, E: Rounded>(module: &Module, name: &str, zeros: [u16; 2])
where
    F::Codes: Pod,
{
    let all = 1u32 << F::BITS;
    // For 8 bits, the other places hold 16 different codes.
    let step = (all / 16) as usize;
    let mut blocks = Vec::new();
    for other in (0..all).step_by(step) {
        let filled = (0..8).fold(F::Codes::default(), |codes, at| codes.with_code(at, other));
        for code in (0..all).filter(|&code| F::is_code(code)) {
            blocks.extend((0..8).map(|at| filled.with_code(at, code)));
        }
    }
    // Fills up to whole blocks of threads.
    blocks.resize(blocks.len().next_multiple_of(128), F::Codes::default());
    let device = module.device();
    let arranged: Vec<_> = blocks.iter().map(|of| of.map_words(F::arrange)).collect();
    let codes = device.upload(&arranged).unwrap();
    let word = u32::from(zeros[0]) | u32::from(zeros[1]) << 16;
    let record = device.upload(&[0, word]).unwrap();
    let mut registers = device.alloc::<[u32; 4]>(blocks.len()).unwrap();
    registers.fill_bytes(0xff).unwrap();
    let launch = Launch::new(blocks.len() as u32 / 128, 128);
    let kernel = module.kernel(name).unwrap();
    kernel
        .launch(&launch, (&mut registers, &codes, &record))
        .unwrap();
    for (codes, registers) in blocks.iter().zip(registers.to_vec().unwrap()) {
        for at in 0..8 {
            let bits = (registers[at / 2] >> (16 * (at % 2))) as u16;
            let code = codes.code(place_of::<F>(at as u32));
            let expected = E::round(F::value(code) - f32::from(zeros[at / 2 % 2]));
            assert_eq!(bits, expected.bits(), "{name}: code {code} at {at}");
        }
    }
}

#[test]
fn every_code_decodes_to_its_number_at_every_place() {
    let device = Device::emulator();
    let module = module(&device);
    decodes::<Int4<RowScale>, f16>(&module, "decode_int4_f16", [0; 2]);
    decodes::<Int4<RowScale>, bf16>(&module, "decode_int4_bf16", [0; 2]);
    for zeros in [[0, 15], [15, 0], [8, 7]] {
        decodes::<UInt4<ZeroGroups<f16, 128>>, f16>(&module, "decode_uint4_f16", zeros);
        decodes::<UInt4<ZeroGroups<f16, 128>>, bf16>(&module, "decode_uint4_bf16", zeros);
    }
    decodes::<E2m1<RowScale>, f16>(&module, "decode_e2m1_f16", [0; 2]);
    decodes::<E2m1<RowScale>, bf16>(&module, "decode_e2m1_bf16", [0; 2]);
    decodes::<Nf4<RowScale>, f16>(&module, "decode_nf4_f16", [0; 2]);
    decodes::<Nf4<RowScale>, bf16>(&module, "decode_nf4_bf16", [0; 2]);
    decodes::<Int8<RowScale>, f16>(&module, "decode_int8_f16", [0; 2]);
    decodes::<Int8<RowScale>, bf16>(&module, "decode_int8_bf16", [0; 2]);
    decodes::<E4m3<RowScale>, f16>(&module, "decode_e4m3_f16", [0; 2]);
    decodes::<E4m3<RowScale>, bf16>(&module, "decode_e4m3_bf16", [0; 2]);
}

#[test]
fn a_host_decodes_the_same() {
    check::<Int4<RowScale>, f16>([0; 2]).unwrap();
    check::<Int4<RowScale>, bf16>([0; 2]).unwrap();
    for zero in 0..16 {
        check::<UInt4<ZeroGroups<f16, 64>>, f16>([zero, 15 - zero]).unwrap();
        check::<UInt4<ZeroGroups<f16, 64>>, bf16>([zero, 15 - zero]).unwrap();
    }
    check::<E2m1<RowScale>, f16>([0; 2]).unwrap();
    check::<E2m1<RowScale>, bf16>([0; 2]).unwrap();
    check::<Nf4<RowScale>, f16>([0; 2]).unwrap();
    check::<Nf4<RowScale>, bf16>([0; 2]).unwrap();
    check::<Fp4G64, bf16>([0; 2]).unwrap();
}

/// Checks the published numbers of codes that are not integers.
#[test]
fn the_numbers_of_codes_are_the_published_ones() {
    let e2m1 = (0..8).map(E2m1::<RowScale>::value).collect::<Vec<_>>();
    assert_eq!(e2m1, [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]);
    // OCP 8-bit Floating Point 1.0, table 1: e4m3.
    let e4m3 = |code: u32| f64::from(E4m3::<RowScale>::value(code));
    for (code, number) in [
        (0x00, 0.0),
        (0x01, 2f64.powi(-9)),
        (0x07, 0.875 * 2f64.powi(-6)),
        (0x08, 2f64.powi(-6)),
        (0x38, 1.0),
        (0x7e, 448.0),
    ] {
        assert_eq!([e4m3(code), e4m3(code | 0x80)], [number, -number]);
    }
    for code in (0..256u32).filter(|code| code & 127 != 127) {
        let (exponent, fraction) = ((code >> 3 & 15) as i32, f64::from(code & 7) / 8.0);
        let magnitude = match exponent {
            0 => fraction * 2f64.powi(-6),
            _ => (1.0 + fraction) * 2f64.powi(exponent - 7),
        };
        let sign = if code < 128 { 1.0 } else { -1.0 };
        assert_eq!(e4m3(code), sign * magnitude);
        assert!(E4m3::<RowScale>::is_code(code));
    }
    assert!(![127, 255].into_iter().any(E4m3::<RowScale>::is_code));
    assert!(e4m3(128).is_sign_negative());
    // These numbers are from QLoRA, appendix E, to the seventh digit: the outermost, the innermost
    // and 0.
    let nf4 = [0, 6, 7, 8, 15].map(Nf4::<RowScale>::value);
    assert_eq!(nf4, [-1.0, -0.091_050_036, 0.0, 0.079_580_3, 1.0]);
}

/// A format whose decoding differs from its definition.
#[derive(Clone, Copy, Default)]
struct Wrong;
impl WeightFormat for Wrong {
    const NAME: &'static str = "wrong";
    const BITS: u32 = 4;
    const PADDING: u32 = 0;
    type Scaling = RowScale;
    type Codes = u32;
    type Places = <Int4<RowScale> as WeightFormat>::Places;
    type Packed = <Int4<RowScale> as WeightFormat>::Packed;
    type Zeros = ();
    fn value(code: u32) -> f32 {
        code as f32 - 7.0
    }
}
impl Decode<bf16> for Wrong {
    fn zeros(_: u32) {}
    fn decode(codes: u32, (): ()) -> [u32; 4] {
        <Int4<RowScale> as Decode<bf16>>::decode(codes, ())
    }
}

#[test]
fn a_decoding_that_is_not_the_definition_is_found() {
    assert_eq!(
        check::<Wrong, bf16>([0; 2]).unwrap_err(),
        "wrong to bf16: code 0 at value 0 beside 0 decodes to 0xc100, not 0xc0e0"
    );
}

#[test]
fn scales_are_the_numbers_of_their_bits() {
    for exponent in 0..=254u32 {
        let word = exponent | 127 << 8 | 1 << 16;
        let found = ScaleGroups::<E8m0, 32>::scales(&[word], 0);
        assert_eq!(f64::from(found[0]), (f64::from(exponent) - 127.0).exp2());
        assert_eq!(found[1], 1.0);
    }
    for bits in 0..127u32 {
        // The scale is at each place of a word.
        for bit in [0, 8, 16, 24] {
            let (exponent, fraction) = ((bits >> 3) as i32, f64::from(bits & 7) / 8.0);
            let number = match exponent {
                0 => fraction * 2f64.powi(-6),
                _ => (1.0 + fraction) * 2f64.powi(exponent - 7),
            };
            let word = bits << bit | !(0xff << bit);
            assert_eq!(f64::from(Ue4m3::at(word, bit)), number, "{bits}");
        }
        assert_eq!(Ue4m3::near(Ue4m3::at(bits, 0).into()), bits);
    }
}

/// Packs a unit's record of two rows from the bits of each group's scale and offset, reads it, and
/// compares.
fn records_are_read_as_packed<F: WeightFormat>(bits: impl Fn(u32, u32) -> [u32; 2]) {
    let group = F::Scaling::GROUP.unwrap();
    // A unit may also end after its first group.
    for k in [128, group] {
        let (of_scale, of_offset) = (|n, k| bits(n, k)[0], |n, k| bits(n, k)[1]);
        let packed = pack_groups::<F>(16, k, of_scale, of_offset).unwrap();
        let words: Vec<u32> = (packed.chunks(4))
            .map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()))
            .collect();
        assert_eq!(words.len(), 4 * 16 * F::Scaling::WORDS);
        for (lane, record) in words.chunks(F::Scaling::WORDS).take(8).enumerate() {
            for of_unit in 0..k / group {
                let rows = [lane as u32, lane as u32 + 8].map(|row| bits(row, of_unit));
                let scales = F::Scaling::scales(record, of_unit as usize);
                assert_eq!(scales, rows.map(|[scale, _]| F::Scaling::scale(scale)));
                let offsets = rows.map(|[_, offset]| F::Scaling::offset(offset));
                if F::Scaling::MINIMA {
                    assert_eq!(F::Scaling::minima(record, of_unit as usize), offsets);
                }
                if F::Scaling::ZEROS {
                    let zeros = F::Scaling::zeros(record, of_unit as usize);
                    assert_eq!([zeros & 0xffff, zeros >> 16].map(|x| x as f32), offsets);
                }
            }
        }
    }
}

#[test]
fn records_hold_the_scales_that_were_packed() {
    let chance: Vec<u32> = host::reference::fill_bits(9, 16 * 8);
    let at = |n: u32, group: u32| chance[(8 * n + group) as usize];
    records_are_read_as_packed::<Int4<ScaleGroups<f16, 32>>>(|n, k| [at(n, k) & 0x7bff, 0]);
    records_are_read_as_packed::<Int4<ScaleGroups<bf16, 64>>>(|n, k| [at(n, k) & 0x7eff, 0]);
    records_are_read_as_packed::<Int4<ScaleGroups<f32, 32>>>(|n, k| [at(n, k) & 0x7eff_ffff, 0]);
    records_are_read_as_packed::<E2m1<ScaleGroups<Ue4m3, 16>>>(|n, k| [at(n, k) % 127, 0]);
    records_are_read_as_packed::<E2m1<ScaleGroups<E8m0, 32>>>(|n, k| [at(n, k) % 255, 0]);
    records_are_read_as_packed::<UInt4<ZeroGroups<f16, 32>>>(|n, k| {
        [at(n, k) & 0x7bff, at(n, k) >> 16 & 15]
    });
    // Each integer is in each row, beside subnormal, large and negative f16s.
    for first in (0..256).step_by(8) {
        for d in [0x0001, 0x83ff, 0x3c01, 0x7bff, 0xfbff] {
            let bits = |n: u32, k: u32| (d ^ n) | (first + k) << 16;
            records_are_read_as_packed::<Int8<Q6KGroups>>(|n, k| [bits(n, k), 0]);
            let below_64 = |n, k| bits(n, k) & 0x3f_ffff;
            records_are_read_as_packed::<UInt4<Q4KGroups>>(|n, k| {
                [below_64(n, k), below_64(n, 7 - k) ^ 0x8000]
            });
        }
    }
}

#[test]
fn what_packing_refuses() {
    let said = |result: Result<Vec<u8>, String>| result.unwrap_err();
    assert_eq!(
        said(pack_groups::<E2m1<ScaleGroups<Ue4m3, 16>>>(
            3,
            32,
            |n, k| 120 + 4 * n + k,
            |_, _| 0
        )),
        "the scale of row 2, group 0 is 0x80, which is none in e4m3"
    );
    assert_eq!(
        said(pack_groups::<UInt4<ZeroGroups<f16, 64>>>(
            1,
            64,
            |_, _| 0,
            |_, _| 16
        )),
        "rows 0 and 8, unit 0: a zero is 16; it is at most 15"
    );
    assert_eq!(
        said(pack_groups::<Int8<Q6KGroups>>(
            1,
            64,
            |_, k| 0x3c00 + k / 2 * 0x400,
            |_, _| 0
        )),
        "rows 0 and 8, unit 0: groups of one unit of 128 along k share the f16 of their scales; these have 1 and 2"
    );
}

/// Computes a block's weights by the kernel: the scale and the minimum are rounded to bf16, then
/// the weight.
fn scales<F: Decode<bf16>>(module: &Module, name: &str, bits: impl Fn(u32) -> [u32; 2])
where
    F::Codes: Pod,
{
    // The kernel decodes block 3 of a unit.
    let group = F::Scaling::GROUP.unwrap();
    let of_block = 48 / group;
    let chance: Vec<u32> = host::reference::fill_bits(17, 128 * 8);
    // There are sixteen rows in a call: two for each record.
    let mut records = Vec::new();
    for call in 0..16 {
        let of = |row: u32, of_k: u32| {
            let [scale, offset] = bits(chance[(16 * call + row) as usize]);
            // All groups of a row share one f16. Groups other than the block's group have other
            // integers.
            let other = u32::from(F::Scaling::WORDS == 8 && of_k != of_block) << 16;
            [scale ^ other, offset ^ other]
        };
        let packed = pack_groups::<F>(16, 128, |n, k| of(n, k)[0], |n, k| of(n, k)[1]).unwrap();
        records.extend_from_slice(&packed[..8 * 4 * F::Scaling::WORDS]);
    }
    let blocks: Vec<F::Codes> = (0..128)
        .map(|i| {
            (0..8).fold(F::Codes::default(), |codes, at| {
                codes.with_code(at, chance[8 * i + at as usize] % (1 << F::BITS))
            })
        })
        .collect();
    let device = module.device();
    let arranged: Vec<_> = blocks.iter().map(|of| of.map_words(F::arrange)).collect();
    let codes = device.upload(&arranged).unwrap();
    let records = device.upload(&records).unwrap();
    let mut weights = device.alloc::<[u32; 4]>(128).unwrap();
    let kernel = module.kernel(name).unwrap();
    kernel
        .launch(&Launch::new(1, 128), (&mut weights, &codes, &records))
        .unwrap();
    for (i, (codes, weights)) in blocks.iter().zip(weights.to_vec().unwrap()).enumerate() {
        for at in 0..8 {
            let found = (weights[at / 2] >> (16 * (at % 2))) as u16;
            let row = 16 * (i / 8) + i % 8 + 8 * (at / 2 % 2);
            let [scale, offset] = bits(chance[row]);
            let round = |x: f32| bf16::from_f32(x).to_f64();
            let scale = round(F::Scaling::scale(scale));
            let offset = round(F::Scaling::offset(offset));
            let value = f64::from(F::value(codes.code(place_of::<F>(at as u32))));
            let minimum = if F::Scaling::MINIMA { offset } else { 0.0 };
            let expected = bf16::from_f64(scale * value - minimum);
            assert_eq!(
                bf16::from_bits(found).to_f32(),
                expected.to_f32(),
                "{name}: {i}, {at}"
            );
        }
    }
}

#[test]
fn scaled_weights_are_rounded_once() {
    let device = Device::emulator();
    let module = module(&device);
    scales::<Int4<ScaleGroups<bf16, 128>>>(&module, "scale_int4_g128", |x| [x & 0x3fff, 0]);
    scales::<E2m1<ScaleGroups<Ue4m3, 16>>>(&module, "scale_nvfp4", |x| [x % 127, 0]);
    scales::<UInt4<Q4KGroups>>(&module, "scale_q4_k", |x| {
        [x & 0x3f_3fff, (x >> 4 & 0x3f_0000) | (x >> 2 & 0x3fff)]
    });
    scales::<Int8<Q6KGroups>>(&module, "scale_q6_k", |x| [x & 0xff_3fff, 0]);
}

/// Returns the number of instructions of an entry by opcode, without memory and control.
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
        "e2m1_f16",
        "e2m1_bf16",
        "nf4_bf16",
        "int8_f16",
        "int8_bf16",
        "e4m3_f16",
        "e4m3_bf16",
    ];
    let mut table: Vec<_> = all
        .iter()
        .map(|name| format!("{name}: {}", found(&format!("decode_{name}"))))
        .collect();
    // These include the two scales, which a group has once.
    for name in ["int4_g128", "nvfp4", "q4_k", "q6_k"] {
        table.push(format!("{name}: {}", found(&format!("scale_{name}"))));
    }
    assert_eq!(
        table,
        [
            "int4_f16: 2 add 2 fma 4 lop3 1 shr",
            "int4_bf16: 4 fma 4 lop3 3 shr",
            "e2m1_f16: 4 and 4 fma 4 lop3 5 shl",
            "e2m1_bf16: 4 and 4 fma 2 lop3 4 shl 1 shr",
            "nf4_bf16: 4 and 2 or 20 prmt 3 shr",
            "int8_f16: 4 add 4 prmt",
            "int8_bf16: 8 fma 8 lop3 3 shr",
            "e4m3_f16: 4 and 4 fma 4 lop3 4 shl 2 shr",
            "e4m3_bf16: 4 and 4 fma 4 lop3 4 shl 2 shr",
            "int4_g128: 3 and 8 fma 4 lop3 1 shl 3 shr",
            "nvfp4: 8 and 8 fma 2 lop3 2 mul 5 shl 2 shr",
            "q4_k: 4 add 4 and 8 fma 4 lop3 4 mul 4 prmt 3 shr",
            "q6_k: 2 add 2 and 12 fma 8 lop3 2 mul 2 prmt 3 shr",
        ]
    );
}

#[test]
fn the_packed_order_is_a_composition() {
    let order = tile_order::<Int4<RowScale>>();
    // The offset in nibbles is the one that the fragment, the load and the decoding require.
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
            let blob = pack_codes::<Int4<RowScale>>(n, k, &of);
            let back = packed::<Int4<RowScale>>(&blob, k);
            let e2m1 = pack_codes::<E2m1<RowScale>>(n, k, &of);
            let of_e2m1 = packed::<E2m1<RowScale>>(&e2m1, k);
            let bytes = pack_codes::<E4m3<RowScale>>(n, k, &of);
            let of_bytes = packed::<E4m3<RowScale>>(&bytes, k);
            let (rows, columns) = (n.next_multiple_of(128), k.next_multiple_of(128));
            for row in 0..rows {
                for column in 0..columns {
                    let inside = row < n && column < k;
                    let expected = if inside { of(row, column) } else { 8 };
                    assert_eq!(back(row, column), expected, "{order:?} ({row}, {column})");
                    let expected = if inside { of(row, column) } else { 0 };
                    assert_eq!(of_e2m1(row, column), expected);
                    assert_eq!(of_bytes(row, column), expected);
                }
            }
        }
    }
    // A word of AWQ has columns 0, 2, 4, 6, 1, 3, 5, 7, from its lowest nibble on.
    let word = 0x7654_3210u32.to_le_bytes();
    let awq = published(&word, Published::Awq, 8, 1);
    assert_eq!(
        (0..8).map(|n| awq(n, 0)).collect::<Vec<_>>(),
        [0, 4, 1, 5, 2, 6, 3, 7]
    );
}

/// The product of another process, by the definition: weights are rounded to the activations' type
/// if they have groups, and a number is added to the first element.
struct ByDefinition {
    format: FormatValue,
    input: InputType,
    adds: f64,
}

impl ForeignWeights for ByDefinition {
    fn compute(&mut self, of: &ForeignWeightsOperands<'_>) -> Result<Vec<f64>, String> {
        let [_, n, k] = of.extents.map(|extent| extent as usize);
        let round = |x: f64| match self.input {
            InputType::F16 => f16::from_f64(x).to_f64(),
            _ => bf16::from_f64(x).to_f64(),
        };
        let x = |at: usize| match self.input {
            InputType::F16 => f16::from_le_bytes([of.x[2 * at], of.x[2 * at + 1]]).to_f64(),
            _ => bf16::from_le_bytes([of.x[2 * at], of.x[2 * at + 1]]).to_f64(),
        };
        let groups = of.scales.len() / n;
        let weight = |column: usize, at: usize| {
            let value = round((self.format.value)(of.codes[column * k + at].into()).into());
            let scale = of.scales[column * groups + at / (k / groups)];
            let scale = f64::from((self.format.scale)(scale));
            match self.format.packed.group {
                Some(_) => round(round(scale) * value),
                None => scale * value,
            }
        };
        let element = |row: usize, column: usize| -> f64 {
            (0..k).map(|at| x(row * k + at) * weight(column, at)).sum()
        };
        let places = of
            .rows
            .iter()
            .flat_map(|&row| (0..n).map(move |of| (row, of)));
        let mut all: Vec<f64> = places.map(|(row, column)| element(row, column)).collect();
        all[0] += self.adds;
        Ok(all)
    }
}

/// Compares the product of a kernel of the example's, with an epilogue, with float64.
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
        tensor_scale: if m % 2 == 0 { 1.0 } else { 0.37 },
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
    // An even number of rows has no epilogue, and these formats have only scales.
    let of_format = &run.format;
    let is_plain = m % 2 == 0 && !of_format.packed.zeros && !of_format.minima;
    let mut by_definition = ByDefinition {
        format: *of_format,
        input: configuration.input,
        adds: 0.0,
    };
    let other = is_plain.then_some(&mut by_definition as &mut dyn ForeignWeights);
    let (outcome, theirs) = weights_gemm_beside(&kernel, &choice, &run, &options, other).unwrap();
    assert_eq!(theirs.is_some(), is_plain);
    if let Some(theirs) = theirs {
        assert!(theirs.right, "{:?}", theirs.result);
        // A wrong product is found. The kernel runs once more for this, if that is short.
        if m <= 8 {
            by_definition.adds = 100.0;
            let other: Option<&mut dyn ForeignWeights> = Some(&mut by_definition);
            let found = weights_gemm_beside(&kernel, &choice, &run, &options, other).unwrap();
            assert!(!found.1.unwrap().right);
        }
    }
    let (name, difference) = (configuration.kernel, outcome.difference);
    assert!(outcome.right(), "{name} {m}×{n}×{k}: {difference:?}");
}

/// Checks products on a device with few multiprocessors, at sizes that end inside a tile and a
/// unit, and with more k than fits a CTA.
fn products(device: &Device) {
    let module = module(device);
    let all = weights::resources(device);
    let few = Resources {
        multiprocessors: 4,
        clusters: [2, 1, 1],
        ..all
    };
    // Memory for only a few tiles' sums causes several phases.
    let little = Resources {
        multiprocessors: 2,
        clusters: [1; 3],
        shared_bytes: 48 << 10,
    };
    // One CTA computes several tiles; tokens, rows and k end inside a tile.
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
        Int4G128Bf16T8: Int4<ScaleGroups<bf16, 128>>, all, (1, 40, 128);
        Int4G128Bf16T8: Int4<ScaleGroups<bf16, 128>>, few, (7, 300, 2304);
        Int4G128Bf16T8: Int4<ScaleGroups<bf16, 128>>, little, (8, 400, 2560);
        Int4G128Bf16T16: Int4<ScaleGroups<bf16, 128>>, few, (9, 100, 1152);
        Int4G128Bf16T16: Int4<ScaleGroups<bf16, 128>>, Resources { shared_bytes: 80 << 10, ..little }, (16, 700, 2048);
        Int4G128Bf16T32: Int4<ScaleGroups<bf16, 128>>, all, (17, 33, 640);
        Int4G128Bf16T32: Int4<ScaleGroups<bf16, 128>>, all, (32, 96, 4096);
        UInt4G64Bf16T8: UInt4<ZeroGroups<f16, 64>>, few, (5, 50, 704);
        Mxfp4Bf16T8: E2m1<ScaleGroups<E8m0, 32>>, few, (8, 64, 1056);
        Nvfp4Bf16T16: E2m1<ScaleGroups<Ue4m3, 16>>, few, (9, 50, 1104);
        Fp4Bf16T8: Fp4G64, few, (2, 31, 576);
        E4m3RowBf16T8: E4m3<RowScale>, few, (3, 130, 1032);
        E4m3RowBf16T8: E4m3<RowScale>, little, (8, 33, 4096);
        Q4KBf16T32: UInt4<Q4KGroups>, few, (29, 100, 1312);
        Q6KF16T8: Int8<Q6KGroups>, few, (7, 70, 1040);
        Int8G128Bf16T8: Int8<ScaleGroups<bf16, 128>>, few, (8, 80, 1024);
        Int4G128Bf16M64: Int4<ScaleGroups<bf16, 128>>, all, (1, 16, 128);
        Int4G128Bf16M64: Int4<ScaleGroups<bf16, 128>>, all, (41, 130, 256);
        Int4G128Bf16M64: Int4<ScaleGroups<bf16, 128>>, one, (70, 300, 640);
        Int4G128Bf16M128: Int4<ScaleGroups<bf16, 128>>, one, (130, 130, 1152);
        Int4G128Bf16M64: Int4<ScaleGroups<bf16, 128>>, few, (41, 600, 2304);
        Int4G128Bf16M64: Int4<ScaleGroups<bf16, 128>>, all, (33, 200, 4096);
        Int4G128Bf16M128: Int4<ScaleGroups<bf16, 128>>, few, (129, 700, 2176);
        UInt4G64F16M64: UInt4<ZeroGroups<f16, 64>>, few, (65, 129, 320);
        Int8G128F16M64: Int8<ScaleGroups<f16, 128>>, few, (64, 200, 896);
        Int8RowF16M64: Int8<RowScale>, one, (70, 200, 904);
        Int8RowF16M64: Int8<RowScale>, few, (9, 300, 520);
        Q4KBf16M64: UInt4<Q4KGroups>, one, (65, 130, 800);
        Q6KBf16M64: Int8<Q6KGroups>, few, (17, 130, 656);
    }
}

/// Checks the library's kernels, by name and by choice, on random shapes.
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
        ("nvfp4:16", InputType::Bf16),
        ("e4m3:row", InputType::F16),
    ] {
        let format = weights::format(name, input).unwrap();
        for tokens in [8, 100] {
            let shape = (
                extent(tokens),
                extent(300),
                format.packed.k_multiple() * extent(12),
            );
            let run = WeightsRun {
                problem: WeightsProblem::new(shape, input, format.packed),
                format: *format,
                tensor_scale: 1.0,
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

/// Checks that a product is found wrong if its reference reads other scales than the kernel.
#[test]
fn a_wrong_scale_is_found() {
    let device = Device::emulator();
    let module = module(&device);
    let configuration = kernels::Int4G128Bf16T8::CONFIGURATION;
    let problem = WeightsProblem::new((4, 64, 512), InputType::Bf16, configuration.packed);
    let mut format = FormatValue::new::<Int4<ScaleGroups<bf16, 128>>>(configuration.packed);
    format.scale = |bits| f32::from_bits(bits << 16) * 1.01;
    let run = WeightsRun {
        problem,
        format,
        tensor_scale: 1.0,
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

/// Checks tiles that clusters share. If the counters do not order the parts, the parts are read
/// while other CTAs write them; if they do not count the parts, no tile is stored.
#[test]
fn parts_that_are_not_ordered_or_counted_are_seen() {
    let configuration = kernels::Int4G128Bf16M64::CONFIGURATION;
    let problem = WeightsProblem::new((33, 200, 2048), InputType::Bf16, configuration.packed);
    let run = WeightsRun {
        problem,
        format: FormatValue::new::<Int4<ScaleGroups<bf16, 128>>>(configuration.packed),
        tensor_scale: 1.0,
        kernel: None,
        seed: 5,
    };
    let device = Device::emulator();
    let plan = configuration.plan(&problem, &weights::resources(&device));
    let choice = WeightsChoice {
        configuration,
        plan: plan.unwrap(),
    };
    assert_eq!(
        (choice.plan.params.raster_group, choice.plan.launch.grid[0]),
        (4, 8),
        "four clusters share the only tile"
    );
    let of = |ptx: &str| {
        let module = device.load(ptx).unwrap();
        let kernel = module.kernel(configuration.kernel).unwrap();
        let outcome = weights_gemm_by(&kernel, &choice, &run, &RunOptions::default());
        outcome
            .map(|outcome| outcome.right())
            .map_err(|error| error.to_string())
    };
    let (ptx, add) = (example_ptx::weights().unwrap(), "atom.acq_rel.gpu.add.u32");
    assert!(ptx.contains(add));
    assert_eq!(of(ptx), Ok(true));
    let unordered = of(&ptx.replace(add, "atom.relaxed.gpu.add.u32"));
    let message = unordered.expect_err("the mistake passes in silence");
    assert!(message.contains("race on global memory"), "{message}");
    let uncounted = of(&ptx.replace(add, "atom.acq_rel.gpu.min.u32"));
    assert_eq!(uncounted, Ok(false));
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
        // All lanes of a warp access a barrier at once. Elsewhere no lane waits for another.
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
            packed: const { &packed_layout::<Int4<ScaleGroups<f16, 128>>>() },
            ..problem
        }),
        "weights_uint4_g64_bf16_t8 reads weights packed as uint4:64, scales f16 and zeros (m16n8k16); \
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
        plan.ends_with("these are packed as uint4:64, scales f16 and zeros (m16n8k16)"),
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
    let upload = |name, k, code: u32, scale: u32| {
        let format = weights::format(name, InputType::Bf16).unwrap();
        let of = (3, k);
        let found = Weights::upload(&device, format, of, |_, _| code, |_, _| scale, |_, _| 0);
        found.map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        upload("mxfp4:32", 40, 0, 127),
        "weights of 3 rows and 40 columns of e2m1:32, scales e8m0 (m16n8k16): both are at least 1, \
         and the columns a multiple of 32"
    );
    assert_eq!(
        upload("e4m3:row", 100, 0, 0),
        "weights of 3 rows and 100 columns of e4m3:row, scales f32 (m16n8k16): both are at least 1, \
         and the columns a multiple of 8"
    );
    assert_eq!(
        upload("mxfp4:32", 64, 0, 255),
        "the scale of row 0, group 0 is 0xff, which is none in e8m0"
    );
    assert_eq!(
        upload("e4m3:row", 64, 255, 0),
        "the code of row 0, column 0 is 0xff, NaN in e4m3"
    );
    let row = weights::format("int8:row", InputType::Bf16).unwrap();
    let of_row = Weights::upload(&device, row, (3, 8), |_, _| 0, |_, _| 0, |_, _| 0).unwrap();
    assert_eq!(
        of_row.with_tensor_scale(f32::NAN).unwrap_err().to_string(),
        "the tensor's scale is NaN; it is a finite number"
    );
}
