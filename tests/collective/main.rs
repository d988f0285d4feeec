//! Compares the collective's kernels with float64: every kernel, at random sizes, with every kind
//! of epilogue, batch and schedule; on the emulator, with all its checks, and on the GPU if there
//! is one.

mod banks;
#[allow(dead_code, reason = "the tests and the sweep share it")]
mod bound;
#[allow(dead_code, reason = "the tests and the sweep share it")]
mod cases;
mod data;
#[allow(dead_code, reason = "the tests and the sweep share it")]
mod harness;
#[path = "../common/ptx_text.rs"]
mod ptx_text;
mod sabotage;
#[path = "../common/sample.rs"]
mod sample;

use cases::{Case, Cases, LONGEST, by_kernel, whole};
use cutlet::gemm::CONFIGURATIONS;
use cutlet::kernels::Modules;
use harness::{Outcome, check};
use host::Device;
use kernel_abi::gemm::{
    AccumulatorType, Configuration, GemmProblem, InputType, Majors, OutputType, Scaling, Schedule,
};
use sample::{is_pushed, sample};

/// Returns the emulator, and the GPU if there is one, each with the kernels loaded.
fn modules() -> Vec<Modules> {
    let mut devices = vec![Device::emulator()];
    match Device::gpu(0) {
        Ok(gpu) => devices.push(gpu),
        Err(why) => println!("no CUDA device: ran on the emulator alone ({why})"),
    }
    devices
        .iter()
        .map(|device| {
            println!("{}", device.where_it_ran());
            Modules::load(device).unwrap()
        })
        .collect()
}

/// Whether a launch of the configuration fits the device.
fn runs_on(configuration: &Configuration, module: &Modules) -> bool {
    let (major, minor) = module.device().compute_capability();
    configuration.arch <= 10 * major + minor
}

/// Returns the configurations of each kernel that a push tests, or of all kernels if all cases are
/// requested.
fn kernels(of: &[Configuration]) -> Vec<Vec<Configuration>> {
    let all = by_kernel(of).into_iter();
    all.filter(|orders| is_pushed(orders[0].kernel)).collect()
}

/// Returns the configuration of the walk-throughs, which every build has.
fn reference() -> Configuration {
    let name = "gemm_f16_f16_tn_128x128x32_s3";
    *CONFIGURATIONS.iter().find(|of| of.kernel == name).unwrap()
}

/// Runs a check, and panics if it finds anything wrong.
fn right(module: &Modules, case: &Case, seed: u64) -> Outcome {
    check(module, case, seed, 2).unwrap_or_else(|why| panic!("{why}"))
}

#[test]
fn every_kernel_meets_every_kind_of_product() {
    for module in modules() {
        for (index, orders) in kernels(CONFIGURATIONS).into_iter().enumerate() {
            if !runs_on(&orders[0], &module) {
                continue;
            }
            let seed = 100 * index as u64;
            let kernel = orders[0].kernel;
            let mut cases = Cases::new(orders, seed);
            let dealt = (0..LONGEST as u64).map(|turn| (cases.next(90), seed + turn));
            for (case, seed) in sample(kernel, 6, index, dealt) {
                right(&module, &case, seed);
            }
        }
    }
}

#[test]
fn several_tiles_by_every_schedule() {
    for module in modules() {
        for (index, of) in CONFIGURATIONS
            .iter()
            .filter(|of| of.input == InputType::F16 && of.majors == Majors::Tn)
            // Grouped products have tests of their own: `hopper_gemm`.
            .filter(|of| !of.is_grouped() && is_pushed(of.kernel))
            .enumerate()
        {
            if !runs_on(of, &module) {
                continue;
            }
            let mut gemm = GemmProblem::new(136, 144, 200, InputType::F16, OutputType::Same);
            gemm.accumulator = of.accumulator;
            gemm.epilogue.alpha = 0.5;
            let schedules = [
                Schedule::Tiles,
                Schedule::SplitK(3),
                Schedule::ClusterSplitK(3),
                Schedule::ClusterSplitK(4),
                Schedule::StreamK(1),
                Schedule::StreamK(5),
                Schedule::StreamK(1000),
                Schedule::Persistent(1),
                Schedule::Persistent(3),
            ];
            // The kernel divides the product in other ways.
            let taken = schedules.into_iter().filter(|schedule| {
                let refused = of.plan(&gemm, *schedule).err();
                !refused.is_some_and(|why| why.to_string().contains("the schedule"))
            });
            for schedule in sample(of.kernel, 6, index, taken) {
                let configuration = *of;
                let case = Case {
                    configuration,
                    gemm,
                    schedule,
                };
                right(&module, &case, 5);
            }
        }
    }
}

/// Checks problems with whole tiles and steps, for which only D is requested: some kernels have a
/// main loop and an epilogue without predicates for them.
#[test]
fn whole_tiles() {
    for module in modules() {
        for (index, orders) in kernels(CONFIGURATIONS).into_iter().enumerate() {
            let of = orders[0];
            if !runs_on(&of, &module) {
                continue;
            }
            for case in sample(of.kernel, 12, index, whole(&of)) {
                right(&module, &case, 9);
            }
        }
    }
}

/// Checks sums whose product with 0.01 is exactly between two bytes in f32's 24 bits, which is one
/// sum in a hundred, and is then rounded to the even byte. In float64 the product is not a tie:
/// there 0.01 as an f32 is slightly less than a hundredth.
#[test]
fn a_byte_between_two_is_the_even_one() {
    for module in modules() {
        let bytes = |of: &&Configuration| of.input == InputType::S8 && is_pushed(of.kernel);
        for of in CONFIGURATIONS.iter().filter(bytes) {
            let mut gemm =
                GemmProblem::new(48, 64, 16, of.input, OutputType::Same).with_majors(of.majors);
            gemm.epilogue.alpha = 0.01;
            let case = |output| {
                let gemm = GemmProblem { output, ..gemm };
                let gemm = match output {
                    OutputType::S32 => {
                        GemmProblem::new(48, 64, 16, of.input, output).with_majors(of.majors)
                    }
                    _ => gemm,
                };
                Case {
                    configuration: *of,
                    gemm,
                    schedule: Schedule::Tiles,
                }
            };
            // The operands depend on the seed, and not on D's type.
            let bytes = right(&module, &case(OutputType::Same), 3).d;
            let accumulator = right(&module, &case(OutputType::S32), 3).d;
            let differ = accumulator.chunks(4).zip(&bytes).filter(|(sum, byte)| {
                let sum = i32::from_le_bytes([sum[0], sum[1], sum[2], sum[3]]);
                let in_float64 = (f64::from(sum) * f64::from(0.01f32)).round_ties_even();
                in_float64.clamp(-128.0, 127.0) != f64::from(**byte as i8)
            });
            assert!(differ.count() > 0, "no tie was met: the test asks nothing");
        }
    }
}

#[test]
fn what_a_configuration_is_not_for_is_refused() {
    let reference = reference();
    let mut gemm = GemmProblem::new(128, 128, 64, InputType::F16, OutputType::Same);
    let text = |gemm: &GemmProblem| {
        let refused = reference.plan(gemm, Schedule::Tiles);
        refused.unwrap_err().to_string()
    };
    assert_eq!(
        text(&gemm),
        "gemm_f16_f16_tn_128x128x32_s3 is not for this product: the accumulator type differs"
    );
    gemm.accumulator = AccumulatorType::F16;
    assert!(reference.plan(&gemm, Schedule::Tiles).is_ok());
    gemm.k = 63;
    assert!(text(&gemm).contains("alignment"));
    gemm.k = 0;
    assert_eq!(text(&gemm), "K is 0; it must be at least 1");
    gemm.k = 128;
    assert_eq!(text(&gemm), "lda is 64; it must be at least 128");
}

/// Checks that A and B may have any address that suits the kernel's loads, but that an address
/// which splits an element of D or C is refused.
#[test]
fn an_address_that_splits_elements_of_d_is_refused() {
    for of in CONFIGURATIONS
        .iter()
        .filter(|of| of.scaling() == Scaling::Tensor && !of.is_grouped())
    {
        for &output in cases::outputs(of.input) {
            let mut gemm = GemmProblem::new(64, 64, 64, of.input, output).with_majors(of.majors);
            gemm.accumulator = of.accumulator;
            let size = output.bytes(of.input);
            for outputs in [1, 2, 4, 8, 16, 32] {
                gemm.output_alignment = outputs;
                gemm.input_alignment = of.load_bytes;
                match of.plan(&gemm, Schedule::Tiles) {
                    Ok(plan) => {
                        let asked = plan.launch.buffers[0].alignment;
                        assert!(size <= outputs && asked <= outputs as usize, "{gemm:?}");
                    }
                    Err(refused) => {
                        assert!(outputs < size, "{gemm:?}");
                        assert_eq!(
                            refused.to_string(),
                            format!(
                                "{} is not for this product: the alignment of D's address differs",
                                of.name
                            )
                        );
                    }
                }
            }
        }
    }
}
