//! Tensor maps: their fields against the tiles that they are derived from, and what a TMA load and a TMA store do through them,
//! element by element, on the emulator and on the GPU where there is one of Hopper's.
//!
//! ```text
//!   tensor ──load at l──► shared memory ──raw──► out          out = the box by its definition, swizzled
//!                               └──store at s──► other tensor   = the box's elements, in units of 16 bytes
//! ```

mod common;
#[path = "common/tma.rs"]
mod tma;

use bytemuck::Pod;
use common::hoppers;
use half::{bf16, f16};
use host::{Device, Kind, TensorElement, TensorMapSpec, TensorSwizzle, TmaElement};
use layout_types::atom::gmma::*;
use layout_types::atom::smem_operand::TmaTile;
use layout_types::check::Reflect;
use layout_types::layout::LayoutFn;
use layout_types::prelude::*;
use tma::RoundTrip;

const SWIZZLES: [TensorSwizzle; 4] = [
    TensorSwizzle::None,
    TensorSwizzle::B32,
    TensorSwizzle::B64,
    TensorSwizzle::B128,
];

/// Bytes that nothing else looks like.
fn numbers(n: usize, seed: u32) -> Vec<u8> {
    (0..n as u32)
        .map(|i| (i.wrapping_add(seed).wrapping_mul(2_654_435_761) >> 21) as u8)
        .collect()
}

/// How many elements of a tile lie elsewhere than where copies through the derived map put them.
fn misplaced<Tile: LayoutFn + Reflect, T: TmaElement>(
    rows: u32,
    columns: u32,
    stages: u32,
) -> usize {
    let shape = [4 * u64::from(rows) + 16, 4 * u64::from(columns) + 16];
    let major = TmaTile::<Tile, T>::BOX.inner;
    let strides = if major == 0 {
        [1, shape[0]]
    } else {
        [shape[1], 1]
    };
    let spec = TensorMapSpec::tile::<Tile, T>(&shape, &strides).unwrap();
    spec.check().unwrap();
    assert_eq!(spec.extents, [shape[major], shape[1 - major]]);
    let size = T::ELEMENT.bytes();
    assert_eq!(spec.strides, [shape[major] * size as u64]);
    let [down, across] = TmaTile::<Tile, T>::BOX.boxes;
    let copies = u64::from(down * across);
    assert_eq!(
        spec.box_bytes() as u64 * copies,
        u64::from(TmaTile::<Tile, T>::BYTES)
    );
    let mut wrong = 0;
    for stage in 0..stages {
        for (i, j) in (0..across).flat_map(|j| (0..down).map(move |i| (i, j))) {
            let base = TmaTile::<Tile, T>::offset((i, j), stage) as usize;
            let first = TmaTile::<Tile, T>::coordinate((i, j), 0, 0);
            for n in 0..spec.box_bytes() / size {
                let inner = spec.box_extents[0] as usize;
                let place = spec.swizzle.apply(base + n * size);
                let at = [
                    first[0] as u32 + (n % inner) as u32,
                    first[1] as u32 + (n / inner) as u32,
                ];
                let (row, column) = if major == 0 {
                    (at[0], at[1])
                } else {
                    (at[1], at[0])
                };
                let index = row + rows * (column + columns * stage);
                wrong += usize::from(place != Tile::index(index) as usize * size);
            }
        }
    }
    wrong
}

#[test]
fn a_derived_map_puts_every_element_where_its_tile_has_it() {
    let mut tiles = 0;
    macro_rules! tiles {
        ($($atom:ident $ty:ty, ($m:literal, $k:literal, $s:literal);)*) => {$({
            type Tile = TileToShape<$atom<$ty>, shape!(($m, $k, $s))>;
            assert_eq!(misplaced::<Tile, $ty>($m, $k, $s), 0, "{}", Tile::default());
            tiles += 1;
        })*};
    }
    tiles! {
        LayoutKInterAtom f16, (64, 8, 2);
        LayoutKSw32Atom f16, (128, 32, 2); LayoutKSw64Atom f16, (64, 64, 3); LayoutKSw128Atom f16, (128, 64, 4);
        LayoutKSw128Atom bf16, (64, 128, 2); LayoutKSw128Atom u8, (64, 128, 2); LayoutKSw32Atom u8, (64, 64, 1);
        LayoutKSw64Atom f32, (128, 32, 2); LayoutKSw128Atom f32, (64, 64, 1); LayoutKSw128Atom f64, (64, 16, 2);
        LayoutMnSw32Atom f16, (64, 32, 2); LayoutMnSw64Atom f16, (64, 32, 2); LayoutMnSw128Atom f16, (128, 64, 2);
        LayoutMnSw128Atom bf16, (64, 32, 3);
    }
    assert_eq!(tiles, 14);
}

/// The bytes of a box as they lie in shared memory, by the definition; none for elements outside the tensor.
fn load(spec: &TensorMapSpec, tensor: &[u8], at: &[i32]) -> Vec<Option<u8>> {
    let size = spec.element.bytes();
    let mut all = vec![None; spec.box_bytes()];
    let moved: Vec<usize> = (0..spec.rank())
        .map(|d| spec.box_extents[d].div_ceil(spec.element_strides[d]) as usize)
        .collect();
    for n in 0..all.len() / size {
        let (mut rest, mut inside, mut place) = (n, true, 0);
        for d in 0..spec.rank() {
            let i =
                i64::from(at[d]) + (rest % moved[d]) as i64 * i64::from(spec.element_strides[d]);
            rest /= moved[d];
            inside &= (0..spec.extents[d] as i64).contains(&i);
            place += i * stride(spec, d);
        }
        for byte in 0..size {
            all[spec.swizzle.apply(n * size + byte)] =
                inside.then(|| tensor[place as usize + byte]);
        }
    }
    all
}

/// Writes a box to a tensor, by the definition: units of 16 bytes that begin inside of it.
fn store(spec: &TensorMapSpec, tensor: &mut [u8], at: &[i32], smem: &[u8]) {
    let size = spec.element.bytes();
    let row = spec.box_extents[0] as usize * size;
    for unit in (0..smem.len()).step_by(16) {
        let inner = i64::from(at[0]) + (unit % row / size) as i64;
        let mut inside = (0..spec.extents[0] as i64).contains(&inner);
        let (mut rest, mut place) = (unit / row, inner * size as i64);
        for (d, &first) in at.iter().enumerate().skip(1) {
            let i = i64::from(first) + (rest % spec.box_extents[d] as usize) as i64;
            rest /= spec.box_extents[d] as usize;
            inside &= (0..spec.extents[d] as i64).contains(&i);
            place += i * stride(spec, d);
        }
        if inside {
            let from = spec.swizzle.apply(unit);
            tensor[place as usize..][..16].copy_from_slice(&smem[from..][..16]);
        }
    }
}

fn stride(spec: &TensorMapSpec, d: usize) -> i64 {
    d.checked_sub(1)
        .map_or(spec.element.bytes() as u64, |d| spec.strides[d]) as i64
}

/// Whether the bytes are a NaN of the format.
fn is_nan(element: TensorElement, bytes: &[u8]) -> bool {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    match element {
        TensorElement::F16 => f16::from_bits(bits as u16).is_nan(),
        TensorElement::Bf16 => bf16::from_bits(bits as u16).is_nan(),
        TensorElement::F32 => f32::from_bits(bits as u32).is_nan(),
        _ => f64::from_bits(bits).is_nan(),
    }
}

/// Loads and stores one box and compares every byte.
fn round_trip<T: Pod>(
    kernels: &RoundTrip,
    device: &Device,
    spec: &TensorMapSpec,
    from_at: &[i32],
    to_at: &[i32],
) {
    let what = || {
        format!(
            "{}: {spec:?}, load at {from_at:?}, store at {to_at:?}",
            device.kind()
        )
    };
    let length = spec.extents[1..]
        .iter()
        .zip(&spec.strides)
        .map(|(&extent, &stride)| ((extent - 1) * stride) as usize)
        .sum::<usize>()
        + (spec.extents[0] as usize * spec.element.bytes()).next_multiple_of(16);
    let (bytes, before) = (numbers(length, 1), numbers(length, 77));
    let from = device
        .upload(&bytemuck::pod_collect_to_vec::<u8, T>(&bytes))
        .unwrap();
    let mut to = device
        .upload(&bytemuck::pod_collect_to_vec::<u8, T>(&before))
        .unwrap();
    // A store moves the elements that the load left, every one of them.
    let mut back = TensorMapSpec::new(spec.element, &spec.extents, &spec.strides, &[]);
    back.box_extents = (0..spec.rank())
        .map(|d| spec.box_extents[d].div_ceil(spec.element_strides[d]))
        .collect();
    back.swizzle = spec.swizzle;
    let found = {
        let from = from.tensor_map(spec).unwrap();
        let to = to.tensor_map_mut(&back).unwrap();
        kernels
            .run(&from, &to, from_at, to_at)
            .unwrap_or_else(|error| panic!("{}: {error}", what()))
    };
    let size = spec.element.bytes();
    let expected = load(spec, &bytes, from_at);
    for (expected, found) in expected.chunks(size).zip(found.chunks(size)) {
        let right = match expected[0] {
            Some(_) => expected.iter().zip(found).all(|(e, f)| *e == Some(*f)),
            None if spec.fill_nan => is_nan(spec.element, found),
            None => found.iter().all(|&byte| byte == 0),
        };
        assert!(right, "{}: {expected:?} {found:?}", what());
    }
    let mut after = before;
    store(&back, &mut after, to_at, &found);
    let stored = to.to_vec().unwrap();
    assert!(
        bytemuck::cast_slice::<T, u8>(&stored) == after,
        "the store: {}",
        what()
    );
}

/// All ranks and swizzles of one type; how many boxes were copied.
fn sweep<T: Pod>(kernels: &RoundTrip, device: &Device, element: TensorElement) -> usize {
    let size = element.bytes();
    let unit = (16 / size) as i32;
    let mut copies = 0;
    for (rank, swizzle) in (1..=5).flat_map(|rank| SWIZZLES.map(|swizzle| (rank, swizzle))) {
        let row = match swizzle {
            TensorSwizzle::None => 48,
            swizzled => 16 << swizzled as usize,
        };
        let inner = (row / size) as u64;
        // An innermost extent whose bytes are no multiple of 16, where the type allows it.
        let extents = [2 * inner + 5, 21, 5, 4, 3];
        let pitch = (extents[0] * size as u64).next_multiple_of(16) + 16;
        let mut strides = vec![pitch];
        for d in 1..4 {
            strides.push(strides[d - 1] * extents[d] + 32);
        }
        let boxes = [inner as u32, 9, 3, 2, 2];
        let mut spec = TensorMapSpec::new(
            element,
            &extents[..rank],
            &strides[..rank - 1],
            &boxes[..rank],
        )
        .swizzle(swizzle);
        let (step, far) = (unit, inner as i32);
        // No coordinate of a store is negative: an H200 stops.
        let coordinates: [([i32; 5], [i32; 5]); 5] = [
            ([0; 5], [0; 5]),
            ([step, 3, 1, 1, 1], [2 * step, 2, 2, 1, 1]),
            ([-step, -4, -1, -1, -1], [far, 15, 3, 3, 2]),
            ([far + step, 16, 4, 3, 2], [step, 20, 0, 3, 0]),
            ([-4 * far, 40, 9, 9, 9], [4 * far, 0, 0, 0, 0]),
        ];
        for (from_at, to_at) in coordinates {
            round_trip::<T>(kernels, device, &spec, &from_at[..rank], &to_at[..rank]);
            copies += 1;
        }
        if element.is_float() {
            spec.fill_nan = true;
            let (from_at, to_at) = coordinates[2];
            round_trip::<T>(kernels, device, &spec, &from_at[..rank], &to_at[..rank]);
            copies += 1;
        }
        if rank > 1 {
            spec.element_strides = [1, 2, 1, 2, 1][..rank].to_vec();
            let (from_at, to_at) = coordinates[1];
            round_trip::<T>(kernels, device, &spec, &from_at[..rank], &to_at[..rank]);
            copies += 1;
        }
    }
    copies
}

#[test]
fn boxes_of_every_type_rank_and_swizzle_make_the_round_trip() {
    use TensorElement::*;
    for device in hoppers() {
        let kernels = RoundTrip::new(&device);
        let mut copies = sweep::<u8>(&kernels, &device, U8);
        copies += sweep::<u16>(&kernels, &device, U16);
        copies += sweep::<u32>(&kernels, &device, U32) + sweep::<i32>(&kernels, &device, S32);
        copies += sweep::<u64>(&kernels, &device, U64) + sweep::<i64>(&kernels, &device, S64);
        copies += sweep::<f16>(&kernels, &device, F16) + sweep::<bf16>(&kernels, &device, Bf16);
        copies += sweep::<f32>(&kernels, &device, F32) + sweep::<f64>(&kernels, &device, F64);
        println!("{copies} boxes, no difference: {}", device.where_it_ran());
        assert_eq!(copies, 10 * 20 * 5 + 4 * 20 + 10 * 16);
    }
}

/// Tensors of less and more than 128 KiB, which drivers encode differently.
#[test]
fn tensors_on_both_sides_of_128_kib_are_copied() {
    for device in hoppers() {
        let kernels = RoundTrip::new(&device);
        for rows in [8, 511, 512, 513, 4096] {
            let spec = TensorMapSpec::new(TensorElement::F16, &[128, rows], &[256], &[64, 8])
                .swizzle(TensorSwizzle::B128);
            let last = rows as i32 - 5;
            round_trip::<f16>(&kernels, &device, &spec, &[64, last], &[64, last]);
        }
    }
}

/// A map keeps to its device.
#[test]
fn a_map_is_of_the_device_of_its_buffer() {
    let (one, other) = (Device::emulator(), Device::emulator());
    assert_eq!(one.kind(), Kind::Emulator);
    let spec = TensorMapSpec::new(TensorElement::U32, &[64], &[], &[32]);
    let buffer = one.upload(&[1_u32; 64]).unwrap();
    let mut target = other.upload(&[0_u32; 64]).unwrap();
    let maps = (
        buffer.tensor_map(&spec).unwrap(),
        target.tensor_map_mut(&spec).unwrap(),
    );
    let error = RoundTrip::new(&other)
        .run(&maps.0, &maps.1, &[0], &[0])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("argument 0 is a buffer of emulator"),
        "{error}"
    );
}
