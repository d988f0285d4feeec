// A tile of a 2-D tensor by TMA: loaded, changed by the threads and stored back, as NVIDIA's documents show the tensor copies.
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>

constexpr int ROWS = 8, COLUMNS = 32;
using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace ptx = cuda::ptx;

extern "C" __global__ void tma_tile(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
  __shared__ alignas(128) int tile[ROWS][COLUMNS];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier bar;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  int at[2] = {int(blockIdx.x) * COLUMNS, int(blockIdx.y) * ROWS};
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &tile, &in, at, cuda::device::barrier_native_handle(bar));
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(tile));
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  for (int row = 0; row < ROWS; row++) tile[row][threadIdx.x] = 3 * tile[row][threadIdx.x] + int(blockIdx.x);
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, at, &tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    (&bar)->~barrier();
  }
}
