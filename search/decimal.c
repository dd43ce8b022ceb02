/* Decimal rounding; see decimal.h. */
#include "search/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The powers of ten that a double holds exactly. */
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { EXACT_POWERS = sizeof powers / sizeof *powers };

int decimal_exponent(double number)
{
    enum { BELOW_ALL = -400 }; /* doubles end at 5e-324 */
    return number == 0 ? BELOW_ALL : (int)floor(log10(fabs(number)));
}

/* Through the text, where powers of ten are not exact. */
static double round_by_text(double number, int exponent)
{
    enum { ALL_DIGITS = 17 };
    int digits = decimal_exponent(number) - exponent + 1;
    if (digits <= 0 || number == 0)
        return 0;
    if (digits >= ALL_DIGITS)
        return number;
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, number);
    return strtod(text, NULL);
}

/* Multiplying and dividing by an exact power of a whole number below 2^53 rounds once: the result is the double nearest
 * to the decimal, as reading its text would give. */
double decimal_round(double number, int exponent)
{
    if (abs(exponent) >= EXACT_POWERS)
        return round_by_text(number, exponent);
    double power = powers[abs(exponent)];
    double scaled = exponent < 0 ? number * power : number / power;
    if (!(fabs(scaled) < 0x1p53))
        return number;
    double whole = rint(scaled) + 0.0; /* + 0.0 makes 0 of -0 */
    return exponent < 0 ? whole / power : whole * power;
}
