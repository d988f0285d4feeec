//! Tests GGUF's blocks: their numbers against ggml's own loops, the packed weights, products,
//! refusals.

use cutlet::kernels::Modules;
use cutlet::weights::{self, GgufTensor, GgufType, InputType, WeightsLibrary, WeightsOperands};
use cutlet::weights::{Body, WeightsProblem};
use half::f16;
use host::Device;
use host::reference::fill_bits;

/// Returns a row of one block, dequantised as in ggml's `dequantize_row_q4_0`, `_q8_0`, `_q4_K` and
/// `_q6_K`.
fn dequantised(of: GgufType, block: &[u8]) -> Vec<f32> {
    let half = |at: usize| f16::from_le_bytes([block[at], block[at + 1]]).to_f32();
    let mut y = vec![0.0; of.block() as usize];
    match of {
        GgufType::Q4_0 => {
            let (d, qs) = (half(0), &block[2..]);
            for j in 0..16 {
                y[j] = f32::from((qs[j] & 0x0f) as i8 - 8) * d;
                y[j + 16] = f32::from((qs[j] >> 4) as i8 - 8) * d;
            }
        }
        GgufType::Q8_0 => {
            let d = half(0);
            for j in 0..32 {
                y[j] = f32::from(block[2 + j] as i8) * d;
            }
        }
        GgufType::Q4K => {
            let (d, min, scales) = (half(0), half(2), &block[4..16]);
            let get_scale_min_k4 = |j: usize, q: &[u8]| {
                if j < 4 {
                    (q[j] & 63, q[j + 4] & 63)
                } else {
                    (
                        (q[j + 4] & 0xf) | ((q[j - 4] >> 6) << 4),
                        (q[j + 4] >> 4) | ((q[j] >> 6) << 4),
                    )
                }
            };
            let (mut q, mut is, mut at) = (&block[16..], 0, 0);
            for _ in (0..256).step_by(64) {
                let (sc, m) = get_scale_min_k4(is, scales);
                let (d1, m1) = (d * f32::from(sc), min * f32::from(m));
                let (sc, m) = get_scale_min_k4(is + 1, scales);
                let (d2, m2) = (d * f32::from(sc), min * f32::from(m));
                for l in 0..32 {
                    y[at + l] = d1 * f32::from(q[l] & 0xf) - m1;
                    y[at + 32 + l] = d2 * f32::from(q[l] >> 4) - m2;
                }
                (q, is, at) = (&q[32..], is + 2, at + 64);
            }
        }
        GgufType::Q6K => {
            let d = half(208);
            for n in 0..2 {
                let (ql, qh, sc) = (
                    &block[64 * n..],
                    &block[128 + 32 * n..],
                    &block[192 + 8 * n..],
                );
                for l in 0..32 {
                    let q = [
                        (ql[l] & 0xf) | ((qh[l] & 3) << 4),
                        (ql[l + 32] & 0xf) | (((qh[l] >> 2) & 3) << 4),
                        (ql[l] >> 4) | (((qh[l] >> 4) & 3) << 4),
                        (ql[l + 32] >> 4) | (((qh[l] >> 6) & 3) << 4),
                    ];
                    for (i, q) in q.into_iter().enumerate() {
                        let sc = f32::from(sc[l / 16 + 2 * i] as i8);
                        y[128 * n + l + 32 * i] = d * sc * f32::from(q as i8 - 32);
                    }
                }
            }
        }
    }
    y
}

/// Returns the offsets of the f16s of a block.
fn halves(of: GgufType) -> &'static [usize] {
    match of {
        GgufType::Q4_0 | GgufType::Q8_0 => &[0],
        GgufType::Q4K => &[0, 2],
        GgufType::Q6K => &[208],
    }
}

/// Returns random blocks, whose f16s are finite; some are subnormal, negative or 0.
fn blocks(of: GgufType, n: u32, k: u32, seed: u64) -> Vec<u8> {
    let count = (n * k / of.block()) as usize;
    let mut bytes: Vec<u8> = fill_bits(seed, count * of.block_bytes());
    for (i, block) in bytes.chunks_mut(of.block_bytes()).enumerate() {
        for &at in halves(of) {
            // These are numbers from 2^-14 and less up to 0.03.
            let exponent = [0x00, 0x10, 0x24, 0x91, 0x80][i % 5];
            block[at + 1] = block[at + 1] & 3 | exponent;
        }
    }
    bytes
}

#[test]
fn numbers_are_ggmls() {
    for of in GgufType::ALL {
        let (n, k) = (7, 1024);
        let bytes = blocks(of, n, k, 3);
        let tensor = GgufTensor::new(of, (n, k), &bytes).unwrap();
        let expected: Vec<f32> = (bytes.chunks(of.block_bytes()))
            .flat_map(|block| dequantised(of, block))
            .collect();
        for input in [InputType::Bf16, InputType::F16] {
            let format = weights::format(of.name(), input).unwrap();
            let group = format.packed.group.unwrap();
            for (at, expected) in expected.iter().enumerate() {
                let (row, column) = (at as u32 / k, at as u32 % k);
                let found = tensor.value(row, column);
                assert_eq!(found, *expected, "{of:?} ({row}, {column})");
                let weight = format.weight(
                    tensor.code(row, column),
                    tensor.scale(row, column / group),
                    tensor.minimum(row, column / group),
                );
                assert_eq!(weight as f32, *expected, "{of:?} ({row}, {column})");
            }
        }
    }
}

/// Checks blocks that are written by hand: each code in its place, each scale once.
#[test]
fn numbers_of_blocks_by_hand() {
    let one = f16::ONE.to_le_bytes();
    // Codes 0 .. 15 are in the lower nibbles, 15 .. 0 in the upper nibbles.
    let nibbles: Vec<u8> = (0..16).map(|j| j | (15 - j) << 4).collect();
    let q4_0 = [&one[..], &nibbles].concat();
    let tensor = GgufTensor::new(GgufType::Q4_0, (1, 32), &q4_0).unwrap();
    for j in 0..16 {
        assert_eq!(tensor.value(0, j), j as f32 - 8.0);
        assert_eq!(tensor.value(0, j + 16), 7.0 - j as f32);
    }
    // q4_K has scales and minima of six bits each, d = 1, dmin = 2; the codes are 1 and 2.
    let (sc, m) = (
        [1u8, 2, 3, 4, 17, 34, 51, 63],
        [8u8, 7, 6, 5, 20, 35, 50, 1],
    );
    let mut scales = [0u8; 12];
    for j in 0..4 {
        scales[j] = sc[j] | sc[j + 4] >> 4 << 6;
        scales[j + 4] = m[j] | m[j + 4] >> 4 << 6;
        scales[j + 8] = sc[j + 4] & 15 | (m[j + 4] & 15) << 4;
    }
    let two = f16::from_f32(2.0).to_le_bytes();
    let q4_k = [&one[..], &two, &scales, &[0x21; 128]].concat();
    let tensor = GgufTensor::new(GgufType::Q4K, (1, 256), &q4_k).unwrap();
    for j in 0..8 {
        let code = 1.0 + (j % 2) as f32;
        let expected = f32::from(sc[j]) * code - 2.0 * f32::from(m[j]);
        for column in [32 * j, 32 * j + 31] {
            assert_eq!(tensor.value(0, column as u32), expected, "{column}");
        }
    }
    // q6_K has code 37 everywhere, and scales -8 .. 7.
    let scales: Vec<u8> = (-8i8..8).map(|sc| sc as u8).collect();
    let q6_k = [&[0x55; 128][..], &[0xaa; 64], &scales, &one].concat();
    let tensor = GgufTensor::new(GgufType::Q6K, (1, 256), &q6_k).unwrap();
    for column in 0..256 {
        let expected = 5.0 * (f64::from(column / 16) - 8.0);
        assert_eq!(f64::from(tensor.value(0, column)), expected, "{column}");
    }
}

/// Compares products from a tensor's bytes with products of ggml's numbers in float64.
#[test]
fn products_are_of_ggmls_numbers() {
    let device = Device::emulator();
    let library = WeightsLibrary::new(Modules::load(&device).unwrap());
    for (of, input) in [
        (GgufType::Q4K, InputType::F16),
        (GgufType::Q6K, InputType::F16),
    ] {
        let (m, n, k) = (3, 40, 768);
        let bytes = blocks(of, n, k, 11);
        let tensor = GgufTensor::new(of, (n, k), &bytes).unwrap();
        let weights = tensor.upload(&device, input).unwrap();
        let choice = library
            .choose(
                &WeightsProblem::new((m, n, k), input, weights.packed()),
                None,
            )
            .unwrap();
        assert!(matches!(choice.configuration.body, Body::FewRows { .. }));
        let of_x: Vec<f16> = host::reference::fill(5, (m * k) as usize);
        let x = device.upload(&of_x).unwrap();
        let mut d = device.alloc::<f16>((m * n) as usize).unwrap();
        let operands = WeightsOperands {
            x: &x,
            weights: &weights,
            c: None,
            bias: None,
            d: &mut d,
        };
        library
            .prepare(&choice, operands)
            .unwrap()
            .run(None)
            .unwrap();
        for (at, found) in d.to_vec().unwrap().into_iter().enumerate() {
            let (token, row) = (at as u32 / n, at as u32 % n);
            let (mut sum, mut sizes) = (0.0, 0.0);
            for column in 0..k {
                let x = of_x[(token * k + column) as usize].to_f64();
                let product = x * f64::from(tensor.value(row, column));
                (sum, sizes) = (sum + product, sizes + product.abs());
            }
            // The error has one rounding to f16 and the roundings of f32, in sums whose minima are
            // added separately.
            let allowed = sum.abs() * 2f64.powi(-11) + sizes * 2f64.powi(-17) + 2f64.powi(-25);
            let error = (found.to_f64() - sum).abs();
            assert!(
                error <= allowed,
                "{of:?} ({token}, {row}): {found}, not {sum}"
            );
        }
    }
}

#[test]
fn what_is_no_tensor_is_refused() {
    let said = |of, shape, bytes: usize| {
        GgufTensor::new(of, shape, &vec![0; bytes])
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        said(GgufType::Q4K, (2, 128), 144),
        "a tensor of 2 rows and 128 columns of q4_K: both are at least 1, and the columns a multiple of 256"
    );
    assert_eq!(
        said(GgufType::Q6K, (2, 512), 839),
        "a tensor of 2 rows and 512 columns of q6_K is 840 bytes; these are 839"
    );
    assert!(said(GgufType::Q8_0, (0, 32), 0).starts_with("a tensor of 0 rows"));
}
