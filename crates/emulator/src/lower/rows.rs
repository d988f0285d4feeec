//! The rows that an operation names, for the allocation to rewrite.

use crate::ir::{Address, Mma, Op, WgmmaLeft};

impl Op {
    /// Hands every address of device memory whose provenance is looked at to `f`: not those of bulk
    /// copies, mbarriers, tiles of warps and `discard` (`crates/emulator/CHECKS.md`).
    pub fn addresses(&mut self, f: &mut dyn FnMut(&mut Address)) {
        match self {
            Op::Load(transfer) | Op::Store(transfer) => f(&mut transfer.address),
            Op::Atomic(atomic) => f(&mut atomic.address),
            Op::CopyAsync(copy) => [&mut copy.destination, &mut copy.source]
                .into_iter()
                .for_each(f),
            Op::LoadMatrix(matrix) | Op::StoreMatrix(matrix) => f(&mut matrix.address),
            Op::StoreAsync(op) => f(&mut op.address),
            Op::ReplaceInMap(op) => f(&mut op.address),
            Op::CopyMap(op) => [&mut op.destination, &mut op.source]
                .into_iter()
                .for_each(f),
            Op::Multimem(op) => f(&mut op.address),
            Op::Bulk(_) | Op::Mbarrier(_) | Op::Tile(_) | Op::Discard(_) | Op::MapFence(_) => {}
            // No address: a new operation has to be in one of these lists.
            Op::Alu { .. }
            | Op::Branch { .. }
            | Op::Table { .. }
            | Op::Call(_)
            | Op::Return
            | Op::Exit
            | Op::CommitAsync
            | Op::WaitAsync { .. }
            | Op::CommitBulk
            | Op::WaitBulk { .. }
            | Op::Barrier(_)
            | Op::ClusterBarrier { .. }
            | Op::WarpBarrier { .. }
            | Op::Shuffle(_)
            | Op::Vote(_)
            | Op::Match(_)
            | Op::Reduce(_)
            | Op::Elect { .. }
            | Op::ActiveMask { .. }
            | Op::MoveMatrix { .. }
            | Op::Mma(_)
            | Op::Wgmma(_)
            | Op::Tcgen05(_)
            | Op::WgmmaFence
            | Op::WgmmaCommit
            | Op::WgmmaWait { .. }
            | Op::Texel(_)
            | Op::Allocate(_)
            | Op::SaveStack { .. }
            | Op::RestoreStack { .. }
            | Op::Fence(_)
            | Op::Nothing
            | Op::WaitForLaunchBefore
            | Op::ReleaseDependents
            | Op::ProxyFence { .. }
            | Op::InitFence
            | Op::SetRegisters { .. }
            | Op::Sleep
            | Op::Prefetch
            | Op::Trap
            | Op::Breakpoint
            | Op::Clock { .. } => {}
        }
    }

    /// Hands every row that the operation names to `f`.
    pub fn rows(&mut self, f: &mut dyn FnMut(&mut u32)) {
        match self {
            Op::Alu { args, .. } => args.iter_mut().for_each(f),
            Op::Branch { .. }
            | Op::Return
            | Op::Exit
            | Op::CommitAsync
            | Op::CommitBulk
            | Op::WgmmaFence
            | Op::WgmmaCommit
            | Op::WgmmaWait { .. }
            | Op::WaitBulk { .. }
            | Op::WaitAsync { .. }
            | Op::Fence(_)
            | Op::Nothing
            | Op::WaitForLaunchBefore
            | Op::ReleaseDependents
            | Op::ProxyFence { .. }
            | Op::ClusterBarrier { .. }
            | Op::InitFence
            | Op::SetRegisters { .. }
            | Op::Sleep
            | Op::Prefetch
            | Op::Trap
            | Op::Breakpoint => {}
            Op::Table { index, .. } => f(index),
            Op::Call(call) => f(&mut call.pointer),
            Op::Load(transfer) | Op::Store(transfer) => {
                f(&mut transfer.address.base);
                transfer.registers[..usize::from(transfer.count)]
                    .iter_mut()
                    .for_each(f);
            }
            Op::Atomic(atomic) => {
                let count = usize::from(atomic.count);
                f(&mut atomic.address.base);
                atomic.result[..count].iter_mut().for_each(&mut *f);
                atomic.a[..count].iter_mut().for_each(&mut *f);
                f(&mut atomic.b);
            }
            Op::CopyAsync(copy) => {
                [
                    &mut copy.destination.base,
                    &mut copy.source.base,
                    &mut copy.source_size,
                    &mut copy.ignore,
                ]
                .into_iter()
                .for_each(f);
            }
            Op::Bulk(bulk) => {
                f(&mut bulk.shared.base);
                f(&mut bulk.other.base);
                f(&mut bulk.size);
                f(&mut bulk.blocks);
                bulk.coordinates.iter_mut().for_each(&mut *f);
                if let Some(barrier) = &mut bulk.barrier {
                    f(&mut barrier.base);
                }
            }
            Op::StoreAsync(op) => {
                f(&mut op.address.base);
                f(&mut op.barrier.base);
                op.registers[..usize::from(op.count)].iter_mut().for_each(f);
            }
            Op::ReplaceInMap(op) => [&mut op.address.base, &mut op.value]
                .into_iter()
                .for_each(f),
            Op::CopyMap(op) => {
                f(&mut op.destination.base);
                f(&mut op.source.base);
            }
            Op::Multimem(op) => {
                f(&mut op.address.base);
                op.registers[..usize::from(op.count)].iter_mut().for_each(f);
            }
            Op::Mbarrier(barrier) => {
                [
                    &mut barrier.address.base,
                    &mut barrier.operand,
                    &mut barrier.result,
                ]
                .into_iter()
                .for_each(f);
            }
            Op::Barrier(barrier) => {
                [
                    &mut barrier.barrier,
                    &mut barrier.threads,
                    &mut barrier.predicate,
                    &mut barrier.result,
                ]
                .into_iter()
                .for_each(f);
            }
            Op::WarpBarrier { mask } => f(mask),
            Op::Shuffle(s) => {
                [
                    &mut s.result,
                    &mut s.valid,
                    &mut s.a,
                    &mut s.b,
                    &mut s.c,
                    &mut s.mask,
                ]
                .into_iter()
                .for_each(f);
            }
            Op::Vote(vote) => {
                [&mut vote.result, &mut vote.predicate, &mut vote.mask]
                    .into_iter()
                    .for_each(f);
            }
            Op::Match(m) => {
                [&mut m.result, &mut m.predicate, &mut m.a, &mut m.mask]
                    .into_iter()
                    .for_each(f);
            }
            Op::Reduce(reduce) => {
                [&mut reduce.result, &mut reduce.a, &mut reduce.mask]
                    .into_iter()
                    .for_each(f);
            }
            Op::Elect {
                lane,
                predicate,
                mask,
            } => [lane, predicate, mask].into_iter().for_each(f),
            Op::ActiveMask { result } | Op::Clock { result, .. } => f(result),
            Op::LoadMatrix(matrix) | Op::StoreMatrix(matrix) => {
                f(&mut matrix.address.base);
                matrix.registers[..usize::from(matrix.count)]
                    .iter_mut()
                    .for_each(f);
            }
            Op::MoveMatrix { result, source } => [result, source].into_iter().for_each(f),
            Op::Texel(texel) => {
                f(&mut texel.object);
                texel.coordinates.iter_mut().for_each(&mut *f);
                texel.registers[..usize::from(texel.count)]
                    .iter_mut()
                    .for_each(f);
            }
            Op::Discard(address) | Op::MapFence(address) => f(&mut address.base),
            Op::Allocate(op) => [&mut op.result, &mut op.bytes].into_iter().for_each(f),
            Op::SaveStack { result, .. } => f(result),
            Op::RestoreStack { end, .. } => f(end),
            Op::Tile(tile) => [&mut tile.address.base, &mut tile.stride]
                .into_iter()
                .for_each(f),
            Op::Wgmma(wgmma) => {
                wgmma.d.iter_mut().for_each(&mut *f);
                match &mut wgmma.left {
                    WgmmaLeft::Descriptor(row) => f(row),
                    WgmmaLeft::Registers { rows, .. } => rows.iter_mut().for_each(&mut *f),
                }
                f(&mut wgmma.right);
                f(&mut wgmma.scale);
            }
            Op::Tcgen05(op) => op.rows(f),
            Op::Mma(mma) => {
                let Mma { d, a, b, c, .. } = &mut **mma;
                [d, a, b, c].into_iter().flatten().for_each(f);
            }
        }
    }
}
