#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  __shared__ float sums[32];
  int const i = threadIdx.x;
  sums[i] = a[i];
  for (int step = 16; step > 0; step /= 2) {
    if (RIGHT) __syncwarp();
    float const other = i < step ? sums[i + step] : 0.f;
    if (RIGHT) __syncwarp();
    if (i < step) sums[i] += other;
  }
  if (i == 0) *d = sums[0];
}
int main() { return map(kernel, {1, 32}, 32, 1, total); }
