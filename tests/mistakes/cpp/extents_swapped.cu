#include "common.cuh"
__global__ void kernel(float* d, float const* a, int n) {
  int const row = blockIdx.x, column = threadIdx.x, rows = n / 96, columns = 96;
  bool const inside = RIGHT ? row < rows && column < columns : row < columns && column < rows;
  if (inside) d[row * columns + column] = a[row * columns + column];
}
int main() { return map(kernel, {40, 128}, 40 * 96, 40 * 96, [](Numbers const& a, int i) { return a[i]; }); }
