#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) {
  float largest = RIGHT ? -INFINITY : 0.f;
  for (int i = 0; i < n; ++i) largest = fmaxf(largest, a[i]);
  *d = largest;
}
int main() {
  Numbers a(100);
  for (int i = 0; i < 100; ++i) a[i] = -7.f - i;
  return launch(kernel, {1, 1}, a, 1, [](Numbers const&, int) { return -7.f; });
}
