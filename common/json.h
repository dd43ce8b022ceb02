/* JSON values for what jansson has no words for: NaN and infinities, times, numbers of 64 bits, and texts that came
 * from a program's output and may be any bytes. Every function returns a new reference, never NULL. */
#ifndef GANNET_COMMON_JSON_H
#define GANNET_COMMON_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* From here on jansson never lacks memory: the process ends instead (common/mem.h), for what is made of a document with
 * a member missing is a wrong answer. Called once, by main. */
void json_require_memory(void);

/* A real number; NaN and infinities are the texts "nan", "inf", "-inf". */
json_t *json_of_real(double number);

/* One that may be unknown: NaN is null. */
json_t *json_of_known(double number);

/* The way back: an integer, a real, or one of the three texts; false for anything else. */
bool json_to_real(const json_t *json, double *number);

/* The same without the texts: a number that can be reckoned with. */
bool json_to_finite(const json_t *json, double *number);

/* An integer; numbers above 2^63 - 1, which JSON readers can't represent, are their decimal text. */
json_t *json_of_u64(uint64_t number);

/* Wall-clock seconds since 1970 as RFC 3339 text in UTC with milliseconds; null when it is no time of the years 1970
 * to 9999. */
json_t *json_of_time(double seconds);

/* A text; NULL: null. Bytes that are no UTF-8 become U+FFFD. */
json_t *json_of_text(const char *text);

#endif
