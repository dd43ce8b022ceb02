/* How often something may be done: a bucket of tokens. One is taken each time; one comes back every `seconds`, up to
 * `capacity` of them, which may be taken at once. Pure: the caller says what time it is. */
#ifndef GANNET_SCHEDULER_SLURM_TOKEN_BUCKET_H
#define GANNET_SCHEDULER_SLURM_TOKEN_BUCKET_H

#include <stdbool.h>

struct token_bucket {
    double seconds;  /* until a token comes back */
    double capacity; /* the most tokens there can be */
    double tokens;   /* the tokens there were at the time `at` */
    double at;       /* when they were last counted */
};

/* A full one. */
void token_bucket_init(struct token_bucket *bucket, double now, double seconds, unsigned capacity);

/* Takes a token; false when there is none. */
bool token_bucket_take(struct token_bucket *bucket, double now);

#endif
