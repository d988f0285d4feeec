//! Tests a device in a context that the caller made. Everything happens in that context, no call
//! destroys the context, and the thread's current context does not change.
//!
//! ```text
//!   cuCtxCreate ─► Device::from_current_context ─► buffers, modules, launches, queues, times       by a driver that logs contexts
//!                        thread: that context, another, or none ── the same after each call
//! ```
//!
//! Law: a device makes and destroys everything in its own context, and destroys as many objects of
//! each kind as it made. No context is destroyed, and no primary context stays retained.

mod common;

use common::PTX;
use cuda_driver::calls::{Handle, cuCtxCreate_v2, cuCtxGetCurrent, cuCtxSetCurrent};
use cuda_driver::{Driver, symbol};
use host::reference::Random;
use host::{Buffer, Device, EnqueueOn, Error, Launch, Queue, QueueEvent, Refusal, Timing};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Compiles the driver and selects it, once. While a test holds the guard, no other test reads or
/// writes the driver's log.
fn driver() -> MutexGuard<'static, ()> {
    static CHOSEN: OnceLock<()> = OnceLock::new();
    static TURN: Mutex<()> = Mutex::new(());
    CHOSEN.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/context_driver.rs");
        // Two builds of the tests, with and without `cust`, may run at the same time.
        let name = format!("libcontext_driver_{}.so", std::process::id());
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let built = Command::new(rustc)
            .args(["--edition=2024", "--crate-type=cdylib"])
            .args(["--crate-name=context_driver", "-o"])
            .args([&library, &source])
            .status()
            .expect("rustc runs");
        assert!(built.success(), "the driver does not build");
        cuda_driver::choose(Driver::Library(library.clone())).expect("this is the first use");
        assert!(cuda_driver::status().is_loaded());
        // The file can be removed, because the library stays open.
        let _ = std::fs::remove_file(library);
    });
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the driver's notes since the last call.
fn log() -> Vec<String> {
    let function = symbol(c"fakeLog").expect("the driver has it");
    // SAFETY: the driver defines the function with this signature.
    let read: unsafe extern "C" fn(*mut u8, usize) -> usize =
        unsafe { std::mem::transmute(function) };
    let mut bytes = vec![0_u8; 1 << 20];
    // SAFETY: the function writes at most `bytes.len()` bytes, which `bytes` has.
    let count = unsafe { read(bytes.as_mut_ptr(), bytes.len()) };
    let text = std::str::from_utf8(&bytes[..count]).unwrap();
    text.lines().map(String::from).collect()
}

fn current() -> Handle {
    let mut context = null_mut();
    // SAFETY: `context` is a local that outlives the call.
    assert_eq!(unsafe { cuCtxGetCurrent(&raw mut context) }, 0);
    context
}

fn make_current(context: Handle) {
    // SAFETY: the driver takes any number for a context.
    assert_eq!(unsafe { cuCtxSetCurrent(context) }, 0);
}

/// Makes a context that belongs to the caller, and that no test destroys. Afterwards no context is
/// current.
fn own_context(device: i32) -> Handle {
    let mut context = null_mut();
    // SAFETY: `context` is a local that outlives the call.
    assert_eq!(unsafe { cuCtxCreate_v2(&raw mut context, 0, device) }, 0);
    make_current(null_mut());
    context
}

fn device_of(context: Handle) -> Result<Device, Error> {
    make_current(context);
    // SAFETY: no test destroys a context.
    let device = unsafe { Device::from_current_context() };
    assert_eq!(current(), context);
    device
}

/// Uses a device in one of several ways. `way` is the number of the way, less than [`WAYS`].
fn work(device: &Device, way: usize, buffer: &mut Buffer<f32>) -> Result<(), Error> {
    let kernel = || device.load(PTX)?.kernel("axpy");
    let n = buffer.len() as u32;
    let x = device.upload(&vec![1.0_f32; buffer.len()])?;
    match way {
        0 => *buffer = device.upload(&vec![2.0; buffer.len()])?,
        1 => buffer.fill_bytes(0)?,
        2 => drop(buffer.to_vec()?),
        3 => drop(kernel()?.launch(&Launch::new(1, 32), (&x, buffer, 2.0_f32, n))?),
        4 => {
            let (queue, event) = (Queue::new(device)?, QueueEvent::new(device)?);
            let kernel = kernel()?;
            let work = kernel.prepare(&Launch::new(1, 32), (&x, buffer, 2.0_f32, n))?;
            // SAFETY: the driver accesses nothing.
            unsafe { work.enqueue_on(&queue)? };
            queue.record(&event)?;
            Queue::main(device).wait(&event)?;
            queue.synchronize()?;
        }
        5 => {
            let runs = Timing { warmup: 1, runs: 2 };
            let arguments = (&x, buffer, 2.0_f32, n);
            kernel()?.time(&Launch::new(1, 32), arguments, runs)?;
        }
        6 => buffer.copy_from_buffer(&x)?,
        _ => assert!(kernel()?.resources().is_some()),
    }
    Ok(())
}
const WAYS: usize = 8;

/// Returns what is wrong with a log of one device's work: notes of other contexts, things that were
/// made and not destroyed, and contexts that were destroyed or retained.
fn wrong(log: &[String], context: Handle) -> Vec<String> {
    let ours = format!("{context:?}");
    let mut alive: BTreeMap<&str, i32> = BTreeMap::new();
    let mut wrong = Vec::new();
    for line in log {
        let mut words = line.rsplit(' ');
        let (place, how) = (words.next().unwrap(), words.next().unwrap());
        let what = line.split(' ').next().unwrap();
        *alive.entry(what).or_default() += match how {
            "+" => 1,
            "-" => -1,
            _ => 0,
        };
        if what != "primary" && place != ours {
            wrong.push(line.clone());
        }
    }
    let left = alive.into_iter().filter(|&(_, count)| count != 0);
    wrong.extend(left.map(|(what, count)| format!("{what}: {count}")));
    wrong
}

#[test]
fn without_a_current_context_there_is_no_device() {
    let _turn = driver();
    assert!(matches!(device_of(null_mut()), Err(Error::NoContext)));
}

#[test]
fn everything_happens_in_the_callers_context_and_leaves_the_threads() {
    let _turn = driver();
    let mut random = Random::new(56);
    for ordinal in [0, 1] {
        let [context, another] = [(); 2].map(|()| own_context(ordinal));
        log();
        let device = device_of(context).unwrap();
        assert_eq!(device.name(), format!("Fake {ordinal}"));
        let mut buffer = device.upload(&[0.0; 16]).unwrap();
        for _ in 0..200 {
            let place = [context, another, null_mut()][random.below(3) as usize];
            let way = random.below(WAYS as u64) as usize;
            make_current(place);
            work(&device, way, &mut buffer).unwrap();
            assert_eq!(current(), place, "way {way} left another context");
        }
        make_current(another);
        drop((buffer, device));
        assert_eq!(current(), another);
        let log = log();
        assert!(log.len() > 500, "{} notes", log.len());
        assert_eq!(wrong(&log, context), [""; 0]);
        // Each planted fault is found.
        for planted in [
            "memory + 0xdead",
            "context - 0xc0",
            "stream + 0xc0",
            "primary + 0xa0",
        ] {
            let mut log = log.clone();
            log.insert(log.len() / 2, planted.into());
            assert_ne!(wrong(&log, context), [""; 0], "{planted}");
        }
    }
}

#[test]
fn devices_are_one_where_their_context_is() {
    let _turn = driver();
    let [first, second] = [(); 2].map(|()| own_context(0));
    let [one, same, other] = [first, first, second].map(|context| device_of(context).unwrap());
    assert_eq!(one, same);
    assert_ne!(one, other);
    make_current(null_mut());
    let gpu = Device::gpu(0).unwrap();
    assert_ne!(gpu, one);
    // The current context is the primary context, which `Device::gpu` left current. SAFETY: `gpu`
    // lives longer than this device, and retains the context.
    let primary = unsafe { Device::from_current_context() }.unwrap();
    assert_eq!(gpu, primary);
    make_current(null_mut());
    drop(primary.upload(&[1_u8]).unwrap());
    drop(primary);
    assert!(current().is_null(), "the caller's context was left current");
    assert_ne!(gpu, Device::gpu(1).unwrap());

    // A launch takes no buffer of another context.
    let kernel = one.load(PTX).unwrap().kernel("axpy").unwrap();
    let x = one.upload(&[1.0_f32; 4]).unwrap();
    for (device, is_refused) in [(&same, false), (&other, true), (&gpu, true)] {
        let mut y = device.upload(&[1.0_f32; 4]).unwrap();
        let launched = kernel.launch(&Launch::new(1, 32), (&x, &mut y, 2.0_f32, 4_u32));
        match launched {
            Ok(_) => assert!(!is_refused),
            Err(Error::Refused { reason, .. }) => {
                assert!(is_refused && matches!(*reason, Refusal::OtherDevice { .. }));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_primary_context_is_released_as_often_as_it_was_retained() {
    let _turn = driver();
    log();
    for _ in 0..3 {
        let gpu = Device::gpu(0).unwrap();
        let queue = Queue::new(&gpu).unwrap();
        drop((gpu.upload(&[1_u8]).unwrap(), gpu));
        drop(queue);
    }
    let context = std::ptr::without_provenance_mut(0xa0);
    assert_eq!(wrong(&log(), context), [""; 0]);
}
