//! `tcgen05.cp` as atoms: one thread copies from shared memory to tensor memory.
//!
//! ```text
//!   Sm100_UTCCP_128dp256bit_1cta     128 lanes of 256 bits, lane by lane
//!   Sm100_UTCCP_4x32dp128bit_1cta    32 rows of 128 bits to all four quarters of the lanes: scale factors
//!   Sm100_UTCCP_2x64dp128bitlw0213   64 rows to lanes 0 to 63 and to lanes 64 to 127
//!   Sm100_UTCCP_2x64dp128bitlw0123   rows 0 to 31 to quarters 0 and 1, rows 32 to 63 to 2 and 3
//! ```
//!
//! Law: `SrcLayout` maps (CTA, bit) to a bit of the rows in shared memory, and `DstLayout` maps it
//! to a moved bit; if rows go to several quarters, the source's mode of copies has stride 0.
//! `ValId` maps a moved bit to its place in tensor memory.
//!
//! Source: CuTe `cute/atom/copy_traits_sm100.hpp`, `UTCCP`; PTX ISA, *tcgen05.cp*.

use super::CopyAtom;
use crate::arch::copy_sm100::UtccpIssue;
use crate::atom::Instruction;
use crate::atom::tmem::fragment::CtaGroup;
use crate::atom::umma::UmmaDescriptor;
use crate::check::Text;
use crate::layout;
use crate::layout::{LayoutFn, StaticLayout, Unzip};
use crate::num::False;
use crate::tree::{Cons, M, Nil, phantom};
use core::fmt;
use typenum::{U100, Unsigned};

/// A shape of `tcgen05.cp`.
pub trait UtccpShape: Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// The layout that maps a moved bit to its place in bits of tensor memory.
    type ValId: StaticLayout;
    /// The layout that maps a moved bit to a bit of the source.
    type Source: StaticLayout;
    /// The layout that maps a moved bit to itself.
    type Destination: StaticLayout;
    /// The name in CuTe.
    const NAME: &'static str;
}
macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident $cute:literal [$($id:tt)+] [$($source:tt)+] [$($destination:tt)+];)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;
        impl UtccpShape for $name {
            type ValId = layout!($($id)+);
            type Source = layout!($($source)+);
            type Destination = layout!($($destination)+);
            const NAME: &'static str = $cute;
        }
    )+};
}
shapes! {
    /// Copies 128 lanes of 8 columns.
    Dp128b256 "128dp256bit" [(128,256):(2097152,1)] [32768:1] [32768:1];
    /// Copies 128 lanes of 4 columns.
    Dp128b128 "128dp128bit" [(128,128):(2097152,1)] [16384:1] [16384:1];
    /// Copies the last 4 lanes of each quarter, 8 columns each.
    Dp4b256 "4dp256bit" [(128,256):(2097152,1)] [(4,256):(32,128)] [(4,256):(32,128)];
    /// Copies 32 rows of 4 columns to each quarter of the lanes.
    Dp4x32b128 "4x32dp128bit" [(32,128,4):(2097152,1,67108864)] [(32,128,4):(1,32,0)] [16384:1];
    /// Copies 64 rows of 4 columns to both halves of the lanes.
    Dp2x64Lw02_13 "2x64dp128bitlw0213" [(64,128,2):(2097152,1,134217728)] [(64,128,2):(1,64,0)] [16384:1];
    /// Copies 32 rows of 4 columns to quarters 0 and 1, and 32 more to quarters 2 and 3.
    Dp2x64Lw01_23 "2x64dp128bitlw0123"
        [(32,128,2,2):(2097152,1,134217728,67108864)] [(32,128,2,2):(1,32,4096,0)] [16384:1];
}

phantom! {
    /// A `tcgen05.cp` of the shape `Shape` by the CTAs of the group `G`.
    ///
    /// CuTe's names are aliases of this type.
    ///
    /// ```
    /// use layout_types::atom::{CopyAtom, copy::Sm100_UTCCP_4x32dp128bit_1cta as Copy};
    /// assert_eq!(<Copy as CopyAtom>::SrcLayout::default().to_string(), "(1,(32,128,4)):(0,(1,32,0))");
    /// assert_eq!(<Copy as CopyAtom>::PTX, "tcgen05.cp.cta_group::1.32x128b.warpx4");
    /// ```
    Utccp<Shape, G>
}
/// Adds a mode of the group's CTAs. The layout is the same for each of them.
type OfEach<G, L> =
    Unzip<Cons<M<<G as CtaGroup>::Size, typenum::U0>, Cons<<L as LayoutFn>::Modes, Nil>>>;
impl<Shape, G> Instruction for Utccp<Shape, G> {
    type Sm = U100;
    type Later = False;
}
impl<Shape: UtccpShape, G: CtaGroup> Utccp<Shape, G> {
    const TEXT: Text = {
        let mut text = Text::new();
        text.say("SM100_UTCCP_").say(Shape::NAME).say("_");
        *text.number(G::Size::I64).say("cta")
    };
    const TEXT_REF: &'static Text = &Self::TEXT;
}
impl<Shape: UtccpShape, G: CtaGroup> fmt::Debug for Utccp<Shape, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::TEXT_REF.as_str())
    }
}
impl<Shape: UtccpShape + UtccpIssue<G>, G: CtaGroup> CopyAtom for Utccp<Shape, G> {
    type ThrId = G::ThrId;
    type SrcLayout = OfEach<G, Shape::Source>;
    type DstLayout = OfEach<G, Shape::Destination>;
    type RefLayout = OfEach<G, Shape::Destination>;
    const NAME: &'static str = Self::TEXT_REF.as_str();
    const PTX: &'static str = <Shape as UtccpIssue<G>>::PTX;
}
impl<Shape: UtccpShape + UtccpIssue<G>, G: CtaGroup> Utccp<Shape, G> {
    /// Starts the copy of the rows that `from` describes to tensor memory from `to` on.
    ///
    /// # Safety
    /// The conditions of [`UtccpIssue::issue`] hold, and `from` describes the rows of the shape.
    #[inline(always)]
    pub unsafe fn copy<T, Tnsp, Rows>(from: UmmaDescriptor<T, Tnsp, Rows>, to: u32) {
        // SAFETY: the caller guarantees that one thread executes this, that the source is written,
        // and that the columns are free.
        unsafe { <Shape as UtccpIssue<G>>::issue(to, from.bits()) };
    }
}
macro_rules! aliases {
    ($($one:ident $two:ident $shape:ident;)+) => {$(
        #[doc = concat!("CuTe's operation of this name: `tcgen05.cp` of ", stringify!($shape), " by one CTA.")]
        #[allow(non_camel_case_types)]
        pub type $one = Utccp<$shape, crate::atom::tmem::fragment::OneSm>;
        #[doc = concat!("CuTe's operation of this name: `tcgen05.cp` of ", stringify!($shape), " by a pair of CTAs.")]
        #[allow(non_camel_case_types)]
        pub type $two = Utccp<$shape, crate::atom::tmem::fragment::TwoSm>;
    )+};
}
aliases! {
    Sm100_UTCCP_128dp256bit_1cta Sm100_UTCCP_128dp256bit_2cta Dp128b256;
    Sm100_UTCCP_128dp128bit_1cta Sm100_UTCCP_128dp128bit_2cta Dp128b128;
    Sm100_UTCCP_4dp256bit_1cta Sm100_UTCCP_4dp256bit_2cta Dp4b256;
    Sm100_UTCCP_4x32dp128bit_1cta Sm100_UTCCP_4x32dp128bit_2cta Dp4x32b128;
    Sm100_UTCCP_2x64dp128bitlw0213_1cta Sm100_UTCCP_2x64dp128bitlw0213_2cta Dp2x64Lw02_13;
    Sm100_UTCCP_2x64dp128bitlw0123_1cta Sm100_UTCCP_2x64dp128bitlw0123_2cta Dp2x64Lw01_23;
}
