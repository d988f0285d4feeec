//! category: vectors and alignment
//! mistake: A column-major matrix goes to a copy of 16 bytes along its rows.
//! cure: Values along the mode of stride 1: `layout!((8,1))` for a column-major matrix, with `(Int::<1>, ld)` as its strides.
//! CuTe: static assertion, "src failed to vectorize into registers", of a stride that is a run-time number too.
use layout_types::prelude::*;
use layout_types::algorithm::copy;
use layout_types::atom::copy::Sm80_CP_ASYNC_CACHEGLOBAL;
use layout_types::tensor::Shared;
use layout_types::tiled::MakeTiledCopy;
#[cfg(mistake)]
type Values = layout!((1,8));
#[cfg(mistake)]
type Threads = layout!((32,4):(4,1));
#[cfg(not(mistake))]
type Values = layout!((8,1));
#[cfg(not(mistake))]
type Threads = layout!((4,32):(1,4));
type G2s = MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, half::f16, Threads, Values>;
#[cfg(mistake)]
type Stage = layout!((32,32):(32,1));
#[cfg(not(mistake))]
type Stage = layout!((32,32):(1,32));
unsafe fn load(a: *const half::f16, m: u32, k: u32, stage: u32, thread: u32) {
    let g2s = G2s::get_slice(thread);
    unsafe {
        let g_a = Tensor::global(a, [m, k], (Int::<1>, m.into())).local_tile::<tile!(32, 32), _>((0, 0));
        let s_a = Tensor::<Shared<half::f16>, Stage>::shared(stage);
        copy(G2s::default(), &g2s.partition_s(&g_a), &g2s.partition_d(&s_a));
    }
}
