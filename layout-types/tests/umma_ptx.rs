//! Assembles every `tcgen05.mma`, and every load, store and copy of tensor memory, with ptxas for
//! `sm_100a`. The text is that of the types.
//!
//! ```text
//!   UmmaKind::LINE   tcgen05.mma.cta_group::1.kind::f16 [{d}], {a}, {b}, {i}, p;     {i} of M, N, majors, formats
//!   UmmaOperand      {a}, {b}: descriptors of every swizzle that the tile can have
//!   TmemCopyAtom     tcgen05.ld.sync.aligned.32x32b.x8.b32 { .. }, [%at];
//! ```
//!
//! Types, M, N, majors, swizzles, the group of CTAs and the place of A together select the
//! instruction. `CUTLET_ALL_CASES=1` assembles all of them; otherwise one of each 64 is assembled,
//! and all loads, stores and copies. Without ptxas the text is only generated.

mod umma_rules;

use half::{bf16, f16};
use layout_types::atom::CopyAtom;
use layout_types::atom::copy::*;
use layout_types::atom::element::*;
use layout_types::atom::gmma::*;
use layout_types::atom::mma::sm100::*;
use layout_types::atom::mma::{MajorK, MajorMn};
use layout_types::atom::tmem::fragment::{OneSm, TwoSm};
use layout_types::atom::umma::{InstrDescriptor, UmmaOperand};
use layout_types::atom::{Element, RegisterArray};
use layout_types::num::{Bool, False, True};
use layout_types::prelude::*;
use layout_types::typenum::*;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use umma_rules::{Kind, Product};

/// Returns the path of ptxas, if there is one: `CUTLET_PTXAS`, or else the one on the `PATH`.
fn ptxas() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("CUTLET_PTXAS") {
        return Some(path.into());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join("ptxas"))
        .find(|path| path.is_file())
}

/// The number of instructions of a kernel.
const A_KERNEL: usize = 2000;

/// Returns ptxas's output for kernels of these instructions, or `None` if there is no ptxas.
fn said_of(name: &str, lines: &[String]) -> Option<String> {
    let mut text = String::from(".version 8.8\n.target sm_100a\n.address_size 64\n");
    for (i, lines) in lines.chunks(A_KERNEL).enumerate() {
        write!(
            text,
            ".visible .entry k{i}(.param .u32 at)\n{{\n.reg .pred p;\n.reg .b32 %t, %s, %i, %r<128>;\n\
             .reg .b64 %a, %b;\nld.param.u32 %t, [at];\nsetp.ne.u32 p, %t, 0;\n"
        )
        .unwrap();
        for line in lines {
            text += line;
            text.push('\n');
        }
        text += "ret;\n}\n";
    }
    let Some(ptxas) = ptxas() else {
        println!("no ptxas on the PATH or in CUTLET_PTXAS: {name} was not assembled");
        return None;
    };
    let input = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.ptx"));
    std::fs::write(&input, text).unwrap();
    let run = Command::new(&ptxas)
        .args(["-arch", "sm_100a", "-O0", "-o"])
        .arg(input.with_extension("cubin"))
        .arg(&input)
        .output()
        .expect("ptxas runs");
    let report = String::from_utf8_lossy(&run.stderr).trim().to_owned();
    assert_eq!(
        run.status.success(),
        !report.contains("error"),
        "{name}: {report}"
    );
    Some(report)
}

/// Assembles instructions, and checks that ptxas prints nothing. There are several runs, as ptxas
/// keeps all kernels of a run in memory.
fn assemble(name: &str, lines: &[String]) {
    for lines in lines.chunks(10 * A_KERNEL) {
        let said = said_of(name, lines).unwrap_or_default();
        let first: Vec<&str> = said.lines().take(20).collect();
        assert!(first.is_empty(), "{name}: {}", first.join("\n"));
    }
}

/// The instructions of a test: all of them, or one of each 64.
struct Lines {
    whole: bool,
    seen: usize,
    lines: Vec<String>,
}
impl Lines {
    fn new() -> Self {
        Self {
            whole: std::env::var_os("CUTLET_ALL_CASES").is_some(),
            seen: 0,
            lines: Vec::new(),
        }
    }

    fn push(&mut self, line: impl FnOnce() -> String) {
        if self.whole || self.seen.is_multiple_of(64) {
            self.lines.push(line());
        }
        self.seen += 1;
    }
}

/// The descriptors of an operand with elements `T`, in each layout of shared memory, K-major and
/// MN-major.
struct Operands {
    k: Vec<u64>,
    mn: Vec<u64>,
}
impl Operands {
    fn of(&self, mn: bool) -> &[u64] {
        if mn { &self.mn } else { &self.k }
    }
}

/// The descriptors of an element type: of 8 rows K-major, and of 128 rows MN-major.
trait HasOperands: Element {
    fn operands() -> Operands;
}
macro_rules! k_major {
    ($t:ty, $k:literal) => {
        vec![
            k_major!(@ LayoutKInterAtom, $t, $k),
            k_major!(@ LayoutKSw32Atom, $t, $k),
            k_major!(@ LayoutKSw64Atom, $t, $k),
            k_major!(@ LayoutKSw128Atom, $t, $k),
        ]
    };
    (@ $atom:ident, $t:ty, $k:literal) => {
        UmmaOperand::<TileToShape<$atom<$t>, shape!((128, $k))>, $t, MajorK, U8>::descriptor(1024, (0, 0), 0).bits()
    };
}
macro_rules! mn_major {
    ($t:ty: $($atom:ident)*) => {
        vec![$(
            UmmaOperand::<TileToShape<$atom<$t>, shape!((128, 64))>, $t, MajorMn, U128>::descriptor(1024, (0, 0), 0).bits()
        ),*]
    };
}
macro_rules! operands {
    ($($t:ty, $k:literal [$($mn:ident)*];)+) => {$(
        impl HasOperands for $t {
            fn operands() -> Operands {
                Operands { k: k_major!($t, $k), mn: mn_major!($t: $($mn)*) }
            }
        }
    )+};
}
operands! {
    f16, 64 [LayoutMnInterAtom LayoutMnSw32Atom LayoutMnSw64Atom LayoutMnSw128Atom];
    bf16, 64 [LayoutMnInterAtom LayoutMnSw32Atom LayoutMnSw64Atom LayoutMnSw128Atom];
    TFloat32, 32 [LayoutMnSw128Of32Atom];
    i8, 128 [LayoutMnInterAtom LayoutMnSw32Atom LayoutMnSw64Atom LayoutMnSw128Atom];
    u8, 128 [LayoutMnInterAtom LayoutMnSw32Atom LayoutMnSw64Atom LayoutMnSw128Atom];
    FloatE4M3, 128 [LayoutMnInterAtom LayoutMnSw32Atom LayoutMnSw64Atom LayoutMnSw128Atom];
    FloatE5M2, 128 [LayoutMnInterAtom LayoutMnSw32Atom LayoutMnSw64Atom LayoutMnSw128Atom];
    Unpacked<FloatE2M3>, 128 [];
    Unpacked<FloatE3M2>, 128 [];
    Unpacked<FloatE2M1>, 128 [];
    FloatE2M1, 256 [];
}

/// Adds the instructions of the types `K` with A in `S` for the group `G`, in every shape, major
/// and swizzle. Returns the number of atoms without counting swizzles.
fn products<K, S, G>(lines: &mut Lines, kind: Kind, pair: bool, tmem: bool) -> usize
where
    K: UmmaKind<S, G>,
    K::A: HasOperands,
    K::B: HasOperands,
{
    let (a, b) = (K::A::operands(), K::B::operands());
    let mn_a = <<K::A as UmmaElement>::MnMajor as Bool>::VALUE;
    let mn_b = <<K::B as UmmaElement>::MnMajor as Bool>::VALUE;
    assert_eq!((a.mn.is_empty(), b.mn.is_empty()), (!mn_a, !mn_b));
    let mut atoms = 0;
    let shapes = [64, 128, 256]
        .into_iter()
        .flat_map(|m| (1..=32).map(move |n| (m, 8 * n)));
    for (m, n) in shapes {
        for mn in [[false, false], [false, true], [true, false], [true, true]] {
            let product = Product {
                kind,
                m,
                n,
                pair,
                tmem,
                mn,
            };
            if !product.exists() || mn[0] && !mn_a || mn[1] && !mn_b {
                continue;
            }
            atoms += 1;
            let i = InstrDescriptor::of(K::FORMATS, mn, [m, n]).bits();
            // In tensor memory A has no swizzle.
            let of_a = if tmem { &[0][..] } else { a.of(mn[0]) };
            for (&a, &b) in of_a
                .iter()
                .flat_map(|a| b.of(mn[1]).iter().map(move |b| (a, b)))
            {
                lines.push(|| {
                    let line = K::LINE
                        .replace("{d}", "%t")
                        .replace("{a}", if tmem { "%s" } else { "%a" })
                        .replace("{b}", "%b")
                        .replace("{i}", "%i")
                        .replace("{sfa}", "%s")
                        .replace("{sfb}", "%s");
                    format!("mov.b32 %s, 256; mov.b64 %a, {a:#x}; mov.b64 %b, {b:#x}; mov.b32 %i, {i:#x}; {line}")
                });
            }
        }
    }
    atoms
}

/// Adds the instructions of plain types in both places of A.
macro_rules! plain {
    ($lines:ident $group:ident $pair:literal: $($kind:ident $types:ty;)+) => {
        0 $(
            + products::<$types, Shared, $group>(&mut $lines, Kind::$kind, $pair, false)
            + products::<$types, InTmem, $group>(&mut $lines, Kind::$kind, $pair, true)
        )+
    };
}
macro_rules! scaled {
    ($lines:ident $group:ident $pair:literal: $($kind:ident $types:ty;)+) => {
        0 $(+ products::<$types, Shared, $group>(&mut $lines, Kind::$kind, $pair, false))+
    };
}
/// Adds all pairs of floats of 8, 6 and 4 bits: plain ones with sums in f32 and f16, and scaled
/// ones.
macro_rules! narrow {
    ($lines:ident $group:ident $pair:literal) => {
        narrow!(@ $lines $group $pair FloatE4M3)
            + narrow!(@ $lines $group $pair FloatE5M2)
            + narrow!(@ $lines $group $pair Unpacked<FloatE2M3>)
            + narrow!(@ $lines $group $pair Unpacked<FloatE3M2>)
            + narrow!(@ $lines $group $pair Unpacked<FloatE2M1>)
    };
    (@ $lines:ident $group:ident $pair:literal $a:ty) => {
        narrow!(@ $lines $group $pair $a, FloatE4M3)
            + narrow!(@ $lines $group $pair $a, FloatE5M2)
            + narrow!(@ $lines $group $pair $a, Unpacked<FloatE2M3>)
            + narrow!(@ $lines $group $pair $a, Unpacked<FloatE3M2>)
            + narrow!(@ $lines $group $pair $a, Unpacked<FloatE2M1>)
    };
    (@ $lines:ident $group:ident $pair:literal $a:ty, $b:ty) => {
        plain!($lines $group $pair: F8f6f4 F8f6f4<$a, $b, f32>; F8f6f4 F8f6f4<$a, $b, f16>;)
            + scaled!($lines $group $pair: Mxf8f6f4 Mxf8f6f4<$a, $b, f32, FloatUE8M0>;)
    };
}
macro_rules! every {
    ($lines:ident $group:ident $pair:literal) => {
        plain!($lines $group $pair:
            F16 F16bf16<f16, f16, f32>; F16 F16bf16<f16, f16, f16>; F16 F16bf16<bf16, bf16, f32>;
            Tf32 Tf32<TFloat32, TFloat32, f32>;
            I8 S8<i8, i8, i32, False>; I8 S8<i8, u8, i32, False>; I8 S8<u8, i8, i32, False>; I8 S8<u8, u8, i32, False>;
            I8 S8<i8, i8, i32, True>; I8 S8<i8, u8, i32, True>; I8 S8<u8, i8, i32, True>; I8 S8<u8, u8, i32, True>;
        ) + scaled!($lines $group $pair:
            Mxf4 Mxf4<FloatE2M1, FloatE2M1, f32, FloatUE8M0, U32>;
            Mxf4 Mxf4<FloatE2M1, FloatE2M1, f32, FloatUE8M0, U16>;
            Mxf4 Mxf4<FloatE2M1, FloatE2M1, f32, FloatUE4M3, U16>;
        ) + narrow!($lines $group $pair)
    };
}

#[test]
fn the_assembler_takes_every_product() {
    // A function has only one `.cta_group`.
    let (mut one, mut pair) = (Lines::new(), Lines::new());
    let atoms = [every!(one OneSm false), every!(pair TwoSm true)];
    println!(
        "{atoms:?} atoms, {:?} with the swizzles, of which {:?} are assembled",
        [one.seen, pair.seen],
        [one.lines.len(), pair.lines.len()]
    );
    assemble("umma_one", &one.lines);
    assemble("umma_pair", &pair.lines);
}

/// Writes a load or a store of an atom, with the registers from 0 on.
fn access<A: TmemCopyAtom>() -> String {
    let registers: Vec<String> = (0..A::Registers::COUNT).map(|i| format!("%r{i}")).collect();
    let list = format!("{{{}}}", registers.join(", "));
    if A::PTX.starts_with("tcgen05.ld") {
        format!("{} {list}, [%t]{};", A::PTX, A::SECOND)
    } else {
        format!("{} [%t]{}, {list};", A::PTX, A::SECOND)
    }
}

#[test]
fn the_assembler_takes_every_copy() {
    let mut lines = Vec::new();
    macro_rules! accesses {
        ($($shape:ident [$($n:ident)+])+) => {$($(
            lines.push(access::<TmemLoad<$shape, $n, Whole32>>());
            lines.push(access::<TmemLoad<$shape, $n, Packed16>>());
            lines.push(access::<TmemStore<$shape, $n, Whole32>>());
            lines.push(access::<TmemStore<$shape, $n, Packed16>>());
        )+)+};
    }
    accesses! {
        Dp32b32 [U1 U2 U4 U8 U16 U32 U64 U128] Dp16b64 [U1 U2 U4 U8 U16 U32 U64 U128]
        Dp16b32 [U1 U2 U4 U8 U16 U32 U64 U128] Dp16b128 [U1 U2 U4 U8 U16 U32 U64] Dp16b256 [U1 U2 U4 U8 U16 U32]
    }
    assert_eq!(lines.len(), 148);
    // Loads come first, and fill the registers that stores read.
    lines.sort_by_key(|line| line.starts_with("tcgen05.st"));
    assemble("tmem_accesses", &lines);
    macro_rules! copies {
        ($($shape:ident)+) => {
            [$([
                <Utccp<$shape, OneSm> as CopyAtom>::PTX,
                <Utccp<$shape, TwoSm> as CopyAtom>::PTX,
            ]),+]
        };
    }
    let copies = copies!(Dp128b256 Dp128b128 Dp4b256 Dp4x32b128 Dp2x64Lw02_13 Dp2x64Lw01_23);
    for (group, name) in ["utccp_one", "utccp_pair"].into_iter().enumerate() {
        let of = |copy: &[&str; 2]| format!("mov.b64 %a, 0; {} [%t], %a;", copy[group]);
        assemble(name, &copies.iter().map(of).collect::<Vec<_>>());
    }
}

/// Checks that ptxas refuses planted faults, so that its silence means something.
#[test]
fn planted_faults_are_refused() {
    let line = <F16bf16<f16, f16, f32> as UmmaKind<Shared, OneSm>>::LINE
        .replace("{d}", "%t")
        .replace("{b}", "%b")
        .replace("{i}", "%i");
    let pair = <Utccp<Dp128b256, TwoSm> as CopyAtom>::PTX;
    let faults = [
        (
            "a descriptor of 32 bits",
            vec![line.replace("{a}", "%t")],
            "Arguments mismatch",
        ),
        (
            "two groups of CTAs in a kernel",
            vec![line.replace("{a}", "%a"), format!("{pair} [%t], %a;")],
            "not allowed",
        ),
        (
            "registers too few",
            vec![access::<TmemLoad<Dp32b32, U8, Whole32>>().replace(", %r7", "")],
            "",
        ),
    ];
    for (fault, lines, expected) in faults {
        if let Some(said) = said_of("planted", &lines) {
            assert!(
                said.contains("error") && said.contains(expected),
                "{fault}: {said}"
            );
        }
    }
}
