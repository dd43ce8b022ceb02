/* Memory from /proc/self (proc(5)); see peak.h. */
#include "worker/trainer/peak.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void peak_open(struct peak *peak)
{
    peak->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    peak->status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    peak->clear = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
}

void peak_close(struct peak *peak)
{
    int files[] = {peak->statm, peak->status, peak->clear};
    for (int i = 0; i < 3; i++)
        if (files[i] >= 0)
            close(files[i]);
}

/* The file's text from its beginning; "" when there is none. */
static const char *text_of(int file, char *text, size_t size)
{
    ssize_t length = pread(file, text, size - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    return text;
}

uint64_t peak_now(const struct peak *peak)
{
    char text[128];
    unsigned long long size, resident; /* in pages */
    if (sscanf(text_of(peak->statm, text, sizeof text), "%llu %llu", &size, &resident) != 2)
        return 0;
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

void peak_reset(const struct peak *peak)
{
    if (pwrite(peak->clear, "5", 1, 0) != 1) /* resets the mark, VmHWM; not allowed in some containers */
        return;
}

/* A line of /proc/self/status in bytes: "VmHWM:     1234 kB"; 0: there is none. */
static uint64_t bytes_of(const char *status, const char *name)
{
    const char *line = strstr(status, name);
    return line ? strtoull(line + strlen(name), NULL, 10) * 1024 : 0;
}

uint64_t peak_read(const struct peak *peak)
{
    char text[4096];
    uint64_t most = bytes_of(text_of(peak->status, text, sizeof text), "VmHWM:");
    return most ? most : peak_now(peak);
}

uint64_t peak_read_own(const struct peak *peak)
{
    char text[4096];
    const char *status = text_of(peak->status, text, sizeof text);
    uint64_t most = peak_read(peak), others = bytes_of(status, "RssFile:") + bytes_of(status, "RssShmem:");
    return most > others ? most - others : 0;
}
