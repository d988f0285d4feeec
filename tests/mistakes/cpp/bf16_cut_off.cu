#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  int const i = threadIdx.x;
  float const x = a[i] / 3.f;
  bfloat16_t const value = RIGHT ? bfloat16_t(x) : bfloat16_t::bitcast(uint16_t(__float_as_uint(x) >> 16));
  d[i] = float(value);
}
int main() {
  return map(kernel, {1, 128}, 128, 128, [](Numbers const& a, int i) { return __bfloat162float(__float2bfloat16_rn(a[i] / 3.f)); });
}
