/* Rounding to decimals. Continuous parameters only take values that are short decimals: they read well ("0.00312" and
 * not "0.0031199999999999999"), come out the same on machines whose logarithms differ in the last bit, and are found
 * again exactly when a value goes to the unit cube and back. */
#ifndef GANNET_SEARCH_DECIMAL_H
#define GANNET_SEARCH_DECIMAL_H

/* The power of ten of a number's first digit: -3 of 0.0025; less than that of any other number for 0. The
 * number is finite. */
int decimal_exponent(double number);

/* The multiple of 10^exponent nearest to a finite number, as the double that this decimal reads as. A number that has
 * no digits behind 10^exponent to lose stays as it is. */
double decimal_round(double number, int exponent);

#endif
