//! Writing a thread's sums to D.
//!
//! ```text
//!   sums ((2,2),4,8)     values 0 and 1 of an atom are neighbours along n: a pair is one store
//! ```
//!
//! Law: each element of the tile that lies inside D is written once, rounded to nearest even; nothing else is.

use super::layouts::{FragmentC, R2g, Sums, TileD};
use half::{bf16, f16};
use layout_types::algorithm::{copy_if, transform};
use layout_types::arch::convert::{bf16x2_from_f32, f16x2_from_f32};
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, Plain};

/// A type of output elements.
pub trait Out: Copy {
    /// Its bits, as D holds them.
    type Bits: Plain;
    /// Rounds the sums and stores those inside D.
    ///
    /// With `pairs`, two neighbours along n at once: rows of D have even length, and D is aligned for a pair.
    fn store(sums: &Sums, d: &TileD<Self::Bits>, pairs: bool, thread: u32);
}

/// Stores the rounded sums by pairs, or one by one.
macro_rules! store {
    ($sums:expr, $d:ident, $pairs:ident, $thread:ident, $bits:ty, $pair:ty) => {{
        type Pairs = R2g<$pair, $bits>;
        type Singles = R2g<$bits, $bits>;
        // SAFETY: each thread copies by itself.
        unsafe {
            if $pairs {
                let r2g = Pairs::get_slice($thread);
                let target = r2g.partition_d($d);
                copy_if(
                    Pairs::default(),
                    target.atoms_inside(),
                    &r2g.retile_s($sums),
                    &target,
                );
            } else {
                let r2g = Singles::get_slice($thread);
                let target = r2g.partition_d($d);
                copy_if(
                    Singles::default(),
                    target.atoms_inside(),
                    &r2g.retile_s($sums),
                    &target,
                );
            }
        }
    }};
}

impl Out for f32 {
    type Bits = u32;
    #[inline(always)]
    fn store(sums: &Sums, d: &TileD<u32>, pairs: bool, thread: u32) {
        store!(&sums.view().recast::<u32>(), d, pairs, thread, u32, u64);
    }
}

macro_rules! half_out {
    ($t:ty, $round:ident) => {
        impl Out for $t {
            type Bits = u16;
            #[inline(always)]
            fn store(sums: &Sums, d: &TileD<u16>, pairs: bool, thread: u32) {
                let rounded = Fragment::<u16, FragmentC>::new();
                let two = |bits: u64| {
                    $round(
                        f32::from_bits(bits as u32),
                        f32::from_bits((bits >> 32) as u32),
                    )
                };
                transform(
                    &sums.view().recast::<u64>(),
                    &rounded.view().recast::<u32>(),
                    two,
                );
                store!(&rounded.view(), d, pairs, thread, u16, u32);
            }
        }
    };
}
half_out!(f16, f16x2_from_f32);
half_out!(bf16, bf16x2_from_f32);
