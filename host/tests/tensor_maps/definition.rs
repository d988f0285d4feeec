//! Defines tensor maps and the copies through them, independently of the library. Lists the boxes
//! that the tests copy.
//!
//! ```text
//!   box at (x, y, ..)   element n of it ─► (x + n mod box0, y + n / box0 mod box1, ..)   outside: zeros or NaN, never stored
//!   shared memory       byte b of the box lies at swizzle(b)
//! ```

use half::{bf16, f16};
use host::{TensorElement, TensorMapSpec, TensorSwizzle};

pub const SWIZZLES: [TensorSwizzle; 4] = [
    TensorSwizzle::None,
    TensorSwizzle::B32,
    TensorSwizzle::B64,
    TensorSwizzle::B128,
];

/// Returns `n` bytes whose sequence depends on `seed` and appears nowhere else in a test.
pub fn numbers(n: usize, seed: u32) -> Vec<u8> {
    (0..n as u32)
        .map(|i| (i.wrapping_add(seed).wrapping_mul(2_654_435_761) >> 21) as u8)
        .collect()
}

/// Returns the bytes of a tensor of this element type. TF32 numbers are such that the rounding of a
/// load does not change them.
pub fn numbers_of(element: TensorElement, n: usize, seed: u32) -> Vec<u8> {
    let mut bytes = numbers(n, seed);
    if matches!(element, TensorElement::Tf32 | TensorElement::Tf32Ftz) {
        for word in bytes.as_chunks_mut::<4>().0 {
            // The word has 10 bits of fraction, and an exponent of 0x40 to 0x7f.
            let bits = u32::from_le_bytes(*word) & 0x9fff_e000 | 0x2000_0000;
            *word = bits.to_le_bytes();
        }
    }
    bytes
}

/// Computes the bytes of a box as they lie in shared memory, by the definition. For an element
/// outside the tensor, they are `None`.
pub fn load(spec: &TensorMapSpec, tensor: &[u8], at: &[i32]) -> Vec<Option<u8>> {
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

/// Writes a box to a tensor, by the definition: all units of 16 bytes that begin inside the tensor.
pub fn store(spec: &TensorMapSpec, tensor: &mut [u8], at: &[i32], smem: &[u8]) {
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

/// Returns whether the bytes are a NaN of the format.
fn is_nan(element: TensorElement, bytes: &[u8]) -> bool {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    match element {
        TensorElement::F16 => f16::from_bits(bits as u16).is_nan(),
        TensorElement::Bf16 => bf16::from_bits(bits as u16).is_nan(),
        TensorElement::F64 => f64::from_bits(bits).is_nan(),
        _ => f32::from_bits(bits as u32).is_nan(),
    }
}

/// Returns whether shared memory after a load differs from the definition: from the bytes of
/// elements in the tensor, or from the fill for elements outside it.
pub fn differs(spec: &TensorMapSpec, expected: &[Option<u8>], found: &[u8]) -> bool {
    let size = spec.element.bytes();
    let mut pairs = expected.chunks(size).zip(found.chunks(size));
    !pairs.all(|(expected, found)| match expected[0] {
        Some(_) => expected.iter().zip(found).all(|(e, f)| *e == Some(*f)),
        None if spec.fill_nan => is_nan(spec.element, found),
        None => found.iter().all(|&byte| byte == 0),
    })
}

/// Returns the number of bytes of a tensor from its first element to its last, in whole units of 16
/// bytes.
pub fn length(spec: &TensorMapSpec) -> usize {
    let strides = spec.extents[1..].iter().zip(&spec.strides);
    let rows: u64 = strides
        .map(|(&extent, &stride)| (extent - 1) * stride)
        .sum();
    let row = spec.extents[0] as usize * spec.element.bytes();
    rows as usize + row.next_multiple_of(16)
}

/// Returns the map that stores all elements that a load with `spec` has written to shared memory.
pub fn back(spec: &TensorMapSpec) -> TensorMapSpec {
    let mut back = TensorMapSpec::new(spec.element, &spec.extents, &spec.strides, &[]);
    let boxes = spec.box_extents.iter().zip(&spec.element_strides);
    back.box_extents = boxes
        .map(|(&extent, &stride)| extent.div_ceil(stride))
        .collect();
    back.swizzle = spec.swizzle;
    back
}

/// A case of a copy: a map, the coordinates from which a box is loaded, and the coordinates at
/// which it is stored.
pub struct Case {
    pub spec: TensorMapSpec,
    pub from_at: Vec<i32>,
    pub to_at: Vec<i32>,
}

/// Returns cases with all ranks and swizzles for one type, with boxes inside, at edges and outside,
/// with fills and with element strides.
pub fn cases(element: TensorElement) -> Vec<Case> {
    let size = element.bytes();
    let unit = (16 / size) as i32;
    let mut cases = Vec::new();
    for (rank, swizzle) in (1..=5).flat_map(|rank| SWIZZLES.map(|swizzle| (rank, swizzle))) {
        let row = match swizzle {
            TensorSwizzle::None => 48,
            swizzled => 16 << swizzled as usize,
        };
        let inner = (row / size) as u64;
        // The bytes of the innermost extent are no multiple of 16 if the type allows this.
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
        // No coordinate of a store is negative, because an H200 then stops.
        let coordinates: [([i32; 5], [i32; 5]); 5] = [
            ([0; 5], [0; 5]),
            ([step, 3, 1, 1, 1], [2 * step, 2, 2, 1, 1]),
            ([-step, -4, -1, -1, -1], [far, 15, 3, 3, 2]),
            ([far + step, 16, 4, 3, 2], [step, 20, 0, 3, 0]),
            ([-4 * far, 40, 9, 9, 9], [4 * far, 0, 0, 0, 0]),
        ];
        let case = |spec: &TensorMapSpec, at: usize| Case {
            spec: spec.clone(),
            from_at: coordinates[at].0[..rank].to_vec(),
            to_at: coordinates[at].1[..rank].to_vec(),
        };
        cases.extend((0..5).map(|at| case(&spec, at)));
        if element.is_float() {
            spec.fill_nan = true;
            cases.push(case(&spec, 2));
        }
        if rank > 1 {
            spec.element_strides = [1, 2, 1, 2, 1][..rank].to_vec();
            cases.push(case(&spec, 1));
        }
    }
    cases
}

/// Computes the sum of `sweep::<T>(kernels, device, element)` over every type of elements.
macro_rules! every_type {
    ($sweep:ident, $kernels:expr, $device:expr) => {
        every_type!($sweep, $kernels, $device, [u8] U8, [u16] U16, [u32] U32, [i32] S32, [u64] U64, [i64] S64, [half::f16] F16,
            [half::bf16] Bf16, [f32] F32, [f64] F64, [f32] F32Ftz, [f32] Tf32, [f32] Tf32Ftz)
    };
    ($sweep:ident, $kernels:expr, $device:expr, $([$ty:ty] $element:ident),+) => {
        0 $(+ $sweep::<$ty>($kernels, $device, TensorElement::$element))+
    };
}
pub(crate) use every_type;
