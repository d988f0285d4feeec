#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  __shared__ alignas(128) float tile[128];
  int const i = threadIdx.x;
  tile[i] = a[127 - i];
  tma_store_fence();
  __syncthreads();
  if (i == 0) {
    SM90_BULK_COPY_S2G::copy(tile, d, 512);
    tma_store_arrive();
    if (RIGHT) tma_store_wait<0>();
  }
}
int main() { return map(kernel, {1, 128}, 128, 128, reversed); }
