//! Runs launches as a part of another program: a product by split-K with counters, a product by
//! Hopper's kernels in slices, attention and decoding. They are enqueued on a stream that this
//! library did not make, with scratch that it did not allocate, captured into a CUDA graph and
//! replayed with other contents each time.
//!
//! ```text
//!   theirs   stream, memory ── write ──► replay ──► read        1,000 times on a GPU
//!   ours     enqueue_on(Queue::from_raw(stream)) ─ captured once ─┘
//! ```
//!
//! Law: every replay has float64's results for its contents. On the emulator, which has no graphs,
//! the work is enqueued again instead.

use bytemuck::Pod;
use cutlet::attention::{
    AttentionMask, AttentionOperands, AttentionProblem, AttentionRequest, AttentionType,
    DecodeOperands, HeadTensor, HeadTensorMut, Heads, PagedKeys, decode_plan, page_table,
    prepare_decode_in, prepare_request,
};
use cutlet::gemm::{
    GemmOptions, Library, Matrix, MatrixMut, Order, ScheduleRequest, Table, Workspace,
};
use cutlet::kernels::Modules;
use half::{bf16, f16};
use host::reference::{
    Agreement, Allowance, GemmTolerance, Products, Random, attention_row, attention_row_allowance,
    difference, fill, gemm,
};
use host::{Buffer, Device, EnqueueOn, Kind, Queue};

/// The other program, which uses CUDA's driver and, of this library, only the launches.
mod theirs {
    use cuda_driver::calls::*;
    use std::ffi::{c_int, c_uint};
    use std::ptr::null_mut;

    /// `CU_STREAM_NON_BLOCKING`: the stream has no order with the default stream, as PyTorch's
    /// streams.
    const NON_BLOCKING: c_uint = 1;
    /// `CU_STREAM_CAPTURE_MODE_GLOBAL`: a call of any thread that could break a capture is an
    /// error.
    const CAPTURE_GLOBAL: c_int = 0;

    fn check(call: &str, code: c_int) {
        assert_eq!(code, 0, "{call}");
    }

    /// Returns the context that is current on this thread.
    pub fn current() -> Handle {
        let mut context = null_mut();
        // SAFETY: `context` is a local that outlives the call.
        check("cuCtxGetCurrent", unsafe {
            cuCtxGetCurrent(&raw mut context)
        });
        context
    }

    /// Makes a context, or no context, current on this thread.
    pub fn make_current(context: Handle) {
        // SAFETY: `current` returned the context, which the test's device keeps alive, or it is
        // null.
        check("cuCtxSetCurrent", unsafe { cuCtxSetCurrent(context) });
    }

    /// A stream that is never destroyed: the process ends with the test.
    pub struct Stream(pub Handle);

    /// An executable graph.
    pub struct Graph(Handle);

    impl Stream {
        pub fn new() -> Self {
            let mut stream = null_mut();
            // SAFETY: `stream` is a local that outlives the call.
            let code = unsafe { cuStreamCreate(&raw mut stream, NON_BLOCKING) };
            check("cuStreamCreate", code);
            Self(stream)
        }

        /// Returns the graph of the work that `work` enqueues, and the number of its nodes.
        pub fn capture(&self, work: impl FnOnce()) -> (Graph, usize) {
            // SAFETY: the stream was made by `new` and is never destroyed.
            let code = unsafe { cuStreamBeginCapture_v2(self.0, CAPTURE_GLOBAL) };
            check("cuStreamBeginCapture", code);
            work();
            let (mut graph, mut exec, mut nodes) = (null_mut(), null_mut(), 0);
            // SAFETY: the stream was made by `new` and is never destroyed. The results are locals
            // that outlive the calls, and a null list of nodes requests only their number.
            unsafe {
                check(
                    "cuStreamEndCapture",
                    cuStreamEndCapture(self.0, &raw mut graph),
                );
                check(
                    "cuGraphGetNodes",
                    cuGraphGetNodes(graph, null_mut(), &raw mut nodes),
                );
                let code = cuGraphInstantiateWithFlags(&raw mut exec, graph, 0);
                check("cuGraphInstantiate", code);
            }
            (Graph(exec), nodes)
        }

        pub fn replay(&self, graph: &Graph) {
            // SAFETY: the graph and the stream were made here and are never destroyed.
            check("cuGraphLaunch", unsafe { cuGraphLaunch(graph.0, self.0) });
        }

        pub fn synchronize(&self) {
            // SAFETY: the stream was made by `new` and is never destroyed.
            check("cuStreamSynchronize", unsafe {
                cuStreamSynchronize(self.0)
            });
        }

        /// Overwrites memory in the order of the stream.
        pub fn write<T: bytemuck::Pod>(&self, address: u64, values: &[T]) {
            // SAFETY: a slice is readable for its length, and pageable memory is copied before the
            // call returns. The test's function `write`, which calls this, checks that the buffer
            // at the address has as many elements.
            let code = unsafe {
                cuMemcpyHtoDAsync_v2(address, values.as_ptr().cast(), size_of_val(values), self.0)
            };
            check("cuMemcpyHtoDAsync", code);
        }
    }
}

/// The other program's stream on a GPU, or `None` on the emulator.
type Stream = Option<theirs::Stream>;

fn write<T: Pod>(stream: &Stream, to: &mut Buffer<T>, values: &[T]) {
    match stream {
        Some(stream) => {
            assert_eq!(values.len(), to.len());
            stream.write(to.address(), values);
        }
        None => to.copy_from(values).unwrap(),
    }
}

/// The extents: A is (M, K), B is (K, N), column-major.
const M: usize = 64;
const N: usize = 64;
const K: usize = 256;
/// The queries: two query heads share one key head.
const QUERIES: Heads = Heads {
    batches: 1,
    heads: 2,
    rows: 64,
    columns: 64,
};
const KEYS: Heads = Heads {
    heads: 1,
    ..QUERIES
};
/// The queries of two sequences that are decoded. The cache has five pages of 16 keys.
const DECODED: Heads = Heads {
    batches: 2,
    heads: 4,
    rows: 1,
    columns: 64,
};
const CACHE: Heads = Heads {
    batches: 5,
    heads: 1,
    rows: PAGE as u32,
    columns: DIM as u32,
};
const PAGE: usize = 16;
const DIM: usize = 64;
const SCALE: f32 = 0.125;

fn elements(of: Heads) -> usize {
    let extents = [of.batches, of.heads, of.rows, of.columns];
    extents.map(|extent| extent as usize).iter().product()
}

/// The memory that the work reads and writes.
struct Memory {
    a: Buffer<f16>,
    b: Buffer<f16>,
    /// D of each of the two products.
    d: [Buffer<f16>; 2],
    /// Q, K and V.
    qkv: [Buffer<bf16>; 3],
    o: Buffer<bf16>,
    /// The tensors of decoding: Q, and the cache of K and V.
    decoded: [Buffer<bf16>; 3],
    lengths: Buffer<u32>,
    table: Buffer<u32>,
    decoded_o: Buffer<bf16>,
}

/// Returns a buffer of zeros.
fn zeros<T: Pod>(device: &Device, len: usize) -> Buffer<T> {
    device.upload(&vec![T::zeroed(); len]).unwrap()
}

/// Returns the same memory as a buffer of this crate.
fn ours<T: Pod>(theirs: &Buffer<T>) -> Buffer<T> {
    // SAFETY: `theirs` lives until the last replay has run, and is accessed only before and after
    // replays.
    unsafe { Buffer::from_raw(theirs.device(), theirs.address(), theirs.len()).unwrap() }
}

impl Memory {
    fn new(device: &Device) -> Self {
        Self {
            a: zeros(device, M * K),
            b: zeros(device, N * K),
            d: [(); 2].map(|()| zeros(device, M * N)),
            qkv: [QUERIES, KEYS, KEYS].map(|of| zeros(device, elements(of))),
            o: zeros(device, elements(QUERIES)),
            decoded: [DECODED, CACHE, CACHE].map(|of| zeros(device, elements(of))),
            lengths: zeros(device, 2),
            table: zeros(device, 4),
            decoded_o: zeros(device, elements(DECODED)),
        }
    }

    fn ours(&self) -> Self {
        Self {
            a: ours(&self.a),
            b: ours(&self.b),
            d: self.d.each_ref().map(ours),
            qkv: self.qkv.each_ref().map(ours),
            o: ours(&self.o),
            decoded: self.decoded.each_ref().map(ours),
            lengths: ours(&self.lengths),
            table: ours(&self.table),
            decoded_o: ours(&self.decoded_o),
        }
    }

    fn write(&mut self, stream: &Stream, contents: &Contents) {
        write(stream, &mut self.a, &contents.a);
        write(stream, &mut self.b, &contents.b);
        for (to, from) in self.qkv.iter_mut().zip(&contents.qkv) {
            write(stream, to, from);
        }
        for (to, from) in self.decoded.iter_mut().zip(&contents.decoded) {
            write(stream, to, from);
        }
        let [first, second] = &contents.sequences;
        let of = page_table(
            &[(first.0, &first.1), (second.0, &second.1)],
            PAGE as u32,
            5,
        )
        .unwrap();
        write(stream, &mut self.lengths, of.lengths());
        write(stream, &mut self.table, of.table());
        // An element that a replay does not write is NaN.
        let nothing = vec![f16::NAN; M * N];
        self.d.iter_mut().for_each(|d| write(stream, d, &nothing));
        for o in [&mut self.o, &mut self.decoded_o] {
            let nothing = vec![bf16::NAN; o.len()];
            write(stream, o, &nothing);
        }
    }

    /// Compares every result with float64.
    fn check(&self, contents: &Contents, replay: u64) {
        let expected = gemm(&contents.a, &contents.b, M, N, K).unwrap();
        for d in &self.d {
            let difference = difference(&d.to_vec().unwrap(), &expected).unwrap();
            let tolerance = GemmTolerance::new::<f16>(K, difference.rms);
            assert!(
                tolerance.admits(&difference),
                "replay {replay}: {difference:?}"
            );
        }
        let [q, k, v] = &contents.qkv;
        let mut expected = ExpectedRows::default();
        for (row, q) in q.chunks_exact(DIM).enumerate() {
            let query = row % QUERIES.rows as usize;
            expected.add(AttentionMask::Causal, (QUERIES.rows, query), (q, k, v));
        }
        expected.check(&self.o, replay);
        let [q, k, v] = &contents.decoded;
        let mut expected = ExpectedRows::default();
        for (row, q) in q.chunks_exact(DIM).enumerate() {
            let (length, pages) = contents.sequences[row / DECODED.heads as usize];
            let [k, v] = [k, v].map(|cache| -> Vec<bf16> {
                let pages = pages.iter().map(|&page| page as usize * PAGE * DIM);
                let rows = pages.flat_map(|page| &cache[page..][..PAGE * DIM]);
                rows.copied().take(length as usize * DIM).collect()
            });
            expected.add(AttentionMask::Full, (1, 0), (q, &k, &v));
        }
        expected.check(&self.decoded_o, replay);
    }
}

/// Rows of O in float64, and their allowed differences.
#[derive(Default)]
struct ExpectedRows {
    rows: Vec<f64>,
    allowed: Allowance,
}

impl ExpectedRows {
    fn add(
        &mut self,
        mask: AttentionMask,
        (queries, query): (u32, usize),
        of: (&[bf16], &[bf16], &[bf16]),
    ) {
        let keys = (of.1.len() / DIM) as u32;
        let extents = (1, 1, queries, DIM as u32);
        let problem = AttentionProblem::new(AttentionType::Bf16, extents, mask, SCALE);
        let problem = problem.with_keys(keys, 1);
        self.rows
            .extend(attention_row(&problem, query, of.0, of.1, of.2).0);
        let allowed = attention_row_allowance(&problem, query, of, None, Products::Half);
        self.allowed.extend(&allowed.o);
    }

    fn check(&self, found: &Buffer<bf16>, replay: u64) {
        let found = found.to_vec().unwrap();
        let agreement = Agreement::of(&found, &self.rows, &self.allowed).unwrap();
        assert!(agreement.holds(), "replay {replay}: {agreement:?}");
    }
}

/// The contents of one replay.
struct Contents {
    a: Vec<f16>,
    b: Vec<f16>,
    qkv: [Vec<bf16>; 3],
    decoded: [Vec<bf16>; 3],
    /// The number of keys, and the pages in which they are.
    sequences: [(u32, [u32; 2]); 2],
}

impl Contents {
    fn new(replay: u64) -> Self {
        let mut random = Random::new(replay);
        let mut length = || 1 + random.below(2 * PAGE as u64) as u32;
        let seed = replay << 8;
        let tensor = |(number, of): (u64, Heads)| fill(seed + number, elements(of));
        Self {
            a: fill(seed, M * K),
            b: fill(seed + 1, N * K),
            qkv: [(2, QUERIES), (3, KEYS), (4, KEYS)].map(tensor),
            decoded: [(5, DECODED), (6, CACHE), (7, CACHE)].map(tensor),
            sequences: [(length(), [3, 1]), (length(), [0, 4])],
        }
    }
}

/// Selects a named kernel for a product in slices of k.
fn by(kernel: &'static str, slices: u32) -> GemmOptions<'static, f16> {
    GemmOptions {
        schedule: ScheduleRequest::SplitK(slices),
        configuration: Some(kernel),
        ..GemmOptions::default()
    }
}

#[test]
fn a_graph_is_right_with_other_contents_each_time() {
    let device = Device::best();
    println!("{}", device.where_it_ran());
    if device.compute_capability() != (9, 0) {
        println!("attention by TMA and decoding are for compute capability 9.0: nothing was run");
        return;
    }
    let library = Library::with(Modules::load(&device).unwrap(), Table::default());
    let mut theirs = Memory::new(&device);
    let Memory {
        a,
        b,
        d: [mut d, mut second_d],
        qkv: [q, k, v],
        mut o,
        decoded: [decoded_q, cache_k, cache_v],
        lengths,
        table,
        mut decoded_o,
    } = theirs.ours();
    // One scratch with any contents serves all, because the work on one stream runs in turn.
    let mut scratch = zeros::<u8>(&device, 1 << 20);
    scratch.fill_bytes(0xa5).unwrap();
    let [mut first, mut second, mut third] = [(); 3].map(|()| Workspace::of(ours(&scratch)));

    let (a, b) = (
        Matrix::new(&a, M, K),
        Matrix::new(&b, K, N).order(Order::Columns),
    );
    // This product has counters, which the launch clears, and partial tiles.
    let options = by("gemm_f16_f32_tn_64x64x64_s4", 4);
    let (choice, counted) = library
        .prepare(&a, &b, MatrixMut::new(&mut d, M, N), &options, &mut first)
        .unwrap();
    assert!(choice.plan.zeroed_bytes > 0 && choice.plan.workspace_bytes() <= 1 << 20);
    let mut nodes = 1 + choice.plan.kernels().count();
    // This product has two launches; the second may begin before the first has ended.
    let options = by("gemm_f16_f32_tn_64x64x64_s8_wgmma_pp", 2);
    let (choice, sliced) = library
        .prepare(
            &a,
            &b,
            MatrixMut::new(&mut second_d, M, N),
            &options,
            &mut second,
        )
        .unwrap();
    assert!(choice.plan.reduction.is_some() && choice.plan.workspace_bytes() <= 1 << 20);
    nodes += choice.plan.kernels().count();
    let operands = AttentionOperands {
        q: HeadTensor::new(&q, QUERIES),
        k: HeadTensor::new(&k, KEYS),
        v: HeadTensor::new(&v, KEYS),
        o: HeadTensorMut::new(&mut o, QUERIES),
        lse: None,
    };
    let request = AttentionRequest {
        mask: AttentionMask::Causal,
        scale: Some(SCALE),
        ..AttentionRequest::default()
    };
    let attention = prepare_request(library.modules(), operands, &request).unwrap();
    let operands = DecodeOperands {
        q: HeadTensor::new(&decoded_q, DECODED),
        k: HeadTensor::new(&cache_k, CACHE),
        v: HeadTensor::new(&cache_v, CACHE),
        scales: None,
        o: HeadTensorMut::new(&mut decoded_o, DECODED),
        lse: None,
        keys: PagedKeys {
            lengths: lengths.all(),
            table: table.all(),
        },
    };
    let plan = decode_plan(&device, &operands.problem(SCALE).unwrap(), Some(3)).unwrap();
    assert!(plan.scratch_bytes() <= 1 << 20);
    let scale = (Some(SCALE), None);
    let decode =
        prepare_decode_in(library.modules(), operands, scale, Some(3), &mut third).unwrap();
    nodes += 3;

    let work: [&dyn EnqueueOn; 4] = [&counted, &sliced, &attention, &decode];
    let stream = (device.kind() == Kind::Gpu).then(theirs::Stream::new);
    let handle = stream
        .as_ref()
        .map_or(std::ptr::null_mut(), |stream| stream.0);
    // SAFETY: the stream is of the primary context, and is never destroyed.
    let queue = unsafe { Queue::from_raw(&device, handle) };
    let enqueue = || {
        for work in work {
            // SAFETY: the memory outlives the last replay, for which the test waits, and nothing
            // accesses it meanwhile; the library keeps the kernels loaded; one stream orders all
            // work.
            unsafe { work.enqueue_on(&queue).unwrap() };
        }
    };
    let graph = stream.as_ref().map(|stream| {
        // Another device's context may be current on the thread, or no context: it does not change.
        let context = theirs::current();
        let (graph, found) = stream.capture(|| {
            theirs::make_current(std::ptr::null_mut());
            enqueue();
            assert!(
                theirs::current().is_null(),
                "a launch left its context current"
            );
            theirs::make_current(context);
        });
        assert_eq!(found, nodes, "launches, and counters cleared once");
        graph
    });
    let replays = if graph.is_some() { 1000 } else { 2 };
    for replay in 0..replays {
        let contents = Contents::new(replay);
        theirs.write(&stream, &contents);
        match (&stream, &graph) {
            (Some(stream), Some(graph)) => {
                stream.replay(graph);
                stream.synchronize();
            }
            _ => enqueue(),
        }
        theirs.check(&contents, replay);
    }
    println!("{replays} replays of {nodes} nodes, each right");
}

/// Checks that work of one device on another device's queue is refused, and scratch that is too
/// small.
#[test]
fn what_cannot_be_enqueued_is_refused() {
    let [device, other] = [(); 2].map(|()| Device::emulator());
    let library = Library::with(Modules::load(&device).unwrap(), Table::default());
    let (a, b) = (zeros::<f16>(&device, M * K), zeros::<f16>(&device, N * K));
    let (a, b) = (
        Matrix::new(&a, M, K),
        Matrix::new(&b, K, N).order(Order::Columns),
    );
    let mut d = zeros::<f16>(&device, M * N);
    let options = by("gemm_f16_f32_tn_64x64x64_s4", 4);
    let mut prepared = |bytes: usize, check: &dyn Fn(Result<&dyn EnqueueOn, String>)| {
        let mut scratch = Workspace::of(zeros(&device, bytes));
        let d = MatrixMut::new(&mut d, M, N);
        match library.prepare(&a, &b, d, &options, &mut scratch) {
            Ok((_, prepared)) => check(Ok(&prepared)),
            Err(error) => check(Err(error.to_string())),
        }
    };
    prepared(1 << 20, &|work| {
        // SAFETY: emulated devices run work when it is enqueued, and this is refused.
        let refused = unsafe { work.unwrap().enqueue_on(&Queue::main(&other)) };
        assert_eq!(
            refused.unwrap_err().to_string(),
            "the queue is one of emulated sm_90, the work one of emulated sm_90: they must be of one device"
        );
    });
    prepared(100, &|work| {
        let said = work.err().unwrap();
        assert!(
            said.starts_with("the scratch has 100 bytes; the launch needs "),
            "{said}"
        );
    });
}
