/* A bucket of tokens; see token_bucket.h. */
#include "scheduler/slurm/token_bucket.h"

#include <math.h>

/* What rounding may take from a token that has come back in time. */
static const double whole = 1 - 1e-9;

void token_bucket_init(struct token_bucket *bucket, double now, double seconds, unsigned capacity)
{
    *bucket = (struct token_bucket){.seconds = seconds, .capacity = capacity, .tokens = capacity, .at = now};
}

static double tokens_at(const struct token_bucket *bucket, double now)
{
    if (!(bucket->seconds > 0))
        return bucket->capacity;
    return fmin(bucket->capacity, bucket->tokens + fmax(0, now - bucket->at) / bucket->seconds);
}

bool token_bucket_take(struct token_bucket *bucket, double now)
{
    bucket->tokens = tokens_at(bucket, now);
    bucket->at = fmax(bucket->at, now);
    if (bucket->tokens < whole)
        return false;
    bucket->tokens -= 1;
    return true;
}
