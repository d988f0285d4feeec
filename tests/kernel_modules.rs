//! Checks that a kernel is the same in all modules: in the module of a first run, in the program's
//! modules, and by itself.

mod common;

use common::ptx_text::{entries, without_labels};
use cutlet::kernels::{self, Modules, alone};
use host::{Device, Interface};

#[test]
fn a_first_run_has_the_kernels_that_the_others_are_tested_beside() {
    let (first, every) = (kernels::first().unwrap(), kernels::ptx().unwrap());
    let (first, every) = (entries(first), entries(every));
    assert!(first.len() >= 4);
    for (name, text) in first {
        assert!(
            without_labels(text) == without_labels(every[name]),
            "{name}"
        );
    }
}

#[test]
fn each_kernel_is_a_module_of_its_own() {
    let modules = Modules::load(&Device::emulator()).unwrap();
    for ptx in [kernels::sm90a().unwrap(), kernels::ptx().unwrap()] {
        let module = Interface::read(ptx).unwrap();
        assert!(module.kernels.len() > 20);
        for signature in module.kernels {
            let kernel = modules.kernel(&signature.name).unwrap();
            assert_eq!(kernel.signature(), &signature);
            assert!(modules.has(&signature.name));
            let text = alone(&signature.name).unwrap().unwrap();
            let read = Interface::read(&text).unwrap();
            assert_eq!(
                (read.target, read.kernels),
                (module.target, vec![signature])
            );
        }
    }
    assert!(!modules.has("gemm_f16_f32_tn_128x256x64_s4_wgm"));
    assert!(modules.kernel("nothing").is_err());
    assert!(alone("nothing").unwrap().is_none());
}

/// Checks that a kernel is built on request if neither the build of a push, which has some kernels,
/// nor the build for a first run has it.
#[test]
fn a_kernel_that_the_build_was_not_asked_for_is_built() {
    let name = "gemm_f16_f32_any_128x64x32_s3";
    let text = alone(name).unwrap().unwrap();
    assert_eq!(entries(&text).into_keys().collect::<Vec<_>>(), [name]);
}

/// Checks that two parsers of the kernels' heads agree: the one for launch checks, and the
/// emulator's.
#[test]
fn both_readings_of_the_signatures_agree() {
    let ptx = cutlet::kernels::ptx().unwrap();
    let interface = host::Interface::read(ptx).unwrap();
    let program = emulator::Program::parse(ptx).unwrap();
    assert_eq!(interface.kernels.len(), program.kernels().count());
    for kernel in program.kernels() {
        let ours = interface.kernel(&kernel.name).unwrap();
        let sizes = |sizes: &mut dyn Iterator<Item = usize>| sizes.collect::<Vec<_>>();
        assert_eq!(
            sizes(&mut ours.parameters.iter().map(|parameter| parameter.size)),
            sizes(&mut kernel.params.iter().map(|parameter| parameter.size)),
            "{}",
            kernel.name
        );
        assert_eq!(ours.max_threads, kernel.max_threads, "{}", kernel.name);
    }
}
