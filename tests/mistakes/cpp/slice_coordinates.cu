#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  Tensor t_ag = make_tensor(make_gmem_ptr(a), Layout<Shape<_8, _4, _2, _3>>{});
#ifdef MISTAKE
  Tensor k_tile = t_ag(_, _, 1);
#else
  Tensor k_tile = t_ag(_, _, _, 1);
#endif
  for (int i = 0; i < size(k_tile); ++i) d[i] = k_tile(i);
}
int main() { return map(kernel, {1, 1}, 192, 64, [](Numbers const& a, int i) { return a[64 + i]; }); }
