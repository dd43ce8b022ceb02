/* Whole numbers in texts; see whole.h. */
#include "scheduler/store/whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

char *whole_put(char *at, uint64_t number)
{
    char digits[20];
    int count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        *at++ = digits[--count];
    return at;
}

uint64_t whole_of(double number)
{
    double nearest = round(number);
    return !(nearest > 0) ? 0 : nearest < 9e18 ? (uint64_t)nearest : (uint64_t)9e18;
}

const char *whole_list(const char *at, uint64_t *numbers, int most, int *count)
{
    for (*count = 0; *count < most && (*at == '[' || *at == ','); ++*count) {
        char *end;
        if (at[1] < '0' || at[1] > '9')
            return NULL;
        errno = 0;
        numbers[*count] = strtoull(at + 1, &end, 10);
        if (errno)
            return NULL;
        at = end;
    }
    return *at == ']' ? at + 1 : NULL;
}
