#include "common.cuh"
// Four k tiles are loaded ahead.
constexpr int STAGES = 4;
__global__ void kernel(float* d, float const* a, int) {
  auto tile = Layout<Shape<_128, Int<RIGHT ? 4 : 3>>>{};
  __shared__ float memory[cosize_v<decltype(tile)>];
  Tensor s = make_tensor(make_smem_ptr(memory), tile);
  int const i = threadIdx.x;
  for (int k = 0; k < STAGES; ++k) s(i, k % STAGES) = a[128 * k + i];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < STAGES; ++k) sum += s(127 - i, k % STAGES);
  d[i] = sum;
}
int main() { return map(kernel, {1, 128}, 512, 128, sums_of_steps); }
