#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) {
  half_t low(0.f);
  float sum = 0;
  for (int i = 0; i < n; ++i) { low += half_t(a[i]) * half_t(a[i]); sum += a[i] * a[i]; }
  *d = RIGHT ? sum : float(low);
}
int main() {
  return map(kernel, {1, 1}, 512, 1, [](Numbers const& a, int) { float s = 0; for (float x : a) s += x * x; return s; });
}
