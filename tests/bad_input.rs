//! Checks the messages for mistakes that a user can make with the kernels: no panic, no driver code
//! without its meaning, and no wrong argument reaches the driver.

mod common;

use common::{devices, load};
use cutlet::CutletError;
use cutlet::gemm::{CONFIGURATIONS, Epilogue, GemmProblem, InputType, OutputType, Schedule};
use cutlet::kernels::{self, Modules};
use cutlet::run::{self, GemmRun, RunOptions};
use gpu_kernels::hgemm_by_hand::{ARGUMENTS, HgemmArgument, PAIR, launch_spec};
use half::f16;
use host::{Buffer, ByValue, Contract, Device, EmulatorConfig, Launch};

/// A kernel whose arguments are d, a, b, m, n, k, for a product of 64×48×40.
const KERNEL: &str = PAIR[0];

/// Returns the launch of that product by one of the pair.
fn launch(kernel: &'static str) -> Launch {
    let spec = launch_spec(kernel, 64, 48, 40).unwrap();
    Contract::from(&spec)
        .argument(ARGUMENTS, HgemmArgument::M, 64_u32)
        .argument(ARGUMENTS, HgemmArgument::N, 48_u32)
        .argument(ARGUMENTS, HgemmArgument::K, 40_u32)
        .launch()
}

/// Returns the message for buffers of these lengths and these extents.
fn refusal(
    modules: &Modules,
    lengths: [usize; 3],
    (m, n, k): (u32, u32, u32),
    launch: &Launch,
) -> String {
    let device = modules.device();
    let [d, a, b] = lengths.map(|len| device.upload(&vec![f16::ONE; len]).unwrap());
    let mut d = d;
    let kernel = modules.kernel(KERNEL).unwrap();
    let error = kernel
        .launch(launch, (&mut d, &a, &b, m, n, k))
        .unwrap_err();
    assert!(matches!(error, host::Error::Refused { .. }), "{error}");
    assert_eq!(
        d.to_vec().unwrap(),
        vec![f16::ONE; lengths[0]],
        "the kernel did not run"
    );
    error.to_string()
}

#[test]
fn buffers_that_are_too_small() {
    for device in devices() {
        let module = load(&device);
        let right = [64 * 48, 64 * 40, 48 * 40];
        for (index, name) in ["D", "A", "B"].into_iter().enumerate() {
            for missing in [1, right[index]] {
                let mut lengths = right;
                lengths[index] -= missing;
                assert_eq!(
                    refusal(&module, lengths, (64, 48, 40), &launch(KERNEL)),
                    format!(
                        "kernel `{KERNEL}`: argument {index} (`{name}`) has {} elements; the kernel needs {}",
                        lengths[index], right[index]
                    )
                );
            }
        }
    }
}

/// Checks every buffer of every kernel of the collective, with an epilogue and a schedule that use
/// all buffers.
#[test]
fn buffers_of_the_collective_that_are_too_small() {
    for device in devices() {
        let module = load(&device);
        for configuration in CONFIGURATIONS {
            // Hopper's kernels also have tensor maps, which refuse such buffers themselves.
            if configuration.input != InputType::F16 || configuration.hopper.is_some() {
                continue;
            }
            let mut gemm = GemmProblem::new(64, 48, 256, InputType::F16, OutputType::Same)
                .with_majors(configuration.majors);
            gemm.accumulator = configuration.accumulator;
            gemm.epilogue = Epilogue {
                beta: 1.0,
                bias: true,
                ..Epilogue::NONE
            };
            let schedule = if configuration.persistent {
                Schedule::Persistent(2)
            } else {
                Schedule::SplitK(2)
            };
            let plan = configuration.plan(&gemm, schedule).unwrap();
            let launch = Contract::from(&plan.launch).launch();
            let kernel = module.kernel(configuration.kernel).unwrap();
            let right = plan.launch.buffers.map(|buffer| buffer.elements as usize);
            // Persistent kernels split no tile, so they have no workspace.
            for short in 0..if configuration.persistent { 5 } else { 6 } {
                let mut lengths = right;
                lengths[short] -= 1;
                let half = |at: usize| -> Buffer<f16> { device.alloc(lengths[at]).unwrap() };
                let (mut d, a, b, c) = (half(0), half(1), half(2), half(3));
                let bias = device.alloc::<f32>(lengths[4]).unwrap();
                let mut workspace = device.alloc::<u8>(lengths[5]).unwrap();
                let parameters = ByValue(plan.params.to_u64s());
                let arguments = (&mut d, &a, &b, &c, &bias, &mut workspace, parameters);
                let error = kernel.launch(&launch, arguments).unwrap_err().to_string();
                assert_eq!(
                    error,
                    format!(
                        "kernel `{}`: argument {short} (`{}`) has {} elements; the kernel needs {}",
                        configuration.kernel,
                        plan.launch.buffers[short].name,
                        lengths[short],
                        right[short]
                    )
                );
            }
        }
    }
}

#[test]
fn extents_that_are_not_the_contracts() {
    for device in devices() {
        let module = load(&device);
        let right = [64 * 48, 64 * 40, 48 * 40];
        assert_eq!(
            refusal(&module, right, (65, 48, 40), &launch(KERNEL)),
            format!(
                "kernel `{KERNEL}`: argument 3 (`M`) is 65; the contract of this launch was made for 64"
            )
        );
        let mut smaller = launch(KERNEL);
        smaller.dynamic_shared = 1024;
        let said = refusal(&module, right, (64, 48, 40), &smaller);
        assert!(
            said.contains("1024 bytes of dynamic shared memory; the kernel's contract requires"),
            "{said}"
        );
        let mut larger = launch(KERNEL);
        larger.grid = (2, 1).into();
        let said = refusal(&module, right, (64, 48, 40), &larger);
        assert!(said.contains("the grid is (2, 1, 1)"), "{said}");
    }
}

#[test]
fn rows_that_are_not_aligned() {
    // No kernel with 16-byte loads accepts rows of 77 elements; Hopper's kernels pack such rows.
    let mut gemm = GemmProblem::new(64, 48, 77, InputType::F16, OutputType::Same);
    for configuration in CONFIGURATIONS {
        gemm.accumulator = configuration.accumulator;
        let (kernel, bytes) = (configuration.kernel, configuration.load_bytes);
        let fits = (configuration.input, configuration.majors) == (gemm.input, gemm.majors);
        if configuration.hopper.is_some() {
            // A grouped kernel computes no plain product.
            if fits && !configuration.is_grouped() {
                let plan = configuration.plan(&gemm, Schedule::Tiles).unwrap();
                assert!(plan.packing.iter().all(Option::is_some));
            }
        } else if fits && bytes > 2 {
            let refused = configuration.plan(&gemm, Schedule::Tiles).unwrap_err();
            assert_eq!(
                refused.to_string(),
                format!(
                    "{kernel} is not for this product: the alignment of rows of A or B differs"
                )
            );
        }
    }
    for device in devices() {
        let module = load(&device);
        assert_eq!(
            refusal(
                &module,
                [64 * 48, 64 * 40, 48 * 40],
                (64, 48, 40),
                &launch(PAIR[1])
            ),
            format!(
                "kernel `{KERNEL}`: the contract of this launch is that of `{}`",
                PAIR[1]
            )
        );
        // The view does not begin at a multiple of 16 bytes.
        let a = device.upload(&vec![f16::ONE; 64 * 40 + 1]).unwrap();
        let b = device.upload(&vec![f16::ONE; 48 * 40]).unwrap();
        let mut d = device.upload(&vec![f16::ONE; 64 * 48]).unwrap();
        let shifted = a.view(1..64 * 40 + 1).unwrap();
        let kernel = module.kernel(KERNEL).unwrap();
        let error = kernel
            .launch(
                &launch(KERNEL),
                (&mut d, shifted, &b, 64_u32, 48_u32, 40_u32),
            )
            .unwrap_err()
            .to_string();
        assert!(error.contains("argument 1 (`A`) lies at"), "{error}");
        assert!(
            error.contains("is a multiple of 2 and not of 16"),
            "{error}"
        );
    }
}

#[test]
fn a_kernel_that_does_not_exist() {
    for device in devices() {
        let every = device.load(kernels::ptx().unwrap()).unwrap();
        let error = every.kernel("hgemm_by_hnad").unwrap_err().to_string();
        assert!(
            error.starts_with(
                "the module has no kernel `hgemm_by_hnad`; did you mean `hgemm_by_hand`"
            ),
            "{error}"
        );
        assert!(error.contains("vecadd"), "{error}");
    }
}

#[test]
fn ptx_of_another_architecture() {
    let ptx = kernels::first().unwrap();
    assert!(ptx.contains(".target sm_80"));
    for device in devices() {
        let (major, minor) = device.compute_capability();
        let error = device
            .load(&ptx.replace(".target sm_80", ".target sm_100a"))
            .unwrap_err();
        assert!(matches!(error, host::Error::Target { .. }), "{error}");
        let said = error.to_string();
        assert!(
            said.starts_with("the PTX is for sm_100a, this device ("),
            "{said}"
        );
        assert!(said.contains(&format!("is sm_{major}{minor}: ")), "{said}");
    }
    // The device is older than the kernels require.
    let turing = Device::emulator_with(EmulatorConfig {
        compute_capability: (7, 5),
        ..EmulatorConfig::default()
    });
    assert_eq!(
        turing.load(ptx).unwrap_err().to_string(),
        "the PTX is for sm_80, this device (emulated sm_75) is sm_75: it needs a device of compute capability 8.0 or more"
    );
}

#[test]
fn problems_that_have_no_launch() {
    for device in devices() {
        let module = load(&device);
        for ([m, n, k], name) in [
            ([0, 512, 512], "M is 0"),
            ([512, 0, 512], "N is 0"),
            ([512, 512, 0], "K is 0"),
            ([u32::MAX, 512, 512], "M is 4294967295"),
        ] {
            let problem = GemmProblem::new(m, n, k, InputType::F16, OutputType::Same);
            let run = GemmRun::new(problem);
            let error = run::gemm(&module, &run, &RunOptions::default()).unwrap_err();
            assert!(matches!(error, CutletError::Problem(_)), "{error}");
            assert!(error.to_string().starts_with(name), "{error}");
        }
        // There are more tiles than a grid can have blocks, and more elements than memory can hold.
        let [tiles, elements] = [(1 << 22, 1 << 31), (1 << 22, 1 << 22)].map(|(m, n)| {
            let problem = GemmProblem::new(m, n, 8, InputType::F16, OutputType::Same);
            let run = GemmRun::new(problem);
            run::gemm(&module, &run, &RunOptions::default()).unwrap_err()
        });
        assert!(matches!(tiles, CutletError::Problem(_)), "{tiles}");
        assert!(
            tiles.to_string().starts_with("the number of tiles is "),
            "{tiles}"
        );
        assert!(matches!(elements, CutletError::Memory { .. }), "{elements}");
    }
}
