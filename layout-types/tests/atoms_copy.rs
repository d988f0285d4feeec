//! Compares copy atoms with CuTe's print and with the PTX ISA's figures.

mod atoms_records;

use atoms_records::{compare_layout, field, records};
use half::{bf16, f16};
use layout_types::LayoutFn;
use layout_types::atom::copy::*;
use layout_types::atom::element::{FloatE4M3, Int4, TFloat32, UInt1};
use layout_types::atom::{CopyFacts, Element, LayoutFacts};
use std::collections::BTreeMap;

macro_rules! facts {
    ($($cute:literal $op:ty: $($element:literal $t:ty),+;)*) => {
        vec![$($((concat!($cute, "/", $element), CopyFacts::of::<$op, $t>()),)+)*]
    };
}

/// Returns every atom with every element type that CuTe's records have.
fn atoms() -> Vec<(&'static str, CopyFacts)> {
    facts! {
        "UniversalCopy<u16>" UniversalCopy<u16>: "half_t" f16, "float" f32, "int8_t" i8;
        "UniversalCopy<u32>" UniversalCopy<u32>: "half_t" f16, "float" f32, "int8_t" i8;
        "UniversalCopy<u64>" UniversalCopy<u64>: "half_t" f16, "float" f32, "int8_t" i8;
        "UniversalCopy<u128>" UniversalCopy<u128>: "half_t" f16, "float" f32, "int8_t" i8;
        "SM80_CP_ASYNC_CACHEGLOBAL<u128>" Sm80_CP_ASYNC_CACHEGLOBAL<u128>: "half_t" f16, "float" f32, "int8_t" i8;
        "SM80_CP_ASYNC_CACHEALWAYS<u32>" Sm80_CP_ASYNC_CACHEALWAYS<u32>: "half_t" f16, "float" f32, "int8_t" i8;
        "SM75_U32x1_LDSM_N" Sm75_U32x1_LDSM_N: "half_t" f16, "float" f32, "int8_t" i8;
        "SM75_U32x2_LDSM_N" Sm75_U32x2_LDSM_N: "half_t" f16, "float" f32, "int8_t" i8;
        "SM75_U32x4_LDSM_N" Sm75_U32x4_LDSM_N: "half_t" f16, "float" f32, "int8_t" i8;
        "SM75_U16x2_LDSM_T" Sm75_U16x2_LDSM_T: "half_t" f16, "int8_t" i8;
        "SM75_U16x4_LDSM_T" Sm75_U16x4_LDSM_T: "half_t" f16, "int8_t" i8;
        "SM75_U16x8_LDSM_T" Sm75_U16x8_LDSM_T: "half_t" f16, "int8_t" i8;
        "SM90_U32x1_STSM_N" Sm90_U32x1_STSM_N: "half_t" f16, "float" f32, "int8_t" i8;
        "SM90_U32x2_STSM_N" Sm90_U32x2_STSM_N: "half_t" f16, "float" f32, "int8_t" i8;
        "SM90_U32x4_STSM_N" Sm90_U32x4_STSM_N: "half_t" f16, "float" f32, "int8_t" i8;
        "SM90_U16x2_STSM_T" Sm90_U16x2_STSM_T: "half_t" f16, "int8_t" i8;
        "SM90_U16x4_STSM_T" Sm90_U16x4_STSM_T: "half_t" f16, "int8_t" i8;
        "SM90_U16x8_STSM_T" Sm90_U16x8_STSM_T: "half_t" f16, "int8_t" i8;
    }
}

#[test]
fn every_record_of_cute_is_equal_as_printed_and_by_table() {
    let atoms: BTreeMap<_, _> = atoms().into_iter().collect();
    let mut seen = 0;
    for record in records(include_str!("data/atoms_copy.jsonl")) {
        let (what, cfg) = (field(&record, "what"), field(&record, "cfg"));
        let atom = atoms.get(cfg).unwrap_or_else(|| panic!("no atom {cfg}"));
        let layout = match what {
            "copy.ThrID" => &atom.thr_id,
            "copy.BitSrc" => &atom.bit_src,
            "copy.BitDst" => &atom.bit_dst,
            "copy.BitRef" => &atom.bit_ref,
            "copy.ValSrc" => &atom.val_src,
            "copy.ValDst" => &atom.val_dst,
            "copy.ValRef" => &atom.val_ref,
            other => panic!("{other}"),
        };
        compare_layout(layout, &record);
        seen += 1;
    }
    assert_eq!(seen, 7 * 48);
    assert_eq!(atoms.len(), 48);
}

/// Returns the place of a bit in an atom's matrices: (matrix, row, column) of its 16-bit element. A
/// row has 8 elements, which are 128 bits.
fn element(bit: usize) -> (usize, usize, usize) {
    (bit / 1024, bit / 128 % 8, bit / 16 % 8)
}

/// Compares an atom with the PTX ISA's figures. Lane `4 g + t` holds elements `(g, 2 t)` and
/// `(g, 2 t + 1)` of each matrix, or `(2 t, g)` and `(2 t + 1, g)` if `transposed`. Lane `l` gives
/// the address of row `l % 8` of matrix `l / 8`.
fn check_matrices(rows: &LayoutFacts, fragment: &LayoutFacts, matrices: usize, transposed: bool) {
    for lane in 0..32 {
        let (g, t) = (lane / 4, lane % 4);
        for value in 0..2 * matrices {
            let (matrix, low) = (value / 2, 2 * t + value % 2);
            let expected = if transposed {
                (matrix, low, g)
            } else {
                (matrix, g, low)
            };
            for bit in 0..16 {
                let at = (fragment.index)(lane + 32 * (16 * value + bit));
                assert_eq!(
                    (element(at), at % 16),
                    (expected, bit),
                    "{fragment} lane {lane} value {value}"
                );
            }
        }
        if lane < 8 * matrices {
            for column in 0..8 {
                let at = (rows.index)(lane + 32 * 16 * column);
                assert_eq!(
                    element(at),
                    (lane / 8, lane % 8, column),
                    "{rows} lane {lane}"
                );
            }
        }
    }
}

#[test]
fn matrix_loads_and_stores_are_the_figures_of_the_ptx_isa() {
    let mut seen = 0;
    for (name, atom) in atoms() {
        let (rows, fragment) = match (name.contains("LDSM"), name.contains("STSM")) {
            (true, _) => (&atom.bit_src, &atom.bit_dst),
            (_, true) => (&atom.bit_dst, &atom.bit_src),
            _ => continue,
        };
        let matrices = (1..=4)
            .find(|x| atom.ptx.contains(&format!(".x{x}.")))
            .unwrap();
        check_matrices(rows, fragment, matrices, atom.ptx.contains(".trans."));
        assert_eq!(atom.bit_ref.to_string(), fragment.to_string());
        seen += 1;
    }
    assert_eq!(seen, 30);
}

#[test]
fn movmatrix_transposes_the_matrix() {
    let atom = CopyFacts::of::<Sm75_U32x1_MOVM_T, f16>();
    for lane in 0..32 {
        for value in 0..2 {
            let (row, column) = (lane / 4, 2 * (lane % 4) + value);
            assert_eq!((atom.val_src.index)(lane + 32 * value), 8 * row + column);
            assert_eq!((atom.val_dst.index)(lane + 32 * value), 8 * column + row);
        }
    }
}

#[test]
fn a_thread_moves_at_most_128_bits_alone() {
    assert_eq!(
        CopyFacts::of::<AutoVectorizingCopy, u8>()
            .val_src
            .to_string(),
        "(1,16):(0,1)"
    );
    assert_eq!(
        CopyFacts::of::<DefaultCopy, f16>().val_src.to_string(),
        "(1,1):(0,1)"
    );
    assert_eq!(
        CopyFacts::of::<UniversalCopy<u8>, u8>().val_src.to_string(),
        "(1,1):(0,1)"
    );
    assert_eq!(
        CopyFacts::of::<Sm80_CP_ASYNC_CACHEALWAYS_ZFILL<u64>, f16>()
            .val_dst
            .to_string(),
        "(1,4):(0,1)"
    );
    assert_eq!(
        format!("{:?}", Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL::<u128>::default()),
        "SM80_CP_ASYNC_CACHEGLOBAL_ZFILL<b128>"
    );
}

/// The facts that the types state about an instruction and an element.
struct Fit {
    op: &'static str,
    bits: usize,
    /// Whether `Op: CopyValues<T>`.
    values: bool,
    /// Whether `Op: MovesElement<T>`.
    moves: bool,
    threads: usize,
    /// The layouts (thread, bit) of source, destination and fragment.
    sides: [LayoutFacts; 3],
}

/// Tells whether bounds hold: an inherent constant is found before a trait's.
struct Values<Op, T>(core::marker::PhantomData<(Op, T)>);
struct Moves<Op, T>(core::marker::PhantomData<(Op, T)>);
trait Otherwise {
    const HOLDS: bool = false;
}
impl<Op, T> Otherwise for Values<Op, T> {}
impl<Op, T> Otherwise for Moves<Op, T> {}
impl<Op: CopyValues<T>, T> Values<Op, T> {
    const HOLDS: bool = true;
}
impl<Op: MovesElement<T>, T> Moves<Op, T> {
    const HOLDS: bool = true;
}

macro_rules! fits {
    (@row $op:ty; $($t:ty),*) => {
        [$(Fit {
            op: stringify!($op),
            bits: <<$t as Element>::Bits as typenum::Unsigned>::USIZE,
            values: Values::<$op, $t>::HOLDS,
            moves: Moves::<$op, $t>::HOLDS,
            threads: <$op as CopyAtom>::ThrId::SIZE,
            sides: [
                LayoutFacts::of::<<$op as CopyAtom>::SrcLayout>(),
                LayoutFacts::of::<<$op as CopyAtom>::DstLayout>(),
                LayoutFacts::of::<<$op as CopyAtom>::RefLayout>(),
            ],
        }),*]
    };
    ($($op:ty),* $(,)?) => {
        [$(fits!(@row $op; UInt1, Int4, u8, FloatE4M3, f16, bf16, f32, TFloat32, i32, f64, u64, u128)),*]
    };
}

/// Whether every thread's side consists of whole elements, each of which begins at a multiple of
/// its size in the moved bits.
fn holds_whole_elements(fit: &Fit) -> bool {
    fit.sides.iter().all(|side| {
        let per_thread = side.size / fit.threads;
        per_thread.is_multiple_of(fit.bits)
            && (0..fit.threads).all(|thread| {
                (0..per_thread).all(|bit| {
                    let at = |bit: usize| (side.index)(thread + fit.threads * bit);
                    let first = at(bit / fit.bits * fit.bits);
                    first.is_multiple_of(fit.bits) && at(bit) == first + bit % fit.bits
                })
            })
    })
}

#[test]
fn an_instruction_moves_exactly_the_elements_that_no_thread_gets_a_part_of() {
    let fits = fits! {
        UniversalCopy<u8>, UniversalCopy<u16>, UniversalCopy<u32>, UniversalCopy<u64>, UniversalCopy<u128>,
        Sm80_CP_ASYNC_CACHEALWAYS<u32>, Sm80_CP_ASYNC_CACHEALWAYS<u64>, Sm80_CP_ASYNC_CACHEALWAYS<u128>,
        Sm80_CP_ASYNC_CACHEALWAYS_ZFILL<u32>, Sm80_CP_ASYNC_CACHEALWAYS_ZFILL<u64>,
        Sm80_CP_ASYNC_CACHEALWAYS_ZFILL<u128>, Sm80_CP_ASYNC_CACHEGLOBAL<u128>,
        Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL<u128>, DefaultCopy, AutoVectorizingCopyWithAssumedAlignment<32>,
        AutoVectorizingCopy, Sm75_U32x1_LDSM_N, Sm75_U32x2_LDSM_N, Sm75_U32x4_LDSM_N, Sm75_U16x2_LDSM_T,
        Sm75_U16x4_LDSM_T, Sm75_U16x8_LDSM_T, Sm75_U32x1_MOVM_T, Sm90_U32x1_STSM_N, Sm90_U32x2_STSM_N,
        Sm90_U32x4_STSM_N, Sm90_U16x2_STSM_T, Sm90_U16x4_STSM_T, Sm90_U16x8_STSM_T,
    };
    let mut counts = [0; 2];
    for fit in fits.as_flattened() {
        let (op, bits) = (fit.op, fit.bits);
        // The automatic copy, which follows the layouts, moves at least one element.
        let whole = holds_whole_elements(fit) || op.contains("Auto") || op.contains("DefaultCopy");
        assert_eq!(fit.moves, whole, "{op} of {bits} bits");
        // CuTe accepts the type of a `Copy_Atom` of one thread at any width, and refuses the copy.
        assert_eq!(fit.values, whole || fit.threads == 1, "{op} of {bits} bits");
        counts[usize::from(whole)] += 1;
    }
    assert_eq!(counts.iter().sum::<usize>(), 29 * 12);
    assert!(counts[0] >= 60 && counts[1] >= 200, "{counts:?}");
}
