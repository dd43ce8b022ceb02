/* Standing in a sequence of points; see sequence.h. */
#include "search/simple/sequence.h"
#include "search/visited.h"
#include "common/map.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sequence {
    const struct gannet_host *host;
    sequence_next *next;
    void *source;
    uint64_t patience;
    uint32_t dimension;
    double size;     /* of the space */
    bool finite;     /* points come again */
    bool in_vain;    /* the asks for the trial at hand have run out of patience */
    double *ahead;   /* allowed points from where we stand on, as far as anybody looked */
    size_t count;    /* how many */
    size_t capacity; /* in doubles */
    size_t looked;   /* how many of them the asks for the trial at hand have seen */
    struct map done; /* hashes of noted points. Where points don't come again, only those not passed yet. */
};

struct sequence *sequence_create(const struct gannet_problem *problem, const struct gannet_host *host,
                                 sequence_next *next, void *source, uint64_t patience)
{
    struct sequence *sequence = MEM_NEW(struct sequence);
    sequence->host = host;
    sequence->next = next;
    sequence->source = source;
    sequence->patience = patience;
    sequence->dimension = problem->space->count;
    sequence->size = problem->space->size;
    sequence->finite = isfinite(sequence->size);
    return sequence;
}

void sequence_destroy(struct sequence *sequence)
{
    if (!sequence)
        return;
    map_fini(&sequence->done);
    free(sequence->ahead);
    free(sequence);
}

static uint64_t hash_point(const struct sequence *sequence, const double *unit)
{
    return visited_hash(unit, sequence->dimension);
}

static bool is_done(const struct sequence *sequence, const double *unit)
{
    return map_get(&sequence->done, hash_point(sequence, unit));
}

static double *ahead_at(const struct sequence *sequence, size_t index)
{
    return sequence->ahead + index * sequence->dimension;
}

/* Looks one point further ahead. When every configuration is done there is none. */
static enum sequence_step look_for_point(struct sequence *sequence)
{
    if ((double)sequence->done.count >= sequence->size)
        return SEQUENCE_END;
    MEM_GROW(sequence->ahead, sequence->capacity, (sequence->count + 1) * sequence->dimension);
    double *unit = ahead_at(sequence, sequence->count);
    for (uint64_t i = 0; i < sequence->patience; i++) {
        enum sequence_step step = sequence->next(sequence->source, unit);
        if (step == SEQUENCE_END)
            return SEQUENCE_END;
        if (step == SEQUENCE_NOTHING)
            continue;
        sequence->host->snap(sequence->host, unit);
        if (sequence->host->allowed(sequence->host, unit) && !(sequence->finite && is_done(sequence, unit))) {
            sequence->count++;
            return SEQUENCE_POINT;
        }
    }
    return SEQUENCE_NOTHING;
}

enum sequence_step sequence_ask(struct sequence *sequence, uint32_t retry, double *unit)
{
    if (retry == 0) {
        sequence->looked = 0;
        sequence->in_vain = false;
    }
    for (;;) {
        if (sequence->looked == sequence->count) {
            enum sequence_step step = sequence->in_vain ? SEQUENCE_NOTHING : look_for_point(sequence);
            sequence->in_vain = step == SEQUENCE_NOTHING;
            if (step != SEQUENCE_POINT)
                return step;
        }
        const double *point = ahead_at(sequence, sequence->looked++);
        if (is_done(sequence, point))
            continue;
        memcpy(unit, point, sequence->dimension * sizeof *unit);
        return SEQUENCE_POINT;
    }
}

void sequence_note(struct sequence *sequence, const double *unit)
{
    map_put(&sequence->done, hash_point(sequence, unit), sequence);
    size_t passed = 0;
    while (passed < sequence->count || look_for_point(sequence) == SEQUENCE_POINT) {
        const double *point = ahead_at(sequence, passed);
        if (!is_done(sequence, point))
            break;
        if (!sequence->finite)
            map_remove(&sequence->done, hash_point(sequence, point));
        passed++;
    }
    if (passed == 0)
        return;
    sequence->count -= passed;
    memmove(sequence->ahead, ahead_at(sequence, passed), sequence->count * sequence->dimension * sizeof(double));
}
