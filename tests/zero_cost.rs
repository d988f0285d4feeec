//! The GEMM whose indices were worked out by hand computes what the one on layouts does.

mod common;

use common::{devices, load};
use gpu_kernels::hgemm_by_hand::SHARED_BYTES;
use half::f16;
use host::reference::{difference, fill, gemm};
use host::{Contract, Module};

/// A, B, and D by one kernel of the pair.
fn run(module: &Module, name: &str, (m, n, k): (u32, u32, u32)) -> (Vec<f16>, Vec<f16>, Vec<f16>) {
    let (rows, columns, depth) = (m as usize, n as usize, k as usize);
    let (a, b) = (
        fill::<f16>(1, rows * depth),
        fill::<f16>(2, columns * depth),
    );
    let device = module.device();
    let (d_a, d_b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
    let mut d = device.alloc::<f16>(rows * columns).unwrap();
    d.fill_bytes(0xff).unwrap();
    let contract = Contract::new()
        .of(name)
        .grid(m.div_ceil(128) * n.div_ceil(128))
        .block(128)
        .shared(SHARED_BYTES as usize)
        .writes(0, "D", rows * columns, 16)
        .reads(1, "A", rows * depth, 16)
        .reads(2, "B", columns * depth, 16)
        .scalar(3, "M", m)
        .scalar(4, "N", n)
        .scalar(5, "K", k);
    let kernel = module.kernel(name).unwrap();
    kernel
        .launch(&contract.launch(), (&mut d, &d_a, &d_b, m, n, k))
        .unwrap();
    (a, b, d.to_vec().unwrap())
}

#[test]
fn by_hand_is_right_and_the_same_as_on_layouts() {
    for device in devices() {
        let module = load(&device);
        for (m, n, k) in [(128, 128, 32), (1, 8, 8), (300, 136, 104), (129, 256, 64)] {
            let (a, b, found) = run(&module, "hgemm_by_hand", (m, n, k));
            let (_, _, on_layouts) = run(&module, "hgemm_on_layouts", (m, n, k));
            assert!(found == on_layouts, "({m}, {n}, {k}): not the same bits");
            let expected = gemm(&a, &b, m as usize, n as usize, k as usize).unwrap();
            let difference = difference(&found, &expected).unwrap();
            // Sums are rounded to f16 after every 16 products, and each is within one unit of its own.
            let steps = f64::from(k) / 16.0;
            assert!(
                difference.relative <= (steps + 1.0) * 2_f64.powi(-11),
                "({m}, {n}, {k}): {difference:?}"
            );
        }
    }
}
