// Bits: counts, reversals, bytes, shifts, products, dot products of bytes, remainders.
extern "C" __global__ void bits(const unsigned *x, unsigned *y, unsigned long long *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = x[i], w = x[(i + 1) % n], r = v;
    r ^= __popc(v) * 0x01010101u ^ __clz(v) << 8 ^ __ffs(w) << 16 ^ __brev(w);
    r += __byte_perm(v, w, v & 0x7777) ^ __funnelshift_l(v, w, w) ^ __funnelshift_rc(v, w, v);
    r ^= __umulhi(v, w) + __mulhi((int)v, (int)w) + __usad(v, w, 7) + __vadd4(v, w) + __vabsdiffu4(v, w);
    r += __dp4a((int)v, (int)w, 5) ^ __rhadd((int)v, (int)w) ^ __hadd((int)v, (int)w);
    r ^= (int)v / ((int)(w | 1)) + v % (w | 1) + ((int)v >> (w & 31)) + (v << (w & 31));
    unsigned long long a = (unsigned long long)v << 32 | w, b = a * 0x9e3779b97f4a7c15ull;
    y[i] = r;
    z[i] = b ^ a / (v | 3) ^ b % (w | 7) ^ __umul64hi(a, b) ^ (unsigned long long)__popcll(a) << 40 ^ __brevll(b) ^ __clzll(b >> (v & 31));
}
