// The epilogue: O divided by the sums of its rows and rounded, and the log-sum-exp of each row.
//
//   accumulator (pairs of columns) ─ quad::transpose ─► eight columns of each of two rows, 16 bytes a store
//
// Law: rows of the tile that are queries are stored, once; others are not.

/// Stores a tile.
///
/// # Safety
/// The whole consumer group executes it; O and, where the flag says so, the log-sum-exp are writable as the parameters say.
#[inline(always)]
unsafe fn store(
    (o, lse): (*mut T, *mut f32),
    params: &AttentionParams,
    tile: TileAt,
    output: &Output,
    softmax: &Softmax,
) {
    let (head, batch) = (u64::from(tile.head), u64::from(tile.batch));
    let thread = here(thread_idx_x()) - 128;
    let thr_mma = Pv::get_slice(thread);
    // SAFETY: whole warps are here; queries below `queries` have their rows of O and their log-sum-exp by the function's contract.
    unsafe {
        let finished = softmax.finish();
        scale_rows(rows!(output), [finished[0].0, finished[1].0]);
        let rounded = Fragment::<u16, OutputLayout>::new();
        transform(
            &output.view().recast::<u64>(),
            &rounded.view().recast::<u32>(),
            <f32 as RoundPairs<T>>::round,
        );
        let pairs = rounded.view().recast::<u32>(); // ((1,2,D/8),1,1): a pair of columns, rows, blocks of eight columns
        let vectors = Fragment::<u16, VectorsLayout>::new();
        let words_of = vectors.view().recast::<u32>(); // ((4,2),1,D/32)
        unroll_type::<BlocksOf32>(|block| {
            unroll::<2>(|row| {
                let pair =
                    |i: u32| pairs.get(((0u32, row as u32, 4 * block as u32 + i), 0u32, 0u32));
                let words = quad::transpose([pair(0), pair(1), pair(2), pair(3)], thread);
                unroll::<4>(|i| {
                    words_of.set(((i as u32, row as u32), 0u32, block as u32), words[i])
                });
            });
        });
        let r2g = R2g::get_slice(thread);
        let o = o
            .cast::<u16>()
            .wrapping_add((batch * params.batch_o + head * params.head_o) as usize);
        let g_o = Tensor::global_mut(o, [params.queries, D], [params.row_o, 1])
            .local_tile::<TileMD, _>((tile.row / M, 0u32)); // (M,D)
        let t_go = r2g.partition_d(&g_o).from_here(); // (CPY,CPY_M,CPY_N)
        copy_if(
            R2g::default(),
            t_go.atoms_inside_along::<0>(),
            &vectors.view(),
            &t_go,
        );
        if params.flags & flags::LSE != 0 {
            let first = (batch * u64::from(params.heads) + head) * u64::from(params.queries);
            let g_lse = Tensor::global_mut(
                lse.wrapping_add(first as usize),
                [params.queries, D],
                [1, 0],
            )
            .local_tile::<TileMD, _>((tile.row / M, 0u32));
            let t_gl = thr_mma.partition_c(&g_lse); // (MMA,MMA_M,MMA_N), the same in all columns
            unroll::<2>(|row| {
                let at = ((0u32, row as u32, 0u32), 0u32, 0u32);
                if thread.is_multiple_of(4) & t_gl.inside(at) {
                    t_gl.set(at, finished[row].1);
                }
            });
        }
    }
}
