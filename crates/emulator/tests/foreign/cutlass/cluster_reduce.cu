// A sum and a maximum of f32 over a cluster: each block's by CUB's BlockReduce, the blocks' by cooperative groups'
// `cg::reduce` over what `cluster_group::map_shared_rank` reads of the others. host.cuh makes the arguments and runs it.
#include "host.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_reduce.cuh>
#include <cuda/functional>

namespace cg = cooperative_groups;

struct Reduce {
  static constexpr int MaxThreadsPerBlock = 256, MinBlocksPerMultiprocessor = 1, Blocks = 4;
  struct Params {
    const float* x;
    float* sums;
    float* largest;
    int count;
  };
  using OfBlock = cub::BlockReduce<float, MaxThreadsPerBlock>;
  struct Shared {
    OfBlock::TempStorage sum, largest;
    float sum_of_block, largest_of_block;
  };
  static constexpr int SharedStorageSize = sizeof(Shared);
  static dim3 get_grid_shape(Params const&) { return dim3(2 * Blocks); }
  static dim3 get_block_shape() { return dim3(MaxThreadsPerBlock); }

  __device__ void operator()(Params const& params, char* memory) {
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    cg::cluster_group cluster = cg::this_cluster();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i < params.count ? params.x[i] : 0.0f;
    float sum = OfBlock(shared.sum).Sum(x);
    float largest = OfBlock(shared.largest).Reduce(x, cuda::maximum<float>{});
    if (threadIdx.x == 0) {
      shared.sum_of_block = sum;
      shared.largest_of_block = largest;
    }
    cluster.sync();
    // Every block has the cluster's results, and writes them.
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    if (warp.meta_group_rank() == 0) {
      bool reads = warp.thread_rank() < cluster.num_blocks();
      unsigned rank = reads ? warp.thread_rank() : 0;
      float one = *cluster.map_shared_rank(&shared.sum_of_block, rank);
      float most = *cluster.map_shared_rank(&shared.largest_of_block, rank);
      one = cg::reduce(warp, reads ? one : 0.0f, cg::plus<float>());
      most = cg::reduce(warp, most, cg::greater<float>());
      if (warp.thread_rank() == 0) {
        params.sums[blockIdx.x] = one;
        params.largest[blockIdx.x] = most;
      }
    }
    cluster.sync();
  }
};

KERNEL(cluster_reduce, Reduce)

void run(const char* name, int count) {
  Reduce::Params params{buffer<float>("x", count), buffer<float>("sums", 8, true), buffer<float>("largest", 8, true), count};
  launch<Reduce>(name, cluster_reduce, params, dim3(Reduce::Blocks));
}

int main(int count, char** words) {
  start(count, words);
  run("cluster_reduce.0", 2048);
  run("cluster_reduce.1", 1500);
}
