#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) {
  float largest = RIGHT ? -INFINITY : 0.f, sum = 0;
  if (RIGHT) for (int j = 0; j < n; ++j) largest = fmaxf(largest, 8.f * a[j]);
  for (int j = 0; j < n; ++j) sum += exp2f(8.f * a[j] - largest);
  d[threadIdx.x] = exp2f(8.f * a[threadIdx.x] - largest) / sum;
}
double softmax(Numbers const& a, int i) {
  double largest = -1e30, sum = 0;
  for (float x : a) largest = std::max(largest, 8. * x);
  for (float x : a) sum += std::exp2(8. * x - largest);
  return std::exp2(8. * a[i] - largest) / sum;
}
int main() { return launch(kernel, {1, 32}, numbers(32), 32, softmax, 1e-3); }
