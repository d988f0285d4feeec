//! The registers of a warp inside one function, and instructions as loops over lanes.
//!
//! ```text
//!            lane 0   1   2  ...  31
//! r32[5]   [  7,  9, 11, ...,  69 ]     one row per register
//! pred[2]  0b...1101                    one bit per lane
//! ```
//!
//! Law: an instruction reads rows, computes every lane, and writes only the lanes of its mask; the
//! other lanes keep their value. Constants and special registers are also rows, which are filled
//! when the frame is made. Therefore an operand is always a row, and the loop over the lanes has no
//! case distinction: the compiler turns it into vector code.

/// The number of lanes in a warp.
pub(crate) const WARP: usize = 32;

/// One 32-bit register of a warp.
pub(crate) type Row32 = [u32; WARP];
/// One 64-bit register of a warp.
pub(crate) type Row64 = [u64; WARP];

/// The operands of a lane-wise instruction: indices of rows, results first.
pub(crate) type Args = [u32; 6];

/// A lane-wise instruction. It reads and writes the registers of the frame that the arguments name,
/// for the lanes of the mask.
pub(crate) type Alu = fn(&mut Frame, &Args, u32);

/// The registers of a warp inside one function call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    pub r32: Vec<Row32>,
    pub r64: Vec<Row64>,
    pub pred: Vec<u32>,
}

/// A value in one lane of a register.
pub(crate) trait Lane: Copy {
    type Raw: Copy + Default;
    fn row(frame: &Frame, index: u32) -> &[Self::Raw; WARP];
    fn row_mut(frame: &mut Frame, index: u32) -> &mut [Self::Raw; WARP];
    fn from_raw(raw: Self::Raw) -> Self;
    fn to_raw(self) -> Self::Raw;
}

macro_rules! lane {
    ($($ty:ty, $raw:ty, $file:ident, |$r:ident| $from:expr, |$v:ident| $to:expr;)*) => {$(
        impl Lane for $ty {
            type Raw = $raw;
            #[inline(always)]
            fn row(frame: &Frame, index: u32) -> &[$raw; WARP] { &frame.$file[index as usize] }
            #[inline(always)]
            fn row_mut(frame: &mut Frame, index: u32) -> &mut [$raw; WARP] { &mut frame.$file[index as usize] }
            #[inline(always)]
            fn from_raw($r: $raw) -> Self { $from }
            #[inline(always)]
            fn to_raw(self) -> $raw { let $v = self; $to }
        }
    )*};
}

lane! {
    u8, u32, r32, |r| r as u8, |v| u32::from(v);
    i8, u32, r32, |r| r as i8, |v| u32::from(v as u8);
    u16, u32, r32, |r| r as u16, |v| u32::from(v);
    i16, u32, r32, |r| r as i16, |v| u32::from(v as u16);
    u32, u32, r32, |r| r, |v| v;
    i32, u32, r32, |r| r as i32, |v| v as u32;
    u64, u64, r64, |r| r, |v| v;
    i64, u64, r64, |r| r as i64, |v| v as u64;
}

/// The mask of all lanes.
pub(crate) const FULL: u32 = u32::MAX;

/// Returns the lanes of a mask.
#[inline(always)]
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}

#[inline(always)]
pub(crate) fn blend<T: Copy>(row: &mut [T; WARP], values: &[T; WARP], mask: u32) {
    if mask == FULL {
        *row = *values;
    } else {
        for lane in 0..WARP {
            if mask >> lane & 1 == 1 {
                row[lane] = values[lane];
            }
        }
    }
}

impl Frame {
    /// Writes the lanes of `mask` into row `index`.
    #[inline(always)]
    pub fn write<T: Lane>(&mut self, index: u32, values: &[T::Raw; WARP], mask: u32) {
        blend(T::row_mut(self, index), values, mask);
    }

    /// Writes the bits of `mask` into predicate `index`.
    #[inline(always)]
    pub fn write_pred(&mut self, index: u32, values: u32, mask: u32) {
        let slot = &mut self.pred[index as usize];
        *slot = *slot & !mask | values & mask;
    }

    #[inline(always)]
    pub fn pred(&self, index: u32) -> u32 {
        self.pred[index as usize]
    }

    /// Computes `d = f(a)` in every lane of the mask.
    #[inline(always)]
    pub fn map1<A: Lane, D: Lane>(&mut self, args: &Args, mask: u32, f: impl Fn(A) -> D) {
        let a = A::row(self, args[1]);
        let mut out = [D::Raw::default(); WARP];
        for lane in 0..WARP {
            out[lane] = f(A::from_raw(a[lane])).to_raw();
        }
        self.write::<D>(args[0], &out, mask);
    }

    /// Computes `d = f(a, b)` in every lane of the mask.
    #[inline(always)]
    pub fn map2<A: Lane, B: Lane, D: Lane>(
        &mut self,
        args: &Args,
        mask: u32,
        f: impl Fn(A, B) -> D,
    ) {
        let (a, b) = (A::row(self, args[1]), B::row(self, args[2]));
        let mut out = [D::Raw::default(); WARP];
        for lane in 0..WARP {
            out[lane] = f(A::from_raw(a[lane]), B::from_raw(b[lane])).to_raw();
        }
        self.write::<D>(args[0], &out, mask);
    }

    /// Computes `d = f(a, b, c)` in every lane of the mask.
    #[inline(always)]
    pub fn map3<A: Lane, B: Lane, C: Lane, D: Lane>(
        &mut self,
        args: &Args,
        mask: u32,
        f: impl Fn(A, B, C) -> D,
    ) {
        let (a, b, c) = (
            A::row(self, args[1]),
            B::row(self, args[2]),
            C::row(self, args[3]),
        );
        let mut out = [D::Raw::default(); WARP];
        for lane in 0..WARP {
            out[lane] = f(
                A::from_raw(a[lane]),
                B::from_raw(b[lane]),
                C::from_raw(c[lane]),
            )
            .to_raw();
        }
        self.write::<D>(args[0], &out, mask);
    }

    /// Computes `d = f(a, b, c, e)` in every lane of the mask.
    #[inline(always)]
    pub fn map4<A: Lane, B: Lane, C: Lane, E: Lane, D: Lane>(
        &mut self,
        args: &Args,
        mask: u32,
        f: impl Fn(A, B, C, E) -> D,
    ) {
        let (a, b) = (A::row(self, args[1]), B::row(self, args[2]));
        let (c, e) = (C::row(self, args[3]), E::row(self, args[4]));
        let mut out = [D::Raw::default(); WARP];
        for lane in 0..WARP {
            let (c, e) = (C::from_raw(c[lane]), E::from_raw(e[lane]));
            out[lane] = f(A::from_raw(a[lane]), B::from_raw(b[lane]), c, e).to_raw();
        }
        self.write::<D>(args[0], &out, mask);
    }

    /// Returns the lanes in which `f(a, b)` holds.
    #[inline(always)]
    pub fn test2<A: Lane, B: Lane>(&self, a: u32, b: u32, f: impl Fn(A, B) -> bool) -> u32 {
        let (a, b) = (A::row(self, a), B::row(self, b));
        // First one byte per lane, which is vector code, then the bits.
        let mut holds = [0u8; WARP];
        for lane in 0..WARP {
            holds[lane] = u8::from(f(A::from_raw(a[lane]), B::from_raw(b[lane])));
        }
        bits(&holds)
    }

    /// Returns the lanes in which `f(a)` holds.
    #[inline(always)]
    pub fn test1<A: Lane>(&self, a: u32, f: impl Fn(A) -> bool) -> u32 {
        self.test2(a, a, |a: A, _: A| f(a))
    }
}

/// Returns one bit for each byte, which is 0 or 1.
#[inline(always)]
fn bits(holds: &[u8; WARP]) -> u32 {
    let mut mask = 0;
    for (i, eight) in holds.chunks_exact(8).enumerate() {
        let eight = u64::from_le_bytes(std::array::from_fn(|k| eight[k]));
        // Gathers the low bit of each byte into the top byte.
        mask |= ((eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32) << (8 * i);
    }
    mask
}

/// Creates a lane-wise instruction from a closure over the lane's values:
/// `alu!(|a: u32, b: u32| -> u32 { a & b })`.
macro_rules! alu {
    (|$a:ident: $ta:ty| -> $d:ty $body:block) => {
        (|frame, args, mask| frame.map1(args, mask, |$a: $ta| -> $d { $body }))
            as $crate::frame::Alu
    };
    (|$a:ident: $ta:ty, $b:ident: $tb:ty| -> $d:ty $body:block) => {
        (|frame, args, mask| frame.map2(args, mask, |$a: $ta, $b: $tb| -> $d { $body }))
            as $crate::frame::Alu
    };
    (|$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty| -> $d:ty $body:block) => {
        (|frame, args, mask| frame.map3(args, mask, |$a: $ta, $b: $tb, $c: $tc| -> $d { $body }))
            as $crate::frame::Alu
    };
    (|$a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty, $e:ident: $te:ty| -> $d:ty $body:block) => {
        (|frame, args, mask| {
            frame.map4(args, mask, |$a: $ta, $b: $tb, $c: $tc, $e: $te| -> $d {
                $body
            })
        }) as $crate::frame::Alu
    };
}
pub(crate) use alu;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lanes_of_the_mask_change() {
        let mut frame = Frame {
            r32: vec![[9; WARP], std::array::from_fn(|l| l as u32)],
            ..Frame::default()
        };
        let double = alu!(|a: u32| -> u32 { a * 2 });
        double(&mut frame, &[0, 1, 0, 0, 0, 0], 0b1010);
        assert_eq!(frame.r32[0][..5], [9, 2, 9, 6, 9]);
        double(&mut frame, &[1, 1, 0, 0, 0, 0], FULL);
        assert_eq!(frame.r32[1], std::array::from_fn(|l| 2 * l as u32));
    }

    #[test]
    fn tests_give_one_bit_a_lane() {
        let mut seed = 1u32;
        let mut random = || {
            seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
            seed >> 29
        };
        let frame = Frame {
            r32: vec![
                std::array::from_fn(|_| random()),
                std::array::from_fn(|_| random()),
            ],
            ..Frame::default()
        };
        let mask = frame.test2(0, 1, |a: u32, b: u32| a < b);
        for lane in 0..WARP {
            assert_eq!(
                mask >> lane & 1 == 1,
                frame.r32[0][lane] < frame.r32[1][lane],
                "lane {lane}"
            );
        }
    }
}
