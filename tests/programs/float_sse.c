/* SSE arithmetic, conversions, comparisons, shuffles; rounding modes and denormals by MXCSR.
 *
 * variants: static
 * libs: -lm
 * settings: yes
 */
#include "check.h"
#include <float.h>
#include <math.h>
#include <xmmintrin.h>
#include <emmintrin.h>

static double rounded(int mode, double a, double b)
{
    unsigned old = _mm_getcsr();
    _mm_setcsr((old & ~0x6000u) | mode);
    volatile double x = a, y = b, z = x / y;
    _mm_setcsr(old);
    return z;
}

static void denormals(void)
{
    volatile float small = FLT_MIN, half = 0.5f;
    CHECK(small * half != 0);
    unsigned old = _mm_getcsr();
    _mm_setcsr(old | 0x8040);
    volatile float flushed = small * half;
    _mm_setcsr(old);
    CHECK(flushed == 0);
}

int main(void)
{
    volatile double x = 0.5, sum = 0;
    volatile float f = 0.25f;
    for (int i = 1; i < 5000; i++) {
        x = x * 3.9 * (1 - x);
        f = f * 3.7f * (1 - f);
        sum += sqrt(x) + (int)(x * 1000) % 7 + cos(f) * atan2(x, i);
    }
    printf("%.12g %.6g\n", sum, (double)f);
    CHECK(rounded(0x2000, 1, 3) < rounded(0x4000, 1, 3));
    CHECK(rounded(0x6000, -1, 3) > rounded(0x2000, -1, 3));
    CHECK(rounded(0, 1, 3) == 1.0 / 3);
    denormals();
    __m128i a = _mm_set_epi32(4, 3, 2, 1), b = _mm_shuffle_epi32(a, 0x1b);
    int out[4];
    _mm_storeu_si128((__m128i *)out, _mm_unpacklo_epi32(a, _mm_add_epi32(a, b)));
    CHECK(out[0] == 1 && out[1] == 5 && out[2] == 2 && out[3] == 5);
    CHECK(_mm_movemask_epi8(_mm_cmplt_epi8(_mm_set1_epi8(1), _mm_set1_epi8(2))) == 0xffff);
    volatile double no_number = nan(""), huge = 1.8e19;
    CHECK(_mm_cvtsd_si32(_mm_set_sd(no_number)) == INT32_MIN && isunordered(no_number, 1.0));
    CHECK((unsigned long)huge == 18000000000000000000UL);
    return done();
}
