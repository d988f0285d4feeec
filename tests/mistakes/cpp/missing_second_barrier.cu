#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) {
  __shared__ float tile[128];
  int const i = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n / 128; ++k) {
    tile[i] = a[128 * k + i];
    __syncthreads();
    sum += tile[127 - i];
    if (RIGHT) __syncthreads();
  }
  d[i] = sum;
}
int main() { return map(kernel, {1, 128}, 512, 128, sums_of_steps); }
