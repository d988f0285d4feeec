// nvcc of the mistake: -arch=sm_75
#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  __shared__ alignas(16) float tile[128];
  int const i = threadIdx.x;
  if (i < 32) SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>::copy(((uint128_t const*)a)[i], ((uint128_t*)tile)[i]);
  cp_async_fence();
  cp_async_wait<0>();
  __syncthreads();
  d[i] = tile[127 - i];
}
int main() { return map(kernel, {1, 128}, 128, 128, reversed); }
