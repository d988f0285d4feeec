#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  int const i = threadIdx.x;
  int8_t const x = int8_t(a[i]);
  int8_t const narrow = x * x;
  d[i] = RIGHT ? float(int(x) * int(x)) : float(narrow);
}
int main() { return map(kernel, {1, 128}, 128, 128, [](Numbers const& a, int i) { return a[i] * a[i]; }); }
