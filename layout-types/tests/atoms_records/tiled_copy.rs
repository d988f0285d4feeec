//! The cases of a tiled copy, from its type and the tensors that it cuts.

use crate::atoms_records::{Case, Cut};
use layout_types::check::Reflect;
use layout_types::prelude::*;
use layout_types::tiled::*;

/// The operations that the records apply to tensors.
macro_rules! kinds {
    ($($kind:ident $what:literal, [$($bound:tt)*], $case:expr;)*) => {$(
        /// A list of cases.
        pub struct $kind;
        impl<C, L: LayoutFn, R: Cases<C, $kind>> Cases<C, $kind> for (L, R)
        where
            $($bound)*
        {
            const CASES: Cut = Cut::More(&$case($what), &R::CASES);
        }
    )*};
}
/// The cases of a list of tensors, `(L1, (L2, ()))`, cut by the tiled copy `C`.
///
/// These are constants of generic impls, because the compiler then computes each type once. Types
/// written out in each case took it several times as long.
pub trait Cases<C, Kind> {
    /// The cases.
    const CASES: Cut;
}
impl<C, Kind> Cases<C, Kind> for () {
    const CASES: Cut = Cut::No;
}
kinds! {
    TidFrgS "tidfrg_S", [C: TidFrg<Source, L>], Case::of::<L, TidFrgOf<C, Source, L>>;
    TidFrgD "tidfrg_D", [C: TidFrg<Destination, L>], Case::of::<L, TidFrgOf<C, Destination, L>>;
    PartitionS "partition_S", [C: TidFrg<Source, L>], Case::part::<L, CopyPartitionOf<C, Source, L>, CopyThreadOf<C, Source, L>>;
    PartitionD "partition_D", [C: TidFrg<Destination, L>], Case::part::<L, CopyPartitionOf<C, Destination, L>, CopyThreadOf<C, Destination, L>>;
    RetileS "retile_S", [C: Retile<L>], Case::of::<L, RetileOf<C, L>>;
    RetileD "retile_D", [C: Retile<L>], Case::of::<L, RetileOf<C, L>>;
}
/// The cases of the tiled copy itself.
pub trait Itself {
    /// The cases.
    const CASES: &'static [Case];
}
impl<C> Itself for C
where
    C: TiledCopyTraits<TilerMn: Reflect> + CopyTvOf<Source> + CopyTvOf<Destination>,
{
    const CASES: &'static [Case] = &[
        Case::text::<C::TilerMn>("Tiler_MN"),
        Case::layout::<C::LayoutTv>("TiledLayout_TV"),
        Case::layout::<CopyLayoutTv<C, Source>>("layoutS_TV"),
        Case::layout::<CopyLayoutTv<C, Destination>>("layoutD_TV"),
    ];
}
/// All cases of a tiled copy.
pub struct All<C, TS, TD, PS, PD, RS, RD>(std::marker::PhantomData<(C, TS, TD, PS, PD, RS, RD)>);
impl<C, TS, TD, PS, PD, RS, RD> All<C, TS, TD, PS, PD, RS, RD>
where
    C: Itself,
    TS: Cases<C, TidFrgS>,
    TD: Cases<C, TidFrgD>,
    PS: Cases<C, PartitionS>,
    PD: Cases<C, PartitionD>,
    RS: Cases<C, RetileS>,
    RD: Cases<C, RetileD>,
{
    /// The cases.
    pub const ALL: (&'static [Case], [Cut; 6]) = (
        C::CASES,
        [
            TS::CASES,
            TD::CASES,
            PS::CASES,
            PD::CASES,
            RS::CASES,
            RD::CASES,
        ],
    );
}
macro_rules! tensors {
    () => { () };
    ([$($first:tt)*] $($rest:tt)*) => { (layout!($($first)*), tensors!($($rest)*)) };
}
macro_rules! tiled_copy {
    ($cfg:literal, $copy:ty, tidfrg_S $([$($ts:tt)*])*; tidfrg_D $([$($td:tt)*])*;
     partition_S $([$($ps:tt)*])*; partition_D $([$($pd:tt)*])*; retile_S $([$($rs:tt)*])*; retile_D $([$($rd:tt)*])*) => {
        Config::new($cfg, &All::<
            $copy,
            tensors!($([$($ts)*])*),
            tensors!($([$($td)*])*),
            tensors!($([$($ps)*])*),
            tensors!($([$($pd)*])*),
            tensors!($([$($rs)*])*),
            tensors!($([$($rd)*])*),
        >::ALL)
    };
}
