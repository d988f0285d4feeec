#include "common.cuh"
// The workspace of split-K: the accumulator of a tile of (96,64), a thread's registers one behind the other by 128.
constexpr int REGISTERS = RIGHT ? 48 : 32;
__global__ void kernel(float* workspace, float const*, int) {
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2, _1>>{}, Tile<_32, _32, _16>{});
  Tensor r_c = partition_fragment_C(mma, Shape<_96, _64>{});
  for (int i = 0; i < size(r_c); ++i) r_c(i) = float(128 * i + threadIdx.x);
  for (int i = 0; i < size(r_c); ++i) workspace[128 * i + threadIdx.x] = r_c(i);
}
int main() { return launch(kernel, {1, 128}, Numbers(1), 128 * REGISTERS, [](Numbers const&, int i) { return float(i); }); }
