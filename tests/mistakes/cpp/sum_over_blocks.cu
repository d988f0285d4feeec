#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  float sum = 0;
  for (int i = 0; i < 64; ++i) sum += a[blockIdx.x * 64 + i];
  if (RIGHT) atomicAdd(d, sum);
  else *d += sum;
}
int main() { return launch(kernel, {8, 1}, numbers(512), 1, total, 0, Numbers(1, 0.f)); }
