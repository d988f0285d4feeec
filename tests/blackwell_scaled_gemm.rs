//! Blackwell's products with scale factors on the emulator, under every schedule of its
//! asynchronous operations, against the float64 product of the dequantised operands; and mistakes
//! that each schedule finds. No card has run these kernels.
//!
//! ```text
//!   A, B, scale factors by chance ─┬─ kernel ────────────────────────► D
//!                                  └─ every element times its factor ─ float64 ─► D'      |D - D'| within the rounding
//! ```

mod common;

use common::ptx_text::{alone, entry, with_one_entry};
use common::sample::is_pushed;
use cutlet::gemm::{Activation, Epilogue};
use emulator::{Schedule, TensorElement, TensorSwizzle};
use gpu_kernels_sm100::gemm::scaled::CONFIGURATIONS;
use gpu_kernels_sm100::gemm::scaled::plan::{
    ScaledConfiguration, ScaledElement, ScaledFormat, ScaledMap, ScaledProblem,
};
use half::{bf16, f16};
use host::reference::Random;
use host::{Buffer, ByValue, Contract, Device, EmulatorConfig, TensorMapSpec};
use kernel_abi::gemm::{InputType, Schedule as Tiles};

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(7)];

/// Configures an emulated Blackwell with so few multiprocessors that a CTA has several tiles.
fn config(schedule: Schedule) -> EmulatorConfig {
    EmulatorConfig {
        compute_capability: (10, 0),
        multiprocessors: 2,
        schedule,
        ..EmulatorConfig::default()
    }
}

fn device(schedule: Schedule) -> Device {
    Device::emulator_with(config(schedule))
}

/// Returns the device on which products and copies of a thread are ordered only as PTX states it.
fn strict(schedule: Schedule) -> Device {
    Device::emulator_with(EmulatorConfig {
        strict_tensor_order: true,
        ..config(schedule)
    })
}

/// Returns the kernels that are tested.
fn kernels() -> impl Iterator<Item = &'static ScaledConfiguration> {
    CONFIGURATIONS.iter().filter(|of| is_pushed(of.kernel()))
}

/// Returns the value of a float with so many bits of exponent and fraction, without infinities.
fn narrow(bits: u8, exponent: u32, fraction: u32) -> f64 {
    let sign = if bits >> (exponent + fraction) & 1 == 1 {
        -1.0
    } else {
        1.0
    };
    let field = i32::from(bits >> fraction) & ((1 << exponent) - 1);
    let below = f64::from(bits & ((1 << fraction) - 1)) / f64::from(1 << fraction);
    let bias = (1 << (exponent - 1)) - 1;
    sign * match field {
        0 => below * f64::powi(2.0, 1 - bias),
        _ => (1.0 + below) * f64::powi(2.0, field - bias),
    }
}

/// An operand: its bytes, its scale factors, and the values that both say.
struct Operand {
    bytes: Vec<u8>,
    scales: Vec<u8>,
    values: Vec<f64>,
}

impl Operand {
    /// Returns random numbers. Bytes after the columns and scale factors of rows that do not exist
    /// are NaN where the type has one; scale factors after the columns are numbers.
    fn random(random: &mut Random, format: ScaledFormat, [rows, k]: [u32; 2], ld: u64) -> Self {
        let mut below = |most: u64| random.below(most) as u8;
        let [along_k, along_rows] = format.blocks(rows, k);
        let mut scales = vec![0xff; format.scale_bytes(rows, k) as usize];
        for row in 0..128 * along_rows {
            for factor in 0..4 * along_k {
                let at = format.scale_place(row, factor * format.vector_size(), k);
                scales[at as usize] = match (row < rows, format) {
                    (false, _) => 0xff,
                    (_, ScaledFormat::Mxfp8) => 120 + below(14),
                    // From 2^-3 to 15.
                    (_, ScaledFormat::Nvfp4) => 0x20 + below(0x38),
                };
            }
        }
        let row_bytes = (ld / u64::from(format.elements_of_byte())) as usize;
        let mut bytes = vec![0xff; row_bytes * rows as usize];
        let mut values = Vec::new();
        for row in 0..rows {
            for column in 0..k {
                let at = format.scale_place(row, column, k) as usize;
                let factor = match format {
                    ScaledFormat::Mxfp8 => f64::powi(2.0, i32::from(scales[at]) - 127),
                    ScaledFormat::Nvfp4 => narrow(scales[at], 4, 3),
                };
                let first = row as usize * row_bytes;
                let value = match format {
                    ScaledFormat::Mxfp8 => {
                        let byte = below(0x7f) | below(2) << 7;
                        bytes[first + column as usize] = byte;
                        narrow(byte, 4, 3)
                    }
                    ScaledFormat::Nvfp4 => {
                        let (nibble, shift) = (below(16), 4 * (column % 2));
                        let byte = &mut bytes[first + column as usize / 2];
                        *byte = *byte & !(15 << shift) | nibble << shift;
                        narrow(nibble, 2, 1)
                    }
                };
                values.push(factor * value);
            }
        }
        Self {
            bytes,
            scales,
            values,
        }
    }
}

/// Returns the specification of a tensor map.
fn spec(map: &ScaledMap) -> TensorMapSpec {
    let element = match map.element {
        ScaledElement::Byte => TensorElement::U8,
        ScaledElement::F16 => TensorElement::F16,
        ScaledElement::Bf16 => TensorElement::Bf16,
        ScaledElement::Word => TensorElement::F32,
    };
    let swizzle = if map.swizzled {
        TensorSwizzle::B128
    } else {
        TensorSwizzle::None
    };
    TensorMapSpec::new(element, &map.extents, &map.strides, &map.box_extents).swizzle(swizzle)
}

/// Returns element `at` of `bytes` as a number. The elements are f32 if `wide`, otherwise of the
/// configuration's 16-bit type.
fn element(of: &ScaledConfiguration, wide: bool, bytes: &[u8], at: usize) -> f64 {
    let half = |at: usize| [bytes[2 * at], bytes[2 * at + 1]];
    match of.bytes.input {
        _ if wide => f64::from(f32::from_le_bytes(bytes[4 * at..][..4].try_into().unwrap())),
        InputType::F16 => f16::from_le_bytes(half(at)).to_f64(),
        _ => bf16::from_le_bytes(half(at)).to_f64(),
    }
}

/// Runs a kernel of a module on random operands, and counts the elements of D that are wrong.
fn wrong(
    device: &Device,
    ptx: &str,
    of: &ScaledConfiguration,
    problem: &ScaledProblem,
    seed: u64,
) -> Result<usize, String> {
    fn text(error: impl ToString) -> String {
        error.to_string()
    }
    let mut random = Random::new(seed);
    let &ScaledProblem { m, n, k, .. } = problem;
    let a = Operand::random(&mut random, of.format, [m, k], problem.lda);
    let b = Operand::random(&mut random, of.format, [n, k], problem.ldb);
    let plan = of.plan(problem, Tiles::Persistent(2)).map_err(text)?;
    let [elements_d, _, _, elements_c, elements_bias, _] =
        plan.launch.buffers.map(|buffer| buffer.elements as usize);
    let bytes_d = if problem.wide { 4 } else { 2 };
    // 2.0 in each type, and a bias of small numbers.
    let two = match of.bytes.input {
        _ if problem.wide => 2f32.to_le_bytes().to_vec(),
        InputType::F16 => f16::from_f32(2.0).to_le_bytes().to_vec(),
        _ => bf16::from_f32(2.0).to_le_bytes().to_vec(),
    };
    let bias: Vec<f32> = (0..elements_bias).map(|i| (i % 7) as f32 - 3.0).collect();
    let upload = |bytes: &[u8]| device.upload(bytes).map_err(text);
    let mut d: Buffer<u8> = upload(&vec![0xff; elements_d * bytes_d])?;
    let (on_a, on_b) = (upload(&a.bytes)?, upload(&b.bytes)?);
    let (on_sfa, on_sfb) = (upload(&a.scales)?, upload(&b.scales)?);
    let c = upload(&two.repeat(elements_c))?;
    let on_bias = device.upload(&bias).map_err(text)?;
    let mut workspace = upload(&[])?;
    let [map_a, map_b, map_d, map_sfa, map_sfb] = plan.maps.map(|map| spec(&map));
    let (map_a, map_b) = (on_a.tensor_map(&map_a), on_b.tensor_map(&map_b));
    let (map_a, map_b) = (map_a.map_err(text)?, map_b.map_err(text)?);
    let map_sfa = on_sfa.tensor_map(&map_sfa).map_err(text)?;
    let map_sfb = on_sfb.tensor_map(&map_sfb).map_err(text)?;
    // D is an argument by its address and by its map; rows that TMA cannot store leave D's map out.
    let map_d = match plan.maps[2].operand == plan.maps[0].operand {
        true => *map_a.bytes(),
        false => *d.tensor_map_mut(&map_d).map_err(text)?.bytes(),
    };
    let kernel = device.load(ptx).map_err(text)?;
    let kernel = kernel.kernel(of.kernel()).map_err(text)?;
    let launch = Contract::from(&plan.launch).launch();
    let params = ByValue(plan.params.to_u64s());
    let buffers = (&mut d, &on_a, &on_b, &c, &on_bias, &mut workspace);
    let (d_, a_, b_, c_, bias_, workspace_) = buffers;
    let arguments = (
        d_,
        a_,
        b_,
        c_,
        bias_,
        workspace_,
        params,
        &map_a,
        &map_b,
        ByValue(map_d),
        1u32,
        &map_sfa,
        &map_sfb,
    );
    kernel.launch(&launch, arguments).map_err(text)?;
    let d = d.to_vec().map_err(text)?;
    let Epilogue {
        alpha,
        beta,
        activation,
        ..
    } = problem.epilogue;
    let mut wrong = 0;
    for i in 0..m as usize {
        for j in 0..n as usize {
            let rows = [&a.values, &b.values].map(|values| values.as_slice());
            let (row, column) = (&rows[0][i * k as usize..], &rows[1][j * k as usize..]);
            let products = row.iter().zip(column).take(k as usize).map(|(a, b)| a * b);
            let (sum, size) = products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + p.abs()));
            let mut right = f64::from(alpha) * sum + 2.0 * f64::from(beta);
            if problem.epilogue.bias {
                right += f64::from(bias[j]);
            }
            if activation == Activation::Relu {
                right = right.max(0.0);
            }
            let found = element(of, problem.wide, &d, i * problem.ldd as usize + j);
            // Each of k / 32 sums truncates to 25 bits below its largest term; then D is rounded.
            let steps = f64::from(k) / 32.0 + 2.0;
            let rounding = if problem.wide { -22 } else { -8 };
            let allowed = f64::from(alpha.abs()) * size * steps * f64::powi(2.0, -22)
                + right.abs() * f64::powi(2.0, rounding)
                + 1e-30;
            wrong += usize::from(found.is_nan() || (found - right).abs() > allowed);
        }
    }
    Ok(wrong)
}

/// Returns a product of two tiles along m and two along n, with more k tiles than stages. Each
/// of the two CTAs has two tiles, one for each accumulator.
fn problem(of: &ScaledConfiguration) -> ScaledProblem {
    let [tile_m, tile_n, tile_k] = of.tile();
    let k = (of.bytes.stages + 2) * tile_k - 3 * of.format.vector_size();
    ScaledProblem::new(2 * tile_m - 8, 2 * tile_n - 16, k)
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut tested = 0;
    for of in kernels() {
        let ptx = alone(of.kernel());
        for schedule in SCHEDULES {
            let found = wrong(&device(schedule), &ptx, of, &problem(of), 1);
            assert_eq!(found, Ok(0), "{} {schedule:?}", of.kernel());
        }
        tested += 1;
    }
    assert!(tested > 0);
}

/// The kernels copy a k tile's scale factors over those of the one before, as CUTLASS does: that
/// takes the order of issue, which PTX does not state for copies.
#[test]
fn strict_order_finds_the_copies_over_scale_factors() {
    for (of, schedule) in kernels().take(1).zip(SCHEDULES) {
        let ptx = alone(of.kernel());
        let found = wrong(&strict(schedule), &ptx, of, &problem(of), 1).unwrap_err();
        let said = "is written by a copy: it was written, and nothing orders the two";
        assert!(
            found.contains(said),
            "{} {schedule:?}: {found}",
            of.kernel()
        );
    }
}

/// Extents by chance, most of them with residues of tiles, vectors and blocks of scale factors, and
/// every kind of D.
#[test]
fn products_by_chance_are_right() {
    let mut random = Random::new(57);
    let mut below = |most: u32| random.below(u64::from(most)) as u32;
    let all: Vec<_> = kernels().collect();
    let texts: Vec<_> = all.iter().map(|of| alone(of.kernel())).collect();
    for index in 0..12 {
        let of = all[index % all.len()];
        let [tile_m, tile_n, tile_k] = of.tile();
        let [m, n] = [tile_m, tile_n].map(|tile| 1 + below(5 * tile / 2));
        // Every third in whole vectors, which TMA stores.
        let [m, n] = [m, n].map(|extent| match index % 3 {
            0 => extent.next_multiple_of(8),
            _ => extent,
        });
        let vector = of.format.vector_size();
        let k = vector * (1 + below(3 * tile_k / vector));
        let epilogue = Epilogue {
            alpha: [1.0, 0.125][below(2) as usize],
            beta: [0.0, -2.0][below(2) as usize],
            bias: below(2) == 0,
            activation: [Activation::None, Activation::Relu][below(2) as usize],
        };
        let packed = ScaledProblem::new(m, n, k);
        let problem = ScaledProblem {
            lda: packed.lda + 32 * u64::from(below(2)),
            ldd: packed.ldd + u64::from(below(2)),
            wide: below(2) == 0,
            epilogue: [Epilogue::NONE, epilogue][below(3).min(1) as usize],
            ..packed
        };
        let schedule = SCHEDULES[index % 3];
        let found = wrong(
            &device(schedule),
            &texts[index % all.len()],
            of,
            &problem,
            2,
        );
        assert_eq!(found, Ok(0), "{} {problem:?} {schedule:?}", of.kernel());
    }
}

/// Problems that no kernel computes are refused, and the error names the reason.
#[test]
fn other_problems_are_refused() {
    for of in CONFIGURATIONS {
        let refused = |problem: &ScaledProblem, tiles| {
            let error = of.plan(problem, tiles).unwrap_err();
            error.to_string()
        };
        let vector = of.format.vector_size();
        let right = ScaledProblem::new(64, 64, 4 * vector);
        let k = refused(&ScaledProblem::new(64, 64, vector + 8), Tiles::Tiles);
        assert!(k.contains("K, a multiple"), "{k}");
        let lda = right.lda + 8;
        let rows = refused(&ScaledProblem { lda, ..right }, Tiles::Tiles);
        assert!(rows.contains("alignment"), "{rows}");
        let split = refused(&right, Tiles::SplitK(2));
        assert!(split.contains("schedule"), "{split}");
    }
}

const ONE: &str = "gemm_mxfp8_bf16_tn_128x128x128_s6_umma";
const PAIR: &str = "gemm_nvfp4_bf16_tn_128x128x256_s7_umma_2sm";

/// What is done to a kernel's text.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Every line with the word goes.
    Without(&'static str),
    /// The line that has the word for the n-th time goes.
    WithoutNth(&'static str, usize),
    /// Text takes the place of other text, in every line.
    Replaced(&'static str, &'static str),
    /// The MMA thread does not wait for the stage.
    CopiesBeforeTheWait,
    /// The barrier of a stage expects the bytes of A and B alone.
    ExpectsFewerBytes,
    /// The first copy goes to columns so many further.
    CopiesElsewhere(u32),
    /// The first product takes A's scale factors for B's, and B's for A's.
    SwapsScales,
    /// Half as many columns are allocated.
    AllocatesHalf,
}
use Change::{
    AllocatesHalf, CopiesBeforeTheWait, CopiesElsewhere, ExpectsFewerBytes, Replaced, SwapsScales,
    Without, WithoutNth,
};

impl Change {
    fn of(self, text: &str) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let with = |lines: &[String], word: &str| -> Vec<usize> {
            (0..lines.len())
                .filter(|&i| lines[i].contains(word))
                .collect()
        };
        match self {
            Without(word) => lines.retain(|line| !line.contains(word)),
            WithoutNth(word, nth) => {
                let line = with(&lines, word)[nth];
                lines[line].clear();
            }
            Replaced(from, to) => {
                for line in &mut lines {
                    *line = line.replace(from, to);
                }
            }
            CopiesBeforeTheWait => {
                // The last wait ahead of the first copy: its result is always 1.
                let copy = with(&lines, "tcgen05.cp.")[0];
                let wait = *with(&lines[..copy], "try_wait.parity").last().unwrap();
                let (_, result) = lines[wait].split_once("selp.b32 ").unwrap();
                let (result, _) = result.split_once(',').unwrap();
                lines[wait] = format!("mov.b32 {result}, 1;");
            }
            ExpectsFewerBytes => {
                // One CTA adds the bytes of the factors; a pair has a constant for both CTAs.
                for expect in with(&lines, "expect_tx.") {
                    let (_, bytes) = lines[expect].split_once("], ").unwrap();
                    let is_set = format!(" \t{},", bytes.trim_end_matches(';'));
                    for line in with(&lines, &is_set) {
                        lines[line] = lines[line].replace(", 1024;", ", 0;");
                        lines[line] = lines[line].replace(", 57344;", ", 49152;");
                    }
                }
            }
            CopiesElsewhere(columns) => {
                let copy = with(&lines, "tcgen05.cp.")[0];
                lines[copy] = lines[copy].replacen(']', &format!("+{columns}]"), 1);
            }
            SwapsScales => {
                let product = with(&lines, ".block_scale")[0];
                let parts: Vec<_> = lines[product].split(", ").map(str::to_owned).collect();
                let mut swapped = parts.clone();
                let last = parts.len() - 1;
                swapped[last - 2] = parts[last - 1].clone();
                swapped[last - 1] = parts[last - 2].clone();
                lines[product] = swapped.join(", ");
            }
            AllocatesHalf => {
                for word in ["tcgen05.alloc", "tcgen05.dealloc"] {
                    let line = with(&lines, word)[0];
                    let columns = *with(&lines[..line], ", 512;").last().unwrap();
                    lines[columns] = lines[columns].replace(", 512;", ", 256;");
                    // One constant may be that of both.
                    if with(&lines, ", 512;").is_empty() {
                        break;
                    }
                }
            }
        }
        lines.join("\n")
    }
}

/// A copy or a product reads bytes that TMA is still writing.
const NO_WAIT: &str = "no wait for phase";
/// A product reads columns that no copy wrote.
const UNWRITTEN: &str = "never written";
/// Columns that are not allocated.
const OUTSIDE: &str = "not all in an allocation";

/// What is missing or wrong, and a part of the finding; `numbers` if nothing is found but D's wrong
/// elements.
const MISTAKES: [(&str, Change, &str); 19] = [
    // The stage is copied to tensor memory before TMA has filled it.
    (ONE, CopiesBeforeTheWait, NO_WAIT),
    (PAIR, CopiesBeforeTheWait, NO_WAIT),
    // The barrier does not count the scale factors.
    (ONE, ExpectsFewerBytes, "bytes"),
    (PAIR, ExpectsFewerBytes, "bytes"),
    // The columns of a product hold nothing, or the scale factors of the other operand.
    (ONE, Without("tcgen05.cp."), UNWRITTEN),
    (PAIR, WithoutNth("tcgen05.cp.", 5), UNWRITTEN),
    (ONE, CopiesElsewhere(8), UNWRITTEN),
    (PAIR, CopiesElsewhere(32), UNWRITTEN),
    (ONE, SwapsScales, "numbers"),
    // Without the copies of each row to all quarters, a copy reads the next 1536 bytes as well.
    (ONE, Replaced(".32x128b.warpx4", ".128x128b"), NO_WAIT),
    // The descriptor of a block without its version, and with 256 bytes between groups of 8 rows.
    (
        ONE,
        Replaced("70403103916032", "34359738368"),
        "the descriptor 0x",
    ),
    (ONE, Replaced("70403103916032", "70437463654400"), NO_WAIT),
    (ONE, AllocatesHalf, OUTSIDE),
    (PAIR, AllocatesHalf, OUTSIDE),
    // A stage that is never free, an accumulator that is never there.
    (ONE, WithoutNth("tcgen05.commit", 0), "deadlock"),
    (ONE, WithoutNth("tcgen05.commit", 1), "deadlock"),
    (PAIR, WithoutNth("tcgen05.commit", 0), "deadlock"),
    // The barriers are not there for the peer; TMA does not see what the epilogue staged.
    (PAIR, Without("fence.mbarrier_init"), "fence.mbarrier_init"),
    (ONE, Without("fence.proxy.async"), "fence.proxy.async"),
];

/// Each mistake is found, and the kernel without it is silent.
#[test]
fn mistakes_are_found_under_every_schedule() {
    for kernel in [ONE, PAIR] {
        let whole = alone(kernel);
        let mut all = CONFIGURATIONS.iter();
        let of = all.find(|of| of.kernel() == kernel).unwrap();
        // Two tiles of a CTA with more k tiles than stages together.
        let [tile_m, tile_n, tile_k] = of.tile();
        let m = tile_m * of.bytes.hopper.unwrap().cluster[0] - 8;
        let k = 4 * tile_k - 3 * of.format.vector_size();
        let problem = ScaledProblem::new(m, 3 * tile_n - 16, k);
        let found = |ptx: &str, schedule| wrong(&device(schedule), ptx, of, &problem, 3);
        for schedule in SCHEDULES {
            assert_eq!(found(&whole, schedule), Ok(0), "{kernel} {schedule:?}");
        }
        let text = entry(&whole, kernel);
        for (_, change, said) in MISTAKES.iter().filter(|(of, ..)| *of == kernel) {
            let changed = change.of(text);
            let same = text.lines().collect::<Vec<_>>().join("\n");
            assert_ne!(changed, same, "{change:?}");
            let changed = with_one_entry(&whole, kernel, &changed);
            for schedule in SCHEDULES {
                let message = match found(&changed, schedule) {
                    Ok(0) => panic!("{kernel} {change:?} {schedule:?} passes in silence"),
                    Ok(_) => "numbers".to_owned(),
                    Err(message) => message,
                };
                let is_said = message.contains(said);
                assert!(is_said, "{kernel} {change:?} {schedule:?}: {message}");
            }
        }
    }
}
