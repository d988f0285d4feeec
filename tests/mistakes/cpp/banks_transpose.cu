#include "common.cuh"
// A tile of 32 by 32 floats, written by rows and read by columns. Right in both.
#ifdef MISTAKE
using TileLayout = Layout<Shape<_32, _32>, Stride<_32, _1>>;
#else
using TileLayout = Layout<Shape<_32, _32>, Stride<Int<33>, _1>>;
#endif
__global__ void kernel(float* d, float const* a, int) {
  __shared__ float memory[cosize_v<TileLayout>];
  Tensor s = make_tensor(make_smem_ptr(memory), TileLayout{});
  for (int row = 0; row < 32; ++row) s(row, threadIdx.x) = a[32 * row + threadIdx.x];
  __syncwarp();
  for (int row = 0; row < 32; ++row) d[32 * row + threadIdx.x] = s(threadIdx.x, row);
}
int main() { return map(kernel, {1, 32}, 1024, 1024, [](Numbers const& a, int i) { return a[i % 32 * 32 + i / 32]; }); }
