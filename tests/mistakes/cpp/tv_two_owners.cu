#include "common.cuh"
// D (row-major) gets each element of the tile from its owner by a thread-value layout.
#ifdef MISTAKE
using Tv = Layout<Shape<Shape<_2, _2>, _2>, Stride<Stride<_1, _4>, _3>>;
#else
using Tv = Layout<Shape<Shape<_2, _2>, _2>, Stride<Stride<_1, _4>, _2>>;
#endif
__global__ void kernel(float* d, float const* a, int) {
  auto layout = Layout<Shape<_4, _2>, Stride<_2, _1>>{};
  Tensor from = composition(make_tensor(make_gmem_ptr(a), layout), Tv{});
  Tensor to = composition(make_tensor(make_gmem_ptr(d), layout), Tv{});
  copy(from(threadIdx.x, _), to(threadIdx.x, _));
}
int main() { return map(kernel, {1, 4}, 4 * 2, 4 * 2, [](Numbers const& a, int i) { return a[i]; }); }
