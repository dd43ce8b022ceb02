/* Durations, sizes and numbers as people write them. */
#ifndef GANNET_COMMON_UNITS_H
#define GANNET_COMMON_UNITS_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "90s", "1d12h", "500ms", "1.5h" or Slurm's "HH:MM:SS" and "D-HH:MM" to seconds. A bare number is refused with a
 * sentence that names both readings (Slurm's minutes, other tools' seconds). -1 and err when it is no duration. */
int units_duration(const char *text, double *seconds, struct err *err);

/* "32G", "512MiB", "1.5T" to bytes; K, M, G, T are powers of 1024. A bare number is refused. -1 and err. */
int units_size(const char *text, uint64_t *bytes, struct err *err);

/* A whole text that is one number; false when anything else is in it. */
bool units_number(const char *text, double *number);
bool units_integer(const char *text, int64_t *number);

/* Seconds for people: "250us", "400ms", "1.5s", "12s", "3m05s", "2h14m", "1d02h"; "?" for what is no duration. Written
 * into out, which is returned. */
const char *units_show_duration(double seconds, char *out, size_t size);

/* Bytes for people: "1.5 GiB". Written into out, which is returned. */
const char *units_show_size(uint64_t bytes, char *out, size_t size);

/* The shortest decimal that reads back as the same double; always with a '.' or an exponent, so that it stays a real
 * number in YAML and JSON ("1.0", "1e-05"); "nan", "inf", "-inf" otherwise. Written into out (size 32 is enough). */
const char *units_show_real(double number, char *out, size_t size);

/* Wall-clock seconds since 1970 as RFC 3339 in UTC with milliseconds: "2026-11-20T14:02:11.123Z"; "?" outside
 * the years 1970 to 9999. */
const char *units_show_time(double seconds, char *out, size_t size);

/* Reads such a time, with or without a fraction of any length, as UTC whatever stands behind; NaN when it is none. */
double units_time(const char *text);

#endif
