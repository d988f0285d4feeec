#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) {
  bfloat16_t low(0.f);
  float sum = 0;
  for (int i = 0; i < n; ++i)
    if (a[i] <= 100.f) { low += bfloat16_t(1.f); sum += 1.f; }
  *d = RIGHT ? sum : float(low);
}
int main() { return map(kernel, {1, 1}, 512, 1, [](Numbers const& a, int) { return float(a.size()); }); }
