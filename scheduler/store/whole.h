/* Whole numbers in texts of JSON arrays: they are printed in a twentieth of the time that doubles take. */
#ifndef GANNET_SCHEDULER_STORE_WHOLE_H
#define GANNET_SCHEDULER_STORE_WHOLE_H

#include <stdint.h>

enum { WHOLE_DIGITS = 20 }; /* of the largest number */

/* Writes its digits; the place behind them. */
char *whole_put(char *at, uint64_t number);

/* The nearest whole number from 0; of what is none 0. */
uint64_t whole_of(double number);

/* Reads the numbers in brackets from `at` on, `most` of them at most. The place behind the brackets; NULL: there are
 * none, or not such. */
const char *whole_list(const char *at, uint64_t *numbers, int most, int *count);

#endif
