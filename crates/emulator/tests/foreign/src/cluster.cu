// Sums and a histogram over the shared memory of a cluster's blocks, through cooperative groups.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// One sum per cluster: each block sums its part, block 0 adds what the others have.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_sum(const float* x, float* y, unsigned n) {
  __shared__ float part[32];
  __shared__ float sum;
  auto cluster = cg::this_cluster();
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.0f;
  for (int s = 16; s; s /= 2) v += __shfl_down_sync(~0u, v, s);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0.0f;
    for (unsigned w = 0; w < blockDim.x / 32; w++) all += part[w];
    sum = all;
  }
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    float all = 0.0f;
    for (unsigned rank = 0; rank < cluster.num_blocks(); rank++) all += *cluster.map_shared_rank(&sum, rank);
    y[blockIdx.x / cluster.num_blocks()] = all;
  }
  cluster.sync();
}

// A histogram whose bins are dealt out over the blocks of a cluster of any size.
extern "C" __global__ void cluster_histogram(int* bins, int count, int per_block, const int* x, unsigned n) {
  extern __shared__ int mine[];
  auto cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) mine[i] = 0;
  cluster.sync();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    int bin = min(max(x[i], 0), count - 1);
    int* there = cluster.map_shared_rank(mine, bin / per_block);
    atomicAdd(there + bin % per_block, 1);
  }
  cluster.sync();
  int* mine_in_all = bins + cluster.block_rank() * per_block;
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) atomicAdd(&mine_in_all[i], mine[i]);
}
