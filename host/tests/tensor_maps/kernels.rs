//! Three kernels for each rank. One block, or a cluster of four, loads a box of a tensor through
//! the tensor's map, and writes the contents of shared memory to `out`. A single block then stores
//! or adds the box through the map of another tensor.
//!
//! ```text
//!   round_trip_{rank}d   add_{rank}d   multicast_{rank}d     (from, to, out, bytes, blocks, f0..f4, t0..t4)
//! ```

use host::{Buffer, Device, Error, Launch, Module, TensorMap};

/// The most bytes that a box has in these tests.
const MOST_BYTES: usize = 64 << 10;
/// The number of blocks in a cluster that receives a multicast.
pub const CLUSTER: usize = 4;
/// The value of every byte of shared memory before a load.
pub const UNTOUCHED: u8 = 0x5a;

/// The operation that a kernel performs.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    RoundTrip,
    Add,
    Multicast,
}

impl Kind {
    fn name(self, rank: usize) -> String {
        let kind = match self {
            Kind::RoundTrip => "round_trip",
            Kind::Add => "add",
            Kind::Multicast => "multicast",
        };
        format!("{kind}_{rank}d")
    }
}

fn entry(kind: Kind, rank: usize) -> String {
    let parameters: String = ["f", "t"]
        .iter()
        .flat_map(|letter| (0..5).map(move |d| format!(", .param .u32 {letter}{d}")))
        .collect();
    let coordinates = |letter: char| {
        let loads = (0..rank).map(|d| format!("ld.param.u32 %{letter}{d}, [{letter}{d}];"));
        let names = (0..rank).map(|d| format!("%{letter}{d}"));
        let (loads, names): (String, Vec<String>) = (loads.collect(), names.collect());
        (loads, names.join(", "))
    };
    let ((f_loads, from), (t_loads, to)) = (coordinates('f'), coordinates('t'));
    let load =
        format!("cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes");
    let name = kind.name(rank);
    let (directives, sync, load, skip, then) = match kind {
        // Block 2 issues the load for all blocks. Blocks that are not in the mask wait only for the
        // other blocks.
        Kind::Multicast => (
            ".reqnctapercluster 4, 1, 1",
            "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
            format!("@%p5 {load}.multicast::cluster [%r4], [%d1, {{{from}}}], [%r3], %h1;"),
            "@!%p4 bra HERE;",
            String::new(),
        ),
        _ => (
            "",
            "bar.sync 0;",
            format!("@%p1 {load} [%r4], [%d1, {{{from}}}], [%r3];"),
            "",
            format!(
                "bar.sync 0; @!%p1 bra END; cp.{}async.bulk.tensor.{rank}d.global.shared::cta.{}bulk_group [%d2, {{{to}}}], [%r4];\n\
                 cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
                if kind == Kind::Add { "reduce." } else { "" },
                if kind == Kind::Add { "add." } else { "" },
            ),
        ),
    };
    format!(
        ".visible .entry {name}(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128], .param .u64 out, .param .u32 bytes, .param .u32 blocks{parameters}) {directives}\n{{\n\
         .reg .pred %p<8>; .reg .b16 %h<2>; .reg .b32 %r<16>; .reg .b32 %f<5>; .reg .b32 %t<5>; .reg .b64 %d<8>;\n{f_loads}{t_loads}\n\
         mov.b64 %d1, from; cvta.param.u64 %d1, %d1; mov.b64 %d2, to; cvta.param.u64 %d2, %d2;\n\
         ld.param.u64 %d3, [out]; cvta.to.global.u64 %d3, %d3; ld.param.u32 %r1, [bytes]; ld.param.u32 %r8, [blocks]; cvt.u16.u32 %h1, %r8;\n\
         mov.u32 %r2, %tid.x; mov.u32 %r3, smem; add.u32 %r4, %r3, 1024; setp.eq.u32 %p1, %r2, 0;\n\
         mov.u32 %r9, %cluster_ctarank; shr.u32 %r10, %r8, %r9; and.b32 %r10, %r10, 1; setp.eq.u32 %p4, %r10, 1;\n\
         setp.eq.and.u32 %p5, %r9, 2, %p1; setp.eq.and.u32 %p6, %r10, 1, %p1;\n\
         mul.lo.u32 %r11, %r9, %r1; cvt.u64.u32 %d5, %r11; add.u64 %d3, %d3, %d5;\n\
         shl.b32 %r5, %r2, 2; mov.u32 %r7, 0x{UNTOUCHED:02x}{UNTOUCHED:02x}{UNTOUCHED:02x}{UNTOUCHED:02x};\n\
         FILL: setp.ge.u32 %p3, %r5, %r1; @%p3 bra FILLED; add.u32 %r6, %r4, %r5; st.shared.u32 [%r6], %r7; add.u32 %r5, %r5, 128; bra FILL;\n\
         FILLED: fence.proxy.async.shared::cta;\n\
         @%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\n\
         @%p1 fence.mbarrier_init.release.cluster;\n\
         @%p6 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], %r1;\n\
         {sync}\n{load}\n{skip}\n\
         WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n\
         @!%p2 bra WAIT;\n\
         HERE: {sync}\n\
         shl.b32 %r5, %r2, 2;\n\
         LOOP: setp.ge.u32 %p3, %r5, %r1; @%p3 bra READ;\n\
         add.u32 %r6, %r4, %r5; ld.shared.u32 %r7, [%r6];\n\
         cvt.u64.u32 %d4, %r5; add.u64 %d4, %d3, %d4; st.global.u32 [%d4], %r7;\n\
         add.u32 %r5, %r5, 128; bra LOOP;\n\
         READ: {then}\n\
         END: ret;\n}}\n"
    )
}

/// The kernels on a device.
pub struct Kernels {
    module: Module,
}

impl Kernels {
    pub fn new(device: &Device) -> Self {
        let mut text = ".version 8.0\n.target sm_90a\n.address_size 64\n\
                        .extern .shared .align 1024 .b8 smem[];\n"
            .to_owned();
        for rank in 1..=5 {
            for kind in [Kind::RoundTrip, Kind::Add, Kind::Multicast] {
                text += &entry(kind, rank);
            }
        }
        let module = device.load(&text).unwrap_or_else(|e| panic!("{e}"));
        Self { module }
    }

    /// Loads the box of `from` at `load`, and stores it through `to` at `store`. Returns the
    /// contents of shared memory after the load.
    pub fn round_trip(
        &self,
        from: &TensorMap<'_>,
        to: &TensorMap<'_>,
        load: &[i32],
        store: &[i32],
    ) -> Result<Vec<u8>, Error> {
        self.run(Kind::RoundTrip, (from, to), (load, store), 1)
    }

    /// Does the same as [`round_trip`](Self::round_trip), but adds instead of storing.
    pub fn add(
        &self,
        from: &TensorMap<'_>,
        to: &TensorMap<'_>,
        load: &[i32],
        store: &[i32],
    ) -> Result<Vec<u8>, Error> {
        self.run(Kind::Add, (from, to), (load, store), 1)
    }

    /// Loads the box of `from` at `load` to those blocks of a cluster of [`CLUSTER`] whose bits are
    /// set. Returns the contents of each block's shared memory, one after another.
    pub fn multicast(
        &self,
        from: &TensorMap<'_>,
        load: &[i32],
        blocks: u16,
    ) -> Result<Vec<u8>, Error> {
        self.run(Kind::Multicast, (from, from), (load, load), blocks)
    }

    fn run(
        &self,
        kind: Kind,
        (from, to): (&TensorMap<'_>, &TensorMap<'_>),
        (load, store): (&[i32], &[i32]),
        blocks: u16,
    ) -> Result<Vec<u8>, Error> {
        let bytes = from.spec().box_bytes();
        assert!(bytes <= MOST_BYTES);
        let kernel = self.module.kernel(&kind.name(from.spec().rank())).unwrap();
        let ranks = if kind == Kind::Multicast { CLUSTER } else { 1 };
        let mut out: Buffer<u8> = kernel.device().upload(&vec![0xa5; ranks * bytes])?;
        let mut launch = Launch::new(ranks as u32, 32).shared(1024 + bytes);
        if ranks > 1 {
            launch = launch.cluster(ranks as u32);
        }
        let five = |at: &[i32]| std::array::from_fn(|d| at.get(d).copied().unwrap_or(0));
        let (f, t): ([i32; 5], [i32; 5]) = (five(load), five(store));
        let (n, blocks) = (bytes as u32, u32::from(blocks));
        let [f0, f1, f2, f3, f4] = f;
        let [t0, t1, t2, t3, t4] = t;
        kernel.launch(
            &launch,
            (
                from, to, &mut out, n, blocks, f0, f1, f2, f3, f4, t0, t1, t2, t3, t4,
            ),
        )?;
        out.to_vec()
    }
}
