#include "common.cuh"
#ifdef MISTAKE
using TileLayout = Layout<Shape<_2, _2>, Stride<_2, _3>>;
#else
using TileLayout = Layout<Shape<_2, _2>, Stride<_2, _1>>;
#endif
// The law of a product: 16 elements, 16 places.
int main() {
  auto r = logical_product(TileLayout{}, Layout<_4>{});
  Numbers seen(64, 0.f), found(1);
  for (int i = 0; i < size(r); ++i) seen[r(i)] = 1;
  for (float x : seen) found[0] += x;
  return compare(found, [](int) { return 16.; });
}
