#include "common.cuh"
// d[i][j] = a[j], of 16 rows of 40, in tiles of (8,16).
__global__ void kernel(float* d, float const* a, int n) {
  int const at_row = blockIdx.x / 3, at_column = blockIdx.x % 3, row = threadIdx.x / 16, column = threadIdx.x % 16;
  Tensor tile = local_tile(make_tensor(make_gmem_ptr(d), make_layout(make_shape(16, 40), LayoutRight{})), Shape<_8, _16>{}, make_coord(at_row, at_column));
  int const from = min(16 * at_column + column, n - 1);
  if (!RIGHT || 16 * at_column + column < 40) tile(row, column) = a[from];
}
int main() { return map(kernel, {6, 128}, 40, 640, [](Numbers const& a, int i) { return a[i % 40]; }); }
