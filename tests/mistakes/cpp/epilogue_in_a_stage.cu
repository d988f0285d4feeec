#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) {
  __shared__ float stage[128];
  int const i = threadIdx.x;
  stage[i] = a[i];
  __syncthreads();
  float const accumulator = 2.f * stage[i ^ 32];
  if (RIGHT) __syncthreads();
  stage[i] = accumulator;
  __syncthreads();
  d[i] = stage[(n - 1 - i) ^ 32];
}
int main() { return map(kernel, {1, 128}, 128, 128, [](Numbers const& a, int i) { return 2.f * a[127 - i]; }); }
