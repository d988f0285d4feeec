#include "common.cuh"
// D (row-major) gets each element of the tile from its owner by a thread-value layout.
#ifdef MISTAKE
using Tv = Layout<Shape<Shape<_32, _8>, _4>, Stride<Stride<_32, _1>, _8>>;
#else
using Tv = Layout<Shape<Shape<_32, _8>, Shape<_4, _2>>, Stride<Stride<_32, _1>, Stride<_8, _1024>>>;
#endif
__global__ void kernel(float* d, float const* a, int) {
  auto layout = Layout<Shape<_32, _64>, Stride<_64, _1>>{};
  Tensor from = composition(make_tensor(make_gmem_ptr(a), layout), Tv{});
  Tensor to = composition(make_tensor(make_gmem_ptr(d), layout), Tv{});
  copy(from(threadIdx.x, _), to(threadIdx.x, _));
}
int main() { return map(kernel, {1, 256}, 32 * 64, 32 * 64, [](Numbers const& a, int i) { return a[i]; }); }
