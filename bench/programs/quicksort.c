/* What do unpredictable branches cost? Quicksort of random numbers; the argument is how many
 * thousand numbers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void sort(uint32_t *low, uint32_t *high)
{
    while (low < high) {
        uint32_t pivot = low[(high - low) / 2], *left = low, *right = high;
        while (left <= right) {
            while (*left < pivot)
                left++;
            while (*right > pivot)
                right--;
            if (left <= right) {
                uint32_t kept = *left;
                *left++ = *right;
                *right-- = kept;
            }
        }
        if (right - low < high - left) {
            sort(low, right);
            low = left;
        } else {
            sort(left, high);
            high = right;
        }
    }
}

int main(int argc, char **argv)
{
    size_t count = (argc > 1 ? strtoul(argv[1], NULL, 10) : 10000) * 1000;
    uint32_t *numbers = malloc(count * sizeof *numbers), seed = 1;
    for (size_t i = 0; i < count; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        numbers[i] = seed;
    }
    sort(numbers, numbers + count - 1);
    printf("%u %u %u\n", numbers[0], numbers[count / 2], numbers[count - 1]);
    free(numbers);
    return 0;
}
