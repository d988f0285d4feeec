//! The kernels that are compiled: a menu of tiles for each kind of product.
//!
//! ```text
//!   gemm_bf16_f32_tn_128x256x64_s4_umma         input, accumulator, majors, tile of a CTA, stages
//!   gemm_bf16_f32_tn_128x256x64_s6_umma_2sm     a pair of CTAs multiplies 256 x 256
//! ```
//!
//! A line of the menu consists of a name, the rest of the kernel's name, the tile's columns, the
//! stages, and the CTAs that multiply together. `Bf16Pair` is the configuration of the line `Pair`
//! for bf16.

use super::collective::Collective;
use super::config::check;
use crate::collective_kernel;
use cuda_std::for_kernel;
use half::{bf16, f16};
use kernel_abi::gemm::Configuration;
use layout_types::atom::element::{FloatE4M3, FloatE5M2, TFloat32};
use layout_types::atom::mma::sm100::{F8f6f4, F16bf16, S8, Tf32};
use layout_types::atom::mma::{MajorK, MajorMn};
use layout_types::atom::tmem::fragment::{OneSm, TwoSm};
use layout_types::int;
use layout_types::num::False;
use pastey::paste;

/// Defines the kernels of a menu for kinds of products.
///
/// ```text
/// menu! {
///     [F16 F16bf16<f16, f16, f32>, MajorK MajorK, f16_f32_tn 64] ..     start of the types' names, kind, orders, part of the kernels' names, k tile
///     => { Pair _2sm 256, 6, TwoSm; }      F16Pair, gemm_f16_f32_tn_128x256x64_s6_umma_2sm
/// }
/// ```
macro_rules! menu {
    ($([$($kind:tt)*])+ => $menu:tt) => {
        $(menu! { @one $($kind)* $menu })+
    };
    (@one $prefix:ident $kind:ty, $a:ident $b:ident, $types:ident $k:literal {
        $($name:ident $($suffix:ident)? $n:literal, $stages:literal, $group:ident;)+
    }) => { paste! {
        $(
            #[doc = concat!("The configuration of [`", stringify!([<gemm_ $types _128x $n x $k _s $stages _umma $($suffix)?>]), "`].")]
            pub type [<$prefix $name>] = Collective<$kind, $a, $b, int!($n), int!($stages), $group>;

            #[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
            #[for_kernel([<gemm_ $types _128x $n x $k _s $stages _umma $($suffix)?>])]
            const _: () = check::<[<$prefix $name>]>();

            #[cfg(feature = "kernels")]
            collective_kernel! {
                [<gemm_ $types _128x $n x $k _s $stages _umma $($suffix)?>]: [<$prefix $name>]
            }
        )+

        #[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
        #[for_kernel()]
        #[allow(non_upper_case_globals, reason = "a table has the name of its kind")]
        static [<TABLE_ $types>]: &[Configuration] = &[$(
            [<$prefix $name>]::configuration(
                stringify!([<gemm_ $types _128x $n x $k _s $stages _umma $($suffix)?>])
            ),
        )+];
    }};
}

// Every kind of product with K-major operands.
menu! {
    [F16 F16bf16<f16, f16, f32>, MajorK MajorK, f16_f32_tn 64]
    [Bf16 F16bf16<bf16, bf16, f32>, MajorK MajorK, bf16_f32_tn 64]
    [Tf32 Tf32<TFloat32, TFloat32, f32>, MajorK MajorK, tf32_f32_tn 32]
    [S8 S8<i8, i8, i32, False>, MajorK MajorK, s8_s32_tn 128]
    [E4m3 F8f6f4<FloatE4M3, FloatE4M3, f32>, MajorK MajorK, e4m3_f32_tn 128]
    [E5m2 F8f6f4<FloatE5M2, FloatE5M2, f32>, MajorK MajorK, e5m2_f32_tn 128]
    => {
        Pair _2sm 256, 6, TwoSm;
        PairSquare _2sm 128, 8, TwoSm;
        Wide 256, 4, OneSm;
        Square 128, 6, OneSm;
        Narrow 64, 8, OneSm;
    }
}

// The other orders of 16-bit operands.
menu! {
    [F16Nn F16bf16<f16, f16, f32>, MajorMn MajorK, f16_f32_nn 64]
    [F16Tt F16bf16<f16, f16, f32>, MajorK MajorMn, f16_f32_tt 64]
    [F16Nt F16bf16<f16, f16, f32>, MajorMn MajorMn, f16_f32_nt 64]
    [Bf16Nn F16bf16<bf16, bf16, f32>, MajorMn MajorK, bf16_f32_nn 64]
    [Bf16Tt F16bf16<bf16, bf16, f32>, MajorK MajorMn, bf16_f32_tt 64]
    [Bf16Nt F16bf16<bf16, bf16, f32>, MajorMn MajorMn, bf16_f32_nt 64]
    => {
        Pair _2sm 256, 6, TwoSm;
        Wide 256, 4, OneSm;
    }
}

/// The configurations of all kernels of the collective.
#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[for_kernel()]
pub static CONFIGURATIONS: &[Configuration] = &all();

#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[for_kernel()]
static TABLES: [&[Configuration]; 12] = [
    TABLE_f16_f32_tn,
    TABLE_bf16_f32_tn,
    TABLE_tf32_f32_tn,
    TABLE_s8_s32_tn,
    TABLE_e4m3_f32_tn,
    TABLE_e5m2_f32_tn,
    TABLE_f16_f32_nn,
    TABLE_f16_f32_tt,
    TABLE_f16_f32_nt,
    TABLE_bf16_f32_nn,
    TABLE_bf16_f32_tt,
    TABLE_bf16_f32_nt,
];

#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[for_kernel()]
const COUNT: usize = {
    let (mut count, mut table) = (0, 0);
    while table < TABLES.len() {
        count += TABLES[table].len();
        table += 1;
    }
    count
};

#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[for_kernel()]
const fn all() -> [Configuration; COUNT] {
    let mut all = [TABLES[0][0]; COUNT];
    let (mut at, mut table) = (0, 0);
    while table < TABLES.len() {
        let mut line = 0;
        while line < TABLES[table].len() {
            all[at] = TABLES[table][line];
            at += 1;
            line += 1;
        }
        table += 1;
    }
    all
}
