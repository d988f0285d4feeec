//! Checks the file beside the PTX for launches by other programs: it describes every entry as the
//! PTX declares it, and it suffices for a launch.

use cutlet::kernels;
use cutlet::manifest::{Entry, Manifest, manifest};
use host::{Device, Launch, entry_texts, head_text};
use std::fs;
use std::path::Path;
use std::process::Command;

mod common;

fn entry<'a>(manifest: &'a Manifest, name: &str) -> &'a Entry {
    manifest
        .kernels
        .iter()
        .find(|kernel| kernel.entry == name)
        .unwrap()
}

#[test]
fn every_entry_of_both_modules_is_described() {
    for (file, ptx) in [
        ("kernels.ptx", kernels::ptx().unwrap()),
        ("kernels_sm90a.ptx", kernels::sm90a().unwrap()),
    ] {
        let described = manifest(file, ptx).unwrap();
        assert_eq!(
            described.kernels.len(),
            ptx.matches(".visible .entry").count(),
            "{file}"
        );
        for kernel in &described.kernels {
            for parameter in &kernel.parameters {
                let structure = parameter.ty.chars().next().is_some_and(char::is_uppercase);
                let there = described
                    .structures
                    .iter()
                    .any(|of| of.name == parameter.ty && of.bytes == parameter.bytes);
                assert!(
                    !structure || there,
                    "{}: no structure {}",
                    kernel.entry,
                    parameter.ty
                );
            }
        }
    }
}

#[test]
fn a_parameter_more_than_the_ptx_has_is_found() {
    let ptx = kernels::first().unwrap();
    let one = ptx.replacen(
        ".param .u32 vecadd_param_3",
        ".param .u64 vecadd_param_3",
        1,
    );
    assert_ne!(one, ptx);
    let why = manifest("kernels.ptx", &one).unwrap_err().to_string();
    assert!(
        why.contains(
            "the kernel `vecadd` is not described: `n: u32` is, the PTX has 8 bytes there"
        ),
        "{why}"
    );
}

#[test]
fn a_launch_by_what_the_folder_says_is_right() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("manifest");
    let ended = Command::new(common::cutlet())
        .args(["ptx", "--out"])
        .arg(&folder)
        .status()
        .unwrap();
    assert!(ended.success());
    let ptx = fs::read_to_string(folder.join("kernels.ptx")).unwrap();
    let text = fs::read_to_string(folder.join("kernels.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&json["ptx"], &json["architecture"]),
        (&"kernels.ptx".into(), &"sm_80".into())
    );
    let described = manifest("kernels.ptx", &ptx).unwrap();
    let vecadd = entry(&described, "vecadd");
    let device = Device::emulator();
    let (n, block) = (1027_u32, vecadd.block[0].parse::<u32>().unwrap());
    let numbers: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let (a, b) = (
        device.upload(&numbers).unwrap(),
        device.upload(&numbers).unwrap(),
    );
    let mut c = device.alloc::<f32>(n as usize).unwrap();
    // Only its own text is loaded, because no other kernel is executed.
    let alone = head_text(&ptx).to_owned() + entry_texts(&ptx)["vecadd"];
    let kernel = device.load(&alone).unwrap().kernel("vecadd").unwrap();
    let launch = Launch::new(n.div_ceil(1024), block).shared(vecadd.shared_bytes as usize);
    kernel.launch(&launch, (&a, &b, &mut c, n)).unwrap();
    let doubled: Vec<f32> = numbers.iter().map(|x| 2.0 * x).collect();
    assert_eq!(c.to_vec().unwrap(), doubled);
}
