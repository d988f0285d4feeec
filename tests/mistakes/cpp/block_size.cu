#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) { // for 128 threads
  __shared__ float tile[128];
  int const i = threadIdx.x;
  tile[i] = a[i];
  __syncthreads();
  d[i] = tile[n - 1 - i];
}
int main() { return map(kernel, {1, RIGHT ? 128 : 256}, 128, 128, reversed); }
