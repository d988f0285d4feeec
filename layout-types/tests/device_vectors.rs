//! Checks vectors of global tensors in kernels: the PTX has them if a tensor's type says which
//! stride is 1, and every element arrives. Also checks the elements of a swizzled tile's slices.
//!
//! ```text
//!   fixtures/convert/src/vectors.rs ──► PTX ──► ld.global.v4 and st.global.v4 where the text says so ──► right at every size
//! ```

use cuda_builder::{CudaBuilder, NvvmArch};
use host::{Device, Launch};
use std::path::Path;

fn ptx() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    let built = CudaBuilder::new(root.join("tests/fixtures/convert"))
        .build_folder(target.expect("target/tmp").join("cuda-builder"))
        .arch(NvvmArch::Compute80)
        .build_with_details()
        .unwrap_or_else(|error| panic!("{error}"));
    std::fs::read_to_string(&built.ptx).unwrap()
}

/// Returns the number of a kernel's instructions that begin with `name`.
fn count(ptx: &str, kernel: &str, name: &str) -> usize {
    let (_, body) = ptx.split_once(&format!(".entry {kernel}(")).unwrap();
    let body = body.split_once("\n}").map_or(body, |(body, _)| body);
    body.split_whitespace()
        .filter(|word| word.starts_with(name))
        .count()
}

#[test]
fn four_neighbours_a_thread_are_one_access() {
    let ptx = ptx();
    let of = |kernel: &str, name: &str| count(&ptx, kernel, name);
    // The guide's kernel has one vector each way; if only some elements are in bounds, it accesses
    // these one by one.
    for access in ["ld.global", "st.global"] {
        assert_eq!(of("scale", &format!("{access}.v4.b32")), 1, "{access}");
        assert!((4..=5).contains(&of("scale", access)), "{access}");
    }
    assert_eq!(of("scale_strided", "ld.global.v"), 0);
    for kernel in ["copy_rows", "copy_columns"] {
        assert_eq!(
            (of(kernel, "ld.global"), of(kernel, "ld.global.v4.b32")),
            (1, 1),
            "{kernel}"
        );
        assert_eq!(
            (of(kernel, "st.global"), of(kernel, "st.global.v4.b32")),
            (1, 1),
            "{kernel}"
        );
    }
    assert_eq!(of("copy_columns_across", "ld.global.b16"), 8);
    assert_eq!(of("copy_columns_across", "ld.global.v"), 0);
}

fn check(device: &Device, ptx: &str) {
    let module = device.load(ptx).unwrap();
    for n in [1u32, 3, 4, 5, 1023, 1024, 1025, 1502, 4096] {
        let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let expected: Vec<f32> = x.iter().map(|x| 2.0 * x).collect();
        let mut on_device = device.upload(&x).unwrap();
        let launch = Launch::new(n.div_ceil(1024), 256);
        let kernel = module.kernel("scale").unwrap();
        kernel.launch(&launch, (&mut on_device, 2.0f32, n)).unwrap();
        assert_eq!(on_device.to_vec().unwrap(), expected, "scale of {n}");
        let mut on_device = device.upload(&x).unwrap();
        let kernel = module.kernel("scale_strided").unwrap();
        let run = kernel.launch(&launch, (&mut on_device, 2.0f32, n, 1u32));
        run.unwrap();
        assert_eq!(
            on_device.to_vec().unwrap(),
            expected,
            "strided scale of {n}"
        );
    }
    let m = 48u32;
    let from: Vec<u16> = (0..m as u16 * 64).collect();
    let source = device.upload(&from).unwrap();
    for (name, distance) in [
        ("copy_rows", 64),
        ("copy_columns", m),
        ("copy_columns_across", m),
    ] {
        let mut to = device.upload(&vec![0xffffu16; from.len()]).unwrap();
        let kernel = module.kernel(name).unwrap();
        let run = kernel.launch(
            &Launch::new(m / 16, 128),
            (&mut to, &source, m, u64::from(distance)),
        );
        run.unwrap();
        assert_eq!(to.to_vec().unwrap(), from, "{name}");
    }
}

fn check_rows(device: &Device, ptx: &str) {
    let module = device.load(ptx).unwrap();
    let from: Vec<u32> = (0..384).map(|i| 1000 + i).collect();
    let source = device.upload(&from).unwrap();
    let mut elements = device.upload(&[0u32; 384]).unwrap();
    let mut tiles = device.upload(&[0u32; 384]).unwrap();
    let kernel = module.kernel("swizzled_rows").unwrap();
    let launch = Launch::new(1, 8).shared(1536);
    kernel
        .launch(&launch, (&mut elements, &mut tiles, &source))
        .unwrap();
    assert_eq!(elements.to_vec().unwrap(), from);
    assert_eq!(tiles.to_vec().unwrap(), from);
}

/// Checks that a row of a swizzled tile whose number of columns is not a power of two is where the
/// layout says, when slices write and read it.
#[test]
fn slices_of_a_swizzled_tile_of_48_columns_are_its_elements() {
    let ptx = ptx();
    check_rows(&Device::emulator(), &ptx);
    match Device::gpu(0) {
        Ok(gpu) => check_rows(&gpu, &ptx),
        Err(why) => println!("no CUDA device: ran on the emulator alone ({why})"),
    }
}

#[test]
fn every_element_arrives() {
    let ptx = ptx();
    check(&Device::emulator(), &ptx);
    match Device::gpu(0) {
        Ok(gpu) => check(&gpu, &ptx),
        Err(why) => println!("no CUDA device: ran on the emulator alone ({why})"),
    }
}
