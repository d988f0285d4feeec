//! Tests buffers, modules and launches: the same functions run on the emulator and on the GPU, if
//! there is one.

mod common;

use common::{PTX, devices, ptx_for};
use half::f16;
use host::reference::fill;
use host::{ByValue, Clock, Contract, Device, Error, Interface, Kind, Launch, Refusal, Timing};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn what_goes_up_comes_back() {
    for device in devices() {
        for len in [0, 1, 31, 4096, 100_003] {
            let data: Vec<f32> = fill(len as u64, len);
            let buffer = device.upload(&data).unwrap();
            assert_eq!((buffer.len(), buffer.size()), (len, 4 * len));
            assert_eq!(buffer.to_vec().unwrap(), data);
            assert_eq!(buffer.address() == 0, len == 0);
            assert!(buffer.alignment() >= 256, "allocations are aligned");
        }
        let halves: Vec<f16> = fill(3, 77);
        assert_eq!(device.upload(&halves).unwrap().to_vec().unwrap(), halves);
    }
}

#[test]
fn buffers_are_overwritten_and_poisoned() {
    for device in devices() {
        let mut buffer = device.upload(&[1_u32, 2, 3]).unwrap();
        buffer.copy_from(&[7, 8, 9]).unwrap();
        assert_eq!(buffer.to_vec().unwrap(), [7, 8, 9]);
        buffer.fill_bytes(0xa5).unwrap();
        let mut out = [0; 3];
        buffer.copy_to(&mut out).unwrap();
        assert_eq!(out, [0xa5a5_a5a5; 3]);
        let mut empty = device.alloc::<u64>(0).unwrap();
        empty.fill_bytes(1).unwrap();
        empty.copy_from(&[]).unwrap();
        assert_eq!(empty.to_vec().unwrap(), []);
    }
}

#[test]
fn buffers_are_copied_to_buffers() {
    for device in devices() {
        for len in [0, 1, 100_003] {
            let data: Vec<u32> = (0..len)
                .map(|i| (i as u32).wrapping_mul(2_654_435_761))
                .collect();
            let from = device.upload(&data).unwrap();
            let mut to = device.alloc::<u32>(len).unwrap();
            to.copy_from_buffer(&from).unwrap();
            assert_eq!(to.to_vec().unwrap(), data);
            let mut elsewhere = Device::emulator().alloc::<u32>(len).unwrap();
            elsewhere.copy_from_buffer(&from).unwrap();
            assert_eq!(elsewhere.to_vec().unwrap(), data);
        }
        let from = device.upload(&[1_u32, 2]).unwrap();
        let error = device
            .alloc::<u32>(3)
            .unwrap()
            .copy_from_buffer(&from)
            .unwrap_err();
        assert!(matches!(error, Error::Length { host: 2, device: 3 }));
    }
}

#[test]
fn copies_between_different_lengths_are_refused() {
    for device in devices() {
        let mut buffer = device.upload(&[1_u32, 2, 3]).unwrap();
        let error = buffer.copy_from(&[1, 2]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the host's slice has 2 elements, the device's buffer 3: they must be equal"
        );
        assert!(matches!(
            buffer.copy_to(&mut [0; 4]).unwrap_err(),
            Error::Length { host: 4, device: 3 }
        ));
        #[expect(clippy::reversed_empty_ranges, reason = "that is the case under test")]
        for range in [0..4, 3..2, 4..4] {
            let shown = format!("{range:?}");
            let error = buffer.view(range).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("the range {shown} is not within a buffer of 3 elements")
            );
        }
    }
}

#[test]
fn a_buffer_beyond_the_memory_is_an_error() {
    for device in devices() {
        assert!(matches!(
            device.alloc::<u64>(usize::MAX / 4).unwrap_err(),
            Error::TooLarge {
                element_size: 8,
                ..
            }
        ));
        let error = device.alloc::<u8>(1 << 46).unwrap_err();
        assert!(
            matches!(error, Error::OutOfMemory { bytes, free: Some(_), .. } if bytes == 1 << 46),
            "{error}"
        );
        assert!(
            error
                .to_string()
                .contains("no room for 70368744177664 bytes: "),
            "{error}"
        );
    }
}

#[test]
fn freed_memory_is_there_again() {
    for device in devices() {
        // A GPU allocates 64 GiB in all, in pieces of 1 GiB. The emulator makes only the first of
        // these allocations.
        for _ in 0..64 {
            let buffer = device.alloc::<u8>(1 << 30);
            match buffer {
                Ok(buffer) => assert_eq!(buffer.len(), 1 << 30),
                Err(error) => panic!("{error}"),
            }
            if device.kind() == Kind::Emulator {
                break;
            }
        }
    }
}

fn axpy(device: &Device, n: usize) {
    let (x, y): (Vec<f32>, Vec<f32>) = (fill(1, n), fill(2, n));
    let kernel = device.load(PTX).unwrap().kernel("axpy").unwrap();
    let d_x = device.upload(&x).unwrap();
    let mut d_y = device.upload(&y).unwrap();
    let contract = Contract::new()
        .block(128)
        .reads(0, "x", n, 4)
        .writes(1, "y", n, 4)
        .scalar(3, "n", n as u32);
    let mut launch = contract.launch();
    launch.grid = (n as u32).div_ceil(128).into();
    kernel
        .launch(&launch, (&d_x, &mut d_y, 0.5_f32, n as u32))
        .unwrap();
    let expected: Vec<f32> = x
        .iter()
        .zip(&y)
        .map(|(x, y)| 0.5_f32.mul_add(*x, *y))
        .collect();
    assert_eq!(d_y.to_vec().unwrap(), expected);
    assert_eq!(d_x.to_vec().unwrap(), x, "an input is unchanged");
}

#[test]
fn a_kernel_computes_what_it_should() {
    for device in devices() {
        for n in [1, 31, 128, 129, 5000] {
            axpy(&device, n);
        }
    }
}

#[test]
fn devices_are_used_from_many_threads() {
    for device in devices() {
        std::thread::scope(|scope| {
            for n in 1..8 {
                let device = &device;
                scope.spawn(move || axpy(device, 100 * n));
            }
        });
    }
}

#[test]
fn shared_memory_beyond_48_kib_needs_no_extra_call() {
    for device in devices() {
        let kernel = device.load(PTX).unwrap().kernel("reverse").unwrap();
        for numbers in [100_usize, 12_288, 12_289, 25_000, 40] {
            let data: Vec<u32> = (0..numbers as u32).collect();
            let mut buffer = device.upload(&data).unwrap();
            let launch = Launch::new(1, 256).shared(4 * numbers);
            kernel
                .launch(&launch, (&mut buffer, numbers as u32))
                .unwrap();
            let mut expected = data;
            expected.reverse();
            assert_eq!(buffer.to_vec().unwrap(), expected, "{numbers} numbers");
        }
    }
}

#[test]
fn more_shared_memory_than_there_is_is_refused() {
    for device in devices() {
        let kernel = device.load(PTX).unwrap().kernel("reverse").unwrap();
        let mut buffer = device.upload(&[1_u32]).unwrap();
        let max = device.limits().max_shared;
        let launch = Launch::new(1, 32).shared(max + 1);
        let error = kernel.launch(&launch, (&mut buffer, 1_u32)).unwrap_err();
        let dynamic = max + 1;
        assert_eq!(
            error.to_string(),
            format!(
                "kernel `reverse`: 0 bytes of static and {dynamic} bytes of dynamic shared memory; the device gives a block at most {max}"
            )
        );
        kernel
            .launch(&Launch::new(1, 32).shared(max), (&mut buffer, 1_u32))
            .unwrap();
    }
}

#[test]
fn values_are_passed_by_their_bytes() {
    for device in devices() {
        let kernel = device.load(PTX).unwrap().kernel("pick").unwrap();
        let mut out = device.upload(&[0_u32]).unwrap();
        for at in 0..4_u32 {
            let table = ByValue([10_u32, 11, 12, 13]);
            kernel
                .launch(&Launch::new(1, 1), (&mut out, table, at))
                .unwrap();
            assert_eq!(out.to_vec().unwrap(), [10 + at]);
        }
    }
}

#[test]
fn views_are_arguments() {
    for device in devices() {
        let kernel = device.load(PTX).unwrap().kernel("copy16").unwrap();
        let src = device.upload(&(0..16_u32).collect::<Vec<_>>()).unwrap();
        let mut dst = device.upload(&[99_u32; 16]).unwrap();
        let args = (dst.view_mut(4..12).unwrap(), src.view(8..16).unwrap());
        kernel.launch(&Launch::new(1, 2), args).unwrap();
        let mut expected = vec![99; 16];
        expected[4..12].copy_from_slice(&[8, 9, 10, 11, 12, 13, 14, 15]);
        assert_eq!(dst.to_vec().unwrap(), expected);
    }
}

#[test]
fn progress_ends_at_the_number_of_blocks() {
    for device in devices() {
        let kernel = device.load(PTX).unwrap().kernel("axpy").unwrap();
        let x = device.upload(&vec![1.0_f32; 640]).unwrap();
        let mut y = device.upload(&vec![1.0_f32; 640]).unwrap();
        let (most, total) = (AtomicU64::new(0), AtomicU64::new(0));
        kernel
            .launch_with_progress(
                &Launch::new(10, 64),
                (&x, &mut y, 1.0_f32, 640_u32),
                &|done, all| {
                    most.fetch_max(done, Ordering::Relaxed);
                    total.fetch_max(all, Ordering::Relaxed);
                },
            )
            .unwrap();
        assert_eq!((most.into_inner(), total.into_inner()), (10, 10));
        assert_eq!(y.to_vec().unwrap(), vec![2.0; 640]);
    }
}

#[test]
fn times_are_measured_by_the_clock_that_they_say() {
    for device in devices() {
        let kernel = device.load(PTX).unwrap().kernel("axpy").unwrap();
        let x = device.upload(&vec![1.0_f32; 256]).unwrap();
        let mut y = device.upload(&vec![0.0_f32; 256]).unwrap();
        let timing = Timing { warmup: 2, runs: 7 };
        let time = kernel
            .time(&Launch::new(2, 128), (&x, &mut y, 1.0_f32, 256_u32), timing)
            .unwrap();
        let clock = match device.kind() {
            Kind::Gpu => Clock::CudaEvents,
            Kind::Emulator => Clock::Wall,
        };
        assert_eq!((time.clock, time.runs), (clock, 7));
        assert!(0.0 < time.min && time.min <= time.median && time.median <= time.max);
        assert_eq!(y.to_vec().unwrap(), vec![9.0; 256], "it ran 2 + 7 times");
    }
}

#[test]
fn ptx_for_another_architecture_is_refused_before_the_driver_sees_it() {
    for device in devices() {
        let (major, minor) = device.compute_capability();
        let name = device.name();
        for (target, rule) in [
            (
                "sm_130",
                "it needs a device of compute capability 13.0 or more",
            ),
            (
                "sm_80a",
                "a target with the suffix `a` runs on its very architecture alone, compute capability 8.0",
            ),
            (
                "sm_130f",
                "a target with the suffix `f` runs on its own family alone, 13.0 or more with the major number 13",
            ),
        ] {
            let error = device.load(&ptx_for(target)).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "the PTX is for {target}, this device ({name}) is sm_{major}{minor}: {rule}"
                )
            );
            assert!(matches!(error, Error::Target { .. }));
        }
        device.load(&ptx_for("sm_75")).unwrap();
    }
}

#[test]
fn what_is_no_ptx_is_refused_with_the_place() {
    for device in devices() {
        let bad = PTX.replace("bar.sync 0;", "bar.sync frobnicate;");
        let error = device.load(&bad).unwrap_err();
        let line = 1 + bad[..bad.find("frobnicate").unwrap()].matches('\n').count();
        let message = error.to_string();
        match device.kind() {
            Kind::Emulator => assert!(matches!(error, Error::Ptx(_)), "{message}"),
            Kind::Gpu => assert!(matches!(error, Error::Jit { .. }), "{message}"),
        }
        assert!(message.contains(&line.to_string()), "{message}");
        assert!(message.contains("frobnicate"), "{message}");
        assert!(device.load("").is_err());
        assert!(device.load("this is not PTX \0").is_err());
    }
}

#[test]
fn a_name_that_is_no_kernel_is_answered_with_those_that_are() {
    for device in devices() {
        let module = device.load(PTX).unwrap();
        let error = module.kernel("axpi").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the module has no kernel `axpi`; did you mean `axpy`? It has: axpy, copy16, narrow, pick, reverse"
        );
        let Error::NoSuchKernel(details) = module.kernel("convolution\0").unwrap_err() else {
            panic!("another error than the one for a missing kernel")
        };
        assert_eq!((details.nearest, details.available.len()), (None, 5));
    }
}

/// The launch checks and the emulator read the kernels' heads with different parsers, whose results
/// agree.
#[test]
fn both_readings_of_the_signatures_agree() {
    let interface = Interface::read(PTX).unwrap();
    let program = emulator::Program::parse(PTX).unwrap();
    assert_eq!(interface.target.to_string(), program.target().to_string());
    let ours: Vec<_> = interface
        .kernels
        .iter()
        .map(|kernel| {
            let sizes = kernel.parameters.iter().map(|parameter| parameter.size);
            (
                kernel.name.clone(),
                kernel.max_threads,
                sizes.collect::<Vec<_>>(),
            )
        })
        .collect();
    let emulators: Vec<_> = program
        .kernels()
        .map(|kernel| {
            let sizes = kernel.params.iter().map(|parameter| parameter.size);
            (
                kernel.name.clone(),
                kernel.max_threads,
                sizes.collect::<Vec<_>>(),
            )
        })
        .collect();
    assert_eq!(ours, emulators);
}

#[test]
fn the_best_device_for_a_module_runs_it() {
    let (device, module) = Device::best_for(PTX).unwrap();
    println!("{}", device.where_it_ran());
    assert_eq!(device.kind(), Device::best().kind());
    assert_eq!(module.device().name(), device.name());
    // A module that no device runs is refused, and so is a text that is not PTX.
    let error = Device::best_for(&ptx_for("sm_130")).unwrap_err();
    assert!(matches!(error, Error::Target { .. }), "{error}");
    assert!(Device::best_for("").is_err());
}

/// Runs this test in a process that sees no GPU, whether or not there is one.
#[test]
fn without_a_gpu_the_emulator_says_why() {
    const INNER: &str = "CUTLET_TEST_WITHOUT_GPU";
    if std::env::var_os(INNER).is_none() {
        let output = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "without_a_gpu_the_emulator_says_why",
                "--nocapture",
            ])
            .env(INNER, "1")
            .env("CUDA_VISIBLE_DEVICES", "")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "{text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(
            text.contains("no CUDA device: ran on the emulator"),
            "{text}"
        );
        return;
    }
    let device = Device::best();
    println!("{}", device.where_it_ran());
    assert_eq!(device.kind(), Kind::Emulator);
    let why = device.why_not_gpu().unwrap().to_string();
    assert!(why.contains("driver"), "{why}");
    assert!(matches!(Device::gpu(0).unwrap_err(), Error::NoGpu(_)));
    assert!(Device::gpu_count().is_err());
    axpy(&device, 100);
}

#[test]
fn a_gpu_beyond_the_last_is_refused() {
    match Device::gpu_count() {
        Ok(count) => {
            let error = Device::gpu(count).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("there is no GPU {count}: this machine has {count}, counted from 0")
            );
        }
        Err(why) => {
            let error = Device::gpu(0).unwrap_err().to_string();
            assert_eq!(error, format!("no GPU to use: {why}"));
        }
    }
}

#[test]
fn a_buffer_of_another_device_is_refused() {
    let other = Device::emulator();
    let foreign = other.upload(&[0.0_f32; 8]).unwrap();
    for device in devices() {
        let kernel = device.load(PTX).unwrap().kernel("axpy").unwrap();
        let mut own = device.upload(&[0.0_f32; 8]).unwrap();
        let error = kernel
            .launch(&Launch::new(1, 8), (&foreign, &mut own, 1.0_f32, 8_u32))
            .unwrap_err();
        let Error::Refused { reason, .. } = error else {
            panic!("{error}")
        };
        assert!(
            matches!(*reason, Refusal::OtherDevice { index: 0, .. }),
            "{reason}"
        );
    }
}
