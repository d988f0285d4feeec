#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  int const offset = RIGHT ? 4 : 1;
  ((float4*)d)[threadIdx.x] = ((float4 const*)(a + offset))[threadIdx.x];
}
int main() { return map(kernel, {1, 32}, 132, 128, [](Numbers const& a, int i) { return a[i + 4]; }); }
