//! What a person may get wrong with the kernels, and what they are told: no panic, no driver code without its
//! meaning, and nothing of it reaches the driver.

mod common;

use common::{devices, load};
use cutlet::run::{self, GemmProblem, Options};
use cutlet::{Error, kernels};
use gpu_kernels::gemm::{Input, Output, Problem};
use half::f16;
use host::{Device, EmulatorConfig, Launch, Module};

const PROBLEM: Problem = Problem {
    m: 64,
    n: 48,
    k: 40,
};

/// The launch of the problem above.
fn launch() -> Launch {
    let stated = PROBLEM.contract(Input::F16, Output::Same).unwrap();
    kernels::contract(&stated, &[(3, "M", 64), (4, "N", 48), (5, "K", 40)]).launch()
}

/// What a GEMM says with buffers of these lengths and these extents.
fn refusal(
    module: &Module,
    lengths: [usize; 3],
    (m, n, k): (u32, u32, u32),
    launch: &Launch,
) -> String {
    let device = module.device();
    let [d, a, b] = lengths.map(|len| device.upload(&vec![f16::ONE; len]).unwrap());
    let mut d = d;
    let kernel = module.kernel("gemm_f16_f16").unwrap();
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
                    refusal(&module, lengths, (64, 48, 40), &launch()),
                    format!(
                        "kernel `gemm_f16_f16`: argument {index} (`{name}`) has {} elements; the kernel needs {}",
                        lengths[index], right[index]
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
            refusal(&module, right, (65, 48, 40), &launch()),
            "kernel `gemm_f16_f16`: argument 3 (`M`) is 65; the contract of this launch was made for 64"
        );
        let mut smaller = launch();
        smaller.dynamic_shared = 1024;
        let said = refusal(&module, right, (64, 48, 40), &smaller);
        assert!(
            said.contains("1024 bytes of dynamic shared memory; the kernel's contract asks for"),
            "{said}"
        );
        let mut larger = launch();
        larger.grid = (2, 1).into();
        let said = refusal(&module, right, (64, 48, 40), &larger);
        assert!(said.contains("the grid is (2, 1, 1)"), "{said}");
    }
}

#[test]
fn the_16_byte_kernel_with_rows_that_are_not_aligned() {
    for device in devices() {
        let module = load(&device);
        // The contract for K = 77 is that of the other kernel.
        let stated = Problem { k: 77, ..PROBLEM }
            .contract(Input::F16, Output::Same)
            .unwrap();
        let launch = kernels::contract(&stated, &[]).launch();
        assert_eq!(
            refusal(&module, [64 * 48, 64 * 77, 48 * 77], (64, 48, 77), &launch),
            "kernel `gemm_f16_f16`: the contract of this launch is that of `gemm_f16_f16_any`"
        );
        // And a view that starts in the middle of 16 bytes.
        let a = device.upload(&vec![f16::ONE; 64 * 40 + 1]).unwrap();
        let b = device.upload(&vec![f16::ONE; 48 * 40]).unwrap();
        let mut d = device.upload(&vec![f16::ONE; 64 * 48]).unwrap();
        let shifted = a.view(1..64 * 40 + 1).unwrap();
        let kernel = module.kernel("gemm_f16_f16").unwrap();
        let error = kernel
            .launch(
                &self::launch(),
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
        let error = load(&device)
            .kernel("gemm_f16_f61")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("the module has no kernel `gemm_f16_f61`; did you mean `gemm_f16_f"),
            "{error}"
        );
        assert!(error.contains("vecadd"), "{error}");
    }
}

#[test]
fn ptx_of_another_architecture() {
    let ptx = kernels::ptx().unwrap();
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
    // And a device that is older than the kernels.
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
        for (problem, name) in [
            (
                GemmProblem {
                    m: 0,
                    ..GemmProblem::default()
                },
                "M is 0",
            ),
            (
                GemmProblem {
                    n: 0,
                    ..GemmProblem::default()
                },
                "N is 0",
            ),
            (
                GemmProblem {
                    k: 0,
                    ..GemmProblem::default()
                },
                "K is 0",
            ),
            (
                GemmProblem {
                    m: u32::MAX,
                    ..GemmProblem::default()
                },
                "M is 4294967295",
            ),
        ] {
            let error = run::gemm(&module, &problem, &Options::default()).unwrap_err();
            assert!(matches!(error, Error::Problem(_)), "{error}");
            assert!(error.to_string().starts_with(name), "{error}");
        }
        let huge = GemmProblem {
            m: 1 << 22,
            n: 1 << 31,
            k: 8,
            ..GemmProblem::default()
        };
        let error = run::gemm(&module, &huge, &Options::default()).unwrap_err();
        assert!(matches!(error, Error::Memory { .. }), "{error}");
    }
}
