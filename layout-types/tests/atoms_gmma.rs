//! Compares the canonical shared-memory atoms of `wgmma` with CuTe's print and with the swizzling
//! modes of the PTX ISA.

use half::{bf16, f16};
use layout_types::atom::Element;
use layout_types::atom::MmaAtom;
use layout_types::atom::element::{FloatE4M3, Int4, TFloat32};
use layout_types::atom::gmma::*;
use layout_types::atom::mma::sm90::*;
use layout_types::atom::mma::{MajorK, MajorMn, Registers};
use layout_types::prelude::*;
use std::collections::BTreeMap;

fn print<L: SwizzleInBytes<T::Bits, Output: std::fmt::Display + Default>, T: Element>() -> String {
    PtrFlagged::<L, T>::default().to_string()
}

macro_rules! atoms {
    ($($cute:literal $atom:ident),* $(,)?) => {
        BTreeMap::from([$(
            (concat!("Layout_", $cute, "_Atom/half_t"), print::<$atom<f16>, f16>()),
            (concat!("Layout_", $cute, "_Atom/float"), print::<$atom<f32>, f32>()),
            (concat!("Layout_", $cute, "_Atom/uint8_t"), print::<$atom<u8>, u8>()),
        )*])
    };
}

#[test]
fn every_record_of_cute_is_equal_as_printed() {
    let atoms = atoms! {
        "K_INTER" LayoutKInterAtom, "K_SW32" LayoutKSw32Atom, "K_SW64" LayoutKSw64Atom, "K_SW128" LayoutKSw128Atom,
        "MN_INTER" LayoutMnInterAtom, "MN_SW32" LayoutMnSw32Atom, "MN_SW64" LayoutMnSw64Atom, "MN_SW128" LayoutMnSw128Atom,
    };
    let mut seen = 0;
    for line in include_str!("data/atoms_gmma.jsonl").lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        // CuTe's stream operator shows the pointer's flag as a static 0, with its underscore.
        let expected = record["out"].as_str().unwrap().replace("_0", "0");
        assert_eq!(atoms[record["cfg"].as_str().unwrap()], expected, "{record}");
        seen += 1;
    }
    assert_eq!((seen, atoms.len()), (24, 24));
}

/// Checks an atom of eight rows of `line` bytes; `contiguous` is the mode along a row.
fn check<L, T>(line: usize, contiguous: usize)
where
    L: LayoutFn + SwizzleInBytes<T::Bits>,
    T: Element,
    PtrFlagged<L, T>: Bits,
{
    let bits = <T::Bits as typenum::Unsigned>::USIZE;
    let along = line * 8 / bits;
    assert_eq!(L::SIZE, 8 * along);
    let mut owned = vec![0; L::SIZE];
    for (k, r) in (0..8).flat_map(|r| (0..along).map(move |k| (k, r))) {
        let index = if contiguous == 0 {
            k + along * r
        } else {
            r + 8 * k
        };
        let offset: usize = L::index(index);
        // PTX ISA, swizzling modes: the bits of the byte address from bit 4 on are exclusive-ored
        // with those 3 bits higher, for as many bits as the numbers of a row's 16-byte chunks have.
        let bit = (r * along + k) * bits;
        let mask = line / 16 - 1;
        let swizzled = bit ^ ((bit >> (7 + 3) & mask) << 7);
        assert_eq!(offset * bits, swizzled, "line {line}: row {r}, element {k}");
        assert_eq!(PtrFlagged::<L, T>::bit(index), swizzled);
        owned[offset] += 1;
    }
    assert!(owned.iter().all(|&owners| owners == 1));
}

/// The bit at which a layout with CuTe's pointer flag places an element.
trait Bits {
    fn bit(index: usize) -> usize;
}
impl<F: OffsetMap, B: layout_types::num::Nat, L: LayoutFn> Bits for SmemPtrFlag<F, B, L> {
    fn bit(index: usize) -> usize {
        SmemPtrFlag::<F, B, L>::bit(index)
    }
}

macro_rules! check_all {
    ($($t:ty),*) => {$(
        check::<LayoutKInterAtom<$t>, $t>(16, 1);
        check::<LayoutKSw32Atom<$t>, $t>(32, 1);
        check::<LayoutKSw64Atom<$t>, $t>(64, 1);
        check::<LayoutKSw128Atom<$t>, $t>(128, 1);
        check::<LayoutMnInterAtom<$t>, $t>(16, 0);
        check::<LayoutMnSw32Atom<$t>, $t>(32, 0);
        check::<LayoutMnSw64Atom<$t>, $t>(64, 0);
        check::<LayoutMnSw128Atom<$t>, $t>(128, 0);
        // The aliases by majorness name the same types.
        let _: LayoutSw128Atom<$t, MajorK> = LayoutKSw128Atom::<$t>::default();
        let _: LayoutSw64Atom<$t, MajorK> = LayoutKSw64Atom::<$t>::default();
        let _: LayoutSw32Atom<$t, MajorMn> = LayoutMnSw32Atom::<$t>::default();
        let _: LayoutInterAtom<$t, MajorMn> = LayoutMnInterAtom::<$t>::default();
    )*};
}

#[test]
fn an_atom_is_the_swizzling_mode_of_the_instruction_whatever_the_element() {
    check_all!(f16, bf16, f32, TFloat32, f64, u8, FloatE4M3, Int4);
}

#[test]
fn a_tile_of_atoms_keeps_each_atom_whole() {
    type Smem = TileToShape<LayoutKSw128Atom<f16>, shape!((128, 64, 4))>;
    type Transposed = TileToShape<LayoutMnSw128Atom<f16>, shape!((128, 64, 4))>;
    for (m, k, stage) in
        (0..128usize).flat_map(|m| (0..64).flat_map(move |k| (0..4).map(move |s| (m, k, s))))
    {
        let atom = LayoutKSw128Atom::<f16>::at((m % 8, k));
        assert_eq!(Smem::at((m, k, stage)), atom + 512 * (m / 8) + 8192 * stage);
        let atom = LayoutMnSw128Atom::<f16>::at((m % 64, k % 8));
        assert_eq!(
            Transposed::at((m, k, stage)),
            atom + 512 * (m / 64) + 1024 * (k / 8) + 8192 * stage
        );
    }
}

/// Tells whether bounds hold: an inherent constant is found before a trait's.
struct Is<Atom>(core::marker::PhantomData<Atom>);
trait Otherwise {
    const AN_ATOM: bool = false;
}
impl<Atom> Otherwise for Is<Atom> {}
impl<Atom: MmaAtom> Is<Atom> {
    const AN_ATOM: bool = true;
}

macro_rules! widths {
    ($kind:ty: $($n:literal)*) => { [$(($n, Is::<Wgmma<$kind, int!($n), Shared>>::AN_ATOM)),*] };
    ($kind:ty) => {
        widths!($kind: 1 4 8 12 16 24 32 40 48 56 64 72 80 88 96 104 112 120 128 136 144 152 160 168 176 184 192 200 208
            216 224 232 240 248 256 264 272 512)
    };
}

#[test]
fn wgmma_has_the_widths_of_the_ptx_isa() {
    // PTX ISA, wgmma.mma_async, Matrix shape: "N" for .s8 and .u8.
    const INTEGERS: [i32; 18] = [
        8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256,
    ];
    for (n, holds) in widths!(F32F16F16).into_iter().chain(widths!(F32TF32TF32)) {
        assert_eq!(holds, n % 8 == 0 && n <= 256, "N = {n}");
    }
    for (n, holds) in widths!(S32S8S8)
        .into_iter()
        .chain(widths!(S32U8U8_SATURATE))
    {
        assert_eq!(holds, INTEGERS.contains(&n), "integers, N = {n}");
    }
}

macro_rules! majors {
    ($($kind:ty)*) => { [$((
        stringify!($kind),
        <<<$kind as WgmmaKind>::A as Element>::Bits as typenum::Unsigned>::USIZE,
        [
            Is::<Wgmma<$kind, int!(64), Shared, MajorK, MajorK>>::AN_ATOM,
            Is::<Wgmma<$kind, int!(64), Shared, MajorK, MajorMn>>::AN_ATOM,
            Is::<Wgmma<$kind, int!(64), Shared, MajorMn, MajorK>>::AN_ATOM,
            Is::<Wgmma<$kind, int!(64), Shared, MajorMn, MajorMn>>::AN_ATOM,
            Is::<Wgmma<$kind, int!(64), Registers, MajorK, MajorK>>::AN_ATOM,
            Is::<Wgmma<$kind, int!(64), Registers, MajorK, MajorMn>>::AN_ATOM,
            Is::<Wgmma<$kind, int!(64), Registers, MajorMn, MajorK>>::AN_ATOM,
            Is::<Wgmma<$kind, int!(64), Registers, MajorMn, MajorMn>>::AN_ATOM,
        ],
    )),*] };
}

#[test]
fn wgmma_reads_mn_major_operands_of_16_bits_out_of_shared_memory_only() {
    let kinds = majors! {
        F16F16F16 F32F16F16 F32BF16BF16 F32TF32TF32 F16E4M3E4M3 F16E4M3E5M2 F16E5M2E4M3 F16E5M2E5M2 F32E4M3E4M3
        F32E4M3E5M2 F32E5M2E4M3 F32E5M2E5M2 S32S8S8 S32S8U8 S32U8S8 S32U8U8 S32S8S8_SATURATE S32S8U8_SATURATE
        S32U8S8_SATURATE S32U8U8_SATURATE
    };
    for (kind, bits, atoms) in kinds {
        for (i, holds) in atoms.into_iter().enumerate() {
            let (registers, mn_a, mn_b) = (i & 4 != 0, i & 2 != 0, i & 1 != 0);
            let expected = (bits == 16 || !(mn_a || mn_b)) && !(registers && mn_a);
            assert_eq!(
                holds, expected,
                "{kind}: registers {registers}, MN-major {mn_a} {mn_b}"
            );
        }
    }
}
