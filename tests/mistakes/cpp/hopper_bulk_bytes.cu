#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  __shared__ alignas(128) half_t tile[64];
  __shared__ uint64_t barrier;
  constexpr int BYTES = RIGHT ? 32 : 30;
  if (threadIdx.x == 0) {
    initialize_barrier(barrier, 1);
    cutlass::arch::fence_barrier_init();
    set_barrier_transaction_bytes(barrier, BYTES);
    SM90_BULK_COPY_G2S::copy(a, &barrier, tile, BYTES);
  }
  __syncthreads();
  wait_barrier(barrier, 0);
  if (threadIdx.x < 15) d[threadIdx.x] = float(tile[threadIdx.x]);
}
int main() {
  Numbers a(8);
  for (int i = 0; i < 16; ++i) ((half_t*)a.data())[i] = half_t(float(i));
  return launch(kernel, {1, 32}, a, 15, [](Numbers const&, int i) { return float(i); });
}
