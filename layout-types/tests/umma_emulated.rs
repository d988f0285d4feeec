//! Checks that the emulator's tensor memory agrees with the types: its own table of places puts
//! every word where the atoms' layouts put it.
//!
//! ```text
//!   every word ◄── lane, column      ld, each shape and count ──► registers   ==   ValId(DstLayout(thread, bit))
//!   registers  ──► st, each shape and count ──► every word                    ==   the same
//!   A (m) and B (n)  ──► mma ──► words of D                                   ==   DLayout(m, n) has m + 256 n
//! ```
//!
//! The two are independent: the emulator's places are written down in `exec/tcgen05`, and the
//! types' places are CuTe's.

use emulator::{Config, Schedule};
use half::f16;
use host::{Device, Launch};
use layout_types::atom::CopyAtom;
use layout_types::atom::copy::*;
use layout_types::atom::gmma::LayoutKSw128Atom;
use layout_types::atom::mma::sm100::*;
use layout_types::atom::mma::{AtomD, AtomM, AtomN, HasTmemA, MajorK, MmaAtom, UmmaOp};
use layout_types::atom::tmem::fragment::CtaGroup;
use layout_types::atom::umma::UmmaOperand;
use layout_types::prelude::*;
use layout_types::typenum::*;
use std::fmt::Write;

fn device(schedule: Schedule) -> Device {
    Device::emulator_with(Config {
        compute_capability: (10, 0),
        schedule,
        ..Config::default()
    })
}

/// The number of columns of tensor memory.
const COLUMNS: usize = 512;
/// The value of a word of tensor memory that nothing was written to.
const EMPTY: u32 = 0xdead_0000;

/// Writes a module with a kernel of 128 threads that has allocated all 512 columns at `%base`. The
/// body may use `%tid`, `%lanes` (the warp's first lane as an address), `%out` and registers.
fn kernel(name: &str, body: &str) -> String {
    format!(
        ".visible .entry {name}(.param .u64 pin, .param .u64 pout)
.maxntid 128
{{
    .reg .b32 %r<128>, %a, %v, %c, %tid, %lanes, %base;
    .reg .b64 %q, %in, %out;
    .reg .pred %p, %zero;
    .shared .align 4 .b32 slot;
    ld.param.u64 %in, [pin];
    ld.param.u64 %out, [pout];
    cvta.to.global.u64 %in, %in;
    cvta.to.global.u64 %out, %out;
    mov.u32 %tid, %tid.x;
    shr.u32 %lanes, %tid, 5;
    shl.b32 %lanes, %lanes, 21;
    setp.lt.u32 %zero, %tid, 32;
    @!%zero bra TAKEN;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 512;
TAKEN:
    bar.sync 0;
    ld.shared.u32 %base, [slot];
    add.u32 %base, %base, %lanes;
{body}
    bar.sync 0;
    @!%zero bra DONE;
    sub.u32 %base, %base, %lanes;
    tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, 512;
DONE:
    ret;
}}
"
    )
}

/// Writes code that puts `lane << 9 | column` into each word if `numbers` is set, and else `EMPTY`.
fn fill(numbers: bool) -> String {
    let first = if numbers {
        "shl.b32 %v, %tid, 9;".into()
    } else {
        format!("mov.u32 %v, {EMPTY};")
    };
    format!(
        "    {first}
    mov.u32 %a, %base;
    mov.u32 %c, 0;
FILL:
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%a], {{%v}};
    add.u32 %v, %v, {};
    add.u32 %a, %a, 1;
    add.u32 %c, %c, 1;
    setp.lt.u32 %p, %c, {COLUMNS};
    @%p bra FILL;
    tcgen05.wait::st.sync.aligned;
",
        u32::from(numbers)
    )
}

/// Writes code that stores each word of the warp's lanes to `out[lane][column]`.
fn read_back() -> String {
    format!(
        "    mul.wide.u32 %q, %tid, {};
    add.u64 %out, %out, %q;
    mov.u32 %a, %base;
    mov.u32 %c, 0;
READ:
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%v}}, [%a];
    tcgen05.wait::ld.sync.aligned;
    st.global.u32 [%out], %v;
    add.u64 %out, %out, 4;
    add.u32 %a, %a, 1;
    add.u32 %c, %c, 1;
    setp.lt.u32 %p, %c, {COLUMNS};
    @%p bra READ;
",
        4 * COLUMNS
    )
}

const HEAD: &str = ".version 8.6\n.target sm_100a\n.address_size 64\n";

fn list(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|r| format!("%r{r}")).collect();
    names.join(", ")
}

/// Calls `$each!` with every shape, count and packing.
macro_rules! accesses {
    ($each:ident) => {
        accesses!(@ $each Dp32b32 U1 U2 U4 U8 U16 U32 U64 U128);
        accesses!(@ $each Dp16b64 U1 U2 U4 U8 U16 U32 U64 U128);
        accesses!(@ $each Dp16b32 U1 U2 U4 U8 U16 U32 U64 U128);
        accesses!(@ $each Dp16b128 U1 U2 U4 U8 U16 U32 U64);
        accesses!(@ $each Dp16b256 U1 U2 U4 U8 U16 U32);
    };
    (@ $each:ident $shape:ident $($n:ident)+) => {$(
        $each!($shape, $n, Whole32);
        $each!($shape, $n, Packed16);
    )+};
}

/// An access to tensor memory, as its types describe it.
struct Access {
    name: &'static str,
    ptx: &'static str,
    second: &'static str,
    registers: usize,
    packs: bool,
    lanes: usize,
    /// Returns lane and column of a thread's bit.
    place: fn(usize, usize) -> (usize, usize),
}
impl Access {
    fn of<A: TmemCopyAtom, Held: LayoutFn>() -> Self {
        Self {
            name: A::NAME,
            ptx: A::PTX,
            second: A::SECOND,
            registers: Held::SIZE / 1024,
            packs: A::NAME.ends_with("_16b"),
            lanes: A::Lanes::USIZE,
            place: |thread, bit| {
                let at: usize = A::ValId::index(Held::index(thread + 32 * bit));
                (at >> 21, at % (1 << 21) / 32)
            },
        }
    }

    /// Returns the number of lanes at which a warp's access may begin: its first lane, and for
    /// accesses to 16 lanes also the middle one.
    fn halves(&self) -> usize {
        32 / self.lanes
    }
}

#[test]
fn a_load_gives_each_register_what_the_layouts_say() {
    let mut loads = Vec::new();
    macro_rules! load {
        ($shape:ident, $n:ident, $pack:ident) => {
            type Load = TmemLoad<$shape, $n, $pack>;
            loads.push(Access::of::<Load, <Load as CopyAtom>::DstLayout>());
        };
    }
    macro_rules! each {
        ($shape:ident, $n:ident, $pack:ident) => {{
            load!($shape, $n, $pack);
        }};
    }
    accesses!(each);
    assert_eq!(loads.len(), 74);
    let mut text = String::from(HEAD);
    for load in &loads {
        let mut body = fill(true);
        for half in 0..load.halves() {
            let at = half << 20;
            let count = load.registers;
            write!(
                body,
                "    add.u32 %a, %base, {at};\n    {} {{{}}}, [%a]{};\n    tcgen05.wait::ld.sync.aligned;\n    \
                 mul.wide.u32 %q, %tid, {};\n    add.u64 %q, %out, %q;\n",
                load.ptx,
                list(count),
                load.second,
                4 * count
            )
            .unwrap();
            for r in 0..count {
                writeln!(
                    body,
                    "    st.global.u32 [%q+{}], %r{r};",
                    4 * (r + 128 * count * half)
                )
                .unwrap();
            }
        }
        text += &kernel(load.name, &body);
    }
    let device = device(Schedule::Late);
    let module = device.load(&text).unwrap();
    for load in &loads {
        let (count, halves) = (load.registers, load.halves());
        let none = device.upload(&[0u32]).unwrap();
        let mut out = device.upload(&vec![EMPTY; 128 * count * halves]).unwrap();
        let launch = Launch::new(1, 128);
        let run = module
            .kernel(load.name)
            .unwrap()
            .launch(&launch, (&none, &mut out));
        run.unwrap_or_else(|error| panic!("{}: {error}", load.name));
        let out = out.to_vec().unwrap();
        for (i, &found) in out.iter().enumerate() {
            let (half, thread, r) = (i / (128 * count), i / count % 128, i % count);
            let word = |bit| {
                let (lane, column) = (load.place)(thread % 32, bit);
                ((thread / 32 * 32 + 16 * half + lane) << 9 | column) as u32
            };
            let expected = match load.packs {
                true => word(32 * r) & 0xffff | word(32 * r + 16) << 16,
                false => word(32 * r),
            };
            assert_eq!(
                found, expected,
                "{}: thread {thread}, register {r}",
                load.name
            );
        }
    }
}

#[test]
fn a_store_puts_each_register_where_the_layouts_say() {
    let mut stores = Vec::new();
    macro_rules! each {
        ($shape:ident, $n:ident, $pack:ident) => {{
            type Store = TmemStore<$shape, $n, $pack>;
            stores.push(Access::of::<Store, <Store as CopyAtom>::SrcLayout>());
        }};
    }
    accesses!(each);
    let mut text = String::from(HEAD);
    for store in &stores {
        let mut body = fill(false);
        let count = store.registers;
        // Half h of register r of a thread is 2 (count thread + r) + h + 1.
        writeln!(
            body,
            "    and.b32 %v, %tid, 31;\n    mul.lo.u32 %v, %v, {};",
            2 * count
        )
        .unwrap();
        for r in 0..count {
            let number = if store.packs { 0x0002_0001 } else { 1 };
            let pairs = if store.packs { 0x0001_0001 } else { 1 };
            writeln!(
                body,
                "    mul.lo.u32 %r{r}, %v, {pairs};\n    add.u32 %r{r}, %r{r}, {};",
                number + 2 * r * pairs
            )
            .unwrap();
        }
        writeln!(
            body,
            "    {} [%base]{}, {{{}}};\n    tcgen05.wait::st.sync.aligned;",
            store.ptx,
            store.second,
            list(count)
        )
        .unwrap();
        body += &read_back();
        text += &kernel(store.name, &body);
    }
    let device = device(Schedule::Early);
    let module = device.load(&text).unwrap();
    for store in &stores {
        let none = device.upload(&[0u32]).unwrap();
        let mut out = device.upload(&vec![0u32; 128 * COLUMNS]).unwrap();
        let run = module
            .kernel(store.name)
            .unwrap()
            .launch(&Launch::new(1, 128), (&none, &mut out));
        run.unwrap_or_else(|error| panic!("{}: {error}", store.name));
        let mut expected = vec![EMPTY; 128 * COLUMNS];
        for (warp, thread, r) in (0..4)
            .flat_map(|w| (0..32).flat_map(move |t| (0..store.registers).map(move |r| (w, t, r))))
        {
            for half in 0..if store.packs { 2 } else { 1 } {
                let (lane, column) = (store.place)(thread, 32 * r + 16 * half);
                let value = 2 * (store.registers * thread + r) + half + 1;
                expected[(32 * warp + lane) * COLUMNS + column] = value as u32;
            }
        }
        let out = out.to_vec().unwrap();
        let wrong = (0..out.len()).find(|&i| out[i] != expected[i]);
        let at = wrong.map(|i| (i / COLUMNS, i % COLUMNS, out[i], expected[i]));
        assert_eq!(at, None, "{}: lane, column, found, expected", store.name);
    }
}

// -- Accumulators ---------------------------------------------------------------------------------

/// The extent K of f16 elements in a row of the swizzle.
type Line = int!(64);

/// Returns the bytes of an operand of `rows` rows in the tile's layout. Only `[0]` and `[1]` of
/// each row are set.
fn image<Tile: LayoutFn>(rows: usize, row: impl Fn(usize) -> [f32; 2]) -> Vec<u8> {
    let mut bytes = vec![0; 2 * Tile::SIZE];
    for (r, k) in (0..rows).flat_map(|r| (0..2).map(move |k| (r, k))) {
        let at: usize = Tile::index(r + rows * k);
        bytes[2 * at..][..2].copy_from_slice(&f16::from_f32(row(r)[k]).to_le_bytes());
    }
    bytes
}

/// Runs one product of an atom, and returns every word of tensor memory, lane by lane. A's row m is
/// (m, 1, 0, ..) and B's row n is (1, 256 n, 0, ..), so D is m + 256 n. `of_a` are the words of A
/// in tensor memory from column 256 on, or `None` if A is in shared memory.
fn product<A, TileA, TileB>(a: u64, b: u64, of_a: Option<Vec<u32>>) -> Vec<u32>
where
    A: UmmaOp,
    TileA: LayoutFn,
    TileB: LayoutFn,
{
    let ctas = <A::Group as CtaGroup>::Size::USIZE;
    let (m, n) = (
        <AtomM<A> as Unsigned>::USIZE / ctas,
        <AtomN<A> as Unsigned>::USIZE / ctas,
    );
    let (size_a, size_b) = (2 * TileA::SIZE, 2 * TileB::SIZE);
    let mut bytes = Vec::new();
    for cta in 0..ctas {
        bytes.extend(image::<TileA>(m, |r| [(cta * m + r) as f32, 1.0]));
        bytes.extend(image::<TileB>(n, |r| [1.0, 256.0 * (cta * n + r) as f32]));
    }
    let (pair, share) = (ctas == 2, size_a + size_b);
    let in_tmem = of_a.is_some();
    let line = A::LINE
        .replace("{d}", "%base")
        .replace("{a}", if in_tmem { "%a" } else { "%da" })
        .replace("{b}", "%db")
        .replace("{i}", &format!("{}", A::INSTRUCTION.bits()))
        .replace(", p;", ", %none;");
    let meet = match pair {
        true => "barrier.cluster.arrive.aligned;\n    barrier.cluster.wait.aligned;",
        false => "bar.sync 0;",
    };
    let commit = match pair {
        true => {
            "mov.u16 %both, 3;\n    tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [bar], %both;"
        }
        false => "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];",
    };
    let load_a: String = (0..if in_tmem { 8 } else { 0 })
        .map(|c| {
            format!(
                "    ld.global.u32 %v, [%in+{}];
    add.u32 %a, %base, {};
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%a], {{%v}};
",
                4 * c,
                256 + c
            )
        })
        .collect();
    let body = format!(
        "{fill}
    mov.u32 %rank, %cluster_ctarank;
    mul.wide.u32 %q, %rank, {share};
    add.u64 %q, %in, %q;
    mov.u32 %c, 0;
    mov.u32 %a, smem;
COPY:
    ld.global.u32 %v, [%q];
    st.shared.u32 [%a], %v;
    add.u64 %q, %q, 4;
    add.u32 %a, %a, 4;
    add.u32 %c, %c, 4;
    setp.lt.u32 %p, %c, {share};
    @%p bra COPY;
    // A of each lane lies behind the images.
    mul.wide.u32 %q, %rank, {of_a_bytes};
    add.u64 %in, %in, %q;
    mul.wide.u32 %q, %tid, 32;
    add.u64 %in, %in, %q;
    add.u64 %in, %in, {all};
{load_a}
    tcgen05.wait::st.sync.aligned;
    setp.eq.u32 %first, %tid, 0;
    @!%first bra MADE;
    mbarrier.init.shared.b64 [bar], 1;
    fence.mbarrier_init.release.cluster;
MADE:
    bar.warp.sync 0xffffffff;
    fence.proxy.async;
    tcgen05.fence::before_thread_sync;
    {meet}
    tcgen05.fence::after_thread_sync;
    or.b32 %v, %tid, %rank;
    setp.eq.u32 %first, %v, 0;
    setp.ne.u32 %none, 0, 0;
    // The window of dynamic shared memory begins behind the kernel's own variables.
    mov.u32 %v, smem;
    shr.u32 %v, %v, 4;
    cvt.u64.u32 %q, %v;
    add.u64 %da, %q, {a};
    add.u64 %db, %q, {b};
    add.u32 %a, %base, 256;
    @!%first bra ISSUED;
    {line}
    {commit}
ISSUED:
    bar.warp.sync 0xffffffff;
WAIT:
    mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
    @!%p bra WAIT;
    tcgen05.fence::after_thread_sync;
    mul.wide.u32 %q, %rank, {words};
    add.u64 %out, %out, %q;
{read}
    tcgen05.fence::before_thread_sync;
    {meet}
",
        fill = fill(false),
        read = read_back(),
        of_a_bytes = 128 * 32,
        all = ctas * share,
        words = 4 * 128 * COLUMNS,
    );
    let mut text = kernel("k", &body)
        .replace(".reg .pred ", ".reg .pred %first, %none, ")
        .replace(".reg .b64 ", ".reg .b64 %da, %db, ")
        .replace(".reg .b32 ", ".reg .b16 %both;\n    .reg .b32 %rank, ")
        .replace(
            ".shared .align 4 .b32 slot;",
            ".shared .align 4 .b32 slot;\n    .shared .align 8 .b64 bar;",
        );
    if pair {
        text = text
            .replace("cta_group::1", "cta_group::2")
            .replace(".maxntid 128", ".maxntid 128\n.reqnctapercluster 2")
            // Both CTAs have begun before they allocate.
            .replace(
                "    @!%zero bra TAKEN;",
                &format!("    {meet}\n    @!%zero bra TAKEN;"),
            );
    }
    let text = format!("{HEAD}.extern .shared .align 1024 .b8 smem[];\n{text}");
    for word in of_a.unwrap_or_default() {
        bytes.extend(word.to_le_bytes());
    }
    // One read of four bytes past the images stays inside the buffer.
    bytes.extend([0; 4]);
    let device = device(Schedule::Seeded(5));
    let source = device.upload(&bytes).unwrap();
    let mut out = device.upload(&vec![0u32; ctas * 128 * COLUMNS]).unwrap();
    let launch = Launch::new(ctas as u32, 128).shared(share);
    let module = device.load(&text).unwrap();
    let run = module
        .kernel("k")
        .unwrap()
        .launch(&launch, (&source, &mut out));
    run.unwrap_or_else(|error| panic!("{}: {error}\n{text}", <A as MmaAtom>::NAME));
    out.to_vec().unwrap()
}

/// Checks that every word of tensor memory, in each CTA, is D's by the atom's layout, or was not
/// written. `others` are columns that hold something else.
fn check<A: UmmaOp>(found: &[u32], others: std::ops::Range<usize>) {
    let ctas = <A::Group as CtaGroup>::Size::USIZE;
    let (m, n) = (
        <AtomM<A> as Unsigned>::USIZE / ctas,
        <AtomN<A> as Unsigned>::USIZE,
    );
    for (cta, found) in found.chunks(128 * COLUMNS).enumerate() {
        let mut expected = vec![EMPTY; 128 * COLUMNS];
        for (r, c) in (0..n).flat_map(|c| (0..m).map(move |r| (r, c))) {
            let at: usize = <AtomD<A>>::index(r + m * c);
            let value = (cta * m + r + 256 * c) as f32;
            expected[(at >> 16) * COLUMNS + (at & 0xffff)] = value.to_bits();
        }
        for i in 0..found.len() {
            let (lane, column) = (i / COLUMNS, i % COLUMNS);
            if !others.contains(&column) {
                let name = <A as MmaAtom>::NAME;
                assert_eq!(
                    found[i], expected[i],
                    "{name} {m}x{n}, CTA {cta}: lane {lane}, column {column}"
                );
            }
        }
    }
}

/// Returns the words of A in tensor memory, 8 for each lane, by the atom's layout.
fn words_of_a<A: HasTmemA>() -> Vec<u32> {
    let ctas = <A::Group as CtaGroup>::Size::USIZE;
    let m = <AtomM<A> as Unsigned>::USIZE / ctas;
    // A pair with 128 rows holds each row twice.
    let rows = <A::ALayoutInTmem>::SIZE / 16;
    let mut words = vec![0u32; ctas * 128 * 8];
    for (cta, r, k) in
        (0..ctas).flat_map(|cta| (0..rows).flat_map(move |r| (0..2).map(move |k| (cta, r, k))))
    {
        let at: usize = <A::ALayoutInTmem>::index(r + rows * k);
        let (lane, place) = (at >> 17, at & 0x1ffff);
        let value = [(cta * m + r % m) as f32, 1.0][k];
        let bits = u32::from(f16::from_f32(value).to_bits());
        words[(128 * cta + lane) * 8 + place / 2] |= bits << (16 * (place % 2));
    }
    words
}

macro_rules! products {
    ($($ss:ident $ts:ident $m:literal x $n:literal, $rows:literal $columns:literal;)+) => {$({
        type A = $ss<f16, f16, f32, int!($m), int!($n), MajorK, MajorK>;
        type T = $ts<f16, f16, f32, int!($m), int!($n), MajorK, MajorK>;
        type TileA = TileToShape<LayoutKSw128Atom<f16>, shape!(($rows, Line))>;
        type TileB = TileToShape<LayoutKSw128Atom<f16>, shape!(($columns, Line))>;
        let a = UmmaOperand::<TileA, f16, MajorK, int!($rows)>::descriptor(0, (0, 0), 0).bits();
        let b = UmmaOperand::<TileB, f16, MajorK, int!($columns)>::descriptor(2 * TileA::SIZE as u32, (0, 0), 0).bits();
        check::<A>(&product::<A, TileA, TileB>(a, b, None), 0..0);
        check::<T>(&product::<T, TileA, TileB>(a, b, Some(words_of_a::<T>())), 256..264);
    })+};
}

#[test]
fn a_product_puts_each_sum_where_the_accumulators_layout_says() {
    products! {
        Sm100_MMA_F16BF16_SS Sm100_MMA_F16BF16_TS 64 x 64, 64 64;
        Sm100_MMA_F16BF16_SS Sm100_MMA_F16BF16_TS 64 x 256, 64 256;
        Sm100_MMA_F16BF16_SS Sm100_MMA_F16BF16_TS 128 x 32, 128 32;
        Sm100_MMA_F16BF16_SS Sm100_MMA_F16BF16_TS 128 x 256, 128 256;
        Sm100_MMA_F16BF16_2x1SM_SS Sm100_MMA_F16BF16_2x1SM_TS 128 x 64, 64 32;
        Sm100_MMA_F16BF16_2x1SM_SS Sm100_MMA_F16BF16_2x1SM_TS 128 x 256, 64 128;
        Sm100_MMA_F16BF16_2x1SM_SS Sm100_MMA_F16BF16_2x1SM_TS 256 x 64, 128 32;
        Sm100_MMA_F16BF16_2x1SM_SS Sm100_MMA_F16BF16_2x1SM_TS 256 x 256, 128 128;
    }
}
