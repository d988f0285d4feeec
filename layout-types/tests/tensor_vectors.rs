//! Compares the vectors of a thread's part of a tensor, as the types derive them, with every
//! offset, and with CuTe's hgemm.

use layout_types::algebra::runs::RunTree;
use layout_types::atom::copy::*;
use layout_types::atom::mma::Sm80_16x8x16_F16F16F16F16_TN;
use layout_types::notation::Described;
use layout_types::num::Bool;
use layout_types::prelude::*;
use layout_types::tiled::*;
use typenum::Unsigned;

/// The facts that the types state about a part and a vector.
struct Claim {
    part: Described,
    atom_values: i64,
    vector: i64,
    holds: bool,
}

/// Whether every vector of a part is contiguous and begins at a multiple of its length, for every
/// base that is such a multiple.
fn brute_force(claim: &Claim) -> bool {
    let (v, size) = (claim.vector, claim.part.node.size());
    if claim.atom_values % v != 0 {
        return false;
    }
    (0..1024 / v).all(|block| {
        let at = |i| {
            claim
                .part
                .outer
                .apply(block * v + claim.part.node.offset(i))
        };
        (0..size / v)
            .all(|k| at(k * v).rem_euclid(v) == 0 && (1..v).all(|j| at(k * v + j) == at(k * v) + j))
    })
}

macro_rules! claims {
    ($($part:ty, $values:literal;)*) => {
        vec![$(claims!(@one $part, $values, U1), claims!(@one $part, $values, U2), claims!(@one $part, $values, U4),
            claims!(@one $part, $values, U8), claims!(@one $part, $values, U16)),*]
    };
    (@one $part:ty, $values:literal, $v:ident) => {{
        type P = $part;
        type V = typenum::$v;
        Claim {
            part: P::DESCRIBED,
            atom_values: $values,
            vector: V::I64,
            holds: <IsContiguous<P, V> as Bool>::VALUE
                && <IsAligned<P, V> as Bool>::VALUE
                && <IsUnparted<P, V> as Bool>::VALUE,
        }
    }};
}
type Behind<const B: usize, const M: usize, L> = Composition<Swizzle<B, M, 3>, L>;

#[test]
fn types_are_the_definition() {
    let claims = claims! {
        layout!(((8,1),4,2):((1,0),1024,16)), 8;
        layout!(((8,1),4,2):((1,0),1024,20)), 8;
        layout!(((8,1),4,2):((1,0),1022,16)), 8;
        layout!(((8,2),4,2):((1,12),1024,16)), 8;
        layout!((((2,2),2),4):(((1,16),256),32)), 4;
        layout!((((2,4),2),4):(((1,2),256),32)), 8;
        layout!((((4,2),2),4):(((1,2),256),32)), 8;
        layout!((((2,2),1),1):(((1,6),0),0)), 4;
        layout!((((4,2),1),1):(((1,8),0),0)), 8;
        layout!((((1,8),1),1):(((7,1),3),5)), 8;
        layout!(((8,1),4,1):((1,0),1024,7)), 8;
        layout!(((8,1),4,2):((2,0),1024,16)), 8;
        layout!(((8,1),4,2):((0,1),1024,16)), 8;
        layout!(((8,1),4,2):((-1,0),1024,16)), 8;
        layout!(((8,1),4,2):((1,0),-1024,16)), 8;
        layout!(((8,1),4,2):((1,0),-1020,16)), 8;
        layout!(((6,1),4):((1,0),6)), 6;
        layout!((8,4):(1,8)), 8;
        layout!(16:1), 16;
        layout!(1:0), 1;
        Behind<3, 3, layout!(((8,1),4,2):((1,0),64,16))>, 8;
        Behind<3, 2, layout!(((8,1),4,2):((1,0),64,16))>, 8;
        Behind<2, 0, layout!(((8,1),4,2):((1,0),64,16))>, 8;
        Behind<3, 4, layout!(((16,1),2):((1,0),32))>, 16;
        Behind<3, 3, layout!((((2,2),2),1):(((1,16),256),0))>, 4;
        Composition<Swizzle<2, 3, -3>, layout!(((8,1),4,2):((1,0),64,16))>, 8;
        Composition<Swizzle<2, 2, -3>, layout!(((8,1),4,2):((1,0),64,16))>, 8;
        ComposedLayout<Swizzle<2, 3, 3>, int!(4), layout!(((8,1),4,2):((1,0),64,16))>, 8;
        ComposedLayout<Swizzle<2, 3, 3>, int!(24), layout!(((8,1),4,2):((1,0),64,16))>, 8;
        ComposedLayout<Swizzle<0, 0, 0>, int!(4), layout!(((8,1),4,2):((1,0),64,16))>, 8;
    };
    let mut counts = [0, 0];
    for claim in &claims {
        assert_eq!(
            claim.holds,
            brute_force(claim),
            "{} by {}",
            claim.part,
            claim.vector
        );
        counts[usize::from(claim.holds)] += 1;
    }
    // Both answers occur, so that neither answer is right by chance.
    assert_eq!(counts, [63, 87], "refused, held");
}

#[test]
fn along_a_basis_only_its_own_mode_counts() {
    fn vector<P: LayoutFn, V: layout_types::num::Nat>() -> bool {
        <IsContiguous<P, V> as Bool>::VALUE && <IsAligned<P, V> as Bool>::VALUE
    }
    type V8 = int!(8);
    assert!(vector::<layout!(((8,1),4,2):((1@1,0),5@0,32@1)), V8>());
    assert!(!vector::<layout!(((8,1),4,2):((1@1,0),5@0,36@1)), V8>());
    assert!(!vector::<layout!(((8,1),4,2):((1@1,0),5@1,32@1)), V8>());
    assert!(!vector::<layout!(((8,1),4,2):((2@1,0),5@0,32@1)), V8>());
    assert!(!vector::<layout!((((4,2),1),4):(((1@1,4@0),0),8@1)), V8>());
    assert!(!vector::<layout!(((8,1),4):((1@0@1,0),12@0@1)), V8>());
    assert!(vector::<layout!(((8,1),4):((1@0@1,0),12@1@1)), V8>());
    assert!(!vector::<layout!(((8,1),4):((1@0,0),12)), V8>());
    assert!(vector::<layout!(((8,1),4):((2@1,0),5@0)), int!(1)>());
}

type Mma = TiledMma<Sm80_16x8x16_F16F16F16F16_TN, layout!((2, 2, 1)), tile!(32, 32, 16)>;
type Smem =
    TileToShape<Composition<Swizzle<3, 3, 3>, layout!((8,32):(32,1))>, shape!((128, 32, 3))>;
type SmemC =
    TileToShape<Composition<Swizzle<2, 3, 3>, layout!((32,32):(32,1))>, shape!((32, 32, 2))>;
type ByRows<Op> = MakeTiledCopy<Op, half::f16, layout!((32,4):(4,1)), layout!((1, 8))>;

#[test]
fn the_hgemm_moves_whole_vectors() {
    fn vector<C: CopiesVectors<Side, L>, Side, L>() -> usize {
        C::Vector::USIZE
    }
    type G2s = ByRows<Sm80_CP_ASYNC_CACHEGLOBAL<u128>>;
    assert_eq!(vector::<G2s, Source, layout!((128,32,8):(256,1,32))>(), 8);
    assert_eq!(
        vector::<G2s, Source, layout!((128,32,8):(1@0,1@1,32@1))>(),
        8
    );
    assert_eq!(vector::<G2s, Destination, Smem>(), 8);
    type S2rA = MakeTiledCopyA<Sm75_U32x4_LDSM_N, half::f16, Mma>;
    assert_eq!(vector::<S2rA, Source, Smem>(), 8);
    type S2rB = MakeTiledCopyB<Sm75_U32x4_LDSM_N, half::f16, Mma>;
    assert_eq!(vector::<S2rB, Source, Smem>(), 8);
    // The accumulator's values allow at most 32 bits.
    type R2s = MakeTiledCopyC<UniversalCopy<u32>, half::f16, Mma>;
    assert_eq!(vector::<R2s, Destination, SmemC>(), 2);
    assert_eq!(vector::<ByRows<UniversalCopy<u128>>, Source, SmemC>(), 8);
}

#[test]
fn threads_begin_at_multiples() {
    type Thread<C, L> = CopyThreadOf<C, Source, L>;
    type Part<C, L> = CopyPartitionOf<C, Source, L>;
    type G2s = ByRows<UniversalCopy<u128>>;
    fn aligned<C: TidFrg<Source, L>, L, V: layout_types::num::Nat>() -> bool {
        <ThreadsAligned<Thread<C, L>, Part<C, L>, V> as Bool>::VALUE
    }
    assert!(aligned::<G2s, layout!((32,32):(32,1)), int!(8)>());
    assert!(!aligned::<G2s, layout!((32,32):(36,1)), int!(8)>());
    assert!(aligned::<G2s, layout!((32,32):(36,1)), int!(4)>());
    assert!(aligned::<G2s, layout!((32,32):(1@0,1@1)), int!(8)>());
}

/// Whether both layouts allow the width: each vector of the source is contiguous and aligned in
/// both, and in one order.
fn allowed<S: LayoutFn, D: LayoutFn>(width: usize) -> bool {
    let block = |at: usize| (at / width, at % width);
    // For each block of the source, its block in the destination, and the number of its elements so
    // far.
    let mut blocks = std::collections::HashMap::new();
    let together = (0..S::SIZE).all(|i| {
        let ((from, s), (to, d)) = (block(S::index(i)), block(D::index(i)));
        let (place, count) = blocks.entry(from).or_insert((to, 0));
        *count += 1;
        s == d && *place == to
    });
    together && blocks.values().all(|(_, count)| *count == width)
}

#[test]
fn automatic_width_is_allowed_and_the_greatest() {
    macro_rules! widths {
        ($($src:ty, $dst:ty, $t:ty, $expected:literal;)*) => {$({
            let width = AutoVector::<$src, $dst, $t>::USIZE;
            assert_eq!(width, $expected, "{} to {}", <$src>::default(), <$dst>::default());
            assert!(allowed::<$src, $dst>(width));
            let most = 128 / (8 * size_of::<$t>());
            assert!(width == most || !allowed::<$src, $dst>(2 * width), "{width} could be doubled");
        })*};
    }
    widths! {
        layout!((8,4):(1,8)), layout!((8,4):(1,64)), half::f16, 8;
        layout!((8,4):(1,8)), layout!((8,4):(1,64)), f64, 2;
        layout!((8,4):(4,1)), layout!((8,4):(32,1)), half::f16, 4;
        layout!((8,4):(4,1)), layout!((8,4):(1,8)), half::f16, 1;
        layout!((8,4):(1,8)), layout!((8,4):(1,10)), half::f16, 2;
        Behind<3, 3, layout!((8,8):(1,64))>, layout!((8,8):(1,8)), u8, 8;
        Composition<Swizzle<3, 1, 5>, layout!((8,8):(1,64))>, layout!((8,8):(1,8)), u8, 2;
        layout!(((2,4),3):((1,2),8)), layout!(((2,4),3):((1,2),16)), u16, 8;
    }
    // A single value, and a layout whose basis strides represent unknown strides.
    type Global = layout!((8,4):(1@1,1@0));
    assert_eq!(AutoVector::<layout!(1:0), layout!(1:0), u16>::USIZE, 1);
    assert_eq!(
        AutoVector::<Global, layout!((8,4):(1,8)), half::f16>::USIZE,
        1
    );
    assert_eq!(
        AutoVector::<layout!((8,4):(1,8)), Global, half::f16>::USIZE,
        1
    );
    assert_eq!(<<Global as LayoutFn>::Modes as RunTree>::Run::USIZE, 8);
}
