#include "common.cuh"
#ifdef MISTAKE
using Tiler = Shape<Int<48>, _16>;
#else
using Tiler = Shape<_32, _16>;
#endif
// Every block copies its tile of a row-major (128,64) matrix.
__global__ void kernel(float* d, float const* a, int) {
  auto layout = Layout<Shape<_128, _64>, Stride<_64, _1>>{};
  Tensor from = zipped_divide(make_tensor(make_gmem_ptr(a), layout), Tiler{});
  Tensor to = zipped_divide(make_tensor(make_gmem_ptr(d), layout), Tiler{});
  for (int i = threadIdx.x; i < size<0>(to); i += blockDim.x) to(i, int(blockIdx.x)) = from(i, int(blockIdx.x));
}
int main() {
  auto const tiles = size<1>(zipped_divide(Layout<Shape<_128, _64>, Stride<_64, _1>>{}, Tiler{}));
  return map(kernel, {int(tiles), 128}, 128 * 64, 128 * 64, [](Numbers const& a, int i) { return a[i]; });
}
