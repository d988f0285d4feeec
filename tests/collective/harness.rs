//! A product by one kernel of the collective, against the same product in float64.
//!
//! Law: every element of D is within what rounding allows of the reference, everything between and behind D's rows is as it
//! was, the workspace's counters are zero again, and a second launch gives the same bits.

use gpu_kernels::gemm::{
    Activation, Configuration, Gemm, InputType, Major, OutputType, Plan, Schedule, SumType,
};
use half::{bf16, f16};
use host::{ByValue, Device, Launch, Module};

/// Numbers that look random: SplitMix64.
pub struct Numbers(pub u64);
impl Numbers {
    /// 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// Below `end`, at least 1.
    pub fn below(&mut self, end: u32) -> u32 {
        (self.next() % u64::from(end)) as u32
    }
    /// In [-1, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// TF32 as the kernel rounds: to nearest, ties away from zero.
fn tf32(value: f32) -> f32 {
    f32::from_bits((value.to_bits() + 0x1000) & !0x1fff)
}

/// Random elements, as bytes and as the values that are multiplied.
fn elements(input: InputType, count: usize, numbers: &mut Numbers) -> (Vec<u8>, Vec<f64>) {
    let (mut bytes, mut values) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let x = numbers.unit();
        match input {
            InputType::F16 => {
                let x = f16::from_f64(x);
                bytes.extend(x.to_le_bytes());
                values.push(x.to_f64());
            }
            InputType::Bf16 => {
                let x = bf16::from_f64(x);
                bytes.extend(x.to_le_bytes());
                values.push(x.to_f64());
            }
            InputType::Tf32 => {
                let x = x as f32;
                bytes.extend(x.to_le_bytes());
                values.push(f64::from(tf32(x)));
            }
            InputType::S8 => {
                let x = (x * 128.0).floor() as i8;
                bytes.extend(x.to_le_bytes());
                values.push(f64::from(x));
            }
        }
    }
    (bytes, values)
}

/// An element of C or D.
fn decode(gemm: &Gemm, bytes: &[u8]) -> f64 {
    match (gemm.output, gemm.input) {
        (OutputType::F32, _) | (OutputType::Same, InputType::Tf32) => {
            f32::from_le_bytes(bytes.try_into().unwrap()).into()
        }
        (OutputType::S32, _) => i32::from_le_bytes(bytes.try_into().unwrap()).into(),
        (OutputType::Same, InputType::F16) => {
            f16::from_le_bytes(bytes.try_into().unwrap()).to_f64()
        }
        (OutputType::Same, InputType::Bf16) => {
            bf16::from_le_bytes(bytes.try_into().unwrap()).to_f64()
        }
        (OutputType::Same, InputType::S8) => (bytes[0] as i8).into(),
    }
}

/// What a launch of `plan` left in D, all bytes of it.
fn launch(
    module: &Module,
    plan: &Plan,
    [a, b, c]: [&[u8]; 3],
    bias: &[f32],
    poison: &[u8],
    offset: usize,
    runs: usize,
) -> Vec<Vec<u8>> {
    let device: &Device = module.device();
    let shifted = |bytes: &[u8]| [&vec![0; offset][..], bytes].concat();
    let (a, b, c) = (
        device.upload(&shifted(a)).unwrap(),
        device.upload(&shifted(b)).unwrap(),
        device.upload(&shifted(c)).unwrap(),
    );
    let bias = device.upload(bias).unwrap();
    let zeroed = plan.zeroed_bytes as usize;
    let mut contents = vec![0xffu8; plan.contract.buffers[5].elements as usize];
    contents[..zeroed].fill(0);
    let mut workspace = device.upload(&contents).unwrap();
    let kernel = module.kernel(plan.contract.kernel).unwrap();
    let shape =
        Launch::new(plan.contract.grid, plan.contract.block).shared(plan.contract.shared_bytes);
    let outcomes = (0..runs)
        .map(|_| {
            let mut d = device.upload(&shifted(poison)).unwrap();
            let words: [u32; 24] = bytemuck::cast(plan.parameters.words());
            let len = d.len();
            kernel
                .launch(
                    &shape,
                    (
                        d.view_mut(offset..len).unwrap(),
                        a.view(offset..a.len()).unwrap(),
                        b.view(offset..b.len()).unwrap(),
                        c.view(offset..c.len()).unwrap(),
                        &bias,
                        &mut workspace,
                        ByValue(words),
                    ),
                )
                .unwrap();
            d.to_vec().unwrap()[offset..].to_vec()
        })
        .collect();
    let left = workspace.to_vec().unwrap();
    assert!(
        left[..zeroed].iter().all(|&byte| byte == 0),
        "{}: counters are left",
        plan.contract.kernel
    );
    outcomes
}

/// Runs the product `runs` times and compares. Gives the largest error found, relative to what is allowed.
pub fn check(
    module: &Module,
    configuration: &Configuration,
    gemm: &Gemm,
    schedule: Schedule,
    seed: u64,
    runs: usize,
) -> f64 {
    let what = format!("{} {schedule:?} {gemm:?}", configuration.kernel);
    let plan = configuration.plan(gemm, schedule).unwrap();
    let mut numbers = Numbers(seed);
    let buffers = &plan.contract.buffers;
    let (a_bytes, a) = elements(gemm.input, buffers[1].elements as usize, &mut numbers);
    let (b_bytes, b) = elements(gemm.input, buffers[2].elements as usize, &mut numbers);
    let width = gemm.output.bytes(gemm.input) as usize;
    let of_c = buffers[3].elements as usize;
    let mut c_bytes = Vec::new();
    for _ in 0..of_c {
        let x = numbers.unit();
        match (gemm.output, gemm.input) {
            (OutputType::F32, _) | (_, InputType::Tf32) => c_bytes.extend((x as f32).to_le_bytes()),
            (_, InputType::F16) => c_bytes.extend(f16::from_f64(x).to_le_bytes()),
            (_, InputType::Bf16) => c_bytes.extend(bf16::from_f64(x).to_le_bytes()),
            (_, InputType::S8) => c_bytes.push((x * 128.0) as i8 as u8),
        }
    }
    let bias: Vec<f32> = (0..buffers[4].elements)
        .map(|_| numbers.unit() as f32)
        .collect();
    let poison = vec![0xa5u8; buffers[0].elements as usize * width];
    // An address that is aligned to what the problem says, and to no more.
    let offset = if gemm.addresses >= 16 {
        0
    } else {
        gemm.addresses as usize
    };
    let found = launch(
        module,
        &plan,
        [&a_bytes, &b_bytes, &c_bytes],
        &bias,
        &poison,
        offset,
        runs,
    );
    assert!(
        found.windows(2).all(|two| two[0] == two[1]),
        "{what}: two runs differ"
    );
    let found = &found[0];

    let mut written = vec![false; buffers[0].elements as usize];
    let mut worst = 0.0f64;
    let at = |major: Major, ld: u64, row: u32, k: u32| match major {
        Major::K => u64::from(row) * ld + u64::from(k),
        Major::Mn => u64::from(k) * ld + u64::from(row),
    };
    let (alpha, beta) = (
        f64::from(gemm.epilogue.alpha),
        f64::from(gemm.epilogue.beta),
    );
    for batch in 0..u64::from(gemm.batches) {
        let [of_a, of_b, of_c, of_d] = gemm.batch_strides.map(|stride| batch * stride);
        for i in 0..gemm.m {
            for j in 0..gemm.n {
                let (mut sum, mut size) = (0.0f64, 0.0f64);
                for k in 0..gemm.k {
                    let product = a[(of_a + at(gemm.majors.a(), gemm.lda, i, k)) as usize]
                        * b[(of_b + at(gemm.majors.b(), gemm.ldb, j, k)) as usize];
                    sum += product;
                    size += product.abs();
                }
                // Sums of n numbers, rounded after each addition, and a bit more for the instruction's own order.
                let additions = f64::from(gemm.k) / 8.0 + 8.0;
                let mut allowed = size
                    * additions
                    * match gemm.sums {
                        SumType::F32 => 2f64.powi(-23),
                        SumType::F16 => 2f64.powi(-11),
                        SumType::S32 => 0.0,
                    };
                let mut expected = sum * alpha;
                allowed *= alpha.abs();
                let mut scale = expected.abs();
                if gemm.epilogue.beta != 0.0 {
                    let index = (of_c + u64::from(i) * gemm.ldc + u64::from(j)) as usize;
                    let c = decode(gemm, &c_bytes[index * width..][..width]);
                    expected += beta * c;
                    scale += (beta * c).abs();
                }
                if gemm.epilogue.bias {
                    expected += f64::from(bias[j as usize]);
                    scale += f64::from(bias[j as usize]).abs();
                }
                allowed += scale * 2f64.powi(-22);
                expected = match gemm.epilogue.activation {
                    Activation::None => expected,
                    Activation::Relu => expected.max(0.0),
                    Activation::Gelu => {
                        let u = (2.0 / std::f64::consts::PI).sqrt()
                            * (expected + 0.044715 * expected.powi(3));
                        allowed = allowed * 1.2 + expected.abs() * 2f64.powi(-19);
                        expected * 0.5 * (1.0 + u.tanh())
                    }
                };
                match (gemm.output, gemm.input) {
                    (OutputType::S32, _) => {}
                    (OutputType::F32, _) | (OutputType::Same, InputType::Tf32) => {
                        allowed += expected.abs() * 2f64.powi(-24);
                    }
                    (OutputType::Same, InputType::F16) => {
                        allowed += expected.abs() * 2f64.powi(-11) + 2f64.powi(-25);
                    }
                    (OutputType::Same, InputType::Bf16) => {
                        allowed += expected.abs() * 2f64.powi(-8)
                    }
                    (OutputType::Same, InputType::S8) => {
                        expected = expected.clamp(-128.0, 127.0);
                        allowed += 0.5;
                    }
                }
                let index = (of_d + u64::from(i) * gemm.ldd + u64::from(j)) as usize;
                written[index] = true;
                let value = decode(gemm, &found[index * width..][..width]);
                let error = (value - expected).abs();
                assert!(
                    error <= allowed,
                    "{what}: D({i},{j}) of batch {batch} is {value}, expected {expected}, allowed {allowed:e}"
                );
                if allowed > 0.0 {
                    worst = worst.max(error / allowed);
                }
            }
        }
    }
    for (index, written) in written.into_iter().enumerate() {
        assert!(
            written
                || found[index * width..][..width]
                    .iter()
                    .all(|&byte| byte == 0xa5),
            "{what}: element {index} lies in no row of D and was written"
        );
    }
    worst
}
