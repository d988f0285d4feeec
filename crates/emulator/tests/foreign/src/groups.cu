// Cooperative groups: tiles, coalesced threads, their reductions and exchanges.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void groups(const int *x, int *y, int n) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int i = block.group_index().x * block.size() + block.thread_rank();
    int v = i < n ? x[i] : 0;
    int sum = cg::reduce(tile, v, cg::plus<int>()), most = cg::reduce(tile, v, cg::greater<int>());
    int next = tile.shfl((int)v, (tile.thread_rank() + 3) % tile.size());
    int votes = tile.ballot(v & 1);
    int rank = -1;
    if (v % 3 == 0) {
        auto some = cg::coalesced_threads();
        rank = some.thread_rank() + 100 * some.size() + 10000 * some.shfl(v & 15, 0);
    }
    block.sync();
    if (i < n) y[i] = sum ^ most << 8 ^ next << 3 ^ votes << 20 ^ rank;
}
