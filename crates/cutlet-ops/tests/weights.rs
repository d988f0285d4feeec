//! Compares products with weights of 4 bits on the emulator with float64, and checks the refusals
//! of problems that have no launch.
//!
//! If this build has no kernel for a format, the tests check the error instead.

use cutlet_ops::kernel_abi::gemm::{Epilogue, GemmProblem, InputType, OutputType};
use cutlet_ops::kernel_abi::weights::WeightsProblem;
use cutlet_ops::{EMULATED_GPU, EMULATED_HOPPER, OpsError, kernel_count, weights_gemm};
use gpu_kernels::weights::config::packed_layout;
use gpu_kernels::weights::format::{Int4, UInt4};
use gpu_kernels::weights::pack::FormatValue;
use gpu_kernels::weights::scaling::{ScaleGroups, ZeroGroups};
use half::{bf16, f16};

/// Returns the formats of 4-bit integers, each with the type of the activations.
fn formats() -> Vec<(InputType, FormatValue)> {
    macro_rules! all {
        ($($element:ident $input:ident $group:literal;)*) => {vec![$(
            (InputType::$input, of!(Int4<ScaleGroups<$element, $group>>)),
            (InputType::$input, of!(UInt4<ZeroGroups<$element, $group>>)),
        )*]};
    }
    macro_rules! of {
        ($format:ty) => {
            FormatValue::new::<$format>(const { &packed_layout::<$format>() })
        };
    }
    all! {
        bf16 Bf16 32; bf16 Bf16 64; bf16 Bf16 128;
        f16 F16 32; f16 F16 64; f16 F16 128;
    }
}

/// A generator of random numbers.
struct Random(u64);
impl Random {
    fn below(&mut self, below: u32) -> u32 {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as u32) % below
    }
    /// Returns a random number in [-1, 1).
    fn number(&mut self) -> f64 {
        f64::from(self.below(1 << 20)) / f64::from(1 << 19) - 1.0
    }
}

/// Returns the bits of a number rounded to the activations' type, and the rounded number.
fn rounded(input: InputType, number: f64) -> (u16, f64) {
    match input {
        InputType::F16 => {
            let of = f16::from_f64(number);
            (of.to_bits(), of.to_f64())
        }
        _ => {
            let of = bf16::from_f64(number);
            (of.to_bits(), of.to_f64())
        }
    }
}

/// Multiplies random numbers. Returns the error relative to the sum of the terms' magnitudes, or
/// the refusal if this build has no kernel for the product. The reference adds `fault` to the zero
/// of the last row's last group.
fn error(
    random: &mut Random,
    (input, format): &(InputType, FormatValue),
    (m, n, k): (u32, u32, u32),
    padding: u32,
    fault: f64,
) -> Result<f64, OpsError> {
    let packed = format.packed;
    let product = GemmProblem::new(m, n, k, *input, OutputType::Same)
        .with_padding(padding)
        .with_epilogue(Epilogue {
            bias: true,
            ..Epilogue::NONE
        });
    let of = weights_gemm(&EMULATED_HOPPER, &WeightsProblem { product, packed })?;
    let groups = format.groups(k);
    let mut numbers = |count: u64, size: f64| -> (Vec<u16>, Vec<f64>) {
        (0..count)
            .map(|_| rounded(*input, size * random.number()))
            .unzip()
    };
    let (x_bits, x) = numbers(u64::from(m) * product.lda, 1.0);
    let (scale_bits, scales) = numbers(u64::from(n * groups), 0.125);
    let bias: Vec<f32> = (0..n).map(|_| random.number() as f32).collect();
    let codes: Vec<u32> = (0..n * k).map(|_| random.below(16)).collect();
    let zeros: Vec<u32> = (0..n * groups).map(|_| random.below(16)).collect();
    let at_group = |row: u32, of_k: u32| (row * groups + of_k) as usize;
    let bytes = |of: &[u16]| of.iter().flat_map(|bits| bits.to_le_bytes()).collect();
    let records = format.pack_groups(
        n,
        k,
        |row, of_k| scale_bits[at_group(row, of_k)].into(),
        |row, of_k| zeros[at_group(row, of_k)],
    );
    let d_bytes = of.buffers()[0].bytes as usize;
    let mut buffers: [Vec<u8>; 6] = [
        vec![0xff; d_bytes],
        bytes(&x_bits),
        format.pack_codes(n, k, |row, column| codes[(row * k + column) as usize]),
        records.unwrap(),
        Vec::new(),
        bias.iter().flat_map(|of| of.to_le_bytes()).collect(),
    ];
    of.emulate(EMULATED_HOPPER.compute_capability, &mut buffers)?;
    let mut worst = 0.0_f64;
    for row in 0..m {
        for column in 0..n {
            let (mut sum, mut magnitude) = (f64::from(bias[column as usize]), 1.0);
            for of_k in 0..k {
                let group = at_group(column, of_k * groups / k);
                let mut zero = f64::from(if packed.zeros { zeros[group] } else { 8 });
                if group + 1 == scales.len() {
                    zero += fault;
                }
                let code = codes[(column * k + of_k) as usize];
                let weight = scales[group] * (f64::from(code) - zero);
                let term = weight * x[row as usize * product.lda as usize + of_k as usize];
                sum += term;
                magnitude += term.abs();
            }
            let at = 2 * (u64::from(row) * product.ldd + u64::from(column)) as usize;
            let bits = u16::from_le_bytes([buffers[0][at], buffers[0][at + 1]]);
            let found = match input {
                InputType::F16 => f16::from_bits(bits).to_f64(),
                _ => bf16::from_bits(bits).to_f64(),
            };
            worst = worst.max((found - sum).abs() / magnitude);
        }
    }
    Ok(worst)
}

/// Checks every format for which this build has kernels, at random sizes, with a bias and with
/// padding between rows.
#[test]
fn products_are_those_of_float64() {
    let mut random = Random(7);
    for format in formats() {
        for tokens in [8, 16, 40] {
            let (m, n) = (1 + random.below(tokens), 1 + random.below(150));
            let k = format.1.packed.k_multiple() * (1 + random.below(6));
            let padding = 8 * random.below(3);
            match error(&mut random, &format, (m, n, k), padding, 0.0) {
                // A result is rounded to 8 bits of precision, and some kernels round the weights
                // too.
                Ok(found) => assert!(found < 4e-3, "{} {m}×{n}×{k}: {found}", format.1.packed),
                Err(OpsError::Shipped(refused)) => {
                    let said = refused.to_string();
                    let expected = match kernel_count() {
                        0 => said.contains("pack_kernels"),
                        _ => said.starts_with("no kernel multiplies ") || said.starts_with("M is "),
                    };
                    assert!(expected, "{said}");
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Checks that a wrong zero in one group is found.
#[test]
fn a_wrong_zero_is_found() {
    let mut random = Random(9);
    for format in formats() {
        let mut error = |fault| error(&mut random, &format, (3, 40, 256), 0, fault);
        if let (Ok(right), Ok(wrong)) = (error(0.0), error(8.0)) {
            assert!(right < 4e-3 && wrong > 1e-2, "{right}, {wrong}");
        }
    }
}

#[test]
fn what_is_not_computed_is_said() {
    if kernel_count() == 0 {
        return;
    }
    for (input, format) in formats() {
        let problem = |k| WeightsProblem::new((3, 40, k), input, format.packed);
        let said = |gpu, k| {
            weights_gemm(gpu, &problem(k))
                .map(drop)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            said(&EMULATED_GPU, 128),
            "the kernels that multiply by weights of few bits are for compute capability 9.0; this GPU has 8.0"
        );
        if weights_gemm(&EMULATED_HOPPER, &problem(128)).is_ok() {
            let group = format.packed.k_multiple();
            assert_eq!(
                said(&EMULATED_HOPPER, 136),
                format!("K is 136; it must be a multiple of {group}")
            );
        }
    }
}
