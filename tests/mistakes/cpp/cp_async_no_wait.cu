#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) {
  __shared__ float tile[128];
  int const i = threadIdx.x;
  SM80_CP_ASYNC_CACHEALWAYS<uint32_t>::copy(*(uint32_t const*)(a + i), *(uint32_t*)(tile + i));
  cp_async_fence();
  if (RIGHT) cp_async_wait<0>();
  __syncthreads();
  d[i] = tile[n - 1 - i];
}
int main() { return map(kernel, {1, 128}, 128, 128, reversed); }
