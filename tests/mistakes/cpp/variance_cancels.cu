#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) {
  float sum = 0, squares = 0, deviations = 0;
  for (int i = 0; i < n; ++i) { sum += a[i]; squares += a[i] * a[i]; }
  float const mean = sum / n;
  for (int i = 0; i < n; ++i) deviations += (a[i] - mean) * (a[i] - mean);
  *d = RIGHT ? deviations / n : squares / n - mean * mean;
}
int main() {
  Numbers a(100);
  for (int i = 0; i < 100; ++i) a[i] = 10000.f + (i % 3) * 0.25f;
  double mean = 0, variance = 0;
  for (float x : a) mean += x / 100.;
  for (float x : a) variance += (x - mean) * (x - mean) / 100.;
  return launch(kernel, {1, 1}, a, 1, [=](Numbers const&, int) { return variance; }, 1e-3);
}
