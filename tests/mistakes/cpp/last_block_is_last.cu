#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  unsigned const block = blockIdx.x, blocks = gridDim.x;
  float sum = 0;
  for (int i = 0; i < 64; ++i) sum += a[block * 64 + i];
  d[1 + block] = sum;
  __threadfence();
  unsigned const place = RIGHT ? atomicAdd((unsigned*)(d + 15), 1u) : block;
  if (place + 1 == blocks) {
    __threadfence();
    float all = 0;
    for (unsigned other = 0; other < blocks; ++other) all += ((float volatile*)d)[1 + other];
    *d = all;
  }
}
int main() { return launch(kernel, {8, 1}, numbers(512), 1, total, 0, Numbers(16, 0.f)); }
