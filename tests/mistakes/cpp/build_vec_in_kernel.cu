#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
#ifdef MISTAKE
  std::vector<float> squares;
  for (int i = 0; i < 4; ++i) squares.push_back(a[i] * a[i]);
#else
  cute::array<float, 4> squares;
  for (int i = 0; i < 4; ++i) squares[i] = a[i] * a[i];
#endif
  d[threadIdx.x] = squares[0] + squares[1] + squares[2] + squares[3];
}
int main() {
  return map(kernel, {1, 32}, 4, 32, [](Numbers const& a, int) { return a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]; });
}
