#include "common.cuh"
// Four values a thread. Right in both: one has a vector load, the other four scalar ones.
#ifdef MISTAKE
using Tv = Layout<Shape<_8, _4>, Stride<_1, _8>>;
#else
using Tv = Layout<Shape<_8, _4>, Stride<_4, _1>>;
#endif
__global__ void kernel(float* d, float const* a, int) {
  Tensor from = composition(make_tensor(make_gmem_ptr(a), Layout<_32>{}), Tv{});
  Tensor to = composition(make_tensor(make_gmem_ptr(d), Layout<_32>{}), Tv{});
  copy(AutoVectorizingCopyWithAssumedAlignment<128>{}, from(threadIdx.x, _), to(threadIdx.x, _));
}
int main() { return map(kernel, {1, 8}, 32, 32, [](Numbers const& a, int i) { return a[i]; }); }
