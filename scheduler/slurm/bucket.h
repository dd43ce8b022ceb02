/* How often something may be done: a bucket of tokens. One is taken each time; one comes back every `seconds`, up to
 * `room` of them, which may be taken at once. Pure: the caller says what time it is. */
#ifndef GANNET_SCHEDULER_SLURM_BUCKET_H
#define GANNET_SCHEDULER_SLURM_BUCKET_H

#include <stdbool.h>

struct bucket {
    double seconds;  /* until a token comes back */
    double capacity; /* most tokens, */
    double tokens;   /* and those there are, */
    double at;       /* at this time */
};

/* A full one. */
void bucket_init(struct bucket *bucket, double now, double seconds, unsigned capacity);

/* Takes a token; false when there is none. */
bool bucket_take(struct bucket *bucket, double now);

/* When there will be a token; `now` or earlier: there is one. */
double bucket_when(const struct bucket *bucket);

#endif
