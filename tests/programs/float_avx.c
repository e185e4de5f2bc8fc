/* AVX, AVX2, FMA, BMI and AVX-512, each where the machine has it, against a plain loop.
 *
 * flags: -O2
 * settings: yes
 */
#include "check.h"
#include <immintrin.h>

enum { N = 1024 };

static int a[N], b[N];
static double x[N], y[N];

__attribute__((target("avx2"))) static long dot_avx2(void)
{
    __m256i sum = _mm256_setzero_si256();
    for (int i = 0; i < N; i += 8) {
        __m256i p = _mm256_loadu_si256((__m256i *)(a + i));
        __m256i index = _mm256_set_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        __m256i q = _mm256_i32gather_epi32(b + i, index, 4);
        sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(p, _mm256_permutevar8x32_epi32(q, index)));
    }
    int part[8];
    _mm256_storeu_si256((__m256i *)part, sum);
    long total = 0;
    for (int i = 0; i < 8; i++)
        total += part[i];
    return total;
}

__attribute__((target("avx,fma"))) static double fused(void)
{
    __m256d sum = _mm256_setzero_pd();
    for (int i = 0; i < N; i += 4)
        sum = _mm256_fmadd_pd(_mm256_loadu_pd(x + i), _mm256_loadu_pd(y + i), sum);
    double part[4];
    _mm256_storeu_pd(part, sum);
    return part[0] + part[1] + part[2] + part[3];
}

__attribute__((target("avx512f,avx512bw"))) static long dot_avx512(void)
{
    __m512i sum = _mm512_setzero_si512();
    for (int i = 0; i < N; i += 16) {
        __m512i p = _mm512_loadu_si512(a + i), q = _mm512_loadu_si512(b + i);
        __mmask16 all = _mm512_cmpge_epi32_mask(p, _mm512_set1_epi32(-1000000));
        sum = _mm512_mask_add_epi32(sum, all, sum, _mm512_mullo_epi32(p, q));
    }
    return _mm512_reduce_add_epi32(sum);
}

__attribute__((target("bmi,bmi2,lzcnt,popcnt"))) static unsigned long bits(unsigned long v)
{
    return _pext_u64(v, 0x0f0f0f0f0f0f0f0f) ^ _pdep_u64(v, 0xff00ff00ff00ff00) ^
           _blsr_u64(v) ^ _tzcnt_u64(v) ^ _lzcnt_u64(v) ^ _mm_popcnt_u64(v) ^ _andn_u64(v, ~7UL);
}

int main(void)
{
    long plain = 0;
    for (int i = 0; i < N; i++) {
        a[i] = i * 7 % 101 - 50;
        b[i] = i * 13 % 89 - 44;
        x[i] = a[i];
        y[i] = b[i];
        plain += a[i] * b[i];
    }
    printf("%ld\n", plain);
    if (__builtin_cpu_supports("avx2"))
        CHECK(dot_avx2() == plain);
    if (__builtin_cpu_supports("avx") && __builtin_cpu_supports("fma"))
        CHECK(fused() == plain);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
        CHECK(dot_avx512() == plain);
    if (__builtin_cpu_supports("bmi2"))
        printf("%016lx\n", bits(0x123456789abcdef0));
    return done();
}
