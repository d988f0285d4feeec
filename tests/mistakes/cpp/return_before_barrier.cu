#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) {
  __shared__ float tile[128];
  int const i = threadIdx.x;
  if (!RIGHT && i >= n) return;
  if (i < n) tile[i] = a[i];
  __syncthreads();
  if (i < n) d[i] = tile[n - 1 - i];
}
int main() { return map(kernel, {1, 128}, 100, 100, reversed); }
