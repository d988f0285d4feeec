//! Tests that, with a driver, every function of the table calls the driver's function with all
//! arguments.
//!
//! ```text
//!   test ──extern "C"──► trampoline ──► fake driver: records its arguments, returns its number
//! ```

mod common;

use common::{LINKED, fake_driver};
use cuda_driver::calls;
use cuda_driver::{AlreadyOpened, Driver, DriverStatus, DriverVersion, SYMBOLS};
use std::sync::Once;

/// The functions of the fake driver that read their arguments, and the function that it does not
/// have.
const SPECIAL: &[&std::ffi::CStr] = &[
    c"cuDriverGetVersion",
    c"cuLaunchKernel",
    c"cuMemcpyPeerAsync",
    c"cuTexRefSetMipmapLevelClamp",
    c"cuParamSetf",
    c"cuIpcOpenEventHandle",
    c"cuTensorMapReplaceAddress",
];

fn use_the_fake() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        cuda_driver::choose(Driver::Library(fake_driver())).expect("this is the first use");
        cuda_driver::status();
    });
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Handle {
    reserved: [u8; 64],
}

#[allow(clashing_extern_declarations)] // `common` declares all of them without arguments.
#[rustfmt::skip]
unsafe extern "C" {
    fn cuLaunchKernel(f: u64, gx: u32, gy: u32, gz: u32, bx: u32, by: u32, bz: u32, shared: u32, stream: u64, params: *mut u64, extra: u64) -> u32;
    fn cuMemcpyPeerAsync(out: *mut u64, a: u64, b: u64, c: u64, d: u64, e: u64) -> u32;
    fn cuTexRefSetMipmapLevelClamp(out: *mut f32, min: f32, max: f32) -> u32;
    fn cuParamSetf(out: *mut f64, i: u64, a: f64, b: f64, c: f64, j: i32, d: f64, e: f64, k: u64, f: f64, g: f64, l: u64, h: f64, m: u64, n: u64, o: i8, on_stack: f64) -> u32;
    fn cuIpcOpenEventHandle(out: *mut u8, handle: Handle) -> u32;
    fn cuTensorMapReplaceAddress() -> u32;
}

#[test]
fn the_status_tells_the_file_and_the_version() {
    use_the_fake();
    let DriverStatus::Loaded { library, version } = cuda_driver::status() else {
        panic!("{}", cuda_driver::status());
    };
    assert_eq!(
        library.canonicalize().unwrap(),
        fake_driver().canonicalize().unwrap()
    );
    assert_eq!(
        *version,
        Some(DriverVersion {
            major: 12,
            minor: 4
        })
    );
    assert_eq!(cuda_driver::choose(Driver::None), Err(AlreadyOpened));
    assert!(
        cuda_driver::status().is_loaded(),
        "a refused choice changes nothing"
    );
}

#[test]
fn every_function_of_the_table_reaches_the_driver() {
    use_the_fake();
    assert_eq!(LINKED.len(), SYMBOLS.len());
    let mut plain = 0;
    for (index, &(name, function)) in LINKED.iter().enumerate() {
        assert_eq!(name, SYMBOLS[index]);
        if SPECIAL.contains(&name) {
            continue;
        }
        plain += 1;
        // The first call resolves the function, and the second jumps to it.
        for call in ["first", "second"] {
            // SAFETY: the fake driver's function has no arguments.
            let answer = unsafe { function() };
            assert_eq!(answer as usize, 10000 + index, "{call} call of {name:?}");
        }
        assert!(cuda_driver::symbol(name).is_some(), "{name:?}");
    }
    assert_eq!(plain + SPECIAL.len(), SYMBOLS.len());
}

#[test]
fn arguments_arrive_in_registers_and_on_the_stack() {
    use_the_fake();
    for _ in ["resolving", "resolved"] {
        let mut seen = [0u64; 11];
        let at = seen.as_mut_ptr();
        let high = 0xfeed_0000_0000_0000;
        // SAFETY: the fake writes eleven words to `params`.
        let result =
            unsafe { cuLaunchKernel(high | 1, 2, 3, 4, 5, 6, 7, 8, high | 9, at, high | 11) };
        assert_eq!(result, 71);
        assert_eq!(
            seen,
            [
                high | 1,
                2,
                3,
                4,
                5,
                6,
                7,
                8,
                high | 9,
                at as u64,
                high | 11
            ]
        );

        let mut seen = [0u64; 5];
        // SAFETY: the fake writes five words, and `seen` has five.
        let result = unsafe { cuMemcpyPeerAsync(seen.as_mut_ptr(), high, 1, u64::MAX, 3, 4) };
        assert_eq!((result, seen), (72, [high, 1, u64::MAX, 3, 4]));

        let mut seen = [0f32; 2];
        // SAFETY: the fake writes two floats, and `seen` has two.
        let result = unsafe { cuTexRefSetMipmapLevelClamp(seen.as_mut_ptr(), -1.5, 2.25) };
        assert_eq!((result, seen), (73, [-1.5, 2.25]));

        let mut seen = [0f64; 16];
        // SAFETY: the fake writes sixteen doubles, and `seen` has sixteen.
        let result = unsafe {
            cuParamSetf(
                seen.as_mut_ptr(),
                10,
                1.5,
                2.5,
                3.5,
                -11,
                4.5,
                5.5,
                12,
                6.5,
                7.5,
                13,
                8.5,
                14,
                15,
                -16,
                9.5,
            )
        };
        let floats = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5];
        let integers = [10.0, -11.0, 12.0, 13.0, 14.0, 15.0, -16.0];
        assert_eq!(result, 74);
        assert_eq!(seen[..9], floats);
        assert_eq!(seen[9..], integers);

        let handle = Handle {
            reserved: std::array::from_fn(|i| i as u8 ^ 0xa5),
        };
        let mut seen = [0u8; 64];
        // SAFETY: the fake writes 64 bytes, and `seen` has 64.
        let result = unsafe { cuIpcOpenEventHandle(seen.as_mut_ptr(), handle) };
        assert_eq!((result, seen), (75, handle.reserved));
    }
}

#[test]
fn a_function_that_the_driver_lacks_is_not_found() {
    use_the_fake();
    assert_eq!(cuda_driver::symbol(c"cuTensorMapReplaceAddress"), None);
    for _ in ["first", "second"] {
        // SAFETY: the fallback, which answers here, reads no arguments.
        assert_eq!(unsafe { cuTensorMapReplaceAddress() }, 500);
    }
}

#[test]
fn calls_reach_the_driver_without_the_linker() {
    use_the_fake();
    let number = |name| 10000 + SYMBOLS.iter().position(|of| *of == name).unwrap() as i32;
    let null = std::ptr::null_mut();
    for _ in ["first", "second"] {
        // SAFETY: the fake driver reads no argument of these functions.
        let (init, push, memset) = unsafe {
            let memset = calls::cuMemsetD8Async(1, 2, 3, null);
            (calls::cuInit(0), calls::cuCtxPushCurrent_v2(null), memset)
        };
        assert_eq!(init, number(c"cuInit"));
        assert_eq!(push, number(c"cuCtxPushCurrent_v2"));
        assert_eq!(memset, number(c"cuMemsetD8Async"));

        let mut seen = [0_u64; 11];
        let at = seen.as_mut_ptr();
        let handle = std::ptr::without_provenance_mut;
        // SAFETY: the fake writes eleven words to the address in `params`, and `seen` has eleven
        // words.
        let code = unsafe {
            let (function, stream) = (handle(71), handle(79));
            calls::cuLaunchKernel(
                function,
                2,
                3,
                4,
                5,
                6,
                7,
                8,
                stream,
                at.cast(),
                handle(81).cast(),
            )
        };
        assert_eq!(code, 71);
        assert_eq!(seen, [71, 2, 3, 4, 5, 6, 7, 8, 79, at as u64, 81]);
    }
    let error = cuda_driver::init().unwrap_err();
    // The fake driver writes no text, so the message comes from the table.
    assert_eq!((error.call, error.code), ("cuInit", number(c"cuInit")));
    assert_eq!(error.name, "an error without a name");
}
