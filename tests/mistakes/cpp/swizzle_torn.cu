#include "common.cuh"
#ifdef MISTAKE
using TileLayout = decltype(composition(Swizzle<2, 2, 3>{}, Layout<Shape<_32, _8>, Stride<_8, _1>>{}));
#else
using TileLayout = decltype(composition(Swizzle<2, 3, 3>{}, Layout<Shape<_32, _8>, Stride<_8, _1>>{}));
#endif
// A row of 8 halfs a thread, as one vector into swizzled shared memory.
__global__ void kernel(float* d, float const* a, int) {
  __shared__ alignas(16) half_t memory[256];
  Tensor s = make_tensor(make_smem_ptr(memory), TileLayout{});
  Tensor g = make_tensor(make_gmem_ptr((half_t const*)a), Layout<Shape<_32, _8>, Stride<_8, _1>>{});
  copy(AutoVectorizingCopyWithAssumedAlignment<128>{}, g(threadIdx.x, _), s(threadIdx.x, _));
  __syncwarp();
  for (int i = 0; i < 8; ++i) d[8 * threadIdx.x + i] = float(s(threadIdx.x, i));
}
int main() {
  Numbers a(128);
  for (int i = 0; i < 256; ++i) ((half_t*)a.data())[i] = half_t(float(i));
  return launch(kernel, {1, 32}, a, 256, [](Numbers const&, int i) { return float(i); });
}
