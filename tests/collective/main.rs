//! The collective's kernels against float64: every configuration, at sizes by chance, with every kind of epilogue, batch and
//! schedule; on the emulator, whose checks are all on, and on the GPU where there is one.

mod harness;

use cutlet::kernels;
use gpu_kernels::gemm::{
    Activation, CONFIGURATIONS, Configuration, Epilogue, Gemm, InputType, Major, Majors,
    OutputType, Schedule, SumType,
};
use harness::{Numbers, check};
use host::{Device, Module};

/// The emulator, and the GPU where there is one, each with the kernels loaded.
fn modules() -> Vec<Module> {
    let mut devices = vec![Device::emulator()];
    match Device::gpu(0) {
        Ok(gpu) => devices.push(gpu),
        Err(why) => println!("no CUDA device: ran on the emulator alone ({why})"),
    }
    devices
        .iter()
        .map(|device| {
            println!("{}", device.where_it_ran());
            device.load(kernels::ptx().unwrap()).unwrap()
        })
        .collect()
}

/// Whether a launch of the configuration fits the device.
fn runs_on(configuration: &Configuration, module: &Module) -> bool {
    let (major, minor) = module.device().compute_capability();
    configuration.arch <= 10 * major + minor
}

/// A problem and a schedule by chance, with extents from 1 to `most`.
fn by_chance(of: &Configuration, most: u32, numbers: &mut Numbers) -> (Gemm, Schedule) {
    // Rows are as aligned as the loads are wide.
    let vector = (of.load_bytes / of.input.bytes()).max(1);
    let mut extent = |aligned: bool| {
        let unit = if aligned { vector } else { 1 };
        (1 + numbers.below(most)).div_ceil(unit) * unit
    };
    let along_k = of.majors.a() == Major::K || of.majors.b() == Major::K;
    let (m, n, k) = (
        extent(of.majors.a() == Major::Mn),
        extent(of.majors.b() == Major::Mn),
        extent(along_k),
    );
    let outputs: &[OutputType] = match of.input {
        InputType::S8 => &[OutputType::S32, OutputType::Same, OutputType::F32],
        _ => &[OutputType::Same, OutputType::F32],
    };
    let output = outputs[numbers.below(outputs.len() as u32) as usize];
    let mut gemm = Gemm::new(m, n, k, of.input, output).with_majors(of.majors);
    gemm.sums = of.sums;
    if numbers.below(2) == 0 {
        gemm.lda += u64::from(vector * numbers.below(4));
        gemm.ldb += u64::from(vector * numbers.below(4));
        gemm.ldc += u64::from(numbers.below(9));
        gemm.ldd += u64::from(numbers.below(9));
    }
    if numbers.below(3) == 0 {
        gemm = gemm.with_batches(1 + numbers.below(3));
    }
    if output != OutputType::S32 && numbers.below(2) == 0 {
        let activations = [Activation::None, Activation::Relu, Activation::Gelu];
        gemm.epilogue = Epilogue {
            alpha: numbers.unit() as f32,
            beta: if numbers.below(2) == 0 {
                numbers.unit() as f32
            } else {
                0.0
            },
            bias: numbers.below(2) == 0,
            activation: activations[numbers.below(3) as usize],
        };
        if of.input == InputType::S8 {
            // Sums of bytes are large.
            gemm.epilogue.alpha /= 500.0;
        }
    }
    if of.load_bytes < 16 && numbers.below(2) == 0 {
        gemm.addresses = of.load_bytes;
    }
    let schedule = match numbers.below(4) {
        0 => Schedule::SplitK(2 + numbers.below(5)),
        1 => Schedule::StreamK(1 + numbers.below(14)),
        _ => Schedule::Tiles,
    };
    (gemm, schedule)
}

#[test]
fn every_configuration_at_sizes_by_chance() {
    for module in modules() {
        for (index, configuration) in CONFIGURATIONS.iter().enumerate() {
            if !runs_on(configuration, &module) {
                continue;
            }
            for turn in 0..3 {
                let seed = 100 * index as u64 + turn;
                let (gemm, schedule) = by_chance(configuration, 90, &mut Numbers(seed));
                check(&module, configuration, &gemm, schedule, !seed, 2);
            }
        }
    }
}

#[test]
fn several_tiles_by_every_schedule() {
    for module in modules() {
        for of in CONFIGURATIONS
            .iter()
            .filter(|of| of.input == InputType::F16 && of.majors == Majors::Tn)
        {
            if !runs_on(of, &module) {
                continue;
            }
            let mut gemm = Gemm::new(136, 144, 200, InputType::F16, OutputType::Same);
            gemm.sums = of.sums;
            gemm.epilogue.alpha = 0.5;
            for schedule in [
                Schedule::Tiles,
                Schedule::SplitK(3),
                Schedule::StreamK(1),
                Schedule::StreamK(5),
                Schedule::StreamK(1000),
            ] {
                check(&module, of, &gemm, schedule, 5, 2);
            }
        }
    }
}

#[test]
fn what_a_configuration_is_not_for_is_refused() {
    let of = |kernel| {
        CONFIGURATIONS
            .iter()
            .find(|of| of.kernel == kernel)
            .unwrap()
    };
    let reference = of("gemm_f16_f16_tn_128x128x32_s3");
    let mut gemm = Gemm::new(128, 128, 64, InputType::F16, OutputType::Same);
    let text = |gemm: &Gemm| {
        reference
            .plan(gemm, Schedule::Tiles)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        text(&gemm),
        "gemm_f16_f16_tn_128x128x32_s3 is not for this product: the type of the sums differs"
    );
    gemm.sums = SumType::F16;
    assert!(reference.plan(&gemm, Schedule::Tiles).is_ok());
    gemm.k = 63;
    assert!(text(&gemm).contains("alignment"));
    gemm.k = 0;
    assert_eq!(text(&gemm), "K is 0; it must be at least 1");
    gemm.k = 128;
    assert_eq!(text(&gemm), "lda is 64; it must be at least 128");
}

/// Where the fence stands inside the condition, the groups behind the last tiles are missing, and the wait for all but the
/// newest lets the last tiles through before they have arrived.
#[test]
fn a_fence_inside_the_condition_reads_tiles_before_they_arrive() {
    let name = "gemm_f16_f16_tn_128x128x32_s3";
    let ptx = kernels::ptx().unwrap();
    let start = ptx.find(&format!(".entry {name}(")).unwrap();
    let end = start + ptx[start..].find("\n}").unwrap();
    let kernel = &ptx[start..end];
    // The main loop's copies are the last ones, and end with a branch to the fence.
    let fence = "cp.async.commit_group;";
    let copy = kernel.rfind("cp.async.cg").unwrap();
    let behind = copy + kernel[copy..].find('\n').unwrap();
    let outside = kernel.match_indices(fence).nth(2).unwrap().0;
    assert_eq!(
        kernel.matches(fence).count(),
        3,
        "two before the loop, one in it"
    );
    let moved = if outside < behind {
        let without = [&kernel[..outside], &kernel[outside + fence.len()..behind]].concat();
        [&without, "\n\t", fence, &kernel[behind..]].concat()
    } else {
        let with = [&kernel[..behind], "\n\t", fence, &kernel[behind..outside]].concat();
        [&with, &kernel[outside + fence.len()..]].concat()
    };
    let sabotaged = [&ptx[..start], &moved, &ptx[end..]].concat();
    let of = CONFIGURATIONS.iter().find(|of| of.kernel == name).unwrap();
    let mut gemm = Gemm::new(128, 128, 160, InputType::F16, OutputType::Same);
    gemm.sums = SumType::F16;
    let run = |ptx: &str| {
        let module = Device::emulator().load(ptx).unwrap();
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            check(&module, of, &gemm, Schedule::Tiles, 1, 1)
        }))
    };
    assert!(run(ptx).is_ok());
    let fault = run(&sabotaged).unwrap_err();
    let fault = fault.downcast_ref::<String>().unwrap();
    assert!(fault.contains("AsyncCopyPending"), "{fault}");
}
