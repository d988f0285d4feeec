#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) {
  int const i = threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < n / 64; ++tile) {
    if (RIGHT) sum = 0;
    for (int k = 0; k < 2; ++k) sum += a[64 * tile + 32 * k + i];
    d[32 * tile + i] = sum;
  }
}
int main() {
  return map(kernel, {1, 32}, 256, 128, [](Numbers const& a, int i) { return a[64 * (i / 32) + i % 32] + a[64 * (i / 32) + i % 32 + 32]; });
}
