#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  __shared__ float tile[128];
  int const i = threadIdx.x;
  if (i < 100) {
    tile[i] = a[i];
    if (!RIGHT) __syncthreads();
  }
  if (RIGHT) __syncthreads();
  d[i] = i < 100 ? tile[99 - i] : 0.f;
}
int main() {
  return map(kernel, {1, 128}, 128, 128, [](Numbers const& a, int i) { return i < 100 ? a[99 - i] : 0.f; });
}
