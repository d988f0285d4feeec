#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) {
  extern __shared__ float memory[];
  memory[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  d[threadIdx.x] = memory[n - 1 - threadIdx.x];
}
int main() { return map(kernel, {1, 128, (RIGHT ? 4 : 5) * 49152 + 64}, 128, 128, reversed); }
