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

uint64_t peak_read(const struct peak *peak)
{
    static const char name[] = "VmHWM:"; /* in KiB */
    char text[4096];
    const char *line = strstr(text_of(peak->status, text, sizeof text), name);
    return line ? strtoull(line + sizeof name - 1, NULL, 10) * 1024 : peak_now(peak);
}
