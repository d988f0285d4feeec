#include "common.cuh"
#ifdef MISTAKE
using TileLayout = Layout<Shape<_128, _32>, Stride<_1, _128>>;
#else
using TileLayout = Layout<Shape<_128, _32>, Stride<_32, _1>>;
#endif
// D (row-major) is 2 A (row-major).
__global__ void kernel(float* d, float const* a, int) {
  Tensor g_a = make_tensor(make_gmem_ptr(a), TileLayout{});
  Tensor g_d = make_tensor(make_gmem_ptr(d), Layout<Shape<_128, _32>, Stride<_32, _1>>{});
  for (int j = 0; j < 32; ++j) g_d(threadIdx.x, j) = 2.f * g_a(threadIdx.x, j);
}
int main() { return map(kernel, {1, 128}, 4096, 4096, [](Numbers const& a, int i) { return 2.f * a[i]; }); }
