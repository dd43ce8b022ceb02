/* struct rusage as counters; see rusage.h. */
#include "worker/profile/rusage.h"

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

void rusage_count(const struct rusage *used, struct run_counters *out)
{
    static const double block = 512; /* Linux counts bytes and gives them out in these */
    out->values[COUNT_USER] = seconds_of(used->ru_utime);
    out->values[COUNT_SYSTEM] = seconds_of(used->ru_stime);
    out->values[COUNT_VOLUNTARY] = (double)used->ru_nvcsw;
    out->values[COUNT_INVOLUNTARY] = (double)used->ru_nivcsw;
    out->values[COUNT_MINOR_FAULTS] = (double)used->ru_minflt;
    out->values[COUNT_MAJOR_FAULTS] = (double)used->ru_majflt;
    out->values[COUNT_DISK_READ] = (double)used->ru_inblock * block;
    out->values[COUNT_DISK_WRITTEN] = (double)used->ru_oublock * block;
}
