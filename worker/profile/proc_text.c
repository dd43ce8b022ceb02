/* Files of /proc; see proc_text.h. */
#include "worker/profile/proc_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A number that begins here: digits, perhaps with a fraction. */
double proc_text_value(const char *text)
{
    return isdigit((unsigned char)*text) ? strtod(text, NULL) : NAN;
}

double proc_text_number(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && strchr(" :\t", line[length]) && line[length])
            return proc_text_value(line + length + strspn(line + length, " :\t"));
    }
    return NAN;
}

void proc_text_stat(const char *text, struct run_counters *out)
{
    unsigned long long minor[2], major[2], user[2], system[2];
    const char *name_end = strrchr(text, ')'); /* the name may have any characters */
    double ticks = (double)sysconf(_SC_CLK_TCK);
    if (!name_end ||
        sscanf(name_end, ") %*c %*d %*d %*d %*d %*d %*u %llu %llu %llu %llu %llu %llu %llu %llu", &minor[0], &minor[1],
               &major[0], &major[1], &user[0], &system[0], &user[1], &system[1]) != 8)
        return;
    out->values[COUNT_MINOR_FAULTS] = (double)minor[0] + (double)minor[1];
    out->values[COUNT_MAJOR_FAULTS] = (double)major[0] + (double)major[1];
    out->values[COUNT_USER] = ((double)user[0] + (double)user[1]) / ticks;
    out->values[COUNT_SYSTEM] = ((double)system[0] + (double)system[1]) / ticks;
}

void proc_text_io(const char *text, struct run_counters *out)
{
    out->values[COUNT_READ] = proc_text_number(text, "rchar");
    out->values[COUNT_WRITTEN] = proc_text_number(text, "wchar");
    out->values[COUNT_DISK_READ] = proc_text_number(text, "read_bytes");
    out->values[COUNT_DISK_WRITTEN] = proc_text_number(text, "write_bytes");
}

void proc_text_status(const char *text, struct run_counters *out)
{
    out->values[COUNT_SWAPPED] = proc_text_number(text, "VmSwap") * 1024;
}

void proc_text_schedstat(const char *text, struct run_counters *out)
{
    char *end;
    strtod(text, &end); /* nanoseconds that it ran */
    out->values[COUNT_QUEUE_WAIT] = end != text && *end == ' ' ? proc_text_value(end + 1) * 1e-9 : NAN;
}

void proc_text_sched(const char *text, struct run_counters *out)
{
    out->values[COUNT_MIGRATIONS] = proc_text_number(text, "se.nr_migrations");
    out->values[COUNT_VOLUNTARY] = proc_text_number(text, "nr_voluntary_switches");
    out->values[COUNT_INVOLUNTARY] = proc_text_number(text, "nr_involuntary_switches");
}
