#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  __shared__ unsigned counters[8];
  int const i = threadIdx.x;
  if (i < 8) counters[i] = 0;
  __syncthreads();
  unsigned* counter = counters + (int(a[i]) & 7);
  if (RIGHT) atomicAdd(counter, 1u);
  else *counter += 1;
  __syncthreads();
  if (i < 8) d[i] = float(counters[i]);
}
int main() {
  return map(kernel, {1, 128}, 128, 8, [](Numbers const& a, int j) { int c = 0; for (float x : a) c += (int(x) & 7) == j; return float(c); });
}
