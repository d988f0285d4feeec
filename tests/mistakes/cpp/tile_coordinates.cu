#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  Tensor matrix = make_tensor(make_gmem_ptr(a), make_layout(make_shape(128, 64), LayoutRight{}));
#ifdef MISTAKE
  Tensor tile = local_tile(matrix, Shape<_64, _32>{}, make_coord(1, 1, 0));
#else
  Tensor tile = local_tile(matrix, Shape<_64, _32>{}, make_coord(1, 0));
#endif
  d[threadIdx.x] = tile(int(threadIdx.x), 0);
}
int main() { return map(kernel, {1, 64}, 8192, 64, [](Numbers const& a, int i) { return a[64 * (64 + i)]; }); }
