/* Loads from a vector of addresses, again and again, and little else: an element is read or not as
 * a mask says. */
#include <immintrin.h>

enum { ROUNDS = 20000, COUNT = 64 };

static int table[COUNT];
static volatile int sink;

__attribute__((target("avx2"))) static void gather(int n)
{
    __m256i index = _mm256_set_epi32(n % 7, 9, n % 13, 30, 41, n % 50, 51, 63);
    __m256i mask = _mm256_set_epi32(-1, n & 1 ? -1 : 0, -1, 0, -1, n & 2 ? -1 : 0, 0, -1);
    __m256i all = _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), table, index, mask, 4);
    _mm256_maskstore_epi32(table + n % (COUNT - 8), mask, _mm256_add_epi32(all, index));
    sink += _mm256_extract_epi32(all, 3) + _mm256_extract_epi32(all, 0);
}

int main(void)
{
    if (!__builtin_cpu_supports("avx2"))
        return 1;
    for (int n = 0; n < ROUNDS; n++)
        gather(n);
    return 0;
}
