//! Compares cuBLAS with the reference on machines with a GPU and cuBLAS. On other machines, checks
//! the message.

use half::{bf16, f16};
use host::cublas::{Cublas, CublasElement, CublasError};
use host::reference::{self, GemmTolerance};
use host::{Device, Error, Timing};

/// Opens cuBLAS, or prints the reason for its absence and checks that the reason helps.
fn open() -> Option<(Device, Cublas)> {
    let device = Device::best();
    match Cublas::open(&device) {
        Ok(cublas) => {
            println!(
                "cuBLAS {} ({}) on {device}",
                cublas.version(),
                cublas.path()
            );
            Some((device, cublas))
        }
        Err(error) => {
            println!("no cuBLAS: {error}");
            let text = error.to_string();
            assert!(
                text.starts_with("cuBLAS needs a GPU") || text.contains("set CUTLET_CUBLAS"),
                "{text}"
            );
            None
        }
    }
}

fn agrees<I: CublasElement, O: CublasElement>(
    device: &Device,
    cublas: &Cublas,
    shape: (u32, u32, u32),
) {
    let (m, n, k) = (shape.0 as usize, shape.1 as usize, shape.2 as usize);
    let (a, b): (Vec<I>, Vec<I>) = (reference::fill(1, m * k), reference::fill(2, n * k));
    let (d_a, d_b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
    let mut d = device.alloc::<O>(m * n).unwrap();
    d.fill_bytes(0xff).unwrap();
    cublas.gemm_ex(&mut d, &d_a, &d_b, shape).unwrap();
    let expected = reference::gemm(&a, &b, m, n, k).unwrap();
    let difference = reference::difference(&d.to_vec().unwrap(), &expected).unwrap();
    let tolerance = GemmTolerance::new::<O>(k, difference.rms);
    assert!(
        tolerance.admits(&difference),
        "{shape:?}: {difference:?} {tolerance:?}"
    );
}

#[test]
fn it_multiplies_as_the_reference_does() {
    let Some((device, cublas)) = open() else {
        return;
    };
    for shape in [(1, 1, 8), (128, 128, 64), (129, 65, 72), (300, 20, 500)] {
        agrees::<f16, f16>(&device, &cublas, shape);
        agrees::<f16, f32>(&device, &cublas, shape);
        agrees::<bf16, bf16>(&device, &cublas, shape);
        agrees::<bf16, f32>(&device, &cublas, shape);
    }
    let a = device.upload(&vec![f16::ONE; 4096 * 4096]).unwrap();
    let mut d = device.alloc::<f16>(4096 * 4096).unwrap();
    let timing = Timing {
        warmup: 3,
        runs: 20,
    };
    let time = cublas
        .time_gemm_ex(&mut d, &a, &a, (4096, 4096, 4096), timing)
        .unwrap();
    println!(
        "4096³ of ones: {time}, {:.0} TFLOP/s",
        time.tera_per_second(2.0 * 4096_f64.powi(3))
    );
    assert_eq!(time.runs, 20);
}

#[test]
fn bad_calls_are_refused_before_cublas_sees_them() {
    let Some((device, cublas)) = open() else {
        return;
    };
    let a = device.upload(&[f16::ONE; 64]).unwrap();
    let mut d = device.alloc::<f16>(64).unwrap();
    let mut said = |shape| match cublas.gemm_ex(&mut d, &a, &a, shape) {
        Err(Error::Cublas(error @ CublasError::Shape { .. })) => error.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        said((8, 8, 9)),
        "A has 64 elements; its shape (8, 9) needs 72"
    );
    assert_eq!(
        said((1, 9, 8)),
        "B has 64 elements; its shape (9, 8) needs 72"
    );
    assert_eq!(said((0, 8, 8)), "M is 0; cuBLAS takes 1 to 2147483647");
    let emulator = Device::emulator();
    let foreign = emulator.upload(&[f16::ONE; 64]).unwrap();
    let error = cublas.gemm_ex(&mut d, &foreign, &a, (8, 8, 8)).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("A is a buffer of emulated sm_90"),
        "{error}"
    );
}
