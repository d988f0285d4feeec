//! Tests launches in a context and on a stream that the caller made. The same launches are captured
//! into a CUDA graph, which is replayed with other contents of the buffers each time.
//!
//! ```text
//!   theirs   context, stream ── write x ──► launch, or replay ──► read y      500 replays on a GPU
//!   ours     Device::from_current_context, Queue::from_raw(stream), enqueue_on ─┘
//! ```
//!
//! Law: each launch sets y to `a x + y`, computed from the contents at that time, bit for bit. The
//! thread's current context does not change, and the caller destroys the context at the end. On the
//! emulator, which has neither contexts nor graphs, the work is enqueued again instead. These tests
//! do not need `cust`: `cargo test -p cutlet-host --no-default-features --test own_context`.

mod common;

use common::PTX;
use cuda_driver::calls::{self, Handle};
use host::reference::fill;
use host::{Device, EnqueueOn, Error, Kind, Launch, PreparedLaunch, Queue};
use std::ptr::null_mut;

/// `CU_STREAM_NON_BLOCKING`: the stream has no order with the default stream.
const NON_BLOCKING: u32 = 1;
/// `CU_STREAM_CAPTURE_MODE_GLOBAL`: a call on any thread that could break a capture is an error.
const CAPTURE_GLOBAL: i32 = 0;

const LEN: usize = 100_003;

fn check(call: &str, code: i32) {
    assert_eq!(code, 0, "{call}");
}

/// The caller's context on GPU 0, which is current, and a stream in it.
struct Theirs {
    context: Handle,
    stream: Handle,
}

impl Theirs {
    fn new() -> Self {
        let (mut context, mut stream) = (null_mut(), null_mut());
        // SAFETY: the results are locals that outlive the calls.
        unsafe {
            check("cuCtxCreate", calls::cuCtxCreate_v2(&raw mut context, 0, 0));
            let code = calls::cuStreamCreate(&raw mut stream, NON_BLOCKING);
            check("cuStreamCreate", code);
        }
        Self { context, stream }
    }

    fn current() -> Handle {
        let mut context = null_mut();
        // SAFETY: `context` is a local that outlives the call.
        check("cuCtxGetCurrent", unsafe {
            calls::cuCtxGetCurrent(&raw mut context)
        });
        context
    }

    fn make_current(context: Handle) {
        // SAFETY: the context is null or was current before, and is destroyed at the end of the
        // test.
        check("cuCtxSetCurrent", unsafe {
            calls::cuCtxSetCurrent(context)
        });
    }

    /// Captures what `work` enqueues. Returns the executable graph and its number of nodes.
    fn capture(&self, work: impl FnOnce()) -> (Handle, usize) {
        let (mut graph, mut exec, mut nodes) = (null_mut(), null_mut(), 0);
        // SAFETY: the stream lives until `destroy`, and the results are locals that outlive the
        // calls. A null list of nodes is allowed: the call then returns only their number.
        unsafe {
            let code = calls::cuStreamBeginCapture_v2(self.stream, CAPTURE_GLOBAL);
            check("cuStreamBeginCapture", code);
            work();
            let code = calls::cuStreamEndCapture(self.stream, &raw mut graph);
            check("cuStreamEndCapture", code);
            let code = calls::cuGraphGetNodes(graph, null_mut(), &raw mut nodes);
            check("cuGraphGetNodes", code);
            let code = calls::cuGraphInstantiateWithFlags(&raw mut exec, graph, 0);
            check("cuGraphInstantiate", code);
        }
        (exec, nodes)
    }

    fn replay(&self, graph: Handle) {
        // SAFETY: the graph and the stream were made here, and live until the end of the test.
        check("cuGraphLaunch", unsafe {
            calls::cuGraphLaunch(graph, self.stream)
        });
    }

    /// Writes `values` to memory in the order of the stream.
    fn write(&self, address: u64, values: &[f32]) {
        let (from, bytes) = (values.as_ptr().cast(), size_of_val(values));
        // SAFETY: a slice is readable for its length, and pageable memory is copied before the call
        // returns. The caller has `values.len()` elements at the address.
        let code = unsafe { calls::cuMemcpyHtoDAsync_v2(address, from, bytes, self.stream) };
        check("cuMemcpyHtoDAsync", code);
    }

    fn destroy(self) {
        // SAFETY: everything that was made in the context has been freed.
        unsafe {
            check("cuStreamDestroy", calls::cuStreamDestroy_v2(self.stream));
            check("cuCtxDestroy", calls::cuCtxDestroy_v2(self.context));
        }
    }
}

fn expected(a: f32, x: &[f32], y: &[f32]) -> Vec<f32> {
    x.iter().zip(y).map(|(x, y)| a.mul_add(*x, *y)).collect()
}

/// Checks the law on a device, on a stream if there is one.
fn launch_and_replay(device: &Device, theirs: Option<&Theirs>) -> Result<(), Error> {
    const A: f32 = 0.75;
    let before = theirs.map(|_| Theirs::current());
    let unchanged = || assert_eq!(theirs.map(|_| Theirs::current()), before);
    let (x, mut y) = (device.alloc::<f32>(LEN)?, device.alloc::<f32>(LEN)?);
    let (of_x, of_y) = (x.address(), y.address());
    // SAFETY: `y` lives longer than this view, and the view is read while no launch runs.
    let result = unsafe { host::Buffer::<f32>::from_raw(device, of_y, LEN)? };
    // SAFETY: `x` lives longer than this view, and the view is written while no launch runs.
    let mut input = unsafe { host::Buffer::<f32>::from_raw(device, of_x, LEN)? };
    // SAFETY: `y` lives longer than this view, which is written while no launch runs. `result` is
    // read after that.
    let mut start = unsafe { host::Buffer::<f32>::from_raw(device, of_y, LEN)? };
    let kernel = device.load(PTX)?.kernel("axpy")?;
    let launch = Launch::new(LEN.div_ceil(256) as u32, 256);
    let prepared: PreparedLaunch<_> = kernel.prepare(&launch, (&x, &mut y, A, LEN as u32))?;
    let stream = theirs.map_or(null_mut(), |theirs| theirs.stream);
    // SAFETY: the stream belongs to the device's context, and lives until `destroy`.
    let queue = unsafe { Queue::from_raw(device, stream) };
    // SAFETY: the buffers live until the queue was waited for, and one stream orders the accesses.
    let enqueue = || unsafe { prepared.enqueue_on(&queue).unwrap() };
    unchanged();

    let mut compare = |seed: u64, work: &dyn Fn()| -> Result<(), Error> {
        let (x, y): (Vec<f32>, Vec<f32>) = (fill(2 * seed, LEN), fill(2 * seed + 1, LEN));
        match theirs {
            Some(theirs) => {
                theirs.write(of_x, &x);
                theirs.write(of_y, &y);
            }
            None => {
                input.copy_from(&x)?;
                start.copy_from(&y)?;
            }
        }
        work();
        queue.synchronize()?;
        let found = result.to_vec()?;
        let expected = expected(A, &x, &y);
        let same = found.iter().zip(&expected);
        assert!(
            same.clone().all(|(a, b)| a.to_bits() == b.to_bits()),
            "contents {seed}"
        );
        // The buffer contained `y` before, so a launch without effect would fail this test.
        assert_ne!(found, y);
        unchanged();
        Ok(())
    };
    compare(0, &enqueue)?;

    let graph = theirs.map(|theirs| {
        // The thread may have no current context while it enqueues, and enqueueing makes none
        // current.
        let (graph, nodes) = theirs.capture(|| {
            Theirs::make_current(null_mut());
            enqueue();
            enqueue();
            assert!(Theirs::current().is_null(), "a launch left its context");
            Theirs::make_current(theirs.context);
        });
        assert_eq!(nodes, 2);
        graph
    });
    // A graph of two launches computes a x + (a x + y).
    let replays = if graph.is_some() { 500 } else { 2 };
    for replay in 1..=replays {
        let (x, y): (Vec<f32>, Vec<f32>) = (fill(replay, LEN), fill(!replay, LEN));
        match (theirs, graph) {
            (Some(theirs), Some(graph)) => {
                theirs.write(of_x, &x);
                theirs.write(of_y, &y);
                theirs.replay(graph);
            }
            _ => {
                input.copy_from(&x)?;
                start.copy_from(&y)?;
                enqueue();
                enqueue();
            }
        }
        queue.synchronize()?;
        let twice = expected(A, &x, &expected(A, &x, &y));
        assert_eq!(result.to_vec()?, twice, "replay {replay}");
    }
    unchanged();
    let by = if cfg!(feature = "cust") {
        "with"
    } else {
        "without"
    };
    println!("{device}, {by} cust: a launch, and {replays} replays of two, each right");
    Ok(())
}

#[test]
fn a_callers_context_and_stream_are_launched_in() {
    launch_and_replay(&Device::emulator(), None).unwrap();
    if let Err(why) = Device::gpu_count() {
        println!("no CUDA device: ran on the emulator alone ({why})");
        return;
    }
    let theirs = Theirs::new();
    // SAFETY: the context is destroyed at the end, after the device was dropped.
    let device = unsafe { Device::from_current_context() }.unwrap();
    assert_eq!(device.kind(), Kind::Gpu);
    assert_ne!(
        device,
        Device::gpu(0).unwrap(),
        "the context is not the primary one"
    );
    Theirs::make_current(theirs.context);
    launch_and_replay(&device, Some(&theirs)).unwrap();
    drop(device);
    assert_eq!(Theirs::current(), theirs.context);
    theirs.destroy();
}

#[test]
fn the_primary_context_is_that_of_the_gpu() {
    let Ok(gpu) = Device::gpu(0) else {
        println!("no CUDA device: nothing is current");
        return;
    };
    let stream = {
        let mut stream = null_mut();
        // SAFETY: `stream` is a local that outlives the call.
        let code = unsafe { calls::cuStreamCreate(&raw mut stream, NON_BLOCKING) };
        check("cuStreamCreate", code);
        stream
    };
    // SAFETY: `gpu` keeps the primary context until the end.
    let device = unsafe { Device::from_current_context() }.unwrap();
    assert_eq!(device, gpu);
    let context = Theirs::current();
    let theirs = Theirs { context, stream };
    launch_and_replay(&device, Some(&theirs)).unwrap();
    // SAFETY: the stream was made above, and its work was waited for.
    check("cuStreamDestroy", unsafe {
        calls::cuStreamDestroy_v2(theirs.stream)
    });
}
