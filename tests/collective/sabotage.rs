//! Runs kernels and launches that are wrong on purpose, and checks that the comparison finds each.
//! So a result that it accepts is right.
//!
//! ```text
//!   the launch's parameters   another alpha, no bias, a row less, a k less, ...      as if the kernel ignored the right ones
//!   the PTX                   a product left out, a rounding towards zero, ...
//! ```

use super::cases::{Case, whole};
use super::harness::{check, check_plan};
use super::kernels;
use super::ptx_text::{alone, entry, with_one_entry};
use super::reference;
use super::sample::sample;
use cutlet::kernels::Modules;
use gpu_kernels::gemm::CONFIGURATIONS;
use host::Device;
use kernel_abi::gemm::{
    Activation, Configuration, Epilogue, GemmProblem, InputType, OutputType, Schedule,
};
use kernel_abi::gemm::{GemmParams, flags};

/// Returns a product with every option, some of whose tiles are partial.
fn everything(of: &Configuration) -> GemmProblem {
    let mut gemm = GemmProblem::new(72, 80, 48, of.input, OutputType::Same)
        .with_majors(of.majors)
        .with_batches(2);
    gemm.accumulator = of.accumulator;
    gemm.epilogue = Epilogue {
        alpha: if of.input == InputType::S8 {
            0.004
        } else {
            0.75
        },
        beta: -0.5,
        bias: true,
        activation: Activation::Relu,
    };
    gemm
}

type Change = fn(&mut GemmParams);
const CHANGES: [(&str, Change); 15] = [
    ("alpha", |p| p.alpha *= 1.02),
    ("beta", |p| p.beta *= 1.02),
    ("no C", |p| p.epilogue &= !flags::C),
    ("no bias", |p| p.epilogue &= !flags::BIAS),
    ("no ReLU", |p| p.epilogue &= !flags::RELU),
    ("GELU", |p| p.epilogue |= flags::GELU),
    ("f32", |p| p.epilogue ^= flags::WIDE),
    ("a row less", |p| p.m -= 1),
    ("a store along n less", |p| p.n -= 16),
    ("a load along k less", |p| p.k -= 16),
    ("lda", |p| p.lda -= 16),
    ("ldb", |p| p.ldb -= 16),
    ("ldd", |p| p.ldd -= 16),
    ("one A", |p| p.batch_a = 0),
    ("one D", |p| p.batch_d = 0),
];

#[test]
fn a_launch_that_is_another() {
    let module = Modules::load(&Device::emulator()).unwrap();
    for (index, orders) in kernels(CONFIGURATIONS).into_iter().enumerate() {
        let case = Case {
            configuration: orders[0],
            gemm: everything(&orders[0]),
            schedule: Schedule::Tiles,
        };
        check(&module, &case, 1, 1).unwrap_or_else(|why| panic!("{why}"));
        for (what, change) in sample(orders[0].kernel, 5, index, CHANGES) {
            // A D of 32 bits is f32 in any case.
            if what == "f32" && case.gemm.input == InputType::Tf32 {
                continue;
            }
            let mut plan = case.configuration.plan(&case.gemm, case.schedule).unwrap();
            change(&mut plan.params);
            let found = check_plan(&module, &case, &plan, 1, 1);
            assert!(found.is_err(), "{what} is not seen: {case}");
        }
    }
}

/// Checks that kernels for any alignment take the orders of A and B from their parameters.
#[test]
fn orders_that_are_others() {
    let module = Modules::load(&Device::emulator()).unwrap();
    for orders in kernels(CONFIGURATIONS) {
        for of in orders.iter().filter(|_| orders.len() > 1) {
            let case = Case {
                configuration: *of,
                gemm: everything(of),
                schedule: Schedule::Tiles,
            };
            for flag in [flags::A_MN, flags::B_MN] {
                let mut plan = of.plan(&case.gemm, case.schedule).unwrap();
                plan.params.epilogue ^= flag;
                let found = check_plan(&module, &case, &plan, 1, 1);
                assert!(found.is_err(), "{flag} is not seen: {case}");
            }
        }
    }
}

/// Loads one kernel's PTX, changed, without the other kernels.
fn changed(name: &str, change: impl Fn(&str) -> String) -> Modules {
    let ptx = alone(name);
    let text = entry(&ptx, name);
    let other = change(text);
    assert_ne!(other, text, "{name}: nothing was changed");
    let changed = with_one_entry(&ptx, name, &other);
    Device::emulator().load(&changed).unwrap().into()
}

/// Returns `text` without the `number`-th instruction that starts with `opcode`.
fn without(text: &str, opcode: &str, number: usize) -> String {
    let (start, _) = text.match_indices(opcode).nth(number).unwrap();
    let end = start + text[start..].find(';').unwrap();
    [&text[..start], &text[end + 1..]].concat()
}

/// Returns the number of main loops in a kernel's text, and the number of products in each loop.
fn loops(of: &Configuration) -> (usize, usize) {
    let [m, n, k] = of.tile;
    let deep = match of.input {
        InputType::F16 | InputType::Bf16 => 16,
        InputType::Tf32 => 8,
        InputType::S8 | InputType::E4m3 | InputType::E5m2 => 32,
    };
    let each = (m / 16) * (n / 8) * (k / deep) / (of.warps[0] * of.warps[1]);
    let all = alone(of.kernel).matches("mma.sync").count();
    assert_eq!(all % each as usize, 0, "{}: {all} of {each}", of.kernel);
    (all / each as usize, each as usize)
}

#[test]
fn a_kernel_that_is_wrong() {
    for orders in sample("kernels that are wrong", 3, 0, kernels(CONFIGURATIONS)) {
        let of = orders[0];
        let mut cases = vec![Case {
            configuration: of,
            gemm: everything(&of),
            schedule: Schedule::Tiles,
        }];
        cases.extend(whole(&of));
        let find = |what: &str, change: &dyn Fn(&str) -> String| {
            let module = changed(of.kernel, change);
            // Some kernels have several paths, and the compiler chooses the first path in the text.
            let found = cases.iter().any(|case| check(&module, case, 1, 1).is_err());
            assert!(found, "{what} is not seen: {}", of.kernel);
        };
        // The text has the main loop once for each path.
        let (loops, products) = loops(&of);
        for number in 0..loops {
            find("a product that is left out", &|text| {
                without(text, "mma.sync", number * products)
            });
        }
        // These are the waits of the first step and of the loop: without them the data has not
        // arrived, or belongs to the previous step.
        if of.load_bytes > of.input.bytes() {
            find("no wait", &|text| without(text, "cp.async.wait_group", 0));
        }
        find("no barrier", &|text| without(text, "bar.sync", 0));
    }
}

/// Checks a rounding towards zero: half of its results are not the nearest.
#[test]
fn a_rounding_that_is_another() {
    for orders in kernels(CONFIGURATIONS) {
        let of = orders[0];
        let (from, to) = match of.input {
            InputType::F16 => ("cvt.rn.f16", "cvt.rz.f16"),
            InputType::Bf16 => ("cvt.rn.bf16", "cvt.rz.bf16"),
            InputType::S8 => ("cvt.rni.sat.s8", "cvt.rzi.sat.s8"),
            InputType::Tf32 => ("cvt.rna.tf32", "mov.b32"),
            // Only `wgmma` multiplies these types.
            InputType::E4m3 | InputType::E5m2 => continue,
        };
        let module = changed(of.kernel, |text| {
            // `mov.b32` has one type, so both types of TF32's rounding are replaced.
            text.replace(
                if to == "mov.b32" {
                    "cvt.rna.tf32.f32"
                } else {
                    from
                },
                to,
            )
        });
        let case = Case {
            configuration: of,
            gemm: everything(&of),
            schedule: Schedule::Tiles,
        };
        assert!(check(&module, &case, 1, 1).is_err(), "{case}");
    }
}

/// Checks a fence inside the condition. Then the groups after the last tiles are missing, and the
/// wait for all but the newest group ends before the last tiles have arrived.
#[test]
fn a_fence_inside_the_condition_reads_tiles_before_they_arrive() {
    let of = reference();
    let fence = "cp.async.commit_group;";
    let sabotaged = changed(of.kernel, |kernel| {
        // The main loop's copies are the last copies, and end with a branch to the fence.
        let copy = kernel.rfind("cp.async.cg").unwrap();
        let behind = copy + kernel[copy..].find('\n').unwrap();
        let outside = kernel.match_indices(fence).nth(2).unwrap().0;
        assert_eq!(
            kernel.matches(fence).count(),
            3,
            "two before the loop, one in it"
        );
        if outside < behind {
            let without = [&kernel[..outside], &kernel[outside + fence.len()..behind]].concat();
            [&without, "\n\t", fence, &kernel[behind..]].concat()
        } else {
            let with = [&kernel[..behind], "\n\t", fence, &kernel[behind..outside]].concat();
            [&with, &kernel[outside + fence.len()..]].concat()
        }
    });
    let mut gemm = GemmProblem::new(128, 128, 160, InputType::F16, OutputType::Same);
    gemm.accumulator = of.accumulator;
    let case = Case {
        configuration: of,
        gemm,
        schedule: Schedule::Tiles,
    };
    let module = Modules::load(&Device::emulator()).unwrap();
    assert!(check(&module, &case, 1, 1).is_ok());
    let fault = check(&sabotaged, &case, 1, 1).err().unwrap();
    assert!(
        fault.contains("before that thread waited for it (cp.async.wait_group"),
        "{fault}"
    );
}
