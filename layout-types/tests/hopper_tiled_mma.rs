//! Checks tiled MMAs of warp groups: the owner of each element of C, and descriptors, which are
//! compared with [`Operand`]'s.
//!
//! ```text
//!   partition_c            ─► each (m,n) of the tile: one (thread, value)
//!   partition_descriptors  ─► (0, m, k, stage): Operand's descriptor of rows (group + groups m), block k
//! ```

use half::{bf16, f16};
use layout_types::atom::element::TFloat32;
use layout_types::atom::gmma::*;
use layout_types::atom::mma::*;
use layout_types::atom::smem_operand::Operand;
use layout_types::prelude::*;
use layout_types::tensor::{Plain, Shared};
use layout_types::tiled::*;
use layout_types::typenum::Unsigned;

/// Counts the (thread, value) pairs that own each element of a tensor (M,N) of coordinates with
/// layout `Id`.
fn owners<Mma, Id>(rows: usize) -> Vec<u32>
where
    Mma: PartitionMma<OperandC, Id>,
    Id: LayoutFn,
{
    let mut owners = vec![0; Id::SIZE];
    for thread in 0..Mma::THREADS as u32 {
        let start: [u32; 2] = ThreadOf::<Mma, OperandC, Id>::coordinate(thread);
        for value in 0..PartitionOf::<Mma, OperandC, Id>::SIZE as u32 {
            let at: [u32; 2] = PartitionOf::<Mma, OperandC, Id>::coordinate(value);
            owners[(start[0] + at[0]) as usize + rows * (start[1] + at[1]) as usize] += 1;
        }
    }
    owners
}

#[test]
fn each_element_of_c_has_one_owner() {
    macro_rules! tiles {
        ($($mma:ty, ($m:literal, $n:literal);)*) => {$(
            let counts = owners::<$mma, layout!(($m,$n):(1@0,1@1))>($m);
            assert!(counts.iter().all(|&count| count == 1), stringify!($mma));
        )*};
    }
    tiles! {
        TiledMma<Sm90_64x96x16_F32F16F16_SS, layout!((2,1,1))>, (256, 192);
        TiledMma<Sm90_64x256x16_F32F16F16_SS, layout!((2,1,1))>, (128, 256);
        TiledMma<Sm90_64x128x16_F16F16F16_SS, layout!((1,2,1))>, (128, 256);
        TiledMma<Sm90_64x64x16_F32BF16BF16_RS, layout!((3,1,1))>, (192, 128);
        TiledMma<Sm90_64x128x8_F32TF32TF32_SS_TN, layout!((1,1,1))>, (128, 128);
        TiledMma<Sm90_64x8x32_S32S8S8_SS_TN, layout!((2,2,1))>, (128, 48);
        // The rows of each group are contiguous.
        TiledMma<Sm90_64x64x16_F32F16F16_SS, layout!((2,1,1)), tile!((64,2,2):(1,128,64), _, _)>, (256, 64);
    }
}

/// Compares every descriptor of every warp group with [`Operand`]'s and counts them. `place` gives
/// the row block of (group, m).
macro_rules! descriptors {
    ($mma:ty, $partition:ident, $tile:ty, $t:ty, $major:ty, $rows:ident, $place:expr) => {{
        type Mma = $mma;
        type Of = Operand<$tile, $t, $major, $rows<<Mma as TiledMmaTraits>::Atom>>;
        let place: fn(u32, u32) -> u32 = $place;
        let mut seen = 0;
        for base in [0, 1024, 65536] {
            // SAFETY: nothing is accessed: descriptors are only computed.
            let tile = unsafe { shared::<$t, $tile>(base) };
            for group in 0..(Mma::THREADS / 128) as u32 {
                for thread in [128 * group, 128 * group + 77] {
                    let part = Mma::get_slice(thread).$partition(&tile);
                    let (m, k, stages) = (part.size::<1>(), part.size::<2>(), part.size::<3>());
                    for i in 0..(m * k * stages) as u32 {
                        let (m, k, stage) =
                            (i % m as u32, i / m as u32 % k as u32, i / (m * k) as u32);
                        let found = part.get((0, m, k, stage));
                        let expected = Of::descriptor(base, (place(group, m), k), stage);
                        assert_eq!(
                            found.bits(),
                            expected.bits(),
                            "({m},{k},{stage}) of group {group}"
                        );
                        seen += 1;
                    }
                }
            }
        }
        let blocks = Of::LAYOUT.blocks;
        (seen, blocks.0 * blocks.1)
    }};
}
/// Makes a tensor in shared memory at this address.
///
/// # Safety
/// Nothing is read or written through the tensor.
unsafe fn shared<T: Plain, L: LayoutFn>(at: u32) -> Tensor<Shared<T>, L> {
    // SAFETY: the caller accesses no element through the tensor, as `# Safety` requires.
    unsafe { Tensor::shared(at) }
}

#[test]
fn descriptors_are_the_operands() {
    type K128 = LayoutKSw128Atom<f16>;
    type Mn128 = LayoutMnSw128Atom<f16>;
    type Two = TiledMma<Sm90_64x96x16_F32F16F16_SS, layout!((2, 1, 1))>;
    // There are three bases, two threads, two groups, each with two of the four row blocks, four
    // blocks along K, and three stages.
    let a = descriptors!(Two, partition_descriptors_a, TileToShape<K128, shape!((256, 64, 3))>, f16, MajorK, AtomM, |g, m| g + 2 * m);
    assert_eq!(a, (3 * 2 * 2 * 2 * 4 * 3, 16));
    // Both groups read all of B.
    let b = descriptors!(Two, partition_descriptors_b, TileToShape<K128, shape!((192, 64, 3))>, f16, MajorK, AtomN, |_, n| n);
    assert_eq!(b, (3 * 2 * 2 * 2 * 4 * 3, 8));
    // Two rows of the swizzle lie along K, and groups are side by side along N.
    type Beside = TiledMma<Sm90_64x128x16_F32F16F16_SS, layout!((1, 2, 1))>;
    descriptors!(Beside, partition_descriptors_b, TileToShape<K128, shape!((256, 128, 2))>, f16, MajorK, AtomN, |g, n| g + 2 * n);
    // The rows of a group are contiguous.
    type Together =
        TiledMma<Sm90_64x64x16_F32F16F16_SS, layout!((2, 1, 1)), tile!((64,2,2):(1,128,64), _, _)>;
    descriptors!(Together, partition_descriptors_a, TileToShape<K128, shape!((256, 64, 1))>, f16, MajorK, AtomM, |g, m| 2 * g + m);
    // The operands are MN-major.
    type Mn = TiledMma<Sm90_64x128x16_F32F16F16_SS<MajorMn, MajorMn>, layout!((2, 1, 1))>;
    descriptors!(Mn, partition_descriptors_a, TileToShape<Mn128, shape!((256, 64, 2))>, f16, MajorMn, AtomM, |g, m| g + 2 * m);
    descriptors!(Mn, partition_descriptors_b, TileToShape<Mn128, shape!((256, 32, 2))>, f16, MajorMn, AtomN, |_, n| n);
    type Inter = TiledMma<Sm90_64x64x16_F32BF16BF16_SS<MajorMn, MajorK>, layout!((1, 1, 1))>;
    descriptors!(
        Inter,
        partition_descriptors_a,
        TileToShape<LayoutMnInterAtom<bf16>, shape!((128, 32, 2))>,
        bf16,
        MajorMn,
        AtomM,
        |_, m| m
    );
    descriptors!(
        Inter,
        partition_descriptors_b,
        TileToShape<LayoutKInterAtom<bf16>, shape!((128, 32, 2))>,
        bf16,
        MajorK,
        AtomN,
        |_, n| n
    );
    // These have other widths and swizzles.
    type Tf32 = TiledMma<Sm90_64x64x8_F32TF32TF32_SS_TN, layout!((2, 1, 1))>;
    descriptors!(
        Tf32,
        partition_descriptors_a,
        TileToShape<LayoutKSw64Atom<TFloat32>, shape!((128, 32, 2))>,
        TFloat32,
        MajorK,
        AtomM,
        |g, m| g + 2 * m
    );
    type S8 = TiledMma<Sm90_64x32x32_S32S8S8_SS_TN, layout!((2, 1, 1))>;
    descriptors!(
        S8,
        partition_descriptors_b,
        TileToShape<LayoutKSw32Atom<i8>, shape!((96, 64, 2))>,
        i8,
        MajorK,
        AtomN,
        |_, n| n
    );
}

/// Checks that a tile's fragment prints as CuTe's `tCrA`: its layout counts units of 16 bytes.
#[test]
fn fragments_of_descriptors_print_as_cutes() {
    type Mma = TiledMma<Sm90_64x128x16_F32F16F16_SS, layout!((2, 1, 1))>;
    type SmemA = TileToShape<LayoutKSw128Atom<f16>, shape!((256, 64, 4))>;
    // SAFETY: nothing is accessed.
    let part = Mma::get_slice(0).partition_descriptors_a(&unsafe { shared::<f16, SmemA>(0) });
    assert_eq!(
        part.layout().to_string(),
        "(1,2,4,(1,4)):(0,1024,2,(0,2048))"
    );
    assert_eq!(AtomM::<Sm90_64x128x16_F32F16F16_SS>::USIZE, 64);
}
