#include "common.cuh"
#ifdef MISTAKE
using Rows = Layout<_6, _3>;
#else
using Rows = Layout<_6, _4>;
#endif
// The law of a composition: (A o B)(i) = A(B(i)).
int main() {
  auto a = make_layout(Shape<_4, _6, _8>{}, Stride<_2, _3, _5>{});
  auto r = composition(a, Rows{});
  Numbers found(6);
  for (int i = 0; i < 6; ++i) found[i] = float(r(i));
  return compare(found, [&](int i) { return double(a(Rows{}(i))); });
}
