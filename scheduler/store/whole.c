/* Whole numbers in texts; see whole.h. */
#include "scheduler/store/whole.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char pairs[] = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940"
                            "4142434445464748495051525354555657585960616263646566676869707172737475767778798081"
                            "828384858687888990919293949596979899";

static int count_digits(uint64_t number)
{
    int digits = 1;
    for (uint64_t power = 10; digits < WHOLE_DIGITS && number >= power; power *= 10)
        digits++;
    return digits;
}

/* From the last digit on, in their places: to copy a few bytes from elsewhere costs more than to count them. */
char *whole_put(char *at, uint64_t number)
{
    char *end = at + count_digits(number), *first = end;
    for (; number >= 10; number /= 100)
        memcpy(first -= 2, &pairs[number % 100 * 2], 2);
    if (first > at)
        *at = (char)('0' + number);
    return end;
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
