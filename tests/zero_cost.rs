//! The GEMM whose indices were worked out by hand computes what the one on layouts does.

mod common;

use common::{devices, load};
use cutlet::kernels;
use gpu_kernels::hgemm_by_hand::{PAIR, contract};
use half::f16;
use host::Module;
use host::reference::{difference, fill, gemm};

/// A, B, and D by one kernel of the pair.
fn run(
    module: &Module,
    name: &'static str,
    (m, n, k): (u32, u32, u32),
) -> (Vec<f16>, Vec<f16>, Vec<f16>) {
    let (rows, columns, depth) = (m as usize, n as usize, k as usize);
    let (a, b) = (
        fill::<f16>(1, rows * depth),
        fill::<f16>(2, columns * depth),
    );
    let device = module.device();
    let (d_a, d_b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
    let mut d = device.alloc::<f16>(rows * columns).unwrap();
    d.fill_bytes(0xff).unwrap();
    let stated = contract(name, m, n, k).unwrap();
    let launch = kernels::contract(&stated, &[(3, "M", m), (4, "N", n), (5, "K", k)]).launch();
    let kernel = module.kernel(name).unwrap();
    kernel
        .launch(&launch, (&mut d, &d_a, &d_b, m, n, k))
        .unwrap();
    (a, b, d.to_vec().unwrap())
}

#[test]
fn by_hand_is_right_and_the_same_as_on_layouts() {
    let [on_layouts, by_hand] = PAIR;
    for device in devices() {
        let module = load(&device);
        for (m, n, k) in [(128, 128, 32), (1, 8, 8), (300, 136, 104), (129, 256, 64)] {
            let (a, b, found) = run(&module, by_hand, (m, n, k));
            let (_, _, same) = run(&module, on_layouts, (m, n, k));
            assert!(found == same, "({m}, {n}, {k}): not the same bits");
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
