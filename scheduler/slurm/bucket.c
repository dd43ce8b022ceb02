/* A bucket of tokens; see bucket.h. */
#include "scheduler/slurm/bucket.h"

#include <math.h>

/* What rounding may take from a token that has come back in time. */
static const double whole = 1 - 1e-9;

void bucket_init(struct bucket *bucket, double now, double seconds, unsigned capacity)
{
    *bucket = (struct bucket){.seconds = seconds, .capacity = capacity, .tokens = capacity, .at = now};
}

static double tokens_at(const struct bucket *bucket, double now)
{
    if (!(bucket->seconds > 0))
        return bucket->capacity;
    return fmin(bucket->capacity, bucket->tokens + fmax(0, now - bucket->at) / bucket->seconds);
}

bool bucket_take(struct bucket *bucket, double now)
{
    bucket->tokens = tokens_at(bucket, now);
    bucket->at = fmax(bucket->at, now);
    if (bucket->tokens < whole)
        return false;
    bucket->tokens -= 1;
    return true;
}

double bucket_when(const struct bucket *bucket)
{
    return bucket->tokens >= whole ? bucket->at : bucket->at + (1 - bucket->tokens) * bucket->seconds;
}
