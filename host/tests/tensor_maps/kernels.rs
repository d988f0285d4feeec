//! A kernel for each rank: loads a box of one tensor through its map, writes it out as it lies in shared memory, and stores it
//! through the map of another tensor.

use host::{Device, Error, Kernel, Launch, Module, TensorMap};

/// Most bytes of a box in these tests.
const MOST_BYTES: usize = 64 << 10;

/// The module: `round_trip_1d` to `round_trip_5d`.
pub fn module() -> String {
    let mut text = ".version 8.0\n.target sm_90a\n.address_size 64\n\
                    .extern .shared .align 1024 .b8 smem[];\n"
        .to_owned();
    for rank in 1..=5 {
        let names =
            |letter: char| -> Vec<String> { (0..rank).map(|d| format!("{letter}{d}")).collect() };
        let (from, to) = (names('f'), names('t'));
        let both = || from.iter().chain(&to);
        let parameters: String = both().map(|c| format!(", .param .u32 p{c}")).collect();
        let registers: String = both().map(|c| format!(".reg .b32 %{c}; ")).collect();
        let loads: String = both()
            .map(|c| format!("ld.param.u32 %{c}, [p{c}]; "))
            .collect();
        let list = |names: &[String]| {
            let all: Vec<String> = names.iter().map(|c| format!("%{c}")).collect();
            all.join(", ")
        };
        text += &format!(
            ".visible .entry round_trip_{rank}d(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128], .param .u64 out, .param .u32 bytes{parameters})\n{{\n\
             .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<8>; {registers}\n{loads}\n\
             mov.b64 %d1, from; cvta.param.u64 %d1, %d1; mov.b64 %d2, to; cvta.param.u64 %d2, %d2;\n\
             ld.param.u64 %d3, [out]; cvta.to.global.u64 %d3, %d3; ld.param.u32 %r1, [bytes];\n\
             mov.u32 %r2, %tid.x; mov.u32 %r3, smem; add.u32 %r4, %r3, 1024; setp.eq.u32 %p1, %r2, 0;\n\
             @%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\n\
             @%p1 fence.mbarrier_init.release.cluster;\n\
             bar.sync 0;\n\
             @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], %r1;\n\
             @%p1 cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%d1, {{{load}}}], [%r3];\n\
             WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n\
             @!%p2 bra WAIT;\n\
             shl.b32 %r5, %r2, 2;\n\
             LOOP: setp.ge.u32 %p3, %r5, %r1; @%p3 bra READ;\n\
             add.u32 %r6, %r4, %r5; ld.shared.u32 %r7, [%r6];\n\
             cvt.u64.u32 %d4, %r5; add.u64 %d4, %d3, %d4; st.global.u32 [%d4], %r7;\n\
             add.u32 %r5, %r5, 128; bra LOOP;\n\
             READ: bar.sync 0; @!%p1 bra END;\n\
             cp.async.bulk.tensor.{rank}d.global.shared::cta.bulk_group [%d2, {{{store}}}], [%r4];\n\
             cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n\
             END: ret;\n}}\n",
            load = list(&from),
            store = list(&to),
        );
    }
    text
}

/// The kernels on a device.
pub struct RoundTrip {
    module: Module,
}

impl RoundTrip {
    pub fn new(device: &Device) -> Self {
        let module = device.load(&module()).unwrap_or_else(|e| panic!("{e}"));
        Self { module }
    }

    fn kernel(&self, rank: usize) -> Kernel {
        self.module.kernel(&format!("round_trip_{rank}d")).unwrap()
    }

    /// Loads the box of `from` at `load`, and stores it through `to` at `store`. Returns the box as it lay in shared memory.
    pub fn run(
        &self,
        from: &TensorMap<'_>,
        to: &TensorMap<'_>,
        load: &[i32],
        store: &[i32],
    ) -> Result<Vec<u8>, Error> {
        let bytes = from.spec().box_bytes();
        assert!(bytes <= MOST_BYTES);
        let kernel = self.kernel(from.spec().rank());
        let mut out = kernel.device().upload(&vec![0x5a_u8; bytes])?;
        let launch = Launch::new(1, 32).shared(1024 + bytes);
        let n = bytes as u32;
        let (l, s) = (load, store);
        match *load {
            [_] => kernel.launch(&launch, (from, to, &mut out, n, l[0], s[0])),
            [_, _] => kernel.launch(&launch, (from, to, &mut out, n, l[0], l[1], s[0], s[1])),
            [_, _, _] => kernel.launch(
                &launch,
                (from, to, &mut out, n, l[0], l[1], l[2], s[0], s[1], s[2]),
            ),
            [_, _, _, _] => kernel.launch(
                &launch,
                (
                    from, to, &mut out, n, l[0], l[1], l[2], l[3], s[0], s[1], s[2], s[3],
                ),
            ),
            _ => kernel.launch(
                &launch,
                (
                    from, to, &mut out, n, l[0], l[1], l[2], l[3], l[4], s[0], s[1], s[2], s[3],
                    s[4],
                ),
            ),
        }?;
        out.to_vec()
    }
}
