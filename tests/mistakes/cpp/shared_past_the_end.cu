#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  __shared__ float tile[RIGHT ? 129 : 128];
  __shared__ float weights[128];
  int const i = threadIdx.x;
  tile[i] = a[i];
  weights[i] = 1;
  if (RIGHT && i == 127) tile[128] = a[128];
  __syncthreads();
  d[i] = tile[i] + weights[i] * tile[i + 1];
}
int main() { return map(kernel, {1, 128}, 129, 128, [](Numbers const& a, int i) { return a[i] + a[i + 1]; }); }
