//! Checks the program's kernels as one file: a kernel unpacks to the text that `cutlet ptx` prints
//! for it, the tables are unchanged, and every kernel that they name is listed.

use cutlet::attention::{self, AttentionLoads};
use cutlet::gemm;
use cutlet::kernels::{self, ModuleState};
use host::{entry_texts, head_text};
use kernel_abi::gemm::Configuration;
use kernel_pack::{Pack, PackQuality, pack};
use std::process::Command;
use std::time::Instant;

/// Returns the texts of the modules that are already there.
fn texts() -> Vec<&'static str> {
    let mut texts = vec![kernels::first().unwrap()];
    let is_there = |state| matches!(state, ModuleState::Embedded | ModuleState::Built);
    if is_there(kernels::ptx_state()) {
        texts.push(kernels::ptx().unwrap());
    }
    if is_there(kernels::sm90a_state()) {
        texts.push(kernels::sm90a().unwrap());
    }
    texts
}

/// Returns a few kernels of a module of many, because packing all takes half a minute.
fn some_of(ptx: &str) -> String {
    let kernels = entry_texts(ptx);
    let step = kernels.len().div_ceil(8).max(1);
    let kernels = kernels.into_values().step_by(step);
    [head_text(ptx)].into_iter().chain(kernels).collect()
}

/// Returns the kernels of these modules, packed.
fn packed_of(modules: &[&str]) -> Vec<u8> {
    let sources = kernels::pack_sources_of(modules).unwrap();
    pack(&sources, kernels::pack_tables(), PackQuality::Fast).unwrap()
}

/// Returns what the program prints.
fn printed(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_cutlet"))
        .args(arguments)
        .output();
    let output = output.unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_kernel_unpacks_to_what_the_program_prints() {
    let texts = texts();
    let some: Vec<_> = texts.iter().map(|text| some_of(text)).collect();
    let some: Vec<_> = some.iter().map(String::as_str).collect();
    let file = packed_of(&some);
    let packed = file.len();
    let pack = Pack::new(file.leak()).unwrap();
    let prints = match texts.len() {
        1 => Vec::new(),
        2 => vec![printed(&["ptx"])],
        _ => vec![printed(&["ptx"]), printed(&["ptx", "--sm90a"])],
    };
    let prints: Vec<_> = prints.iter().map(|text| entry_texts(text)).collect();
    let (mut slowest, mut bytes) = ((0.0, ""), 0);
    for name in pack.names() {
        let kernel = pack.kernel(name).unwrap();
        let start = Instant::now();
        let ptx = kernel.ptx().unwrap();
        let seconds = start.elapsed().as_secs_f64();
        if seconds > slowest.0 {
            slowest = (seconds, name);
        }
        bytes += ptx.len();
        assert_eq!(Some(&ptx), kernels::alone(name).unwrap().as_ref(), "{name}");
        let by_program = prints.iter().find_map(|text| text.get(name));
        // The kernels of a first run are in a module of their own, where the labels have other
        // numbers.
        let is_first = entry_texts(texts[0]).contains_key(name);
        assert!(is_first || ptx.ends_with(by_program.unwrap()), "{name}");
    }
    println!(
        "{} kernels, {} bytes in {}; the slowest, {}, unpacks in {:.2} ms",
        pack.names().count(),
        bytes,
        packed,
        slowest.1,
        1e3 * slowest.0
    );
}

/// Returns kernels of all names, each of which does nothing.
fn every_name() -> String {
    let listed = kernels::listed().unwrap();
    let names = listed.lines().filter(|line| !line.starts_with('['));
    let kernels = names.map(|name| format!(".visible .entry {name}()\n{{\n\tret;\n}}\n"));
    let head = ".version 7.0\n.target sm_80\n.address_size 64\n";
    std::iter::once(head.into()).chain(kernels).collect()
}

#[test]
fn the_tables_come_back_whole() {
    let pack = Pack::new(packed_of(&[&every_name()]).leak()).unwrap();
    let tables = pack.tables();
    // The reads of an operation are a function. The kernels of a table read what the problem
    // describes.
    let described = gemm::CONFIGURATIONS
        .iter()
        .map(|of| Configuration { reads: None, ..*of });
    assert!(tables.gemm.iter().copied().eq(described));
    let loads = [AttentionLoads::Tma, AttentionLoads::CpAsync];
    let forward = loads
        .into_iter()
        .flat_map(attention::forward_configurations_by);
    assert!(tables.attention.iter().eq(forward));
    let decode = [
        attention::DECODE_CONFIGURATIONS,
        attention::E4M3_DECODE_CONFIGURATIONS,
        attention::LATENT_DECODE_CONFIGURATIONS,
    ];
    assert_eq!(tables.decode, decode.concat());
    let soft_cap_decode = [
        attention::SOFT_CAP_DECODE_CONFIGURATIONS,
        attention::SOFT_CAP_E4M3_DECODE_CONFIGURATIONS,
    ];
    assert_eq!(tables.soft_cap_decode, soft_cap_decode.concat());
    let backward = loads
        .into_iter()
        .flat_map(attention::gradient_configurations_by);
    assert!(tables.backward.iter().eq(backward));
    assert_eq!(tables.sink_gradients, [attention::SINK_GRADIENT]);
    assert_eq!(
        tables.fused_backward,
        attention::FUSED_BACKWARD_CONFIGURATIONS
    );
    assert!(tables.kernels().len() > 500);
}

#[test]
fn the_list_is_what_a_build_takes() {
    assert_eq!(printed(&["ptx", "--list"]), kernels::listed().unwrap());
}
