use layout_types::atom::copy::{Sm80_CP_ASYNC_CACHEGLOBAL, ValLayoutDst};

// cp.async.cg copies 16 bytes only.
fn main() {
    let _ = ValLayoutDst::<Sm80_CP_ASYNC_CACHEGLOBAL<u64>, f32>::default();
}
