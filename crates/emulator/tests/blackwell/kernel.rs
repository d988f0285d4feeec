//! The kernel that the tests vary: one block of 128 threads, one product, its sums to global
//! memory.

use super::common::{Arg, Bench};
use emulator::{Config, Launch, LaunchError};

/// A launch of a module: one block, or the two of a pair.
pub struct Run<'a> {
    pub text: &'a str,
    pub config: Config,
    pub blocks: usize,
    /// A's and B's places of all blocks.
    pub places: [&'a [u8]; 2],
    pub descriptors: [u64; 2],
    pub instruction: u32,
}

impl Run<'_> {
    /// Launches the kernel and returns the words of D in all blocks, 256 for each lane. `more`
    /// returns further arguments, given the addresses of the buffers of A and B.
    pub fn launch(&self, more: impl Fn([u64; 2]) -> Vec<Arg>) -> Result<Vec<u32>, LaunchError> {
        let bench = Bench::with(self.text, self.config.clone());
        let buffers = self.places.map(|place| bench.bytes(place));
        let words = self.blocks * 128 * 256;
        let out = bench.words(&vec![0xdead_beef; words]);
        let launch = Launch {
            grid: [self.blocks as u32, 1, 1],
            block: [128, 1, 1],
            dynamic_shared: 2 * PLACE,
        };
        let [pa, pb] = buffers;
        let [da, db] = self.descriptors;
        let mut arguments = Vec::from([pa, pb, out, da, db].map(Arg::U64));
        arguments.push(Arg::U32(self.instruction));
        arguments.extend(more(buffers));
        bench.launch_with("k", launch, &arguments)?;
        Ok(bench.read_words(out, words))
    }

    /// Launches the kernel and returns the text of the fault as the error if the emulator finds
    /// one.
    pub fn finding(&self, more: impl Fn([u64; 2]) -> Vec<Arg>) -> Result<(), String> {
        match self.launch(more) {
            Ok(_) => Ok(()),
            Err(LaunchError::Fault(fault)) => Err(fault.to_string()),
            Err(other) => panic!("{other}"),
        }
    }
}

/// Returns no further arguments.
pub fn none(_: [u64; 2]) -> Vec<Arg> {
    Vec::new()
}

/// The kernel's parts, each a text that a test may replace.
#[derive(Clone)]
pub struct Kernel {
    pub setup: String,
    pub load_a: String,
    pub before: String,
    pub fence: String,
    pub products: String,
    pub commit: String,
    pub wait: String,
    pub read: String,
    pub after_read: String,
    pub end: String,
    /// Columns that are allocated.
    pub columns: u32,
}

/// Bytes of each operand's place in shared memory.
pub const PLACE: usize = 65536;

impl Kernel {
    /// Returns the kernel without mistakes, for products of a kind with `n` columns. It computes
    /// D = A B and then D = A B + D. Each warp reads `halves` halves of 16 lanes. A comes from
    /// tensor memory or from shared memory.
    pub fn new(kind: &str, n: usize, halves: usize, a_in_tensor: bool) -> Self {
        let a = if a_in_tensor { "[%acol]" } else { "%da" };
        let load_a = match a_in_tensor {
            false => String::new(),
            true => "
    shl.b32 %t0, %tid, 5;
    cvt.u64.u32 %q0, %t0;
    add.u64 %q0, %pa, %q0;
    ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%q0];
    ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%q0+16];
    add.u32 %t1, %acol, %wlane;
    tcgen05.st.sync.aligned.32x32b.x8.b32 [%t1], {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7};
    tcgen05.wait::st.sync.aligned;
    tcgen05.fence::before_thread_sync;"
                .to_owned(),
        };
        let mut read = String::new();
        for half in 0..halves {
            for c in (0..n).step_by(8) {
                let at = half << 20 | c;
                read += &format!(
                    "
    add.u32 %t1, %base, %wlane;
    add.u32 %t1, %t1, {at};
    tcgen05.ld.sync.aligned.16x256b.x1.b32 {{%r0, %r1, %r2, %r3}}, [%t1];
    tcgen05.wait::ld.sync.aligned;
    st.global.v2.u32 [%out+{o0}], {{%r0, %r1}};
    st.global.v2.u32 [%out+{o1}], {{%r2, %r3}};",
                    o0 = 4 * (256 * 16 * half + c),
                    o1 = 4 * (256 * (16 * half + 8) + c),
                );
            }
        }
        Kernel {
            setup: "
    mbarrier.init.shared.b64 [bar], 1;
    fence.mbarrier_init.release.cluster;"
                .to_owned(),
            load_a,
            before: "
    fence.proxy.async;
    bar.sync 0;"
                .to_owned(),
            fence: "
    tcgen05.fence::after_thread_sync;"
                .to_owned(),
            products: format!(
                "
    tcgen05.mma.cta_group::1.kind::{kind} [%base], {a}, %db, %idesc, %none;
    tcgen05.mma.cta_group::1.kind::{kind} [%base], {a}, %db, %idesc, %all;"
            ),
            commit: "
    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];"
                .to_owned(),
            wait: "
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
    @!%p bra WAIT;
    tcgen05.fence::after_thread_sync;"
                .to_owned(),
            read,
            after_read: "
    tcgen05.fence::before_thread_sync;
    bar.sync 0;"
                .to_owned(),
            end: "
    tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, COLUMNS;"
                .to_owned(),
            columns: 512,
        }
    }

    /// Returns the text of the whole module.
    pub fn ptx(&self) -> String {
        let Kernel {
            setup,
            load_a,
            before,
            fence,
            products,
            commit,
            wait,
            read,
            after_read,
            end,
            columns,
        } = self;
        format!(
            ".version 8.6
.target sm_100a
.address_size 64

.extern .shared .align 1024 .b8 smem[];

.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pout, .param .u64 pda, .param .u64 pdb, .param .u32 pi)
.maxntid 128
{{
    .reg .b32 %r<16>, %t<8>, %tid, %warp, %wlane, %base, %acol, %idesc;
    .reg .b64 %q<8>, %pa, %pb, %out, %da, %db;
    .reg .pred %p, %first, %zero, %none, %all;
    .shared .align 8 .b64 bar;
    .shared .align 4 .b32 slot;

    ld.param.u64 %pa, [pa];
    ld.param.u64 %pb, [pb];
    ld.param.u64 %out, [pout];
    ld.param.u64 %da, [pda];
    ld.param.u64 %db, [pdb];
    ld.param.u32 %idesc, [pi];
    cvta.to.global.u64 %pa, %pa;
    cvta.to.global.u64 %pb, %pb;
    cvta.to.global.u64 %out, %out;
    mov.u32 %tid, %tid.x;
    shr.u32 %warp, %tid, 5;
    shl.b32 %wlane, %warp, 21;
    setp.eq.u32 %zero, %warp, 0;
    setp.eq.u32 %first, %tid, 0;
    setp.ne.u32 %none, 0, 0;
    setp.eq.u32 %all, 0, 0;
    // Thread t's places: row 32 w + t / 4, column 2 (t mod 4).
    and.b32 %t0, %tid, 31;
    shr.u32 %t1, %t0, 2;
    shl.b32 %t2, %warp, 5;
    add.u32 %t1, %t1, %t2;
    shl.b32 %t1, %t1, 8;
    and.b32 %t2, %t0, 3;
    shl.b32 %t2, %t2, 1;
    add.u32 %t1, %t1, %t2;
    mul.wide.u32 %q0, %t1, 4;
    add.u64 %out, %out, %q0;

    mov.u32 %t3, smem;
    shl.b32 %t0, %tid, 2;
COPY:
    cvt.u64.u32 %q0, %t0;
    add.u64 %q1, %pa, %q0;
    add.u64 %q2, %pb, %q0;
    ld.global.u32 %r0, [%q1];
    ld.global.u32 %r1, [%q2];
    add.u32 %t1, %t3, %t0;
    st.shared.u32 [%t1], %r0;
    st.shared.u32 [%t1+{PLACE}], %r1;
    add.u32 %t0, %t0, 512;
    setp.lt.u32 %p, %t0, {PLACE};
    @%p bra COPY;

    @!%first bra MADE;{setup}
MADE:
    bar.warp.sync 0xffffffff;
    @!%zero bra ALLOCATED;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], {columns};
ALLOCATED:
    bar.sync 0;
    ld.shared.u32 %base, [slot];
    add.u32 %acol, %base, 256;{load_a}{before}{fence}
    @!%first bra ISSUED;{products}{commit}
ISSUED:
    bar.warp.sync 0xffffffff;{wait}{read}{after_read}
    @!%zero bra DONE;{end}
DONE:
    ret;
}}
",
            end = end.replace("COLUMNS", &columns.to_string()),
        )
    }
}

/// The barrier behind which both blocks of a pair have begun.
pub const BEGUN: &str = "    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    // Both have begun.
";

/// Bytes of D of one block.
const OF_D: usize = 4 * 128 * 256;

impl Kernel {
    /// Returns the kernel for a pair of blocks. The operands and D of the odd block follow those of
    /// the even block in global memory. The first thread of the even block multiplies for both
    /// blocks and commits at both.
    pub fn pair(mut self) -> Self {
        let meet = "
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;";
        self.before = format!("\n    fence.proxy.async;{meet}");
        self.commit = "
    mov.u16 %both, 3;
    tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [bar], %both;"
            .to_owned();
        self.after_read = format!("\n    tcgen05.fence::before_thread_sync;{meet}");
        self
    }

    /// Returns the text of the module for a pair.
    pub fn pair_ptx(&self) -> String {
        let own = format!(
            "    mov.u32 %tid, %tid.x;
    mov.u32 %rank, %cluster_ctarank;
    mul.wide.u32 %q0, %rank, {PLACE};
    add.u64 %pa, %pa, %q0;
    add.u64 %pb, %pb, %q0;
    mul.wide.u32 %q0, %rank, {OF_D};
    add.u64 %out, %out, %q0;
    or.b32 %t0, %tid, %rank;
    setp.eq.u32 %leader, %t0, 0;"
        );
        self.ptx()
            .replace("cta_group::1", "cta_group::2")
            .replace(".maxntid 128", ".maxntid 128\n.reqnctapercluster 2")
            .replace("    mov.u32 %tid, %tid.x;", &own)
            .replace(".reg .b32 ", ".reg .b16 %both;\n    .reg .b32 %rank, ")
            .replace(".reg .pred ", ".reg .pred %leader, ")
            .replace("@!%first bra ISSUED;", "@!%leader bra ISSUED;")
            .replace(
                "    mov.u32 %t3, smem;",
                &format!("{BEGUN}    mov.u32 %t3, smem;"),
            )
    }
}
