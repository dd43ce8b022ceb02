/* Durations, sizes and numbers as people write them; see units.h. */
#include "common/units.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct unit {
    const char *name;
    double factor;
};

static const struct unit time_units[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};

static const struct unit *find_unit(const char *text, size_t length, const struct unit *units, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(units[i].name) == length && strncmp(units[i].name, text, length) == 0)
            return &units[i];
    return NULL;
}

/* Digits with at most one point, no sign, no exponent: "1.5". NULL when there is none. */
static const char *plain_number(const char *text, double *number)
{
    if (!isdigit((unsigned char)*text))
        return NULL;
    char digits[40];
    size_t length = strspn(text, "0123456789.");
    if (length >= sizeof digits)
        return NULL;
    memcpy(digits, text, length);
    digits[length] = '\0';
    char *end;
    *number = strtod(digits, &end);
    return *end ? NULL : text + length;
}

/* [D-]HH:MM[:SS], as Slurm writes it. */
static bool clock_duration(const char *text, double *seconds)
{
    unsigned days = 0, hours, minutes, rest = 0;
    int used = 0;
    const char *dash = strchr(text, '-');
    if (!isdigit((unsigned char)*text))
        return false;
    if (dash && (sscanf(text, "%4u-%n", &days, &used) != 1 || text + used != dash + 1))
        return false;
    const char *clock = dash ? dash + 1 : text;
    if (strspn(clock, "0123456789:") != strlen(clock) || !strchr(clock, ':'))
        return false;
    int fields = sscanf(clock, "%4u:%2u%n:%2u%n", &hours, &minutes, &used, &rest, &used);
    if (fields < 2 || clock[used] || minutes > 59 || rest > 59)
        return false;
    *seconds = days * 86400.0 + hours * 3600.0 + minutes * 60.0 + rest;
    return true;
}

int units_duration(const char *text, double *seconds, struct err *err)
{
    double bare;
    if (units_number(text, &bare) && isfinite(bare) && bare >= 0)
        return err_set(err, "'%s' has no unit; write '%ss' for seconds or '%sm' for minutes", text, text, text);
    if (clock_duration(text, seconds))
        return 0;
    double sum = 0;
    const char *at = text;
    while (*at) {
        double number;
        const char *name = plain_number(at, &number);
        size_t length = name ? strspn(name, "abcdefghijklmnopqrstuvwxyz") : 0;
        const struct unit *unit = length ? find_unit(name, length, time_units, 5) : NULL;
        if (!unit)
            return err_set(err, "'%s' is no duration; write for example 90s, 40m, 12h, 1d12h or HH:MM:SS", text);
        sum += number * unit->factor;
        at = name + length;
    }
    if (at == text)
        return err_set(err, "a duration is missing; write for example 90s, 40m or 12h");
    *seconds = sum;
    return 0;
}

int units_size(const char *text, uint64_t *bytes, struct err *err)
{
    static const char letters[] = "KMGT";
    double number;
    const char *unit = plain_number(text, &number);
    const char *letter = unit && *unit ? strchr(letters, *unit) : NULL;
    if (unit && !*unit)
        return err_set(err, "'%s' has no unit; write for example '%sM' or '%sG'", text, text, text);
    if (!letter || !*letter ||
        (strcmp(unit + 1, "") && strcmp(unit + 1, "B") && strcmp(unit + 1, "iB") && strcmp(unit + 1, "i")))
        return err_set(err, "'%s' is no size; write for example 512M, 32G or 1.5T", text);
    double size = number * pow(1024, (double)(letter - letters + 1));
    if (size >= 0x1p63)
        return err_set(err, "'%s' is larger than any memory", text);
    *bytes = (uint64_t)size;
    return 0;
}

bool units_number(const char *text, double *number)
{
    if (!*text || isspace((unsigned char)*text))
        return false;
    char *end;
    *number = strtod(text, &end);
    return !*end;
}

bool units_integer(const char *text, int64_t *number)
{
    if (!*text || isspace((unsigned char)*text))
        return false;
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *number = value;
    return !*end && errno == 0;
}

/* Each row begins where the row above would round up to its next unit. */
const char *units_show_duration(double seconds, char *out, size_t size)
{
    if (!isfinite(seconds) || seconds < 0 || seconds > 1e9)
        snprintf(out, size, "?");
    else if (seconds == 0)
        snprintf(out, size, "0s");
    else if (seconds < 0.9995e-3)
        snprintf(out, size, "%.0fus", seconds * 1e6);
    else if (seconds < 0.9995)
        snprintf(out, size, "%.0fms", seconds * 1e3);
    else if (seconds < 9.95)
        snprintf(out, size, "%.1fs", seconds);
    else if (seconds < 59.5)
        snprintf(out, size, "%.0fs", seconds);
    else {
        long whole = lround(seconds);
        if (whole < 3600)
            snprintf(out, size, "%ldm%02lds", whole / 60, whole % 60);
        else if (whole < 86400)
            snprintf(out, size, "%ldh%02ldm", whole / 3600, whole / 60 % 60);
        else
            snprintf(out, size, "%ldd%02ldh", whole / 86400, whole / 3600 % 24);
    }
    return out;
}

const char *units_show_size(uint64_t bytes, char *out, size_t size)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double number = (double)bytes;
    size_t i = 0;
    for (; number >= 1023.5 && i < 6; i++)
        number /= 1024;
    snprintf(out, size, i && number < 9.95 ? "%.1f %s" : "%.0f %s", number, names[i]);
    return out;
}

/* Not by printf, which reads its format a second time once a library has registered modifiers of its own, as
 * libquadmath does, which OpenBLAS brings. */
static void write_digits(double number, int digits, char *out, size_t size)
{
    const char format[] = {'%', '.', (char)('0' + digits / 10), (char)('0' + digits % 10), 'g', '\0'};
    strfromd(out, size, format, number);
}

/* The powers of ten that a double holds exactly, as far as they are needed. */
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

/* The decimal places with which a number from 0.0001 to 10^15 has fifteen digits. */
static int places_of(double number)
{
    int places = 14;
    while (number >= powers[15 - places])
        places--;
    while (number < 1 && places < 18 && number * powers[places - 14] < 1)
        places++;
    return places;
}

/* Writes whole / 10^places without the zeros at its end, but for one behind the point. */
static void write_decimal(uint64_t whole, int places, bool negative, char *out)
{
    char digits[24];
    int count = 0, left = places;
    while (left > 1 && whole % 10 == 0) {
        whole /= 10;
        left--;
    }
    for (; whole || count <= left; whole /= 10)
        digits[count++] = (char)('0' + whole % 10);
    if (negative)
        *out++ = '-';
    while (count) {
        if (count == left)
            *out++ = '.';
        *out++ = digits[--count];
    }
    if (!left)
        memcpy(out, ".0", 2), out += 2;
    *out = '\0';
}

/* Most numbers are decimals of up to fifteen digits that fit into a double: those need no long arithmetic. A whole
 * number below 2^53 divided by an exact power is rounded once, to the double that reading its text gives. */
static bool show_decimal(double number, char *out, size_t size)
{
    enum { LONGEST = 24 }; /* a sign, 15 digits and 4 zeros, a point, .0, and the closing zero */
    double positive = fabs(number);
    if (size < LONGEST || !(positive >= 1e-4 && positive < 1e15))
        return false;
    int places = places_of(positive);
    double whole = rint(positive * powers[places]);
    if (!(whole < 1e15) || whole / powers[places] != positive)
        return false;
    write_decimal((uint64_t)whole, places, number < 0, out);
    return true;
}

const char *units_show_real(double number, char *out, size_t size)
{
    if (show_decimal(number, out, size))
        return out;
    if (isnan(number))
        snprintf(out, size, "nan");
    else if (isinf(number))
        snprintf(out, size, number > 0 ? "inf" : "-inf");
    else {
        /* Fifteen digits give back any decimal of up to fifteen, but the numbers next to zero have fewer. */
        for (int digits = fabs(number) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
            write_digits(number, digits, out, size);
            if (strtod(out, NULL) == number)
                break;
        }
        size_t length = strlen(out);
        if (!strpbrk(out, ".e") && length + 3 <= size)
            memcpy(out + length, ".0", 3);
    }
    return out;
}

const char *units_show_time(double seconds, char *out, size_t size)
{
    static const double year_10000 = 253402300800.0;
    if (!(seconds >= 0 && seconds < year_10000)) {
        snprintf(out, size, "?");
        return out;
    }
    long long millis = llround(seconds * 1000);
    time_t at = (time_t)(millis / 1000);
    struct tm utc;
    char text[40];
    gmtime_r(&at, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out, size, "%s.%03dZ", text, (int)(millis % 1000));
    return out;
}

double units_time(const char *text)
{
    struct tm parts = {0};
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
    if (!rest)
        return NAN;
    return (double)timegm(&parts) + (*rest == '.' ? strtod(rest, NULL) : 0);
}
