// Functions that are not inlined, calls through pointers, a switch with a table of jumps, constants.
__constant__ int weights[8] = {3, -1, 4, 1, -5, 9, 2, -6};
typedef int (*Operation)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b * weights[b & 7]; }
__device__ __noinline__ int mix(int a, int b) { return (a << 5 | (unsigned)a >> 27) ^ b; }
__device__ __noinline__ int power(int a, int b) { return (b & 15) == 0 ? 1 : a * power(a, (b & 15) - 1); }
__device__ Operation table[4] = {add, mix, power, add};
extern "C" __global__ void interpreter(const int *code, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = i;
    for (int pc = 0; pc < 12; pc++) {
        int word = code[(i + pc) % n];
        switch (word & 15) {
        case 0: v += 7; break;
        case 1: v ^= word; break;
        case 2: v = table[word >> 4 & 3](v, word); break;
        case 3: v = -v; break;
        case 4: v = v * 3 + 1; break;
        case 5: v = mix(v, pc); break;
        case 6: v >>= 1; break;
        case 7: if (v & 1) v = add(v, word); break;
        case 8: v = ~v; break;
        case 9: v %= 10007; break;
        case 10: pc++; break;
        case 11: v = power(v, word >> 4); break;
        default: v -= word >> 8; break;
        }
    }
    y[i] = v;
}
