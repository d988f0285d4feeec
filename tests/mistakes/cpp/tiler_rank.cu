#include "common.cuh"
// Tile (3,0) of a row-major matrix of 8 rows by 64, a tile being a row.
#ifdef MISTAKE
using Row = Shape<_64>;
#else
using Row = Shape<_1, _64>;
#endif
__global__ void kernel(float* d, float const* a, int) {
  Tensor x = make_tensor(make_gmem_ptr(a), make_layout(make_shape(8, 64), LayoutRight{}));
  Tensor row = local_tile(x, Row{}, make_coord(3, 0));
  d[threadIdx.x] = row(int(threadIdx.x));
}
int main() { return map(kernel, {1, 64}, 512, 64, [](Numbers const& a, int i) { return a[3 * 64 + i]; }); }
