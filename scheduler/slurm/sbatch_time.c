/* Times as sbatch takes them; see sbatch_time.h. */
#include "scheduler/slurm/sbatch_time.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { DAY = 86400, LONGEST = 10 * 366 }; /* days: any number of minutes up to it fits 32 bits */

/* --- time limits --- */

/* Whether the text is digits between ':' and nothing else; their numbers and how many there are, at most three. */
static bool read_fields(const char *text, unsigned *fields, int *count)
{
    for (*count = 0; *count < 3; text++) {
        int used = 0;
        if (!isdigit((unsigned char)*text) || sscanf(text, "%7u%n", &fields[(*count)++], &used) != 1)
            return false;
        text += used;
        if (!*text)
            return true;
        if (*text != ':')
            return false;
    }
    return false;
}

/* Slurm counts from the left when there are days, and "30:00" are minutes when there are none. */
static double seconds_of(const unsigned *fields, int count, bool has_days)
{
    double first = fields[0], second = count > 1 ? fields[1] : 0, third = count > 2 ? fields[2] : 0;
    if (has_days || count == 3)
        return first * 3600 + second * 60 + third;
    return first * 60 + second;
}

int sbatch_minutes(const char *text, uint32_t *minutes, struct err *err)
{
    unsigned days = 0, fields[3];
    int used = 0, count;
    const char *dash = strchr(text, '-');
    bool has_days =
        dash && isdigit((unsigned char)*text) && sscanf(text, "%4u%n", &days, &used) == 1 && text + used == dash;
    if ((dash && !has_days) || !read_fields(dash ? dash + 1 : text, fields, &count))
        return err_set(err, "'%s' is no time limit; write 30 (minutes), 4:00:00 or 2-12:00:00", text);
    double seconds = days * (double)DAY + seconds_of(fields, count, has_days);
    if (seconds <= 0 || seconds > (double)LONGEST * (double)DAY)
        return err_set(err, "'%s' is no time limit that a search can work with; give it some hours", text);
    *minutes = (uint32_t)((seconds + 59) / 60);
    return 0;
}

/* --- beginnings --- */

struct time_unit {
    const char *name;
    double seconds;
};

static const struct time_unit units[] = {
    {"", 1},         {"second", 1},        {"seconds", 1},        {"minute", 60},    {"minutes", 60},   {"hour", 3600},
    {"hours", 3600}, {"day", (double)DAY}, {"days", (double)DAY}, {"week", 7 * DAY}, {"weeks", 7 * DAY}};

/* "now", "now+5", "now+2hours" */
static bool read_later(const char *text, double now, double *seconds)
{
    unsigned count = 0;
    int used = 0;
    if (strncmp(text, "now", 3) != 0)
        return false;
    *seconds = now;
    if (!text[3])
        return true;
    if (sscanf(text + 3, "+%7u%n", &count, &used) != 1)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text + 3 + used, units[i].name) == 0) {
            *seconds = now + count * units[i].seconds;
            return true;
        }
    return false;
}

/* "18:00", "18:00:30" into the hours, minutes and seconds of *day. */
static bool read_clock(const char *text, struct tm *day)
{
    unsigned fields[3] = {0};
    int count;
    if (!read_fields(text, fields, &count) || count < 2 || fields[0] > 23 || fields[1] > 59 || fields[2] > 59)
        return false;
    day->tm_hour = (int)fields[0];
    day->tm_min = (int)fields[1];
    day->tm_sec = (int)fields[2];
    return true;
}

/* "2026-12-24", "2026-12-24T18:00" */
static bool read_date(const char *text, struct tm *day)
{
    int used = 0;
    struct tm date = {.tm_isdst = -1};
    if (sscanf(text, "%4d-%2d-%2d%n", &date.tm_year, &date.tm_mon, &date.tm_mday, &used) != 3 || date.tm_year < 1970 ||
        date.tm_mon < 1 || date.tm_mon > 12 || date.tm_mday < 1 || date.tm_mday > 31)
        return false;
    date.tm_year -= 1900;
    date.tm_mon -= 1;
    if (text[used] && (text[used] != 'T' || !read_clock(text + used + 1, &date)))
        return false;
    *day = date;
    return true;
}

/* A time of day by its name or on the clock; one that has passed is tomorrow's. */
static bool read_hour(const char *text, double now, struct tm *day)
{
    const char *clock = strcmp(text, "midnight") == 0 ? "0:00" : strcmp(text, "noon") == 0 ? "12:00" : text;
    if (!read_clock(clock, day))
        return false;
    struct tm today = *day;
    if ((double)mktime(&today) < now)
        day->tm_mday++;
    return true;
}

int sbatch_begin(const char *text, double now, double *seconds, struct err *err)
{
    time_t present = (time_t)now;
    struct tm day;
    if (read_later(text, now, seconds))
        return 0;
    localtime_r(&present, &day);
    day.tm_isdst = -1;
    bool good = true;
    if (strcmp(text, "tomorrow") == 0)
        day.tm_mday++; /* sbatch's: this time of day, tomorrow */
    else if (strcmp(text, "today") != 0)
        good = read_date(text, &day) || read_hour(text, now, &day);
    time_t then = good ? mktime(&day) : -1;
    if (then == (time_t)-1)
        return err_set(err, "'%s' is no time to begin; write 18:00, noon, tomorrow, now+2hours or 2026-12-24T18:00",
                       text);
    *seconds = (double)then;
    return 0;
}
