//! Compiles the guide's kernels, and the kernel of `cutlet new`, as a reader would, reads their
//! PTX, and runs them on the emulator.
//!
//! ```text
//!   docs/guide/*.md   ```rust … #[kernel] … ```   ──►  a module of a kernel crate  ──►  PTX  ──►  read, run
//! ```
//!
//! Law: no conversion in software, no register in local memory, vectors where the text says so; the
//! results are those of plain code, at extents that no tile divides.

use cuda_builder::{CudaBuilder, NvvmArch, software};
use host::{Device, Launch};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    folder.canonicalize().unwrap()
}

/// Returns the Rust blocks with a kernel, named by their page and their index on it.
fn kernels_of_the_guide() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root().join("docs/guide")).unwrap() {
        let path = entry.unwrap().path();
        let page = path
            .file_stem()
            .unwrap()
            .to_str()
            .unwrap()
            .replace('-', "_");
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let blocks = text.split("```rust\n").skip(1);
        let blocks = blocks.map(|rest| rest.split_once("```").map_or(rest, |(block, _)| block));
        for (i, block) in blocks
            .enumerate()
            .filter(|(_, block)| block.contains("#[kernel]"))
        {
            found.insert(format!("{page}_{i}"), block.to_owned());
        }
    }
    found
}

/// Returns the PTX of all these kernels, or `None` if the source of `core` is missing.
fn ptx() -> Option<String> {
    example_ptx::ptx().ok()?;
    let root = root();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide-kernels");
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let manifest = format!(
        "[package]\nname = \"guide-kernels\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[lib]\ncrate-type = [\"cdylib\", \
         \"rlib\"]\n[dependencies]\ncutlet-cuda-std = {{ path = {:?} }}\ncutlet-layout-types = {{ path = {:?} }}\n",
        root.join("crates/cuda_std"),
        root.join("layout-types"),
    );
    let manifest = manifest + "half = { version = \"2\", default-features = false }\n";
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    let mut kernels = kernels_of_the_guide();
    assert!(kernels.len() >= 4, "{:?}", kernels.keys());
    let scaffold = root.join("src/new_project/template/kernel/kernels.rs.in");
    kernels.insert(
        String::from("scaffold"),
        fs::read_to_string(scaffold).unwrap(),
    );
    let mut library = String::new();
    for (name, text) in kernels {
        library += &format!("pub mod {name};\n");
        fs::write(folder.join(format!("src/{name}.rs")), text).unwrap();
    }
    fs::write(folder.join("src/lib.rs"), library).unwrap();
    let built = CudaBuilder::new(&folder)
        .arch(NvvmArch::Compute80)
        .build_folder(cuda_builder::folder_of(Path::new(env!("OUT_DIR"))))
        .build_args(&["--offline"])
        .quiet(true)
        .build()
        .unwrap();
    Some(fs::read_to_string(built).unwrap())
}

/// Returns how often a kernel has the instruction.
fn count(ptx: &str, kernel: &str, instruction: &str) -> usize {
    let (_, rest) = ptx
        .split_once(&format!(".entry {kernel}("))
        .unwrap_or_else(|| panic!("no {kernel}"));
    let body = rest.split_once("\n}").map_or(rest, |(body, _)| body);
    let words = body.split_whitespace();
    words.filter(|word| word.starts_with(instruction)).count()
}

/// Returns whole numbers and quarters, of both signs.
fn numbers(n: usize) -> Vec<f32> {
    (0..n)
        .map(|i| ((i * 37 + 11) % 64) as f32 / 4.0 - 8.0)
        .collect()
}

#[test]
fn the_guide_s_kernels_are_what_the_text_says() {
    let Some(ptx) = ptx() else {
        println!("no source of core: nothing is built");
        return;
    };
    assert_eq!(software::find(&ptx), []);
    // "One access of 16 bytes where all of them are inside": vectors read and written by a thread.
    let expected = [
        ("scale", 1, 1),
        ("softmax", 2, 2),
        ("neighbours", 0, 0),
        ("add", 0, 0),
        ("gemm_relu", 0, 0),
        ("transpose", 0, 0),
        ("reverse", 0, 0),
        ("copy_tiles", 1, 1),
    ];
    for (kernel, reads, writes) in expected {
        let vectors =
            ["ld.global.v4.b32", "st.global.v4.b32"].map(|wide| count(&ptx, kernel, wide));
        assert_eq!(vectors, [reads, writes], "{kernel}");
        for local in ["ld.local", "st.local"] {
            assert_eq!(count(&ptx, kernel, local), 0, "{kernel}: {local}");
        }
    }

    let device = Device::emulator();
    let module = device.load(&ptx).unwrap();
    let kernel = |name: &str| module.kernel(name).unwrap();

    let (a, n) = (numbers(2500), 2500_u32);
    let mut x = device.upload(&a).unwrap();
    let launch = Launch::new(n.div_ceil(1024), 256);
    kernel("scale")
        .launch(&launch, (&mut x, 0.5_f32, n))
        .unwrap();
    assert!(
        x.to_vec()
            .unwrap()
            .iter()
            .zip(&a)
            .all(|(x, a)| *x == a / 2.0)
    );

    let a = numbers(100);
    let on_a = device.upload(&a).unwrap();
    let mut d = device.alloc::<f32>(100).unwrap();
    kernel("reverse")
        .launch(&Launch::new(1, 100), (&mut d, &on_a, 100_u32))
        .unwrap();
    assert!(d.to_vec().unwrap().iter().eq(a.iter().rev()));

    let (rows, cols) = (21_usize, 36_usize);
    let a = numbers(rows * cols);
    let src = device.upload(&a).unwrap();
    let mut dst = device.alloc::<f32>(rows * cols).unwrap();
    let launch = Launch::new((3, 3), 32);
    kernel("copy_tiles")
        .launch(&launch, (&mut dst, &src, rows as u32, cols as u32))
        .unwrap();
    assert_eq!(dst.to_vec().unwrap(), a);

    let (rows, cols) = (3_usize, 1000_usize);
    let a = numbers(rows * cols);
    let mut x = device.upload(&a).unwrap();
    let sizes = (rows as u32, cols as u32, cols as u32);
    kernel("softmax")
        .launch(
            &Launch::new(sizes.0, 128),
            (&mut x, sizes.0, sizes.1, sizes.2),
        )
        .unwrap();
    for (found, row) in x.to_vec().unwrap().chunks(cols).zip(a.chunks(cols)) {
        let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let powers = row.iter().map(|&x| f64::from(x - max).exp());
        let sum: f64 = powers.clone().sum();
        for (found, power) in found.iter().zip(powers) {
            let expected = power / sum;
            assert!(
                (f64::from(*found) - expected).abs() <= 1e-5 * expected,
                "{found}, not {expected}"
            );
        }
    }

    let (rows, cols) = (35_usize, 70_usize);
    let a = numbers(rows * cols);
    let src = device.upload(&a).unwrap();
    let mut dst = device.alloc::<f32>(rows * cols).unwrap();
    let grid = ((cols as u32).div_ceil(32), (rows as u32).div_ceil(16));
    let launch = Launch::new(grid, 128).shared(18 * 34 * 4);
    kernel("neighbours")
        .launch(&launch, (&mut dst, &src, rows as u32, cols as u32))
        .unwrap();
    let from = kernel("gemm_relu");
    for (m, n, k) in [(64_u32, 96_u32, 32_u32), (70, 100, 136), (1, 3, 8)] {
        let [rows, cols, depth] = [m, n, k].map(|extent| extent as usize);
        let (a, b) = (numbers(rows * depth), numbers(cols * depth + 1));
        let (b, bias) = (&b[1..], numbers(cols));
        let bits =
            |x: &[f32]| -> Vec<u16> { x.iter().map(|x| (x.to_bits() >> 16) as u16).collect() };
        let (on_a, on_b) = (
            device.upload(&bits(&a)).unwrap(),
            device.upload(&bits(b)).unwrap(),
        );
        let on_bias = device.upload(&bias).unwrap();
        let mut d = device.alloc::<f32>(rows * cols).unwrap();
        let launch = Launch::new((n.div_ceil(96), m.div_ceil(64)), 128).shared(30_720);
        from.launch(&launch, (&mut d, &on_a, &on_b, &on_bias, m, n, k))
            .unwrap();
        for (i, found) in d.to_vec().unwrap().into_iter().enumerate() {
            let (row, col) = (
                &a[i / cols * depth..][..depth],
                &b[i % cols * depth..][..depth],
            );
            // Quarters below 8: sums of products are exact in f32.
            let sum: f32 = row.iter().zip(col).map(|(x, y)| x * y).sum();
            assert_eq!(
                found,
                (sum + bias[i % cols]).max(0.0),
                "({m},{n},{k}): element {i}"
            );
        }
    }

    let at = |r: usize, c: usize| match r < rows && c < cols {
        true => a[r * cols + c],
        false => 0.0,
    };
    for (i, found) in dst.to_vec().unwrap().into_iter().enumerate() {
        let (r, c) = (i / cols, i % cols);
        let sum = at(r.wrapping_sub(1), c) + at(r + 1, c) + at(r, c.wrapping_sub(1)) + at(r, c + 1);
        assert_eq!(found, sum, "({r},{c})");
    }
}
