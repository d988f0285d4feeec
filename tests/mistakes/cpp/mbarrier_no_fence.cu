#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  __shared__ alignas(128) float tile[128];
  __shared__ uint64_t barrier;
  int const i = threadIdx.x;
  if (i == 0) {
    initialize_barrier(barrier, 1);
    if (RIGHT) cutlass::arch::fence_barrier_init();
  }
  __syncthreads();
  if (i == 0) {
    set_barrier_transaction_bytes(barrier, 512);
    SM90_BULK_COPY_G2S::copy(a, &barrier, tile, 512);
  }
  wait_barrier(barrier, 0);
  d[i] = tile[127 - i];
}
int main() { return map(kernel, {1, 128}, 128, 128, reversed); }
