#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] = 2.f * a[i];
}
int main() {
  int const n = 1000;
  return map(kernel, {RIGHT ? (n + 255) / 256 : n / 256, 256}, n, n, [](Numbers const& a, int i) { return 2.f * a[i]; });
}
