#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  float const x = i < n ? a[i] : 0.f;
  if (!RIGHT || i < n) d[i] = 2.f * x;
}
int main() { return map(kernel, {4, 256}, 1000, 1000, [](Numbers const& a, int i) { return 2.f * a[i]; }); }
